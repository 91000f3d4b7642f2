"""The cost of a request to a provider: tokens, and money where the price is known.

Values only: `models` makes them, `store` adds them up.
"""

from __future__ import annotations

import msgspec


class TokenUse(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a request.

    Attributes:
        input: Read by the model, without those from its cache.
        output: Written by the model, including its reasoning.
        cache_read: Taken from the provider's cache.
        cache_write: Written to it.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def total(self) -> int:
        """Return all of them."""
        return self.input + self.output + self.cache_read + self.cache_write

    def __add__(self, other: TokenUse) -> TokenUse:
        """Return the tokens of both."""
        return TokenUse(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
        )


class Bill(msgspec.Struct, frozen=True, kw_only=True):
    """The cost of a request.

    Attributes:
        model: ``provider:model``; empty where it is not known.
        use: Its tokens.
        usd: The price; None where the price is not known.
        purpose: The use of a language model: one of ``language.uses``; else empty.
    """

    model: str = ""
    use: TokenUse
    usd: float | None = None
    purpose: str = ""
