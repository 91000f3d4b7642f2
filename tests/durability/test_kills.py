"""kill -9 at random moments, with the acknowledgements as the ledger."""

from __future__ import annotations

from pathlib import Path

from tests.durability.ledger import check_home
from tests.durability.processes import Worker
from tests.durability.scale import SCALE, chance, report

MOST_ACKS = 400


def _write_and_die(home: Path, name: str, acks: int) -> list[str]:
    """Return what a worker acknowledged before it was killed after ``acks`` acknowledgements."""
    worker = Worker("write_until_killed", home, name)
    assert worker.answer() == "starting"
    read = [worker.answer() for _ in range(acks)]
    return [line for line in read + worker.kill() if line]


def test_a_killed_process_loses_no_acknowledged_row(tmp_path: Path) -> None:
    """Promise D1: also when it dies while it opens, commits or writes the log back."""
    random = chance("kills")
    acked: dict[Path, list[str]] = {}
    lost = broken = 0
    for kill in range(SCALE.kills):
        # One home for ten kills: each next process recovers what the last one left.
        home = tmp_path / str(kill // 10)
        acks = random.randint(-MOST_ACKS // 8, MOST_ACKS)  # below 1: killed while it opens
        acked.setdefault(home, []).extend(_write_and_die(home, f"k{kill}", acks))
        findings = check_home(home, acked[home])
        lost, broken = lost + len(findings.lost), broken + len(findings.broken)
    total = sum(len(ids) for ids in acked.values())
    report("kill -9", kills=SCALE.kills, acks=total, lost=lost, broken=broken)
    assert (lost, broken) == (0, 0)


def test_a_whole_file_is_never_half_written(tmp_path: Path) -> None:
    """Promise F6: after a kill at any moment a reader finds one whole version."""
    random = chance("rewrites")
    path = tmp_path / "file"
    for _ in range(SCALE.kills):
        worker = Worker("rewrite_until_killed", path)
        acks = [worker.answer() for _ in range(random.randint(1, 30))] + worker.kill()
        lines = path.read_text("utf-8").split("\n")[:-1]
        assert len(lines) == 20_000
        assert set(lines) <= {acks[-1], str(int(acks[-1]) + 1)}
        assert len(set(lines)) == 1
    report("whole files", kills=SCALE.kills, torn=0)
