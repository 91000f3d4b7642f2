"""Several processes on one home."""

from __future__ import annotations

import statistics
from pathlib import Path

from recollect.store.files import read_lines
from recollect.store.locks import OwnerLock
from tests.durability.ledger import CLOCK, check_home
from tests.durability.processes import Worker, start_at_once, workers
from tests.durability.scale import SCALE, report

PROCESSES = 8


def test_eight_processes_write_and_no_error_reaches_a_caller(tmp_path: Path) -> None:
    """Promise D7; the sequence of the one session that all of them write has no gap."""
    home, count = tmp_path / "home", SCALE.writes_a_process
    with workers(PROCESSES, "write_many", home, count) as started:
        start_at_once(started)
        took = sorted(float(line) for worker in started for line in worker.finish())
    ids = [f"w{worker}-{number}" for worker in range(PROCESSES) for number in range(count)]
    findings = check_home(home, ids)
    report(
        "8 processes writing",
        acks=len(took),
        lost=len(findings.lost),
        broken=len(findings.broken),
        p50_ms=round(statistics.median(took), 1),
        p99_ms=round(took[int(len(took) * 0.99)], 1),
        max_ms=round(took[-1], 1),
    )
    assert (len(took), findings.rows) == (len(ids), len(ids))
    assert (findings.lost, findings.broken) == ((), ())


def test_many_processes_open_one_cold_home(tmp_path: Path) -> None:
    """Switching to the log and the first schema step happen once; nobody sees an error."""
    for start in range(SCALE.cold_starts):
        home = tmp_path / str(start)
        with workers(PROCESSES, "open_cold", home) as started:
            start_at_once(started)
            assert [worker.finish() for worker in started] == [["done"]] * PROCESSES
        findings = check_home(home, [f"w{number}" for number in range(PROCESSES)])
        assert (findings.rows, findings.lost, findings.broken) == (PROCESSES, (), ())
    report("cold starts", starts=SCALE.cold_starts, processes=PROCESSES, errors=0)


def test_exactly_one_process_becomes_the_owner(tmp_path: Path) -> None:
    """Promise D18, while somebody else keeps asking who holds the lock."""
    path = tmp_path / "owner.lock"
    probe = OwnerLock(path, CLOCK)
    racers = [Worker("race_for_lock", path) for _ in range(4)]
    winners = []
    for _ in range(SCALE.lock_races):
        for racer in racers:
            racer.order()
        probe.holder()
        answers = [racer.answer() for racer in racers]
        winners.append(answers.count("won"))
        for racer in racers:
            racer.order()
        assert [racer.answer() for racer in racers] == ["released"] * len(racers)
    for racer in racers:
        racer.kill()
    report("owner lock", races=SCALE.lock_races, without_one_owner=sum(n != 1 for n in winners))
    assert set(winners) == {1}


def test_the_lock_of_a_killed_owner_is_free(tmp_path: Path) -> None:
    """It belongs to an open file, not to a process id; and it says who held it."""
    path = tmp_path / "owner.lock"
    owner, successor = Worker("race_for_lock", path), OwnerLock(path, CLOCK)
    owner.order()
    assert owner.answer() == "won"
    holder = successor.holder()
    assert holder is not None
    assert holder.role == "racer"
    assert not successor.acquire("successor")
    owner.kill()
    assert successor.holder() is None
    assert successor.acquire("successor")
    successor.release()


def test_lines_of_many_processes_are_never_mixed(tmp_path: Path) -> None:
    """Promise F2: 60 kB lines from eight processes, each whole."""
    path, count = tmp_path / "lines.jsonl", SCALE.writes_a_process // 5
    with workers(PROCESSES, "append_many", path, count) as started:
        start_at_once(started)
        assert [worker.finish() for worker in started] == [["done"]] * PROCESSES
    seen = []
    for line in read_lines(path):
        name, number, body = line.decode().split(":")
        assert body == name[-1] * 60_000
        seen.append((name, int(number)))
    assert sorted(seen) == sorted((f"w{w}", n) for w in range(PROCESSES) for n in range(count))
    report("lines of 8 processes", lines=len(seen), mixed=0)


def test_running_out_of_memory_loses_and_breaks_nothing(tmp_path: Path) -> None:
    """Promise D6: SQLite's memory is stepped down to nothing under a writer."""
    home = tmp_path / "home"
    said = Worker("run_out_of_memory", home).finish()
    acked = [line for line in said if not line.startswith("refused")]
    findings = check_home(home, acked)
    report("out of memory", acks=len(acked), refused=len(said) - len(acked))
    assert said[-1] == "last"
    assert len(acked) < len(said)
    assert (findings.lost, findings.broken) == ((), ())
