"""The tree of a session, however deep."""

from __future__ import annotations

import sys

import pytest

from recollect.core.errors import NotFound, StoreCorrupt
from recollect.core.scope import Scope
from recollect.sessions.record.lineage import Branch, segments
from recollect.sessions.sessions import Sessions
from tests.unit.sessions.home import Home


def _size(tree: Branch) -> int:
    open_branches, size = [tree], 0
    while open_branches:
        size += 1
        open_branches.extend(open_branches.pop().branches)
    return size


def test_a_key_that_was_reset_for_years_has_a_tree(sessions: Sessions) -> None:
    """Deeper than Python lets a function call itself."""
    many = sys.getrecursionlimit() + 50
    last = sessions.open("telegram:42")
    for _ in range(many):
        last = sessions.reset("telegram:42")
    assert _size(sessions.lineage(last.id)) == many + 1


def test_branches_stand_in_the_order_in_which_they_grew(sessions: Sessions) -> None:
    """Forks of forks below theirs."""
    root = sessions.create()
    first, second = sessions.fork(root.id), sessions.fork(root.id)
    below = sessions.fork(first.id)
    tree = sessions.lineage(below.id)
    assert [branch.session.id for branch in tree.branches] == [first.id, second.id]
    assert [branch.session.id for branch in tree.branches[0].branches] == [below.id]


def test_a_transcript_has_a_part_in_each_ancestor_it_reads(home: Home) -> None:
    """From the first row of that ancestor's own; one of which it reads none has no part."""
    root = home.sessions.create()
    for text in ("one", "two"):
        home.sessions.append(root.id, "user", text)
    fork = home.sessions.fork(root.id)
    home.sessions.append(fork.id, "user", "three")
    whole, early = home.sessions.fork(fork.id), home.sessions.fork(fork.id, 2)
    for session, expected in (
        (whole, [(root.id, 1, 2), (fork.id, 3, 3)]),
        (early, [(root.id, 1, 2)]),
    ):
        parts = home.database.read(lambda tx, session=session: segments(tx, session))  # type: ignore[misc]  # bound at once
        assert [(part.session_id, part.first, part.last) for part in parts] == expected


def test_a_circle_is_damage(home: Home) -> None:
    """Only a damaged row can name its own child."""
    root = home.sessions.create()
    fork = home.sessions.fork(root.id)
    damage = "UPDATE sessions SET parent_id = ?, forked_at_seq = 0 WHERE id = ?"
    home.database.write(lambda tx: tx.execute(damage, (fork.id, root.id)))
    with pytest.raises(StoreCorrupt):
        home.sessions.lineage(root.id)


def test_who_holds_a_session_can_be_asked(home: Home) -> None:
    """Until it is given back, or ran out."""
    session = home.sessions.create()
    assert home.sessions.lease(session.id) is None
    with home.sessions.hold(session.id, holder="night-shift"):
        found = home.sessions.lease(session.id)
        assert found is not None
        assert found.holder == "night-shift"
    assert home.sessions.lease(session.id) is None


def test_a_tree_shows_nothing_of_another_scope(home: Home) -> None:
    """Sessions under one key may belong to several projects."""
    key = "agent:main:telegram:acc:direct:42"
    first = home.sessions.reset(key, project="/a")
    other = home.sessions.reset(key)
    last = home.sessions_of(Scope(project="/a")).fork(first.id)
    tree = home.sessions_of(Scope(project="/a")).lineage(last.id)
    assert [branch.session.id for branch in (tree, *tree.branches)] == [first.id, last.id]
    behind = home.sessions.reset(key, project="/b")
    assert home.sessions_of(Scope(project="/b")).lineage(behind.id).branches == ()
    whole = home.sessions.lineage(last.id)
    assert {branch.session.id for branch in whole.branches} == {other.id, last.id}


def test_a_tree_is_narrowed_to_what_a_session_hears(home: Home) -> None:
    """Issue 25: a fork that answers somebody else is left out with all that grew from it."""
    root = home.sessions.create("agent:main:main")
    home.sessions.append(root.id, "user", "mine")
    foreign = home.sessions.fork(root.id)
    home.sessions.append(foreign.id, "user", "a guest's", sender="telegram:77")
    grown, own = home.sessions.fork(foreign.id), home.sessions.fork(root.id)
    assert _size(home.sessions.lineage(own.id)) == 4
    tree = home.sessions.lineage(own.id, for_session=root.id)
    assert [branch.session.id for branch in tree.branches] == [own.id]
    with pytest.raises(NotFound):
        home.sessions.lineage(grown.id, for_session=root.id)
