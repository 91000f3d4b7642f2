"""One call of a remote model that streams: rounds of tools until the model answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.errors import ProviderError
from recollect.models.budget import DailyBudget
from recollect.models.cancellation import Cancellation
from recollect.models.hints import LANGUAGE
from recollect.models.http.client import HttpAnswer, ProviderClient
from recollect.models.http.events import ServerSentEvents
from recollect.models.http.retry import RetryPolicy
from recollect.models.language.bounds import declined, estimated_input
from recollect.models.language.model import Completion, Prompt, Toolbox
from recollect.models.language.spoken import SpokenText
from recollect.models.language.streams import Dialect, StreamedReply, ToolRequest, broken_off
from recollect.models.language.tools import MOST_ROUNDS, ToolRound, call_tool
from recollect.models.language.wires import LanguageReply, LanguageWire
from recollect.text.tokens import estimate_tokens


class CallCost:
    """Tokens and costs of a call so far."""

    def __init__(self) -> None:
        self.use = TokenUse()
        self.usd: float | None = 0.0

    def add(self, use: TokenUse, usd: float | None) -> None:
        """Add a request; the cost of all is known if that of each is."""
        self.use += use
        self.usd = None if self.usd is None or usd is None else self.usd + usd


class RemoteParts(NamedTuple):
    """What the calls of one remote model share."""

    wire: LanguageWire
    dialect: Dialect
    client: ProviderClient
    budget: DailyBudget
    policy: RetryPolicy


class StreamedCall:
    """One call.

    Args:
        parts: Of the model.
        prompt: The prompt, bounded.
        text: Gives the answer out.
        cancellation: Ends the call.
    """

    def __init__(
        self, parts: RemoteParts, prompt: Prompt, text: SpokenText, cancellation: Cancellation
    ) -> None:
        self._parts = parts
        self._prompt = prompt
        self._text = text
        self._cancellation = cancellation
        self._tally = CallCost()

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
                    return self._completion(reply)
                rounds.append(self._call_tools(reply, toolbox))
        except ProviderError as error:
            if self._text.pieces or rounds:
                error.facts["partial"] = True
            raise

    def _next_reply(self, toolbox: Toolbox | None, rounds: list[ToolRound]) -> LanguageReply:
        parts, is_last = self._parts, len(rounds) == MOST_ROUNDS
        specs = toolbox.specs if toolbox else ()
        request = ToolRequest(specs=specs, rounds=rounds, is_last=is_last)
        body = parts.dialect.body(self._prompt, request)
        input_tokens = estimated_input(self._prompt, specs, rounds)
        with parts.budget.hold(input_tokens + self._prompt.max_output_tokens, self._prompt.purpose):
            return parts.client.stream(
                parts.wire.path,
                body,
                lambda pieces: self._hear(pieces, input_tokens),
                parts.policy,
                self._cancellation,
            )

    def _hear(self, pieces: Iterator[bytes], input_tokens: int) -> LanguageReply:
        """Give out what a reply adds to the text; whatever was received of it is paid."""
        before = self._text.pieces
        self._text.begin_round()
        received = self._parts.dialect.receive()
        events = ServerSentEvents(pieces)
        try:
            for event in events:
                self._text.say(received.take(event))
                if received.is_over:
                    break
            self._require_whole(events, received)
        except ProviderError as error:
            if self._text.pieces > before:
                error.facts["partial"] = True
            raise
        finally:
            self._charge(received, input_tokens)
        return received.reply()

    def _require_whole(self, events: ServerSentEvents, received: StreamedReply) -> None:
        wire, reply = self._parts.wire, received.reply()
        if events.other and not received.is_complete:
            answer = HttpAnswer(status=200, headers={}, body=events.other, size=len(events.other))
            self._parts.client.require_normal(answer)
        if not received.is_complete:
            raise broken_off(wire.provider)
        if reply.is_declined:
            raise declined(f"{wire.provider}:{wire.model}")
        if not (reply.text.strip() or reply.calls or reply.finish == "length"):
            raise LANGUAGE.unreadable(wire.provider)

    def _charge(self, received: StreamedReply, input_tokens: int) -> None:
        """Charge what came of a reply; one that ends early has counted no output, or hardly any."""
        use = received.reply().use
        if not (use or received.written or self._cancellation.is_cancelled):
            return
        use = use or TokenUse(input=input_tokens)
        if not (received.is_complete and use.output):
            output = max(use.output, estimate_tokens(received.written))
            use = msgspec.structs.replace(use, output=output)
        usd = self._parts.budget.charge(use, purpose=self._prompt.purpose)
        self._tally.add(use, usd)

    def _call_tools(self, reply: LanguageReply, toolbox: Toolbox) -> ToolRound:
        outcomes = []
        for call in reply.calls:
            self._cancellation.require_going()
            outcomes.append(call_tool(toolbox, call))
        return ToolRound(
            text=reply.text,
            calls=reply.calls,
            outcomes=tuple(outcomes),
            thoughts=reply.thoughts,
        )

    def _completion(self, reply: LanguageReply) -> Completion:
        wire = self._parts.wire
        if not (self._text.whole.strip() or reply.finish == "length"):
            raise LANGUAGE.unreadable(wire.provider)
        return Completion(
            text=self._text.whole,
            use=self._tally.use,
            usd=self._tally.usd,
            model=f"{wire.provider}:{reply.model or wire.model}",
            finish=reply.finish,
        )
