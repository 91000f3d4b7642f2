"""Word pieces on a small vocabulary; the real one is compared in the integration tests."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import EmbeddingError
from recollect.models.local import wordpiece
from recollect.models.local.wordpiece import WordPieces, read_vocabulary

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
WORDS = ["un", "##aff", "##able", "##a", "cafe", "数", "据", "!", ".", "$", "hello", "σ", "##σ"]
PIECES = WordPieces([*SPECIAL, *WORDS, "[", "]", "sep", "i", "##i"])
NAMES = [*SPECIAL, *WORDS, "[", "]", "sep", "i", "##i"]


def _pieces(text: str) -> list[str]:
    return [NAMES[number] for number in PIECES.encode(text)]


def test_a_word_becomes_its_longest_pieces() -> None:
    """Greedy from the left, as the model was trained."""
    assert _pieces("unaffable unaffa") == ["un", "##aff", "##able", "un", "##aff", "##a"]


def test_a_word_without_pieces_is_unknown_as_a_whole() -> None:
    """Also when its start has a piece."""
    assert _pieces("unz") == ["[UNK]"]


def test_accents_and_case_do_not_matter() -> None:
    """The model is uncased."""
    assert _pieces("CAFÉ cafe\u0301 Café") == ["cafe"] * 3


def test_every_letter_is_lowered_by_itself() -> None:
    """No final sigma, and no dot left over from a Turkish capital."""
    assert _pieces("ΣΣ İI") == ["σ", "##σ", "i", "##i"]


def test_ideographs_are_words() -> None:
    """Chinese needs no spaces."""
    assert _pieces("数据hello") == ["数", "据", "hello"]


def test_punctuation_stands_alone() -> None:
    """ASCII symbols count as punctuation."""
    assert _pieces("hello!$hello...") == ["hello", "!", "$", "hello", ".", ".", "."]


def test_controls_vanish_before_words_are_cut() -> None:
    """`str.split` would cut at U+001C and U+0085; the model's tokenizer deletes them."""
    assert _pieces("un\x1caff\x85able") == ["un", "##aff", "##able"]
    assert _pieces("hel\u200blo\x00\ufffd hello\tcafe\u2003cafe") == ["hello"] * 2 + ["cafe"] * 2


def test_a_control_token_in_a_text_is_only_words() -> None:
    """A document must not be able to end itself."""
    assert _pieces("[SEP]") == ["[", "sep", "]"]


def test_a_word_of_over_a_hundred_letters_is_unknown() -> None:
    """Keys and links would cost more than they tell."""
    assert _pieces("i" * 100) == ["i", *["##i"] * 99]
    assert _pieces("i" * 101) == ["[UNK]"]


def test_a_limit_spares_the_rest_of_a_long_text() -> None:
    """A 200 MB line costs what a page costs."""
    ids = PIECES.encode("hello " * 100_000, limit=500)
    assert 500 <= len(ids) < 5_000


@pytest.mark.parametrize("gap", [" ", "\n", ""])
def test_a_long_text_is_cut_where_words_end(gap: str) -> None:
    """Slices of a long text give the pieces of the whole."""
    unit = f"数unaffable!{gap}"
    count = 80_000 // len(unit)
    assert len(PIECES.encode(unit * count)) == count * len(PIECES.encode(unit))


@given(st.text(st.characters(codec=None), max_size=80))
def test_every_text_has_pieces(text: str) -> None:
    """Any code point, lone surrogates too; twice the same, from the cache as well."""
    assert PIECES.encode(text) == PIECES.encode(text) == WordPieces(NAMES).encode(text)


@given(st.lists(st.sampled_from(["un", "hello!", "数据", "É", "...", "x" * 40]), max_size=20))
def test_words_do_not_see_each_other(words: list[str]) -> None:
    """The pieces of a text are those of its words."""
    joined = PIECES.encode(" ".join(words))
    assert joined == [number for word in words for number in PIECES.encode(word)]


def test_the_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that runs for months must not grow with every new word."""
    monkeypatch.setattr(wordpiece, "_CACHED_WORDS", 10)
    pieces = WordPieces(NAMES)
    first = [pieces.encode(f"hello{number}") for number in range(50)]
    assert first == [pieces.encode(f"hello{number}") for number in range(50)]


def test_threads_may_share_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedder encodes in several threads, and the cache is renewed while they read."""
    monkeypatch.setattr(wordpiece, "_CACHED_WORDS", 3)
    pieces = WordPieces(NAMES)
    text = " ".join(f"hello{number} unaffable!" for number in range(200))
    expected = PIECES.encode(text)
    results: list[list[int]] = []
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [
            threading.Thread(target=lambda: results.append(pieces.encode(text))) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert results == [expected] * 4


def test_continuations_are_known() -> None:
    """Windows end where a word ends."""
    assert [PIECES.is_continuation(number) for number in PIECES.encode("unaffable hello")] == [
        False,
        True,
        True,
        False,
    ]


def test_an_endless_word_is_unknown() -> None:
    """Base64 without a line break ends as a few unknown pieces, not as an error."""
    assert set(_pieces("z" * 200_000)) == {"[UNK]"}


def test_a_vocabulary_without_special_pieces_is_refused() -> None:
    """It is not one of this model."""
    with pytest.raises(EmbeddingError) as caught:
        WordPieces(["hello"])
    assert caught.value.facts["missing"] == sorted(SPECIAL)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_vocabulary_is_read_line_by_line(tmp_path: Path, end: str) -> None:
    """The line number is the id; some pieces are themselves odd separators."""
    (tmp_path / "vocab.txt").write_text("a\n\u2028\n\x85" + end, encoding="utf-8")
    assert read_vocabulary(tmp_path / "vocab.txt") == ["a", "\u2028", "\x85"]


def test_a_vocabulary_that_is_no_text_is_refused(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are damage."""
    (tmp_path / "vocab.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(EmbeddingError, match="damaged"):
        read_vocabulary(tmp_path / "vocab.txt")
