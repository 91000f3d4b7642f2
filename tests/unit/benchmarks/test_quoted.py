"""Quotes of context blocks: what a run counts, on a small chat."""

from __future__ import annotations

from benchmarks.datasets.corpus import Conversation, DatedSession, DialogueSet, Question, Turn
from benchmarks.measure.environment import describe_environment
from benchmarks.quality.quoted import quoted_grids, run_quoted


def _turn(number: int, text: str) -> Turn:
    return Turn(
        key=f"c/{number}", role="user", name=None, text=text, at=1_770_000_000_000 + number * 1_000
    )


def test_a_block_is_compared_with_whole_messages_of_its_length() -> None:
    """Long messages fill the length of the block before all of the evidence is there."""
    said = [
        f"The okapi card {number} went into the tin. " + "So it is. " * 200 for number in (1, 2)
    ]
    turns = tuple(_turn(number, text) for number, text in enumerate([*said, "Good night."]))
    data = DialogueSet(
        name="one",
        digest="",
        conversations=(Conversation(key="c", sessions=(DatedSession(key="c/s", turns=turns),)),),
        questions=(
            Question(
                key="q",
                cluster="c",
                group="event_ordering",
                text="In which order did the okapi cards go into the tin?",
                gold=("c/0", "c/1"),
            ),
            Question(key="r", cluster="c", group="abstention", text="zebra", gold=("c/0",)),
        ),
    )
    stages: list[str] = []
    run = run_quoted(
        describe_environment(), data, hybrid=False, progress=lambda *at: stages.append(at[0])
    )
    (share,) = run.shares
    assert (share.block, share.newest, share.best) == (1.0, 0.5, 0.5)
    assert 0 < share.tokens <= 4_000
    assert stages == ["chats"]
    (grid,) = quoted_grids(
        type(run)(
            environment=run.environment,
            hybrid=False,
            shares=(share, type(share)("summarization", 0.5, 0.0, 0.25, 1, 10)),
        )
    )
    assert [row[2:5] for row in grid.rows] == [
        ("1.000", "0.500", "0.500"),
        ("0.500", "0.000", "0.250"),
    ]
