"""What is known without a question, for a block: the rules of the owner, and what holds now.

The model does not request it, so a fact is in a block only in words of the owner, or of the one
person whose private chat it is; of the agent only what it found out and what is left to do. Rules
are quoted above the note that all else is data: only the owner's own, of this project or about how
to speak with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import LiteralString, NamedTuple

from recollect.core.clock import to_iso
from recollect.core.errors import RecollectError
from recollect.core.numbers import show_number
from recollect.knowledge.fact import RULE, Fact
from recollect.knowledge.remembering import MOST_IMPORTANT
from recollect.knowledge.rows import of_facts, only_heard, select_facts
from recollect.observations.summary import clipped
from recollect.recall.context.block import PROJECT_FILES, Candidate, Section, Worth
from recollect.recall.context.order import LONGEST_LINE, Order
from recollect.recall.context.worth import amount, told_words
from recollect.sessions.record.content import only_said
from recollect.sessions.record.message import decode_content
from recollect.sessions.record.session import DELETED, find_session
from recollect.store.columns import LISTED, Condition, listed, text, typed_rows
from recollect.store.engine import Transaction
from recollect.store.paths import read_beneath
from recollect.text.boundaries import sentence_ends

_MOST, _MOST_RULES = 200, 1_000
"""The newest that are considered: some ten times what a block holds, and rules of all projects."""
_LONGEST_FILE = 1 << 20
_WORTH: Mapping[str, Worth] = {
    RULE: "rule",
    "decision": "decision",
    "preference": "preference",
    "technical": "technical",
    "schedule": "schedule",
    "open_end": "open_end",
    "personal": "person",
    "habit": "person",
    "relationship": "person",
    "work": "person",
}
_SECTIONS: Mapping[Worth, Section] = {"open_end": "open"}
_OF_PLACE = frozenset({"personal", "habit", "relationship", "work", "schedule"})
"""Kinds that a project does not need of what was said outside of any."""
_OF_AGENT = frozenset({"technical", "open_end"})
_WITH_REASON = frozenset({"decision", "preference", "technical", "schedule"})
_LONGEST_REASON = 240
"""Characters of a decision and what was said beside it."""
_MESSAGE: LiteralString = "SELECT text, content FROM messages WHERE id = ?"
_TEXTS: LiteralString = (
    "SELECT id, text, session_id, turn_sender, project"  # noqa: S608
    f" FROM {LISTED}messages WHERE id = listed AND "
)
_SPANS: LiteralString = """
    SELECT older_id, older_first, older_end, newer_id FROM replacements
    WHERE tenant = ? AND rule <> 'undone' ORDER BY older_at DESC LIMIT ?
"""
_HERE: LiteralString = "(project IS NULL OR project IN (SELECT value FROM json_each(?)))"
_FEWEST_GONE = 2
"""Words of a statement that can be recognised in a line."""
_FEWEST_WORDS, _FEWEST_ANSWERED = 3, 5
"""Of a fact: "Fixed" says nothing to who was not there; and of the whole answer in which the agent
states one: "49 GB" answers a question of the moment."""


def read_facts(tx: Transaction, order: Order) -> Iterator[Candidate]:
    """Yield rules and what holds as candidates, as far as the reader of the block hears them.

    Args:
        tx: The snapshot of the block.
        order: What to look for.
    """
    if order.is_of_many:
        return
    rules = of_facts(order.scope).also("kind = ?", RULE).also("status = ?", "current")
    others = _of_place(order).also("kind <> ?", RULE).also("status = ?", "current")
    facts = select_facts(tx, rules, _MOST_RULES) + select_facts(tx, others, _MOST)
    for fact in only_heard(order.audience, facts):
        words = told_words(fact.text)
        is_told = fact.kind == RULE or len(words) >= _FEWEST_WORDS
        if is_told and _stands(fact, order) and not order.is_loaded(words):
            message = _said(tx, fact)
            line = _rule_here(fact, order) if fact.kind == RULE else _with_reason(fact, message)
            is_passing = fact.trust == "agent" and amount(told_words(message)) < _FEWEST_ANSWERED
            if line and not is_passing:
                yield fact_candidate(fact, words=line)


class Gone(NamedTuple):
    """What holds no longer, or may not: what was replaced, also where that is not certain.

    Attributes:
        messages: The messages that state it.
        words: Those of each statement.
    """

    messages: frozenset[str]
    words: tuple[frozenset[str], ...]


def read_gone(tx: Transaction, order: Order) -> Gone:
    """Return the newest statements of a project that hold no longer."""
    where = _of_place(order).among("status", ("replaced", "forgotten"))
    facts = only_heard(order.audience, select_facts(tx, where, _MOST))
    ends = typed_rows(tx.all(_SPANS, (order.scope.tenant, _MOST)), tuple[str, int, int, str])
    by_id = _heard_messages(
        tx, order, {id_ for older, _, _, newer in ends for id_ in (older, newer)}
    )
    spans = [
        (by_id[older], first, end)
        for older, first, end, newer in ends
        if older in by_id and newer in by_id and by_id[older].is_here(order)
    ]
    quotes = [message.text[first:end] for message, first, end in spans]
    words = {told_words(statement) for statement in (*(fact.text for fact in facts), *quotes)}
    messages = frozenset(message.id for message, _, _ in spans)
    return Gone(messages, tuple(each for each in words if amount(each) >= _FEWEST_GONE))


class _Message(NamedTuple):
    """An end of a link, with what decides who hears it."""

    id: str
    text: str
    session_id: str
    sender: str | None
    project: str | None

    def is_here(self, order: Order) -> bool:
        return self.project is None or self.project in order.projects


def _heard_messages(tx: Transaction, order: Order, ids: Collection[str]) -> dict[str, _Message]:
    """Return those of some messages that the reader of the block hears, by id."""

    @cache
    def is_heard(session_id: str, sender: str | None) -> bool:
        session = find_session(tx, order.scope, session_id)
        if session is None or session.status == DELETED:
            return False
        return order.audience.hears(session, sender)

    where = Condition(order.scope, "session_id")
    select: LiteralString = _TEXTS + where.sql
    rows = typed_rows(
        tx.all(select, [listed(ids), *where.params]),
        tuple[str, str, str, str | None, str | None],
    )
    messages = (_Message(*row) for row in rows)
    return {each.id: each for each in messages if is_heard(each.session_id, each.sender)}


def is_trusted(fact: Fact, order: Order) -> bool:
    """Return whether a fact is in the words of the owner, or of the one person who reads them."""
    if fact.trust == "group":
        group = order.audience.group
        return group is not None and group.is_private and fact.kind != RULE
    return fact.trust == "owner"


def is_here(fact: Fact, order: Order) -> bool:
    """Return whether a fact is of the project of a block, or was said outside of any."""
    return fact.project is None or fact.project in order.projects


def _rule_here(fact: Fact, order: Order) -> str:
    """Return what of a rule holds in the project of a block; empty if nothing.

    Of a rule of another project that is what is for everywhere, or about how to speak with the
    person.
    """
    from recollect.text.statements.reach import part_for_everywhere

    return fact.text if is_here(fact, order) else part_for_everywhere(fact.text)


def _stands(fact: Fact, order: Order) -> bool:
    """Return whether a fact belongs into a block without being asked for."""
    is_of_agent = fact.trust == "agent" and fact.kind in _OF_AGENT
    is_elsewhere = fact.project is None and bool(order.projects) and fact.kind in _OF_PLACE
    is_there = fact.kind == RULE or is_here(fact, order)
    return (is_of_agent or is_trusted(fact, order)) and is_there and not is_elsewhere


def _of_place(order: Order) -> Condition:
    return of_facts(order.scope).also(_HERE, listed(order.projects))


def _said(tx: Transaction, fact: Fact) -> str:
    """Return the message that a fact quotes, on one line; the fact where there is none."""
    from recollect.text.statements.detector import own_text

    row = tx.row(_MESSAGE, (fact.message_id,)) if fact.message_id is not None else None
    if row is None:
        return fact.text
    message = only_said(text(row[0]), decode_content(row[1]))
    return " ".join((message if fact.trust == "agent" else own_text(message)).split())


def _with_reason(fact: Fact, message: str) -> str:
    """Return what was decided or is wanted with the sentences around it: they give the reason.

    Where its sentence is too long, from the beginning of that, which says what "it" is.
    Of a rule, and of what the agent says, only the words of the fact.
    """
    at = message.find(fact.text)
    if fact.kind not in _WITH_REASON or fact.trust == "agent" or at < 0:
        return fact.text
    starts = [0, *sentence_ends(message)]
    begin = max((start for start in starts if start <= at), default=0)
    last = at + len(fact.text)
    ends = [last, *(end for end in (*starts[1:], len(message)) if end >= last)]
    fitting = [end for end in ends if end - begin <= _LONGEST_REASON]
    return message[begin : max(fitting)].strip() if fitting else fact.text


def fact_candidate(fact: Fact, relevance: float = 0.0, words: str = "") -> Candidate:
    """Return a fact as a candidate, in other words if given; a rule in quotes."""
    label = f"[{show_number('fact', fact.number)} {to_iso(fact.valid_from)[:10]}]"
    is_rule = fact.kind == RULE
    statement = words or fact.text
    quote = statement.replace('"', "'")
    worth_as = _WORTH.get(fact.kind, "other")
    return Candidate(
        kind="fact",
        id=fact.id,
        number=fact.number,
        section="rules" if is_rule else _SECTIONS.get(worth_as, "facts"),
        lines=(clipped(f'{label} "{quote}"' if is_rule else f"{label} {statement}", LONGEST_LINE),),
        at=fact.valid_from,
        importance=fact.importance / MOST_IMPORTANT,
        relevance=relevance,
        message_id=fact.message_id,
        session_id=fact.session_id,
        worth_as=worth_as,
        is_agents=fact.trust == "agent",
        stored_at=fact.created_at,
    )


def loaded_words(client: str | None, projects: Iterable[str]) -> tuple[frozenset[str], ...]:
    """Return the words of each line that a client reads by itself of a project.

    None where the client is not known, or the files cannot be read.
    """
    texts = []
    for folder in projects:
        for name in PROJECT_FILES.get(client or "", ()):
            with suppress(RecollectError, OSError):
                content = read_beneath(Path(folder), name, limit=_LONGEST_FILE)
                texts.append(content.decode("utf-8", "replace"))
    return tuple(filter(None, map(told_words, "\n".join(texts).splitlines())))
