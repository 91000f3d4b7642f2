"""The conformance suite of lexical back ends: texts with the words are found, and nothing else.

A back end of another package is chosen by its name, once that package is installed:

    @pytest.mark.parametrize("check", lexical_suite.CHECKS)
    def test_it_conforms(check, tmp_path):
        with lexical_suite.opening(tmp_path, "mine") as open_index:
            check(open_index)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import msgspec
import numpy as np

from recollect.core.decoding import convert_value
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.lexical.choice import backend
from recollect.index.model.document import Document
from recollect.index.query.partition import Partition
from recollect.store.engine import Transaction
from recollect.testing.scripted_index import (
    EVERYTHING,
    OpenIndex,
    ScriptedFeed,
    gone,
    note,
    said,
)

LEXICAL = msgspec.structs.replace(EVERYTHING, mode="lexical")
LINES = {
    "tea": "We drank 绿茶 in the garden",
    "moving": "The 数据库迁移 is planned for Tuesday",
    "soup": "ラーメン for lunch again",
    "cafe": "Delivery at Café Zoé changed",
    "code": "call getUserById before save",
    "snake": "the column is named user_id",
    "irish": 'O\'Brien said "AND" near the gate',
}
QUESTIONS = {
    "绿茶": "tea",
    "数据库迁移": "moving",
    "ラーメン": "soup",
    "cafe zoe": "cafe",
    "getUserById": "code",
    "get user by id": "code",
    "user_id": "snake",
    'O\'Brien "AND" NEAR(': "irish",
    "gate": "irish",
}
PROGRAMS = ('"', '""""', "tea AND", "NOT tea", "text : tea", "tea*", "^tea", "(", "a\0tea\0",
            "+ - ^ { }")  # fmt: skip
OTHERS = 60

OpenWords = Callable[..., OpenIndex]
"""Opens an index over a feed: ``open_index(feed, folder="home", **settings of the search)``."""


@contextmanager
def opening(folder: Path, name: str) -> Iterator[OpenWords]:
    """Yield a function that opens indexes with the back end ``name``; all are closed at the end."""
    with ExitStack() as opened:

        def open_it(feed: ScriptedFeed, home: str = "home", **search: object) -> OpenIndex:
            tree = {"search": {"lexical": {"backend": name}, **search}}
            index = OpenIndex(folder / home, feed, None, convert_value(tree, Settings))
            return opened.enter_context(closing(index))

        yield open_it


def lines(open_index: OpenWords) -> OpenIndex:
    """Return the lines among messages without their words, each in a session of its own."""
    matches = [said(ref, text, group=ref) for ref, text in LINES.items()]
    others = [said(f"d{n}", f"weather report number {n}", group=f"d{n}") for n in range(OTHERS)]
    return open_index(ScriptedFeed(*matches, *others))


def every_language_finds_its_line(open_index: OpenWords) -> None:
    """Folded words, pairs of characters, parts of identifiers, and no operators."""
    index = lines(open_index)
    assert {query: index.refs(query)[0] for query in QUESTIONS} == QUESTIONS


def no_question_is_a_program(open_index: OpenWords) -> None:
    """Whatever a question contains, it returns the texts with its words."""
    index = lines(open_index)
    for query in PROGRAMS:
        assert all(0 < hit.score <= 1 for hit in index.hits(query)), query


def a_pasted_text_is_a_question_too(open_index: OpenWords) -> None:
    """As many words as a question may have, one of them present."""
    pasted = " ".join(f"u{n}" for n in range(800))
    assert lines(open_index).refs(f"{pasted} lunch") == ["soup"]


def a_removed_message_is_gone_with_its_words(open_index: OpenWords) -> None:
    """Also a changed one: it is found by its new words only."""
    feed = ScriptedFeed(said("old", "green lantern"), said("new", "red lantern", order=1))
    index = open_index(feed)
    assert set(index.refs("lantern")) == {"old", "new"}
    feed.add(gone(said("old", "")), said("new", "blue kite", order=1))
    assert index.refs("lantern") == []
    assert index.refs("kite") == ["new"]
    assert _damage(index) == 0


def tenants_do_not_meet(open_index: OpenWords) -> None:
    """Neither in hits nor in the rarity of words."""
    mine: list[Document] = [said("a", "a lantern"), said("b", "a kite", order=1)]
    alone = open_index(ScriptedFeed(*mine), "alone")
    theirs = [said(f"o{n}", "lantern", scope=Scope(tenant="other")) for n in range(9)]
    both = open_index(ScriptedFeed(mine[0], *theirs, mine[1]))
    assert [(h.ref, h.score) for h in both.hits("lantern")] == [
        (h.ref, h.score) for h in alone.hits("lantern")
    ]
    assert len(both.refs("lantern", Scope(tenant="other"))) == len(theirs)


def one_visible_among_many_is_found(open_index: OpenWords) -> None:
    """A narrow scope has its hits even if other texts are better."""
    many = [said(f"m{n}", "lantern", group=f"g{n}", order=n) for n in range(50_000)]
    mine = said("mine", "an old lantern in a long line of words", scope=Scope(user="ann"))
    index = open_index(ScriptedFeed(mine, *many))
    reader = index.reader()
    index.index.sync()
    hits = reader.search("lantern", Scope(user="ann"), LEXICAL).hits
    assert [hit.ref for hit in hits] == ["mine"]
    everyone = reader.search(
        "old lantern", Scope(), msgspec.structs.replace(LEXICAL, limit=10)
    ).hits
    assert everyone[0].ref == "mine"
    assert len(everyone) == 10


def common_words_are_looked_for_where_rare_ones_are_not(open_index: OpenWords) -> None:
    """The budget is spent on words that the scope does not have; there is an answer anyway."""
    theirs = [said(f"t{n}", "zither lantern", group=f"t{n}") for n in range(1_100)]
    mine = [
        said(f"m{n}", "lantern", group=f"m{n}", scope=Scope(user="ann"), order=n) for n in range(30)
    ]
    narrow = {"exact_below": 0, "posting_budget": 1_000, "candidates": 10}
    index = open_index(ScriptedFeed(*theirs, *mine), **narrow)
    assert len(index.refs("zither lantern", Scope(user="ann"))) >= narrow["candidates"]


def the_same_question_has_the_same_answer(open_index: OpenWords) -> None:
    """Order and scores are equal, also with another process's cache, in a new reader."""
    index = lines(open_index)
    first = [(hit.ref, hit.score) for hit in index.hits("report weather 7")]
    again = [(hit.ref, hit.score) for hit in index.hits("report weather 7")]
    fresh = index.reader().search("report weather 7", Scope(), LEXICAL).hits
    assert first == again == [(hit.ref, hit.score) for hit in fresh]
    assert len(first) == OTHERS
    assert first[0][0] == "d7"


def feedback_counts_words(open_index: OpenWords) -> None:
    """The second round of files needs the frequency of its words, and where they occur."""
    notes = [note(f"memory/{n}.md", f"lantern oil wick {'oil ' * n}") for n in range(6)]
    index = open_index(ScriptedFeed(*notes))
    index.index.sync()

    def ask(tx: Transaction) -> tuple[int, int, list[float]]:
        partition = Partition(1, 0, index.settings.search.lexical.backend)
        partition.refresh(tx)
        common, unknown = (partition.words.find(tx, term) for term in ("oil", "zither"))
        return common.frequency, unknown.frequency, sorted(common.counts(np.arange(6)).tolist())

    assert index.database.read(ask) == (6, 0, [1, 2, 3, 4, 5, 6])


def _damage(index: OpenIndex) -> int:
    return backend(index.settings.search.lexical.backend).count_damage(index.database, 1)


CHECKS = (
    every_language_finds_its_line,
    no_question_is_a_program,
    a_pasted_text_is_a_question_too,
    a_removed_message_is_gone_with_its_words,
    tenants_do_not_meet,
    one_visible_among_many_is_found,
    common_words_are_looked_for_where_rare_ones_are_not,
    the_same_question_has_the_same_answer,
    feedback_counts_words,
)
