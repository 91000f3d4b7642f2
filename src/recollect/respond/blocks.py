"""Blocks: an answer in parts that a channel may send on their own, while it arrives."""

from __future__ import annotations

from recollect.text.markdown.fences import lines_outside

BLOCK_CHARS = 800
"""A block ends with the first paragraph after so many characters; OpenClaw's lower limit."""


class BlockCutter:
    """Cuts an answer at the ends of paragraphs, never inside a code block.

    The blocks together are the answer.
    """

    def __init__(self) -> None:
        self._open = ""

    def add(self, piece: str) -> list[str]:
        """Take more of the answer in; return the blocks that are complete."""
        self._open += piece
        blocks: list[str] = []
        while (end := _end_of_block(self._open)) is not None:
            blocks.append(self._open[:end])
            self._open = self._open[end:]
        return blocks

    def rest(self) -> str:
        """Return what is left at the end of the answer; empty if nothing is."""
        rest, self._open = self._open, ""
        return rest


def _end_of_block(text: str) -> int | None:
    """Return the end of the first paragraph that makes a block long enough; None if none does."""
    if len(text) <= BLOCK_CHARS or "\n\n" not in text[BLOCK_CHARS - 2 :]:
        return None
    offset = 0
    for line, is_outside in lines_outside(text):
        is_blank = not line.strip() and is_outside and offset > 0
        offset = min(offset + len(line) + 1, len(text))
        if is_blank and offset > BLOCK_CHARS and offset < len(text):
            return offset
    return None
