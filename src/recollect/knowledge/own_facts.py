"""What guests have remembered and forgotten of themselves alone.

A fact is a guest's own if they are its source and its subject: their words, about themselves. What
the owner or an agent recorded of them is not, nor is what others of a group said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from recollect.audience.owner import Owner
from recollect.audience.visibility import group_of_turn, speaker_of
from recollect.core.errors import Conflict, Denied
from recollect.knowledge.fact import RULE, Fact, FactPlace, Remembered
from recollect.knowledge.facts import named_facts, the_only
from recollect.knowledge.remembering import (
    FactMaker,
    FactParts,
    GivenFact,
    checked_text,
    statement_of,
)
from recollect.knowledge.rows import change_fact, made_way
from recollect.knowledge.storing import reopen
from recollect.store.engine import Transaction

_HINT = "give the number that it was remembered with, or all of its words"


class OwnFacts:
    """Remembers and forgets the own facts of guests.

    Args:
        parts: The records, and their owner.
    """

    def __init__(self, parts: FactParts) -> None:
        self._parts = parts
        self._maker = FactMaker(parts)

    def remember(self, text: str, origin: FactPlace) -> Remembered:
        """Remember what a guest says of themselves; no fact that is not their own changes.

        Args:
            text: One short statement.
            origin: Where they say it, with their account.

        Raises:
            InvalidInput: the text is empty or too long.
            Denied: it is about somebody or something else, or who speaks is not known.
        """
        words = self._maker.redacted(checked_text(text), origin.session_id)
        statement = statement_of(words)
        if statement is not None and statement.subject != "speaker":
            raise Denied("only what is about you can be remembered", hint="write it as yours: I …")
        request = GivenFact(
            text=words,
            statement=statement,
            # What a guest asks for is a wish: only the owner gives the agent rules.
            kind="preference" if statement is not None and statement.kind == RULE else None,
            importance=None,
            confidence=None,
            about="me",
            project=None,
            trust=None,
        )

        def unit(tx: Transaction) -> Remembered:
            return self._maker.store(request, origin, tx, self._test_of(tx, origin))

        remembered = self._parts.database.write(unit)
        self._parts.arrived()
        return remembered

    def forget(self, name_or_words: str, origin: FactPlace) -> Fact:
        """Take an own fact of a guest out of search, lists and prompts.

        Args:
            name_or_words: ``f12``, a UUID, or all of its words.
            origin: Where they say it, with their account.

        Raises:
            NotFound: they have no such fact.
            Conflict: several have these words; or another's fact made way for it.
            Denied: who speaks is not known.
        """
        parts, at = self._parts, self._parts.clock.now_ms()

        def unit(tx: Transaction) -> Fact:
            is_own = self._test_of(tx, origin)
            matches = named_facts(tx, parts.scope, name_or_words)
            fact = the_only([each for each in matches if is_own(each)], name_or_words, _HINT)
            if fact.status == "forgotten":
                return fact
            if not all(map(is_own, made_way(tx, fact.tenant, [fact.id]))):
                raise Conflict("another fact made way for it", hint="ask the owner to forget it")
            changed = change_fact(tx, fact, "forgotten", at, status="forgotten")
            reopen(tx, [changed], at)
            return changed

        forgotten = parts.database.write(unit)
        parts.arrived()
        return forgotten

    def _test_of(self, tx: Transaction, origin: FactPlace) -> Callable[[Fact], bool]:
        owner = self._parts.people.at(tx, self._parts.scope.tenant)
        group = group_of_turn(origin.turn, owner)
        who = speaker_of(origin.turn, group, owner)
        if who is None:
            raise Denied("who speaks is not known", hint="let the channel name the sender")
        return partial(_is_own, owner=owner, whose=(group, who))


def _is_own(fact: Fact, owner: Owner, whose: object) -> bool:
    group = group_of_turn(fact.turn, owner)
    is_theirs = fact.trust == "group" and (fact.subject, fact.name) == ("speaker", None)
    return is_theirs and (group, speaker_of(fact.turn, group, owner)) == whose
