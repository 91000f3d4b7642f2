"""The key of who hears something: whoever is linked, a group's is among those looked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from recollect.audience.account import parse_account
from recollect.audience.identity_links import read_links
from recollect.audience.owner import NOBODY_NAMED, OWNER_ID, Owner, read_owner
from recollect.audience.visibility import Audience, group_of_turn, hearer_of, hearers_of
from recollect.core.errors import Denied
from recollect.core.scope import ConversationTurn

USERS = (None, "ann", "telegram:7")
PLACES = (
    (None, None, None, None),
    ("telegram", None, "direct", "7"),
    ("telegram", "work", "direct", "7:thread:9"),
    ("irc", "libera", "direct", "bob%3Ax"),
    (None, None, "direct", "ann"),
    ("telegram", None, "group", "-5"),
    ("cron", None, "cron", "nightly"),
)
SENDERS = (None, "telegram:7", "irc:libera:bob%3Ax", "unknown:ann", "slack:42")
LINKS = (
    read_links([]),
    read_links(["ann=telegram:7", "ann=irc:libera:bob%3Ax"]),
    read_links(["ann=42", "bob=telegram:7"]),
)
OWNERS = ((), ("telegram:7",), ("ann",), ("slack:42", "irc:libera:bob%3Ax"))


def turns() -> Iterator[ConversationTurn]:
    """Yield turns of every kind."""
    for user, place, sender in product(USERS, PLACES, SENDERS):
        yield ConversationTurn(None, user, *place, sender)


def owners() -> Iterator[Owner]:
    """Yield owners and links, those of run time included."""
    for links, named in product(LINKS, OWNERS):
        owner = read_owner(named, links)
        yield owner
        yield owner.with_records({parse_account("slack:42"): "ann"})
        yield owner.with_records({parse_account("slack:42"): OWNER_ID})


@pytest.mark.parametrize("owner", list(owners()))
def test_what_a_group_hears_has_one_of_its_keys(owner: Owner) -> None:
    """Else the same words would be new, and an old value would stay."""
    for turn in turns():
        assert hearer_of(turn) in hearers_of(group_of_turn(turn, owner), owner), turn


@pytest.mark.parametrize(("kind", "told"), [("group", "a group does"), ("direct", "a guest does")])
def test_who_is_refused_a_memory_file_is_told_as_what(kind: str, told: str) -> None:
    """A group cannot be given files; a guest can."""
    group = group_of_turn(
        ConversationTurn(None, None, "slack", None, kind, "7", None), NOBODY_NAMED
    )
    with pytest.raises(Denied, match=told):
        Audience(owner=NOBODY_NAMED, group=group).require_file("MEMORY.md")
