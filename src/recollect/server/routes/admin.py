"""What removes for good and what rebuilds: for the operator with the right ``admin``.

Each removal is in the audit. With ``dry_run`` nothing is changed.
"""

from __future__ import annotations

from recollect.caller import Caller
from recollect.core.checks import Question
from recollect.core.errors import InvalidInput
from recollect.governance.erasure_receipt import ErasureReceipt
from recollect.governance.plan import PruneReport
from recollect.governance.scrubbing import ScrubReceipt
from recollect.index.model.sync_report import SyncReport
from recollect.server.route import Fields, Nothing, Routes

ROUTES = Routes()


class RemovalOrder(Fields, frozen=True, kw_only=True):
    """A removal.

    Attributes:
        dry_run: Only tell what would go.
    """

    dry_run: bool = False


class Erasure(RemovalOrder, frozen=True, kw_only=True):
    """What to erase: all that each given field selects; or a fact alone.

    Attributes:
        session: Of this session, by its key or id.
        user_id: Of this person: a name or an account.
        project: Of sessions of this project: a path of it, its name or its id.
        since: Said or done from then on, ISO 8601 or ms UTC.
        until: Said or done before then.
        query: Holding this text, capitals aside.
        fact: A fact, by its number or id; what says it stays.
        with_forks: Erase living forks that share messages with it as well.
        plan_id: Of the dry run of the same order, which shows what goes.
    """

    session: str | None = None
    user_id: str | None = None
    project: str | None = None
    since: int | str | None = None
    until: int | str | None = None
    query: Question | None = None
    fact: str | None = None
    with_forks: bool = False
    plan_id: str | None = None


@ROUTES.add("POST", "/api/erase", "admin")
def erase(caller: Caller, fields: Erasure) -> ErasureReceipt:
    """Erase a conversation, what somebody said, or when, or a fact, so that no byte is left.

    Raises:
        InvalidInput: no plan is named.
        Conflict: what would go has changed since the dry run.
    """
    if fields.plan_id is None and not fields.dry_run:
        again = "send the same order with dry_run, then with the plan_id of its answer"
        raise InvalidInput("an erasure must name its plan", hint=again)
    session = None if fields.session is None else caller.session(fields.session).id
    return caller.memory.erase(
        session_id=session,
        user_id=fields.user_id,
        project=fields.project,
        since=fields.since,
        until=fields.until,
        query=fields.query,
        fact_id=None if fields.fact is None else caller.memory.facts.get(fields.fact).id,
        dry_run=fields.dry_run,
        plan_id=fields.plan_id,
        with_forks=fields.with_forks,
    )


@ROUTES.add("POST", "/api/prune", "admin")
def prune(caller: Caller, fields: RemovalOrder) -> PruneReport:
    """Remove what is above the caps of retention."""
    caller.require_operator("home")
    report = caller.memory.prune(dry_run=fields.dry_run)
    _audit(caller, fields, "prune")
    return report


@ROUTES.add("POST", "/api/scrub", "admin")
def scrub(caller: Caller, fields: RemovalOrder) -> ScrubReceipt:
    """Redact everything stored by the rules of today."""
    caller.require_operator("home")
    receipt = caller.memory.scrub(dry_run=fields.dry_run)
    _audit(caller, fields, "scrub")
    return receipt


@ROUTES.add("POST", "/api/sync", "admin")
def sync(caller: Caller, _fields: Nothing) -> SyncReport:
    """Index everything, embeddings included, and answer then."""
    caller.require_operator("home")
    return caller.memory.sync()


@ROUTES.add("POST", "/api/reindex", "admin")
def reindex(caller: Caller, _fields: Nothing) -> SyncReport:
    """Rebuild the index; the old one answers meanwhile."""
    caller.require_operator("home")
    return caller.memory.reindex()


def _audit(caller: Caller, fields: RemovalOrder, action: str) -> None:
    if not fields.dry_run:
        caller.memory.audit.record(action)
