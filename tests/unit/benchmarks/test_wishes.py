"""Wishes in context blocks: what a run counts, on a small chat."""

from __future__ import annotations

from benchmarks.datasets.corpus import Conversation, DatedSession, DialogueSet, Question, Turn
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.wishes import describe_wishes, run_wishes, wishes_grids

_SAID = (
    "Always give answers in Celsius when I ask about the weather.",
    "I prefer night trains. My town is Vienna.",
    "The tram was late again today.",
)
_WISHES = {
    "q/0": "Always give answers in Celsius when I ask about the weather.",
    "q/1": "I would rather sleep on rails than fly.",
    "q/2": "I prefer the tram over the bus.",
}


def test_a_wish_is_held_where_it_is_said_or_its_message_is_traced() -> None:
    """Other lines of the same message, and messages without a wish, do not count."""
    turns = tuple(
        Turn(key=f"c/{number}", role="user", name=None, text=text, at=1_770_000_000_000 + number)
        for number, text in enumerate(_SAID)
    )
    groups = ("instruction_following", "preference_following", "preference_following")
    data = DialogueSet(
        name="one",
        digest="",
        conversations=(Conversation(key="c", sessions=(DatedSession(key="c/s", turns=turns),)),),
        questions=tuple(
            Question(key=f"q/{number}", cluster="c", group=group, text="zebra", gold=(turn.key,))
            for number, (group, turn) in enumerate(zip(groups, turns, strict=True))
        ),
    )
    run = run_wishes(describe_environment(), data, _WISHES, hybrid=False, progress=lambda *_: None)
    start = [each for each in run.wishes if each.way == "start"]
    assert [(each.is_said, each.is_traced, each.is_held) for each in start] == [
        (True, True, True),
        (False, True, True),
        (False, False, False),
    ]
    assert describe_wishes(run)[-1] == "not in the block of a beginning: q/2"
    (grid,) = wishes_grids(run)
    assert [row[:5] for row in grid.rows[:2]] == [
        ("instruction_following, start", "1", "1", "1", "1"),
        ("preference_following, start", "2", "1", "0", "1"),
    ]
