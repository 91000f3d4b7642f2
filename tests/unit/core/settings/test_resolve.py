"""Defaults, file, environment, arguments: which one wins, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from recollect.core.errors import ConfigError
from recollect.core.settings import ResolvedSettings, Settings, load_settings
from recollect.core.settings.resolve import HIDDEN
from recollect.core.settings.sources import MAX_FILE_BYTES


def _load(
    home: Path,
    text: str | bytes = "",
    overrides: dict[str, object] | None = None,
    environ: dict[str, str] | None = None,
) -> ResolvedSettings:
    content = text if isinstance(text, bytes) else text.encode()
    (home / "config.yaml").write_bytes(content)
    return load_settings(home, overrides, environ or {})


def _refused(
    home: Path,
    text: str | bytes = "",
    overrides: dict[str, object] | None = None,
    environ: dict[str, str] | None = None,
) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        _load(home, text, overrides, environ)
    assert caught.value.hint
    return caught.value


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    """A home that does not exist yet has settings."""
    resolved = load_settings(tmp_path / "none", environ={})
    assert resolved.settings == Settings()
    assert set(resolved.origins.values()) == {"default"}


def test_the_process_environment_is_read_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers outside of tests pass no environment."""
    monkeypatch.setenv("RECOLLECT_SEARCH__LIMIT", "9")
    assert load_settings(tmp_path).settings.search.limit == 9


def test_each_layer_wins_over_the_one_before(tmp_path: Path) -> None:
    """Key by key, not section by section."""
    text = "search:\n  limit: 1\n  candidates: 11\n  snippet_chars: 111\n  exact_below: 1111\n"
    environ = {"RECOLLECT_SEARCH__LIMIT": "2", "RECOLLECT_SEARCH__CANDIDATES": "22"}
    resolved = _load(tmp_path, text, {"search.limit": 3}, environ)
    search = resolved.settings.search
    assert (search.limit, search.candidates, search.snippet_chars) == (3, 22, 111)
    assert resolved.origins["search.limit"] == "argument search.limit"
    assert resolved.origins["search.candidates"] == "environment RECOLLECT_SEARCH__CANDIDATES"
    assert resolved.origins["search.snippet_chars"] == "config.yaml line 4"
    assert resolved.origins["search.min_score"] == "default"


def test_explain_shows_every_option_with_its_value_and_origin(tmp_path: Path) -> None:
    """What `recollect config` prints."""
    rows = {row.key: row for row in _load(tmp_path, "chunking:\n  tokens: 200\n").explain()}
    assert rows["chunking.tokens"].value == 200
    assert rows["chunking.tokens"].origin == "config.yaml line 2"
    assert rows["search.ranking.context"].origin == "default"
    assert list(rows) == list(_load(tmp_path).origins)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("search.limit", "12", 12),
        ("search.min_score", "0.5", 0.5),
        ("sessions.mirror", "false", False),
        ("store.durability", "fast", "fast"),
        ("workspace.path", "/notes", "/notes"),
        ("workspace.extra_paths", "a, b,", ("a", "b")),
        ("privacy.patterns", '["a,b", "c"]', ("a,b", "c")),
        ("privacy.kinds", "cards, iban", ("cards", "iban")),
    ],
)
def test_the_environment_gives_texts_for_every_type(
    tmp_path: Path, key: str, text: str, value: object
) -> None:
    """Lists are JSON, or separated by commas."""
    variable = "RECOLLECT_" + key.upper().replace(".", "__")
    resolved = _load(tmp_path, environ={variable: text})
    assert {row.key: row.value for row in resolved.explain()}[key] == value


def test_an_empty_variable_is_not_set(tmp_path: Path) -> None:
    """As shells have it."""
    assert _load(tmp_path, environ={"RECOLLECT_SEARCH__LIMIT": ""}).settings == Settings()


def test_arguments_may_be_nested(tmp_path: Path) -> None:
    """As Python callers have them; None unsets where that is legal."""
    overrides: dict[str, object] = {
        "search": {"limit": 4},
        "workspace.path": None,
        "search.candidates": "50",
    }
    search = _load(tmp_path, overrides=overrides).settings.search
    assert (search.limit, search.candidates) == (4, 50)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- a", 1),
        ("search: 5", 1),
        ("a: b: c", 1),
        ("search:\n  limit: [1,\n", 3),
        ("search:\n\tlimit: 1", 2),
        ("store:\n  x: \x07", 2),
        ("search:\n  limit: 2020-99-99", 2),
        ("search:\n  limit: " + "9" * 5_000, 2),
        ("search: &s\n  limit: *t", 2),
        ("---\nsearch:\n---\nsearch:\n", 3),
        ("search:\n  limit: !!python/object:os.system x", 2),
    ],
)
def test_a_file_that_is_no_configuration_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int
) -> None:
    """Not a stack trace of the YAML library, and no objects are built."""
    error = _refused(tmp_path, text)
    assert error.message == f"config.yaml line {line} cannot be understood"


def test_a_file_in_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    """Latin-1 in the second line; a byte order mark is fine."""
    assert _refused(tmp_path, b"# a\n# \xe4\n").message == "config.yaml line 2 is not UTF-8"
    assert _load(tmp_path, b"\xef\xbb\xbfsearch:\n  limit: 2\n").settings.search.limit == 2


def test_a_file_is_read_alike_where_yaml_was_built_without_its_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library is the fast way; a platform may lack it."""
    text = "search:\n  limit: 7  # enough\nsessions: {owner: ['telegram:1']}\n"
    fast = _load(tmp_path, text)
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert _load(tmp_path, text) == fast
    assert fast.settings.search.limit == 7


def test_a_file_nested_without_end_is_refused(tmp_path: Path) -> None:
    """The YAML library recurses."""
    for levels in (100, 5_000, 200_000):
        _refused(tmp_path, "[" * levels)
    assert "nested too deeply" in _refused(tmp_path, "[" * 5_000).message


def test_a_giant_file_is_refused_unread(tmp_path: Path) -> None:
    """It is something else by mistake."""
    assert "larger than 256 KiB" in _refused(tmp_path, "#" * (MAX_FILE_BYTES + 1)).message


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A folder of that name, or a home that is a file."""
    (tmp_path / "config.yaml").mkdir()
    with pytest.raises(ConfigError, match="is not a file"):
        load_settings(tmp_path, environ={})
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file must be a folder"):
        load_settings(tmp_path / "file", environ={})


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# nothing\n", "search:\n", "search:\nstore:\n  # x\n"]
)
def test_an_empty_file_or_section_sets_nothing(tmp_path: Path, text: str) -> None:
    """Commenting out the last key of a section is not an error."""
    assert _load(tmp_path, text).settings == Settings()


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("search.limt", "search.limit"),
        ("serch", "search"),
        ("limit", "search.limit"),
        ("search.ranking.vectr", "search.ranking.vector"),
        ("zzz.qqq", None),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_name(
    tmp_path: Path, key: str, nearest: str | None
) -> None:
    """From any layer."""
    variable = "RECOLLECT_" + key.upper().replace(".", "__")
    errors = [_refused(tmp_path, overrides={key: 1})]
    if "." in key:
        errors.append(_refused(tmp_path, environ={variable: "1"}))
    for error in errors:
        assert error.message.startswith(f"unknown setting {key} (")
        assert error.facts["nearest"] == nearest
        assert (nearest or "recollect config") in error.hint


def test_an_unknown_kind_of_personal_numbers_is_refused(tmp_path: Path) -> None:
    """From any layer, with the kinds that there are."""
    wrong: dict[str, object] = {"privacy.kinds": ["card"]}
    for error in (
        _refused(tmp_path, "privacy:\n  kinds: [card]\n"),
        _refused(tmp_path, overrides=wrong),
        _refused(tmp_path, environ={"RECOLLECT_PRIVACY__KINDS": "card"}),
    ):
        assert "privacy.kinds must be a list of any of cards, iban, national-ids" in error.message


def test_an_unknown_key_of_the_file_is_named_with_its_line(tmp_path: Path) -> None:
    """Also one that is no text, or a merge key."""
    assert _refused(tmp_path, "a:\n  b: 1").message == "unknown setting a (config.yaml line 1)"
    assert "search.<<" in _refused(tmp_path, "search: &s\n  <<: *s\n").message
    assert _refused(tmp_path, "? [1, 2]\n: 3\n").message == "unknown setting ? (config.yaml line 1)"


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    """YAML would let the last one win in silence."""
    error = _refused(tmp_path, "search:\n  limit: 1\n  limit: 2\n")
    assert error.message == "setting search.limit is given twice (config.yaml line 3)"


def test_a_variable_with_one_underscore_too_few_is_noticed(tmp_path: Path) -> None:
    """It would silently do nothing; variables of others are let alone."""
    error = _refused(tmp_path, environ={"RECOLLECT_SEARCH_LIMIT": "1"})
    assert error.hint == "try RECOLLECT_SEARCH__LIMIT"
    others = {"RECOLLECT_HOME": "x", "RECOLLECT_TELEMETRY": "1", "OTHER__THING": "1"}
    assert _load(tmp_path, environ=others).settings == Settings()


@pytest.mark.parametrize("value", ["true", "'7'", "1.5", "0", "1001", "[1]", "{a: 1}", "null"])
def test_a_value_that_does_not_fit_names_key_range_and_origin(tmp_path: Path, value: str) -> None:
    """YAML has types, so "7" is not 7 there."""
    error = _refused(tmp_path, f"search:\n  limit: {value}\n")
    expected = "setting search.limit must be an integer from 1 to 1000 (config.yaml line 2)"
    assert error.message == expected
    assert error.facts == {"key": "search.limit", "origin": "config.yaml line 2"}


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("RECOLLECT_SEARCH__LIMIT", "many"),
        ("RECOLLECT_SEARCH__MIN_SCORE", "nan"),
        ("RECOLLECT_PRIVACY__PATTERNS", '["a'),
        ("RECOLLECT_STORE__DURABILITY", "maybe"),
    ],
)
def test_a_variable_that_does_not_fit_is_named(tmp_path: Path, variable: str, text: str) -> None:
    """But its value is not: it may be private."""
    error = _refused(tmp_path, environ={variable: text})
    assert f"(environment {variable})" in error.message
    assert text not in error.message


def test_the_overlap_must_be_smaller_than_the_chunk(tmp_path: Path) -> None:
    """Whichever of the two was changed."""
    error = _refused(tmp_path, overrides={"chunking.tokens": 80})
    assert "chunking.overlap must be smaller than chunking.tokens, which is 80" in error.message


def test_a_pattern_must_be_a_regular_expression(tmp_path: Path) -> None:
    """Counted, not quoted: it may hold what it should hide."""
    error = _refused(tmp_path, "privacy:\n  patterns: ['a+', '(hunter2']\n")
    assert "number 2 of the list" in error.message
    assert "hunter2" not in error.message


def test_a_secret_is_in_force_but_never_shown(tmp_path: Path) -> None:
    """Whoever reads over a shoulder learns that it is set, and where."""
    resolved = _load(tmp_path, "embedding:\n  remote:\n    api_key: hunter2\n")
    assert resolved.settings.embedding.remote.api_key == "hunter2"
    row = next(row for row in resolved.explain() if row.key == "embedding.remote.api_key")
    assert (row.value, row.origin) == (HIDDEN, "config.yaml line 3")
    unset = next(row for row in resolved.explain() if row.key == "embedding.remote.headers")
    assert unset.value == ()
