"""Cuts conversations: one very long message into pieces, a transcript into labelled turns.

Together the pieces are the message. A turn is a user's message with all that answers it,
written with speakers and times, as a person would read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from recollect.core.clock import to_datetime
from recollect.text.boundaries import good_cut
from recollect.text.char_cost import CHARS_PER_TOKEN, char_cost, stop_within
from recollect.text.chunking import MIN_CHARS, chunk_hash


class Utterance(Struct, frozen=True, kw_only=True):
    """One message of a transcript, with the fields that cutting needs."""

    seq: int
    role: str
    speaker: str
    text: str
    at_ms: int | None = None


class TurnChunk(Struct, frozen=True, kw_only=True):
    """A turn, or a part of one that is too long."""

    first_seq: int
    last_seq: int
    text: str
    hash: str
    """SHA-256 of the text in UTF-8, hexadecimal."""


def chunk_message(text: str, tokens: int = 400) -> list[str]:
    """Return ``text`` in pieces of at most ``tokens`` tokens of four characters.

    Cuts at the end of a paragraph, line, sentence or word where the later half of a piece has one.
    Together the pieces are the text; an empty text has none. Linear in the length.
    """
    limit = max(MIN_CHARS, tokens * CHARS_PER_TOKEN)
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = good_cut(text, start, stop_within(text, start, limit))
        pieces.append(text[start:end])
        start = end
    return pieces


def chunk_turns(utterances: Iterable[Utterance], tokens: int = 500) -> list[TurnChunk]:
    """Return the turns of a transcript, oldest first, each line "[time] speaker: text".

    A turn of more than ``tokens`` tokens of four characters becomes several chunks; a message that
    is longer alone is cut, and each piece has its label again. Messages of white space are left
    out. Source: the OpenClaudeCode memory design (turns, about 500 tokens, speakers and times).
    """
    limit = max(4 * MIN_CHARS, tokens * CHARS_PER_TOKEN)
    chunks: list[TurnChunk] = []
    for turn in _turns(utterances):
        lines: list[tuple[int, str]] = []
        size = 0
        for seq, line in _labelled(turn, limit):
            if lines and size + char_cost(line) + 1 > limit:
                chunks.append(_turn_chunk(lines))
                lines, size = [], 0
            lines.append((seq, line))
            size += char_cost(line) + 1
        chunks.append(_turn_chunk(lines))
    return chunks


def _turns(utterances: Iterable[Utterance]) -> Iterator[list[Utterance]]:
    turn: list[Utterance] = []
    for utterance in utterances:
        if not utterance.text.strip():
            continue
        if turn and utterance.role == "user":
            yield turn
            turn = []
        turn.append(utterance)
    if turn:
        yield turn


def _labelled(turn: list[Utterance], limit: int) -> Iterator[tuple[int, str]]:
    for utterance in turn:
        label = labelled(utterance.at_ms, utterance.speaker[:MIN_CHARS])
        room = max(MIN_CHARS, limit - char_cost(label) - 1)
        for piece in chunk_message(utterance.text.strip(), room // CHARS_PER_TOKEN):
            yield utterance.seq, label + piece.rstrip()


def labelled(at_ms: int | None, speaker: str) -> str:
    """Return the beginning of a line: "[time] speaker: ", the time in UTC."""
    time = "" if at_ms is None else f"[{to_datetime(at_ms):%Y-%m-%d %H:%M}] "
    return f"{time}{speaker}: " if speaker else time


def _turn_chunk(lines: list[tuple[int, str]]) -> TurnChunk:
    text = "\n".join(line for _, line in lines)
    return TurnChunk(first_seq=lines[0][0], last_seq=lines[-1][0], text=text, hash=chunk_hash(text))
