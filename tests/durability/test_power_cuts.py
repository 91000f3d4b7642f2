"""Power cuts over a recorded run of the real engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recollect.store.sqlite.connection import Tuning
from recollect.store.sqlite.database import SqliteDatabase
from recollect.store.sqlite.home import RECORDS_FILE
from recollect.testing.vfs_disk import DiskLog, RecordingVfs
from recollect.testing.vfs_power import Cut, cut_power
from tests.durability.ledger import CALM, append, check_home, open_home
from tests.durability.scale import SCALE, chance, report

THREADS = 3
WRITES = 20
VFS = "recording"


@pytest.fixture
def log() -> Iterator[DiskLog]:
    """The calls of everything that opens the VFS ``recording``."""
    calls = DiskLog()
    vfs = RecordingVfs(VFS, calls)
    yield calls
    vfs.unregister()


def _write_busily(home: Path, log: DiskLog, tuning: Tuning) -> None:
    """Write from three threads with checkpoints in between, twice, closing each time."""
    for stretch in range(2):
        database = open_home(home, tuning, VFS)
        threads = [
            threading.Thread(target=_write, args=(database, log, f"{stretch}-{number}"))
            for number in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        database.cut_log()
        _write(database, log, f"{stretch}-last")
        database.close()


def _write(database: SqliteDatabase, log: DiskLog, name: str) -> None:
    for number in range(WRITES):
        event_id = f"{name}-{number}"
        database.write(append(event_id))
        log.mark(event_id)


def _losses(cuts: Iterator[Cut], folder: Path) -> tuple[int, int, list[str]]:
    """Return the cuts that lost acknowledged rows, the rows lost, and what was broken."""
    cuts_with_loss, rows, broken = 0, 0, list[str]()
    for number, cut in enumerate(cuts):
        home = folder / str(number)
        home.mkdir()
        cut.write_to(home)
        findings = check_home(home, cut.marks)
        cuts_with_loss += bool(findings.lost)
        rows += len(findings.lost)
        broken += [f"cut at {cut.at}: {what}" for what in findings.broken]
        for leftover in home.iterdir():
            leftover.unlink()
    return cuts_with_loss, rows, broken


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
def test_a_power_cut_loses_no_acknowledged_row(
    tmp_path: Path, scratch: Path, log: DiskLog, synchronous: str
) -> None:
    """Promise D2: with FULL nothing is lost; D3: with NORMAL nothing is broken."""
    tuning = Tuning(
        synchronous="FULL" if synchronous == "FULL" else "NORMAL", checkpoint_pages=24, idle_s=0.002
    )
    _write_busily(tmp_path / "home", log, tuning)
    cuts = cut_power(log.calls, SCALE.cuts, chance(f"power {synchronous}"))
    cuts_with_loss, lost, broken = _losses(cuts, scratch)
    acks = sum(call.kind == "mark" for call in log.calls)
    report(
        f"power cuts, {synchronous}",
        cuts=SCALE.cuts,
        acks=acks,
        disk_calls=len(log.calls) - acks,
        cuts_with_loss=cuts_with_loss,
        rows_lost=lost,
        broken=len(broken),
    )
    assert broken == []
    if synchronous == "FULL":
        assert lost == 0


def _read_meanwhile(database: SqliteDatabase, log: DiskLog, is_over: threading.Event) -> None:
    """Mark what is there, again and again: nothing that was read may be lost either."""
    seen: set[str] = set()
    while not is_over.is_set():
        found = {str(row[0]) for row in database.read(lambda tx: tx.all(_EVENT_IDS))}
        for event_id in sorted(found - seen):
            log.mark(event_id)
        seen |= found


_EVENT_IDS = "SELECT event_id FROM messages"


def test_a_power_cut_takes_nothing_that_somebody_read(
    tmp_path: Path, scratch: Path, log: DiskLog
) -> None:
    """A commit can be seen before it is on the disk; whoever sees it is answered when it is."""
    tuning = Tuning(checkpoint_pages=24, idle_s=0.002)
    writers = [open_home(tmp_path / "home", tuning, VFS) for _ in range(2)]
    reading = open_home(tmp_path / "home", tuning, VFS)
    is_over = threading.Event()
    reader = threading.Thread(target=_read_meanwhile, args=(reading, log, is_over))
    threads = [
        threading.Thread(target=_write, args=(database, DiskLog(), f"{number}"))
        for number, database in enumerate(writers)
    ]
    for thread in (reader, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    is_over.set()
    reader.join()
    for database in (*writers, reading):
        database.close()
    cuts = cut_power(log.calls, SCALE.cuts, chance("power readers"))
    cuts_with_loss, lost, broken = _losses(cuts, scratch)
    report("power cuts, readers", cuts=SCALE.cuts, cuts_with_loss=cuts_with_loss, rows_lost=lost)
    assert any(call.kind == "mark" for call in log.calls)
    assert broken == []
    assert lost == 0


def test_the_simulation_notices_an_engine_that_does_not_sync(scratch: Path, log: DiskLog) -> None:
    """A control: without syncs the same cuts must show losses, or the test above proves nothing."""
    home = scratch / "home"
    open_home(home, CALM, VFS).close()
    careless = apsw.Connection(str(home / RECORDS_FILE), vfs=VFS)
    careless.pragma("synchronous", "OFF")
    for number in range(40):
        careless.execute("INSERT INTO meta (key, value) VALUES (?, 'x')", (f"{number}",))
        log.mark(f"{number}")
    careless.close()
    lost = 0
    for number, cut in enumerate(cut_power(log.calls, 100, chance("control"))):
        folder = scratch / str(number)
        folder.mkdir()
        cut.write_to(folder)
        lost += not _has_all(folder / RECORDS_FILE, cut.marks)
    report("power cuts, control without syncs", cuts=100, cuts_with_loss=lost)
    assert lost > 0


def _has_all(path: Path, keys: tuple[str, ...]) -> bool:
    connection = apsw.Connection(str(path))
    try:
        there = {row[0] for row in connection.execute("SELECT key FROM meta")}
    except apsw.Error:
        return not keys
    finally:
        connection.close(force=True)
    return set(keys) <= there
