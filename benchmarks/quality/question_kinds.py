"""Is the kind of a question told: what holds, what held before, or an event?

The questions of the sets in `SHOWN` may be looked at one by one; of the unseen ones there are only
totals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from benchmarks.datasets.labelled_messages import LabelledQuestion, load_question_kinds
from benchmarks.measure.report import Grid
from recollect.text.question_kinds import question_kind

SETS = ("seen", "opened", "judged_opened", "patterns", "unseen")
SHOWN = frozenset(SETS) - {"unseen"}


class QuestionKindScore(msgspec.Struct, frozen=True):
    """How many questions of a group have their kind told right."""

    group: str
    questions: int
    right: int


class QuestionKindsRun(msgspec.Struct, frozen=True):
    """The scores of all sets, and what went wrong in those that are shown."""

    scores: tuple[QuestionKindScore, ...]
    errors: tuple[str, ...]


def run_question_kinds() -> QuestionKindsRun:
    """Return the scores of every set, in total and by kind."""
    scores: list[QuestionKindScore] = []
    errors: list[str] = []
    for name in SETS:
        questions = load_question_kinds(name)
        told = [question_kind(each.text) for each in questions]
        scores += _scores(name, questions, told)
        if name in SHOWN:
            errors += [
                f"{each.id} {each.kind}, not {kind}: {each.text}"
                for each, kind in zip(questions, told, strict=True)
                if kind != each.kind
            ]
    return QuestionKindsRun(tuple(scores), tuple(errors))


def question_kinds_grid(run: QuestionKindsRun) -> Grid:
    """Return the table of the scores."""
    rows = tuple(
        (
            each.group,
            f"{each.right / max(1, each.questions):.3f}",
            f"{each.right} of {each.questions}",
        )
        for each in run.scores
    )
    return Grid(title="Kinds of questions", columns=("questions", "share", "right"), rows=rows)


def _scores(
    name: str, questions: Sequence[LabelledQuestion], told: Sequence[str]
) -> Iterator[QuestionKindScore]:
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for question, kind in zip(questions, told, strict=True):
        for group in ("all", f"kind {question.kind}"):
            asked[group] += 1
            right[group] += kind == question.kind
    for group in sorted(asked):
        yield QuestionKindScore(f"{name}: {group}", asked[group], right[group])
