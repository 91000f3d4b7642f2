"""Other programs: the formats of their transcripts, one file for each.

A format reads one record at a time and knows nothing of storage; `recollect.sessions.importer`
does the rest.
"""

from recollect.integrations.claude_code import ClaudeCodeFormat
from recollect.integrations.jsonl import JsonlFormat
from recollect.integrations.openclaw import OpenClawFormat
from recollect.sessions.foreign import TranscriptFormat

FORMATS: dict[str, TranscriptFormat] = {
    each.name: each for each in (ClaudeCodeFormat(), OpenClawFormat(), JsonlFormat())
}
"""Name to format, in the order in which they are tried on a file of unknown kind."""

__all__ = ["FORMATS", "ClaudeCodeFormat", "JsonlFormat", "OpenClawFormat"]
