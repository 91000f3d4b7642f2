"""`recollect export`: a session on its way out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.cli.transcripts.export import _complete_format
from tests.unit.cli.conftest import SAID, Run

pytestmark = pytest.mark.usefixtures("filled")


@pytest.fixture
def session(run: Run, home: Path) -> str:
    """The id of the session."""
    found: str = run("--home", home, "sessions", "--json").json["sessions"][0]["id"]
    return found


def test_lines_go_to_stdout_or_into_a_document(run: Run, home: Path, session: str) -> None:
    """Past the encoding of the terminal."""
    printed = run("--home", home, "export", session)
    lines = [json.loads(line) for line in printed.out.splitlines()]
    assert [line["content"] for line in lines[1:]] == [text for _, _, text, _ in SAID]
    document = run("--home", home, "export", session, "--json").json
    assert (document["format"], document["lines"]) == ("jsonl", lines)


@pytest.mark.parametrize("form", ["claude-code", "openclaw", "jsonl"])
def test_a_file_is_written_and_told(
    run: Run, home: Path, session: str, tmp_path: Path, form: str
) -> None:
    """In every format, and imported again it says the same."""
    out = tmp_path / "out.jsonl"
    done = run("--home", home, "export", session, "--format", form, "--output", out)
    assert (done.code, "4 messages in" in done.out) == (0, True)
    other = tmp_path / "other"
    assert run("--home", other, "import", out).code == 0
    arrived = run("--home", other, "sessions", "--json").json["sessions"][0]["id"]
    told = run("--home", other, "transcript", arrived, "--json").json["messages"]
    assert [(each["role"], each["name"], each["text"]) for each in told] == [
        (role, name, text) for role, name, text, _ in SAID
    ]


def test_what_is_in_the_way_stays(run: Run, home: Path, session: str, tmp_path: Path) -> None:
    """Unless it is to be replaced."""
    out = tmp_path / "out.jsonl"
    out.write_text("mine", encoding="utf-8")
    there = run("--home", home, "export", session, "-o", out, "--json")
    assert (there.code, there.error["code"]) == (1, "conflict")
    assert out.read_text("utf-8") == "mine"
    done = run("--home", home, "export", session, "-o", out, "--force", "--json")
    assert (done.code, done.json["messages"]) == (0, len(SAID))
    assert done.json["bytes"] == out.stat().st_size


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nobody",), "not_found"),
        (("SESSION", "--format", "word"), "invalid_input"),
        (("SESSION", "--force"), "invalid_input"),
    ],
)
def test_what_cannot_be_exported_is_told(
    run: Run, home: Path, session: str, arguments: tuple[str, ...], code: str
) -> None:
    """With a hint."""
    named = [session if each == "SESSION" else each for each in arguments]
    done = run("--home", home, "export", *named, "--json")
    expected = 2 if code == "invalid_input" else 1
    assert (done.code, done.error["code"], done.out) == (expected, code, "")
    assert done.error["hint"]


def test_formats_are_completed() -> None:
    """By their beginning."""
    assert _complete_format("o") == ["openclaw"]
