"""Phrases that must not come back: native technical English in docstrings, errors and pages.

Errors say what must be ("the path must be relative"), a warning warns, an index is rebuilt. Where a
room is not yet clean, its ceiling is what is left; it may only fall.
"""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PHRASES = {
    r"\b(?:is|are|was|were|be) told\b": (2, 2),
    r"(?<!tell )\btold\b": (6, 3),
    r"\bcan be no\b": (0, 0),
    r"\b(?:is|are|was) no (?!longer\b|more\b|one\b|need\b|way\b|other\b)[a-z]": (33, 6),
    r"\bnobody\b": (10, 12),  # in the reference it is a value of `Subject`
    r"\banew\b": (0, 0),
    r"\bstands? (?:in|behind|beside|before|for|there)\b": (12, 4),
    r"\bbehind (?:it|the (?:name|word|program|command))\b": (0, 1),
    r"\bcircles?\b": (1, 1),
}
"""The most there may be of each, in the words of the package and in the pages. "tell told" is a row
of the table of irregular forms."""


def _words(path: Path) -> str:
    """Return the comments and strings of a module: what is English and not a name."""
    source = io.StringIO(path.read_text(encoding="utf-8"))
    kinds = {tokenize.COMMENT, tokenize.STRING}
    tokens = tokenize.generate_tokens(source.readline)
    return "\n".join(token.string for token in tokens if token.type in kinds)


@pytest.fixture(scope="module")
def texts() -> tuple[dict[str, str], dict[str, str]]:
    """What is written in the package, and in the pages; decisions and changes are history."""
    package = sorted({*(ROOT / "src").rglob("*.py")} - {ROOT / "src/recollect/aio/twins.py"})
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    kept = [p for p in pages if p.name != "CHANGELOG.md" and not {"adr", "_build"} & {*p.parts}]
    return (
        {str(path.relative_to(ROOT)): _words(path) for path in package},
        {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in kept},
    )


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_does_not_come_back(
    texts: tuple[dict[str, str], dict[str, str]], phrase: str
) -> None:
    """Say what must be, who warns, what is rebuilt."""
    for where, most in zip(texts, PHRASES[phrase], strict=True):
        found = {
            name: count
            for name, text in where.items()
            if (count := len(re.findall(phrase, text, re.IGNORECASE)))
        }
        assert sum(found.values()) <= most, found
