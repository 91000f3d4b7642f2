"""Annotations of memory files: comments that say how an entry is to be found.

``<!-- importance: 8 -->``, ``<!-- project: kranich; shop -->`` and ``<!-- trigger: before a deploy,
release checklist -->`` belong to the entry they are in. They are removed from the text, so that
they are neither indexed nor shown. Other comments are text like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from recollect.text.markdown.fences import lines_outside

LEAST_IMPORTANCE, MOST_IMPORTANCE = 1, 10
MOST_KEYS = 32
"""Projects or triggers of one comment."""
LONGEST_VALUE = 500

_COMMENT = re.compile(
    r"[ \t]{0,8}<!--[ \t]{0,8}(importance|project|trigger)s?[ \t]{0,8}:"
    rf"([^\n]{{0,{LONGEST_VALUE}}}?)-->",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,3}")
_WORD = re.compile(r"\w")


class Annotation(Struct, frozen=True, kw_only=True):
    """The annotations of a line or a chunk.

    Attributes:
        importance: 1 to 10; 5 changes nothing.
        projects: Keys of projects, as they are written, that the entry is for.
        triggers: Phrases; a question that contains one finds the entry.
    """

    importance: int | None = None
    projects: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()


class Annotated(Struct, frozen=True, kw_only=True):
    """A text without its annotations, line for line, and the annotations by line (from 1).

    ``ignored`` counts invalid ones.
    """

    text: str
    by_line: dict[int, Annotation]
    ignored: int = 0


def read_annotations(text: str) -> Annotated:
    """Return ``text`` without its annotations, and these; code blocks stay as they are.

    >>> read_annotations("- green tea <!-- importance: 8 -->").text
    '- green tea'
    """
    if "<!--" not in text:
        return Annotated(text=text, by_line={})
    lines: list[str] = []
    by_line: dict[int, Annotation] = {}
    ignored = 0
    for number, (line, is_outside) in enumerate(lines_outside(text), start=1):
        comments = _COMMENT.findall(line) if is_outside else []
        annotations = [_read(key.lower(), value.strip()) for key, value in comments]
        joined = join_annotations(each for each in annotations if each is not None)
        ignored += annotations.count(None)
        if joined is not None:
            by_line[number] = joined
        lines.append(_COMMENT.sub("", line) if comments else line)
    return Annotated(text="\n".join(lines), by_line=by_line, ignored=ignored)


def join_annotations(annotations: Iterable[Annotation]) -> Annotation | None:
    """Return the union of annotations, or None: the highest importance, every project and trigger.

    Keys that are written twice are kept once.
    """
    every = list(annotations)
    if not every:
        return None
    numbers = [each.importance for each in every if each.importance is not None]
    return Annotation(
        importance=max(numbers, default=None),
        projects=_distinct(key for each in every for key in each.projects),
        triggers=_distinct(phrase for each in every for phrase in each.triggers),
    )


def _read(key: str, value: str) -> Annotation | None:
    """Return the annotation of one comment, or None when it is not valid."""
    if key == "importance":
        number = int(value) if _NUMBER.fullmatch(value) else 0
        is_valid = LEAST_IMPORTANCE <= number <= MOST_IMPORTANCE
        return Annotation(importance=number) if is_valid else None
    parts = _distinct(part.strip() for part in re.split(";" if key == "project" else "[,;]", value))
    if not 1 <= len(parts) <= MOST_KEYS or not all(map(_WORD.search, parts)):
        return None
    return Annotation(projects=parts) if key == "project" else Annotation(triggers=parts)


def _distinct(parts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for part in parts if part))
