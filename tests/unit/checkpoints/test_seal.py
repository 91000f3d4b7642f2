"""A damaged or missing row of a checkpoint is an error, and never writes into a file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from recollect.checkpoints.record.rows import Rewind
from recollect.core.errors import StoreCorrupt
from tests.unit.checkpoints.conftest import Project

STATEMENTS = (
    "DELETE FROM checkpoint_files WHERE path = 'a.txt'",
    "DELETE FROM checkpoint_writes WHERE path = 'a.txt'",
    "UPDATE checkpoint_files SET before = json_set(before, '$.mode', 511)",
    "UPDATE checkpoint_files SET path = 'c.txt' WHERE path = 'a.txt'",
    "UPDATE checkpoint_writes SET after = json_set(after, '$.size', 1)",
    "UPDATE checkpoints SET root = '/tmp'",
    "UPDATE checkpoints SET seq = seq + 0, kind = 'manual'",
)


def damaged(project: Project, statement: str) -> None:
    """Change a row behind the back of the checkpoints."""
    database = project.checkpoints._parts.database  # noqa: SLF001
    database.write(lambda tx: tx.execute(statement))


@pytest.fixture
def rewind(project: Project) -> Callable[[], Rewind]:
    """Go back to before two files were changed."""
    for name in ("a.txt", "b.txt"):
        (project.root / name).write_text(f"{name} before")
    with project.checkpoints.around(project.session, project.root, ["a.txt", "b.txt"]):
        for name in ("a.txt", "b.txt"):
            (project.root / name).write_text(f"{name} after")
    return lambda: project.checkpoints.apply(project.checkpoints.plan("c1"))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_damaged_row_stops_a_rewind(
    project: Project, rewind: Callable[[], Rewind], statement: str
) -> None:
    """Nothing is written, and fsck names the checkpoint."""
    before = project.snapshot()
    damaged(project, statement)
    with pytest.raises(StoreCorrupt):
        rewind()
    assert project.snapshot() == before
    assert len(project.checkpoints.fsck().broken) == 1


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rewinds SET status = 'applying'",
        "UPDATE rewinds SET changes = '[]'",
        "UPDATE rewinds SET root = root || '/x'",
    ],
)
def test_a_damaged_journal_changes_nothing(
    project: Project, rewind: Callable[[], Rewind], statement: str
) -> None:
    """Neither an undo, nor the recovery after what looks like a crash."""
    done = rewind()
    before = project.snapshot()
    damaged(project, statement)
    with pytest.raises(StoreCorrupt):
        project.checkpoints.undo(done.id)
    if "applying" in statement:
        with pytest.raises(StoreCorrupt):
            project.checkpoints.recover(project.root)
    assert project.snapshot() == before
