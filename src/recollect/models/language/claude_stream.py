"""What ``claude --print --output-format stream-json`` prints, as it arrives."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from recollect.core.bill import TokenUse
from recollect.core.decoding import json_decoder
from recollect.core.errors import ProviderError
from recollect.models.language.spoken import SpokenText
from recollect.models.language.streams import MessageReply
from recollect.models.language.wires import NOTHING
from recollect.text.tokens import estimate_tokens


class _Line(msgspec.Struct, frozen=True):
    type: str
    event: msgspec.Raw = NOTHING
    parent_tool_use_id: str | None = None


_DECODER = json_decoder(_Line)


class ClaudeStream:
    """The output of one run.

    Args:
        provider: For errors.
        text: Gives the answer out.

    Attributes:
        result: The line with the result; empty until it is there.
        on_line: Called with each line of the command, before it is read.
    """

    def __init__(self, provider: str, text: SpokenText) -> None:
        self._provider = provider
        self._text = text
        self._start: list[bytes] = []
        self._replies: list[MessageReply] = []
        self.result = b""
        self.on_line: Callable[[], object] = bool

    @property
    def rounds(self) -> int:
        """Return the number of requests that the command has made so far."""
        return len(self._replies)

    def mark_partial(self, error: ProviderError) -> None:
        """Note in an error that words were given out, or that a tool may have changed something."""
        if self._text.pieces or any(reply.reply().calls for reply in self._replies):
            error.facts["partial"] = True

    def take(self, piece: bytes) -> None:
        """Read the next bytes of the output."""
        first, *more = piece.split(b"\n")
        self._start.append(first)
        for line in more:
            self._take_line(b"".join(self._start))
            self._start = [line]

    def spent(self, input_tokens: int) -> TokenUse:
        """Return the tokens of a run without a result, as far as they are known.

        Args:
            input_tokens: The estimated tokens of the prompt.
        """
        use = TokenUse()
        for reply in self._replies:
            counted = reply.reply().use or TokenUse(input=input_tokens)
            output = max(counted.output, estimate_tokens(reply.written))
            use += msgspec.structs.replace(counted, output=output)
        return use

    def _take_line(self, line: bytes) -> None:
        """Read a line; what is not the command's own is ignored."""
        try:
            decoded = _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
        self.on_line()
        if decoded.type == "result":
            self.result = line
        elif decoded.type == "stream_event" and decoded.parent_tool_use_id is None:
            self._take_event(bytes(decoded.event))

    def _take_event(self, event: bytes) -> None:
        if not self._replies or self._replies[-1].is_over:
            self._replies.append(MessageReply(self._provider))
            self._text.begin_round()
        try:
            piece = self._replies[-1].take(event)
        except ProviderError:
            return  # the command tries again by itself, or says so in its result
        self._text.say(piece)
