"""States: what a path is at a moment."""

from __future__ import annotations

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
            ``changing``, ``name``, ``outside``, ``no room`` or ``not seen before``; ``not kept`` or
            ``damaged`` where its content is lost.
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


OUTSIDE = uncaptured("outside")
"""The path is behind a link: the tree has nothing there."""


def is_nothing(state: PathState) -> bool:
    """Return whether the tree has nothing of that path."""
    return state in {ABSENT, OUTSIDE}


def mode_of(status: int) -> int:
    """Return the permissions of a mode as `os.stat` has it.

    Set-user-id, set-group-id and sticky bits do not belong to a state: they are never given to a
    file, whose owner may be another one by then, and stay where only permissions change.
    """
    return status & 0o777
