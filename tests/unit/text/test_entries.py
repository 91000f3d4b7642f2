"""Entries of curated files: what begins one, what it is under, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.chunking import chunk_hash
from recollect.text.markdown.entries import HEADING_CHARS, chunk_entries
from recollect.text.markdown.fences import lines_outside

LINES = st.sampled_from(
    ["- tea", "- rain and cold", "  more of it", "# One", "## Two", "text", "", "```", "-no", "* x"]
)


def spans(text: str, tokens: int = 400) -> list[tuple[int, int, str]]:
    """Return lines and text of every chunk."""
    return [(c.start_line, c.end_line, c.text) for c in chunk_entries(text, tokens)]


def test_bullets_and_headings_begin_entries() -> None:
    """What follows a bullet belongs to it; text before all entries is one of its own."""
    assert spans("intro\n- one\n  more\n\n- two\nlast") == [
        (1, 1, "intro"),
        (2, 3, "- one\n  more"),
        (5, 6, "- two\nlast"),
    ]


@pytest.mark.parametrize("line", ["* star", "+ plus", "  - nested", "-none", "1. first", "#tag"])
def test_other_lines_do_not_begin_one(line: str) -> None:
    """Only ``- `` in the first column and headings with a space do."""
    assert spans(f"- one\n{line}") == [(1, 2, f"- one\n{line}")]


def test_an_entry_stands_below_every_heading_it_is_under() -> None:
    """A heading of the same level or a higher one ends what was above."""
    text = "# Shop\n## Deploys\n- after six\n## People\n- Ann\n# Home\n- tea"
    assert spans(text) == [
        (3, 3, "# Shop\n## Deploys\n- after six"),
        (5, 5, "# Shop\n## People\n- Ann"),
        (7, 7, "# Home\n- tea"),
    ]


def test_a_heading_with_text_of_its_own_is_an_entry() -> None:
    """And its bullets still stand below it."""
    assert spans("# Tea\nWe drink green.\n- sencha") == [
        (1, 2, "# Tea\nWe drink green."),
        (3, 3, "# Tea\n- sencha"),
    ]


def test_a_heading_with_nothing_below_is_kept() -> None:
    """It may be all that somebody wrote."""
    assert spans("# Call Ann\n# Tea\n- green\n## Later") == [
        (1, 1, "# Call Ann"),
        (3, 3, "# Tea\n- green"),
        (4, 4, "# Tea\n## Later"),
    ]


def test_code_is_no_structure() -> None:
    """A comment of a script is no heading."""
    text = "- run this\n```sh\n# comment\n- flag\n```\n- next"
    assert spans(text) == [(1, 5, text.removesuffix("\n- next")), (6, 6, "- next")]


def test_a_long_entry_is_cut_and_every_part_keeps_its_headings() -> None:
    """Its parts overlap as those of any file; entries never do."""
    text = "# Log\n- first\n" + "\n".join(f"  line {n} of it" for n in range(20)) + "\n- second"
    parts = spans(text, 16)
    assert len(parts) > 4
    assert all(part.startswith("# Log\n") for _, _, part in parts)
    assert parts[-1] == (23, 23, "# Log\n- second")
    assert not any("first" in part and "second" in part for _, _, part in parts)


def test_a_heading_that_is_a_paragraph_is_repeated_in_part() -> None:
    """Otherwise it would fill every chunk below it."""
    (entry,) = spans(f"# {'long ' * 100}\n- tea")
    assert entry[2].endswith("\n- tea")
    assert len(entry[2]) <= HEADING_CHARS + len("\n- tea")


@pytest.mark.parametrize("text", ["", "\n\n", " \n"])
def test_nothing_gives_no_chunk(text: str) -> None:
    """Blank files have no entry."""
    assert chunk_entries(text) == []


@given(st.lists(LINES, max_size=30), st.sampled_from([8, 20, 400]))
def test_every_line_is_in_an_entry_and_entries_stand_in_order(lines: list[str], size: int) -> None:
    """Nothing is lost: a line is in the chunk that says so, or a heading above one."""
    text = "\n".join(lines)
    chunks = chunk_entries(text, size, 0)
    starts = [(chunk.start_line, chunk.end_line) for chunk in chunks]
    assert starts == sorted(starts)
    numbers = {n for chunk in chunks for n in range(chunk.start_line, chunk.end_line + 1)}
    for number, line in enumerate(lines, start=1):
        if line.strip() and number not in numbers:
            assert any(line in chunk.text.split("\n") for chunk in chunks)
    for chunk in chunks:
        assert chunk.hash == chunk_hash(chunk.text)
        assert lines[chunk.start_line - 1] in chunk.text


def test_a_fence_ends_with_one_that_is_as_long() -> None:
    """A shorter one, or one with a word behind it, is code."""
    text = "````\n```\n```` py\n````\nout\n~~~\nin"
    assert [line for line, is_outside in lines_outside(text) if is_outside] == ["out"]
