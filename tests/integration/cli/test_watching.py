"""`recollect sync --watch` as a process: it tells what it did, and ends with Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

from tests.integration.cli.conftest import COMMAND, Run


def test_it_tells_each_sync_until_ctrl_c(
    surroundings: dict[str, str], run: Run, home: Path, tmp_path: Path
) -> None:
    """And a second one is told that the first does the work."""
    workspace = tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    run("--home", home, "init")
    command = ["--home", str(home), "--workspace", str(workspace), "sync", "--watch"]
    process = subprocess.Popen(
        [*COMMAND, *command],
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background of a shell has the interrupt switched off, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        assert "nothing new" in process.stdout.readline()
        while "watching" not in process.stderr.readline():
            pass
        (workspace / "memory/a.md").write_text("The kettle is blue.\n", encoding="utf-8")
        while "1 document" not in process.stderr.readline():
            pass
        second = run(*command, "--json")
        assert second.code == 1
        assert json.loads(second.err)["error"]["code"] == "store_busy"
    finally:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, ""), err
