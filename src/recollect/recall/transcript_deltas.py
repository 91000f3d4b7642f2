"""How much of a transcript is new: whether it is worth reading before it comes to rest.

The rules and numbers are OpenClaw's: bytes and lines are counted for each file, and what is above
a threshold is kept for the next time.
"""

from __future__ import annotations

import os

import msgspec

from recollect.core.settings.sync import TranscriptDeltaSettings

BLOCK_BYTES = 64 * 1024


class _Grown(msgspec.Struct):
    """Where a file ended when it was looked at last, and what was new and is not counted off."""

    size: int = 0
    new_bytes: int = 0
    new_lines: int = 0


class TranscriptDeltas:
    """Counts what is new in each transcript.

    Args:
        settings: The thresholds; 0 is reached by anything new.
    """

    def __init__(self, settings: TranscriptDeltaSettings) -> None:
        self._settings = settings
        self._files: dict[str, _Grown] = {}

    def look(self, path: str) -> bool:
        """Return whether so much is new in a file that it should be read at once.

        A file that shrank counts as a whole. One that is gone is forgotten.
        """
        try:
            size = os.stat(path, follow_symlinks=False).st_size
        except OSError:
            self._files.pop(path, None)
            return False
        grown = self._files.setdefault(path, _Grown())
        start = grown.size if size >= grown.size else 0
        grown.size = size
        grown.new_bytes += size - start
        if self._counts_lines(grown):
            grown.new_lines += count_lines(path, start, size)
        return self._is_enough(grown)

    def _counts_lines(self, grown: _Grown) -> bool:
        """Whether lines matter: not when the bytes alone are enough."""
        settings = self._settings
        return not settings.delta_bytes or grown.new_bytes < settings.delta_bytes

    def _is_enough(self, grown: _Grown) -> bool:
        settings = self._settings
        by_bytes = grown.new_bytes >= max(1, settings.delta_bytes)
        by_lines = grown.new_lines >= max(1, settings.delta_messages)
        if by_bytes:
            grown.new_bytes = _rest(grown.new_bytes, settings.delta_bytes)
        if by_lines:
            grown.new_lines = _rest(grown.new_lines, settings.delta_messages)
        return by_bytes or by_lines


def count_lines(path: str, start: int, end: int) -> int:
    """Return the line feeds between two places of a file, 0 when it cannot be read."""
    found = 0
    try:
        with open(path, "rb") as file:
            file.seek(start)
            while start < end and (block := file.read(min(BLOCK_BYTES, end - start))):
                found += block.count(b"\n")
                start += len(block)
    except OSError:
        return 0
    return found


def _rest(counted: int, threshold: int) -> int:
    return max(0, counted - threshold) if threshold else 0
