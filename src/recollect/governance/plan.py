"""The plan of a prune, and its receipt: which sessions are removed or cut, and why.

It is made from one snapshot without a change, so that a dry run reports what a run would do. Each
step is checked again when it is done: what was used meanwhile stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal, LiteralString, TypeAlias

import msgspec

from recollect.core.clock import DAY_MS
from recollect.core.scope import Scope
from recollect.core.settings.sessions import RetentionSettings
from recollect.sessions.record.lineage import Kin, ancestors, find_kin
from recollect.store.columns import Condition, integer, text
from recollect.store.engine import Transaction

RemovalReason: TypeAlias = Literal["age", "sessions", "messages"]
"""Which cap it is above: ``days``, ``max_sessions`` or ``max_messages``."""

_IDS: LiteralString = "SELECT id FROM sessions WHERE "
_IN_USE: LiteralString = "SELECT session_id FROM leases WHERE expires_at > ?"
_SIZE: LiteralString = """
    SELECT count(*), coalesce(sum(octet_length(content) + octet_length(text)
        + octet_length(metadata)), 0)
    FROM messages WHERE session_id = ? AND seq <= ?
"""


class SessionRemoval(msgspec.Struct, frozen=True, kw_only=True):
    """The removal of one session or of its oldest messages.

    Attributes:
        session_id: The session.
        reason: The cap that it is above.
        is_whole: Whether the session is removed too.
        through_seq: The newest message to remove.
        last_seq: The newest message of the session; one that has grown meanwhile stays as it is.
        messages: Messages to remove.
        bytes: Their size in UTF-8.
    """

    session_id: str
    reason: RemovalReason
    is_whole: bool
    through_seq: int
    last_seq: int
    messages: int
    bytes: int


class RemovalPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What to remove, forks before what they share, and what stays although it is above a cap.

    Attributes:
        removals: What to remove.
        kept_for_forks: Sessions that stay unchanged because a fork reads them.
        kept_in_use: Sessions that stay because a program holds them.
    """

    removals: tuple[SessionRemoval, ...] = ()
    kept_for_forks: tuple[str, ...] = ()
    kept_in_use: tuple[str, ...] = ()


def make_plan(tx: Transaction, scope: Scope, caps: RetentionSettings, now: int) -> RemovalPlan:
    """Return the plan that removes what is above the caps.

    Args:
        tx: A transaction; nothing is written.
        scope: Of the sessions that count.
        caps: The limits; 0 is none.
        now: Ms UTC.
    """
    kin = find_kin(tx, scope.tenant)
    order = _seen(tx, scope)
    in_use = {text(row[0]) for row in tx.rows(_IN_USE, (now,))}
    above = _above(kin, order, caps, now)
    most = caps.max_messages
    long = [id_ for id_ in order if most and kin[id_].message_count > most]
    parts: dict[str, SessionRemoval] = {}
    while True:
        reads = _Reads(kin)
        doomed, rescued = reads.spare({id_: why for id_, why in above.items() if id_ not in in_use})
        shared = {id_ for id_ in long if reads.last.get(id_, 0) >= kin[id_].first_seq} - {*parts}
        candidates = {*long} - shared - in_use - {*doomed, *parts}
        fresh = {
            id_: _removal(tx, kin[id_], "messages", through)
            for id_ in sorted(candidates)
            if (through := cut_of(tx, id_, most))
        }
        parts |= fresh
        # A cut fork no longer reads its parent, which may then be above a cap.
        for id_, part in fresh.items():
            kin[id_] = msgspec.structs.replace(kin[id_], pruned_seq=part.through_seq)
        if not any(kin[id_].parent_id for id_ in fresh):
            break
    whole = [_removal(tx, kin[id_], why) for id_, why in doomed.items()]
    every = [*whole, *(part for id_, part in parts.items() if id_ not in doomed)]
    return RemovalPlan(
        removals=tuple(sorted(every, key=lambda each: (-_depth(kin, each), each.session_id))),
        kept_for_forks=tuple(sorted(rescued | (shared - {*doomed}))),
        kept_in_use=tuple(sorted(in_use & {*above, *long})),
    )


class _Reads:
    """Which sessions read which, among those that stay."""

    def __init__(self, kin: Mapping[str, Kin]) -> None:
        self._kin = kin
        self.last: dict[str, int] = {}
        """The last seq of each session that another one reads."""

    def spare(self, above: dict[str, RemovalReason]) -> tuple[dict[str, RemovalReason], set[str]]:
        """Split ``above``: what can go, and the ids that must stay for those that read them."""
        doomed, rescued = dict(above), set[str]()
        waiting = [kin for kin in self._kin.values() if kin.id not in doomed]
        while waiting:
            session = waiting.pop()
            for ancestor, last in ancestors(session, self._kin.get):
                if last <= session.pruned_seq:
                    break
                self.last[ancestor.id] = max(last, self.last.get(ancestor.id, 0))
                if doomed.pop(ancestor.id, None) is not None:
                    rescued.add(ancestor.id)
                    waiting.append(ancestor)
        return doomed, rescued


def _seen(tx: Transaction, scope: Scope) -> list[str]:
    """Return the sessions of a scope, the most recently used first."""
    where = Condition(scope)
    rows = tx.rows(_IDS + where.sql + " ORDER BY updated_at DESC, id DESC", where.params)
    return [text(row[0]) for row in rows]


def _above(
    kin: Mapping[str, Kin], order: Iterable[str], caps: RetentionSettings, now: int
) -> dict[str, RemovalReason]:
    oldest = now - caps.days * DAY_MS
    reasons: dict[str, RemovalReason] = {}
    for position, id_ in enumerate(order):
        if caps.days and kin[id_].updated_at < oldest:
            reasons[id_] = "age"
        elif caps.max_sessions and position >= caps.max_sessions:
            reasons[id_] = "sessions"
    return reasons


def _depth(kin: Mapping[str, Kin], removal: SessionRemoval) -> int:
    """Return the number of ancestors of a session: forks are removed before what they share."""
    steps, present = 0, kin.get(removal.session_id)
    while present is not None and present.parent_id is not None and steps < len(kin):
        steps, present = steps + 1, kin.get(present.parent_id)
    return steps


def _removal(
    tx: Transaction, kin: Kin, reason: RemovalReason, through_seq: int | None = None
) -> SessionRemoval:
    """Return the removal of a session up to a seq; without one, of the whole session."""
    through = kin.last_seq if through_seq is None else through_seq
    messages, size = tx.row(_SIZE, (kin.id, through)) or (0, 0)
    return SessionRemoval(
        session_id=kin.id,
        reason=reason,
        is_whole=through_seq is None,
        through_seq=through,
        last_seq=kin.last_seq,
        messages=integer(messages),
        bytes=integer(size),
    )


_BELOW: LiteralString = """
    SELECT seq FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?
"""
_STARTS: LiteralString = """
    SELECT seq, role FROM messages WHERE session_id = ? ORDER BY seq
"""
_PAIRS: LiteralString = """
    SELECT asked.seq, answered.seq
    FROM tool_calls
    JOIN messages asked ON asked.id = tool_calls.message_id
    JOIN messages answered ON answered.id = tool_calls.result_id
    WHERE tool_calls.session_id = ?
"""


def cut_of(tx: Transaction, session_id: str, most: int) -> int:
    """Return the seq through which to cut a session so that at most ``most`` messages stay.

    The cut is before a user's message if that leaves at least half of ``most``; otherwise anywhere
    that splits no pair. Without such a position, more than ``most`` stay: a pair is worth more than
    a cap.

    Returns:
        0 when nothing is to be cut.
    """
    row = tx.row(_BELOW, (session_id, most))
    if row is None:
        return 0
    rows = tx.all(_STARTS, (session_id,))
    seqs = [integer(seq) for seq, _ in rows]
    starts = {integer(seq) for seq, role in rows if role == "user"}
    pairs = [(integer(call), integer(result)) for call, result in tx.rows(_PAIRS, (session_id,))]
    latest = seqs[-1 - most // 2]
    return choose_cut(seqs, starts, pairs, (integer(row[0]), latest))


def choose_cut(
    seqs: Sequence[int], starts: set[int], pairs: Iterable[tuple[int, int]], within: tuple[int, int]
) -> int:
    """Return the best cut; a cut is named by the last seq before it.

    Args:
        seqs: Of all messages, in their order.
        starts: Those with which a turn begins.
        pairs: The seqs of each tool call and its result.
        within: The cut that leaves as many messages as may stay, and the last cut for whole turns.
    """
    needed, latest = within
    spans = sorted((min(pair), max(pair)) for pair in pairs)
    whole = list(_whole_turns(seqs, spans))
    later = [(seq, after) for seq, after in whole if seq >= needed]
    turns = [seq for seq, after in later if after in starts and seq <= latest]
    if turns or later:
        return turns[0] if turns else later[0][0]
    return whole[-1][0] if whole else 0


def _whole_turns(
    seqs: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the cuts that split no pair, each with the seq after it."""
    open_until, position = 0, 0
    for seq, after in pairwise(seqs):
        while position < len(pairs) and pairs[position][0] <= seq:
            open_until = max(open_until, pairs[position][1])
            position += 1
        if open_until <= seq:
            yield seq, after


class RecordAmount(msgspec.Struct, frozen=True, kw_only=True):
    """The amount of one kind of records.

    Attributes:
        records: Their number.
        bytes: Their size.
    """

    records: int
    bytes: int


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """The amount that was removed.

    Attributes:
        sessions: Sessions removed whole.
        messages: Messages, including those of whole sessions.
        bytes: Size of the messages in UTF-8.
    """

    sessions: int = 0
    messages: int = 0
    bytes: int = 0


class PruneReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a prune, or of a dry run.

    Attributes:
        dry_run: Nothing was changed.
        at: When, ms UTC.
        sessions: Removed sessions.
        messages: Removed messages, including those of the sessions.
        bytes: Size of the messages in UTF-8.
        by_reason: The same by cap: ``age``, ``sessions``, ``messages``.
        session_ids: The removed sessions.
        cut_ids: The sessions that lost their oldest messages.
        kept_for_forks: Sessions above a cap that stay because a fork reads them.
        kept_in_use: Sessions above a cap that stay because a program holds them.
        changed: Sessions that stay because they were used meanwhile.
        is_clean: Whether nothing that was ever removed is left in a file that recollect wrote; if
            not, the warnings say why, and the next run tries again.
        warnings: One sentence each.
        records: What is above the limits of ``retention``, by kind; for ``blobs`` the observations
            that keep only head and tail.
    """

    dry_run: bool
    at: int
    sessions: int = 0
    messages: int = 0
    bytes: int = 0
    by_reason: dict[RemovalReason, Amount] = msgspec.field(default_factory=dict)
    session_ids: tuple[str, ...] = ()
    cut_ids: tuple[str, ...] = ()
    kept_for_forks: tuple[str, ...] = ()
    kept_in_use: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    is_clean: bool = True
    warnings: tuple[str, ...] = ()
    records: dict[str, RecordAmount] = msgspec.field(default_factory=dict)


def report_of(
    plan: RemovalPlan, removals: Sequence[SessionRemoval], *, at: int, dry_run: bool
) -> PruneReport:
    """Return the receipt for the completed part of a plan."""
    every = amount_of(removals)
    reasons = dict.fromkeys(removal.reason for removal in removals)
    finished = {removal.session_id for removal in removals}
    return PruneReport(
        dry_run=dry_run,
        at=at,
        sessions=every.sessions,
        messages=every.messages,
        bytes=every.bytes,
        by_reason={why: amount_of([r for r in removals if r.reason == why]) for why in reasons},
        session_ids=tuple(r.session_id for r in removals if r.is_whole),
        cut_ids=tuple(r.session_id for r in removals if not r.is_whole),
        kept_for_forks=plan.kept_for_forks,
        kept_in_use=plan.kept_in_use,
        changed=tuple(r.session_id for r in plan.removals if r.session_id not in finished),
    )


def amount_of(removals: Sequence[SessionRemoval]) -> Amount:
    """Return the total amount of some removals."""
    return Amount(
        sessions=sum(removal.is_whole for removal in removals),
        messages=sum(removal.messages for removal in removals),
        bytes=sum(removal.bytes for removal in removals),
    )
