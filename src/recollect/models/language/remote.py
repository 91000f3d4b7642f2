"""The language model of all remote providers: limits, a budget, costs, and how JSON is asked for.

What is particular to a provider is in its `LanguageWire`; tries and deadlines are the client's.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from recollect.core.bill import Bill, TokenUse
from recollect.core.errors import InvalidInput, ProviderRejected
from recollect.models.budget import DailyBudget
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import ProviderClient
from recollect.models.http.retry import RetryPolicy
from recollect.models.language.model import Completion, Prompt
from recollect.models.language.wire import JsonWay, LanguageReply, LanguageWire
from recollect.text.tokens import estimate_tokens

Price = Callable[[TokenUse], float | None]
"""Returns what some tokens cost in USD; None where that is not known."""

_UNKNOWN_WAY = frozenset({400, 415, 422})
"""Statuses with which servers answer to a field that they do not know."""


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """How much one model may take.

    Attributes:
        budget: The tokens of a day.
        price: What they cost.
        max_output_tokens: Longest answer where a prompt does not say it.
        timeout_s: Longest an answer may take, tries and waits included.
    """

    budget: DailyBudget
    price: Price
    max_output_tokens: int
    timeout_s: float

    def bounded(self, prompt: Prompt) -> Prompt:
        """Return the prompt with a limit for its answer.

        Raises:
            InvalidInput: it asks nothing.
        """
        if not prompt.messages or prompt.messages[-1].role != "user":
            raise InvalidInput("a prompt ends with a message of the user", hint="add the question")
        limit = prompt.max_output_tokens or self.max_output_tokens
        return msgspec.structs.replace(prompt, max_output_tokens=limit)

    def charge(self, model: str, use: TokenUse, usd: float | None = None) -> float | None:
        """Count what an answer took; return what it cost.

        Args:
            model: ``provider:model``.
            use: Its tokens.
            usd: What the provider says that it cost; None has it computed.
        """
        usd = self.price(use) if usd is None else usd
        self.budget.charge(Bill(model=model, use=use, usd=usd))
        return usd


class RemoteLanguageModel:
    """Asks a language model at a provider. Safe to share between threads.

    Args:
        wire: The provider's format.
        client: Asks it; closed with the model.
        allowance: How much it may take.
        is_remote: What is asked leaves this machine and network.
    """

    def __init__(
        self,
        wire: LanguageWire,
        client: ProviderClient,
        allowance: Allowance,
        *,
        is_remote: bool = True,
    ) -> None:
        self._wire = wire
        self._client = client
        self._allowance = allowance
        self._is_remote = is_remote
        self._first_way = 0

    @property
    def name(self) -> str:
        """Return ``provider:model``."""
        return f"{self._wire.provider}:{self._wire.model}"

    @property
    def is_remote(self) -> bool:
        """Tell whether what is asked leaves this machine and network."""
        return self._is_remote

    def complete(self, prompt: Prompt) -> Completion:
        """Return the answer; a server that does not know schemas is asked another way.

        Raises:
            InvalidInput: the prompt asks nothing.
            ProviderUnavailable: there was none in time, or the day's tokens are spent.
            ProviderRejected: the provider refuses the request, or the model declines.
        """
        prompt = self._allowance.bounded(prompt)
        ways = self._wire.json_ways
        if prompt.schema is None:
            return self._ask(prompt, ways[-1])
        for place in range(self._first_way, len(ways) - 1):
            try:
                found = self._ask(prompt, ways[place])
            except ProviderRejected as error:
                if not _may_be_the_way(error):
                    raise
            else:
                self._first_way = place
                return found
        found = self._ask(prompt, ways[-1])
        self._first_way = len(ways) - 1
        return found

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def _ask(self, prompt: Prompt, way: JsonWay) -> Completion:
        body = self._wire.body(prompt, way)
        most = prompt_tokens(prompt) + prompt.max_output_tokens
        # Each try starts a new answer, so there is no shorter deadline for one of them.
        seconds = self._allowance.timeout_s
        policy = RetryPolicy(attempt_s=seconds, total_s=seconds)
        with self._allowance.budget.hold(most):
            reply, usd = self._client.post(
                self._wire.path, body, lambda answer: self._read(answer, prompt), policy
            )
        return self._completion(reply, usd, prompt)

    def _read(self, body: bytes, prompt: Prompt) -> tuple[LanguageReply, float | None]:
        """Return an answer and its cost; what was paid for is counted even if it is no use."""
        reply = self._wire.read(body)
        usd = self._allowance.charge(self.name, _used(reply, prompt))
        if not (reply.text.strip() or reply.is_declined or reply.finish == "length"):
            raise LANGUAGE.unreadable(self._wire.provider)
        return reply, usd

    def _completion(self, reply: LanguageReply, usd: float | None, prompt: Prompt) -> Completion:
        if reply.is_declined:
            raise ProviderRejected(
                f"{self.name} declined to answer", hint="it is done by rule; another model may"
            )
        return Completion(
            text=reply.text,
            use=_used(reply, prompt),
            usd=usd,
            model=f"{self._wire.provider}:{reply.model or self._wire.model}",
            finish=reply.finish,
        )


def prompt_tokens(prompt: Prompt) -> int:
    """Return the tokens of a prompt, estimated: within 15 % for most languages."""
    schema = msgspec.json.encode(prompt.schema).decode() if prompt.schema is not None else ""
    texts = [prompt.system, schema, *(each.text for each in prompt.messages)]
    return sum(estimate_tokens(text) for text in texts if text)


def _used(reply: LanguageReply, prompt: Prompt) -> TokenUse:
    if reply.use is not None:
        return reply.use
    return TokenUse(input=prompt_tokens(prompt), output=estimate_tokens(reply.text))


def _may_be_the_way(error: ProviderRejected) -> bool:
    return error.facts.get("status") in _UNKNOWN_WAY and not error.facts.get("too_large")
