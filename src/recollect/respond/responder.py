"""The responder: takes messages in, and answers each of them once.

A message is stored before anything else. What then happens is read from the inbox, in the turn of
the session, which one program at a time has: so a message is answered once, whatever is killed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from queue import SimpleQueue
from typing import get_args

import msgspec

from recollect.audience.session_key import GROUPS
from recollect.core.checks import checked
from recollect.core.errors import RecollectError
from recollect.core.settings.responder import ResponderSettings
from recollect.core.threads import LOOK_S, next_of
from recollect.core.worker import WaitingIterator
from recollect.models.language.model import LanguageModel, Toolbox
from recollect.recall.context.block import length
from recollect.recall.context.injections import Injection
from recollect.respond.answer import Answer
from recollect.respond.inbound import Inbound
from recollect.respond.inbox import Inbox, InboxRow, JoinedMessages
from recollect.respond.pending import Conversations, Ongoing, OnReplyEvent, Pending, ignore
from recollect.respond.prompt import CLIENT, MadePrompt, PromptMaker, prompt_item
from recollect.respond.reply import (
    BROKEN,
    INTERRUPTED,
    NO_MODEL,
    PromptItem,
    Reply,
    ReplyEvent,
    ReplyStatus,
    failure_of,
    stored_failure,
    with_failure,
)
from recollect.sessions.record.access import SessionAccess
from recollect.sessions.record.draft import Draft
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import Session
from recollect.sessions.sessions import Sessions

Command = Callable[[Inbound, Session], Reply | None]
"""Runs a chat command; None for a text that is none."""
COMMAND_WAIT_S = 60.0
"""How long a message waits to be stored for the command before it, which may begin a session."""
_logger = logging.getLogger(__name__)
_COMMAND = re.compile(r"\s*/[a-zA-Z]")
STORED: Mapping[str, ReplyStatus] = {name: name for name in get_args(ReplyStatus)}
"""The reply that the state of a row means."""
_EDITED = "(edited an earlier message) "
_TIDIED = 2
"""Sessions that rest, summarised after an answer; 20 ms each, and the next message waits for it."""


class ResponderParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a responder is made of.

    Attributes:
        access: The records, and their owner.
        sessions: The sessions.
        settings: The section ``auto_responder``.
        conversations: What is answered in the home.
        prompts: Makes prompts.
        language: Returns the model that answers in a session; None where none may be asked.
        toolbox: Returns the tools for an answer in a session to a sender.
        injections: Returns the last injections into the prompts of a session.
        command: Runs a chat command.
    """

    access: SessionAccess
    sessions: Sessions
    settings: ResponderSettings
    conversations: Conversations
    prompts: PromptMaker
    language: Callable[[Session], LanguageModel | None]
    toolbox: Callable[[Session, str | None], Toolbox]
    injections: Callable[..., list[Injection]]
    command: Command = lambda _inbound, _session: None


@checked
class Responder:
    """Answers messages with a model, from what the memory has of them. Threads may share it.

    Args:
        parts: What it is made of.
    """

    def __init__(self, parts: ResponderParts) -> None:
        self._parts = parts
        self._inbox = Inbox(parts.access)
        self._sessions, self._conversations = parts.sessions, parts.conversations

    def submit(
        self, inbound: Inbound, on_event: OnReplyEvent = ignore, *, debounce_ms: int | None = None
    ) -> Pending:
        """Store a message, and let it be answered; return once it is stored.

        Args:
            inbound: The message. One whose event id was stored before is not stored again: its
                reply is that of the first, which is answered now if it was not.
            on_event: Gets what happens, in any thread, and the reply once and last.
            debounce_ms: How long to wait for a further message; ``auto_responder.debounce_ms`` if
                not given.

        Raises:
            InvalidInput: something of it cannot be stored.
            Denied: the key belongs to another owner than the scope's.
            Conflict: another program holds the session.
            StoreError: the database refused, or the memory is closed.
        """
        inbound, pending = inbound.checked(), Pending(on_event)
        conversation = self._conversation(inbound.key)
        row = None
        if inbound.event_id is not None:
            row = self._inbox.find(inbound.key, inbound.event_id)
        if row is None and inbound.edits is not None:
            edited = self._inbox.find(inbound.key, inbound.edits)
            message = None if edited is None else self._inbox.message(edited)
            if edited is not None and message is not None:
                pending.resolve(self._edited(conversation, edited, message, inbound))
                return pending
            inbound = msgspec.structs.replace(inbound, event_id=inbound.edits)
        is_known = row is not None
        if row is None:
            self._conversations.await_commands(conversation, COMMAND_WAIT_S)
        with self._conversations.arriving:
            arrival = row or self._receive(inbound)
            if isinstance(arrival, InboxRow):
                arrival = self._await(conversation, arrival, pending)
        if isinstance(arrival, Reply):  # not before: who hears it may ask the next thing
            pending.resolve(arrival)
            return pending
        if is_known:
            self._put(conversation, inbound.key, 0.0, is_new=False)
            return pending
        wait_ms = self._parts.settings.debounce_ms if debounce_ms is None else debounce_ms
        self._conversations.cut_off(conversation, "newer", inbound.sender, arrival.id)
        delay_s = 0.0 if arrival.message_id is None else wait_ms / 1000
        self._put(conversation, inbound.key, delay_s)
        return pending

    def respond(self, inbound: Inbound, debounce_ms: int | None = None) -> Reply:
        """Take a message in and return its reply; see `submit`."""
        pending = self.submit(inbound, debounce_ms=debounce_ms)
        while (reply := pending.wait(LOOK_S)) is None:
            self._conversations.queue.look()
        return reply

    def stream(self, inbound: Inbound, debounce_ms: int | None = None) -> Iterator[ReplyEvent]:
        """Take a message in and yield what happens, last the reply; see `submit`.

        Closing the iterator cancels the answer.
        """
        events: SimpleQueue[ReplyEvent] = SimpleQueue()
        pending = self.submit(inbound, events.put, debounce_ms=debounce_ms)

        def items() -> Iterator[ReplyEvent]:
            while True:
                event = next_of(events, self._conversations.queue.look)
                yield event
                if event.kind == "reply":
                    return

        return WaitingIterator(items(), pending.cancel)

    def pending(self) -> list[InboxRow]:
        """Return what is stored and not answered, oldest first."""
        return self._inbox.waiting()

    def resume(self) -> None:
        """Answer what is stored and not answered, once each, as a worker does when it starts."""
        rows = self._inbox.waiting()
        for row in rows:
            if row.message_id is None and row.id not in self._conversations.commands:
                self._inbox.settle([row], "failed", INTERRUPTED.code)
        keys = {self._sessions.get(row.session_id).key or "" for row in rows}
        for key in keys - {""}:
            self._put(self._conversation(key), key, 0.0)

    def close(self) -> None:
        """Stop all answers of the home; what waits is answered after `resume`."""
        self._conversations.close()

    def context_of(self, session_id: str) -> tuple[PromptItem, ...]:
        """Return what of the memory was in the prompt of the last answer in a session."""
        last = self._parts.injections(session_id, 10)
        items = next((each.items for each in last if each.client == CLIENT), ())
        return tuple(prompt_item(each, each.section) for each in items)

    def _conversation(self, key: str) -> Hashable:
        scope = self._parts.access.scope
        return scope.tenant, scope.user, key

    # --- what comes in ----------------------------------------------------------------------------

    def _receive(self, inbound: Inbound) -> InboxRow | Reply:
        """Store a message; return its row, or the reply where it is not answered."""
        session = self._sessions.open(inbound.key)
        event_id = inbound.event_id or self._parts.access.ids.new()
        is_called = self._sessions.is_addressed(
            session.id, inbound.text, reply_to_agent=inbound.reply_to_agent
        )
        if not is_called:  # a command of a group may be another program's
            self._sessions.history.add(
                inbound.key,
                inbound.name or inbound.sender or "somebody",
                inbound.said,
                at=inbound.at,
                message_id=inbound.event_id,
            )
            return Reply(status="heard", session_id=session.id, event_id=event_id)
        is_enabled = self._parts.settings.enabled
        is_command = is_enabled and _COMMAND.match(inbound.text) is not None
        draft = None if is_command else self._draft(session.id, inbound, event_id)
        state = "received" if is_enabled else "heard"
        row = self._inbox.receive(session.id, inbound.key, event_id, draft, state)
        if is_command and row.is_waiting:
            self._conversations.commands[row.id] = inbound
        return row

    def _draft(self, session_id: str, inbound: Inbound, event_id: str, before: str = "") -> Draft:
        return self._parts.access.drafts.session(
            session_id,
            lambda it: it.message(
                "user",
                before + inbound.said,
                name=inbound.name,
                at=inbound.at,
                event_id=event_id,
                sender=inbound.sender,
            ),
        )

    def _edited(
        self, conversation: Hashable, row: InboxRow, message: Message, inbound: Inbound
    ) -> Reply:
        """Give a message that waits other words; to one that was answered add a note."""
        draft = self._draft(row.session_id, inbound, row.event_id)
        if message.text != draft.message.text:
            conversations, sender = self._conversations, message.turn_sender
            conversations.cut_off(conversation, "newer", sender)
            is_free = not conversations.is_heard(conversation, row.id)
            if not (is_free and self._inbox.replace(row, draft)):
                event_id = inbound.event_id or self._parts.access.ids.new()
                note = self._draft(row.session_id, inbound, event_id, _EDITED)
                return self._reply(
                    self._inbox.receive(row.session_id, inbound.key, event_id, note, "noted")
                )
            conversations.cut_off(conversation, "newer", sender)  # it may have begun again
            self._put(conversation, inbound.key, 0.0)
        return Reply(
            status="edited",
            session_id=row.session_id,
            event_id=inbound.event_id or row.event_id,
            inbound_seq=message.seq,
        )

    def _await(self, conversation: Hashable, row: InboxRow, pending: Pending) -> InboxRow | Reply:
        """Let somebody wait for the reply to a row; return the row, or the reply if it is there."""
        if row.state == "failed" and row.message_id is not None:
            self._inbox.ask_again(row)
        elif not row.is_waiting:
            return self._reply(row)
        pending.on_cancel(partial(self._cancel, conversation, row))
        self._conversations.add(conversation, row.id, pending)
        return row

    def _put(
        self, conversation: Hashable, key: str, delay_s: float, *, is_new: bool = True
    ) -> None:
        run = partial(self._run, conversation, key)
        self._conversations.queue.put(conversation, run, delay_s, is_new=is_new)

    def _cancel(self, conversation: Hashable, row: InboxRow) -> None:
        if not self._conversations.cut_off(conversation, "person"):
            self._inbox.settle([row], "cancelled")
            self._settle(conversation)

    # --- what is answered -------------------------------------------------------------------------

    def _run(self, conversation: Hashable, key: str) -> None:
        """Answer what waits in a conversation, oldest first, until nothing does."""
        try:
            while (rows := self._waiting(key)) and self._serve(conversation, key, rows[0]):
                self._settle(conversation)
            self._settle(conversation)
        except RecollectError as error:
            self._fail_all(conversation, failure_of(error))
        except Exception as error:  # noqa: BLE001  # the queue goes on
            _logger.error("an answer failed: unexpected %s", type(error).__name__)  # noqa: TRY400
            self._fail_all(conversation, BROKEN)

    def _waiting(self, key: str) -> list[InboxRow]:
        """Return what waits under a key, without the commands of other processes."""
        commands = self._conversations.commands
        rows = self._inbox.waiting(key)
        return [row for row in rows if row.message_id is not None or row.id in commands]

    def _serve(self, conversation: Hashable, key: str, first: InboxRow) -> bool:
        """Answer the first that waits, and what joins it; False if it was cut off."""
        if first.message_id is None:
            self._obey(conversation, first)
            return True
        with (
            self._sessions.turn(first.session_id) as session,
            self._conversations.answering(conversation) as ongoing,
        ):
            batch = self._joined(session, self._waiting(key))
            if not batch.pairs:
                return True
            ongoing.take(batch)
            reply = self._answer(conversation, session, batch, ongoing)
        if reply is None:
            if ongoing.why == "newer":  # one of another process is not in this queue
                self._put(conversation, key, 0.0, is_new=False)
            return False
        for row in batch.rows[:-1]:
            joined = msgspec.structs.replace(self._reply(row), status="joined")
            self._conversations.resolve(conversation, row.id, joined)
        self._conversations.resolve(conversation, batch.rows[-1].id, reply)
        if reply.seq is not None:
            self._tidy(session.id, batch.messages[0].seq, reply.seq)
        return True

    def _joined(self, session: Session, rows: Sequence[InboxRow]) -> JoinedMessages:
        """Return the first messages that are answered together: of a session and one sender.

        In a group they are anybody's.
        """
        is_group = session.chat_type in GROUPS
        own = takewhile(lambda row: row.session_id == session.id, rows)
        pairs: list[tuple[InboxRow, Message]] = []
        for row in takewhile(lambda row: row.message_id is not None, own):
            message = self._inbox.message(row)
            if message is None:  # it was erased meanwhile
                continue
            if pairs and not is_group and message.turn_sender != pairs[0][1].turn_sender:
                break
            pairs.append((row, message))
        return JoinedMessages(pairs, is_group)

    def _obey(self, conversation: Hashable, row: InboxRow) -> None:
        """Run a command."""
        inbound = self._conversations.commands.pop(row.id)
        session = self._sessions.get(row.session_id)
        try:
            reply = self._parts.command(inbound, session)
        except RecollectError as error:
            reply = Reply(status="command", text=error.message, code=error.code, hint=error.hint)
        if reply is None:  # a text that only looks like one
            self._inbox.become_message(row, self._draft(session.id, inbound, row.event_id))
            return
        self._inbox.settle([row], "command")
        session_id = reply.session_id or session.id
        reply = msgspec.structs.replace(reply, session_id=session_id, event_id=row.event_id)
        self._conversations.resolve(conversation, row.id, reply)

    def _answer(
        self, conversation: Hashable, session: Session, batch: JoinedMessages, ongoing: Ongoing
    ) -> Reply | None:
        """Ask the model; return the reply that is stored, or None if it was cut off."""
        model = self._parts.language(session)
        if model is None:
            return self._failed(batch, NO_MODEL)
        listeners = self._conversations.of(conversation, batch.ids)
        for listener in listeners:
            listener.tell(ReplyEvent(kind="typing"))
        composed = self._parts.prompts.make(session, batch.messages)
        injection = self._injection(session, batch.sender, composed)
        self._inbox.ask(batch.rows, injection)
        access, also = self._parts.access, composed.unanswered
        senders = self._conversations.of(conversation, [batch.rows[-1].id])
        answer = Answer(access, self._inbox, batch, ongoing, listeners, senders=senders, also=also)
        failure: Reply | None = None
        try:
            completion = model.stream(
                composed.prompt,
                answer.take,
                toolbox=self._parts.toolbox(session, batch.sender),
                cancellation=ongoing.cancellation,
            )
            failure = answer.finish(completion)
        except RecollectError as error:
            failure = failure_of(error)
        if answer.reply is not None:
            if composed.heard_through is not None:
                self._sessions.history.clear(session.key or "", through=composed.heard_through)
            return msgspec.structs.replace(answer.reply, context=composed.items)
        partial_text = answer.keep()
        if ongoing.why is None:
            return self._failed(batch, failure or BROKEN)
        if ongoing.why != "person":
            return None
        self._inbox.settle(batch.rows, "cancelled")
        return msgspec.structs.replace(
            self._reply(batch.rows[-1]), status="cancelled", text=partial_text
        )

    def _injection(self, session: Session, sender: str | None, composed: MadePrompt) -> Injection:
        """Return the record of what of the memory is put into a prompt."""
        access = self._parts.access
        return Injection(
            id=access.ids.new(),
            session_id=session.id,
            visibility_group=self._sessions.visibility_group(session.id, sender).name,
            reason="startup",  # each prompt is whole
            client=CLIENT,
            query_digest=None,
            tokens=composed.tokens,
            chars=length(composed.prompt.system),
            dropped=0,
            at=access.clock.now_ms(),
            tenant=session.tenant,
            agent=session.agent,
            user=session.user,
            project=session.project,
            budget=composed.room,
            items=composed.injected,
        )

    def _tidy(self, session_id: str, first_seq: int, last_seq: int) -> None:
        """See to what is due after an answer: a compaction, and summaries of sessions that rest."""
        every = self._parts.settings.memory_index_interval_messages
        with suppress(RecollectError):  # it is tried again after the next answers
            if (first_seq - 1) // every < last_seq // every:
                self._sessions.keep_within_window(session_id)
            self._sessions.note_idle(_TIDIED)
            self._sessions.finish_endings(_TIDIED)

    # --- what became of it ------------------------------------------------------------------------

    def _failed(self, batch: JoinedMessages, failure: Reply) -> Reply:
        self._inbox.settle(batch.rows, "failed", failure.code)
        return with_failure(self._reply(batch.rows[-1]), failure)

    def _fail_all(self, conversation: Hashable, failure: Reply) -> None:
        """Give up what is waited for in a conversation; what could not be stored is kept."""
        for row_id in self._conversations.rows(conversation):
            reply = failure
            with suppress(RecollectError):
                for row in self._inbox.by_id([row_id]):
                    if row.is_waiting:
                        self._inbox.settle([row], "failed", failure.code)
                    reply = with_failure(self._reply(row), failure)
            self._conversations.resolve(conversation, row_id, reply)

    def _settle(self, conversation: Hashable) -> None:
        """Give out the replies to all that does not wait any more, whoever answered it."""
        ids = self._conversations.rows(conversation)
        rows = self._inbox.by_id(ids)
        for row in rows:
            if not row.is_waiting:
                self._conversations.resolve(conversation, row.id, self._reply(row))
        for row_id in set(ids) - {row.id for row in rows}:  # it was erased meanwhile
            self._conversations.resolve(conversation, row_id, Reply(status="cancelled"))

    def _reply(self, row: InboxRow) -> Reply:
        """Return the reply to a row, as far as it is stored."""
        message = self._inbox.message(row)
        answer = self._inbox.answer(row) if row.state in {"answered", "cancelled"} else None
        reply = Reply(
            status=STORED.get(row.state, "failed"),
            text="" if answer is None else answer.text,
            session_id=row.session_id,
            event_id=row.event_id,
            inbound_seq=None if message is None else message.seq,
            seq=None if answer is None else answer.seq,
        )
        return with_failure(reply, stored_failure(row.code)) if row.state == "failed" else reply
