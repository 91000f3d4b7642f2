"""What an import did: progress while it runs, the report when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

import msgspec

MAX_LISTED = 100
"""Malformed lines that a report lists; all are counted."""


class MalformedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line that was not imported.

    Attributes:
        path: The file.
        line: 1-based; 0 if the whole file could not be read.
        reason: A fixed phrase without anything of the line.
    """

    path: str
    line: int
    reason: str


class ImportProgress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of an import; sizes are of the files that changed since the last import."""

    files: int
    files_done: int
    bytes: int
    bytes_done: int
    messages: int
    path: str


OnFiles: TypeAlias = Callable[[ImportProgress], None]


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did.

    Attributes:
        files: Transcripts that were found.
        unchanged: Those of them that had not changed since they were imported last.
        sessions: Sessions that are new.
        unknown_origin: Those of them without a record of who heard them: no other session hears
            of them, and nothing of them is written into notes.
        messages: Messages that are new.
        observations: Observations that are new, of tools that were used.
        duplicates: Messages that were there already.
        deleted: Messages of deleted sessions, which were left out; they come with the next import
            after the session is restored.
        erased: Messages of erased sessions, which do not come back.
        excluded: Transcripts of projects that are not captured now, which were left unread.
        withheld: Messages that were said while nothing was captured, which were left out.
        calls: Calls of tools that ``capture.skip_tools`` or ``capture.skip_paths`` leave out.
        skipped: Lines that are not part of a conversation.
        undated: Messages without a readable time; they get that of the line before or of the file.
        replaced: Characters that could not be stored and were replaced by U+FFFD.
        malformed_count: Lines that could not be read.
        malformed: The first `MAX_LISTED` of them.
    """

    files: int = 0
    unchanged: int = 0
    sessions: int = 0
    unknown_origin: int = 0
    messages: int = 0
    observations: int = 0
    duplicates: int = 0
    deleted: int = 0
    erased: int = 0
    excluded: int = 0
    withheld: int = 0
    calls: int = 0
    skipped: int = 0
    undated: int = 0
    replaced: int = 0
    malformed_count: int = 0
    malformed: tuple[MalformedLine, ...] = ()


class Tally(msgspec.Struct, kw_only=True):
    """Counts while an import runs.

    Attributes:
        counts: By the names of the fields of `ImportReport`.
        malformed: The first lines that could not be read.
        shown: Returns the path of a file as it may be shown.
    """

    counts: Counter[str] = msgspec.field(default_factory=Counter)
    malformed: list[MalformedLine] = msgspec.field(default_factory=list)
    shown: Callable[[str], str] = str

    def copy(self) -> Tally:
        """Return the counts as they are now."""
        return msgspec.structs.replace(
            self, counts=self.counts.copy(), malformed=self.malformed.copy()
        )

    def put_back(self, before: Tally) -> None:
        """Reset the counts to earlier ones."""
        self.counts, self.malformed = before.counts.copy(), before.malformed.copy()

    def reject(self, path: str, line: int, reason: str) -> None:
        """Count a line that could not be read."""
        self.counts["malformed_count"] += 1
        if len(self.malformed) < MAX_LISTED:
            shown_path = self.shown(path)
            self.malformed.append(MalformedLine(path=shown_path, line=line, reason=reason))
