"""A process that fills homes and answers questions with the source tree on its path.

Run by `ranking`, as ``python -m benchmarks.quality.ranking_worker FOLDER`` with a request on stdin
and the answers on stdout. It uses the public names only, so that an older or newer tree can answer.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

import recollect
from recollect.core.scope import Scope

DIMENSIONS = 384
_SALTED = re.compile(r"\[redacted:[^\]]*\]")
"""Each home puts something else in the place of a secret."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """A question and how it is asked.

    ``session`` is the key of the only one that is searched, ``hearer`` of the one that asks.
    """

    text: str
    limit: int = 10
    mode: str = "hybrid"
    sources: tuple[str, ...] | None = None
    session: str | None = None
    hearer: str | None = None
    since: int | None = None
    until: int | None = None
    min_score: float | None = None


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """Questions under the same settings."""

    asked: tuple[Ask, ...]
    overrides: Mapping[str, Any] = {}


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What is done before the next sync.

    Attributes:
        messages: By session key, in the order of arrival: role, content, name, at.
        observations: What `Observations.record` is given, with the key of the session.
        files: Texts of memory files by path in the workspace; an empty one is removed.
        erased: Keys of sessions that are erased.
    """

    messages: Mapping[str, tuple[Mapping[str, Any], ...]] = {}
    observations: tuple[Mapping[str, Any], ...] = ()
    files: Mapping[str, str] = {}
    erased: tuple[str, ...] = ()


class RankedHome(msgspec.Struct, frozen=True, kw_only=True):
    """A home, step by step, and what it is asked in the end."""

    name: str
    steps: tuple[Step, ...]
    rounds: tuple[Round, ...]

    @property
    def questions(self) -> int:
        """How many are asked."""
        return sum(len(each.asked) for each in self.rounds)


class RankedHit(msgspec.Struct, frozen=True, array_like=True):
    """A hit by a name that is the same in every home filled alike, and its score in [0, 1]."""

    name: str
    score: float


Answers = list[list[RankedHit]]


class WordVectors:
    """Embeds a text as the sum of one random vector for each word; alike in every process."""

    model = "bench:words"
    dimensions = DIMENSIONS
    is_remote = False
    fingerprint = hashlib.sha256(b"bench:words 1").hexdigest()

    def embed_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        """Return unit vectors, ``(len(texts), 384)`` float32, in input order."""
        made = np.stack([_text_vector(text) for text in texts])
        if progress is not None:
            progress(len(texts))
        return made

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a unit vector, ``(384,)`` float32."""
        return _text_vector(text)

    def close(self) -> None:
        """Nothing is held."""


def _text_vector(text: str) -> NDArray[np.float32]:
    words = _SALTED.sub("", text.lower()).split() or [""]
    total = np.sum([_word_vector(word.strip(".,?!'\"")) for word in words], axis=0)
    unit: NDArray[np.float32] = (total / max(float(np.linalg.norm(total)), 1e-6)).astype(np.float32)
    return unit


@lru_cache(maxsize=200_000)
def _word_vector(word: str) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
    made: NDArray[np.float32] = np.random.default_rng(seed).standard_normal(DIMENSIONS, np.float32)
    return made / np.float32(1 + 30 / max(1, len(word)) ** 2)


def answered(folder: Path, homes: Sequence[RankedHome]) -> Answers:
    """Fill the homes below ``folder`` and return the hits of every question, in their order.

    Raises:
        RecollectError: the product failed.
    """
    return [hits for home in homes for hits in _Home(folder / home.name).answered(home)]


class _Home:
    """A home under test.

    Args:
        folder: Where it and its workspace are made; must not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._home, self._workspace = folder / "home", folder / "workspace"
        (self._workspace / "memory").mkdir(parents=True)
        self._sessions: dict[str, str] = {}

    def answered(self, plan: RankedHome) -> Iterator[list[RankedHit]]:
        """Yield the hits of each question."""
        with self._open({}) as memory:
            for step in plan.steps:
                self._take(memory, step)
                memory.sync()
        for each in plan.rounds:
            with self._open(each.overrides) as memory:
                for ask in each.asked:
                    yield self._asked(memory, ask)

    def _open(self, overrides: Mapping[str, Any]) -> recollect.Memory:
        return recollect.open(
            self._home,
            workspace=self._workspace,
            overrides=overrides,
            embedder=WordVectors(),
            live=False,
        )

    def _take(self, memory: recollect.Memory, step: Step) -> None:
        for key, messages in step.messages.items():
            memory.sessions.append_many(self._session(memory, key), messages)
        if step.observations:
            memory.observations.record_many(
                {**each, "session_id": self._session(memory, each["session_id"])}
                for each in step.observations
            )
        for path, text in step.files.items():
            file = self._workspace / path
            file.write_text(text, encoding="utf-8")
            if not text:
                file.unlink()
        for key in step.erased:
            memory.erase(session_id=self._sessions.pop(key))

    def _session(self, memory: recollect.Memory, key: str) -> str:
        if key not in self._sessions:
            created = memory.sessions.create(key=f"agent:main:bench:acc:direct:{key}")
            self._sessions[key] = created.id
        return self._sessions[key]

    def _asked(self, memory: recollect.Memory, ask: Ask) -> list[RankedHit]:
        given = msgspec.structs.asdict(ask)
        session, hearer = given.pop("session"), given.pop("hearer")
        given["scope"] = None if session is None else Scope(session=self._sessions[session])
        given["for_session"] = None if hearer is None else self._sessions[hearer]
        found = memory.search(given.pop("text"), **given)
        keys = {number: key for key, number in self._sessions.items()}
        return [RankedHit(_name(hit, keys), hit.score) for hit in found.hits]


def _name(hit: recollect.Hit, keys: Mapping[str, str]) -> str:
    if hit.path is not None:
        return f"{hit.path}:{hit.start_line}"
    return f"{keys.get(hit.session_id or '', '?')}#{hit.seq or f'o{hit.number}'}"


def main() -> None:
    """Answer the request on stdin."""
    homes = msgspec.json.decode(sys.stdin.buffer.read(), type=list[RankedHome])
    sys.stdout.buffer.write(msgspec.json.encode(answered(Path(sys.argv[1]), homes)))


if __name__ == "__main__":
    main()
