"""`python -m benchmarks` over the small data sets and the scripted memory."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner, Result

from benchmarks import commands, output
from benchmarks.load import load
from benchmarks.load.load import LoadPlan, LoadRunner
from benchmarks.measure.results import LoadReport, ProcessCost
from benchmarks.output import write_whole
from benchmarks.quality.experiment import PARTS
from recollect.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.benchmarks.conftest import ScriptedOpener

    Run = Callable[..., Result]


class Screen(io.StringIO):
    """A stderr that is a terminal, or is not."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Return what the test says."""
        return self._is_terminal


@pytest.fixture
def run(data_folder: Path, opener: ScriptedOpener, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command line; the product is the scripted memory."""
    monkeypatch.setattr(commands, "open_product", opener)

    def invoke(*arguments: str) -> Result:
        environment = {"RECOLLECT_BENCH_DATA": str(data_folder), "COLUMNS": "200"}
        return CliRunner().invoke(commands.app, arguments, env=environment)

    return invoke


@pytest.mark.parametrize("command", ["locomo", "beam", "cranfield", "longmemeval"])
def test_json_is_one_document_on_stdout(run: Run, command: str) -> None:
    """And nothing else."""
    result = run(command, "--json")

    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert len(report["datasets"]) == 1
    assert report["variants"][0]["name"] == "base"


def test_tables_show_every_mode(run: Run) -> None:
    """Side by side."""
    result = run("locomo")

    assert result.exit_code == 0
    for word in ("categories 1-4", "lexical", "vector", "hybrid", "5 adversarial"):
        assert word in result.stdout


def test_one_mode_one_pool_few_questions(run: Run) -> None:
    """Quick runs."""
    result = run(
        "locomo", "--json", "--mode", "lexical", "--pool", "global", "--limit", "1",
        "--questions", "2", "--gold", "audited",
    )  # fmt: skip

    (dataset,) = json.loads(result.stdout)["datasets"]
    assert dataset["questions"] == 2
    assert {(table["pool"], table["mode"]) for table in dataset["tables"]} == {
        ("global", "lexical")
    }


@pytest.mark.parametrize("arguments", [("--mode", "fuzzy"), ("--pool", "collection")])
def test_unknown_choices_are_refused(run: Run, arguments: tuple[str, str]) -> None:
    """The hint lists the known ones."""
    result = run("locomo", *arguments)

    assert isinstance(result.exception, InvalidInput)
    assert {"lexical", "global"} & set(result.exception.hint.replace(",", "").split())


def test_variants_are_compared(run: Run) -> None:
    """``--set`` for all, ``--compare`` beside it."""
    result = run(
        "quality", "--json", "--set", "search.limit=9", "--compare", "wide:search.candidates=900"
    )

    report = json.loads(result.stdout)
    assert [variant["overrides"] for variant in report["variants"]] == [
        {"search.limit": "9"},
        {"search.limit": "9", "search.candidates": "900"},
    ]
    assert [dataset["name"] for dataset in report["datasets"]] == [
        "LoCoMo",
        "BEAM 100K",
        "Cranfield",
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(["date"], {"without date"}), (["all"], {f"without {part}" for part in PARTS})],
)
def test_parts_of_the_score_are_left_out(run: Run, asked: list[str], expected: set[str]) -> None:
    """One at a time, beside the whole."""
    options = [word for part in asked for word in ("--leave-out", part)]

    report = json.loads(run("beam", "--json", "--mode", "lexical", *options).stdout)

    assert {variant["name"] for variant in report["variants"]} == {"base", *expected}


def test_an_unknown_part_cannot_be_left_out(run: Run) -> None:
    """The hint lists those that there are."""
    result = run("beam", "--leave-out", "mood")

    assert isinstance(result.exception, InvalidInput)
    assert "speaker" in result.exception.hint


def test_markdown_and_plot_are_written(run: Run, tmp_path: Path) -> None:
    """Complete or not at all."""
    pytest.importorskip("matplotlib")
    plot, text = tmp_path / "plot.png", tmp_path / "report.md"

    result = run("beam", "--plot", str(plot), "--markdown", str(text))

    assert result.exit_code == 0, result.exception
    assert plot.stat().st_size > 1_000
    assert "| all types |" in text.read_text("utf-8")
    assert not list(tmp_path.glob(".*partial*"))


def test_answers_are_written_question_by_question(run: Run, tmp_path: Path) -> None:
    """To look at single cases; keys only."""
    path = tmp_path / "answers.jsonl"

    run("locomo", "--mode", "lexical", "--pool", "global", "--answers", str(path))

    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(records) == 6
    assert records[0]["gold"] == ["conv-1/D1:1"]
    assert records[0]["ranked"][0] == "conv-1/D1:1"
    assert "pottery" not in path.read_text("utf-8")


def test_homes_are_kept_where_asked(run: Run, tmp_path: Path, opener: ScriptedOpener) -> None:
    """The second run indexes nothing."""
    keep = tmp_path / "kept"
    run("cranfield", "--keep", str(keep))
    syncs = opener.syncs

    run("cranfield", "--keep", str(keep))

    assert opener.syncs == syncs + 1, "only the look whether there is something to do"
    assert len(list(keep.iterdir())) == 1


def test_output_that_cannot_be_written_is_refused_first(
    run: Run, tmp_path: Path, opener: ScriptedOpener
) -> None:
    """Not after the run."""
    pytest.importorskip("matplotlib")
    for option in ("--markdown", "--plot"):
        result = run("beam", option, str(tmp_path / "nowhere" / "x.png"))
        assert isinstance(result.exception, InvalidInput)
    assert opener.opened == []


def test_load_takes_sizes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the messages as chunks, unless told otherwise."""
    plans: list[LoadPlan] = []

    class Planned(Exception):
        """Raised instead of running."""

    def take(_runner: object, plan: LoadPlan) -> LoadReport:
        plans.append(plan)
        raise Planned

    monkeypatch.setattr(LoadRunner, "run", take)
    run("load", "--messages", "5000", "--queries", "9")
    run("load", "--messages", "5", "--chunks", "7")

    assert [(plan.messages, plan.chunks, plan.queries) for plan in plans] == [
        (5000, 500, 9),
        (5, 7, 300),
    ]


@pytest.mark.parametrize("as_json", [True, False])
def test_all_runs_every_benchmark(
    run: Run, monkeypatch: pytest.MonkeyPatch, *, as_json: bool
) -> None:
    """Fresh processes are scripted: they would not find the scripted memory."""
    cost = ProcessCost(
        mode="hybrid",
        start_to_answer_ms=1.0,
        open_ms=1.0,
        first_search_ms=1.0,
        opened_mb=None,
        searched_mb=None,
        peak_mb=None,
    )
    monkeypatch.setattr(load, "run_probe", lambda *_folder, **_request: cost)
    monkeypatch.setattr(load, "time_command", lambda *_: (120.0, 110.0))

    result = run("all", "--messages", "60", *(["--json"] if as_json else []))

    assert result.exit_code == 0, result.exception
    if as_json:
        report = json.loads(result.stdout)
        assert len(report["quality"]["datasets"]) == 4
        assert report["load"]["sizes"][0]["messages"] == 60
    else:
        assert "Single writes" in result.stdout


def test_missing_data_is_a_clear_error(run: Run, tmp_path: Path) -> None:
    """With the folder that was meant, and what to do."""
    result = run("locomo", "--data", str(tmp_path / "nowhere"))

    assert isinstance(result.exception, NotFound)
    assert result.exit_code == 1
    assert "benchmark data" in result.exception.message
    assert result.exception.facts == {"path": str(tmp_path / "nowhere")}
    assert "--data" in result.exception.hint


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_drawn_only_for_a_reader(
    monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool
) -> None:
    """On stderr, with the stage and how far it is; where nobody looks, not a byte."""
    screen = Screen(is_terminal=is_terminal)
    monkeypatch.setattr("sys.stderr", screen)
    with output.show_progress() as progress:
        progress("embedding", 1, 2)
    assert ("embedding" in screen.getvalue()) == is_terminal
    assert ("1/2" in screen.getvalue()) == is_terminal
    assert bool(screen.getvalue()) == is_terminal


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """A failure leaves the old content."""
    target = tmp_path / "report.md"
    target.write_text("old", "utf-8")

    def fail(path: Path) -> None:
        path.write_text("half", "utf-8")
        raise OSError("disk full")

    with pytest.raises(InvalidInput, match="cannot be written"):
        write_whole(target, fail)

    assert target.read_text("utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


@pytest.mark.parametrize("command", ["lines", "walks", "redaction", "bulk", "ranking", "audience"])
def test_a_folder_without_the_package_is_refused(run: Run, command: str, tmp_path: Path) -> None:
    """The checkout, say, in the place of its src; nothing is measured before."""
    result = run(command, "--against", str(tmp_path))

    assert isinstance(result.exception, InvalidInput)
    assert "has no package" in result.exception.message
