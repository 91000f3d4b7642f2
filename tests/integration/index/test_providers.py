"""A memory whose vectors come over HTTP: whatever the provider does, words answer, nothing is lost.

That searches wait for nobody is proved without HTTP, in the unit tests of the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import DimensionMismatch, ProviderError, QuotaExhausted
from recollect.memory import Memory
from tests.integration.index.worker import marker, open_lexical, said
from tests.support import provider_faults as faults
from tests.support.provider_server import Fault, ProviderServer, Turn

MESSAGES = 12


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A provider on loopback."""
    with ProviderServer() as running:
        yield running


def opened(home: Path, server: ProviderServer, **more: object) -> Memory:
    """Open a home whose provider it is; nothing runs in the background."""
    overrides = {
        "embedding.provider": "openai:first",
        "embedding.remote.base_url": server.base_url("openai"),
        "embedding.remote.timeout_s": 0.5,
        "embedding.remote.query_timeout_s": 0.2,
        "embedding.remote.batch_tokens": 64,
        "embedding.remote.concurrency": 1,
        "sync.on_session_start": False,
        "sync.on_search": False,
    }
    return recollect.open(home, overrides=overrides | more)


def fill(home: Path, first: int = 0, last: int = MESSAGES) -> None:
    """Say something before anybody embeds: messages that arrive wake the background."""
    with open_lexical(home) as memory:
        session = memory.sessions.create().id
        items = [("user", said(number)) for number in range(first, last)]
        memory.sessions.append_many(session, items)


def finds(memory: Memory, number: int) -> bool:
    """Return whether a lexical search finds a message without asking for more."""
    result = memory.search(marker(number), limit=1, mode="lexical")
    return marker(number) in result.hits[0].snippet and result.warnings == []


@pytest.mark.parametrize(
    "fault",
    [
        faults.status(500),
        faults.quota(),
        faults.error_in_200,
        faults.html,
        faults.cut_off,
        faults.slow_start,
        faults.wrong_size,
        faults.short,
        faults.status(401, name="invalid_api_key"),
    ],
)
def test_words_answer_and_no_vector_is_lost_whatever_the_provider_does(
    tmp_path: Path, server: ProviderServer, fault: Fault
) -> None:
    """What was made before the fault is kept; when it is over, the rest follows."""
    fill(tmp_path / "home")
    with opened(tmp_path / "home", server) as memory:
        server.script(None, None)  # the size of the vectors, and a first request
        server.always(fault)
        with pytest.raises(ProviderError):
            memory.sync()
        kept = memory.status().index.vectors
        assert 0 < kept < MESSAGES
        assert all(finds(memory, number) for number in range(MESSAGES))
    server.always(None)
    sent = len(server.texts())
    with opened(tmp_path / "home", server) as memory:
        assert memory.sync().vectors == MESSAGES - kept
        assert memory.search(said(3), limit=1).mode == "hybrid"
    probe_and_question = 2
    assert len(server.texts()) - sent == MESSAGES - kept + probe_and_question


def test_questions_are_not_sent_to_a_provider_that_keeps_hanging(
    tmp_path: Path, server: ProviderServer
) -> None:
    """After some failures the breaker is open: searches ask no more than that, and say why."""
    fill(tmp_path / "home")
    with opened(tmp_path / "home", server) as memory:
        memory.sync()
        server.always(faults.slow_start)
        before = len(server.received)
        for number in [*range(MESSAGES), *range(MESSAGES)]:
            result = memory.search(marker(number), limit=1)
            assert marker(number) in result.hits[0].snippet
            assert result.mode == "lexical"
            assert any("only words were compared" in told for told in result.warnings)
        assert 0 < len(server.received) - before <= 6


def refuse_first(turn: Turn) -> None:
    """Let only the second model answer."""
    if turn.received.json["model"] == "first":
        faults.quota()(turn)
    else:
        turn.send()


def test_a_fallback_of_the_settings_takes_over_at_run_time(
    tmp_path: Path, server: ProviderServer
) -> None:
    """And the status says for whom, and why; the next process knows."""
    fallback = {"embedding.fallback": "openai:second"}
    home = tmp_path / "home"
    fill(home)
    with opened(home, server, **fallback) as memory:
        memory.sync()
        assert memory.status().fallback is None
    fill(home, MESSAGES, MESSAGES + 2)
    server.always(refuse_first)
    with opened(home, server, **fallback) as memory:
        report = memory.sync()
        assert report.rebuilt
        found = memory.status().fallback
        assert found is not None
        assert found.origin == "openai:first"
        assert "nothing left" in found.reason
        assert memory.search(said(3), limit=1).mode == "hybrid"
    with opened(home, server, **fallback) as memory:
        assert not memory.sync().rebuilt
        assert memory.search(said(MESSAGES + 1), limit=1).mode == "hybrid"
        server.always(None)
        sent = len(server.texts())
        assert memory.reindex().rebuilt
        assert memory.status().fallback is None
        probe_and_new = 1 + 2
        assert len(server.texts()) - sent == probe_and_new, "the cache had the others"


def test_without_a_fallback_an_empty_account_is_told_and_costs_no_answer(
    tmp_path: Path, server: ProviderServer
) -> None:
    """Again after a restart, until it is filled."""
    server.always(faults.quota())
    fill(tmp_path / "home", 0, 2)
    for _ in range(2):
        with opened(tmp_path / "home", server) as memory:
            with pytest.raises(QuotaExhausted):
                memory.sync()
            assert finds(memory, 1)
            assert "nothing left" in str(memory.status().index.trouble)


def test_vectors_of_another_size_are_made_anew_by_the_next_sync(
    tmp_path: Path, server: ProviderServer
) -> None:
    """The same memory goes on: it need not be opened again."""
    fill(tmp_path / "home")
    with opened(tmp_path / "home", server) as memory:
        assert memory.sync().vectors == MESSAGES
        size = memory.status().index.dimensions
        server.always(faults.wrong_size)
        fill(tmp_path / "home", MESSAGES, MESSAGES + 1)
        with pytest.raises(DimensionMismatch):
            memory.sync()
        report = memory.sync()
        assert (report.rebuilt, memory.status().index.dimensions) == (True, size - 1)
        assert memory.status().index.vectors == MESSAGES + 1
        assert memory.search(marker(3)).mode == "hybrid"
