"""What `recollect doctor --fix` does: mirrors and the index; never the records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from recollect.cli.output.formatting import count
from recollect.core.clock import SystemClock
from recollect.core.errors import RecollectError, StoreBusy, StoreCorrupt
from recollect.core.settings import load_settings
from recollect.governance.aside import is_open_elsewhere
from recollect.index.model.sync_report import OnProgress
from recollect.memory import Memory, open_memory
from recollect.store.failures import translate_os
from recollect.store.sqlite.backup import quick_check
from recollect.store.sqlite.database import open_index, open_records
from recollect.store.sqlite.home import INDEX_FILE

ASIDE = ".damaged"


def repair(
    home: Path, workspace: Path | None, on_progress: OnProgress, *, deep: bool = False
) -> Iterator[str]:
    """Repair what can be repaired without loss, and yield a sentence for each thing done.

    Args:
        home: A home.
        workspace: What was named on the command line.
        on_progress: Called while the index is brought up.
        deep: Look at every row of the index instead of a sample.

    Raises:
        StoreBusy: another process has the damaged index open.
        RecollectError: something cannot be repaired.
    """
    # First: where the records are lost, index and mirrors are what is left, and stay as they are.
    open_records(home, load_settings(home).settings.store, SystemClock()).close()
    if _is_damaged(home):
        set_index_aside(home)
        yield "set the damaged index aside"
    with open_memory(home, workspace, live=False) as memory:
        healed = {state: n for state, n in memory.heal_mirrors().items() if state != "equal"}
        for state, number in sorted(healed.items()):
            yield f"wrote {count(number, 'mirror')} again ({state})"
        strays = memory.set_stray_mirrors_aside()
        if strays:
            yield f"set {count(strays, 'mirror')} without a session aside"
        # First: a sync over rows that do not belong together may fail.
        yield from repair_rows(memory, on_progress, deep=deep)
        if memory.forgive_batches():
            yield "let batches of the embedding provider be used again"
        report = memory.sync(on_progress)
    if report.rebuilt:
        yield "rebuilt the index"
    elif report.put or report.removed or report.vectors:
        documents = count(report.put + report.removed, "document")
        yield f"brought the index up: {documents}, {count(report.vectors, 'vector')}"


def repair_rows(memory: Memory, on_progress: OnProgress, *, deep: bool) -> list[str]:
    """Mend the rows of the index, and return what was done."""
    checkup = memory.checkup()
    return checkup.repair(checkup.examine(deep=deep), on_progress)


def set_index_aside(home: Path) -> None:
    """Rename a damaged index, which is derived, so that a new one can take its place.

    Raises:
        StoreBusy: another process has it open, or that cannot be determined.
        StoreError: it cannot be renamed.
    """
    path = home / INDEX_FILE
    if is_open_elsewhere(path):
        raise StoreBusy(
            f"{INDEX_FILE} is damaged, and another program may have it open",
            hint=f"close what uses recollect, delete {path}*, then run `recollect sync`",
            path=str(path),
        )
    try:
        os.replace(path, path.with_name(INDEX_FILE + ASIDE))
        for suffix in ("-wal", "-shm"):
            path.with_name(INDEX_FILE + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise translate_os(error, path) from error


def _is_damaged(home: Path) -> bool:
    if not (home / INDEX_FILE).exists():
        return False
    try:
        database = open_index(home, load_settings(home).settings.store, SystemClock())
        try:
            return bool(quick_check(database))
        finally:
            database.close()
    except StoreCorrupt:
        return True
    except RecollectError:
        return False
