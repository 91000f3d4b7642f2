"""The embedders of an index: the one that the settings choose, and the one that takes over from it.

Vectors of the two never meet: a generation belongs to one of them, and a question is embedded by
whichever fits the generation that answers.
"""

from __future__ import annotations

import msgspec

from recollect.models.embedder import Embedder


class Embedders(msgspec.Struct, frozen=True, kw_only=True):
    """The small set.

    Attributes:
        first: The one of the settings; None for words only.
        fallback: Takes over when the first one cannot be used; None for words only.
        was_found: Nobody named the first one: a key for it lay in the environment.
    """

    first: Embedder | None = None
    fallback: Embedder | None = None
    was_found: bool = False

    def fitting(self, fingerprint: str) -> Embedder | None:
        """Return the one whose vectors a generation holds, or None."""
        both = (self.first, self.fallback)
        return next((e for e in both if e is not None and e.fingerprint == fingerprint), None)

    def wanted(self, given_up: str) -> Embedder | None:
        """Return the one that an index built now would use.

        Args:
            given_up: Fingerprint of an embedder that cannot be used now; empty for none.
        """
        is_given_up = self.first is not None and self.first.fingerprint == given_up
        return self.fallback if is_given_up and self.fallback is not None else self.first


def is_paid(embedder: Embedder) -> bool:
    """Return whether somebody bills for its tokens; a remote one that does not say so counts."""
    return bool(getattr(embedder, "is_paid", embedder.is_remote))
