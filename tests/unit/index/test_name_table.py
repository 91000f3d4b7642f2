"""The register of who and what documents belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.index.model import name_table
from tests.unit.index.scripted import ScriptedFeed, ScriptedIndex, said

if TYPE_CHECKING:
    from pathlib import Path


def test_a_group_is_looked_up_and_not_searched_for_among_all(tmp_path: Path) -> None:
    """50,000 sessions took two minutes to index where each new one walked all before it."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "a lantern"))) as home:
        plan = home.database.read(
            lambda tx: tx.all("EXPLAIN QUERY PLAN " + name_table._GROUP, (1, "s", "r", None))  # noqa: SLF001
        )
    (step,) = [str(row[3]) for row in plan]
    assert "ref=?" in step
