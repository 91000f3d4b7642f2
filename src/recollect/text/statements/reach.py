"""How far a rule reaches: the project where it was said, or everywhere.

A rule is its project's, unless it says that it is for everywhere, or is about how to speak with a
person: language, tone, brevity, names, emojis. What names a file, a command or a text that is
written for others is a project's, too. Of a rule with several parts only those parts go elsewhere.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.text.statements.rulebook import LANGUAGES, grammar_of, small_letters

_OF_PROJECTS = re.compile(r"proje|proye|repo|项目|プロジェクト|프로젝트")
"""Says for which projects it is, in any language."""
_NAMES_CODE = re.compile(r"[`/_]|\w\.[a-z]{1,5}\b")


_PARTS = re.compile(
    r"(?:[,;:，；、。]\s*|[.!]\s+|\s+-\s+)(?:(?:and|but|und|aber|sondern|y|pero|et|mais|e|mas)\s)?"
    r"|\s(?:and|but|und|aber|sondern|pero|et|mais|y|e|mas)\s"
)
"""Between the parts of a rule, in any language."""
_LEFT_OUT = " …"


def part_for_everywhere(rule: str) -> str:
    """Return what of a rule holds beyond the project that it was said in; empty if nothing.

    >>> part_for_everywhere("Always answer in German"), part_for_everywhere("Never push to main")
    ('Always answer in German', '')
    >>> part_for_everywhere("No emojis in the newsletter"), part_for_everywhere("No emojis please")
    ('', 'No emojis please')
    >>> part_for_everywhere("always answer in German and never push to main")
    'always answer in German …'
    """
    lowered = small_letters(rule)
    if _NAMES_CODE.search(rule) or not _any(_everywhere(), lowered):
        return ""
    if _OF_PROJECTS.search(lowered):
        return rule
    if _any(_texts(), lowered):
        return ""
    parts = [part for part in _PARTS.split(rule) if part]
    everywhere = {part for part in parts if _any(_everywhere(), small_letters(part))}
    if not everywhere:
        return ""
    general = [part for part in parts if part in everywhere or len(part.split()) == 1]
    return rule if general == parts else f"{', '.join(general)}{_LEFT_OUT}"


def _any(patterns: tuple[re.Pattern[str], ...], lowered: str) -> bool:
    return any(each.search(lowered) for each in patterns)


@cache
def _everywhere() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(grammar_of(code).everywhere) for code in LANGUAGES)


@cache
def _texts() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(grammar_of(code).texts) for code in LANGUAGES)
