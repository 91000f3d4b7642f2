"""The table of the ways to get a session: each does with archived and deleted ones what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, NotFound
from recollect.memory import Memory
from recollect.sessions.lifecycle import Moment
from recollect.sessions.record.session import Session

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sessions.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## Ways to get a session")[2]
ROW = re.compile(
    r"^\| `([^`]+)`[^|]*\|[^|]*\| (\*\*[^*]+\*\*)[^|]*\| (\*\*[^*]+\*\*)[^|]*\|$", re.MULTILINE
)
TABLE = {call: (one.strip("*"), two.strip("*")) for call, one, two in ROW.findall(SECTION)}

KEY, TITLE, ID = "telegram:42", "Tea", "11111111-1111-4111-8111-111111111111"


def _import(memory: Memory) -> Session | None:
    """Import the transcript again; return its session if it got the message that is new."""
    chat = memory.home / f"{ID}.jsonl"
    with chat.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"role": "user", "content": "and again"}) + "\n")
    memory.import_transcripts(chat, "jsonl")
    (known,) = memory.sessions.list() + memory.sessions.list(status="deleted")
    return known if known.last_seq == 2 else None


def _hooked(memory: Memory, moment: Moment) -> Session:
    return memory.sessions.hooked(KEY, None, moment).session


WAYS: dict[str, Callable[[Memory, Session], Session | None]] = {
    "create(key)": lambda memory, _: memory.sessions.create(KEY),
    "create(session_id=…)": lambda memory, s: memory.sessions.create(session_id=s.id),
    "open(key)": lambda memory, _: memory.sessions.open(KEY),
    "reset(key)": lambda memory, _: memory.sessions.reset(KEY),
    "hooked(key)": lambda memory, _: memory.sessions.hooked(KEY).session,
    'hooked(key, moment="resume")': lambda memory, _: _hooked(memory, "resume"),
    'hooked(key, moment="end")': lambda memory, _: _hooked(memory, "end"),
    "start(session_id=…)": lambda memory, s: memory.sessions.start(session_id=s.id),
    "start(resume=…)": lambda memory, _: memory.sessions.start(resume=TITLE),
    "start(resume=ID)": lambda memory, s: memory.sessions.start(resume=s.id),
    "start(continue_latest=True)": lambda memory, _: memory.sessions.start(continue_latest=True),
    "get(id)": lambda memory, s: memory.sessions.get(s.id),
    "find(id)": lambda memory, s: memory.sessions.find(s.id),
    "find(title)": lambda memory, _: memory.sessions.find(TITLE),
    "find(title, deleted=True)": lambda memory, _: memory.sessions.find(TITLE, deleted=True),
    "list()": lambda memory, _: next(iter(memory.sessions.list()), None),
    "latest()": lambda memory, _: memory.sessions.latest(),
    "resume(id)": lambda memory, s: memory.sessions.resume(s.id),
    "resume(title)": lambda memory, _: memory.sessions.resume(TITLE),
    "hold(id)": lambda memory, s: memory.sessions.hold(s.id).session,
    "fork(id)": lambda memory, s: memory.sessions.fork(s.id),
    "import_transcripts(path)": lambda memory, _: _import(memory),
}


def _outcome(memory: Memory, call: str, status: str) -> str:
    if call.startswith("import"):
        chat = memory.home / f"{ID}.jsonl"
        chat.write_text(json.dumps({"role": "user", "content": "said"}) + "\n", encoding="utf-8")
        memory.import_transcripts(chat, "jsonl")
        (session,) = memory.sessions.list()
    else:
        session = memory.sessions.create(KEY, title=TITLE)
        memory.sessions.append(session.id, "user", "said")
    session = memory.sessions.set_status(session.id, status)
    try:
        found = WAYS[call](memory, session)
    except Conflict:
        return "refused"
    except NotFound:
        return "not found"
    if found is None or session.id not in {found.id, found.parent_id}:
        return "passed over"
    now = memory.sessions.get(session.id)
    return "as it is" if now.status == status else f"{now.status} again"


@pytest.mark.parametrize("call", sorted({*WAYS, *TABLE}))
def test_a_way_does_what_the_table_says(tmp_path: Path, call: str) -> None:
    """Every row is a way, every way has a row, and both columns are true."""
    found = []
    for status in ("archived", "deleted"):
        home = tmp_path / status
        with recollect.open(home, overrides={"embedding.provider": "none"}) as memory:
            found.append(_outcome(memory, call, status))
    assert TABLE.get(call) == tuple(found)
