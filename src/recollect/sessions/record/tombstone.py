"""Tombstones: what was erased does not come back with the next import.

All that is kept is a keyed hash of where it came from and of its id there. The key lies beside it,
so that the hash of one home says nothing in another; who has the home can still ask about an id
that they know.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import LiteralString, TypeAlias

import msgspec

from recollect.store.columns import blob
from recollect.store.engine import Transaction

OURS = "recollect"
"""The source of sessions by the id that they have here."""

PROJECT = "recollect:project"
"""In place of a source, with the path of a project in place of the id of a session."""

Origin: TypeAlias = tuple[str, str]
"""A source, and the id of a session there."""

_SALTS: LiteralString = "SELECT DISTINCT salt FROM tombstones"
_FIND: LiteralString = "SELECT 1 FROM tombstones WHERE salt = ? AND hash = ?"
_ADD: LiteralString = """
    INSERT INTO tombstones (salt, hash, erasure_id) VALUES (?, ?, ?)
    ON CONFLICT (salt, hash) DO NOTHING
"""
_UNFINISHED: LiteralString = "SELECT 1 FROM erasures WHERE finished_at IS NULL LIMIT 1"
_ALL: LiteralString = "SELECT salt, hash, erasure_id FROM tombstones ORDER BY erasure_id"


class Tombstone(msgspec.Struct, frozen=True, array_like=True):
    """The hash of one origin, its key, and the erasure that it belongs to."""

    salt: bytes
    hash: bytes
    erasure_id: str


def bury(tx: Transaction, erasure_id: str, tenant: str, origins: Iterable[Origin]) -> None:
    """Keep sessions from coming back."""
    row = tx.row(_SALTS)
    salt = blob(row[0]) if row else secrets.token_bytes(32)
    add_tombstones(tx, [Tombstone(salt, _hash(salt, tenant, each), erasure_id) for each in origins])


def is_buried(tx: Transaction, tenant: str, origins: Iterable[Origin]) -> bool:
    """Return whether a session with one of these origins was erased."""
    salts = [blob(row[0]) for row in tx.all(_SALTS)]
    if not salts:
        return False
    pairs = [(salt, _hash(salt, tenant, each)) for each in origins for salt in salts]
    return any(tx.row(_FIND, pair) is not None for pair in pairs)


def is_among(known: Iterable[Tombstone], tenant: str, origins: Iterable[Origin]) -> bool:
    """Return whether a session with one of these origins is among what was erased."""
    buried = {(each.salt, each.hash) for each in known}
    salts = {salt for salt, _ in buried}
    return any((salt, _hash(salt, tenant, each)) in buried for each in origins for salt in salts)


def tombstones(tx: Transaction) -> list[Tombstone]:
    """Return all of them, by the time of their erasure."""
    return [msgspec.convert(row, Tombstone) for row in tx.all(_ALL)]


def add_tombstones(tx: Transaction, added: Iterable[Tombstone]) -> None:
    """Store tombstones, those of another copy of this home too; one that is there stays."""
    tx.executemany(_ADD, [msgspec.structs.astuple(each) for each in added])


def has_unfinished_erasure(tx: Transaction) -> bool:
    """Return whether something was begun to be erased of which something may be left."""
    return tx.row(_UNFINISHED) is not None


def _hash(salt: bytes, tenant: str, origin: Origin) -> bytes:
    encoded = msgspec.json.encode((tenant, *origin))
    return hmac.digest(salt, encoded, hashlib.sha256)
