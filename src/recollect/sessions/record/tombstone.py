"""Tombstones: what was erased does not come back with the next import.

Only a keyed hash of its source and of its id there is kept. The key lies beside it, so that the
hash of one home says nothing in another; whoever has the home can still check an id that they know.

A program that forks a session, or resumes it elsewhere, copies lines under the ids that they had,
into a session of its own: the tombstone of the first session says nothing of the second. So each
line of an erased session has a number, a keyed hash of 64 bits of its id. That one of a billion new
lines is taken for one of a million erased ones has a chance of 1 to 18,000. A title, and the call
of a tool by its id, are known again in the same way.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.decoding import convert_value
from recollect.store.columns import blob, integer, text, typed_rows
from recollect.store.digests import check_digest, note_digest, stored_digest
from recollect.store.engine import Transaction
from recollect.store.meta import find_value, set_value

OURS = "recollect"
"""The source of sessions by the id that they have here."""

PROJECT = "recollect:project"
"""In place of a source, with the path of a project in place of the id of a session."""

_PATH = "recollect:path"
"""The same, with the path of a transcript."""
HIDDEN = "erased:"
"""Prefix of the paths in the ledger of imports that are keyed hashes."""

Origin: TypeAlias = tuple[str, str]
"""A source, and the id of a session there."""

_SALTS: LiteralString = "SELECT DISTINCT salt FROM tombstones"
_FIND: LiteralString = "SELECT 1 FROM tombstones WHERE salt = ? AND hash = ?"
_ADD: LiteralString = """
    INSERT INTO tombstones (salt, hash, erasure_id) VALUES (?, ?, ?)
    ON CONFLICT (salt, hash) DO NOTHING RETURNING hash
"""
_SOUND: set[int] = set()
"""Digests that were compared with their rows: each is checked once, not for every session."""
_UNFINISHED: LiteralString = "SELECT 1 FROM erasures WHERE finished_at IS NULL LIMIT 1"
_ALL: LiteralString = "SELECT salt, hash, erasure_id FROM tombstones ORDER BY erasure_id"
_PATHS: LiteralString = "SELECT DISTINCT path FROM imports WHERE tenant = ?"
_HIDE: LiteralString = "UPDATE OR REPLACE imports SET path = ? WHERE tenant = ? AND path = ?"
Kind: TypeAlias = Literal["line", "use", "title", "note"]
ErasedName: TypeAlias = tuple[Kind, str, str, int | None]
"""The kind, the program, the id there, and when it was said, ms UTC, if the id alone does not
distinguish it from those of other sessions."""

_UNIQUE = re.compile(
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{16}"
)
"""In an id that no other session has: a UUID, or as many letters and digits. Others count up."""
_MARK = "erased_lines"
"""In ``meta``: the number of times that lines were added."""
_ADD_NUMBER: LiteralString = (
    "INSERT INTO erased_lines (number) VALUES (?) ON CONFLICT DO NOTHING RETURNING 1"
)
_NUMBERS: LiteralString = "SELECT number FROM erased_lines ORDER BY number"
_LINES: LiteralString = """
    SELECT s.source, m.foreign_id, m.created_at FROM sessions s JOIN messages m
    ON m.session_id = s.id WHERE s.id = ? AND s.source IS NOT NULL AND m.foreign_id IS NOT NULL
"""
_USES: LiteralString = """
    SELECT DISTINCT s.source, o.tool_use_id FROM sessions s JOIN observations o
    ON o.session_id = s.id WHERE s.id = ? AND s.source IS NOT NULL AND o.tool_use_id IS NOT NULL
"""
_TITLE: LiteralString = """
    SELECT source, title FROM sessions
    WHERE id = ? AND source IS NOT NULL AND title IS NOT NULL
"""


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


def salts_of(tx: Transaction) -> list[bytes]:
    """Return the keys of all hashes: one, unless another copy of this home had its own."""
    return [blob(row[0]) for row in tx.all(_SALTS)]


def is_buried(tx: Transaction, tenant: str, origins: Iterable[Origin]) -> bool:
    """Return whether a session with one of these origins was erased."""
    salts = salts_of(tx)
    pairs = [(salt, _hash(salt, tenant, each)) for each in origins for salt in salts]
    if any(tx.row(_FIND, pair) is not None for pair in pairs):
        return True
    if (digest := stored_digest(tx, "tombstones")) not in _SOUND:
        check_digest(tx, "tombstones")
        _SOUND.add(digest)
    return False


def is_among(erasures: Iterable[Tombstone], tenant: str, origins: Iterable[Origin]) -> bool:
    """Return whether one of some tombstones is that of a session with one of these origins."""
    buried = {(each.salt, each.hash) for each in erasures}
    salts = {salt for salt, _ in buried}
    return any((salt, _hash(salt, tenant, each)) in buried for each in origins for salt in salts)


def tombstones(tx: Transaction) -> list[Tombstone]:
    """Return all of them, by the time of their erasure."""
    return [convert_value(row, Tombstone) for row in tx.all(_ALL)]


def add_tombstones(tx: Transaction, added: Iterable[Tombstone]) -> None:
    """Store tombstones, also those of another copy of this home; existing ones stay."""
    new = tx.executemany(_ADD, [msgspec.structs.astuple(each) for each in added])
    note_digest(tx, "tombstones", [row[0] for row in new])


def has_unfinished_erasure(tx: Transaction) -> bool:
    """Return whether an erasure was begun that may have left something."""
    return tx.row(_UNFINISHED) is not None


def _hash(salt: bytes, tenant: str, origin: Origin) -> bytes:
    encoded = msgspec.json.encode((tenant, *origin))
    return hmac.digest(salt, encoded, hashlib.sha256)


def line_name(source: str, id_: str | None, at: int | None) -> ErasedName | None:
    """Return the name of a line; None if nothing distinguishes it from other lines.

    >>> line_name("openclaw", "3f1c9d2e", 5), line_name("openclaw", "3f1c9d2e", None)
    (('line', 'openclaw', '3f1c9d2e', 5), None)
    """
    if id_ is None or _is_unique(id_):
        return None if id_ is None else ("line", source, id_, None)
    return None if at is None else ("line", source, id_, at)


def own_name(id_: str) -> ErasedName:
    """Return the name of a record by the id that it has here."""
    return ("line", OURS, id_, None)


def use_name(source: str, id_: str | None) -> ErasedName | None:
    """Return the name of the call of a tool; None if other sessions may have its id."""
    return ("use", source, id_, None) if id_ is not None and _is_unique(id_) else None


def title_name(source: str, title: str) -> ErasedName:
    """Return the name of the title of a session."""
    return ("title", source, title, None)


def note_name(line_hash: bytes) -> ErasedName:
    """Return the name of a line of flushed notes."""
    return ("note", OURS, line_hash.hex(), None)


def hidden_path(salt: bytes, tenant: str, path: str) -> str:
    """Return the keyed hash that replaces the path of an erased transcript; a hash stays itself."""
    if path.startswith(HIDDEN):
        return path
    return HIDDEN + _hash(salt, tenant, (_PATH, path)).hex()


def imported_paths(tx: Transaction, tenant: str) -> list[str]:
    """Return the paths of all transcripts that were read for a tenant."""
    return [text(row[0]) for row in tx.all(_PATHS, (tenant,))]


def hide_paths(
    tx: Transaction, tenant: str, names: Collection[str], transcripts: Collection[str]
) -> None:
    """Replace the paths of erased transcripts by keyed hashes.

    Args:
        tx: That of the erasure, after its tombstones.
        tenant: The owner.
        names: Of the erased sessions, as they appear in the names of files.
        transcripts: Paths that are known to be theirs.
    """
    salt = salts_of(tx)[0]
    for path in imported_paths(tx, tenant):
        if path in transcripts or any(name in Path(path).name for name in names):
            tx.execute(_HIDE, (hidden_path(salt, tenant, path), tenant, path))


class ErasedMeanwhile(Exception):
    """Something was erased since `ErasedLines.refresh`."""


class ErasedLines:
    """The erased lines of a home, as they were at the last `refresh`.

    Attributes:
        numbers: Their numbers, sorted.
    """

    def __init__(self) -> None:
        self._mark: str | None = None
        self._salts: list[bytes] = []
        self.numbers = array("q")

    def refresh(self, tx: Transaction) -> None:
        """Read the erased lines, if there are new ones."""
        mark = find_value(tx, _MARK)
        if mark != self._mark:
            self._mark, self._salts = mark, salts_of(tx)
            self.numbers = numbers_of(tx)

    def require_current(self, tx: Transaction) -> None:
        """Refuse to store what was read before something was erased.

        Raises:
            ErasedMeanwhile: there is something new since the last `refresh`.
        """
        if find_value(tx, _MARK) != self._mark:
            raise ErasedMeanwhile

    def has(self, tenant: str, name: ErasedName | None) -> bool:
        """Return whether something was erased."""
        if name is None:
            return False
        return any(self._holds(_number(salt, tenant, name)) for salt in self._salts)

    def has_record(self, tenant: str, id_: str, name: ErasedName | None) -> bool:
        """Return whether a record was erased, by the id that it has here or by another name."""
        return self.has(tenant, own_name(id_)) or self.has(tenant, name)

    def _holds(self, number: int) -> bool:
        index = bisect_left(self.numbers, number)
        return index < len(self.numbers) and self.numbers[index] == number


def bury_lines(tx: Transaction, tenant: str, session_ids: Iterable[str]) -> None:
    """Note the lines of sessions that are being erased, which have their tombstones."""
    names: list[ErasedName | None] = []
    for id_ in session_ids:
        lines = typed_rows(tx.all(_LINES, (id_,)), tuple[str, str, int])
        uses = typed_rows(tx.all(_USES, (id_,)), tuple[str, str])
        titles = typed_rows(tx.all(_TITLE, (id_,)), tuple[str, str])
        names += [line_name(source, line, at) for source, line, at in lines]
        names += [use_name(source, use) for source, use in uses]
        names += [title_name(source, title) for source, title in titles]
    bury_names(tx, tenant, names)


def bury_names(tx: Transaction, tenant: str, names: Iterable[ErasedName | None]) -> None:
    """Note names of records that are not to come back."""
    salt = next(iter(salts_of(tx)), None)
    if salt is not None:
        add_numbers(tx, (_number(salt, tenant, each) for each in names if each is not None))


def numbers_of(tx: Transaction) -> array[int]:
    """Return the numbers of all erased lines, sorted."""
    return array("q", (integer(number) for (number,) in tx.rows(_NUMBERS)))


def packed(numbers: array[int]) -> bytes:
    """Return numbers as bytes, eight for each."""
    copy = numbers[:]
    if sys.byteorder == "big":
        copy.byteswap()
    return copy.tobytes()


def unpacked(encoded: bytes) -> array[int]:
    """Return the numbers that `packed` encoded; the whole ones if the bytes are cut off."""
    numbers = array("q", encoded[: len(encoded) // 8 * 8])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def add_numbers(tx: Transaction, numbers: Iterable[int]) -> None:
    """Store the numbers of erased lines, those of another copy of this home too."""
    if tx.executemany(_ADD_NUMBER, [(each,) for each in sorted(numbers)]):
        set_value(tx, _MARK, str(int(find_value(tx, _MARK) or 0) + 1))


def _is_unique(id_: str) -> bool:
    return _UNIQUE.search(id_) is not None


def _number(salt: bytes, tenant: str, name: ErasedName) -> int:
    encoded = msgspec.json.encode((tenant, *name))
    digest = hashlib.blake2b(encoded, digest_size=8, key=salt).digest()
    return int.from_bytes(digest, "big", signed=True)
