"""A recovery that is killed ahead of any call to the disk: the next one brings everything back."""

from __future__ import annotations

import shutil
from pathlib import Path

import recollect
from recollect.core.errors import RecollectError
from recollect.exchange.recover import recover
from recollect.memory import Memory
from recollect.store.sqlite.home import RECORDS_FILE
from tests.durability.deaths import deaths, run
from tests.durability.scale import SCALE, report

SESSIONS, MESSAGES = 6, 40


def opened(home: Path) -> Memory:
    """Return a memory without an embedder, and without a background."""
    return recollect.open(home, overrides={"embedding.provider": "none"}, live=False)


def fill(home: Path) -> None:
    """Make a home whose records are damaged."""
    with opened(home) as memory:
        for number in range(SESSIONS):
            session = memory.sessions.create(title=f"title {number}")
            said = [("user", f"quince{number}x{n}") for n in range(MESSAGES)]
            memory.sessions.append_many(session.id, said)
    records = home / RECORDS_FILE
    records.write_bytes(records.read_bytes()[: records.stat().st_size // 2])


def finish(home: Path, damaged: bytes) -> bool:
    """Recover again where it is not done; all is there, and the damaged file is kept once."""
    try:
        opened(home).close()
        was_done = (home / RECORDS_FILE).read_bytes() != damaged
    except RecollectError:
        was_done = False
    if not was_done:
        recover(home)
    with opened(home) as memory:
        sessions = memory.sessions.list()
        assert sorted(session.title or "" for session in sessions) == [
            f"title {number}" for number in range(SESSIONS)
        ]
        assert {session.message_count for session in sessions} == {MESSAGES}
        assert memory.heal_mirrors().keys() == {"equal"}
        assert memory.search("quince3x7").hits[0].snippet == "quince3x7"
    kept = [path.read_bytes() for path in home.glob(f"aside/*/{RECORDS_FILE}")]
    assert kept == [damaged]
    assert list(home.glob("transcripts/*.edited")) == []
    return was_done


def test_a_killed_recovery_is_begun_again(tmp_path: Path) -> None:
    """Issue 10, B1: nothing is lost by it, whenever it was."""
    base = tmp_path / "base"
    fill(base)
    damaged = (base / RECORDS_FILE).read_bytes()
    whole = Path(shutil.copytree(base, tmp_path / "whole"))
    life = run("recover_and_die", whole)
    assert life is not None
    done = kills = 0
    moments = deaths("recover", life)
    while kills < SCALE.kills:
        home = Path(shutil.copytree(base, tmp_path / "killed"))
        kills += run("recover_and_die", home, dies=next(moments)) is None
        done += finish(home, damaged)
        shutil.rmtree(home)
    report("killed recoveries", kills=kills, calls=life.calls, done_before=done, lost=0)
