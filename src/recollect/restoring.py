"""`recollect.restore`: what opens a memory to make its home from a backup."""

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
    """Make a home from a backup, whole or not at all; what was there is kept beside it.

    Args:
        path: What `Memory.backup` wrote.
        home: Its folder; ``RECOLLECT_HOME`` or ``~/.recollect`` if not given. What it holds is kept
            as ``<home>.before-<time>``; what was erased from it is erased from the backup's too.
        workspace: Where memory files of the backup go, if it has any; nowhere if not given. A file
            that is there and differs is kept beside the restored one.
        with_settings: Take all settings and tokens of a backup of a home that is not known here.
            Otherwise those that send data out, start programs, read outside of the home, remove
            something, or say who is the owner are put into ``aside/`` and named in the report.
        clock: Tells the time; the machine's clock if not given.
        on_progress: Called now and then with bytes done and in all.

    Raises:
        InvalidInput: the file is not a backup.
        SchemaTooNew: a newer recollect wrote it.
        StoreCorrupt: it is damaged.
        Denied: it holds what has no place in a home.
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
            pass  # it finishes the erasure, and if not, whoever opens the home next does
    return report
