"""Candidates: what may go into a block, read under the scope and the audience of a session.

Of a record only the name of a tool, files, the outcome, and the user's or the agent's own words may
go into a prompt without a request. Text of a page, a server, a command or a file is shown only on
demand, marked as data.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import LiteralString

import msgspec

from recollect.core.clock import to_iso
from recollect.observations.moments.evidence import Evidence
from recollect.observations.moments.repository import commit_subject
from recollect.observations.observation import Observation
from recollect.observations.rows import only_heard, select_observations
from recollect.observations.summary import OUTCOME, clipped, describe, shown_path
from recollect.recall.context.block import Candidate, Section, Worth
from recollect.recall.context.corrections import Correction, holding
from recollect.recall.context.facts import Gone
from recollect.recall.context.order import LONGEST_LINE, Order
from recollect.recall.context.past_sessions import (
    MOST_SESSIONS,
    named_files,
    read_sessions,
)
from recollect.recall.context.worth import amount, repeats, told_words
from recollect.store.engine import Transaction
from recollect.text.boundaries import whole_sentences
from recollect.text.injected import tool_label

CHANGES = ("code_change", "git_operation")
"""What a session did to files."""
_MOST = 200
"""The newest and the most important that are considered: some ten times what a block holds."""
_LONGEST_OBSERVED = 220
_FEWEST_WORDS, _FEWEST_ANSWERED = 2, 3
"""Of a line, and of one of the agent, which confirms more than it decides."""
_LEAST_CHANGE = 0.3
"""The importance of a change that is shown: a look at a repository has less."""
_SECTIONS: Mapping[str, tuple[Section, Worth]] = {
    "decision": ("facts", "decision"),
    "architecture": ("facts", "decision"),
    "bugfix": ("types", "fix"),
    "code_change": ("changes", "change"),
    "git_operation": ("changes", "change"),
}
_TEST = re.compile(r"(?i)(?:^|[/_.-])(?:tests?|specs?|__tests__)(?=[/_.-])")
"""In the path of a file that tests another one: of a change the other one says more."""
_NEWEST: LiteralString = "created_at DESC, number DESC"
_BEST: LiteralString = "importance DESC, created_at DESC, number DESC"


def read_candidates(
    tx: Transaction, order: Order, facts: Sequence[Candidate], obsolete: Gone
) -> tuple[list[Candidate], list[Candidate]]:
    """Return facts that nothing corrects, and what observations, sessions and their state add.

    Args:
        tx: The snapshot of the block.
        order: What to look for.
        facts: What is known, which a session does not say again.
        obsolete: What holds no longer.
    """
    typed = _read_typed(tx, order)
    changed = select_observations(tx, order.observed().among("type", CHANGES), _NEWEST, _MOST)
    changes = [
        each
        for each in only_heard(tx, order.audience, changed)
        if each.session_id not in order.lineage and each.importance >= _LEAST_CHANGE
    ]
    files = _files_by_session(changes, order)
    corrections: list[Correction] = []
    sessions = list(read_sessions(tx, order, files, facts, obsolete, corrections=corrections))
    touched = {name for names in islice(files.values(), MOST_SESSIONS) for name in names}
    ids = {each.id for each in typed}
    observed = [
        *observed_candidates(_news(typed, order, facts, obsolete, sessions), order, touched)
    ]
    others = [each for each in changes if each.id not in ids]
    return list(_holding(facts, corrections)), [
        *_holding(observed, corrections),
        *sessions,
        *_last_changes(others, files, sessions, order),
    ]


def _holding(
    candidates: Iterable[Candidate], corrections: Sequence[Correction]
) -> Iterator[Candidate]:
    """Yield candidates without the sentences that were corrected later."""
    for each in candidates:
        label, _, words = each.lines[0].partition("] ")
        remainder = holding(words, each.at, corrections)
        if remainder == words:
            yield each
        elif amount(told_words(remainder)) >= _FEWEST_WORDS:
            yield msgspec.structs.replace(each, lines=(f"{label}] {remainder}",))


def read_listed(tx: Transaction, order: Order) -> list[Candidate]:
    """Return the observations of a plain list, as in seed 001."""
    return list(observed_candidates(_read_typed(tx, order), order))


def _read_typed(tx: Transaction, order: Order) -> list[Observation]:
    """Return observations of the types of the settings, and those that answer the question."""
    typed = order.observed().among("type", order.types)
    rows = select_observations(tx, typed, _NEWEST, _MOST)
    rows += select_observations(tx, typed, _BEST, _MOST)
    observations = only_heard(tx, order.audience, rows) + read_relevant(tx, order)
    return list({each.id: each for each in observations}.values())


def _news(
    observations: Sequence[Observation],
    order: Order,
    facts: Sequence[Candidate],
    obsolete: Gone,
    sessions: Sequence[Candidate],
) -> Iterator[Observation]:
    """Yield observations without those that a session or a file reports, or that no longer hold.

    Nor those that a rule was made of, or that only confirm it.
    """
    line_words = [told_words(line) for each in sessions for line in each.lines]
    rules = [each for each in facts if each.section == "rules"]
    sources = {each.message_id for each in rules if each.message_id is not None}
    echoes: defaultdict[str | None, set[str]] = defaultdict(set)
    for rule in rules:
        echoes[rule.session_id] |= told_words(" ".join(rule.lines))
    for each in observations:
        words = told_words(f"{each.title} {each.summary}")
        is_echo = each.event == "answer" and len(words & echoes[each.session_id]) * 3 >= len(words)
        if each.message_id in sources or is_echo:
            continue
        is_gone = each.message_id in obsolete.messages or any(
            repeats(old, words) for old in obsolete.words
        )
        is_known = order.is_loaded(words) or any(repeats(words, line) for line in line_words)
        if each.id in order.relevance or not (is_gone or is_known):
            yield each


def read_curated(tx: Transaction, order: Order) -> list[Observation]:
    """Return the most important observations of the types, the most important first."""
    typed = order.observed().among("type", order.types)
    return only_heard(tx, order.audience, select_observations(tx, typed, _BEST, _MOST))


def read_relevant(tx: Transaction, order: Order) -> list[Observation]:
    """Return the observations of the project that a search found, and that the reader hears."""
    if not order.relevance:
        return []
    ids = list(order.relevance)
    observations = select_observations(tx, order.observed(), _NEWEST, len(ids), ids=ids)
    return only_heard(tx, order.audience, observations)


def observed_candidates(
    observations: Iterable[Observation], order: Order, touched: Iterable[str] = ()
) -> Iterator[Candidate]:
    """Yield observations as candidates, those without a trusted line left out.

    Args:
        observations: The observations.
        order: Who reads, and what is relevant.
        touched: Names of files that changed lately.
    """
    names = [name.rpartition("/")[2] for name in touched]
    for each in observations:
        line = line_of(each)
        section, worth_as = _SECTIONS.get(each.type, ("types", "other"))
        if line is not None and _tells(each):
            yield Candidate(
                kind="observation",
                id=each.id,
                number=each.number,
                section=section,
                lines=(whole_sentences(line, _LONGEST_OBSERVED),),
                at=each.created_at,
                importance=each.importance,
                relevance=order.relevance.get(each.id, 0.0),
                message_id=each.message_id,
                worth_as=worth_as,
                is_touched=any(name in line for name in names),
            )


def _tells(of: Observation) -> bool:
    """Return whether words say enough for who was not there: "yes do that" does not."""
    if of.tool_name is not None:
        return True
    fewest = _FEWEST_ANSWERED if of.event == "answer" else _FEWEST_WORDS
    return amount(told_words(f"{of.title} {of.summary}")) >= fewest


def _files_by_session(changes: Iterable[Observation], order: Order) -> dict[str, list[str]]:
    """Return the files that sessions changed, the newest session and file first, tests last."""
    files: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for each in changes:
        if each.error is None:
            paths = (shown_path(order.relative(path)) for path in each.files)
            files[each.session_id].update(dict.fromkeys(paths))
    return {session: sorted(names, key=_is_test) for session, names in files.items()}


def _is_test(path: str) -> bool:
    return bool(_TEST.search(path))


def _last_changes(
    changes: Sequence[Observation],
    files: Mapping[str, Sequence[str]],
    sessions: Sequence[Candidate],
    order: Order,
) -> Iterator[Candidate]:
    """Yield what the newest session that changed anything did: its files on one line, and commits.

    Nothing where a line about the session reports it.
    """
    last = [each for each in changes if each.session_id == changes[0].session_id]
    session_text = "\n".join(line for each in sessions for line in each.lines)
    names = files.get(last[0].session_id, ()) if last else ()
    if any(name in session_text for name in names[:1]):
        return
    by_hand = [each for each in last if each.type == "code_change" and each.files]
    for newest in by_hand[:1]:
        line = f"[#{newest.number} {to_iso(newest.created_at)[:10]}] changed {named_files(names)}"
        yield Candidate(
            kind="observation",
            id=newest.id,
            number=newest.number,
            section="changes",
            lines=(clipped(line, LONGEST_LINE),),
            at=newest.created_at,
            importance=newest.importance,
            worth_as="change",
        )
    yield from observed_candidates(
        (each for each in last if each.type == "git_operation" and _is_commit(each)), order
    )


def _is_commit(of: Observation) -> bool:
    evidence = Evidence(event=of.event, tool_name=of.tool_name, input=of.input)
    return of.error is None and bool(commit_subject(evidence.command))


_FOLDED = re.compile(r"[\W_]+")
_RUN, _DENSE_RUN = 24, 10
"""Letters and digits in a row that cannot be there by chance; of scripts without spaces fewer."""
_SHORTEST_RUN = 6


def line_of(of: Observation) -> str | None:
    """Return the line of an observation; None where it has no text that can be trusted."""
    words = _said(of)
    return None if words is None else f"[#{of.number} {to_iso(of.created_at)[:10]}] {words}"


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
    evidence = Evidence(event=of.event, tool_name=of.tool_name, input=of.input, project=of.project)
    description = describe(evidence, of.files, of.trust)
    return OUTCOME.sub("", description.title) == OUTCOME.sub("", of.title) and of.summary in {
        description.summary,
        "",
    }


def _is_own(of: Observation) -> bool:
    """Return whether a caller's words repeat nothing of the output that is not in the input."""
    if of.output_blob is not None or of.trust == "web":
        return False
    input_text, output_text = _folded(of.input), _folded(f"{of.output} {of.error or ''}")
    return not any(
        run in output_text and run not in input_text for run in _runs(f"{of.title} {of.summary}")
    )


def _runs(text: str) -> set[str]:
    letters = _folded(text)
    size = _RUN if letters.isascii() else _DENSE_RUN
    if len(letters) <= size:
        return {letters} if len(letters) >= _SHORTEST_RUN else set()
    return {letters[start : start + size] for start in range(len(letters) - size + 1)}


def _folded(text: str) -> str:
    return _FOLDED.sub("", text).casefold()
