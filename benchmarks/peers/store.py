"""What a peer is asked to do, and the material it does it with.

Read in the environments of the peers: the standard library and numpy only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

DIMENSIONS = 384
BLOCK = 500
"""Texts that are handed over at once in bulk."""


class Item(NamedTuple):
    """One text: ``number`` is its place in the material, ``vector`` a unit vector of 384."""

    number: int
    text: str
    session: str
    role: str
    name: str | None
    at: int
    vector: Any

    @property
    def said(self) -> str:
        """The text with who said it: what a store that knows no speakers is given."""
        return said(self.name, self.text)


def said(name: str | None, text: str) -> str:
    """Return a text with its speaker before it."""
    return text if name is None else f"{name}: {text}"


class Question(NamedTuple):
    """A question and its unit vector."""

    text: str
    vector: Any


class Store(Protocol):
    """A peer that holds texts in ``folder``, opened or made anew."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        """Open it; ``vectors`` is for a peer that embeds by itself."""

    def add(self, items: Sequence[Item]) -> None:
        """Store the texts as durably as the peer promises; may be found later."""

    def settle(self) -> None:
        """Return when everything that was added can be found, and lies on the disk."""

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the numbers of the best ``count`` texts, best first."""

    def close(self) -> None:
        """Close it."""


class Material:
    """The texts, questions and vectors of a folder, read piece by piece: none of it is held."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._texts = (folder / "texts.jsonl").open(encoding="utf-8")
        self._vectors = (folder / "texts.f32").open("rb")
        self._read = 0

    def read(self, count: int) -> Iterator[list[Item]]:
        """Yield the next ``count`` texts, in blocks."""
        while count:
            lines = list(islice(self._texts, min(BLOCK, count)))
            if not lines:
                return
            count -= len(lines)
            raw = self._vectors.read(len(lines) * DIMENSIONS * 4)
            rows = np.frombuffer(raw, dtype=np.float32).reshape(-1, DIMENSIONS)
            block = [
                Item(self._read + position, vector=rows[position], **json.loads(line))
                for position, line in enumerate(lines)
            ]
            self._read += len(lines)
            yield block

    def questions(self) -> list[Question]:
        """Return every question."""
        lines = (self._folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        rows = np.fromfile(self._folder / "questions.f32", dtype=np.float32)
        rows = rows.reshape(-1, DIMENSIONS)
        return [Question(json.loads(line), row) for line, row in zip(lines, rows, strict=True)]

    def by_text(self) -> VectorsByText:
        """Return what finds the vector of a text or question again."""
        return VectorsByText(self._folder)

    def close(self) -> None:
        """Close the files."""
        self._texts.close()
        self._vectors.close()


class VectorsByText:
    """The vector of each text, for peers that take texts only: eight bytes a text in memory."""

    def __init__(self, folder: Path) -> None:
        self._files = [(folder / f"{kind}.f32").open("rb") for kind in ("texts", "questions")]
        found: list[tuple[int, int]] = []
        self._count = 0
        with (folder / "texts.jsonl").open(encoding="utf-8") as lines:
            for position, line in enumerate(lines):
                turn = json.loads(line)
                found.append((_key(said(turn["name"], turn["text"])), position))
                self._count += 1
        with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
            found += [
                (_key(json.loads(line)), self._count + position)
                for position, line in enumerate(lines)
            ]
        found.sort()
        self._keys = np.array([key for key, _ in found], dtype=np.int64)
        self._places = np.array([position for _, position in found], dtype=np.int32)

    def __call__(self, text: str) -> Any:
        """Return the unit vector of ``text``.

        Raises:
            KeyError: it is not in the material.
        """
        key = _key(text)
        at = int(np.searchsorted(self._keys, key))
        if at == len(self._keys) or self._keys[at] != key:
            raise KeyError(text)
        place = int(self._places[at])
        source, place = (0, place) if place < self._count else (1, place - self._count)
        self._files[source].seek(place * DIMENSIONS * 4)
        return np.frombuffer(self._files[source].read(DIMENSIONS * 4), dtype=np.float32)

    def close(self) -> None:
        """Close the files."""
        for each in self._files:
            each.close()


def _key(text: str) -> int:
    return hash(" ".join(text.lower().split()))
