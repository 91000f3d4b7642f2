"""When a provider's batches go wrong: what is paid for is used, nothing hangs, nothing is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from recollect.core.errors import ProviderError, ProviderRejected
from recollect.index.embedding.batch_health import COOL_DOWN_MS
from recollect.index.embedding.batch_job_runner import TIMEOUT
from recollect.models.embedding import batch_job
from recollect.models.http.retry import RetryPolicy
from tests.support import provider_faults as faults
from tests.support.batch_server import NEVER, BatchService, Plan, Stage, staged
from tests.support.provider_server import Fault, ProviderServer
from tests.unit.index.batch_home import BATCHES, PROVIDERS, BatchHome, embedder_at

FRUIT = [f"fruit number {n} is sweet" for n in range(6)]
LATER = msgspec.structs.replace(BATCHES, wait=False)
QUICK = msgspec.structs.replace(BATCHES, timeout_minutes=1)
MINUTE = 60_000
STAGES = ("upload", "create", "look", "download")


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
    return Counter([*service.texts, *server.texts()])


def _once(*texts: str) -> Counter[str]:
    return Counter(dict.fromkeys(texts, 1))


def _sync_past_errors(home: BatchHome) -> None:
    """Sync until everything has a vector, as the next commands of a user would."""
    for _ in range(5):
        try:
            home.sync()
        except ProviderError:
            continue
        if not home.waiting:
            return


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("provider", "fault"),
    [
        ("openai", faults.cut_off),
        ("openai", faults.truncated_json),
        ("openai", faults.error_in_200),
        ("openai", faults.html),
        ("voyage", faults.reset),
        ("gemini", faults.cut_off),
        ("gemini", faults.html),
    ],
)
def test_a_lost_answer_is_not_paid_for(
    tmp_path: Path, provider: str, stage: Stage, fault: Fault
) -> None:
    """The provider did what it was asked for, and nobody heard: the same batch goes on."""
    service = BatchService()
    with ProviderServer(services=[service]) as server:
        server.always(staged(**{stage: [fault]}))
        with BatchHome(tmp_path, server, FRUIT, embedder_at(server, provider)) as home:
            _sync_past_errors(home)
            home.check_vectors()
            assert home.jobs == []
        assert server.texts() == []
    assert len(service.jobs) == 1
    assert Counter(service.texts) == _once(*FRUIT)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("provider", "status"), [("openai", 429), ("voyage", 503), ("gemini", 503)]
)
def test_a_provider_that_is_busy_is_asked_again(
    tmp_path: Path, provider: str, stage: Stage, status: int
) -> None:
    """Whatever it was asked for."""
    service = BatchService()
    service.refuse(stage, status)
    with ProviderServer(services=[service]) as server:
        with BatchHome(tmp_path, server, FRUIT, embedder_at(server, provider)) as home:
            home.sync()
            home.check_vectors()
            assert home.jobs == []
            # A start that failed is not repeated blindly: the texts go directly this time.
            assert home.batches.failures == int((stage, status) == ("create", 503))
        assert _paid(service, server) == _once(*FRUIT)
    assert len(service.jobs) <= 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_whose_start_was_not_confirmed_is_found_by_its_name(
    tmp_path: Path, service: BatchService, server: ProviderServer, provider: str
) -> None:
    """Even when the provider answers nothing for a while: the next sync looks for it."""
    server.always(staged(create=[faults.reset], list=[faults.status(503)] * 3))
    with BatchHome(tmp_path, server, FRUIT, embedder_at(server, provider), batch=LATER) as home:
        assert home.sync().paused
        assert [job.state for job in home.jobs] == ["creating"]
        while home.jobs:
            home.sync()
        home.check_vectors()
    assert service.count("create") == 1
    assert _paid(service, server) == _once(*FRUIT)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_was_never_started_is_forgotten(
    tmp_path: Path, service: BatchService, server: ProviderServer, provider: str
) -> None:
    """Its file is deleted, and its texts go with another one."""
    service.refuse("create", 500)
    server.always(staged(list=[faults.status(503)] * 3))
    with BatchHome(tmp_path, server, FRUIT, embedder_at(server, provider), batch=LATER) as home:
        home.sync()
        assert [job.state for job in home.jobs] == ["creating"]
        while home.waiting:
            home.sync()
        home.check_vectors()
        assert (home.jobs, home.batches.failures) == ([], 0)
    assert service.files == {}
    assert _paid(service, server) == _once(*FRUIT)


def test_a_provider_that_lists_no_batches_is_asked_anew(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Whether the first one exists cannot be known there."""
    server.always(staged(create=[faults.reset], list=[faults.status(503)] * 3))
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
        server.always(staged(list=[faults.status(405)]))
        home.sync()
        while home.jobs:
            home.sync()
        home.check_vectors()
    assert service.count("create") == 2


def test_a_start_that_stays_unknown_is_given_up(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """After the time of a batch."""
    server.always(staged(create=[faults.reset], list=[faults.status(503)] * 99))
    with BatchHome(tmp_path, server, FRUIT, batch=QUICK, step_ms=MINUTE) as home:
        while not home.batches.failures:
            with suppress(ProviderError):
                home.sync()
        assert (home.jobs, home.batches.last_error) == ([], "provider_unavailable")


def test_two_failures_switch_batches_off(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Texts go directly from then on; the same home knows it after a restart."""
    service.plans.extend([Plan(ends="failed")] * 2)
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        assert (home.batches.failures, home.batches.enabled) == (1, True)
        home.say(*(f"pear {n}" for n in range(4)))
        home.sync()
        status = home.batches
        assert (status.failures, status.limit, status.enabled) == (2, 2, False)
        assert status.last_error == "batch_failed (invalid_model)"
        assert status.last_provider == "openai"
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.say(*(f"pear {n}" for n in range(4)), *(f"plum {n}" for n in range(4)))
        home.sync()
        home.check_vectors()
    assert service.count("create") == 2
    assert len(server.texts()) == 14
    assert max(_paid(service, server).values()) == 1


def test_a_success_forgives_failures(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Only failures in a row count."""
    service.plans.extend([Plan(ends="failed"), Plan(), Plan(ends="failed")])
    with BatchHome(tmp_path, server, FRUIT) as home:
        for round_, failures in enumerate((1, 0, 1)):
            home.say(*(f"pear {round_} {n}" for n in range(4)))
            home.sync()
            assert home.batches.failures == failures
        home.check_vectors()


def test_batches_are_tried_again_after_a_day_or_when_the_cause_was_mended(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Either lets one batch go; it decides about the others."""
    service.plans.extend([Plan(ends="failed")] * 3)
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        home.say(*(f"pear {n}" for n in range(4)))
        home.sync()
        assert home.batches.failures == 2
        home.index.forgive_batches()
        assert (home.batches.failures, home.batches.enabled) == (0, True)
        home.say(*(f"plum {n}" for n in range(4)))
        home.sync()
        assert home.batches.failures == 1
    with BatchHome(tmp_path, server, [], step_ms=COOL_DOWN_MS) as home:
        assert home.batches.enabled


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_address_without_batches_switches_them_off_at_once(
    tmp_path: Path, service: BatchService, server: ProviderServer, provider: str
) -> None:
    """A server that is only compatible has none; a second try would find none either."""
    server.always(staged(upload=[faults.status(404, name="not_found")]))
    with BatchHome(tmp_path, server, FRUIT, embedder_at(server, provider)) as home:
        home.sync()
        home.check_vectors()
        assert (home.batches.failures, home.batches.enabled) == (2, False)
    assert server.texts() == FRUIT or sorted(server.texts()) == FRUIT


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_expired_batch_gives_what_it_has(
    tmp_path: Path, service: BatchService, server: ProviderServer, provider: str
) -> None:
    """It counts as failed; only the rest goes directly."""
    service.plans.append(Plan(ends="expired", done=4))
    with BatchHome(tmp_path, server, FRUIT, embedder_at(server, provider)) as home:
        home.sync()
        home.check_vectors()
        assert home.batches.last_error == "batch_expired"
    assert (len(service.texts), len(server.texts())) == (4, 2)
    assert _paid(service, server) == _once(*FRUIT)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_batch_that_takes_too_long_is_cancelled_and_tried_once_more(
    tmp_path: Path, service: BatchService, server: ProviderServer, provider: str
) -> None:
    """What it did until then is used; the second one may succeed, and nothing counts as failed."""
    service.plans.extend([msgspec.structs.replace(NEVER, done=2), Plan()])
    embedder = embedder_at(server, provider)
    with BatchHome(tmp_path, server, FRUIT, embedder, batch=QUICK, step_ms=7_000) as home:
        home.sync()
        home.check_vectors()
        assert home.batches.failures == 0
    assert [job.state for job in service.jobs.values()] == ["cancelled", "completed"]
    assert server.texts() == []
    assert _paid(service, server) == _once(*FRUIT)


def test_a_second_timeout_counts(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Then the texts go directly."""
    service.plans.extend([NEVER, NEVER])
    with BatchHome(tmp_path, server, FRUIT, batch=QUICK, step_ms=7_000) as home:
        home.sync()
        home.check_vectors()
        assert (home.batches.failures, home.batches.last_error) == (1, TIMEOUT)
    assert service.count("create") == 2
    assert sorted(server.texts()) == FRUIT


def test_a_batch_that_cannot_be_cancelled_is_left_behind(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """A sync does not wait for it for ever."""
    service.plans.extend([NEVER, NEVER])
    service.refuse("cancel", 400, times=2)
    with BatchHome(tmp_path, server, FRUIT, batch=QUICK, step_ms=MINUTE) as home:
        home.sync()
        home.check_vectors()
        assert (home.jobs, home.batches.last_error) == ([], TIMEOUT)
    assert sorted(server.texts()) == FRUIT


def test_a_provider_that_stays_away_is_given_up(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Its batch is forgotten after the time of a batch and of its end."""
    server.always(staged(look=[faults.status(503)] * 999))
    with BatchHome(tmp_path, server, FRUIT, batch=QUICK, step_ms=MINUTE) as home:
        while not home.batches.failures:
            with suppress(ProviderError):  # it does not take texts directly either
                home.sync()
        assert (home.jobs, home.batches.last_error) == ([], "provider_unavailable")
    server.always(None)
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        home.check_vectors()


def test_a_batch_that_the_provider_does_not_know_is_forgotten(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """For one, when somebody deleted the account's batches."""
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
        service.jobs.clear()
        home.sync()
        home.check_vectors()
        assert (home.jobs, home.batches.last_error) == ([], "provider_rejected")
    assert sorted(server.texts()) == FRUIT


@pytest.mark.parametrize("create", [None, faults.reset])
def test_a_key_that_is_refused_loses_no_batch(
    tmp_path: Path, service: BatchService, server: ProviderServer, create: Fault | None
) -> None:
    """It is paid for; the sync says what is wrong, and the next one goes on with another key."""
    server.always(staged(create=[create], list=[faults.status(503)] * 3))
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
        server.always(faults.status(401, name="invalid_api_key"))
        with pytest.raises(ProviderRejected, match="refused"):
            home.sync()
        assert len(home.jobs) == 1
        server.always(None)
        while home.jobs:
            home.sync()
        home.check_vectors()
    assert service.count("create") == 1
    assert _paid(service, server) == _once(*FRUIT)


def test_a_download_that_breaks_off_again_and_again_is_fetched_later(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """The batch stays open until its results are here."""
    server.always(staged(download=[faults.cut_off] * 4))
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
        while home.jobs:
            home.sync()
        home.check_vectors()
    assert _paid(service, server) == _once(*FRUIT)


def test_a_download_that_stays_away_ends_too(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """A missing file of results is no reason to wait for ever."""
    with BatchHome(tmp_path, server, FRUIT, batch=LATER) as home:
        home.sync()
        server.always(staged(download=[faults.status(404)]))
        while home.jobs:
            home.sync()
        home.check_vectors()
        assert home.batches.last_error == "provider_rejected"


def test_a_completed_batch_without_results_counts_as_failed(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Every line of it was refused."""
    service.plans.append(Plan(spoilt=dict.fromkeys(range(6), "error")))
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        home.check_vectors()
        assert home.batches.last_error == "batch_empty"
    assert sorted(server.texts()) == FRUIT


def test_an_exhausted_account_starts_no_batch(
    tmp_path: Path, service: BatchService, server: ProviderServer
) -> None:
    """Nothing is looked for, nothing is left of it."""
    server.always(staged(create=[faults.quota()]))
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        assert (home.jobs, home.batches.last_error) == ([], "quota_exhausted")
    assert service.count("list") == 0


def test_a_slow_provider_is_not_waited_for(
    tmp_path: Path,
    service: BatchService,
    server: ProviderServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A question about a batch ends within its deadline and is asked again."""
    monkeypatch.setattr(batch_job, "ASKING", RetryPolicy(attempt_s=0.2))
    server.always(staged(look=[faults.slow_start, faults.slow_headers, faults.slow_body]))
    with BatchHome(tmp_path, server, FRUIT) as home:
        home.sync()
        home.check_vectors()
    assert _paid(service, server) == _once(*FRUIT)
