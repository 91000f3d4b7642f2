"""Blocks: parts of an answer that read well on their own."""

from __future__ import annotations

import os
import random

from recollect.respond.answer import BLOCK_CHARS, BlockCutter

SEED = int(os.environ.get("RECOLLECT_SEED", "0"))  # noqa: TID251 - which texts


def cut(text: str, size: int) -> list[str]:
    """Return the blocks of a text that arrives in pieces of a size."""
    cutter = BlockCutter()
    blocks = [
        block for at in range(0, len(text), size) for block in cutter.add(text[at : at + size])
    ]
    return [*blocks, *filter(None, [cutter.rest()])]


def test_a_short_answer_is_one_block() -> None:
    """However it arrives."""
    assert cut("One.\n\nTwo.", 3) == ["One.\n\nTwo."]


def test_a_long_answer_is_cut_at_the_ends_of_paragraphs() -> None:
    """Each is at least as long as the limit, the last one aside."""
    text = "\n\n".join(f"Paragraph {n}. " + "word " * 60 for n in range(9))
    blocks = cut(text, 7)
    assert "".join(blocks) == text
    assert len(blocks) > 2
    assert all(block.endswith("\n\n") and len(block) > BLOCK_CHARS for block in blocks[:-1])


def test_code_is_never_torn() -> None:
    """Blank lines in it are no ends of paragraphs."""
    code = "```python\n" + "\n\n".join(f"line_{n} = {n}" for n in range(100)) + "\n```"
    blocks = cut(f"Look:\n\n{code}\n\nThat is it.", 11)
    assert [block.count("```") % 2 for block in blocks] == [0] * len(blocks)
    assert len(blocks) == 2


def test_the_blocks_are_the_answer() -> None:
    """For any text and any pieces."""
    dice = random.Random(SEED)
    for _ in range(200):
        parts = dice.choices(["\n", "\n\n", "```", "a " * 90, "~~~\n", "  ", "x"], k=60)
        text = "".join(parts)
        assert "".join(cut(text, dice.randint(1, 50))) == text
