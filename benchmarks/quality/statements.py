"""How well statements are detected: precision and recall by kind and language, and the cost.

Beside them: how many of the labelled questions have their kind told right.

A detected statement is right where a labelled fact of its kind shares half of the shorter of the
two spans; a fact is found likewise. The messages of the sets in `SHOWN` may be looked at one
by one; of the unseen ones there are only totals.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import msgspec

from benchmarks.datasets.labelled_messages import (
    Change,
    Labelled,
    LabelledMessage,
    beam_messages,
    load_changes,
    load_labelled,
    load_real,
)
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.question_kinds import (
    QuestionKindsRun,
    question_kinds_grid,
    run_question_kinds,
)
from recollect.text.statements.detector import detect
from recollect.text.statements.statement import Statement

SHOWN = ("seen", "opened")
UNSEEN = "unseen"
_SHARE = 0.5
_LONG_WORDS = 200
_ROUNDS = 3


class DetectionScore(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a group of messages.

    Attributes:
        group: The set, and its language or kind.
        detected: Statements that were detected; ``right`` of them are labelled.
        labelled: Facts; ``found`` of them were detected.
    """

    group: str
    detected: int = 0
    right: int = 0
    labelled: int = 0
    found: int = 0

    @property
    def precision(self) -> float:
        """The share of what was detected that is right."""
        return self.right / max(1, self.detected)

    @property
    def recall(self) -> float:
        """The share of what is labelled that was found."""
        return self.found / max(1, self.labelled)


class DetectionCost(msgspec.Struct, frozen=True, kw_only=True):
    """CPU of a message in ms, on average, of messages of one role and length."""

    messages: str
    count: int
    mean_ms: float


class StatementsRun(msgspec.Struct, frozen=True, kw_only=True):
    """Scores, costs, and what went wrong in the sets that are shown."""

    environment: Environment
    scores: tuple[DetectionScore, ...]
    changes_right: int
    changes: int
    kinds: QuestionKindsRun
    costs: tuple[DetectionCost, ...]
    statements_per_1000: float
    errors: tuple[str, ...]


def run_statements(environment: Environment, folder: Path | None) -> StatementsRun:
    """Return the scores of all sets; those of real messages and the costs where there is data."""
    shown = {name: load_labelled(name) for name in SHOWN}
    pairs = load_changes()
    missed = [each for each in pairs if not is_followed(each)]
    scores = [
        score
        for name, messages in {**shown, UNSEEN: load_labelled(UNSEEN)}.items()
        for score in score_messages(name, messages, kinds=True)
    ]
    costs: tuple[DetectionCost, ...] = ()
    per_1000 = 0.0
    if folder is not None:
        real = load_real(folder, "opened")
        scores += score_messages("opened, real", real, kinds=True)
        scores += score_messages(f"{UNSEEN}, real", load_real(folder, UNSEEN), kinds=True)
        shown["real"] = real
        costs, per_1000 = _costs(list(beam_messages(folder)))
    return StatementsRun(
        environment=environment,
        scores=tuple(scores),
        changes_right=len(pairs) - len(missed),
        changes=len(pairs),
        kinds=run_question_kinds(),
        costs=costs,
        statements_per_1000=per_1000,
        errors=(*chain.from_iterable(map(_errors, shown.values())), *map(_change_error, missed)),
    )


def is_followed(change: Change) -> bool:
    """Return whether two messages say the old and the new value of one slot.

    The second may instead tell that the old value is gone.
    """
    for second in detect(change.second):
        if second.slot is None or second.value != change.new:
            continue
        for first in detect(change.first):
            if first.value == change.old and first.subject == second.subject:
                return first.slot == second.slot or change.old in second.loses
    return False


def _kept(message: LabelledMessage) -> list[Statement]:
    found = detect(message.text, message.role)
    return [each for each in found if each.kind is not None and each.is_asserted]


def kind_of(message: LabelledMessage, start: int, end: int) -> str | None:
    """Return the kind of the fact that shares most of a span, and enough; None if none does."""
    near = [each for each in message.facts if _share(each, start, end) >= _SHARE]
    return max(near, key=lambda fact: _shared(fact, start, end)).kind if near else None


def _shared(fact: Labelled, start: int, end: int) -> int:
    return min(end, fact.end) - max(start, fact.start)


def _share(fact: Labelled, start: int, end: int) -> float:
    """Return what part of the shorter of a fact and a span both share."""
    return _shared(fact, start, end) / max(1, min(end - start, fact.end - fact.start))


def _overlap(statement: Statement, fact: Labelled) -> bool:
    return _share(fact, statement.start, statement.end) >= _SHARE


def _is_same(statement: Statement, fact: Labelled) -> bool:
    return statement.kind == fact.kind and _overlap(statement, fact)


def score_messages(
    name: str, messages: Iterable[LabelledMessage], *, kinds: bool = False
) -> Iterator[DetectionScore]:
    """Yield the scores of a set: all, rules, spans whatever their kind, languages, and kinds."""
    counts: dict[str, list[int]] = {}

    def count(groups: Iterable[str], at: int, *, is_good: bool) -> None:
        for group in groups:
            row = counts.setdefault(group, [0, 0, 0, 0])
            row[at] += 1
            row[at + 1] += is_good

    for message in messages:
        found = _kept(message)
        for statement in found:
            is_right = any(_is_same(statement, fact) for fact in message.facts)
            count(_groups(message, statement.kind, kinds=kinds), 0, is_good=is_right)
            is_near = any(_overlap(statement, fact) for fact in message.facts)
            count(["any kind"], 0, is_good=is_near)
        for fact in message.facts:
            is_right = any(_is_same(statement, fact) for statement in found)
            count(_groups(message, fact.kind, kinds=kinds), 2, is_good=is_right)
            count(["any kind"], 2, is_good=any(_overlap(each, fact) for each in found))
    for group, (detected, right, labelled, hit) in sorted(counts.items()):
        yield DetectionScore(
            group=f"{name}: {group}", detected=detected, right=right, labelled=labelled, found=hit
        )


def _groups(message: LabelledMessage, kind: str | None, *, kinds: bool) -> list[str]:
    groups = ["all", message.language]
    if kind == "rule":
        groups.append("rules")
    return [*groups, f"kind {kind}"] if kinds else groups


def _errors(messages: Iterable[LabelledMessage]) -> Iterator[str]:
    for message in messages:
        found = _kept(message)
        for each in found:
            if not any(_is_same(each, fact) for fact in message.facts):
                yield f"{message.id} wrong {each.kind}: {each.text}"
        for fact in message.facts:
            if not any(_is_same(each, fact) for each in found):
                yield f"{message.id} missed {fact.kind}: {message.text[fact.start : fact.end]}"


def _change_error(change: Change) -> str:
    said = [
        [(each.slot and each.slot.name, each.value, each.loses) for each in detect(text)]
        for text in (change.first, change.second)
    ]
    return f"{change.id} change: {change.first} / {change.second} {said}"


def _costs(messages: list[tuple[str, str]]) -> tuple[tuple[DetectionCost, ...], float]:
    """Return the costs by role and length, the best of some rounds, and statements per 1,000."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for role, text in messages:
        length = "long" if len(text.split()) > _LONG_WORDS else "short"
        groups.setdefault(f"{role}, {length}", []).append((text, role))
        groups.setdefault(f"all, {length}", []).append((text, role))
    stated = sum(len(detect(text, role)) for role, text in messages)
    costs = []
    for name, group in sorted(groups.items()):
        rounds = []
        for _ in range(_ROUNDS):
            begun = time.process_time()
            for text, role in group:
                detect(text, role)
            rounds.append((time.process_time() - begun) / len(group) * 1000)
        costs.append(DetectionCost(messages=name, count=len(group), mean_ms=min(rounds)))
    return tuple(costs), 1000 * stated / max(1, len(messages))


def describe_statements(run: StatementsRun) -> list[str]:
    """Return what it ran on."""
    return describe_lines(run.environment)


def statements_grids(run: StatementsRun, *, errors: bool) -> list[Grid]:
    """Return the tables: scores, changes, costs, and the errors if asked."""
    rows = tuple(
        (
            each.group,
            f"{each.precision:.3f}",
            f"{each.right} of {each.detected}",
            f"{each.recall:.3f}",
            f"{each.found} of {each.labelled}",
        )
        for each in run.scores
    )
    header = ("messages", "precision", "right", "recall", "found")
    grids = [Grid(title="Statements", columns=header, rows=rows)]
    followed = (("seen changes", f"{run.changes_right} of {run.changes}"),)
    grids.append(Grid(title="Changes", columns=("pairs", "both values, one slot"), rows=followed))
    grids.append(question_kinds_grid(run.kinds))
    if run.costs:
        costs = tuple(
            (each.messages, f"{each.count:,}", f"{each.mean_ms:.3f}") for each in run.costs
        )
        costs += (("statements in 1,000 messages", "", f"{run.statements_per_1000:.0f}"),)
        grids.append(
            Grid(title="CPU on BEAM", columns=("messages", "count", "mean ms"), rows=costs)
        )
    if errors:
        lines = tuple((each,) for each in (*run.errors, *run.kinds.errors))
        grids.append(
            Grid(title="Errors of the sets that are shown", columns=("message",), rows=lines)
        )
    return grids
