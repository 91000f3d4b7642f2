"""What a search is asked for, and what a ranking answers."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from numpy.typing import NDArray

from recollect.index.file_names import NamedFile
from recollect.index.layout import Mask
from recollect.index.question import Question

Vector = NDArray[np.float32]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What to search for, and where.

    Attributes:
        question: The analysed question.
        vector: Its unit vector; None for words only.
        lexical: Whether words take part.
        visible: Which chunks the caller may see; None for all living ones.
        most: How many chunks to return at least, when there are so many.
        named: Files that the question calls by their names; the best chunk of each comes first.
        triggered: Chunks with a trigger in the question.
        projects: Keys of the projects at hand, folded.
        now_ms: When it is asked, ms UTC.
        with_files: Whether the best memory files are wanted even where others are better.
    """

    question: Question
    vector: Vector | None
    lexical: bool
    visible: Mask | None
    most: int
    named: tuple[NamedFile, ...] = ()
    triggered: frozenset[int] = frozenset()
    projects: frozenset[str] = frozenset()
    now_ms: int = 0
    with_files: bool = False


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The best chunks, best first.

    Attributes:
        numbers: The chunks.
        scores: In [0, 1].
        ranks: 3 to 1 where the question names the file, which comes first; else 0.
        are_files: Whether each is of a memory file.
        is_all: Whether nothing else fits the question.
        why: Returns the weighted parts of the score at a place.
    """

    numbers: list[int]
    scores: list[float]
    ranks: list[int]
    are_files: list[bool]
    is_all: bool
    why: Callable[[int], dict[str, float]]
