"""Warnings that a person reads: once a day, and never kept back where they matter."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import recollect
from recollect.cli.main import main


def test_what_matters_for_an_answer_is_never_kept_back(tmp_path: Path) -> None:
    """Damage, an answer without hits, and a home where nothing can be noted."""
    overrides = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", live=False, overrides=overrides) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "The launch is on Friday.")
        found = memory.search("launch")
        damage = "index.db was damaged: it is rebuilt"
        told = msgspec.structs.replace(found, warnings=["no embedder", damage])
        assert memory.unheard_warnings(told) == ["no embedder", damage]
        assert memory.unheard_warnings(told) == [damage]
        other = msgspec.structs.replace(told, warnings=["no embedder", "a file is binary"])
        assert memory.unheard_warnings(other) == ["a file is binary"]
        empty = msgspec.structs.replace(other, hits=[])
        assert memory.unheard_warnings(empty) == ["no embedder", "a file is binary"]
    assert memory.unheard_warnings(told) == ["no embedder", damage]


def test_programs_get_every_warning_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON and the API; a person gets it once."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("RECOLLECT_MODELS", str(tmp_path / "models"))
    home = tmp_path / "home"
    with recollect.open(home, live=False) as memory:
        memory.sessions.append(memory.sessions.create().id, "user", "The launch is on Friday.")
    told = []
    for _ in range(2):
        assert main(["--home", str(home), "search", "launch", "--json"]) == 0
        (warning,) = json.loads(capsys.readouterr().out)["warnings"]
        with recollect.open(home, live=False) as memory:
            assert memory.search("launch").warnings == [warning]
        assert main(["--home", str(home), "search", "launch"]) == 0
        told.append(warning in " ".join(capsys.readouterr().err.split()))
    assert told == [True, False]
