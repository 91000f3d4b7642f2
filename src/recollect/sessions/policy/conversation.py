"""Serving: the questions of an agent loop about a session before it answers in it.

Who hears it, what may be done in it, whether the agent is called, and whose turn it is. The rules
of a mode are advice, not enforced: tools and browsers are the agent's. What it may remember is
enforced, by the search on behalf of the session (see `visibility_group`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, LiteralString

import msgspec

from recollect.audience.account import DEFAULT_ACCOUNT, Account, escaped, sender_of
from recollect.audience.account import account as account_of
from recollect.audience.identity_links import IdentityLinks
from recollect.audience.owner import Owner
from recollect.audience.people import People
from recollect.audience.session_key import (
    DIRECT,
    GROUP,
    GROUPS,
    check_chat_type,
    direct_key,
    is_group_id,
    joined,
    parse_key,
)
from recollect.audience.visibility import (
    MAIN_AGENT,
    VisibilityGroup,
    visibility_group_of,
)
from recollect.core.checks import checked
from recollect.core.errors import InvalidInput
from recollect.core.events import SessionChanged
from recollect.core.settings.sessions import GroupSettings
from recollect.sessions.lease import check_change
from recollect.sessions.policy.history import History
from recollect.sessions.policy.turns import answered_group, hears_session
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.lineage import (
    LineageSegment,
    found_parts,
    is_shown,
)
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import (
    MODES,
    Session,
    note_change,
    owner_of,
    require_session,
)
from recollect.store.engine import Transaction
from recollect.store.journal import record_event
from recollect.store.locks import TicketQueue
from recollect.text.terms import is_unspaced

TURNS = "turns"
"""Folder of the home in which those who answer in a session queue."""
TURN_TIMEOUT_S = 600.0
"""How long a message waits for the one before it: as long as an agent may think."""

_SET_MODE: LiteralString = "UPDATE sessions SET mode = ? WHERE id = ?"
_SET_OVERRIDES: LiteralString = "UPDATE sessions SET overrides = ? WHERE id = ?"
THINKING = ("off", "low", "medium", "high")
"""How long a model is to think before it answers: the override ``thinking`` of a session."""
_MODEL = re.compile(r"[^\s\x00-\x1f\x7f]{1,200}")


@checked
class ConversationPolicy:
    """Answers the questions of an agent loop about the sessions of a scope.

    Args:
        access: The records, and their owner.
        turns: The queue of those who answer in a session; None without a queue.
        people: The owner of the agent, and who is linked to whom.

    Attributes:
        links: Which accounts are one person, as the settings say.
        history: What was said in groups since the agent's last reply.
    """

    def __init__(self, access: SessionAccess, turns: TicketQueue | None, people: People) -> None:
        self._access = access
        self._turns = turns
        self._people = people
        self.links: IdentityLinks = people.configured.links
        self.history: History = History(access)

    def key_for(
        self,
        agent: str,
        channel: str,
        peer: str,
        *,
        account: str = "default",
        chat_type: str = DIRECT,
        thread: str | None = None,
    ) -> str:
        """Return the session key of a conversation, by the rules of the settings.

        ``sessions.direct_scope`` says which direct chats are one session; where they are one on
        all channels, the peer becomes the person whom ``sessions.identity_links`` name. Colons and
        percent signs of the parts are escaped, so that none can be taken for another.

        Args:
            agent: Who speaks.
            channel: Where: ``telegram``, ``slack`` ...
            peer: The other side: an account, a group. The id of a group is one in any case:
                negative ones of Telegram, ``…@g.us`` of WhatsApp.
            account: The account of the agent there.
            chat_type: ``direct``, ``group``, ``channel``, ``room`` or another that keys know.
            thread: The thread within it.

        Raises:
            InvalidInput: a part cannot be one, or an account that is not linked has the name of
                a person who is.
        """
        suffix = [] if thread is None else ["thread", thread]
        kind, peer = check_chat_type(chat_type), peer.strip()
        if kind == DIRECT and is_group_id(channel.strip().lower(), peer):
            kind = GROUP
        if kind != DIRECT:
            address = [channel] if account == DEFAULT_ACCOUNT else [channel, account]
            return parse_key(joined("agent", agent, *address, kind, peer, *suffix)).text
        scope = self._access.settings.direct_scope
        if scope != "main" and peer:
            peer = self._peer(account_of(channel, account, peer), scope)
        key = direct_key(agent, channel, peer, account=account, scope=scope)
        return parse_key(":".join([key.text, *map(escaped, suffix)])).text

    def _peer(self, who: Account, scope: str) -> str:
        """Return the peer for a direct chat's key: under ``per-peer``, a linked person's name."""
        if self.links.shadows_linked_name(who):
            raise InvalidInput(
                "the account must not have the name of a person in sessions.identity_links",
                hint="link the account to that person, or give the person another name",
            )
        person = self.links.person(who) if scope == "per-peer" else None
        return who.id if person is None else person

    def visibility_group(self, session_id: str, for_sender: str | None = None) -> VisibilityGroup:
        """Return the conversations that hear an answer in a session now.

        Args:
            session_id: Which one.
            for_sender: Whom it answers; the sender of the newest turn if not given. That counts
                only in a session of one person, or of several who share it one by one.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``for_sender`` cannot be an account.
        """
        return self._access.read_session(
            session_id,
            lambda tx, session: answered_group(tx, session, self._owner_at(tx), for_sender),
        )

    def speaking_group(self, session_id: str, sender: str | None) -> VisibilityGroup:
        """Return the conversations that hear a new message of a sender in a session.

        Args:
            session_id: Which one.
            sender: The account that speaks, as a channel that knows it says; None: the partner of
                the session, whoever spoke before.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: ``sender`` cannot be an account.
        """
        who = None if sender is None else sender_of(sender)
        return self._access.read_session(
            session_id, lambda tx, session: visibility_group_of(session, self._owner_at(tx), who)
        )

    def hears(self, session_id: str, other: str) -> bool:
        """Return whether a session may hear another one: they are in one visibility group.

        Raises:
            NotFound: the scope lacks one of them.
        """

        def read(tx: Transaction, own: Session) -> bool:
            session = require_session(tx, self._access.scope, other)
            return hears_session(tx, own, session, self._owner_at(tx))

        return self._access.read_session(session_id, read)

    def message_group(self, message: Message) -> VisibilityGroup:
        """Return the conversations that hear a message.

        Raises:
            NotFound: the scope does not have its session.
        """
        return self._access.read_session(
            message.session_id,
            lambda tx, session: visibility_group_of(
                session, self._owner_at(tx), message.turn_sender
            ),
        )

    def _owner_at(self, tx: Transaction) -> Owner:
        return self._people.at(tx, self._access.scope.tenant)

    def is_shown(self, message: Message) -> bool:
        """Return whether a session that is not deleted shows a message: its own, or a fork."""
        return self._access.read_session(
            message.session_id, lambda tx, session: is_shown(tx, session, message.seq)
        )

    def parts(self, session_id: str) -> list[LineageSegment]:
        """Return the parts that hold the messages of a session: its own, and those a fork shares.

        Messages of its parents are found in these, those that a parent does not show in its forks.

        Raises:
            NotFound: the scope has no such session.
        """
        return self._access.read_session(session_id, found_parts)

    def rules(self, session_id: str) -> ModeRules:
        """Return the rules for an agent in a session.

        Raises:
            NotFound: the scope has no such session.
        """
        session, group = self._session(session_id), self.visibility_group(session_id)
        return mode_rules(session, group, self._access.settings.groups)

    def is_addressed(self, session_id: str, text: str, *, reply_to_agent: bool = False) -> bool:
        """Return whether the agent is to answer: in a group only when it is called, else always.

        Args:
            session_id: Where it was said.
            text: What was said.
            reply_to_agent: Whether it is a reply to something that the agent said.

        Raises:
            NotFound: the scope has no such session.
        """
        session = self._session(session_id)
        if session.chat_type not in GROUPS or reply_to_agent:
            return True
        names = list(self._access.settings.groups.mentions)
        if session.agent is not None and session.agent != MAIN_AGENT:
            names.append(session.agent)
        return calls(text, names)

    def set_mode(self, session_id: str, mode: str, *, lease: object = None) -> Session:
        """Serve a session in another mode from now on, and return it.

        Raises:
            Conflict: another program holds it.
            NotFound: the scope has no such session.
            InvalidInput: the mode is unknown, or it is not one for this kind of chat.
        """

        def unit(tx: Transaction) -> Session:
            session = require_session(tx, self._access.scope, session_id)
            now = self._access.clock.now_ms()
            check_change(tx, session.id, lease, now)
            tx.execute(_SET_MODE, (check_mode(session, mode), session.id))
            note_change(tx, session, now)
            record_event(tx, SessionChanged(scope=owner_of(session), at=now, status=session.status))
            return msgspec.structs.replace(session, mode=mode)

        return self._access.write(unit)

    def set_overrides(
        self, session_id: str, overrides: Mapping[str, Any], *, lease: object = None
    ) -> Session:
        """Give a session settings of its own, and return it; those that are not named stay.

        Args:
            session_id: Which one.
            overrides: ``model`` as in ``language.provider``, ``thinking`` as one of `THINKING`, or
                a program's own, JSON. None takes one back.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            Conflict: another program holds it.
            NotFound: the scope has no such session.
            InvalidInput: they are not a JSON object, or a value cannot be one of its name.
        """
        changes = check_overrides(self._access.drafts.facts(overrides))

        def unit(tx: Transaction) -> Session:
            session = require_session(tx, self._access.scope, session_id)
            now = self._access.clock.now_ms()
            check_change(tx, session.id, lease, now)
            own = {k: v for k, v in (session.overrides | changes).items() if v is not None}
            tx.execute(_SET_OVERRIDES, (msgspec.json.encode(own).decode(), session.id))
            note_change(tx, session, now)
            record_event(tx, SessionChanged(scope=owner_of(session), at=now, status=session.status))
            return msgspec.structs.replace(session, overrides=own)

        return self._access.write(unit)

    @contextmanager
    def turn(self, session_id: str, timeout_s: float = TURN_TIMEOUT_S) -> Iterator[Session]:
        """Wait until it is our turn in a session, and keep it inside the ``with`` block.

        One at a time, in the order of arrival, over all threads and processes of the home. A
        program that dies in its turn keeps no other waiting. Not for a turn within a turn.

        Raises:
            NotFound: the scope has no such session.
            StoreBusy: it was not our turn for ``timeout_s``.
        """
        session = self._session(session_id)
        if self._turns is None:
            raise InvalidInput("these sessions have no queue", hint="use those of recollect.open")
        with self._turns.turn(session.id, timeout_s):
            yield self._session(session_id)

    def _session(self, session_id: str) -> Session:
        return self._access.read_session(session_id, lambda _, session: session)


def check_mode(session: Session, mode: str) -> str:
    """Return ``mode`` if a session can have it: what many read stays a group.

    Raises:
        InvalidInput: the mode is unknown, or it is not one for this kind of chat.
    """
    if mode not in MODES:
        raise InvalidInput("unknown mode of a session", hint=f"use one of {', '.join(MODES)}")
    forbidden = "main" if session.chat_type in GROUPS else "group"
    if mode == forbidden:
        raise InvalidInput(
            "the kind of chat in the session key tells whether it is a group",
            hint="queue goes with both; for a group use a key such as agent:main:slack:group:7",
        )
    return mode


def check_overrides(overrides: dict[str, Any]) -> dict[str, Any]:
    """Return overrides of which those that we read can be used.

    Raises:
        InvalidInput: the model is not a name, or the level of thinking is unknown.
    """
    model, thinking = overrides.get("model"), overrides.get("thinking")
    if model is not None and not (isinstance(model, str) and _MODEL.fullmatch(model)):
        raise InvalidInput("the model must be a name", hint="write it as in language.provider")
    if thinking is not None and thinking not in THINKING:
        raise InvalidInput("unknown level of thinking", hint=f"use one of {', '.join(THINKING)}")
    return overrides


class ModeRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of one session.

    Attributes:
        mode: ``main``, ``group`` or ``queue``.
        tools: The tools that may be used; None for all.
        sandbox: Whether code runs in a sandbox only.
        file_access: Whether personal files may be read, memory files among them.
        browser_access: Whether a browser may also write, or only read.
        cross_user_memory: Whether what other people said elsewhere may be recalled: never.
        needs_call: Whether the agent answers only who calls it by name or replies to it.
        one_at_a_time: Whether each message is answered before the next one is begun.
    """

    mode: str
    tools: tuple[str, ...] | None = None
    sandbox: bool = False
    file_access: bool = True
    browser_access: Literal["full", "read_only"] = "full"
    cross_user_memory: bool = False
    needs_call: bool = False
    one_at_a_time: bool = False

    def allows(self, tool: str) -> bool:
        """Return whether a tool may be used."""
        return self.tools is None or tool in self.tools


def mode_rules(
    session: Session, visibility_group: VisibilityGroup, settings: GroupSettings
) -> ModeRules:
    """Return the rules of a session.

    Whatever is not known to be one person's is treated like a group: sub-agents, hooks and kinds of
    chat that are not understood.
    """
    queued = session.mode == "queue"
    if visibility_group.is_private:
        files = visibility_group.is_owners
        return ModeRules(mode=session.mode, file_access=files, one_at_a_time=queued)
    return ModeRules(
        mode=session.mode,
        tools=settings.tools,
        sandbox=True,
        file_access=False,
        browser_access="read_only",
        needs_call=session.chat_type in GROUPS,
        one_at_a_time=queued,
    )


def calls(text: str, names: Iterable[str]) -> bool:
    """Return whether one of some names is in a text as a word.

    >>> calls("Hey @Tea, what now?", ["@tea"]), calls("teapot", ["tea"])
    (True, False)
    """
    folded = _folded(text)
    return any(
        _is_bounded(folded, start, start + len(name))
        for name in map(_folded, names)
        for start in _places(folded, name)
    )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _places(text: str, name: str) -> Iterator[int]:
    start = text.find(name) if name else -1
    while start >= 0:
        yield start
        start = text.find(name, start + 1)


def _is_bounded(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    return not (_joins(before) and not is_unspaced(first)) and not (_joins(after) and _joins(last))


def _joins(character: str) -> bool:
    """Return whether a character continues a word of a script that puts spaces between words."""
    return (character.isalnum() or character == "_") and not is_unspaced(character)
