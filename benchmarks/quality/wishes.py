"""Does the context block of the next session hold what the user asked for or prefers?

A chat of BEAM is the owner's; at its end the block of a new session is asked for, once for the
beginning and once for each question. Behind the questions of two types is an instruction or a
preference, which the question does not name.
"""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from typing import Literal, get_args

import msgspec

from benchmarks.datasets.beam import WISHES
from benchmarks.datasets.corpus import DialogueSet, Question
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from benchmarks.quality.quoted import Chat, stored_chats
from recollect.recall.context.block import ContextBlock
from recollect.recall.context.worth import told_words

Way = Literal["start", "question"]
CLIENT = "claude-code"
"""It takes the fewest letters."""
_MOST = 0.5
"""The share of the words of a wish that the line that says it has."""
_KINDS = frozenset({"rule", "preference", "decision"})
"""The facts that may be a wish: other lines of its message are not traced to it."""


class WishInBlock(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a block holds the wish behind a question.

    Attributes:
        question: The key of the question.
        group: Of questions.
        way: ``start``: the block of a session that begins; ``question``: the same for the question.
        is_said: A line has most words of the wish.
        is_traced: A rule, preference or decision of the block is from a message of its evidence.
        lines: Of the block.
        tokens: Of the block.
    """

    question: str
    group: str
    way: Way
    is_said: bool
    is_traced: bool
    lines: int
    tokens: int

    @property
    def is_held(self) -> bool:
        """Whether the reader of the block knows the wish, or where it was said."""
        return self.is_said or self.is_traced


class WishesRun(msgspec.Struct, frozen=True, kw_only=True):
    """The wishes behind all questions, in both ways."""

    environment: Environment
    hybrid: bool
    wishes: tuple[WishInBlock, ...]


def run_wishes(
    environment: Environment,
    data: DialogueSet,
    wishes: Mapping[str, str],
    *,
    hybrid: bool,
    progress: Progress,
) -> WishesRun:
    """Look for the wish behind each question in the blocks at the end of its chat."""
    judged = []
    for chat in stored_chats(data, WISHES, hybrid=hybrid, progress=progress):
        start = chat.block(None, CLIENT)
        for each in chat.questions:
            wish = wishes[each.key]
            judged.append(_judged(chat, each, wish, start, "start"))
            asked = chat.block(each.text, CLIENT)
            judged.append(_judged(chat, each, wish, asked, "question"))
    return WishesRun(environment=environment, hybrid=hybrid, wishes=tuple(judged))


def describe_wishes(run: WishesRun) -> list[str]:
    """Return what it ran on, and which wishes no block of a beginning holds."""
    missed = [each.question for each in run.wishes if each.way == "start" and not each.is_held]
    lines = [*describe_lines(run.environment), "hybrid" if run.hybrid else "lexical"]
    return [*lines, f"not in the block of a beginning: {', '.join(missed) or 'none'}"]


def wishes_grids(run: WishesRun) -> list[Grid]:
    """Return by type and way how many wishes are held."""
    rows = []
    for way in get_args(Way):
        for group in WISHES:
            of = [each for each in run.wishes if (each.group, each.way) == (group, way)]
            counts = [sum(each) for each in zip(*map(_marks, of), strict=True)] or [0, 0, 0]
            sizes = [fmean([0, *(getattr(each, name) for each in of)]) for name in _SIZES]
            shown = (*map(str, counts), *(f"{size:,.0f}" for size in sizes))
            rows.append((f"{group}, {way}", str(len(of)), *shown))
    header = ("questions", "number", "held", "said", "traced", *_SIZES)
    return [Grid(title="Wishes in the block of the next session", columns=header, rows=tuple(rows))]


_SIZES = ("lines", "tokens")


def _marks(of: WishInBlock) -> tuple[bool, bool, bool]:
    return of.is_held, of.is_said, of.is_traced


def _judged(
    chat: Chat, question: Question, wish: str, block: ContextBlock, way: Way
) -> WishInBlock:
    words = told_words(wish)
    return WishInBlock(
        question=question.key,
        group=question.group,
        way=way,
        is_said=any(
            len(words & told_words(line)) >= _MOST * len(words) for line in block.text.splitlines()
        ),
        is_traced=not chat.traced(block, _KINDS).isdisjoint(question.gold),
        lines=len(block.items),
        tokens=block.tokens,
    )
