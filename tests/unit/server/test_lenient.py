"""What hooks send is never refused: a refused body is a lost observation."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.server.request import MOST_PAIRS, KeptBody, is_deep, read_leniently
from recollect.server.route import LenientFields


class Tool(LenientFields, frozen=True):
    """A hook with a field of each kind."""

    session_id: str | None = None
    tool_name: str | None = None
    importance: float | None = None
    output: Any = None
    tool_use_id: str | None = None


def _read(body: bytes, left_out: int = 0) -> Tool:
    read = read_leniently(body, Tool, left_out)
    assert isinstance(read, Tool)
    return read


def _kept(body: bytes, most: int, piece: int = 777) -> tuple[bytes, int]:
    kept = KeptBody(most)
    for at in range(0, len(body), piece):
        kept.add(body[at : at + piece])
    return kept.joined()


def test_what_is_understood_arrives_and_unknown_fields_do_not_matter() -> None:
    """The everyday case."""
    body = b'{"session_id": "s", "hook_event_name": "New", "output": {"stdout": [1]}}'
    assert _read(body) == Tool(session_id="s", output={"stdout": [1]})


@pytest.mark.parametrize(
    ("body", "output"),
    [
        (b'{"session_id": "s", "output": "caf\xe9"}', "caf\ufffd"),
        (rb'{"session_id": "s", "output": "a\ud800b"}', "a\ufffdb"),
        (rb'{"session_id": "s", "output": "\ud83d\ude00 \\ud800"}', "\U0001f600 \\ud800"),
        (b'{"session_id": "s", "output": "two\nlines"}', "two\nlines"),
        (b'\xef\xbb\xbf{"session_id": "s", "output": NaN}', "NaN"),
        (b'{"output": "first", "session_id": "s", "output": 2}', 2),
    ],
)
def test_strange_text_is_read_as_well_as_it_can_be(body: bytes, output: object) -> None:
    """Bad UTF-8, halves of surrogates, control characters, no JSON number, a name twice."""
    assert _read(body) == Tool(session_id="s", output=output)


@pytest.mark.parametrize(
    "body", [b"", b"plain words", b"[1, 2]", b"null", b'"text"', b"{", b"\xff"]
)
def test_what_is_no_object_arrives_as_text(body: bytes) -> None:
    """The use case decides what becomes of it."""
    assert _read(body) == Tool(unread=body.decode("utf-8", "replace"))


def test_a_field_of_another_type_does_not_take_the_others_along() -> None:
    """It is told as JSON; what reads as the right type is taken as it."""
    read = _read(b'{"session_id": 42, "importance": "0.5", "tool_name": ["x"], "output": 1}')
    assert read.unread is not None
    assert (read.importance, read.output) == (0.5, 1)
    assert json.loads(read.unread) == {"session_id": 42, "tool_name": ["x"]}


@pytest.mark.parametrize("depth", [70, 2_000, 200_000])
def test_a_value_that_is_too_deep_arrives_as_text(depth: int) -> None:
    """And what stands behind it, where it can be told."""
    deep = b"[" * depth + b"]" * depth
    read = _read(b'{"session_id": "s", "output": ' + deep + b', "tool_use_id": "t"}')
    assert (read.session_id, read.tool_use_id) == ("s", "t")
    assert isinstance(read.output, str)
    assert read.output.startswith("[[[")


def test_depth_64_is_read_and_depth_65_is_text() -> None:
    """S7: the limit, with brackets in texts left alone."""
    at_limit = b'{"output": ' + b"[" * 63 + b'"[{[{"' + b"]" * 63 + b"}"
    above = b'{"output": ' + b"[" * 64 + b'"x"' + b"]" * 64 + b"}"
    assert isinstance(_read(at_limit).output, list)
    assert isinstance(_read(above).output, str)


@pytest.mark.parametrize("rest", ['"output"= "x"', '5: "x"', '"output" "x"'])
def test_what_is_no_field_ends_those_that_are_read(rest: str) -> None:
    """A value belongs to a name with a colon; none is guessed."""
    assert _read(f'{{"session_id": "s", {rest}, "n": '.encode()) == Tool(session_id="s")


def test_a_body_of_just_the_limit_is_kept_whole() -> None:
    """One byte more is marked as cut."""
    assert _kept(b"x" * 100, 100) == (b"x" * 100, 0)
    assert _kept(b"x" * 101, 100)[1] == 1


def test_a_cut_body_keeps_its_fields() -> None:
    """Head and tail become the fields that they would have been."""
    text = "x" * 50_000 + 'é"\\\n' * 10_000 + "y" * 50_000
    body = json.dumps({"session_id": "s", "output": text, "tool_use_id": "t"}).encode()
    kept, left_out = _kept(body, 10_000)
    read = _read(kept, left_out)
    assert (read.session_id, read.tool_use_id, read.unread) == ("s", "t", None)
    assert read.left_out == left_out > 100_000
    assert read.output.startswith("xxx")
    assert read.output.endswith("yyy")
    assert f"[… {left_out:,} bytes left out …]" in read.output


@pytest.mark.parametrize("most", range(60, 90))
def test_a_cut_among_backslashes_keeps_them_in_pairs(most: int) -> None:
    """Which of them escapes the next one depends on how many there are."""
    text = "\\" * 30 + '\\u00e9"\ud83d\ude00' + "\\" * 30
    body = json.dumps({"output": text * 3}).encode("utf-8", "replace")
    kept, left_out = _kept(body, most, 7)
    read = _read(kept, left_out)
    assert read.unread is None
    assert "bytes left out" in read.output


def test_a_cut_between_fields_keeps_those_before_and_the_ids_after() -> None:
    """A list of thousands of numbers cannot be joined; the session must be found all the same."""
    output = [{"line": number} for number in range(20_000)]
    body = json.dumps({"session_id": "s", "output": output, "tool_use_id": "t"}).encode()
    kept, left_out = _kept(body, 9_999)
    read = _read(kept, left_out)
    assert (read.session_id, read.tool_use_id) == ("s", "t")
    assert "bytes left out" in str(read.output)


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=200), st.integers(50, 190), st.integers(1, 90), st.booleans())
def test_no_place_of_a_cut_breaks_a_text(
    text: str, most: int, piece: int, is_escaped: bool
) -> None:
    """Neither a character nor an escape is halved, wherever the cut falls."""
    body = json.dumps({"output": text}, ensure_ascii=is_escaped).encode("utf-8", "replace")
    kept, left_out = _kept(body, most, piece)
    read = _read(kept, left_out)
    assert read.unread is None
    head, mark, tail = read.output.partition("\n[… ")
    _, _, tail = tail.partition(" …]\n")
    whole = text.encode("utf-8", "replace").decode()
    assert mark
    assert whole.startswith(head)
    assert whole.endswith(tail) or not is_escaped


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300) | st.text(alphabet='{}[]":,\\u d8Ff0n', max_size=80).map(str.encode))
def test_nothing_raises(body: bytes) -> None:
    """Any bytes are read; what was read can be stored as text."""
    msgspec.json.encode(_read(body))


@pytest.mark.parametrize("body", [b"[" * 65, b'{"":' * 65, b"]" * 70 + b"[" * 65 + b"1"])
def test_depth_counts_brackets_outside_texts(body: bytes) -> None:
    """Whether they are closed or not; what no decoder comes to does not count."""
    assert is_deep(body) is not body.startswith(b"]")
    assert not is_deep(b'["' + body.replace(b'"', b"") + b'"]')
    assert not is_deep(b"[]" * 1_000)


@pytest.mark.parametrize(
    "hostile",
    [
        b"[" * 66 + b'"' + rb"\"" * 8_000_000,
        (b"[" * 60 + b"]" * 60) * 130_000,
        b'"",' * 5_000_000,
    ],
)
def test_the_depth_of_the_longest_body_is_found_at_once(hostile: bytes) -> None:
    """Issue 12, 4: a text of quotes without an end would be read once from each of them."""
    assert is_deep(hostile) is hostile.startswith(b"[" * 65)


def test_an_object_of_many_fields_that_cannot_be_read_is_read() -> None:
    """What ends it is looked for again behind each of them, with no limit of recursion."""
    body = b'{"output":x' + b',"a":x' * 640 + b',"session_id":"s"}'
    read = _read(body)
    assert read.session_id == "s"
    assert str(read.output).startswith("x")


def test_of_very_many_fields_the_first_and_the_last_are_read() -> None:
    """One by one they would keep a thread for seconds."""
    middle = b'"a":1,' * MOST_PAIRS + b'"output":1,' + b'"a":1,' * 1_000
    body = b'{"tool_name":"t",' + middle + b'"session_id":"s"}'
    assert _read(body) == Tool(tool_name="t", session_id="s")


def test_the_last_of_the_fields_that_are_read_one_by_one_has_its_value() -> None:
    """The one after it is text up to the fields that end the body."""
    for number, output in ((MOST_PAIRS, 1), (MOST_PAIRS + 1, "1")):
        before = b'"a":1,' * (number - 2)
        body = b'{"tool_name":"t",' + before + b'"output":1,"a":1,"session_id":"s"}'
        assert _read(body) == Tool(tool_name="t", session_id="s", output=output)
