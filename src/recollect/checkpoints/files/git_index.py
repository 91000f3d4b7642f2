"""Git's index: which object has the bytes of a tracked file. It is read, and never written.

No setting of a repository is obeyed and no program is run for it. Whoever uses an id compares it
with that of the bytes on the disk, so filters and a stale index cost a lookup and nothing else.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from pathlib import Path

import msgspec

_HEAD = struct.Struct(">4sII")
_FIXED = 62
"""Bytes of an entry before its name: ten numbers, the id and the flags."""
_OID = 40
_FLAGS = 60
_EXTENDED = 0x4000
_STAGE = 0x3000
_FILE = 0o100000
_MOST_BYTES = 1 << 28


class Repository(msgspec.Struct, frozen=True):
    """A repository with a work tree.

    Attributes:
        objects: The folder of its objects.
        oids: By path below the work tree, the id that the index has.
    """

    objects: Path
    oids: dict[str, str]


def open_repository(work_tree: Path) -> Repository | None:
    """Return the repository of a work tree; None where none is, or one whose ids are not SHA-1."""
    try:
        git = _git_folder(work_tree)
        common = git / _bytes_of(git / "commondir", b".").decode().strip()
        if b"objectformat" in _bytes_of(common / "config").lower():
            return None
        return Repository(common / "objects", dict(_entries(_bytes_of(git / "index"))))
    except (OSError, ValueError, struct.error, IndexError):
        return None


def object_id(content: bytes) -> str:
    """Return git's id of a file's bytes, 40 hex digits."""
    head = b"blob %d\0" % len(content)
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()


def _git_folder(work_tree: Path) -> Path:
    """Return where a work tree's index is: a linked one and a submodule name it in a file."""
    git = work_tree / ".git"
    if git.is_dir():
        return git
    prefix, _, target = _bytes_of(git).decode().strip().partition(": ")
    if prefix != "gitdir":
        raise ValueError("the file names no repository")
    return work_tree / target


def _bytes_of(path: Path, otherwise: bytes | None = None) -> bytes:
    """Return the bytes of a plain file; another kind of file may never end."""
    if not path.is_file():
        if otherwise is None:
            raise ValueError("it is another kind of file")
        return otherwise
    with path.open("rb") as file:
        return file.read(_MOST_BYTES)


def _entries(index: bytes) -> Iterator[tuple[str, str]]:
    """Yield path and id of the files of an index of version 2, 3 or 4."""
    signature, version, count = _HEAD.unpack_from(index)
    if signature != b"DIRC" or version not in {2, 3, 4}:
        raise ValueError("the index has another format")
    position, name = _HEAD.size, b""
    for _ in range(count):
        flags = int.from_bytes(index[position + _FLAGS : position + _FIXED], "big")
        start = position + _FIXED + (2 if flags & _EXTENDED else 0)
        shared = b""
        if version == 4:
            prefix_size, start = _kept(index, start, len(name))
            shared = name[:prefix_size]
        end = index.index(b"\0", start)
        name = shared + index[start:end]
        mode = int.from_bytes(index[position + 24 : position + 28], "big")
        if mode & 0o170000 == _FILE and not flags & _STAGE:
            oid = index[position + _OID : position + _FLAGS].hex()
            yield name.decode(errors="surrogateescape"), oid
        length = end - position
        position = end + 1 if version == 4 else position + (length + 8) // 8 * 8


def _kept(index: bytes, position: int, length: int) -> tuple[int, int]:
    """Return how much of the name before is kept, and where the rest of the name begins."""
    byte = index[position]
    removed = byte & 127
    while byte & 128:
        position += 1
        byte = index[position]
        removed = (removed + 1 << 7) | (byte & 127)
    return length - removed, position + 1
