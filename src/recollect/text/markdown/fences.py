"""Lines of Markdown with their fences: the content of code blocks is not structure."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def lines_outside(text: str) -> Iterator[tuple[str, bool]]:
    r"""Yield every line of ``text``, and whether it is outside fenced code.

    Lines end at ``\n`` only. A fence that is never closed goes on to the end, as in CommonMark; the
    fences themselves are inside.

    >>> list(lines_outside("a\n```\nb\n```"))
    [('a', True), ('```', False), ('b', False), ('```', False)]
    """
    opened = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        yield line, not opened and fence is None
        if fence is None:
            continue
        if not opened:
            opened = fence[1]
        elif fence[1].startswith(opened) and not line[fence.end() :].strip():
            opened = ""
