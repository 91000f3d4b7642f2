"""From data to report: rows, levels, differences, and how they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from benchmarks.measure.plot import check_plot, plot_quality
from benchmarks.measure.report import Grid, as_markdown, as_table
from benchmarks.measure.results import DatasetReport, QualityReport
from benchmarks.quality.experiment import plan_variants
from benchmarks.quality.homes import Progress
from benchmarks.quality.quality import QualityPlan
from benchmarks.quality.quality_grids import describe_quality, quality_grids, show_share
from benchmarks.quality.suite import QualitySuite, Slice
from recollect.core.errors import ConfigError, InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.benchmarks.conftest import ScriptedOpener

    MakeSuite = Callable[..., QualitySuite]


@pytest.fixture
def make_suite(
    data_folder: Path, tmp_path: Path, opener: ScriptedOpener, progress: Progress
) -> MakeSuite:
    """Makes a suite over the small data sets and the scripted memory."""

    def make(*comparisons: str) -> QualitySuite:
        plan = QualityPlan(variants=plan_variants([], comparisons))
        return QualitySuite(
            data=data_folder, root=tmp_path / "homes", plan=plan, opener=opener, progress=progress
        )

    return make


def _rows(report: DatasetReport, level: str, mode: str = "lexical") -> dict[str, int]:
    table = next(
        table
        for table in report.tables
        if (table.level, table.pool, table.mode) == (level, "conversation", mode)
    )
    return {row.label: row.n for row in table.rows}


def test_adversarial_questions_are_apart_at_turn_level(make_suite: MakeSuite) -> None:
    """Protocol C.1: category 5 beside the others, never inside; sessions take all."""
    report = make_suite().locomo(Slice())

    assert _rows(report, "turn") == {
        "categories 1-4": 4,
        "4 single-hop": 2,
        "1 multi-hop": 2,
        "5 adversarial": 2,
    }
    assert _rows(report, "session") == {"all categories": 6, "categories 1-4": 4}


def test_figures_are_means_over_questions(make_suite: MakeSuite) -> None:
    """Worked by hand: the gold turn of single-hop is first; multi-hop has a second one."""
    (table, *_) = make_suite().locomo(Slice()).tables

    single, multi = table.rows[1].scores, table.rows[2].scores
    assert single["R@1"].mean == 1.0
    assert multi["R@1"].mean == 0.5
    assert table.rows[0].scores["R@1"].mean == pytest.approx(0.75)


def test_types_of_beam_are_rows(make_suite: MakeSuite) -> None:
    """All types, the five a search can answer, then each."""
    assert _rows(make_suite().beam(Slice()), "turn") == {
        "all types": 2,
        "information-seeking five": 1,
        "event ordering": 1,
        "knowledge update": 1,
    }


def test_longmemeval_has_turn_and_session_level(make_suite: MakeSuite) -> None:
    """One question each."""
    report = make_suite().longmemeval()

    assert _rows(report, "turn") == _rows(report, "session") == {"all questions": 1}


def test_differences_pair_variants_and_modes(make_suite: MakeSuite) -> None:
    """A variant against the base in each mode; hybrid against lexical in the base."""
    report = make_suite("wide:search.candidates=900").cranfield(Slice())

    pairs = [(one.run, one.against) for one in report.differences]
    assert pairs == [
        ("base hybrid", "base lexical"),
        ("wide lexical", "base lexical"),
        ("wide vector", "base vector"),
        ("wide hybrid", "base hybrid"),
    ]
    assert all(one.gain.mean == 0.0 for one in report.differences)


def test_unknown_setting_is_refused_before_anything_is_stored(
    make_suite: MakeSuite, opener: ScriptedOpener
) -> None:
    """Not after an hour of indexing."""
    with pytest.raises(ConfigError):
        make_suite("wide:search.candidats=900")
    assert opener.opened == []


def test_report_survives_json(make_suite: MakeSuite) -> None:
    """``--json`` carries every figure."""
    suite = make_suite()
    report = suite.report([suite.cranfield(Slice(questions=1))])

    assert msgspec.json.decode(msgspec.json.encode(report), type=QualityReport) == report


def test_report_holds_no_text_of_the_data(make_suite: MakeSuite) -> None:
    """The licences forbid shipping the data; a report may be published."""
    suite = make_suite()
    encoded = msgspec.json.encode(suite.report([suite.locomo(Slice()), suite.beam(Slice())]))

    for text in (b"pottery", b"Lisbon", b"Flask", b"Django"):
        assert text not in encoded


def test_grids_say_what_was_run_and_show_every_row(make_suite: MakeSuite) -> None:
    """Title, n and interval beside each figure; a table and Markdown of the same grid."""
    suite = make_suite("wide:search.candidates=900")
    report = suite.report([suite.locomo(Slice())])

    lines, grids = describe_quality(report), quality_grids(report)

    assert any("wide" in line and "search.candidates=900" in line for line in lines)
    first = grids[0]
    assert first.title.startswith("LoCoMo, turn level, a home per conversation: R@10")
    assert first.columns[:3] == ("questions", "n", "base lexical")
    assert first.rows[0][:2] == ("categories 1-4", "4")
    assert any("differences" in grid.title for grid in grids)
    assert as_table(first).row_count == len(first.rows)
    text = as_markdown("python -m benchmarks locomo", lines, grids)
    assert "| categories 1-4 | 4 |" in text
    assert text.startswith("```sh\npython -m benchmarks locomo\n```")


def test_notes_are_shown(make_suite: MakeSuite, opener: ScriptedOpener) -> None:
    """A reader must see that a mode is missing, and why."""
    opener.modes = {"lexical"}
    suite = make_suite()
    lines = describe_quality(suite.report([suite.cranfield(Slice())]))

    assert "Cranfield: vector search was left out: the model is not installed" in lines


@pytest.mark.parametrize("name", ["quality.png", "quality.svg"])
def test_plot_is_a_picture(make_suite: MakeSuite, tmp_path: Path, name: str) -> None:
    """One panel per data set, level and pool."""
    pytest.importorskip("matplotlib")
    suite = make_suite()
    report = suite.report([suite.locomo(Slice()), suite.cranfield(Slice())])
    plot_quality(report, tmp_path / name)

    content = (tmp_path / name).read_bytes()
    if name.endswith("png"):
        assert content.startswith(b"\x89PNG\r\n")
        return
    text = content.decode()
    titles = {
        f"{dataset.name}, {table.level} level, pool: {table.pool}"
        for dataset in report.datasets
        for table in dataset.tables
    }
    assert len(titles) == text.count('<g id="axes_') == 5
    assert all(f"<!-- {title}" in text for title in titles)
    assert "<!-- categories 1-4 (n=4) -->" in text


def test_plot_of_nothing_or_to_no_picture_is_refused(make_suite: MakeSuite, tmp_path: Path) -> None:
    """With a hint at the suffixes."""
    pytest.importorskip("matplotlib")
    with pytest.raises(InvalidInput, match="nothing to plot"):
        plot_quality(make_suite().report([]), tmp_path / "x.png")
    with pytest.raises(InvalidInput) as refused:
        check_plot(tmp_path / "x.txt")
    assert ".svg" in refused.value.hint


def test_shares_are_written_with_three_digits() -> None:
    """As papers write them."""
    assert (show_share(0.8371), show_share(1.0), show_share(0.0)) == (".837", "1.000", ".000")


def test_markdown_cells_cannot_break_the_table() -> None:
    """A bar in a name."""
    grid = Grid(title="t", columns=("a",), rows=(("x|y",),))

    assert "| x\\|y |" in as_markdown("c", [], [grid])
