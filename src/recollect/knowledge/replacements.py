"""The links that are stored: kept in step with what is stated, and made and undone by hand.

After a change only the links of the slots that it touches are derived again; the result is the same
as deriving all of them from nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import LiteralString

import msgspec

from recollect.core.errors import InvalidInput
from recollect.core.scope import ConversationTurn
from recollect.knowledge.replacement import (
    DERIVATION_VERSION,
    UNDONE,
    LinkRule,
    MessageSpan,
    ReplacementLink,
    Said,
    chain,
    derive,
    successors,
)
from recollect.knowledge.stated import (
    SlotKey,
    StatedRow,
    drop_stated,
    losing,
    move_stated,
    of_messages,
    of_slots,
    of_values,
    stated_turns,
    store_stated,
)
from recollect.store.columns import LISTED, listed, typed_rows
from recollect.store.engine import Row, Transaction

_COLUMNS: LiteralString = (
    "older_id, older_first, older_end, older_at, newer_id, newer_first, newer_end, newer_at, rule,"
    " is_ending, is_flagged"
)
_ADD: LiteralString = f"""
    INSERT INTO replacements ({_COLUMNS}, tenant, version)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING
"""  # noqa: S608  # literals
_DROP: LiteralString = """
    DELETE FROM replacements
    WHERE older_id = ? AND older_first = ? AND newer_id = ? AND newer_first = ? AND rule = ?
"""
_OF_OLDER: LiteralString = f"""
    SELECT {_COLUMNS} FROM {LISTED} replacements ON older_id = listed
"""  # noqa: S608  # literals
_OF_NEWER: LiteralString = f"""
    SELECT {_COLUMNS} FROM {LISTED} replacements ON newer_id = listed
"""  # noqa: S608  # literals
_AT: LiteralString = f"""
    SELECT {_COLUMNS} FROM {LISTED} replacements ON tenant = ? AND older_at = listed
    WHERE is_flagged = 0
"""  # noqa: S608  # literals
_EVERY: LiteralString = f"SELECT {_COLUMNS} FROM replacements"  # noqa: S608  # literals
_BEFORE: LiteralString = _AT.replace("older_at", "newer_at")
_FLAGGED: LiteralString = _AT.replace("is_flagged = 0", "is_flagged = 1 AND rule <> 'undone'")
_FLAGGED_BEFORE: LiteralString = _FLAGGED.replace("older_at", "newer_at")
_DANGLING: LiteralString = """
    DELETE FROM replacements
    WHERE (older_id IN (SELECT value FROM json_each(?1)) OR
        newer_id IN (SELECT value FROM json_each(?1)))
    AND 2 > (SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE m.id IN (older_id, newer_id) AND s.status <> 'deleted') + (older_id = newer_id)
"""
BY_HAND: LinkRule = "hand"
ALIKE: LinkRule = "alike"
"""Made and removed by `likeness`."""


def update_stated(
    tx: Transaction, changed: Mapping[str, Sequence[StatedRow]], tenant: str, rules: int
) -> int:
    """Store what some messages of a tenant state now, and derive the links that depend on it.

    Args:
        tx: A write transaction.
        changed: The rows by message; none for a message that states nothing, or is gone.
        tenant: The tenant.
        rules: The version of the rules that found them.

    Returns:
        How many messages state something else than before.
    """
    before = of_messages(tx, changed)
    after = [row.said for rows in changed.values() for row in rows]
    unchanged = set(before).intersection(after)
    different = {each.message for each in (*before, *after) if each not in unchanged}
    if not different:
        return 0
    former = [each for each in before if each.message in different]
    touched = _touched(tx, former)
    drop_stated(tx, different)
    store_stated(tx, (row for name in different for row in changed[name]), rules)
    touched |= _touched(tx, [each for each in after if each.message in different])
    derive_again(tx, tenant, touched, former)
    return len(different)


def move_turns(
    tx: Transaction, hashes_of: Callable[[str, ConversationTurn], tuple[int, int]]
) -> dict[str, set[str]]:
    """Give all statements the audiences and speakers that they have now; derive what changes.

    Args:
        tx: A write transaction.
        hashes_of: Returns both for a turn of a tenant.

    Returns:
        By tenant the messages whose links may have changed.
    """
    touched: dict[str, set[SlotKey]] = {}
    moved: list[tuple[str, list[Said]]] = []
    for each, turn in stated_turns(tx):
        audience, speaker = hashes_of(each.tenant, turn)
        before, after = move_stated(tx, each.session_id, turn.turn_sender, audience, speaker)
        if before:
            moved.append((each.tenant, [*before, *after]))
    for tenant, statements in moved:
        touched.setdefault(tenant, set()).update(_touched(tx, statements))
    for tenant, slots in touched.items():
        derive_again(tx, tenant, slots)
    return {
        tenant: {each.message for each in of_slots(tx, slots)} for tenant, slots in touched.items()
    }


def derive_again(
    tx: Transaction, tenant: str, slots: Iterable[SlotKey], former: Sequence[Said] = ()
) -> None:
    """Derive the links of some slots, and store what is different.

    Args:
        tx: A write transaction.
        tenant: The tenant of the slots.
        slots: The slots.
        former: What is not stated any more: its links go too.
    """
    own = list(of_slots(tx, slots))
    spans = {MessageSpan.of(each) for each in own}
    fresh = {link for link in derive(_needed(tx, own)) if link.older in spans}
    former_spans = {MessageSpan.of(each) for each in former} - spans
    current = set(_links(tx.all(_OF_OLDER, (listed({s.message for s in spans | former_spans}),))))
    current.update(_links(tx.all(_OF_NEWER, (listed({s.message for s in former_spans}),))))
    undone = {(each.older, each.newer) for each in current if each.rule == UNDONE}
    fresh = {each for each in fresh if (each.older, each.newer) not in undone}
    manual = {each for each in current if each.rule in {BY_HAND, UNDONE}}
    apart = manual | {each for each in current if each.rule == ALIKE}
    stale = {each for each in current - fresh - apart if each.older in spans | former_spans}
    stale |= {each for each in manual if not former_spans.isdisjoint((each.older, each.newer))}
    drop_links(tx, stale)
    add_links(tx, fresh - current, tenant)


def add_links(tx: Transaction, links: Iterable[ReplacementLink], tenant: str) -> None:
    """Store links that are not there."""
    tx.executemany(_ADD, [_row(each, tenant) for each in sorted(links)])


def drop_links(tx: Transaction, links: Iterable[ReplacementLink]) -> None:
    """Remove links."""
    tx.executemany(_DROP, [_key(each) for each in links])


def _needed(tx: Transaction, own: Sequence[Said]) -> set[Said]:
    """Return the statements that the links of some depend on: those of the same slots are there."""
    losses = losing(tx, {each.value for each in own if each.value})
    values = {value for each in losses for value in each.loses}
    alike = of_values(tx, values & {each.value for each in own}) if losses else []
    return {*own, *losses, *alike}


def _touched(tx: Transaction, statements: Sequence[Said]) -> set[SlotKey]:
    """Return the slots whose links may change when some statements come or go."""
    values = {each.value for each in statements if each.value}
    if values:
        values &= {value for each in losing(tx, values) for value in each.loses}
    values.update(value for each in statements for value in each.loses)
    alike = of_values(tx, values) if values else []
    whose = {(each.audience, each.speaker) for each in statements}
    return {
        (each.slot, each.audience, each.speaker)
        for each in (*statements, *alike)
        if each.slot and (each.audience, each.speaker) in whose
    }


def link(tx: Transaction, tenant: str, older: Said, newer: Said) -> None:
    """Let a statement replace another, by hand.

    Raises:
        InvalidInput: they are the same, or the newer one was replaced by the older one.
    """
    replacement = _by_hand(older, newer, BY_HAND)
    tx.execute(_DROP, _key(msgspec.structs.replace(replacement, rule=UNDONE)))
    chained = [each.newer for each in chain_of(tx, replacement.newer)]
    if replacement.older in {replacement.newer, *chained}:
        raise InvalidInput(
            "what is newer was replaced by this", hint="remove the other replacement first"
        )
    tx.execute(_ADD, _row(replacement, tenant))


def unlink(tx: Transaction, tenant: str, older: Said, newer: Said) -> None:
    """Undo the replacement of a statement by another, derived or by hand; it stays undone."""
    undone = _by_hand(older, newer, UNDONE)
    links = _links(tx.all(_OF_OLDER, (listed([older.message]),)))
    both = [e for e in links if (e.older, e.newer) == (undone.older, undone.newer)]
    tx.executemany(_DROP, [_key(each) for each in both])
    tx.execute(_ADD, _row(undone, tenant))


def drop_dangling(tx: Transaction, messages: Iterable[str]) -> None:
    """Remove the links by hand of messages that are gone; what is stated takes its own along."""
    tx.execute(_DANGLING, (listed(messages),))


def chain_of(tx: Transaction, start: MessageSpan) -> list[ReplacementLink]:
    """Return the links from a span on, to the newest of its chain."""
    reachable: list[ReplacementLink] = []
    names = {start.message}
    while names:
        links = _links(tx.all(_OF_OLDER, (listed(names),)))
        reachable += links
        names = {e.newer.message for e in links} - {e.older.message for e in reachable}
    return list(chain(start, successors(reachable)))


def derived_links(
    tx: Transaction,
) -> tuple[set[ReplacementLink], set[tuple[MessageSpan, MessageSpan]]]:
    """Return all links that were derived, and the ends of those that were undone by hand."""
    links = _links(tx.all(_EVERY))
    undone = {(each.older, each.newer) for each in links if each.rule == UNDONE}
    return {each for each in links if each.rule not in {BY_HAND, UNDONE}}, undone


def links_of(tx: Transaction, messages: Iterable[str]) -> list[ReplacementLink]:
    """Return the links from and to what some messages state."""
    names = listed({*messages})
    return _links([*tx.all(_OF_OLDER, (names,)), *tx.all(_OF_NEWER, (names,))])


def links_at(
    tx: Transaction, tenant: str, times: Iterable[int], *, newer: bool = False
) -> list[ReplacementLink]:
    """Return the links from what was said at some times, ms UTC; not those that are flagged.

    Args:
        tx: A transaction.
        tenant: The tenant.
        times: The times.
        newer: Whether links to what was said then are wanted, too.
    """
    params = listed(times), tenant
    return [*_links(tx.all(_AT, params)), *(_links(tx.all(_BEFORE, params)) if newer else ())]


def flagged_at(
    tx: Transaction, tenant: str, times: Iterable[int], *, newer: bool = False
) -> list[ReplacementLink]:
    """Return the links that are flagged, from what was said at some times; see `links_at`."""
    params = listed(times), tenant
    after = tx.all(_FLAGGED_BEFORE, params) if newer else []
    return sorted({*_links(tx.all(_FLAGGED, params)), *_links(after)})


def links_around(
    tx: Transaction, links: Sequence[ReplacementLink], *, back: bool = False
) -> list[ReplacementLink]:
    """Return all links of the chains that some are in, one for each older statement.

    Args:
        tx: A transaction.
        links: The links to begin with.
        back: Whether what was replaced before is wanted, too.
    """
    reachable = set(links)
    fresh = reachable
    while fresh:
        rows = tx.all(_OF_OLDER, (listed({each.newer.message for each in fresh}),))
        if back:
            rows += tx.all(_OF_NEWER, (listed({each.older.message for each in fresh}),))
        older, newer = {e.older.message for e in reachable}, {e.newer.message for e in reachable}
        near = [
            e
            for e in _links(rows)
            if e.older.message in newer or (back and e.newer.message in older)
        ]
        fresh = {each for each in near if not each.is_flagged} - reachable
        reachable |= fresh
    return sorted(successors(_joined(reachable)).values())


def _joined(links: Collection[ReplacementLink]) -> list[ReplacementLink]:
    """Return links whose newer spans are the older spans of what goes on from there.

    A slot is filled by a clause, and sentences are alike: what was replaced next overlaps with it,
    or is another sentence of the same message.
    """
    onward: dict[str, list[ReplacementLink]] = {}
    for each in links:
        onward.setdefault(each.older.message, []).append(each)
    return [
        msgspec.structs.replace(each, newer=_same(each, onward.get(each.newer.message, ())))
        for each in links
    ]


def _same(link: ReplacementLink, onward: Sequence[ReplacementLink]) -> MessageSpan:
    """Return the older span of one of some links that is the newer end of another one."""
    newer = link.newer
    spans = sorted(
        each.older
        for each in onward
        if (each.older.start < newer.end and newer.start < each.older.end)
        or link.rule == each.rule == ALIKE
    )
    overlapping = [each for each in spans if each.start < newer.end and newer.start < each.end]
    return newer if newer in spans else next(iter(overlapping or spans), newer)


def _by_hand(older: Said, newer: Said, rule: LinkRule) -> ReplacementLink:
    return ReplacementLink(
        older=MessageSpan.of(older),
        older_at=older.at,
        newer=MessageSpan.of(newer),
        newer_at=newer.at,
        rule=rule,
        is_flagged=rule == UNDONE,
    )


def _row(each: ReplacementLink, tenant: str) -> tuple[str | int, ...]:
    older, newer = each.older, each.newer
    return (
        older.message, older.start, older.end, each.older_at, newer.message, newer.start, newer.end,
        each.newer_at, each.rule, int(each.is_ending), int(each.is_flagged), tenant,
        DERIVATION_VERSION,
    )  # fmt: skip


def _key(each: ReplacementLink) -> tuple[str | int, ...]:
    older, newer = each.older, each.newer
    return older.message, older.start, newer.message, newer.start, each.rule


def _links(rows: Sequence[Row]) -> list[ReplacementLink]:
    """Return rows of `_COLUMNS` as links."""
    return [
        ReplacementLink(
            older=MessageSpan(row[0], row[1], row[2]),
            older_at=row[3],
            newer=MessageSpan(row[4], row[5], row[6]),
            newer_at=row[7],
            rule=row[8],
            is_ending=bool(row[9]),
            is_flagged=bool(row[10]),
        )
        for row in typed_rows(
            rows, tuple[str, int, int, int, str, int, int, int, LinkRule, int, int]
        )
    ]
