"""`recollect uninstall`: what goes, and what stays where."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from tests.unit.cli.conftest import Run


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a model, with a file that is not of the model."""
    folder = tmp_path / "models" / "all-MiniLM-L6-v2"
    folder.mkdir(parents=True)
    for name in ("model.safetensors", "vocab.txt", "manifest.json", "int8.onnx", "mine.txt"):
        (folder / name).write_text("x" * 10, "utf-8")
    return folder


def test_a_dry_run_shows_what_would_go_and_what_stays(
    run: Run, filled: Path, workspace: Path, model: Path
) -> None:
    """And changes nothing."""
    before = filled.with_name("home.before-20260101-120000")
    before.mkdir()
    found = run("--home", filled, "uninstall", "--dry-run", "--json").json
    assert sorted(Path(path).name for path in found["removed"]) == [
        "int8.onnx",
        "manifest.json",
        "model.safetensors",
        "vocab.txt",
    ]
    assert {*found["stays"]} == {str(filled), str(before), str(workspace)}
    assert found["package"].endswith("pip uninstall recollect")
    assert (model / "vocab.txt").exists()
    shown = run("--home", filled, "uninstall", "--dry-run")
    assert shown.out.startswith("nothing was changed")
    assert "pip uninstall" in shown.err


def test_the_memory_stays_unless_it_is_to_go(
    run: Run, filled: Path, workspace: Path, model: Path
) -> None:
    """What recollect did not write stays in any case."""
    assert run("--home", filled, "uninstall").code == 1
    assert (model / "vocab.txt").exists()
    done = run("--home", filled, "uninstall", "--yes")
    assert (done.code, done.out.splitlines()[0]) == (0, "removed")
    assert [path.name for path in model.iterdir()] == ["mine.txt"]
    assert run("--home", filled, "search", "café", "--json").json["hits"]
    assert run("--home", filled, "uninstall", "--yes").out.startswith("nothing to remove")

    (filled / "mine.txt").write_text("not of recollect", "utf-8")
    found = run("--home", filled, "uninstall", "--with-memory", "--yes", "--json").json
    assert str(filled / "records.db") in found["removed"]
    assert found["stays"][str(filled)] == "files in the home that recollect did not write"
    assert [path.name for path in filled.iterdir()] == ["mine.txt"]
    assert list(workspace.rglob("*.md"))


def test_a_home_goes_whole(run: Run, filled: Path) -> None:
    """Nothing that recollect writes is left, the folder neither."""
    assert run("--home", filled, "doctor").code == 0
    assert run("--home", filled, "uninstall", "--with-memory", "--yes").code == 0
    assert not filled.exists()
    again = run("--home", filled, "uninstall", "--with-memory", "--yes")
    assert (again.code, again.out.splitlines()[0]) == (0, "nothing to remove")


def test_what_was_killed_on_its_way_goes_too(run: Run, filled: Path) -> None:
    """A recovery, a backup and a file that was replaced; a restore's is beside the home."""
    (filled / "recovering").mkdir()
    (filled / "recovering" / "records.db").write_bytes(b"half")
    for name in (".records.db.0a.part", ".recovery.json.0a.part"):
        (filled / name).write_bytes(b"half")
    beside = filled.with_name(f"{filled.name}.restoring-0a")
    beside.mkdir()
    found = run("--home", filled, "uninstall", "--with-memory", "--yes", "--json").json
    assert not filled.exists()
    assert found["stays"][str(beside)] == "what a killed restore unpacked"


def test_a_home_in_use_stays(run: Run, filled: Path) -> None:
    """A program would go on writing into files without names."""
    with recollect.open(filled, live=False):
        done = run("--home", filled, "uninstall", "--with-memory", "--yes", "--json")
    assert (done.code, done.error["code"]) == (1, "store_busy")
    assert run("--home", filled, "search", "café", "--json").json["hits"]
