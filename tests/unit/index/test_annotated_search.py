"""Annotations in the search: importance, projects, triggers; and entries as hits of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core.scope import Scope
from recollect.core.settings import SearchSettings
from recollect.index.query.hit import Hit
from recollect.index.query.ranking import TRIGGER_LIFT, importance_factor, project_factor
from tests.unit.index.scripted import ScriptedEmbedder, ScriptedFeed, ScriptedIndex, note, said

SHOP = "# Shop\n- the counter opens at nine{}\n- the cellar opens at nine{}\n- six stools\n"


def ask(folder: Path, text: str, query: str, settings: SearchSettings | None = None) -> list[Hit]:
    """Return the hits in one MEMORY.md."""
    with ScriptedIndex(folder, ScriptedFeed(note("MEMORY.md", text)), search=settings) as home:
        return home.ask(query).hits


def test_entries_of_curated_files_are_hits_of_their_own(tmp_path: Path) -> None:
    """With their own lines, below their heading; another file is cut by size."""
    feed = ScriptedFeed(
        note("MEMORY.md", SHOP.format("", "")), note("memory/shop.md", SHOP.format("", ""))
    )
    with ScriptedIndex(tmp_path, feed) as home:
        hits = home.ask("when does the cellar of the shop open?").hits
    hit_at = {(hit.path, hit.start_line, hit.end_line): hit for hit in hits}
    assert ("memory/shop.md", 1, 4) in hit_at
    cellar = hit_at["MEMORY.md", 3, 3]
    assert cellar.snippet == "# Shop\n- the cellar opens at nine"
    assert ("MEMORY.md", 1, 1) not in hit_at


def test_the_words_of_a_heading_find_the_entries_below_it(tmp_path: Path) -> None:
    """A heading alone would be a poor answer."""
    hits = ask(tmp_path, "# Espresso machine\n- descale it on Mondays\n# Door\n- oil", "espresso")
    assert hits[0].snippet == "# Espresso machine\n- descale it on Mondays"


@pytest.mark.parametrize(("importance", "factor"), [(1, 0.8), (5, 1.0), (10, 1.25), (None, 1.0)])
def test_importance_multiplies_as_in_openclaw(importance: int | None, factor: float) -> None:
    """Bounded: nothing is lost for being unimportant."""
    assert importance_factor(importance) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("projects", "active", "factor"),
    [
        (("Tea",), ("tea", "shop"), 1.15),
        (("tea", "boat"), ("tea",), 0.9),
        (("boat",), ("tea",), 0.9),
        (("boat",), (), 1.0),
        ((), ("tea",), 1.0),
    ],
)
def test_projects_multiply_as_in_openclaw(
    projects: tuple[str, ...], active: tuple[str, ...], factor: float
) -> None:
    """All keys of an entry must be at hand; without a known project nothing changes."""
    assert project_factor(projects, active) == factor


def test_importance_decides_between_equals_and_is_told(tmp_path: Path) -> None:
    """The comment is neither shown nor searched."""
    comment = " <!-- importance: 9 -->"
    text = SHOP.format("", comment)
    first, second = ask(tmp_path, text, "what opens at nine?")[:2]
    assert (first.start_line, first.importance, first.snippet) == (
        3,
        9,
        "# Shop\n- the cellar opens at nine",
    )
    assert (second.importance, second.projects, second.triggers) == (None, (), ())
    assert first.why["importance"] == pytest.approx(first.score * (1 - 1 / 1.2))
    assert sum(first.why.values()) == pytest.approx(first.score, abs=1e-5)


def test_no_comment_is_a_word(tmp_path: Path) -> None:
    """A question about importance does not find every annotated entry."""
    assert ask(tmp_path, SHOP.format(" <!-- importance: 9 -->", ""), "importance") == []


def test_the_project_at_hand_moves_its_entries_up(tmp_path: Path) -> None:
    """The setting names it, or the scope; each entry says for which it is."""
    text = SHOP.format(" <!-- project: Tea -->", " <!-- project: boat -->")
    for number, (project, first) in enumerate([("tea", 2), ("boat", 3)]):
        settings = SearchSettings(projects=(project,))
        hits = ask(tmp_path / str(number), text, "what opens at nine?", settings)
        assert hits[0].start_line == first
        assert {hit.projects for hit in hits[:2]} == {("Tea",), ("boat",)}
    plain = ask(tmp_path / "plain", text, "what opens at nine?")
    assert not any("project" in hit.why for hit in plain)


def test_the_project_of_the_scope_is_at_hand(tmp_path: Path) -> None:
    """Its files are all that is seen; entries for another one still move down."""
    scope = Scope(project="boat")
    text = SHOP.format(" <!-- project: Tea -->", " <!-- project: Boat -->")
    with ScriptedIndex(tmp_path, ScriptedFeed(note("MEMORY.md", text, scope=scope))) as home:
        hits = home.ask("what opens at nine?", scope).hits
    assert [hit.start_line for hit in hits[:2]] == [3, 2]


@pytest.mark.parametrize("has_model", [True, False])
@pytest.mark.parametrize("exact_below", [0, 10_000])
def test_a_trigger_finds_an_entry_without_a_word_in_common(
    tmp_path: Path, has_model: bool, exact_below: int
) -> None:
    """Also where candidates are chosen, and in every mode."""
    text = (
        "- check the stock sync <!-- trigger: before a deploy, release checklist -->\n- six stools"
    )
    others = [said(f"m{n}", f"we deploy the boat {n}") for n in range(300)]
    feed = ScriptedFeed(note("MEMORY.md", text), *others)
    settings = SearchSettings(exact_below=exact_below, candidates=10)
    embedder = ScriptedEmbedder() if has_model else None
    with ScriptedIndex(tmp_path, feed, embedder, settings) as home:
        for query in ("What do I do before a deploy?", "the release checklists"):
            for mode in ("hybrid", "lexical", "vector"):
                hits = home.ask(query, mode=mode, limit=10).hits
                (hit,) = [hit for hit in hits if hit.source == "memory" and hit.triggers]
                assert hit.triggers == ("before a deploy", "release checklist")
                assert hit.score >= TRIGGER_LIFT
                assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-5)
        assert not any("trigger" in hit.why for hit in home.ask("deploy the stools").hits)


@pytest.mark.parametrize(
    ("trigger", "query", "expected"),
    [
        ("before a deploy", "deploying before noon", False),
        ("发布前", "发布前要做什么？", True),
        ("getUserById", "who calls getUserById?", True),
        ("how are you", "So how are you?", True),
    ],
)
def test_a_trigger_is_met_word_for_word(
    tmp_path: Path, trigger: str, query: str, expected: bool
) -> None:
    """In their order, function words too."""
    hits = ask(tmp_path, f"- tea <!-- trigger: {trigger} -->", query)
    assert bool(hits) is expected


def test_annotations_go_with_their_entry_and_come_back(tmp_path: Path) -> None:
    """An edited file says what it says now, for readers that are open too."""
    feed = ScriptedFeed(note("MEMORY.md", "- tea <!-- trigger: brew -->"))
    with ScriptedIndex(tmp_path, feed) as home:
        assert home.ask("brew").hits[0].triggers == ("brew",)
        feed.entries.append(note("MEMORY.md", "- tea <!-- importance: 2 -->"))
        assert home.ask("brew").hits == []
        assert home.ask("tea").hits[0].importance == 2
        feed.entries.append(note("MEMORY.md", "- tea"))
        assert home.ask("tea").hits[0].importance is None


def test_invalid_annotations_are_told_by_their_number(tmp_path: Path) -> None:
    """And never by what they say."""
    text = "- tea <!-- importance: 99 --> <!-- trigger: ??? -->"
    with ScriptedIndex(tmp_path, ScriptedFeed(note("MEMORY.md", text))) as home:
        (warning,) = home.index.sync().warnings
        assert warning.endswith(": 2")
        assert "99" not in warning
        assert home.index.sync().warnings == ()


def test_annotations_of_other_notes_count_for_their_chunk(tmp_path: Path) -> None:
    """A note is cut by size, so the comment is about the piece that it stands in."""
    feed = ScriptedFeed(note("memory/tea.md", "Tea is cold.\n\n<!-- importance: 10 -->\n"))
    with ScriptedIndex(tmp_path, feed) as home:
        (hit,) = home.ask("tea").hits
        assert (hit.importance, hit.start_line, hit.end_line) == (10, 1, 3)
