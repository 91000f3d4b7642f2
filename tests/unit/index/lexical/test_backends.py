"""What finds words, whichever it is: one suite over our postings and FTS5."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from recollect.backends.fts5.backend import has_fts5
from recollect.core.errors import StoreError
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.lexical.choice import backend, choose
from recollect.store.engine import Transaction
from recollect.testing import lexical_suite
from recollect.testing.lexical_suite import LEXICAL, OpenWords, opening
from tests.unit.index.conftest import Open
from tests.unit.index.corpus import (
    OpenIndex,
    ScriptedFeed,
    UnsureDatabase,
    gone,
    note,
    said,
)

BACKENDS = ("postings", "fts5")
CHILD = """
import sys
from pathlib import Path
import msgspec
from tests.unit.index.corpus import OpenIndex, ScriptedFeed, said
from tests.unit.index.lexical.test_backends import settings_of
feed = ScriptedFeed(said("first", "a lantern"), said("second", "another lantern", group="s2"))
index = OpenIndex(Path(sys.argv[1]), feed, None, settings_of(sys.argv[2]))
index.index.sync()
index.close()
"""


def settings_of(name: str) -> Settings:
    """Return settings that choose a back end."""
    return msgspec.convert({"search": {"lexical": {"backend": name}}}, Settings)


@pytest.fixture(params=BACKENDS)
def lexical(request: pytest.FixtureRequest) -> Settings:
    """Settings for each back end."""
    return settings_of(str(request.param))


@pytest.fixture(params=BACKENDS)
def open_words(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenWords]:
    """Open indexes with each back end in turn."""
    with opening(tmp_path, str(request.param)) as open_it:
        yield open_it


def test_every_language_finds_its_line(open_words: OpenWords) -> None:
    """Folded words, pairs of characters, parts of identifiers, and no operators."""
    lexical_suite.every_language_finds_its_line(open_words)


def test_no_question_is_a_program(open_words: OpenWords) -> None:
    """Whatever stands in it, a search ends with what has its words."""
    lexical_suite.no_question_is_a_program(open_words)


def test_a_pasted_text_is_a_question_too(open_words: OpenWords) -> None:
    """Hundreds of words, one of them known."""
    lexical_suite.a_pasted_text_is_a_question_too(open_words)


def test_a_removed_message_is_gone_with_its_words(open_words: OpenWords) -> None:
    """Also the other one, written anew, is found by its new words only."""
    lexical_suite.a_removed_message_is_gone_with_its_words(open_words)


def test_tenants_do_not_meet(open_words: OpenWords) -> None:
    """Neither in hits nor in how rare a word is."""
    lexical_suite.tenants_do_not_meet(open_words)


@pytest.mark.slow
def test_one_visible_among_many_is_found(open_words: OpenWords) -> None:
    """A narrow scope is never answered with nothing because others are better."""
    lexical_suite.one_visible_among_many_is_found(open_words)


def test_common_words_are_looked_for_where_rare_ones_are_not(open_words: OpenWords) -> None:
    """The budget is spent on words that the scope does not hold; the answer comes all the same."""
    lexical_suite.common_words_are_looked_for_where_rare_ones_are_not(open_words)


def test_the_same_question_has_the_same_answer(open_words: OpenWords) -> None:
    """Order and scores, also after another process's cache, that is in a new reader."""
    lexical_suite.the_same_question_has_the_same_answer(open_words)


def test_what_another_process_writes_is_found(tmp_path: Path, lexical: Settings) -> None:
    """By a reader that held the index before."""
    folder, name = tmp_path / "home", lexical.search.lexical.backend
    index = OpenIndex(folder, ScriptedFeed(said("first", "a lantern")), None, lexical)
    try:
        assert index.refs("lantern") == ["first"]
        reader = index.reader()
        assert len(reader.search("lantern", Scope(), LEXICAL).hits) == 1
        subprocess.run([sys.executable, "-c", CHILD, str(folder), name], check=True)
        assert len(reader.search("lantern", Scope(), LEXICAL).hits) == 2
    finally:
        index.close()


def test_a_failed_commit_leaves_nothing(open_index: Open, lexical: Settings) -> None:
    """Units that are run twice or rolled back: the next attempt writes everything once."""
    feed = ScriptedFeed(*[said(f"m{n}", f"lantern {n}", group=f"g{n}") for n in range(8)], batch=3)
    index = open_index(feed, settings=lexical)
    unsure = index.index_over(UnsureDatabase(index.database, "fine again failed"), None)
    with pytest.raises(StoreError):
        unsure.sync()
    unsure.sync()
    assert sorted(index.refs("lantern")) == sorted(f"m{n}" for n in range(8))
    own = backend(lexical.search.lexical.backend)
    assert own.count_damage(index.database, 1) == 0


def test_feedback_counts_words(open_words: OpenWords) -> None:
    """The second round of files asks each back end how common its words are, and where."""
    lexical_suite.feedback_counts_words(open_words)


def test_a_change_of_the_back_end_rebuilds(open_index: Open, tmp_path: Path) -> None:
    """The old index answers and says so, until sync has built the new one; nothing is left."""
    feed = ScriptedFeed(said("a", "a lantern"), said("b", "a kite", order=1))
    first = open_index(feed)
    first.index.sync()
    first.close()
    second = open_index(feed, settings=settings_of("fts5"))
    result = second.ask("lantern")
    assert result.hits[0].ref == "a"
    assert any("back end" in warning for warning in result.warnings)
    second.index.sync()
    assert second.index.status().outdated is None
    assert second.refs("kite")[0] == "b"
    assert second.database.read(lambda tx: list(tx.rows("SELECT 1 FROM postings"))) == []
    second.close()
    third = open_index(feed, settings=settings_of("postings"))
    third.index.sync()
    assert third.database.read(tables_of_fts5) == []
    assert third.refs("lantern")[0] == "a"


def tables_of_fts5(tx: Transaction) -> list[object]:
    """Return what FTS5 has in the schema."""
    return list(tx.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'chunk*_[0-9]*'"))


def test_fts5_costs_nothing_where_it_is_not_chosen(open_index: Open) -> None:
    """No table of it."""
    index = open_index(ScriptedFeed(said("a", "a lantern")))
    index.index.sync()
    assert index.database.read(tables_of_fts5) == []


def test_fts5_is_readable_with_any_tool(open_index: Open) -> None:
    """Path, lines and the original text beside the prepared words, by plain SQL."""
    feed = ScriptedFeed(note("/w//memory/tea.md", "# Tea\nSencha is a 绿茶"), said("m", "no"))
    index = open_index(feed, settings=settings_of("fts5"))
    index.index.sync()
    rows = index.database.read(
        lambda tx: list(
            tx.rows(
                "SELECT id, path, source, model, start_line, original FROM chunks_fts_1"
                " WHERE chunks_fts_1 MATCH '绿茶 sencha'"
            )
        )
    )
    assert rows == [
        ("memory//w//memory/tea.md:0", "memory/tea.md", "memory", "fts-only", 1,
         "# Tea\nSencha is a 绿茶"),
    ]  # fmt: skip


def test_fts5_keeps_no_removed_word(open_index: Open) -> None:
    """Its index is rewritten, not marked; a check finds it in step."""
    feed = ScriptedFeed(*[said(f"m{n}", f"zither{n} lantern") for n in range(40)])
    index = open_index(feed, settings=settings_of("fts5"))
    index.index.sync()
    feed.add(*[gone(said(f"m{n}", "")) for n in range(39)])
    index.index.sync()

    def read_pages(tx: Transaction) -> bytes:
        return b"".join(bytes(block) for (block,) in tx.rows("SELECT block FROM chunks_fts_1_data"))  # type: ignore[arg-type]  # blobs

    assert b"zither3" in index.database.read(read_pages)
    assert b"zither1" not in index.database.read(read_pages)
    assert backend("fts5").count_damage(index.database, 1) == 0


def test_fts5_that_is_out_of_step_is_told(open_index: Open) -> None:
    """What a doctor asks."""
    index = open_index(ScriptedFeed(said("m", "a lantern")), settings=settings_of("fts5"))
    index.index.sync()
    index.database.write(lambda tx: tx.execute("DROP TRIGGER chunk_words_1_change"))
    index.database.write(lambda tx: tx.execute("UPDATE chunk_words_1 SET text = 'kite'"))
    assert backend("fts5").count_damage(index.database, 1) == 1
    assert backend("fts5").count_damage(index.database, 2) == 0


def test_a_library_without_fts5_is_told(open_index: Open) -> None:
    """The default answers; the choice says why."""
    index = open_index(ScriptedFeed())
    assert index.database.read(has_fts5)

    class Without:
        """A database whose library holds nothing."""

        def read(self, unit: object) -> bool:
            """Answer every question with no."""
            return False

    choice = choose(Without(), "fts5")  # type: ignore[arg-type]  # all that is asked of it
    assert (choice.used, choice.error) == ("postings", "this SQLite was built without FTS5")
    assert choose(index.database, "fts5").error is None
    assert index.index.lexical.used == "postings"
