"""The contents of files as they were: raw bytes by their SHA-256, in a database of their own.

The one place that keeps what was not redacted: never indexed, exported, sent or logged, and no part
of `records.db`. A content is stored whole, or as its differences from one that is.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import LiteralString

import msgspec

from recollect.checkpoints.delta import decode, encode
from recollect.core.clock import Clock
from recollect.core.errors import NotFound, StoreCorrupt
from recollect.store.columns import typed_rows
from recollect.store.engine import Database, Transaction

_WORTH = 0.9
"""A form is used if it takes at most this share of the bytes that the next simpler one takes."""
_MOST_OF_WHOLE = 0.25
"""Differences larger than this share of the whole content are stored whole: the next ones are
small again. 1,000 edits of a source file of 1 MB took 29 MB, and one content stored whole again."""
_HINT = "the path is reported as uncaptured; `recollect checkpoint fsck` lists all such contents"
_FIND: LiteralString = "SELECT form, base, stored FROM contents WHERE tenant = ? AND digest = ?"
_ADD: LiteralString = """
    INSERT INTO contents (tenant, digest, size, form, base, stored, at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, digest) DO UPDATE SET at = excluded.at
"""

_USAGE: LiteralString = """
    SELECT count(*), coalesce(sum(size), 0), coalesce(sum(length(stored)), 0)
    FROM contents WHERE tenant = ?
"""
_KEYS: LiteralString = "SELECT digest, base, at FROM contents WHERE tenant = ?"


class ContentUsage(msgspec.Struct, frozen=True, array_like=True):
    """How much is kept.

    Attributes:
        contents: How many.
        size: Their bytes.
        stored: The bytes that they take.
    """

    contents: int
    size: int
    stored: int


class _Stored(msgspec.Struct, frozen=True, array_like=True):
    form: str
    base: bytes | None
    stored: bytes


class Contents:
    """The contents that one tenant's checkpoints need.

    Args:
        opened: Returns ``checkpoints/contents.db``; called with the first use.
        tenant: Whose.
        clock: Dates what is stored: what is new is not collected yet.
    """

    def __init__(self, opened: Callable[[], Database], tenant: str, clock: Clock) -> None:
        self._opened = opened
        self._tenant = tenant
        self._clock = clock

    @property
    def database(self) -> Database:
        """The database that holds them."""
        return self._opened()

    def put(self, contents: Iterable[bytes], bases: Mapping[str, str] = {}) -> list[str]:
        """Store contents in one durable transaction; return their digests in order.

        Args:
            contents: The bytes.
            bases: By digest of a content, that of an earlier one of the same file.

        Raises:
            StoreError: they could not be stored; none of them is.
        """
        by_digest = {hashlib.sha256(each).hexdigest(): each for each in contents}
        now = self._clock.now_ms()

        def unit(tx: Transaction) -> None:
            for digest, content in by_digest.items():
                base = bases.get(digest)
                self._add(tx, digest, content, None if base in {None, digest} else base, now)

        if by_digest:
            self.database.write(unit)
        return list(by_digest)

    def get(self, digest: str) -> bytes:
        """Return the content with a digest, 64 hex digits.

        Raises:
            NotFound: it is not there.
            StoreCorrupt: its bytes are not those that were stored.
        """
        content = self.database.read(lambda tx: self._content(tx, digest))
        if content is None:
            raise NotFound("the content is not kept", hint=_HINT, digest=digest)
        return content

    def has(self, digests: Iterable[str]) -> set[str]:
        """Return those of some digests whose content is there."""
        sql: LiteralString = "SELECT 1 FROM contents WHERE tenant = ? AND digest = ?"
        return self.database.read(
            lambda tx: {
                each for each in digests if tx.row(sql, (self._tenant, bytes.fromhex(each)))
            }
        )

    def usage(self) -> ContentUsage:
        """Return how much is kept."""
        row = self.database.read(lambda tx: tx.row(_USAGE, (self._tenant,)))
        return typed_rows([row or (0, 0, 0)], ContentUsage)[0]

    def sweep(self, needed: Iterable[str], *, older_than: int, dry_run: bool = False) -> int:
        """Remove the contents that nothing needs; return how many.

        Args:
            needed: The digests of those that are needed; what they differ from stays too.
            older_than: Ms UTC; a newer one stays, as its checkpoint may not be stored yet.
            dry_run: Only count them.
        """
        keys = {bytes.fromhex(each) for each in needed}

        def unit(tx: Transaction) -> int:
            rows = typed_rows(tx.all(_KEYS, (self._tenant,)), tuple[bytes, bytes | None, int])
            stay = {key for key, _, at in rows if key in keys or at >= older_than}
            stay |= {base for key, base, _ in rows if base is not None and key in stay}
            gone = [(self._tenant, key) for key, _, _ in rows if key not in stay]
            if not dry_run:
                tx.executemany("DELETE FROM contents WHERE tenant = ? AND digest = ?", gone)
            return len(gone)

        return self.database.write(unit)

    def _add(
        self, tx: Transaction, digest: str, content: bytes, base: str | None, now: int
    ) -> None:
        key = bytes.fromhex(digest)
        found = tx.row(_FIND, (self._tenant, key))
        form, base_key, stored = ("raw", None, b"") if found else self._form(tx, content, base)
        tx.execute(_ADD, (self._tenant, key, len(content), form, base_key, stored, now))

    def _form(
        self, tx: Transaction, content: bytes, base: str | None
    ) -> tuple[str, bytes | None, bytes]:
        """Return the smallest form that pays, its base and its bytes."""
        packed = zlib.compress(content, 6)
        form, stored = (
            ("zlib", packed) if len(packed) <= _WORTH * len(content) else ("raw", content)
        )
        whole = None if base is None else self._whole(tx, bytes.fromhex(base))
        if whole is not None:
            key, of_base = whole
            delta = encode(of_base, content)
            if len(delta) <= _MOST_OF_WHOLE * len(stored):
                return "delta", key, delta
        return form, None, stored

    def _whole(self, tx: Transaction, key: bytes) -> tuple[bytes, bytes] | None:
        """Return the key and bytes of a content, or of what its differences refer to."""
        row = tx.row(_FIND, (self._tenant, key))
        if row is None:
            return None
        of = typed_rows([row], _Stored)[0]
        if of.form == "delta" and of.base is not None:
            return self._whole(tx, of.base)
        return key, _unpacked(of, None)

    def _content(self, tx: Transaction, digest: str) -> bytes | None:
        row = tx.row(_FIND, (self._tenant, bytes.fromhex(digest)))
        if row is None:
            return None
        of = typed_rows([row], _Stored)[0]
        whole = None if of.base is None else self._whole(tx, of.base)
        try:
            content = _unpacked(of, None if whole is None else whole[1])
        except (ValueError, zlib.error):
            content = b""
        if hashlib.sha256(content).hexdigest() != digest:
            message = f"the content {digest[:12]} of a checkpoint is damaged"
            raise StoreCorrupt(message, hint=_HINT, digest=digest)
        return content


def _unpacked(of: _Stored, base: bytes | None) -> bytes:
    if of.form == "raw":
        return of.stored
    return zlib.decompress(of.stored) if of.form == "zlib" else decode(base or b"", of.stored)
