"""Folders of strangers: what a checkout may hold, and what it cannot take from others."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.core.errors import NotFound
from recollect.observations.project_folder import MARK_FILE


def test_a_project_that_calls_itself_a_path_does_not_take_its_place(tmp_path: Path) -> None:
    """Whoever asked for that folder was given the stranger's sessions."""
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / MARK_FILE).write_text("name: /srv/shop\n")
    with recollect.open(tmp_path / "home", live=False) as memory:
        memory.sessions.create(project=str(stranger))
        assert memory.projects.find("/srv/shop") == "/srv/shop"
        with pytest.raises(NotFound):
            memory.projects.get("/srv/shop")
        memory.sessions.create(project="/srv/shop")
        assert [each.name for each in memory.projects.list()] == ["stranger", "shop"]


def test_a_name_of_a_project_holds_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    """Neither that of its mark nor that of its folder; it stays the same when it is seen again."""
    hostile, marked = tmp_path / "x\x1b[31m\u202ey", tmp_path / "b"
    for folder in (hostile, marked):
        folder.mkdir()
    (marked / MARK_FILE).write_text("name: a\x1b]0;owned\x07 \u202etea\n")
    for _ in range(2):
        with recollect.open(tmp_path / "home", live=False) as memory:
            for folder in (hostile, marked):
                memory.sessions.create(project=str(folder))
            names = [each.name for each in memory.projects.list()]
            assert names == ["x [31m y", "a ]0;owned tea"]
