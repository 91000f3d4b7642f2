"""A program that is killed while it flushes and compacts loses nothing and writes nothing twice."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

from recollect.core.events import SessionCompacted
from recollect.memory import open_memory
from recollect.sessions.record.tool_call import pairs
from tests.integration.sessions.window_worker import SETTINGS, statement

ROOT = Path(__file__).resolve().parents[3]
KILLS = 6


def turns_until_killed(*arguments: object, turns: int) -> int:
    """Start a worker, kill it after so many turns, and return the last one that it told."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.sessions.window_worker", *map(str, arguments)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with worker:
        assert worker.stdout is not None
        told = [worker.stdout.readline() for _ in range(turns)]
        worker.kill()
        told += worker.stdout.readlines()
    return max(int(line) for line in told if line.endswith("\n"))


def test_a_kill_between_any_steps_leaves_everything_consistent(tmp_path: Path) -> None:
    """Messages, summaries, counts, events and notes agree, and go on where they were."""
    home, workspace, random = tmp_path / "home", tmp_path / "workspace", Random(11)
    workspace.mkdir()
    with open_memory(home, workspace, overrides=SETTINGS, live=False) as memory:
        session_id = memory.sessions.create(key="telegram:42").id
    last = 0
    for _ in range(KILLS):
        turns = random.randint(3, 25)
        last = turns_until_killed(home, workspace, session_id, turns=turns)
    with open_memory(home, workspace, overrides=SETTINGS, live=False) as memory:
        sessions = memory.sessions
        messages, session = sessions.messages(session_id), sessions.get(session_id)
        assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
        assert len(messages) >= 4 * (last + 1)
        made = sessions.compactions(session_id)
        told = [r for r in memory.events.since() if isinstance(r.event, SessionCompacted)]
        assert len(made) == len(told) == session.compaction_count > KILLS
        assert [c.through_seq for c in made] == sorted({c.through_seq for c in made})
        sessions.compact(session_id)
        view = sessions.view(session_id)
        assert all(pair.call_seq for pair in pairs(view.messages))
        sessions.flush(session_id)
    noted = Counter(
        line.partition(" (")[0].removeprefix("- ")
        for path in (workspace / "memory").iterdir()
        for line in path.read_text().splitlines()
        if line.startswith("- ")
    )
    assert noted == Counter(statement(turn) for turn in range(len(messages) // 4))
