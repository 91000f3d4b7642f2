"""The language model for all remote providers: limits, a budget, costs, JSON, streams, tools.

The specifics of a provider are in its `LanguageWire`; retries and deadlines are the client's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import ProviderError, ProviderRejected, ProviderUnavailable
from recollect.core.settings import LanguageSettings
from recollect.models.budget import DailyBudget
from recollect.models.cancellation import Cancellation
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import HttpAnswer, ProviderClient
from recollect.models.http.events import ServerSentEvents
from recollect.models.http.retry import RetryPolicy
from recollect.models.language.bounds import (
    bounded,
    declined,
    estimated_input,
    estimated_use,
    most_tokens,
)
from recollect.models.language.model import Completion, OnPiece, Prompt, Toolbox
from recollect.models.language.spoken import SpokenText
from recollect.models.language.tools import MOST_ROUNDS, ToolRound, call_tool
from recollect.models.language.wires import JsonWay, LanguageReply, LanguageWire, ToolRequest
from recollect.text.tokens import estimate_tokens

_UNKNOWN_WAY = frozenset({400, 415, 422})
"""Statuses that servers return for an unknown field."""


class _Provider(NamedTuple):
    """What the calls of a model share."""

    wire: LanguageWire
    client: ProviderClient
    budget: DailyBudget
    policy: RetryPolicy

    def require_usable(self, reply: LanguageReply, *, is_empty: bool) -> None:
        """Raise the error that a reply is: a refusal, or nothing."""
        if reply.is_declined:
            raise declined(f"{self.wire.provider}:{self.wire.model}")
        if is_empty and reply.finish != "length":
            raise LANGUAGE.unreadable(self.wire.provider)

    def completion(
        self, reply: LanguageReply, text: str, use: TokenUse, usd: float | None
    ) -> Completion:
        """Return the answer that a reply completes; raise the error that it is."""
        self.require_usable(reply, is_empty=not text.strip())
        model = f"{self.wire.provider}:{reply.model or self.wire.model}"
        return Completion(text=text, use=use, usd=usd, model=model, finish=reply.finish or "other")


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
        # Each try starts a new answer, so it gets the whole time.
        seconds = settings.timeout_s
        policy = RetryPolicy(attempt_s=seconds, total_s=seconds)
        self._provider = _Provider(wire, client, budget, policy)
        self._settings = settings
        self.name = f"{wire.provider}:{wire.model}"
        self.is_remote = is_remote
        self.close = client.close
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
        ways = self._provider.wire.json_ways
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
        call = _StreamedCall(self._provider, prompt, text, cancellation or Cancellation())
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

    def _ask(self, prompt: Prompt, way: JsonWay) -> Completion:
        wire, client, budget, policy = self._provider
        body = wire.body(prompt, way)
        with budget.hold(most_tokens(prompt), prompt.purpose):
            return client.post(wire.path, body, lambda answer: self._read(answer, prompt), policy)

    def _read(self, body: bytes, prompt: Prompt) -> Completion:
        """Return an answer; its cost is counted even if it cannot be used."""
        reply = self._provider.wire.read(body)
        use = reply.use or estimated_use(prompt, reply.text)
        usd = self._provider.budget.charge(use, purpose=prompt.purpose)
        return self._provider.completion(reply, reply.text, use, usd)


class _StreamedCall:
    """One call that streams: rounds of tools until the model answers.

    Args:
        provider: Of the model.
        prompt: The prompt, bounded.
        text: Gives the answer out.
        cancellation: Ends the call.
    """

    def __init__(
        self, provider: _Provider, prompt: Prompt, text: SpokenText, cancellation: Cancellation
    ) -> None:
        self._provider = provider
        self._prompt = prompt
        self._text = text
        self._cancellation = cancellation
        self._use = TokenUse()
        self._usd: float | None = 0.0

    def run(self, toolbox: Toolbox | None) -> Completion:
        """Return the answer; ``toolbox`` has at least one tool.

        Raises:
            ProviderError: as `LanguageModel.stream`.
        """
        rounds: list[ToolRound] = []
        try:
            while True:
                reply = self._next_reply(toolbox, rounds)
                if toolbox is None or not reply.calls or len(rounds) == MOST_ROUNDS:
                    return self._provider.completion(reply, self._text.whole, self._use, self._usd)
                rounds.append(self._call_tools(reply, toolbox))
        except ProviderError as error:
            if self._text.pieces or rounds:
                error.facts["partial"] = True
            raise

    def _next_reply(self, toolbox: Toolbox | None, rounds: list[ToolRound]) -> LanguageReply:
        wire, client, budget, policy = self._provider
        specs = toolbox.specs if toolbox else ()
        request = ToolRequest(specs=specs, rounds=rounds, is_last=len(rounds) == MOST_ROUNDS)
        body = wire.stream_body(self._prompt, request)
        input_tokens = estimated_input(self._prompt, specs, rounds)
        with budget.hold(input_tokens + self._prompt.max_output_tokens, self._prompt.purpose):
            return client.stream(
                wire.path,
                body,
                lambda pieces: self._hear(pieces, input_tokens),
                policy,
                self._cancellation,
            )

    def _hear(self, pieces: Iterator[bytes], input_tokens: int) -> LanguageReply:
        """Give out what a reply adds to the text; whatever was received of it is paid."""
        before = self._text.pieces
        self._text.begin_round()
        reply = self._provider.wire.receive()
        events = ServerSentEvents(pieces)
        try:
            for event in events:
                self._text.say(reply.take(event))
                if reply.is_over:
                    break
            self._require_whole(events, reply)
        except ProviderError as error:
            if self._text.pieces > before:
                error.facts["partial"] = True
            raise
        finally:
            self._charge(reply, input_tokens)
        return reply

    def _require_whole(self, events: ServerSentEvents, reply: LanguageReply) -> None:
        if reply.finish is None:
            if events.other:
                body = events.other
                answer = HttpAnswer(status=200, headers={}, body=body, size=len(body))
                self._provider.client.require_normal(answer)
            raise ProviderUnavailable(
                f"{self._provider.wire.provider} broke the answer off",
                hint=f"ask again; check {LANGUAGE.setting('base_url')}",
            )
        is_empty = not (reply.text.strip() or reply.calls)
        self._provider.require_usable(reply, is_empty=is_empty)

    def _charge(self, reply: LanguageReply, input_tokens: int) -> None:
        """Charge what came of a reply; one that ends early has counted no output, or hardly any."""
        if not (reply.use or reply.written or self._cancellation.is_cancelled):
            return
        use = reply.use or TokenUse(input=input_tokens)
        if not (reply.finish and use.output):
            output = max(use.output, estimate_tokens(reply.written))
            use = msgspec.structs.replace(use, output=output)
        usd = self._provider.budget.charge(use, purpose=self._prompt.purpose)
        self._use += use
        self._usd = None if self._usd is None or usd is None else self._usd + usd

    def _call_tools(self, reply: LanguageReply, toolbox: Toolbox) -> ToolRound:
        outcomes = []
        for call in reply.calls:
            self._cancellation.require_going()
            outcomes.append(call_tool(toolbox, call.name, call.decoded))
        return ToolRound(
            text=reply.text,
            calls=tuple(reply.calls),
            outcomes=tuple(outcomes),
            thoughts=tuple(reply.thoughts),
        )


def _may_be_the_way(error: ProviderRejected) -> bool:
    return error.facts.get("status") in _UNKNOWN_WAY and not error.facts.get("too_large")
