"""The identity of foreign messages: the event id that makes a second import harmless."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import BinaryIO

from recollect.core.errors import InvalidInput
from recollect.sessions.draft import check_event_id
from recollect.sessions.lines import read_lines


def event_id_of(source: str, session: str, message: str) -> str:
    """Return ``source:session:message``, or a digest of it where that is no event id.

    >>> event_id_of("claude-code", "5b1f", "u-1")
    'claude-code:5b1f:u-1'
    """
    plain = f"{source}:{session}:{message}"
    try:
        return check_event_id(plain)
    except InvalidInput:
        digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{source}:sha256:{digest}"


class Occurrences:
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
        for line in read_lines(self._file):
            if line.end > self._start:
                break
            counts[_digest(line.body or b"")] += 1
        self._file.seek(place)
        return counts


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=12).digest()
