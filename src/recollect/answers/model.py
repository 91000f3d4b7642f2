"""Uses of models: what they would take, as ``--json`` answers it, and what they cost, over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.governance.use_preview import UsePreview
from recollect.store.usage_ledger import Spent


class UseList(msgspec.Struct, frozen=True, kw_only=True):
    """What each use of the language model would take."""

    uses: Sequence[UsePreview]


class SpendingEntry(msgspec.Struct, frozen=True, kw_only=True):
    """The use of one model in a day, for one purpose.

    Attributes:
        day: Such as ``2026-02-10``, UTC.
        kind: ``embedding`` or ``language``.
        purpose: What a language model was asked for, see ``language.uses``; else empty.
        provider: Whose model; empty of use from before models were distinguished.
        model: Its name there.
        requests: Answers received.
        input_tokens: Read, without those from the provider's cache.
        output_tokens: Written.
        cache_read_tokens: Taken from the cache.
        cache_write_tokens: Put into it.
        usd: The cost of the answers with a known price.
        unpriced: Answers without one.
    """

    day: str
    kind: str
    purpose: str
    provider: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    usd: float
    unpriced: int


class SpendingList(msgspec.Struct, frozen=True, kw_only=True):
    """What models used and cost, by day, oldest first.

    Attributes:
        spending: One entry for each day, kind, purpose and model.
        tokens: Of all of them.
        usd: Of those with a known price.
    """

    spending: tuple[SpendingEntry, ...]
    tokens: int
    usd: float


def spending_list(spent: Sequence[Spent]) -> SpendingList:
    """Return what models cost as HTTP answers it."""
    return SpendingList(
        spending=tuple(map(_entry, spent)),
        tokens=sum(each.use.total for each in spent),
        usd=sum(each.usd for each in spent),
    )


def _entry(of: Spent) -> SpendingEntry:
    provider, _, model = of.model.partition(":")
    use = {f"{name}_tokens": count for name, count in msgspec.structs.asdict(of.use).items()}
    return SpendingEntry(
        day=of.day,
        kind=of.kind,
        purpose=of.purpose,
        provider=provider,
        model=model,
        requests=of.requests,
        usd=of.usd,
        unpriced=of.unpriced,
        **use,
    )
