"""Candidates: what may go into a block, read under the scope and the audience of a session.

Of a record only the name of a tool, files, the outcome, and the user's or the agent's own words may
go into a prompt without a request. Text of a page, a server, a command or a file is shown only on
demand, marked as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import LiteralString

import msgspec

from recollect.audience.visibility import Audience
from recollect.core.clock import to_iso
from recollect.core.numbers import show_number
from recollect.core.scope import Scope
from recollect.observations.evidence import Evidence
from recollect.observations.observation import Observation
from recollect.observations.rows import IS_REPEATED, only_heard, select_observations
from recollect.observations.summary import clipped, describe, shown_path
from recollect.recall.context.block import Candidate, Room, Section
from recollect.sessions.context.episode import Episode, heard_episodes, is_by_rule
from recollect.sessions.context.working_memory import SessionState, read_state
from recollect.sessions.policy.turns import heard_turns
from recollect.sessions.record.session import find_session
from recollect.store.columns import Condition
from recollect.store.engine import Transaction
from recollect.text.injected import tool_label
from recollect.text.summary.extractive import shortened

CHANGES = ("code_change", "git_operation")
"""What the last session did to files."""
_MOST = 200
"""The newest and the most important that are considered: some ten times what a block holds."""
_SUMMARY_SHARE = 0.15
"""What the last session's summary may take of a budget."""
_MOST_STEPS = 8
"""Of a working memory."""
PLAIN = 0.5
"""The importance of texts that no rule has weighed: that of a plain observation."""
_NEWEST: LiteralString = "created_at DESC, number DESC"
_BEST: LiteralString = "importance DESC, created_at DESC, number DESC"


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for.

    Attributes:
        scope: What the caller may see; never wider.
        projects: The paths of the project; empty for what belongs to none.
        audience: Who reads the block.
        types: Of observations.
        lineage: The session and those it was forked from: the last session is another one.
        relevance: How well observations answer the question, by id.
    """

    scope: Scope
    projects: tuple[str, ...]
    audience: Audience
    types: tuple[str, ...]
    lineage: frozenset[str]
    relevance: Mapping[str, float]

    def observed(self) -> Condition:
        """Return the condition of observations of the project that were not forgotten."""
        where = Condition(self.scope, "session_id").also("is_forgotten = ?", 0)
        where.sql += f" AND NOT {IS_REPEATED}"
        if self.projects:
            return where.among("project", self.projects)
        return where.also("project IS NOT DISTINCT FROM ?", None)


def read_candidates(tx: Transaction, order: Order) -> list[Candidate]:
    """Return the candidates of a whole block: by type, the last summary, the last changes."""
    typed = order.observed().among("type", order.types)
    found = select_observations(tx, typed, _NEWEST, _MOST)
    found += select_observations(tx, typed, _BEST, _MOST)
    found += read_relevant(tx, order)
    changed = order.observed().among("type", CHANGES)
    changes = select_observations(tx, changed, _NEWEST, _MOST)
    unique = {each.id: each for each in only_heard(tx, order.audience, found)}
    return [
        *_candidates(unique.values(), "types", order.relevance),
        *_last_summary(tx, order),
        *_last_state(tx, order),
        *_candidates(
            [
                each
                for each in _of_last(only_heard(tx, order.audience, changes), order)
                if each.id not in unique
            ],
            "changes",
            order.relevance,
        ),
    ]


def read_curated(tx: Transaction, order: Order) -> list[Observation]:
    """Return the most important observations of the types, the most important first."""
    typed = order.observed().among("type", order.types)
    return only_heard(tx, order.audience, select_observations(tx, typed, _BEST, _MOST))


def read_relevant(tx: Transaction, order: Order) -> list[Observation]:
    """Return the observations of the project that a search found, and that the reader hears."""
    if not order.relevance:
        return []
    ids = list(order.relevance)
    found = select_observations(tx, order.observed(), _NEWEST, len(ids), ids=ids)
    return only_heard(tx, order.audience, found)


def relevant_candidates(found: Iterable[Observation], order: Order) -> list[Candidate]:
    """Return observations that answer a prompt as candidates."""
    return list(_candidates(found, "types", order.relevance))


def _candidates(
    found: Iterable[Observation], section: Section, relevance: Mapping[str, float]
) -> Iterable[Candidate]:
    for each in found:
        line = line_of(each)
        if line is not None:
            yield Candidate(
                kind="observation",
                id=each.id,
                number=each.number,
                section=section,
                lines=(line,),
                at=each.created_at,
                importance=each.importance,
                relevance=relevance.get(each.id, 0.0),
            )


def _of_last(found: Sequence[Observation], order: Order) -> list[Observation]:
    """Return those of the newest other session that has any."""
    others = [each for each in found if each.session_id not in order.lineage]
    return [each for each in others if each.session_id == others[0].session_id]


def _last_summary(tx: Transaction, order: Order) -> list[Candidate]:
    """Return the summary of the newest session of the same audience; of a group's, nothing.

    In a group the words are of many people: none of them speaks to the agent in the next session.
    It cannot be determined whose words a summary written by a model repeats.
    """
    group = order.audience.group
    if group is not None and not group.is_private:
        return []
    known = heard_episodes(tx, order.scope, order.projects, order.audience, besides=order.lineage)
    for episode in known:
        lines = summary_lines(episode.summary) if is_by_rule(episode) else []
        if lines:
            return [_summary(episode, lines)]
    return []


def _last_state(tx: Transaction, order: Order) -> list[Candidate]:
    """Return what is open in the session, or else in the newest one of the same audience.

    Nothing in a group, as of a summary.
    """
    group = order.audience.group
    if group is not None and not group.is_private:
        return []
    episodes = heard_episodes(tx, order.scope, order.projects, order.audience)
    last = [each.session_id for each in islice(episodes, 1)]
    for session_id in [*order.lineage, *last]:
        session = find_session(tx, order.scope, session_id) if session_id else None
        if session is None:
            continue
        state = read_state(tx, session, heard_turns(tx, session, order.audience))
        if state is not None and state.open_steps:
            return [_state(state)]
    return []


def _state(state: SessionState) -> Candidate:
    task = f" {clipped(state.task, LONGEST_LINE)}" if state.task else ""
    marks = {"in_progress": ">", "pending": " "}
    steps = state.open_steps[:_MOST_STEPS]
    return Candidate(
        kind="state",
        id=state.session_id,
        number=None,
        section="summary",
        lines=(
            f"[open since {to_iso(state.updated_at)[:10]}]{task}",
            *(f"- [{marks[each.status]}] {clipped(each.text, LONGEST_LINE)}" for each in steps),
        ),
        at=state.updated_at,
        importance=1.0,
    )


def _summary(episode: Episode, lines: Sequence[str]) -> Candidate:
    return Candidate(
        kind="episode",
        id=episode.id,
        number=episode.number,
        section="summary",
        lines=(
            f"[{show_number('episode', episode.number)} {to_iso(episode.ended_at)[:10]}]",
            *lines,
        ),
        at=episode.ended_at,
        importance=1.0,
    )


def cut_summary(of: Candidate, room: Room) -> Candidate:
    """Return the summary of the last session cut to its share; other candidates unchanged."""
    if of.section != "summary" or of.kind != "episode":
        return of
    date, *lines = of.lines
    share = int(room.tokens * _SUMMARY_SHARE) or 1
    text = shortened("\n".join(lines), share, room.count)
    return msgspec.structs.replace(of, lines=(date, *text.splitlines()))


LONGEST_LINE = 300
"""In characters: a title, and what the summary adds to it."""
_OUTCOME = re.compile(r" \(failed(?: with exit code \d{1,3})?\)$")
_FOLDED = re.compile(r"[\W_]+")
_RUN, _DENSE_RUN = 24, 10
"""Letters and digits in a row that cannot be there by chance; of scripts without spaces fewer."""
_SHORTEST_RUN = 6
_SPEAKER = re.compile(r"- (?:\[[^\]\n]{1,40}\] )?([^:\n]{1,80}): \S.*")
_OUTSIDERS = ("tool", "system")


def line_of(of: Observation) -> str | None:
    """Return the line of an observation; None where it has no text that can be trusted."""
    said = _said(of)
    return None if said is None else f"[#{of.number} {to_iso(of.created_at)[:10]}] {said}"


def summary_lines(summary: str) -> list[str]:
    """Return the lines of a session's summary that a person or the agent said."""
    found = ((line, _SPEAKER.fullmatch(line)) for line in summary.splitlines())
    return [line for line, said_by in found if said_by and not _is_outsider(said_by[1])]


def _is_outsider(speaker: str) -> bool:
    role = speaker.rpartition("(")[2].removesuffix(")").strip().casefold()
    return role in _OUTSIDERS


def _said(of: Observation) -> str | None:
    if of.trust in {"group", "imported"} or (of.tool_name is None and of.trust in {"web", "tool"}):
        return None if of.tool_name is None else _action(of)
    if of.tool_name is not None and not (_is_by_rule(of) or _is_own(of)):
        return _action(of)
    adds = of.summary and of.title not in of.summary and of.summary not in of.title
    return clipped(f"{of.title} - {of.summary}" if adds else of.title, LONGEST_LINE)


def _action(of: Observation) -> str:
    """Return the action of an observation: tool and files, with no words from its text."""
    about = " ".join([tool_label(of.tool_name or ""), *map(shown_path, of.files[:2])])
    return clipped(about if of.error is None else f"{about} (failed)", LONGEST_LINE)


def _is_by_rule(of: Observation) -> bool:
    """Return whether title and summary were made by rule: rules use nothing of an output."""
    evidence = Evidence(event=of.event, tool_name=of.tool_name, input=of.input)
    made = describe(evidence, of.files, of.trust)
    return made.title == _OUTCOME.sub("", of.title) and of.summary in {made.summary, ""}


def _is_own(of: Observation) -> bool:
    """Return whether a caller's words repeat nothing of the output that is not in the input."""
    if of.output_blob is not None or of.trust == "web":
        return False
    given, came = _folded(of.input), _folded(f"{of.output} {of.error or ''}")
    return not any(run in came and run not in given for run in _runs(f"{of.title} {of.summary}"))


def _runs(text: str) -> set[str]:
    letters = _folded(text)
    size = _RUN if letters.isascii() else _DENSE_RUN
    if len(letters) <= size:
        return {letters} if len(letters) >= _SHORTEST_RUN else set()
    return {letters[start : start + size] for start in range(len(letters) - size + 1)}


def _folded(text: str) -> str:
    return _FOLDED.sub("", text).casefold()
