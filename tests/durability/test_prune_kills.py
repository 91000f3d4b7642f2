"""A pruning that is killed behind any of its commits: the next one finishes it."""

from __future__ import annotations

import shutil
from pathlib import Path

from recollect.core.events import MessagesPruned, SessionPruned
from recollect.core.scope import Scope
from recollect.sessions.context.episode import episodes_of
from recollect.sessions.mirror.mirror_file import MirrorState
from recollect.store.journal import events_since
from tests.durability.processes import Worker
from tests.durability.scale import report
from tests.durability.worker import MOST_KEPT
from tests.unit.governance.kept_home import KeptHome

MESSAGES = 700
"""Removed in several batches."""


def fill(path: Path) -> tuple[str, str]:
    """Return two long sessions of a new home: one too old, one too long."""
    home = KeptHome(path)
    old, long = home.talk("quince", MESSAGES, days_ago=9), home.talk("medlar", MESSAGES)
    home.index.catch_up()
    home.mirror.flush()
    home.close()
    return old, long


def finish(path: Path, old: str, long: str) -> None:
    """Prune once more; then it is as if nobody had been killed."""
    home = KeptHome(path)
    assert home.retention(days=5, max_messages=MOST_KEPT).prune().is_clean
    first = MESSAGES - MOST_KEPT + 1
    assert home.seqs(long) == list(range(first, MESSAGES + 1))
    assert [session.id for session in home.sessions.list()] == [long]
    assert _messages(home, f"quincex{MESSAGES}") == _messages(home, "medlarx1") == []
    assert len(_messages(home, f"medlarx{MESSAGES}")) == 1
    assert home.mirror.state(long) == MirrorState.EQUAL
    events = [type(found.event) for found in home.records.read(lambda tx: events_since(tx, 0))]
    assert (events.count(SessionPruned), events.count(MessagesPruned)) == (1, 1)
    for id_ in (old, long):
        assert len(home.records.read(lambda tx, id_=id_: episodes_of(tx, Scope(), id_))) == 1  # type: ignore[misc]
    home.close()
    assert home.files_with("quincex350 ") == home.files_with("medlarx350 ") == []


def _messages(home: KeptHome, query: str) -> list[str]:
    """Return the messages that are found; the episodes of what was pruned stay."""
    return home.found(query, ("sessions",))


def test_a_killed_pruning_is_finished_by_the_next(tmp_path: Path) -> None:
    """Nothing twice, nothing left, and what stays is all there."""
    base = tmp_path / "base"
    old, long = fill(base)
    kills = 0
    while True:
        home = tmp_path / f"killed-{kills}"
        shutil.copytree(base, home)
        worker = Worker("prune_and_die", home, kills)
        told = worker.answer()
        worker.kill()
        if told == "finished":
            break
        finish(home, old, long)
        shutil.rmtree(home)
        kills += 1
    report("killed prunings", kills=kills, lost=0, left=0)
    assert kills > 2 * MESSAGES // 500
