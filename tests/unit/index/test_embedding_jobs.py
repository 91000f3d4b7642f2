"""Batches of a provider: right vectors whatever happens, and no text is paid for twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.core.errors import QuotaExhausted
from recollect.core.settings.embedding import BatchSettings, CacheSettings
from recollect.index.embedding.failure import note_embedder_failure
from recollect.index.model.document import Removal
from recollect.index.model.sync_report import Progress, Watch
from recollect.models.embedding import batch_job
from tests.support.batch_server import NEVER, BatchService, Plan, Spoiling
from tests.support.provider_server import ProviderServer
from tests.unit.index.batch_home import BATCHES, PROVIDERS, BatchHome, embedder_at
from tests.unit.index.scripted import CLOCK, ScriptedEmbedder

FRUIT = [f"fruit number {n} is sweet" for n in range(6)]
LATER = msgspec.structs.replace(BATCHES, wait=False)


@pytest.fixture
def service() -> BatchService:
    """The server's side of batches."""
    return BatchService()


@pytest.fixture
def server(service: BatchService) -> Iterator[ProviderServer]:
    """A provider on loopback."""
    with ProviderServer(services=[service]) as running:
        yield running


def _paid(service: BatchService, server: ProviderServer) -> Counter[str]:
    """Return how often each text was embedded, by a batch or directly."""
    return Counter([*service.texts, *server.texts()])


def _once(*texts: str) -> Counter[str]:
    return Counter(dict.fromkeys(texts, 1))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_much_text_goes_as_a_batch(
    tmp_path: Path, service: BatchService, server: ProviderServer, provider: str
) -> None:
    """Each text once, over the provider's own wire; its files are deleted afterwards."""
    service.plans.append(Plan(looks=2))
    texts = [*FRUIT, FRUIT[0]]
    with BatchHome(tmp_path, server, texts, embedder_at(server, provider)) as home:
        report = home.sync()
        assert (report.vectors, report.paused, report.warnings) == (7, False, ())
        home.check_vectors()
        assert (home.waiting, home.jobs, home.cached) == (0, [], 0)
    assert sorted(service.texts) == FRUIT
    assert server.texts() == []
    assert service.stages[:2] == ["upload", "create"]
    assert service.count("look") == 3
    assert service.files == {}
    assert list((tmp_path / "batches").iterdir()) == []


@pytest.mark.parametrize(
    ("batch", "texts"), [(BatchSettings(least_texts=1), FRUIT), (BATCHES, FRUIT[:2])]
)
def test_text_goes_directly_unless_batches_are_wanted_and_there_is_enough_of_it(
    tmp_path: Path,
    service: BatchService,
    server: ProviderServer,
    batch: BatchSettings,
    texts: list[str],
) -> None:
    """Off is the default, and a batch takes minutes at best."""
    with BatchHome(tmp_path, server, texts, batch=batch) as home:
        home.sync()
        home.check_vectors()
        assert home.batches.enabled is batch.enabled
    assert service.stages == []
    assert (tmp_path / "batches").exists() is batch.enabled


@pytest.mark.parametrize("provider", ["voyage", "gemini"])
@pytest.mark.parametrize(
    "spoiling", ["missing", "error", "short", "nan", "null", "zero", "garbage", "stranger"]
)
def test_what_a_batch_does_not_bring_goes_directly(
    tmp_path: Path,
    service: BatchService,
    server: ProviderServer,
    provider: str,
    spoiling: Spoiling,
) -> None:
    """Good lines are used; the others go round only once, whatever is wrong with them."""
    spoilt: dict[int, Spoiling] = dict.fromkeys((0, 2, 3, 5), spoiling)
    service.plans.append(Plan(spoilt=spoilt))
    with BatchHome(tmp_path, server, FRUIT, embedder_at(server, provider)) as home:
        assert home.sync().vectors == 6
        home.check_vectors()
        assert (home.jobs, home.batches.failures) == ([], 0)
    assert sorted(service.texts) == [FRUIT[1], FRUIT[4]]
    assert sorted(server.texts()) == [FRUIT[n] for n in (0, 2, 3, 5)]
    assert service.count("create") == 1
    assert service.files == {}


@settings(max_examples=10)
@example(provider="openai", spoilt=dict.fromkeys(range(6), "garbage"), ends="completed", done=0)
@given(
    provider=st.sampled_from(PROVIDERS),
    spoilt=st.dictionaries(st.integers(0, 5), st.sampled_from(get_args(Spoiling))),
    ends=st.sampled_from(["completed", "expired", "failed"]),
    done=st.integers(0, 6),
)
def test_whatever_a_batch_brings_every_text_gets_its_vector_and_is_paid_for_once(
    provider: str, spoilt: dict[int, Spoiling], ends: str, done: int
) -> None:
    """The law of the whole."""
    service = BatchService(Plan(spoilt=spoilt, ends=ends, done=done))
    with ProviderServer(services=[service]) as server, TemporaryDirectory() as folder:
        with BatchHome(Path(folder), server, FRUIT, embedder_at(server, provider)) as home:
            home.sync()
            home.check_vectors()
            assert (home.waiting, home.jobs) == (0, [])
        assert _paid(service, server) == _once(*FRUIT)
        assert service.count("create") == 1


def test_a_text_that_is_known_is_not_sent(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Neither in a rebuild nor when it is said again."""
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        home.say(*FRUIT[:4])
        home.sync()
        assert home.index.rebuild().vectors == 10
        home.check_vectors()
    assert service.count("create") == 1
    assert _paid(service, server) == _once(*FRUIT)


def test_results_are_stored_without_the_cache(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """The chunks themselves get the vectors."""
    off = CacheSettings(enabled=False)
    with BatchHome(tmp_path, server, FRUIT, cache=off) as home:
        home.sync()
        home.check_vectors()
        assert home.cached == 0
    assert _paid(service, server) == _once(*FRUIT)


def test_a_sync_that_does_not_wait_leaves_the_batch_to_a_later_one(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Meanwhile nobody else sends its texts, and the few new ones go directly."""
    service.plans.append(Plan(looks=3))
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        report = home.sync()
        assert report.paused
        assert report.warnings == ("6 texts are under way with a batch: a later sync fetches them",)
        assert (home.batches.jobs, home.batches.texts, home.waiting) == (1, 6, 6)
        home.say("a new word")
        assert home.sync().vectors == 1
        while home.jobs:
            home.sync()
        home.check_vectors()
    assert server.texts() == ["a new word"]
    assert _paid(service, server) == _once(*FRUIT, "a new word")


def test_batches_are_collected_after_a_restart(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """They are not sent again."""
    service.plans.append(Plan(looks=2))
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
    with BatchHome(tmp_path, server, FRUIT) as home:
        assert home.sync().vectors == 6
        home.check_vectors()
    assert (service.count("upload"), service.count("create")) == (1, 1)
    assert _paid(service, server) == _once(*FRUIT)


def test_batches_are_collected_after_they_were_switched_off(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """They are paid for."""
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
    off = msgspec.structs.replace(BATCHES, enabled=False)
    with BatchHome(tmp_path, server, FRUIT, batch=off) as home:
        assert home.sync().vectors == 6
        home.check_vectors()
        assert not home.batches.enabled
    assert _paid(service, server) == _once(*FRUIT)


def test_an_interrupted_wait_goes_on_with_the_next_sync(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Ctrl-C while the provider works costs nothing."""
    service.plans.append(Plan(looks=2))

    def interrupt(progress: Progress) -> None:
        if progress.stage == "embedding":
            raise KeyboardInterrupt

    with BatchHome(tmp_path, server, FRUIT) as home:
        with pytest.raises(KeyboardInterrupt):
            home.index.sync(Watch(tell=interrupt))
        assert len(home.jobs) == 1
        home.sync()
        home.check_vectors()
    assert _paid(service, server) == _once(*FRUIT)


def test_the_background_does_not_wait(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """It has new messages to read."""
    service.plans.append(NEVER)
    with BatchHome(tmp_path, server, FRUIT) as home:
        assert home.index.sync(Watch(mode="background")).paused
        assert home.batches.jobs == 1


def test_the_background_asks_for_a_batch_once_a_minute(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """So a program that runs fetches the vectors although nothing new is said."""
    service.plans.append(Plan(looks=0))
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.index.sync(Watch(mode="background"))
        assert not home.index.is_behind()
    with BatchHome(tmp_path, server, FRUIT, step_ms=61_000) as home:
        assert home.index.is_behind()
        assert home.index.sync(Watch(mode="background")).vectors == 6
        assert not home.index.is_behind()


def test_two_at_once_share_the_batches(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Two programs over one home: both wait, neither pays twice."""
    service.plans.append(Plan(looks=6))
    with BatchHome(tmp_path, server, FRUIT) as home, BatchHome(tmp_path, server, FRUIT) as other:
        with ThreadPoolExecutor(2) as pool:
            reports = list(pool.map(lambda one: one.sync(), (home, other)))
        assert sum(report.vectors for report in reports) == 6
        home.check_vectors()
    assert service.count("create") == 1
    assert _paid(service, server) == _once(*FRUIT)


def test_large_amounts_become_several_batches(
    tmp_path: Path,
    service: BatchService,
    server: ProviderServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No more at once than may be; what is too little for one goes directly."""
    monkeypatch.setattr(batch_job, "MAX_TEXTS", 4)
    texts = [f"word{n}" for n in range(22)]
    counts: list[int] = []

    with BatchHome(tmp_path, server, texts) as home:
        home.index.sync(Watch(tell=lambda _: counts.append(home.batches.jobs)))
        home.check_vectors()
    assert max(counts) == 2
    assert service.count("create") == 5
    assert len(server.texts()) == 2
    assert _paid(service, server) == _once(*texts)


def test_a_file_has_a_largest_size(
    tmp_path: Path,
    service: BatchService,
    server: ProviderServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Providers refuse larger ones."""
    monkeypatch.setattr(batch_job, "MAX_BYTES", 1_200)
    with BatchHome(tmp_path, server, [f"word{n}" for n in range(12)]) as home:
        home.sync()
        home.check_vectors()
    assert service.count("create") > 1
    uploads = [one for one in server.received if one.path.endswith("/files")]
    assert all(len(one.body) < 2_000 for one in uploads)


def test_texts_wait_for_a_free_batch_instead_of_the_full_price(
    tmp_path: Path,
    service: BatchService,
    server: ProviderServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a sync does not wait, the rest is left for a later one."""
    monkeypatch.setattr(batch_job, "MAX_TEXTS", 4)
    texts = [f"word{n}" for n in range(12)]
    one_by_one = msgspec.structs.replace(LATER, concurrency=1)
    with BatchHome(tmp_path, server, texts, batch=one_by_one) as home:
        home.sync()
        assert (home.batches.jobs, home.waiting) == (1, 12)
        assert server.texts() == []
        while home.waiting:
            home.sync()
        home.check_vectors()
    assert service.count("create") == 3
    assert _paid(service, server) == _once(*texts)


def test_a_text_that_went_meanwhile_leaves_nothing(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """No vector and no row of the cache."""
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
        home.feed.entries.append(Removal(source="sessions", ref="m0", tenant="local"))
        while home.jobs:
            home.sync()
        home.check_vectors()
        assert (home.waiting, home.cached, home.index.status().vectors) == (0, 0, 5)


def test_a_rebuild_waits_for_its_batches(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """The old index answers until a later sync has fetched the vectors of the new one."""
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
    service.plans.append(Plan(looks=2))
    other = embedder_at(server, model="other")
    with BatchHome(tmp_path, server, FRUIT, other, batch=LATER) as home:
        assert not home.sync().rebuilt
        assert home.index.status().generation == 1
        while home.jobs:
            home.sync()
        home.sync()
        assert home.index.status().generation == 2
        home.check_vectors()
    assert Counter(service.texts) == Counter(FRUIT * 2)
    assert server.texts() == []


def test_batches_of_another_embedder_are_cancelled(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Nobody would fetch them any more."""
    service.plans.append(NEVER)
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
    other = embedder_at(server, model="other")
    with BatchHome(tmp_path, server, FRUIT, other) as home:
        home.sync()
        home.check_vectors()
        assert home.jobs == []
    assert [job.state for job in service.jobs.values()] == ["cancelled", "completed"]


def test_an_embedder_without_batches_forgets_those_of_another(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """The local model makes all vectors itself."""
    service.plans.append(NEVER)
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
    local = ScriptedEmbedder()
    with BatchHome(tmp_path, server, FRUIT, local) as home:
        home.sync()
        assert (home.waiting, home.jobs) == (0, [])
        assert not home.batches.enabled
    assert sorted(local.texts) == FRUIT


def test_a_fallback_does_not_wait_for_the_batches_of_the_first_embedder(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Nor does it throw them away: they are fetched when the first one is back."""
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
    local = ScriptedEmbedder()
    first = embedder_at(server)
    with BatchHome(tmp_path, server, FRUIT, first, fallback=local) as home:
        spent = QuotaExhausted("nothing left", hint="pay")
        home.database.write(lambda tx: note_embedder_failure(tx, first, spent, CLOCK.now_ms()))
        home.sync()
        assert (home.waiting, len(home.jobs)) == (0, 1)
    assert sorted(local.texts) == FRUIT
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        home.check_vectors()
    assert _paid(service, server) == _once(*FRUIT)


def test_a_daily_limit_bounds_a_batch(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """What would be too much waits for the next day."""
    embedder = embedder_at(server, budget=26)
    with BatchHome(tmp_path, server, FRUIT, embedder) as home:
        report = home.sync()
        assert report.paused
        assert report.vectors == len(service.texts) > 2
        assert home.waiting == 6 - report.vectors
        assert home.batches.failures == 0
    assert server.texts() == []
