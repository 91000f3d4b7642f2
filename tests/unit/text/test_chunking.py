"""Chunks of Markdown: spans, sizes, overlap."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.char_cost import char_cost
from recollect.text.chunking import Chunk, chunk_markdown

LINES = st.lists(
    st.text(alphabet=st.characters(blacklist_characters="\n"), max_size=60), max_size=40
)


def _spans(chunks: list[Chunk]) -> list[tuple[int, int]]:
    return [(chunk.start_line, chunk.end_line) for chunk in chunks]


@pytest.mark.parametrize(
    ("text", "tokens", "overlap", "spans"),
    [
        ("", 400, 80, [(1, 1)]),
        ("one line", 400, 80, [(1, 1)]),
        ("one line\n", 400, 80, [(1, 2)]),
        ("a\r\nb\r\n", 400, 80, [(1, 3)]),
        ("x" * 31 + "\n" + "y" * 31, 16, 0, [(1, 2)]),
        ("x" * 32 + "\n" + "y" * 31, 16, 0, [(1, 1), (2, 2)]),
        ("ten chars.\n" * 6, 1, 0, [(1, 2), (3, 4), (5, 7)]),
        ("twenty characters ab\n" * 8, 20, 10, [(1, 3), (3, 5), (5, 7), (7, 9)]),
        ("喝绿茶的时候想起来\n" * 4, 20, 9, [(1, 2), (2, 3), (3, 5)]),
        ("z" * 100, 8, 8, [(1, 1)] * 4),
        ("short\n" + "z" * 70 + "\nend", 8, 8, [(1, 1), (2, 2), (2, 2), (2, 3)]),
        ("😀" * 40, 8, 0, [(1, 1)] * 3),
    ],
)
def test_chunks_have_these_lines(
    text: str, tokens: int, overlap: int, spans: list[tuple[int, int]]
) -> None:
    """Worked out by hand from the rules: 4 characters a token, 1 for each line break, 1-based."""
    assert _spans(chunk_markdown(text, tokens, overlap)) == spans


def test_a_chunk_has_the_hash_of_its_text() -> None:
    """The embedding cache is keyed by it."""
    (chunk,) = chunk_markdown("绿茶\n")
    assert chunk.text == "绿茶\n"
    assert chunk.hash == hashlib.sha256("绿茶\n".encode()).hexdigest()


def test_a_text_with_broken_surrogates_has_chunks() -> None:
    """UTF-8 has no bytes for them."""
    (chunk,) = chunk_markdown("a\ud83db")
    assert len(chunk.hash) == 64


def test_the_defaults_are_400_tokens_and_80_of_overlap() -> None:
    """Lines of 40 characters: 39 fit into 1,600 with their breaks, 7 into 320."""
    chunks = chunk_markdown(("x" * 40 + "\n") * 100)
    assert _spans(chunks) == [(1, 39), (33, 71), (65, 101)]


def test_a_line_too_long_for_the_overlap_is_repeated_up_to_half_a_chunk() -> None:
    """An answer that spans two paragraphs is whole in one chunk, but long ones are not doubled."""
    assert _spans(chunk_markdown("\n".join(["p" * 45] * 4), 25, 5)) == [(1, 2), (2, 3), (3, 4)]
    assert _spans(chunk_markdown("\n".join(["p" * 55] * 3), 25, 5)) == [(1, 1), (2, 2), (3, 3)]
    assert _spans(chunk_markdown("\n".join(["p" * 45] * 4), 25, 0)) == [(1, 2), (3, 4)]


@given(LINES, st.integers(min_value=1, max_value=30), st.integers(min_value=-1, max_value=30))
def test_chunks_are_the_lines_they_name(lines: list[str], tokens: int, overlap: int) -> None:
    """No text is lost, doubled within a chunk, or attributed to a wrong line."""
    text = "\n".join(lines)
    limit = max(32, 4 * tokens)
    seen = 0
    for chunk in chunk_markdown(text, tokens, overlap):
        chunk_lines = lines[chunk.start_line - 1 : chunk.end_line] or [""]
        assert chunk.start_line <= seen + 1
        if all(char_cost(line) <= limit for line in chunk_lines):
            assert chunk.text == "\n".join(chunk_lines)
        else:
            assert chunk.text in "\n".join(chunk_lines)
        seen = chunk.end_line
    assert seen == max(1, len(lines))


@given(LINES, st.integers(min_value=1, max_value=30), st.integers(min_value=0, max_value=60))
def test_no_chunk_is_too_large(lines: list[str], tokens: int, overlap: int) -> None:
    """Whatever the overlap is."""
    for chunk in chunk_markdown("\n".join(lines), tokens, overlap):
        assert char_cost(chunk.text) <= max(32, 4 * tokens)


@given(LINES, st.integers(min_value=1, max_value=30), st.integers(min_value=0, max_value=60))
def test_every_chunk_brings_something_new(lines: list[str], tokens: int, overlap: int) -> None:
    """Chunks end later and later; what overlaps are lines of the one before."""
    chunks = chunk_markdown("\n".join(lines), tokens, overlap)
    for before, after in pairwise(chunks):
        assert before.start_line <= after.start_line <= before.end_line + 1
        assert after.end_line >= before.end_line


@given(st.text(max_size=400), st.integers(min_value=1, max_value=20))
def test_without_overlap_the_chunks_are_the_text(text: str, tokens: int) -> None:
    """In order; only line breaks stand between them."""
    chunks = chunk_markdown(text, tokens, 0)
    assert "".join(chunk.text for chunk in chunks).replace("\n", "") == text.replace("\n", "")


def test_a_line_of_many_megabytes_is_cut() -> None:
    """In one pass."""
    chunks = chunk_markdown("y" * 3_000_000 + "茶" * 100_000)
    assert sum(len(chunk.text) for chunk in chunks) == 3_100_000
