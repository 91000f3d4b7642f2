"""The tables of transcript formats."""

from __future__ import annotations

from recollect.core.errors import InvalidInput
from recollect.exchange.formats.claude_code import ClaudeCodeFormat, ClaudeCodeWriter
from recollect.exchange.formats.jsonl import JsonlFormat, JsonlWriter
from recollect.exchange.formats.openclaw import OpenClawFormat, OpenClawWriter
from recollect.exchange.transcript import TranscriptFormat, TranscriptWriter

FORMATS: dict[str, TranscriptFormat] = {
    each.name: each for each in (ClaudeCodeFormat(), OpenClawFormat(), JsonlFormat())
}
"""Name to format, in the order in which they are tried on a file of unknown kind."""

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
        raise InvalidInput("unknown transcript format", hint=f"use one of {', '.join(WRITERS)}")
    return writer
