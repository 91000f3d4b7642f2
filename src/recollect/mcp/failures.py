"""From errors to what a model reads: what happened, and what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from pydantic import ValidationError

from recollect.core import errors
from recollect.core.errors import InvalidInput, RecollectError

_CHANGE = "Correct the arguments and call the tool again."
_GIVE_UP = "Do not try again; go on without it and tell the user."
_LATER = "Try again in a few seconds; if it fails again, go on without it."

NEXT: dict[type[RecollectError], str] = {
    errors.RecollectError: _GIVE_UP,
    errors.InvalidInput: _CHANGE,
    errors.ConfigError: _GIVE_UP,
    errors.NotFound: "Search with memory_search and use a name or path that it returns.",
    errors.Conflict: "Search again: it has changed meanwhile.",
    errors.Denied: "Do not try again: this connection may not do it.",
    errors.Unauthorized: "Do not try again: ask the user for a valid token.",
    errors.StoreError: _GIVE_UP,
    errors.StoreBusy: _LATER,
    errors.StoreFull: _GIVE_UP,
    errors.StoreReadOnly: _GIVE_UP,
    errors.StoreCorrupt: _GIVE_UP,
    errors.RecordsLost: _GIVE_UP,
    errors.StoreClosed: _GIVE_UP,
    errors.ForeignStoreError: _GIVE_UP,
    errors.SchemaTooNew: _GIVE_UP,
    errors.MigrationFailed: _GIVE_UP,
    errors.ProviderError: _LATER,
    errors.ModelMissing: _GIVE_UP,
    errors.ProviderUnavailable: _LATER,
    errors.QuotaExhausted: _GIVE_UP,
    errors.BudgetSpent: _GIVE_UP,
    errors.ProviderRejected: _GIVE_UP,
    errors.EmbeddingError: _LATER,
    errors.DimensionMismatch: _GIVE_UP,
    errors.AnswerUnusable: _LATER,
}
"""By class of the tree: what the model that reads the error does next."""


def readable(error: RecollectError) -> str:
    """Return an error as a model reads it.

    >>> readable(errors.NotFound("the record does not exist", hint="take a number"))
    'the record does not exist (not_found). Hint: take a number. Search with memory_search and use \
a name or path that it returns.'
    """
    advice = next(NEXT[kind] for kind in type(error).__mro__ if kind in NEXT)
    hint = f" Hint: {error.hint.rstrip('.')}." if error.hint else ""
    return f"{error.message.rstrip('.')} ({error.code}).{hint} {advice}"


_KINDS = {
    "missing": "is needed",
    "int": "must be a whole number",
    "float": "must be a number",
    "string": "must be a text",
    "list": "must be a list",
    "bool": "must be true or false",
}
"""By how pydantic's type of an error begins: what must be."""


def invalid_arguments(error: ValidationError, known: Sequence[str]) -> str:
    """Return what is wrong with the arguments of a call, without what was given.

    Args:
        error: Of the SDK.
        known: The arguments of the tool.
    """
    wrong: dict[str, list[str]] = {}
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        name = next((str(part) for part in each["loc"] if part in known), "an argument")
        must = next((said for kind, said in _KINDS.items() if each["type"].startswith(kind)), None)
        wrong.setdefault(name, []).append(must or "must have another value")
    said = "; ".join(f"{name} {' or '.join(dict.fromkeys(must))}" for name, must in wrong.items())
    return readable(InvalidInput(said, hint=f"use {', '.join(known)}"))


def unknown_arguments(unknown: Iterable[str], known: Sequence[str]) -> str:
    """Return that a call has arguments that the tool has not, and which may be meant.

    >>> unknown_arguments(["max_results"], ["query", "maxResults"])
    'an argument is unknown; maxResults may be meant (invalid_input). Hint: use query, \
maxResults. Correct the arguments and call the tool again.'
    """
    folded = {name.lower(): name for name in known}
    near = {
        folded[match]
        for name in unknown
        for match in difflib.get_close_matches(name.lower().replace("_", ""), folded, 1)
    }
    meant = f"; {', '.join(sorted(near))} may be meant" if near else ""
    said = f"an argument is unknown{meant}"
    return readable(InvalidInput(said, hint=f"use {', '.join(known) or 'none'}"))
