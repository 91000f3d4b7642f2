"""The judge of clauses: a linear model that tells of which kind a clause is, if it states anything.

Patterns are sure of what they know, but people say things in more ways than somebody writes down.
The judge weighs all traits of a clause, a pattern that matched among them. It was trained by
``scripts/statement_weights.py`` with the labelled sets and sentences of ``tests/fixtures``.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from importlib.resources import files

import msgspec

from recollect.text.statements.statement import KINDS, Kind

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
        traits: Its traits; each counts once.
    """

    def __init__(self, code: str, traits: Iterable[str]) -> None:
        """Weigh the traits."""
        self._rows = _rows(code)
        self._sums: Sequence[int] = _EMPTY
        self.add(traits)

    def add(self, traits: Iterable[str]) -> None:
        """Weigh traits that the clause has as well."""
        rows = self._rows
        weights = [rows[trait] for trait in set(traits) if trait in rows]
        self._sums = tuple(map(sum, zip(self._sums, *weights, strict=True)))

    def chance(self) -> float:
        """Return how likely it is that the clause states anything."""
        nothing, *kinds = self._sums
        return 1 / (1 + 1 / sum(math.exp((each - nothing) / SCALE) for each in kinds))

    def judgement(self, kinds: Iterable[Kind] = KINDS) -> Judgement:
        """Return the likeliest of some kinds; the probability counts that it states nothing."""
        nothing, *sums = self._sums
        of_kind = {kind: math.exp((sums[_AT[kind]] - nothing) / SCALE) for kind in kinds}
        kind = max(of_kind, key=lambda each: of_kind[each])
        return Judgement(kind=kind, probability=of_kind[kind] / (1 + sum(of_kind.values())))


_AT = {kind: at for at, kind in enumerate(KINDS)}
_EMPTY = (0,) * (1 + len(KINDS))


@functools.cache
def _rows(code: str) -> dict[str, tuple[int, ...]]:
    """Return the weights of the traits of a language and of those that all have."""
    rows: dict[str, tuple[int, ...]] = {}
    width = len(_EMPTY)
    for name in (SHARED, code):
        data = files(_FOLDER).joinpath(f"{name}.msgpack").read_bytes()
        weights = msgspec.msgpack.decode(data, type=Weights)
        values = memoryview(weights.values).cast("b").tolist()
        for at, trait in enumerate(weights.traits):
            rows[trait] = tuple(values[at * width : (at + 1) * width])
    return rows
