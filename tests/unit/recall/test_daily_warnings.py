"""Warnings that a person reads: once a day, and never kept back where they matter."""

from __future__ import annotations

from pathlib import Path

import msgspec

import recollect


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
