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
from recollect.exchange.recover import recover
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


def said(*numbers: int, start: int = 0) -> list[dict[str, Any]]:
    """Return lines of a person, each with a word of its own."""
    return [line(start + n, f"{MARK} {start + n}") for n in numbers]


@pytest.mark.parametrize("is_follow", [False, True])
def test_a_copy_of_erased_lines_brings_only_what_is_new(tmp_path: Path, is_follow: bool) -> None:
    """Another session that begins with the lines of an erased one, under their ids."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    path = write(claude, FIRST, [*said(1, 2), *tool_lines(3, LONG)])
    with opened(home) as memory:
        memory.import_transcripts(claude)
        erase_all(memory)
        copied = [*said(1, 2), *tool_lines(3, LONG), line(9, "go on", cwd="/new")]
        write(claude, COPY, copied)
        if not is_follow:
            report = memory.import_transcripts(claude)
            assert (report.messages, report.erased) == (1, 4)
    path.unlink()
    with opened(home, *([claude] if is_follow else [])) as memory:
        memory.sync()
        assert texts(memory) == [["go on"]]
        (copy,) = memory.sessions.list()
        assert (copy.foreign_id, copy.project) == (COPY, "/new")
        write(claude, COPY, [*copied, line(10, "and on")])
        memory.sync() if is_follow else memory.import_transcripts(claude)
        assert texts(memory) == [["go on", "and on"]]
        assert memory.observations.list() == []
    assert files_that_hold(home, MARK) == []


def test_a_title_of_erased_lines_stays_away(tmp_path: Path) -> None:
    """As the first line of a copy, between copied lines, and told again after new ones."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    title = {"type": "custom-title", "customTitle": f"About {MARK}", "sessionId": COPY}
    summary = {"type": "summary", "summary": f"Words of {MARK}", "leafUuid": uuid(2)}
    write(claude, FIRST, [*said(1, 2), title | {"sessionId": FIRST}])
    with opened(home) as memory:
        memory.import_transcripts(claude)
        erase_all(memory)
        earlier = {"type": "ai-title", "aiTitle": f"Early {MARK}", "sessionId": COPY}
        lines = [summary, *said(1), earlier, *said(2), line(3, "go on"), title]
        write(claude, COPY, lines)
        memory.import_transcripts(claude)
        assert [(each.title, each.foreign_id) for each in memory.sessions.list()] == [(None, COPY)]
        own = {"type": "custom-title", "customTitle": "Tea", "sessionId": COPY}
        write(claude, COPY, [*lines, own])
        memory.import_transcripts(claude)
        assert [each.title for each in memory.sessions.list()] == ["Tea"]
    assert files_that_hold(home, MARK) == []


def test_lines_that_were_never_stored_are_known_when_they_are_seen(tmp_path: Path) -> None:
    """What a session said after it was erased is of it, too; a copy that comes later has it."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    path = write(claude, FIRST, said(1))
    with opened(home) as memory:
        memory.import_transcripts(claude)
        erase_all(memory)
        write(claude, FIRST, said(1, 2))
        assert memory.import_transcripts(claude).erased == 1
        path.unlink()
        write(claude, COPY, [*said(1, 2), line(3, "go on")])
        memory.import_transcripts(claude)
        assert texts(memory) == [["go on"]]
    assert files_that_hold(home, MARK) == []


def test_ids_that_count_up_are_not_taken_for_erased_ones(tmp_path: Path) -> None:
    """OpenClaw's ids are short, and calls are numbered: another session may have the same."""
    claude = tmp_path / "claude"
    first = [*said(1), *tool_lines(2, MARK, use="call_1")]
    other = [line(20, "hello"), *tool_lines(21, "other", use="call_1")]
    with opened(tmp_path / "home") as memory:
        write(claude, FIRST, first)
        memory.import_transcripts(claude)
        erase_all(memory)
        write(claude, COPY, other)
        memory.import_transcripts(claude)
        assert [each.tool_use_id for each in memory.observations.list()] == ["call_1"]
        plain = [
            {
                "role": "user",
                "content": f"{MARK} {n}",
                "id": str(n),
                "at": f"2026-01-0{n}T00:00:00Z",
            }
            for n in (1, 2)
        ]
        lines = tmp_path / "chat.jsonl"
        lines.write_text("\n".join(map(json.dumps, plain)), "utf-8")
        memory.import_transcripts(lines)
        chat = next(each for each in memory.sessions.list() if each.source == "jsonl")
        memory.erase(session_id=chat.id)
        copy = tmp_path / "copy.jsonl"
        told = [*plain, {"role": "user", "content": "new", "id": "1", "at": "2026-02-01T00:00:00Z"}]
        copy.write_text("\n".join(map(json.dumps, told)), "utf-8")
        memory.import_transcripts(copy)
        assert [[m[0] for m in map(str.split, s)] for s in texts(memory) if "new" in s] == [["new"]]


def test_a_fork_that_was_erased_leaves_its_parent_and_the_next_copy(tmp_path: Path) -> None:
    """What both share is the parent's; what only the fork said stays away."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    kept = [line(1, "kept 1"), line(2, "kept 2")]
    with opened(home) as memory:
        write(claude, FIRST, kept)
        memory.import_transcripts(claude)
        write(claude, COPY, [*kept, *said(3)])
        memory.import_transcripts(claude)
        fork = next(each for each in memory.sessions.list() if each.foreign_id == COPY)
        assert fork.parent_id is not None
        memory.erase(session_id=fork.id)
        third = "77777777-2222-4333-8444-555555555555"
        write(claude, third, [*kept, *said(3), line(4, "go on")])
        memory.import_transcripts(claude)
        assert sorted(texts(memory)) == [["kept 1", "kept 2"], ["kept 1", "kept 2", "go on"]]
    assert files_that_hold(home, MARK) == []


@pytest.mark.parametrize("way", ["recover", "restore"])
def test_erased_lines_stay_away_after_the_records_were_lost(tmp_path: Path, way: str) -> None:
    """``recovery.json`` knows them, and so do the records that an older backup replaces."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    path = write(claude, FIRST, said(1, 2))
    with opened(home) as memory:
        kept = memory.sessions.create()
        memory.sessions.append(kept.id, "user", "kept")
        memory.import_transcripts(claude)
        memory.sync()
        memory.backup(tmp_path / "backup")
        first = next(each for each in memory.sessions.list() if each.foreign_id == FIRST)
        assert memory.erase(session_id=first.id).is_clean
        memory.sessions.append(kept.id, "user", "more")
        memory.sync()
    path.unlink()
    if way == "recover":
        (home / "records.db").unlink()
        recover(home)
    else:
        recollect.restore(tmp_path / "backup", home)
    write(claude, COPY, [*said(1, 2), line(3, "go on")])
    with opened(home) as memory:
        assert memory.import_transcripts(claude).messages == 1
        assert ["go on"] in texts(memory)
    assert files_that_hold(home, MARK) == []


def test_an_export_of_a_copy_brings_only_what_is_new(tmp_path: Path) -> None:
    """Neither the lines of an erased session, nor their tools, nor what sums them up."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    copied = [*said(1, 2), *tool_lines(3, LONG), *said(*range(5, 40))]
    new = [line(50, "go on"), *tool_lines(51, "new", "toolu_02AbCdEfGhIjKlMnOp")]
    with opened(tmp_path / "other") as memory:
        path = write(claude, COPY, [*copied, *new])
        memory.import_transcripts(claude)
        (copy,) = memory.sessions.list()
        memory.sessions.rename(copy.id, MARK)
        memory.sessions.compact(copy.id)
        memory.sessions.append(copy.id, "user", "and on")
        memory.sessions.set_status(copy.id, "archived")
        memory.export().save(tmp_path / "all.jsonl")
    path.unlink()
    with opened(home) as memory:
        title = {"type": "custom-title", "customTitle": MARK}
        write(claude, FIRST, [*copied, title])
        memory.import_transcripts(claude)
        erase_all(memory)
        dry = memory.import_export(tmp_path / "all.jsonl", dry_run=True)
        report = memory.import_export(tmp_path / "all.jsonl")
        assert report.left_out["erased"] >= len(copied)
        assert dry.left_out == report.left_out
        assert [texts(memory)[0][place] for place in (0, -1)] == ["go on", "and on"]
        assert [each.output for each in memory.observations.list()] == ["new"]
        assert memory.import_export(tmp_path / "all.jsonl").added == {}
    assert files_that_hold(home, MARK) == []


def test_the_notes_of_an_erased_session_do_not_come_back_with_a_file_of_an_export(
    tmp_path: Path,
) -> None:
    """Lines that a person wrote, or that a living session said too, are taken over."""
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    with recollect.open(home, work, overrides={"embedding.provider": "none"}, live=False) as memory:
        told = (f"Remember that {MARK} is due on Monday.", "Remember that tea is at four.")
        sessions = [memory.sessions.create(key="agent:main:main") for _ in told]
        for session, text in zip(sessions, told, strict=True):
            memory.sessions.append(session.id, "user", text)
            memory.sessions.flush(session.id)
        (notes,) = (work / "memory").glob("*.md")
        memory.export(files=True).save(tmp_path / "all.jsonl")
        assert memory.erase(session_id=sessions[0].id).is_clean
        kept = notes.read_text("utf-8")
        assert MARK not in kept
        assert "tea is at four" in kept
        notes.unlink()

        memory.import_export(tmp_path / "all.jsonl", files=True)
        assert notes.read_text("utf-8") == kept


@pytest.mark.parametrize("way", ["import", "follow", "grown", "moved"])
def test_the_path_of_an_erased_transcript_is_not_kept(tmp_path: Path, way: str) -> None:
    """Claude Code names a folder by its project, and the ledger of imports knows files by path."""
    home, claude = tmp_path / "home", tmp_path / "claude"
    lines = [line(1, "look"), line(2, "on")]
    path = claude / "projects" / f"-home-ana-{MARK}" / f"{FIRST}.jsonl"
    write(claude, FIRST, lines)
    path.parent.mkdir()
    write(claude, FIRST, lines).rename(path)
    with opened(home) as memory:
        memory.import_transcripts(claude)
        memory.sync()
        erase_all(memory)
        assert files_that_hold(home, MARK) == []
        if way == "grown":
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"sessionId": FIRST} | line(3, "more")) + "\n")
        if way == "moved":
            path.parent.rename(path.parent.with_name(f"-home-ana-work-{MARK}"))
        report = memory.import_transcripts(claude)
        assert report.unchanged == (way in {"import", "follow"})
    with opened(home, *([claude] if way == "follow" else [])) as memory:
        memory.sync()
        assert memory.sessions.list() == []
    assert files_that_hold(home, MARK) == []
