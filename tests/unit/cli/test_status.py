"""`recollect status`: what is there and how it is doing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import recollect
from recollect.cli.status import pairs_of, warnings_of
from recollect.memory import Status
from tests.unit.cli.conftest import Run


def test_status_is_read_at_a_glance(run: Run, filled: Path, workspace: Path) -> None:
    """Names on the left, and a warning with what to do."""
    done = run("--home", filled, "status")
    shown = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert shown["home"] == str(filled)
    assert shown["workspace"] == str(workspace)
    assert shown["records"] == "4 messages in 1 session"
    assert shown["index"] == "1 memory, 4 sessions; 5 chunks"
    assert shown["vectors"] == "none: words only"
    assert "warning: no search by meaning: " in done.err


def test_status_of_an_empty_home_says_how_to_begin(run: Run, home: Path) -> None:
    """Nothing is indexed, no workspace is named."""
    run("--home", home, "init")
    done = run("--home", home, "status")
    assert "none; `recollect init --workspace DIR` names one" in done.out
    assert "nothing yet; 0 chunks" in done.out


def test_status_tells_of_an_index_that_must_be_rebuilt(run: Run, filled: Path) -> None:
    """Here because chunks were given another size."""
    run("--home", filled, "config", "set", "chunking.tokens", "200")
    done = run("--home", filled, "status")
    assert "warning: the size of chunks was changed: run `recollect reindex`" in done.err


def test_fast_durability_is_told(run: Run, filled: Path) -> None:
    """Somebody should know."""
    run("--home", filled, "config", "set", "store.durability", "fast")
    assert "a power cut may take the last rows" in run("--home", filled, "status").out


def test_status_as_json_is_the_status(run: Run, filled: Path) -> None:
    """As the facade returns it."""
    found = run("--home", filled, "status", "--json").json
    assert (found["sessions"], found["messages"]) == (1, 4)
    assert found["index"]["documents"] == {"memory": 1, "sessions": 4}


@pytest.fixture
def status(filled: Path) -> Status:
    """The status of a healthy home."""
    with recollect.open(filled) as memory:
        return memory.status()


def test_vectors_that_are_missing_are_counted(status: Status) -> None:
    """A sync makes them."""
    embedded = replace(status, embedder="local:model", index=replace(status.index, vectors=2))
    assert dict(pairs_of(embedded))["vectors"] == "2 vectors, 3 more with `recollect sync`"
    whole = replace(embedded, index=replace(status.index, vectors=5))
    assert dict(pairs_of(whole))["vectors"] == "5 vectors"


def test_everything_that_failed_is_a_warning(status: Status) -> None:
    """By place and code; a healthy home has none."""
    healthy = replace(status, embedder_hint="")
    assert warnings_of(healthy) == []
    ill = replace(
        healthy,
        index=replace(status.index, rebuilding=True),
        records_health=replace(status.records_health, last_error="store_full"),
        mirror_error="store_full",
        background_error="embedding",
    )
    assert warnings_of(ill) == [
        "a rebuild of the index is not finished: `recollect reindex` goes on with it",
        "records.db: the last write failed (store_full)",
        "mirrors: the last write failed (store_full)",
        "background: the last write failed (embedding)",
    ]
