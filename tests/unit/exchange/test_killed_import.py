"""An import that is killed: what it had stored is whole, and the next one brings the rest."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.exchange.documents import PLAIN, exported, opened, records, written

SCRIPT = """
import os, signal, sys
import recollect
home, document, left = sys.argv[1], sys.argv[2], [int(sys.argv[3])]
def tell(_):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
with recollect.open(home, overrides={settings}, live=False) as memory:
    memory.import_export(document, on_progress=tell)
"""


@pytest.mark.slow
@pytest.mark.parametrize("transactions", [1, 2, 3])
def test_a_killed_import_is_finished_by_the_next(tmp_path: Path, transactions: int) -> None:
    """After any of its transactions: nothing lost, nothing twice, the same numbers."""
    with opened(tmp_path / "one") as memory:
        for name in ("a", "b"):
            session = memory.sessions.create(key=f"agent:main:{name}", project=f"/p/{name}")
            memory.sessions.append_many(session.id, [("user", f"{name}{n}") for n in range(1_500)])
            memory.observations.record(session.id, "Read", output=name * 20_000)
        lines = exported(memory)
    document = written(tmp_path / "x.jsonl", lines)
    script = SCRIPT.replace("{settings}", repr(PLAIN))
    arguments = [str(tmp_path / "two"), str(document), str(transactions)]
    command = [sys.executable, "-c", script, *arguments]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    with opened(tmp_path / "two") as memory:
        said = sum(session.message_count for session in memory.sessions.list())
        assert 0 < said < 3_000
        assert memory.import_export(document).known >= said
        assert records(exported(memory)) == records(lines)
