"""What language models cost: list prices, and the cost of an answer.

List prices in USD for a million tokens, without batches and long-context surcharges. Source: the
price pages of OpenAI (June 2026) and Anthropic (October 2026), which also say what a provider's
cache costs in shares of the price of input. Prices change, and an account may have others:
``language.input_price`` and ``language.output_price`` go before the table.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.settings import LanguageSettings

_MILLION = 1_000_000


class LanguagePrice(msgspec.Struct, frozen=True, kw_only=True):
    """USD for a million tokens.

    Attributes:
        input: Of what is read.
        output: Of what is written.
        cache_read: Share of `input` that a token from the cache costs.
        cache_write: Share of `input` that a token put into it costs.
    """

    input: float
    output: float
    cache_read: float = 0.1
    cache_write: float = 1.25

    def usd(self, use: TokenUse) -> float:
        """Return what ``use`` costs.

        >>> LanguagePrice(input=1.0, output=5.0).usd(TokenUse(input=1_000_000, output=200_000))
        2.0
        """
        read = use.input + self.cache_read * use.cache_read + self.cache_write * use.cache_write
        return (self.input * read + self.output * use.output) / _MILLION


LIST_PRICES: Mapping[str, LanguagePrice] = {
    "openai:gpt-5": LanguagePrice(input=1.25, output=10.0),
    "openai:gpt-5-mini": LanguagePrice(input=0.25, output=2.0),
    "openai:gpt-5-nano": LanguagePrice(input=0.05, output=0.4),
    "openai:gpt-5.4": LanguagePrice(input=2.5, output=15.0),
    "openai:gpt-5.4-mini": LanguagePrice(input=0.75, output=4.5),
    "openai:gpt-5.4-nano": LanguagePrice(input=0.2, output=1.25),
    "openai:gpt-5.5": LanguagePrice(input=5.0, output=30.0),
    "openai:gpt-4.1-mini": LanguagePrice(input=0.4, output=1.6, cache_read=0.25),
    "openai:gpt-4o-mini": LanguagePrice(input=0.15, output=0.6, cache_read=0.5),
    "anthropic:claude-haiku-4-5": LanguagePrice(input=1.0, output=5.0),
    "anthropic:claude-sonnet-4-5": LanguagePrice(input=3.0, output=15.0),
    "anthropic:claude-sonnet-4-6": LanguagePrice(input=3.0, output=15.0),
    "anthropic:claude-sonnet-5": LanguagePrice(input=2.0, output=10.0),
    "anthropic:claude-opus-4-5": LanguagePrice(input=5.0, output=25.0),
    "anthropic:claude-opus-5": LanguagePrice(input=5.0, output=25.0),
    "anthropic:claude-opus-5-5": LanguagePrice(input=4.0, output=20.0, cache_read=0.05),
}
"""``provider:model`` -> its price; a dated name (``gpt-5-2025-08-07``) has that of its model."""


def language_price(name: str, settings: LanguageSettings) -> LanguagePrice | None:
    """Return the price of ``provider:model``; None where it is not known.

    >>> language_price("openai:gpt-5-mini-2025-08-07", LanguageSettings()).output
    2.0
    """
    listed = _listed(name)
    if settings.input_price is None and settings.output_price is None:
        return listed
    return LanguagePrice(
        input=_first(settings.input_price, listed.input if listed else 0.0),
        output=_first(settings.output_price, listed.output if listed else 0.0),
        cache_read=listed.cache_read if listed else 1.0,
        cache_write=listed.cache_write if listed else 1.0,
    )


def _first(given: float | None, otherwise: float) -> float:
    return otherwise if given is None else given


def _listed(name: str) -> LanguagePrice | None:
    if name in LIST_PRICES:
        return LIST_PRICES[name]
    dated = [known for known in LIST_PRICES if name.startswith(f"{known}-2")]
    return LIST_PRICES[max(dated, key=len)] if dated else None
