"""States: what a path is at a moment."""

from __future__ import annotations

import stat
from typing import Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["file", "symlink", "folder", "absent", "uncaptured"]


class PathState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a path is: a file with its content and mode, a link, a folder, or nothing.

    Attributes:
        kind: ``uncaptured`` where it is there and its state is not known; ``reason`` says why.
        digest: The SHA-256 of a file's bytes, 64 hex digits.
        size: Of a file, in bytes.
        mode: Permission bits of a file or folder.
        target: Of a symbolic link, as it is written in it.
        reason: ``too large``, ``excluded``, ``hard link``, ``special file``, ``unreadable``,
            ``changing``, ``name`` or ``not seen before``.
    """

    kind: Kind
    digest: str | None = None
    size: int = 0
    mode: int | None = None
    target: str | None = None
    reason: str | None = None


ABSENT = PathState(kind="absent")
"""Nothing has this path."""


def uncaptured(reason: str) -> PathState:
    """Return the state of a path that is there, and is not known."""
    return PathState(kind="uncaptured", reason=reason)


def mode_of(status: int) -> int:
    """Return the permission bits of a mode as `os.stat` has it."""
    return stat.S_IMODE(status)
