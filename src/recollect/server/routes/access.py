"""Who may call the worker, and what was done: for the operator of the home, with ``admin``.

A token of a part of the home cannot come here, so that it cannot issue a wider one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from recollect.answers.token import AuditList, TokenPage
from recollect.caller import Caller
from recollect.core.checks import MOST_ROWS
from recollect.core.scope import LOCAL_TENANT
from recollect.governance.tokens import SHARED, IssuedToken, Right, Token
from recollect.server.route import Created, Fields, Routes
from recollect.server.values import moment_of
from recollect.store.audit import Outcome

ROUTES = Routes()


class TokenFilter(Fields, frozen=True, kw_only=True):
    """Which tokens.

    Attributes:
        revoked: Also those that were revoked.
    """

    revoked: bool = False


class NewToken(Fields, frozen=True, kw_only=True):
    """A token to issue.

    Attributes:
        name: Its name in events and audit; no other valid token has it.
        tenant: The owner of the memory that it opens.
        agent: Only of this agent.
        project: Only of this project: a path of it, its name or its id.
        audience: ``shared``, ``owner``, ``session:KEY`` or ``session:*``.
        rights: The greatest right that it has.
        channels: Channels whose session keys it may write to; ``*`` for all.
        expires_at: When it ends, ISO 8601 or ms; it stays valid without one.
    """

    name: str
    tenant: str = LOCAL_TENANT
    agent: str | None = None
    project: str | None = None
    audience: str = SHARED
    rights: Right = "read"
    channels: Sequence[str] = ()
    expires_at: int | str | None = None


class OneToken(Fields, frozen=True, kw_only=True):
    """A token, by its name or id."""

    name: str


class AuditFilter(Fields, frozen=True, kw_only=True):
    """Which part of the audit.

    Attributes:
        limit: Entries, the newest.
        before_seq: Only older ones than this: the page before.
        action: Only of this action, ``token.add``, or of all that begin with it, ``token``.
        actor: Only of this token.
        outcome: Only ``done`` or ``refused`` ones.
    """

    before_seq: int | None = None
    action: str | None = None
    actor: str | None = None
    outcome: Outcome | None = None
    limit: Annotated[int, Meta(ge=0, le=MOST_ROWS)] = 50


@ROUTES.add("GET", "/api/tokens", "admin")
def list_tokens(caller: Caller, fields: TokenFilter) -> TokenPage:
    """List the tokens; their texts are stored nowhere."""
    caller.require_operator("home")
    return TokenPage(tokens=caller.memory.tokens.list(revoked=fields.revoked))


@ROUTES.add("POST", "/api/tokens", "admin")
def add_token(caller: Caller, fields: NewToken) -> Created[IssuedToken]:
    """Issue a token; its text is in this answer and nowhere else."""
    caller.require_operator("home")
    issued = caller.memory.tokens.add(
        fields.name,
        tenant=fields.tenant,
        agent=fields.agent,
        project=None if fields.project is None else caller.projects.path(fields.project),
        audience=fields.audience,
        rights=fields.rights,
        channels=fields.channels,
        expires_at=None if fields.expires_at is None else moment_of(fields.expires_at),
    )
    return Created(issued)


@ROUTES.add("DELETE", "/api/tokens/{name}", "admin")
def revoke_token(caller: Caller, fields: OneToken) -> Token:
    """Revoke a token, from the next request on."""
    caller.require_operator("home")
    return caller.memory.tokens.revoke(fields.name)


@ROUTES.add("GET", "/api/audit", "admin")
def list_audit(caller: Caller, fields: AuditFilter) -> AuditList:
    """List what was done and refused in the own tenant, the oldest of the newest first."""
    caller.require_operator("home")
    entries = caller.memory.audit.latest(
        fields.limit,
        tenant=caller.token.tenant,
        before_seq=fields.before_seq,
        action=fields.action,
        actor=fields.actor,
        outcome=fields.outcome,
    )
    return AuditList(entries=entries)
