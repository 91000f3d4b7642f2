"""Homes of older versions, in which imported sessions without a telling key were the owner's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from recollect.core.clock import SystemClock
from recollect.sessions.record.session import Session, insert_session
from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import open_database
from recollect.store.sqlite.home import RECORDS_ID
from recollect.store.sqlite.schema import load_schema
from tests.unit.sessions.home import NOON, Home

PLAIN = Session(
    id="plain", tenant="local", status="active", created_at=NOON, updated_at=NOON, agent="main"
)
SESSIONS: dict[str, dict[str, Any]] = {
    "unnamed": {"source": "openclaw"},
    "file": {"source": "jsonl", "key": "talk"},
    "fork": {"parent_id": "unnamed", "forked_at_seq": 0},
    "grandchild": {"parent_id": "fork", "forked_at_seq": 0},
    "claude": {"source": "claude-code"},
    "main": {"source": "openclaw", "key": "agent:main:main"},
    "own": {"key": "talk"},
    "group": {
        "source": "openclaw",
        "key": "agent:main:telegram:group:7",
        "channel": "telegram",
        "chat_type": "group",
        "peer": "7",
    },
}


def made_before(path: Path) -> None:
    """Make the records of an older version."""
    schema = load_schema("records", RECORDS_ID, keep_backup=False)
    number = next(step.version for step in schema.steps if step.name.endswith("unknown_origin"))
    old = msgspec.structs.replace(schema, steps=schema.steps[: number - 1], golden="")
    database = open_database(path / "records.db", old, Tuning(), SystemClock())
    for name, facts in SESSIONS.items():
        session = msgspec.structs.replace(PLAIN, id=name, **facts)
        database.write(lambda tx, made=session: insert_session(tx, made))  # type: ignore[misc]
    database.close()


def test_sessions_of_unknown_origin_lose_the_owners_ear(tmp_path: Path) -> None:
    """With their forks; what a key, or the program, tells stays where it was."""
    made_before(tmp_path)
    home = Home(tmp_path)
    visibility_groups = {name: home.sessions.visibility_group(name) for name in SESSIONS}
    home.close()
    alone = {"unnamed", "file", "fork", "grandchild", "group"}
    assert {
        name
        for name, visibility_group in visibility_groups.items()
        if not visibility_group.is_private
    } == alone
    assert (
        visibility_groups["unnamed"] == visibility_groups["fork"] == visibility_groups["grandchild"]
    )
    assert len({visibility_groups[name].name for name in ("unnamed", "file", "group", "own")}) == 4
    assert visibility_groups["claude"] == visibility_groups["main"] == visibility_groups["own"]
