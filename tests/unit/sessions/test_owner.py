"""The owner: which sessions are theirs, and which are guests'."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.audience.identity_links import read_links
from recollect.audience.owner import Owner, read_owner
from recollect.audience.visibility import is_owners
from recollect.core.errors import ConfigError
from recollect.core.scope import Scope
from tests.unit.sessions.home import Home

LINKS = read_links(["ann=telegram:42", "ann=slack:U7", "bob=discord:9"])
ANN = read_owner(["Telegram: 42", "irc:ann"], LINKS)


def owns(home: Home, owner: Owner, key: str | None, user: str | None = None) -> bool:
    """Return whether a session under a key is the owner's."""
    session = home.sessions_of(Scope(user=user)).create(key=key, owner=True)
    return is_owners(session, owner)


@pytest.mark.parametrize(
    ("key", "named", "unnamed"),
    [
        (None, True, True),
        ("notes", True, True),
        ("agent:main:main", True, True),
        ("agent:main:cron:report", True, True),
        ("telegram:42", True, False),
        ("agent:main:telegram:bot:direct:42:thread:7", True, False),
        ("slack:U7", True, False),
        ("agent:main:slack:default:direct:ann", False, False),
        ("agent:main:direct:ann", True, False),
        ("irc:ann", True, False),
        ("telegram:43", False, False),
        ("signal:42", False, False),
        ("agent:main:direct:42", False, False),
        ("agent:main:irc:direct:Ann", False, False),
        ("discord:9", False, False),
        ("agent:main:telegram:group:42", False, False),
        ("agent:main:subagent:7", False, False),
        ("agent:main:web:kiosk", False, False),
    ],
)
def test_the_owner_is_known_by_account(
    home: Home, key: str | None, named: bool, unnamed: bool
) -> None:
    """Named in the settings, or linked to such a one; without a name it is who has no account."""
    assert owns(home, ANN, key) == named
    assert owns(home, read_owner([], LINKS), key) == unnamed


def test_a_user_without_a_channel_is_named_without_one(home: Home) -> None:
    """Such as the users of a program that opens a memory for each."""
    assert not owns(home, Owner(), None, "carl")
    assert owns(home, read_owner(["carl"], LINKS), None, "carl")
    assert not owns(home, read_owner(["carl"], LINKS), "telegram:carl")
    assert owns(home, ANN, None, "ann")
    assert not owns(
        home, read_owner(["telegram:42"], read_links([])), "agent:main:direct:telegram:42"
    )


@pytest.mark.parametrize("account", ["", " ", ":42", "telegram:", "telegram: "])
def test_an_account_without_a_part_is_refused(account: str) -> None:
    """The error tells which one and how it is written."""
    with pytest.raises(ConfigError) as caught:
        read_owner(["telegram:42", account], LINKS)
    assert caught.value.facts["key"] == "sessions.owner"
    assert "number 2" in caught.value.message
    assert "telegram:42" in caught.value.hint


def test_a_wrong_account_is_told_when_the_memory_is_opened(tmp_path: Path) -> None:
    """Not in the middle of a conversation."""
    with pytest.raises(ConfigError):
        recollect.open(tmp_path / "home", overrides={"sessions.owner": [":42"]})
