"""A home that is made for the first time: one id, and no crash leaves one that refuses itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.settings import StoreSettings
from recollect.recall.ownership import claim
from recollect.store.engine import SqlValue
from recollect.store.sqlite.database import open_index, open_records
from recollect.store.sqlite.home import find_home_id
from recollect.testing.vfs_disk import DiskLog, RecordingVfs
from recollect.testing.vfs_power import cut_power
from tests.durability.ledger import CLOCK, append
from tests.durability.processes import Worker, start_at_once, workers
from tests.durability.scale import SCALE, chance, report

VFS = "recording-first-opening"
PROCESSES = 6
LONGEST_S = 0.25
"""A first opening with its message takes about 0.15 s."""


def ids(home: Path, settings: StoreSettings) -> tuple[str | None, str | None, list[SqlValue]]:
    """Open a home as the next program would; return its two ids and what was said in it."""
    records = open_records(home, settings, CLOCK)
    index = open_index(home, settings, CLOCK)
    try:
        assert claim(records, index) is None
        said = records.read(lambda tx: [row[0] for row in tx.rows("SELECT text FROM messages")])
        return records.read(find_home_id), index.read(find_home_id), said
    finally:
        index.close()
        records.close()


def test_a_home_whose_first_opening_was_killed_opens(tmp_path: Path) -> None:
    """Between the two databases too; what was acknowledged is there."""
    random, acked, empty = chance("first openings"), 0, 0
    for kill in range(SCALE.kills):
        home = tmp_path / str(kill)
        worker = Worker("open_new", home, ("full", "fast")[kill % 2])
        assert worker.answer() == "starting"
        worker.listen(random.uniform(0, LONGEST_S))
        is_acked = worker.kill() == ["said"]
        empty += not (home / "index.db").exists()
        with recollect.open(home, overrides={"embedding.provider": "none"}) as memory:
            said = [m.text for s in memory.sessions.list() for m in memory.sessions.messages(s.id)]
        assert said == ["hello"] or (not is_acked and said == [])
        first, second, _ = ids(home, StoreSettings())
        assert first == second is not None
        acked += is_acked
    report("killed first openings", kills=SCALE.kills, acked=acked, no_index=empty)


@pytest.mark.parametrize("durability", ["full", "fast"])
def test_a_home_whose_first_opening_lost_its_power_opens(scratch: Path, durability: str) -> None:
    """The records are on the disk before the index is begun, with ``fast`` too."""
    settings = StoreSettings(durability="full" if durability == "full" else "fast")
    log = DiskLog()
    vfs = RecordingVfs(VFS, log)
    home = scratch / "home"
    records = open_records(home, settings, CLOCK, vfs=VFS)
    index = open_index(home, settings, CLOCK, vfs=VFS)
    claim(records, index)
    for number in range(3):
        records.write(append(f"e{number}"))
        log.mark(f"e{number}")
    index.close()
    records.close()
    vfs.unregister()
    cuts, lost = SCALE.cuts // 5, 0
    for number, cut in enumerate(cut_power(log.calls, cuts, chance(f"first cuts, {durability}"))):
        folder = scratch / str(number)
        folder.mkdir()
        cut.write_to(folder)
        first, second, said = ids(folder, settings)
        assert first == second is not None
        lost += len(cut.marks) > len(said)
    report(f"power cuts in a first opening, {durability}", cuts=cuts, lost=lost)
    assert durability == "fast" or lost == 0


def test_processes_that_make_one_home_at_once_give_it_one_id(tmp_path: Path) -> None:
    """Nobody is refused, and both databases carry it."""
    starts = 1 + SCALE.cold_starts // 10
    for start in range(starts):
        home = tmp_path / str(start)
        with workers(PROCESSES, "open_at_once", home) as started:
            start_at_once(started)
            told = [worker.finish() for worker in started]
        first, second, said = ids(home, StoreSettings())
        assert told == [[first]] * PROCESSES
        assert (second, len(said)) == (first, PROCESSES)
    report("homes made at once", starts=starts, processes=PROCESSES, errors=0)
