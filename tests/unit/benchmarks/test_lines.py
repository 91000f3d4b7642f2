"""Counting lines of code and statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.measure.lines import (
    GENERATED,
    TOP,
    LinesRun,
    measure_file,
    measure_lines,
    size_grids,
)
from recollect.core.errors import StoreError

MODULE = '''"""A module.

With two paragraphs.
"""

# A comment.
import os  # another one


class Cup:
    """Holds tea."""

    size = """a text
    of two rows"""

    def pour(self) -> str:
        """Return a name."""
        return os.name
'''


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small source folder."""
    package = tmp_path / "recollect"
    (package / "store").mkdir(parents=True)
    (package / "memory.py").write_text(MODULE, "utf-8")
    (package / "store" / "rows.py").write_text("first = 1; second = 2\n", "utf-8")
    (package / "store" / "schema.sql").write_text("SELECT 1;\n", "utf-8")
    made = '"""Made by `make reference`; edit there."""\n\nname: str\n'
    (package / "memory.pyi").write_text(made, "utf-8")
    return tmp_path


def test_blanks_comments_and_docstrings_are_no_lines_of_code() -> None:
    """A text that is no docstring is code, on each of its rows."""
    size = measure_file("memory.py", MODULE)
    assert (size.lines, size.statements) == (6, 5)


def test_a_row_that_is_longer_than_the_columns_counts_as_it_is_formatted(source: Path) -> None:
    """Neither long lines nor two statements on one make a tree smaller."""
    long = f"names = [{', '.join(repr('x' * 30) for _ in range(9))}]\n"
    (source / "recollect" / "memory.py").write_text(long, "utf-8")
    tree = measure_lines(source)
    assert (tree.room(TOP).lines, tree.room(TOP).statements) == (11, 1)
    assert (tree.room("store").lines, tree.room("store").statements) == (2, 2)


def test_generated_files_count_apart(source: Path) -> None:
    """The total is of what somebody wrote; data is no code."""
    tree = measure_lines(source)
    assert (tree.total.files, tree.total.lines) == (2, 8)
    assert (tree.room(GENERATED).files, tree.room(GENERATED).lines) == (1, 1)


def test_another_tree_is_shown_beside(source: Path, tmp_path: Path) -> None:
    """With the difference of the lines, and a row for a room that only one of them has."""
    other = tmp_path / "other"
    (other / "recollect" / "text").mkdir(parents=True)
    (other / "recollect" / "text" / "terms.py").write_text("term = 1\n", "utf-8")
    here, there = measure_lines(source), measure_lines(other)

    (grid,) = size_grids(LinesRun(here=here, there=there))

    rows = {row[0]: row[1:] for row in grid.rows}
    assert rows["store"] == ("1", "2", "2", "0", "0", "0", "+2")
    assert rows["text"] == ("0", "0", "0", "1", "1", "1", "-1")
    assert rows["total"] == ("2", "8", "7", "1", "1", "1", "+7")


def test_a_tree_that_does_not_parse_is_refused(source: Path) -> None:
    """Half a tree is no figure."""
    (source / "recollect" / "memory.py").write_text("def pour(:\n", "utf-8")
    with pytest.raises(StoreError, match="cannot be formatted"):
        measure_lines(source)
