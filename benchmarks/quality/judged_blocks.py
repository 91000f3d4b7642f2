"""Judges the lines of a context block: needed, repeated, useful, outdated, foreign, or noise.

A line that has the subject of something needed, its first pattern, without the rest is useful. One
that says nothing needed that an earlier one has not said is repeated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from benchmarks.datasets.scenes import Expected, Scene
from recollect.text.tokens import estimate_tokens

Verdict = Literal["needed", "repeated", "useful", "noise", "outdated", "foreign", "frame"]
GROUP = 3
"""Lines that may say one thing together."""
_FRAME = re.compile(
    r"^\s*(</?[a-z][\w-]*[^>]*>\s*$|#{1,6}\s|[-*_=]{3,}\s*$|\S.{0,160}[:：]\**$|\[[^\]]*\]\s*$)"
    r"|\b(memory_search|get_observations|session_context|timeline|memory_get)\b"
    r"|\brecollect\b.*\b(search|timeline|get|context|doctor|facts|sessions|episodes|import)\b"
    r"|not (as )?instructions?\b|^\W*(and )?\d+ (more|further)\b"
    r"|^\W*nothing (is |was )?(new|known)\b",
    re.IGNORECASE,
)
"""What a block says about itself: tags, headings, the note that it is data, how to get more."""


class JudgedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a block, and what a colleague would say of it."""

    text: str
    verdict: Verdict


class JudgedBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A block against its scene.

    Attributes:
        said: For each needed thing of the scene whether it is said.
        lines: Lines that are not empty, in order.
        tokens: What the block costs.
    """

    said: tuple[bool, ...]
    lines: tuple[JudgedLine, ...]
    tokens: int

    def count(self, *verdicts: Verdict) -> int:
        """Return how many lines are judged so."""
        return sum(line.verdict in verdicts for line in self.lines)

    @property
    def content(self) -> int:
        """How many lines are not of the frame."""
        return len(self.lines) - self.count("frame")


def judge(scene: Scene, text: str) -> JudgedBlock:
    """Return the judgement of a block, or of any text of lines, that the next session is given."""
    lines = [line for line in text.splitlines() if line.strip()]
    verdicts: list[Verdict] = ["frame" if _FRAME.search(line) else "noise" for line in lines]
    content = [at for at, verdict in enumerate(verdicts) if verdict == "noise"]
    subjects = [msgspec.structs.replace(each, all=each.all[:1]) for each in scene.needed]
    useful = set().union(*(_places(each, lines, content) for each in scene.useful))
    for at in useful.union(*(_places(each, lines, content) for each in subjects)):
        verdicts[at] = "useful"
    said = [_places(each, lines, content) for each in scene.needed]
    for at in sorted(set().union(*said)):
        if _adds(scene.needed, said, lines, at):
            verdicts[at] = "needed"
        elif at not in useful:
            verdicts[at] = "repeated"
    for each in scene.outdated:
        for at in _outdated(each, lines, content):
            verdicts[at] = "foreign" if each.kind == "foreign" else "outdated"
    judged = tuple(
        JudgedLine(text=line, verdict=verdict)
        for line, verdict in zip(lines, verdicts, strict=True)
    )
    return JudgedBlock(said=tuple(map(bool, said)), lines=judged, tokens=estimate_tokens(text))


def _places(expected: Expected, lines: Sequence[str], content: Sequence[int]) -> set[int]:
    """Return the lines that say something: the fewest that hold all of it, at most `GROUP`."""
    patterns = [re.compile(each, re.IGNORECASE) for each in expected.all]
    for size in range(1, GROUP + 1):
        places: set[int] = set()
        for start in range(len(content) - size + 1):
            group = content[start : start + size]
            if all(any(each.search(lines[at]) for at in group) for each in patterns):
                places.update(at for at in group if any(p.search(lines[at]) for p in patterns))
        if places:
            return places
    return set()


def _adds(
    needed: Sequence[Expected], said: Sequence[set[int]], lines: Sequence[str], at: int
) -> bool:
    """Return whether a line says something needed first, or a part of it."""
    return any(
        at in places and (at == min(places) or not _says_all(expected, lines[at]))
        for expected, places in zip(needed, said, strict=True)
    )


def _outdated(expected: Expected, lines: Sequence[str], content: Sequence[int]) -> list[int]:
    """Return the lines that say something that must not be said."""
    return [
        at
        for at in content
        if _says_all(expected, lines[at])
        and not any(re.search(each, lines[at], re.IGNORECASE) for each in expected.unless)
    ]


def _says_all(expected: Expected, line: str) -> bool:
    """Return whether one line holds every pattern."""
    return all(re.search(each, line, re.IGNORECASE) for each in expected.all)
