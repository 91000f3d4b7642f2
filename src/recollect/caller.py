"""Callers: what a token may do, what it hears, and which sessions it may write to.

The server and MCP run every use case through a `Caller`. One mechanism, ``for_session``, decides
who hears what: the operator asks without it; all others on behalf of a session of their own.
Arguments of a caller can only narrow that. See ``docs/tokens.md``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

from recollect.audience.account import escaped, parse_account
from recollect.audience.session_key import AUTOMATIC, SessionKey, parse_key
from recollect.audience.visibility import VisibilityGroup, visibility_group_of
from recollect.core.actor import acting
from recollect.core.errors import Denied, NotFound, StoreError
from recollect.core.scope import Scope
from recollect.governance.token_file import digest_of
from recollect.governance.tokens import (
    ADMIN,
    ALL_CHANNELS,
    Right,
    Token,
    Tokens,
    check_audience,
    check_right,
)
from recollect.memory import Memory
from recollect.pool import MemoryPool
from recollect.recall.steps.asked_projects import AskedProjects
from recollect.sessions.lifecycle import ForeignName, Hooked, Moment
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import LIST_THEM, Session

Extent: TypeAlias = Literal["scope", "tenant", "home"]
KEPT_S = 1.0
"""Seconds to keep a memory before getting it from the pool again, which reads the settings."""
Key: TypeAlias = "SessionKey | Session"
"""Either has the channel and the chat type of a conversation."""


class Caller:
    """A caller, for one request or for many; threads may share it.

    Attributes:
        token: Its token.
        memory: Within the scope of the token. On surfaces of recall never use it without
            `for_session`.
        folder: Where the program works, if that is known.
        check: Raises Unauthorized if the token is no longer valid: for work that continues after
            the request was admitted, such as a stream.
    """

    def __init__(
        self,
        token: Token,
        memory: Memory,
        check: Callable[[], object] = lambda: None,
        folder: Path | None = None,
    ) -> None:
        self.token = token
        self.memory = memory
        self.check = check
        self.folder = folder

    @cached_property
    def projects(self) -> AskedProjects:
        """The projects that requests name."""
        projects, is_owners = self.memory.projects, self.token.is_owners
        return AskedProjects(projects, self.folder, is_owners=is_owners)

    def acting(self) -> AbstractContextManager[None]:
        """Record the token in every event and audit row written in the ``with`` block."""
        return acting(self.token.name)

    def require(self, right: Right) -> None:
        """Refuse what the token does not allow; recorded in the audit, once a minute.

        Raises:
            Denied: it lacks the right; or that is `admin`, and the token is not the operator's.
        """
        if self.token.allows(right):
            if right == ADMIN:  # it allows actions on all records
                self.require_operator()
            return
        with suppress(StoreError), self.acting():
            self.memory.audit.refused(f"right.{right}")
        raise Denied(
            f"the token lacks the right to {right}",
            hint=f"use a token that was added with --rights {right}",
        )

    def require_operator(self, of: Extent = "scope") -> None:
        """Refuse callers that hear only a part of the token's scope.

        Args:
            of: Also refuse those whose scope is only a part of their ``tenant``, or of the home's
                own tenant, which is the operator of the ``home``.

        Raises:
            Denied: the token is not the operator's.
        """
        scope = self.token.scope
        least = {"scope": scope, "tenant": Scope(tenant=scope.tenant), "home": Scope()}[of]
        if self.token.is_owners and scope == least:
            return
        with suppress(StoreError), self.acting():
            self.memory.audit.refused("operator")
        widest = {"scope": "", "tenant": ", without --agent and --project"}
        without = widest.get(of, ", without --agent, --project and --tenant")
        hint = f"use a token that was added with --as owner{without}"
        raise Denied("only the operator may do this", hint=hint)

    def for_session(self, name: str | None = None) -> str | None:
        """Return the session that the request is made for, to pass on as ``for_session``.

        Args:
            name: The id or key of a session to narrow to; a plain name as for `Sessions.open`.

        Returns:
            An id; None, everything in the scope, if the operator names no session.

        Raises:
            NotFound: the session is missing, or not for this token, with the same error.
        """
        if name is None:
            return None if self.token.is_owners else self._own().id
        if not self.token.asks_for_any:
            return self.session(name, owner=False).id
        session = self.memory.sessions.known(name, owner=False)
        if session is None:
            raise _not_found()
        return session.id

    def for_foreign(self, name: ForeignName) -> str:
        """Return the session that a program of many conversations asks for; a new one is begun.

        So the first prompt of a conversation can be answered before its transcript is read.

        Raises:
            NotFound: the token may not ask for it, or no person takes part in it.
            RecollectError: as `Sessions.hooked`.
        """
        key = parse_key(name.key or "")
        if not self.token.asks_for_any:
            return self.session(key.text).id
        session = self.memory.sessions.known(key.text)
        if session is None:
            if key.is_bare or key.is_automatic:
                raise _not_found()

            def check(expected: Hooked) -> None:
                if expected.session.key != key.text:  # its audience is not the asker's
                    raise _not_found()

            hooked = self.memory.sessions.hooked(name, moment="start", beginning=check)
            check(hooked)
            session = hooked.session
        return session.id

    def session(self, id_or_key: str, *, owner: bool | None = None) -> Session:
        """Return a session that the token may hear; ``owner`` as for `Catalogue.known`.

        Raises:
            NotFound: the session is missing, or not for this token, with the same error.
        """
        for name in self._names(id_or_key):
            session = self.memory.sessions.known(
                name, owner=owner if self.token.is_owners else None
            )
            if session is not None and self._hears(session):
                return session
        raise _not_found()

    def sessions(self, *, limit: int | None = None, **filters: Any) -> list[Session]:
        """Return the sessions that the token may hear, as `Sessions.list` does."""
        sessions = self.memory.sessions
        if self.token.is_owners:
            return sessions.list(limit=limit, **filters)
        # The token's own session is listed once it was used: this call may begin it.
        earlier, own = sessions.known(self._own_key.text, owner=False), self._own()
        is_new = earlier is None or earlier.id != own.id
        most = limit if limit is None or limit < 0 else limit + is_new
        candidates = sessions.list(limit=most, for_session=own.id, **filters)
        return [each for each in candidates if not is_new or each.id != own.id][:limit]

    def hears(self, session_id: str) -> bool:
        """Return whether the token may hear a session; False for a missing one."""
        session = self.memory.sessions.known(session_id)
        return session is not None and session.id == session_id and self._hears(session)

    def hears_message(self, message: Message) -> bool:
        """Return whether the token may hear a message of a session that it may hear.

        In a session of several separate people, each hears only their own turns.
        """
        if self.token.is_owners:
            return True
        own = self.memory.sessions.visibility_group(self._own().id)
        return self.memory.sessions.message_group(message).name == own.name

    def writes_to(
        self, id_or_key: str, project: str | None = None, *, owner: bool = False
    ) -> Session:
        """Return the session to write into: an existing one, or a new one with the key.

        A plain key continues the session used last, however old; for a key with a channel the
        settings decide how long one stays current. A plain key of a token that is not the
        operator's names a session within its own visibility group, and so does an id that it must
        not see.

        Args:
            id_or_key: Of the session.
            project: Of a new session; that of the token if not given.
            owner: Whether a plain name is the owner's session, as for `Sessions.open`.

        Raises:
            Denied: the key names a channel that the token does not speak for, or another agent or
                project than its own; or ``owner`` is given by a token that is not the operator's.
            InvalidInput: the key is not valid.
        """
        sessions, owner = self.memory.sessions, self._may_own(owner)
        session = sessions.known(id_or_key, owner=owner)
        if session is not None and session.id == id_or_key:
            if self.token.is_owners or self._is_granted(session) or self._hears(session):
                return self.writable(session)
            session = None
        key = self._key(id_or_key)
        if key.text != id_or_key:
            session = sessions.known(key.text, owner=owner)
        if session is None:
            self._check_new(self._place(key))
        if session is None or key.channel is not None:
            session = sessions.open(key.text, self.projects.of_new(project), owner=owner)
        return self.writable(session)

    def hooked(
        self,
        name: str | ForeignName,
        project: str | None,
        moment: Moment,
        at: int | None = None,
        *,
        owner: bool | None = None,
        beginning: Callable[[], None] = lambda: None,
    ) -> Hooked:
        """Return the session of hooks with a name; arguments as for `Sessions.hooked`.

        Raises:
            RecollectError: as for `writes_to` and `Sessions.hooked`.
        """

        def check(expected: Hooked) -> None:
            if expected.became == "began":
                self._check_new(expected.session)
            else:
                self.writable(expected.session)
            beginning()

        key = self._key(name).text if isinstance(name, str) else name
        whose = self._may_own(self.token.is_owners if owner is None else owner)
        hooked = self.memory.sessions.hooked(
            key, self.projects.of_new(project), moment, at=at, owner=whose, beginning=check
        )
        self.writable(hooked.session)
        return hooked

    def sender(self, account: str | None, session: Session) -> str | None:
        """Return the sender to store with a message of a session.

        Raises:
            Denied: it belongs to another channel, or the token's session is with somebody else.
            InvalidInput: it is not a valid account.
        """
        if account is not None:
            if not self.token.speaks_for(channel := parse_account(account).channel or ALL_CHANNELS):
                raise _not_for(channel)
            if not self.token.is_owners and self._hears(session):  # as in its newest turn
                self.memory.sessions.visibility_group(session.id, account)
        return account

    @cached_property
    def _own_key(self) -> SessionKey:
        return parse_key(self.token.session_key or "")

    def _own(self) -> Session:
        """Return the token's own session; created on first use."""
        sessions, key = self.memory.sessions, self._own_key.text
        session = sessions.known(key, owner=False)
        # Its id may be the key of another session.
        return session if session is not None and session.key == key else sessions.open(key)

    def _may_own(self, owner: bool) -> bool:
        """Return whether a plain name is the owner's: for the operator as given, else by group."""
        if self.token.is_owners:
            return owner
        if owner:
            raise Denied("only the operator names the owner's sessions", hint="leave owner out")
        return self._group(self._own()).is_owners

    def _hears(self, session: Session) -> bool:
        """Return whether a session is within the token's own visibility group."""
        return self.token.is_owners or self.memory.sessions.hears(self._own().id, session.id)

    def writable(self, session: Session) -> Session:
        """Return a session that the token may write into.

        Raises:
            Denied: it belongs to a channel that the token does not speak for.
            NotFound: it is not for this token.
        """
        if self.token.is_owners:
            self._check_channel(session)
        elif not self._is_granted(session):
            if not self._hears(session):
                raise _not_found()
            self._check_channel(session)
        return session

    def _check_new(self, session: Session) -> None:
        """Refuse to begin a session that `writable` would refuse afterwards."""
        if self.token.is_owners or self._is_granted(session) or session.key == self._own_key.text:
            return
        own = self.memory.sessions.visibility_group(self._own().id)
        if own.name != self._group(session).name:
            raise _not_found()

    def _is_granted(self, key: Key) -> bool:
        """Return whether a conversation belongs to a channel that the token speaks for."""
        return key.channel is not None and self.token.speaks_for(key.channel)

    def _check_channel(self, key: Key) -> None:
        channel = _channel(key)
        is_own = not self.token.is_owners and channel == _channel(self._own_key)
        if channel is not None and not is_own and not self.token.speaks_for(channel):
            raise _not_for(channel)

    def _key(self, id_or_key: str) -> SessionKey:
        """Return the full key for one of the caller's, if it may begin a session with it.

        Raises:
            Denied: it may not.
            InvalidInput: it is not a valid key.
        """
        *_, name = self._names(id_or_key)
        key = parse_key(name)
        is_free = self.token.is_owners or self._is_granted(key)
        if is_free or self._group(self._place(key)).name == self._group(self._own()).name:
            self._check_channel(key)
            return key
        if key.channel is not None:
            raise _not_for(key.channel)
        hint = "use the session key of the token, or none"
        raise Denied("the session key is of another audience", hint=hint)

    def _group(self, session: Session) -> VisibilityGroup:
        """Return the visibility group of a session, by its key."""
        return visibility_group_of(session, self.memory.sessions.owner)

    def _place(self, key: SessionKey) -> Session:
        """Return the session that a key would begin."""
        return self.memory.sessions.preview(key.text, owner=self._may_own(False))

    def _names(self, id_or_key: str) -> tuple[str, ...]:
        """Return the possible full names of a session: the name itself, then the token's own."""
        if self.token.is_owners or ":" in id_or_key:
            return (id_or_key,)
        own, part = self._own_key, escaped(id_or_key.strip())
        if not part or own.chat_type is None:
            agent = self.token.agent or own.agent
            return (id_or_key, *((f"agent:{agent}:{part}",) if agent and part else ()))
        parts = ("agent" if own.agent else None, own.agent, own.channel, own.account)
        segments = [*filter(None, parts), own.chat_type, own.place.peer or "", "thread", part]
        return (id_or_key, ":".join(segments))


class Callers:
    """Finds the caller of a request. Threads may share it.

    Args:
        pool: Opens the memories.
    """

    def __init__(self, pool: MemoryPool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._known: dict[bytes, tuple[float, Caller]] = {}
        self._tokens: tuple[float, Tokens] | None = None

    def of(self, bearer: str | None) -> Caller:
        """Return the caller that presents a token; each call checks whether it is still valid.

        Args:
            bearer: The text of the token, without ``Bearer``.

        Raises:
            Unauthorized: it is missing, unknown, expired or revoked.
            StoreError: the records cannot be read.
        """
        earlier = self.at_hand(bearer)
        if earlier is not None:
            return earlier
        tokens, now = self.tokens(), time.monotonic()
        token, digest = tokens.verify(bearer), digest_of(bearer or "")
        caller = Caller(token, self._memory(token), partial(tokens.verify_digest, digest))
        with self._lock:
            entries = {d: each for d, each in self._known.items() if now - each[0] < KEPT_S}
            self._known = entries | {digest: (now, caller)}
        return caller

    def at_hand(self, bearer: str | None) -> Caller | None:
        """Return the caller with a token if no memory must be opened; None: call `of`, on a thread.

        Raises:
            Unauthorized: it is unknown, expired or revoked.
            StoreError: the records cannot be read.
        """
        now, tokens = time.monotonic(), self._tokens
        if tokens is None or now - tokens[0] >= KEPT_S:
            return None
        tokens[1].verify(bearer)
        entry = self._known.get(digest_of(bearer or ""))
        return entry[1] if entry is not None and now - entry[0] < KEPT_S else None

    def tokens(self) -> Tokens:
        """Return the tokens of the home."""
        now = time.monotonic()
        with self._lock:
            if self._tokens is None or now - self._tokens[0] >= KEPT_S:
                self._tokens = (now, self._pool.memory().tokens)
            return self._tokens[1]

    def local(
        self,
        audience: str = "shared",
        rights: Right = "read",
        name: str = "local",
        *,
        scope: Scope | None = None,
        channels: tuple[str, ...] = (),
        folder: Path | None = None,
    ) -> Caller:
        """Return a caller without a token: a program that this user started, as over stdio.

        Args:
            audience: As whom it hears, as `Token.audience`.
            rights: What it may do.
            name: Its name in events and audit.
            scope: Tenant, agent and project; everything of the home's own tenant if not given.
            channels: Channels whose session keys it may write to.
            folder: Where it works.

        Raises:
            InvalidInput: the audience or the right is not valid.
        """
        seen = scope or Scope()
        token = Token(
            id=f"local:{name}",
            name=name,
            tenant=seen.tenant,
            agent=seen.agent,
            project=seen.project,
            audience=check_audience(audience, seen.agent),
            rights=check_right(rights),
            channels=channels,
        )
        return Caller(token, self._memory(token), folder=folder)

    def _memory(self, token: Token) -> Memory:
        """Return the memory within the scope of a token."""
        return self._pool.memory(agent=token.agent, scope=token.scope)


def _channel(key: Key) -> str | None:
    """Return the channel of a conversation; ``*`` for a person or group on an unknown one.

    A plain name, a job, a hook or a sub-agent has none.
    """
    if key.channel is not None:
        return key.channel
    return None if key.chat_type is None or key.chat_type in AUTOMATIC else ALL_CHANNELS


def _not_found() -> NotFound:
    return NotFound("there is no such session", hint=LIST_THEM)


def _not_for(channel: str) -> Denied:
    return Denied(
        "the token does not speak for the channel of the session key",
        hint="use a token that was added with --channels",
        channel=channel,
    )
