"""Decay: what nobody asks for fades, by the seed's formula or by what it means."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.knowledge.decay import (
    ARCHIVED_BELOW,
    default_decay,
    faded,
    never_fades,
    ranked_share,
    seed_decay,
    strength_of,
)

DAY = 86_400_000
NOW = 1_770_681_600_000


class _Fact(msgspec.Struct, frozen=True, kw_only=True):
    text: str = "Likes green tea."
    kind: str = "preference"
    subject: str = "speaker"
    slot: str | None = None
    importance: int = 5
    access_count: int = 0
    accessed_at: int = NOW
    is_pinned: bool = False


def _old(days: float, **facts: object) -> _Fact:
    return _Fact(accessed_at=NOW - round(days * DAY), **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("days", "importance", "accesses", "left"),
    [
        (0, 10, 20, 1.0),
        (0, 10, 0, 2 / 3),
        (0, 1, 0, 1.1 / 3),
        (0, 1, 1_000, 2.1 / 3),
        (90, 10, 20, 1 / math.e),
        (30, 5, 0, math.exp(-1 / 3) / 2),
        (90 * math.log(15), 5, 0, 0.5 / 15),
    ],
)
def test_the_formula_of_the_seed_on_its_boundary_values(
    days: float, importance: int, accesses: int, left: float
) -> None:
    """To the letter, with at most twenty accesses."""
    assert seed_decay(days, importance, accesses) == pytest.approx(left)


@pytest.mark.parametrize(
    ("days", "importance", "accesses", "left"),
    [
        (0, 1, 0, 1.0),
        (30, 1, 0, 1.0),
        (120, 0, 0, 0.5),
        (210, 0, 0, 0.25),
        (30 + 135, 5, 0, 0.5),
        (300, 10, 20, 0.5),
        (-5, 1, 0, 1.0),
    ],
)
def test_the_default_halves_every_ninety_days_after_thirty(
    days: float, importance: int, accesses: int, left: float
) -> None:
    """Slower what is important, or asked for."""
    assert default_decay(days, importance, accesses) == pytest.approx(left)


def test_the_seed_asks_only_after_thirty_days() -> None:
    """Also of a fact that its formula would take a third of at once."""
    assert strength_of(_old(30), NOW, "seed") == 1.0
    assert strength_of(_old(30.01), NOW, "seed") == pytest.approx(math.exp(-30.01 / 90) / 2)


def test_facts_go_below_a_tenth() -> None:
    """By the seed after 145 days for a plain fact, by default after more than a year."""
    days = 90 * math.log(5)
    assert faded([_old(days - 0.1), kept := _old(days + 0.1)], NOW, "seed") == [kept]
    days = 30 + 135 * math.log2(10)
    assert faded([_old(days - 0.1), kept := _old(days + 0.1)], NOW) == [kept]
    assert faded([_old(9_999)], NOW, "none") == []


@pytest.mark.parametrize(
    "facts",
    [
        {"kind": "rule"},
        {"is_pinned": True},
        {"importance": 8},
        {"slot": "home"},
        {"kind": "relationship"},
        {"text": "I am allergic to peanuts."},
        {"text": "Mum's birthday is on 4 May.", "subject": "other"},
        {"text": "Meine Schwester ist Diabetikerin.", "subject": "other"},
        {"text": "Soy alérgica al marisco."},
        {"text": "我对花生过敏。"},
    ],
)
def test_what_must_never_go_stays_for_ever(facts: dict[str, object]) -> None:
    """By either formula."""
    fact = _old(9_999, **facts)
    assert never_fades(fact)
    assert [faded([fact], NOW, formula) for formula in ("default", "seed")] == [[], []]


def test_a_project_may_be_allergic_to_something_and_fade() -> None:
    """Health is of people."""
    assert not never_fades(_old(0, text="The build is allergic to spaces.", subject="project"))


def test_what_was_said_in_january_is_there_in_december() -> None:
    """95 of 100 facts of any importance that nobody asked for in 340 days."""
    said = [_old(340, importance=1 + number % 10) for number in range(100)]
    assert len(faded(said, NOW)) <= 5


@given(st.floats(0, 5_000), st.integers(1, 10), st.integers(0, 100))
def test_what_is_left_never_grows_with_time_and_never_shrinks_with_worth(
    days: float, importance: int, accesses: int
) -> None:
    """And it is a share, so that a rank is lowered by at most three tenths."""
    for decay in (seed_decay, default_decay):
        left = decay(days, importance, accesses)
        assert 0.0 <= left <= 1.0
        assert decay(days + 1, importance, accesses) <= left
        assert decay(days, importance, accesses + 1) >= left
        assert 0.7 <= ranked_share(left) <= 1.0
    assert default_decay(30, importance, accesses) > ARCHIVED_BELOW
