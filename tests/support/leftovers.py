"""Looks through every byte of a folder for a word."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")


def files_that_hold(folder: Path, word: str) -> list[str]:
    """Return the files with a word in their name or bytes, in any case and encoding.

    Compressed files are looked into as well.
    """
    wanted = [
        form.encode(name) for form in {word, word.upper(), word.title()} for name in ENCODINGS
    ]
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if word in path.name
        or (path.is_file() and any(each in data for data in _readings(path) for each in wanted))
    )


def _readings(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    yield data
    with suppress(OSError, EOFError):
        yield gzip.decompress(data)
    with suppress(zlib.error):
        yield zlib.decompress(data)
