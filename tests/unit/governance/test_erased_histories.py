"""After an erasure and any history: no byte of what was erased is anywhere in the home.

`ERASURE_HISTORIES` sets how many histories are played, `RECOLLECT_SEED` which.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import RecollectError
from recollect.exchange.recover import recover
from recollect.hook.keeping import keep
from recollect.server.routes.client_hooks import ClientReport, answer
from recollect.server.spooling import drain_home
from tests.support.claude_play import memory_and_caller
from tests.support.leftovers import files_that_hold
from tests.unit.governance.test_erased_stays_away import (
    COPY,
    FIRST,
    LONG,
    MARK,
    line,
    opened,
    said,
    tool_lines,
    write,
)

HISTORIES = int(os.environ.get("ERASURE_HISTORIES", "4"))  # noqa: TID251 - how long a test runs
SEED = int(os.environ.get("RECOLLECT_SEED", "0"))  # noqa: TID251 - which histories
FOLDER = f"/home/ana/{MARK}"


class History:
    """A home in which a session was erased, and what happens to it then.

    Args:
        folder: Where everything is.
        chance: Decides.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.home, self.claude = folder / "home", folder / "claude"
        self.export, self.backup = folder / "all.jsonl", folder / "backup"
        self.chance, self.kept = chance, 0
        self.steps: list[str] = []
        self.lines = [each | {"cwd": FOLDER} for each in [*said(1, 2, 3), *tool_lines(4, LONG)]]
        self.grown = list(self.lines)
        self.first = write(self.claude, FIRST, self.lines)
        title = {"type": "custom-title", "customTitle": f"About {MARK}"}
        self.write_first(title)

    def write_first(self, *more: dict[str, Any]) -> None:
        """Let the erased session's program write on."""
        self.grown += more
        write(self.claude, FIRST, self.grown)

    def begin(self) -> None:
        """Store everything, copy it, and erase it."""
        with opened(self.home) as memory:
            own = memory.sessions.create(key="agent:main:main", project="/home/ana/other")
            memory.sessions.append(own.id, "user", "kept 0")
            memory.import_transcripts(self.claude)
            (doomed,) = [each for each in memory.sessions.list() if each.foreign_id == FIRST]
            if self.chance.random() < 0.5:
                memory.sessions.compact(doomed.id)
            memory.sync()
            memory.export().save(self.export)
            memory.backup(self.backup)
            assert memory.erase(session_id=doomed.id).is_clean

    def play(self, count: int) -> None:
        """Let some things happen, each of which is to bring nothing back."""
        for _ in range(count):
            step = self.chance.choice(STEPS)
            self.steps.append(step.__name__)
            step(self)
        with opened(self.home) as memory:
            memory.import_transcripts(self.claude)
            memory.sync()
            told = [m.text for s in memory.sessions.list() for m in memory.sessions.messages(s.id)]
            assert sorted(told) == sorted(f"kept {n}" for n in range(self.kept + 1)), self.steps
        assert files_that_hold(self.home, MARK) == [], self.steps

    def imports(self) -> None:
        """Import what is there."""
        with opened(self.home) as memory:
            memory.import_transcripts(self.claude)

    def follows(self) -> None:
        """Follow what is there."""
        with opened(self.home, self.claude) as memory:
            memory.sync()

    def goes_on(self) -> None:
        """Let the erased session go on in its program."""
        number = 20 + len(self.grown)
        self.write_first(line(number, f"{MARK} {number}", cwd=FOLDER))

    def rewrites(self) -> None:
        """Let the program write the transcript anew."""
        self.chance.shuffle(self.grown)
        self.write_first()

    def copies(self) -> None:
        """Fork the erased session there: its lines first, and something new."""
        self.kept += 1
        own = line(
            900 + self.kept, f"kept {self.kept}", uuid=f"{self.chance.getrandbits(128):032x}"
        )
        taken = self.lines[: self.chance.randint(1, len(self.lines))]
        session = f"{COPY[:-4]}{self.kept:04d}"
        write(self.claude, session, [*taken, own | {"cwd": "/home/ana/other"}])

    def takes_export(self) -> None:
        """Import the export of before."""
        with opened(self.home) as memory:
            memory.import_export(self.export)

    def restores(self) -> None:
        """Restore the backup of before."""
        recollect.restore(self.backup, self.home)

    def recovers(self) -> None:
        """Lose the records."""
        for path in self.home.glob("records.db*"):
            path.unlink()
        recover(self.home)

    def reindexes(self) -> None:
        """Build the index again."""
        with opened(self.home) as memory:
            memory.reindex()

    def hooks(self) -> None:
        """Let the agent of the erased session report."""
        with memory_and_caller(self.home, self.claude, following=False) as (_, caller):
            for event, payload in self.events().items():
                report = ClientReport(client="claude-code", event=event, at=None, payload=payload)
                with suppress(RecollectError):
                    answer(caller, report)

    def spools(self) -> None:
        """Let it report while no worker runs, and give the memory what was spooled."""
        for number, (event, payload) in enumerate(self.events().items()):
            assert keep(self.home, "claude-code", event, number, json.dumps(payload).encode())
        drain_home(self.home)

    def events(self) -> dict[str, dict[str, Any]]:
        """Return what hooks of the erased session tell."""
        told = {"session_id": FIRST, "transcript_path": str(self.first), "cwd": FOLDER}
        used = {"tool_name": "Bash", "tool_input": {"command": MARK}, "tool_response": LONG}
        events: dict[str, dict[str, Any]] = {
            "SessionStart": {"source": "resume"},
            "UserPromptSubmit": {"prompt": MARK},
            "PostToolUse": used | {"tool_use_id": "toolu_9"},
            "Stop": {"last_assistant_message": MARK},
        }
        return {name: told | facts | {"hook_event_name": name} for name, facts in events.items()}

    def loses_transcript(self) -> None:
        """Let the program forget its transcript."""
        self.first.unlink(missing_ok=True)


STEPS: tuple[Callable[[History], None], ...] = (
    History.imports,
    History.follows,
    History.goes_on,
    History.rewrites,
    History.copies,
    History.copies,
    History.takes_export,
    History.restores,
    History.recovers,
    History.reindexes,
    History.hooks,
    History.spools,
    History.loses_transcript,
)


@pytest.mark.parametrize("number", range(HISTORIES))
def test_no_byte_of_what_was_erased_comes_back(tmp_path: Path, number: int) -> None:
    """Whatever is imported, followed, copied, restored, recovered or reported."""
    history = History(tmp_path, random.Random(f"{SEED} {number}"))
    try:
        history.begin()
        history.play(6)
    except BaseException as error:
        error.add_note(f"RECOLLECT_SEED={SEED}, number {number}: {history.steps}")
        raise
    shutil.rmtree(tmp_path)
