"""Files that a question calls by name come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings
from recollect.index.model.file_names import MOST_NAMES, names_of
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, note, said

OTHER = Scope(user="bob")
FEED = (
    note("memory/Tea.md", "Leaves are kept dry."),
    note("memory/tea/index.md", "tea tea tea md memory"),
    note("memory/boat.md", "tea.md is read on the boat"),
    note("memory/hidden.md", "nothing", scope=OTHER),
    said("m1", "memory tea.md is where the tea is"),
)


@pytest.mark.parametrize("exact_below", [0, 10_000])
@pytest.mark.parametrize("has_model", [True, False])
@pytest.mark.parametrize(
    "query",
    [
        "memory/Tea.md",
        "memory/tea.md",
        "./memory/tea.md",
        "Tea.md",
        ' "tea.md" ',
        "tea",
        "What does Tea.md say?",
        "look into `memory/tea.md`, please",
    ],
)
def test_a_named_file_is_first_with_score_1(
    tmp_path: Path, query: str, has_model: bool, exact_below: int
) -> None:
    """By path, name or name without ending, in any case, quoted, or as a word with an ending."""
    settings = SearchSettings(exact_below=exact_below, candidates=10)
    embedder = ScriptedEmbedder() if has_model else None
    with ScriptedIndex(tmp_path, ScriptedFeed(*FEED), embedder, settings) as home:
        hit = home.ask(query).hits[0]
        assert (hit.path, hit.score, hit.why) == ("memory/Tea.md", 1.0, {"path": 1.0})


@pytest.mark.parametrize("query", ["tea leaves", "tea.txt", "the tea", "a.b.c", "hidden.md", "md"])
def test_other_words_name_no_file(tmp_path: Path, query: str) -> None:
    """A stem counts only when it is the whole question; files of others are not there."""
    with ScriptedIndex(tmp_path, ScriptedFeed(*FEED)) as home:
        assert not any("path" in hit.why for hit in home.ask(query, Scope(user="ann")).hits)
        everyone = home.ask(query).hits
        assert all(hit.path == "memory/hidden.md" for hit in everyone if "path" in hit.why)


def test_the_more_exact_name_is_first(tmp_path: Path) -> None:
    """A path before a name before a stem, then the others by score."""
    feed = ScriptedFeed(note("memory/a.md", "one"), note("memory/b/a.md", "two"), note("a.md", "x"))
    with ScriptedIndex(tmp_path, feed) as home:
        assert home.refs("a.md") == ["a.md", "memory/a.md", "memory/b/a.md"]


def test_of_a_named_file_the_chunk_that_fits_is_first(tmp_path: Path) -> None:
    """Once: a long file does not fill the answer."""
    text = "# Log\n" + "\n".join(f"- day {n} was calm" for n in range(50)) + "\n- the pump broke"
    with ScriptedIndex(tmp_path, ScriptedFeed(note("MEMORY.md", text))) as home:
        first, *rest = home.ask("what does MEMORY.md say of the pump?").hits
        assert first.start_line == 52
        assert not any("path" in hit.why for hit in rest)


def test_names_go_with_their_file(tmp_path: Path) -> None:
    """A file that came again has its names once."""
    feed = ScriptedFeed(note("memory/tea.md", "one"), note("memory/tea.md", "two"))
    with ScriptedIndex(tmp_path, feed) as home:
        home.index.sync()

        def rows() -> int:
            return len(home.database.read(lambda tx: list(tx.rows("SELECT * FROM file_names"))))

        assert rows() == 3
        home.index.rebuild()
        assert rows() == 3


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("MEMORY.md", {"memory": 1, "memory.md": 3}),
        ("memory/Café.md", {"café": 1, "café.md": 2, "memory/café.md": 3}),
        ("memory/cafe\u0301.md", {"café": 1, "café.md": 2, "memory/café.md": 3}),
        ("x/.md", {".md": 2, "x/.md": 3}),
    ],
)
def test_a_file_has_up_to_three_names(path: str, expected: dict[str, int]) -> None:
    """Folded, however its accents are written."""
    assert dict(names_of(path)) == expected


@pytest.mark.parametrize("query", ["\0.md", "\ud83d.md", "x" * 3_990 + ".md", "''"])
def test_any_text_can_be_looked_up(tmp_path: Path, query: str) -> None:
    """No question is an error, and one that names no file finds none by its name."""
    with ScriptedIndex(tmp_path, ScriptedFeed(*FEED)) as home:
        assert not any("path" in hit.why for hit in home.ask(query).hits)
        assert "path" in home.ask(f"{query} tea.md").hits[0].why


def test_a_name_that_comes_again_and_again_counts_once(tmp_path: Path) -> None:
    """The names behind it are looked up too; of a long list the first ones only."""
    with ScriptedIndex(tmp_path, ScriptedFeed(*FEED)) as home:
        paths = [hit.path for hit in home.ask("a.md " * 500 + "tea.md").hits if "path" in hit.why]
        assert paths == ["memory/Tea.md"]
        others = " ".join(f"a{n}.md" for n in range(MOST_NAMES))
        assert not any("path" in hit.why for hit in home.ask(f"{others} tea.md").hits)
