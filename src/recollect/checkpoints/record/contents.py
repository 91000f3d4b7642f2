"""The contents of files as they were: raw bytes by their SHA-256, in a database of their own.

The one place that keeps what was not redacted: never indexed, exported, sent or logged, and no part
of `records.db`. A content is stored whole, or as what it takes beside an earlier one that is: the
earlier one is the dictionary of its compression.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

import msgspec

from recollect.checkpoints.files.scan import Folder
from recollect.core.clock import Clock
from recollect.core.decoding import msgpack_decoder
from recollect.core.errors import NotFound, StoreCorrupt
from recollect.store.columns import typed_rows
from recollect.store.engine import Database, Transaction

if TYPE_CHECKING:
    import zstandard

_WORTH = 0.9
"""A form is used if it takes at most this share of the bytes that the next simpler one takes."""
_MOST_BESIDE = 0.1
"""What takes a larger share of what the earlier content takes is stored whole: the next ones are
small again. docs/experiments.md."""
_LEVEL = 1
_THREADS = 2
_HINT = "the path is reported as uncaptured; `recollect checkpoint fsck` lists all such contents"
_FIND: LiteralString = "SELECT form, base, stored FROM contents WHERE tenant = ? AND digest = ?"
_HAS: LiteralString = "SELECT 1 FROM contents WHERE tenant = ? AND digest = ?"
_ADD: LiteralString = """
    INSERT INTO contents (tenant, digest, size, form, base, stored, at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, digest) DO UPDATE SET at = excluded.at
"""

_MANIFESTS: LiteralString = "SELECT entries FROM manifests WHERE tenant = ?"
_USAGE: LiteralString = """
    SELECT count(*), coalesce(sum(size), 0), coalesce(sum(length(stored)), 0)
    FROM contents WHERE tenant = ?
"""
_KEYS: LiteralString = "SELECT digest, base, at FROM contents WHERE tenant = ?"
_STORED_SIZES: LiteralString = "SELECT digest, base, length(stored) FROM contents WHERE tenant = ?"
_DATE: LiteralString = "UPDATE contents SET at = ? WHERE tenant = ? AND digest = ?"
_STORE_WHOLE: LiteralString = """
    UPDATE contents SET form = ?, base = ?, stored = ? WHERE tenant = ? AND digest = ?
"""
_REMOVE: LiteralString = "DELETE FROM contents WHERE tenant = ? AND digest = ?"
LET_GO = 0
"""The time of a content whose checkpoint goes: nothing waits for one that is stored later."""
ERASED = -1
"""The time of a content whose checkpoint is erased: a manifest does not keep it either."""


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


class _Stored(NamedTuple):
    """The form of a content, what it is stored beside, and its bytes."""

    form: str
    base: bytes | None
    stored: bytes


class _Whole(NamedTuple):
    """A content that is stored whole, and the bytes that it takes."""

    key: bytes
    content: bytes
    size: int


class Contents:
    """The contents that one tenant's checkpoints need.

    Args:
        opened: Returns ``checkpoints/contents.db``; called with the first use.
        tenant: Whose.
        clock: Dates what is stored: what is new is not collected yet.
    """

    def __init__(self, opened: Callable[[], Database], tenant: str, clock: Clock) -> None:
        self._opened = opened
        self.tenant = tenant
        self.clock = clock

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
        if by_digest:
            self.submit(by_digest, bases).result()
        return list(by_digest)

    def submit(self, by_digest: Mapping[str, bytes], bases: Mapping[str, str] = {}) -> Future[None]:
        """Begin to store contents whose digests are known; the future ends as `put` would."""
        now = self.clock.now_ms()

        def unit(tx: Transaction) -> None:
            there = self._there(tx, by_digest)
            self.date(tx, there)
            new = {digest: each for digest, each in by_digest.items() if digest not in there}
            cells = [
                (self.tenant, bytes.fromhex(digest), len(new[digest]), *row, now)
                for digest, row in self._packed(tx, new, bases).items()
            ]
            tx.executemany(_ADD, cells)

        return self.database.submit(unit)

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
        return self.database.read(lambda tx: self._there(tx, digests))

    def usage(self) -> ContentUsage:
        """Return how much is kept."""
        row = self.database.read(lambda tx: tx.row(_USAGE, (self.tenant,)))
        return typed_rows([row or (0, 0, 0)], ContentUsage)[0]

    def date(self, tx: Transaction, digests: Iterable[str]) -> None:
        """Count contents as new, in a transaction of this database."""
        now = self.clock.now_ms()
        tx.executemany(_DATE, [(now, self.tenant, bytes.fromhex(each)) for each in digests])

    def stored_sizes(self) -> dict[str, tuple[str | None, int]]:
        """Return by digest the one that a content is beside, and the bytes that it takes."""
        rows = self.database.read(lambda tx: tx.all(_STORED_SIZES, (self.tenant,)))
        return {
            key.hex(): (None if base is None else base.hex(), size)
            for key, base, size in typed_rows(rows, tuple[bytes, bytes | None, int])
        }

    def let_go(self, digests: Iterable[str], *, is_erased: bool = False) -> None:
        """Let the next sweep take contents although they are new, unless something needs them.

        Durable before the rows go that name them, so that a killed process forgets none.

        Args:
            digests: The contents.
            is_erased: Also where a manifest needs them.
        """
        at = ERASED if is_erased else LET_GO
        rows = [(at, self.tenant, bytes.fromhex(each)) for each in digests]
        if rows:
            self.database.write(lambda tx: tx.executemany(_DATE, rows))

    def sweep(self, needed: Iterable[str], *, older_than: int, dry_run: bool = False) -> int:
        """Remove the contents that nothing needs; return how many.

        What manifests say is kept stays too, and what others are stored beside, unless it is
        erased.

        Args:
            needed: The digests that checkpoints name, read before this is called.
            older_than: Ms UTC; a newer one stays, as its checkpoint may not be stored yet.
            dry_run: Only count them.
        """
        keys = {bytes.fromhex(each) for each in needed}

        def unit(tx: Transaction) -> int:
            rows = typed_rows(tx.all(_KEYS, (self.tenant,)), tuple[bytes, bytes | None, int])
            erased = {key for key, _, at in rows if at == ERASED} - keys
            stay = {key for key, _, at in rows if key in keys or at >= older_than}
            stay |= self._of_manifests(tx) - erased
            stay |= {base for key, base, _ in rows if base and key in stay} - erased
            removals = [(self.tenant, key) for key, _, _ in rows if key not in stay]
            if not dry_run:
                self._part(tx, [key for key, base, _ in rows if key in stay and base in erased])
                tx.executemany(_REMOVE, removals)
            return len(removals)

        return self.database.write(unit)

    def _of_manifests(self, tx: Transaction) -> set[bytes]:
        decoder = msgpack_decoder(Folder)
        return {
            bytes.fromhex(entry.state.digest)
            for (entries,) in typed_rows(tx.all(_MANIFESTS, (self.tenant,)), tuple[bytes])
            for entry in decoder.decode(entries).entries.values()
            if entry.state.digest is not None
        }

    def _part(self, tx: Transaction, keys: Iterable[bytes]) -> None:
        """Store contents whole that are beside erased ones; a damaged one is lost already."""
        for key in keys:
            digest = key.hex()
            try:
                content = self._content(tx, digest)
            except StoreCorrupt:
                content = None
            if content is None:
                tx.execute(_REMOVE, (self.tenant, key))
            else:
                whole = self._packed(tx, {digest: content}, {})[digest]
                tx.execute(_STORE_WHOLE, (*whole, self.tenant, key))

    def _there(self, tx: Transaction, digests: Iterable[str]) -> set[str]:
        return {each for each in digests if tx.row(_HAS, (self.tenant, bytes.fromhex(each)))}

    def _packed(
        self, tx: Transaction, by_digest: Mapping[str, bytes], bases: Mapping[str, str]
    ) -> dict[str, _Stored]:
        """Return contents beside an earlier one where that takes little, the others whole."""
        rows: dict[str, _Stored] = {}
        for digest in by_digest.keys() & bases.keys():
            base = self._whole(tx, bytes.fromhex(bases[digest]))
            beside = None if base is None else _beside(base, by_digest[digest])
            if beside is not None:
                rows[digest] = beside
        rest = {digest: each for digest, each in by_digest.items() if digest not in rows}
        return {**rows, **dict(zip(rest, _whole_forms(list(rest.values())), strict=True))}

    def _whole(self, tx: Transaction, key: bytes) -> _Whole | None:
        """Return a content, or the one that it is stored beside; None for a damaged one."""
        import zstandard

        row = tx.row(_FIND, (self.tenant, key))
        if row is None:
            return None
        of = typed_rows([row], _Stored)[0]
        if of.base is not None:
            return self._whole(tx, of.base)
        try:
            return _Whole(key, _unpacked(of, None), len(of.stored))
        except zstandard.ZstdError:
            return None

    def _content(self, tx: Transaction, digest: str) -> bytes | None:
        import zstandard

        row = tx.row(_FIND, (self.tenant, bytes.fromhex(digest)))
        if row is None:
            return None
        of = typed_rows([row], _Stored)[0]
        whole = None if of.base is None else self._whole(tx, of.base)
        try:
            content = _unpacked(of, None if whole is None else whole.content)
        except zstandard.ZstdError:
            content = b""
        if hashlib.sha256(content).hexdigest() != digest:
            message = f"the content {digest[:12]} of a checkpoint is damaged"
            raise StoreCorrupt(message, hint=_HINT, digest=digest)
        return content


def _whole_forms(contents: list[bytes]) -> list[_Stored]:
    """Return each content compressed, or as it is where that is hardly larger."""
    import zstandard

    packer = zstandard.ZstdCompressor(level=_LEVEL)
    if len(contents) == 1:
        packed: Iterable[bytes] = map(packer.compress, contents)
    else:
        filled: list[Any] = [each for each in contents if each]  # it refuses an empty one
        segments = iter(packer.multi_compress_to_buffer(filled, threads=_THREADS) if filled else ())
        packed = (next(segments).tobytes() if each else b"\0" for each in contents)
    return [
        _Stored("zstd", None, small)
        if len(small) <= _WORTH * len(each)
        else _Stored("raw", None, each)
        for each, small in zip(contents, packed, strict=True)
    ]


def _beside(base: _Whole, content: bytes) -> _Stored | None:
    """Return a content as what it takes beside another one, if that is little."""
    import zstandard

    reach = (len(base.content) + len(content)).bit_length()
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _LEVEL,
        source_size=len(content),
        dict_size=len(base.content),
        window_log=max(reach, zstandard.WINDOWLOG_MIN),
        hash_log=max(reach - 2, zstandard.HASHLOG_MIN),  # or edits of large files are not seen
    )
    dictionary = _dictionary(base.content)
    small = zstandard.ZstdCompressor(dict_data=dictionary, compression_params=parameters).compress(
        content
    )
    return _Stored("zstd", base.key, small) if len(small) <= _MOST_BESIDE * base.size else None


def _unpacked(of: _Stored, base: bytes | None) -> bytes:
    import zstandard

    if of.form == "raw":
        return of.stored
    dictionary = None if of.base is None else _dictionary(base or b"")
    return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(of.stored)


def _dictionary(base: bytes) -> zstandard.ZstdCompressionDict:
    import zstandard

    return zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
