"""Checksums of blobs: damage is noticed when a row is read, instead of changing answers quietly.

SQLite's own pages have none. A CRC of four bytes behind the data costs a row of 1,000 postings a
microsecond (docs/experiments.md, checksums).
"""

from __future__ import annotations

from zlib import crc32

from recollect.core.errors import StoreCorrupt

SUM_BYTES = 4
DAMAGED = b""
"""A blob that stands for one whose content was damaged and is gone; it is read as damage."""


def with_sum(data: bytes, also: bytes = b"") -> bytes:
    """Return ``data`` with its checksum behind it.

    Args:
        data: What is stored.
        also: What lies in another cell of the row and is covered too.
    """
    return data + crc32(data, crc32(also)).to_bytes(SUM_BYTES, "little")


def without_sum(blob: bytes, also: bytes = b"") -> bytes:
    """Return the data of a blob that `with_sum` made.

    Raises:
        StoreCorrupt: it is not what was written.
    """
    data = blob[:-SUM_BYTES]
    if crc32(data, crc32(also)).to_bytes(SUM_BYTES, "little") != blob[len(data) :]:
        raise StoreCorrupt("the index holds damaged postings", hint="run `recollect reindex`")
    return data
