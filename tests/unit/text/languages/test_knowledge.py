"""What is known of which language: the table that the page shows is the truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.text.languages import INDEX_LANGUAGE, all_languages, spaced, unspaced
from recollect.text.languages.language import (
    ASSISTANT,
    DECIDED,
    FAILED,
    FIRST_PERSON,
    FIXED,
    LASTING,
    NAME,
    NOW,
    OPEN,
    RELATES,
    WHEN,
    Language,
)

PAGE = Path(__file__).resolve().parents[4] / "docs" / "search.md"
CODES = ("en", "de", "es", "fr", "pt", "zh", "ja", "ko")


def _has_cue(cue: str) -> Callable[[Language], bool]:
    return lambda each: cue in each.cue_words or cue in each.cue_patterns


def _states(kind: str) -> Callable[[Language], bool]:
    return lambda each: kind in each.statements


KINDS: dict[str, Callable[[Language], bool]] = {
    "times in a question": lambda each: bool(each.times),
    "function words of a question": lambda each: bool(each.function_words or each.function_signs),
    "stop words of its keywords": lambda each: bool(each.stop_words) or each is INDEX_LANGUAGE,
    "what the assistant said": _has_cue(ASSISTANT),
    "how things are now": _has_cue(NOW),
    "a state, a past one or an event": lambda each: bool(each.question_kinds),
    "about oneself": _has_cue(FIRST_PERSON),
    "asks when": _has_cue(WHEN),
    "asks for a name": _has_cue(NAME),
    "must last: kept by a flush": _states(LASTING),
    "a decision": _states(DECIDED),
    "an open point": _states(OPEN),
    "a failure": _states(FAILED),
    "a repair": _states(FIXED),
    "how parts relate": _states(RELATES),
    "times in a text": lambda each: bool(each.time_cues),
    "stems, irregular forms": lambda each: bool(each.stemmer and each.irregular_forms),
}


def knowledge() -> str:
    """Return the table as the page shows it."""
    by_code = {each.code: each for each in all_languages()}
    rows = [["", *CODES], ["---"] * (len(CODES) + 1)]
    for kind, has in KINDS.items():
        rows.append([kind, *("yes" if has(by_code[code]) else "–" for code in CODES)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def test_the_page_shows_who_has_what() -> None:
    """The table is a part of the page, word for word."""
    assert knowledge() in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", list(KINDS)[:7] + list(KINDS)[9:15])
def test_no_language_lacks_what_the_others_have(kind: str) -> None:
    """But for stop words of German: "die" and "war" are words of English, in any question."""
    lacking = {each.code for each in (*spaced(), *unspaced()) if not KINDS[kind](each)}
    assert lacking == ({"de"} if kind.startswith("stop words") else set())


def test_each_language_has_its_code_once() -> None:
    """Those of the page, and Arabic, of which less is known."""
    assert sorted(each.code for each in all_languages()) == sorted([*CODES, "ar"])
