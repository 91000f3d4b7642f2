"""Erasing one conversation: nothing of it is left, nothing else goes, and it does not come back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, InvalidInput, NotFound, RecollectError, StoreBusy
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.store.columns import first_integer
from recollect.store.locks import OwnerLock
from tests.support.leftovers import files_that_hold

LEXICAL = {"embedding.provider": "none"}
WORDS = (
    *("zorvexplum", "quibnavtitle", "drelkameta", "voxtunname", "hemtrilcall", "osprunresult"),
    *("mivlasummary", "tekpendinq", "wulfortpeer", "yandrekevent", "plimzofact", "grobnistream"),
)
"""One for each way in; none of them is part of another."""


def opened(home: Path, **options: object) -> Memory:
    """Return a memory without an embedder, and without a background."""
    return recollect.open(home, overrides=LEXICAL, live=False, **options)  # type: ignore[arg-type]


def said_everywhere(memory: Memory, words: Sequence[str] = WORDS) -> str:
    """Return a session that has one of the words in each place that takes text."""
    said, title, fact, name, call, result, summary, pending, peer, event, inside, stream = words
    sessions = memory.sessions
    key = f"agent:main:telegram:group:{peer}"
    session = sessions.create(key=key, title=title, metadata={"note": fact, "in": [inside]})
    sessions.append(session.id, "user", f"The {said} was said.", name=name, event_id=event)
    sessions.append(
        session.id, "assistant", [{"type": "tool_use", "id": "c1", "name": "t", "input": {"q": call}}]
    )
    sessions.append(
        session.id, "tool", [{"type": "tool_result", "tool_use_id": "c1", "content": result}]
    )
    with sessions.stream(session.id) as message:
        message.add(f"and {stream} came in pieces")
    sessions.history.add(key, pending, f"{pending} waits", message_id=pending)
    for number in range(30):
        sessions.append(session.id, "user", f"We decided on {summary} in round {number}.")
    sessions.compact(session.id)
    return session.id


def neighbour(memory: Memory) -> str:
    """Return a session that has nothing to do with it."""
    session = memory.sessions.create(title="The neighbour")
    memory.sessions.append(session.id, "user", "The gasket is MAG-4471.")
    return session.id


def count_rows(memory: Memory, session_id: str) -> int:
    """Return how many rows of the records name a session, events and the outbox included."""
    records = memory._parts.resources.records
    tables = ("messages", "tool_calls", "compactions", "events", "episodes", "prunings", "leases")
    return sum(
        records.read(
            lambda tx, table=table: first_integer(  # type: ignore[misc]
                tx.row(f"SELECT count(*) FROM {table} WHERE session_id = ?", (session_id,))  # noqa: S608
            )
        )
        for table in tables
    )


def test_no_byte_of_an_erased_conversation_is_left(tmp_path: Path) -> None:
    """Whatever way it came in; in no file of the home, in no encoding, in no free page."""
    home = tmp_path / "home"
    with opened(home) as memory:
        doomed, kept = said_everywhere(memory), neighbour(memory)
        memory.sync()
        assert memory.search("zorvexplum").hits
    assert [word for word in WORDS if not files_that_hold(home, word)] == []
    with opened(home) as memory:
        receipt = memory.erase(session_id=doomed)
        assert (receipt.session_ids, receipt.is_clean, receipt.warnings) == ((doomed,), True, ())
        assert receipt.counts["messages"] == 34
        assert receipt.counts["pending_messages"] == 1
        assert count_rows(memory, doomed) == 0
        assert memory.search("gasket").hits[0].session_id == kept
        with pytest.raises(NotFound):
            memory.sessions.get(doomed)
    assert {word: files_that_hold(home, word) for word in WORDS} == dict.fromkeys(WORDS, [])
    assert files_that_hold(home, doomed) == []
    assert files_that_hold(home, "MAG-4471")
