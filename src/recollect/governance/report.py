"""The receipt of a pruning: what went, why, and what stayed although it is above a cap."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from recollect.governance.plan import Reason, RemovalPlan, SessionRemoval


class Amount(msgspec.Struct, frozen=True, kw_only=True):
    """How much went.

    Attributes:
        sessions: Sessions that went whole.
        messages: Messages, those of whole sessions included.
        bytes: What the messages held, in UTF-8.
    """

    sessions: int = 0
    messages: int = 0
    bytes: int = 0


class PruneReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a pruning did, or would do.

    Attributes:
        dry_run: Nothing was changed.
        at: When, ms UTC.
        sessions: Sessions that went.
        messages: Messages that went, those of the sessions included.
        bytes: What the messages held, in UTF-8.
        by_reason: The same by the cap: ``age``, ``sessions``, ``messages``.
        session_ids: The sessions that went.
        cut_ids: The sessions that lost their oldest messages.
        kept_for_forks: Sessions above a cap that stay because a fork reads them.
        kept_in_use: Sessions above a cap that stay because a program holds them.
        changed: Sessions that stay because they were used while this ran.
        is_clean: Nothing that was ever removed is left in a file of the home, as far as recollect
            wrote it; if not, the warnings say why, and the next run tries again.
        warnings: One sentence each.
    """

    dry_run: bool
    at: int
    sessions: int = 0
    messages: int = 0
    bytes: int = 0
    by_reason: dict[Reason, Amount] = msgspec.field(default_factory=dict)
    session_ids: tuple[str, ...] = ()
    cut_ids: tuple[str, ...] = ()
    kept_for_forks: tuple[str, ...] = ()
    kept_in_use: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    is_clean: bool = True
    warnings: tuple[str, ...] = ()


def report_of(
    plan: RemovalPlan, done: Sequence[SessionRemoval], *, at: int, dry_run: bool
) -> PruneReport:
    """Return the receipt for what was done of a plan."""
    every = amount_of(done)
    reasons = dict.fromkeys(removal.reason for removal in done)
    finished = {removal.session_id for removal in done}
    return PruneReport(
        dry_run=dry_run,
        at=at,
        sessions=every.sessions,
        messages=every.messages,
        bytes=every.bytes,
        by_reason={why: amount_of([r for r in done if r.reason == why]) for why in reasons},
        session_ids=tuple(r.session_id for r in done if r.is_whole),
        cut_ids=tuple(r.session_id for r in done if not r.is_whole),
        kept_for_forks=plan.kept_for_forks,
        kept_in_use=plan.kept_in_use,
        changed=tuple(r.session_id for r in plan.removals if r.session_id not in finished),
    )


def amount_of(removals: Sequence[SessionRemoval]) -> Amount:
    """Return how much goes with some removals."""
    return Amount(
        sessions=sum(removal.is_whole for removal in removals),
        messages=sum(removal.messages for removal in removals),
        bytes=sum(removal.bytes for removal in removals),
    )
