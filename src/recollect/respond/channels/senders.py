"""Who may write, and how much: an answer goes to whom the owner allowed.

Of others a count and the account are kept, no text, and only of so many accounts: somebody with a
million of them fills no disk.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.audience.account import sender_of, stored_account
from recollect.audience.people import People
from recollect.audience.session_key import SessionKey, is_group_id
from recollect.core.clock import Clock
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.store.audit import record_audit
from recollect.store.columns import columns_of, decode, first_integer, listed, text, typed_rows
from recollect.store.engine import Database, Transaction

SenderStatus: TypeAlias = Literal["unknown", "allowed", "denied"]
BUCKETS = 10_000
"""Buckets kept; the one not used for longest is full again, so it is forgotten first."""

_TELL: LiteralString = """
    INSERT INTO channel_senders (tenant, account, status, first_at, last_at)
    VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (tenant, account) DO UPDATE SET status = excluded.status
"""
_COUNT: LiteralString = """
    INSERT INTO channel_senders (tenant, account, status, refused, first_at, last_at)
    VALUES (?, ?, 'unknown', 1, ?, ?)
    ON CONFLICT (tenant, account)
    DO UPDATE SET refused = refused + 1, last_at = max(last_at, excluded.last_at)
"""
_DROP_OLDEST: LiteralString = """
    DELETE FROM channel_senders WHERE tenant = ?1 AND account IN (
        SELECT account FROM channel_senders WHERE tenant = ?1 AND status = 'unknown'
        ORDER BY last_at DESC, account LIMIT -1 OFFSET ?2)
"""
_STATUSES: LiteralString = """
    SELECT account, status FROM channel_senders
    WHERE tenant = ? AND account IN (SELECT value FROM json_each(?))
"""
_COUNTS: LiteralString = """
    SELECT status, count(*) FROM channel_senders WHERE tenant = ? GROUP BY status
"""


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """A person or group that wrote over a channel, or was allowed or denied.

    Attributes:
        account: ``telegram:42``; of a group its id, ``telegram:-1007``, or ``slack:group:C1``.
        status: ``unknown``, ``allowed`` or ``denied``.
        refused: Messages that were not taken; their text is kept nowhere.
        first_at: When it wrote first, or was named; ms UTC.
        last_at: When it wrote last without being allowed, ms UTC.
    """

    account: str
    status: SenderStatus
    refused: int
    first_at: int
    last_at: int


_OF: LiteralString = f"SELECT {columns_of(Sender)} FROM channel_senders WHERE tenant = ?"  # noqa: S608  # literals
_ALL: LiteralString = _OF + " ORDER BY status = 'unknown' DESC, last_at DESC, account"
_ONE: LiteralString = _OF + " AND account = ?"


def party_of(key: SessionKey, sender: str | None) -> str:
    """Return the account that must be allowed: the group of a conversation, else its sender.

    >>> from recollect.audience.session_key import parse_key
    >>> party_of(parse_key("agent:main:telegram:group:-1007:thread:3"), "telegram:42")
    'telegram:-1007'
    >>> party_of(parse_key("agent:main:slack:group:C1"), "slack:U7")
    'slack:group:C1'
    """
    if not key.is_group:
        return sender_of(sender if sender is not None else key.user)
    peer = key.place.peer or ""
    kind = "" if is_group_id(key.channel, peer) else f"{key.chat_type}:"
    return sender_of(f"{key.channel}:{kind}{peer}")


class Senders:
    """The people and groups of a tenant's channels. Threads and processes may share it.

    Args:
        records: ``records.db``.
        clock: Tells the time.
        scope: Their tenant.
        people: Who the owner is: always allowed.
        most_unknown: Accounts kept that were not allowed.
    """

    def __init__(
        self, records: Database, clock: Clock, scope: Scope, people: People, most_unknown: int
    ) -> None:
        self._records = records
        self._clock = clock
        self._scope = scope
        self._people = people
        self._most_unknown = most_unknown

    def admit(self, key: SessionKey, sender: str | None) -> SenderStatus:
        """Return whether a message may be taken; one that may not is counted.

        Whoever is denied is so in allowed groups too.

        Raises:
            InvalidInput: a sender is missing, or is not an account.
        """
        party = party_of(key, sender)
        who = None if sender is None else sender_of(sender)
        status = self._records.read(lambda tx: self._status(tx, party, who))
        if status != "allowed":
            self._count(party if status == "unknown" else who or party)
        return status

    def _status(self, tx: Transaction, party: str, who: str | None) -> SenderStatus:
        owner = self._people.at(tx, self._scope.tenant)
        if who is not None and party == who and owner.owns(stored_account(who)):
            return "allowed"
        accounts = listed([party] if who is None else [party, who])
        rows = dict(typed_rows(tx.all(_STATUSES, (self._scope.tenant, accounts)), tuple[str, str]))
        if "denied" in rows.values():
            return "denied"
        return "allowed" if rows.get(party) == "allowed" else "unknown"

    def _count(self, account: str) -> None:
        now, tenant = self._clock.now_ms(), self._scope.tenant

        def count(tx: Transaction) -> None:
            tx.execute(_COUNT, (tenant, account, now, now))
            tx.execute(_DROP_OLDEST, (tenant, self._most_unknown))

        self._records.write(count)

    def decide(self, account: str, status: SenderStatus) -> Sender:
        """Allow or deny an account, from its next message on; recorded in the audit.

        Raises:
            InvalidInput: it is not an account with a channel.
        """
        who, now, scope = _named(account), self._clock.now_ms(), self._scope

        def tell(tx: Transaction) -> Sender:
            tx.execute(_TELL, (scope.tenant, who, status, now, now))
            record_audit(tx, scope, f"channel.{status}", now, target=who)
            row = tx.row(_ONE, (scope.tenant, who))
            return decode(Sender, Sender.__struct_fields__, row or ())

        return self._records.write(tell)

    def list(self) -> list[Sender]:
        """Return all of them, unknown ones first, those that wrote last before others."""
        rows = self._records.read(lambda tx: tx.all(_ALL, (self._scope.tenant,)))
        return [decode(Sender, Sender.__struct_fields__, row) for row in rows]

    def counts(self) -> dict[str, int]:
        """Return how many there are of each status."""
        rows = self._records.read(lambda tx: tx.all(_COUNTS, (self._scope.tenant,)))
        return {text(status): first_integer((number,)) for status, number in rows}


def _named(account: str) -> str:
    who = sender_of(account)
    if stored_account(who).channel == "unknown":
        raise InvalidInput("an account must name its channel", hint="write it as telegram:42")
    return who


class RateLimit:
    """Lets each sender write so many messages a minute, at once or spread. Threads may share it.

    Each has a bucket of tokens, filled as time passes.

    Args:
        per_minute: Size of a bucket, and what flows into it in a minute.
        now_s: Seconds that pass.
    """

    def __init__(self, per_minute: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self._most = float(per_minute)
        self._now_s = now_s
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, who: str) -> bool:
        """Return whether a message of a sender is within the limit; it counts if so."""
        now = self._now_s()
        with self._lock:
            tokens, at = self._buckets.pop(who, (self._most, now))
            tokens = min(self._most, tokens + (now - at) * self._most / 60)
            is_within = tokens >= 1
            self._buckets[who] = (tokens - is_within, now)
            if len(self._buckets) > BUCKETS:
                self._buckets.popitem(last=False)
        return is_within
