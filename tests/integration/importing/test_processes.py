"""Several processes on one home: appending to one session, importing the same folder, killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from recollect.sessions.mirror.mirror_file import MirrorState
from tests.integration.importing.worker import BATCH, BATCHES, SINGLES
from tests.unit.sessions.home import Home

ROOT = Path(__file__).resolve().parents[3]
PROCESSES = 5


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start a worker."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.importing.worker", *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(worker: subprocess.Popen[str], order: str = "") -> list[str]:
    """Wait for a worker and return what it said."""
    said, errors = worker.communicate(order, timeout=120)
    assert worker.returncode == 0, errors
    return said.splitlines()


def write_transcripts(folder: Path, files: int, messages: int) -> list[str]:
    """Write plain transcripts, without ids in every second file; return all texts, sorted."""
    folder.mkdir()
    texts = []
    for name in range(files):
        lines = []
        for number in range(messages):
            text = f"file {name} line {number // 2}"
            texts.append(text)
            record = {"role": "user", "content": text, "at": 1_000_000_000_000 + number}
            lines.append(json.dumps(record | ({"id": str(number)} if name % 2 else {})))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sorted(texts)


def all_texts(home: Home) -> list[str]:
    """Return what all sessions of a home say, sorted; their seqs must have no gaps."""
    texts = []
    for session in home.sessions.list():
        messages = home.sessions.messages(session.id)
        assert [message.seq for message in messages] == list(range(1, len(messages) + 1))
        texts += [message.text for message in messages]
    return sorted(texts)


def test_processes_that_append_to_one_session_leave_no_gap(tmp_path: Path) -> None:
    """Every message once, seqs from 1 up, one mirror that says the same."""
    home = Home(tmp_path / "home")
    session = home.sessions.create(key="agent:main:telegram:acc:direct:42")
    workers = [start("append", home.path, session.id, f"p{n}") for n in range(PROCESSES)]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        finish(worker)
    texts = all_texts(home)
    assert len(texts) == len(set(texts)) == PROCESSES * (SINGLES + BATCHES * BATCH)
    home.mirror.flush()
    assert home.mirror.state(session.id) is MirrorState.EQUAL
    home.close()


def test_processes_that_import_the_same_folder_store_each_line_once(tmp_path: Path) -> None:
    """Event ids settle who was first."""
    expected = write_transcripts(tmp_path / "in", files=4, messages=60)
    home = Home(tmp_path / "home")
    workers = [start("import", home.path, tmp_path / "in") for _ in range(4)]
    for worker in workers:
        finish(worker)
    assert all_texts(home) == expected
    home.close()


def test_an_import_that_is_killed_again_and_again_ends_complete(tmp_path: Path) -> None:
    """Kill -9 after the first batch each time, then let it finish."""
    expected = write_transcripts(tmp_path / "in", files=6, messages=1_500)
    home = Home(tmp_path / "home")
    for _ in range(3):
        worker = start("import", home.path, tmp_path / "in")
        assert worker.stdout is not None
        assert worker.stdout.readline()
        worker.kill()
        worker.communicate()
    finish(start("import", home.path, tmp_path / "in"))
    assert all_texts(home) == expected
    assert home.importer().run(tmp_path / "in").unchanged == 6
    home.close()
