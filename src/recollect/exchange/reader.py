"""The files of an import: found without following links, opened, distinguished, read as records.

Knows files and bytes; what a record says is the format's business.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path, PurePath
from typing import BinaryIO, Literal, Protocol, TypeAlias

import msgspec

from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.core.settings import user_path
from recollect.exchange.transcript import Record, TranscriptFormat
from recollect.store.paths import Listing, list_files, read_beneath
from recollect.text.json_value import JsonCleaner, JsonValue, is_clean_json

SUFFIX = ".jsonl"
STORE_NAME = "openclaw-agent.sqlite"
"""The end of the names of stores, which hold many transcripts."""
Kind: TypeAlias = Literal["transcript", "deleted", "store"]
_ARCHIVED = re.compile(r"\.jsonl\.(reset|deleted)\.[^/]+$")
COMPRESSED = ".zst"
MAX_ARCHIVE_BYTES = 256 * 1024 * 1024
"""Largest compressed transcript, unpacked in memory."""
_PROBED_LINES = 64
"""Lines from the top that show what a file is; transcripts begin with a few lines of state."""
_PROBED_BYTES = 256 * 1024
_SNIFFED_BYTES = 8 * 1024
_COMPANION_BYTES = 32 * 1024 * 1024


def kind_of(name: str) -> Kind | None:
    """Return the kind of a file by its name: a transcript, a deleted one, a store, or None.

    What OpenClaw puts aside at a reset is a transcript as before; its checkpoints are copies.

    >>> kind_of("a.jsonl"), kind_of("a.jsonl.deleted.2026-02-11T09-00-00.000Z")
    ('transcript', 'deleted')
    >>> kind_of("a.jsonl.reset.2026-02-11"), kind_of("a.checkpoint.7.jsonl")
    ('transcript', None)
    """
    if name.endswith(STORE_NAME):
        return "store"
    if ".checkpoint." in name:
        return None
    archived = _ARCHIVED.search(name)
    if archived is not None:
        return "deleted" if archived[1] == "deleted" else "transcript"
    return "transcript" if name.endswith(SUFFIX) else None


def is_store(path: str) -> bool:
    """Return whether a file is a store, by its name: never to be opened as a plain file."""
    return path.endswith(".sqlite")


def session_id_of(path: PurePath) -> str:
    """Return the session id in the name of a transcript, also of one that was set aside."""
    return path.name.partition(SUFFIX)[0]


def find_transcripts(path: Path | str) -> tuple[Path, Listing]:
    """Return the transcripts below a folder, or the one file, and the folder that they are below.

    Raises:
        NotFound: there is nothing.
        StoreError: it cannot be read.
    """
    path = (user_path(path) if str(path).startswith("~") else Path(path)).absolute()
    if path.is_dir():
        root = path.resolve()
        return root, list_files(root, accept=lambda name: kind_of(name) is not None)
    if path.parent.is_dir():
        root, is_it = path.parent.resolve(), path.name.__eq__
        listing = list_files(root, accept=is_it, enter=is_it)
        if listing.files or listing.skipped:
            return root, listing
    raise NotFound("no such file or folder", hint="check the path")


class DecodedLine(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The JSON value of a line, fit to be stored; ``replaced`` characters of it could not be.

    With ``is_clean`` that is proven, and need not be checked again.
    """

    value: JsonValue
    replaced: int = 0
    is_clean: bool = False


def decode_line(body: bytes) -> DecodedLine:
    """Return the JSON value of a line, also of one that only nearly is JSON.

    What cannot be stored is replaced: bytes that are not UTF-8, half surrogate pairs, NUL, NaN.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        value = msgspec.json.decode(body)
        if type(value) is dict and is_clean_json(body, value):
            return DecodedLine(value=value, is_clean=True)
        if b"\\u0000" not in body:
            return DecodedLine(value=value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Bytes that are not UTF-8 become half surrogate pairs, which are counted below.
        value = _decode_loosely(body.decode("utf-8", "surrogateescape"))
    cleaner = JsonCleaner()
    try:
        return DecodedLine(value=cleaner.value(value), replaced=cleaner.replaced)
    except InvalidInput as error:
        raise ValueError(error.message) from error


def _decode_loosely(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text, strict=False)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def probe(lines: Iterable[Line]) -> list[Record]:
    """Return the objects among the first lines of a transcript; broken lines are left out."""
    records: list[Record] = []
    remaining = _PROBED_BYTES
    for line in islice(lines, _PROBED_LINES):
        try:
            record = decode_line(line.body or b"").value
        except ValueError:
            record = None
        if isinstance(record, Mapping):
            records.append(record)
        remaining -= len(line.body or b"")
        if remaining < 0:
            break
    return records


def is_binary(file: BinaryIO) -> bool:
    """Return whether a file holds something that no text holds."""
    file.seek(0)
    return b"\x00" in file.read(_SNIFFED_BYTES)


def choose_format(
    records: Iterable[Record], formats: Sequence[TranscriptFormat]
) -> TranscriptFormat | None:
    """Return the format whose lines come first in a file; a single format is not checked."""
    if len(formats) == 1:
        return formats[0]
    return next((each for record in records for each in formats if each.recognises(record)), None)


class Companions:
    """Reads the files beside transcripts, each folder's once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, Record | None] = {}

    def of(self, relative: str, name: str) -> Record | None:
        """Return the JSON object of the file ``name`` beside a transcript, if there is one."""
        if not name:
            return None
        path = f"{relative.rpartition('/')[0]}/{name}".removeprefix("/")
        if path not in self._read:
            self._read[path] = self._load(path)
        return self._read[path]

    def _load(self, path: str) -> Record | None:
        try:
            value = decode_line(read_beneath(self._root, path, limit=_COMPANION_BYTES)).value
        except (RecollectError, ValueError):
            return None
        return value if isinstance(value, Mapping) else None


MAX_LINE_BYTES = 18 * 1024 * 1024
"""Longest line that is read: an exported message of the largest size, with its facts."""

_DRAIN_BYTES = 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class Line(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One line of a file.

    Attributes:
        number: 1-based.
        end: Offset in bytes after the line and its line break.
        body: Without byte order mark and line break; None if it is longer than the limit.
        complete: It has its line break.
    """

    number: int
    end: int
    body: bytes | None
    complete: bool


def read_lines(
    file: BinaryIO, *, offset: int = 0, number: int = 0, limit: int = MAX_LINE_BYTES
) -> Iterator[Line]:
    """Yield the lines from ``offset`` on, which follows line ``number``.

    Memory stays under ``limit`` and a megabyte, however long a line is.
    """
    file.seek(offset)
    while part := file.readline(limit + 1):
        number += 1
        start, offset = offset, offset + len(part)
        if len(part) <= limit or part.endswith(b"\n"):
            yield Line(
                number=number,
                end=offset,
                body=_stripped(part, first=start == 0),
                complete=part.endswith(b"\n"),
            )
            continue
        part = b""
        while part[-1:] != b"\n" and (part := file.readline(_DRAIN_BYTES)):
            offset += len(part)
        yield Line(number=number, end=offset, body=None, complete=part.endswith(b"\n"))


def _stripped(line: bytes, *, first: bool) -> bytes:
    body = line.rstrip(b"\r\n")
    return body.removeprefix(_BOM) if first else body


class LineSource(Protocol):
    """The lines of one transcript, wherever they are kept.

    Attributes:
        path: Its name in the ledger and in reports.
        mtime_ns: Differs from 0 and from before when it may have changed.
    """

    path: str
    mtime_ns: int

    @property
    def size(self) -> int:
        """The end of the last line at the time of opening."""

    def lines(self, offset: int = 0, number: int = 0) -> Iterator[Line]:
        """Yield the lines from ``offset`` on, which follows line ``number``."""

    def bodies_before(self, offset: int) -> Iterator[bytes]:
        """Yield the bodies of the lines before ``offset``; `lines` goes on afterwards."""

    def digest(self, length: int) -> bytes:
        """Return a digest that shows whether the part before ``length`` is unchanged."""


_MARK_BYTES = 4096
"""Bytes at each end of the read part that are compared: cheap, and enough for a file that programs
only append to."""


class FileLines:
    """The lines of an open file.

    Args:
        path: The absolute path.
        file: The file, or its unpacked content; or what loads that when it is read.
        mtime_ns: When it was changed last.
    """

    def __init__(self, path: str, file: BinaryIO | Callable[[], bytes], mtime_ns: int) -> None:
        self.path = path
        self.mtime_ns = mtime_ns
        self._given = file
        if not callable(file):  # it may grow while it is read
            self.size = file.seek(0, os.SEEK_END)

    @cached_property
    def _file(self) -> BinaryIO:
        return io.BytesIO(self._given()) if callable(self._given) else self._given

    @cached_property
    def size(self) -> int:
        """The end of the last line at the time of opening."""
        return self._file.seek(0, os.SEEK_END)

    def lines(self, offset: int = 0, number: int = 0) -> Iterator[Line]:
        """Yield the lines from ``offset`` on."""
        return read_lines(self._file, offset=offset, number=number)

    def bodies_before(self, offset: int) -> Iterator[bytes]:
        """Yield the lines before ``offset``."""
        file, begin = self._file, 0
        position = file.tell()
        for line in read_lines(file):
            if begin >= offset:
                break
            # The last one may have been taken before its line break was written.
            yield (line.body or b"")[: offset - begin]
            begin = line.end
        file.seek(position)

    def digest(self, length: int) -> bytes:
        """Return a digest of the first ``length`` bytes, made from their ends."""
        file = self._file
        position = file.tell()
        state = hashlib.sha256(length.to_bytes(8))
        for start in (0, max(0, length - _MARK_BYTES)):
            file.seek(start)
            state.update(file.read(min(length - start, _MARK_BYTES)))
        file.seek(position)
        return state.digest()


def unpack_file(file: BinaryIO) -> BinaryIO:
    """Return the content of a compressed file.

    Raises:
        ValueError: it is not compressed, or too large.
    """
    return unpack(file.read(MAX_ARCHIVE_BYTES), MAX_ARCHIVE_BYTES)


def unpack(packed: bytes, most: int) -> io.BytesIO:
    """Return the content of a frame of Zstandard.

    Raises:
        ValueError: it is not a frame, or holds more than ``most`` bytes.
    """
    import zstandard

    unpacker = zstandard.ZstdDecompressor()
    try:
        size = zstandard.frame_content_size(packed)
        with unpacker.stream_reader(packed, read_across_frames=True) as reader:
            content = reader.read(most + 1)
    except zstandard.ZstdError as error:
        raise ValueError("no frame of Zstandard") from error
    if len(content) > most:
        raise ValueError("too large")
    if len(content) < size:
        raise ValueError("cut off")
    return io.BytesIO(content)


class LineOccurrences:
    """Identifies messages without an id by a digest of their line and the count of equal lines.

    So a line inserted before them, or a file that was written again, makes no duplicates.

    Args:
        source: Read again up to ``start`` when the first such message comes.
        start: The offset at which this import goes on.
    """

    def __init__(self, source: LineSource, start: int) -> None:
        self._source = source
        self._start = start
        self._counts: Counter[bytes] | None = None

    def identity(self, body: bytes) -> str:
        """Return the id of the next line with these bytes."""
        if self._counts is None:
            self._counts = self._count_before()
        digest = _digest(body)
        self._counts[digest] += 1
        return f"{digest.hex()}:{self._counts[digest]}"

    def _count_before(self) -> Counter[bytes]:
        bodies = self._source.bodies_before(self._start) if self._start else ()
        return Counter(map(_digest, bodies))


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=12).digest()
