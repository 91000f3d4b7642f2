"""What embedding texts will cost: list prices, and estimates before a large job.

List prices in USD for a million tokens, asked for directly (not in a batch). Source: the price
pages of OpenAI (January 2024, unchanged since), Voyage AI (January 2026), Gemini (April 2026).
Prices change, and an account may have others: ``embedding.remote.price_per_million`` goes before
the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from recollect.core.settings import RemoteSettings
from recollect.text.tokens import estimate_tokens

LIST_PRICES: Mapping[str, float] = {
    "openai:text-embedding-3-small": 0.02,
    "openai:text-embedding-3-large": 0.13,
    "openai:text-embedding-ada-002": 0.10,
    "gemini:gemini-embedding-001": 0.15,
    "voyage:voyage-4-large": 0.12,
    "voyage:voyage-4": 0.06,
    "voyage:voyage-4-lite": 0.02,
    "voyage:voyage-3-large": 0.18,
    "voyage:voyage-3.5": 0.06,
    "voyage:voyage-3.5-lite": 0.02,
    "voyage:voyage-code-3": 0.18,
}
"""``provider:model`` -> USD for a million tokens."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """What a job will take.

    Attributes:
        texts: How many texts.
        tokens: Estimated tokens, within 15 % for most languages.
        usd: What they cost; None where the price is not known.
    """

    texts: int
    tokens: int
    usd: float | None


def price(model: str, settings: RemoteSettings) -> float | None:
    """Return USD for a million tokens of ``provider:model``; None where it is not known.

    >>> price("openai:text-embedding-3-small", RemoteSettings())
    0.02
    """
    if settings.price_per_million is not None:
        return settings.price_per_million
    return LIST_PRICES.get(model)


def estimate_cost(texts: Iterable[str], per_million: float | None) -> Estimate:
    """Return what embedding ``texts`` takes; nothing is sent.

    Args:
        texts: Each is read once, none is kept.
        per_million: USD for a million tokens; 0 for a model that nobody bills.
    """
    count = tokens = 0
    for text in texts:
        count += 1
        tokens += estimate_tokens(text)
    usd = None if per_million is None else tokens * per_million / 1_000_000
    return Estimate(texts=count, tokens=tokens, usd=usd)
