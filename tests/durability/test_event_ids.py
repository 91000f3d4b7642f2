"""Event ids where something goes wrong: a killed schema step, and a COMMIT that fails."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from recollect.core.clock import IdSource
from recollect.core.errors import StoreError
from recollect.core.settings import SessionSettings, StoreSettings
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import DraftMaker
from recollect.sessions.record.message_rows import damaged_messages
from recollect.sessions.sessions import Sessions
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import SqliteDatabase, open_records
from recollect.testing.vfs_fault import FOREVER, Fault, FaultVfs, Operation
from tests.durability.ledger import CALM, CLOCK, open_home
from tests.durability.processes import Worker
from tests.durability.scale import SCALE, chance, report
from tests.unit.store.old_records import fill_old_records

VFS = "faulty-event-ids"
KEY = "agent:main:telegram:direct:42"
MESSAGES = 600


def _sessions(database: SqliteDatabase) -> Sessions:
    return Sessions(
        SessionAccess(
            database=database,
            clock=CLOCK,
            ids=IdSource(CLOCK),
            settings=SessionSettings(),
            drafts=DraftMaker(CLOCK, IdSource(CLOCK), None),
        )
    )


def _check(tx: Transaction) -> list[str]:
    found = [str(row[0]) for row in tx.rows("PRAGMA integrity_check") if row[0] != "ok"]
    found += [str(row[0]) for row in tx.rows("PRAGMA foreign_key_check")]
    return found + damaged_messages(tx, "", 2 * MESSAGES)[1]


def test_a_step_that_is_killed_anywhere_is_done_by_the_next(tmp_path: Path) -> None:
    """docs/sessions.md: each message is there once, its id known, a whole copy beside it."""
    base = tmp_path / "base"
    rows = fill_old_records(base / "records.db", MESSAGES, version=5)
    endless = 10**9
    shutil.copytree(base, tmp_path / "whole")
    calls = endless - int(Worker("migrate_and_die", tmp_path / "whole", endless).finish()[0])
    random = chance("killed steps")
    moments = [random.randrange(calls) for _ in range(SCALE.kills)]
    for number, moment in enumerate(moments):
        home = tmp_path / f"killed-{number}"
        shutil.copytree(base, home)
        worker = Worker("migrate_and_die", home, moment)
        assert worker.answer() == "", "it was killed"
        worker.kill()
        database = open_records(home, StoreSettings(), CLOCK)
        kept = database.read(lambda tx: tx.all("SELECT * FROM messages ORDER BY id"))
        assert [row[: len(rows[0])] for row in kept] == rows, "later steps only add columns"
        assert database.read(_check) == []
        known = _sessions(database).append("s1", "user", "again", event_id="event-1")
        assert known.id == rows[1][0]
        database.close()
        assert (home / "records.db.before-0006").stat().st_size >= (
            base / "records.db"
        ).stat().st_size
        assert not list(home.glob("*.part"))
        shutil.rmtree(home)
    report("killed schema steps", kills=len(moments), disk_calls=calls, lost=0)


def _resets(sessions: Sessions, session_id: str) -> str:
    return sessions.reset(KEY).id


def _forks(sessions: Sessions, session_id: str) -> str:
    return sessions.fork(session_id).id


def _stays(sessions: Sessions, session_id: str) -> str:
    return session_id


@pytest.mark.parametrize("goes_on", [_stays, _forks, _resets])
@pytest.mark.parametrize("times", [1, FOREVER], ids=["once", "lasting"])
@pytest.mark.parametrize("operation", ["write", "sync"])
def test_a_retry_after_a_failed_commit_is_one_message(
    scratch: Path, operation: Operation, times: int, goes_on: Callable[[Sessions, str], str]
) -> None:
    """Design 4: whatever the disk did, in the session, in its fork and after its reset."""
    trials = doubts = 0
    for nth in itertools.count(1):
        vfs = FaultVfs(VFS, Fault(operation=operation, nth=nth, times=times), is_armed=False)
        vfs.waits_for_disk = False
        database = open_home(scratch / str(nth), CALM, VFS)
        sessions = _sessions(database)
        session = sessions.open(KEY)
        vfs.arm()
        with suppress(StoreError):
            sessions.append(session.id, "user", "hello", event_id="1")
        vfs.repair()
        doubts += bool(vfs.hits)
        follower = goes_on(sessions, session.id)
        for _ in range(2):
            sessions.append(follower, "user", "hello", event_id="1")
        count = "SELECT count(*) FROM messages WHERE event_id = '1'"
        assert database.read(lambda tx: tx.row(count)) == (1,)  # noqa: B023  # called at once
        database.close()
        vfs.unregister()
        trials += 1
        if vfs.hits == 0:
            break
    assert doubts
    report(f"retries, {operation}, {goes_on.__name__[1:]}", trials=trials, failed=doubts, twice=0)
