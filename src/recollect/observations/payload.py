"""Payloads: inputs and outputs of tools, of any length.

The row keeps head and tail; the whole lies in the blob store, under its digest.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from recollect.text.boundaries import good_cut
from recollect.text.tokens import estimate_tokens

if TYPE_CHECKING:  # for annotations only
    from recollect.observations.observation import Observation
    from recollect.store.blobs import Blobs

MOST_PAYLOAD_CHARS = 16_000
"""Characters of an input or output in its row."""
CHARS_PER_TOKEN = 3
"""Where shortening to a number of tokens begins."""
_HEAD, _TAIL = 0.6, 0.3
_SHORTEST = 60
"""Fewer characters than that are of no use beside the mark of what is left out."""


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """An input or output as its row has it.

    Attributes:
        text: All of it, or head and tail.
        whole: All of it where ``text`` is not; else None.
    """

    text: str
    whole: bytes | None = None

    @property
    def digest(self) -> str | None:
        """The name of the blob that holds the whole."""
        return None if self.whole is None else hashlib.sha256(self.whole).hexdigest()


def cut(text: str, most: int = MOST_PAYLOAD_CHARS) -> str:
    r"""Return a text, or its head and tail with how much is left out between them.

    >>> cut("a" * 50 + "b" * 50, 60)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n[… 46 characters left out …]\nbbbbbbbbbbbbbbbbbb'
    """
    if len(text) <= most:
        return text
    if most < _SHORTEST:
        return ""
    head = good_cut(text, 0, int(most * _HEAD))
    tail = len(text) - int(most * _TAIL)
    return f"{text[:head]}\n[… {tail - head:,} characters left out …]\n{text[tail:]}"


def cut_to_tokens(text: str, most: int | None) -> str:
    """Return a text, or its head and tail, of at most ``most`` tokens; None means no limit."""
    if most is None or estimate_tokens(text) <= most:
        return text
    chars = most * CHARS_PER_TOKEN
    while (short := cut(text, chars)) and estimate_tokens(short) > most:
        chars = chars * 3 // 4
    return short


def payload_of(text: str) -> Payload:
    """Return a text as its row has it."""
    if len(text) <= MOST_PAYLOAD_CHARS:
        return Payload(text=text)
    return Payload(text=cut(text), whole=text.encode())


def without_payload(of: Observation) -> Observation:
    """Return an observation as guests and groups see it."""
    return msgspec.structs.replace(
        of, input="", output="", input_blob=None, output_blob=None, error=None
    )


def cost_of(of: Observation) -> int:
    """Return the approximate cost of an observation as it is, in tokens."""
    return sum(map(estimate_tokens, (of.title, of.summary, of.input, of.output)))


def shortened(of: Observation, max_tokens: int) -> Observation:
    """Return an observation whose input and output are cut so that it costs at most that much."""
    if cost_of(of) <= max_tokens:
        return of
    most = max(0, max_tokens - estimate_tokens(of.title) - estimate_tokens(of.summary))
    while True:
        chars = most * CHARS_PER_TOKEN
        input_chars = min(len(of.input), max(chars // 3, chars - len(of.output)))
        short = msgspec.structs.replace(
            of, input=cut(of.input, input_chars), output=cut(of.output, chars - input_chars)
        )
        if most == 0 or cost_of(short) <= max_tokens:
            return short
        most = most * 3 // 4


def detailed(of: Observation, max_tokens: int | None, blobs: Blobs) -> Observation:
    """Return an observation within a limit of tokens; without one, whole, read from the blobs."""
    if max_tokens is not None:
        return shortened(of, max_tokens)
    payloads = ((of.input, of.input_blob), (of.output, of.output_blob))
    input_text, output_text = (
        text if blob is None else blobs.get(blob).decode() for text, blob in payloads
    )
    return msgspec.structs.replace(of, input=input_text, output=output_text)
