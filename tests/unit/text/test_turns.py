"""Long messages and transcripts in pieces."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.char_cost import char_cost
from recollect.text.turns import Utterance, chunk_message, chunk_turns


def _said(seq: int, role: str, text: str, at_ms: int | None = None) -> Utterance:
    return Utterance(seq=seq, role=role, speaker=role, text=text, at_ms=at_ms)


def test_a_short_message_is_one_piece() -> None:
    """An empty one is none."""
    assert chunk_message("Hello there.") == ["Hello there."]
    assert chunk_message("") == []


def test_a_long_message_is_cut_between_paragraphs() -> None:
    """Where the later half of a piece has a border."""
    paragraph = "Ten words stand in this line to fill it up. "
    text = "\n\n".join([paragraph * 2] * 4)
    assert chunk_message(text, tokens=30) == [
        *[paragraph * 2 + "\n\n"] * 3,
        paragraph * 2,
    ]


@given(st.text(max_size=600), st.integers(min_value=1, max_value=40))
def test_pieces_are_the_message(text: str, tokens: int) -> None:
    """Without gap, overlap or oversize."""
    pieces = chunk_message(text, tokens)
    assert "".join(pieces) == text
    for piece in pieces:
        assert piece
        assert char_cost(piece) <= max(32, 4 * tokens)


@pytest.mark.parametrize("part", ["word ", "x", "。", "e\u0301", "\n\n", ".", "🇩🇪", ".'"])
def test_a_message_of_a_megabyte_is_cut_in_one_pass(part: str) -> None:
    """Whatever it is made of."""
    text = part * (1_000_000 // len(part))
    assert sum(map(len, chunk_message(text))) == len(text)


def test_a_turn_is_a_question_with_what_answers_it() -> None:
    """Labelled with time and speaker, as OpenClaudeCode has it."""
    chunks = chunk_turns(
        [
            _said(1, "user", "Which tea?", 1_795_176_000_000),
            _said(2, "assistant", "  Green tea.\n", 1_795_176_060_000),
            _said(3, "tool", " \n"),
            _said(4, "user", "Why?"),
            _said(5, "assistant", "You said so."),
        ]
    )
    assert [(chunk.first_seq, chunk.last_seq, chunk.text) for chunk in chunks] == [
        (1, 2, "[2026-11-20 12:00] user: Which tea?\n[2026-11-20 12:01] assistant: Green tea."),
        (4, 5, "user: Why?\nassistant: You said so."),
    ]
    assert chunks[1].hash == hashlib.sha256(chunks[1].text.encode()).hexdigest()


def test_a_transcript_of_nothing_has_no_turns() -> None:
    """Neither has one of white space."""
    assert chunk_turns([]) == []
    assert chunk_turns([_said(1, "user", " ")]) == []


def test_a_transcript_may_begin_with_an_answer() -> None:
    """Imported ones do."""
    chunks = chunk_turns([_said(1, "assistant", "Welcome."), _said(2, "user", "Hi.")])
    assert [chunk.text for chunk in chunks] == ["assistant: Welcome.", "user: Hi."]


@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=900)), max_size=12),
    st.integers(min_value=1, max_value=120),
)
def test_a_turn_that_is_too_long_becomes_several_chunks(
    said: list[tuple[str, str]], tokens: int
) -> None:
    """None is too large, none is out of order, every message that says something is in one."""
    utterances = [_said(seq, role, text) for seq, (role, text) in enumerate(said, start=1)]
    chunks = chunk_turns(utterances, tokens)
    covered = {seq for c in chunks for seq in range(c.first_seq, c.last_seq + 1)}
    assert {u.seq for u in utterances if u.text.strip()} <= covered
    assert [chunk.first_seq for chunk in chunks] == sorted(chunk.first_seq for chunk in chunks)
    assert all(char_cost(chunk.text) <= max(128, 4 * tokens) for chunk in chunks)


def test_each_piece_of_a_long_message_is_labelled() -> None:
    """A chunk is read alone."""
    chunks = chunk_turns([_said(1, "user", "word " * 200)], tokens=50)
    assert len(chunks) > 4
    assert all(chunk.text.startswith("user: word") for chunk in chunks)
