"""Prices of models, and the cost of an answer.

List prices in USD for a million tokens of direct requests: without batches and long-context
surcharges. Source: the price pages of OpenAI (embeddings January 2024, unchanged since; language
models June 2026), Voyage AI (January 2026), Gemini (April 2026) and Anthropic (October 2026), which
also give the prices of a provider's cache as shares of the price of input. Prices change, and an
account may have others: those of the settings override the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.settings import LanguageSettings, RemoteSettings

_MILLION = 1_000_000


class Price(msgspec.Struct, frozen=True):
    """USD for a million tokens.

    Attributes:
        input: Of tokens read.
        output: Of tokens written; an embedder writes nothing.
        cache_read: The price of a token from the cache, as a share of `input`.
        cache_write: The price of a token written to it, as a share of `input`.
    """

    input: float
    output: float = 0.0
    cache_read: float = 0.1
    cache_write: float = 1.25

    def usd(self, use: TokenUse) -> float:
        """Return the cost of ``use`` in US dollars.

        >>> Price(input=1.0, output=5.0).usd(TokenUse(input=1_000_000, output=200_000))
        2.0
        """
        input_units = (
            use.input + self.cache_read * use.cache_read + self.cache_write * use.cache_write
        )
        return (self.input * input_units + self.output * use.output) / _MILLION


_TABLE = """
    openai:text-embedding-3-small   0.02
    openai:text-embedding-3-large   0.13
    openai:text-embedding-ada-002   0.10
    gemini:gemini-embedding-001     0.15
    voyage:voyage-4-large           0.12
    voyage:voyage-4                 0.06
    voyage:voyage-4-lite            0.02
    voyage:voyage-3-large           0.18
    voyage:voyage-3.5               0.06
    voyage:voyage-3.5-lite          0.02
    voyage:voyage-code-3            0.18
    openai:gpt-5                    1.25  10.0
    openai:gpt-5-mini               0.25   2.0
    openai:gpt-5-nano               0.05   0.4
    openai:gpt-5.4                  2.5   15.0
    openai:gpt-5.4-mini             0.75   4.5
    openai:gpt-5.4-nano             0.2    1.25
    openai:gpt-5.5                  5.0   30.0
    openai:gpt-4.1-mini             0.4    1.6   0.25
    openai:gpt-4o-mini              0.15   0.6   0.5
    anthropic:claude-haiku-4-5      1.0    5.0
    anthropic:claude-sonnet-4-5     3.0   15.0
    anthropic:claude-sonnet-4-6     3.0   15.0
    anthropic:claude-sonnet-5       2.0   10.0
    anthropic:claude-opus-4-5       5.0   25.0
    anthropic:claude-opus-5         5.0   25.0
    anthropic:claude-opus-5-5       4.0   20.0   0.05
"""


@cache
def list_prices() -> Mapping[str, Price]:
    """Return prices by ``provider:model``; a dated name (``gpt-5-2025-08-07``) has its model's."""
    lines = map(str.split, _TABLE.strip().splitlines())
    return {name: Price(*map(float, numbers)) for name, *numbers in lines}


def embedding_price(name: str, settings: RemoteSettings) -> float | None:
    """Return USD for a million tokens of ``provider:model``; None where it is not known.

    >>> embedding_price("openai:text-embedding-3-small", RemoteSettings())
    0.02
    """
    if settings.price_per_million is not None:
        return settings.price_per_million
    price = list_prices().get(name)
    return price.input if price else None


def language_price(name: str, settings: LanguageSettings) -> Price | None:
    """Return the price of ``provider:model``; None where it is not known.

    >>> language_price("openai:gpt-5-mini-2025-08-07", LanguageSettings()).output
    2.0
    """
    list_price = list_prices().get(name) or _of_dated_name(name)
    if settings.input_price is None and settings.output_price is None:
        return list_price
    price = list_price or Price(0.0, cache_read=1.0, cache_write=1.0)
    overrides = {"input": settings.input_price, "output": settings.output_price}
    return msgspec.structs.replace(price, **{k: v for k, v in overrides.items() if v is not None})


def _of_dated_name(name: str) -> Price | None:
    dated = [price_name for price_name in list_prices() if name.startswith(f"{price_name}-2")]
    return list_prices()[max(dated, key=len)] if dated else None
