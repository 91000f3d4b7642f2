"""Floors of prompts: what a run counts, on two small conversations."""

from __future__ import annotations

from pathlib import Path

from benchmarks.datasets.corpus import Conversation, DatedSession, DialogueSet, Question, Turn
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.prompts import FLOORS, prompt_grids, run_prompts


def _conversation(key: str, *texts: str) -> Conversation:
    turns = tuple(
        Turn(key=f"{key}/{n}", role="user", name="Ann", text=text, at=1_770_000_000_000 + n)
        for n, text in enumerate(texts)
    )
    return Conversation(key=key, sessions=(DatedSession(key=f"{key}/s", turns=turns),))


def test_a_run_tells_what_each_floor_lets_through(tmp_path: Path) -> None:
    """Own questions bring evidence, those of the other project nothing; a high floor nothing."""
    data = DialogueSet(
        name="two",
        digest="",
        conversations=(
            _conversation("a", "I keep okapi cards in tins.", "Good morning."),
            _conversation("b", "The zebra sleeps.", "Good night."),
        ),
        questions=(
            Question(key="q", cluster="a", group="g", text="okapi cards tins", gold=("a/0",)),
            Question(key="r", cluster="b", group="g", text="zebra sleeps", gold=("b/0",)),
        ),
    )
    told: list[str] = []
    run = run_prompts(
        describe_environment(),
        data,
        tmp_path / "home",
        ("lexical",),
        lambda *at: told.append(at[0]),
    )
    low, *_, high = run.modes["lexical"]
    assert (run.observations, run.questions) == (4, 2)
    assert (low.answered, low.spoken, low.noisy) == (1.0, 1.0, 0.0)
    assert 0 < low.precise <= 1
    assert high.answered <= low.answered
    assert set(told) == {"recording", "lexical"}
    (grid,) = prompt_grids(run)
    assert len(grid.rows) == len(FLOORS)
