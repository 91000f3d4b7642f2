"""The drawing of forks and resets."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.cli.sessions.show import tree_rows
from recollect.sessions.record.lineage import Branch
from recollect.sessions.record.session import Session
from tests.unit.cli.conftest import Run


def _branch(name: str, relation: str = "root", *branches: Branch) -> Branch:
    session = Session(id=name, tenant="local", status="active", created_at=0, updated_at=0)
    return Branch(session=session, relation=relation, branches=branches)


def _drawn(root: Branch) -> list[str]:
    return [f"{row.prefix}{row.session.id} {row.depth}" for row in tree_rows(root)]


def test_a_session_alone_is_one_line() -> None:
    """Nothing to its left."""
    assert _drawn(_branch("a")) == ["a 0"]


def test_forks_stand_to_the_right() -> None:
    """Oldest first, with the lines that lead to them."""
    tree = _branch("a", "root", _branch("b", "fork", _branch("c", "fork")), _branch("d", "fork"))
    assert _drawn(tree) == ["a 0", "├─ b 1", "│  └─ c 2", "└─ d 1"]


def test_what_followed_under_a_key_stands_below() -> None:
    """The forks of the one before come first."""
    later = _branch("d", "reset", _branch("e", "fork"))
    tree = _branch("a", "root", _branch("b", "reset"), _branch("c", "fork"), later)
    assert _drawn(tree) == ["a 0", "├─ b 1", "├─ c 1", "d 0", "└─ e 1"]


@pytest.mark.usefixtures("filled")
def test_a_tree_is_shown_with_a_mark_at_the_one_asked_for(run: Run, home: Path) -> None:
    """The golden look."""
    with recollect.open(home) as memory:
        first = memory.sessions.find("delivery")
        strict = memory.sessions.fork(first.id, 2, title="strict")
    head, row = run("--home", home, "sessions", "tree", "strict").out.splitlines()
    assert head == f"{first.id[-8:]}  delivery  2026-05-26 18:09, 4 messages"
    assert row.startswith(f"└─ {strict.id[-8:]}  fork at 2: strict  20")
    assert row.endswith(", 0 messages  ◀")
    document = run("--home", home, "sessions", "tree", "delivery", "--json").json
    assert document["session"] == first.id
    told = [(row["depth"], row["relation"], row["session"]["id"]) for row in document["branches"]]
    assert told == [(0, "root", first.id), (1, "fork", strict.id)]


def test_a_key_that_was_reset_is_a_list(run: Run, home: Path) -> None:
    """Not a staircase; what is put away says so."""
    with recollect.open(home) as memory:
        made = [memory.sessions.reset("telegram:42") for _ in range(3)]
        memory.sessions.rename(made[-1].id, "now")
    rows = run("--home", home, "sessions", "tree", "telegram:42").out.splitlines()
    assert [row[:22] for row in rows[1:2]] == [f"{rows[1][:8]}  then: telegr"]
    assert [row.endswith(", archived") for row in rows] == [True, True, False]
    assert "  then: now  " in rows[2]
