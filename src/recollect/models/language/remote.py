"""The language model for all remote providers: limits, a budget, costs, and requests for JSON.

The specifics of a provider are in its `LanguageWire`; retries and deadlines are the client's.
"""

from __future__ import annotations

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import InvalidInput, ProviderRejected
from recollect.core.settings import LanguageSettings
from recollect.models.budget import DailyBudget
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryPolicy
from recollect.models.language.model import Completion, Prompt
from recollect.models.language.wires import JsonWay, LanguageWire
from recollect.text.tokens import estimate_tokens

_UNKNOWN_WAY = frozenset({400, 415, 422})
"""Statuses that servers return for an unknown field."""


class RemoteLanguageModel:
    """A language model at a provider. Safe to share between threads.

    Args:
        wire: The provider's format.
        client: Sends the requests; closed with the model.
        settings: The limits of an answer.
        budget: The tokens of a day, and what they cost.
        is_remote: Whether requests leave this machine and network.
    """

    def __init__(
        self,
        wire: LanguageWire,
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
        self.name = f"{wire.provider}:{wire.model}"
        self.is_remote = is_remote
        self._first_way = 0

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

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, prompt: Prompt, way: JsonWay) -> Completion:
        body = self._wire.body(prompt, way)
        # Each try starts a new answer, so it gets the whole time.
        seconds = self._settings.timeout_s
        policy = RetryPolicy(attempt_s=seconds, total_s=seconds)
        with self._budget.hold(most_tokens(prompt), prompt.purpose):
            return self._client.post(
                self._wire.path, body, lambda answer: self._read(answer, prompt), policy
            )

    def _read(self, body: bytes, prompt: Prompt) -> Completion:
        """Return an answer; its cost is counted even if it cannot be used."""
        reply = self._wire.read(body)
        use = reply.use or estimated_use(prompt, reply.text)
        usd = self._budget.charge(use, purpose=prompt.purpose)
        if reply.is_declined:
            raise ProviderRejected(
                f"{self.name} declined to answer",
                hint="choose another model, which may; it is done by rule",
            )
        if not (reply.text.strip() or reply.finish == "length"):
            raise LANGUAGE.unreadable(self._wire.provider)
        model = f"{self._wire.provider}:{reply.model or self._wire.model}"
        return Completion(text=reply.text, use=use, usd=usd, model=model, finish=reply.finish)


def bounded(prompt: Prompt, max_output_tokens: int) -> Prompt:
    """Return a prompt with a limit for its answer: its own, else ``max_output_tokens``.

    Raises:
        InvalidInput: its last message is not the user's.
    """
    if not prompt.messages or prompt.messages[-1].role != "user":
        raise InvalidInput(
            "the last message of a prompt must be the user's", hint="add the question"
        )
    limit = prompt.max_output_tokens or max_output_tokens
    return msgspec.structs.replace(prompt, max_output_tokens=limit)


def most_tokens(prompt: Prompt) -> int:
    """Return the estimated maximum of tokens of a bounded prompt and its answer."""
    return estimated_use(prompt, "").input + prompt.max_output_tokens


def estimated_use(prompt: Prompt, answer: str) -> TokenUse:
    """Return the estimated tokens of a prompt and its answer, within 15 % for most languages."""
    schema = msgspec.json.encode(prompt.schema).decode() if prompt.schema is not None else ""
    texts = [prompt.system, schema, *(each.text for each in prompt.messages)]
    input_tokens = sum(estimate_tokens(text) for text in texts if text)
    return TokenUse(input=input_tokens, output=estimate_tokens(answer))


def _may_be_the_way(error: ProviderRejected) -> bool:
    return error.facts.get("status") in _UNKNOWN_WAY and not error.facts.get("too_large")
