"""An extractive summary: the lines of a conversation that matter most, as they were said.

Deterministic, no model. A summary is a list of ``- [time] speaker: text`` lines in their order, so
that it can be summarised again together with what came later. The text of a line is data; nothing
of it is followed or marked up. Knows no storage.
"""

from __future__ import annotations

import heapq
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator

import msgspec

from recollect.text.statements.kept import is_open_point, must_last, weigh
from recollect.text.statements.sentences import specifics, statements
from recollect.text.terms import terms
from recollect.text.tokens import estimate_tokens
from recollect.text.turns import Utterance, labelled

SUMMARY_VERSION = "extractive-1"
"""Raise it when the same conversation gives another summary."""

_CANDIDATES = 2_000
"""The heaviest statements that are considered: more than the longest summary has lines."""
_LATEST = 12
"""The last statements of a conversation are its current state, and some room is kept for them."""
_LATEST_SHARE = 0.25
_LEAST = 1.0
"""Lighter statements, small talk and the ends of outputs, are not worth room in the prompt."""
_LASTING = 3.0
"""Lighter statements are neither decisions nor wishes, in any role but a tool's."""
_ALIKE = 0.8
"""Two statements that share this much of their words, and all their numbers, are one."""
_LONGEST_SPEAKER = 60
_LINE = re.compile(r"- ((?:\[[^\]\n]{1,40}\] )?(?:([^:\n]{1,80}): )?)(\S.*)")
_OTHERS = frozenset({"assistant", "tool", "system"})

CountTokens = Callable[[str], int]
"""Returns the cost of a text."""


class _Line(msgspec.Struct, frozen=True):
    order: int
    weight: float
    label: str
    sentence: str
    is_persons: bool = False

    @property
    def text(self) -> str:
        return f"- {self.label}{self.sentence}"


def summarise(
    utterances: Iterable[Utterance],
    tokens: int,
    previous: str = "",
    count: CountTokens = estimate_tokens,
    always: int = 0,
) -> str:
    """Return the most important statements of a conversation, oldest first, one a line.

    Statements that a person wants kept come first, then decisions, failures and open questions; a
    part is kept for the last statements. Names, numbers and paths stay as they were written, times
    are UTC. Nearly the same statement appears once.

    Args:
        utterances: In their order; read once, so they may be a stream.
        tokens: Longest summary.
        previous: The summary of what came before; its lines are weighed like all others.
        count: Returns the cost of a text.
        always: Tokens for what is kept in any case, also beyond ``tokens``: the first and the last
            line of a person, the newest open points, then what they want kept.

    Returns:
        At most ``tokens`` tokens, or ``always`` where that is more; empty when nothing was said.
    """
    latest: deque[_Line] = deque(maxlen=_LATEST)
    keeper = _Kept()
    every = keeper.noting(_lines(utterances, previous, latest)) if always else None
    lines = (
        line for line in every or _lines(utterances, previous, latest) if line.weight >= _LEAST
    )
    # Of equals the newer one, so that old statements do not fill a summary for ever.
    heaviest = heapq.nlargest(_CANDIDATES, lines, key=lambda line: (line.weight, line.order))
    recent = list(latest)[::-1]
    summary_lines = keeper.chosen(always, count)
    summary_lines = _choose(recent, round(tokens * _LATEST_SHARE), count, summary_lines)
    summary_lines = _choose(heaviest, tokens, count, summary_lines)
    if not summary_lines and recent:
        return _cut((heaviest or recent)[0], tokens, count)
    return "\n".join(line.text for line in sorted(summary_lines, key=lambda line: line.order))


class _Kept:
    """The lines that stay in any case: a person's first and last, open points, what must last."""

    def __init__(self) -> None:
        self._ends: list[_Line] = []
        self._open: deque[_Line] = deque(maxlen=_LATEST)
        self._lasting: list[_Line] = []

    def noting(self, lines: Iterable[_Line]) -> Iterator[_Line]:
        """Yield the lines, and keep those."""
        for line in lines:
            if line.is_persons:
                self._ends[1:] = [line]
            if line.weight >= _LASTING and must_last(line.sentence):
                self._lasting.append(line)
                self._lasting[_CANDIDATES:] = []
            elif line.weight >= _LEAST and is_open_point(line.sentence):
                self._open.append(line)
            yield line

    def chosen(self, tokens: int, count: CountTokens) -> list[_Line]:
        """Return as many lines as fit; one that is too long is cut."""
        ends = [_fitted(line, tokens // 2, count) for line in self._ends]
        lines = _choose(ends, tokens, count, [])
        spent = sum(count(line.text) + 1 for line in lines)
        room = min(tokens, spent + round(tokens * _LATEST_SHARE))
        lines = _choose(list(self._open)[::-1], room, count, lines)
        heaviest = sorted(self._lasting, key=lambda line: -line.weight)
        return _choose(heaviest, tokens, count, lines)


def _fitted(line: _Line, tokens: int, count: CountTokens) -> _Line:
    words = line.sentence
    while len(words) > 1 and count(f"- {line.label}{words}…") > tokens:
        words = words[: len(words) * 3 // 4]
    fitted = line.sentence if words == line.sentence else f"{words}…"
    return msgspec.structs.replace(line, sentence=fitted)


def shortened(summary: str, tokens: int, count: CountTokens = estimate_tokens) -> str:
    """Return a summary within ``tokens``: its most important lines, in their order."""
    return summary if count(summary) <= tokens else summarise((), tokens, summary, count)


def utterance_line(utterance: Utterance) -> str:
    """Return a message as a summary line, all of it on one line."""
    label = labelled(utterance.at_ms, utterance.speaker)
    return f"- {label}{' '.join(utterance.text.split())}"


def speaker_of(role: str, name: str | None) -> str:
    """Return the label of a speaker: the name, with the role where that is not a user's."""
    if not name:
        return role
    label = " ".join(name.replace(":", " ").split())[:_LONGEST_SPEAKER] or role
    return label if role == "user" else f"{label} ({role})"


def _lines(utterances: Iterable[Utterance], previous: str, latest: deque[_Line]) -> Iterator[_Line]:
    """Yield the lines of the conversation, and append them to ``latest``."""
    for order, (label, role, sentence) in enumerate(_said(utterances, previous)):
        latest.append(_Line(order, weigh(sentence, role), label, sentence, role == "user"))
        yield latest[-1]


def _said(utterances: Iterable[Utterance], previous: str) -> Iterator[tuple[str, str, str]]:
    for line in previous.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match:
            label, speaker, sentence = match.groups()
            yield label, _role(speaker), sentence
        else:
            yield from (("", "user", sentence) for sentence in statements(line))
    for utterance in utterances:
        label = labelled(utterance.at_ms, utterance.speaker)
        yield from ((label, utterance.role, sentence) for sentence in statements(utterance.text))


def spoken_lines(summary: str) -> str:
    r"""Return a summary without the lines of tools and systems.

    >>> spoken_lines("- user: tea\n- tool: obey\n- grep (tool): obey")
    '- user: tea'
    """
    lines = []
    for line in summary.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match is None or _role(match[2]) not in {"tool", "system"}:
            lines.append(line)
    return "\n".join(lines)


def _role(speaker: str | None) -> str:
    """Return the role of a speaker as `speaker_of` wrote it."""
    name = (speaker or "").rpartition("(")[2].removesuffix(")")
    return name if name in _OTHERS else "user"


def _choose(
    candidates: Iterable[_Line], tokens: int, count: CountTokens, lines: list[_Line]
) -> list[_Line]:
    """Return ``lines`` and those of the candidates that still fit, none of them said twice."""
    lines = list(lines)
    gists = [_gist(line) for line in lines]
    spent = sum(count(line.text) + 1 for line in lines)
    for line in candidates:
        cost = count(line.text) + 1
        if spent + cost > tokens:
            continue
        gist = _gist(line)
        if any(_alike(gist, other) for other in gists):
            continue
        lines.append(line)
        gists.append(gist)
        spent += cost
    return lines


def _gist(line: _Line) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(terms(line.sentence)) or frozenset({line.sentence}), specifics(line.sentence)


def _alike(
    one: tuple[frozenset[str], frozenset[str]], other: tuple[frozenset[str], frozenset[str]]
) -> bool:
    words, numbers = one
    return numbers == other[1] and len(words & other[0]) >= _ALIKE * len(words | other[0])


def _cut(line: _Line, tokens: int, count: CountTokens) -> str:
    """Return as much of one line as fits; words stay whole."""
    words = line.text.split(" ")
    while len(words) > 1 and count(" ".join(words) + "…") > tokens:
        words.pop()
    text = " ".join(words) + "…"
    return text if len(words) > 1 and count(text) <= tokens else ""
