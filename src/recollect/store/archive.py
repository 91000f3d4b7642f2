"""Archives: files in one compressed file, which may come from anywhere and are not trusted.

The form is a tar file in one zstd frame (``zstd -d < FILE | tar -x`` opens it anywhere). The first
member is a JSON document that describes it, the last one has the SHA-256 of every other in the form
of ``sha256sum``, so a cut or changed archive is detected. A reader accepts plain files with names
that its caller knows, and never more bytes than announced.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from msgspec import Struct

from recollect.core.errors import Denied, InvalidInput, StoreCorrupt, StoreError
from recollect.store.failures import os_errors

if TYPE_CHECKING:  # for a name only
    from zstandard import ZstdDecompressionReader

HEAD = "backup.json"
"""The first member."""
SUMS = "checksums.txt"
"""The last member."""
_LEVEL = 3
_CHUNK_BYTES = 1024 * 1024
_HEADER_BYTES = 64 * 1024
"""Bytes that the headers of one member may take: a name in the file system needs at most 4 KiB."""
_HEAD_BYTES = 64 * 1024
_MEMBER_BYTES = 4_096
"""The size of a member beside its content: an empty file takes room as well."""
_WINDOW_BYTES = 128 * 1024 * 1024
"""Memory that the decompression may take."""

OnBytes = Callable[[int, int], None]
"""Called with bytes done and bytes in all."""


class Member(Struct, frozen=True, kw_only=True):
    """A file of an archive."""

    name: str
    """With ``/``."""
    size: int
    content: Iterable[bytes]


def file_member(name: str, stream: BinaryIO) -> Member:
    """Return an open file as a member, with its present size; it is closed after reading."""
    size = os.fstat(stream.fileno()).st_size
    return Member(name=name, size=size, content=_parts(name, stream, size))


def pack(head: bytes, members: Iterable[Member]) -> Iterator[bytes]:
    """Yield the bytes of an archive.

    Args:
        head: The document that describes it.
        members: In order; each is read when its turn comes.

    Raises:
        StoreError: a member cannot be read, or got shorter meanwhile.
    """
    import zstandard

    packer = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compressobj()
    sums: list[str] = []
    first = Member(name=HEAD, size=len(head), content=[head])
    for member in chain([first], members):
        digest = hashlib.sha256()
        yield packer.compress(_header(member.name, member.size))
        for part in member.content:
            digest.update(part)
            yield packer.compress(part)
        yield packer.compress(_padding(member.size))
        sums.append(f"{digest.hexdigest()}  {member.name}\n")
    sums_file = "".join(sums).encode()
    end = bytes(2 * tarfile.BLOCKSIZE)
    yield packer.compress(
        _header(SUMS, len(sums_file)) + sums_file + _padding(len(sums_file)) + end
    )
    yield packer.flush()


class Archive:
    """An archive that is read from its beginning to its end.

    Use `open_archive`.

    Attributes:
        head: The document that describes it.
    """

    def __init__(self, stream: _Limited) -> None:
        self._stream = stream
        self._sums: list[str] = []
        stream.allow(_HEADER_BYTES)
        with _damage():
            self._tar = tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|")  # noqa: SIM115
        first = self._next()
        if first is None or first.name != HEAD or first.size > _HEAD_BYTES:
            raise not_a_backup()
        self.head = b"".join(self._content(first))

    def members(self) -> Iterator[Member]:
        """Yield the files after the head; the content of each is read before the next one.

        Raises:
            StoreCorrupt: it was cut or changed; also after the last member.
            Denied: it contains something other than files.
        """
        while (entry := self._next()) is not None:
            if entry.name == SUMS:
                sums = b"".join(self._content(entry, is_listed=False))
                if sums != "".join(self._sums).encode() or self._next() is not None:
                    raise _damaged()
                return
            content = self._content(entry)
            yield Member(name=entry.name, size=entry.size, content=content)
            for _ in content:  # the part that the caller did not read
                pass
        raise _damaged()

    def _next(self) -> tarfile.TarInfo | None:
        self._stream.allow(_HEADER_BYTES)
        with _damage():
            entry = self._tar.next()
            if entry is not None:
                entry.name.encode()  # ours are UTF-8
        if entry is not None and (not entry.isreg() or entry.issparse()):
            raise Denied(
                "the archive holds a link or a special file", hint="use a backup of recollect"
            )
        return entry

    def _content(self, member: tarfile.TarInfo, *, is_listed: bool = True) -> Iterator[bytes]:
        self._stream.take(member.size + _MEMBER_BYTES)
        self._stream.allow(member.size + _HEADER_BYTES)
        digest, remaining = hashlib.sha256(), member.size
        with _damage():
            source = self._tar.extractfile(member)
            while source is not None and (part := source.read(min(_CHUNK_BYTES, remaining))):
                digest.update(part)
                remaining -= len(part)
                yield part
        if is_listed:
            self._sums.append(f"{digest.hexdigest()}  {member.name}\n")


@contextmanager
def open_archive(
    path: Path, *, limit: Callable[[int], int], on_bytes: OnBytes | None = None
) -> Iterator[Archive]:
    """Open an archive for a ``with`` block.

    Args:
        path: The file.
        limit: Returns the most bytes that an archive of a size may hold.
        on_bytes: Called with the bytes read of the file.

    Raises:
        InvalidInput: it is not one of ours.
        StoreCorrupt: it was cut or changed.
        StoreError: it cannot be read.
    """
    import zstandard

    with os_errors(path), path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        if stream.peek(len(zstandard.FRAME_HEADER))[: len(zstandard.FRAME_HEADER)] != (
            zstandard.FRAME_HEADER
        ):
            raise not_a_backup()
        unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES)
        limited = _Limited(stream, unpacker.stream_reader(stream), limit(size), on_bytes, size)
        yield Archive(limited)


def check_archive(path: Path, on_bytes: OnBytes | None = None) -> None:
    """Read an archive of ours to its end.

    Raises:
        StoreCorrupt: it is damaged.
    """
    with open_archive(path, limit=lambda _: 1 << 62, on_bytes=on_bytes) as archive:
        for _ in archive.members():
            pass


class _Limited:
    """The stream of the tar file: never more than allowed, whatever a header says."""

    def __init__(
        self,
        file: BinaryIO,
        stream: ZstdDecompressionReader,
        limit: int,
        on_bytes: OnBytes | None,
        size: int,
    ) -> None:
        self._file = file
        self._stream = stream
        self._allowance = limit
        self._allowed = 0
        self._on_bytes = on_bytes
        self._size = size

    def take(self, size: int) -> None:
        """Count a member."""
        self._allowance -= size
        if self._allowance < 0:
            raise StoreError(
                "the archive holds more than fits here, or than a backup of its size can",
                hint="free some space, or use another backup",
            )

    def allow(self, size: int) -> None:
        """Allow so many further bytes to be read."""
        self._allowed = size

    def read(self, size: int) -> bytes:
        """Return the next bytes; none at the end."""
        self._allowed -= size
        if self._allowed < 0:
            raise _damaged()
        if self._on_bytes is not None:
            self._on_bytes(self._file.tell(), self._size)
        return self._stream.read(size)


@contextmanager
def _damage() -> Iterator[None]:
    """Translate the errors of tar and zstd."""
    import zstandard

    try:
        yield
    except (tarfile.TarError, zstandard.ZstdError, ValueError, OverflowError, EOFError) as error:
        raise _damaged() from error


def _damaged() -> StoreCorrupt:
    return StoreCorrupt(
        "the backup is damaged: it was cut or changed", hint="use another backup of the home"
    )


def not_a_backup() -> InvalidInput:
    """Return the error of a file that `pack` did not write."""
    return InvalidInput(
        "the file is not a backup of recollect", hint="name a file that `recollect backup` wrote"
    )


def _header(name: str, size: int) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    return member.tobuf(tarfile.PAX_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


def _parts(name: str, stream: BinaryIO, size: int) -> Iterator[bytes]:
    with stream, os_errors(Path(name)):
        remaining = size
        while remaining:
            part = stream.read(min(_CHUNK_BYTES, remaining))
            if not part:
                raise StoreError(f"{name} got shorter while it was read", hint="try again")
            remaining -= len(part)
            yield part
