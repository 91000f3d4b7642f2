"""Checks of what callers pass: numbers and ids as they can be stored."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.core.errors import InvalidInput

MAX_LABEL_CHARS = 512
"""Longest speaker name, title or event id."""
LARGEST = 2**63 - 1
"""What a database can hold."""

_EVENT_ID = re.compile(rf"[^\x00-\x1f\x7f\ud800-\udfff]{{1,{MAX_LABEL_CHARS}}}")


def check_event_id(event_id: object) -> str:
    """Return ``event_id``.

    Raises:
        InvalidInput: it is empty, longer than `MAX_LABEL_CHARS`, or holds a control character.
    """
    if isinstance(event_id, str) and _EVENT_ID.fullmatch(event_id):
        return event_id
    raise InvalidInput(
        "an event id must be a printable text",
        hint=f"Use 1 to {MAX_LABEL_CHARS} printable characters, such as a UUID.",
    )


def check_text(value: object, what: str) -> str:
    """Return ``value``.

    Raises:
        InvalidInput: it is not a text.
    """
    if isinstance(value, str):
        return value
    raise InvalidInput(f"the {what} must be a text", hint="turn it into text first")


def check_texts(values: object, what: str) -> list[str]:
    """Return texts as a list, without halves of surrogates; a text alone is one of them.

    Raises:
        InvalidInput: it is neither a text nor several.
    """
    if isinstance(values, str) or not isinstance(values, Iterable):
        values = [values]
    listed = list(values)
    texts = [each for each in listed if isinstance(each, str)]
    if len(texts) == len(listed):
        return [each.encode("utf-8", "replace").decode() for each in texts]
    raise InvalidInput(f"{what} must be texts", hint="pass a text, or several in a list")


def check_share(value: object, what: str) -> float:
    """Return a number from 0 to 1.

    Raises:
        InvalidInput: it is not one.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InvalidInput(f"{what} must be a number from 0 to 1", hint="leave it out, or correct it")


def check_count(value: int | None, what: str, least: int = 0) -> None:
    """Refuse a number that can be none; None means that nothing was given.

    Raises:
        InvalidInput: it is not a whole number from ``least`` to `LARGEST`.
    """
    given: object = value
    if given is None:
        return
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= LARGEST:
        raise InvalidInput(
            f"{what} must be a whole number from {least}", hint="leave it out, or correct it"
        )
