"""`recollect search`: a ranked list for people, a document for programs."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.recall import daily_warnings
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


def test_a_hit_in_a_conversation_shows_who_when_where_and_what(run: Run, home: Path) -> None:
    """The golden look of a hit."""
    done = run("--home", home, "search", "which", "day", "delivery", "Thursdays", "-n", "1")
    head, text, *rest = done.out.splitlines()
    assert done.code == 0
    assert rest == []
    rank, score, title, who, day, month, year, address = head.split()
    assert (rank, title, who, day, month, year) == ("1", "delivery", "Heron,", "4", "May", "2026")
    assert 0 < float(score) <= 1
    assert address == "m2"
    assert len(head) == 100
    assert text == "    Café Zoé gets its delivery on Thursdays."


def test_a_hit_in_a_note_shows_its_lines(run: Run, home: Path) -> None:
    """They can be given to `get`."""
    done = run("--home", home, "search", "gasket")
    assert "memory/2025-07-14.md:1-4  14 Jul 2025" in done.out
    assert "    - gasket: MAG-4471" in done.out


def test_remarks_stand_on_stderr(run: Run, home: Path) -> None:
    """So the list can be piped."""
    done = run("--home", home, "search", "gasket")
    assert "warning: no embedder is installed: only words were compared" in done.err
    assert ", lexical\n" in done.err
    assert "warning" not in done.out


def test_a_warning_comes_once_a_day_and_not_at_each_search(
    run: Run, home: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person has read it; `status`, JSON, and an answer without hits still have it."""
    without = "warning: no embedder is installed: only words were compared"
    (workspace / "memory" / "odd.md").write_bytes(b"\x00\x01")
    first = run("--home", home, "search", "gasket").err
    assert without in first
    assert "warning: memory/odd.md: left out, the file is binary" in first
    assert "warning" not in run("--home", home, "search", "Thursdays").err
    assert run("--home", home, "search", "gasket", "--json").json["warnings"]
    assert without in run("--home", home, "search", "nowhere-to-be-found").err
    assert "warning: no search by meaning" in run("--home", home, "status").err
    monkeypatch.setattr(daily_warnings, "REST_MS", 0)
    assert without in run("--home", home, "search", "gasket").err


def test_explain_shows_every_part_of_every_score(run: Run, home: Path) -> None:
    """They sum up to it."""
    done = run("--home", home, "search", "gasket", "--explain", "-n", "1")
    rows = [line.split() for line in done.out.splitlines() if "━" in line or "0.0" in line]
    shown = {row[0]: float(row[1]) for row in rows}
    hit = run("--home", home, "search", "gasket", "-n", "1", "--json").json["hits"][0]
    assert shown == {name: round(share, 3) for name, share in hit["why"].items()}
    assert sum(hit["why"].values()) == pytest.approx(hit["score"])


def test_json_is_the_whole_result(run: Run, home: Path) -> None:
    """And nothing else on stdout, nothing on stderr."""
    done = run("--home", home, "search", "gasket", "--json")
    assert done.err == ""
    assert set(done.json) == {
        "query", "took_ms", "hits", "mode", "warnings", "confidence", "tokens"
    }  # fmt: skip
    assert done.json["hits"][0]["path"] == "memory/2025-07-14.md"
    assert done.json["hits"][0]["source"] == "memory"


def test_json_before_the_command_is_the_same(run: Run, home: Path) -> None:
    """People write it in both places."""
    assert run("--home", home, "--json", "search", "gasket").json["query"] == "gasket"


@pytest.mark.parametrize(
    ("options", "sources"),
    [
        (("--source", "memory"), {"memory"}),
        (("--source", "sessions"), {"sessions"}),
        (("--source", "memory", "--source", "sessions"), {"memory", "sessions"}),
        (("--agent", "nobody"), set()),
        (("--user", "nobody"), set()),
        # What no score can reach leaves what has the words.
        (("--min-score", "1"), {"memory", "sessions"}),
    ],
)
def test_filters_narrow_the_search(
    run: Run, home: Path, options: tuple[str, ...], sources: set[str]
) -> None:
    """They are part of the query itself."""
    done = run("--home", home, "--json", "search", "gasket delivery", *options)
    assert {hit["source"] for hit in done.json["hits"]} == sources


def test_what_was_said_on_a_channel_can_be_asked_alone(run: Run, home: Path) -> None:
    """As in Python, over HTTP and in MCP."""
    with recollect.open(home, live=False) as memory:
        for key in ("telegram:42", "slack:U7"):
            session = memory.sessions.create(key=key)
            memory.sessions.append(session.id, "user", "The kettle is broken.")
        memory.sync()
    assert len(run("--home", home, "search", "kettle", "--json").json["hits"]) == 2
    done = run("--home", home, "search", "kettle", "--channel", "telegram", "--json")
    (hit,) = done.json["hits"]
    with recollect.open(home, live=False) as memory:
        assert memory.sessions.get(hit["session_id"]).key == "telegram:42"


def test_a_session_can_be_named_by_the_end_of_its_id(run: Run, home: Path) -> None:
    """As `sessions` shows it."""
    name = run("--home", home, "sessions", "--json").json["sessions"][0]["id"]
    done = run("--home", home, "search", "delivery", "--session", name[-8:], "--json")
    assert {hit["session_id"] for hit in done.json["hits"]} == {name}


def test_no_hit_is_an_answer(run: Run, home: Path) -> None:
    """Exit code 0, an empty list, and a word about it."""
    done = run("--home", home, "search", "xylophone")
    assert (done.code, done.out) == (0, "")
    assert "nothing found" in done.err


@pytest.mark.parametrize(
    ("options", "code", "kind"),
    [
        (("--limit", "0"), 2, "invalid_input"),
        (("--min-score", "7"), 2, "invalid_input"),
        (("--source", "letters"), 2, "invalid_input"),
        (("--session", "none"), 1, "not_found"),
        (("--limit", "many"), 2, "usage"),
        (("--mode", "magic"), 2, "usage"),
        (("--home", "x"), 2, "usage"),
        (("--no-such",), 2, "usage"),
    ],
)
def test_a_wrong_option_is_refused_with_a_hint(
    run: Run, home: Path, options: tuple[str, ...], code: int, kind: str
) -> None:
    """Whatever is wrong with it, as one JSON document on stderr."""
    done = run("--home", home, "search", "tea", "--json", *options)
    assert (done.code, done.out) == (code, "")
    assert done.error["code"] == kind
    assert done.error["hint"]


def test_text_from_memory_cannot_paint_the_screen(run: Run, home: Path, tmp_path: Path) -> None:
    """Neither escape sequences nor markup of rich are obeyed."""
    chat = tmp_path / "evil.jsonl"
    text = "zebra \\u001b[2J\\u001b]0;owned\\u0007 [bold red]not bold[/] :smile: \\u009b31m \\u202e"
    chat.write_text(f'{{"role": "user", "name": "[red]x", "content": "{text}"}}\n', "utf-8")
    run("--home", home, "import", "jsonl", chat)
    done = run("--home", home, "search", "zebra", "-n", "1")
    assert not any((c < " " and c != "\n") or "\x7f" <= c <= "\x9f" for c in done.out)
    assert "zebra  [bold red]not bold[/] :smile:" in done.out
    assert "\u202e" not in done.out
    assert "[red]x" in done.out


def test_the_words_of_the_question_are_marked_on_a_terminal(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a forced one; without it there is no colour at all."""
    assert "\x1b" not in run("--home", home, "search", "gasket").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1;33mgasket\x1b[0m" in run("--home", home, "search", "gaskets").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[33m" not in run("--home", home, "search", "gasket").out


def test_below_the_least_confidence_there_are_no_hits_and_a_warning(run: Run, home: Path) -> None:
    """The confidence itself is in the document."""
    sure = run("--home", home, "search", "gasket", "--json").json
    assert 0 < sure["confidence"] < 1
    lines = run("--home", home, "search", "gasket", "--lines", "--json").json
    assert lines["confidence"] == sure["confidence"]

    done = run("--home", home, "search", "gasket", "--min-confidence", "1", "--json").json
    assert (done["hits"], done["confidence"]) == ([], sure["confidence"])
    assert "the hits were left out: their confidence is" in done["warnings"][-1]

    refused = run("--home", home, "search", "gasket", "--min-confidence", "7")
    assert "min_confidence is out of range" in refused.err


def test_people_are_told_of_a_low_confidence(run: Run, home: Path) -> None:
    """One word in common with a question about something else."""
    question = "which gasket did grandmother order for the greenhouse in Lisbon last winter"
    done = run("--home", home, "search", question)
    assert "the answer may not be here: confidence 0." in done.err
    assert "the answer may not be here" not in run("--home", home, "search", "no.such.word").err


@pytest.mark.parametrize("options", [(), ("--lines",)])
def test_programs_are_warned_of_a_low_confidence(
    run: Run, home: Path, options: tuple[str, ...]
) -> None:
    """As people are, and only where there is something to doubt."""
    question = "which gasket did grandmother order for the greenhouse in Lisbon last winter"
    doubtful = run("--home", home, "search", question, "--json", *options).json
    doubt = "the answer may not be here: confidence"
    assert doubtful["warnings"][-1] == f"{doubt} {doubtful['confidence']:.2f}"
    for sure in ("gasket", "no.such.word"):
        told = run("--home", home, "search", sure, "--json", *options).json["warnings"]
        assert not any(doubt in warning for warning in told)


@pytest.mark.parametrize("question", ["🙂", "?!", "the and of"])
def test_a_question_without_content_is_told(run: Run, home: Path, question: str) -> None:
    """It is no error."""
    done = run("--home", home, "search", question)
    assert done.code == 0
    assert "warning: the question has no words to look for" in done.err


@pytest.mark.parametrize(
    ("wrong", "code", "error"),
    [
        (("search", "x", "--channel", "telegramm"), 1, "no session is on this channel"),
        (("sessions", "--channel", "telegramm"), 1, "no session is on this channel"),
        (("search", "x", "--project", "/nope"), 1, "the project does not exist"),
        (("sessions", "--project", "/nope"), 1, "the project does not exist"),
        (("timeline", "x", "--project", "/nope"), 1, "the project does not exist"),
        (("export", "--all", "x.jsonl", "--project", "/nope"), 1, "the project does not exist"),
        *[
            ((*command, "--since", "2026-05-02", "--until", "2026-04-30"), 2, "since must be")
            for command in (("search", "x"), ("timeline", "x"), ("sessions",))
        ],
    ],
)
def test_a_filter_that_nothing_can_meet_is_refused(
    run: Run, home: Path, wrong: tuple[str, ...], code: int, error: str
) -> None:
    """A mistyped channel is not a conversation without words."""
    done = run("--home", home, *wrong)
    assert done.code == code
    assert error in done.err
    assert "hint:" in done.err
    assert not Path("x.jsonl").exists()
