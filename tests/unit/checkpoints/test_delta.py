"""Differences of contents: they give the content back, and stay small."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.checkpoints.delta import decode, encode

LINES = st.lists(st.sampled_from([b"", b"}", b"def first(one, two):", b"    return one\r", b"\0"]))


@given(LINES, LINES)
def test_a_content_comes_back(base: list[bytes], content: list[bytes]) -> None:
    """Lines moved, repeated, removed; also without an end of the last line."""
    one, other = b"\n".join(base), b"\n".join(content)
    assert decode(one, encode(one, other)) == other


@given(st.binary(), st.binary())
def test_any_bytes_come_back(base: bytes, content: bytes) -> None:
    """A file need not be text."""
    assert decode(base, encode(base, content)) == content


def test_edits_at_several_places_stay_small() -> None:
    """They are what is stored; the rest is copied from the base."""
    lines = [f"line {number} = compute({number * 7})\n".encode() for number in range(20_000)]
    base = b"".join(lines)
    for number in (10, 9_000, 19_990):
        lines[number] = b"another line\n"
    assert len(encode(base, b"".join(lines))) < 200


@pytest.mark.parametrize(
    "delta", [b"", b"nothing", zlib.compress(b"\x80"), zlib.compress(b"\x05a")]
)
def test_damaged_differences_are_an_error(delta: bytes) -> None:
    """Never a wrong content."""
    with pytest.raises(ValueError, match="differences"):
        decode(b"base", delta)
