"""Statements: what a sentence says that must last, in several languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.statements.sentences import (
    IMPORTANT,
    LONGEST,
    must_last,
    specifics,
    statements,
    weigh,
)


@pytest.mark.parametrize(
    "said",
    [
        "Remember that the staging key is rotated every month.",
        "I prefer tabs.",
        "My sister's name is Ana.",
        "We decided to use PostgreSQL.",
        "Merk dir: die Frist endet am 3. Mai.",
        "Je suis allergique aux noix.",
        "Nunca borres la carpeta de datos.",
        "请记住我的生日是五月三日。",
        "締め切りは金曜日です。",
        "Lembra: nunca publicar à sexta.",
        "Moro em Lisboa.",
        "Ficou combinado: usamos Redis.",
        "Recuerda: los viernes no se publica.",
        "Rappelle-toi : pas de mise en ligne le vendredi.",
        "기억해 줘: 금요일에는 배포하지 마세요.",
        "Redis를 쓰기로 했어요.",
    ],
)
def test_what_a_person_wants_kept_is_seen_in_its_language(said: str) -> None:
    """By words that ask for it, state a rule, or tell of a decision."""
    assert must_last(said)
    assert weigh(said) > weigh("Sounds good, thanks.")


@pytest.mark.parametrize(
    "said",
    [
        "Do you remember the port?",
        "Thanks!",
        "It is raining.",
        "必须吗？",
        "ok",
        "好的。",
        "Lembras-te da porta?",
        "좋아요.",
    ],
)
def test_questions_and_small_talk_need_not_last(said: str) -> None:
    """A question about something important states nothing."""
    assert not must_last(said)


def test_the_same_words_weigh_less_in_the_output_of_a_tool() -> None:
    """A log says "error" and "must" on every line."""
    sentence = "The value must never be empty."
    assert weigh(sentence) >= IMPORTANT
    assert weigh(sentence) > weigh(sentence, "assistant") > weigh(sentence, "tool")


def test_paths_numbers_and_addresses_are_specifics() -> None:
    """As they are written, without the stop behind them."""
    names = specifics("See docs/adr/0007.md, JIRA-12, https://a.test/x and port 8080.")
    assert {"docs/adr/0007.md", "JIRA-12", "https://a.test/x", "8080"} <= names


def test_a_short_text_is_one_statement_and_a_longer_one_is_its_sentences() -> None:
    """Lines are apart in any case."""
    assert list(statements("I am Ann. I like tea.\n\n  Bye. ")) == ["I am Ann. I like tea.", "Bye."]
    assert list(statements("I must\nnever eat:\nnuts\nEggs")) == [
        "I must never eat:",
        "nuts",
        "Eggs",
    ]
    long = "The first sentence is here. " + "The second one is longer " * 8 + "。第三句。"
    first, *_, last = statements(long)
    assert (first, last) == ("The first sentence is here.", "第三句。")


@given(st.text(max_size=2_000))
def test_statements_lose_no_word(text: str) -> None:
    """Whatever the text: the words come out in their order, in pieces that are not too long."""
    sentences = list(statements(text))
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(0 < len(sentence) <= LONGEST for sentence in sentences)
