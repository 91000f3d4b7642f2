"""What a user reads when a provider fails: which setting to look at, and what goes on meanwhile.

One value for each kind of model, so that the client, its tries and the budget serve them all.
"""

from __future__ import annotations

import msgspec

from recollect.core.errors import ProviderUnavailable


class Hints(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one kind of model, as hints name them.

    Attributes:
        section: Holds address, key, headers and limit.
        choice: The setting that names provider and model.
        size: The setting to look at when nothing more is known.
        kind: Who fails, one of them.
        meanwhile: What goes on without an answer.
        slower: What lowers the rate of requests; empty where nothing does.
        smaller: What makes requests smaller.
    """

    section: str
    choice: str
    size: str
    kind: str
    meanwhile: str
    slower: str = ""
    smaller: str

    def setting(self, name: str) -> str:
        """Return the whole name of a setting of the section."""
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
