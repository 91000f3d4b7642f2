"""The sessions before, for a block: what each was about and came to, and what is open.

Only words of people and of the agent, as far as the reader of the block hears them; nothing for a
group, whose words are of many: none of them speaks to the agent in the next session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from recollect.core.clock import to_iso
from recollect.core.numbers import show_number
from recollect.core.scope import Scope
from recollect.knowledge.wording import says
from recollect.observations.summary import clipped
from recollect.recall.context.block import Candidate, Section, Worth
from recollect.recall.context.corrections import Correction, correction_of, holding
from recollect.recall.context.facts import Gone
from recollect.recall.context.order import LONGEST_LINE, PLAIN, Order
from recollect.recall.context.worth import amount, repeats, told_words
from recollect.sessions.context.episode import Episode, heard_episodes, is_by_rule
from recollect.sessions.context.working_memory import SessionState, read_state
from recollect.sessions.policy.turns import heard_turns
from recollect.sessions.record.content import only_said
from recollect.sessions.record.lineage import segments
from recollect.sessions.record.message import Message
from recollect.sessions.record.session import find_session
from recollect.sessions.record.transcript_rows import read_messages
from recollect.store.engine import Transaction
from recollect.text.boundaries import sentence_ends, whole_sentences
from recollect.text.statements.kept import lasts

MOST_SESSIONS = 3
"""Sessions with a line of their own."""
_MOST_LOOKED_AT = 30
"""The last sessions among which those with substance, and what must last, are looked for."""
_MOST_MESSAGES = 40
"""The last ones of a session, among which the agent's report is."""
_MOST_STEPS = 8
"""Of a working memory."""
_MOST_FILES = 4
"""That a line names; the others are counted."""
_FEWEST_WORDS = 3
"""Of a request or a report that says what a session was about."""
_FEWEST_TOLD, _FEWEST_SAID = 14, 8
"""Of a step of a session that changed nothing, and of which no fact is known; and of what a person
said in it without a question."""
_FEWEST_ASKED, _FEWEST_ANSWERED = 5, 8
"""Of a request with its report, and of a report alone: what is less is in passing."""
_LONGEST_REQUEST, _LONGEST_REPORT, _LONGEST_LAST = 240, 200, 360
"""Characters of a request, of a report, and of that of the last session."""
_LONGEST_SESSION, _LONGEST_LAST_SESSION = 420, 720
"""Characters of all of them, and of those of the last session."""
_LONGEST_STEP = 100


def read_sessions(
    tx: Transaction,
    order: Order,
    files: Mapping[str, Sequence[str]],
    facts: Sequence[Candidate],
    obsolete: Gone,
    *,
    corrections: list[Correction],
) -> Iterator[Candidate]:
    """Yield the last sessions that had substance, one line each, what must last, and what is open.

    It cannot be determined whose words a summary written by a model repeats: of those nothing.

    Args:
        tx: The snapshot of the block.
        order: What to look for.
        files: What sessions changed.
        facts: What is known, which a session does not say again.
        obsolete: What holds no longer.
        corrections: Collects what was corrected in these sessions.
    """
    if order.is_of_many:
        return
    news = _News(order, facts, obsolete, corrections)
    episodes = heard_episodes(
        tx, order.scope, order.projects, order.audience, besides=order.lineage
    )
    number = 0
    for episode in islice(episodes, _MOST_LOOKED_AT):
        if not is_by_rule(episode):
            continue
        if number < MOST_SESSIONS:
            corrected = len(news.corrections)
            talks = _talks(tx, order, episode, news)
            changed = files.get(episode.session_id, ())
            least = _FEWEST_ANSWERED if news.has_facts(episode) else _FEWEST_TOLD
            has_substance = bool(changed) or len(news.corrections) > corrected
            has_substance = has_substance or any(_is_telling(each, least) for each in talks)
            line = _session_line(talks, changed, is_last=not number) if has_substance else ""
            if has_substance:
                yield from _left_open(episode, line, news, is_last=not number)
            if line:
                yield _of_episode(episode, "summary", line, "session")
                number += 1
        for role, words in _spoken(episode.summary):
            if role != _AGENT and lasts(words) and news.is_mostly(words):
                yield _of_episode(episode, "facts", words, "kept")
    yield from _last_state(tx, order)


class _News:
    """Knows what a block says already, and what holds no longer.

    Args:
        order: Knows what the client reads by itself.
        facts: What is known.
        obsolete: What holds no longer.
        corrections: Of later sessions.
    """

    def __init__(
        self,
        order: Order,
        facts: Sequence[Candidate],
        obsolete: Gone,
        corrections: list[Correction],
    ) -> None:
        self._order = order
        self.corrections = corrections
        self.messages = {each.message_id for each in facts if each.message_id}
        self.sessions = {
            each.session_id for each in facts if each.section != "rules" and not each.is_agents
        }
        lines = (line.partition("] ")[2] for each in facts for line in each.lines)
        self._told = frozenset(word for line in lines for word in told_words(line))
        self.gone = obsolete

    def is_mostly(self, text: str) -> bool:
        """Return whether most of a text says anything else that holds."""
        words = told_words(text)
        return self.has(text) and 2 * amount(words - self._told) > amount(words)

    def has_facts(self, episode: Episode) -> bool:
        """Return whether somebody stated more than rules in a session, or it left anything open."""
        return episode.session_id in self.sessions or bool(episode.open_ends)

    def is_report(self, text: str, before: Message | None) -> bool:
        """Return whether the agent reports more than that it understood, or that it asks."""
        if not self.has(text) or text.endswith(_ASKS):
            return False
        is_source = before is not None and before.id in self.messages
        is_gone = before is not None and before.id in self.gone.messages
        return not is_gone and (not is_source or len(text) >= _LONGEST_REPORT)

    def current(self, text: str, at: int) -> str:
        """Return the sentences of a text that hold as they did when it was said."""
        bounds = [0, *sentence_ends(text), len(text)]
        parts = (text[start:end] for start, end in pairwise(bounds))
        rest = (
            part
            for part in parts
            if not any(repeats(each, told_words(part)) for each in self.gone.words)
        )
        return holding("".join(rest), at, self.corrections)

    def has(self, text: str) -> bool:
        """Return whether a text says anything else that holds."""
        words = told_words(text)
        is_gone = any(repeats(each, words) for each in self.gone.words)
        is_gone |= self._order.is_loaded(words)
        is_new = amount(words - self._told) >= _FEWEST_WORDS or not repeats(words, self._told)
        return amount(words) >= _FEWEST_WORDS and is_new and not is_gone


class _Talk(NamedTuple):
    """A step of a session: what the agent was asked for, and what it reported of that."""

    asked: str = ""
    report: str = ""


def _talks(tx: Transaction, order: Order, episode: Episode, news: _News) -> list[_Talk]:
    """Return what a session came to, step by step; of removed messages what the episode kept.

    What only confirms a rule, or is known anyway, is no report.
    """
    session = find_session(tx, order.scope, episode.session_id)
    messages: list[Message] = []
    if session is not None:
        scope, parts = Scope(tenant=session.tenant), segments(tx, session, own=True)
        turns = heard_turns(tx, session, order.audience)
        messages = read_messages(tx, scope, parts, _MOST_MESSAGES, newest=True, turns=turns)
    if not messages:
        lines = (line for role, line in _spoken(episode.summary) if role != _AGENT)
        return [_Talk(next(filter(news.has, lines), ""), episode.outcome)]
    for message in messages:
        correction = correction_of(_own(message), message.created_at) if _is_user(message) else None
        news.corrections.extend([correction] if correction else [])
    return [talk for talk in _turns(messages, news) if talk.asked or talk.report]


def _turns(messages: Sequence[Message], news: _News) -> Iterator[_Talk]:
    """Yield what was asked and reported turn by turn, as far as it is news."""
    request, reports, before = "", list[str](), None
    for message in messages:
        text = news.current(_own(message), message.created_at)
        if _is_user(message):
            yield _Talk(request, " ".join(reports))
            request, reports = text if news.has(text) else "", []
        elif message.role == _AGENT and news.is_report(text, before):
            reports.append(text)
        before = message
    yield _Talk(request, " ".join(reports))


def _is_user(message: Message) -> bool:
    return message.role == "user"


def _own(message: Message) -> str:
    """Return what a person or the agent says itself in a message, on one line."""
    from recollect.text.statements.detector import own_text

    text = only_said(message.text, message.blocks)
    return " ".join((own_text(text) if _is_user(message) else text).split())


def _is_telling(talk: _Talk, least: int) -> bool:
    """Return whether a step that changed nothing says enough for a line."""
    is_said = not talk.asked.endswith(_ASKS) and _amount(talk.asked) >= _FEWEST_SAID
    return is_said or _told(talk) >= least


def _told(talk: _Talk) -> float:
    return _amount(f"{talk.asked} {talk.report}")


def _amount(text: str) -> float:
    return amount(told_words(text))


def _session_line(talks: Sequence[_Talk], files: Sequence[str], *, is_last: bool) -> str:
    """Return what a session was asked for and what came of it; empty without any substance.

    Its last step, and of the others those that say most.
    """
    lines = [_talk_line(each, is_last=is_last) for each in talks]
    room = _LONGEST_LAST_SESSION if is_last else _LONGEST_SESSION
    positions: set[int] = set()
    for at in sorted(range(len(talks)), key=lambda at: _told(talks[at]), reverse=True):
        fewest = _FEWEST_ASKED if talks[at].asked else _FEWEST_ANSWERED
        is_enough = _told(talks[at]) >= fewest and len(lines[at]) <= room
        if is_enough or (files and not positions):
            positions.add(at)
            room -= len(lines[at])
    line = " \u00b7 ".join(filter(None, (lines[at] for at in sorted(positions))))
    return f"{line} ({named_files(files)})" if line and files else line


def _talk_line(talk: _Talk, *, is_last: bool) -> str:
    if is_last:
        report = _ends(talk.report, _LONGEST_LAST)
    else:
        report = whole_sentences(_settled(talk.report), _LONGEST_REPORT)
    return " → ".join(filter(None, (whole_sentences(talk.asked, _LONGEST_REQUEST), report)))


def named_files(files: Sequence[str]) -> str:
    """Return the names of some files; of many the first, and how many more there are."""
    more = len(files) - _MOST_FILES
    return ", ".join([*files[:_MOST_FILES], *([f"{more} more"] if more > 0 else [])])


def _ends(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters: its first sentence, and the last that fit."""
    if len(text) <= most:
        return text
    starts = [0, *sentence_ends(text), len(text)]
    first = text[: starts[1]].strip()
    for start in starts[1:-1]:
        if len(first) + len(text) - start + 2 <= most:
            return f"{first} … {text[start:].strip()}"
    return clipped(text, most)


def _left_open(episode: Episode, line: str, news: _News, *, is_last: bool) -> Iterator[Candidate]:
    """Yield what the last session left open, which neither its line nor a fact says."""
    for open_end in episode.open_ends if is_last else ():
        if not open_end.endswith(_ASKS) and news.is_mostly(open_end) and not says(line, open_end):
            yield _of_episode(episode, "open", open_end, "open_end")


def _settled(report: str) -> str:
    """Return an older report without what was open then: the last one says what is open now."""
    from recollect.text.statements.detector import detect

    open_ends = [each for each in detect(report, _AGENT) if each.kind == "open_end"]
    bounds = [0, *sentence_ends(report), len(report)]
    sentences = (
        report[start:end]
        for start, end in pairwise(bounds)
        if not any(start <= each.start < end for each in open_ends)
    )
    return "".join(sentences).strip()


def _of_episode(episode: Episode, section: Section, text: str, worth_as: Worth) -> Candidate:
    label = f"[{show_number('episode', episode.number)} {to_iso(episode.ended_at)[:10]}]"
    return Candidate(
        kind="episode",
        id=episode.id,
        number=episode.number,
        section=section,
        lines=(clipped(f"{label} {text}", 4 * LONGEST_LINE),),
        at=episode.ended_at,
        importance=PLAIN,
        worth_as=worth_as,
    )


def _last_state(tx: Transaction, order: Order) -> list[Candidate]:
    """Return what is open in the session, or else in the newest one of the same audience.

    Nothing in a group, as of a summary.
    """
    episodes = heard_episodes(tx, order.scope, order.projects, order.audience)
    last = [each.session_id for each in islice(episodes, 1)]
    for session_id in [*order.lineage, *last]:
        session = find_session(tx, order.scope, session_id) if session_id else None
        if session is None:
            continue
        state = read_state(tx, session, heard_turns(tx, session, order.audience))
        if state is not None and state.open_steps:
            return [state_candidate(state)]
    return []


def state_candidate(state: SessionState) -> Candidate:
    """Return what is open in a session as a candidate."""
    marks = {"in_progress": "> ", "pending": ""}
    steps = (
        f"{marks[each.status]}{clipped(each.text, _LONGEST_STEP)}"
        for each in state.open_steps[:_MOST_STEPS]
    )
    since = f"[open since {to_iso(state.updated_at)[:10]}]"
    return Candidate(
        kind="state",
        id=state.session_id,
        number=None,
        section="open",
        lines=(f"{since} {'; '.join(steps)}",),
        at=state.updated_at,
        importance=1.0,
        worth_as="state",
    )


_ASKS = ("?", "？")
_SPEAKER = re.compile(r"- (?:\[[^\]\n]{1,40}\] )?([^:\n]{1,80}): (\S.*)")
_OUTSIDERS = ("tool", "system")
_AGENT = "assistant"


def summary_lines(summary: str) -> list[str]:
    """Return what a person or the agent said in a session, according to its summary."""
    return [line for _, line in _spoken(summary)]


def _spoken(summary: str) -> Iterator[tuple[str, str]]:
    """Yield the role and the words of each line of a summary that is of no outsider."""
    for line in summary.splitlines():
        if match := _SPEAKER.fullmatch(line):
            role = match[1].rpartition("(")[2].removesuffix(")").strip().casefold()
            if role not in _OUTSIDERS:
                yield role, match[2]
