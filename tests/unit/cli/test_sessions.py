"""`recollect sessions` and `recollect transcript`."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.cli.transcripts import show
from recollect.recall.steps.session_titles import title_of
from tests.unit.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("filled")


def test_sessions_are_listed_with_what_tells_them_apart(run: Run, home: Path) -> None:
    """The golden look of the list."""
    head, row = run("--home", home, "sessions").out.splitlines()
    assert head == "id        last message      messages  title     where"
    assert row[8:] == "  2026-05-26 18:09         4  delivery  jsonl"


def test_a_session_without_a_title_is_called_as_it_begins(run: Run, home: Path) -> None:
    """By the first words of its user, or at least by its project."""
    with recollect.open(home) as memory:
        made = memory.sessions.create(project="tea")
        assert title_of(memory.sessions, made) == "tea"
        said = [("assistant", "Hello!"), ("user", "Do you know\nwhere the tea is?")]
        memory.sessions.append_many(made.id, said)
    assert "  Do you know where the tea is?  tea" in run("--home", home, "sessions").out


def test_the_list_says_when_there_is_more(run: Run, home: Path, tmp_path: Path) -> None:
    """For people on stderr, for programs in the document."""
    chat = tmp_path / "second.jsonl"
    chat.write_text('{"role": "user", "content": "hello"}\n', encoding="utf-8")
    run("--home", home, "import", "jsonl", chat)
    done = run("--home", home, "sessions", "-n", "1")
    assert len(done.out.splitlines()) == 2
    assert "the last 1; more with --limit" in done.err
    document = run("--home", home, "sessions", "-n", "1", "--json").json
    assert (len(document["sessions"]), document["more"]) == (1, True)


def test_no_session_is_an_answer(run: Run, home: Path) -> None:
    """Not an error."""
    done = run("--home", home, "sessions", "--title", "elsewhere")
    assert (done.code, done.out, done.err) == (0, "", "no sessions\n")


def test_one_session_is_shown_with_all_that_is_known(run: Run, home: Path) -> None:
    """Names on the left; what nobody said is left out."""
    done = run("--home", home, "sessions", "show", "delivery")
    shown = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert shown["status"] == "active"
    assert shown["messages"] == "4"
    assert shown["began"] == "2026-05-04 09:00"
    assert "project" not in shown


def test_one_session_as_json_is_the_session(run: Run, home: Path) -> None:
    """As the facade returns it."""
    found = run("--home", home, "--json", "sessions", "show", "delivery").json
    assert (found["message_count"], found["source"]) == (4, "jsonl")


def test_a_transcript_is_what_was_said(run: Run, home: Path) -> None:
    """Oldest first, with who and when."""
    lines = run("--home", home, "transcript", "delivery").out.splitlines()
    assert lines[:3] == [
        "    1 Mira  2026-05-04 09:00  m1",
        "      Which day does the café get its delivery?",
        "",
    ]
    assert lines[-2] == "      数据库迁移先取消。"


@pytest.mark.parametrize(
    ("options", "seqs"),
    [
        ((), [1, 2, 3, 4]),
        (("--limit", "2"), [3, 4]),
        (("--after", "1"), [2, 3, 4]),
        (("--after", "1", "--limit", "1"), [2]),
    ],
)
def test_a_part_of_a_transcript_is_chosen(
    run: Run, home: Path, options: tuple[str, ...], seqs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same part on the screen and in the document, whatever the size of a page."""
    monkeypatch.setattr(show, "PAGE", 2)
    document = run("--home", home, "transcript", "delivery", *options, "--json").json
    shown = run("--home", home, "transcript", "delivery", *options).out
    assert [message["seq"] for message in document["messages"]] == seqs
    assert [int(line.split()[0]) for line in shown.splitlines() if " 2026-" in line] == seqs


@pytest.mark.parametrize(
    ("options", "titles"),
    [
        ((), ["note", "delivery"]),
        (("--no-automatic",), ["delivery"]),
        (("--title", "DELIV"), ["delivery"]),
        (("--until", "2026-05-26"), ["delivery"]),
        (("--until", "2026-05-25"), []),
        (("--since", "2026-05-26", "--until", "2026-05-26T19:00Z"), ["delivery"]),
        (("--since", "1h"), ["note"]),
        (("--status", "archived"), []),
        (("--all",), ["note", "gone", "delivery"]),
        (("--all", "--limit", "2"), ["note", "gone"]),
    ],
)
def test_a_list_is_narrowed(
    run: Run, home: Path, options: tuple[str, ...], titles: list[str]
) -> None:
    """The last used first."""
    with recollect.open(home) as memory:
        memory.sessions.rename(memory.sessions.find("delivery").id, "delivery")
        gone = memory.sessions.create(title="gone")
        memory.sessions.set_status(gone.id, "deleted")
        memory.sessions.create(key="agent:main:cron:nightly", title="note")
    found = run("--home", home, "sessions", "--json", *options).json["sessions"]
    assert [session["title"] for session in found] == titles


def test_what_a_model_used_is_shown(run: Run, home: Path) -> None:
    """Tokens, and what stood in its last prompt."""
    with recollect.open(home) as memory:
        found = memory.sessions.find("delivery")
        usage = {"input_tokens": 1200, "output_tokens": 30, "cache_read_input_tokens": 1000}
        memory.sessions.append(found.id, "assistant", "Yes.", model="claude", usage=usage)
    lines = run("--home", home, "sessions", "show", "delivery").out.splitlines()
    assert "model          claude" in lines
    assert "tokens         2,200 read, 1,000 of them cached, 30 written" in lines
    assert "last prompt    2,200 tokens" in lines


@pytest.mark.parametrize(
    "arguments",
    [
        ("sessions", "--limit", "0"),
        ("sessions", "--status", "odd"),
        ("sessions", "--status", "active", "--all"),
        ("sessions", "--since", "someday"),
        ("sessions", "show", "nobody"),
        ("transcript", "nobody"),
        ("transcript", "delivery", "--limit", "-1"),
    ],
)
def test_a_wrong_question_is_refused(run: Run, home: Path, arguments: tuple[str, ...]) -> None:
    """With a hint."""
    done = run("--home", home, "--json", *arguments)
    assert done.code == (1 if "nobody" in arguments else 2)
    assert done.error["hint"]
