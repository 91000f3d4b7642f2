"""Facts: short statements that stay true, as values."""

from __future__ import annotations

import difflib
from typing import Literal, TypeAlias

import msgspec

from recollect.core.errors import InvalidInput
from recollect.core.scope import ConversationTurn, Scope
from recollect.text.boundaries import brief_repr
from recollect.text.statements.statement import KINDS, Kind, Subject

FactTrust: TypeAlias = Literal["owner", "agent", "group", "imported"]
"""Whose words a fact is: the owner's, the agent's, other people's, or of an imported transcript."""
FactStatus: TypeAlias = Literal["current", "replaced", "forgotten", "archived", "review"]
"""``review``: an agent said it of the owner, who has not confirmed it yet."""
FactAction: TypeAlias = Literal[
    "new",
    "known",
    "corrected",
    "replaced",
    "forgotten",
    "restored",
    "pinned",
    "unpinned",
    "archived",
]
"""What a line of the history records."""
Outcome: TypeAlias = Literal["new", "known", "replaced"]

TRUE_THEN: tuple[FactStatus, ...] = ("current", "replaced")
"""The states of a fact that is true, or was until another one was."""
BY_HAND = "hand"
"""``made_by`` of a fact that a person or an agent gave."""
RULE: Kind = "rule"
ABOUT_PEOPLE: frozenset[str] = frozenset(
    {RULE, "personal", "preference", "habit", "relationship", "schedule", "work"}
)
"""Kinds of facts that an agent alone does not say of its owner."""


class FactPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Where a fact was said, and so who hears it.

    Attributes:
        turn: The columns of the session, and the sender of the turn.
        project: The project of the session; None without one.
        session_id: The session; None of a fact by hand outside of any.
        message_id: The message that says it; None without one.
    """

    turn: ConversationTurn
    project: str | None = None
    session_id: str | None = None
    message_id: str | None = None


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One short statement in the words of its source.

    Attributes:
        id: Sorts by the time of storing.
        number: Its short number, from 1: ``f12``.
        text: The statement, on one line.
        kind: Such as ``rule`` or ``preference``, see `recollect.text.statements.statement.KINDS`.
        subject: About whom: the speaker, the project, another person or thing, or none of them.
        name: The other person or thing, in lower case.
        slot: What it gives a value to, such as ``home``; None where that is not recognised.
        value: The value, normalised for comparison.
        importance: 1 to 10.
        confidence: 0 to 1; that of the surest source.
        trust: Whose words it is.
        valid_from: From when it is true, ms UTC: when it was said.
        valid_to: Until when; None while it is.
        created_at: When it was recorded, ms UTC.
        accessed_at: When it was last asked for or said again, ms UTC.
        access_count: How often; what a search finds counts once a day.
        is_pinned: Whether it is never archived.
        status: Whether it counts.
        replaced_by: The id of the fact that it made way for.
        session_id: Where it was said; None of one by hand.
        message_id: The message that says it; None of one by hand, or where the message is gone.
        start: Offset of the quoted span in the message.
        end: Offset after it.
        made_by: What found it, with its version; ``hand``.
        version: How many lines its history has.
        tenant: Owner.
        agent: Owner.
        user: Owner.
        project: Owner; the folder that it is about.
        channel: As in the session, and so are the next three: they say who hears it.
        account: See `channel`.
        chat_type: See `channel`.
        peer: See `channel`.
        turn_sender: The sender of the turn, as in `Message`.
    """

    __repr__ = brief_repr

    id: str
    number: int = 0
    tenant: str
    agent: str | None
    user: str | None
    project: str | None
    session_id: str | None = None
    message_id: str | None = None
    start: int | None = None
    end: int | None = None
    channel: str | None
    account: str | None
    chat_type: str | None
    peer: str | None
    turn_sender: str | None
    text: str
    kind: str
    subject: Subject
    name: str | None = None
    slot: str | None = None
    value: str | None = None
    importance: int
    confidence: float
    trust: FactTrust
    made_by: str
    valid_from: int
    valid_to: int | None = None
    created_at: int
    is_pinned: bool = False
    status: FactStatus = "current"
    replaced_by: str | None = None
    version: int = 1
    accessed_at: int
    access_count: int = 0

    @property
    def turn(self) -> ConversationTurn:
        """What decides who hears it."""
        return ConversationTurn(
            self.agent,
            self.user,
            self.channel,
            self.account,
            self.chat_type,
            self.peer,
            self.turn_sender,
        )

    @property
    def owner(self) -> Scope:
        """Its owner."""
        return Scope(
            tenant=self.tenant,
            agent=self.agent,
            user=self.user,
            project=self.project,
            session=self.session_id,
        )

    @property
    def is_found(self) -> bool:
        """Whether searches find it: it is true, or was."""
        return self.status in TRUE_THEN

    def was_valid(self, at: int) -> bool:
        """Return whether it was true at a time, ms UTC."""
        return (
            self.is_found
            and self.valid_from <= at
            and (self.valid_to is None or at < self.valid_to)
        )


class FactChange(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the history of a fact: what it was from then on.

    Attributes:
        version: From 1.
        action: What was done.
        at: When, ms UTC.
        actor: The name of the token that did it; None: whoever uses the files of the home.
        text: Its words.
        confidence: 0 to 1.
        status: Whether it counted.
        replaced_by: The id of the fact that it made way for.
        is_pinned: Whether it was pinned.
    """

    version: int
    action: FactAction
    at: int
    actor: str | None
    text: str
    confidence: float
    status: FactStatus
    replaced_by: str | None
    is_pinned: bool


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """What became of something to remember.

    Attributes:
        status: ``new``; ``known``: the same words were remembered before; ``replaced``: it is new,
            and an older value of the same thing made way for it.
        fact: As it is stored now.
        replaced: The facts that made way.
    """

    status: Outcome
    fact: Fact
    replaced: tuple[Fact, ...] = ()


def check_kind(kind: str) -> Kind:
    """Return a kind of facts.

    Raises:
        InvalidInput: there is no such kind.
    """
    for candidate in KINDS:
        if kind == candidate:
            return candidate
    near = difflib.get_close_matches(kind, KINDS, 1)
    suggestion = f"did you mean {near[0]}? " if near else ""
    raise InvalidInput("unknown kind of facts", hint=f"{suggestion}use one of {', '.join(KINDS)}")
