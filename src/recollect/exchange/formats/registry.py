"""The tables of transcript formats, and of stores whose transcripts they read."""

from __future__ import annotations

from recollect.core.errors import InvalidInput
from recollect.exchange.formats.claude_code import ClaudeCodeFormat, ClaudeCodeWriter
from recollect.exchange.formats.jsonl import JsonlFormat, JsonlWriter
from recollect.exchange.formats.openclaw import OpenClawFormat, OpenClawWriter
from recollect.exchange.formats.openclaw_store import open_store
from recollect.exchange.transcript import TranscriptFormat, TranscriptWriter
from recollect.exchange.transcript_store import TranscriptStore

FORMATS: dict[str, TranscriptFormat] = {
    each.name: each for each in (ClaudeCodeFormat(), OpenClawFormat(), JsonlFormat())
}
"""Name to format, in the order in which they are tried on a file of unknown kind."""

STORES: dict[str, TranscriptStore] = {"openclaw": open_store}
"""Name of a format to the function that opens its stores."""

WRITERS: dict[str, TranscriptWriter] = {
    each.name: each for each in (ClaudeCodeWriter(), OpenClawWriter(), JsonlWriter())
}
"""Name to writer."""


def writer_of(format_name: str) -> TranscriptWriter:
    """Return the writer of a format.

    Raises:
        InvalidInput: the format is unknown.
    """
    writer = WRITERS.get(format_name)
    if writer is None:
        raise InvalidInput("unknown format of transcripts", hint=f"use one of {', '.join(WRITERS)}")
    return writer
