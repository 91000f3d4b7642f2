"""`Facts`: what is remembered of people and projects; `memory.facts` is one of these.

Each use case is one durable transaction under the scope of the object.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from recollect.audience.account import parse_account
from recollect.audience.owner import Owner
from recollect.audience.visibility import Asker, Audience, Resolve, group_of_turn
from recollect.core.checks import check_count, check_share, checked
from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound
from recollect.core.events import FactChanged
from recollect.core.scope import ConversationTurn, Scope
from recollect.knowledge.fact import (
    ABOUT_PEOPLE,
    BY_HAND,
    Action,
    Fact,
    FactChange,
    FactPlace,
    Remembered,
    Status,
    Trust,
    check_kind,
)
from recollect.knowledge.rows import (
    change_fact,
    find_fact,
    history_of,
    of_facts,
    only_heard,
    select_facts,
)
from recollect.knowledge.storing import store_fact
from recollect.store.engine import Database, Transaction
from recollect.store.journal import record_event
from recollect.text.secret_redactor import SecretRedactor
from recollect.text.statements.detector import detect
from recollect.text.statements.statement import Statement, Subject

MOST_CHARS = 2_000
"""Characters of a fact: it is one short statement."""
IMPORTANCE = 5
"""Of a fact by hand whose importance is not given."""
_PAGE = 200
_NO_SUCH = "take a number from `recollect facts`"

About: TypeAlias = Literal["me", "project"]
Many: TypeAlias = "list[Fact]"


class Places(Protocol):
    """Knows where something was said; the sessions do."""

    def of_asker(self, tx: Transaction, asker: Asker) -> FactPlace:
        """Return the turn that a session answers; raises `NotFound` without the session."""

    def of_message(self, tx: Transaction, name: str, audience: Audience) -> FactPlace:
        """Return the place of a message; raises `NotFound` where it is not heard."""

    def owner_said(self, tx: Transaction, place: FactPlace, text: str) -> bool:
        """Return whether the owner's own words in a session say a text."""


class FactParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the use cases work with.

    Attributes:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives facts their ids.
        redactor: Takes secrets out; None stores texts as they come.
        audience: Resolves what an asker hears.
        owner: The owner of the agent, and the accounts that are one person.
        places: Knows where something was said.
        project_of: Returns a project as it is stored, and notes it.
        arrived: Is called after each commit that changed what can be found.
        scope: The owner of the facts.
    """

    database: Database
    clock: Clock
    ids: IdSource
    redactor: SecretRedactor | None
    audience: Resolve
    owner: Owner
    places: Places
    project_of: Callable[[str | None], str | None]
    arrived: Callable[[], None]
    scope: Scope


class _Given(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller asks to remember, checked."""

    text: str
    kind: str | None
    importance: int | None
    confidence: float | None
    about: About | None
    project: str | None
    trust: Trust | None


@checked
class Facts:
    """Remembers facts, and reads them back.

    Args:
        parts: The records, and their owner.
    """

    def __init__(self, parts: FactParts) -> None:
        self._parts = parts
        self.scope: Scope = parts.scope

    def remember(  # noqa: PLR0917  # as DESIGN has it
        self,
        user_id: str | None,
        text: str,
        kind: str | None = None,
        importance: int | None = None,
        confidence: float | None = None,
        source: str | None = None,
        *,
        category: str | None = None,
        about: About | None = None,
        project: str | None = None,
        trust: Trust | None = None,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> Remembered:
        """Remember a fact, and return it once it is durable.

        The same words again are known, and make it no second time. A new value of something that
        has one value at a time, such as a home, replaces the old one.

        Args:
            user_id: The person whose fact it is: ``telegram:42``, or a name; None: the owner's.
            text: One short statement.
            kind: One of `recollect.text.statements.statement.KINDS`; by rule if not given.
            importance: 1 to 10; by rule if not given.
            confidence: 0 to 1; 1 if not given.
            source: The message that says it, ``m88`` or an id: who hears that hears the fact.
            category: Another name of ``kind``.
            about: ``me`` or ``project``; by rule if not given.
            project: The project that it belongs to; that of the session, or of the scope.
            trust: Whose words it is. What an agent says of its owner goes to review, unless the
                owner said the same words in that session.
            for_session: On behalf of this session: its audience hears the fact.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            InvalidInput: the text is empty or too long, or an argument is out of range.
            NotFound: the scope has no such session, or no such message.
            Denied: the person is another than the scope, or the session, allows.
        """
        given = _Given(
            text=_statement(text),
            kind=_kind(kind, category),
            importance=_importance(importance),
            confidence=None if confidence is None else check_share(confidence, "confidence"),
            about=about,
            project=self._parts.project_of(project),
            trust=trust,
        )
        asker = Asker(for_session, for_sender)
        place = self._parts.database.read(partial(self._place, user_id, source, asker))
        redacted = msgspec.structs.replace(given, text=self._redacted(given.text, place))
        at = self._parts.clock.now_ms()

        def store(tx: Transaction) -> Remembered:
            statement = _of(redacted.text)
            draft = self._draft(tx, redacted, statement, place, at)
            slot = None if statement is None else statement.slot
            is_only_value = slot is not None and slot.arity == "one"
            return store_fact(tx, draft, self._parts.owner, at, is_only_value=is_only_value)

        remembered = self._parts.database.write(store)
        self._parts.arrived()
        return remembered

    def list(
        self,
        user_id: str | None = None,
        project: str | None = None,
        kind: str | None = None,
        *,
        status: Status = "current",
        limit: int = 100,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> Many:
        """Return facts, the newest first.

        Args:
            user_id: Only those of this person.
            project: Only those of this project: a path of it.
            kind: Only this kind.
            status: ``current``, ``replaced``, ``forgotten``, ``archived`` or ``review``.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            InvalidInput: the kind is unknown, or a number out of range.
            NotFound: the scope has no session ``for_session``.
        """
        check_count(limit, "a limit", 1)
        where = of_facts(self._of_user(user_id)).of_project(project).also("status = ?", status)
        if kind is not None:
            where.also("kind = ?", check_kind(kind))
        asker = Asker(for_session, for_sender)

        def read(tx: Transaction) -> Many:
            audience = self._parts.audience(tx, asker)
            if audience.group is None:
                return select_facts(tx, where, limit)
            heard: Many = []
            after, is_last = 0, False
            while len(heard) < limit and not is_last:
                page = select_facts(tx, where, _PAGE, offset=after)
                heard += only_heard(audience, page)
                after, is_last = after + _PAGE, len(page) < _PAGE
            return heard[:limit]

        return self._parts.database.read(read)

    def get(
        self, id: str, *, for_session: str | None = None, for_sender: str | None = None
    ) -> Fact:
        """Return a fact, whatever its status.

        Args:
            id: Its UUID, or its number as ``f12``.
            for_session: On behalf of this session: what it may not hear does not exist.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        asker = Asker(for_session, for_sender)
        return self._parts.database.read(lambda tx: self._existing(tx, id, asker))

    def history(
        self, id: str, *, for_session: str | None = None, for_sender: str | None = None
    ) -> tuple[FactChange, ...]:
        """Return what a fact was before, and what became of it, the oldest first.

        Args:
            id: Its UUID, or its number as ``f12``.
            for_session: On behalf of this session: what it may not hear does not exist.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        asker = Asker(for_session, for_sender)
        return self._parts.database.read(
            lambda tx: history_of(tx, self._existing(tx, id, asker))
        )

    def correct(self, id: str, text: str, *, for_session: str | None = None) -> Fact:
        """Give a fact other words, as its owner's; `restore` brings the old ones back.

        Args:
            id: Its UUID, or its number as ``f12``.
            text: One short statement.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
            InvalidInput: the text is empty or too long.
        """
        fact = self.get(id, for_session=for_session)
        # Before the transaction of the change: what is recognised as a secret is stored as well.
        words = self._redacted(_statement(text), _place_of(fact))
        changes = _values(_of(words)) | {"text": words, "confidence": 1.0, "made_by": BY_HAND}
        return self._change(id, for_session, "corrected", lambda _, __: changes)

    def forget(self, id: str, *, for_session: str | None = None) -> Fact:
        """Take a fact out of search, lists and prompts until it is restored.

        Args:
            id: Its UUID, or its number as ``f12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        return self._change(id, for_session, "forgotten", lambda _, __: {"status": "forgotten"})

    def restore(self, id: str, *, for_session: str | None = None) -> Fact:
        """Make a fact count again that does not, or undo its last correction.

        One in review is confirmed: it is the owner's from then on.

        Args:
            id: Its UUID, or its number as ``f12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
            Conflict: there is nothing to undo.
        """
        return self._change(id, for_session, "restored", _undone)

    def pin(self, id: str, *, pinned: bool = True, for_session: str | None = None) -> Fact:
        """Keep a fact from ever being archived; ``pinned=False`` takes that back.

        Args:
            id: Its UUID, or its number as ``f12``.
            pinned: Whether it is pinned.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        action: Action = "pinned" if pinned else "unpinned"
        return self._change(id, for_session, action, lambda _, __: {"is_pinned": pinned})

    def _change(
        self,
        id: str,
        for_session: str | None,
        action: Action,
        changes: Callable[[Transaction, Fact], dict[str, Any]],
    ) -> Fact:
        """Change a fact if that makes a difference; return it."""
        at, asker = self._parts.clock.now_ms(), Asker(for_session)

        def unit(tx: Transaction) -> Fact:
            fact = self._existing(tx, id, asker)
            wanted = changes(tx, fact)
            if all(getattr(fact, name) == value for name, value in wanted.items()):
                return fact
            changed = change_fact(tx, fact, action, at, **wanted)
            event = FactChanged(scope=fact.owner, at=at, number=fact.number, action=action)
            record_event(tx, event)
            return changed

        changed = self._parts.database.write(unit)
        self._parts.arrived()
        return changed

    def _existing(self, tx: Transaction, id: str, asker: Asker) -> Fact:
        audience = self._parts.audience(tx, asker)
        fact = find_fact(tx, self.scope, id)
        for heard in only_heard(audience, [] if fact is None else [fact]):
            return heard
        raise NotFound("the fact does not exist", hint=_NO_SUCH)

    def _of_user(self, user_id: str | None) -> Scope:
        """Return the part of the scope that is a person's.

        Raises:
            InvalidInput: it cannot be a person.
            Denied: the scope is another person's.
        """
        if user_id is None:
            return self.scope
        user = _person(user_id)
        seen = self.scope.narrowed(self._parts.owner.links.scope_of(Scope(
            tenant=self.scope.tenant, user=user
        )))
        if seen is None:
            raise Denied("the person is another than the scope allows", hint="leave user_id out")
        return seen

    def _place(
        self, user_id: str | None, source: str | None, asker: Asker, tx: Transaction
    ) -> FactPlace:
        """Return where a fact is said: by its source, its session, or the person whose it is."""
        places, audience = self._parts.places, self._parts.audience(tx, asker)
        scope = self._of_user(user_id)
        if source is not None:
            place = places.of_message(tx, source, audience)
        elif asker.session_id is not None:
            place = places.of_asker(tx, asker)
        else:
            user = scope.user if user_id is None else _person(user_id)
            sender = user if user is not None and ":" in user else None
            turn = ConversationTurn(scope.agent, user, None, None, None, None, sender)
            return FactPlace(turn=turn, project=scope.project)
        if user_id is not None:
            own = ConversationTurn(
                place.turn.agent, _person(user_id), None, None, None, None, _sender(user_id)
            )
            owner = self._parts.owner
            if group_of_turn(own, owner) != group_of_turn(place.turn, owner):
                hint = "leave user_id out: it is remembered for whom the session is with"
                raise Denied("the session is with another person", hint=hint)
        return place

    def _redacted(self, text: str, place: FactPlace) -> str:
        redactor = self._parts.redactor
        if redactor is None:
            return text
        if place.session_id is None:
            return redactor.text(text)
        return redactor.session(place.session_id, lambda known: known.text(text))

    def _draft(
        self,
        tx: Transaction,
        given: _Given,
        statement: Statement | None,
        place: FactPlace,
        at: int,
    ) -> Fact:
        parts, turn = self._parts, place.turn
        project = given.project or place.project or self.scope.project
        subject, kind = _subject(given, statement), given.kind
        if kind is None and statement is not None:
            kind = statement.kind
        kind = kind or ("technical" if subject == "project" else "personal")
        is_owners = group_of_turn(turn, parts.owner).is_owners
        trust: Trust = given.trust or ("owner" if is_owners else "group")
        is_claim = trust == "agent" and (kind in ABOUT_PEOPLE or subject == "speaker")
        if trust == "agent" and is_owners and parts.places.owner_said(tx, place, given.text):
            trust, is_claim = "owner", False
        importance = IMPORTANCE if statement is None else statement.importance
        return Fact(
            id=parts.ids.new(),
            number=0,
            tenant=self.scope.tenant,
            agent=turn.agent,
            user=turn.user,
            project=project,
            session_id=place.session_id,
            message_id=place.message_id,
            start=None,
            end=None,
            channel=turn.channel,
            account=turn.account,
            chat_type=turn.chat_type,
            peer=turn.peer,
            turn_sender=turn.turn_sender,
            text=given.text,
            kind=kind,
            subject=subject,
            name=None if statement is None else statement.name,
            **_values(statement),
            importance=importance if given.importance is None else given.importance,
            confidence=1.0 if given.confidence is None else given.confidence,
            trust=trust,
            made_by=BY_HAND,
            valid_from=at,
            valid_to=None,
            created_at=at,
            is_pinned=False,
            status="review" if is_claim else "current",
            replaced_by=None,
            version=1,
            accessed_at=at,
            access_count=0,
        )


def _statement(text: str) -> str:
    """Return the text of a fact on one line.

    Raises:
        InvalidInput: it is empty or too long.
    """
    said = " ".join(text.encode("utf-8", "replace").decode().split())
    if not said:
        raise InvalidInput("a fact must say something", hint="give a short statement")
    if len(said) > MOST_CHARS:
        raise InvalidInput(
            f"a fact must not be longer than {MOST_CHARS:,} characters",
            hint="give one short statement, or several facts",
        )
    return said


def _of(text: str) -> Statement | None:
    """Return the first statement of a text."""
    return next(iter(detect(text, "user")), None)


def _values(statement: Statement | None) -> dict[str, Any]:
    """Return what a statement gives a value to, as the columns of a fact."""
    if statement is None or statement.slot is None:
        return {"slot": None, "value": None}
    return {"slot": statement.slot.name, "value": statement.value}


def _kind(kind: str | None, category: str | None) -> str | None:
    if kind is not None and category not in {None, kind}:
        raise InvalidInput("kind and category are the same", hint="give one of them")
    given = category if kind is None else kind
    return None if given is None else check_kind(given)


def _importance(given: int | None) -> int | None:
    if given is not None and not 1 <= given <= 10:  # noqa: PLR2004  # as documented
        raise InvalidInput("importance must be a whole number from 1 to 10", hint="5 is usual")
    return given


def _subject(given: _Given, statement: Statement | None) -> Subject:
    if given.about is not None:
        return "speaker" if given.about == "me" else "project"
    if statement is not None:
        return statement.subject
    return "speaker" if given.project is None else "project"


def _person(user_id: str) -> str:
    """Return a person as rows name them.

    Raises:
        InvalidInput: it cannot be an account or a name.
    """
    return str(parse_account(user_id)) if ":" in user_id else user_id


def _sender(user_id: str) -> str | None:
    return _person(user_id) if ":" in user_id else None


def _place_of(fact: Fact) -> FactPlace:
    return FactPlace(turn=fact.turn, project=fact.project, session_id=fact.session_id)


def _undone(tx: Transaction, fact: Fact) -> dict[str, Any]:
    """Return the changes that undo the last one of a fact."""
    if fact.status == "review":
        return {"status": "current", "trust": "owner"}
    if fact.status != "current":
        return {"status": "current", "replaced_by": None, "valid_to": None}
    history = history_of(tx, fact)
    if history[-1].action != "corrected":
        raise Conflict("there is nothing to undo", hint="see `recollect facts history`")
    before = history[-2]
    return {"text": before.text, "confidence": before.confidence}
