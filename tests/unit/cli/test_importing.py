"""`recollect import`: what was new, and what was wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.cli.transcripts.importing import MOST_LISTED
from tests.unit.cli.conftest import Run


def _lines(*lines: object) -> str:
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


@pytest.fixture
def torn(tmp_path: Path) -> Path:
    """A transcript with two bad lines."""
    path = tmp_path / "torn.jsonl"
    good = {"role": "user", "content": "hello"}
    path.write_text(_lines(good, "{not json", good, '["no message"]'), encoding="utf-8")
    return path


def test_an_import_tells_what_was_new(run: Run, home: Path, chat: Path) -> None:
    """And what to do next, on stderr."""
    run("--home", home, "init")
    done = run("--home", home, "import", "jsonl", chat)
    assert done.out.splitlines()[0] == "4 new messages in 1 new session, from 1 transcript"
    assert done.out.splitlines()[1].startswith("now known  1 fact (1 ")
    assert "recollect sync" in done.err


def test_an_import_tells_what_it_does_not_know(run: Run, home: Path, chat: Path) -> None:
    """Whose conversation it is: in the report, and in the document for programs."""
    first = run("--home", home, "import", "jsonl", chat)
    assert "1  sessions do not say who heard them: no other session hears them" in first.err
    said = {"role": "user", "content": "hello", "session": "agent:main:main"}
    chat.with_name("known.jsonl").write_text(_lines(said), encoding="utf-8")
    chat.with_name("other.jsonl").write_text(_lines({"role": "user", "content": "hello"}))
    done = run("--home", home, "import", "jsonl", chat.parent, "--json")
    assert (done.json["sessions"], done.json["unknown_origin"]) == (2, 1)


def test_the_same_import_again_brings_nothing(run: Run, home: Path, chat: Path) -> None:
    """The file had not changed."""
    run("--home", home, "import", "jsonl", chat)
    done = run("--home", home, "import", "jsonl", chat)
    assert done.out == "0 new messages in 0 new sessions, from 1 transcript\n"
    assert "1  transcripts had nothing new" in done.err
    assert "Next" not in done.err


def test_a_malformed_line_is_named_and_stops_nothing(run: Run, home: Path, torn: Path) -> None:
    """With file, line and reason."""
    done = run("--home", home, "import", "jsonl", torn)
    assert done.code == 0
    assert done.out.startswith("2 new messages")
    assert "warning: 2 lines could not be read; everything else was imported\n" in done.err
    assert f"{torn}:2  " in done.err
    assert f"{torn}:4  " in done.err


def test_the_report_as_json_is_whole(run: Run, home: Path, torn: Path) -> None:
    """Counts and places."""
    done = run("--home", home, "import", "jsonl", torn, "--json")
    assert (done.json["messages"], done.json["malformed_count"]) == (2, 2)
    assert [line["line"] for line in done.json["malformed"]] == [2, 4]
    assert (done.code, done.err) == (0, "")


def test_a_line_that_is_being_written_is_no_failure(run: Run, home: Path, chat: Path) -> None:
    """The next import reads it whole."""
    whole = chat.read_text(encoding="utf-8")
    chat.write_text(whole[:-20], encoding="utf-8")
    done = run("--home", home, "import", "jsonl", chat, "--json")
    assert (done.code, done.json["messages"], done.json["malformed_count"]) == (0, 3, 1)
    chat.write_text(whole, encoding="utf-8")
    assert run("--home", home, "import", "jsonl", chat, "--json").json["messages"] == 1


def test_many_malformed_lines_are_cut_on_the_screen(run: Run, home: Path, tmp_path: Path) -> None:
    """All are counted."""
    path = tmp_path / "bad.jsonl"
    good = {"role": "user", "content": "hello"}
    path.write_text(_lines(good, *["{"] * (MOST_LISTED + 3)), encoding="utf-8")
    done = run("--home", home, "import", "jsonl", path)
    assert "and 3 more; see --json" in done.err


def test_the_home_is_made_and_that_is_said(run: Run, home: Path, chat: Path) -> None:
    """The first command of many people."""
    done = run("--home", home, "import", "jsonl", chat)
    assert f"made the home {home}" in done.err
    assert "made the home" not in run("--home", home, "import", "jsonl", chat).err


def test_a_path_alone_is_imported_by_what_it_is(run: Run, home: Path, chat: Path) -> None:
    """The word `auto` need not be written."""
    assert run("--home", home, "import", chat, "--json").json["messages"] == 4


def test_several_paths_are_one_report(run: Run, home: Path, chat: Path, torn: Path) -> None:
    """As a shell expands `*.jsonl`."""
    report = run("--home", home, "import", "jsonl", chat, torn, "--json").json
    assert (report["files"], report["messages"], report["malformed_count"]) == (2, 6, 2)


def test_claude_code_is_read_from_where_it_keeps_transcripts(
    run: Run, home: Path, tmp_path: Path
) -> None:
    """Below HOME."""
    folder = tmp_path / "user" / ".claude" / "projects" / "-tmp-tea"
    folder.mkdir(parents=True)
    line = {
        "type": "user",
        "uuid": "0198a1f9-0000-7000-8000-000000000001",
        "sessionId": "0198a1f9-0000-7000-8000-000000000000",
        "timestamp": "2026-05-04T09:00:00Z",
        "cwd": "/home/mira/tea",
        "message": {"role": "user", "content": "Where is the tea?"},
    }
    (folder / "0198a1f9-0000-7000-8000-000000000000.jsonl").write_text(_lines(line), "utf-8")
    assert run("--home", home, "import", "claude-code", "--json").json["messages"] == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("import",), "invalid_input"),
        (("import", "jsonl"), "invalid_input"),
        (("import", "whatsapp"), "invalid_input"),
        (("import", "claude-code"), "not_found"),
        (("import", "jsonl", "none.jsonl"), "not_found"),
    ],
)
def test_nothing_to_import_is_told(
    run: Run, home: Path, arguments: tuple[str, ...], code: str
) -> None:
    """With a hint."""
    done = run("--home", home, "--json", *arguments)
    expected = 2 if code == "invalid_input" else 1
    assert (done.code, done.out, done.error["code"]) == (expected, "", code)
    assert done.error["hint"]


def test_an_import_tells_what_it_made(run: Run, home: Path, tmp_path: Path) -> None:
    """Facts by kind, what was replaced, people; in the document too, and once."""
    path = tmp_path / "chat.jsonl"
    said = ("I live in Leeds.", "ok", "I live in Bristol now, we moved.", "I prefer green tea.")
    key = "agent:main:telegram:acc:direct:7"
    path.write_text(_lines(*({"role": "user", "content": each, "session": key} for each in said)))
    made = run("--home", home, "import", "jsonl", path, "--json").json["made"]
    assert (made["facts"]["preference"], made["episodes"]) == (1, 0)
    assert made["links"] >= 1
    assert made["people"] == 1
    run("--home", home, "export", "--all", tmp_path / "all.jsonl")
    shown = run("--home", tmp_path / "two", "import", tmp_path / "all.jsonl").out
    assert "now known  " in shown
    assert "1 preference" in shown
    assert " replaced statement" in shown
    assert "now known" not in run("--home", tmp_path / "two", "import", tmp_path / "all.jsonl").out
