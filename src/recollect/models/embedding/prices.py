"""What embedding texts costs: list prices.

List prices in USD for a million tokens, asked for directly (not in a batch). Source: the price
pages of OpenAI (January 2024, unchanged since), Voyage AI (January 2026), Gemini (April 2026).
Prices change, and an account may have others: ``embedding.remote.price_per_million`` goes before
the table.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.core.settings import RemoteSettings

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


def price(model: str, settings: RemoteSettings) -> float | None:
    """Return USD for a million tokens of ``provider:model``; None where it is not known.

    >>> price("openai:text-embedding-3-small", RemoteSettings())
    0.02
    """
    if settings.price_per_million is not None:
        return settings.price_per_million
    return LIST_PRICES.get(model)
