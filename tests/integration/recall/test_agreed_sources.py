"""A remote embedder gets a kind of memory only after somebody agreed to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import recollect
from recollect.cli.doctor.index_checks import check_vectors
from recollect.cli.output.status_lines import warnings_of
from recollect.core.settings import EmbeddingSettings, RemoteSettings
from recollect.memory import Memory
from recollect.models.registry import create_embedder
from tests.support.provider_server import ProviderServer

AGREED = ("memory", "sessions", "observations")


@contextmanager
def _opened(home: Path, server: ProviderServer, **settings: object) -> Iterator[Memory]:
    """Open a home with an embedder that counts as one of somebody else's machine."""
    address = RemoteSettings(base_url=f"{server.origin}/openai/v1", api_key="k")
    embedder = create_embedder("openai:m", EmbeddingSettings(remote=address), home)
    assert embedder is not None
    embedder.is_paid = True  # type: ignore[attr-defined]  # the server stands on this machine
    with recollect.open(home, overrides=settings, embedder=embedder, live=False) as memory:
        yield memory
    embedder.close()


def _sent(server: ProviderServer) -> str:
    return "\n".join(str(each.json) for each in server.received)


def test_observations_are_not_sent_before_somebody_agrees(tmp_path: Path) -> None:
    """By default messages and files alone; the rest is found by its words, and status says so."""
    with ProviderServer() as server:
        with _opened(tmp_path / "home", server) as memory:
            session = memory.sessions.create().id
            memory.sessions.append(session, "user", "Green tea in the cellar.")
            memory.observations.record(session, "Edit", input={"file_path": "src/zebra.py"})
            memory.sync()
            memory.search("zebra green")
            memory.reindex()
            assert "Green tea" in _sent(server)
            assert "zebra" not in _sent(server).replace("zebra green", "")
            (hit,) = memory.search("zebra", sources=["observations"], mode="lexical").hits
            assert "zebra" in hit.snippet
            index = memory.status().index
            assert (index.withheld, index.waiting, index.vectors) == (("observations",), 0, 1)
            said = check_vectors(memory)
            assert (said.state, "observations" in said.detail) == ("note", True)
            assert any("observations" in each for each in warnings_of(memory.status()))
            preview = memory.preview(reindex=True)
            assert preview.texts == 0

        with _opened(tmp_path / "home", server, **{"embedding.sources": AGREED}) as memory:
            assert memory.preview().texts == 1
            memory.sync()
            assert "zebra.py" in _sent(server)
            index = memory.status().index
            assert (index.withheld, index.vectors) == ((), 2)

        sent = len(server.received)
        with _opened(tmp_path / "home", server) as memory:
            memory.observations.record(session, "Edit", input={"file_path": "src/okapi.py"})
            memory.sync()
            assert len(server.received) == sent
