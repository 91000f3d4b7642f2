"""The last failure of the configured embedder, and whether it is given up for now.

Kept in index.db, so that a short command knows of the failure in the one before it. A fallback
takes over at once from an embedder that will not recover by itself (nothing left on the account,
refused, not installed) and from one whose vectors the index has none of, as nothing must be rebuilt
then; and from any other that stays away for three syncs in a row.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from recollect.core.clock import DAY_MS
from recollect.core.errors import (
    BudgetSpent,
    ModelMissing,
    ProviderError,
    ProviderRejected,
    QuotaExhausted,
)
from recollect.models.embedding.embedder import Embedder
from recollect.store.columns import json_cell
from recollect.store.engine import Transaction

STAYS_AWAY = 3
"""Failed syncs in a row after which an embedder counts as gone: one outage costs no rebuild."""
APART_MS = 60_000
"""Syncs that fail sooner after each other count as one: the background tries again in seconds."""
RETRY_MS = 3_600_000
"""How long a given up embedder is left alone before a sync tries it again."""

_KEY = "embedder_trouble"

T = TypeVar("T")


class EmbedderFailure(msgspec.Struct, frozen=True, kw_only=True):
    """The last failure.

    Attributes:
        fingerprint: Of the embedder.
        model: Its ``provider:model``.
        code: The code of the error.
        message: Its message.
        failures: How many syncs in a row failed, those within a minute counted once.
        counted_at: When the last of them was counted, ms UTC.
        at: Of the last failure, ms UTC.
        is_given_up: Whether a fallback takes over, where there is one.
    """

    fingerprint: str
    model: str
    code: str
    message: str
    failures: int
    counted_at: int
    at: int
    is_given_up: bool

    def is_over(self, now: int) -> bool:
        """Return whether it has expired: the daily limit starts over with the day (UTC)."""
        return self.code == BudgetSpent.code and now // DAY_MS > self.at // DAY_MS

    def may_be_asked_again(self, now: int) -> bool:
        """Return whether a given up embedder has rested long enough to be tried again."""
        return self.is_given_up and now - self.at >= RETRY_MS


def find_failure(tx: Transaction) -> EmbedderFailure | None:
    """Return the stored failure, or None."""
    return meta_value(tx, _KEY, EmbedderFailure)


def note_embedder_failure(
    tx: Transaction, embedder: Embedder, error: ProviderError, now: int
) -> EmbedderFailure:
    """Note a failure and return the stored state of the embedder."""
    previous = find_failure(tx)
    same = (
        previous if previous is not None and previous.fingerprint == embedder.fingerprint else None
    )
    failures, counted_at = (same.failures, same.counted_at) if same else (0, -APART_MS)
    counts = not isinstance(error, BudgetSpent) and now - counted_at >= APART_MS
    failures += counts
    was_given_up = same is not None and same.is_given_up
    trouble = EmbedderFailure(
        fingerprint=embedder.fingerprint,
        model=embedder.model,
        code=error.code,
        message=error.message,
        failures=failures,
        counted_at=now if counts else counted_at,
        at=now,
        is_given_up=was_given_up
        or _is_final(error)
        or failures >= STAYS_AWAY
        or not (isinstance(error, BudgetSpent) or _has_vectors(tx)),
    )
    set_meta_value(tx, _KEY, trouble)
    return trouble


def forget_failure(tx: Transaction, fingerprint: str) -> None:
    """Note that an embedder works again."""
    failure = find_failure(tx)
    if failure is not None and failure.fingerprint == fingerprint:
        tx.execute("DELETE FROM meta WHERE key = ?", (_KEY,))


def _is_final(error: ProviderError) -> bool:
    """Whether a retry is useless: no account, no permission, no model."""
    return isinstance(error, QuotaExhausted | ProviderRejected | ModelMissing)


def _has_vectors(tx: Transaction) -> bool:
    return tx.row("SELECT 1 FROM vectors LIMIT 1") is not None


def meta_value(tx: Transaction, key: str, kind: type[T]) -> T | None:
    """Return a value that `meta` of index.db keeps as JSON, or None."""
    row = tx.row("SELECT value FROM meta WHERE key = ?", (key,))
    return json_cell(row[0], kind) if row else None


def set_meta_value(tx: Transaction, key: str, value: msgspec.Struct) -> None:
    """Keep a value in `meta` of index.db, instead of the one before."""
    tx.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, msgspec.json.encode(value).decode()),
    )
