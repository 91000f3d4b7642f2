"""From errors to what a model reads: what happened, and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from recollect.answers.error import handling_of
from recollect.core.errors import InvalidInput, RecollectError


def readable(error: RecollectError) -> str:
    """Return an error as a model reads it.

    >>> from recollect.core.errors import NotFound
    >>> readable(NotFound("the record does not exist", hint="take a number"))
    'the record does not exist (not_found). Hint: take a number. Search with memory_search and use \
a name or path that it returns.'
    """
    hint = f" Hint: {error.hint.rstrip('.')}." if error.hint else ""
    return f"{error.message.rstrip('.')} ({error.code}).{hint} {handling_of(error).advice}"


_KINDS = {
    "missing": "is needed",
    "int": "must be a whole number",
    "float": "must be a number",
    "string": "must be a text",
    "list": "must be a list",
    "bool": "must be true or false",
}
"""By how pydantic's type of an error begins: what must be."""


def invalid_arguments(error: ValidationError, parameters: Sequence[str]) -> str:
    """Return the problems of the arguments of a call, without their values.

    Args:
        error: Of the SDK.
        parameters: The arguments of the tool.
    """
    wrong: dict[str, list[str]] = {}
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        name = next((str(part) for part in each["loc"] if part in parameters), "an argument")
        must = next((text for kind, text in _KINDS.items() if each["type"].startswith(kind)), None)
        wrong.setdefault(name, []).append(must or "must have another value")
    text = "; ".join(f"{name} {' or '.join(dict.fromkeys(must))}" for name, must in wrong.items())
    return readable(InvalidInput(text, hint=f"use {', '.join(parameters)}"))


def unknown_arguments(unknown: Iterable[str], parameters: Sequence[str]) -> str:
    """Return a message about unknown arguments, with similar names that the tool has.

    >>> unknown_arguments(["max_results"], ["query", "maxResults"])
    'an argument is unknown; maxResults may be meant (invalid_input). Hint: use query, \
maxResults. Correct the arguments and call the tool again.'
    """
    folded = {name.lower(): name for name in parameters}
    near = {
        folded[match]
        for name in unknown
        for match in difflib.get_close_matches(name.lower().replace("_", ""), folded, 1)
    }
    suggestion = f"; {', '.join(sorted(near))} may be meant" if near else ""
    message = f"an argument is unknown{suggestion}"
    return readable(InvalidInput(message, hint=f"use {', '.join(parameters) or 'none'}"))
