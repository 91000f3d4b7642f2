"""Does what holds now come before what it replaced? Each change in a home of its own.

A home holds the messages of one item, and real lines between them that share its words. It is asked
as people do, with the default arguments. Items are shown of the sets in
`SHOWN` only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import recollect
from benchmarks.datasets.corpus import Turn
from benchmarks.datasets.replacements import (
    ChangedValue,
    FalseChange,
    Line,
    Lines,
    SetName,
    load_changed_values,
    load_false_changes,
)
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from recollect.core.clock import DAY_MS
from recollect.memory import Memory
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

SITTING_MS = DAY_MS // 4
"""Messages of an item that are further apart are of two sessions."""
LINES_OF_A_SESSION = 20
SHOWN = frozenset[SetName]({"seen", "opened"})
LEXICAL = {"embedding.provider": "none"}


class ReplacedPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is measured.

    Attributes:
        sets: Of which sets.
        lines: Real lines in each home.
        every: Only every so manieth item.
        hybrid: Whether with the local embedder.
    """

    sets: tuple[SetName, ...]
    lines: int
    every: int
    hybrid: bool


class ReplacedScore(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a group of changes.

    Attributes:
        group: The set, and which part of it.
        items: How many.
        linked: An old message was replaced by the current one.
        current_first: The first hit holds the current value.
        before_old: It stands before every old one.
        past_first: The first hit of the question for the past is right.
    """

    group: str
    items: int = 0
    linked: int = 0
    current_first: int = 0
    before_old: int = 0
    past_first: int = 0

    def plus(self, other: ReplacedScore) -> ReplacedScore:
        """Return the sums."""
        counts = {
            name: getattr(self, name) + getattr(other, name)
            for name in self.__struct_fields__
            if name != "group"
        }
        return ReplacedScore(group=self.group, **counts)


class FalseScore(msgspec.Struct, frozen=True, kw_only=True):
    """How many pairs that look like a change are linked; ``flagged`` are only marked."""

    group: str
    items: int = 0
    linked: int = 0
    flagged: int = 0


class ReplacedRun(msgspec.Struct, frozen=True, kw_only=True):
    """All scores, and what went wrong in the sets that are shown."""

    environment: Environment
    plan: ReplacedPlan
    scores: tuple[ReplacedScore, ...]
    false: tuple[FalseScore, ...]
    errors: tuple[str, ...]


def run_replaced(
    environment: Environment, lines: Lines, plan: ReplacedPlan, progress: Progress
) -> ReplacedRun:
    """Measure every set."""
    scores: dict[str, ReplacedScore] = {}
    false: list[FalseScore] = []
    errors: list[str] = []
    for name in plan.sets:
        items = load_changed_values(name)[:: plan.every]
        for done, item in enumerate(items, 1):
            score = _changed(item, lines.near(item, plan.lines), plan)
            for group in _groups(name, item):
                known = scores.get(group, ReplacedScore(group=group))
                scores[group] = known.plus(score)
            if name in SHOWN:
                errors += _errors(item, score)
            progress(f"{name} changes", done, len(items))
        pairs = load_false_changes(name)[:: plan.every]
        counts = [_falsely(pair) for pair in pairs]
        false.append(
            FalseScore(
                group=name,
                items=len(pairs),
                linked=sum(linked for linked, _ in counts),
                flagged=sum(flagged for _, flagged in counts),
            )
        )
        if name in SHOWN:
            wrong = zip(pairs, counts, strict=True)
            errors += [f"{e.id} falsely: {e.messages[e.second].text}" for e, n in wrong if n[0]]
    ordered = tuple(scores[group] for group in sorted(scores))
    return ReplacedRun(
        environment=environment, plan=plan, scores=ordered, false=tuple(false), errors=tuple(errors)
    )


def _groups(name: str, item: ChangedValue) -> Iterator[str]:
    yield name
    yield f"{name} {item.language}"
    if item.shares_no_word:
        yield f"{name} without a word in common"


def _changed(item: ChangedValue, lines: Sequence[Turn], plan: ReplacedPlan) -> ReplacedScore:
    overrides = {} if plan.hybrid else LEXICAL
    with TemporaryDirectory(prefix="recollect-bench-") as folder:
        home = Path(folder) / "home"
        with recollect.open(home, overrides=overrides, live=False) as memory:
            _fill(memory, lines, item.messages)
            keys = _store(memory, item.messages)
            memory.sync()
            found = _asked(memory, item.question, keys)
            past = _asked(memory, item.past_question, keys)
            links = links_of(memory)
    current = {item.current, *item.also_current}
    rank = next((n for n, each in enumerate(found) if each in current), None)
    old = next((n for n, each in enumerate(found) if each in item.old), len(found))
    by_key = {id_: number for number, id_ in enumerate(keys)}
    pairs = {
        (by_key.get(older), by_key.get(newer)) for older, newer, _, flagged in links if not flagged
    }
    return ReplacedScore(
        group="",
        items=1,
        linked=any((each, item.current) in pairs for each in item.old),
        current_first=rank == 0,
        before_old=rank is not None and rank < old,
        past_first=bool(past) and past[0] in {item.past_current, *item.past_also},
    )


def _errors(item: ChangedValue, score: ReplacedScore) -> Iterator[str]:
    wrong = [n for n in ("linked", "current_first", "past_first") if not getattr(score, n)]
    if wrong:
        yield f"{item.id} not {', '.join(wrong)}: {item.messages[item.current].text}"


def _fill(memory: Memory, lines: Sequence[Turn], messages: Sequence[Line]) -> None:
    """Store lines, spread over the time from the first message of an item to its last."""
    first, last = messages[0].at_ms, messages[-1].at_ms
    step = max(1, (last - first) // max(1, len(lines)))
    for start in range(0, len(lines), LINES_OF_A_SESSION):
        session = memory.sessions.create().id
        part = lines[start : start + LINES_OF_A_SESSION]
        drafts = [
            {"role": turn.role, "content": turn.text, "at": first + n * step}
            for n, turn in enumerate(part, start)
        ]
        memory.sessions.append_many(session, drafts)


def _store(memory: Memory, messages: Sequence[Line]) -> list[str]:
    """Store the messages of an item; return their ids."""
    keys: list[str] = []
    session, at = "", 0
    for each in messages:
        if not session or each.at_ms - at > SITTING_MS:
            session = memory.sessions.create().id
        at = each.at_ms
        keys.append(memory.sessions.append(session, each.role, each.text, at=at).id)
    return keys


def _asked(memory: Memory, question: str, keys: Sequence[str]) -> list[int]:
    """Return the hits of a question as numbers of the item's messages; -1 for a line."""
    by_key = {key: number for number, key in enumerate(keys)}
    return [by_key.get(hit.ref, -1) for hit in memory.search(question).hits]


def _falsely(pair: FalseChange) -> tuple[bool, bool]:
    """Return whether the second message of a pair replaces the first, and whether it is flagged."""
    with (
        TemporaryDirectory(prefix="recollect-bench-") as folder,
        recollect.open(Path(folder) / "home", overrides=LEXICAL, live=False) as memory,
    ):
        keys = _store(memory, pair.messages)
        memory.sync()
        links = links_of(memory)
    flags = [
        f for older, newer, _, f in links if (older, newer) == (keys[pair.first], keys[pair.second])
    ]
    return False in flags, True in flags


def links_of(memory: Memory) -> list[tuple[str, str, str, bool]]:
    """Return the messages of every link, older and newer, its rule, and whether it is flagged."""

    def read(tx: Transaction) -> list[tuple[str, str, str, int]]:
        rows = tx.all("SELECT older_id, newer_id, rule, is_flagged FROM replacements")
        return typed_rows(rows, tuple[str, str, str, int])

    found = memory._rooms.records.read(read)  # noqa: SLF001  # no other surface
    return [(older, newer, rule, bool(is_flagged)) for older, newer, rule, is_flagged in found]


def describe_replaced(run: ReplacedRun) -> list[str]:
    """Return what it ran on."""
    how = "hybrid" if run.plan.hybrid else "lexical"
    return [*describe_lines(run.environment), f"{run.plan.lines} real lines a home, {how}"]


def replaced_grids(run: ReplacedRun, *, errors: bool) -> list[Grid]:
    """Return the tables: changes, false changes, and the errors of the seen set if asked."""
    names = ("linked", "current_first", "before_old", "past_first")
    rows = tuple(
        (s.group, str(s.items), *(f"{getattr(s, n) / max(1, s.items):.3f}" for n in names))
        for s in run.scores
    )
    header = ("changes", "items", "linked", "current first", "before old", "past first")
    grids = [Grid(title="Changes", columns=header, rows=rows)]
    false = tuple(
        (s.group, str(s.items), f"{s.linked / max(1, s.items):.3f}", str(s.flagged))
        for s in run.false
    )
    grids.append(
        Grid(title="No changes", columns=("pairs", "items", "linked", "flagged"), rows=false)
    )
    if errors:
        wrong = tuple((each,) for each in run.errors)
        grids.append(Grid(title="Errors of the seen set", columns=("item",), rows=wrong))
    return grids
