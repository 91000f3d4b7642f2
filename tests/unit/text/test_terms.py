"""Terms of texts and questions."""

from __future__ import annotations

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text import terms as module
from recollect.text.terms import LONGEST, query_terms, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dogs were running home", ["dog", "run", "home"]),
        ("What did Ann's dog's owner say?", ["ann", "dog", "owner", "say"]),
        ("Zoë’s CAFÉ, naïve", ["zoe", "cafe", "naiv"]),
        ("cafe\u0301", ["cafe"]),
        ("Straße", terms("strasse")),
        ("don't, we'll, they've, won't", []),
        ("She bought mice, won and wrote", ["buy", "mous", "win", "write"]),
        ("Taught by children", ["teach", "child"]),
        ("the feet of writers", ["foot", "writer"]),
        ("O'Brien", ["o", "brien", "obrien"]),
        ("getUserById", ["get", "user", "id", "getuserbyid"]),
        ("XMLHttpRequest", ["xml", "http", "request", "xmlhttprequest"]),
        ("user_id", ["user", "id", "userid"]),
        ("__init__", ["init"]),
        ("iPhone12", ["phone", "12", "iphone12"]),
        ("v1.2.3 of 2026-11-20", ["v1", "2", "3", "2026", "11", "20"]),
        ("src/store/writer.py", ["src", "store", "writer", "py"]),
        ("绿", ["绿"]),
        ("绿茶", ["绿茶", "绿", "茶"]),
        ("喝绿茶了", ["喝绿", "绿茶", "茶了", "喝", "绿", "茶", "了"]),
        ("ラーメン", ["ラー", "ーメ", "メン", "ラ", "ー", "メ", "ン"]),
        ("안녕", ["안녕", "안", "녕"]),
        ("ｶﾞ", terms("ガ")),
        ("ＡＢＣ", ["abc"]),
        ("Привет миру", ["привет", "миру"]),
        ("用Python写", ["用", "python", "写"]),
        ("", []),
        ("?! — …", []),
        ("\ud83d", []),
        ('O\'Brien "AND" NEAR(', ["o", "brien", "obrien", "near"]),
    ],
)
def test_a_text_has_these_terms(text: str, expected: list[str]) -> None:
    """In its order: folded, stemmed, without function words, names in parts and whole."""
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("绿茶", "我昨天喝了一杯绿茶。"),
        ("数据库迁移", "小王负责数据库迁移"),
        ("ラーメン", "来週はラーメン屋に行く"),
        ("茶", "绿茶"),
        ("cafe zoe", "Café Zoë"),
        ("getUserById", "we call getUserById(7)"),
        ("user by id", "we call getUserById(7)"),
        ("user_id", "the userId column"),
        ("running", "she runs"),
        ("o'brien", "Mr. O’Brien"),
        ("obrien", "Mr. O'Brien"),
    ],
)
def test_a_question_finds_its_text(question: str, text: str) -> None:
    """Every term that is asked for is a term of the text."""
    assert query_terms(question)
    assert set(query_terms(question)) <= set(terms(text))


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("sorensen", ["Sørensen", "SØRENSEN", "so\u0338rensen"]),
        ("lukasz", ["Łukasz", "ŁUKASZ"]),
        ("dorde", ["Đorđe", "ĐORĐE"]),
        ("aegir", ["Ægir", "ÆGIR", "ægir"]),
        ("thor", ["Þór", "ÞÓR", "þór"]),
        ("strasse", ["Straße", "STRAẞE", "STRASSE"]),
        ("oeuvre", ["œuvre", "Œuvre", "ŒUVRE"]),
        ("isik", ["ışık", "Işık"]),
        ("gudrun", ["Guðrún"]),
        ("hamrun", ["Ħamrun"]),
        ("sanar", ["Saŋar", "SAŊAR"]),
        ("inuk", ["inuĸ"]),
        ("muller", ["Müller"]),
    ],
)
def test_letters_that_unicode_does_not_take_apart_are_found_as_they_are_typed(
    typed: str, written: list[str]
) -> None:
    """And back: who types the letter finds the text that has none. A German umlaut is its vowel."""
    for name in written:
        assert set(query_terms(typed)) <= set(terms(name))
        assert set(query_terms(name)) <= set(terms(typed))


def test_a_question_does_not_ask_for_single_characters_of_a_word() -> None:
    """They are everywhere; alone they are asked for."""
    assert query_terms("绿茶 茶") == ["绿茶", "茶"]
    assert query_terms("the dogs") == ["dog"]


def test_a_text_of_function_words_has_no_terms() -> None:
    """A question of them neither."""
    assert terms("what is it that we have") == query_terms("what is it that we have") == []


def test_encoded_data_does_not_flood_the_vocabulary() -> None:
    """100 kB of it, in one line or in lines of 76; the words beside it stay."""
    data = random.Random(1).randbytes(100_000)
    assert terms("before " + base64.b64encode(data).decode() + " after") == []
    lines = base64.encodebytes(data).decode()
    assert len(terms(f"the picture:\n{lines}of a cat")) < 20


@pytest.mark.parametrize(
    "run",
    [
        "/usr/local/share/Applications/of/the/Whole/Department/and/more/of/it",
        "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90",
        "test_that_a_very_long_name_of_a_test_is_still_found_by_its_words_a",
    ],
)
def test_long_runs_that_people_write_stay(run: str) -> None:
    """Paths, digests, names of tests."""
    assert terms(run)
    assert terms(run) == query_terms(run)


def test_long_words_are_cut_and_longer_ones_left_out() -> None:
    """No term is longer than 40 characters."""
    assert terms("x" * 41) == ["x" * LONGEST]
    assert terms("x" * 201) == []
    assert terms("AuthenticationTokenProviderFactoryBeanDefinitionParser")[:3] == [
        *("authent", "token", "provid")
    ]


@given(st.text(max_size=120))
def test_terms_are_short_folded_and_the_same_each_time(text: str) -> None:
    """For any text; what is in the cache does not matter."""
    words = terms(text)
    assert all(0 < len(term) <= max(LONGEST, 1) or not term.isascii() for term in words)
    assert not any("A" <= character <= "Z" for term in words for character in term)
    assert terms(text) == words


@given(st.text(max_size=60))
def test_what_is_asked_for_is_a_part_of_what_is_kept(text: str) -> None:
    """A text is found by itself."""
    assert set(query_terms(text)) <= set(terms(text))


def test_the_cache_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts anew and gives the same answers."""
    monkeypatch.setattr(module, "CACHED_WORDS", 3)
    monkeypatch.setattr(module, "_WORDS", type(module._WORDS)())  # noqa: SLF001 - other tests fill it
    monkeypatch.setattr(module, "_RUNS", type(module._RUNS)())  # noqa: SLF001 - other tests fill it
    words = [f"word{number}" for number in range(50)]
    assert terms(" ".join(words)) == words
    assert len(module._RUNS) <= 3  # noqa: SLF001 - the bound is invisible from outside
    assert len(module._WORDS) <= 3  # noqa: SLF001 - the bound is invisible from outside


@given(st.text(max_size=60))
def test_terms_of_a_text_are_those_of_its_parts_between_spaces(text: str) -> None:
    """Which lets them be remembered part by part, with the signs that follow a word."""
    if not any(0x1100 <= ord(c) <= 0x11FF or c in "\u3099\u309a\uff9e\uff9f" for c in text):
        assert terms(text) == [term for part in text.split() for term in terms(part)]


@pytest.mark.parametrize(
    "run", ["Word.", "word", "WORD,", "don't!", "x-y)", "MixedCase?", "été,", "a" * 41, "b" * 300]
)
def test_a_word_gives_the_same_terms_with_and_without_what_follows_it(run: str) -> None:
    """A plain word is looked up as it is; all else goes through the rules."""
    core = run.rstrip(".,;:!?)")
    assert terms(run) == terms(core) == terms(f"({core} )")
