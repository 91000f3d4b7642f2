"""`recollect models add`, `list` and `remove`: models of the user's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.onnx_export import write_export, write_wordpiece
from tests.unit.cli.conftest import Run

ENGLISH = "The kitten slept in the garden."
PORTUGUESE = "gatinho jardim"


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A model that reads Portuguese and English."""
    folder = write_export(write_wordpiece(tmp_path / "tiny-multilingual"))
    head = "---\nlanguage:\n- en\n- pt\n- no\n---\n# A model\n"
    (folder / "README.md").write_text(head, encoding="utf-8")
    return folder


def test_a_portuguese_question_finds_an_english_line_once_a_model_is_added(
    run: Run, home: Path, export: Path, tmp_path: Path
) -> None:
    """From the folder of a download to the hit, as a user would do it."""
    assert run("--home", home, "init").code == 0
    line = json.dumps({"role": "user", "content": ENGLISH})
    (tmp_path / "chat.jsonl").write_text(f"{line}\n", encoding="utf-8")
    run("--home", home, "import", "jsonl", tmp_path / "chat.jsonl")
    run("--home", home, "sync")
    assert ENGLISH not in run("--home", home, "search", PORTUGUESE).out

    done = run("--home", home, "models", "add", export)
    assert (done.code, done.out.splitlines()[0][:28]) == (0, "tiny-multilingual is added: ")
    assert "recollect config set embedding.provider local:tiny-multilingual" in done.err
    assert (
        run("--home", home, "config", "set", "embedding.provider", "local:tiny-multilingual").code
        == 0
    )
    assert run("--home", home, "sync").code == 0
    assert ENGLISH in run("--home", home, "search", PORTUGUESE).out
    status = run("--home", home, "status").out
    assert "en, pt, no; what is in other languages is found by its words" in status


@pytest.mark.usefixtures("without_package")
def test_models_are_listed_and_removed(
    run: Run, home: Path, export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the one that the settings use; the dry run removes nothing."""
    assert "no models yet" in run("--home", home, "models", "list").err
    assert run("--home", home, "models", "remove", "mine").code == 1
    added = run("--home", home, "models", "add", export, "--name", "mine", "--json").json
    assert (added["name"], added["export"]["languages"]) == ("mine", ["en", "pt", "no"])
    (row,) = run("--home", home, "models", "list", "--json").json["models"]
    assert (row["name"], row["dimensions"], row["is_used"], row["trouble"]) == (
        "mine",
        16,
        False,
        None,
    )
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "local:mine")
    assert "in use" in run("--home", home, "models", "list").out
    refused = run("--home", home, "models", "remove", "mine", "--json")
    assert (refused.code, refused.error["code"]) == (1, "conflict")
    monkeypatch.delenv("RECOLLECT_EMBEDDING__PROVIDER")
    planned = run("--home", home, "models", "remove", "mine", "--dry-run", "--json").json
    assert planned == {
        "name": "mine",
        "folder": str(tmp_path / "models" / "mine"),
        "bytes": row["bytes"],
        "dry_run": True,
    }
    (tmp_path / "models" / "mine" / "vocab.txt").write_bytes(b"")
    (row,) = run("--home", home, "models", "list", "--json").json["models"]
    assert row["trouble"] == "vocab.txt is missing or damaged"
    (tmp_path / "models" / "mine" / "model.json").write_bytes(b"")
    assert "manifest" in run("--home", home, "models", "list").out
    assert run("--home", home, "models", "remove", "mine").out.startswith("removed: mine")
    assert run("--home", home, "models", "list", "--json").json["models"] == []


def test_the_doctor_reads_every_byte_of_the_model(
    run: Run, home: Path, export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says which languages it reads."""
    run("--home", home, "init")
    run("--home", home, "models", "add", export, "--name", "mine")
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "local:mine")
    assert "en, pt, no" in run("--home", home, "doctor").out
    graph = tmp_path / "models" / "mine" / "model.onnx"
    graph.write_bytes(bytes(graph.stat().st_size))
    done = run("--home", home, "doctor")
    assert "model.onnx of the model local:mine is damaged" in done.out


def test_uninstall_takes_the_copies_away(
    run: Run, home: Path, export: Path, tmp_path: Path
) -> None:
    """The folder that they came from stays."""
    run("--home", home, "init")
    run("--home", home, "models", "add", export, "--name", "mine")
    assert run("--home", home, "uninstall", "--yes").code == 0
    assert not (tmp_path / "models").exists()
    assert (export / "modules.json").is_file()
