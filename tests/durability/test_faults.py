"""Every call to the disk fails once, or from then on, and nothing acknowledged is lost."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from recollect.core.errors import StoreError
from recollect.store.engine import SqlValue, Transaction
from recollect.store.sqlite.database import SqliteDatabase
from recollect.testing.vfs_fault import FOREVER, Fault, FaultVfs, Operation
from tests.durability.ledger import CALM, append, check_home, open_home
from tests.durability.scale import SCALE, report

VFS = "faulty"
WRITES = 25
OPERATIONS: tuple[Operation, ...] = ("write", "short_write", "full", "sync", "read", "truncate")


class Trial(msgspec.Struct):
    """What happened while the disk failed."""

    hits: int = 0
    acked: list[str] = msgspec.field(default_factory=list)
    refused: list[str] = msgspec.field(default_factory=list)
    denied: list[str] = msgspec.field(default_factory=list)
    """Those of the refused that were said not to be there."""


def _write_on_a_failing_disk(home: Path, vfs: FaultVfs) -> Trial:
    """Open, write with checkpoints, close and open again in the middle; then repair and go on."""
    trial = Trial()
    database = _open(home)
    for number in range(WRITES):
        if number % 8 == 7 and database is not None:
            with suppress(StoreError):
                database.cut_log()
        if number == WRITES // 2 and database is not None:
            database.close()
            database = None
        database = database or _open(home)
        _write(database, f"e{number}", trial)
    trial.hits = vfs.hits
    vfs.repair()
    database = database or open_home(home, CALM, VFS)
    assert set(trial.denied).isdisjoint(database.read(_event_ids))
    for event_id in trial.refused:
        database.write(append(event_id))  # the first try after the repair must succeed
    database.close()
    return trial


def _open(home: Path) -> SqliteDatabase | None:
    with suppress(StoreError):
        return open_home(home, CALM, VFS)
    return None


def _write(database: SqliteDatabase | None, event_id: str, trial: Trial) -> None:
    try:
        if database is None:
            trial.refused.append(event_id)
            trial.denied.append(event_id)
            return
        database.write(append(event_id))
        trial.acked.append(event_id)
    except StoreError as error:
        trial.refused.append(event_id)
        if error.facts["outcome"] == "none":
            trial.denied.append(event_id)


def _event_ids(tx: Transaction) -> set[SqlValue]:
    return {row[0] for row in tx.rows("SELECT event_id FROM messages")}


@pytest.mark.parametrize("times", [1, 2, FOREVER], ids=["once", "twice", "lasting"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_failing_disk_loses_no_acknowledged_row(
    scratch: Path, operation: Operation, times: int
) -> None:
    """Promise D4: nothing lost, nothing half, and it works again after the repair."""
    trials = acks = refused = 0
    for nth in itertools.count(1, SCALE.fault_stride):
        fault = Fault(operation=operation, nth=nth, times=times)
        vfs = FaultVfs(VFS, fault, waits_for_disk=False)
        home = scratch / str(nth)
        trial = _write_on_a_failing_disk(home, vfs)
        vfs.unregister()
        findings = check_home(home, [f"e{number}" for number in range(WRITES)])
        assert (findings.lost, findings.broken, findings.rows) == ((), (), WRITES), f"call {nth}"
        trials, acks, refused = trials + 1, acks + len(trial.acked), refused + len(trial.refused)
        if trial.hits == 0:
            break
    report(
        f"faults, {operation} {'lasting' if times == FOREVER else times}",
        trials=trials,
        acks=acks,
        refused_and_retried=refused,
        lost=0,
        broken=0,
    )
