"""What hooks kept of files while no worker answered: `checkpoints/incoming/`, until it is adopted.

The hook client writes a file for each call and moment, before or after its tool, see
`recollect.hook.copying`: a line of JSON, then the bytes. Its name is made of the id of the call.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from recollect.checkpoints.files.state import ABSENT, PathState
from recollect.checkpoints.files.tree import PathReading
from recollect.core.clock import Clock
from recollect.core.decoding import decode_json

FOLDER = "incoming"
KEPT_MS = 7 * 86_400_000
"""A copy that no event asked for by then is removed."""
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

Stage: TypeAlias = Literal["before", "after"]
"""When a copy was made: before its tool ran, or after it."""


class _Head(msgspec.Struct, frozen=True):
    """The first line: whose copy it is. ``mode`` is None where nothing had the path."""

    path: str
    mode: int | None = None


class Incoming:
    """The copies of a home.

    Args:
        folder: Where they are; it need not exist.
        clock: Says how old they are.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock

    def looks(
        self, use_id: str | None, stage: Stage, paths: Sequence[str]
    ) -> dict[str, PathReading]:
        """Return what some paths were, where a call has copies of all of them; else nothing.

        Folders above them that were not there are returned, too.

        Args:
            use_id: The id of the call.
            stage: When they were made.
            paths: Absolute, without links in their folders.
        """
        copies = dict(filter(None, map(_read, self._files(use_id, stage))))
        return copies if copies.keys() >= set(paths) else {}

    def discard(self, use_id: str | None) -> None:
        """Remove the copies of a call."""
        for path in [*self._files(use_id, "before"), *self._files(use_id, "after")]:
            path.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove the copies of calls that no event reported."""
        with suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000 < (
                    self._clock.now_ms() - KEPT_MS
                ):
                    os.unlink(entry.path)

    def _files(self, use_id: str | None, stage: Stage) -> Iterator[Path]:
        if use_id:
            name = use_id.encode("utf-8", "replace").hex()
            yield from sorted(self._folder.glob(f"{name}.{stage}.*"))


def _read(path: Path) -> tuple[str, PathReading] | None:
    """Return path and state of a copy; None where it is not one that a hook wrote whole."""
    try:
        with open(os.open(path, _READ), "rb") as file:
            line, _, content = file.read().partition(b"\n")
        head = decode_json(line, _Head)
    except (OSError, msgspec.MsgspecError):
        return None
    if head.mode is None:
        return head.path, PathReading(ABSENT)
    digest = hashlib.sha256(content).hexdigest()
    state = PathState(kind="file", digest=digest, size=len(content), mode=head.mode)
    return head.path, PathReading(state, content)
