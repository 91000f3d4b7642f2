"""The synthetic corpus: repeatable, without holding anything, and shaped like talk."""

from __future__ import annotations

import itertools
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.datasets.synthetic import (
    FUNCTION_WORDS,
    MESSAGE_WORDS,
    SESSION_MESSAGES,
    SyntheticCorpus,
    WordLaw,
    content_words,
    make_vocabulary,
)


@pytest.fixture(scope="module")
def corpus() -> SyntheticCorpus:
    """A corpus with a small vocabulary."""
    return SyntheticCorpus(3, vocabulary=20_000)


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([1, 50, 104, 5_000, 30_000]))
def test_vocabulary_has_no_word_twice(size: int) -> None:
    """Every rank is a word of its own."""
    words = make_vocabulary(size)

    assert len(words) == len(set(words)) == size


def test_same_seed_makes_the_same_sessions_in_any_order(corpus: SyntheticCorpus) -> None:
    """A session depends on the seed and its number only."""
    again = SyntheticCorpus(3, vocabulary=20_000)

    assert again.session(7) == corpus.session(7)
    assert again.session(2) == list(itertools.islice(corpus.sessions(100), 3))[2]
    assert SyntheticCorpus(4, vocabulary=20_000).session(7) != corpus.session(7)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 200))
def test_sessions_hold_exactly_the_messages_asked_for(messages: int) -> None:
    """The last session is cut."""
    corpus = SyntheticCorpus(3, vocabulary=1_000)

    sizes = [len(session.turns) for session in corpus.sessions(messages)]

    assert sum(sizes) == messages
    assert all(size == SESSION_MESSAGES for size in sizes[:-1])


def test_messages_have_the_promised_shape(corpus: SyntheticCorpus) -> None:
    """38 to 52 words, two in five of them function words, times that grow."""
    turns = [turn for number in range(40) for turn in corpus.session(number).turns]

    lengths = [len(turn.text.split()) for turn in turns]
    assert MESSAGE_WORDS[0] <= min(lengths) <= max(lengths) <= MESSAGE_WORDS[1]
    words = [word.strip(".").lower() for turn in turns for word in turn.text.split()]
    share = statistics.mean(word in FUNCTION_WORDS for word in words)
    assert 0.35 < share < 0.55
    assert [turn.at for turn in turns] == sorted(turn.at for turn in turns)


def test_natural_words_repeat_as_in_real_text() -> None:
    """Under one law of Zipf to the end a quarter of 135,000 words are different ones."""
    laws: tuple[WordLaw, ...] = ("natural", "zipf")
    different = {}
    for law in laws:
        corpus = SyntheticCorpus(3, law=law)
        words = [
            word.strip(".").lower()
            for session in corpus.sessions(3_000)
            for turn in session.turns
            for word in turn.text.split()
        ]
        different[law] = len(set(words)) / len(words)

    assert different["natural"] < 0.12 < different["zipf"]


def test_queries_are_content_words_of_their_message(corpus: SyntheticCorpus) -> None:
    """Three to eight of them, from messages all over the corpus."""
    queries = corpus.queries(600, 50)

    for query in queries:
        words = query.text.split()
        assert 3 <= len(words) <= 8
        assert set(words) <= set(content_words(query.target))
    texts = [turn.text for session in corpus.sessions(600) for turn in session.turns]
    assert [texts.index(query.target) for query in queries] == list(range(0, 600, 12))


def test_files_are_markdown_of_about_the_chunks_asked_for(corpus: SyntheticCorpus) -> None:
    """320 new tokens of four characters a chunk."""
    text = corpus.file(1, 10)

    assert text.startswith("## ")
    assert 280 < len(text) / 4 / 10 < 360
    assert corpus.file(1, 10) == text
