"""An erasure that is killed behind any of its commits: the next opening finishes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import recollect
from recollect.core.clock import SystemClock
from recollect.core.errors import NotFound
from recollect.core.settings import StoreSettings
from recollect.memory import Memory
from recollect.store.sqlite.database import open_records
from tests.durability.deaths import deaths, run
from tests.durability.processes import Worker
from tests.durability.scale import SCALE, report
from tests.support.leftovers import files_that_hold

MESSAGES = 700
"""Removed in several batches."""


def opened(home: Path) -> Memory:
    """Return a memory without an embedder, and without a background."""
    return recollect.open(home, overrides={"embedding.provider": "none"}, live=False)


def fill(home: Path) -> str:
    """Return a long session of a new home, beside another one and a copy of before a migration."""
    with opened(home) as memory:
        doomed, kept = memory.sessions.create(title="quincetitle"), memory.sessions.create()
        said = [("user", f"quinceword{n} was said") for n in range(MESSAGES)]
        memory.sessions.append_many(doomed.id, said)
        memory.sessions.append(kept.id, "user", "keptword")
        memory.sync()
    records = open_records(home, StoreSettings(), SystemClock())
    records.back_up(home / "records.db.before-0008")
    records.close()
    return doomed.id


def finish(home: Path, doomed: str) -> None:
    """Open the home; either nothing was begun, or nothing is left."""
    with opened(home) as memory:
        if memory.sessions.list(title="quincetitle"):
            memory.erase(session_id=doomed)
        with pytest.raises(NotFound, match="was erased"):
            memory.erase(session_id=doomed)
        assert memory.search("quinceword350").hits == []
        assert len(memory.search("keptword").hits) == 1
        assert memory.heal_mirrors() == {"equal": 1}
    assert [files_that_hold(home, word) for word in ("quince", doomed)] == [[], []]


def test_a_killed_erasure_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    """Nothing left, and nothing else gone."""
    base = tmp_path / "base"
    doomed = fill(base)
    kills = 0
    while True:
        home = tmp_path / f"killed-{kills}"
        shutil.copytree(base, home)
        worker = Worker("erase_and_die", home, doomed, kills)
        told = worker.answer()
        worker.kill()
        finish(home, doomed)
        shutil.rmtree(home)
        if told == "finished":
            break
        kills += 1
    report("killed erasures", kills=kills, left=0)
    assert kills > MESSAGES // 500


def test_an_erasure_that_is_killed_anywhere_is_finished(tmp_path: Path) -> None:
    """Ahead of a call to the disk and between two of them, from the opening to the last sync."""
    base = tmp_path / "base"
    doomed = fill(base)
    life = run("erase_until_death", shutil.copytree(base, tmp_path / "whole"), doomed)
    assert life is not None
    kills = 0
    moments = deaths("erase", life)
    while kills < SCALE.kills:
        home = Path(shutil.copytree(base, tmp_path / "killed"))
        kills += run("erase_until_death", home, doomed, dies=next(moments)) is None
        finish(home, doomed)
        shutil.rmtree(home)
    report("erasures killed anywhere", kills=kills, calls=life.calls, left=0)
