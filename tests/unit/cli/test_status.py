"""`recollect status`: what is there and how it is doing."""

from __future__ import annotations

from pathlib import Path

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
