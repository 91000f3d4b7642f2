"""Moments: is the type of an observation right, by words and by tool.

Each labelled hook event is handed to the use case of the hook route, in a session of its own, and
its observation is read back. The set is described in ``tests/fixtures/moments/README.md``. Of the
unseen half only totals may be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

import recollect
from benchmarks.datasets.data import data_file, decode, read_plain
from benchmarks.datasets.scenes import Fired
from benchmarks.load.session_writer import ALONE
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from benchmarks.quality.scene_play import RouteStage, SceneClock
from recollect.core.clock import derived_id

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "moments"
STEPS = ("trivial", "normal", "important")
PROJECT = "/home/ana/proj"
_FIRST, _STEP_MS = 1_793_600_000_000, 60_000

MomentSet: TypeAlias = Literal["seen", "unseen"]


class LabelledMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A hook event, and the type of its observation.

    Attributes:
        event: The payload, without what all events have.
        type: The right type.
        by: Whether ``words`` decide it or the ``tool``.
        importance: One of `STEPS`.
    """

    id: str
    language: str
    event: dict[str, Any]
    type: str
    by: Literal["words", "tool"]
    importance: str


class TypeScore(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of a type.

    Attributes:
        group: The type; or ``all``, how many have the right one.
        classified: How many got this type; ``right`` of them have it.
        labelled: How many have it.
    """

    by: str
    group: str
    classified: int
    right: int
    labelled: int

    @property
    def precision(self) -> float:
        """The share of those that got the type that have it."""
        return self.right / max(1, self.classified)

    @property
    def recall(self) -> float:
        """The share of those that have the type that got it."""
        return self.right / max(1, self.labelled)


class MomentsRun(msgspec.Struct, frozen=True, kw_only=True):
    """Scores of a set.

    Attributes:
        ordered: Of two moments with different steps of importance, the share of pairs in which the
            more important one is stored as such; a tie is half a pair.
        errors: What is wrong; empty for the unseen half.
    """

    environment: Environment
    set: MomentSet
    scores: tuple[TypeScore, ...]
    ordered: float
    errors: tuple[str, ...]


def load_moments(name: MomentSet) -> tuple[LabelledMoment, ...]:
    """Return a half of the set.

    Raises:
        NotFound: its file is missing.
        InvalidInput: it has another format.
    """
    file = data_file(FOLDER, f"{name}.json.gz")
    return decode(read_plain(file), tuple[LabelledMoment, ...], file.name)


def run_moments(
    environment: Environment, name: MomentSet, root: Path, progress: Progress
) -> MomentsRun:
    """Return how a half of the set is classified.

    Raises:
        RecollectError: the product failed.
    """
    moments = load_moments(name)
    stored = _stored(moments, root / "home", progress)
    pairs = list(zip(moments, (type_ for type_, _ in stored), strict=True))
    wrong = (
        f"{moment.id} {type_} for {moment.type}: {_text(moment)}"
        for moment, type_ in pairs
        if type_ != moment.type
    )
    return MomentsRun(
        environment=environment,
        set=name,
        scores=tuple(_scores(pairs)),
        ordered=_ordered(moments, [importance for _, importance in stored]),
        errors=() if name == "unseen" else tuple(wrong),
    )


def _stored(
    moments: Sequence[LabelledMoment], home: Path, progress: Progress
) -> list[tuple[str, float]]:
    """Return type and importance of each observation; ``none`` where there is none."""
    clock = SceneClock()
    clock.reach(_FIRST)
    with recollect.open(home, overrides=ALONE, clock=clock, live=False) as memory:
        stage, numbers = RouteStage(memory, clock), list[int]()
        for done, moment in enumerate(moments):
            progress("classifying", done, len(moments))
            common = {
                "session_id": derived_id(0, moment.id),
                "cwd": PROJECT,
                "prompt_id": moment.id,
            }
            stage.fire(Fired(at=_FIRST + done * _STEP_MS, payload=common | moment.event))
            newest = memory.observations.list(limit=1)
            numbers.append(newest[0].number if newest else 0)
        stage.settle()
        stored = {each.number: each for each in memory.observations.list(limit=len(moments))}
    is_new = [number not in numbers[:at] for at, number in enumerate(numbers)]
    return [
        (stored[number].type, stored[number].importance)
        if new and number in stored
        else ("none", 0.0)
        for number, new in zip(numbers, is_new, strict=True)
    ]


def _text(moment: LabelledMoment) -> str:
    event = moment.event
    said = event.get("prompt") or event.get("last_assistant_message") or event.get("tool_input")
    return " ".join(str(said).split())[:120]


def _scores(pairs: Sequence[tuple[LabelledMoment, str]]) -> Iterator[TypeScore]:
    for by in ("words", "tool"):
        some = [(moment.type, type_) for moment, type_ in pairs if moment.by == by]
        right = sum(label == type_ for label, type_ in some)
        yield TypeScore(
            by=by, group="all", classified=len(some), right=right, labelled=len(some)
        )  # fmt: skip
        for kind in sorted({label for label, _ in some} | {type_ for _, type_ in some}):
            yield TypeScore(
                by=by,
                group=kind,
                classified=sum(type_ == kind for _, type_ in some),
                right=sum(label == type_ == kind for label, type_ in some),
                labelled=sum(label == kind for label, _ in some),
            )


def _ordered(moments: Sequence[LabelledMoment], stored: Sequence[float]) -> float:
    rows = [
        (STEPS.index(moment.importance), importance)
        for moment, importance in zip(moments, stored, strict=True)
    ]
    pairs = [
        1.0 if more > less else 0.5 if more == less else 0.0
        for low, less in rows
        for high, more in rows
        if high > low
    ]
    return sum(pairs) / max(1, len(pairs))


def describe_moments(run: MomentsRun) -> list[str]:
    """Return what was classified on what."""
    count = sum(score.labelled for score in run.scores if score.group == "all")
    return [f"{count} {run.set} moments", *describe_lines(run.environment)]


def moment_grids(run: MomentsRun, *, errors: bool) -> list[Grid]:
    """Return the scores by type, the order of importance, and the errors if asked."""
    rows = tuple(
        (
            f"{score.by}: {score.group}",
            f"{score.precision:.3f}",
            f"{score.right} of {score.classified}",
            f"{score.recall:.3f}",
            f"{score.right} of {score.labelled}",
        )
        for score in run.scores
    )
    columns = ("type", "precision", "right", "recall", "found")
    grids = [
        Grid(title="Types of observations", columns=columns, rows=rows),
        Grid(
            title="Importance",
            columns=("pairs in order", ""),
            rows=(("of different steps", f"{run.ordered:.3f}"),),
        ),
    ]
    if errors:
        lines = tuple((each,) for each in run.errors)
        grids.append(Grid(title="Errors of the seen half", columns=("moment",), rows=lines))
    return grids
