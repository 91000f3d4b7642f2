"""Transcripts into a memory and out of it, in every format that recollect knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.core.errors import InvalidInput
from recollect.integrations.formats import FORMATS, WRITERS
from recollect.sessions.foreign import AUTO
from recollect.sessions.import_report import ImportReport, Progress

if TYPE_CHECKING:  # a format must not load the index and its arrays
    from recollect.memory import Memory
    from recollect.sessions.export import ExportReport
    from recollect.sessions.foreign import TranscriptWriter


def import_transcripts(
    memory: Memory, path: Path | str, format_name: str = AUTO, progress: Progress | None = None
) -> ImportReport:
    """Import a transcript, or all below a folder; return what was new and what was wrong.

    Args:
        memory: Where to.
        path: A file, or a folder whose ``.jsonl`` files are taken; links are not followed.
        format_name: A name of `FORMATS`, or ``auto`` to let each file tell.
        progress: Called after each batch and each file.

    Raises:
        NotFound: there is no such file or folder.
        InvalidInput: there is no such format.
        StoreError: the database or the disk refused.
    """
    return memory.import_transcripts(path, tuple(FORMATS.values()), format_name, progress)


def export_session(
    memory: Memory, session_id: str, format_name: str, path: Path | str, *, replace: bool = False
) -> ExportReport:
    """Write a session into a file that its program, and our own import, read as the same messages.

    Args:
        memory: Where it is.
        session_id: Which session; of a fork also the messages that it shares.
        format_name: ``claude-code``, ``openclaw`` or ``jsonl``.
        path: The file. It appears whole or not at all, and for its owner alone.
        replace: Whether a file with this name may be replaced.

    Raises:
        NotFound: there is no such session, or the folder is missing.
        InvalidInput: there is no such format.
        Conflict: there is a file with this name.
        StoreError: the disk or the database refused.
    """
    writer = writer_of(format_name)
    return memory.export_session(session_id, writer).save(Path(path), replace=replace)


def writer_of(format_name: str) -> TranscriptWriter:
    """Return what writes a format.

    Raises:
        InvalidInput: there is no such format.
    """
    writer = WRITERS.get(format_name)
    if writer is None:
        raise InvalidInput("unknown format of transcripts", hint=f"use one of {', '.join(WRITERS)}")
    return writer
