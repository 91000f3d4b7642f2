"""How many of the messages that an answer needs are quoted by a context block for its question?

Asked are the questions of BEAM that want a course of events or a summary, whose evidence lies in
many messages of a chat; beside the block stand the newest and the best messages of equal length.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
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
from recollect.recall.context.block import ContextBlock
from recollect.text.statements.statement import KINDS

GROUPS = ("event_ordering", "summarization")
BUDGET_TOKENS = 4_000
_HITS = 50


class QuotedShare(msgspec.Struct, frozen=True):
    """Shares of the evidence of a question, and how much a block took for it.

    Attributes:
        group: Of questions.
        block: What the block quotes, or states a fact of.
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


class Chat:
    """A chat in a home of its own, and a session that begins after it.

    Args:
        memory: The home.
        conversation: What is said in it.
        questions: About it.
    """

    def __init__(
        self, memory: Memory, conversation: Conversation, questions: Sequence[Question]
    ) -> None:
        self.memory = memory
        self.questions = questions
        self.turns: dict[str, Turn] = {}
        """By the ids of their messages, oldest first."""
        for session in conversation.sessions:
            stored = memory.sessions.create()
            lines = [
                {"role": each.role, "content": each.text, "at": each.at} for each in session.turns
            ]
            messages = memory.sessions.append_many(stored.id, lines)
            self.turns |= zip((each.id for each in messages), session.turns, strict=True)
        memory.sync()
        self._next = memory.sessions.create().id

    def block(self, query: str | None, client: str | None = None) -> ContextBlock:
        """Return what a client is given for the next session, with a question or without one."""
        return self.memory.context(self._next, query, BUDGET_TOKENS, client=client, record=False)

    def traced(self, block: ContextBlock, kinds: Collection[str]) -> set[str]:
        """Return the keys of the turns that facts of some kinds in a block are from."""
        facts = [self.memory.facts.get(each.id) for each in block.items if each.kind == "fact"]
        sources = [each.message_id or "" for each in facts if each.kind in kinds]
        return {self.turns[each].key for each in sources if each in self.turns}


def stored_chats(
    data: DialogueSet, groups: Collection[str], *, hybrid: bool, progress: Progress
) -> Iterator[Chat]:
    """Yield each chat with the questions of some groups; its home is gone with the next one."""
    overrides = {} if hybrid else {"embedding.provider": "none"}
    for done, conversation in enumerate(data.conversations, 1):
        asked = [
            each
            for each in data.questions
            if each.cluster == conversation.key and each.group in groups
        ]
        with (
            TemporaryDirectory(prefix="recollect-bench-") as folder,
            recollect.open(Path(folder) / "home", overrides=overrides) as memory,
        ):
            yield Chat(memory, conversation, asked)
        progress("chats", done, len(data.conversations))


def run_quoted(
    environment: Environment, data: DialogueSet, *, hybrid: bool, progress: Progress
) -> QuotedRun:
    """Ask every question of the groups in the home of its chat."""
    chats = stored_chats(data, GROUPS, hybrid=hybrid, progress=progress)
    shares = tuple(_share(chat, each) for chat in chats for each in chat.questions)
    return QuotedRun(environment=environment, hybrid=hybrid, shares=shares)


def _share(chat: Chat, question: Question) -> QuotedShare:
    """Return the shares of a question."""
    gold, turns = set(question.gold), chat.turns
    block = chat.block(question.text)
    hits = chat.memory.search(question.text, _HITS, 0.0, ["sessions"]).hits
    best = (turns[hit.ref] for hit in hits if hit.ref in turns)
    quoted = {turns[each.id].key for each in block.items if each.id in turns}
    quoted |= chat.traced(block, KINDS)

    def share(keys: set[str]) -> float:
        return len(gold & keys) / len(gold)

    return QuotedShare(
        group=question.group,
        block=share(quoted),
        newest=share(_first(reversed(turns.values()), len(block.text))),
        best=share(_first(best, len(block.text))),
        lines=len(block.items),
        tokens=block.tokens,
    )


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
