"""From a document to its chunks: what is searched, shown and embedded as one piece.

Everything here is a pure function of the document, so that it is done before a write begins.
"""

from __future__ import annotations

import hashlib

import msgspec

from recollect.index import layout
from recollect.index.document import Document
from recollect.text.chunking import chunk_markdown
from recollect.text.cues import has_time_word, inner_capitals, is_question
from recollect.text.terms import terms
from recollect.text.turns import chunk_message

PIECES_VERSION = 1
"""Raise it when the chunks, heads or cues of the same text change: indexes are then built anew."""
HEAD_TERMS = 35
"""A neighbour lends its first 35 terms (about 60 words): without the cut long answers swamp the
short messages beside them (docs/experiments.md, neighbours)."""
MESSAGE_TOKENS = 4_000
"""A message up to this size is one chunk; a longer one is cut at paragraphs."""

ROLE_FLAGS = {"user": layout.FROM_USER, "assistant": layout.FROM_ASSISTANT}


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk before it has a number.

    Attributes:
        start_line: First line of its document, from 1; for a message its order in the group.
        end_line: Last line, inclusive; likewise.
        text: What it says.
        hash: SHA-256 of the text.
        terms: The terms of the text in order.
        head: How many of them, from the start, the neighbours may use.
        flags: Bits of `layout`.
        capitals: Names in the text, as `recollect.text.cues.inner_capitals` counts them.
    """

    start_line: int
    end_line: int
    text: str
    hash: bytes
    terms: list[str]
    head: int
    flags: int
    capitals: int


class Prepared(msgspec.Struct, frozen=True):
    """A document with its digest and its chunks in order, ready to be written."""

    document: Document
    digest: bytes
    pieces: list[Piece]

    @property
    def key(self) -> tuple[str, str]:
        """Source and ref."""
        return self.document.source, self.document.ref


def prepare(document: Document, digest: bytes, *, tokens: int, overlap: int) -> Prepared:
    """Return the chunks of a document; blank text gives none.

    Args:
        document: A file is cut by lines, a message stays whole up to `MESSAGE_TOKENS`.
        digest: What `Document.digest` returned.
        tokens: Size of a file's chunk in tokens of four characters.
        overlap: What the next chunk repeats, likewise.
    """
    spans = _file_spans(document, tokens, overlap) if document.markdown else _parts(document)
    pieces = [_piece(span, document.role) for span in spans if span[2].strip()]
    return Prepared(document, digest, pieces)


def _file_spans(document: Document, tokens: int, overlap: int) -> list[tuple[int, int, str]]:
    cut = chunk_markdown(document.text, tokens, overlap)
    return [(chunk.start_line, chunk.end_line, chunk.text) for chunk in cut]


def _parts(document: Document) -> list[tuple[int, int, str]]:
    text, place = document.text, document.order
    if len(text) <= MESSAGE_TOKENS * 4:
        return [(place, place, text)]
    return [(place, place, part.text) for part in chunk_message(text, tokens=MESSAGE_TOKENS)]


def _piece(span: tuple[int, int, str], role: str | None) -> Piece:
    start, end, text = span
    found = terms(text)
    return Piece(
        start_line=start,
        end_line=end,
        text=text,
        hash=hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(),
        terms=found,
        head=min(len(found), HEAD_TERMS),
        flags=_flags(text, role),
        capitals=inner_capitals(text),
    )


def _flags(text: str, role: str | None) -> int:
    flags = ROLE_FLAGS.get(role or "", 0)
    if is_question(text):
        flags |= layout.QUESTION
    if has_time_word(text):
        flags |= layout.TIME_WORD
    return flags
