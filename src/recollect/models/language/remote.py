"""The language model for all remote providers: limits, a budget, costs, and requests for JSON.

The specifics of a provider are in its `LanguageWire`; retries and deadlines are the client's.
"""

from __future__ import annotations

from recollect.core.errors import ProviderRejected
from recollect.core.settings import LanguageSettings
from recollect.models.budget import DailyBudget
from recollect.models.cancellation import Cancellation
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryPolicy
from recollect.models.language.bounds import bounded, declined, estimated_use, most_tokens
from recollect.models.language.model import Completion, OnPiece, Prompt, Toolbox
from recollect.models.language.spoken import SpokenText
from recollect.models.language.streamed_call import RemoteParts, StreamedCall
from recollect.models.language.streams import Dialect
from recollect.models.language.wires import JsonWay, LanguageWire

_UNKNOWN_WAY = frozenset({400, 415, 422})
"""Statuses that servers return for an unknown field."""


class RemoteLanguageModel:
    """A language model at a provider. Safe to share between threads.

    Args:
        wire: The provider's format.
        dialect: What it adds for streams.
        client: Sends the requests; closed with the model.
        settings: The limits of an answer.
        budget: The tokens of a day, and what they cost.
        is_remote: Whether requests leave this machine and network.
    """

    def __init__(
        self,
        wire: LanguageWire,
        dialect: Dialect,
        client: ProviderClient,
        settings: LanguageSettings,
        budget: DailyBudget,
        *,
        is_remote: bool = True,
    ) -> None:
        self._wire = wire
        self._client = client
        self._settings = settings
        self._budget = budget
        # Each try starts a new answer, so it gets the whole time.
        seconds = settings.timeout_s
        self._policy = RetryPolicy(attempt_s=seconds, total_s=seconds)
        self._parts = RemoteParts(wire, dialect, client, budget, self._policy)
        self.name = f"{wire.provider}:{wire.model}"
        self.is_remote = is_remote
        self._first_way = 0
        self._takes_tools = True

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer; a server without support for schemas gets another kind of request.

        Raises:
            InvalidInput: the last message of the prompt is not the user's.
            ProviderUnavailable: there was none in time, or the day's tokens are spent.
            ProviderRejected: the provider refuses the request, or the model declines.
        """
        prompt = bounded(prompt, self._settings.max_output_tokens)
        ways = self._wire.json_ways
        if prompt.schema is None:
            return self._ask(prompt, ways[-1])
        for way in range(self._first_way, len(ways) - 1):
            try:
                completion = self._ask(prompt, ways[way])
            except ProviderRejected as error:
                if not _may_be_the_way(error):
                    raise
            else:
                self._first_way = way
                return completion
        completion = self._ask(prompt, ways[-1])
        self._first_way = len(ways) - 1
        return completion

    def stream(
        self,
        prompt: Prompt,
        on_piece: OnPiece,
        *,
        toolbox: Toolbox | None = None,
        cancellation: Cancellation | None = None,
    ) -> Completion:
        """Return the answer, given out in pieces; a model without tools answers without them.

        Raises:
            InvalidInput: the last message of the prompt is not the user's.
            Cancelled: it was cancelled.
            ProviderUnavailable: there was none in time, it broke off, or the day's tokens are
                spent.
            ProviderRejected: the provider refuses the request, or the model declines.
        """
        prompt = bounded(prompt, self._settings.max_output_tokens)
        text = SpokenText(on_piece)
        call = StreamedCall(self._parts, prompt, text, cancellation or Cancellation())
        if toolbox is None or not toolbox.specs or not self._takes_tools:
            return call.run(None)
        try:
            return call.run(toolbox)
        except ProviderRejected as error:
            if error.facts.get("partial") or not _may_be_the_way(error):
                raise
        completion = call.run(None)
        self._takes_tools = False
        return completion

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, prompt: Prompt, way: JsonWay) -> Completion:
        body = self._wire.body(prompt, way)
        with self._budget.hold(most_tokens(prompt), prompt.purpose):
            return self._client.post(
                self._wire.path, body, lambda answer: self._read(answer, prompt), self._policy
            )

    def _read(self, body: bytes, prompt: Prompt) -> Completion:
        """Return an answer; its cost is counted even if it cannot be used."""
        reply = self._wire.read(body)
        use = reply.use or estimated_use(prompt, reply.text)
        usd = self._budget.charge(use, purpose=prompt.purpose)
        if reply.is_declined:
            raise declined(self.name)
        if not (reply.text.strip() or reply.finish == "length"):
            raise LANGUAGE.unreadable(self._wire.provider)
        model = f"{self._wire.provider}:{reply.model or self._wire.model}"
        return Completion(text=reply.text, use=use, usd=usd, model=model, finish=reply.finish)


def _may_be_the_way(error: ProviderRejected) -> bool:
    return error.facts.get("status") in _UNKNOWN_WAY and not error.facts.get("too_large")
