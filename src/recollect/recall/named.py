"""Questions that name a record, such as ``m88``: that record comes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from recollect.core.errors import NotFound
from recollect.core.scope import Scope
from recollect.index.query.hit import Hit, SearchResult
from recollect.index.query.search_service import SearchOptions
from recollect.recall.transcript_source import SOURCE
from recollect.sessions.record.session import DELETED
from recollect.text.snippet import snippet
from recollect.text.terms import query_terms

if TYPE_CHECKING:  # for a name only
    from recollect.sessions.record.message import Message
    from recollect.sessions.sessions import Sessions


def with_named(
    result: SearchResult,
    query: str,
    scope: Scope,
    options: SearchOptions,
    sessions: Callable[[], Sessions],
) -> SearchResult:
    """Return what was found behind the message that the question names by its number or id.

    Nothing is changed where that message does not exist, may not be heard, or is not asked for.

    Args:
        result: What was found.
        query: The question, all of which is the name of a record.
        scope: What the caller may see.
        options: What is asked for, and on whose behalf.
        sessions: Where messages are.
    """
    if options.sources is not None and SOURCE not in options.sources:
        return result
    seen = sessions().within(scope)
    try:
        message = seen.message(query)
        if not _may_be_heard(seen, message, options):
            return result
    except NotFound:
        return result
    others = [hit for hit in result.hits if hit.ref != message.id]
    hits = [_hit(message, query, options), *others][: options.limit]
    return msgspec.structs.replace(result, hits=hits)


def _may_be_heard(sessions: Sessions, message: Message, options: SearchOptions) -> bool:
    if sessions.get(message.session_id).status == DELETED:
        return False
    audience = options.audience
    return audience is None or sessions.message_group(message).name == audience.visibility_group


def _hit(message: Message, query: str, options: SearchOptions) -> Hit:
    place = f"session:{message.session_id}#{message.seq}"
    return Hit(
        score=1.0,
        source=SOURCE,
        ref=message.id,
        snippet=snippet(message.text, query_terms(query)).text,
        why={"named": 1.0},
        at=message.created_at,
        session_id=message.session_id,
        seq=message.seq,
        number=message.number,
        role=message.role,
        name=message.name,
        citation=place if options.citations else None,
    )
