"""`recollect config`: every value, where it comes from, and how to change it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.settings import list_options
from tests.unit.cli.conftest import Run


def test_every_setting_is_shown_with_its_origin(run: Run, home: Path) -> None:
    """A home is not needed for it."""
    rows = run("--home", home, "config").out.splitlines()
    assert [row.split()[0] for row in rows] == [option.key for option in list_options()]
    assert all(row.endswith("default") for row in rows)
    assert not home.exists()


def test_only_what_was_changed_is_shown_on_request(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the file, from the environment and from an argument."""
    run("--home", home, "config", "set", "search.limit", "9")
    monkeypatch.setenv("RECOLLECT_SEARCH__MIN_SCORE", "0.2")
    found = run("--home", home, "--workspace", "/a/workspace", "config", "--changed", "--json").json
    assert {key: row["value"] for key, row in found.items()} == {
        "search.limit": 9,
        "search.min_score": 0.2,
        "workspace.path": "/a/workspace",
    }
    assert found["search.limit"]["origin"].startswith("config.yaml line ")
    assert found["search.min_score"]["origin"] == "environment RECOLLECT_SEARCH__MIN_SCORE"
    assert found["workspace.path"]["origin"] == "argument workspace.path"


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("search.limit", "6"),
        ("privacy.redact", "true"),
        ("workspace.path", "unset"),
        ("workspace.extra_paths", "[]"),
    ],
)
def test_one_value_is_shown_alone(run: Run, home: Path, key: str, shown: str) -> None:
    """For scripts."""
    assert run("--home", home, "config", "get", key).out == f"{shown}\n"


def test_a_setting_is_set_in_the_file(run: Run, home: Path) -> None:
    """And what is in force now is shown."""
    done = run("--home", home, "config", "set", "workspace.extra_paths", "/a, /b")
    assert done.out.startswith("workspace.extra_paths = /a, /b  config.yaml line ")
    found = run("--home", home, "config", "get", "workspace.extra_paths", "--json").json
    assert found["value"] == ["/a", "/b"]
    assert (home / "config.yaml").stat().st_mode & 0o777 == 0o600


def test_a_setting_is_taken_back(run: Run, home: Path) -> None:
    """The file is as before."""
    run("--home", home, "config", "set", "search.limit", "9")
    before = (home / "config.yaml").read_text("utf-8")
    assert run("--home", home, "config", "unset", "search.limit").out == (
        "search.limit = 6  default\n"
    )
    after = (home / "config.yaml").read_text("utf-8")
    assert after == before.replace("  limit: 9\n", "  # limit: 6\n")


def test_a_stronger_environment_is_told(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file alone would not explain what is in force."""
    monkeypatch.setenv("RECOLLECT_SEARCH__LIMIT", "3")
    done = run("--home", home, "config", "set", "search.limit", "9")
    assert done.out == "search.limit = 3  environment RECOLLECT_SEARCH__LIMIT\n"
    assert "is stronger than config.yaml" in done.err


def test_a_setting_explains_itself(run: Run, home: Path) -> None:
    """All that is known of it."""
    shown = run("--home", home, "config", "explain", "search.limit").out
    for text in ("6", "default", "an integer from 1 to 1000", "RECOLLECT_SEARCH__LIMIT"):
        assert text in shown
    document = run("--home", home, "config", "explain", "search.limit", "--json").json
    assert document["must be"] == "an integer from 1 to 1000"


def test_the_place_of_the_file_is_shown(run: Run, home: Path) -> None:
    """Whether or not it is there."""
    assert run("--home", home, "config", "path").out == f"{home}/config.yaml\n"
    assert run("--home", home, "config", "path", "--json").json == {
        "path": f"{home}/config.yaml",
        "exists": False,
    }


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("search.backend", "qmd"),
        ("search.lexical.backend", "fts5"),
        ("search.vector.backend", "chroma"),
    ],
)
def test_a_back_end_that_is_not_installed_is_refused(
    run: Run, home: Path, key: str, nearest: str
) -> None:
    """In the file it would stop every later command."""
    done = run("--home", home, "--json", "config", "set", key, f"{nearest}x")
    assert (done.code, done.error["hint"]) == (2, f"try {nearest}")
    assert not (home / "config.yaml").exists()
    assert run("--home", home, "config", "set", key, nearest).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("get", "search.limi"),
        ("explain", "search"),
        ("set", "search.limi", "3"),
        ("set", "search.limit", "0"),
        ("set", "search.limit", "many"),
        ("unset", "nothing"),
    ],
)
def test_a_wrong_key_or_value_changes_nothing(
    run: Run, home: Path, arguments: tuple[str, ...]
) -> None:
    """The hint names the nearest key, or what it must be."""
    done = run("--home", home, "--json", "config", *arguments)
    assert (done.code, done.error["code"]) == (2, "config")
    assert done.error["hint"]
    assert not (home / "config.yaml").exists()
