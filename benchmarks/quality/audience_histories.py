"""Random histories of who may hear what, as plain steps that any source tree can play.

A step names what it is done to by a number, taken modulo how many there are, so that a history from
which steps were taken out can still be played. A seed makes the same history again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

TENANTS = ("local", "other")
AGENTS = ("main", "main", "work")
PROJECTS = (None, None, "/srv/apple", "/srv/pear")
LINKS = ("ann=telegram:123", "ann=discord:9", "ann=irc:libera:nan", "bob=77", "eve=slack:acme:E1")
ALL_LINKS: tuple[tuple[str, ...], ...] = (
    *((), LINKS, LINKS[:1], LINKS[:2], LINKS[2:], LINKS[3:]),
    ("ann=telegram:123", "bob=discord:9", "eve=77"),
)
OWNERS: tuple[tuple[str, ...], ...] = (
    *((), ("telegram:42",), ("telegram:42", "irc:libera:own", "eve"), ("ann",), ("discord:9",)),
)
SHARED_FILES: tuple[tuple[str, ...], ...] = (
    *((), ("MEMORY.md",), ("memory/shared/*.md",), ("memory/*.md",)),
)
MAIN_SCOPES = ("main", "per-peer", "per-channel-peer", "per-account-channel-peer")
ACCOUNTS = (
    *(("telegram", "default", "42"), ("telegram", "work", "123"), ("discord", "x", "9")),
    *(("irc", "libera", "own"), ("irc", "libera", "nan"), ("irc", "oftc", "own")),
    *(("slack", "acme", "E1"), ("slack", "default", "77"), ("matrix", "a:b", "42")),
    *(("web", "default", "ann"), ("telegram", "default", "eve"), ("unknown", "default", "owner")),
    *(("discord", "default", "direct:42"), ("slack", "acme", "a%3Ab"), ("irc", "libera", "🦉")),
)
KINDS = ("group", "channel", "room")
THREADS = (None, None, None, "7", "direct", "42:thread:1")
MAIN = "agent:main:main"
PLAIN = (MAIN, MAIN, MAIN, "walks", "ann", "agent:work:main", "agent:main:cron:daily", None)
SENDERS = (
    *("telegram:42", "telegram:123", "discord:9", "irc:libera:nan", "irc:libera:own"),
    *("slack:acme:E1", "slack:77", "ann", "telegram:999"),
)
FILES = ("MEMORY.md", "memory/shared/tea.md", "memory/2026-01-02.md", "memory/own.md")
CHANNELS: tuple[tuple[str, ...], ...] = ((), ("telegram",), ("*",), ("irc", "slack"))
RIGHTS = ("read", "capture", "write", "admin")
_STEPS = (7, 13)
"""The fewest and most of a history; what is asked at its end comes on top."""
_WEIGHTS = {
    "say": 12,
    "group": 3,
    "bring": 1,
    "fork": 2,
    "delete": 2,
    "reset": 1,
    "flush": 2,
    "compact": 2,
    "prune": 1,
    "erase": 1,
    "note": 2,
    "sync": 2,
    "reindex": 0.3,
    "settings": 4,
    "token": 3,
    "revoke": 1,
    "ask": 5,
    "call": 3,
    "send": 4,
    "listen": 1.5,
}
_SERVED = frozenset({"token", "revoke", "call", "send", "listen"})
_CHANGED = ("owner", "identity_links", "guests_read", "shared", "direct_scope")


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is done; `pick` chooses what it is done to."""

    do: str
    pick: int = 0
    given: Mapping[str, Any] = {}

    def __str__(self) -> str:
        given = " ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"{self.do} {self.pick} {given}".rstrip()


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Steps under some settings.

    Attributes:
        settings: By dotted key, those of the beginning.
        steps: In their order.
        is_served: Whether a worker serves the home, and tokens ask it.
    """

    settings: Mapping[str, Any]
    steps: tuple[Step, ...]
    is_served: bool = False


class _Dice:
    """Draws the steps of one history."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a seed makes the same history again
        self._settings: dict[str, Any] = {}

    def settings(self) -> dict[str, Any]:
        """Return the settings of the beginning."""
        pick = self.random.choice
        self._settings = {
            "sessions.owner": pick(OWNERS),
            "sessions.identity_links": pick(ALL_LINKS),
            "sessions.guests_read": pick(SHARED_FILES),
            "sessions.direct_scope": pick(MAIN_SCOPES),
            "sessions.plain_keys": pick(("person", "person", "owner")),
            "sessions.retention.max_messages": pick((0, 3, 9)),
            "observations.shared": pick((True, False)),
            "search.lexical.backend": pick(("postings", "postings", "fts5")),
        }
        return dict(self._settings)

    def step(self, do: str) -> Step:
        """Return a step of a kind."""
        makers = {
            "say": self._said,
            "group": self._group,
            "bring": self._brought,
            "reset": self._said,
            "note": self._note,
            "settings": self._changed,
            "token": self._token,
            "ask": self._asked,
            "send": self._asked,
        }
        given = makers[do]() if do in makers else {}
        return Step(do=do, pick=self.random.randrange(1 << 16), given=given)

    def _said(self) -> dict[str, Any]:
        pick = self.random.choice
        if self.random.random() < 0.35:
            place: dict[str, Any] = {"key": pick(PLAIN), "owner": pick((False, True))}
        else:
            channel, network, peer = pick(ACCOUNTS)
            place = {"channel": channel, "account": network, "peer": peer, "thread": pick(THREADS)}
        return {
            "tenant": pick(("local", "local", "other")),
            "agent": pick(AGENTS),
            "project": pick(PROJECTS),
            "sender": pick((None, *SENDERS)),
            **place,
        }

    def _group(self) -> dict[str, Any]:
        pick = self.random.choice
        channel, network, peer = pick(ACCOUNTS)
        return {
            "tenant": pick(TENANTS),
            "agent": pick(AGENTS),
            "channel": channel,
            "account": network,
            "peer": peer,
            "chat_type": pick(KINDS),
            "sender": pick(SENDERS),
        }

    def _brought(self) -> dict[str, Any]:
        return {"tenant": self.random.choice(TENANTS), "sender": self.random.choice(SENDERS)}

    def _note(self) -> dict[str, Any]:
        return {"path": self.random.choice(FILES)}

    def _changed(self) -> dict[str, Any]:
        pick, name = self.random.choice, self.random.choice(_CHANGED)
        if name == "shared":
            return {"observations.shared": pick((True, False))}
        choices: Mapping[str, Sequence[Any]] = {
            "owner": OWNERS,
            "identity_links": ALL_LINKS,
            "guests_read": SHARED_FILES,
            "direct_scope": MAIN_SCOPES,
        }
        return {f"sessions.{name}": pick(choices[name])}

    def _token(self) -> dict[str, Any]:
        pick = self.random.choice
        audience = pick(("owner", "shared", "session", f"session:{MAIN}", "session:*"))
        narrowed = pick(({}, {}, {"project": "/srv/apple"}, {"agent": "work"}))
        return {
            "tenant": pick(("local", "local", "other")),
            "audience": audience,
            "rights": pick(RIGHTS),
            "channels": pick(CHANNELS),
            **(narrowed if audience == "owner" else {}),
        }

    def _asked(self) -> dict[str, Any]:
        return {"sender": self.random.choice((None, None, *SENDERS))}


def draw_history(seed: int, served: float = 0.1) -> History:
    """Return the history of a seed; a share of them is served."""
    dice = _Dice(seed)
    is_served = dice.random.random() < served
    settings = dice.settings()
    kinds = [do for do in _WEIGHTS if is_served or do not in _SERVED]
    weights = [_WEIGHTS[do] for do in kinds]
    drawn = dice.random.choices(kinds, weights, k=dice.random.randint(*_STEPS))
    first = ("say", "say", "group", *(("token", "token") if is_served else ()))
    return History(
        settings=settings,
        steps=tuple(dice.step(do) for do in (*first, *drawn)),
        is_served=is_served,
    )
