"""Rebuilds that are killed at random moments: nothing is lost, no vector is made twice."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from recollect.store.sqlite.home import INDEX_FILE
from tests.durability.scale import SCALE, chance, report
from tests.integration.index.processes import running
from tests.integration.index.test_rebuild import (
    MESSAGES,
    check_answers,
    embedded,
    fill,
    open_hashing,
    statuses,
    strays,
)

CACHED_BYTES = 600
"""What the cache takes for a text and an embedder on the disk, with its indexes and their room."""


class Killer:
    """Kills rebuilds of one home, each to the next version of the embedder until it is reached.

    Args:
        home: A filled home whose index is of version 0.
        logs: Folder for what each version embeds.
        chosen: Chooses the moments.
    """

    def __init__(self, home: Path, logs: Path, chosen: random.Random) -> None:
        self._home = home
        self._logs = logs
        self._chosen = chosen
        self.version = 0
        """The version that answers."""
        self.kills: Counter[tuple[str, ...]] = Counter()
        """How often a kill left which generations behind."""
        self.twice: list[str] = []
        """Texts that were embedded although their vector was stored."""

    def log(self, version: int) -> Path:
        """Return where the digests of what a version embeds are written."""
        return self._logs / f"v{version}.log"

    def strike(self) -> None:
        """Begin a rebuild and kill it somewhere; one that was faster than the kill counts not."""
        wanted = self.version + 1
        stored, made = embedded(self._home, f"v{wanted}"), len(self._made(wanted))
        with running("rebuild", self._home, f"v{wanted}", self.log(wanted)) as process:
            assert process.answer() == "opened"
            for _ in range(self._chosen.randrange(14)):
                process.answer()
            process.has_ended_within(self._chosen.uniform(0.0, 0.06))
            in_time = process.kill()
        self.twice += stored.intersection(self._made(wanted)[made:])
        left = statuses(self._home)
        self.kills[left] += in_time
        self.version += "building" not in left and bool(embedded(self._home, f"v{wanted}"))

    def _made(self, version: int) -> list[str]:
        path = self.log(version)
        return path.read_text(encoding="ascii").splitlines() if path.exists() else []

    def embedded_by(self, version: int) -> int:
        """Return how many texts a version embedded, over all its lives."""
        return len(self._made(version))


@pytest.mark.durability
def test_killed_rebuilds_are_finished_and_leave_nothing_behind(tmp_path: Path) -> None:
    """DESIGN 4: killed anywhere, it goes on where it was; no text is embedded twice."""
    home = tmp_path / "home"
    with open_hashing(home, "v0") as memory:
        fill(memory)
        memory.reindex()
    size = (home / INDEX_FILE).stat().st_size
    files = {path.name for path in home.rglob("*")}
    killer = Killer(home, tmp_path, chance("rebuild kills"))
    while killer.kills.total() < SCALE.rebuild_kills:
        killer.strike()
        with open_hashing(home, f"v{killer.version}") as memory:
            check_answers(memory)
    last = killer.version + 1
    with open_hashing(home, f"v{last}", killer.log(last)) as memory:
        memory.sync()
        check_answers(memory)
        status = memory.status().index
    assert (status.vectors, status.waiting, status.outdated) == (MESSAGES, 0, None)
    assert killer.twice == []
    assert (statuses(home), strays(home)) == (("serving",), {})
    assert {path.name for path in home.rglob("*")} <= files | {
        f"{INDEX_FILE}-wal",
        f"{INDEX_FILE}-shm",
    }
    assert len(embedded(home, f"v{last}")) == MESSAGES
    others = last * MESSAGES * CACHED_BYTES
    assert (home / INDEX_FILE).stat().st_size <= 1.5 * size + others
    made = sum(killer.embedded_by(version) for version in range(1, last + 1))
    report(
        "rebuild kills",
        kills=killer.kills.total(),
        with_half_a_generation=sum(n for left, n in killer.kills.items() if "building" in left),
        rebuilds_finished=last,
        texts_a_rebuild=MESSAGES,
        embedded=made,
        embedded_although_stored=len(killer.twice),
    )
