"""The judge of clauses: a linear model that tells of which kind a clause is, if it states anything.

Patterns are sure of what they know, but people say things in more ways than somebody writes down.
The judge weighs all traits of a clause, a pattern that matched among them. It was trained by
``scripts/statement_weights.py`` with the labelled sets and sentences of ``tests/fixtures``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from importlib.resources import files
from itertools import repeat

import msgspec

from recollect.core.decoding import decode_msgpack
from recollect.text.statements.columns import Columns
from recollect.text.statements.statement import KINDS, Kind
from recollect.text.statements.traits import ClauseTraits

SHARED = "shared"
"""The name of the weights of traits that all languages have."""
_FOLDER = "recollect.text.languages.weights"
SCALE = 16
"""Steps of a weight in one unit of the logarithm of the odds."""


class Weights(msgspec.Struct, frozen=True):
    """Weights of traits: for each trait one byte with a sign for nothing and each kind."""

    traits: tuple[str, ...]
    values: bytes


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """The likeliest kind of a clause, and how likely it is."""

    kind: Kind
    probability: float


class ClauseOdds:
    """What speaks for each kind of a clause; more can be added to it.

    Args:
        code: The code of the language of the clause.
        traits: Its traits.
    """

    def __init__(self, code: str, traits: ClauseTraits) -> None:
        """Weigh the traits."""
        own = map(_rows(code).__getitem__, traits.own & _weighed(code))
        self._sum = sum(own) + sum(map(_shared_sum, traits.shared))
        self.add(traits.order)

    def add(self, traits: Iterable[str]) -> None:
        """Weigh shared traits that the clause has as well, each once."""
        self._sum += sum(map(_rows(SHARED).get, traits, repeat(0)))

    def chance(self) -> float:
        """Return how likely it is that the clause states anything."""
        return 1 / (1 + 1 / sum(self._odds()))

    def log_odds(self) -> float:
        """Return how much likelier it is that the clause states anything, as a logarithm."""
        return math.log(sum(self._odds()))

    def may_prevail(self, traits: tuple[str, ...]) -> bool:
        """Return whether any kind may be likelier than nothing, with some of further traits."""
        nothing, *sums = _COLUMNS.values(self._sum)
        return max(sums) + _most_gained(traits) > nothing

    def judgement(self, kinds: Iterable[Kind] = KINDS) -> Judgement:
        """Return the likeliest of some kinds; the probability counts that it states nothing."""
        of_each = dict(zip(KINDS, self._odds(), strict=True))
        of_kind = {kind: of_each[kind] for kind in kinds}
        kind = max(of_kind, key=of_kind.__getitem__)
        return Judgement(kind=kind, probability=of_kind[kind] / (1 + sum(of_kind.values())))

    def shares(self) -> dict[Kind, float]:
        """Return for each kind its probability; the rest is that it states nothing."""
        odds = self._odds()
        whole = 1 + sum(odds)
        return {kind: each / whole for kind, each in zip(KINDS, odds, strict=True)}

    def _odds(self) -> list[float]:
        """Return for each kind how much likelier it is than nothing."""
        nothing, *sums = _COLUMNS.values(self._sum)
        return [math.exp((each - nothing) / SCALE) for each in sums]


_COLUMNS = Columns(1 + len(KINDS))


@functools.cache
def _most_gained(traits: tuple[str, ...]) -> int:
    """Return how much a kind gains on nothing with those of some traits that speak for it."""
    rows = [_COLUMNS.values(_rows(SHARED).get(trait, 0)) for trait in traits]
    return sum(max(0, max(kinds) - nothing) for nothing, *kinds in rows)


@functools.cache
def _weighed(code: str) -> frozenset[str]:
    """Return the traits of a language that have weights: to meet it is faster than to ask each."""
    return frozenset(_rows(code))


@functools.cache  # there are few combinations
def _shared_sum(traits: tuple[str, ...]) -> int:
    return sum(map(_rows(SHARED).get, traits, repeat(0)))


@functools.cache
def _rows(name: str) -> dict[str, int]:
    """Return the weights of the traits of a language, or of those that all have, as rows."""
    data = files(_FOLDER).joinpath(f"{name}.msgpack").read_bytes()
    weights = decode_msgpack(data, Weights)
    values = memoryview(weights.values).cast("b").tolist()
    width = 1 + len(KINDS)
    return {
        trait.removeprefix(f"{name} "): _COLUMNS.row(values[at * width : (at + 1) * width])
        for at, trait in enumerate(weights.traits)
    }
