"""Writes the recordings of `tests/fixtures/claude_code`: ``python -m tests.agents.record``.

For each run the payloads that its hooks were handed, and the transcripts as they stood at the end.
The words are ours or cut short, and the paths and ids are made up: nothing of the machine, nothing
of the client's own prompts.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.agents.claude_code import REASON, ClaudeCode, find_claude
from tests.agents.messages_api import MessagesApi, Script, Use
from tests.agents.recording import Recording

TARGET = Path(__file__).parents[1] / "fixtures" / "claude_code"
PERMITTED = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash", "Agent")
ITS_OWN = ("api-request", "attachment", "cost-state")
"""Lines, by the start of their type, whose words are the client's."""
WORDS_OF_THE_CLIENT = "(words of the client)"
LONGEST = 80
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
EMPTIED = {"tools", "systemPrompt", "betas"}
FIXED_KEYS = {"type", "uuid", "parentUuid", "sessionId", "timestamp", "hookEvent", "hookName"}


class Scribe:
    """Runs the scenarios, and writes down what they left.

    Args:
        folder: For homes and projects; everything in it is left.
    """

    def __init__(self, folder: Path, program: Path, api: MessagesApi) -> None:
        self.project = folder / "shop"
        self.project.mkdir()
        (self.project / "README.md").write_text("hello\n", encoding="utf-8")
        commands = self.project / ".claude" / "commands"
        commands.mkdir(parents=True)
        (commands / "greet.md").write_text("Greet $ARGUMENTS\n", encoding="utf-8")
        self.api, self.recording = api, Recording(folder / "recording")
        self.claude = ClaudeCode(program, folder / "home", api)
        real = (self.project, folder / "home", folder, Path(f"/tmp/claude-{os.getuid()}"))
        said = ("/home/ana/shop", "/home/ana", "/home/ana", "/tmp/claude")
        self.made_up = MadeUp(dict(zip(map(str, real), said, strict=True)))

    def run(self, name: str, prompt: str, *options: str, script: Script | None = None) -> str:
        """Run a prompt to its end; return its session."""
        self.api.script = script or Script()
        settings = ("--settings", self.recording.settings)
        run = self.claude.try_run(prompt, *settings, *PERMITTED, *options, folder=self.project)
        self.keep(name)
        return run.session_id

    def keep(self, name: str) -> None:
        """Write down the events of a run."""
        _write(f"{name}.events", [self.made_up(one) for one in self.recording.payloads()])
        self.recording.forget()

    def transcript(self, name: str, session: str) -> None:
        """Write down a transcript, and those of its sub-agents."""
        (main,) = self.claude.config.glob(f"projects/*/{session}.jsonl")
        _write(name, self._lines(main))
        agents = sorted(main.with_suffix("").glob("subagents/*.jsonl"))
        for place, path in enumerate(agents, start=1):
            _write(f"{name}.agent{place}", self._lines(path))

    def interrupted(self) -> None:
        """Run a prompt, and interrupt it while its tool runs."""
        wait = Use("Bash", {"command": "mkfifo gate; cat gate", "description": "Wait"}, "toolu_i")
        self.api.script = Script(main=[[wait]])
        settings = ("--settings", self.recording.settings)
        words = (*settings, *PERMITTED)
        process = self.claude.start("Wait for the gate", *words, folder=self.project)
        stopwatch = threading.Event()
        while not (self.project / "gate").exists():
            stopwatch.wait(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.keep("interrupted")
        self.transcript("interrupted", json.loads(out)["session_id"])

    def _lines(self, path: Path) -> list[object]:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return [self.made_up(line) for line in lines]


class MadeUp:
    """Makes paths, ids and the client's words into ones that say nothing.

    Args:
        places: The path to write instead of a real one, longest first.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = dict(places)
        slugs = {re.sub(r"[^A-Za-z0-9]", "-", real): said for real, said in places.items()}
        self._places |= {real: said.replace("/", "-") for real, said in slugs.items()}
        self._ids: dict[str, str] = {}

    def __call__(self, line: Mapping[str, Any]) -> object:
        """Return a line or payload with all of it made up."""
        is_its_own = str(line.get("type", "")).startswith(ITS_OWN)
        return self._value(line, is_its_own=is_its_own)

    def _value(self, value: object, *, is_its_own: bool) -> object:
        if isinstance(value, Mapping):
            return {
                key: []
                if is_its_own and key in EMPTIED
                else self._value(inner, is_its_own=is_its_own and key not in FIXED_KEYS)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [self._value(inner, is_its_own=is_its_own) for inner in value]
        return self._words(value, is_its_own=is_its_own) if isinstance(value, str) else value

    def _words(self, text: str, *, is_its_own: bool) -> str:
        for real, said in self._places.items():
            text = text.replace(real, said)
        text = UUID.sub(lambda found: self._id(found[0]), text)
        if is_its_own and " " in text:
            return WORDS_OF_THE_CLIENT
        is_marked = text.startswith(("<command-", "<task-", "/home/ana"))
        return text if is_marked or len(text) <= LONGEST else f"{text[:LONGEST]}…"

    def _id(self, real: str) -> str:
        place = len(self._ids) + 1
        return self._ids.setdefault(real, f"{place:08x}-0000-4000-8000-{place:012x}")


def _write(name: str, lines: list[object]) -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (TARGET / f"{name}.jsonl").write_text(text, encoding="utf-8")


def work(project: Path) -> Script:
    """Return a script that uses every kind of tool once, one after another."""
    note = str(project / "note.txt")
    look = {"description": "Look", "prompt": "Look for the kettle", "subagent_type": "Explore"}
    return Script(
        main=[
            [Use("Write", {"file_path": note, "content": "one\n"}, "toolu_write")],
            [
                "Reading.",
                Use("Bash", {"command": "ls", "description": "List"}, "toolu_list"),
                Use("Read", {"file_path": str(project / "README.md")}, "toolu_read"),
            ],
            [Use("Bash", {"command": "false", "description": "Fail"}, "toolu_fail")],
            [
                Use(
                    "Edit",
                    {"file_path": note, "old_string": "one", "new_string": "two"},
                    "toolu_edit",
                )
            ],
            [Use("Agent", look, "toolu_agent")],
            ["The note says two."],
        ],
        subagents={
            "Look for the kettle": [
                [Use("Bash", {"command": "echo blue", "description": "Look"}, "toolu_inner")],
                ["The kettle is blue."],
            ]
        },
    )


def main() -> None:
    """Run every scenario and write what it left."""
    program = find_claude()
    if program is None:
        raise SystemExit(REASON)
    shutil.rmtree(TARGET, ignore_errors=True)
    with tempfile.TemporaryDirectory() as made, MessagesApi() as api:
        scribe = Scribe(Path(made).resolve(), program, api)
        plain = scribe.run("plain", "Where is the kettle?")
        scribe.run("resumed", "And the lid?", "--resume", plain)
        fork = scribe.run("forked", "And the cup?", "--resume", plain, "--fork-session")
        scribe.transcript("forked", fork)
        scribe.run("resumed_after_fork", "And the spoon?", "--resume", plain)
        scribe.transcript("plain", plain)
        worked = scribe.run("work", "Write a note", script=work(scribe.project))
        scribe.transcript("work", worked)
        scribe.run("compacted", "/compact keep names", "--resume", worked)
        scribe.run("after_compaction", "Go on", "--resume", worked)
        scribe.transcript("compacted", worked)
        fork = scribe.run("forked_compacted", "Elsewhere", "--resume", worked, "--fork-session")
        scribe.transcript("forked_compacted", fork)
        fetch = Use("WebFetch", {"url": "http://127.0.0.1:9/", "prompt": "Read"}, "toolu_fetch")
        scribe.run("denied", "Fetch it", script=Script(main=[[fetch], ["Not allowed."]]))
        scribe.run("refused", "Are you there?", script=Script(status=400))
        scribe.run("command", "/greet Ana")
        scribe.interrupted()


if __name__ == "__main__":
    main()
