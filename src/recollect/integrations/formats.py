"""The table of transcript formats."""

from __future__ import annotations

from recollect.integrations.claude_code import ClaudeCodeFormat
from recollect.integrations.claude_code_writer import ClaudeCodeWriter
from recollect.integrations.jsonl import JsonlFormat
from recollect.integrations.jsonl_writer import JsonlWriter
from recollect.integrations.openclaw import OpenClawFormat
from recollect.integrations.openclaw_writer import OpenClawWriter
from recollect.sessions.foreign import TranscriptFormat, TranscriptWriter

FORMATS: dict[str, TranscriptFormat] = {
    each.name: each for each in (ClaudeCodeFormat(), OpenClawFormat(), JsonlFormat())
}
"""Name to format, in the order in which they are tried on a file of unknown kind."""

WRITERS: dict[str, TranscriptWriter] = {
    each.name: each for each in (ClaudeCodeWriter(), OpenClawWriter(), JsonlWriter())
}
"""Name to writer."""
