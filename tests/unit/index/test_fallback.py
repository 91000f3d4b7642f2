"""When the embedder of the settings cannot be used, another one takes over, and gives back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.core.errors import (
    ModelMissing,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.core.settings import EmbeddingSettings
from recollect.index.embedding.failure import APART_MS, RETRY_MS, STAYS_AWAY
from tests.unit.index.scripted import (
    PaidEmbedder,
    ScriptedEmbedder,
    ScriptedFeed,
    ScriptedIndex,
    said,
)

EMPTY = QuotaExhausted("the account has nothing left", hint="pay")
AWAY = ProviderUnavailable("the provider is down", hint="try later")


class MovedClock:
    """A clock that a test moves."""

    now = 1_770_724_800_000

    def now_ms(self) -> int:
        """Return the time."""
        return self.now


class World:
    """A home with two embedders, whose first one fails as a test says."""

    def __init__(self, folder: Path, *, embedding: EmbeddingSettings | None = None) -> None:
        self.clock = MovedClock()
        self.first = PaidEmbedder("first:words")
        self.fallback = ScriptedEmbedder("fallback:words")
        self.feed = ScriptedFeed(*(said(f"m{n}", f"apple number{n}") for n in range(6)))
        self._folder = folder
        self._embedding = embedding
        self.asked: list[str] = []

    def open(self, fallback: ScriptedEmbedder | None = None) -> ScriptedIndex:
        """Open the home as a new process does."""
        return ScriptedIndex(
            self._folder,
            self.feed,
            self.first,
            fallback=fallback or self.fallback,
            embedding=self._embedding,
            clock=self.clock,
        )

    def fail(self, error: ProviderError | None) -> None:
        """Let the first one fail from now on, or work."""

        def before(texts: object) -> None:
            self.asked.append("documents")
            if error is not None:
                raise error

        self.first.before = before


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two embedders and six messages."""
    return World(tmp_path)


@pytest.mark.parametrize(
    "error",
    [
        EMPTY,
        ProviderRejected("the key is refused", hint="check it", status=401),
        ModelMissing("the model is not installed", hint="install it"),
    ],
)
def test_the_fallback_takes_over_at_once_from_what_will_not_recover(
    world: World, error: ProviderError
) -> None:
    """The index is built with it, questions are embedded by it, and the status says why."""
    world.fail(error)
    with world.open() as home:
        report = home.index.sync()
        assert (report.rebuilt, report.vectors) == (True, 6)
        assert any("fallback:words takes over from first:words" in w for w in report.warnings)
        status = home.index.status()
        assert (status.vectors, status.waiting) == (6, 0)
        assert (status.model, status.fallback_from) == ("fallback:words", "first:words")
        assert (status.trouble, status.outdated) == (error.message, None)
        result = home.ask("number4")
        assert (result.hits[0].ref, result.mode, result.warnings) == ("m4", "hybrid", [])


def test_another_process_knows_of_it_and_asks_the_first_one_once_an_hour(world: World) -> None:
    """And goes back as soon as it answers; the cache makes that cheap."""
    with world.open() as home:
        home.index.sync()
    world.fail(EMPTY)
    world.feed.entries.append(said("m6", "apple number6"))
    with world.open() as home:
        assert home.index.sync().rebuilt
    world.asked.clear()
    with world.open() as home:
        assert not home.index.sync().rebuilt
        assert world.asked == []
        world.clock.now += RETRY_MS
        assert not home.index.sync().rebuilt
        assert len(world.asked) == 1
        home.index.sync()
        assert len(world.asked) == 1, "an hour begins anew"
    world.fail(None)
    world.clock.now += RETRY_MS
    with world.open() as home:
        report = home.index.sync()
        assert (report.rebuilt, report.vectors) == (True, 7)
        status = home.index.status()
        assert (status.model, status.fallback_from, status.trouble) == ("first:words", None, None)
    assert world.first.texts.count("apple number6") == 1
    assert world.first.texts.count("apple number3") == 1, "the cache had it"
    with world.open() as home:
        assert home.index.rebuild().vectors == 7
    assert world.fallback.texts.count("apple number3") == 1


def test_a_reindex_asks_the_first_one_at_once(world: World) -> None:
    """Somebody has mended it and does not want to wait an hour."""
    world.fail(EMPTY)
    with world.open() as home:
        home.index.sync()
        world.fail(None)
        assert home.index.rebuild().rebuilt
        assert home.index.status().model == "first:words"


def test_a_provider_that_never_answered_is_replaced_at_once_and_said_so(world: World) -> None:
    """No vector of it must be made again, so nobody waits for three syncs; nor is it silent."""
    world.fail(AWAY)
    with world.open() as home:
        report = home.index.sync()
        assert (report.rebuilt, report.vectors) == (True, 6)
        assert any("fallback:words takes over from first:words" in w for w in report.warnings)
        assert home.index.status().fallback_from == "first:words"
        assert home.ask("number4").mode == "hybrid"


def test_until_the_fallback_takes_over_it_is_said_when_it_will(world: World) -> None:
    """By the first sync that fails, and by the status."""
    with world.open() as home:
        home.index.sync()
        world.fail(AWAY)
        world.feed.entries.append(said("m6", "apple number6"))
        with pytest.raises(ProviderUnavailable) as caught:
            home.index.sync()
        waits = "fallback:words takes over after 3 failed syncs, a minute apart (1 so far)"
        assert waits in caught.value.hint
        assert waits in str(home.index.status().trouble)


def test_a_provider_that_is_down_is_given_up_after_some_syncs(world: World) -> None:
    """One outage costs no rebuild: until then words answer, and nothing that was made is lost."""
    with world.open() as home:
        home.index.sync()
    world.fail(AWAY)
    world.feed.entries.append(said("m6", "apple number6"))
    for _ in range(STAYS_AWAY - 1):
        world.clock.now += APART_MS
        with world.open() as home:
            for _ in range(STAYS_AWAY):  # within a minute they count once
                with pytest.raises(ProviderUnavailable):
                    home.index.sync()
            assert home.index.status().model == "first:words"
            assert home.refs("number6", mode="lexical") == ["m6"]
    world.clock.now += APART_MS
    with world.open() as home:
        assert home.index.sync().rebuilt
        assert home.index.status().fallback_from == "first:words"


def test_a_success_forgives_earlier_failures(world: World) -> None:
    """Only failures in a row count."""
    with world.open() as home:
        home.index.sync()
    fail: Callable[[], None] = lambda: world.fail(AWAY)  # noqa: E731  # reads as a step
    for number in range(2 * STAYS_AWAY):
        world.feed.entries.append(said(f"n{number}", f"bread number{number}"))
        world.clock.now += APART_MS
        with world.open() as home:
            fail()
            with pytest.raises(ProviderUnavailable):
                home.index.sync()
            world.fail(None)
            assert home.index.sync().vectors
            assert home.index.status().trouble is None


def test_a_fallback_that_fails_too_is_an_error(world: World) -> None:
    """Words are indexed all the same."""
    world.fail(EMPTY)
    world.fallback.before = world.first.before
    with world.open() as home:
        with pytest.raises(QuotaExhausted):
            home.index.sync()
        assert home.refs("number4", mode="lexical") == ["m4"]


def test_a_paid_fallback_waits_for_an_agreement(tmp_path: Path) -> None:
    """Nobody's texts go to a second provider because the first one failed."""
    world = World(tmp_path)
    world.first = ScriptedEmbedder("local:words")  # type: ignore[assignment]  # has all it needs
    paid = PaidEmbedder("paid:words")
    with world.open(paid) as home:
        home.index.sync()
    world.fail(ModelMissing("the model is gone", hint="install it"))
    world.feed.entries.append(said("m6", "apple number6"))
    with world.open(paid) as home:
        with pytest.raises(ModelMissing):
            home.index.sync()
        assert "paid:words is paid" in str(home.index.status().consent_needed)
        assert paid.texts == []
        assert home.index.rebuild().vectors == 7
        assert home.index.status().fallback_from == "local:words"


def test_without_a_fallback_the_failure_is_raised_and_told(tmp_path: Path) -> None:
    """Again at every sync, until it works."""
    embedder = PaidEmbedder("first:words")

    def fail(_: object) -> None:
        raise EMPTY

    embedder.before = fail
    feed = ScriptedFeed(said("m", "apple"))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        for _ in range(STAYS_AWAY + 1):
            with pytest.raises(QuotaExhausted):
                home.index.sync()
        status = home.index.status()
        assert (status.trouble, status.fallback_from) == (EMPTY.message, None)
        embedder.before = lambda _: None
        assert home.index.sync().vectors == 1
        assert home.index.status().trouble is None


class Unsized(PaidEmbedder):
    """Its size is known only when it answers."""

    size: int | None = 256
    asked = 0

    @property
    def dimensions(self) -> int:  # type: ignore[override]  # as remote ones do
        """Return the size, if it can be asked."""
        self.asked += 1
        if self.size is None:
            raise AWAY
        return self.size


def test_a_provider_of_unknown_size_that_is_down_costs_only_the_vectors(tmp_path: Path) -> None:
    """Words are indexed and found, no search asks it, and the vectors follow."""
    embedder = Unsized("unsized:words")
    embedder.size = None
    feed = ScriptedFeed(said("a", "apple"), said("b", "bread"))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        assert home.refs("apple") == ["a"]
        assert embedder.asked == 0
        with pytest.raises(ProviderUnavailable):
            home.index.sync()
        requests = embedder.asked
        result = home.ask("bread")
        assert (result.hits[0].ref, result.mode) == ("b", "lexical")
        assert home.index.status().outdated is None
        assert embedder.asked == requests
        embedder.size = 256
        assert home.index.sync().vectors == 2
        assert home.ask("bread").mode == "hybrid"
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        embedder.asked = 0
        assert home.index.sync().vectors == 0
        assert embedder.asked == 0, "a sync with nothing to do asks nobody"


def test_a_model_whose_vectors_have_another_size_now_is_built_anew(tmp_path: Path) -> None:
    """Its name and address are the same, so only the vectors tell."""
    embedder = Unsized("unsized:words")
    feed = ScriptedFeed(said("a", "apple"), said("b", "bread"))
    with ScriptedIndex(tmp_path, feed, embedder) as home:
        home.index.sync()
    other = Unsized("unsized:words")
    other.size = 128
    other.after = lambda made: (
        made[:, :128] / ((made[:, :128] ** 2).sum(axis=1, keepdims=True) ** 0.5)
    )
    feed.entries.append(said("c", "cake"))
    with ScriptedIndex(tmp_path, feed, other) as home:
        report = home.index.sync()
        assert (report.rebuilt, home.index.status().vectors) == (True, 3)
        assert sorted(other.texts) == ["apple", "bread", "cake"]
        assert home.index.status().outdated is None
