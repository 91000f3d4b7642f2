"""What replaced what, derived from statements."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from recollect.knowledge.replacement import (
    MessageSpan,
    ReplacementLink,
    Said,
    chain,
    derive,
    successors,
)

HOME, EMPLOYER, PET, LIMIT = 1, 2, 3, 4
LEEDS, BRISTOL, BATH, GOLF, KIA, FIVE, SIX = 11, 12, 13, 14, 15, 16, 17


def said(number: int, slot: int = HOME, value: int = 0, **changes: object) -> Said:
    """Return a statement of the message with a number, which is its time too."""
    fields: dict[str, object] = {
        "message": f"m{number:03}", "start": 0, "end": 9, "at": number, "session": "s",
        "seq": number, "audience": 1, "slot": slot, "value": value,
    }  # fmt: skip
    return Said(**(fields | changes))  # type: ignore[arg-type]


def pairs(links: Sequence[ReplacementLink], *, flagged: bool = False) -> list[tuple[str, str, str]]:
    """Return the links as older, newer and rule."""
    return [
        (each.older.message, each.newer.message, each.rule)
        for each in links
        if each.is_flagged == flagged
    ]


def test_a_slot_with_one_value_is_filled_anew() -> None:
    """A slot with one value is filled anew."""
    links = derive([said(1, HOME, LEEDS), said(2, EMPLOYER, KIA), said(3, HOME, BRISTOL)])
    assert pairs(links) == [("m001", "m003", "slot")]


def test_a_repeated_value_replaces_nothing_and_falls_with_the_first() -> None:
    """A repeated value replaces nothing and falls with the first."""
    links = derive([said(1, HOME, LEEDS), said(2, HOME, LEEDS), said(3, HOME, BRISTOL)])
    assert pairs(links) == [("m001", "m003", "slot"), ("m002", "m003", "slot")]


def test_a_value_that_returns_is_current() -> None:
    """A value that returns is current."""
    links = derive([said(1, HOME, LEEDS), said(2, HOME, BRISTOL), said(3, HOME, LEEDS)])
    assert pairs(links) == [("m001", "m002", "slot"), ("m002", "m003", "slot")]


def test_direction_is_by_time_and_not_by_arrival() -> None:
    """Direction is by time and not by arrival."""
    links = derive([said(3, HOME, BRISTOL), said(1, HOME, LEEDS)])
    assert pairs(links) == [("m001", "m003", "slot")]


def test_a_slot_with_many_values_takes_one_more() -> None:
    """A slot with many values takes one more."""
    pets = [said(1, PET, GOLF, arity="many"), said(2, PET, KIA, arity="many")]
    assert derive(pets) == []


def test_an_explicit_end_closes_one_of_many() -> None:
    """An explicit end closes one of many."""
    pets = [said(1, PET, GOLF, arity="many"), said(2, PET, KIA, arity="many")]
    links = derive([*pets, said(3, 0, loses=(GOLF,))])
    assert pairs(links) == [("m001", "m003", "ending")]
    assert links[0].is_ending


def test_a_loss_takes_the_new_value_of_the_next_sentence() -> None:
    """A loss takes the new value of the next sentence."""
    car = said(1, PET, GOLF, arity="many", value_type="name")
    loss = said(2, 0, loses=(GOLF,), start=0, end=5)
    new = said(2, PET, KIA, arity="many", value_type="name", start=6, end=9, sentence=1)
    assert derive([car, loss, new])[0].newer == MessageSpan("m002", 6, 9)
    late = msgspec.structs.replace(new, sentence=2)
    assert derive([car, loss, late])[0].rule == "ending"


def test_a_change_to_a_value_that_is_not_told_ends_the_old_one() -> None:
    """A change to a value that is not told ends the old one."""
    moved = said(2, HOME, 0, is_change=True)
    assert pairs(derive([said(1, HOME, LEEDS), moved])) == [("m001", "m002", "ending")]
    told = said(2, HOME, BRISTOL, start=20, end=29)
    assert pairs(derive([said(1, HOME, LEEDS), moved, told])) == [("m001", "m002", "slot")]
    assert derive([said(1, HOME, LEEDS), said(2, HOME, 0)]) == []


def test_open_slots_need_the_type_of_value_and_a_sign_of_change() -> None:
    """Open slots need the type of value and a sign of change."""
    old = said(1, LIMIT, FIVE, arity="open", value_type="number")
    new = said(2, LIMIT, SIX, arity="open", value_type="number", is_change=True)
    assert pairs(derive([old, new])) == [("m001", "m002", "open")]
    other = msgspec.structs.replace(new, value_type="time")
    assert derive([old, other]) == []
    unsigned = msgspec.structs.replace(new, is_change=False)
    assert pairs(derive([old, unsigned])) == []
    assert pairs(derive([old, unsigned]), flagged=True) == [("m001", "m002", "open")]


def test_none_of_several_that_fit_is_replaced() -> None:
    """None of several that fit is replaced."""
    several = [said(n, LIMIT, n + 20, arity="open", value_type="number") for n in (1, 2)]
    new = said(3, LIMIT, SIX, arity="open", value_type="number", is_change=True)
    links = derive([*several, new])
    assert pairs(links) == []
    assert ("m001", "m003", "open") in pairs(links, flagged=True)
    assert ("m002", "m003", "open") in pairs(links, flagged=True)


def test_a_named_loss_says_which_of_several() -> None:
    """A named loss says which of several."""
    several = [said(n, LIMIT, n + 20, arity="open", value_type="number") for n in (1, 2)]
    new = said(3, LIMIT, SIX, arity="open", value_type="number", is_change=True, loses=(21,))
    assert ("m001", "m003", "loss") in pairs(derive([*several, new]))


def test_a_loss_that_fits_two_slots_is_only_flagged() -> None:
    """A loss that fits two slots is only flagged."""
    links = derive([said(1, PET, GOLF), said(2, LIMIT, GOLF), said(3, 0, loses=(GOLF,))])
    assert pairs(links) == []
    assert len(pairs(links, flagged=True)) == 2


def test_echoes_fall_with_what_they_repeat() -> None:
    """Echoes fall with what they repeat."""
    echo = said(2, HOME, LEEDS, role="assistant")
    late = said(4, HOME, LEEDS, role="assistant")
    links = derive([said(1, HOME, LEEDS), echo, said(3, HOME, BRISTOL), late])
    assert pairs(links) == [
        ("m001", "m003", "slot"), ("m002", "m003", "echo"), ("m004", "m003", "echo"),
    ]  # fmt: skip


def test_the_agent_replaces_nothing() -> None:
    """The agent replaces nothing."""
    assert derive([said(1, HOME, LEEDS), said(2, HOME, BRISTOL, role="assistant")]) == []


def test_audiences_and_speakers_do_not_mix() -> None:
    """Audiences and speakers do not mix."""
    assert derive([said(1, HOME, LEEDS), said(2, HOME, BRISTOL, audience=2)]) == []
    assert derive([said(1, HOME, LEEDS), said(2, HOME, BRISTOL, speaker=2)]) == []


def test_the_later_of_two_successors_counts() -> None:
    """The later of two successors counts."""
    first, later = (
        ReplacementLink(
            older=MessageSpan("a", 0, 1),
            older_at=1,
            newer=MessageSpan(name, 0, 1),
            newer_at=at,
            rule="hand",
        )
        for name, at in (("c", 2), ("b", 3))
    )
    assert successors([later, first])[MessageSpan("a", 0, 1)] is later


def test_a_cycle_ends() -> None:
    """A cycle ends."""
    links = [
        ReplacementLink(
            older=MessageSpan(a, 0, 1),
            older_at=1,
            newer=MessageSpan(b, 0, 1),
            newer_at=2,
            rule="hand",
        )
        for a, b in (("a", "b"), ("b", "a"))
    ]
    assert len(list(chain(MessageSpan("a", 0, 1), successors(links)))) == 1


ROLES = ("user", "user", "assistant")
STATEMENTS = st.lists(
    st.builds(
        said,
        st.integers(1, 12),
        st.sampled_from([0, HOME, PET, LIMIT]),
        st.sampled_from([0, 20, 21, 22]),
        start=st.integers(0, 2),
        audience=st.integers(1, 2),
        arity=st.sampled_from(["one", "many", "open"]),
        value_type=st.sampled_from(["name", "text"]),
        loses=st.lists(st.integers(20, 22), max_size=1).map(tuple),
        is_change=st.booleans(),
    ),
    max_size=14,
    unique_by=lambda each: (each.message, each.start),
).map(lambda found: [msgspec.structs.replace(e, role=ROLES[e.at % 3]) for e in found])


@given(STATEMENTS, st.randoms(use_true_random=False))
def test_any_order_of_arrival_gives_the_same_links(
    statements: list[Said], chance: random.Random
) -> None:
    """Any order of arrival gives the same links."""
    shuffled = statements.copy()
    chance.shuffle(shuffled)
    assert derive(shuffled) == derive(statements)


@given(STATEMENTS)
def test_links_lead_to_later_messages_of_the_same_audience(statements: list[Said]) -> None:
    """Links lead to later messages of the same audience."""
    by_span = {MessageSpan.of(each): each for each in statements}
    for link in derive(statements):
        older, newer = by_span[link.older], by_span[link.newer]
        assert older.audience == newer.audience
        assert older.message != newer.message
        assert link.rule == "echo" or older.order < newer.order


@given(st.lists(st.integers(20, 23), min_size=3, max_size=8), st.data())
def test_what_is_erased_leaves_a_chain_without_it(values: list[int], data: st.DataObject) -> None:
    """What is erased leaves a chain without it."""
    statements = [said(n, HOME, value) for n, value in enumerate(values)]
    gone = data.draw(st.integers(0, len(statements) - 1))
    rest = statements[:gone] + statements[gone + 1 :]
    by_older = successors(derive(rest))
    for number, each in enumerate(rest):
        later = next((one for one in rest[number + 1 :] if one.value != each.value), None)
        link = by_older.get(MessageSpan.of(each))
        assert (link and link.newer) == (later and MessageSpan.of(later))
