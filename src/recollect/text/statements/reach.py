"""How far a rule reaches: the project where it was said, or everywhere.

A rule is its project's, unless it says that it is for everywhere, or is about how to speak with a
person: language, tone, brevity, names, emojis. What names a file, a command or a text that is
written for others is a project's, too.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.text.statements.rulebook import LANGUAGES, grammar_of, small_letters

_OF_PROJECTS = re.compile(r"proje|proye|repo|项目|プロジェクト|프로젝트")
"""Says for which projects it is, in any language."""
_NAMES_CODE = re.compile(r"[`/_]|\w\.[a-z]{1,5}\b")


def holds_everywhere(rule: str) -> bool:
    """Return whether a rule holds beyond the project that it was said in.

    >>> holds_everywhere("Always answer in German"), holds_everywhere("Never push to main")
    (True, False)
    >>> holds_everywhere("No emojis in the newsletter"), holds_everywhere("No emojis please")
    (False, True)
    """
    lowered = small_letters(rule)
    if _NAMES_CODE.search(rule) or not _any(_everywhere(), lowered):
        return False
    return bool(_OF_PROJECTS.search(lowered)) or not _any(_texts(), lowered)


def _any(patterns: tuple[re.Pattern[str], ...], lowered: str) -> bool:
    return any(each.search(lowered) for each in patterns)


@cache
def _everywhere() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(grammar_of(code).everywhere) for code in LANGUAGES)


@cache
def _texts() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(grammar_of(code).texts) for code in LANGUAGES)
