"""Back ends are found by entry point, ours like those of another package."""

from __future__ import annotations

import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import InvalidInput, ProviderError
from recollect.core.plugins import load_plugin, plugin_names
from recollect.core.settings import VectorSettings
from recollect.testing import lexical_suite, vector_suite

ROOT = Path(__file__).resolve().parents[3]
WITH_DEFAULTS = """
import sys
from pathlib import Path
import recollect
with recollect.open(Path(sys.argv[1]) / "home") as memory:
    session = memory.sessions.create()
    memory.sessions.append(session.id, "user", "a lantern in the garden")
    memory.sync()
    assert memory.search("lantern").hits
    memory.status()
loaded = [name for name in sys.modules if name.startswith("recollect.backends")]
assert not loaded, loaded
assert "importlib.metadata" not in sys.modules
"""


def test_the_defaults_look_for_no_back_end(tmp_path: Path) -> None:
    """Nothing scans entry points, and no back end is imported: opening a home stays fast."""
    completed = subprocess.run(
        [sys.executable, "-c", WITH_DEFAULTS, str(tmp_path)],
        env={"RECOLLECT_MODELS": str(tmp_path / "models")},
        capture_output=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr.decode()


def test_every_back_end_of_ours_is_installed() -> None:
    """A stale installation lacks some: run `pip install -e .` again."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group, points in project["entry-points"].items():
        entries = {(point.name, point.value) for point in entry_points(group=group)}
        assert set(points.items()) <= entries, group
        for name in points:
            assert callable(load_plugin(group, name, "back end", ()))


@pytest.mark.usefixtures("stranger")
@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("recollect.lexical_backends", "fts5"),
        ("recollect.vector_backends", "sqlite-vec"),
        ("recollect.vector_backends", "chroma"),
        ("recollect.search_backends", "qmd"),
        ("recollect.embedders", "gguf"),
    ],
)
def test_another_package_cannot_replace_ours(group: str, name: str) -> None:
    """Else an installed package could read every text."""
    assert len(entry_points(group=group, name=name)) > 1
    assert load_plugin(group, name, "back end", ()).__module__.startswith("recollect.backends.")


@pytest.mark.usefixtures("stranger")
@pytest.mark.parametrize("check", vector_suite.CHECKS, ids=lambda check: check.__name__)
def test_a_vector_back_end_of_another_package_conforms(
    check: Callable[[vector_suite.OpenVectors], None], tmp_path: Path
) -> None:
    """The public suite holds for one that knows the port and nothing else."""
    with vector_suite.opening(tmp_path / "home", VectorSettings(backend="mine")) as open_home:
        check(open_home)


@pytest.mark.usefixtures("stranger")
@pytest.mark.parametrize("check", lexical_suite.CHECKS, ids=lambda check: check.__name__)
def test_a_lexical_back_end_of_another_package_conforms(
    check: Callable[[lexical_suite.OpenWords], None], tmp_path: Path
) -> None:
    """The same for words."""
    with lexical_suite.opening(tmp_path, "mine") as open_index:
        check(open_index)


@pytest.mark.usefixtures("stranger")
def test_a_search_back_end_of_another_package_answers(tmp_path: Path) -> None:
    """It gets the questions, every sync and the end; the status tells what is wrong with it."""
    overrides = {"embedding.provider": "none", "search.backend": "mine"}
    with recollect.open(tmp_path / "home", tmp_path, overrides=overrides) as memory:
        assert [hit.ref for hit in memory.search("lantern").hits] == ["MEMORY.md"]
        status = memory.status()
        assert (status.backend, status.fallback) == ("mine", None)
        assert "it is tired" in memory.sync().warnings
        fallback = memory.status().fallback
        assert fallback is not None
        assert (fallback.origin, fallback.reason) == ("mine", "it is tired")
        assert memory.search("lantern").hits == []
    calls = sys.modules["stranger_plugin"].Oracle.calls
    assert calls == ["refresh", "close"]


@pytest.mark.usefixtures("stranger")
def test_words_of_a_back_end_that_is_gone_are_indexed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its package was removed and the setting with it: the next sync rebuilds."""
    settings = {"embedding.provider": "none"}
    mine = settings | {"search.lexical.backend": "mine"}
    with recollect.open(tmp_path / "home", overrides=mine) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "a lantern in the garden")
        memory.sync()
        assert memory.search("lantern").hits
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.endswith("/site")])
    with recollect.open(tmp_path / "home", overrides=settings) as memory:
        memory.sync()
        assert memory.search("lantern").hits


@pytest.mark.usefixtures("stranger")
@pytest.mark.parametrize(
    ("setting", "typed", "hint"),
    [
        ("search.lexical.backend", "fts", "try fts5"),
        ("search.lexical.backend", "posting", "try postings"),
        ("search.vector.backend", "chrome", "try chroma"),
        ("search.vector.backend", "zzz", "choose one of chroma, memory, mine, sqlite-vec"),
        ("search.backend", "qdm", "try qmd"),
    ],
)
def test_an_unknown_back_end_names_the_nearest(
    tmp_path: Path, setting: str, typed: str, hint: str
) -> None:
    """A typing mistake never makes another back end answer, and leaves no thread behind."""
    overrides = {"embedding.provider": "none", setting: typed}
    threads = set(threading.enumerate())
    with pytest.raises(InvalidInput) as caught:
        recollect.open(tmp_path / "home", tmp_path, overrides=overrides)
    assert set(threading.enumerate()) <= threads
    assert caught.value.hint == hint
    assert caught.value.facts["found"] == typed


def test_an_unknown_search_back_end_is_refused_without_files_too(tmp_path: Path) -> None:
    """It was left unread where no workspace was named."""
    with pytest.raises(InvalidInput, match="unknown search back end"):
        recollect.open(tmp_path / "home", overrides={"search.backend": "zzz"})


@pytest.mark.usefixtures("stranger")
def test_a_back_end_that_cannot_be_imported_is_a_clear_error(tmp_path: Path) -> None:
    """Not an AttributeError of somebody else's module."""
    overrides = {"embedding.provider": "none", "search.lexical.backend": "broken"}
    with pytest.raises(ProviderError, match="lexical back end broken cannot be imported"):
        recollect.open(tmp_path / "home", overrides=overrides)


@pytest.mark.usefixtures("stranger")
def test_names_are_those_of_all_packages() -> None:
    """Ours and theirs, each once."""
    assert plugin_names("recollect.vector_backends") == {"chroma", "mine", "sqlite-vec"}
