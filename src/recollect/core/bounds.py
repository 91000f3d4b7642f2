"""How large an argument may be: one value for HTTP, MCP, the command line and Python.

The types carry the bound into what checks a request, and into its JSON Schema.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import Meta

from recollect.core.errors import InvalidInput

MOST_QUESTION = 4_000
"""Characters of a question: 15 MB of them kept a thread for 36 s. Hooks cut it instead."""
MOST_HITS = 1_000
MOST_LINES = 200
"""Lines of a timeline on each side."""
MOST_IDS = 500
"""Records that are asked for at once."""
MOST_ROWS = 1_000
"""Rows of a page of a list."""

Question: TypeAlias = Annotated[str, Meta(max_length=MOST_QUESTION)]
HitCount: TypeAlias = Annotated[int, Meta(ge=1, le=MOST_HITS)]
LineCount: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_LINES)]
RowCount: TypeAlias = Annotated[int, Meta(ge=0, le=MOST_ROWS)]


def check_question(query: str) -> None:
    """Refuse a question that is too long.

    Raises:
        InvalidInput: it has more than `MOST_QUESTION` characters.
    """
    if len(query) > MOST_QUESTION:
        raise InvalidInput(
            f"the question must not be longer than {MOST_QUESTION:,} characters",
            hint="ask for the words that matter",
        )


def check_most(given: int, most: int, what: str) -> None:
    """Refuse a number that is larger than it may be.

    Raises:
        InvalidInput: it is above ``most``.
    """
    if given > most:
        raise InvalidInput(f"{what} must be {most:,} at most", hint="ask for less at once")
