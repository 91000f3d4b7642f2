"""The files of an import: found without following links, opened, distinguished, read as records.

Knows files and bytes; what a record says is the format's business.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from recollect.core.errors import InvalidInput, NotFound, RecollectError
from recollect.sessions.exchange.transcript_format import Record, TranscriptFormat
from recollect.sessions.record.json_value import JsonCleaner, JsonValue
from recollect.store.paths import Listing, list_files, read_beneath

SUFFIX = ".jsonl"
_PROBED_LINES = 64
"""Lines from the top that tell what a file is; transcripts begin with a few lines of state."""
_PROBED_BYTES = 256 * 1024
_SNIFFED_BYTES = 8 * 1024
_COMPANION_BYTES = 32 * 1024 * 1024


def find_transcripts(path: Path) -> tuple[Path, Listing]:
    """Return the transcripts below a folder, or the one file, and the folder that they are below.

    Raises:
        NotFound: there is nothing.
        StoreError: it cannot be read.
    """
    path = path.absolute()
    if path.is_dir():
        root = path.resolve()
        return root, list_files(root, accept=lambda name: name.endswith(SUFFIX))
    if path.parent.is_dir():
        root, is_it = path.parent.resolve(), path.name.__eq__
        listing = list_files(root, accept=is_it, enter=is_it)
        if listing.files or listing.skipped:
            return root, listing
    raise NotFound("there is no such file or folder", hint="Check the path.")


class DecodedLine(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON value of a line, fit to be stored; ``replaced`` characters of it could not be."""

    value: JsonValue
    replaced: int = 0


def decode_line(body: bytes) -> DecodedLine:
    """Return the JSON value of a line, also of one that only nearly is JSON.

    What cannot be stored is replaced: bytes that are not UTF-8, half surrogate pairs, NUL, NaN.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        value = msgspec.json.decode(body)
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


def probe(file: BinaryIO) -> Iterator[Record]:
    """Yield the objects among the first lines of a file; broken lines are left out."""
    for line in islice(read_lines(file, limit=_PROBED_BYTES), _PROBED_LINES):
        try:
            record = decode_line(line.body or b"").value
        except ValueError:
            continue
        if isinstance(record, Mapping):
            yield record
        if line.end > _PROBED_BYTES:
            return


def is_binary(file: BinaryIO) -> bool:
    """Return whether a file holds something that no text holds."""
    file.seek(0)
    return b"\x00" in file.read(_SNIFFED_BYTES)


def choose_format(
    records: Iterable[Record], formats: Sequence[TranscriptFormat]
) -> TranscriptFormat | None:
    """Return the format whose lines come first in a file; one format alone is not asked."""
    if len(formats) == 1:
        return formats[0]
    return next((each for record in records for each in formats if each.recognises(record)), None)


class Companions:
    """Reads the files beside transcripts, each folder's once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: dict[str, Record | None] = {}

    def of(self, relative: str, name: str) -> Record | None:
        """Return the JSON object of the file ``name`` beside a transcript, where there is one."""
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


class Line(msgspec.Struct, frozen=True, kw_only=True):
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


class LineOccurrences:
    """Names messages that have no id by what they say, and by the how-manieth line says it.

    So a line that was put in before them, or a file that was written again, makes no doubles.

    Args:
        file: The open file; read again up to ``start`` when the first such message comes.
        start: Where this import goes on, in bytes.
    """

    def __init__(self, file: BinaryIO, start: int) -> None:
        self._file = file
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
        place = self._file.tell()
        counts: Counter[bytes] = Counter()
        begin = 0
        for line in read_lines(self._file):
            if begin >= self._start:
                break
            # The last one may have been taken before its line break was written.
            counts[_digest((line.body or b"")[: self._start - begin])] += 1
            begin = line.end
        self._file.seek(place)
        return counts


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=12).digest()
