"""Tokens: who may call the worker, with which audience and rights.

A token is shown once, when it is created; the records have a hash of it. The owner's token is in a
file of the home, see `token_file`, and not in the records at all.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, LiteralString, TypeAlias, get_args

import msgspec

from recollect.audience.session_key import parse_key
from recollect.core.checks import checked
from recollect.core.clock import Clock, IdSource, check_time
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound, Unauthorized
from recollect.core.scope import LOCAL_TENANT, Scope
from recollect.core.settings import agent_name
from recollect.governance.token_file import PREFIX, TokenFile, digest_of, new_text
from recollect.sessions.record.draft import DraftMaker
from recollect.store.audit import record_audit
from recollect.store.columns import decode, json_cell, text_or_none
from recollect.store.digests import check_digest, note_digest
from recollect.store.engine import Database, Row, SqlValue, Transaction

Right: TypeAlias = Literal["hooks", "read", "capture", "write", "files", "admin"]
RIGHTS: tuple[Right, ...] = get_args(Right)
"""Each includes those before it, except `HOOKS`: ``capture`` includes it, and it includes
nothing."""
ADMIN: Right = "admin"
"""Only of use to a token that hears as the operator."""
HOOKS: Right = "hooks"
"""To report what an agent does, and get the context of its prompt; not to search."""
OWNER, SHARED, SESSION = "owner", "shared", "session:"
"""Audiences; the last one is followed by a session key."""
ANY_SESSION = f"{SESSION}*"
"""The audience of a program that serves many conversations: each request names its own."""
GUEST = "guest"
"""The channel of the sessions of shared tokens; the peer is the name of the token. Not ``token``:
the redactor would treat what follows in a key as a secret."""
ALL_CHANNELS = "*"
VIEWER = "viewer-"
"""The name of the token of a page begins with it; eight hex digits follow."""
USED_EVERY_MS = 60_000
"""The time of the last use is stored at most this often, so that requests need no commit."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_CHANNEL = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_LONGEST = 256
_STORED: LiteralString = """id, name, tenant, agent, project, rights, created_at, expires_at,
    revoked_at, last_used_at, audience, session_key, channels"""
_PLAIN = 10
"""Columns that are fields directly; the ones after them are combined."""
_FIELDS = tuple(name.strip() for name in _STORED.split(","))[:_PLAIN]
_SELECT: LiteralString = f"SELECT {_STORED} FROM tokens NOT INDEXED"  # noqa: S608  # literals
_INSERT: LiteralString = f"""
    INSERT INTO tokens ({_STORED}, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""  # noqa: S608  # literals
_BY_HASH: LiteralString = _SELECT + " WHERE hash = ?"
_BY_NAME: LiteralString = _SELECT + " WHERE (name = ? OR id = ?) AND revoked_at IS NULL"
_VALID: LiteralString = _SELECT + " WHERE revoked_at IS NULL ORDER BY created_at, id"
_ALL: LiteralString = _SELECT + " ORDER BY created_at, id"
_REVOKE: LiteralString = "UPDATE tokens SET revoked_at = ? WHERE id = ?"
_ENDED_PAGES: LiteralString = _SELECT + " WHERE name GLOB ? AND expires_at <= ?"
_DROP: LiteralString = "DELETE FROM tokens WHERE id = ?"
_USE: LiteralString = "UPDATE tokens SET last_used_at = ? WHERE id = ?"


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A caller: scope, audience and rights. Not the secret itself.

    Attributes:
        id: Sorts by the time of creation; ``owner`` for the one in the file of the home.
        name: Its name in events and audit.
        tenant: The owner of the memory that it opens.
        agent: Only of this agent; None: of all.
        project: Only of this project, a path of it; None: of all.
        audience: As whom it hears. ``owner``: as the operator, everything in its scope.
            ``session:KEY``: as the session of that key. ``session:*``: as the session that each
            request names, and like ``shared`` where it names none. ``shared``: as a guest of its
            own, what it captured itself and what the settings share with guests.
        rights: The greatest of `RIGHTS` that it has.
        channels: Names of channels whose session keys it may write to; ``*``: all.
        created_at: Ms UTC.
        expires_at: Ms UTC; None: never.
        revoked_at: Ms UTC; None: it was not.
        last_used_at: Ms UTC, to the minute; None: never, or not known.
    """

    id: str
    name: str
    tenant: str = LOCAL_TENANT
    agent: str | None = None
    project: str | None = None
    audience: str = SHARED
    rights: Right = "read"
    channels: tuple[str, ...] = ()
    created_at: int = 0
    expires_at: int | None = None
    revoked_at: int | None = None
    last_used_at: int | None = None

    @property
    def scope(self) -> Scope:
        """The part of the home that it opens."""
        return Scope(tenant=self.tenant, agent=self.agent, project=self.project)

    @property
    def is_owners(self) -> bool:
        """Whether it hears as the operator."""
        return self.audience == OWNER

    @property
    def session_key(self) -> str | None:
        """The key of the session as which it hears; None where it hears as the operator."""
        if self.is_owners:
            return None
        is_guests = self.audience in {SHARED, ANY_SESSION}
        return f"{GUEST}:{self.name}" if is_guests else self.audience[len(SESSION) :]

    @property
    def asks_for_any(self) -> bool:
        """Whether it may ask on behalf of any session in its scope."""
        return self.audience == ANY_SESSION

    def allows(self, right: Right) -> bool:
        """Return whether it has a right.

        >>> Token(id="1", name="a", rights="write").allows("capture")
        True
        >>> [Token(id="1", name="a", rights=r).allows("hooks") for r in ("read", "capture")]
        [False, True]
        """
        if self.rights == HOOKS:
            return right == HOOKS
        least: Right = "capture" if right == HOOKS else right
        return RIGHTS.index(least) <= RIGHTS.index(self.rights)

    def speaks_for(self, channel: str) -> bool:
        """Return whether it may write to session keys of a channel."""
        return ALL_CHANNELS in self.channels or channel in self.channels

    def is_valid(self, now: int) -> bool:
        """Return whether it can be used at a time, ms UTC."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class IssuedToken(msgspec.Struct, frozen=True, kw_only=True):
    """A new token with its text, which is stored nowhere."""

    token: Token
    text: str

    def __repr__(self) -> str:
        """Return it without the text."""
        return f"IssuedToken(token={self.token!r})"


@checked
class Tokens:
    """Adds, lists, revokes and verifies the tokens of a home; `memory.tokens` is one of these.

    Args:
        records: ``records.db``.
        file: The owner's token.
        clock: Tells the time.
        ids: Gives tokens their ids.
        drafts: Refuses names and keys that contain a secret.
        scope: Of the calling memory; any that narrows the home is refused with `Denied`.
    """

    def __init__(  # noqa: PLR0917  # each is another thing
        self,
        records: Database,
        file: TokenFile,
        clock: Clock,
        ids: IdSource,
        drafts: DraftMaker,
        scope: Scope,
    ) -> None:
        self._of_home = records
        self._scope = scope
        self._clock = clock
        self._ids = ids
        self._drafts = drafts
        self.file: TokenFile = file

    def add(
        self,
        name: str,
        *,
        tenant: str = LOCAL_TENANT,
        agent: str | None = None,
        project: str | None = None,
        audience: str = SHARED,
        rights: Right = "read",
        channels: Sequence[str] = (),
        expires_at: int | datetime | None = None,
    ) -> IssuedToken:
        """Return a new token; its text is stored nowhere.

        Args:
            name: Its name in events and audit; no other valid token has it.
            tenant: The owner of the memory that it opens.
            agent: Only of this agent.
            project: Only of this project: a path of it.
            audience: ``owner``, ``shared``, ``session:KEY`` or ``session:*``, see `Token`.
            rights: The greatest of `RIGHTS` that it has.
            channels: Channels whose session keys it may write to; ``*`` for all.
            expires_at: Ms UTC or datetime, in the future; it stays valid without one.

        Raises:
            InvalidInput: an argument is invalid, or ``hooks`` is not given with ``owner``: the
                sessions of agent programs are the owner's, so nothing of them would be stored.
            Conflict: a token that is not revoked has this name.
        """
        if rights == HOOKS and audience != OWNER:
            hint = 'add it with --as owner (audience="owner"); it can report, and read nothing'
            raise InvalidInput("a token with the right to hooks must be the owner's", hint=hint)
        now = self._clock.now_ms()
        token = Token(
            id=self._ids.new(),
            name=self._name(name),
            tenant=_check_name(tenant, "name of a tenant"),
            agent=None if agent is None else agent_name(agent),
            project=None if project is None else self._drafts.label(project, "project"),
            audience=check_audience(self._drafts.checked(audience, "audience"), agent),
            rights=check_right(rights),
            channels=tuple(dict.fromkeys(_check_channel(each) for each in channels)),
            created_at=now,
            expires_at=None if expires_at is None else _check_end(check_time(expires_at), now),
        )
        text = new_text()

        def insert_token(tx: Transaction) -> None:
            if token.name == OWNER:
                raise Conflict("the owner's token has this name", hint="choose another name")
            if _named(tx, token.name) is not None:
                hint = f"choose another name, or run `recollect token revoke {token.name}` first"
                raise Conflict("another token has this name", hint=hint)
            _drop_ended_pages(tx, now)
            tx.execute(_INSERT, (*_cells_of(token), digest_of(text)))
            note_digest(tx, "tokens", [now, 5 * (token.expires_at or 0)])
            record_audit(tx, token.scope, "token.add", now, target=token.name)

        self._records.write(insert_token)
        return IssuedToken(token=token, text=text)

    def list(self, *, revoked: bool = False) -> list[Token]:
        """Return the tokens of the home, the owner's first if its file exists.

        Args:
            revoked: Also revoked ones.

        Raises:
            StoreError: the database cannot be read.
        """
        rows = self._records.read(lambda tx: _checked(tx, _ALL if revoked else _VALID))
        owners = [self.owners()] if self.file.path.exists() else []
        return [*owners, *map(_token_of, rows)]

    def revoke(self, name: str) -> Token:
        """Revoke a token from the next request on, and return it.

        Args:
            name: Its name or id.

        Raises:
            NotFound: no valid token has it.
            InvalidInput: it is the owner's, which is rotated instead.
        """
        if name == OWNER:
            hint = "make another one with `recollect token rotate`"
            raise InvalidInput("the owner's token cannot be revoked", hint=hint)
        now = self._clock.now_ms()

        def revoke_token(tx: Transaction) -> Token:
            token = _named(tx, name)
            if token is None:
                hint = "list those that are there with `recollect token list`"
                raise NotFound("no valid token has this name", hint=hint)
            _revoke(tx, token, now)
            record_audit(tx, token.scope, "token.revoke", now, target=token.name)
            return msgspec.structs.replace(token, revoked_at=now)

        return self._records.write(revoke_token)

    def rotate(self) -> Token:
        """Write a new token into the owner's file, and return it.

        The old one is invalid from the next request on.

        Raises:
            StoreError: the file or the entry of the audit cannot be written.
        """
        now = self._clock.now_ms()
        self._records.write(lambda tx: record_audit(tx, Scope(), "token.rotate", now, target=OWNER))
        self.file.rotate()
        return self.owners()

    def owners(self) -> Token:
        """Return the owner's token, for everything in the home's own tenant."""
        return Token(id=OWNER, name=OWNER, audience=OWNER, rights="admin", channels=(ALL_CHANNELS,))

    @property
    def _records(self) -> Database:
        if self._scope != Scope():
            hint = "ask the memory of the whole home: leave the scope out"
            raise Denied("tokens are the home's", hint=hint)
        return self._of_home

    def verify(self, text: str | None) -> Token:
        """Return the token that a caller presents.

        Raises:
            Unauthorized: it is missing, unknown, expired or revoked.
            StoreError: the records cannot be read.
        """
        if not text or not text.startswith(PREFIX) or len(text) > _LONGEST:
            raise _unauthorized("a token is needed")
        return self.verify_digest(digest_of(text))

    def verify_digest(self, digest: bytes) -> Token:
        """Return the token whose text has a digest, as `digest_of` makes it.

        Raises:
            Unauthorized: it is unknown, expired or revoked.
            StoreError: the records cannot be read.
        """
        if self._is_owners(digest):
            return self.owners()
        rows = self._records.read(lambda tx: _checked(tx, _BY_HASH, digest))
        if not rows:
            raise _unauthorized("the token is unknown")
        token, now = _token_of(rows[0]), self._clock.now_ms()
        if not token.is_valid(now):
            has_expired = token.revoked_at is None
            raise _unauthorized("the token has expired" if has_expired else "the token was revoked")
        if now - (token.last_used_at or 0) >= USED_EVERY_MS:
            self._note_use(token.id, now)
        return token

    def _name(self, name: str) -> str:
        """Return a name that fits into session keys, together with a caller's own key."""
        checked = _check_name(name, "name of a token")
        self._drafts.checked(f"{GUEST}:direct:{checked}:thread:{self._ids.new()}", "name")
        return checked

    def _is_owners(self, digest: bytes) -> bool:
        try:
            own_digest = self.file.digest()
        except (Denied, NotFound):  # `recollect doctor` and `token rotate` report why
            return False
        return own_digest is not None and hmac.compare_digest(own_digest, digest)

    def _note_use(self, token_id: str, now: int) -> None:
        """Store the time of the last use without waiting: the answer is more important."""
        self._records.submit(lambda tx: tx.execute(_USE, (now, token_id)))


def revoke_all(records: Database, now: int) -> list[str]:
    """Revoke all tokens of a home; return their names.

    A foreign backup may hold tokens of its author.

    Raises:
        StoreError: it could not be written.
    """

    def revoke_tokens(tx: Transaction) -> list[str]:
        tokens = [_token_of(row) for row in tx.all(_VALID)]
        for token in tokens:
            _revoke(tx, token, now)
            record_audit(tx, token.scope, "token.revoke", now, target=token.name)
        return [token.name for token in tokens]

    return records.write(revoke_tokens)


def check_audience(audience: str, agent: str | None = None) -> str:
    """Return an audience with its session key normalised.

    Raises:
        InvalidInput: it cannot be one, or its key names another agent.
    """
    if audience in {OWNER, SHARED, ANY_SESSION}:
        return audience
    if not audience.startswith(SESSION):
        hint = "use owner, shared, or session: with a session key"
        raise InvalidInput("a token must have a known audience", hint=hint)
    key = parse_key(audience[len(SESSION) :])
    if agent is not None and key.agent not in {None, agent_name(agent)}:
        raise InvalidInput(
            "the session key must be of the token's agent", hint="leave the agent out of one"
        )
    return SESSION + key.text


def check_right(right: str) -> Right:
    """Return a right if it is valid.

    Raises:
        InvalidInput: it is not one.
    """
    if right in RIGHTS:
        return right
    raise InvalidInput("unknown right of a token", hint=f"use one of {', '.join(RIGHTS)}")


def _cells_of(token: Token) -> list[SqlValue]:
    plain: list[SqlValue] = [getattr(token, name) for name in _FIELDS]
    kind, _, key = token.audience.partition(":")
    return [*plain, kind, key or None, msgspec.json.encode(token.channels).decode()]


def _token_of(row: Row) -> Token:
    kind, key, channels = (text_or_none(cell) for cell in row[_PLAIN:])
    return decode(
        Token,
        _FIELDS,
        row[:_PLAIN],
        audience=kind if key is None else SESSION + key,
        channels=json_cell(channels or "[]", list[str]),
    )


def _checked(tx: Transaction, sql: LiteralString, *params: SqlValue) -> list[Row]:
    """Return rows of tokens; raise if the table was altered: a revoked one may be valid again."""
    check_digest(tx, "tokens")
    return tx.all(sql, params)


def _revoke(tx: Transaction, token: Token, now: int) -> None:
    tx.execute(_REVOKE, (now, token.id))
    note_digest(tx, "tokens", [3 * now])


def _drop_ended_pages(tx: Transaction, now: int) -> None:
    """Remove the tokens of pages that have ended: each `recollect open` would leave one."""
    ended = [_token_of(row) for row in tx.all(_ENDED_PAGES, (f"{VIEWER}{'[0-9a-f]' * 8}", now))]
    for token in ended:
        tx.execute(_DROP, (token.id,))
    cells: list[SqlValue] = [
        each.created_at + 3 * (each.revoked_at or 0) + 5 * (each.expires_at or 0) for each in ended
    ]
    note_digest(tx, "tokens", [], cells)


def _named(tx: Transaction, name: str) -> Token | None:
    row = tx.row(_BY_NAME, (name, name))
    return None if row is None else _token_of(row)


def _check_name(name: object, what: str) -> str:
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise InvalidInput(
        f"the {what} must be short and plain",
        hint="use letters, digits, dots, - and _, 64 at most, a letter or digit first",
    )


def _check_channel(channel: str) -> str:
    name = channel.strip().lower()
    if name == ALL_CHANNELS or _CHANNEL.fullmatch(name):
        return name
    raise InvalidInput(
        "a channel must be named as session keys name it", hint="use telegram, slack … or * for all"
    )


def _check_end(expires_at: int, now: int) -> int:
    if expires_at > now:
        return expires_at
    raise InvalidInput("a token must end in the future", hint="choose a later time")


def _unauthorized(message: str) -> Unauthorized:
    return Unauthorized(
        message, hint="pass the header Authorization: Bearer with a token of `recollect token add`"
    )
