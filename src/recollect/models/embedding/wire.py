"""The port of a provider's wire format: how requests look and what answers mean.

A wire knows paths, bodies and limits of one provider. It sends nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Protocol

import msgspec

from recollect.models.embedding.raw_vectors import VectorReply

Purpose = Literal["query", "document"]
"""What a text is embedded for; some models treat questions and texts differently."""


class WireRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request: its path after the base URL, and its body before it becomes JSON."""

    path: str
    body: Mapping[str, object]


class Wire(Protocol):
    """One provider's wire format."""

    @property
    def provider(self) -> str:
        """Return the provider's name."""

    @property
    def model(self) -> str:
        """Return the model's name, as the provider knows it."""

    @property
    def max_texts(self) -> int:
        """Return how many texts a request may have."""

    @property
    def known_dimensions(self) -> int:
        """Return the size of the vectors, or 0 where only the provider knows it."""

    @property
    def identity(self) -> Mapping[str, object]:
        """Return what else decides the vectors: dimensions asked for, input types."""

    def request(self, texts: Sequence[str], purpose: Purpose) -> WireRequest:
        """Return the request for the vectors of ``texts``; a query comes alone."""

    def read(self, body: bytes, purpose: Purpose) -> VectorReply:
        """Return what an answer says.

        Raises:
            ProviderUnavailable: it cannot be read.
        """


class ModelWire(msgspec.Struct, frozen=True, kw_only=True):
    """What every wire says of its model; a provider adds its requests and answers.

    Attributes:
        model: The model's name.
        dimensions: Size to ask for; 0 is the model's own.
    """

    model: str
    dimensions: int = 0

    provider: ClassVar[str]
    max_texts: ClassVar[int]
    """Texts that a request may have."""
    sizes: ClassVar[Mapping[str, int]]
    """Sizes of the vectors of known models."""

    @property
    def known_dimensions(self) -> int:
        """Return what is asked for, else the model's own size where it is known, else 0."""
        return self.dimensions or self.sizes.get(self.model, 0)
