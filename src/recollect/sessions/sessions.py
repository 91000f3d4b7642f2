"""`Sessions`: everything that can be done with sessions and their transcripts.

The use cases; `memory.sessions` is one of these objects. Each write is one durable transaction.
Rows are seen and made under the scope of the object.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Denied, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.sessions.content import Content
from recollect.sessions.draft import Draft, DraftMaker, Redactor, check_time
from recollect.sessions.keys import parse_key
from recollect.sessions.message import Message
from recollect.sessions.mirror import MirrorSignal, SilentMirror
from recollect.sessions.session import (
    STATUSES,
    Condition,
    Session,
    add_session,
    owned_session,
    require_session,
    select_sessions,
)
from recollect.sessions.tool_call import ToolCall, select_tool_calls
from recollect.sessions.transcript import (
    append_drafts,
    find_message,
    message_from,
    select_messages,
)
from recollect.store.engine import Database, Transaction

Item: TypeAlias = "tuple[str, Content] | Mapping[str, Any]"
"""A message for `append_many`: role and content, or a dict with the argument names of `append`."""

# Inside the class `list` is the method.
SessionList: TypeAlias = list[Session]
MessageList: TypeAlias = list[Message]
_Drafts: TypeAlias = list[Draft]

_ITEM_FIELDS = ("role", "content", "name", "at", "metadata", "event_id")


class Sessions:
    """Creates and finds sessions; stores and reads their messages.

    Args:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives rows their ids.
        settings: How long a session is fresh.
        redactor: Takes secrets out before anything is stored; None stores texts as they come.
        mirror: Is told after each commit that added messages.
        scope: Whose sessions these are.
    """

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        ids: IdSource,
        settings: SessionSettings,
        redactor: Redactor | None,
        mirror: MirrorSignal | None = None,
        scope: Scope | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._redactor = redactor
        self._mirror = mirror if mirror is not None else SilentMirror()
        self._drafts = DraftMaker(clock, ids, redactor)
        self.scope = scope if scope is not None else Scope()

    def within(self, scope: Scope) -> Sessions:
        """Return the same sessions as another scope sees them."""
        return Sessions(
            database=self._database,
            clock=self._clock,
            ids=self._ids,
            settings=self._settings,
            redactor=self._redactor,
            mirror=self._mirror,
            scope=scope,
        )

    def create(
        self,
        key: str | None = None,
        project: str | None = None,
        title: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        at: int | datetime | None = None,
    ) -> Session:
        """Return a new session.

        Args:
            key: Who and where, see `recollect.sessions.keys`; its agent and user own the session.
            project: What it is about, usually a folder.
            title: What it is called.
            metadata: More facts, a JSON object.
            at: When it began, ms UTC or datetime; now if not given.

        Raises:
            InvalidInput: one of them cannot be stored.
            Denied: the key or project belongs to somebody outside the scope.
        """
        session = self._new(key, project, title, metadata, at=at)
        self._database.write(lambda tx: add_session(tx, session))
        self._mirror.notify()
        return session

    def open(self, key: str, project: str | None = None) -> Session:
        """Return the current session of a key, or a new one where none is fresh.

        Fresh is an active session whose last message, or beginning, is at most
        ``sessions.idle_minutes`` ago. Callers at the same time get the same session.

        Raises:
            InvalidInput: the key cannot be one.
            Denied: the key or project belongs to somebody outside the scope.
        """
        fresh = self._new(key, project, None, None)
        oldest = fresh.created_at - self._settings.fresh.idle_minutes * 60_000
        where = Condition(self.scope).equal("key", fresh.key).equal("status", "active")
        where.equal("project", project)
        if self._settings.fresh.idle_minutes:
            where.also("updated_at >= ?", oldest)

        def find_or_add(tx: Transaction) -> Session:
            found = select_sessions(tx, where, 1)
            if not found:
                add_session(tx, fresh)
            return found[0] if found else fresh

        if found := self._database.read(lambda tx: select_sessions(tx, where, 1)):
            return found[0]
        session = self._database.write(find_or_add)
        self._mirror.notify()
        return session

    def get(self, session_id: str) -> Session:
        """Return a session.

        Raises:
            NotFound: there is none with this id in the scope.
        """
        return self._database.read(lambda tx: require_session(tx, self.scope, session_id))

    def latest(self, project: str | None = None) -> Session | None:
        """Return the active session that was used last, in one project or anywhere."""
        found = self.list(project=project, status="active", limit=1)
        return found[0] if found else None

    def list(
        self,
        *,
        project: str | None = None,
        key: str | None = None,
        status: str | None = None,
        agent: str | None = None,
        channel: str | None = None,
        limit: int | None = None,
    ) -> SessionList:
        """Return the sessions that meet all the filters given, the last used first.

        Raises:
            InvalidInput: an unknown status, a key that cannot be one, or a limit below 0.
        """
        if status is not None and status not in STATUSES:
            raise InvalidInput(
                "unknown status of a session", hint=f"Use one of {', '.join(STATUSES)}."
            )
        where = Condition(self.scope).equal("project", project).equal("status", status)
        where.equal("key", None if key is None else parse_key(key).text)
        where.equal("agent", agent).equal("channel", channel)
        checked = _check_limit(limit)
        return self._database.read(lambda tx: select_sessions(tx, where, checked))

    def append(
        self,
        session_id: str,
        role: str,
        content: Content,
        *,
        name: str | None = None,
        at: int | datetime | None = None,
        metadata: Mapping[str, Any] | None = None,
        event_id: str | None = None,
    ) -> Message:
        """Store a message behind the newest of its session, and return it once it is durable.

        Args:
            session_id: Where it belongs.
            role: ``user``, ``assistant``, ``system`` or ``tool``.
            content: A text, or content blocks in the spelling of Anthropic, OpenAI or OpenClaw.
            name: The speaker, where it is known.
            at: When it was said, ms UTC or datetime; now if not given. It may lie before the
                message before.
            metadata: More facts, a JSON object.
            event_id: An id of the caller's. The same id again stores nothing and returns the
                first message, so that a caller may always try again.

        Raises:
            NotFound: there is no such session in the scope.
            InvalidInput: something of it cannot be stored.
        """
        draft = self._drafts.message(
            role, content, name=name, at=at, metadata=metadata, event_id=event_id
        )
        return self._append(session_id, [draft])[0]

    def append_many(self, session_id: str, items: Iterable[Item]) -> MessageList:
        """Store messages in one transaction: all of them or none; return them in order.

        Args:
            session_id: Where they belong.
            items: Tuples of role and content, or dicts with the argument names of `append`.

        Raises:
            NotFound: there is no such session in the scope.
            InvalidInput: something of it cannot be stored; the fact ``item`` tells which, from 0.
        """
        drafts = [self._draft_of(item, place) for place, item in enumerate(items)]
        if not drafts:
            self.get(session_id)
            return []
        return self._append(session_id, drafts)

    def messages(
        self,
        session_id: str,
        limit: int | None = None,
        *,
        after_seq: int | None = None,
        before_seq: int | None = None,
    ) -> MessageList:
        """Return messages of a session, oldest first.

        Args:
            session_id: Which one.
            limit: How many at most: the newest of them, or, with ``after_seq``, the first after it.
            after_seq: Only those with a greater seq.
            before_seq: Only those with a smaller seq.

        Raises:
            NotFound: there is no such session in the scope.
            InvalidInput: a limit below 0.
        """
        checked = _check_limit(limit)
        where = Condition(self.scope, "session_id").equal("session_id", session_id)
        if after_seq is not None:
            where.also("seq > ?", after_seq)
        if before_seq is not None:
            where.also("seq < ?", before_seq)

        def unit(tx: Transaction) -> MessageList:
            require_session(tx, self.scope, session_id)
            newest = checked is not None and after_seq is None
            return select_messages(tx, where, checked, newest=newest)

        return self._database.read(unit)

    def message(self, message_id: str) -> Message:
        """Return a message.

        Raises:
            NotFound: there is none with this id in the scope.
        """
        found = self._database.read(lambda tx: find_message(tx, self.scope, message_id))
        if found is None:
            raise NotFound("there is no such message", hint="Message ids come from a search.")
        return found

    def tool_calls(self, session_id: str) -> tuple[ToolCall, ...]:
        """Return what tools a session used, oldest first.

        Raises:
            NotFound: there is no such session in the scope.
        """
        where = Condition(self.scope, "session_id").equal("session_id", session_id)

        def unit(tx: Transaction) -> tuple[ToolCall, ...]:
            require_session(tx, self.scope, session_id)
            return tuple(select_tool_calls(tx, where))

        return self._database.read(unit)

    def _append(self, session_id: str, drafts: _Drafts) -> MessageList:
        def unit(tx: Transaction) -> MessageList:
            session = require_session(tx, self.scope, session_id)
            places = append_drafts(tx, session, drafts)
            return [
                message_from(session, draft, place)
                if isinstance(place, int)
                else _stored(tx, self.scope, place)
                for draft, place in zip(drafts, places, strict=True)
            ]

        messages = self._database.write(unit)
        self._mirror.notify()
        return messages

    def _draft_of(self, item: Item, place: int) -> Draft:
        try:
            return self._drafts.message(**_arguments(item))
        except InvalidInput as error:
            raise InvalidInput(error.message, hint=error.hint, item=place) from error

    def _new(
        self,
        key: str | None,
        project: str | None,
        title: str | None,
        metadata: Mapping[str, Any] | None,
        *,
        at: int | datetime | None = None,
    ) -> Session:
        now = self._clock.now_ms()
        began = now if at is None else check_time(at)
        session = Session(
            id=self._ids.new(),
            tenant=self.scope.tenant,
            status="active",
            created_at=began,
            updated_at=min(began, now),
            title=None if title is None else self._drafts.label(title, "title"),
            metadata=self._drafts.facts(metadata or {}),
            project=None if project is None else self._drafts.label(project, "project"),
        )
        return owned_session(session, None if key is None else parse_key(key), self.scope)


def _stored(tx: Transaction, scope: Scope, message_id: str) -> Message:
    found = find_message(tx, scope, message_id)
    if found is None:
        raise Denied(
            "the event id belongs to a message outside the scope",
            hint="Use event ids that nobody else makes, such as UUIDs.",
        )
    return found


def _arguments(item: object) -> dict[str, Any]:
    if isinstance(item, Mapping):
        unknown = [key for key in item if key not in _ITEM_FIELDS]
        missing = [key for key in ("role", "content") if key not in item]
        if unknown or missing:
            raise InvalidInput("a message has unknown or missing fields", hint=_item_hint(unknown))
        return dict(item)
    if isinstance(item, tuple | list) and len(item) == 2:
        return {"role": item[0], "content": item[1]}
    raise InvalidInput("a message is neither a pair nor a dict", hint=_item_hint([]))


def _item_hint(unknown: Iterable[object]) -> str:
    near = [
        match for key in unknown for match in difflib.get_close_matches(str(key), _ITEM_FIELDS, 1)
    ]
    asked = f"Did you mean {near[0]}? " if near else ""
    return f"{asked}Pass (role, content), or a dict of {', '.join(_ITEM_FIELDS)}."


def _check_limit(limit: int | None) -> int | None:
    if limit is not None and limit < 0:
        raise InvalidInput("a limit is below 0", hint="Leave it out for all.")
    return limit
