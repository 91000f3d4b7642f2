"""Decay: what is never asked for fades, so that it ranks lower, and is archived in the end.

Computed from what is stored of a fact and the time, never from an earlier result: it does not
matter how often it runs, or whether a run was left out. Pure; `upkeep` archives.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Literal, Protocol, TypeAlias, TypeVar

from recollect.core.clock import DAY_MS
from recollect.text.terms import bare

Formula: TypeAlias = Literal["default", "seed", "none"]

GRACE_DAYS = 30.0
"""Nothing fades before."""
HALF_LIFE_DAYS = 90.0
"""Of a fact without any importance that was never asked for; the others fade slower."""
MOST_ACCESSES = 20
"""More accesses count as this many."""
ARCHIVED_BELOW = 0.1
"""The strength below which a fact is archived."""
VITAL = 8
"""Facts of this importance and more never fade."""
RANK_SHARE = 0.3
"""The share of a relevance that a fact loses that has faded to nothing."""
_KEPT_KINDS = frozenset({"rule", "relationship"})
_OF_PEOPLE = frozenset({"speaker", "other"})
_HEALTH_AND_DATES = re.compile(
    r"\b(?:allerg|alerg|asthm|asma|diabet|epilep|celiac|coeliac|zoliak|medicat|medikament"
    r"|medicament|medica[cç]|pregnan|schwanger|enceinte|embaraz|gravid|blood (?:type|pressure)"
    r"|blutgruppe|birthda|born on|geburtstag|geboren|anniversa|cumplean|aniversari|naissance)"
    r"|过敏|過敏|糖尿|生日|誕生日|アレルギー|妊娠|怀孕|알레르기|생일|임신|حساسية|سكري|عيد ميلاد"
)


class Fading(Protocol):
    """What decay needs of a fact."""

    @property
    def text(self) -> str:
        """The statement."""

    @property
    def kind(self) -> str:
        """Such as ``rule`` or ``preference``."""

    @property
    def subject(self) -> str:
        """About whom: ``speaker``, ``other``, ``project`` or ``nobody``."""

    @property
    def slot(self) -> str | None:
        """What it gives a value to, where that is recognised."""

    @property
    def importance(self) -> int:
        """1 to 10."""

    @property
    def access_count(self) -> int:
        """How often it was asked for."""

    @property
    def accessed_at(self) -> int:
        """When it was last asked for or said again, ms UTC."""

    @property
    def is_pinned(self) -> bool:
        """Whether it is never archived."""


FadingT = TypeVar("FadingT", bound=Fading)


def seed_decay(days: float, importance: float, accesses: int) -> float:
    """Return the factor of the seed's formula, in [0, 1].

    ``exp(-days / 90) * (1 + importance / 10 + min(accesses / 20, 1)) / 3``. Source: the OpenClaw
    chapter on memory and sessions, `MemoryDecayManager`; it asks only after 30 days without access.

    Args:
        days: Since the last access.
        importance: 1 to 10.
        accesses: How often it was asked for.

    >>> seed_decay(0, 10, 20), round(seed_decay(0, 1, 0), 3), round(seed_decay(90, 10, 20), 3)
    (1.0, 0.367, 0.368)
    """
    return math.exp(-days / 90.0) * (1 + _boost(importance, accesses)) / 3


def default_decay(days: float, importance: float, accesses: int) -> float:
    """Return how much of a fact is left, in [0, 1]; arguments as for `seed_decay`.

    All of it for 30 days, then half after every 90; up to three times as long for what is important
    and often asked for.

    >>> default_decay(30, 5, 0), default_decay(120, 0, 0), default_decay(300, 10, 20)
    (1.0, 0.5, 0.5)
    """
    half_life = HALF_LIFE_DAYS * (1 + _boost(importance, accesses))
    return math.exp2(-max(0.0, days - GRACE_DAYS) / half_life)


def never_fades(fact: Fading) -> bool:
    """Return whether a fact is never archived, whoever asks for it.

    Rules, what is pinned or important, the value of anything that has values, relationships, and
    health and dates of people.
    """
    if fact.is_pinned or fact.importance >= VITAL or fact.kind in _KEPT_KINDS:
        return True
    if fact.slot is not None:
        return True
    return fact.subject in _OF_PEOPLE and _HEALTH_AND_DATES.search(bare(fact.text)) is not None


def strength_of(fact: Fading, now: int, formula: Formula = "default") -> float:
    """Return how much of a fact is left at a time, in [0, 1]; 1 of what never fades.

    Args:
        fact: The fact.
        now: Ms UTC.
        formula: As the setting ``knowledge.decay``.
    """
    days = (now - fact.accessed_at) / DAY_MS
    if formula == "none" or days <= GRACE_DAYS or never_fades(fact):
        return 1.0
    decay = seed_decay if formula == "seed" else default_decay
    return decay(days, fact.importance, fact.access_count)


def ranked_share(strength: float) -> float:
    """Return the factor of a relevance for a strength, in [0.7, 1].

    >>> ranked_share(1.0), ranked_share(0.0)
    (1.0, 0.7)
    """
    return 1.0 - RANK_SHARE * (1.0 - strength)


def faded(facts: Iterable[FadingT], now: int, formula: Formula = "default") -> list[FadingT]:
    """Return those facts that are to be archived at a time, ms UTC."""
    return [fact for fact in facts if strength_of(fact, now, formula) < ARCHIVED_BELOW]


def _boost(importance: float, accesses: int) -> float:
    return importance / 10 + min(accesses / MOST_ACCESSES, 1.0)
