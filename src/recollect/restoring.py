"""`recollect.restore`: makes a home from a backup, and finishes its erasures."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from recollect.core.checks import checked_call
from recollect.core.clock import Clock, SystemClock
from recollect.core.errors import RecollectError
from recollect.core.settings import default_home
from recollect.governance.backup import OnBackup, ignore_progress
from recollect.governance.restore import RestoreReport, restore_home
from recollect.memory import open_memory


@checked_call
def restore(
    path: Path | str,
    home: Path | str | None = None,
    *,
    workspace: Path | str | None = None,
    with_settings: bool = False,
    clock: Clock | None = None,
    on_progress: OnBackup | None = None,
) -> RestoreReport:
    """Make a home from a backup, whole or not at all; an existing home is kept beside it.

    Args:
        path: A file written by `Memory.backup`.
        home: Its folder; ``RECOLLECT_HOME`` or ``~/.recollect`` if not given. An existing one is
            kept as ``<home>.before-<time>``; what was erased from it is erased from the restored
            one too.
        workspace: The folder for memory files of the backup; not restored if not given. An existing
            file that differs is kept beside the restored one.
        with_settings: Use all settings and tokens of a backup of an unknown home. Otherwise those
            that send data out, start programs, read outside of the home, remove something, or
            define the owner are put into ``aside/`` and named in the report.
        clock: The time; the machine's clock if not given.
        on_progress: Called from time to time with bytes done and in total.

    Raises:
        InvalidInput: the file is not a backup.
        SchemaTooNew: a newer recollect wrote it.
        StoreCorrupt: it is damaged.
        Denied: it contains what does not belong in a home.
        StoreBusy: a program has the home open.
        StoreError: the disk refused. In all cases the home is as it was.
    """
    report = restore_home(
        Path(path),
        default_home() if home is None else Path(home),
        clock or SystemClock(),
        workspace=None if workspace is None else Path(workspace),
        with_settings=with_settings,
        on_progress=on_progress or ignore_progress,
    )
    if report.erased_again:
        with suppress(RecollectError), open_memory(report.home, live=False):
            pass  # opening finishes the erasure; if it fails, the next opening does
    return report
