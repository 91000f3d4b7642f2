"""Questions that name a record, such as ``m88`` or ``#12``: that record comes first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from recollect.core.errors import NotFound
from recollect.core.numbers import parse_record
from recollect.core.scope import Scope
from recollect.index.model.document import OBSERVATIONS, SESSIONS
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.search_service import SearchOptions
from recollect.recall.audience import Asked, Asking
from recollect.sessions.record.session import DELETED
from recollect.text.snippet import snippet
from recollect.text.terms import query_terms

if TYPE_CHECKING:  # for a name only
    from recollect.observations.observations import Observations


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """Where records that a question names are looked up, and on whose behalf.

    Attributes:
        sessions: Where messages are.
        observations: Where observations are.
        scope: What the caller may see.
        options: What is asked for.
        asking: On whose behalf; None for the operator.
    """

    sessions: Asked
    observations: Callable[[], Observations]
    scope: Scope
    options: SearchOptions
    asking: Asking | None

    def first(self, result: SearchResult, query: str) -> SearchResult:
        """Return what was found behind the record that the question names by its number or id.

        Nothing is changed where the record does not exist, may not be heard, or its kind of
        memory is not asked for.

        Args:
            result: What was found.
            query: The question, all of which is the name of a record.
        """
        meant, wanted = parse_record(query), self.options.sources
        looked_up = (
            (SESSIONS, "message", self._message),
            (OBSERVATIONS, "observation", self._observation),
        )
        for source, kind, find in looked_up:
            if (
                meant is None
                or meant.kind not in {None, kind}
                or (wanted is not None and source not in wanted)
            ):
                continue
            with suppress(NotFound):
                if (hit := find(query)) is not None:
                    others = [each for each in result.hits if each.ref != hit.ref]
                    return msgspec.structs.replace(
                        result, hits=[hit, *others][: self.options.limit], confidence=1.0
                    )
        return result

    def _message(self, query: str) -> Hit | None:
        sessions = self.sessions().within(self.scope)
        message = sessions.message(query)
        if sessions.get(message.session_id).status == DELETED:
            return None
        audience = self.options.audience
        if audience and sessions.message_group(message).name != audience.visibility_group:
            return None
        place = f"session:{message.session_id}#{message.seq}"
        return Hit(
            score=1.0,
            source=SESSIONS,
            ref=message.id,
            snippet=snippet(message.text, query_terms(query)).text,
            why={"named": 1.0},
            at=message.created_at,
            session_id=message.session_id,
            seq=message.seq,
            number=message.number,
            role=message.role,
            name=message.name,
            citation=place if self.options.citations else None,
        )

    def _observation(self, query: str) -> Hit | None:
        asking, observations = self.asking, self.observations().within(self.scope)
        heard = observations.get(
            query.strip(),
            for_session=None if asking is None else asking.session_id,
            for_sender=None if asking is None else asking.sender,
        )
        for found in heard.found:
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
