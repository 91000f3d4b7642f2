"""One JSON document, whatever is in it."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.cli.invocation import encoded, print_document


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_comes_back_and_holds_no_raw_control_character(text: str) -> None:
    """Also those above ASCII, which a terminal may obey."""
    content = encoded({"text": text}).decode()
    assert json.loads(content) == {"text": text}
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in content)


def test_a_file_name_that_is_not_utf8_is_shown_with_marks() -> None:
    """JSON has no bytes; the document is written all the same."""
    document = {"paths": ["a\udcff.md"], "n": 1, "nested": {"\udcfe": None}}
    assert json.loads(encoded(document)) == {
        "paths": ["a\ufffd.md"],
        "n": 1,
        "nested": {"\ufffd": None},
    }


def test_the_encoding_of_the_terminal_does_not_matter(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    """JSON is UTF-8."""
    print_document({"tea": "绿茶"})
    assert capsysbinary.readouterr().out == '{"tea":"绿茶"}\n'.encode()


def test_a_stream_of_texts_is_written_too() -> None:
    """Some callers have no bytes below."""
    stream = io.StringIO()
    print_document([1], stream)
    assert stream.getvalue() == "[1]\n"
