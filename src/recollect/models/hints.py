"""What people are told when a provider fails: which setting to look at, and what goes on meanwhile.

One value for each kind of model, so that the client, its tries and the budget serve them all.
"""

from __future__ import annotations

import msgspec

from recollect.core.errors import ProviderUnavailable


class Hints(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of one kind of model, as hints name them.

    Attributes:
        section: Where address, key, headers and limit stand.
        choice: The setting that names provider and model.
        meanwhile: What goes on without an answer.
        slower: What lowers the rate of requests.
        smaller: What makes requests smaller.
        otherwise: What to look at when nothing more is known.
        kind: Who fails, one of them.
        waiting: What waits when the day's tokens are spent.
    """

    section: str
    choice: str
    meanwhile: str
    slower: str
    smaller: str
    otherwise: str
    kind: str
    waiting: str

    @property
    def address(self) -> str:
        """Return the setting that holds the address."""
        return f"{self.section}.base_url"

    @property
    def key(self) -> str:
        """Return the setting that holds the key."""
        return f"{self.section}.api_key"

    @property
    def headers(self) -> str:
        """Return the setting that holds more headers."""
        return f"{self.section}.headers"

    @property
    def limit(self) -> str:
        """Return the setting that limits the tokens of a day."""
        return f"{self.section}.daily_tokens"

    def unreadable(self, provider: str) -> ProviderUnavailable:
        """Return the error for an answer of an unknown shape."""
        return ProviderUnavailable(
            f"{provider} sent an answer that cannot be read",
            hint=f"check {self.choice} and {self.address}; it is tried again later",
        )


EMBEDDING = Hints(
    section="embedding.remote",
    choice="embedding.provider",
    meanwhile="search goes on by words",
    slower="embedding.remote.concurrency lowers the rate",
    smaller="lower embedding.remote.batch_tokens",
    otherwise="check the model's name and embedding.dimensions",
    kind="embedding provider",
    waiting="texts wait for the next day (UTC)",
)
LANGUAGE = Hints(
    section="language",
    choice="language.provider",
    meanwhile="summaries are made by rule",
    slower="until then summaries are made by rule",
    smaller="choose a model that reads more at once",
    otherwise="check the model's name and language.max_output_tokens",
    kind="language model",
    waiting="summaries are made by rule until the next day (UTC)",
)
