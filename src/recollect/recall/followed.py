"""Transcripts of other programs that are followed where they are: brought in as they grow.

The importer does the work, so a message has its session and seq, is redacted, and comes once.
Formats are given to it; it knows none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from recollect.core.errors import NotFound
from recollect.index.extra_paths import may_enter
from recollect.index.place import Place
from recollect.sessions.foreign import AUTO, TranscriptFormat
from recollect.sessions.import_source import SUFFIX

if TYPE_CHECKING:  # the importer is wanted where transcripts are followed, and that is seldom
    from recollect.sessions.import_report import Progress
    from recollect.sessions.importer import TranscriptImporter

LEDGER = "+followed"
"""Keeps what is followed apart from what a person imports, which takes everything."""


class FollowedPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A file or folder of transcripts, and the format of all of them or ``auto``."""

    path: Path
    format_name: str = AUTO

    def place(self) -> Place:
        """Return what is to be watched."""
        if self.path.suffix == SUFFIX and not self.path.is_dir():
            parent, name = self.path.parent, self.path.name
            return Place(root=parent, accept=name.__eq__, enter=lambda _: False)
        return Place(root=self.path, accept=_is_transcript, enter=may_enter)


class FollowReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was brought in: messages that are new, and a sentence for each place that is missing.

    Also for each one of which something was left out.
    """

    messages: int = 0
    warnings: tuple[str, ...] = ()


class FollowedTranscripts:
    """Brings in what is new of followed transcripts.

    Args:
        places: Where they are; they need not exist yet.
        importer: Reads and stores them.
    """

    def __init__(self, places: Sequence[FollowedPlace], importer: TranscriptImporter) -> None:
        self._places = tuple(places)
        self._importer = importer
        self.last = FollowReport()

    def places(self) -> tuple[Place, ...]:
        """Return what is to be watched."""
        return tuple(each.place() for each in self._places)

    def bring_in(
        self, stopping: Callable[[], bool] = lambda: False, progress: Progress | None = None
    ) -> FollowReport:
        """Store what is new in all of them.

        Args:
            stopping: Asked often; after True the rest is left for the next time.
            progress: Called after each batch and each file.

        Raises:
            StoreError: the database or the disk refused.
        """
        messages, warnings = 0, []
        for each in self._places:
            try:
                report = self._importer.run(each.path, each.format_name, progress, stopping)
            except NotFound:
                warnings.append(f"{each.path}: no transcripts to follow, it is not there")
            else:
                messages += report.messages
                if report.deleted:
                    warnings.append(f"{each.path}: {_left_out(report.deleted)}")
        self.last = FollowReport(messages=messages, warnings=tuple(warnings))
        return self.last


def followed_places(
    named: Sequence[str], formats: Sequence[TranscriptFormat]
) -> list[FollowedPlace]:
    """Return what the entries of ``workspace.transcripts`` mean: a format's usual place, or a path.

    Args:
        named: Names of formats, files and folders; with ``~`` for the user's home.
        formats: Those that are known.
    """
    homes = {form.name: form.home for form in formats if form.home}
    return [
        FollowedPlace(path=Path(homes[each]).expanduser(), format_name=each)
        if each in homes
        else FollowedPlace(path=Path(each).expanduser().absolute())
        for each in named
    ]


def _left_out(messages: int) -> str:
    counted = "1 message" if messages == 1 else f"{messages:,} messages"
    return f"{counted} of deleted sessions left out"


def _is_transcript(path: str) -> bool:
    return path.endswith(SUFFIX)
