"""`Facts`: what is remembered of people and projects; `memory.facts` is one of these.

Each use case is one durable transaction under the scope of the object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from recollect.audience.visibility import Asker
from recollect.core.checks import check_count, check_share, checked
from recollect.core.clock import check_time
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.numbers import parse_record, show_number
from recollect.core.scope import Scope
from recollect.knowledge.fact import (
    BY_HAND,
    TRUE_THEN,
    Fact,
    FactAction,
    FactChange,
    FactStatus,
    FactTrust,
    Remembered,
    check_kind,
)
from recollect.knowledge.fact_links import line_of, replace_by_hand, undo_links
from recollect.knowledge.fading import archive_faded
from recollect.knowledge.remembering import (
    About,
    FactMaker,
    FactParts,
    GivenFact,
    checked_importance,
    checked_text,
    has_only_value,
    kind_of,
    slot_values,
    statement_of,
)
from recollect.knowledge.rows import (
    NO_SUCH,
    change_fact,
    facts_by_id,
    find_fact,
    history_of,
    of_facts,
    only_heard,
    same_words,
    select_facts,
)
from recollect.knowledge.storing import close_older, reopen
from recollect.store.engine import Transaction

_PAGE = 200

ListOfFacts: TypeAlias = "list[Fact]"


@checked
class Facts:
    """Remembers facts, and reads them back.

    Args:
        parts: The records, and their owner.
    """

    def __init__(self, parts: FactParts) -> None:
        self._parts = parts
        self._maker = FactMaker(parts)
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
        trust: FactTrust | None = None,
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
            trust: Whose words it is. What an agent says of a person goes to review, unless that
                person said the same words in that session.
            for_session: On behalf of this session: its audience hears the fact.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            InvalidInput: the text is empty or too long, or an argument is out of range.
            NotFound: the scope has no such session, or no such message.
            Denied: the person is another than the scope, or the session, allows.
        """
        kind, importance = kind_of(kind, category), checked_importance(importance)
        line, asker = checked_text(text), Asker(for_session, for_sender)
        origin = self._parts.database.read(partial(self._maker.place, user_id, source, asker))
        words = self._maker.redacted(line, origin.session_id)
        request = GivenFact(
            text=words,
            statement=statement_of(words),
            kind=kind,
            importance=importance,
            confidence=None if confidence is None else check_share(confidence, "confidence"),
            about=about,
            project=self._parts.project_of(project),
            trust=trust,
        )
        remembered = self._parts.database.write(partial(self._maker.store, request, origin))
        self._parts.arrived()
        return remembered

    def list(
        self,
        user_id: str | None = None,
        project: str | None = None,
        kind: str | None = None,
        *,
        status: FactStatus = "current",
        until: int | datetime | None = None,
        as_of: int | datetime | None = None,
        limit: int = 100,
        for_session: str | None = None,
        for_sender: str | None = None,
    ) -> ListOfFacts:
        """Return facts, the newest first.

        Args:
            user_id: Only those of this person.
            project: Only those of this project: a path of it.
            kind: Only this kind.
            status: ``current``, ``replaced``, ``forgotten``, ``archived`` or ``review``.
            until: Only those recorded before this time, ms UTC or datetime.
            as_of: Instead of the current ones those that were true at this time, likewise.
            limit: How many at most.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            InvalidInput: the kind is unknown, a number out of range, or another status is asked for
                with a time.
            NotFound: the scope has no session ``for_session``.
        """
        check_count(limit, "a limit", 1)
        at = None if as_of is None else check_time(as_of)
        if at is not None and status != "current":
            raise InvalidInput("what was true then had no other status", hint="leave status out")
        where = of_facts(self._maker.of_user(user_id)).of_project(project)
        where.among("status", (status,) if at is None else TRUE_THEN)
        if kind is not None:
            where.also("kind = ?", check_kind(kind))
        if until is not None:
            where.also("created_at < ?", check_time(until))
        asker = Asker(for_session, for_sender)

        def read(tx: Transaction) -> ListOfFacts:
            audience = self._parts.audience(tx, asker)
            if audience.group is None and at is None:
                return select_facts(tx, where, limit)
            facts: ListOfFacts = []
            after, is_last = 0, False
            while len(facts) < limit and not is_last:
                page = select_facts(tx, where, _PAGE, offset=after)
                facts += [
                    each for each in only_heard(audience, page) if at is None or each.was_valid(at)
                ]
                after, is_last = after + _PAGE, len(page) < _PAGE
            return facts[:limit]

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

    def said(
        self, name_or_words: str, *, for_session: str | None = None, for_sender: str | None = None
    ) -> Fact:
        """Return the fact with a number, an id, or with some words, all of them.

        Args:
            name_or_words: ``f12``, a UUID, or what it says.
            for_session: On behalf of this session: what it may not hear does not exist.
            for_sender: Whom that session answers, as for `Memory.search`.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
            Conflict: several facts have these words.
        """
        asker = Asker(for_session, for_sender)

        def read(tx: Transaction) -> Fact:
            own = named_facts(tx, self.scope, name_or_words)
            return the_only(only_heard(self._parts.audience(tx, asker), own), name_or_words)

        return self._parts.database.read(read)

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
        return self._parts.database.read(lambda tx: history_of(tx, self._existing(tx, id, asker)))

    def line(
        self, id: str, *, for_session: str | None = None, for_sender: str | None = None
    ) -> ListOfFacts:
        """Return a fact with those that it replaced and those that replaced it, one by one.

        Args:
            id: Its UUID, or its number as ``f12``.
            for_session: On behalf of this session: what it may not hear does not exist.
            for_sender: Whom that session answers, as for `Memory.search`.

        Returns:
            By the time from which they are true; the fact alone where it replaced nothing.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        asker = Asker(for_session, for_sender)

        def read(tx: Transaction) -> ListOfFacts:
            own = line_of(tx, self._existing(tx, id, asker), self.scope)
            return only_heard(self._parts.audience(tx, asker), own)

        return self._parts.database.read(read)

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
        words = self._maker.redacted(checked_text(text), fact.session_id)
        changes = slot_values(statement_of(words)) | {
            "text": words,
            "confidence": 1.0,
            "made_by": BY_HAND,
        }
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

        One in review is confirmed: it is the owner's from then on. One that was replaced is
        current again, whatever messages say.

        Args:
            id: Its UUID, or its number as ``f12``.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
            Conflict: there is nothing to undo.
        """
        return self._change(id, for_session, "restored", _undone)

    def replace(self, id: str, by: str, *, for_session: str | None = None) -> Fact:
        """Let a fact make way for another, by hand; `restore` undoes it, for good.

        The old one was true until the new one is. Where messages say both, searches answer with
        the words of the new one first, as where the change was found in them.

        Args:
            id: What is not true any more: its UUID, or its number as ``f12``.
            by: What is true instead, likewise.
            for_session: On behalf of this session: what it may not hear does not exist.

        Returns:
            The old one as it is now.

        Raises:
            NotFound: the scope has no such facts, or no session ``for_session``.
            InvalidInput: they are the same, or heard by different people; or the new one does not
                count, is true from an earlier time, or was replaced by the old one.
        """
        at, asker = self._parts.clock.now_ms(), Asker(for_session)

        def unit(tx: Transaction) -> Fact:
            older, newer = (self._existing(tx, name, asker) for name in (id, by))
            if older.replaced_by == newer.id:
                return older
            owner = self._parts.people.at(tx, self.scope.tenant)
            return replace_by_hand(tx, older, newer, owner, at)

        changed = self._parts.database.write(unit)
        self._parts.arrived()
        return changed

    def pin(self, id: str, *, pinned: bool = True, for_session: str | None = None) -> Fact:
        """Keep a fact from ever being archived; ``pinned=False`` takes that back.

        Args:
            id: Its UUID, or its number as ``f12``.
            pinned: Whether it is pinned.
            for_session: On behalf of this session: what it may not hear does not exist.

        Raises:
            NotFound: the scope has none, or no session ``for_session``.
        """
        action: FactAction = "pinned" if pinned else "unpinned"
        return self._change(id, for_session, action, lambda _, __: {"is_pinned": pinned})

    def fade(self, *, dry_run: bool = False) -> ListOfFacts:
        """Archive the facts that were not asked for in a long time; return them as they were.

        A program that stays does it daily. How often it is done changes nothing, see the setting
        ``knowledge.decay``; `restore` brings one back.

        Args:
            dry_run: Only return what would be archived.

        Raises:
            StoreError: the records refused; what was archived so far is.
        """
        parts = self._parts
        facts = archive_faded(
            parts.database, self.scope, parts.clock.now_ms(), parts.decay, dry_run=dry_run
        )
        if facts and not dry_run:
            parts.arrived()
        return facts

    def _change(
        self,
        id: str,
        for_session: str | None,
        action: FactAction,
        changes: Callable[[Transaction, Fact], dict[str, Any]],
    ) -> Fact:
        """Change a fact if that makes a difference; return it."""
        at, asker = self._parts.clock.now_ms(), Asker(for_session)

        def unit(tx: Transaction) -> Fact:
            fact = self._existing(tx, id, asker)
            state = changes(tx, fact)
            if all(getattr(fact, name) == value for name, value in state.items()):
                return fact
            if action == "restored":
                state["accessed_at"] = at  # else it would fade again at once
            changed = change_fact(tx, fact, action, at, **state)
            if fact.status == "replaced" and changed.status == "current":
                undo_links(tx, fact)
            if action == "forgotten":
                reopen(tx, [changed], at)
            elif action == "restored" and has_only_value(statement_of(changed.text)):
                close_older(tx, changed, self._parts.people.at(tx, self.scope.tenant), at)
            return changed

        changed = self._parts.database.write(unit)
        self._parts.arrived()
        return changed

    def _existing(self, tx: Transaction, id: str, asker: Asker) -> Fact:
        audience = self._parts.audience(tx, asker)
        fact = find_fact(tx, self.scope, id)
        for each in only_heard(audience, [] if fact is None else [fact]):
            return each
        raise NotFound("the fact does not exist", hint=NO_SUCH)


def named_facts(tx: Transaction, scope: Scope, name_or_words: str) -> list[Fact]:
    """Return the facts with a number, an id, or with some words, all of them."""
    if parse_record(name_or_words) is not None:
        fact = find_fact(tx, scope, name_or_words)
        return [] if fact is None else [fact]
    same = same_words(tx, scope.tenant, name_or_words)
    return facts_by_id(tx, scope, [f.id for f in same if f.status != "forgotten"])


def the_only(facts: Sequence[Fact], name_or_words: str, hint: str = NO_SUCH) -> Fact:
    """Return the fact of a list; ``hint`` says what to do where there is none.

    Raises:
        NotFound: there is none.
        Conflict: there are several.
    """
    if len(facts) > 1:
        numbers = ", ".join(show_number("fact", each.number) for each in facts)
        raise Conflict("several facts have these words", hint=f"name one of {numbers}")
    if not facts:
        is_named = parse_record(name_or_words) is not None
        raise NotFound(
            "the fact does not exist" if is_named else "no fact has these words", hint=hint
        )
    return facts[0]


def _undone(tx: Transaction, fact: Fact) -> dict[str, Any]:
    """Return the changes that undo the last one of a fact."""
    if fact.status == "review":
        return {"status": "current", "trust": "owner"}
    history = history_of(tx, fact)
    if fact.status != "current":
        # What was never confirmed waits again: to forget it and bring it back confirms nothing.
        was_current = any(each.status == "current" for each in history)
        status = "current" if was_current else "review"
        return {"status": status, "replaced_by": None, "valid_to": None}
    if history[-1].action != "corrected":
        raise Conflict("there is nothing to undo", hint="see `recollect facts history`")
    before = history[-2]
    values = slot_values(statement_of(before.text))
    return values | {"text": before.text, "confidence": before.confidence}
