"""What was replaced, in a ranking: the old statement hands its score to what holds now.

It acts on the ranked chunks alone, after everything else. What is linked loses nothing for its age:
which is newer counts by the link. Where none of them was replaced, or the question asks for an
event, the ranking is the same object. Figures: docs/experiments.md, replaced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec
import numpy as np

from recollect.index.lexical.bm25 import idf
from recollect.index.query.partition import PartitionView
from recollect.index.query.question import Ranked, RankingRequest
from recollect.index.query.ranking import FITS_AS_WELL
from recollect.index.query.restated import Asks, FindSentences, Restating
from recollect.store.columns import text, typed_rows
from recollect.store.engine import Transaction
from recollect.text.terms import terms

IN_SPAN = 0.8
"""The share, by weight, of the question's words in an old message that its span must hold."""
MOST_CHAINS = 2
"""Chains that change one ranking."""


class Quote(msgspec.Struct, frozen=True):
    """A span of a message: its id, when it was said (ms UTC), and the words."""

    ref: str
    at: int
    text: str


class Replaced(msgspec.Struct, frozen=True):
    """A statement that was replaced, and by which.

    Attributes:
        older: The one.
        newer: The other.
        is_possible: Whether it may have been: then the newer one must fit the question, too.
    """

    older: Quote
    newer: Quote
    is_possible: bool = False


FindReplaced: TypeAlias = Callable[[Sequence[int], Asks], Sequence[Replaced]]
"""Returns all links of the chains with something that was said at some times, ms UTC."""


class Replacing(msgspec.Struct, frozen=True, kw_only=True):
    """How a ranking is changed by what was replaced.

    Attributes:
        find: Finds the links.
        find_sentences: Finds what may have been replaced without a link.
        asks: What the question asks for.
        then_ms: The time whose state is asked for, ms UTC; None for the one before the present.
    """

    find: FindReplaced
    find_sentences: FindSentences
    asks: Asks
    then_ms: int | None = None

    def apply(
        self, tx: Transaction, view: PartitionView, request: RankingRequest, ranked: Ranked
    ) -> Ranked:
        """Return the ranking with what is asked for before what is not."""
        fits = _may_fit(ranked)
        columns = view.partition.arrays.columns
        at = columns["at"][np.array(fits, np.int64)].tolist() if fits else []
        links = self.find(sorted(set(at)), self.asks) if at else []
        near = None
        if request.vector is not None and self.then_ms is None and not request.question.times:
            restating = Restating(self.find_sentences, self.asks, request.question.speakers)
            near = restating.message(tx, view, ranked, request.vector)
        if not links and near is None:
            return ranked
        return _Handover(self, tx, view, request, ranked).result(links, near)


class _Handover:
    """The change of one ranking."""

    def __init__(
        self,
        rule: Replacing,
        tx: Transaction,
        view: PartitionView,
        request: RankingRequest,
        ranked: Ranked,
    ) -> None:
        self._asks, self._then = rule.asks, rule.then_ms
        times = request.question.times
        if self._then is None and times:
            self._then = max(each.until for each in times) - 1
        self._tx = tx
        self._view = view
        self._request = request
        self._rank(ranked)

    def _rank(self, ranked: Ranked) -> None:
        self._ranked = ranked
        self._position = {number: n for n, number in reversed([*enumerate(ranked.numbers)])}

    def result(self, links: Sequence[Replaced], restated: str | None) -> Ranked:
        """Return the changed ranking; the same one where no condition is met.

        Args:
            links: What was replaced by what.
            restated: A message that comes first, or what replaced it.
        """
        refs = {quote.ref for link in links for quote in (link.older, link.newer)}
        chunks = self._chunks(refs | ({restated} if restated else set()))
        sure = self._through([each for each in links if not each.is_possible], chunks)
        ends = {quote.ref for link in sure for quote in (link.older, link.newer)}
        self._rank(_ageless(self._ranked, {n for ref in ends for n in chunks[ref]}))
        moves: dict[int, int] = {}
        for giver, taker in self._pairs(sure):
            self._add(moves, giver, taker, chunks)
        for giver, taker in self._possible_pairs(links):
            if self._fits(self._best(chunks.get(taker.ref, ()))):
                self._add(moves, giver, taker, chunks)
        newest = _newest(restated, sure) if restated and self._asks == "state" else restated
        if newest and (position := self._best(chunks[newest])):
            moves = {number: at for number, at in moves.items() if at}
            moves[self._ranked.numbers[position]] = 0
        if moves:
            best = sorted(moves.items(), key=lambda move: move[1])[:MOST_CHAINS]
            self._rank(_moved(self._ranked, dict(best)))
        until = dict(self._ends(sure, chunks))
        return msgspec.structs.replace(self._ranked, until=until) if until else self._ranked

    def _add(
        self,
        moves: dict[int, int],
        giver: Quote,
        taker: Quote,
        chunks: Mapping[str, Sequence[int]],
    ) -> None:
        """Add a move: the chunk that takes over the score at a position, if all conditions hold."""
        takers = chunks.get(taker.ref, ())
        source, target = self._best(chunks.get(giver.ref, ())), self._best(takers)
        if source is None or not self._fits(source) or source in moves.values():
            return
        if target is not None and target < source:
            return
        # The older one is what the question is about; what tells its end may say that elsewhere.
        is_of_taker = self._asks == "past" and target is not None
        about, position = (taker, target) if is_of_taker else (giver, source)
        if position is not None and self._is_asked_for(about, position):
            number = takers[0] if target is None else self._ranked.numbers[target]
            moves[number] = min(source, moves.get(number, source))

    def _ends(
        self, links: Sequence[Replaced], chunks: Mapping[str, Sequence[int]]
    ) -> Iterator[tuple[int, int]]:
        """Yield the chunks of what was replaced and is asked for, and when that was."""
        for link in sorted(links, key=lambda each: -each.newer.at):
            numbers = chunks[link.older.ref]
            position = self._best(numbers)
            if position is not None and self._is_asked_for(link.older, position):
                yield from ((number, link.newer.at) for number in numbers)

    def _fits(self, position: int | None) -> bool:
        """Return whether the score at a position is high enough to be handed on."""
        least = FITS_AS_WELL * max(self._ranked.scores, default=0.0)
        return position is not None and self._ranked.scores[position] >= least

    def _through(
        self, links: Sequence[Replaced], chunks: Mapping[str, Sequence[int]]
    ) -> list[Replaced]:
        """Return the links between what is heard, past what is not."""
        by_older = {_key(each.older): each for each in links}
        shortened = []
        for link in links:
            newer, seen = link.newer, {link.older.ref}
            while newer.ref not in chunks and newer.ref not in seen:
                seen.add(newer.ref)
                onward = by_older.get(_key(newer))
                if onward is None:
                    break
                newer = onward.newer
            if link.older.ref in chunks and newer.ref in chunks:
                shortened.append(msgspec.structs.replace(link, newer=newer))
        return shortened

    def _pairs(self, links: Sequence[Replaced]) -> Iterator[tuple[Quote, Quote]]:
        """Yield what gives its score, and to which."""
        newer = {_key(link.newer) for link in links}
        for link in links:
            chain = _chain(link, links)
            if self._asks == "state":
                yield link.older, chain[-1]
            elif _key(link.older) not in newer:
                target = self._held(chain)
                yield from ((each, target) for each in chain if target and each != target)

    def _possible_pairs(self, links: Sequence[Replaced]) -> list[tuple[Quote, Quote]]:
        """Return what gives its score, and to which if both fit."""
        possible = [each for each in links if each.is_possible]
        if self._asks == "state":
            latest = sorted(possible, key=lambda each: -each.newer.at)
            return [(each.older, each.newer) for each in latest]
        if self._then is not None:
            return []
        replaced = {each.older.ref for each in links}
        latest = sorted(possible, key=lambda each: -each.older.at)
        return [(e.newer, e.older) for e in latest if e.newer.ref not in replaced]

    def _held(self, chain: Sequence[Quote]) -> Quote | None:
        """Return what held at the time in question."""
        if self._then is None:
            return chain[-2]
        return next((each for each in reversed(chain) if each.at <= self._then), None)

    def _chunks(self, refs: set[str]) -> dict[str, list[int]]:
        """Return the chunks of messages that are heard and searched, by message."""
        rows = self._tx.all(
            _CHUNKS, (msgspec.json.encode(sorted(refs)).decode(), self._view.partition.number)
        )
        visible, arrays = self._request.visible, self._view.arrays
        mask = arrays.alive[: arrays.count] if visible is None else visible
        numbers_of: dict[str, list[int]] = {}
        for ref, first, count in typed_rows(rows, tuple[str, int, int]):
            local = self._view.local(np.arange(first, first + count))
            numbers = self._view.global_numbers(local[mask[local]]).tolist()
            if numbers:
                numbers_of[ref] = numbers
        return numbers_of

    def _best(self, numbers: Sequence[int]) -> int | None:
        """Return the best position of some chunks; None where none is ranked."""
        positions = (self._position.get(number) for number in numbers)
        return min((each for each in positions if each is not None), default=None)

    def _is_asked_for(self, quote: Quote, position: int) -> bool:
        """Return whether the question's words in a message lie in what was replaced."""
        key = self._view.partition.first_id + self._ranked.numbers[position]
        row = self._tx.row("SELECT text FROM chunks WHERE id = ?", (key,))
        if row is None:
            return False
        respelled = self._ranked.respelled
        question_terms = {respelled.get(term, term) for term in self._request.question.terms}
        words = question_terms.intersection(terms(text(row[0])))
        quoted = words.intersection(terms(quote.text))
        if quoted == words:
            return True
        weights = {term: self._weight(term) for term in words}
        share = sum(weights[term] for term in quoted) / max(sum(weights.values()), 1e-9)
        return share >= IN_SPAN

    def _weight(self, term: str) -> float:
        living = int(self._view.arrays.totals.chunks.sum())
        return idf(living, self._view.words.find(self._tx, term).frequency)


def _key(quote: Quote) -> tuple[str, str]:
    return quote.ref, quote.text


def _chain(link: Replaced, links: Sequence[Replaced]) -> list[Quote]:
    """Return the members of a chain from a link on, the newest last."""
    by_older = {_key(each.older): each for each in links}
    chain = [link.older, link.newer]
    while (onward := by_older.get(_key(chain[-1]))) and onward.newer not in chain:
        chain.append(onward.newer)
    return chain


def _newest(ref: str, links: Sequence[Replaced]) -> str:
    """Return the message that replaced one in the end; the same one without a link."""
    onward = {each.older.ref: each.newer.ref for each in sorted(links, key=lambda e: e.newer.at)}
    seen: set[str] = set()
    while ref in onward and ref not in seen:
        seen.add(ref)
        ref = onward[ref]
    return ref


def _may_fit(ranked: Ranked) -> list[int]:
    """Return the chunks whose score is high enough to be handed on, if age takes nothing of it."""
    least = FITS_AS_WELL * max(ranked.scores, default=0.0) * (1.0 - ranked.newest)
    return [
        number
        for number, score in zip(ranked.numbers, ranked.scores, strict=True)
        if score >= least and score > 0
    ]


def _ageless(ranked: Ranked, chunks: Collection[int]) -> Ranked:
    """Return a ranking in which some chunks keep what they lost for their age."""
    linked = [n for n, number in enumerate(ranked.numbers) if number in chunks and ranked.newest]
    parts = ranked.why(linked) if linked else []
    loss_at = {n: each["newest"] for n, each in zip(linked, parts, strict=True) if "newest" in each}
    if not loss_at:
        return ranked

    def why(positions: Sequence[int]) -> list[dict[str, float]]:
        return [
            {name: share for name, share in each.items() if name != "newest" or n not in loss_at}
            for n, each in zip(positions, ranked.why(positions), strict=True)
        ]

    scores = [score - loss_at.get(n, 0.0) for n, score in enumerate(ranked.scores)]
    order = sorted(
        range(len(scores)), key=lambda n: (n >= ranked.end, -scores[n] - ranked.ranks[n])
    )
    return msgspec.structs.replace(ranked, scores=scores, why=why).ordered(order)


def _moved(ranked: Ranked, moves: Mapping[int, int]) -> Ranked:
    """Return a ranking with chunks ahead of the positions whose scores they take over.

    The score at such a position is lowered by the least that makes it less.
    """
    own = {number: position for position, number in enumerate(ranked.numbers)}
    entries: list[tuple[int, int | None]] = []
    """A chunk, and the position whose score it takes over."""
    for position, number in enumerate(ranked.numbers):
        entries += [(each, source) for each, source in moves.items() if source == position]
        entries += [] if number in moves else [(number, None)]
    sources = set(moves.values())

    def score(number: int, source: int | None) -> float:
        if source is not None:
            return ranked.scores[source]
        plain = ranked.scores[own[number]]
        return math.nextafter(plain, 0.0) if own[number] in sources else plain

    def why(positions: Sequence[int]) -> list[dict[str, float]]:
        return [_why(ranked, own.get(number), source) for number, source in map(at, positions)]

    at = entries.__getitem__
    return msgspec.structs.replace(
        ranked,
        numbers=[number for number, _ in entries],
        scores=[score(number, source) for number, source in entries],
        ranks=[ranked.ranks[own[number]] if number in own else 0 for number, _ in entries],
        are_files=[number in own and ranked.are_files[own[number]] for number, _ in entries],
        why=why,
        first=None if ranked.first is None else ranked.first + len(moves.keys() - own.keys()),
    )


def _why(ranked: Ranked, position: int | None, source: int | None) -> dict[str, float]:
    """Return the parts of the score of a chunk, with what it takes over."""
    parts = {} if position is None else dict(ranked.why([position])[0])
    if source is not None:
        plain = 0.0 if position is None else ranked.scores[position]
        parts["replaces"] = ranked.scores[source] - plain
    return parts


_CHUNKS = (
    "SELECT d.ref, d.first_chunk, d.chunk_count FROM json_each(?) k CROSS JOIN documents d"
    " ON d.partition_id = ? AND d.source = 'sessions' AND d.ref = k.value"
)
