"""A plugin of pytest for `scripts/mutate.py`: notes the files whose tests start processes.

Coverage does not see what such a process runs. Usage: ``pytest -p scripts.process_starts``; the
files are lines of `NOTED` in the working folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

NOTED = ".starts-processes"
_STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system"}
_noted: set[str] = set()
_running = ""


def pytest_configure() -> None:
    """Listen from now on; an audit hook cannot be removed, and ends with the process."""
    sys.addaudithook(_audit)


def pytest_runtest_logstart(nodeid: str) -> None:
    """Remember the file of the test that begins."""
    global _running
    _running = nodeid.partition("::")[0]


def _audit(event: str, _: object) -> None:
    if event in _STARTS and _running and _running not in _noted:
        _noted.add(_running)
        with Path(NOTED).absolute().open("a", encoding="utf-8") as file:
            file.write(f"{_running}\n")
