"""From a document to its chunks: what is searched, shown and embedded as one piece.

Everything here is a pure function of the document, so that it is done before a write begins.
"""

from __future__ import annotations

import hashlib

import msgspec

from recollect.index.model import chunk_record
from recollect.index.model.document import Document
from recollect.index.model.generation import Identity
from recollect.index.model.memory_date import CURATED, is_evergreen
from recollect.index.model.origin import path_of
from recollect.text.chunking import Chunk, chunk_markdown
from recollect.text.markdown.annotations import (
    Annotated,
    Annotation,
    join_annotations,
    read_annotations,
)
from recollect.text.markdown.entries import chunk_entries
from recollect.text.terms import terms
from recollect.text.text_cues import has_time_word, inner_capitals, is_question
from recollect.text.turns import chunk_message

PIECES_VERSION = 2
"""Raise it when the chunks, heads or cues of the same text change: indexes are then rebuilt."""
HEAD_TERMS = 35
"""A neighbour lends its first 35 terms (about 60 words): without the cut long answers swamp the
short messages beside them (docs/experiments.md, neighbours)."""
MESSAGE_TOKENS = 4_000
"""A message up to this size is one chunk; a longer one is cut at paragraphs."""

LineSpan = tuple[int, int, str]
"""First and last line, and the text."""

ROLE_FLAGS = {"user": chunk_record.FROM_USER, "assistant": chunk_record.FROM_ASSISTANT}


class PreparedChunk(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A chunk before it has a number.

    Attributes:
        start_line: First line of its document, from 1; for a message its order in the group.
        end_line: Last line, inclusive; likewise.
        text: What it says.
        hash: SHA-256 of the text.
        terms: The terms of the text in order.
        head: How many of them, from the start, the neighbours may use.
        flags: Bits of `layout`.
        capitals: Names in the text, as `recollect.text.text_cues.inner_capitals` counts them.
        annotation: What the comments of a memory file say about it, if any.
    """

    start_line: int
    end_line: int
    text: str
    hash: bytes
    terms: tuple[str, ...]
    head: int
    flags: int
    capitals: int
    annotation: Annotation | None = None


class PreparedDocument(msgspec.Struct, frozen=True, gc=False):
    """A document with its digest and its chunks in order, ready to be written.

    ``ignored`` counts annotations that are not valid.
    """

    document: Document
    digest: bytes
    pieces: tuple[PreparedChunk, ...]
    ignored: int = 0


def prepare(document: Document, digest: bytes, identity: Identity) -> PreparedDocument:
    """Return the chunks of a document; blank text gives none.

    Args:
        document: A file is cut by lines, a message stays whole up to `MESSAGE_TOKENS`.
        digest: What `Document.digest` returned.
        identity: Has the size of a file's chunks, and whether curated files are cut per entry.
    """
    if not document.markdown:
        flags = ROLE_FLAGS.get(document.role or "", 0)
        flags |= chunk_record.COVERED if document.is_covered else 0
        pieces = [_piece(span, flags, None) for span in _parts(document) if span[2].strip()]
        return PreparedDocument(document, digest, tuple(pieces))
    path = path_of(document.ref)
    annotated = read_annotations(document.text)
    chunk = chunk_entries if identity.entries and path in CURATED else chunk_markdown
    spans = _within(chunk(annotated.text, identity.tokens, identity.overlap), annotated.text)
    flags = chunk_record.EVERGREEN if is_evergreen(path) else 0
    lines_of = _told(annotated, spans)
    pieces = [
        _piece(span, flags, join_annotations(annotated.by_line[line] for line in lines))
        for span, lines in zip(spans, lines_of, strict=True)
    ]
    unused = annotated.by_line.keys() - {line for lines in lines_of for line in lines}
    return PreparedDocument(document, digest, tuple(pieces), annotated.ignored + len(unused))


def _within(chunks: list[Chunk], text: str) -> list[LineSpan]:
    """Return chunks with lines as an editor shows them: after the last break there is none."""
    lines = text.count("\n") + (not text.endswith("\n"))
    return [
        (chunk.start_line, max(chunk.start_line, min(chunk.end_line, lines)), chunk.text)
        for chunk in chunks
        if chunk.text.strip()
    ]


def _told(annotated: Annotated, spans: list[LineSpan]) -> list[list[int]]:
    """Return the annotated lines of each span: its own, and blank ones between it and the next.

    A comment on a line of its own leaves a blank line, which may end the span before it.
    """
    if not annotated.by_line:
        return [[] for _ in spans]
    content = annotated.text.split("\n")
    following = [start for start, _, _ in spans[1:]] + [len(content) + 1]
    return [
        [
            line
            for line in range(start, max(end + 1, after))
            if line in annotated.by_line and (line <= end or not content[line - 1].strip())
        ]
        for (start, end, _), after in zip(spans, following, strict=True)
    ]


def _parts(document: Document) -> list[LineSpan]:
    text, order = document.text, document.order
    if len(text) <= MESSAGE_TOKENS * 4:
        return [(order, order, text)]
    return [(order, order, part) for part in chunk_message(text, tokens=MESSAGE_TOKENS)]


def _piece(span: LineSpan, flags: int, annotation: Annotation | None) -> PreparedChunk:
    start, end, text = span
    words = terms(text)
    flags |= chunk_record.QUESTION if is_question(text) else 0
    flags |= chunk_record.TIME_WORD if has_time_word(text) else 0
    return PreparedChunk(
        start_line=start,
        end_line=end,
        text=text,
        hash=hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(),
        terms=tuple(words),
        head=min(len(words), HEAD_TERMS),
        flags=flags,
        capitals=inner_capitals(text, chunk_record.MOST_CAPITALS),
        annotation=annotation,
    )
