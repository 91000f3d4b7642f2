"""An index.db with partitions of made-up vectors, and a back end of choice over it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from recollect.core.settings import StoreSettings, VectorSettings
from recollect.index.build.retired import drop_some
from recollect.index.model.chunk_record import Floats, Ints, Mask, chunk_id, chunk_ids
from recollect.index.model.generation import (
    Identity,
    create_generation,
    ensure_partition,
    flip,
    set_identity,
)
from recollect.index.vectors.choice import choose
from recollect.index.vectors.codes import CodeMatrix, add_codes, encode, forget_codes
from recollect.index.vectors.port import NearScan, VectorContext
from recollect.index.vectors.vector_index import BackedScan, Held
from recollect.index.vectors.vector_rows import add_vectors, read_vectors
from recollect.store.columns import first_integer
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import open_index

DIMENSIONS = 256
OVERSAMPLED = 400
"""As a search looks at so many of the nearest exactly."""


class SteppedClock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self.at = 1_770_724_800_000

    def now_ms(self) -> int:
        """Return the time that it shows."""
        return self.at


def drawn(count: int, seed: int = 1, dimensions: int = DIMENSIONS) -> Floats:
    """Return unit vectors that lie in some clusters, half of their bits as stored."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((20, dimensions), np.float32)
    noise = draw.standard_normal((count, dimensions), np.float32)
    vectors = centres[np.arange(count) % 20] + 0.8 * noise
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit.astype("<f2").astype(np.float32)


def questions(count: int) -> Floats:
    """Return unit vectors about as near to one of ``drawn`` as a question is to its answer."""
    draw = np.random.default_rng(99)
    near = drawn(count * 7)[::7] + 0.05 * draw.standard_normal((count, DIMENSIONS), np.float32)
    unit: Floats = near / np.linalg.norm(near, axis=1, keepdims=True)
    return unit


def exact_top(vectors: Floats, question: Floats, allowed: Mask | None = None) -> list[int]:
    """Return the ten nearest by comparing all."""
    near = vectors @ question
    if allowed is not None:
        near = np.where(allowed, near, -2.0)
    best = np.argsort(-near, kind="stable")[:10]
    return [int(n) for n in best if near[n] > -2.0]


class VectorHome:
    """One home, one back end.

    Args:
        folder: Of index.db.
        settings: Which back end.
        clock: Says when it is tried again.
    """

    def __init__(self, folder: Path, settings: VectorSettings, clock: SteppedClock) -> None:
        self.folder = folder
        self.clock = clock
        self.database = open_index(folder, StoreSettings(), clock)
        self.near = choose(
            VectorContext(
                settings=settings,
                database=self.database,
                home=folder,
                home_id=folder.name,
                clock=clock,
            )
        )
        self.writing = self.near.followed()

    def generation(self, status: str = "serving", dimensions: int = DIMENSIONS) -> int:
        """Begin a generation."""
        identity = Identity(terms=1, pieces=1, tokens=1, overlap=0)

        def unit(tx: Transaction) -> int:
            number = create_generation(tx, identity, status, self.clock.at).number
            with_vectors = Identity(
                terms=1, pieces=1, tokens=1, overlap=0, embedder="e", dimensions=dimensions
            )
            set_identity(tx, number, with_vectors)
            return number

        return self.writing.write(unit)

    def partition(self, generation: int, tenant: str = "one") -> int:
        """Begin a partition."""
        return self.writing.write(lambda tx: ensure_partition(tx, generation, tenant))

    def add(self, partition: int, vectors: Floats, first: int = 0) -> None:
        """Store vectors as chunks ``first`` and up."""
        halves, numbers = vectors.astype("<f2"), list(range(first, first + len(vectors)))

        def unit(tx: Transaction) -> None:
            add_vectors(tx, partition, numbers, halves)
            add_codes(tx, partition, numbers, encode(halves))

        self.writing.write(unit)

    def remove(self, partition: int, numbers: list[int]) -> None:
        """Remove chunks."""
        keys = [(chunk_id(partition, number),) for number in numbers]

        def unit(tx: Transaction) -> None:
            tx.executemany("DELETE FROM vectors WHERE id = ?", keys)
            forget_codes(tx, partition, numbers)

        self.writing.write(unit)

    def flip(self, building: int) -> None:
        """Let a generation answer and remove the one before."""
        self.writing.write(lambda tx: flip(tx, building))
        while self.writing.write(drop_some):
            pass

    def look(
        self, partition: int, question: Floats, allowed: Mask | None = None
    ) -> tuple[bool, list[int], Ints]:
        """Return whether the back end was asked, the ten nearest, and all that was found."""
        self.near.prepare()

        def unit(tx: Transaction) -> tuple[bool, list[int], Ints]:
            last = tx.row(
                "SELECT coalesce(max(id), 0) FROM vectors WHERE id <= ?", (chunk_ids(partition)[1],)
            )
            count = max(0, first_integer(last) - chunk_id(partition, 0) + 1)
            codes = CodeMatrix(len(question))
            codes.refresh(tx, partition, count)
            held = Held(partition, codes, count)
            scan: NearScan = self.near.scan(tx, held, question)
            found = scan.nearest(OVERSAMPLED, None if allowed is None else allowed[:count])
            near = read_vectors(tx, partition, found, len(question)) @ question
            best = found[np.argsort(-near, kind="stable")[:10]]
            return isinstance(scan, BackedScan), best.tolist(), found

        return self.database.read(unit)

    def top(self, partition: int, question: Floats, allowed: Mask | None = None) -> list[int]:
        """Return the ten nearest; the back end must have been asked if there is one."""
        asked, best, _ = self.look(partition, question, allowed)
        assert asked == (self.near.status(1).requested != "memory"), self.near.status(1)
        return best

    def close(self) -> None:
        """Let go of everything."""
        self.near.close()
        self.database.close()
