"""Partitions of made-up vectors in a real index.db, over every back end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.core.settings import VectorSettings
from recollect.testing.vector_suite import OpenVectors, SteppedClock, VectorHome, opening
from tests.unit.index.vectors.chroma_process import ChromaProcess

Opened = Callable[..., VectorHome]


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a real Chroma server with a home of its own and return its address."""
    pytest.importorskip("chromadb", reason="the package chromadb is not installed")
    with ChromaProcess(tmp_path_factory.mktemp("chroma")) as process:
        yield process.url


@pytest.fixture(params=["memory", "sqlite-vec", "chroma", "chroma server"])
def vector_settings(request: pytest.FixtureRequest) -> VectorSettings:
    """Return the settings of each back end in turn."""
    match request.param:
        case "sqlite-vec":
            pytest.importorskip("sqlite_vec", reason="the package sqlite-vec is not installed")
            return VectorSettings(backend="sqlite-vec")
        case "chroma":
            pytest.importorskip("chromadb", reason="the package chromadb is not installed")
            return VectorSettings(backend="chroma")
        case "chroma server":
            url = request.getfixturevalue("chroma_server")
            return VectorSettings(backend="chroma", chroma_url=url)
        case _:
            return VectorSettings()


@pytest.fixture
def open_home(tmp_path: Path, vector_settings: VectorSettings) -> Iterator[OpenVectors]:
    """Open a home with each back end in turn."""
    with opening(tmp_path, vector_settings) as open_it:
        yield open_it


@pytest.fixture
def open_vectors(tmp_path: Path) -> Iterator[Opened]:
    """Open homes of vectors that are closed at the end."""
    opened: list[VectorHome] = []

    def open_it(
        settings: VectorSettings, folder: str = "home", clock: SteppedClock | None = None
    ) -> VectorHome:
        opened.append(VectorHome(tmp_path / folder, settings, clock or SteppedClock()))
        return opened[-1]

    yield open_it
    for home in opened:
        home.close()
