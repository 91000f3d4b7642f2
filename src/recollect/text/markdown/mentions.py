"""Mentions: the observations that a Markdown text names, such as ``#1234``.

A number counts where it stands by itself in prose. Code, comments on one line, anchors, entities,
colours, and the numbers of other programs (``owner/repo#12``, ``issue #12``) name nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.core.numbers import NAMES_ANY
from recollect.text.markdown.fences import lines_outside

Mention = tuple[int, int]
"""A line, from 1, and the number of an observation."""

_NUMBER = re.compile(
    r"(?:(?<![^\s(\[{\"'“‘«*_~|,;>—–])|(?<=observation:))(?<!\]\()"
    r"#([1-9][0-9]{0,14})(?!\w|-\w|\.\d)"
)
_OURS = re.compile(r"- \[#([1-9][0-9]{0,14}) \d{4}-\d\d-\d\d\] ")
"""A line of a curated section: the names in its title are a user's words."""
_HIDDEN = re.compile(r"(`{1,8})(?!`)[^\n]{1,500}?(?<!`)\1(?!`)|<!--[^\n]{0,500}?-->")
_OTHERS = re.compile(
    r"(?i)\b(?:issues?|prs?|pull requests?|merge requests?|mrs?|tickets?|bugs?"
    r"|messages?|facts?|episodes?|checkpoints?)[ \t]{1,4}$"
)
_GOES_ON = re.compile(r"(?i)[ \t]{0,4}(?:,|and|or|&|, ?and|, ?or)?[ \t]{0,4}")
_COLOUR = re.compile(r"(?i)(?:colou?r|background|border|fill|stroke|outline|shadow)[^.;#]{0,24}$")
_COLOUR_DIGITS = frozenset({3, 4, 6, 8})
_LOOK_BACK = 40


def mentions_in(text: str) -> tuple[Mention, ...]:
    r"""Return the mentions of observations in a text, in its order; each once a line.

    >>> mentions_in("Redis it is, see #12\nnot owner/repo#13, not `#14`")
    ((1, 12),)
    """
    mentions: dict[Mention, None] = {}
    for number, (line, is_outside) in enumerate(lines_outside(text), start=1):
        if is_outside and NAMES_ANY.search(line):
            mentions |= dict.fromkeys((number, number_named) for number_named in _named(line))
    return tuple(mentions)


def _named(line: str) -> Iterator[int]:
    ours = _OURS.match(line)
    if ours is not None:
        yield int(ours[1])
        return
    prose = _HIDDEN.sub(lambda code: "`" * len(code[0]), line)
    others_end = -1
    for number in _NUMBER.finditer(prose):
        before = prose[max(0, number.start() - _LOOK_BACK) : number.start()]
        goes_on = others_end >= 0 and _GOES_ON.fullmatch(prose, others_end, number.start())
        if goes_on or _OTHERS.search(before):
            others_end = number.end()
        elif not (len(number[1]) in _COLOUR_DIGITS and _COLOUR.search(before)):
            yield int(number[1])
