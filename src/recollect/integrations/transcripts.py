"""The import of transcripts into a memory, with every format that recollect knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.integrations.formats import FORMATS
from recollect.sessions.import_report import ImportReport, Progress
from recollect.sessions.importer import AUTO

if TYPE_CHECKING:  # a format must not load the index and its arrays
    from recollect.memory import Memory


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
