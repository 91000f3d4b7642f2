"""Contradictions among what was found: a denial of what was done, or two values of one slot.

A person denies what they say that they did, or gives a slot another value without a sign of change.
Both messages stay where they are, and none replaces the other: each hit names the other one. What
was done after it was denied contradicts nothing, unless both were said in one session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import islice
from typing import LiteralString

import msgspec

from recollect.audience.people import People
from recollect.audience.visibility import group_of_turn, speaker_of
from recollect.core.numbers import show_number
from recollect.index.query.hit import Hit, SearchResult
from recollect.knowledge.replacement import USER
from recollect.knowledge.replacements import links_of
from recollect.recall.statements.messages import (
    MESSAGE_COLUMNS,
    MOST_CHARS,
    Placed,
    placed_messages,
    says_itself,
)
from recollect.store.columns import LISTED, listed, typed_rows
from recollect.store.engine import Transaction
from recollect.text.denial import denies
from recollect.text.injected import without_injected
from recollect.text.statements.denials import Deed, deeds, denied_share
from recollect.text.times.ranges import find_ranges

MOST_NAMED = 3
"""Messages that one denial contradicts: those that tell most of what it denies."""
_MOST_HITS, _MOST_DEEDS = 20, 12
"""The first hits that are compared, and the deeds of each: the work grows with the square of both.
100 hits with 50 deeds took 9.5 s."""
_FOUND: LiteralString = f"""
    SELECT {MESSAGE_COLUMNS} FROM {LISTED} messages t ON t.id = listed
    JOIN sessions s ON s.id = t.session_id WHERE t.role = 'user'
"""  # noqa: S608  # literals
_NUMBERS: LiteralString = f"SELECT id, number FROM {LISTED} messages ON id = listed"  # noqa: S608


class _Telling(msgspec.Struct, frozen=True, kw_only=True):
    """What a message tells of the deeds of its speaker, whom its hearers tell apart."""

    ref: str
    at: int
    session: str
    whose: tuple[str, str]
    deeds: tuple[Deed, ...]


def with_contradictions(tx: Transaction, people: People, result: SearchResult) -> SearchResult:
    """Return a result whose hits name the other hits that contradict them."""
    hits = [hit for hit in result.hits if hit.role == USER][:_MOST_HITS]
    refs = {hit.ref for hit in hits}
    pairs = [*_differing(tx, refs)]
    if any(denies(hit.snippet) for hit in hits):
        pairs += _denied(tx, people, refs)
    if not pairs:
        return result
    numbers = dict(typed_rows(tx.all(_NUMBERS, (listed(refs),)), tuple[str, int]))
    names: dict[str, dict[str, None]] = {}
    for denial, deed in pairs:
        names.setdefault(denial, {})[show_number("message", numbers[deed])] = None
        names.setdefault(deed, {})[show_number("message", numbers[denial])] = None
    return msgspec.structs.replace(
        result, hits=[_naming(hit, [*names.get(hit.ref, ())]) for hit in result.hits]
    )


def _naming(hit: Hit, names: Sequence[str]) -> Hit:
    return msgspec.structs.replace(hit, contradicts=tuple(names)) if names else hit


def _differing(tx: Transaction, refs: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of messages that give one slot different values, of which none is replaced."""
    for link in links_of(tx, refs):
        older, newer = link.older.message, link.newer.message
        if link.is_flagged and link.rule == "open" and {older, newer} <= refs:
            yield newer, older


def _denied(tx: Transaction, people: People, refs: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of messages of which the first denies what the second one tells."""
    rows = placed_messages(tx.all(_FOUND, (listed(refs),)))
    tellings = [each for row in rows if (each := _telling(tx, people, row)) is not None]
    for each in tellings:
        yield from _contradicted(each, tellings)


def _telling(tx: Transaction, people: People, row: Placed) -> _Telling | None:
    """Return what a message tells; None where its speaker is not known."""
    message, turn = row
    owner = people.at(tx, message.tenant)
    group = group_of_turn(turn, owner)
    who = speaker_of(turn, group, owner)
    if who is None or not says_itself(message, turn):
        return None
    return _Telling(
        ref=message.id,
        at=message.at,
        session=message.session_id,
        whose=(group.name, who),
        deeds=tuple(islice(deeds(without_injected(message.text)[:MOST_CHARS]), _MOST_DEEDS)),
    )


def _contradicted(one: _Telling, tellings: Sequence[_Telling]) -> Iterator[tuple[str, str]]:
    """Yield a message with each of those that tell what it denies, the most of it first."""
    own = [each for each in tellings if each.whose == one.whose]
    for denial in one.deeds:
        shares = {each.ref: _share(denial, one, each) for each in own}
        best = sorted(filter(shares.get, shares), key=lambda ref: -shares[ref])
        yield from ((one.ref, ref) for ref in islice(best, MOST_NAMED))


def _share(denial: Deed, one: _Telling, other: _Telling) -> float:
    """Return how much of what a message denies another one tells, at most."""
    shares = ((denied_share(denial, each), each) for each in other.deeds)
    return max(
        (share for share, each in shares if share and _is_before(each, other, one)), default=0
    )


def _is_before(deed: Deed, telling: _Telling, denial: _Telling) -> bool:
    """Return whether something was done before it was denied, or is said in the same session."""
    if telling.at <= denial.at or telling.session == denial.session:
        return True
    times = find_ranges(deed.text, telling.at)
    return any(each.until <= denial.at for each in times)
