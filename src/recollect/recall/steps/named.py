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
from recollect.sessions.record.lineage import is_shown
from recollect.sessions.record.session import find_session
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
        """Return the result with the record that the question names by number or id as first hit.

        Nothing is changed where the record does not exist, may not be heard, or its kind of
        memory is not asked for.

        Args:
            result: Of the search.
            query: The question; it names a record only if it has no other words.
        """
        record_name, sources = parse_record(query), self.options.sources
        ways = (
            (SESSIONS, "message", self._message),
            (OBSERVATIONS, "observation", self._observation),
            (EPISODES, "episode", self._episode),
            (FACTS, "fact", self._fact),
        )
        lookups = [
            find
            for source, kind, find in ways
            if record_name is not None
            and record_name.kind in {None, kind}
            and (sources is None or source in sources)
        ]

        def unit(tx: Transaction) -> Hit | None:
            audience = self.audience(tx, self.asker)
            return next(filter(None, (find(tx, audience, query.strip()) for find in lookups)), None)

        hit = self.database.read(unit) if lookups else None
        if hit is None:
            return result
        others = [each for each in result.hits if each.ref != hit.ref]
        hits = [hit, *others][: self.options.limit]
        return msgspec.structs.replace(result, hits=hits, confidence=1.0)

    def _message(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        message = named_message(tx, self.scope, name)
        session = None if message is None else find_session(tx, self.scope, message.session_id)
        if message is None or session is None or not is_shown(tx, session, message.seq):
            return None
        if not audience.hears(session, message.turn_sender):
            return None
        citation = f"session:{message.session_id}#{message.seq}"
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
            citation=citation if self.options.citations else None,
        )

    def _observation(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        match = find_observation(tx, self.scope, name)
        for each in as_heard(tx, audience, [] if match is None else [match]):
            lines = (each.title, each.summary, " ".join(each.files), each.error)
            return Hit(
                score=1.0,
                source=OBSERVATIONS,
                ref=each.id,
                snippet="\n".join(dict.fromkeys(line for line in lines if line)),
                why={"named": 1.0},
                at=each.created_at,
                session_id=each.session_id,
                number=each.number,
                citation=f"observation:#{each.number}" if self.options.citations else None,
            )
        return None

    def _fact(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        match = find_fact(tx, self.scope, name)
        for fact in only_heard(audience, [] if match is None else [match]):
            if not fact.is_found:
                continue
            return fact_hit(fact, 1.0, {"named": 1.0}, citations=self.options.citations)
        return None

    def _episode(self, tx: Transaction, audience: Audience, name: str) -> Hit | None:
        with suppress(NotFound):
            match = require_episode(tx, self.scope, name)
            for episode in found_episodes(tx, self.scope, {match.id: match.ended_at}, audience):
                return Hit(
                    score=1.0,
                    source=EPISODES,
                    ref=episode.id,
                    snippet=episode.text,
                    why={"named": 1.0},
                    at=episode.ended_at,
                    session_id=episode.session_id,
                    number=episode.number,
                    citation=f"episode:e{episode.number}" if self.options.citations else None,
                )
        return None
