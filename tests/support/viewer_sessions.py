"""A session with all that a transcript may hold: tools, a compaction, forks, files put back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import recollect
from recollect.core.clock import SystemClock
from recollect.memory import Memory
from recollect.sessions.lifecycle import ForeignName
from recollect.sessions.record.session import Session
from tests.support.viewer_home import OVERRIDES

KEY = "agent:tide:main"
TITLE = "The clocks of the harbour"
DECISION = "The harbour tables keep UTC"
DECIDED = "decision"
MORE = (
    (DECIDED, "Reminders are sent an hour before low water, in the time of the harbour"),
    ("bugfix", "Read the zone of a table before its first row, not after"),
    ("change", "Name the pumps by their berth"),
)
PROGRAM = "5f1f6a3e-9b0a-4c67-9d1e-2f4a8b7c6d5e"
"""What the program calls its session."""
MINUTE = 60_000


def tell(home: Path, folder: Path) -> str:
    """Write the session, and a block of context into it; return its id.

    Args:
        home: Of the memory.
        folder: A root whose files it changes.
    """
    with recollect.open(home, overrides=OVERRIDES) as memory:
        before = memory.sessions.create(project="/srv/harbour", title="Before the tables")
        for kind, text in ((DECIDED, DECISION), *MORE):
            memory.observations.record(
                before.id, type=kind, summary=text, title=text, importance=0.9
            )
        session = memory.sessions.create(key=KEY, project="/srv/harbour", title=TITLE, at=_at(0))
        memory.sessions.append_many(session.id, [*_work(0, 12)])
        memory.sessions.compact(session.id, "The tables have UTC; cron prints local time.")
        memory.sessions.append_many(session.id, [*_work(12, 16)])
        _files(memory, session, folder)
        memory.sessions.append_many(session.id, [*_work(16, 20)])
        at = memory.sessions.messages(session.id, 1)[0].seq
        memory.sessions.append_many(session.id, [*_work(20, 22)])
        memory.sessions.rewind(session.id, at)
        memory.sessions.append_many(session.id, [*_work(22, 24)])
        fork = memory.sessions.fork(session.id, 8, title="What if we keep UTC?")
        memory.sessions.append(fork.id, "user", "Keep UTC everywhere, and see what breaks.")
        memory.sessions.fork(fork.id, title="UTC, without the reminders")
        name = ForeignName(source="claude-code", id=PROGRAM, place="/srv/kettle")
        memory.sessions.hooked(name, project="/srv/kettle")
        for each in (fork, before, session):
            memory.context(each.id, "which zone do the tables have")
        memory.sync()
        return session.id


def _at(step: int) -> int:
    return SystemClock().now_ms() - 600 * MINUTE + step * MINUTE


def _work(first: int, end: int) -> Any:
    for step in range(first, end):
        # From the files on it is now: what is done to them has the time of the clock.
        at, call = _at(step * 4) if end <= 16 else SystemClock().now_ms(), f"call-{step}"
        command = {"command": f"python -m tides --step {step}", "description": "Look at the table"}
        yield {"role": "user", "content": f"Look at table {step}: is its zone right?", "at": at}
        said = [
            {"type": "text", "text": f"I read table {step} and compare it with the office's."},
            {"type": "tool_use", "id": call, "name": "Bash", "input": command},
        ]
        yield {"role": "assistant", "content": said, "at": at + 5}
        is_error = step % 5 == 3
        result = "Traceback: no such zone" if is_error else "12 rows, all of them in UTC\n" * 6
        came = {"type": "tool_result", "tool_use_id": call, "content": result}
        yield {"role": "tool", "content": [came | {"is_error": is_error}], "at": at + 9}
        text = f"Table {step} is right. " + "The office prints local time, we keep UTC. " * (
            step % 7
        )
        yield {"role": "assistant", "content": text, "at": at + 20}


def _files(memory: Memory, session: Session, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "tides.py").write_text("zone = None\n", "utf-8")
    with memory.checkpoints.around(session.id, folder, tool_name="Edit") as before:
        (folder / "tides.py").write_text("zone = 'UTC'\n", "utf-8")
        (folder / "notes.txt").write_text("draft\n", "utf-8")
    memory.checkpoints.apply(memory.checkpoints.plan(before))
