"""The queue of a session over threads and processes of one home."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import recollect

ROOT = Path(__file__).parents[3]
PROCESSES, THREADS, TURNS = 3, 3, 3
WORKER = f"""
import sys, threading
import recollect

def answer(memory, session):
    for _ in range({TURNS}):
        with memory.sessions.turn(session, 120) as mine:
            asked = memory.sessions.append(session, "user", "question")
            memory.sessions.append(session, "assistant", f"{{mine.last_seq}} {{asked.seq}}")

with recollect.open(sys.argv[1], overrides={{"embedding.provider": "none"}}) as memory:
    work = (memory, sys.argv[2])
    threads = [threading.Thread(target=answer, args=work) for _ in range({THREADS})]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_nobody_speaks_within_the_turn_of_another(tmp_path: Path) -> None:
    """Each question is answered before the next is asked, and everybody's turn comes."""
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as memory:
        session = memory.sessions.create(mode="queue").id
        command = [sys.executable, "-c", WORKER, str(tmp_path / "home"), session]
        workers = [subprocess.Popen(command, cwd=ROOT) for _ in range(PROCESSES)]
        assert [worker.wait(120) for worker in workers] == [0] * PROCESSES
        said = [(message.role, message.text) for message in memory.sessions.messages(session)]
    count = PROCESSES * THREADS * TURNS
    assert said == [
        line
        for turn in range(count)
        for line in (("user", "question"), ("assistant", f"{2 * turn} {2 * turn + 1}"))
    ]
    assert [path.name for path in (tmp_path / "home" / "turns").iterdir()] == [".door"]
