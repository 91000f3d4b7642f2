"""What was erased is written nowhere again, whatever is imported, followed or restored later."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import RecollectError
from recollect.memory import Memory
from recollect.server.routes.client_hooks import ClientReport, answer
from tests.support.claude_play import memory_and_caller
from tests.support.leftovers import files_that_hold

MARK = "qzxsecretdiagnosis"
FIRST, COPY = "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"
LONG = MARK + " y" * 20_000
"""More than a row holds."""


def uuid(number: int) -> str:
    """Return the id of a line."""
    return f"a0000000-0000-4000-8000-{number:012d}"


def line(number: int, content: Any, role: str = "user", **facts: Any) -> dict[str, Any]:
    """Return a line of Claude Code, of the session that `write` puts it in."""
    return {
        "type": role,
        "uuid": uuid(number),
        "parentUuid": uuid(number - 1) if number > 1 else None,
        "cwd": "/w",
        "version": "2",
        "timestamp": f"2026-11-01T10:00:{number:02d}Z",
        "message": {"role": role, "content": content},
    } | facts


def tool_lines(number: int, output: str, use: str = "toolu_01AbCdEfGhIjKlMnOp") -> list[Any]:
    """Return the call of a tool, and its answer."""
    call = {"type": "tool_use", "id": use, "name": "Bash", "input": {"command": "cat x"}}
    answer = {"type": "tool_result", "tool_use_id": use, "content": output}
    return [line(number, [call], "assistant"), line(number + 1, [answer])]


def write(folder: Path, session: str, lines: Sequence[dict[str, Any]]) -> Path:
    """Write a transcript of Claude Code."""
    path = folder / "projects" / "-w" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    told = [json.dumps({"sessionId": session} | each) for each in lines]
    path.write_text("\n".join(told) + "\n", "utf-8")
    return path


def opened(home: Path, *followed: Path) -> Memory:
    """Return a memory without an embedder, which follows some folders."""
    chosen: dict[str, Any] = {"embedding.provider": "none"}
    chosen |= {"workspace.transcripts": [str(each) for each in followed]} if followed else {}
    return recollect.open(home, overrides=chosen, live=False)


def erase_all(memory: Memory) -> None:
    """Erase every session."""
    for session in memory.sessions.list():
        assert memory.erase(session_id=session.id, with_forks=True).is_clean


def texts(memory: Memory) -> list[list[str]]:
    """Return what each session says."""
    return [
        [m.text for m in memory.sessions.messages(s.id)]
        for s in sorted(memory.sessions.list(), key=lambda s: s.created_at)
    ]


@pytest.mark.parametrize("way", ["import", "follow", "rewritten", "export"])
def test_no_payload_of_an_erased_session_is_written(tmp_path: Path, way: str) -> None:
    """A long answer of a tool lies in a file of its own, which comes before any row."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    path = write(claude, FIRST, [line(1, "look"), *tool_lines(2, LONG)])
    with opened(home) as memory:
        memory.import_transcripts(claude)
        memory.export().save(tmp_path / "all.jsonl")
        assert any(each.startswith("blobs/") for each in files_that_hold(home, MARK))
        erase_all(memory)
        if way == "rewritten":
            path.write_text("\n".join(path.read_text("utf-8").splitlines()[::-1]), "utf-8")
        if way == "export":
            memory.import_export(tmp_path / "all.jsonl")
        else:
            memory.import_transcripts(claude)
        assert files_that_hold(home, MARK) == []
    if way == "follow":
        with opened(home, claude) as memory:
            memory.sync()
            assert memory.sessions.list() == []
    assert files_that_hold(home, MARK) == []


@pytest.mark.parametrize("became", ["erased", "deleted"])
def test_no_payload_is_written_of_a_session_that_takes_none(tmp_path: Path, became: str) -> None:
    """Of a hook that comes late: what no row names is not in the blobs."""
    home = tmp_path / "home"
    with opened(home) as memory:
        session = memory.sessions.create()
        if became == "erased":
            memory.erase(session_id=session.id)
        else:
            memory.sessions.set_status(session.id, "deleted")
        with pytest.raises(RecollectError):
            memory.observations.record(session.id, "Bash", input="cat x", output=LONG)
        assert files_that_hold(home, MARK) == []


@pytest.mark.parametrize("way", ["follow", "import", "rewritten", "export"])
def test_the_project_of_an_erased_session_does_not_return(tmp_path: Path, way: str) -> None:
    """Not to the projects, the index or a mirror; until somebody works there again."""
    home, claude, folder = tmp_path / "home", tmp_path / "claude", f"/home/ana/{MARK}"
    path = write(claude, FIRST, [line(1, "look", cwd=folder), line(2, "on", cwd=folder)])
    with opened(home) as memory:
        memory.import_transcripts(claude)
        memory.export().save(tmp_path / "all.jsonl")
        memory.sync()
        assert [each.root for each in memory.projects.list()] == [folder]
        erase_all(memory)
        assert files_that_hold(home, MARK) == []
        if way == "rewritten":
            path.write_text("\n".join(path.read_text("utf-8").splitlines()[::-1]), "utf-8")
        if way == "export":
            memory.import_export(tmp_path / "all.jsonl")
        else:
            memory.import_transcripts(claude)
    with opened(home, *([claude] if way == "follow" else [])) as memory:
        memory.sync()
        assert files_that_hold(home, MARK) == []
        assert memory.projects.list() == []
        memory.sessions.create(project=folder)
        assert [each.root for each in memory.projects.list()] == [folder]


def test_a_hook_of_an_erased_session_brings_nothing(tmp_path: Path) -> None:
    """Its agent may still run: neither words, nor payloads, nor the folder are stored."""
    home, claude, folder = tmp_path / "home", tmp_path / "claude", f"/home/ana/{MARK}"
    write(claude, FIRST, [line(1, "look", cwd=folder)])
    told = {"session_id": FIRST, "transcript_path": f"/nowhere/{FIRST}.jsonl", "cwd": folder}
    used = {"tool_name": "Bash", "tool_input": {"command": MARK}, "tool_response": LONG}
    events: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "resume"},
        "UserPromptSubmit": {"prompt": MARK},
        "PostToolUse": used | {"tool_use_id": "toolu_9"},
        "Stop": {"last_assistant_message": MARK},
    }
    with memory_and_caller(home, tmp_path, following=False) as (memory, caller):
        memory.import_transcripts(claude)
        erase_all(memory)
        for event, facts in events.items():
            payload = told | facts | {"hook_event_name": event}
            report = ClientReport(client="claude-code", event=event, at=None, payload=payload)
            with suppress(RecollectError):
                answer(caller, report)
        memory.sync()
        assert memory.projects.list() == []
        assert files_that_hold(home, MARK) == []
