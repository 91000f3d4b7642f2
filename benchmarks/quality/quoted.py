"""How many of the messages that an answer needs are quoted by a context block for its question?

Asked are the questions of BEAM that want a course of events or a summary, whose evidence lies in
many messages of a chat; beside the block stand the newest and the best messages of equal length.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import msgspec

import recollect
from benchmarks.datasets.corpus import Conversation, DialogueSet, Question, Turn
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from recollect.memory import Memory

GROUPS = ("event_ordering", "summarization")
BUDGET_TOKENS = 4_000
_HITS = 50


class QuotedShare(msgspec.Struct, frozen=True):
    """Shares of the evidence of a question, and how much a block took for it.

    Attributes:
        group: Of questions.
        block: What the block quotes.
        newest: What the newest whole messages of the same length hold.
        best: What the first hits of a search hold, as whole messages of the same length.
        lines: Of the block.
        tokens: Of the block.
    """

    group: str
    block: float
    newest: float
    best: float
    lines: float
    tokens: float


class QuotedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The shares of all questions."""

    environment: Environment
    hybrid: bool
    shares: tuple[QuotedShare, ...]


class _Chat:
    """A chat in a home of its own.

    Args:
        memory: The home.
        conversation: What is said in it.
    """

    def __init__(self, memory: Memory, conversation: Conversation) -> None:
        self._memory = memory
        self._turns: dict[str, Turn] = {}
        """The turns by the ids of their messages, oldest first."""
        for session in conversation.sessions:
            stored = memory.sessions.create()
            lines = [
                {"role": each.role, "content": each.text, "at": each.at} for each in session.turns
            ]
            messages = memory.sessions.append_many(stored.id, lines)
            self._turns |= zip((each.id for each in messages), session.turns, strict=True)
        memory.sync()
        self._asking = memory.sessions.create().id

    def ask(self, question: Question) -> QuotedShare:
        """Return the shares of a question."""
        memory, gold = self._memory, set(question.gold)
        block = memory.context(self._asking, question.text, BUDGET_TOKENS, record=False)
        hits = memory.search(question.text, _HITS, 0.0, ["sessions"]).hits
        best = (self._turns[hit.ref] for hit in hits if hit.ref in self._turns)
        quoted = {self._turns[each.id].key for each in block.items if each.id in self._turns}

        def share(keys: set[str]) -> float:
            return len(gold & keys) / len(gold)

        return QuotedShare(
            group=question.group,
            block=share(quoted),
            newest=share(_first(reversed(self._turns.values()), len(block.text))),
            best=share(_first(best, len(block.text))),
            lines=len(block.items),
            tokens=block.tokens,
        )


def run_quoted(
    environment: Environment, data: DialogueSet, *, hybrid: bool, progress: Progress
) -> QuotedRun:
    """Ask every question of the groups in the home of its chat."""
    overrides = {} if hybrid else {"embedding.provider": "none"}
    shares: list[QuotedShare] = []
    for done, conversation in enumerate(data.conversations, 1):
        asked = [
            each
            for each in data.questions
            if each.cluster == conversation.key and each.group in GROUPS
        ]
        with (
            TemporaryDirectory(prefix="recollect-bench-") as folder,
            recollect.open(Path(folder) / "home", overrides=overrides) as memory,
        ):
            chat = _Chat(memory, conversation)
            shares += [chat.ask(each) for each in asked]
        progress("chats", done, len(data.conversations))
    return QuotedRun(environment=environment, hybrid=hybrid, shares=tuple(shares))


def describe_quoted(run: QuotedRun) -> list[str]:
    """Return what it ran on."""
    return [*describe_lines(run.environment), "hybrid" if run.hybrid else "lexical"]


def quoted_grids(run: QuotedRun) -> list[Grid]:
    """Return the means by group."""
    rows = []
    for group in GROUPS:
        of = [each for each in run.shares if each.group == group]
        means = [fmean(getattr(each, name) for each in of) for name in ("block", "newest", "best")]
        sizes = [fmean(getattr(each, name) for each in of) for name in ("lines", "tokens")]
        shown = (*(f"{mean:.3f}" for mean in means), *(f"{size:,.0f}" for size in sizes))
        rows.append((group, str(len(of)), *shown))
    header = ("questions", "number", "block", "newest", "best", "lines", "tokens")
    return [Grid(title="Evidence that is quoted", columns=header, rows=tuple(rows))]


def _first(turns: Iterable[Turn], chars: int) -> set[str]:
    """Return the keys of the first turns that reach so many characters together."""
    keys = set()
    for turn in turns:
        if chars <= 0:
            break
        keys.add(turn.key)
        chars -= len(turn.text)
    return keys
