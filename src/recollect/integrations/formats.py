"""The table of transcript formats."""

from __future__ import annotations

from recollect.integrations.claude_code import ClaudeCodeFormat
from recollect.integrations.jsonl import JsonlFormat
from recollect.integrations.openclaw import OpenClawFormat
from recollect.sessions.foreign import TranscriptFormat

FORMATS: dict[str, TranscriptFormat] = {
    each.name: each for each in (ClaudeCodeFormat(), OpenClawFormat(), JsonlFormat())
}
"""Name to format, in the order in which they are tried on a file of unknown kind."""
