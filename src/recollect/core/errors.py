"""Every error that recollect raises.

The tree::

    RecollectError
    ├── InvalidInput            the caller passed something unusable
    │   └── ConfigError         a setting is unknown, mistyped or out of range
    ├── NotFound                a named thing does not exist
    ├── Conflict                the thing exists in another state than the caller expects
    │   └── RewindConflict      somebody else changed a path that a rewind would change
    ├── Unauthorized            the token is missing, unknown, expired or revoked
    ├── Denied                  the scope, the token or the path rules forbid it
    ├── StoreError              the database or a file could not do it
    │   ├── StoreBusy           another process held the write lock for too long
    │   ├── StoreFull           no space left on the device
    │   ├── StoreReadOnly       the home cannot be written
    │   ├── StoreCorrupt        a database is damaged
    │   ├── RecordsLost         records.db is missing, empty or of another home
    │   ├── StoreClosed         used after close()
    │   ├── ForeignStoreError   the database of another program cannot be read
    │   ├── SchemaTooNew        written by a newer recollect
    │   └── MigrationFailed     a schema step failed; the backup is beside the database
    └── ProviderError           who makes vectors or answers could not do it
        ├── ModelMissing        the local model or its runtime is not installed
        ├── ProviderUnavailable try later
        │   ├── QuotaExhausted  the account has nothing left; trying again does not help
        │   └── BudgetSpent     our own daily limit is reached
        ├── ProviderRejected    the provider will not accept this, ever
        ├── EmbeddingError      an embedder made no usable vectors
        │   └── DimensionMismatch   vectors of another size than the index holds
        ├── AnswerUnusable      a language model's answer is not what was asked for
        └── Cancelled           the caller cancelled the call

Each class has a stable ``code``. Each error carries a ``hint``, what to do next, and its facts as
attributes. Messages never hold secrets or the user's text.
"""

from __future__ import annotations


class RecollectError(Exception):
    """The root of the tree.

    Args:
        message: What happened, one sentence without a final stop, no user text.
        hint: What the user can do next; empty when there is nothing to do.
        facts: Named facts (paths, ids, numbers); readable as attributes through ``facts``.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "", **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.facts = facts

    def __copy__(self) -> RecollectError:
        """Return a copy: several threads raise the error that one of them met.

        By default exceptions are copied by a call with their arguments, which some of our classes
        do not take.
        """
        copied = type(self).__new__(type(self), *self.args)
        copied.__dict__.update(self.__dict__)
        copied.__cause__ = self.__cause__
        return copied

    def as_dict(self) -> dict[str, object]:
        """Return ``{"code", "message", "hint"}``, the shape of every surface."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class InvalidInput(RecollectError):
    """The caller passed something unusable."""

    code = "invalid_input"


class ConfigError(InvalidInput):
    """A setting is unknown, mistyped or out of range."""

    code = "config"


class NotFound(RecollectError):
    """A named thing does not exist, or not in this scope."""

    code = "not_found"


class Conflict(RecollectError):
    """The thing exists in another state than the caller expects."""

    code = "conflict"


class RewindConflict(Conflict):
    """Somebody else changed a path that a rewind would change; ``paths`` lists them."""

    code = "rewind_conflict"


class Unauthorized(RecollectError):
    """The token is missing, unknown, expired or revoked."""

    code = "unauthorized"


class Denied(RecollectError):
    """The scope, the token or the path rules forbid it."""

    code = "denied"


class StoreError(RecollectError):
    """The database or a file could not do it."""

    code = "store"


class StoreBusy(StoreError):
    """Another process held the write lock for too long."""

    code = "store_busy"


class StoreFull(StoreError):
    """No space is left on the device."""

    code = "store_full"


class StoreReadOnly(StoreError):
    """The home cannot be written."""

    code = "store_read_only"


class StoreCorrupt(StoreError):
    """A database is damaged."""

    code = "store_corrupt"


class RecordsLost(StoreError):
    """records.db is missing, or belongs to another home."""

    code = "records_lost"


class StoreClosed(StoreError):
    """Used after ``close()``."""

    code = "store_closed"


class ForeignStoreError(StoreError):
    """The database of another program cannot be read."""

    code = "foreign_store"


class SchemaTooNew(StoreError):
    """The database was written by a newer recollect."""

    code = "schema_too_new"


class MigrationFailed(StoreError):
    """A schema step failed; nothing of it was kept."""

    code = "migration_failed"


class ProviderError(RecollectError):
    """Who makes vectors or answers could not do it."""

    code = "provider"


class ModelMissing(ProviderError):
    """The local model or its runtime is not installed."""

    code = "model_missing"


class ProviderUnavailable(ProviderError):
    """The provider cannot answer now."""

    code = "provider_unavailable"


class QuotaExhausted(ProviderUnavailable):
    """The provider's account has nothing left."""

    code = "quota_exhausted"


class BudgetSpent(ProviderUnavailable):
    """The daily limit of tokens in our settings is reached."""

    code = "budget_spent"


class ProviderRejected(ProviderError):
    """The provider will never accept this request."""

    code = "provider_rejected"


class EmbeddingError(ProviderError):
    """An embedder made no usable vectors."""

    code = "embedding"


class DimensionMismatch(EmbeddingError):
    """Vectors of another size than the index holds."""

    code = "dimension_mismatch"


class AnswerUnusable(ProviderError):
    """A language model's answer is not what was asked for."""

    code = "answer_unusable"


class Cancelled(ProviderError):
    """The caller cancelled the call."""

    code = "cancelled"
