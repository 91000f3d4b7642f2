"""Trains the judge of statements, and writes its weights into the package.

``python -m scripts.statement_weights`` learns from all labelled messages that are opened and from
the sentences in ``tests/fixtures/knowledge/training``: one message a line, ``A|`` before one of an
assistant, facts in brackets with the letter of their kind. ``--without 0`` leaves out one half of
the opened messages and prints how well that is found; run it without the option again afterwards.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from benchmarks.datasets.labelled_messages import (
    LabelledMessage,
    load_labelled,
    load_real,
    load_training,
)
from benchmarks.quality.statements import kind_of, score_messages
from recollect.text.statements import judge
from recollect.text.statements.recognition import (
    ClauseSigns,
    book_of,
    clauses_of,
    is_judged,
    matched,
    rule_trait,
    words_of,
)
from recollect.text.statements.rulebook import LANGUAGES
from recollect.text.statements.statement import KINDS
from recollect.text.statements.traits import clause_traits

FOLDER = Path(__file__).parents[1] / "src" / "recollect" / "text" / "languages" / "weights"
WIDTH = 1 + len(KINDS)
LEAST_COUNT = 2
EPOCHS = 16
SEEDS = 3
RATE = 0.15
DECAY = 0.02
DROPPED = 0.3
"""The share of traits of a clause that are hidden from a step: no single one may decide."""
SEEN_WEIGHT = 0.7
"""Rules were made to match the seen set, so that there they look surer than they are."""
LEAST_WEIGHT = 2
"""Steps of `judge.SCALE`; a trait with less for every kind is left out."""


class Example(msgspec.Struct, frozen=True):
    """A clause to learn from: its traits, the number of its kind, and how much it counts."""

    traits: tuple[str, ...]
    kind: int
    weight: float


def examples(
    messages: Iterable[LabelledMessage], weight: float = 1.0, *, has_rules: bool = True
) -> Iterator[Example]:
    """Yield the clauses of messages."""
    for message in messages:
        if not is_judged(message.text, message.role):
            continue
        words = words_of(message.text)
        book = book_of(message.text, message.role, words)
        for clause in clauses_of(message.text, message.role, book, words):
            if clause.is_asked and not clause.is_before_question:
                continue
            found = clause_traits(clause, message.role, book.code)
            signs = ClauseSigns(clause, book)
            own = {f"{book.code} {trait}" for trait in found.own}
            traits = own | found.order | {*signs, *chain(*found.shared)}
            if has_rules:
                traits.add(rule_trait(matched(clause, signs, book)))
            kind = kind_of(message, clause.start, clause.end)
            number = 1 + KINDS.index(kind) if kind else 0
            yield Example(tuple(sorted(traits)), number, weight)


def learn(data: Sequence[Example]) -> tuple[list[str], NDArray[np.int8]]:
    """Return traits and their weights: the mean of what is learned in some orders."""
    counts = Counter(trait for each in data for trait in each.traits)
    traits = sorted(trait for trait, count in counts.items() if count >= LEAST_COUNT)
    at = {trait: number for number, trait in enumerate(traits)}
    rows = [np.array([at[trait] for trait in each.traits if trait in at]) for each in data]
    runs = [learn_once(data, rows, len(traits), seed) for seed in range(SEEDS)]
    steps = np.clip(np.rint(np.mean(runs, axis=0) * judge.SCALE), -127, 127).astype(np.int8)
    kept = np.abs(steps).max(axis=1) >= LEAST_WEIGHT
    return [trait for trait, keep in zip(traits, kept, strict=True) if keep], steps[kept]


def learn_once(
    data: Sequence[Example], rows: Sequence[NDArray[np.int64]], count: int, seed: int
) -> NDArray[np.float64]:
    """Return weights by logistic regression: a step after each example, in a random order."""
    random = np.random.default_rng(seed)
    weights = np.zeros((count, WIDTH))
    squares = np.full(weights.shape, 1e-6)
    total = np.zeros_like(weights)
    for epoch in range(EPOCHS):
        for number in random.permutation(len(data)):
            row = rows[number][random.random(len(rows[number])) >= DROPPED]
            odds = weights[row].sum(0)
            step = np.exp(odds - odds.max())
            step /= step.sum()
            step[data[number].kind] -= 1
            change = step * data[number].weight + DECAY * weights[row]
            squares[row] += change * change
            weights[row] -= RATE * change / np.sqrt(squares[row])
        if epoch >= EPOCHS // 2:
            total += weights
    return total / (EPOCHS - EPOCHS // 2) * (1 - DROPPED)


def split(traits: Sequence[str], steps: NDArray[np.int8]) -> Iterator[tuple[str, judge.Weights]]:
    """Yield the weights of each language, and those that all share."""
    names = [trait[:2] if trait[2:3] == " " else judge.SHARED for trait in traits]
    for name in (judge.SHARED, *LANGUAGES):
        own = [number for number, each in enumerate(names) if each == name]
        yield name, judge.Weights(tuple(traits[at] for at in own), steps[own].tobytes())


def main(arguments: Sequence[str]) -> int:
    """Write the weights; of a half that they were not learned from, print what is found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of benchmark data")
    parser.add_argument("--without", type=int, choices=(0, 1), help="a half to leave out")
    options = parser.parse_args(arguments)
    opened = {"opened": load_labelled("opened"), "real": load_real(options.data, "opened")}
    data = list(examples(load_training()))
    data += examples(load_labelled("seen"), SEEN_WEIGHT, has_rules=False)
    for messages in opened.values():
        data += examples(each for each in messages if half_of(each) != options.without)
    for name, weights in split(*learn(data)):
        (FOLDER / f"{name}.msgpack").write_bytes(msgspec.msgpack.encode(weights))
    if options.without is not None:
        for name, messages in opened.items():
            kept = [each for each in messages if half_of(each) == options.without]
            for score in score_messages(name, kept):
                print(f"{score.group:28} {score.precision:.3f} {score.recall:.3f}")
    return 0


def half_of(message: LabelledMessage) -> int:
    """Return in which of two halves a message is."""
    return int(hashlib.sha256(message.id.encode()).hexdigest(), 16) % 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
