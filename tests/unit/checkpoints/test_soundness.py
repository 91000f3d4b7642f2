"""What is lost or damaged makes single paths uncaptured, and is named; the rest goes on."""

from __future__ import annotations

from pathlib import Path

import apsw  # noqa: TID251  # damages the file
import pytest

import recollect
from recollect.checkpoints.soundness import DAMAGED, NOT_KEPT
from recollect.core.errors import StoreCorrupt, StoreError
from recollect.memory import Memory
from recollect.store.sqlite.home import CHECKPOINTS, CONTENTS_FILE

CONTENTS = Path(CHECKPOINTS) / CONTENTS_FILE


def opened(home: Path) -> Memory:
    """Return a memory without a background."""
    return recollect.open(home, overrides={"embedding.provider": "none"}, live=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home in which a tool changed two files of a project."""
    home, root = tmp_path / "home", tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("a before")
    (root / "b.txt").write_text("b before")
    with opened(home) as memory:
        session = memory.sessions.create().id
        with memory.checkpoints.around(session, root, ["a.txt", "b.txt"]):
            (root / "a.txt").write_text("a after")
            (root / "b.txt").write_text("b after")
    return home


def damage(home: Path, statement: str) -> None:
    """Change the contents behind the back of the memory."""
    connection = apsw.Connection(str(home / CONTENTS))
    connection.execute(statement).fetchall()
    connection.close()


def reasons(memory: Memory) -> dict[str, str | None]:
    """Return the reasons of the paths of a plan that are uncaptured."""
    plan = memory.checkpoints.plan("c1")
    return {item.path: item.reason for item in plan.items if item.status == "uncaptured"}


def test_all_is_as_it_was_stored(home: Path) -> None:
    """Nothing is named."""
    with opened(home) as memory:
        health = memory.checkpoints.fsck()
        assert health.is_sound
        assert (health.contents, health.lost_count, health.orphans) == (4, 0, 0)


@pytest.mark.parametrize(
    ("statement", "reason", "damaged"),
    [
        ("DELETE FROM contents WHERE stored = CAST('a before' AS BLOB)", NOT_KEPT, 0),
        (
            "UPDATE contents SET stored = CAST('A before' AS BLOB)"
            " WHERE stored = CAST('a before' AS BLOB)",
            DAMAGED,
            1,
        ),
    ],
)
def test_one_path_is_uncaptured_and_the_others_come_back(
    home: Path, tmp_path: Path, statement: str, reason: str, damaged: int
) -> None:
    """A damaged content never gets into a file."""
    damage(home, statement)
    with opened(home) as memory:
        health = memory.checkpoints.fsck()
        assert (health.is_sound, health.damaged) == (False, damaged)
        assert [(each.checkpoint, each.path, each.reason) for each in health.lost] == [
            (1, "a.txt", reason)
        ]
        assert reasons(memory) == {"a.txt": reason}
        memory.checkpoints.apply(memory.checkpoints.plan("c1"))
    root = tmp_path / "project"
    assert (root / "a.txt").read_text() == "a after"
    assert (root / "b.txt").read_text() == "b before"


@pytest.mark.parametrize("reason", [NOT_KEPT, DAMAGED])
def test_without_the_file_the_rest_of_the_memory_goes_on(home: Path, reason: str) -> None:
    """All paths are uncaptured; new checkpoints are taken again where it is only missing."""
    for end in ("-wal", "-shm"):
        (home / CONTENTS).with_name(CONTENTS_FILE + end).unlink(missing_ok=True)
    if reason == DAMAGED:
        (home / CONTENTS).write_bytes(b"SQLite format 3\0" + b"\xff" * 20_000)
    else:
        (home / CONTENTS).unlink()
    with opened(home) as memory:
        session = memory.sessions.list()[0].id
        memory.sessions.append(session, "user", "go on")
        assert memory.search("go on").hits is not None
        health = memory.checkpoints.fsck()
        assert (health.problem is not None) == (reason == DAMAGED)
        assert health.lost_count == 2
        assert reasons(memory) == {"a.txt": reason, "b.txt": reason}
        report = memory.prune()
        assert report.is_clean == (reason == NOT_KEPT)
        receipt = memory.erase(session_id=session)
        assert receipt.counts["checkpoints"] == 1
        assert receipt.is_clean
    assert reason == NOT_KEPT or not (home / CONTENTS).exists()


def test_a_damaged_file_of_contents_is_a_clear_error_for_a_capture(
    home: Path, tmp_path: Path
) -> None:
    """Nothing is stored, and the name of the file is in the error."""
    (home / CONTENTS).write_bytes(b"SQLite format 3\0" + b"\xff" * 20_000)
    with opened(home) as memory:
        session = memory.sessions.list()[0].id
        with pytest.raises(StoreError) as refused:
            memory.checkpoints.take(session, tmp_path / "project")
        assert isinstance(refused.value, StoreCorrupt)
        assert CONTENTS_FILE in str(refused.value.facts.get("path", refused.value.message))


def test_a_look_makes_no_file(tmp_path: Path) -> None:
    """Where no checkpoint was ever taken."""
    with opened(tmp_path) as memory:
        assert memory.checkpoints.fsck().is_sound
        assert memory.checkpoints.collect() == 0
        memory.prune()
    assert not (tmp_path / CHECKPOINTS).exists()


def test_a_backup_has_no_contents_unless_it_is_asked(home: Path, tmp_path: Path) -> None:
    """Restored without them, paths are uncaptured, and fsck says so; with them, they come back."""
    for with_checkpoints in (False, True):
        file, restored = (tmp_path / f"{with_checkpoints}{end}" for end in (".tar.zst", ""))
        with opened(home) as memory:
            report = memory.backup(file, with_checkpoints=with_checkpoints)
            assert report.checkpoints is with_checkpoints
        recollect.restore(file, restored)
        assert (restored / CONTENTS).exists() is with_checkpoints
        with opened(restored) as memory:
            health = memory.checkpoints.fsck()
            assert health.is_sound is with_checkpoints
            lost = {"a.txt": NOT_KEPT, "b.txt": NOT_KEPT}
            assert reasons(memory) == ({} if with_checkpoints else lost)


def test_a_damaged_file_of_contents_is_left_out_of_a_backup(home: Path, tmp_path: Path) -> None:
    """With a warning."""
    (home / CONTENTS).write_bytes(b"SQLite format 3\0" + b"\xff" * 20_000)
    with opened(home) as memory:
        report = memory.backup(tmp_path / "b.tar.zst", with_checkpoints=True)
    assert [each for each in report.warnings if CONTENTS_FILE in each]
