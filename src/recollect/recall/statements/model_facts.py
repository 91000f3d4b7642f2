"""Facts that a language model finds in messages, beside those of the rules.

The rules read every message, so that a model that is down, over its budget or wrong costs only what
it would have added. It reads the words of a person or of the agent alone: no code, quotation,
pasted or injected text, no tool, no sub-agent. One call has messages of one audience. A fact is a
span of its message, word for word; whose words it is decides what it may be, as for the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import LiteralString

import msgspec

from recollect.audience.people import People
from recollect.audience.visibility import VisibilityGroup, group_of_turn
from recollect.core.clock import DAY_MS, Clock
from recollect.core.errors import AnswerUnusable, ProviderError, ProviderRejected
from recollect.core.scope import ConversationTurn, Scope
from recollect.index.model.sync_report import never
from recollect.knowledge.extracted import store
from recollect.knowledge.model_answers import (
    INSTRUCTIONS_VERSION,
    MOST_CHARS,
    READ_AT_ONCE,
    QuotedFact,
    QuotedFacts,
    ReadMessage,
    facts_prompt,
    quoted_statement,
)
from recollect.models.language.model import LanguageModel
from recollect.models.language.structured_output import complete_as
from recollect.recall.statements.messages import (
    MESSAGE_COLUMNS,
    Placed,
    StatedMessage,
    Stating,
    fact_drafts,
    only_kept,
    placed_messages,
    says_itself,
)
from recollect.sessions.record.tombstone import is_buried
from recollect.store.columns import Condition, integer
from recollect.store.engine import Database, Transaction
from recollect.store.meta import find_value, set_value
from recollect.text.injected import TAG
from recollect.text.statements.detector import detect, own_words
from recollect.text.statements.statement import Statement

CURSOR = "knowledge.model"
"""The start of the keys of the last message that was read, by scope."""
MOST_CALLS = 4
"""Calls per run: indexing waits for them."""
OLDEST_MS = DAY_MS
"""Older messages are left to the rules: enabling this does not cost the whole past."""
_NEW: LiteralString = f"""
    SELECT t.number, {MESSAGE_COLUMNS} FROM (
        SELECT * FROM messages INDEXED BY messages_by_time WHERE
"""  # noqa: S608  # literals
_NEXT: LiteralString = """
    AND number > ? AND created_at >= ? ORDER BY number LIMIT ?) t
    JOIN sessions s ON s.id = t.session_id ORDER BY t.number
"""


class _Read(msgspec.Struct, frozen=True):
    """A message, who hears it, and how a model reads it."""

    message: StatedMessage
    turn: ConversationTurn
    group: VisibilityGroup
    shown: ReadMessage


class _Call(msgspec.Struct, frozen=True):
    """The messages of one call, of one audience, and the number of the last one that is done."""

    messages: list[_Read]
    last: int


class ModelFacts:
    """Lets a model find facts in new messages.

    Args:
        records: ``records.db``.
        people: The owner of the agent, and the accounts that are one person.
        clock: Tells the time.
        model: Who is asked.
        scope: The owner of the messages.
    """

    def __init__(
        self, records: Database, people: People, clock: Clock, model: LanguageModel, scope: Scope
    ) -> None:
        self._records = records
        self._people = people
        self._clock = clock
        self._model = model
        self._scope = scope
        self._made_by = f"{model.name}/{INSTRUCTIONS_VERSION}"
        self._key = f"{CURSOR}:{scope.tenant}:{scope.agent or ''}:{self._made_by}"

    def run(self, stopping: Callable[[], bool] = never) -> int:
        """Read the new messages of the last day; return how many facts were added.

        A model that does not answer is asked again in the next run; an unusable answer leaves the
        messages to the rules for good.
        """
        added = 0
        for call in self._records.read(self._due):
            if stopping():
                break
            try:
                quotes = self._found(call)
            except ProviderError:
                break
            added += self._records.write(partial(self._store, call=call, quotes=quotes))
        return added

    def _found(self, call: _Call) -> list[QuotedFact]:
        """Return the answer of the model; nothing where it is unusable.

        Raises:
            ProviderError: it did not answer.
        """
        if not call.messages:
            return []
        try:
            return complete_as(
                self._model, facts_prompt([each.shown for each in call.messages]), QuotedFacts
            ).value.facts
        except (AnswerUnusable, ProviderRejected):
            return []

    def _due(self, tx: Transaction) -> list[_Call]:
        """Return the next calls; the messages in their order, so that none is left out."""
        after = int(find_value(tx, self._key) or 0)
        since = self._clock.now_ms() - OLDEST_MS
        owner = self._people.at(tx, self._scope.tenant)
        calls: list[_Call] = []
        for number, (message, turn) in _new_messages(
            tx, self._scope, after, since, READ_AT_ONCE * MOST_CALLS
        ):
            lines = tuple(own_words(message.text[:MOST_CHARS], message.role))
            read_message = ReadMessage(role=message.role, text=message.text, lines=lines)
            group = group_of_turn(turn, owner)
            is_read = bool(lines) and says_itself(message, turn) and TAG not in message.text
            last = calls[-1].messages if calls else []
            is_next = len(last) == READ_AT_ONCE or (last and last[0].group != group)
            if not calls or (is_read and is_next):
                calls.append(_Call([], number))
            if is_read:
                calls[-1].messages.append(_Read(message, turn, group, read_message))
            calls[-1] = msgspec.structs.replace(calls[-1], last=number)
        return calls[:MOST_CALLS]

    def _store(self, tx: Transaction, call: _Call, quotes: Sequence[QuotedFact]) -> int:
        """Store the facts of an answer, and that their messages are read."""
        set_value(tx, self._key, str(call.last))
        statings = only_kept(tx, list(self._statings(call, quotes)))
        drafts = [
            msgspec.structs.replace(draft, made_by=self._made_by) for draft in fact_drafts(statings)
        ]
        owner = self._people.at(tx, self._scope.tenant)
        results = store(tx, drafts, owner, self._clock.now_ms(), is_buried)
        return sum(1 for each in results if each is not None and each.status != "known")

    def _statings(self, call: _Call, quotes: Sequence[QuotedFact]) -> Iterator[Stating]:
        """Yield what is quoted right, and stated by no rule."""
        for fact in quotes:
            if not 1 <= fact.number <= len(call.messages):
                continue
            entry = call.messages[fact.number - 1]
            statement = quoted_statement(fact, entry.shown)
            by_rule = detect(entry.message.text, entry.message.role)
            if statement is not None and not any(_overlap(statement, each) for each in by_rule):
                yield Stating(
                    message=entry.message, turn=entry.turn, group=entry.group, statement=statement
                )


def _overlap(one: Statement, other: Statement) -> bool:
    return one.start < other.end and other.start < one.end


def _new_messages(
    tx: Transaction, scope: Scope, after: int, since: int, most: int
) -> list[tuple[int, Placed]]:
    """Return the messages of a scope with a number above one, each with its number.

    Args:
        tx: A transaction.
        scope: Their owner.
        after: The number.
        since: Only what was said from then on, ms UTC.
        most: How many at most.
    """
    where = Condition(scope, "session_id")
    rows = tx.all(_NEW + where.sql + _NEXT, (*where.params, after, since, most))
    numbers = [integer(row[0]) for row in rows]
    return list(zip(numbers, placed_messages([row[1:] for row in rows]), strict=True))
