"""Where the benchmark data is, and how its files are read.

The data sets are not shipped. They are looked for in an explicit folder first (option or
``RECOLLECT_BENCH_DATA``, resolved by the command line), then beside the checkout and beside the
current folder. Files are read whole, hashed, and decoded into the few fields an importer declares.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from recollect.core.errors import InvalidInput, NotFound

VARIABLE = "RECOLLECT_BENCH_DATA"
"""The environment variable that names the data folder."""

FOLDER_NAMES = ("bench-data", "shared/bench")
"""Folders looked for in the parents of the checkout and of the current folder."""

_HINT = f"set {VARIABLE} or --data to the folder that holds locomo/, beam/ and cranfield/"

Decoded = TypeVar("Decoded")


def find_data(explicit: Path | None = None, *, beside: Sequence[Path] | None = None) -> Path:
    """Return the data folder: ``explicit``, or the first known folder next to one of ``beside``.

    Args:
        explicit: Named by the user; must exist.
        beside: Folders whose parent is searched; the checkout and the current folder by default.

    Raises:
        NotFound: no such folder.
    """
    if explicit is not None:
        if explicit.is_dir():
            return explicit
        raise NotFound("the benchmark data folder does not exist", hint=_HINT, path=str(explicit))
    for neighbour in beside if beside is not None else _neighbours():
        for name in FOLDER_NAMES:
            folder = neighbour.resolve().parent / name
            if folder.is_dir():
                return folder
    raise NotFound("no benchmark data was found", hint=_HINT)


def data_file(folder: Path, *parts: str) -> Path:
    """Return the file of ``folder``.

    Raises:
        NotFound: this data set is not in the folder.
    """
    path = folder.joinpath(*parts)
    if not path.is_file():
        name = "/".join(parts)
        raise NotFound(f"the benchmark data has no {name}", hint=_HINT, path=str(path))
    return path


def read_plain(path: Path) -> bytes:
    """Return the bytes of a file, unpacked when its name ends in ``.gz``.

    Raises:
        InvalidInput: unreadable or not gzip.
    """
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(
            f"{path.name} cannot be read", hint="fetch the benchmark data again", path=str(path)
        ) from error


def decode(raw: bytes, shape: type[Decoded], name: str) -> Decoded:
    """Return JSON as ``shape``; fields that ``shape`` does not declare are never looked at.

    Raises:
        InvalidInput: not this shape.
    """
    try:
        return msgspec.json.decode(raw, type=shape)
    except msgspec.DecodeError as error:
        raise InvalidInput(
            f"{name} is not in the expected format: {error}", hint="fetch the benchmark data again"
        ) from error


def digest(*raw: bytes) -> str:
    """Return the first 16 hex digits of the SHA-256 over all of ``raw``."""
    whole = hashlib.sha256()
    for part in raw:
        whole.update(part)
    return whole.hexdigest()[:16]


def _neighbours() -> tuple[Path, Path]:
    return Path(__file__).resolve().parents[2], Path.cwd()
