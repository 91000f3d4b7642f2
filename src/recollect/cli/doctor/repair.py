"""What `recollect doctor --fix` does: mirrors, the index, agent programs; never the records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.cli.output.formatting import count
from recollect.cli.setup.connecting import update
from recollect.core.clock import SystemClock
from recollect.core.settings import load_settings
from recollect.index.model.sync_report import OnProgress
from recollect.memory import Memory, open_memory
from recollect.recall.healing import is_damaged, replace_damaged
from recollect.sessions.mirror.soundness import require_sound
from recollect.store.sqlite.damaged import set_aside
from recollect.store.sqlite.database import drop_foreign_triggers, open_records
from recollect.store.sqlite.home import RECORDS_FILE, refuse_lost

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
        StoreCorrupt: the records are damaged; nothing is repaired from them.
        StoreBusy: another process has the damaged index open.
        RecollectError: something cannot be repaired.
    """
    # First: where the records are lost, index and mirrors are what is left, and stay as they are.
    store, clock = load_settings(home).settings.store, SystemClock()
    refuse_lost(home)
    for foreign in drop_foreign_triggers(home, store):
        yield f"removed the foreign {foreign} from {RECORDS_FILE}"
    records = open_records(home, store, clock)
    try:
        require_sound(records)
    finally:
        records.close()
    if is_damaged(home, store, clock):
        replace_damaged(home, store, clock, lambda path: set_aside(path, ASIDE)).close()
        yield "set the damaged index aside"
    with open_memory(home, workspace, live=False) as memory:
        healed = {state: n for state, n in memory.heal_mirrors().items() if state != "equal"}
        for state, number in sorted(healed.items()):
            yield f"wrote {count(number, 'mirror')} again ({state})"
        strays = memory.set_stray_mirrors_aside()
        if strays:
            yield f"set {count(strays, 'mirror')} without a session aside"
        knowledge = memory.knowledge_checkup()
        yield from knowledge.repair(knowledge.examine(deep=deep))
        # First: a sync over rows that do not belong together may fail.
        yield from repair_rows(memory, on_progress, deep=deep)
        if orphans := memory.checkpoints.collect():
            yield f"removed {count(orphans, 'content')} of files that nothing needs"
        if memory.forgive_batches():
            yield "let batches of the embedding provider be used again"
        report = memory.sync(on_progress)
    if report.rebuilt:
        yield "rebuilt the index"
    elif report.put or report.removed or report.vectors:
        documents = count(report.put + report.removed, "document")
        yield f"brought the index up: {documents}, {count(report.vectors, 'vector')}"
    yield from update(home)


def repair_rows(memory: Memory, on_progress: OnProgress, *, deep: bool) -> list[str]:
    """Mend the rows of the index, and return what was done."""
    checkup = memory.checkup()
    return checkup.repair(checkup.examine(deep=deep), on_progress)
