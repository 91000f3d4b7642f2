"""What may have been replaced without a link: a later statement that is like an earlier one.

Of a question about a state the best hit that gives a value makes way for the later sentence with
signs of change whose vector is nearest to both. Figures: docs/experiments.md, replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.model.chunk_record import Floats
from recollect.index.query.partition import PartitionView
from recollect.index.query.question import Ranked
from recollect.index.query.ranking import FITS_AS_WELL
from recollect.store.columns import typed_rows
from recollect.store.engine import Transaction

NEAR = 20
"""The best chunks, among which both are sought."""
STANDING, TURNING = 0, -200
"""The least that the earlier one is like the statement of a value, and the later one like that of a
change, in hundredths."""
ASKED, ALIKE = 0.4, 0.7
"""The least cosine of the question and the earlier one, and that of the later one to both, added
up."""
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
        text: The sentence.
    """

    ref: str
    order: tuple[int, str, int]
    whose: tuple[int, int]
    standing: int
    turning: int
    text: str


FindSentences: TypeAlias = Callable[[Sequence[str]], Sequence[ValueQuote]]
"""Returns the sentences of some messages that may give or change a value."""


def restated(
    tx: Transaction, view: PartitionView, ranked: Ranked, vector: Floats, find: FindSentences
) -> Iterator[tuple[ValueQuote, ValueQuote]]:
    """Yield what may have been replaced among the best hits, and by what.

    Args:
        tx: A transaction of the index.
        view: What is searched.
        ranked: The ranking.
        vector: Of the question.
        find: Finds sentences.
    """
    vectors = view.partition.vectors
    numbers = np.array(ranked.numbers[: min(NEAR, ranked.end)], np.int64)
    sentences = _sentences(tx, view.partition.first_id + numbers, find)
    if vectors is None or not any(each.turning >= TURNING for own in sentences for each in own):
        return
    ascending, positions = np.unique(numbers, return_inverse=True)
    rows = vectors.read(tx, ascending)[positions]
    near_question = rows @ vector
    least = FITS_AS_WELL * max(ranked.scores, default=0.0)
    for position, own in enumerate(sentences):
        older = next((each for each in own if each.standing >= STANDING), None)
        if older is None or near_question[position] < ASKED or ranked.scores[position] < least:
            continue
        near_both = near_question + rows @ rows[position]
        later = [
            (float(near_both[n]), newer)
            for n, others in enumerate(sentences)
            for newer in others
            if newer.turning >= TURNING and newer.whose == older.whose and newer.order > older.order
        ]
        likeness, newest = max(later, key=lambda pair: pair[0], default=(0.0, older))
        if likeness >= ALIKE:
            yield older, newest


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
