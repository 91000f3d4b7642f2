"""Power cuts and failing disks: a content is durable before the row that needs it."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from recollect.checkpoints.capture.capture import CheckpointParts, SessionMoment
from recollect.checkpoints.checkpoints import Checkpoints, MessageMoment, SessionPorts
from recollect.checkpoints.record.contents import Contents
from recollect.checkpoints.record.removal import let_go, remove_checkpoints
from recollect.checkpoints.record.rows import SharedPart
from recollect.core.clock import IdSource, SystemClock
from recollect.core.errors import StoreError
from recollect.core.scope import Scope
from recollect.sessions.record.session import Session, insert_session
from recollect.store.sqlite.database import open_database
from recollect.store.sqlite.home import CONTENTS_FILE, CONTENTS_ID, RECORDS_FILE, RECORDS_ID
from recollect.store.sqlite.schema import load_schema
from recollect.testing.vfs_disk import DiskLog, RecordingVfs
from recollect.testing.vfs_fault import FOREVER, Fault, FaultVfs, Operation
from recollect.testing.vfs_power import cut_power
from tests.durability.ledger import CALM
from tests.durability.scale import SCALE, chance, report
from tests.support.no_messages import NoMessages

EDITS = 6
VFS = "checkpoints"
SESSION = Session(id="files", tenant="local", status="active", created_at=1, updated_at=1)
RECORDS = load_schema("records", RECORDS_ID, keep_backup=True)
CONTENTS = load_schema("checkpoints", CONTENTS_ID, keep_backup=True)


@contextmanager
def opened(
    home: Path, vfs: str | None = None, *, faulty: str | None = None
) -> Iterator[Checkpoints]:
    """Open both databases in one folder, which is all that a recorded disk has."""
    clock = SystemClock()
    records = open_database(home / RECORDS_FILE, RECORDS, CALM, clock, vfs=vfs)
    contents = open_database(home / CONTENTS_FILE, CONTENTS, CALM, clock, vfs=faulty or vfs)
    parts = CheckpointParts(
        database=records,
        contents=Contents(lambda: contents, "local", clock),
        clock=clock,
        ids=IdSource(clock),
        tenant="local",
    )
    ports = SessionPorts(
        moment=lambda id_: SessionMoment(session_id=id_),
        lineage=lambda id_: [SharedPart(id_)],
        message=lambda name: MessageMoment(name, 0),
        conversation=NoMessages(),
        scope=Scope(),
    )
    try:
        yield Checkpoints(parts, ports, home.parent / "locks")
    finally:
        contents.close()
        records.close()


def edited(checkpoints: Checkpoints, root: Path, number: int) -> str:
    """Let a tool write a file; return the id of its checkpoint."""
    with checkpoints.around(SESSION.id, root, ["a.txt"]) as checkpoint:
        (root / "a.txt").write_text(f"{number} " + "line\n" * 900 * number)
    return checkpoint.id


def begun(checkpoints: Checkpoints) -> None:
    """Store the session."""
    checkpoints._parts.database.write(lambda tx: insert_session(tx, SESSION))  # noqa: SLF001


def check(checkpoints: Checkpoints) -> None:
    """Nothing that a checkpoint names is missing or damaged."""
    fsck = checkpoints.fsck()
    assert (fsck.damaged, fsck.lost, fsck.broken) == (0, (), ())


def remove_first(checkpoints: Checkpoints) -> None:
    """Remove the oldest checkpoint, as a prune or an erasure does."""
    parts = checkpoints._parts  # noqa: SLF001
    first = checkpoints.list(SESSION.id)[0].id
    let_go(parts.database, parts.contents.database, [first], parts.clock, is_erased=True)
    parts.database.write(lambda tx: remove_checkpoints(tx, [first]))
    checkpoints.collect()


def test_no_checkpoint_is_without_its_contents_after_a_power_cut(scratch: Path) -> None:
    """Whatever was taken, put back or removed; one that was acknowledged last is there."""
    home, root, log = scratch / "home", scratch / "project", DiskLog()
    root.mkdir()
    vfs = RecordingVfs(VFS, log)
    with opened(home, VFS) as checkpoints:
        begun(checkpoints)
        ids = [edited(checkpoints, root, number) for number in range(EDITS)]
        checkpoints.apply(checkpoints.plan("c2"))
        log.mark(ids[-1])
        for _ in range(EDITS - 2):
            remove_first(checkpoints)
        edited(checkpoints, root, EDITS)
    vfs.unregister()
    cuts = SCALE.command_cuts * 3
    for number, cut in enumerate(cut_power(log.calls, cuts, chance("cuts checkpoints"))):
        place = scratch / f"{number}"
        place.mkdir()
        cut.write_to(place)
        with opened(place) as checkpoints:
            check(checkpoints)
            assert {*cut.marks} <= {each.id for each in checkpoints.list(SESSION.id)}
        shutil.rmtree(place)
    report("power cuts in checkpoints", cuts=cuts, calls=len(log.calls), lost=0)


@pytest.mark.parametrize("times", [1, FOREVER], ids=["once", "lasting"])
@pytest.mark.parametrize("operation", ["write", "full", "sync"])
def test_a_failing_disk_leaves_no_checkpoint_without_its_contents(
    scratch: Path, operation: Operation, times: int
) -> None:
    """A capture is refused as a whole, and works again after the repair."""
    trials = 0
    for nth in itertools.count(1, SCALE.fault_stride):
        home, root = scratch / f"{nth}" / "home", scratch / f"{nth}" / "project"
        root.mkdir(parents=True)
        fault = Fault(operation=operation, nth=nth, times=times)
        vfs = FaultVfs(VFS, fault, waits_for_disk=False, is_armed=False)
        with opened(home, faulty=VFS) as checkpoints:
            begun(checkpoints)
            vfs.arm()
            for number in range(EDITS):
                with suppress(StoreError):
                    edited(checkpoints, root, number)
            vfs.repair()
        vfs.unregister()
        with opened(home) as checkpoints:
            check(checkpoints)
            edited(checkpoints, root, EDITS)
            check(checkpoints)
        shutil.rmtree(home.parent)
        trials += 1
        if not vfs.hits:
            break
    report(f"faults of contents, {operation} {times}", trials=trials, lost=0)
