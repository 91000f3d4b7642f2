"""Batches behind the public door: the settings reach them, status shows them, searches go on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import recollect
from tests.support.batch_server import BatchService, Plan
from tests.support.provider_server import ProviderServer

TEXTS = [f"the {colour} quilt was sewn by hand" for colour in ("red", "blue", "green", "grey")]


@pytest.mark.parametrize("provider", ["openai", "voyage", "gemini"])
def test_a_memory_embeds_by_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """A search meanwhile answers by words, or by what is there."""
    service = BatchService(Plan(looks=1))
    with ProviderServer(services=[service]) as server:
        for name, value in {
            "PROVIDER": f"{provider}:m",
            "DIMENSIONS": "8",
            "REMOTE__API_KEY": "k",
            "REMOTE__BASE_URL": server.base_url(provider),
            "BATCH__ENABLED": "true",
            "BATCH__WAIT": "false",
            "BATCH__LEAST_TEXTS": "3",
            "BATCH__POLL_INTERVAL_MS": "10",
        }.items():
            monkeypatch.setenv(f"RECOLLECT_EMBEDDING__{name}", value)
        with recollect.open(tmp_path / "home") as memory:
            session = memory.sessions.create(key="agent:main:main")
            memory.sessions.append_many(session.id, [("user", text) for text in TEXTS])
            memory.sync()
            assert memory.search("green").hits[0].snippet == TEXTS[2]
            status = memory.status()
            while status.index.waiting or (status.batch and status.batch.jobs):
                memory.sync()  # a job is settled after its vectors are there
                status = memory.status()
            assert status.batch is not None
            assert (status.batch.enabled, status.batch.texts, status.batch.failures) == (True, 0, 0)
        assert set(server.texts()) <= {"green"}
    assert Counter(service.texts) == Counter(TEXTS)
