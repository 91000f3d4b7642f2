"""Turns of a session that several people share: whom it answers, and which turns they hear."""

from __future__ import annotations

from itertools import islice
from typing import LiteralString

import msgspec

from recollect.audience.account import escaped, sender_of, stored_account
from recollect.audience.owner import Owner
from recollect.audience.session_key import DIRECT
from recollect.audience.visibility import (
    EVERY_TURN,
    NO_TURN,
    Asker,
    Audience,
    HeardTurns,
    Speakers,
    VisibilityGroup,
    may_be_with,
    visibility_group_of,
)
from recollect.core.checks import check_text
from recollect.core.errors import Denied
from recollect.core.scope import Scope
from recollect.sessions.record.lineage import rows_of, segments
from recollect.sessions.record.session import Session, each_session, require_session
from recollect.sessions.record.transcript_rows import newest_turn, turn_senders
from recollect.store.columns import Condition, columns_of, decode, integer, listed, text
from recollect.store.engine import Transaction

_ALL_SENDERS: LiteralString = """
    SELECT DISTINCT session_id, turn_sender FROM messages
    WHERE turn_sender IS NOT NULL AND tenant = ?
"""
_SPEAKERS = columns_of(Speakers, user="user_id")
_PLACE: LiteralString = f"json_array({_SPEAKERS})"
_AT_PLACES: LiteralString = _PLACE + " IN (SELECT value FROM json_each(?))"  # noqa: S608  # literals
_PLACES: LiteralString = f"SELECT DISTINCT {_PLACE}, {_SPEAKERS} FROM sessions WHERE "  # noqa: S608  # literals
_SEQS: LiteralString = "SELECT seq FROM messages WHERE "
_ALL_SPEAKERS: LiteralString = f"SELECT id, {_SPEAKERS} FROM sessions WHERE tenant = ?"  # noqa: S608  # literals


def answered_group(
    tx: Transaction, session: Session, owner: Owner, sender: str | None = None
) -> VisibilityGroup:
    """Return the group that a session answers: that of ``sender``, else of the newest turn.

    Naming a sender only narrows: in a guest's session only those who are in it can be named.

    Args:
        tx: The snapshot of the read.
        session: Which session.
        owner: The owner of the agent.
        sender: The account that is named.

    Raises:
        InvalidInput: the sender cannot be an account.
        Denied: the session is not with the sender.
    """
    own = visibility_group_of(session, owner)
    parts = segments(tx, session) if own.is_private else []
    who = newest_turn(tx, parts) if sender is None else sender_of(sender)
    group = own if who is None else visibility_group_of(session, owner, who)
    if sender is not None and who is not None and group != own and not own.is_owners:
        groups = (visibility_group_of(session, owner, each) for each in turn_senders(tx, parts))
        if group not in groups and not may_be_with(session, stored_account(who), owner.links):
            raise Denied(
                "for_sender must be somebody whom the session is with",
                hint="give the account of its peer, or store the sender's message first",
            )
    return group


def asked_sender(tx: Transaction, session: Session, sender: str | None) -> str | None:
    """Return the sender that a session answers: ``sender``, else that of its newest message."""
    return newest_turn(tx, segments(tx, session)) if sender is None else sender_of(sender)


def resolved(tx: Transaction, asker: Asker, scope: Scope, owner: Owner) -> Audience:
    """Return the audience of an asker in a scope, which says what the asker hears.

    Raises:
        NotFound: the scope lacks the session.
        InvalidInput, Denied: as `answered_group`.
    """
    if asker.session_id is None:
        return Audience(owner=owner)
    session = require_session(tx, scope, check_text(asker.session_id, "session"))
    return Audience(owner=owner, group=answered_group(tx, session, owner, asker.sender))


def turns_by_group(
    tx: Transaction, session: Session, owner: Owner
) -> dict[VisibilityGroup, HeardTurns]:
    """Return the turns of a session that each visibility group in it hears, its own first."""
    own = visibility_group_of(session, owner)
    senders = turn_senders(tx, segments(tx, session)) if own.is_private else []
    groups: dict[VisibilityGroup, list[str]] = {own: []}
    for sender in senders:
        groups.setdefault(visibility_group_of(session, owner, sender), []).append(sender)
    if len(groups) == 1:
        return {own: EVERY_TURN}
    return {
        group: HeardTurns(tuple(accounts), unnamed=group == own)
        for group, accounts in groups.items()
    }


def heard_seqs(tx: Transaction, tenant: str, audience: Audience) -> dict[str, list[int] | None]:
    """Return the messages that an audience hears: seqs by session, None for all of it.

    What a fork shares counts as its parent's. Reads all sessions: for rare requests only.
    """
    senders: dict[str, list[str]] = {}
    for session_id, sender in tx.all(_ALL_SENDERS, (tenant,)):
        senders.setdefault(text(session_id), []).append(text(sender))
    by_session: dict[str, list[int] | None] = {}
    for row in tx.all(_ALL_SPEAKERS, (tenant,)):
        session_id, speakers = text(row[0]), decode(Speakers, Speakers.__struct_fields__, row[1:])
        session_senders = senders.get(session_id, [])
        heard_senders = tuple(
            sender for sender in session_senders if audience.hears(speakers, sender)
        )
        unnamed = audience.hears(speakers)
        if unnamed and len(heard_senders) == len(session_senders):
            by_session[session_id] = None
        elif heard_senders or unnamed:
            where = rows_of(Scope(tenant=tenant), session_id)
            HeardTurns(heard_senders, unnamed=unnamed).narrow(where)
            seqs = tx.all(_SEQS + where.sql, where.params)
            by_session[session_id] = [integer(seq) for (seq,) in seqs]
    return by_session


def hears_session(tx: Transaction, own: Session, other: Session, owner: Owner) -> bool:
    """Return whether a session is within the visibility group of another one.

    Where several people share a session one by one, both its key and its newest turn must allow it,
    so that a turn which comes meanwhile lets no one hear more.
    """
    return other.id == own.id or (
        visibility_group_of(other, owner) == visibility_group_of(own, owner)
        and answered_group(tx, other, owner) == answered_group(tx, own, owner)
    )


def heard_sessions(
    tx: Transaction, where: Condition, own: Session, owner: Owner, limit: int | None
) -> list[Session]:
    """Return the sessions of a condition that a session may hear, the last used first.

    Args:
        tx: A transaction.
        where: Which sessions.
        own: The session that may hear them.
        owner: The owner of the agent.
        limit: How many at most.
    """
    group = visibility_group_of(own, owner)
    conversations = [
        text(conversation)
        for conversation, *speakers in tx.all(_PLACES + where.sql, where.params)
        if visibility_group_of(decode(Speakers, Speakers.__struct_fields__, tuple(speakers)), owner)
        == group
    ]
    sessions = each_session(tx, where.also(_AT_PLACES, listed(conversations)))
    return list(islice((s for s in sessions if hears_session(tx, own, s, owner)), limit))


def heard_turns(tx: Transaction, session: Session, audience: Audience) -> HeardTurns:
    """Return the turns of a session that an audience hears."""
    if audience.group is None:
        return EVERY_TURN
    return turns_by_group(tx, session, audience.owner).get(audience.group, NO_TURN)


class SpokenTurns(msgspec.Struct, frozen=True):
    """The turns of one visibility group, and the session as if it were with them alone."""

    session: Session
    heard: HeardTurns


def spoken_turns(tx: Transaction, session: Session, owner: Owner) -> list[SpokenTurns]:
    """Return the turns of a session by visibility group, those of the session's own group first."""
    return [
        SpokenTurns(session if turns.unnamed else _with(session, turns.senders[0]), turns)
        for turns in turns_by_group(tx, session, owner).values()
    ]


def _with(session: Session, sender: str) -> Session:
    """Return a session as a direct chat with an account: its visibility group is the account's."""
    who = stored_account(sender)
    return msgspec.structs.replace(
        session,
        user=None,
        channel=who.channel,
        account=who.network,
        chat_type=DIRECT,
        peer=escaped(who.id),
    )
