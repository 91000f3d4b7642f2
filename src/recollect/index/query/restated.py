"""What may have been replaced without a link: a later statement that is like an earlier one.

A hit that gives a value makes way for the later sentence with signs of change that is most like it.
A sum of six features of the two decides; its weights are those of a conditional logit over the
pairs of 157 changes, and of LoCoMo, where nothing is to make way. Figures: docs/experiments.md,
replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import Floats
from recollect.index.query.partition import PartitionView
from recollect.index.query.question import Ranked
from recollect.index.query.ranking import FITS_AS_WELL
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction
from recollect.text.statements.likeness import NEVER

Asks: TypeAlias = Literal["state", "past"]
"""What holds now; or what held then."""
NEAR = 20
"""The best chunks, among which both are sought."""
LEAST: dict[Asks, float] = {"state": 16.5, "past": 6.0}
"""The sum from which the earlier one makes way."""
ALIKE = 1.5
"""How much less than the likeliest pair another one may have, whose later sentence counts too: of
three values the third."""
_SCORE: dict[Asks, float] = {"state": 13.0, "past": 4.0}
"""What counts the score of the earlier one as a share of the best. A question for the past often
has more words of what came later: "before the reorg"."""
_ASKED, _ALIKE = 3.4, 4.4
"""What counts the cosine of the question and the earlier one, and that of both."""
_STANDING, _TURNING, _STATED = 0.011, 0.005, 0.003
"""What counts each hundredth of these."""
_LEAST_STANDING, _LEAST_TURNING, _LEAST_STATED, _MOST_STATED = -300, -400, -300, 400
"""Hundredths, beyond which nothing more counts."""
_REFS = (
    "SELECT c.id, d.ref FROM json_each(?) k CROSS JOIN chunks c ON c.id = k.value"
    " CROSS JOIN documents d ON d.id = c.document WHERE d.source = 'sessions'"
)


class ValueQuote(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence that may give or change a value.

    Attributes:
        ref: The message.
        order: Its position in time.
        whose: Who said it, to whom.
        standing: How much it is like the statement of a value that holds, in hundredths.
        turning: How much it is like the statement of a change, likewise.
        stated: How much likelier it is that it states anything, as a logarithm, likewise.
    """

    ref: str
    order: tuple[int, str, int]
    whose: tuple[int, int]
    standing: int
    turning: int
    stated: int


FindSentences: TypeAlias = Callable[[Sequence[str]], Sequence[ValueQuote]]
"""Returns the sentences of some messages that may give or change a value."""
_Pair: TypeAlias = tuple[float, ValueQuote, ValueQuote]
"""How likely it is that a sentence made way for a later one, and both."""


class Restating(msgspec.Struct, frozen=True):
    """How messages are sought that may have replaced others.

    Attributes:
        find: Finds their sentences.
        asks: What the question asks for.
        speakers: Whose statement it is about; empty for anybody's.
    """

    find: FindSentences
    asks: Asks
    speakers: AbstractSet[int]

    def message(
        self, tx: Transaction, view: PartitionView, ranked: Ranked, vector: Floats
    ) -> str | None:
        """Return the message with what is asked for; None where nothing makes way.

        Args:
            tx: A transaction of the index.
            view: What is searched.
            ranked: The ranking.
            vector: Of the question.
        """
        vectors = view.partition.vectors
        numbers = np.array(ranked.numbers[: min(NEAR, ranked.end)], np.int64)
        sentences = _sentences(tx, view.partition.first_id + numbers, self.find)
        if vectors is None or all(each.turning == NEVER for own in sentences for each in own):
            return None
        ascending, positions = np.unique(numbers, return_inverse=True)
        rows = vectors.read(tx, ascending)[positions]
        shares = np.array(ranked.scores[: len(numbers)]) / max(ranked.scores)
        bases = _SCORE[self.asks] * shares + _ASKED * (rows @ vector)
        bases[shares < FITS_AS_WELL] = -np.inf
        likeness = _ALIKE * rows @ rows.T
        if self.speakers:
            speakers = np.fromiter(self.speakers, np.int64)
            said_by = view.partition.arrays.columns["speaker"][numbers]
            likeness[:, ~np.isin(said_by, speakers)] = -np.inf
        return self._asked_for(list(_pairs(sentences, bases, likeness)))

    def _asked_for(self, pairs: Sequence[_Pair]) -> str | None:
        """Return the message of the last value of the likeliest pairs, or of the one before it."""
        if not pairs:
            return None
        most, first, _ = max(pairs, key=lambda pair: pair[0])
        if most < LEAST[self.asks]:
            return None
        values = [first, *(newer for likely, _, newer in pairs if likely >= most - ALIKE)]
        by_order = {each.order: each.ref for each in values}
        return by_order[sorted(by_order)[-1 if self.asks == "state" else -2]]


def _pairs(
    sentences: Sequence[Sequence[ValueQuote]],
    bases: NDArray[np.float64],
    likeness: NDArray[np.floating],
) -> Iterator[_Pair]:
    """Yield which sentence of one chunk may have made way for a later one of another.

    Args:
        sentences: Of each chunk.
        bases: What each chunk counts as the earlier one.
        likeness: What each two chunks count.
    """
    turning = [
        (chunk, each, _worth(each))
        for chunk, own in enumerate(sentences)
        for each in own
        if each.turning > NEVER
    ]
    for position, own in enumerate(sentences):
        older = max(own, key=lambda each: each.standing, default=None)
        if older is None or older.standing == NEVER:
            continue
        base = float(bases[position]) + _STANDING * max(older.standing, _LEAST_STANDING)
        for chunk, newer, worth in turning:
            if newer.whose == older.whose and newer.order > older.order:
                yield base + float(likeness[position, chunk]) + worth, older, newer


def _worth(newer: ValueQuote) -> float:
    """Return what counts how much a sentence is like the statement of a change."""
    stated = min(max(newer.stated, _LEAST_STATED), _MOST_STATED)
    return _TURNING * max(newer.turning, _LEAST_TURNING) + _STATED * stated


def _sentences(
    tx: Transaction, keys: NDArray[np.int64], find: FindSentences
) -> list[list[ValueQuote]]:
    """Return the sentences of the messages of some chunks, by chunk."""
    encoded = msgspec.json.encode(keys.tolist()).decode()
    refs = dict(typed_rows(tx.all(_REFS, (encoded,)), tuple[int, str]))
    by_ref: dict[str, list[ValueQuote]] = {}
    for each in find(sorted(set(refs.values()))):
        by_ref.setdefault(each.ref, []).append(each)
    return [by_ref.get(refs.get(key, ""), []) for key in keys.tolist()]
