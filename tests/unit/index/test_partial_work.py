"""What an embedder brings before it stops is kept, and one bad text blocks no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from recollect.core.errors import BudgetSpent, ProviderError, ProviderRejected, ProviderUnavailable
from recollect.index.embedding import queue
from recollect.index.model.document import Removal
from recollect.models.embedding.embedder import EmbeddingInterrupted, Progress, Vectors
from recollect.store.columns import first_integer, text
from tests.unit.index.scripted import DAY, PaidEmbedder, ScriptedFeed, ScriptedIndex, said


class Stumbling(PaidEmbedder):
    """Refuses texts that hold a word, and stops after some texts when it is told to."""

    def __init__(self) -> None:
        super().__init__("stumbling:words")
        self.bad = "poison"
        self.most = 1_000
        self.reason: ProviderError = ProviderUnavailable("it is down", hint="try later")

    def embed_documents(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """Return vectors, or what there is of them."""
        refused = frozenset(n for n, each in enumerate(texts) if self.bad in each)
        good = [n for n in range(len(texts)) if n not in refused]
        if not refused and len(good) <= self.most:
            return super().embed_documents(texts, progress)
        embedded = [texts[n] for n in good[: self.most]]
        vectors = super().embed_documents(embedded) if embedded else np.empty((0, self.dimensions))
        reason = (
            self.reason
            if len(good) > self.most
            else ProviderRejected("it will not take some texts", hint="none")
        )
        raise EmbeddingInterrupted(reason, dict(zip(good, vectors, strict=False)), refused)


def cached(home: ScriptedIndex) -> int:
    """Return how many vectors the cache holds."""
    return home.database.read(
        lambda tx: first_integer(tx.row("SELECT count(*) FROM embedding_cache"))
    )


def counts(home: ScriptedIndex) -> tuple[int, int, int]:
    """Return the chunks with a vector, those that wait and those that were refused."""
    status = home.index.status()
    return status.vectors, status.waiting, status.refused


def test_what_was_made_before_a_failure_is_stored_and_not_made_again(tmp_path: Path) -> None:
    """To the last vector: somebody may have paid for it."""
    embedder = Stumbling()
    embedder.most = 7
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(20)))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        with pytest.raises(ProviderUnavailable) as raised:
            home.index.sync()
        assert raised.value is embedder.reason
        assert (counts(home), cached(home)) == ((7, 13, 0), 0)
        embedder.most = 1_000
        assert home.index.sync().vectors == 13
        assert counts(home) == (20, 0, 0)
    assert len(embedder.texts) == len(set(embedder.texts)) == 20


def test_a_refused_text_blocks_no_other_and_is_not_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is counted, found by its words, and tried again when it changes or in a rebuild."""
    monkeypatch.setattr(queue, "CHUNKS_AT_ONCE", 5)
    embedder = Stumbling()
    sent: list[str] = []
    embedder.before = sent.extend
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(12)))
    feed.entries += [said("bad", "poison apple"), said("twin", "poison apple")]
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        report = home.index.sync()
        assert (report.vectors, report.refused) == (12, 2)
        assert counts(home) == (12, 0, 2)
        codes = home.database.read(
            lambda tx: {text(code) for (code,) in tx.rows("SELECT code FROM vector_refused")}
        )
        assert codes == {"provider_rejected"}
        assert home.refs("poison")[:2] == ["bad", "twin"]
        embedder.bad = "nothing"
        assert home.index.sync().vectors == 0
        feed.entries.append(said("twin", "sweet apple"))
        assert home.index.sync().vectors == 1
        assert counts(home) == (13, 0, 1)
        assert "poison apple" not in embedder.texts
        feed.entries.append(Removal(source="sessions", ref="bad", tenant="local"))
        home.index.sync()
        assert counts(home) == (13, 0, 0)


def test_a_rebuild_tries_refused_texts_again(tmp_path: Path) -> None:
    """The provider, or its limits, may be another one by then."""
    embedder = Stumbling()
    feed = ScriptedFeed(said("a", "apple"), said("bad", "poison apple"))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync()
        assert home.index.rebuild().refused == 1
        embedder.bad = "nothing"
        assert home.index.rebuild().refused == 0
        assert counts(home) == (2, 0, 0)
    assert embedder.texts == ["apple", "poison apple"]


def test_a_failure_beside_a_refusal_is_raised(tmp_path: Path) -> None:
    """The refused text is out of the way all the same."""
    embedder = Stumbling()
    embedder.most = 2
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(5)))
    feed.entries.append(said("bad", "poison"))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        with pytest.raises(ProviderUnavailable):
            home.index.sync()
        assert counts(home) == (2, 3, 1)


def test_vectors_that_cannot_be_right_are_not_kept_from_partial_work_either(
    tmp_path: Path,
) -> None:
    """The same check as for a whole batch."""
    embedder = Stumbling()
    embedder.most = 2
    embedder.after = lambda made: made * np.float32(2)
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(5)))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        with pytest.raises(ProviderError, match="not normalised"):
            home.index.sync()
        assert (counts(home), cached(home)) == ((0, 5, 0), 0)


@pytest.mark.parametrize("partly", [True, False])
def test_a_spent_budget_pauses_until_the_next_day(tmp_path: Path, partly: bool) -> None:
    """Everything is kept, the report and the status say so, and no fallback takes over."""
    clock = DayClock()
    embedder, fallback = Stumbling(), PaidEmbedder("fallback:words")
    embedder.reason = BudgetSpent("the daily limit is reached", hint="tomorrow")
    if partly:
        embedder.most = 3
    else:
        embedder.before = spent
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(8)))
    with ScriptedIndex(tmp_path, feed, embedder, fallback=fallback, clock=clock) as home:
        vectors = 3 if partly else 0
        for _ in range(4):
            report = home.index.sync()
            assert report.paused
            assert any("daily limit" in warning for warning in report.warnings)
            embedder.most = 0 if partly else 1_000
        assert counts(home) == (vectors, 8 - vectors, 0)
        assert home.refs("number5", mode="lexical") == ["m5"]
        assert home.index.status().trouble == "the daily limit is reached"
        clock.now += DAY
        assert home.index.status().trouble is None
        embedder.most, embedder.before = 1_000, lambda _: None
        report = home.index.sync()
        assert (report.paused, report.vectors) == (False, 8 - vectors)
    assert fallback.texts == []


def test_a_rebuild_that_is_paused_leaves_the_old_index_serving(tmp_path: Path) -> None:
    """It goes on the next day, without making a vector twice."""
    clock = DayClock()
    feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(8)))
    with ScriptedIndex(tmp_path, feed, PaidEmbedder("old:words"), clock=clock) as home:
        home.index.sync()
    embedder = Stumbling()
    embedder.most, embedder.reason = 3, BudgetSpent("the daily limit is reached", hint="tomorrow")
    with ScriptedIndex(tmp_path, feed, embedder, clock=clock) as home:
        report = home.index.rebuild()
        assert (report.paused, report.rebuilt, report.vectors) == (True, False, 3)
        status = home.index.status()
        assert (status.generation, status.rebuilding, status.vectors) == (1, True, 8)
        assert home.refs("number5", mode="lexical") == ["m5"]
        embedder.most = 1_000
        clock.now += DAY
        report = home.index.sync()
        assert (report.rebuilt, report.vectors) == (True, 5)
    assert len(embedder.texts) == 8


class DayClock:
    """A clock that a test moves."""

    now = 1_770_724_800_000

    def now_ms(self) -> int:
        """Return the time."""
        return self.now


def spent(_: object) -> None:
    """Send nothing."""
    raise BudgetSpent("the daily limit is reached", hint="tomorrow")
