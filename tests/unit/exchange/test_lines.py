"""Lines of foreign files within bounded memory."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from recollect.exchange.reader import MAX_LINE_BYTES, Line, read_lines


def read(content: bytes, *, offset: int = 0, number: int = 0, limit: int = 100) -> list[Line]:
    """Return the lines of some bytes."""
    return list(read_lines(io.BytesIO(content), offset=offset, number=number, limit=limit))


@given(st.lists(st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")), max_size=8))
def test_every_line_is_read_with_its_end(bodies: list[bytes]) -> None:
    """The ends are offsets at which reading can go on."""
    content = b"".join(body + b"\n" for body in bodies)
    lines = read(content)
    assert [line.number for line in lines] == list(range(1, len(bodies) + 1))
    assert [line.end for line in lines][-1:] == ([len(content)] if bodies else [])
    for done in lines:
        rest = read(content, offset=done.end, number=done.number)
        assert rest == lines[done.number :]


def test_byte_order_mark_and_windows_line_ends_are_taken_off() -> None:
    """Editors on Windows write both."""
    lines = read(b'\xef\xbb\xbf{"a":1}\r\n{"b":2}\r\n')
    assert [line.body for line in lines] == [b'{"a":1}', b'{"b":2}']


def test_a_last_line_without_its_end_is_told() -> None:
    """Somebody may still be writing it."""
    lines = read(b"one\ntw")
    assert [line.complete for line in lines] == [True, False]


def test_a_line_that_is_too_long_is_told_and_the_next_one_read() -> None:
    """The limit is on the line with its break."""
    lines = read(b"a" * 300 + b"\n" + b"b" * 100 + b"\nc" + b"d" * 120)
    assert [line.body for line in lines] == [None, b"b" * 100, None]
    assert [(line.end, line.complete) for line in lines] == [
        (301, True),
        (402, True),
        (523, False),
    ]


def test_a_giant_line_is_not_loaded(tmp_path: Path) -> None:
    """A 200 MB line costs no more memory than the limit, twice for a moment, and a buffer."""
    path = tmp_path / "giant.jsonl"
    with path.open("wb") as file:
        file.truncate(200 * 1024 * 1024)
        file.seek(0, 2)
        file.write(b"\nnext\n")
    tracemalloc.start()
    with path.open("rb") as file:
        lines = list(read_lines(file))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [line.body for line in lines] == [None, b"next"]
    assert peak < 3 * MAX_LINE_BYTES
