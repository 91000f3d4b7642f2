"""recollect, as a program uses it: `append_many`, `append`, `sync` and `search`."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import recollect
from benchmarks.peers.store import DIMENSIONS, Item, Question, VectorsByText

VERSION = recollect.__version__

_KEY = "agent:bench:benchmark:main:direct:peers"
MODEL = "MODEL"
"""A file in the folder says: embed with the installed model, not with the given vectors."""


class _Given:
    """Embeds by looking up."""

    model = "bench:given"
    dimensions = DIMENSIONS
    is_remote = False
    fingerprint = "0" * 64

    def __init__(self, vectors: VectorsByText) -> None:
        self._vectors = vectors

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> Any:
        found = np.array([self._vector(text) for text in texts]).reshape(-1, DIMENSIONS)
        if progress is not None:
            progress(len(texts))
        return found

    def _vector(self, text: str) -> Any:
        """Return the vector of a text; of one that is derived, such as a fact, some other."""
        try:
            return self._vectors(text)
        except KeyError:
            return np.eye(1, DIMENSIONS, dtype=np.float32)[0]

    def embed_query(self, text: str) -> Any:
        return self._vectors(text)

    def close(self) -> None:
        """Nothing is held."""


class Peer:
    """A home with a session for each one of the material."""

    def __init__(self, folder: Path, vectors: VectorsByText) -> None:
        embedder = None if folder.with_name(MODEL).exists() else _Given(vectors)
        self._memory = recollect.open(folder, embedder=embedder, live=False)
        self._session = ("", "")
        self._kept = folder / "numbers.json"
        kept = json.loads(self._kept.read_bytes()) if self._kept.exists() else {}
        self._numbers = {session: array("i", numbers) for session, numbers in kept.items()}

    def add(self, items: Sequence[Item]) -> None:
        """Append a block of each session in one transaction, or one message by itself."""
        for name, block in groupby(items, lambda item: item.session):
            if name != self._session[0]:
                self._session = (name, self._memory.sessions.create(key=_KEY).id)
                self._numbers[self._session[1]] = array("i")
            each = list(block)
            self._numbers[self._session[1]].extend(item.number for item in each)
            if len(items) == 1:
                item = items[0]
                self._memory.sessions.append(
                    self._session[1], item.role, item.text, name=item.name, at=item.at
                )
            else:
                self._memory.sessions.append_many(
                    self._session[1],
                    [{"role": i.role, "content": i.text, "name": i.name, "at": i.at} for i in each],
                )

    def settle(self) -> None:
        """Index and embed everything."""
        self._memory.sync()

    def ask(self, question: Question, count: int) -> list[int]:
        """Return the best messages."""
        found = self._memory.search(question.text, limit=count, sources=["sessions"])
        return [
            self._numbers[hit.session_id][hit.seq - 1]
            for hit in found.hits
            if hit.session_id is not None and hit.seq is not None
        ]

    def close(self) -> None:
        """Close the home, and keep which message is which text."""
        self._memory.close()
        kept = {session: list(numbers) for session, numbers in self._numbers.items()}
        self._kept.write_text(json.dumps(kept), "ascii")
