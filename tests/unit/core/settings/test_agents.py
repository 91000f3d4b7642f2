"""Settings of single agents: a second layer over the common ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.errors import ConfigError, InvalidInput
from recollect.core.settings import ResolvedSettings, load_settings

FILE = """\
search:
  limit: 8
workspace:
  extra_paths: [~/notes]
agents:
  work:
    search:
      limit: 3
    workspace:
      path: ~/work
      extra_paths: [~/papers, ~/notes]
  Idle: {}
"""


def _load(home: Path, text: str, agent: str | None = None, **environ: str) -> ResolvedSettings:
    (home / "config.yaml").write_text(text, encoding="utf-8")
    return load_settings(home, environ=environ, agent=agent)


def _refused(home: Path, text: str, agent: str | None = None) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        _load(home, text, agent)
    assert caught.value.hint
    return caught.value


def test_an_agent_has_its_own_value_over_the_common_one(tmp_path: Path) -> None:
    """Key by key; where it says nothing, the common value holds."""
    assert _load(tmp_path, FILE).settings.search.limit == 8
    resolved = _load(tmp_path, FILE, "work")
    assert resolved.settings.search.limit == 3
    assert resolved.origins["search.limit"] == "config.yaml line 8"
    assert resolved.settings.workspace.path == "~/work"
    assert _load(tmp_path, FILE, "other").settings.search.limit == 8


def test_lists_of_places_add_up(tmp_path: Path) -> None:
    """The common ones first, each once."""
    assert _load(tmp_path, FILE, "work").settings.workspace.extra_paths == ("~/notes", "~/papers")


def test_the_environment_wins_over_an_agent(tmp_path: Path) -> None:
    """It is what somebody says for this one call."""
    resolved = _load(tmp_path, FILE, "work", RECOLLECT_SEARCH__LIMIT="5")
    assert resolved.settings.search.limit == 5


def test_the_agents_of_a_file_are_known(tmp_path: Path) -> None:
    """Those that have settings; an empty section sets nothing."""
    assert _load(tmp_path, FILE).agents == ("work",)


def test_a_name_has_one_spelling(tmp_path: Path) -> None:
    """`Work` and `work` are one agent, as in session keys."""
    assert _load(tmp_path, FILE, " WORK ").settings.search.limit == 3
    text = "agents:\n  Work:\n    search:\n      limit: 3\n"
    assert _load(tmp_path, text, "work").settings.search.limit == 3


@pytest.mark.parametrize("name", ["../up", "a/b", "", "x" * 65, "-a", "ä"])
def test_a_name_that_could_leave_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    """It becomes the name of a folder."""
    with pytest.raises(InvalidInput) as caught:
        _load(tmp_path, "", name)
    assert caught.value.hint


def test_a_name_of_the_file_is_checked_too(tmp_path: Path) -> None:
    """Also when nobody asks for that agent."""
    _refused(tmp_path, "agents:\n  ../up:\n    search:\n      limit: 1\n")


def test_a_mistake_in_another_agents_settings_is_told(tmp_path: Path) -> None:
    """With its line, and with what was meant."""
    error = _refused(tmp_path, "agents:\n  work:\n    search:\n      limt: 1\n")
    assert "config.yaml line 4" in error.message
    assert "search.limit" in error.hint
    error = _refused(tmp_path, "agents:\n  work:\n    search:\n      limit: many\n")
    assert "search.limit must be an integer from 1 to 1000" in error.message


@pytest.mark.parametrize(
    "section", ["store:\n      cache_kib: 999", "privacy:\n      redact: false"]
)
def test_what_belongs_to_the_home_cannot_differ(tmp_path: Path, section: str) -> None:
    """One database has one writer, and one rule for secrets."""
    error = _refused(tmp_path, f"agents:\n  work:\n    {section}\n")
    assert "cannot differ between agents" in error.message


def test_agents_must_be_sections(tmp_path: Path) -> None:
    """A text or a list in their place is told."""
    _refused(tmp_path, "agents: [work]\n")
    _refused(tmp_path, "agents:\n  work: 3\n")


def test_an_overlap_that_an_agents_chunks_outgrow_is_made_smaller(tmp_path: Path) -> None:
    """It was chosen for other chunks; one that the agent chose itself must fit."""
    text = "agents:\n  work:\n    chunking:\n      tokens: 50\n"
    assert _load(tmp_path, text, "work").settings.chunking.overlap == 10
    error = _refused(tmp_path, f"{text}      overlap: 60\n", "work")
    assert "must be smaller" in error.message
