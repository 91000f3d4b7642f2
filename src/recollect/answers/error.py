"""Errors, as each surface answers them: one table of the tree, which a test proves total."""

from __future__ import annotations

import msgspec

from recollect.core import errors
from recollect.core.errors import RecollectError

FAILED, USAGE = 1, 2
_CHANGE = "Correct the arguments and call the tool again."
_GIVE_UP = "Do not try again; go on without it and tell the user."
_LATER = "Try again in a few seconds; if it fails again, go on without it."


class ErrorText(msgspec.Struct, frozen=True):
    """What went wrong, for programs and for people."""

    code: str
    message: str
    hint: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    """What HTTP and ``--json`` answer where something failed."""

    error: ErrorText


class Handling(msgspec.Struct, frozen=True):
    """What an error means to a caller.

    Attributes:
        status: Of HTTP.
        advice: What a model does next.
        exit_code: Of a command: 1 failed, 2 wrong usage.
    """

    status: int
    advice: str
    exit_code: int = FAILED


HANDLING: dict[type[RecollectError], Handling] = {
    errors.RecollectError: Handling(500, _GIVE_UP),
    errors.InvalidInput: Handling(422, _CHANGE, USAGE),
    errors.ConfigError: Handling(500, _GIVE_UP),
    errors.NotFound: Handling(
        404, "Search with memory_search and use a name or path that it returns."
    ),
    errors.Conflict: Handling(409, "Search again: it has changed meanwhile."),
    errors.RewindConflict: Handling(409, "Plan again, and show the user what is in the way."),
    errors.Unauthorized: Handling(401, "Do not try again: ask the user for a valid token."),
    errors.Denied: Handling(403, "Do not try again: this connection may not do it."),
    errors.StoreError: Handling(500, _GIVE_UP),
    errors.StoreBusy: Handling(503, _LATER),
    errors.StoreFull: Handling(507, _GIVE_UP),
    errors.StoreReadOnly: Handling(503, _GIVE_UP),
    errors.StoreCorrupt: Handling(500, _GIVE_UP),
    errors.RecordsLost: Handling(500, _GIVE_UP),
    errors.StoreClosed: Handling(503, _GIVE_UP),
    errors.ForeignStoreError: Handling(422, _GIVE_UP),
    errors.SchemaTooNew: Handling(500, _GIVE_UP),
    errors.MigrationFailed: Handling(500, _GIVE_UP),
    errors.ProviderError: Handling(502, _LATER),
    errors.ModelMissing: Handling(503, _GIVE_UP),
    errors.ProviderUnavailable: Handling(503, _LATER),
    errors.QuotaExhausted: Handling(503, _GIVE_UP),
    errors.BudgetSpent: Handling(503, _GIVE_UP),
    errors.ProviderRejected: Handling(502, _GIVE_UP),
    errors.EmbeddingError: Handling(502, _LATER),
    errors.DimensionMismatch: Handling(502, _GIVE_UP),
    errors.AnswerUnusable: Handling(502, _LATER),
    errors.Cancelled: Handling(409, "Ask again if an answer is still wanted."),
}


def handling_of(error: RecollectError) -> Handling:
    """Return the row of an error; a class that has none is handled as the next one above it."""
    return next(HANDLING[kind] for kind in type(error).__mro__ if kind in HANDLING)
