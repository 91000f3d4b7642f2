"""How far a rule reaches: the project where it was said, or everywhere.

A rule is its project's, unless it says that it is for everywhere, or is about how to speak with a
person: language, tone, brevity, names, emojis. What names a file or a command is a project's, too.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.text.statements.rulebook import LANGUAGES, grammar_of, small_letters

_NAMES_CODE = re.compile(r"[`/_]|\w\.[a-z]{1,5}\b")


def holds_everywhere(rule: str) -> bool:
    """Return whether a rule holds beyond the project that it was said in.

    >>> holds_everywhere("Always answer in German"), holds_everywhere("Never push to main")
    (True, False)
    """
    lowered = small_letters(rule)
    return not _NAMES_CODE.search(rule) and any(each.search(lowered) for each in _patterns())


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(grammar_of(code).everywhere) for code in LANGUAGES)
