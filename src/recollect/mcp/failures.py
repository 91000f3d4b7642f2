"""From errors to what a model reads: what happened, and what to do next."""

from __future__ import annotations

from recollect.core import errors
from recollect.core.errors import RecollectError

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
