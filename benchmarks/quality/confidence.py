"""Confidence: does `SearchResult.confidence` know whether the answer is among the hits.

Each conversation is asked its own questions and as many of the others, with its people's names put
in, so that no name gives them away. The best score alone is measured beside it. BEAM's abstention
questions are about what its chats are about, and only the fact is missing.

The constants are fitted anew, too, once for each conversation without it, as they would be chosen
on the others: what is printed for those is what to expect of a conversation never seen.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

import recollect
from benchmarks.datasets.corpus import Conversation, DialogueSet
from benchmarks.measure.environment import Environment, describe_lines
from benchmarks.measure.report import Grid
from benchmarks.quality.homes import Homes, IndexedHome, Progress, hit_key
from benchmarks.quality.product import Mode, open_product
from recollect.index.query.confidence import (
    CALIBRATIONS,
    MEASURES,
    THIRTIETH,
    Calibration,
    Measures,
    measures,
)
from recollect.index.query.hit import Hit
from recollect.index.query.question import Ranked
from recollect.memory import Memory
from recollect.text.terms import query_terms

LIMIT = 6
BINS = 10
SEED = 20_261_122
_STEPS, _RIDGE = 50, 0.01

Doubles = NDArray[np.float64]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A question as it was answered.

    Attributes:
        dataset: Where it is from.
        cluster: The conversation that was searched.
        mode: What took part.
        is_own: Whether the conversation holds its answer.
        is_found: Whether one of the hits holds it.
        confidence: What the product said.
        best: The best score, 0 without hits.
        measured: What the logistic takes; None without hits.
    """

    dataset: str
    cluster: str
    mode: Mode
    is_own: bool
    is_found: bool
    confidence: float
    best: float
    measured: Measures | None


class Reliability(msgspec.Struct, frozen=True, kw_only=True):
    """How often the answer was among the hits, of those with a confidence from ``low``."""

    low: float
    n: int
    said: float
    found: float


class ConfidenceScore(msgspec.Struct, frozen=True, kw_only=True):
    """One way of telling answers from the rest.

    Attributes:
        dataset: LoCoMo or BEAM.
        mode: What took part.
        by: The product's confidence, the best score alone, or the constants fitted anew.
        found: Own questions with the answer among the hits.
        foreign: Questions without an answer.
        auroc: How often one of the first is above one of the second; 0.5 is chance.
        ece: Expected calibration error over ten bins, questions whose answer was missed included.
        bins: The reliability.
    """

    dataset: str
    mode: Mode
    by: str
    found: int
    foreign: int
    auroc: float
    ece: float
    bins: tuple[Reliability, ...]


class ConfidenceRun(msgspec.Struct, frozen=True, kw_only=True):
    """The scores, and the constants that all questions together ask for."""

    environment: Environment
    scores: tuple[ConfidenceScore, ...]
    fitted: dict[str, Calibration]


def run_confidence(
    environment: Environment,
    data: tuple[DialogueSet, DialogueSet, Mapping[str, Sequence[str]]],
    modes: Sequence[Mode],
    root: Path,
    progress: Progress,
) -> ConfidenceRun:
    """Return the scores of every mode.

    Args:
        environment: What it runs on.
        data: LoCoMo, BEAM, and the abstention questions of BEAM's chats by conversation.
        modes: What takes part.
        root: Where homes are filled, or found.
        progress: Told what goes on.
    """
    locomo, beam, abstentions = data
    homes = Homes(root, open_product, progress)
    swapped = foreign_questions(locomo)
    asked: list[Asked] = []
    for dataset, foreign in ((locomo, swapped), (beam, abstentions)):
        for done, conversation in enumerate(dataset.conversations):
            progress(f"asking {dataset.name}", done, len(dataset.conversations))
            home = homes.of_conversations(dataset, (conversation,), {})
            with recollect.open(home.home, live=False) as memory:
                memory.sync()
                ask = _Asker(memory, home, dataset.name, conversation.key)
                own = [one for one in dataset.questions if one.cluster == conversation.key]
                for mode in modes:
                    asked += [ask(one.text, mode, one.gold) for one in own]
                    asked += [ask(text, mode, ()) for text in foreign.get(conversation.key, ())]
    return ConfidenceRun(
        environment=environment,
        scores=tuple(score for mode in modes for score in _scores(asked, mode)),
        fitted={
            mode: fit(of_mode)
            for mode in modes
            if (of_mode := [one for one in asked if one.mode == mode])
        },
    )


class _Asker:
    """Asks one conversation."""

    def __init__(self, memory: Memory, home: IndexedHome, dataset: str, cluster: str) -> None:
        self._memory = memory
        self._home = home
        self._of = dataset, cluster

    def __call__(self, text: str, mode: Mode, gold: Sequence[str]) -> Asked:
        """Return how a question was answered; one without gold is of another conversation."""
        result = self._memory.search(text, LIMIT, mode=mode)
        further = self._memory.search(text, THIRTIETH + 1, mode=mode).hits
        keys = [self._home.keys[hit_key(hit.session_id, hit.seq, None)] for hit in result.hits]
        best = max((hit.score for hit in result.hits), default=0.0)
        dataset, cluster = self._of
        return Asked(
            dataset=dataset,
            cluster=cluster,
            mode=mode,
            is_own=bool(gold),
            is_found=not set(gold).isdisjoint(keys),
            confidence=result.confidence,
            best=best,
            measured=measures(result.hits, _as_ranked(further), len(set(query_terms(text))))
            if result.hits
            else None,
        )


def _as_ranked(hits: Sequence[Hit]) -> Ranked:
    """Return what a ranking says of its first hits."""
    return Ranked(
        numbers=[*range(len(hits))],
        scores=[hit.score for hit in hits],
        ranks=[],
        are_files=[],
        is_all=False,
        why=lambda positions: [hits[position].why for position in positions],
        respelled={},
    )


def foreign_questions(data: DialogueSet) -> dict[str, list[str]]:
    """Return for each conversation as many questions of the others as it has, names swapped."""
    names = {each.key: _speakers(each) for each in data.conversations}
    draw = random.Random(SEED)  # noqa: S311  # not for security
    found: dict[str, list[str]] = {}
    for conversation in data.conversations:
        own = sum(one.cluster == conversation.key for one in data.questions)
        others = [one for one in data.questions if one.cluster != conversation.key]
        found[conversation.key] = [
            with_names(
                one.text, dict(zip(names[one.cluster], names[conversation.key], strict=False))
            )
            for one in draw.sample(others, min(own, len(others)))
        ]
    return found


def with_names(text: str, names: Mapping[str, str]) -> str:
    """Return a question with other names in it.

    >>> with_names("What does Ann think of Bob's plan?", {"Ann": "Bob", "Bob": "Eve"})
    "What does Bob think of Eve's plan?"
    """
    pattern = "|".join(rf"\b{re.escape(name)}\b" for name in names)
    return re.sub(pattern, lambda match: names[match[0]], text) if names else text


def _speakers(conversation: Conversation) -> list[str]:
    turns = (turn for session in conversation.sessions for turn in session.turns)
    return list(dict.fromkeys(turn.name for turn in turns if turn.name is not None))[:2]


def _scores(asked: Sequence[Asked], mode: Mode) -> list[ConfidenceScore]:
    of_mode = [one for one in asked if one.mode == mode]
    scores = []
    for dataset in dict.fromkeys(one.dataset for one in of_mode):
        mine = [one for one in of_mode if one.dataset == dataset]
        ways = {
            "confidence": np.array([one.confidence for one in mine]),
            "best score alone": np.array([one.best for one in mine]),
            "fitted on the others": _held_out(mine, of_mode),
        }
        scores += [_score(mine, by, said) for by, said in ways.items()]
    return scores


def _held_out(mine: Sequence[Asked], everything: Sequence[Asked]) -> Doubles:
    """Return the probabilities of constants that were fitted without the conversation."""
    made: dict[str, Calibration] = {}
    for cluster in {one.cluster for one in mine}:
        made[cluster] = fit([one for one in everything if one.cluster != cluster])
    return np.array(
        [made[one.cluster].probability(one.measured) if one.measured else 0.0 for one in mine]
    )


def fit(asked: Sequence[Asked]) -> Calibration:
    """Return the weights of what the mode measures today, by Newton's method with a small ridge."""
    today = CALIBRATIONS[asked[0].mode]
    names = [name for name in MEASURES if getattr(today, name)]
    answered = [one for one in asked if one.measured]
    rows = np.array([[*(getattr(one.measured, name) for name in names), 1.0] for one in answered])
    right = np.array([one.is_found for one in answered], np.float64)
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (chance - right) + _RIDGE * weights
        curve = (rows * (chance * (1 - chance))[:, None]).T @ rows + _RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(curve, slope)
    found = dict(zip([*names, "constant"], (round(float(one), 3) for one in weights), strict=True))
    return Calibration(**found)


def _score(mine: Sequence[Asked], by: str, said: Doubles) -> ConfidenceScore:
    found = np.array([one.is_found for one in mine])
    foreign = np.array([not one.is_own for one in mine])
    places = np.clip((said * BINS).astype(int), 0, BINS - 1)
    bins = tuple(
        Reliability(
            low=position / BINS,
            n=int(held.sum()),
            said=float(said[held].mean()) if held.any() else 0.0,
            found=float(found[held].mean()) if held.any() else 0.0,
        )
        for position in range(BINS)
        for held in [places == position]
    )
    return ConfidenceScore(
        dataset=mine[0].dataset,
        mode=mine[0].mode,
        by=by,
        found=int(found.sum()),
        foreign=int(foreign.sum()),
        auroc=auroc(said[found], said[foreign]),
        ece=sum(each.n * abs(each.said - each.found) for each in bins) / len(mine),
        bins=bins,
    )


def auroc(above: Doubles, below: Doubles) -> float:
    """Return how often one of ``above`` is higher than one of ``below``, ties by half.

    >>> auroc(np.array([0.9, 0.5]), np.array([0.5, 0.1]))
    0.875
    """
    if not (len(above) and len(below)):
        return 0.5
    higher = (above[:, None] > below[None, :]).mean()
    return float(higher + (above[:, None] == below[None, :]).mean() / 2)


def describe_confidence(run: ConfidenceRun) -> list[str]:
    """Return what the constants would be, and what it ran on."""
    fitted = [f"fitted to all of it, {mode}: {made}" for mode, made in run.fitted.items()]
    return [*fitted, *describe_lines(run.environment)]


def confidence_grids(run: ConfidenceRun) -> list[Grid]:
    """Return the scores of each way, and the reliability of the product's confidence."""
    scores = tuple(
        (
            f"{each.dataset} · {each.mode} · {each.by}",
            f"{each.found} / {each.foreign}",
            f"{each.auroc:.3f}",
            f"{each.ece:.3f}",
        )
        for each in run.scores
    )
    columns = ("told by", "answers found / questions without one", "AUROC", "ECE")
    grids = [Grid(title="Is the answer among the hits?", columns=columns, rows=scores)]
    for each in run.scores:
        if each.by == "confidence":
            rows = tuple(
                (f"{one.low:.1f} to {one.low + 1 / BINS:.1f}", str(one.n), f"{one.said:.2f}",
                 f"{one.found:.2f}")
                for one in each.bins
            )  # fmt: skip
            title = f"Reliability, {each.dataset}, {each.mode}"
            columns = ("confidence", "questions", "said", "found")
            grids.append(Grid(title=title, columns=columns, rows=rows))
    return grids
