"""Remembering: from what a caller says to a fact with its origin, its kind and its trust."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from recollect.audience.account import parse_account
from recollect.audience.owner import Owner
from recollect.audience.people import People
from recollect.audience.visibility import Asker, Audience, Resolve, group_of_turn
from recollect.core.clock import Clock, IdSource
from recollect.core.errors import Denied, InvalidInput
from recollect.core.scope import ConversationTurn, Scope
from recollect.knowledge.decay import Formula
from recollect.knowledge.fact import (
    ABOUT_PEOPLE,
    BY_HAND,
    Fact,
    FactPlace,
    FactTrust,
    Remembered,
    check_kind,
)
from recollect.knowledge.storing import every_fact, store_fact
from recollect.store.engine import Database, Transaction
from recollect.text.secret_redactor import SecretRedactor
from recollect.text.statements.detector import detect
from recollect.text.statements.statement import Statement, Subject

MOST_CHARS = 2_000
"""Characters of a fact: it is one short statement."""
IMPORTANCE = 5
"""Of a fact by hand whose importance is not given."""
MOST_IMPORTANT = 10

About: TypeAlias = Literal["me", "project"]


class Places(Protocol):
    """Knows where something was said; the sessions do."""

    def of_asker(self, tx: Transaction, asker: Asker) -> FactPlace:
        """Return the turn that a session answers; raises `NotFound` without the session."""

    def of_message(self, tx: Transaction, name: str, audience: Audience) -> FactPlace:
        """Return where a message was said; raises `NotFound` if the audience may not hear it."""

    def was_said(self, tx: Transaction, origin: FactPlace, text: str) -> bool:
        """Return whether people of the same audience said a text in the session."""


class FactParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the use cases work with.

    Attributes:
        database: ``records.db``.
        clock: Tells the time.
        ids: Gives facts their ids.
        redactor: Takes secrets out; None stores texts as they come.
        audience: Resolves what an asker hears.
        owner: The owner of the agent, and the accounts that are one person by the settings.
        people: Who is linked to whom now.
        places: Knows where something was said.
        project_of: Returns a project as it is stored, and notes it.
        arrived: Is called after each commit that changed what can be found.
        scope: The owner of the facts.
        decay: How they fade.
    """

    database: Database
    clock: Clock
    ids: IdSource
    redactor: SecretRedactor | None
    audience: Resolve
    owner: Owner
    people: People
    places: Places
    project_of: Callable[[str | None], str | None]
    arrived: Callable[[], None]
    scope: Scope
    decay: Formula = "default"


class GivenFact(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller asks to remember, checked.

    Attributes:
        text: Without secrets.
        statement: What it states, found before the transaction.
        kind: As in `Facts.remember`, and so are the others.
    """

    text: str
    statement: Statement | None
    kind: str | None
    importance: int | None
    confidence: float | None
    about: About | None
    project: str | None
    trust: FactTrust | None


class FactMaker:
    """Makes facts of what callers say, under a scope.

    Args:
        parts: The records, and their owner.
    """

    def __init__(self, parts: FactParts) -> None:
        self._parts = parts
        self.scope = parts.scope

    def of_user(self, user_id: str | None, tx: Transaction | None = None) -> Scope:
        """Return the part of the scope that is a person's.

        Args:
            user_id: A name or an account of the person; None for all of the scope.
            tx: The snapshot; one of its own if not given.

        Raises:
            InvalidInput: it cannot be a person.
            Denied: the scope is another person's.
        """
        if user_id is None:
            return self.scope
        user_scope = Scope(tenant=self.scope.tenant, user=_person(user_id))
        seen = self.scope.narrowed(self._now(tx).links.scope_of(user_scope))
        if seen is None:
            raise Denied("the person is another than the scope allows", hint="leave user_id out")
        return seen

    def _now(self, tx: Transaction | None) -> Owner:
        """Return the owner, and who is linked to whom now."""
        people, tenant = self._parts.people, self.scope.tenant
        if tx is None:
            return self._parts.database.read(lambda tx: people.at(tx, tenant))
        return people.at(tx, tenant)

    def place(
        self, user_id: str | None, source: str | None, asker: Asker, tx: Transaction
    ) -> FactPlace:
        """Return where a fact was said: by its source, its session, or the person it belongs to."""
        origins, audience = self._parts.places, self._parts.audience(tx, asker)
        scope = self.of_user(user_id, tx)
        if source is not None:
            origin = origins.of_message(tx, source, audience)
        elif asker.session_id is not None:
            origin = origins.of_asker(tx, asker)
        else:
            user = scope.user if user_id is None else _person(user_id)
            sender = user if user is not None and ":" in user else None
            turn = ConversationTurn(scope.agent, user, None, None, None, None, sender)
            return FactPlace(turn=turn, project=scope.project)
        if user_id is not None:
            own = ConversationTurn(
                origin.turn.agent, _person(user_id), None, None, None, None, _sender(user_id)
            )
            owner = self._now(tx)
            if group_of_turn(own, owner) != group_of_turn(origin.turn, owner):
                hint = "leave user_id out: it is remembered for whom the session is with"
                raise Denied("the session is with another person", hint=hint)
        return origin

    def redacted(self, text: str, session_id: str | None) -> str:
        """Return a text without secrets, those of the session where it is said included."""
        redactor = self._parts.redactor
        if redactor is None:
            return text
        if session_id is None:
            return redactor.text(text)
        return redactor.session(session_id, lambda session_redactor: session_redactor.text(text))

    def store(
        self,
        request: GivenFact,
        origin: FactPlace,
        tx: Transaction,
        may_change: Callable[[Fact], bool] = every_fact,
    ) -> Remembered:
        """Store a fact, or find that it is known; only what ``may_change`` allows is touched."""
        at = self._parts.clock.now_ms()
        draft = self._draft(tx, request, origin, at)
        # Known are only words of the same account: unlinked, both still have what they said.
        closing = self._now(tx) if has_only_value(request.statement) else None
        return store_fact(tx, draft, self._parts.owner, at, closing=closing, may_change=may_change)

    def _draft(self, tx: Transaction, request: GivenFact, origin: FactPlace, at: int) -> Fact:
        """Return a fact, without its number."""
        parts, turn, statement = self._parts, origin.turn, request.statement
        project = request.project or origin.project or self.scope.project
        subject, kind = _subject(request, statement), request.kind
        if kind is None and statement is not None:
            kind = statement.kind
        kind = kind or ("technical" if subject == "project" else "personal")
        is_owners = group_of_turn(turn, parts.owner).is_owners
        theirs: FactTrust = "owner" if is_owners else "group"
        trust = request.trust or theirs
        if trust == "agent" and parts.places.was_said(tx, origin, request.text):
            trust = theirs
        is_claim = trust == "agent" and (kind in ABOUT_PEOPLE or subject == "speaker")
        importance = IMPORTANCE if statement is None else statement.importance
        return Fact(
            id=parts.ids.new(),
            tenant=self.scope.tenant,
            project=project,
            session_id=origin.session_id,
            message_id=origin.message_id,
            **msgspec.structs.asdict(turn),
            text=request.text,
            kind=kind,
            subject=subject,
            name=None if statement is None else statement.name,
            **slot_values(statement),
            importance=importance if request.importance is None else request.importance,
            confidence=1.0 if request.confidence is None else request.confidence,
            trust=trust,
            made_by=BY_HAND,
            valid_from=at,
            created_at=at,
            accessed_at=at,
            status="review" if is_claim else "current",
        )


def checked_text(text: str) -> str:
    """Return the text of a fact on one line.

    Raises:
        InvalidInput: it is empty or too long.
    """
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    if not line:
        raise InvalidInput("a fact must say something", hint="give a short statement")
    if len(line) > MOST_CHARS:
        raise InvalidInput(
            f"a fact must not be longer than {MOST_CHARS:,} characters",
            hint="give one short statement, or several facts",
        )
    return line


def statement_of(text: str) -> Statement | None:
    """Return the first statement of a text."""
    return next(iter(detect(text, "user")), None)


def has_only_value(statement: Statement | None) -> bool:
    """Return whether a statement gives a value to what has one at a time."""
    return statement is not None and statement.slot is not None and statement.slot.arity == "one"


def slot_values(statement: Statement | None) -> dict[str, Any]:
    """Return what a statement gives a value to, as the columns of a fact."""
    if statement is None or statement.slot is None:
        return {"slot": None, "value": None}
    return {"slot": statement.slot.name, "value": statement.value}


def kind_of(kind: str | None, category: str | None) -> str | None:
    """Return the kind that a caller gives by either name; None for none.

    Raises:
        InvalidInput: there is no such kind, or both are given.
    """
    if kind is not None and category not in {None, kind}:
        raise InvalidInput("kind and category are the same", hint="give one of them")
    name = category if kind is None else kind
    return None if name is None else check_kind(name)


def checked_importance(importance: int | None) -> int | None:
    """Return an importance.

    Raises:
        InvalidInput: it is out of range.
    """
    if importance is not None and not 1 <= importance <= MOST_IMPORTANT:
        raise InvalidInput(
            "importance must be a whole number from 1 to 10", hint="use 5, or leave it out"
        )
    return importance


def _subject(request: GivenFact, statement: Statement | None) -> Subject:
    if request.about is not None:
        return "speaker" if request.about == "me" else "project"
    if statement is not None:
        return statement.subject
    return "speaker" if request.project is None else "project"


def _person(user_id: str) -> str:
    """Return a person as rows name them.

    Raises:
        InvalidInput: it cannot be an account or a name.
    """
    return str(parse_account(user_id)) if ":" in user_id else user_id


def _sender(user_id: str) -> str | None:
    return _person(user_id) if ":" in user_id else None
