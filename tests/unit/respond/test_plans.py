"""What an answer asks of the records is read by indexes, however much a home holds."""

from __future__ import annotations

import re

import pytest

from recollect.memory import Memory
from recollect.store.sqlite.transaction import SqliteTransaction
from tests.support.chat_model import ChatModel

KEY = "agent:main:telegram:direct:42"


def test_no_row_is_read_that_is_not_asked_for(
    memory: Memory, model: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the inbox, of its sessions, and of the messages that are named in the prompt."""
    memory.respond(KEY, "The cellar key hangs behind the door.", "telegram:42")
    memory.sessions.reset(KEY)
    statements: set[str] = set()
    read = SqliteTransaction.all

    def note(self: SqliteTransaction, sql: str, params: object = ()) -> object:
        statements.add(sql)
        return read(self, sql, params)  # type: ignore[arg-type]

    monkeypatch.setattr(SqliteTransaction, "all", note)
    memory.respond(KEY, "Where is the cellar key?", "telegram:42", event_id="e2")
    ours = [each for each in statements if re.search(r"\binbound\b|SELECT id, number", each)]
    assert len(ours) >= 4
    records = memory._rooms.records  # noqa: SLF001  # what no memory hands out
    for sql in ours:
        explain, places = f"EXPLAIN QUERY PLAN {sql}", ("[]",) * sql.count("?")
        rows = records.read(lambda tx, of=(explain, places): read(tx, *of))  # type: ignore[misc]
        plan = [str(row[3]) for row in rows]
        assert [line for line in plan if "TABLE INDEX" not in line and "SCAN" in line] == [], sql
        broad = [line for line in plan if line.endswith("(tenant=?)")]
        assert broad in ([], ["SEARCH inbound USING INDEX inbound_waiting (tenant=?)"]), sql
