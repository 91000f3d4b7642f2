"""Recall in three steps against the best observations in full: tokens, and how often it is there.

The one who loads everything puts the `BEST` best hits into the prompt in full. The one who recalls
in three steps reads `LINES` lines and opens a few observations in full. Which ones is up to a
reader, of which there are two: *first* knows nothing and opens the first `OPENED` lines; *knowing*
recognises the line of the answer where it is shown, and opens the first line where it is not. A
language model is somewhere between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

import recollect
from benchmarks.datasets.agent_work import AgentWork, WorkQuestion, make_work
from benchmarks.datasets.work_seen import SEEN
from benchmarks.datasets.work_unseen import UNSEEN
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Progress
from benchmarks.quality.work_homes import StoredWork, store_work
from recollect.memory import Memory
from recollect.text.tokens import estimate_tokens

HALVES = (SEEN, UNSEEN)
BEST = 20
"""Observations that are loaded in full without the three steps."""
LINES = 40
"""Lines that are read in the three steps."""
OPENED = 1
"""Lines that the reader opens who knows nothing."""

Reader = Callable[[Sequence[int], int | None], Sequence[int]]
"""Returns which places to open, of the numbers shown and the one that holds the answer."""


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """What one way of recalling came to.

    Attributes:
        way: Which one.
        half: Of the questions.
        questions: How many.
        loaded: How often the observation that holds the answer was loaded in full.
        tokens: A question, on average.
    """

    way: str
    half: str
    questions: int
    loaded: int
    tokens: float


class DisclosureRun(msgspec.Struct, frozen=True, kw_only=True):
    """All ways on both halves."""

    environment: Environment
    seed: int
    observations: int
    mode: str
    recalled: tuple[Recalled, ...]


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A question, what was found for it, and what it costs."""

    half: str
    gold: int
    numbers: tuple[int, ...]
    lines: int
    full: Mapping[int, int]


def run_disclosure(
    environment: Environment, root: Path, seed: int, observations: int, progress: Progress
) -> DisclosureRun:
    """Return what three steps cost and find, and what the best in full do.

    Args:
        environment: What it runs on.
        root: A folder for the home.
        seed: The same seed makes the same work.
        observations: How many.
        progress: Told what goes on.

    Raises:
        RecollectError: the product failed.
    """
    progress("making up work", 0, 1)
    work = make_work(HALVES, seed, observations)
    with recollect.open(root / "home", live=False) as memory:
        progress("storing", 0, 1)
        stored = store_work(memory, work)
        mode = memory.search("anything", sources=["observations"]).mode
        asked = list(_ask_all(memory, work, stored, progress))
    return DisclosureRun(
        environment=environment,
        seed=seed,
        observations=len(work.observations),
        mode=mode,
        recalled=tuple(row for half in HALVES for row in _ways(half.name, asked)),
    )


def _ask_all(
    memory: Memory, work: AgentWork, stored: StoredWork, progress: Progress
) -> Iterator[_Asked]:
    number_of = {key: number for number, key in stored.numbers.items()}
    for done, question in enumerate(work.questions):
        progress("asking", done, len(work.questions))
        yield _ask(memory, question, number_of[question.gold])


def _ask(memory: Memory, question: WorkQuestion, gold: int) -> _Asked:
    shown = memory.lines(memory.search(question.text, LINES, 0.0, ["observations"]))
    numbers = [line.number for line in shown.lines if line.number is not None]
    opened = {*numbers[:BEST], *({gold} & set(numbers))}
    batch = memory.observations.get([f"#{number}" for number in opened], None)
    return _Asked(
        half=question.half,
        gold=gold,
        numbers=tuple(numbers),
        lines=shown.tokens,
        full={
            each.number: sum(
                map(estimate_tokens, (each.title, each.summary, each.input, each.output))
            )
            for each in batch.found
        },
    )


def read_first(numbers: Sequence[int], _: int | None, most: int = OPENED) -> Sequence[int]:
    """Open the first lines, whatever they say."""
    return range(min(most, len(numbers)))


def read_knowing(numbers: Sequence[int], gold: int | None) -> Sequence[int]:
    """Open the line of the answer where it is shown, else the first."""
    return [numbers.index(gold)] if gold in numbers else [0]


def _ways(half: str, asked: Sequence[_Asked]) -> Iterator[Recalled]:
    of_half = [each for each in asked if each.half == half]
    ways: tuple[tuple[str, Reader, bool], ...] = (
        (f"the {BEST} best in full", partial(read_first, most=BEST), False),
        (f"{LINES} lines, the first {OPENED} in full", read_first, True),
        (f"{LINES} lines, a reader who knows", read_knowing, True),
    )
    for way, reader, with_lines in ways:
        loaded, tokens = 0, 0
        for each in of_half:
            opened = [each.numbers[place] for place in reader(each.numbers, each.gold)]
            loaded += each.gold in opened
            tokens += sum(each.full[number] for number in opened) + with_lines * each.lines
        yield Recalled(
            way=way,
            half=half,
            questions=len(of_half),
            loaded=loaded,
            tokens=tokens / len(of_half),
        )


def describe_disclosure(run: DisclosureRun) -> list[str]:
    """Return what it ran on."""
    told = f"seed {run.seed}, {run.observations:,} observations, {run.mode} search"
    return [*describe_lines(run.environment), told]


def disclosure_grids(run: DisclosureRun) -> list[Grid]:
    """Return a table for each half."""
    return [_grid(run, half.name) for half in HALVES]


def _grid(run: DisclosureRun, half: str) -> Grid:
    rows = [each for each in run.recalled if each.half == half]
    most = rows[0].tokens
    return Grid(
        title=f"Questions, {half} ({rows[0].questions})",
        columns=("way", "answer loaded in full", "tokens a question", "of the tokens"),
        rows=tuple(
            (each.way, f"{each.loaded}", f"{each.tokens:,.0f}", f"{each.tokens / most:.1%}")
            for each in rows
        ),
    )
