"""Controls: what is not captured, by imports and following alike, and how it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

import recollect
from recollect.core.clock import to_iso
from recollect.core.errors import InvalidInput, NotFound
from recollect.memory import Memory
from tests.unit.observations.trees import repository, worktree

NOW = 1_790_000_000_000
HOUR = 3_600_000


class SetClock:
    """A clock that stands until it is set."""

    now = NOW

    def now_ms(self) -> int:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> SetClock:
    """Stands at `NOW`."""
    return SetClock()


def _open(tmp_path: Path, clock: SetClock, **settings: Any) -> Memory:
    return recollect.open(
        tmp_path / "home",
        overrides={"embedding.provider": "none", **settings},
        clock=clock,
        live=False,
    )


def _line(folder: Path | str, text: str, at: int, number: int = 1) -> dict[str, Any]:
    return {
        "type": "user",
        "uuid": f"u-{number}-{text}",
        "sessionId": "s",
        "cwd": str(folder),
        "timestamp": to_iso(at),
        "message": {"role": "user", "content": text},
    }


def _write(path: Path, *lines: Mapping[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def _texts(memory: Memory) -> list[str]:
    sessions = memory.sessions.list()
    return [each.text for one in sessions for each in memory.sessions.messages(one.id)]


def _settings(tmp_path: Path) -> dict[str, dict[str, Any]]:
    return {
        "a folder": {"privacy.exclude_projects": [str(tmp_path / "clients" / "*")]},
        "the folder itself": {"privacy.exclude_projects": [str(tmp_path / "clients" / "acme")]},
        "a name": {"privacy.exclude_projects": ["acm?"]},
    }


@pytest.mark.parametrize("case", ["a folder", "the folder itself", "a name", "off", "paused"])
def test_a_project_that_is_not_captured_is_left_unread_and_comes_when_it_may(
    tmp_path: Path, clock: SetClock, case: str
) -> None:
    """docs/observations.md: one predicate; the report counts what it left out."""
    folder = tmp_path / "clients" / "acme"
    (folder / "src").mkdir(parents=True)
    path = _write(tmp_path / "s.jsonl", _line(folder / "src", "The kettle is blue.", NOW - HOUR))
    settings = _settings(tmp_path).get(case, {})
    # A name is that of the project, whose top is the repository.
    repository(folder)
    if case == "off":
        (folder / ".recollect-off").touch()
    with _open(tmp_path, clock, **settings) as memory:
        if case == "paused":
            memory.capture.pause()
        for _ in range(2):
            report = memory.import_transcripts(path)
            assert (report.excluded, report.messages) == (1, 0)
        refusals = memory.capture.check(str(folder / "src")).refusals
        expected = case if case in {"off", "paused"} else "excluded"
        assert [refusal.reason for refusal in refusals] == [expected]
        memory.capture.resume()
    (folder / ".recollect-off").unlink(missing_ok=True)
    with _open(tmp_path, clock) as memory:
        assert memory.import_transcripts(path).messages == 1


def test_following_honours_it_too_and_the_status_tells(tmp_path: Path, clock: SetClock) -> None:
    """A followed transcript that may not be read does not make the home look behind."""
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / ".recollect-off").touch()
    _write(tmp_path / "chats" / "s.jsonl", _line(folder, "The kettle is blue.", NOW))
    with _open(tmp_path, clock, **{"workspace.transcripts": [str(tmp_path / "chats")]}) as memory:
        memory.sync()
        assert _texts(memory) == []
        status = memory.status()
        assert any("1 transcript of projects" in each for each in status.sync.warnings)
        assert not status.dirty
        (folder / ".recollect-off").unlink()
        memory.sync()
        assert _texts(memory) == ["The kettle is blue."]


def test_what_was_said_during_a_pause_stays_out_after_it(tmp_path: Path, clock: SetClock) -> None:
    """A person pauses because of what is said now, not because of when it is read."""
    folder = tmp_path / "shop"
    folder.mkdir()
    lines = [_line(folder, f"tea {hours}", NOW + hours * HOUR, hours) for hours in range(4)]
    path = _write(tmp_path / "s.jsonl", *lines)
    with _open(tmp_path, clock) as memory:
        clock.now = NOW + HOUR
        memory.capture.pause()
        clock.now = NOW + 3 * HOUR
        assert memory.capture.resume() == []
        report = memory.import_transcripts(path)
        assert (report.messages, report.withheld) == (2, 2)
        assert sorted(_texts(memory)) == ["tea 0", "tea 3"]
        assert memory.status().capture.left_out == {"withheld": 2}
        assert memory.import_transcripts(path).withheld == 0


def test_a_pause_survives_a_restart_and_ends_by_itself(tmp_path: Path, clock: SetClock) -> None:
    """`recollect pause --for 1h`."""
    with _open(tmp_path, clock) as memory:
        memory.capture.pause(for_ms=HOUR)
    with _open(tmp_path, clock) as memory:
        (pause,) = memory.status().capture.pauses
        assert (pause.project_id, pause.until) == (None, NOW + HOUR)
        clock.now = NOW + HOUR
        assert memory.status().capture.pauses == []
        assert memory.capture.verdict(None).reason() is None


def test_a_pause_of_one_project_holds_for_its_worktrees_alone(
    tmp_path: Path, clock: SetClock
) -> None:
    """`recollect pause --project P`, before anything was ever said there."""
    main = repository(tmp_path / "shop")
    side = worktree(main, tmp_path / "side")
    with _open(tmp_path, clock) as memory:
        memory.capture.pause(str(main))
        memory.projects.note(str(side))
        reasons = {
            path.name: memory.capture.verdict(str(path)).reason()
            for path in (main, side, tmp_path / "other")
        }
        assert reasons == {"shop": "paused", "side": "paused", "other": None}
        (refusal,) = memory.capture.check(str(side)).refusals
        assert refusal.why == "the project is paused: `recollect resume --project shop` ends it"
        assert memory.capture.resume(str(side)) == []
        assert memory.capture.verdict(str(main)).reason() is None


def test_the_end_of_one_pause_leaves_the_others(tmp_path: Path, clock: SetClock) -> None:
    """`resume` alone ends that of everything."""
    with _open(tmp_path, clock) as memory:
        memory.capture.pause("/srv/shop")
        memory.capture.pause()
        (pause,) = memory.capture.resume()
        assert pause.project_id is not None
        assert memory.capture.verdict("/srv/shop").reason() == "paused"


def test_wrong_pauses_are_refused(tmp_path: Path, clock: SetClock) -> None:
    """Nothing is paused by mistake, and no mistake is taken for a pause."""
    with _open(tmp_path, clock) as memory:
        with pytest.raises(InvalidInput):
            memory.capture.pause(for_ms=0)
        with pytest.raises(NotFound):
            memory.capture.pause("nowhere")
        assert memory.capture.pauses() == []


def test_an_off_file_holds_for_the_tree_below_and_for_folders_that_are_gone(
    tmp_path: Path, clock: SetClock
) -> None:
    """A link counts as well: when in doubt nothing is captured."""
    (tmp_path / "clients").mkdir()
    (tmp_path / "clients" / ".recollect-off").symlink_to("nowhere")
    with _open(tmp_path, clock) as memory:
        for folder in ("clients", "clients/gone/src"):
            assert memory.capture.verdict(str(tmp_path / folder)).reason() == "off"
        assert memory.capture.verdict(str(tmp_path)).reason() is None


def test_what_a_program_stores_itself_is_stored_while_paused(
    tmp_path: Path, clock: SetClock
) -> None:
    """docs/privacy.md: a pause is of what is captured by itself; an append is an order."""
    with _open(tmp_path, clock) as memory:
        memory.capture.pause()
        session = memory.sessions.create(project="/srv/shop")
        memory.sessions.append(session.id, "user", "The kettle is blue.")
        assert _texts(memory) == ["The kettle is blue."]


def _call(folder: Path, tool: str, arguments: object, answer: str) -> list[dict[str, Any]]:
    call = _line(folder, "", NOW, 1)
    block = {
        "type": "tool_use",
        "id": f"c-{answer.encode().hex()}",
        "name": tool,
        "input": arguments,
    }
    call |= {"type": "assistant", "uuid": f"a-{answer.encode().hex()}"}
    call["message"] = {
        "role": "assistant",
        "content": [{"type": "text", "text": f"I use {tool}."}, block],
    }
    result = _line(folder, "", NOW, 2) | {
        "uuid": f"r-{answer.encode().hex()}",
        "toolUseResult": {"is": answer},
    }
    tool_result = {
        "type": "tool_result",
        "tool_use_id": f"c-{answer.encode().hex()}",
        "content": answer,
    }
    result["message"] = {"role": "user", "content": [tool_result]}
    return [call, result]


def test_calls_of_some_tools_and_files_are_left_out_with_their_results(
    tmp_path: Path, clock: SetClock
) -> None:
    """`capture.skip_tools` and `capture.skip_paths`; what was said beside them stays."""
    lines = [
        *_call(tmp_path, "mcp__bank__balance", {}, "rich-quince"),
        *_call(
            tmp_path, "Read", {"file_path": str(tmp_path / "private/diary.md")}, "my-dear-quince"
        ),
        *_call(tmp_path, "Read", {"file_path": "private/more.md"}, "still-more-quince"),
        *_call(tmp_path, "Bash", {"command": "cat 'key.pem'; ls"}, "pem-quince"),
        *_call(tmp_path, "Edit", {"edits": [{"path": "file:///x/a.pem"}]}, "edit-quince"),
        *_call(tmp_path, "Read", {"file_path": "open.md"}, "an apricot"),
    ]
    path = _write(tmp_path / "s.jsonl", *lines)
    settings = {
        "capture.skip_tools": ["mcp__bank__*"],
        "capture.skip_paths": [f"{tmp_path}/private/*", "*.pem"],
    }
    with _open(tmp_path, clock, **settings) as memory:
        report = memory.import_transcripts(path)
        assert report.calls == 5
        encoded = msgspec.json.encode(
            [memory.sessions.messages(each.id) for each in memory.sessions.list()]
        ).decode()
        assert "an apricot" in encoded
        assert "quince" not in encoded
        assert sum(text.startswith("I use") for text in _texts(memory)) == 6
        assert memory.status().capture.left_out == {"calls": 5}
        assert not memory.capture.check(str(tmp_path / "key.pem")).is_captured
        assert memory.capture.check(str(tmp_path / "open.md")).is_captured
