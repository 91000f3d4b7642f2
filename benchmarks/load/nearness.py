"""One vector back end asked directly, without the words of a search, beside an index of its own."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import numpy as np

from recollect.core.clock import SystemClock
from recollect.core.errors import StoreError
from recollect.core.settings import StoreSettings, VectorSettings
from recollect.index.model.chunk_record import NUMBER_MASK, Floats, Ints
from recollect.index.model.generation import find_generation, partition_numbers
from recollect.index.vectors.codes import CodeMatrix
from recollect.index.vectors.port import VectorContext
from recollect.index.vectors.vector_index import CodeSource, choose
from recollect.store.columns import blob, integer
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import open_index

MOST = 400
"""As many as a search asks for."""


class Nearness:
    """The first partition of the index in a folder, and one back end.

    Args:
        home: The folder of index.db.
        backend: Its name.
        dimensions: Of the vectors.
    """

    def __init__(self, home: Path, backend: str, dimensions: int) -> None:
        clock = SystemClock()
        self._backend = backend
        self._database = open_index(home, StoreSettings(), clock)
        self._near = choose(
            VectorContext(
                settings=VectorSettings(backend=backend),
                database=self._database,
                home=home,
                home_id="bench",
                clock=clock,
            )
        )
        self._codes = CodeMatrix(dimensions)
        self._database.read(self._load)

    def __enter__(self) -> Nearness:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the back end and the index."""
        self._near.close()
        self._database.close()

    @property
    def count(self) -> int:
        """How many vectors there are."""
        return len(self._numbers)

    def fill(self) -> None:
        """Bring every vector over.

        Raises:
            StoreError: the back end cannot be used.
        """
        self._near.catch_up()
        status = self._near.status(1)
        if status.used != self._backend:
            raise StoreError(
                f"{self._backend} cannot be measured: {status.load_error}",
                hint="install its package, or leave it out with --backend",
            )

    def ask(self, vector: Floats) -> Ints:
        """Return the numbers of the nearest, as a search asks for them."""
        return self._database.read(
            lambda tx: self._near.scan(tx, self._held, vector).nearest(MOST, None)
        )

    def best(self, found: Ints | None, vector: Floats) -> list[int]:
        """Return the ten best among what was found, or among all; compared exactly."""
        places = np.arange(self.count) if found is None else np.searchsorted(self._numbers, found)
        near = self._vectors[places] @ vector
        best: list[int] = self._numbers[places[np.argsort(-near, kind="stable")[:10]]].tolist()
        return best

    def _load(self, tx: Transaction) -> None:
        generation = find_generation(tx, "serving")
        number = partition_numbers(tx, generation.number if generation else 0)[0]
        rows = list(
            tx.rows("SELECT id, data FROM vectors WHERE id >> 40 = ? ORDER BY id", (number,))
        )
        self._numbers: Ints = np.array([integer(key) & NUMBER_MASK for key, _ in rows], np.int64)
        data = np.frombuffer(b"".join(blob(value) for _, value in rows), "<f2")
        self._vectors: Floats = data.reshape(len(rows), -1).astype(np.float32)
        count = int(self._numbers[-1]) + 1
        self._codes.refresh(tx, number, count)
        self._held = CodeSource(number, self._codes, count)
