"""The searcher: nothing outside of a scope, clear errors, and an answer whatever happens."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput, ProviderUnavailable, StoreBusy
from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings
from recollect.index.embedding.service import Embedders
from recollect.index.model.document import Document
from recollect.index.query.hit import Hit
from recollect.index.query.partition import Partition
from recollect.index.query.question_vectors import QuestionVectors
from recollect.index.query.search_service import HELD_PARTITIONS, SearchOptions, SearchService
from recollect.models.embedding.embedder import Vectors
from recollect.store.engine import Row, Transaction
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, note, said

T = TypeVar("T")

EVERYTHING = SearchOptions(limit=1_000, min_score=0.0, sources=None, mode="hybrid")
ONLY_WORDS = "only words were compared"

_owner = st.sampled_from([None, "one", "two"])
_asked = st.sampled_from([None, "one", "two", "nobody"])
_owners = st.lists(
    st.builds(
        Scope,
        tenant=st.sampled_from(["local", "other"]),
        agent=_owner,
        user=_owner,
        project=_owner,
        session=st.sampled_from(["s1", "s2", "s3"]),
    ),
    min_size=1,
    max_size=12,
)
_scopes = st.lists(
    st.builds(
        Scope,
        tenant=st.sampled_from(["local", "other", "unknown"]),
        agent=_asked,
        user=_asked,
        project=_asked,
        session=st.sampled_from([None, "s1", "s2", "nobody"]),
    ),
    min_size=1,
    max_size=6,
)


def _may_see(scope: Scope, document: Document) -> bool:
    """The rule, one document at a time."""
    owner = msgspec.structs.asdict(document.scope)
    if document.source != "sessions":
        owner["session"] = None
    fields = msgspec.structs.asdict(scope)
    return all(value is None or owner[field] == value for field, value in fields.items())


def _owned(number: int, owner: Scope) -> Document:
    make = note if number % 4 == 3 else said
    document = make(f"d{number}", f"apple pie number {number}", scope=owner)
    if document.source == "sessions":
        return msgspec.structs.replace(document, group=owner.session or "")
    return document


@settings(max_examples=15)
@given(_owners, _scopes, st.booleans(), st.booleans())
def test_a_search_finds_all_that_its_scope_may_see_and_nothing_else(
    owners: list[Scope], scopes: list[Scope], embeds: bool, few: bool
) -> None:
    """Against the rule applied to each document: with vectors or not, with candidates or not."""
    documents = [_owned(number, owner) for number, owner in enumerate(owners)]
    embedder = ScriptedEmbedder() if embeds else None
    search = SearchSettings(exact_below=0) if few else SearchSettings()
    with (
        tempfile.TemporaryDirectory() as folder,
        ScriptedIndex(Path(folder), ScriptedFeed(*documents), embedder, search) as home,
    ):
        for scope in [*scopes, Scope()]:
            expected = {d.ref for d in documents if _may_see(scope, d)}
            refs = home.refs("apple", scope)
            assert set(refs) == expected
            assert len(refs) == len(expected)


@pytest.mark.parametrize(
    "scope",
    [
        Scope(agent="nobody"),
        Scope(user="nobody"),
        Scope(project="nobody"),
        Scope(session="nobody"),
        Scope(tenant="nobody"),
        Scope(agent=""),
        Scope(session="\ud800"),
        Scope(user="\ud800"),
    ],
)
def test_an_unknown_owner_sees_nothing(tmp_path: Path, scope: Scope) -> None:
    """Nothing, not everything; also where the value cannot even be stored."""
    owner = Scope(agent="a", user="u", project="p")
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple", scope=owner))) as home:
        assert home.refs("apple") == ["m"]
        assert home.refs("apple", scope) == []


def test_sources_narrow_a_search(tmp_path: Path) -> None:
    """None is all of them, and none of them finds nothing."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple"), note("f.md", "apple"))) as home:
        assert sorted(home.refs("apple")) == ["f.md", "m"]
        assert home.refs("apple", sources=("memory",)) == ["f.md"]
        assert home.refs("apple", sources=("facts",)) == []
        assert home.refs("apple", sources=()) == []


def test_data_of_another_tenant_change_no_score(tmp_path: Path) -> None:
    """Not through frequencies, lengths, names or neighbours."""
    mine = [said(f"m{n}", f"apple pie {n}", name="Ann", session="same") for n in range(5)]
    other = Scope(tenant="other")
    theirs = [
        said(f"t{n}", f"apple apple cake {n}", name="Zoe", session="same", scope=other)
        for n in range(40)
    ]

    def answer(folder: str, documents: Sequence[Document]) -> list[Hit]:
        feed = ScriptedFeed(*documents)
        with ScriptedIndex(tmp_path / folder, feed, ScriptedEmbedder()) as home:
            return home.ask("What pie did Zoe give to Ann?").hits

    alone = answer("alone", mine)
    assert len(alone) == 5
    assert answer("shared", [*theirs[:20], *mine, *theirs[20:]]) == alone


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "magic"},
        {"limit": 0},
        {"limit": 1_001},
        {"min_score": -0.1},
        {"min_score": 1.1},
        {"min_score": float("nan")},
        {"sources": ("memory", "dreams")},
    ],
)
def test_an_option_out_of_range_is_refused_with_a_hint(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    """Before anything is looked for."""
    with (
        ScriptedIndex(tmp_path, ScriptedFeed()) as home,
        pytest.raises(InvalidInput) as caught,
    ):
        home.ask("apple", **options)
    assert caught.value.hint


@pytest.mark.parametrize("query", ["", "  \n"])
def test_an_empty_question_is_told(tmp_path: Path, query: str) -> None:
    """It is no error, and no success without a word."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple"))) as home:
        result = home.ask(query)
    assert (result.hits, result.warnings) == ([], ["the question is empty"])


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "vector"])
@pytest.mark.parametrize("query", ["🙂", "?!", "the and of", "¿…?", "'s", "__"])
def test_a_question_without_content_finds_nothing_and_is_told_so(
    tmp_path: Path, query: str, mode: str
) -> None:
    """Whatever lies near to its vector would be a guess."""
    feed = ScriptedFeed(said("m", "🙂 the apple and the pear?!"))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        result = home.ask(query, mode=mode)
    assert (result.hits, result.confidence) == ([], 0.0)
    assert result.warnings == ["the question has no words to look for: ask with a name or a topic"]


@pytest.mark.parametrize("query", ["apple", "梨", "7", "the pear", "Ø"])
def test_one_word_is_content_enough(tmp_path: Path, query: str) -> None:
    """Also one character of a script without spaces, one digit and one letter."""
    feed = ScriptedFeed(said("m", "apple pear 梨 7 Ø"))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        assert home.ask(query).hits


def test_an_empty_index_has_no_hits(tmp_path: Path) -> None:
    """With an embedder as without one, there is nothing to warn of."""
    with ScriptedIndex(tmp_path, ScriptedFeed(), ScriptedEmbedder()) as home:
        result = home.ask("apple")
    assert (result.hits, result.warnings) == ([], [])


def test_hits_below_a_threshold_are_left_out(tmp_path: Path) -> None:
    """The limit counts those that are left."""
    feed = ScriptedFeed(said("good", "apple pie"), said("poor", "apple " + "words " * 30))
    with ScriptedIndex(tmp_path, feed) as home:
        good, poor = home.ask("apple pie").hits
        between = (good.score + poor.score) / 2
        assert home.refs("apple pie", min_score=between) == ["good"]
        assert home.refs("apple pie", limit=1) == ["good"]


def test_without_an_embedder_words_answer_and_it_is_told(tmp_path: Path) -> None:
    """Unless only words were asked for."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple"))) as home:
        for mode in ("hybrid", "vector"):
            result = home.ask("apple", mode=mode)
            assert (result.mode, [hit.ref for hit in result.hits]) == ("lexical", ["m"])
            assert result.warnings == [f"no embedder is installed: {ONLY_WORDS}"]
        assert home.ask("apple", mode="lexical").warnings == []


def test_with_another_embedder_words_answer_until_the_rebuild(tmp_path: Path) -> None:
    """Vectors of two spaces never meet."""
    feed = ScriptedFeed(said("m", "apple"))
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder()) as home:
        assert home.ask("apple").mode == "hybrid"
    with ScriptedIndex(tmp_path, feed, ScriptedEmbedder("scripted:other")) as home:
        result = home.ask("apple")
        assert (result.mode, [hit.ref for hit in result.hits]) == ("lexical", ["m"])
        assert [w for w in result.warnings if "recollect reindex" in w]
        assert [w for w in result.warnings if w.endswith(ONLY_WORDS)]
        home.index.sync()
        assert (home.ask("apple").mode, home.ask("apple").warnings) == ("hybrid", [])


def _down(_: object) -> Vectors:
    raise ProviderUnavailable("the provider is down", hint="try later")


@pytest.mark.parametrize(
    "query",
    [
        _down,
        lambda vector: vector * np.float32("nan"),
        lambda vector: vector[:8],
        lambda vector: vector[None],
        lambda vector: vector * np.float32(3),
    ],
)
def test_a_failing_embedder_costs_quality_not_the_answer(
    tmp_path: Path, query: Callable[[Vectors], Vectors]
) -> None:
    """Found by these tests: NaN gave no hits, and a vector that was too short a ValueError."""
    embedder = ScriptedEmbedder()
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple")), embedder) as home:
        assert home.ask("apple").mode == "hybrid"
        embedder.query = query
        result = home.ask("apple")
    assert (result.mode, [hit.ref for hit in result.hits]) == ("lexical", ["m"])
    (warning,) = result.warnings
    assert warning.endswith(ONLY_WORDS)


def test_an_embedder_that_is_down_is_told_once(tmp_path: Path) -> None:
    """Found by these tests: it was told for the new chunks and again for the question."""
    embedder = ScriptedEmbedder(query=_down)
    embedder.before = lambda texts: void(_down(texts))
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple")), embedder) as home:
        result = home.ask("apple")
    assert result.warnings == [f"the provider is down: {ONLY_WORDS}"]
    assert [hit.ref for hit in result.hits] == ["m"]


def void(_: object) -> None:
    """Turn an expression into a statement."""


def test_more_tenants_than_are_held_are_answered(tmp_path: Path) -> None:
    """The one not asked for longest is loaded again."""
    tenants = [Scope(tenant=f"t{n}") for n in range(HELD_PARTITIONS + 2)]
    feed = ScriptedFeed(*(said(f"m{n}", "apple", scope=s) for n, s in enumerate(tenants)))
    with ScriptedIndex(tmp_path, feed) as home:
        home.index.sync()
        searcher = SearchService(home.database, SearchSettings(), QuestionVectors(Embedders(), 3.0))
        for number, scope in [*enumerate(tenants), *enumerate(tenants[:2])]:
            (hit,) = searcher.search("apple", scope, EVERYTHING).hits
            assert hit.ref == f"m{number}"


class FlippingDatabase:
    """Rebuilds the index right after the first look at where a tenant is."""

    def __init__(self, home: ScriptedIndex) -> None:
        self._home = home
        self._is_first = True

    def read(self, unit: Callable[[Transaction], T]) -> T:
        """Read, then flip."""
        result = self._home.database.read(unit)
        if self._is_first:
            self._is_first = False
            self._home.index.rebuild()
        return result


def test_a_rebuild_that_ends_during_a_search_is_followed(tmp_path: Path) -> None:
    """The answer comes from the new generation."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple"))) as home:
        home.index.sync()
        nobody = QuestionVectors(Embedders(), 3.0)
        searcher = SearchService(FlippingDatabase(home), SearchSettings(), nobody)  # type: ignore[arg-type]  # it only reads
        (hit,) = searcher.search("apple", Scope(), EVERYTHING).hits
        assert hit.ref == "m"
        assert home.index.status().generation == 2


class BreakingTransaction:
    """Reads until it comes to the removals."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def row(self, sql: str, params: Sequence[str | int] = ()) -> Row | None:
        """Return the first row."""
        return self._tx.row(sql, params)

    def all(self, sql: str, params: Sequence[str | int] = ()) -> list[Row]:
        """Return all rows."""
        if "removals" in sql:
            raise StoreBusy("the disk is away")
        return self._tx.all(sql, params)


def test_a_partition_that_could_not_be_read_begins_anew(tmp_path: Path) -> None:
    """Half of a state is no state."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apple", name="Ann"))) as home:
        home.index.sync()
        partition = Partition(1, 0)
        with pytest.raises(StoreBusy):
            home.database.read(lambda tx: partition.refresh(BreakingTransaction(tx)))  # type: ignore[arg-type]  # it only reads
        assert partition.names.number("speaker", "Ann") == -1
        home.database.read(partition.refresh)
        assert partition.arrays.count == 1
        assert partition.names.number("speaker", "Ann") != -1


def test_terms_of_a_chunk_that_is_gone_are_none(tmp_path: Path) -> None:
    """A number without a row is no error."""
    with ScriptedIndex(tmp_path, ScriptedFeed(said("m", "apples"))) as home:
        home.index.sync()
        partition = Partition(1, 0)
        assert home.database.read(lambda tx: partition.terms_of(tx, 0)) == ["appl"]
        assert home.database.read(lambda tx: partition.terms_of(tx, 1)) == []
