"""Words that no chunk holds are taken for those that are nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index.lexical.spelling import edits_to, may_be_mistyped
from tests.unit.index.scripted import ScriptedFeed, ScriptedIndex, said

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = (
    "the piano teacher plays on Wednesdays",
    "the partitioning of tables took long",
    "the invoice was stolen",
    "Nachzahlung für Fernwärme",
    "operação das cataratas",
    "build 4711 of exporter",
)


def _feed(*more: str) -> ScriptedFeed:
    return ScriptedFeed(*(said(f"m{n}", text) for n, text in enumerate([*TEXTS, *more])))


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("paino", "m0"),  # two letters changed places
        ("teachr", "m0"),  # one is missing
        ("partitoning", "m1"),  # two edits in the stem of a long word
        ("invoiice", "m2"),  # one too many
        ("invoise", "m2"),  # another one
        ("Nachzalung", "m3"),
        ("Fernwerme", "m3"),
        ("catratas", "m4"),
        ("xeporter", "m5"),  # the first two have changed places
    ],
)
def test_a_mistyped_word_finds_what_was_meant(tmp_path: Path, typed: str, found: str) -> None:
    """And ``why`` says so, by what the score loses."""
    with ScriptedIndex(tmp_path, _feed()) as home:
        result = home.ask(typed, mode="lexical")
    assert [hit.ref for hit in result.hits][:1] == [found]
    assert result.hits[0].why["spelling"] < 0


@pytest.mark.parametrize("typed", ["4712", "pian0", "pino", "teacup", "pianissimo", "梨梨梨梨梨"])
def test_numbers_short_words_and_other_words_are_taken_as_they_are(
    tmp_path: Path, typed: str
) -> None:
    """A wrong number is another number."""
    with ScriptedIndex(tmp_path, _feed()) as home:
        assert home.ask(typed, mode="lexical").hits == []


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Chorprobe", "m7"),  # begins with it
        ("Kirchenchor", "m7"),  # ends with it
        ("Schulleiter", None),  # no part of it is known
        ("Chorus", None),  # what is left is too short for a word
    ],
)
def test_a_compound_that_is_unknown_finds_its_longest_part(
    tmp_path: Path, asked: str, found: str | None
) -> None:
    """German writes in one word what another chunk says in two: docs/search.md."""
    with ScriptedIndex(tmp_path, _feed("nothing", "Im Chor der Gemeinde")) as home:
        hits = home.ask(asked).hits
    assert [hit.ref for hit in hits] == ([found] if found else [])


def test_a_word_that_is_there_is_never_another_one(tmp_path: Path) -> None:
    """Though the other one is more frequent."""
    with ScriptedIndex(tmp_path, _feed("piano piano", "a piana is no piano")) as home:
        hits = home.ask("piana", mode="lexical").hits
    assert "spelling" not in hits[0].why
    assert hits[0].ref == "m7"


def test_of_words_equally_near_the_most_frequent_is_meant(tmp_path: Path) -> None:
    """What is said often is what people ask for."""
    feed = _feed("the pianos", "grand piano", "a pieno was played")
    with ScriptedIndex(tmp_path, feed) as home:
        assert home.ask("pianno", mode="lexical").hits[0].ref != "m8"


def test_a_word_meant_twice_counts_once(tmp_path: Path) -> None:
    """Both ways of mistyping it, and it itself, are one word of the question."""
    with ScriptedIndex(tmp_path, _feed()) as home:
        hits = home.ask("piano paino pianno", mode="lexical").hits
        once = home.ask("paino pianno", mode="lexical").hits
    assert [hit.ref for hit in hits] == [hit.ref for hit in once] == ["m0"]
    assert "spelling" not in hits[0].why
    assert once[0].why["spelling"] < 0


def test_a_word_that_comes_later_is_known_from_then_on(tmp_path: Path) -> None:
    """What a word was taken for is not kept beyond the state of the index."""
    feed = _feed()
    with ScriptedIndex(tmp_path, feed) as home:
        assert home.ask("paino", mode="lexical").hits[0].ref == "m0"
        feed.entries.append(said("late", "Signor Paino called"))
        home.index.sync()
        assert home.ask("paino", mode="lexical").hits[0].ref == "late"


@given(st.text("abc", min_size=1, max_size=6), st.lists(st.text("abc", max_size=7), min_size=1))
def test_edits_are_those_of_a_plain_table(term: str, others: list[str]) -> None:
    """Against the textbook's loop over one pair."""
    expected = [_edits(term, other) for other in others]
    if max(map(len, others)):
        assert np.array_equal(edits_to(term, others), expected)


def _edits(one: str, other: str) -> int:
    rows = [
        [max(i, j) if 0 in (i, j) else 0 for j in range(len(other) + 1)]
        for i in range(len(one) + 1)
    ]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            rows[i][j] = min(
                rows[i - 1][j] + 1,
                rows[i][j - 1] + 1,
                rows[i - 1][j - 1] + (one[i - 1] != other[j - 1]),
            )
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


def test_only_words_of_letters_are_mistyped() -> None:
    """Names of code have digits, and scripts without spaces have pairs."""
    assert [t for t in ("piano", "pian", "h264a", "梨梨梨梨梨") if may_be_mistyped(t)] == ["piano"]


def test_a_day_or_month_is_not_another_one_mistyped() -> None:
    """Who asks for Thursday is not answered with Tuesday."""
    words = ("thursday", "julho", "junho", "tuesdai")
    assert [term for term in words if may_be_mistyped(term)] == ["tuesdai"]
