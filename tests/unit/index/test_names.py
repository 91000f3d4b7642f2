"""Who a question talks about."""

from __future__ import annotations

import pytest

from recollect.index.model.speakers import UNKNOWN
from recollect.store.engine import Transaction
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import OpenIndex, ScriptedFeed, gone, said

ZOE, ANNA, MARK, WILL = "Zoe", "Anna Berg", "Mark O'Neill", "Will"


def names_of(opened: OpenIndex) -> set[tuple[str, str]]:
    """Return the names that are stored."""

    def read(tx: Transaction) -> set[tuple[str, str]]:
        return {(str(kind), str(value)) for kind, value in tx.rows("SELECT kind, value FROM names")}

    return opened.database.read(read)


def mentioned(opened: OpenIndex, question: str) -> list[str]:
    """Return the parts of a question that name speakers."""
    from recollect.index.model.speakers import Names

    names = Names()
    opened.database.read(lambda tx: names.refresh(tx, 1))
    return [question[m.start : m.end] for m in names.mentions(question)]


@pytest.fixture
def opened(open_index: Open) -> OpenIndex:
    """An index in which four people spoke."""
    feed = ScriptedFeed(*[said(name, "hello", name=name) for name in (ZOE, ANNA, MARK, WILL)])
    opened = open_index(feed)
    opened.index.sync()
    return opened


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did Zoe say?", ["Zoe"]),
        ("what did zoe say?", ["zoe"]),
        ("What does Anna think of Zoe's tea?", ["Anna", "Zoe's"]),
        ("Ask Anna Berg and Mark O’Neill", ["Anna Berg"]),
        ("Ask Mark O'Neill", ["Mark O'Neill"]),
        ("Will it rain?", ["Will"]),
        ("When will it rain?", []),
        ("mark the day, Zoe", ["Zoe"]),
        ("Berg", []),
        ("Zoe画过什么？", ["Zoe"]),
        ("去年夏天Anna Berg在哪里？", ["Anna Berg"]),
        ("昨日zoeは何を話しましたか", ["zoe"]),
        ("ZoeのAnnaへの手紙", ["Zoe", "Anna"]),
        ("", []),
    ],
)
def test_full_and_first_names_are_found(opened: OpenIndex, question: str, found: list[str]) -> None:
    """A word that is a name must be written as one, unless nothing is."""
    assert [name for name in mentioned(opened, question) if name != "Mark"] == found


def test_a_speaker_who_said_nothing_that_is_left_is_no_speaker(open_index: Open) -> None:
    """Otherwise a question would lose a word that a fresh index looks up."""
    first, second = said("a", "Zoe sells tea", name="Zoe"), said("b", "buy tea from Zoe", order=1)
    feed = ScriptedFeed(first, second)
    opened = open_index(feed)
    before = opened.hits("Zoe")
    feed.add(gone(first))
    after = opened.hits("Zoe")
    assert {hit.name for hit in before} == {"Zoe", None}
    assert [hit.ref for hit in after] == ["b"]
    assert after[0].why["context"] > 0
    assert names_of(opened) == set()


def test_a_name_goes_with_its_last_document_only(open_index: Open) -> None:
    """Names count the documents that use them."""
    feed = ScriptedFeed(*[said(ref, "tea", name="Zoe", order=n) for n, ref in enumerate("abc")])
    opened = open_index(feed)
    opened.index.sync()
    feed.add(*[gone(document) for document in feed.living()[:2]])
    opened.index.sync()
    assert names_of(opened) == {("speaker", "Zoe")}
    feed.add(said("c", "tea", name="Anna"))
    opened.index.sync()
    assert names_of(opened) == {("speaker", "Anna")}


@pytest.mark.parametrize("question", ["What did Sorensen say?", "what did sørensen say?"])
def test_a_speaker_is_named_without_the_letters_that_a_keyboard_lacks(
    open_index: Open, question: str
) -> None:
    """As words are found without them."""
    opened = open_index(ScriptedFeed(said("one", "hello", name="Sørensen")))
    opened.index.sync()
    assert [name.casefold() for name in mentioned(opened, question)]


def test_two_speakers_may_share_a_first_name(open_index: Open) -> None:
    """When one of them is gone, the name still means the other."""
    feed = ScriptedFeed(said("a", "tea", name="Anna Berg"), said("b", "tea", name="Anna Lind"))
    opened = open_index(feed)
    assert len(opened.hits("tea, Anna?")) == 2
    feed.add(gone(feed.living()[0]))
    (hit,) = opened.hits("tea, Anna?")
    assert (hit.ref, hit.why["speaker"] > 0) == ("b", True)


def test_an_unknown_name_has_no_number() -> None:
    """It equals no stored number, so a scope with it matches nothing."""
    assert UNKNOWN < 0
