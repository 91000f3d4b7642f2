"""`recollect context`: the block of a session, and what was injected last, where and why."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import recollect
from recollect.cli.output.formatting import moment
from tests.unit.cli.conftest import Run


@pytest.fixture
def worked(tmp_path: Path) -> Path:
    """A home with two sessions of a project: the first decided, the second is new."""
    home = tmp_path / "worked"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        first = memory.sessions.create(project="/srv/app", title="first").id
        memory.observations.record(first, summary="We decided to use jars.")
        memory.observations.record(first, "Edit", input={"file_path": "a.py"}, title="\x1b[2JEdit")
        memory.sessions.create(project="/srv/app", title="second")
    (home / "config.yaml").write_text("embedding:\n  provider: none\n", "utf-8")
    return home


def test_the_block_is_printed_and_recorded(run: Run, worked: Path) -> None:
    """Issue 11.7: for people, for programs, and only what is new when a session is resumed."""
    looked = run("--home", worked, "context", "second", "--preview")
    assert looked.out.startswith("<recollect-context ")
    assert "] We decided to use jars." in looked.out
    assert "nothing was injected yet" in run("--home", worked, "context", "--last").err
    told = run("--home", worked, "context", "second", "--client", "codex", "--json").json
    assert (len(told["items"]), told["dropped"]) == (2, 0)
    assert told["text"] == looked.out.rstrip("\n")
    news = run("--home", worked, "context", "second", "--reason", "resume")
    assert (news.out, news.code) == ("", 0)
    assert "nothing to add" in news.err


def test_what_the_next_session_gets_is_shown_line_by_line(run: Run, worked: Path) -> None:
    """Issue 23, 5: the block, then each line with its kind, number and the parts of its score."""
    shown = run("--home", worked, "context", "--project", "/srv/app")
    assert shown.out.startswith("<recollect-context ")
    line = "  #1  We decided to use jars.  observation  kind 0.50 importance 0.20 recency 0.30"
    assert line in shown.out.splitlines()
    assert "nothing was injected yet" in run("--home", worked, "context", "--last").err
    nothing = run("--home", worked, "context", "--project", worked)
    assert (nothing.out, nothing.code) == ("", 0)
    assert "nothing is known yet" in nothing.err
    told = run("--home", worked, "context", "--project", "/srv/app", "--json").json
    assert [item["number"] for item in told["items"]] == [1, 2]


def test_what_was_injected_is_shown_with_its_reasons(run: Run, worked: Path) -> None:
    """Item 7: what, where and why; words of outside cannot move the cursor."""
    run("--home", worked, "context", "second", "--client", "codex", "--reason", "clear")
    shown = run("--home", worked, "context", "--last").out
    assert "clear  second  codex" in shown
    assert "#1  We decided to use jars.  observation  kind 0.50 importance 0.20 rec" in shown
    assert "\x1b" not in shown
    rows = run("--home", worked, "context", "second", "--last", "--json").json["injections"]
    assert [item["number"] for item in rows[0]["items"]] == [1, 2]
    assert "jars" not in str(rows)


def test_a_day_in_two_worktrees_is_shown_session_by_session(run: Run, tmp_path: Path) -> None:
    """The form that docs/context.md shows: what the second was given of the first."""
    home, shop = tmp_path / "day", tmp_path / "shop"
    for name in ("main", "fix"):
        (shop / name).mkdir(parents=True)
        (shop / name / ".recollect-project").write_text("id: shop-7f3a9c0d1e5b\n", "utf-8")
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        first = memory.sessions.create(project=str(shop / "main"), title="Choose a queue").id
        memory.context(first, client="claude-code")
        record = memory.observations.record
        record(first, event="prompt", input="We decided to use Redis for the queue.")
        record(first, type="bugfix", title="Fixed PATH issue for cron")
        second = memory.sessions.create(project=str(shop / "fix"), title="Fix the queue").id
        memory.context(second, client="claude-code")
        record(second, event="answer", output="We decided to keep tins dry.")
        memory.context(first, client="claude-code", reason="resume")
    (home / "config.yaml").write_text("embedding:\n  provider: none\n", "utf-8")
    page = (Path(__file__).parents[3] / "docs" / "context.md").read_text("utf-8")
    for line in page.split("```text\n2026-02-02")[1].split("```")[0].splitlines()[1:]:
        assert line in run("--home", home, "context", "Fix the queue", "--last").out.splitlines()
    newest = run("--home", home, "context", "--last").out.splitlines()
    assert "  resume  Choose a queue  claude-code, " in newest[0]
    assert {line.split()[0] for line in newest[1:]} == {"#1", "#2", "#3"}
    run("--home", home, "forget", "#1")
    assert "  #1  gone  " in run("--home", home, "context", "Fix the queue", "--last").out


def test_what_was_injected_has_the_time_of_this_machine(
    run: Run, worked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As every list shows it, and `timeline --at` takes it."""
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    run("--home", worked, "context", "second")
    given = run("--home", worked, "context", "--last", "--json").json["injections"][0]
    assert run("--home", worked, "context", "--last").out.startswith(moment(given["at"]))


def test_a_wrong_call_says_what_must_be(run: Run, worked: Path) -> None:
    """Exit 1 and 2, a message and a hint."""
    missing = run("--home", worked, "context", "nowhere")
    assert (missing.code, "no such session" in missing.err) == (1, True)
    assert run("--home", worked, "context", "second", "--reason", "prompt").code == 2
    assert run("--home", worked, "context", "second", "--client", "A b").code == 2
    empty = worked.parent / "empty"
    with recollect.open(empty, overrides={"embedding.provider": "none"}, live=False):
        pass
    assert "begin one with" in run("--home", empty, "context").err


def test_messages_and_notes_that_were_injected_are_shown_by_their_words(
    tmp_path: Path, run: Run
) -> None:
    """An id alone would tell nobody what the agent was given."""
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "keys.md").write_text("The quokka keys rotate.\n", encoding="utf-8")
    settings = {"embedding.provider": "none", "context.prompt_floor": 0.05}
    with recollect.open(home, workspace, overrides=settings) as memory:
        first, now = memory.sessions.create().id, memory.sessions.create().id
        memory.sessions.append(first, "user", "The quokka keys are in the blue safe.")
        sources = ("sessions", "memory")
        assert memory.context(
            now, "Where are the quokka keys?", reason="prompt", sources=sources
        ).items
    told = run("--home", home, "context", "--last").out
    assert "m1  The quokka keys are in the blue safe." in told
    assert "memory/keys.md#L1" in told
