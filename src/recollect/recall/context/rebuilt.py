"""Lines of records as they would be in a block now: no text of what was injected is stored.

A record that was forgotten, that a rewind hides, or that the asker may not hear, has no line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import LiteralString, Protocol, TypeAlias

from recollect.audience.visibility import Audience
from recollect.core.clock import to_iso
from recollect.core.errors import NotFound, RecollectError
from recollect.core.numbers import show_number
from recollect.core.scope import Scope
from recollect.knowledge.fact import Fact
from recollect.knowledge.rows import facts_by_id
from recollect.knowledge.rows import only_heard as heard_facts
from recollect.observations.observation import Observation
from recollect.observations.rows import select_observations
from recollect.observations.summary import clipped
from recollect.recall.context.block import ContextItem, Kind
from recollect.recall.context.candidates import line_of
from recollect.recall.context.facts import fact_candidate
from recollect.recall.context.order import LONGEST_LINE
from recollect.recall.context.past_sessions import state_candidate, summary_lines
from recollect.recall.steps.details import find_record, kind_named
from recollect.recall.steps.lines import LineRow, select_rows
from recollect.sessions.context.episode import Episode, of_episodes, select_episodes
from recollect.sessions.context.working_memory import read_state
from recollect.sessions.policy.turns import heard_turns
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import DELETED, find_session
from recollect.store.columns import Condition, listed
from recollect.store.engine import Transaction
from recollect.workspace.reading import ReadResult

_AMONG: LiteralString = "id IN (SELECT value FROM json_each(?))"
_LINES = re.compile(r"(.+)#L(\d+)(?:-L(\d+))?")
"""As `cite_lines` writes it."""
_KINDS: Mapping[type, Kind] = {
    Observation: "observation",
    Message: "message",
    Episode: "episode",
    Fact: "fact",
}
_Texts: TypeAlias = Iterator[tuple[str, str]]


class ReadLines(Protocol):
    """Reads lines of a memory file, as `Memory.read` does."""

    def __call__(
        self, path: str, from_line: int, lines: int, *, for_session: str | None
    ) -> ReadResult:
        """Return the lines."""


def rebuilt_texts(
    tx: Transaction, scope: Scope, audience: Audience, items: Sequence[ContextItem]
) -> dict[str, str]:
    """Return the lines of records as they would be in a block now, by id; not those of files.

    Args:
        tx: A transaction.
        scope: The owner of the records.
        audience: Who asks: what is not heard is left out.
        items: Which records.
    """

    def of(kind: Kind) -> list[str]:
        return [item.id for item in items if item.kind == kind]

    return dict(
        (
            *_observations(tx, scope, audience, of("observation")),
            *_messages(tx, scope, audience, of("message")),
            *_facts(tx, scope, audience, of("fact")),
            *_episodes(tx, scope, audience, of("episode")),
            *_states(tx, scope, audience, of("state")),
        )
    )


def _observations(tx: Transaction, scope: Scope, audience: Audience, ids: Sequence[str]) -> _Texts:
    visible_ids = _shown(tx, scope, audience, "observation", ids)
    where = Condition(scope, "session_id").also("is_forgotten = ?", 0)
    for each in select_observations(tx, where, "id", -1, ids=list(visible_ids)):
        line = line_of(each)
        if line is not None:
            yield each.id, line


def _messages(tx: Transaction, scope: Scope, audience: Audience, ids: Sequence[str]) -> _Texts:
    for id_, row in _shown(tx, scope, audience, "message", ids).items():
        name = f"{show_number('message', row.number)} {to_iso(row.at)[:10]}"
        yield id_, clipped(f"[{name}] {row.type}: {row.head}", LONGEST_LINE)


def _shown(
    tx: Transaction, scope: Scope, audience: Audience, kind: str, ids: Sequence[str]
) -> dict[str, LineRow]:
    rows = select_rows(tx, kind, Condition(scope, "session_id"), ids) if ids else []
    return {row.id: row for row, turn in rows if audience.hears_record(kind, turn)}


def _facts(tx: Transaction, scope: Scope, audience: Audience, ids: Sequence[str]) -> _Texts:
    for fact in heard_facts(audience, facts_by_id(tx, scope, ids)):
        if fact.status != "forgotten":
            yield fact.id, fact_candidate(fact).lines[0]


def _episodes(tx: Transaction, scope: Scope, audience: Audience, ids: Sequence[str]) -> _Texts:
    where = of_episodes(scope).also(_AMONG, listed(ids))
    for each in select_episodes(tx, where, audience) if ids else ():
        words = " ".join(summary_lines(each.summary)) or each.text
        label = f"[{show_number('episode', each.number)} {to_iso(each.ended_at)[:10]}]"
        yield each.id, clipped(f"{label} {words}", LONGEST_LINE)


def _states(tx: Transaction, scope: Scope, audience: Audience, ids: Sequence[str]) -> _Texts:
    for id_ in ids:
        session = find_session(tx, scope, id_)
        if session is None or session.status == DELETED:
            continue
        state = read_state(tx, session, heard_turns(tx, session, audience))
        if state is not None and state.open_steps:
            yield id_, state_candidate(state).lines[0]


def text_of_file(read_lines: ReadLines, citation: str, for_session: str | None) -> str | None:
    """Return lines of a memory file as a line of a block; None where they are not there any more.

    Args:
        read_lines: Reads them.
        citation: Path and lines, see `cite_lines`.
        for_session: On behalf of this session.
    """
    match = _LINES.fullmatch(citation)
    if match is None:
        return None
    first = int(match[2])
    lines = int(match[3] or first) - first + 1
    with suppress(RecollectError):
        text = read_lines(match[1], first, lines, for_session=for_session).text
        return clipped(f"[{citation}] {text}", LONGEST_LINE) if text.strip() else None
    return None


def named_item(
    tx: Transaction, scope: Scope, audience: Audience, name: str
) -> tuple[Kind, str, int | None]:
    """Return the kind, the id and the number of what may be a line of a block.

    Args:
        tx: A transaction.
        scope: The owner of the records.
        audience: Who asks.
        name: A number or an id; of lines of a memory file path and numbers; of what is open in a
            session, its id.

    Raises:
        NotFound: there is none, or none that is heard.
        InvalidInput: it is not the form of a name.
    """
    name = name.strip()
    if _LINES.fullmatch(name):
        return "file", name, None
    session = find_session(tx, scope, name)
    if session is not None and audience.hears(session):
        return "state", session.id, None
    record = find_record(tx, scope, audience, name, kind_named(name))
    if record is None:
        raise NotFound("the record does not exist", hint="take the id of a line of a context block")
    return _KINDS[type(record)], record.id, record.number
