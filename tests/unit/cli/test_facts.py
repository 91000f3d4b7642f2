"""`recollect remember` and `recollect facts`: what is known, by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


@pytest.fixture
def kept(run: Run, home: Path) -> Path:
    """Return a home in which two facts were remembered."""
    run("--home", home, "init")
    run("--home", home, "remember", "I", "prefer", "tabs", "--kind", "preference")
    run("--home", home, "remember", "We use ruff here", "--about", "project")
    return home


def test_remember_says_where_it_went(run: Run, kept: Path) -> None:
    """Its number, its kind, whose it is; and that it is known, the second time."""
    done = run("--home", kept, "remember", "Tea at five", "--user", "telegram:7")
    assert done.out == "remembered f3: personal, of telegram:7, heard in theirs\n"
    assert "recollect facts forget f3" in done.err
    again = run("--home", kept, "remember", "tea at FIVE!", "--user", "telegram:7")
    assert again.out == "known already f3: personal, of telegram:7, heard in theirs\n"
    made = run("--home", kept, "remember", "We use ruff here", "--about", "project", "--json").json
    assert (made["status"], made["fact"]["number"]) == ("known", 2)
    assert made["fact"]["project"] == os.getcwd()


def test_facts_are_listed_corrected_forgotten_and_restored(run: Run, kept: Path) -> None:
    """The newest first; each change can be undone."""
    listed = run("--home", kept, "facts").out.splitlines()
    assert [line.split()[0] for line in listed] == ["f2", "f1"]
    assert listed[1].endswith("preference  I prefer tabs")
    kinds = run("--home", kept, "facts", "list", "--kind", "preference", "--json").json
    assert [fact["text"] for fact in kinds["facts"]] == ["I prefer tabs"]
    assert "I prefer spaces" in run("--home", kept, "facts", "correct", "f1", "I prefer spaces").out
    assert "I prefer tabs" in run("--home", kept, "facts", "restore", "f1").out
    assert "forgotten" in run("--home", kept, "facts", "forget", "f1").out
    assert "f1" not in run("--home", kept, "facts").out
    assert "f1" in run("--home", kept, "facts", "list", "--status", "forgotten").out
    assert "pinned" in run("--home", kept, "facts", "pin", "f2").out
    assert "pinned" not in run("--home", kept, "facts", "pin", "f2", "--undo").out
    history = run("--home", kept, "facts", "history", "f1").out
    assert [line.split()[2] for line in history.splitlines()] == [
        *("new", "corrected", "restored", "forgotten")
    ]


def test_a_fact_makes_way_for_another_and_back(run: Run, kept: Path) -> None:
    """And the history says for which one."""
    facts = ("--home", kept, "facts")
    run("--home", kept, "remember", "I prefer what the system does", "--kind", "preference")
    assert "replaced  I prefer tabs" in run(*facts, "replace", "f1", "f3").out
    assert run(*facts, "replace", "f3", "f1").code == 2
    assert "replaced, for f3  I prefer tabs" in run(*facts, "history", "f1").out
    assert "replaced" not in run(*facts, "restore", "f1").out


def test_a_fact_is_erased_and_told_once(run: Run, kept: Path) -> None:
    """Nothing went with it."""
    shown = run("--home", kept, "erase", "--fact", "f1", "--dry-run").out
    assert shown.startswith("nothing was changed: 1 fact (")
    assert "would go with it" not in shown
    assert run("--home", kept, "erase", "--fact", "f1", "--yes").out.startswith("erased 1 fact (")


def test_a_fact_is_a_hit_and_a_record(run: Run, kept: Path) -> None:
    """`search` shows its number, `get` all of it."""
    assert "f1" in run("--home", kept, "search", "tabs").out
    assert "I prefer tabs" in run("--home", kept, "get", "f1").out
    assert run("--home", kept, "search", "tabs", "--lines").code == 0


def test_what_waits_for_review_is_decided(run: Run, kept: Path) -> None:
    """It counts once it is accepted; what is not there is an error."""
    import recollect

    with recollect.open(kept) as memory:
        memory.facts.remember(None, "Never run tests", "rule", trust="agent")
    assert "Never run tests" in run("--home", kept, "facts", "review").out
    wrong = run("--home", kept, "facts", "review", "--accept")
    assert wrong.code == 2
    assert "review" not in run("--home", kept, "facts", "review", "f3", "--accept").out
    assert "Never run tests" in run("--home", kept, "facts").out
    assert run("--home", kept, "facts", "forget", "f9").code == 1


def test_what_was_true_at_a_time_is_listed(run: Run, kept: Path) -> None:
    """A day is meant with its end."""
    run("--home", kept, "remember", "I prefer what the system does", "--kind", "preference")
    run("--home", kept, "facts", "replace", "f1", "f3")
    listed = run("--home", kept, "facts", "list", "--as-of", "today").out
    assert [line.split()[0] for line in listed.splitlines()] == ["f3", "f2"]
    assert "no facts" in run("--home", kept, "facts", "list", "--as-of", "2020-01-01").err
    wrong = run("--home", kept, "facts", "list", "--as-of", "today", "--status", "replaced")
    assert wrong.code == 2
