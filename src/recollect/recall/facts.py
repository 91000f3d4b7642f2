"""The facts of a memory: where they were said, and how they are searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial

import msgspec

from recollect.audience.owner import Owner
from recollect.audience.visibility import Asker, Audience, group_of_turn
from recollect.core.checks import check_count, checked
from recollect.core.clock import DAY_MS, check_time
from recollect.core.errors import NotFound, StoreReadOnly
from recollect.core.scope import ConversationTurn, Scope
from recollect.index.model.document import FACTS
from recollect.index.query.hit import FactMark, Hit, SearchResult
from recollect.index.query.search_service import SearchOptions
from recollect.knowledge.fact import Fact, FactPlace
from recollect.knowledge.facts import Facts
from recollect.knowledge.remembering import FactParts
from recollect.knowledge.rows import facts_by_id, note_access, of_messages, only_heard
from recollect.knowledge.wording import says
from recollect.recall.retrieval.replaced_facts import with_asked_first
from recollect.sessions.policy.turns import asked_sender
from recollect.sessions.record.session import Session, require_session
from recollect.sessions.record.transcript_rows import named_message
from recollect.store.engine import Transaction

_LAST = 200
"""Messages of a session in which its people may have said something."""
_OVER = 3
"""The factor by which more hits are asked for, since some are no longer true."""

Search = Callable[..., SearchResult]
"""`Memory.search`."""


class SessionPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Knows where facts are said, from the sessions of a scope; see `Places`.

    Attributes:
        scope: That of the facts.
        owner: The owner of the agent, and the accounts that are one person.
    """

    scope: Scope
    owner: Owner

    def of_asker(self, tx: Transaction, asker: Asker) -> FactPlace:
        """Return the turn that a session answers.

        Raises:
            NotFound: the scope has no such session.
        """
        session = require_session(tx, self.scope, asker.session_id or "")
        sender = asked_sender(tx, session, asker.sender)
        return FactPlace(
            turn=_turn(session, sender), project=session.project, session_id=session.id
        )

    def of_message(self, tx: Transaction, name: str, audience: Audience) -> FactPlace:
        """Return where a message was said.

        Raises:
            NotFound: the scope has no such message, or it is not heard.
        """
        message = named_message(tx, self.scope, name)
        if message is not None:
            session = require_session(tx, self.scope, message.session_id)
            if audience.hears(session, message.turn_sender):
                return FactPlace(
                    turn=_turn(session, message.turn_sender),
                    project=session.project,
                    session_id=session.id,
                    message_id=message.id,
                )
        raise NotFound("the message does not exist", hint="give a message such as m88")

    def was_said(self, tx: Transaction, origin: FactPlace, text: str) -> bool:
        """Return whether people of the same audience said a text in the last 200 turns there.

        What they quoted, pasted or showed, and the results of tools, does not count.
        """
        if origin.session_id is None:
            return False
        from recollect.recall.statements.messages import last_said, says_itself
        from recollect.text.statements.detector import own_words

        group = group_of_turn(origin.turn, self.owner)
        return any(
            says(message.text, text)
            and says_itself(message, turn)
            and group_of_turn(turn, self.owner) == group
            and says("\n".join(line for _, line in own_words(message.text)), text)
            for message, turn in last_said(tx, origin.session_id, _LAST)
        )


def _turn(session: Session, sender: str | None) -> ConversationTurn:
    s = session
    return ConversationTurn(s.agent, s.user, s.channel, s.account, s.chat_type, s.peer, sender)


class FoundFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that a question found.

    Attributes:
        fact: The fact.
        score: Share of the best possible score, 0 to 1.
    """

    fact: Fact
    score: float


@checked
class FactRecall(Facts):
    """The facts of a memory, which can be searched.

    Args:
        parts: The records, and their owner.
        search: Finds them in the index.
    """

    def __init__(self, parts: FactParts, search: Search) -> None:
        super().__init__(parts)
        self._search = search

    def search(
        self,
        user_id: str | None,
        query: str,
        limit: int = 10,
        as_of: int | datetime | None = None,
        *,
        project: str | None = None,
        for_session: str | None = None,
        for_sender: str | None = None,
        is_access: bool = True,
    ) -> tuple[FoundFact, ...]:
        """Return the facts that fit a question, the best first.

        Args:
            user_id: Only those of this person; None for all that the scope has.
            query: A question or words.
            limit: How many at most.
            as_of: What was true at this time, ms UTC or datetime, instead of what is.
            project: Only those of this project: a path of it.
            for_session: On behalf of this session: only what it may hear.
            for_sender: Whom that session answers, as for `Memory.search`.
            is_access: Whether they count as asked for, so that they do not fade.

        Raises:
            InvalidInput: an argument is out of range.
            NotFound: the scope has no session ``for_session``.
        """
        check_count(limit, "a limit", 1)
        at = None if as_of is None else check_time(as_of)
        scope = self._maker.of_user(user_id)
        if project is not None:
            scope = msgspec.structs.replace(scope, project=project)
        result = self._search(
            query,
            min(_OVER * limit, 1_000),
            sources=[FACTS],
            scope=scope,
            for_session=for_session,
            for_sender=for_sender,
        )
        scores = {hit.ref: hit.score for hit in result.hits}
        asker = Asker(for_session, for_sender)

        def read(tx: Transaction) -> dict[str, Fact]:
            candidates = facts_by_id(tx, scope, list(scores))
            facts = only_heard(self._parts.audience(tx, asker), candidates)
            return {each.id: each for each in facts if _is_wanted(each, at)}

        facts = self._parts.database.read(read) if scores else {}
        matches = [FoundFact(fact=facts[ref], score=scores[ref]) for ref in scores if ref in facts]
        if is_access:
            self.note_access([each.fact for each in matches[:limit]])
        return tuple(matches[:limit])

    def note_access(self, facts: Sequence[Fact]) -> None:
        """Count facts as asked for now, each once a day, so that they do not fade.

        Args:
            facts: Which. `search` does it by itself.
        """
        now = self._parts.clock.now_ms()  # a search does not wait for a commit each time
        ids = [each.id for each in facts if each.accessed_at + DAY_MS <= now]
        if ids:
            with suppress(StoreReadOnly):
                self._parts.database.write(partial(note_access, ids=ids, at=now))


def _is_wanted(fact: Fact, at: int | None) -> bool:
    return fact.status == "current" if at is None else fact.was_valid(at)


def with_facts(
    tx: Transaction, scope: Scope, audience: Audience, result: SearchResult, options: SearchOptions
) -> SearchResult:
    """Return a result whose hits are marked with the facts that they are, or state, if heard."""
    result = with_asked_first(tx, scope, audience, result, options)
    message_ids = [hit.ref for hit in result.hits if hit.seq is not None]
    fact_ids = [hit.ref for hit in result.hits if hit.source == FACTS]
    facts = of_messages(tx, scope.tenant, message_ids) if message_ids else []
    facts += facts_by_id(tx, scope, fact_ids) if fact_ids else []
    if not facts:
        return result
    names = {each.replaced_by for each in facts if each.replaced_by is not None}
    newer = {each.id: each for each in facts_by_id(tx, scope, list(names))} if names else {}
    marks: dict[str, FactMark] = {}
    for fact in sorted(only_heard(audience, facts), key=lambda each: -each.importance):
        if fact.is_found:
            for ref in filter(None, (fact.id, fact.message_id)):
                marks.setdefault(ref, _mark(fact, newer))
    hits = [_with_fact(hit, marks[hit.ref]) if hit.ref in marks else hit for hit in result.hits]
    return msgspec.structs.replace(result, hits=hits)


def _with_fact(hit: Hit, mark: FactMark) -> Hit:
    until = mark.valid_until if hit.until is None else hit.until
    return msgspec.structs.replace(hit, fact=mark, until=until)


def _mark(fact: Fact, newer: dict[str, Fact]) -> FactMark:
    follower = newer.get(fact.replaced_by or "")
    return FactMark(
        number=fact.number,
        kind=fact.kind,
        trust=fact.trust,
        valid_until=fact.valid_to,
        replaced_by=None if follower is None else follower.number,
    )
