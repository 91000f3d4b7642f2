"""Hooks and transcripts tell of one conversation: each thing is stored once, whichever is first."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.support.claude_play import TURNS, Play, memory_and_caller, session_of


@pytest.mark.parametrize("hooks", ["all", "none", "odd", "no start"])
@pytest.mark.parametrize("following", ["on", "off", "late"])
@pytest.mark.parametrize("order", ["hooks first", "lines first", "in turns"])
def test_each_prompt_and_tool_is_there_once(
    tmp_path: Path, hooks: str, following: str, order: str
) -> None:
    """docs/importing.md: all events, with following on, off, late, and imported again."""
    projects, home = tmp_path / "projects", tmp_path / "home"
    projects.mkdir()
    play = Play(projects)
    told = {
        "all": play.steps,
        "none": [],
        "odd": play.steps[1::2],
        "no start": play.steps[3:],
    }[hooks]
    with memory_and_caller(home, projects, following=following == "on") as (memory, caller):
        if order == "lines first":
            for step in play.steps:
                play.write(step)
            memory.sync()
        for step in play.steps:
            if order == "in turns":
                play.write(step)
                memory.sync()
            if step in told:
                play.hook(caller, step)
        if order == "hooks first":
            for step in play.steps:
                play.write(step)
            memory.sync()
    with memory_and_caller(home, projects, following=following == "late") as (memory, caller):
        memory.sync()
        memory.import_transcripts(projects)
        assert play.problems(memory) == []
        memory.import_transcripts(projects)
        for step in told:  # delivered again
            play.hook(caller, step)
        memory.sync()
        assert play.problems(memory) == []
        session = session_of(memory, play.session)
        view = memory.sessions.view(session.id)
        asked = [each.text for each in view.messages if each.role == "user"]
        assert asked == [turn[0] for turn in TURNS]
        hits = memory.search("lid pot", sources=["sessions"], limit=50).hits
        places = [(hit.session_id, hit.seq) for hit in hits]
        assert len(places) == len(set(places))
        assert {hit.seq for hit in hits} <= {
            each.seq for each in memory.sessions.messages(session.id)
        }
    with memory_and_caller(home, projects, following=False) as (memory, _):
        assert memory.heal_mirrors() == {"equal": 1}


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_missed_or_doubled_in_any_order(tmp_path: Path, seed: int) -> None:
    """Hooks that are lost, late or spooled; lines that are read in any pieces; and once more."""
    chance = Random(seed)
    projects = tmp_path / "projects"
    projects.mkdir()
    play = Play(projects)
    hooks = [each for each in play.steps if chance.random() < 0.7]
    lines = list(play.steps)
    following = chance.random() < 0.5
    with memory_and_caller(tmp_path / "home", projects, following=following) as (memory, caller):
        while hooks or lines:
            action = chance.choice(["hook", "hook", "line", "line", "read", "import"])
            if action == "hook" and hooks:
                play.hook(caller, hooks.pop(0))
            elif action == "line" and lines:
                play.write(lines.pop(0))
            elif action == "read":
                memory.sync()
            elif action == "import":
                memory.import_transcripts(projects)
        memory.import_transcripts(projects)
        memory.sync()
        assert play.problems(memory) == []
