"""From a document to its chunks: what is searched, shown and embedded as one piece."""

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


class Piece(msgspec.Struct, frozen=True):
    """A chunk before it has a number: 1-based lines of its document, text and SHA-256 of it."""

    start_line: int
    end_line: int
    text: str
    hash: bytes


class Analysis(msgspec.Struct, frozen=True):
    """What ranking needs of a text: its terms in order and the cues it carries."""

    terms: list[str]
    head: int
    flags: int
    capitals: int


def pieces_of(document: Document, tokens: int, overlap: int) -> list[Piece]:
    """Return the chunks of a document in order; blank text gives none.

    Args:
        document: A file is cut by lines, a message stays whole up to `MESSAGE_TOKENS`.
        tokens: Size of a file's chunk in tokens of four characters.
        overlap: What the next chunk repeats, likewise.
    """
    if not document.text.strip():
        return []
    if document.markdown:
        cut = chunk_markdown(document.text, tokens, overlap)
        return [_piece(c.start_line, c.end_line, c.text) for c in cut if c.text.strip()]
    if len(document.text) <= MESSAGE_TOKENS * 4:
        return [_piece(document.order, document.order, document.text)]
    parts = chunk_message(document.text, tokens=MESSAGE_TOKENS)
    return [_piece(document.order, document.order, p.text) for p in parts if p.text.strip()]


def analyse(text: str, role: str | None) -> Analysis:
    """Return the terms and cues of a chunk that ``role`` said."""
    found = terms(text)
    flags = ROLE_FLAGS.get(role or "", 0)
    if is_question(text):
        flags |= layout.QUESTION
    if has_time_word(text):
        flags |= layout.TIME_WORD
    return Analysis(found, min(len(found), HEAD_TERMS), flags, inner_capitals(text))


def _piece(start_line: int, end_line: int, text: str) -> Piece:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return Piece(start_line, end_line, text, digest)
