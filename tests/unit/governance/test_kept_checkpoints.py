"""How long checkpoints are kept: the newest, what can be undone, and nothing that was erased."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import NotFound
from recollect.memory import Memory
from recollect.store.columns import first_integer
from recollect.store.engine import Transaction
from recollect.store.sqlite.home import CHECKPOINTS, INCOMING
from tests.support.leftovers import files_that_hold
from tests.support.scripted_time import ScriptedTime

DAY = 86_400
SECRET = "zorvexplum"
Opened = Callable[..., Memory]


@pytest.fixture
def time() -> ScriptedTime:
    """A clock that the test moves."""
    return ScriptedTime()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of the memory."""
    return tmp_path / "home"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def opened(home: Path, time: ScriptedTime) -> Opened:
    """Open the memory with limits of its checkpoints, and without a background."""

    def open_memory(**limits: int) -> Memory:
        given = {f"retention.checkpoints.{name}": value for name, value in limits.items()}
        overrides: dict[str, Any] = {"embedding.provider": "none", **given}
        return recollect.open(home, overrides=overrides, live=False, clock=time)

    return open_memory


def edited(memory: Memory, session: str, root: Path, name: str, content: str) -> int:
    """Let a tool write a file; return the number of its checkpoint."""
    with memory.checkpoints.around(session, root, [name], tool_name="Write") as checkpoint:
        (root / name).write_text(content)
    return checkpoint.number


def kept(memory: Memory) -> set[bytes]:
    """Return all contents that are kept."""
    contents = memory.checkpoints._parts.contents  # noqa: SLF001
    return {contents.get(digest) for digest in contents.stored_sizes()}


def rows(memory: Memory) -> dict[str, int]:
    """Return how many rows each table of checkpoints has."""
    tables = ("checkpoints", "checkpoint_files", "checkpoint_writes", "rewinds")

    def count_all(tx: Transaction) -> dict[str, int]:
        return {each: first_integer(tx.row(f"SELECT count(*) FROM {each}")) for each in tables}  # noqa: S608

    return memory.checkpoints._parts.database.read(count_all)  # noqa: SLF001


def test_old_checkpoints_go_with_what_only_they_need(
    opened: Opened, time: ScriptedTime, root: Path
) -> None:
    """After thirty days by default; what a newer one needs stays."""
    with opened() as memory:
        session = memory.sessions.create().id
        edited(memory, session, root, "a.txt", "first")
        edited(memory, session, root, "a.txt", "second")
        time.pause(20 * DAY)
        edited(memory, session, root, "a.txt", "third")
        time.pause(11 * DAY)
        planned = memory.prune(dry_run=True)
        assert planned.records["checkpoints"].records == 2
        assert kept(memory) == {b"first", b"second", b"third"}
        report = memory.prune()
        assert report.records == planned.records
        assert report.is_clean
        assert kept(memory) == {b"second", b"third"}
        assert [each.number for each in memory.checkpoints.list(session)] == [3]
        assert rows(memory)["checkpoint_files"] == 1
        assert memory.prune().records == {}


@pytest.mark.parametrize("limit", [{"records": 2}, {"bytes": 160_000}])
def test_the_newest_stay(
    opened: Opened, time: ScriptedTime, root: Path, limit: dict[str, int]
) -> None:
    """By count and by bytes; the oldest go first."""
    with opened(**limit) as memory:
        session = memory.sessions.create().id
        for number in range(4):
            edited(memory, session, root, "a.bin", _noise(number))
            time.pause(DAY)
        memory.prune()
        assert [each.number for each in memory.checkpoints.list(session)] == [3, 4]


def _noise(number: int) -> str:
    """Return 60 kB that hardly compress, and share nothing with others."""
    return "".join(map(chr, random.Random(number).choices(range(33, 123), k=60_000)))


def test_what_may_still_be_undone_stays(opened: Opened, time: ScriptedTime, root: Path) -> None:
    """A week, whatever the limits are; then the rewind goes with its rescue point."""
    with opened(records=1) as memory:
        session = memory.sessions.create().id
        (root / "a.txt").write_text("before")
        number = edited(memory, session, root, "a.txt", "after")
        rewind = memory.checkpoints.apply(memory.checkpoints.plan(number))
        time.pause(DAY)
        for position in range(3):
            edited(memory, session, root, "b.txt", f"other {position}")
            time.pause(3_600)
        time.pause(DAY)
        memory.prune()
        assert [each.kind for each in memory.checkpoints.list(session)] == ["rescue", "tool"]
        assert {b"before", b"after"} <= kept(memory)
        memory.checkpoints.undo(rewind.id)
        assert (root / "a.txt").read_text() == "after"
        time.pause(8 * DAY)
        edited(memory, session, root, "b.txt", "last")
        time.pause(DAY)
        memory.prune()
        assert kept(memory) == {b"other 2", b"last"}
        assert rows(memory)["rewinds"] == 0
        with pytest.raises(NotFound):
            memory.checkpoints.undo(rewind.id)


def test_contents_without_a_checkpoint_wait_an_hour(
    opened: Opened, time: ScriptedTime, root: Path
) -> None:
    """A capture that is killed leaves some; one that runs has stored them minutes before."""
    with opened() as memory:
        contents = memory.checkpoints._parts.contents  # noqa: SLF001
        contents.put([b"an orphan"])
        memory.prune()
        assert kept(memory) == {b"an orphan"}
        time.pause(3_601)
        memory.prune()
        assert kept(memory) == set()


def test_what_a_manifest_needs_stays(opened: Opened, time: ScriptedTime, root: Path) -> None:
    """As long as there is a checkpoint of its root; the file is still as it was then."""
    (root / "clean.txt").write_text("clean")
    with opened(days=5) as memory:
        session = memory.sessions.create().id
        with memory.checkpoints.around(session, root, tool_name="Bash"):
            (root / "made.txt").write_text("made")
        time.pause(4 * DAY)
        edited(memory, session, root, "a.txt", "newest")
        time.pause(2 * DAY)
        memory.prune()
        assert kept(memory) == {b"clean", b"made", b"newest"}
        with memory.checkpoints.around(session, root, tool_name="Bash") as checkpoint:
            (root / "clean.txt").unlink()
        memory.checkpoints.apply(memory.checkpoints.plan(checkpoint))
        assert (root / "clean.txt").read_text() == "clean"


def test_a_root_without_checkpoints_is_looked_at_anew(
    opened: Opened, time: ScriptedTime, root: Path
) -> None:
    """Its contents went with the last checkpoint, and are stored again."""
    (root / "clean.txt").write_text("clean")
    with opened(days=5) as memory:
        session = memory.sessions.create().id
        with memory.checkpoints.around(session, root, tool_name="Bash"):
            pass
        time.pause(6 * DAY)
        memory.prune()
        assert kept(memory) == set()
        with memory.checkpoints.around(session, root, tool_name="Bash") as checkpoint:
            (root / "clean.txt").unlink()
        memory.checkpoints.apply(memory.checkpoints.plan(checkpoint))
        assert (root / "clean.txt").read_text() == "clean"


def test_a_pruned_session_takes_its_checkpoints(home: Path, time: ScriptedTime, root: Path) -> None:
    """At once, although they are new."""
    overrides = {"embedding.provider": "none", "sessions.retention.max_sessions": 1}
    with recollect.open(home, overrides=overrides, live=False, clock=time) as memory:
        session = memory.sessions.create().id
        number = edited(memory, session, root, "a.txt", SECRET)
        memory.checkpoints.apply(memory.checkpoints.plan(number))
        time.pause(60)
        memory.sessions.create()
        memory.prune()
        assert set(rows(memory).values()) == {0}
        assert kept(memory) == set()


def test_no_byte_of_an_erased_session_is_left(
    opened: Opened, home: Path, root: Path, time: ScriptedTime
) -> None:
    """Neither in contents, nor in what waits for the worker; what another session needs stays."""
    with opened() as memory:
        doomed = memory.sessions.create(title="doomed").id
        other = memory.sessions.create(title="other").id
        memory.sessions.append(doomed, "user", "edit it")
        edited(memory, other, root, "shared.txt", "both need this")
        edited(memory, doomed, root, "copy.txt", "both need this")
        number = edited(memory, doomed, root, "a.txt", f"{SECRET} alone")
        rewind = memory.checkpoints.apply(memory.checkpoints.plan(number))
        incoming = home / CHECKPOINTS / INCOMING
        incoming.mkdir()
        (incoming / "toolu_1").write_text(SECRET)
        planned = memory.erase(session_id=doomed, dry_run=True)
        counts = {name: planned.counts[name] for name in ("checkpoints", "rewinds", "contents")}
        assert counts == {"checkpoints": 3, "rewinds": 1, "contents": 1}
        receipt = memory.erase(session_id=doomed)
        assert (receipt.counts, receipt.is_clean) == (planned.counts, True)
        assert kept(memory) == {b"both need this"}
        assert files_that_hold(home, SECRET) == []
        assert [each.session_id for each in memory.checkpoints.list(other)] == [other]
        with pytest.raises(NotFound):
            memory.checkpoints.undo(rewind.id)
        with pytest.raises(NotFound):
            memory.checkpoints.plan(number)
    assert files_that_hold(home, SECRET) == []


@pytest.mark.slow
def test_what_differs_from_an_erased_content_is_stored_without_it(
    opened: Opened, home: Path, root: Path
) -> None:
    """Another session's version of the same file was stored as its differences."""
    lines = [f"{number} {_noise(number)[:60]}" for number in range(400)]
    theirs, ours = "\n".join([*lines, SECRET]), "\n".join([*lines, "ours"])
    with opened() as memory:
        doomed, other = memory.sessions.create().id, memory.sessions.create().id
        edited(memory, doomed, root, "a.txt", theirs)
        with memory.checkpoints.around(doomed, root, ["a.txt"]):
            pass
        (root / "a.txt").write_text(ours)
        edited(memory, other, root, "a.txt", "short")
        memory.erase(session_id=doomed)
        assert kept(memory) == {ours.encode(), b"short"}
    assert files_that_hold(home, SECRET) == []


def test_an_erased_content_does_not_stay_for_a_manifest(
    opened: Opened, home: Path, root: Path
) -> None:
    """The root is another session's too; the path is not put back, and not made up."""
    with opened() as memory:
        doomed, other = memory.sessions.create().id, memory.sessions.create().id
        edited(memory, doomed, root, "a.txt", SECRET)
        with memory.checkpoints.around(other, root, tool_name="Bash"):
            (root / "b.txt").write_text("b")
        memory.erase(session_id=doomed)
        assert files_that_hold(home, SECRET) == []
        assert kept(memory) == {b"b"}


def test_a_time_span_takes_the_checkpoints_of_that_time(
    opened: Opened, home: Path, root: Path, time: ScriptedTime
) -> None:
    """And those of the messages that go; the session stays."""
    with opened() as memory:
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "early")
        edited(memory, session, root, "a.txt", "kept")
        time.pause(3 * DAY)
        memory.sessions.append(session, "user", "late")
        edited(memory, session, root, "b.txt", SECRET)
        receipt = memory.erase(since="1 day ago")
        assert (receipt.counts["sessions"], receipt.counts["checkpoints"]) == (0, 1)
        assert [each.number for each in memory.checkpoints.list(session)] == [1]
        assert files_that_hold(home, SECRET) == []


def test_a_secret_in_a_file_is_nowhere_else_in_the_home(
    opened: Opened, home: Path, root: Path, tmp_path: Path
) -> None:
    """Not in records, index, logs, a transcript, a backup or an export."""
    (root / ".env").write_text(f"KEY={SECRET}\n")
    with opened() as memory:
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "look at it")
        number = edited(memory, session, root, ".env", f"KEY={SECRET}2\n")
        memory.checkpoints.apply(memory.checkpoints.plan(number))
        memory.sync()
        memory.scrub()
        assert kept(memory) >= {f"KEY={SECRET}\n".encode()}
        memory.backup(tmp_path / "backup.tar.zst")
        memory.export().save(tmp_path / "export.jsonl")
    holders = files_that_hold(home, SECRET)
    assert holders
    assert {name.split("/")[0] for name in holders} == {CHECKPOINTS}
    assert files_that_hold(tmp_path, SECRET) == [
        *(f"home/{name}" for name in holders),
        "project/.env",
    ]
