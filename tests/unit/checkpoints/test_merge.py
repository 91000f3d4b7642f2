"""Merges: what both sides did is kept, or nothing is."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.checkpoints.rewind.merge import is_text, merge

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"}\n", b"\n", b"c\r\n"]), max_size=12)
TEXTS = st.builds(lambda lines, end: b"".join(lines) + end, LINES, st.sampled_from([b"", b"z"]))


@given(TEXTS, TEXTS)
def test_a_side_without_a_change_gives_the_other(base: bytes, other: bytes) -> None:
    """Whatever it is."""
    assert merge(base, base, other) == merge(base, other, base) == other


@given(TEXTS, TEXTS)
def test_the_same_change_on_both_sides_is_one(base: bytes, other: bytes) -> None:
    """Nothing is doubled."""
    assert merge(base, other, other) == other


@given(TEXTS, TEXTS, TEXTS)
def test_the_sides_can_be_exchanged(base: bytes, one: bytes, other: bytes) -> None:
    """Also where there is no merge."""
    assert merge(base, one, other) == merge(base, other, one)


@given(st.lists(st.sampled_from(["keep", "one", "other", "both"]), min_size=1, max_size=20))
def test_edits_of_different_lines_both_survive(kinds: list[str]) -> None:
    """And no other line is touched; the same line changed by both is refused."""
    lines = [b"line %d\n" % number for number in range(len(kinds))]

    def edited(side: str) -> bytes:
        pairs = zip(lines, kinds, strict=True)
        return b"".join(
            b"%s: %s" % (side.encode(), line) if kind in {side, "both"} else line
            for line, kind in pairs
        )

    merged = merge(b"".join(lines), edited("one"), edited("other"))
    if "both" in kinds:
        assert merged is None
    elif any({one, other} == {"one", "other"} for one, other in pairwise(kinds)):
        assert merged is None or set(merged.splitlines()) == _expected(lines, kinds)
    else:
        assert merged is not None
        assert set(merged.splitlines()) == _expected(lines, kinds)
        assert len(merged.splitlines()) == len(lines)


def _expected(lines: list[bytes], kinds: list[str]) -> set[bytes]:
    pairs = zip(lines, kinds, strict=True)
    return {
        (line if kind == "keep" else kind.encode() + b": " + line).rstrip() for line, kind in pairs
    }


@given(st.lists(st.sampled_from("=-+"), max_size=30))
def test_lines_that_one_side_adds_and_the_other_removes_elsewhere(kinds: list[str]) -> None:
    """An insertion is never lost."""
    numbers = list(accumulate(1 for _ in kinds))
    base = b"".join(b"%d\n" % number for number in numbers)
    less = b"".join(b"%d\n" % n for n, kind in zip(numbers, kinds, strict=True) if kind != "-")
    more = b"".join(
        b"%d\n%s" % (n, b"new %d\n" % n if kind == "+" else b"")
        for n, kind in zip(numbers, kinds, strict=True)
    )
    merged = merge(base, less, more)
    if merged is not None:
        news = {line for line in more.splitlines() if line.startswith(b"new")}
        assert news <= set(merged.splitlines())


def test_an_appended_line_survives_that_the_last_one_is_taken_away() -> None:
    """They touch, and share no line."""
    assert merge(b"one\ntwo\n", b"one\ntwo\nuser\n", b"one\n") == b"one\nuser\n"


@pytest.mark.parametrize(
    ("base", "one", "other"),
    [
        (b"a\n", b"b\n", b"c\n"),
        (b"a\n", b"a\nb\n", b"a\nc\n"),
        (b"a", b"a\nb", b""),
        (b"a\nb\n", b"a\r\nb\r\n", b"a\nc\n"),
        (b"a\nb", b"a\nB", b"a\nb\nc\n"),
    ],
)
def test_the_same_lines_are_not_merged(base: bytes, one: bytes, other: bytes) -> None:
    """Two changes or insertions at one place, a removal, other ends of lines, no end."""
    assert merge(base, one, other) is None


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"\xc3\xbc\r\n", True), (b"", True), (b"\xff", False), (b"\0", False)],
)
def test_a_text_is_utf_8_without_a_nul(content: bytes, expected: bool) -> None:
    """Others are not merged."""
    assert is_text(content) is expected
