"""Hints for the user when a provider fails: the setting to check, and what works meanwhile.

One value for each kind of model, so that the client, its retries and the budget serve all kinds.
"""

from __future__ import annotations

import msgspec

from recollect.core.errors import ProviderUnavailable


class Hints(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one kind of model, as hints name them.

    Attributes:
        section: The section with address, key, headers and limit.
        choice: The setting that names provider and model.
        size: The setting to check when nothing more is known.
        kind: The kind of model, in the singular.
        meanwhile: What works without an answer.
        slower: How to lower the rate of requests; empty where that is not possible.
        smaller: How to make requests smaller.
    """

    section: str
    choice: str
    size: str
    kind: str
    meanwhile: str
    slower: str = ""
    smaller: str

    def setting(self, name: str) -> str:
        """Return the full name of a setting of the section."""
        return f"{self.section}.{name}"

    def unreadable(self, provider: str) -> ProviderUnavailable:
        """Return the error for an answer of an unknown shape."""
        return ProviderUnavailable(
            f"{provider} sent an answer that cannot be read",
            hint=f"check {self.choice} and {self.setting('base_url')}; it is tried again later",
        )


EMBEDDING = Hints(
    section="embedding.remote",
    choice="embedding.provider",
    size="embedding.dimensions",
    kind="embedding provider",
    meanwhile="search goes on by words",
    slower="embedding.remote.concurrency lowers the rate",
    smaller="lower embedding.remote.batch_tokens",
)
LANGUAGE = Hints(
    section="language",
    choice="language.provider",
    size="language.max_output_tokens",
    kind="language model",
    meanwhile="summaries are made by rule",
    smaller="choose a model that reads more at once",
)
