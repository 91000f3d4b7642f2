"""`config.yaml` is changed where it must be, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.errors import ConfigError
from recollect.core.settings import list_options, load_settings
from recollect.core.settings.config_file import first_config, with_setting, without_setting

HAND_WRITTEN = """\
# mine
search:   # how I search
    limit: 10  # enough
    # min_score: 0.5
workspace:
  extra_paths:
    - notes   # the first
    - "more notes"

  # the end of it
privacy: {redact: true}
"""


def test_the_first_file_explains_every_setting_and_sets_none(tmp_path: Path) -> None:
    """All of it is comments and empty sections."""
    (tmp_path / "config.yaml").write_text(first_config(), encoding="utf-8")
    resolved = load_settings(tmp_path, environ={})
    assert set(resolved.origins.values()) == {"default"}
    for option in list_options():
        assert f"# {option.key.rpartition('.')[2]}:" in first_config()


def test_a_commented_line_becomes_the_setting() -> None:
    """So the explanation above it stays where it belongs."""
    before, after = first_config(), with_setting(first_config(), "search.limit", 9)
    assert after == before.replace("  # limit: 6\n", "  limit: 9\n")


def test_a_value_is_replaced_beside_its_comment() -> None:
    """The comment is somebody's reason."""
    assert with_setting(HAND_WRITTEN, "search.limit", 7) == HAND_WRITTEN.replace("10  #", "7  #")


def test_a_new_setting_keeps_the_indentation_of_its_section() -> None:
    """Four columns here."""
    changed = with_setting(HAND_WRITTEN, "search.candidates", 300)
    assert "search:   # how I search\n    candidates: 300\n    limit: 10" in changed


def test_a_commented_setting_is_only_looked_for_in_its_section() -> None:
    """Another section may have the same name."""
    text = "chunking:\nsearch:\n  # tokens: 1\n"
    assert with_setting(text, "chunking.tokens", 99) == "chunking:\n  tokens: 99\n" + text[10:]


def test_a_list_on_lines_is_replaced_by_one_on_a_line() -> None:
    """What stands behind it stays."""
    changed = with_setting(HAND_WRITTEN, "workspace.extra_paths", ("a", "b c"))
    assert "  extra_paths: [a, b c]\n\n  # the end of it\nprivacy:" in changed.replace(
        "   # the first", ""
    )


def test_a_section_in_braces_takes_a_setting() -> None:
    """YAML has two spellings."""
    changed = with_setting(HAND_WRITTEN, "privacy.patterns", ("a+",))
    assert yaml.safe_load(changed)["privacy"] == {"patterns": ["a+"], "redact": True}


def test_a_missing_section_is_added_at_the_end() -> None:
    """Also where the last line has no end, and two levels deep."""
    assert with_setting("a: 1".replace("a: 1", ""), "store.cache_kib", 512) == (
        "\nstore:\n  cache_kib: 512\n"
    )
    changed = with_setting("store:\n  cache_kib: 512", "search.ranking.vector", 0.5)
    assert changed == "store:\n  cache_kib: 512\n\nsearch:\n  ranking:\n    vector: 0.5\n"


def test_an_unset_line_shows_the_default_again() -> None:
    """As in the first file."""
    text = with_setting(first_config(), "search.limit", 9)
    assert without_setting(text, "search.limit", 6) == first_config()


def test_unsetting_what_is_not_set_changes_nothing() -> None:
    """Not one character."""
    assert without_setting(HAND_WRITTEN, "store.cache_kib", 1) == HAND_WRITTEN
    assert without_setting("", "search.limit", 1) == ""


def test_a_list_on_lines_can_be_unset() -> None:
    """All its lines go."""
    changed = without_setting(HAND_WRITTEN, "workspace.extra_paths", ())
    assert "notes" not in changed
    assert "# the end of it" in changed


@pytest.mark.parametrize(
    "text",
    [
        "search: &anchor\n  limit: 3\nstore: *anchor\n",
        "search: {limit: 3, min_score: 0.5}\n",
        "search: [\n",
        "search: 7\n",
    ],
)
def test_what_cannot_be_changed_safely_is_left_to_a_person(text: str) -> None:
    """With a hint where the file is."""
    with pytest.raises(ConfigError) as caught:
        without_setting(with_setting(text, "search.limit", 5), "search.limit", 6)
    assert "config path" in caught.value.hint


_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "search.limit": st.integers(1, 1000),
    "search.min_score": st.floats(0, 1),
    "search.ranking.vector": st.floats(0, 10),
    "privacy.redact": st.booleans(),
    "workspace.path": st.text(min_size=1),
    "workspace.extra_paths": st.lists(st.text()).map(tuple),
    "embedding.provider": st.text(min_size=1, max_size=50),
}


SHORT = "# short\nsearch:\n  # limit: 6\n  ranking:\nembedding: # which\n  # provider: auto\n"


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(sorted(_VALUES)).flatmap(
            lambda key: st.tuples(st.just(key), _VALUES[key] | st.none())
        ),
        max_size=5,
    ),
    st.sampled_from([SHORT, HAND_WRITTEN, ""]),
)
def test_any_changes_leave_a_file_that_says_what_was_meant(
    changes: list[tuple[str, Any]], text: str
) -> None:
    """None stands for unset here."""
    meant: dict[str, Any] = {}
    for key, value in changes:
        meant[key] = value
        text = without_setting(text, key, 1) if value is None else with_setting(text, key, value)
    tree = yaml.safe_load(text) or {}
    for key, value in meant.items():
        found: Any = tree
        for name in key.split("."):
            found = (found or {}).get(name)
        assert found == (list(value) if isinstance(value, tuple) else value)
