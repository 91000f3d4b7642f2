"""Identity links: which account is whose."""

from __future__ import annotations

import pytest

from recollect.audience.account import parse_account
from recollect.audience.identity_links import read_links
from recollect.audience.people import LinkedRow
from recollect.core.errors import ConfigError


def test_accounts_of_one_person_have_one_name() -> None:
    """By channel and account, or by an account that is the same everywhere."""
    links = read_links(["ann=telegram:123", "ann = Discord:9", "bob=77"])
    assert {links.person(parse_account(name)) for name in ("telegram:123", "discord:9")} == {"ann"}
    assert {links.person(parse_account(name)) for name in ("slack:77", "77")} == {"bob"}


def test_who_is_not_linked_stays_who_they_are() -> None:
    """Also the same account on another channel."""
    links = read_links(["ann=telegram:123"])
    for name in ("discord:123", "telegram:ann", "irc:ann", "telegram%3A123", "web:telegram%3A123"):
        assert links.person(parse_account(name)) is None


@pytest.mark.parametrize("written", ["ann", "=telegram:1", "ann=", ""])
def test_a_link_without_name_or_account_is_refused(written: str) -> None:
    """It names its place in the list, not the person."""
    with pytest.raises(ConfigError) as caught:
        read_links(["bob=telegram:2", written])
    assert "number 2" in caught.value.message


def test_an_account_cannot_be_two_people() -> None:
    """Nobody reads somebody else's memory because of a typing error."""
    with pytest.raises(ConfigError):
        read_links(["ann=telegram:1", "bob=telegram:1"])


def test_the_hash_of_a_link_is_the_one_that_homes_hold() -> None:
    """Another one would refuse all links that were stored before."""
    row = LinkedRow("telegram:7", "ann", None, 1_780_000_000_000, "operator")
    assert row.hash("local").hex() == "6c9d9c75027266755186cc514ea21ed9"
