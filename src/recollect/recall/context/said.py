"""What was said and written that answers a question, for a block: messages, lines of memory files.

Results of tools are left out, and what people pasted or quoted: a block comes by itself. Each line
names the speaker and the number of its message; the best ones are chosen, and come in the order in
which they were said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import LiteralString

from recollect.audience.account import SUBAGENT
from recollect.core.clock import to_iso
from recollect.core.numbers import show_number
from recollect.core.scope import Scope
from recollect.index.query.hit import Hit, SearchResult, cite_lines
from recollect.knowledge.wording import says
from recollect.observations.summary import clipped
from recollect.recall.context.block import BlockRequest, Candidate, Kind, is_loaded
from recollect.recall.context.order import LONGEST_LINE, PLAIN, Order
from recollect.sessions.context.flushed_notes import folder_owners
from recollect.sessions.record.content import only_said
from recollect.sessions.record.message import decode_content
from recollect.sessions.record.session import DELETED, find_session
from recollect.store.columns import integer, text, text_or_none
from recollect.store.engine import Transaction

Search = Callable[..., SearchResult]
"""`Memory.search`."""
_WHOLE, _LONGEST_QUOTE = 8, 90
"""How many of the best are quoted with as much as any line has, and the characters of the others,
their number and speaker among them. Many short quotes have more of the messages that a question for
a course of events is about than a few long ones: docs/experiments.md."""
_TOKENS_OF_A_QUOTE = 25
"""Of a short one: so many more are searched for than a block of long ones holds."""
_FEWEST, _MOST = 20, 200
_SPEAKERS = {"user": "user", "assistant": "agent"}
_MESSAGE: LiteralString = """
    SELECT number, session_id, turn_sender, text, content FROM messages WHERE id = ?
"""


def said_hits(
    search: Search, asking: BlockRequest, scope: Scope, sources: Sequence[str], floor: float | None
) -> list[Hit]:
    """Return the messages and lines of files that answer a question; not its echo.

    Args:
        search: Finds them.
        asking: Whose block it is.
        scope: What the caller may see.
        sources: Kinds of memory, as for `Memory.search`; none: nothing is searched for.
        floor: The least score; that of a search if not given.
    """
    if not sources or asking.query is None:
        return []
    question = asking.query.strip()
    result = search(
        asking.query,
        max(_FEWEST, min(_MOST, asking.room.tokens // _TOKENS_OF_A_QUOTE)),
        floor,
        sources=sources,
        scope=scope,
        for_session=asking.asker.session_id,
        for_sender=asking.asker.sender,
    )
    return [
        hit
        for hit in result.hits
        if (floor is None or hit.score >= floor)
        and hit.snippet.strip() != question
        and not is_loaded(asking.client, hit.path or "")
    ]


def said_here(
    tx: Transaction, order: Order, hits: Iterable[Hit], others: Iterable[Candidate]
) -> Iterator[Candidate]:
    """Yield what was said in the project of a block as candidates; in groups nothing.

    Args:
        tx: The snapshot of the block.
        order: What to look for.
        hits: Of `said_hits`.
        others: The other candidates: what one of them quotes is not said again.
    """
    if order.is_of_many:
        return
    others = list(others)
    quoted = {each.message_id for each in others}
    lines = "\n".join(line for each in others for line in each.lines)
    new = (hit for hit in hits if hit.ref not in quoted and _on_a_line(hit.snippet) not in lines)
    yield from said_candidates(tx, order, new, order.projects or (None,))


def said_candidates(
    tx: Transaction, order: Order, hits: Iterable[Hit], projects: Collection[str | None] = ()
) -> Iterator[Candidate]:
    """Yield hits as candidates, as far as the reader of the block hears them.

    Args:
        tx: The snapshot of the block: what was erased since the search is left out.
        order: Who reads.
        hits: Of `said_hits`.
        projects: Only messages of sessions with one of these; any if none is given.
    """
    from recollect.text.statements.detector import own_text

    @cache
    def is_heard(session_id: str, sender: str | None) -> bool:
        session = find_session(tx, order.scope, session_id)
        return (
            session is not None
            and session.status != DELETED
            and session.metadata.get(SUBAGENT) is None  # its prompts are the agent's words
            and order.audience.hears(session, sender)
            and (not projects or session.project in projects)
        )

    others_notes = [
        folder
        for folder, who in folder_owners(tx, order.scope.tenant).items()
        if not order.audience.hears(who)
    ]
    for rank, hit in enumerate(hits):
        most = LONGEST_LINE if rank < _WHOLE else _LONGEST_QUOTE
        if hit.path is not None:
            if order.audience.sees_file(hit.path) and not _is_below(hit.path, others_notes):
                first = hit.start_line or 1
                citation = cite_lines(hit.path, first, hit.end_line or first)
                yield _said(
                    "file", citation, None, hit, clipped(f"[{citation}] {hit.snippet}", most)
                )
        elif hit.role in _SPEAKERS and (row := tx.row(_MESSAGE, (hit.ref,))) is not None:
            number, session_id, sender, whole, content = row
            own = only_said(text(whole), decode_content(content))
            own = own_text(own) if hit.role == "user" else own
            words = hit.snippet if says(own, hit.snippet) else own.strip()
            if words and is_heard(text(session_id), text_or_none(sender)):
                name = f"{show_number('message', integer(number))} {to_iso(hit.at)[:10]}"
                name += "" if hit.until is None else f", until {to_iso(hit.until)[:10]}"
                name += f", contradicts {', '.join(hit.contradicts)}" if hit.contradicts else ""
                quote = f"[{name}] {hit.name or _SPEAKERS[hit.role]}: {words}"
                yield _said("message", hit.ref, integer(number), hit, clipped(quote, most))


def _on_a_line(text: str) -> str:
    return " ".join(text.split())


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _said(kind: Kind, id_: str, number: int | None, hit: Hit, line: str) -> Candidate:
    return Candidate(
        kind=kind,
        id=id_,
        number=number,
        section="said",
        lines=(line,),
        at=hit.at,
        importance=PLAIN,
        relevance=hit.score,
        worth_as="quote",
    )
