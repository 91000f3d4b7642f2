"""A user with a home of their own, a Python with recollect in it, and an agent that is played.

What the user types is typed as the real command, in a process; what the agent does to us is what
the real Claude Code 2.1.330 does: it runs the hooks that it finds in its folder of skills, hands
them payloads as recorded in `tests/support/claude_code.py`, honours their answers, and writes its
transcript.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from recollect.core.clock import SystemClock, to_datetime


@dataclass
class User:
    """Types commands.

    Args:
        home: Their HOME; made.
        program: The command ``recollect``.
    """

    home: Path
    program: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)

    @property
    def memory(self) -> Path:
        """The folder of the memory."""
        return self.home / ".recollect"

    @property
    def surroundings(self) -> dict[str, str]:
        """The whole environment of what they start."""
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | dict(
            self.environment
        )

    def types(self, *words: object, folder: Path | None = None) -> str:
        """Run a command; return what it prints.

        Raises:
            AssertionError: It failed.
        """
        completed = subprocess.run(
            [str(word) for word in (self.program, *words)],
            cwd=folder or self.home,
            env=self.surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert completed.returncode == 0, (words, completed.stdout, completed.stderr)
        return completed.stdout

    def asks(self, *words: object, folder: Path | None = None) -> Any:
        """Run a command with ``--json``; return its document."""
        return json.loads(self.types(*words, "--json", folder=folder))

    def files(self) -> dict[str, bytes]:
        """Return every file below their home, by its path there."""
        whole = sorted(path for path in self.home.rglob("*") if path.is_file())
        return {str(path.relative_to(self.home)): path.read_bytes() for path in whole}

    def folders(self) -> set[str]:
        """Return every folder below their home, by its path there."""
        return {str(path.relative_to(self.home)) for path in self.home.rglob("*") if path.is_dir()}


@dataclass(frozen=True)
class Call:
    """A shell command that the agent runs.

    Args:
        command: As the agent gives it.
        output: What it prints; the command must really print it.
        id: Its tool_use_id.
    """

    command: str
    output: str
    id: str


@dataclass(frozen=True)
class Turn:
    """A prompt, the commands that the agent runs, and its answer."""

    prompt: str
    calls: Sequence[Call] = ()
    answer: str = "Done."


@dataclass(frozen=True)
class Ran:
    """What a run of the agent left: the id of its session, and all that the model was given."""

    session: str
    given: str


class Agent(Protocol):
    """An agent program with our plugin."""

    def run(self, turn: Turn, folder: Path, resume: str | None = None) -> Ran:
        """Begin a session in a folder, or go on with one, for one turn; then end."""


class PlayedAgent:
    """Does to our hooks what Claude Code does; the model is not there.

    Args:
        user: Whose home has the plugin.
    """

    def __init__(self, user: User) -> None:
        self.user = user
        self.config = user.home / ".claude"
        self._ids = itertools.count(1)
        self._behind: list[subprocess.Popen[bytes]] = []

    def run(self, turn: Turn, folder: Path, resume: str | None = None) -> Ran:
        """Play a turn; return when its hooks have ended."""
        session = _Session(self, folder, resume or self.new_id(), is_new=resume is None)
        given = [session.start(), session.prompt(turn.prompt)]
        given += [text for call in turn.calls for text in session.tool(call)]
        session.answer(turn.answer)
        session.end()
        for process in self._behind:
            process.wait()
        self._behind.clear()
        return Ran(session.id, "\n".join(given))

    def fire(self, payload: Mapping[str, Any]) -> str:
        """Run the hooks of an event; return the context that they add."""
        found = []
        for handler in self._handlers(payload["hook_event_name"], payload.get("tool_name", "")):
            is_behind = bool(handler.get("async"))
            process = subprocess.Popen(
                [handler["command"], *handler["args"]],
                cwd=payload["cwd"],
                env=self.user.surroundings,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL if is_behind else subprocess.PIPE,
            )
            if is_behind:
                assert process.stdin is not None
                with process.stdin as pipe:
                    pipe.write(json.dumps(payload).encode())
                self._behind.append(process)
                continue
            out, _ = process.communicate(json.dumps(payload).encode())
            assert process.returncode == 0, "a hook must never fail"
            answer = json.loads(out or b"{}").get("hookSpecificOutput", {})
            found.append(str(answer.get("additionalContext", "")))
        return "\n".join(filter(None, found))

    def new_id(self) -> str:
        """Return an id that no other has."""
        return str(UUID(int=next(self._ids), version=4))

    def _handlers(self, event: str, tool: str) -> Iterator[dict[str, Any]]:
        installed = self.config / "skills" / "recollect" / "hooks" / "hooks.json"
        hooks = json.loads(installed.read_bytes())["hooks"] if installed.exists() else {}
        for group in hooks.get(event, []):
            if re.fullmatch(group.get("matcher") or ".*", tool):
                yield from group["hooks"]


class _Session:
    """A session that is being played."""

    def __init__(self, agent: PlayedAgent, folder: Path, session: str, *, is_new: bool) -> None:
        self.id, self._agent, self._folder = session, agent, folder
        self._source = "startup" if is_new else "resume"
        slug = re.sub(r"[^A-Za-z0-9]", "-", str(folder))
        self._path = agent.config / "projects" / slug / f"{session}.jsonl"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._parent: str | None = None
        self._prompt: str | None = None

    def start(self) -> str:
        """Begin, or go on."""
        given = self._fire("SessionStart", source=self._source)
        self._keep_context("SessionStart", given)
        return given

    def prompt(self, text: str) -> str:
        """Say something as the user."""
        self._prompt = self._agent.new_id()
        given = self._fire("UserPromptSubmit", prompt=text)
        self._line("user", message={"role": "user", "content": text}, promptId=self._prompt)
        self._keep_context("UserPromptSubmit", given)
        return given

    def tool(self, call: Call) -> Iterator[str]:
        """Run a command; yield what the model is given of it."""
        given = {"command": call.command, "description": "Run"}
        named = {"tool_name": "Bash", "tool_input": given, "tool_use_id": call.id}
        self._said({"type": "tool_use", "id": call.id, "name": "Bash", "input": given})
        yield self._fire("PreToolUse", **named)
        response = {
            "stdout": call.output,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }
        yield self._fire("PostToolUse", **named, tool_response=response, duration_ms=9)
        block = {
            "tool_use_id": call.id,
            "type": "tool_result",
            "content": call.output,
            "is_error": False,
        }
        said = {"role": "user", "content": [block]}
        self._line("user", message=said, promptId=self._prompt, toolUseResult=response)
        yield call.output

    def answer(self, text: str) -> None:
        """Answer as the model."""
        self._said({"type": "text", "text": text})
        more: dict[str, list[object]] = {"background_tasks": [], "session_crons": []}
        self._fire("Stop", stop_hook_active=False, last_assistant_message=text, **more)

    def end(self) -> None:
        """End the session."""
        self._fire("SessionEnd", reason="other")

    def _fire(self, event: str, **more: object) -> str:
        payload = {
            "session_id": self.id,
            "transcript_path": str(self._path),
            "cwd": str(self._folder),
            "hook_event_name": event,
            **({"prompt_id": self._prompt} if self._prompt else {}),
            **more,
        }
        return self._agent.fire(payload)

    def _said(self, block: Mapping[str, Any]) -> None:
        message = {
            "id": "msg_played",
            "type": "message",
            "role": "assistant",
            "model": "claude-test-1",
            "content": [block],
            "stop_reason": None,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        }
        self._line("assistant", message=message)

    def _keep_context(self, event: str, text: str) -> None:
        if text:
            kept = {"type": "hook_additional_context", "content": [text], "hookEvent": event}
            said = f"<system-reminder>\n{event} hook additional context: {text}\n</system-reminder>"
            self._line("attachment", attachment=kept, rendered=[{"content": said}])

    def _line(self, kind: str, **more: object) -> None:
        line = {
            "parentUuid": self._parent,
            "isSidechain": False,
            "type": kind,
            "uuid": self._agent.new_id(),
            "timestamp": to_datetime(SystemClock().now_ms()).isoformat(timespec="milliseconds"),
            "userType": "external",
            "cwd": str(self._folder),
            "sessionId": self.id,
            "version": "2.1.330",
            **more,
        }
        self._parent = str(line["uuid"])
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
