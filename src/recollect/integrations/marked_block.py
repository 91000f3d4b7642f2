"""Lines of ours at the end of a text file of another program, between two comments.

For formats that know ``#`` as the start of a comment, such as TOML.
"""

from __future__ import annotations

import re

import msgspec

BEGIN = "# recollect: begin; `recollect init` writes these lines, its --remove takes them out"
END = "# recollect: end"
_BLOCK = re.compile(
    rf"^{re.escape(BEGIN)}\r?\n.*?^{re.escape(END)}[ \t]*(?:\r?\n|\Z)", re.MULTILINE | re.DOTALL
)


class Block(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=True):
    """That a block was put in; ``glue`` is what was needed between it and what was there."""

    glue: str = ""


def with_block(text: str, lines: str) -> tuple[str, Block]:
    """Return the text with the lines at its end, marked as ours, and what takes them out again."""
    end = "\r\n" if "\r\n" in text else "\n"
    glue = "" if not text else end if text.endswith("\n") else end * 2
    block = "\n".join((BEGIN, lines.strip("\n"), END, "")).replace("\n", end)
    return text + glue + block, Block(glue=glue)


def without_block(text: str, block: Block) -> str:
    """Return the text without the lines between our comments, wherever they are now."""
    found = _BLOCK.search(text)
    if found is None:
        return text
    return text[: found.start()].removesuffix(block.glue) + text[found.end() :]
