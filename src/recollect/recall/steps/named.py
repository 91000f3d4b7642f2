"""Questions that name a record, such as ``m88`` or ``#12``: that record comes first."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from recollect.audience.visibility import Asker, Audience, Resolve
from recollect.core.errors import NotFound
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.index.model.document import EPISODES, FACTS, OBSERVATIONS, SESSIONS
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.search_service import SearchOptions
from recollect.knowledge.rows import find_fact, only_heard
from recollect.observations.observations import find_observation
from recollect.observations.rows import as_heard
from recollect.recall.retrieval.replaced_facts import fact_hit
from recollect.sessions.context.episode import found_episodes, require_episode
from recollect.sessions.record.session import DELETED, find_session
from recollect.sessions.record.transcript_rows import named_message
from recollect.store.engine import Database, Transaction
from recollect.text.snippet import snippet
from recollect.text.terms import query_terms


class Named(msgspec.Struct, frozen=True):
    """Looks up the records that a question names, on behalf of an asker.

    Attributes:
        database: ``records.db``.
        scope: What the caller may see.
        options: Of the search.
        asker: On whose behalf.
        audience: Resolves what they hear.
    """

    database: Database
    scope: Scope
    options: SearchOptions
    asker: Asker
    audience: Resolve

    def first(self, result: SearchResult, query: str) -> SearchResult:
        """Return the result with the record first that the question names by its number or id.

        Nothing is changed where the record does not exist, may not be heard, or its kind of
        memory is not asked for.

        Args:
            result: Of the search.
            query: The question, all of which is the name of a record.
        """
        meant, wanted = parse_record(query), self.options.sources
        ways = (
            (SESSIONS, "message", self._message),
            (OBSERVATIONS, "observation", self._observation),
            (EPISODES, "episode", self._episode),
            (FACTS, "fact", self._fact),
        )
        asked = [
            find
            for source, kind, find in ways
            if meant is not None
            and meant.kind in {None, kind}
            and (wanted is None or source in wanted)
        ]

        def unit(tx: Transaction) -> Hit | None:
            audience = self.audience(tx, self.asker)
            return next(filter(None, (find(tx, audience, query.strip()) for find in asked)), None)

        hit = self.database.read(unit) if asked else None
        if hit is None:
            return result
        others = [each for each in result.hits if each.ref != hit.ref]
        hits = [hit, *others][: self.options.limit]
        return msgspec.structs.replace(result, hits=hits, confidence=1.0)

    def _message(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        message = named_message(tx, self.scope, name)
        session = None if message is None else find_session(tx, self.scope, message.session_id)
        if message is None or session is None or session.status == DELETED:
            return None
        if not audience.hears(session, message.turn_sender):
            return None
        place = f"session:{message.session_id}#{message.seq}"
        return Hit(
            score=1.0,
            source=SESSIONS,
            ref=message.id,
            snippet=snippet(message.text, query_terms(name)).text,
            why={"named": 1.0},
            at=message.created_at,
            session_id=message.session_id,
            seq=message.seq,
            number=message.number,
            role=message.role,
            name=message.name,
            citation=place if self.options.citations else None,
        )

    def _observation(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        known = find_observation(tx, self.scope, name)
        for found in as_heard(tx, audience, [] if known is None else [known]):
            said = (found.title, found.summary, " ".join(found.files), found.error)
            return Hit(
                score=1.0,
                source=OBSERVATIONS,
                ref=found.id,
                snippet="\n".join(dict.fromkeys(line for line in said if line)),
                why={"named": 1.0},
                at=found.created_at,
                session_id=found.session_id,
                number=found.number,
                citation=f"observation:#{found.number}" if self.options.citations else None,
            )
        return None

    def _fact(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        known = find_fact(tx, self.scope, name)
        for found in only_heard(audience, [] if known is None else [known]):
            if not found.is_found:
                continue
            return fact_hit(found, 1.0, {"named": 1.0}, citations=self.options.citations)
        return None

    def _episode(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        with suppress(NotFound):
            known = require_episode(tx, self.scope, name)
            for found in found_episodes(tx, self.scope, {known.id: known.ended_at}, audience):
                return Hit(
                    score=1.0,
                    source=EPISODES,
                    ref=found.id,
                    snippet=found.text,
                    why={"named": 1.0},
                    at=found.ended_at,
                    session_id=found.session_id,
                    number=found.number,
                    citation=f"episode:e{found.number}" if self.options.citations else None,
                )
        return None
