"""Transcripts: storing messages and reading them back, in the order in which they were said.

Each write is one durable transaction under the scope of the object. A fork reads through to its
parents. `sessions` decides which session a message belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from recollect.audience.people import People
from recollect.audience.visibility import Asker
from recollect.core.checks import check_count, checked
from recollect.core.errors import InvalidInput, NotFound
from recollect.sessions.lease import DISTURBS, Lease, check_append, find_lease, lease_ms
from recollect.sessions.policy.turns import heard_turns, resolved
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.content import Content, ContentBlock
from recollect.sessions.record.draft import Draft, DraftMaker
from recollect.sessions.record.lineage import segments, within
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session, require_living
from recollect.sessions.record.token_usage import TokenUsage, with_usage
from recollect.sessions.record.tool_call import ToolCall, joined, select_tool_calls
from recollect.sessions.record.transcript_rows import (
    append_messages,
    named_message,
    read_messages,
)
from recollect.sessions.streaming import GrowingMessage, MessageStream, Piece
from recollect.store.engine import Transaction

if TYPE_CHECKING:  # imported with the first message that comes whole, or from a hook
    from recollect.sessions.record.chat_message import ChatMessage, Item
    from recollect.sessions.record.message import StandIn


@checked
class Transcripts:
    """Stores and reads messages.

    Args:
        access: The records, and their owner.
        people: The owner of the agent, and who is linked to whom.
    """

    def __init__(self, access: SessionAccess, people: People) -> None:
        self._access, self._people = access, people

    def append(
        self,
        session_id: str,
        role: str | ChatMessage,
        content: Content | None = None,
        *,
        name: str | None = None,
        at: int | datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        event_id: str | None = None,
        model: str | None = None,
        usage: TokenUsage | Mapping[str, Any] | None = None,
        sender: str | None = None,
        lease: Lease | None = None,
    ) -> Message:
        """Store a message after the newest of its session, and return it once it is durable.

        Args:
            session_id: Where it belongs.
            role: ``user``, ``assistant``, ``system`` or ``tool``; or a whole message of OpenAI
                (chat completions or Responses) or Anthropic, as a dict or as its SDK has it.
            content: A text, or content blocks in the spelling of Anthropic, OpenAI or OpenClaw;
                left out where the message is whole.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; now if not given. It may be earlier than the
                message before.
            metadata: More facts, a JSON object.
            event_id: An id of the caller's. The same id again stores nothing and returns the
                first message, so that a caller may always try again; in a fork and after a reset
                too. Other conversations may use the same ids.
            model: The model that said it; also kept on the session.
            usage: Its cost, with the provider's own names; added up on the session.
            sender: The account that said it: ``telegram:42``, or ``irc:libera:bob`` where ids count
                within a network. Give it wherever several people write to one session.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: something of it cannot be stored.
            Conflict: the session was deleted, another program has taken it over, or holds it
                while it is a queue or exclusively.
            Denied: the event id is that of a message which the scope may not see.
        """
        facts = metadata or {}
        if model is not None or usage is not None:
            facts = with_usage(facts, model, usage)
        if not isinstance(role, str) or content is None:
            options = {"name": name, "at": at, "event_id": event_id, "sender": sender}
            arguments = _of_whole(role, content, facts, options)
        else:
            arguments = {"role": role, "content": content, "name": name, "at": at}
            arguments |= {"metadata": facts, "event_id": event_id, "sender": sender}
        draft = self._access.drafts.session(session_id, lambda it: it.message(**arguments))
        return self._append(session_id, [draft], lease)[0]

    def append_many(
        self, session_id: str, items: Iterable[Item], *, lease: Lease | None = None
    ) -> list[Message]:
        """Store messages in one transaction: all of them or none; return them in order.

        Args:
            session_id: Where they belong.
            items: Tuples of role and content, dicts with the argument names of `append`, or
                messages of OpenAI and Anthropic as they are.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted, another program has taken it over, or holds it
                while it is a queue or exclusively.
            InvalidInput: something of it cannot be stored; the fact ``item`` is its index, from 0.
        """
        batch = list(items)
        drafts = self._access.drafts.session(session_id, partial(_drafts_of, batch))
        if not drafts and lease is None:
            self._access.database.read(
                lambda tx: require_living(tx, self._access.scope, session_id)
            )
            return []
        return self._append(session_id, drafts, lease)

    def stand_in(
        self, session_id: str, of: StandIn, text: str, at: int | None = None
    ) -> Message | None:
        """Store a message that a hook reports, until the transcript of the session replaces it.

        Args:
            session_id: Where it belongs.
            of: Which message of which turn it is.
            text: Its words.
            at: When it was said, ms UTC; now if not given.

        Returns:
            The message; None if it is there already.

        Raises:
            RecollectError: as `append`.
        """
        from recollect.sessions.record.message import STAND_IN, StandIn, is_known

        if not isinstance(of, StandIn):
            raise InvalidInput("of must be a StandIn", hint="pass what names the message")
        facts = {STAND_IN: msgspec.to_builtins(of)}
        draft = self._access.drafts.session(
            session_id,
            lambda it: it.message(
                of.said_by, text, at=at, metadata=facts, event_id=of.event_id(at)
            ),
        )

        def unit(tx: Transaction) -> Message | None:
            session = require_living(tx, self._access.scope, session_id)
            if is_known(tx, session, of, draft.message.text):
                return None
            check_holder(tx, session, self._access)
            return append_messages(tx, self._access.scope, session, [draft])[0]

        return self._access.write(unit)

    def stream(
        self,
        session_id: str,
        role: str = "assistant",
        *,
        name: str | None = None,
        at: int | datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        event_id: str | None = None,
        model: str | None = None,
        sender: str | None = None,
        lease: Lease | None = None,
    ) -> MessageStream:
        """Return a message that arrives in pieces: ``with … as reply: reply.add("Good ")``.

        It gets its seq when its first lines are stored, and keeps it. See `MessageStream`.

        Args:
            session_id: Where it belongs.
            role: ``user``, ``assistant``, ``system`` or ``tool``.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; when its first lines were stored if not given.
            metadata: More facts, a JSON object.
            event_id: An id of the caller's; again it replaces an unfinished message.
            model: The model that says it.
            sender: The account that says it, as for `append`.
            lease: The right to go on with the session, where the caller took one.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted.
            InvalidInput: something of it cannot be stored.
        """
        facts = with_usage(metadata or {}, model, None)

        def make(blocks: list[ContentBlock], more: Mapping[str, Any]) -> Draft:
            return self._access.drafts.session(
                session_id,
                lambda it: it.message(
                    role,
                    blocks,
                    name=name,
                    at=at,
                    metadata={**facts, **more},
                    event_id=event_id,
                    sender=sender,
                ),
            )

        make([], {})  # so that wrong facts are refused before the answer comes
        self._access.database.read(lambda tx: require_living(tx, self._access.scope, session_id))
        guard = partial(check_holder, access=self._access, lease=lease)
        growing = GrowingMessage(self._access, session_id, guard)
        return MessageStream(growing, make, self._access.drafts.redacted, self._access.clock)

    def append_stream(
        self, session_id: str, pieces: Iterable[Piece], role: str = "assistant", **facts: Any
    ) -> Message:
        """Store pieces as they come as one message, and return it once it is whole and durable.

        Args:
            session_id: Where it belongs.
            pieces: Texts and blocks; when they end by an error what came is left as unfinished.
            role: Who speaks.
            facts: As for `stream`.

        Raises:
            NotFound: the scope has no such session.
            Conflict: the session was deleted.
            InvalidInput: something of it cannot be stored, or nothing came.
        """
        with self.stream(session_id, role, **facts) as reply:
            for piece in pieces:
                reply.add(piece)
        if reply.message is None:
            raise InvalidInput("nothing arrived in the stream", hint="ask again")
        return reply.message

    def messages(
        self,
        session_id: str,
        limit: int | None = None,
        *,
        after_seq: int | None = None,
        before_seq: int | None = None,
        for_session: str | None = None,
    ) -> list[Message]:
        """Return messages of a session, oldest first; for a fork also those that it shares.

        Args:
            session_id: Which one.
            limit: How many at most: the newest of them, or, with ``after_seq``, the first after it.
            after_seq: Only those with a greater seq.
            before_seq: Only those with a smaller seq.
            for_session: On behalf of this session: only the turns that it may hear.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: a number is not a whole number from 0.
        """
        check_count(limit, "a limit")
        check_count(after_seq, "a seq")
        check_count(before_seq, "a seq")
        newest = limit is not None and after_seq is None

        def read(tx: Transaction, session: Session) -> list[Message]:
            scope = self._access.scope
            parts = within(segments(tx, session), after_seq or 0, before_seq)
            audience = resolved(tx, Asker(for_session), scope, self._people.at(tx, scope.tenant))
            turns = heard_turns(tx, session, audience)
            return read_messages(tx, scope, parts, limit, newest=newest, turns=turns)

        return self._access.read_session(session_id, read)

    def message(self, message_id: str) -> Message:
        """Return a message.

        Args:
            message_id: Its id, or its number as lines show it: ``m88``.

        Raises:
            NotFound: there is none with this id in the scope.
        """
        message = self._access.database.read(
            lambda tx: named_message(tx, self._access.scope, message_id)
        )
        if message is None:
            raise NotFound(
                "the message does not exist", hint="take the id of a message from a search"
            )
        return message

    def tool_calls(
        self,
        session_id: str,
        *,
        after_seq: int | None = None,
        for_session: str | None = None,
    ) -> tuple[ToolCall, ...]:
        """Return the tool calls of a session, oldest first; for a fork also those that it shares.

        Args:
            session_id: Which one.
            after_seq: Only those of messages with a greater seq.
            for_session: On behalf of this session: only those in turns that it may hear.

        Raises:
            NotFound: the scope has no such session.
            InvalidInput: the seq is not a whole number from 0.
        """
        check_count(after_seq, "a seq")
        scope = self._access.scope

        def read(tx: Transaction, session: Session) -> tuple[ToolCall, ...]:
            audience = resolved(tx, Asker(for_session), scope, self._people.at(tx, scope.tenant))
            turns, parts = heard_turns(tx, session, audience), segments(tx, session)
            return joined(
                call for part in parts for call in select_tool_calls(tx, scope, part, turns)
            )

        calls = sorted(self._access.read_session(session_id, read), key=lambda call: call.seq)
        return tuple(call for call in calls if call.seq > (after_seq or 0))

    def lease(self, session_id: str) -> Lease | None:
        """Return the lease of the program that holds a session now; None if there is none.

        Raises:
            NotFound: the scope has no such session.
        """
        now = self._access.clock.now_ms()
        return self._access.read_session(
            session_id, lambda tx, session: find_lease(tx, session.id, now)
        )

    def _append(self, session_id: str, drafts: list[Draft], lease: Lease | None) -> list[Message]:
        def unit(tx: Transaction) -> list[Message]:
            session = require_living(tx, self._access.scope, session_id)
            check_holder(tx, session, self._access, lease)
            return append_messages(tx, self._access.scope, session, drafts)

        messages = self._access.database.write(unit)
        self._access.mirror.notify()
        return messages


def check_holder(
    tx: Transaction, session: Session, access: SessionAccess, lease: Lease | None = None
) -> None:
    """Refuse a message in a session that another program holds; a lease is extended by it.

    Raises:
        Conflict: another program has taken the session over, or holds it while it is a queue or
            exclusively.
    """
    if lease is not None or tx.row(DISTURBS, (session.id, session.mode)) is not None:
        check_append(tx, session, lease, access.clock.now_ms(), lease_ms(access.settings))


def _drafts_of(items: Sequence[Item], drafts: DraftMaker) -> list[Draft]:
    from recollect.sessions.record.chat_message import arguments_of

    results: list[Draft] = []
    for index, item in enumerate(items):
        try:
            results.append(drafts.message(**arguments_of(item)))
        except InvalidInput as error:
            raise InvalidInput(error.message, hint=error.hint, item=index) from error
    return results


def _of_whole(
    role: object, content: object, facts: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a message that was passed whole; arguments given beside it win."""
    from recollect.sessions.record.chat_message import arguments_of

    if isinstance(role, str) or content is not None:
        raise InvalidInput(
            "a message must have a role and a content, or be whole",
            hint="pass role and content, or a message of OpenAI or Anthropic alone",
        )
    arguments = arguments_of(role)
    overrides = {key: value for key, value in options.items() if value is not None}
    return arguments | overrides | {"metadata": {**arguments.get("metadata", {}), **facts}}
