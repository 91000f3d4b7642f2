"""A language model that remembers how it went, so that a status can tell of it.

Those who ask a model go on by rule where it fails; without this nobody would hear of the failure.
"""

from __future__ import annotations

from recollect.core.errors import ProviderError
from recollect.models.language import Completion, LanguageModel, Prompt


class WatchedModel:
    """Passes everything on, and keeps the last failure until an answer comes.

    Args:
        inner: Who is asked.
    """

    def __init__(self, inner: LanguageModel) -> None:
        self.inner = inner
        self.trouble: str | None = None

    @property
    def name(self) -> str:
        """Return ``provider:model``."""
        return self.inner.name

    @property
    def is_remote(self) -> bool:
        """Tell whether what is asked leaves this machine or network."""
        return self.inner.is_remote

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer; see `LanguageModel.complete`."""
        try:
            found = self.inner.complete(prompt)
        except ProviderError as error:
            self.trouble = error.message
            raise
        self.trouble = None
        return found

    def close(self) -> None:
        """Give connections back."""
        self.inner.close()
