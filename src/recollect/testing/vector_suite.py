"""The conformance suite of vector back ends: the same vectors give the same ten nearest.

A back end of another package is chosen by its name, once that package is installed:

    @pytest.mark.parametrize("check", vector_suite.CHECKS)
    def test_it_conforms(check, tmp_path):
        with vector_suite.opening(tmp_path, VectorSettings(backend="mine")) as open_home:
            check(open_home)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import msgspec
import numpy as np

from recollect.core.settings import StoreSettings, VectorSettings
from recollect.index.indexing.retired import drop_some
from recollect.index.model.chunk_record import Floats, Ints, Mask, chunk_id, chunk_ids
from recollect.index.model.generation import (
    Identity,
    create_generation,
    ensure_partition,
    flip,
    set_identity,
)
from recollect.index.vectors.codes import CodeMatrix, add_codes, encode_codes, forget_codes
from recollect.index.vectors.port import NearScan, VectorContext
from recollect.index.vectors.vector_index import BackedScan, CodeSource, choose
from recollect.index.vectors.vector_rows import add_vectors, read_vectors
from recollect.store.columns import first_integer
from recollect.store.engine import Transaction
from recollect.store.sqlite.database import open_index

DIMENSIONS = 256
MANY = 1_500
OVERSAMPLED = 400
"""The number of nearest vectors that a search compares exactly."""


class SteppedClock:
    """A clock that tests advance by hand."""

    def __init__(self) -> None:
        self.at = 1_770_724_800_000

    def now_ms(self) -> int:
        """Return the time that it shows."""
        return self.at


def drawn(count: int, seed: int = 1, dimensions: int = DIMENSIONS) -> Floats:
    """Return unit vectors in some clusters, with half of their bits as stored."""
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
    """Return the ten nearest, by comparing all."""
    near = vectors @ question
    if allowed is not None:
        near = np.where(allowed, near, -2.0)
    best = np.argsort(-near, kind="stable")[:10]
    return [int(n) for n in best if near[n] > -2.0]


class VectorHome:
    """One home, one back end.

    Args:
        folder: Of index.db.
        settings: The back end.
        clock: Times retries of the back end; it stands still if not given.
    """

    def __init__(
        self, folder: Path, settings: VectorSettings, clock: SteppedClock | None = None
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.clock = clock or SteppedClock()
        self.database = open_index(folder, StoreSettings(), self.clock)
        self.near = choose(
            VectorContext(
                settings=settings,
                database=self.database,
                home=folder,
                home_id=folder.name,
                clock=self.clock,
            )
        )
        self.writing = self.near.followed()

    def generation(self, status: str = "serving", dimensions: int = DIMENSIONS) -> int:
        """Begin a generation."""
        plain = Identity(terms=1, pieces=1, tokens=1, overlap=0)
        identity = msgspec.structs.replace(plain, embedder="e", dimensions=dimensions)

        def unit(tx: Transaction) -> int:
            number = create_generation(tx, plain, status, self.clock.now_ms()).number
            set_identity(tx, number, identity)
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
            add_codes(tx, partition, numbers, encode_codes(halves))

        self.writing.write(unit)

    def remove(self, partition: int, numbers: list[int]) -> None:
        """Remove chunks."""
        keys = [(chunk_id(partition, number),) for number in numbers]

        def unit(tx: Transaction) -> None:
            tx.executemany("DELETE FROM vectors WHERE id = ?", keys)
            forget_codes(tx, partition, numbers)

        self.writing.write(unit)

    def flip(self, building: int) -> None:
        """Let a generation serve and remove the one before."""
        self.writing.write(lambda tx: flip(tx, building))
        while self.writing.write(drop_some):
            pass

    def look(
        self, partition: int, question: Floats, allowed: Mask | None = None
    ) -> tuple[bool, list[int], Ints]:
        """Return whether the back end was used, the ten nearest, and all hits."""
        self.near.prepare()

        def unit(tx: Transaction) -> tuple[bool, list[int], Ints]:
            last = tx.row(
                "SELECT coalesce(max(id), 0) FROM vectors WHERE id <= ?", (chunk_ids(partition)[1],)
            )
            count = max(0, first_integer(last) - chunk_id(partition, 0) + 1)
            codes = CodeMatrix(len(question))
            codes.refresh(tx, partition, count)
            source = CodeSource(partition, codes, count)
            scan: NearScan = self.near.scan(tx, source, question)
            hits = scan.nearest(OVERSAMPLED, None if allowed is None else allowed[:count])
            near = read_vectors(tx, partition, hits, len(question)) @ question
            best = hits[np.argsort(-near, kind="stable")[:10]]
            return isinstance(scan, BackedScan), best.tolist(), hits

        return self.database.read(unit)

    def top(self, partition: int, question: Floats, allowed: Mask | None = None) -> list[int]:
        """Return the ten nearest; the back end must have been used if there is one."""
        is_backed, best, _ = self.look(partition, question, allowed)
        assert is_backed == (self.near.status(1).requested != "memory"), self.near.status(1)
        return best

    def close(self) -> None:
        """Close everything."""
        self.near.close()
        self.database.close()


QUESTIONS = questions(12)

OpenVectors = Callable[[], VectorHome]
"""Opens a home; the same one when called again."""


@contextmanager
def opening(folder: Path, settings: VectorSettings) -> Iterator[OpenVectors]:
    """Yield a function that opens a home in ``folder``; all are closed at the end."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(closing(VectorHome(folder, settings)))


def filled(home: VectorHome, count: int = MANY, seed: int = 1) -> int:
    """Return a partition with vectors that are in the back end too."""
    partition = home.partition(home.generation())
    home.add(partition, drawn(count, seed))
    home.near.catch_up()
    return partition


def it_finds_the_ten_nearest(open_home: OpenVectors) -> None:
    """For every question, the answer equals that of comparing all."""
    home = open_home()
    partition = filled(home)
    for question in QUESTIONS:
        assert home.top(partition, question) == exact_top(drawn(MANY), question)


def it_finds_the_nearest_of_a_scope(open_home: OpenVectors) -> None:
    """A scope is filtered exactly, a wide one as well as a narrow one."""
    home = open_home()
    partition = filled(home)
    for share in (0.9, 0.4, 0.02, 0.005):
        allowed = np.random.default_rng(5).random(MANY) < share
        for question in QUESTIONS[:4]:
            expected = exact_top(drawn(MANY), question, allowed)
            assert home.top(partition, question, allowed) == expected


def it_forgets_what_was_removed(open_home: OpenVectors) -> None:
    """Removed vectors are no longer found, and gone from the back end."""
    home = open_home()
    partition = filled(home)
    first = exact_top(drawn(MANY), QUESTIONS[0])
    home.remove(partition, first[:5])
    home.near.catch_up()
    remaining = np.ones(MANY, np.bool_)
    remaining[first[:5]] = False
    assert home.top(partition, QUESTIONS[0]) == exact_top(drawn(MANY), QUESTIONS[0], remaining)
    assert home.near.check() == []


def it_follows_a_vector_that_changes(open_home: OpenVectors) -> None:
    """A second vector of a chunk replaces the first."""
    home = open_home()
    partition = filled(home, 600)
    vectors = drawn(600)
    vectors[7] = QUESTIONS[0]
    home.add(partition, vectors[7:8], first=7)
    home.near.catch_up()
    assert home.top(partition, QUESTIONS[0])[0] == 7
    assert home.near.check() == []


def it_keeps_tenants_apart(open_home: OpenVectors) -> None:
    """The nearest of one tenant never come from another."""
    home = open_home()
    generation = home.generation()
    one, two = home.partition(generation, "one"), home.partition(generation, "two")
    home.add(one, drawn(500, seed=1))
    home.add(two, drawn(500, seed=2))
    home.near.catch_up()
    for question in QUESTIONS[:3]:
        assert home.top(one, question) == exact_top(drawn(500, seed=1), question)
        assert home.top(two, question) == exact_top(drawn(500, seed=2), question)


def a_rebuild_with_other_dimensions_takes_over(open_home: OpenVectors) -> None:
    """Both generations answer while both exist; the retired one leaves nothing."""
    home = open_home()
    old = filled(home, 500)
    building = home.generation("building", dimensions=192)
    new = home.partition(building)
    home.add(new, drawn(500, dimensions=192))
    home.near.catch_up()
    assert home.top(old, QUESTIONS[0]) == exact_top(drawn(500), QUESTIONS[0])
    home.flip(building)
    home.near.catch_up()
    question = drawn(1, seed=3, dimensions=192)[0]
    assert home.top(new, question) == exact_top(drawn(500, dimensions=192), question)
    assert home.near.check() == []


def it_answers_after_reopening(open_home: OpenVectors) -> None:
    """What was copied is there the next time, and nothing is copied twice."""
    home = open_home()
    partition = filled(home, 500)
    home.close()
    again = open_home()
    assert again.near.status(DIMENSIONS).waiting == 0
    assert again.top(partition, QUESTIONS[1]) == exact_top(drawn(500), QUESTIONS[1])


def equal_vectors_are_all_found(open_home: OpenVectors) -> None:
    """The same text said five times is found five times."""
    home = open_home()
    partition = filled(home, 500)
    same = np.repeat(QUESTIONS[:1], 5, axis=0)
    home.add(partition, same, first=500)
    home.near.catch_up()
    assert sorted(home.top(partition, QUESTIONS[0])[:5]) == [500, 501, 502, 503, 504]


def an_empty_partition_has_nothing_near(open_home: OpenVectors) -> None:
    """An empty partition has no hits."""
    home = open_home()
    partition = home.partition(home.generation())
    home.near.catch_up()
    assert home.top(partition, QUESTIONS[0]) == []


def the_status_names_what_answers(open_home: OpenVectors) -> None:
    """The status has the back end, its availability, and the size of the vectors."""
    home = open_home()
    filled(home, 50)
    status = home.near.status(DIMENSIONS)
    assert status.used == status.requested == home.settings.backend
    assert (status.available, status.load_error) == (True, None)
    assert (status.enabled, status.dimensions, status.waiting) == (True, DIMENSIONS, 0)
    assert home.near.warnings() == []


CHECKS = (
    it_finds_the_ten_nearest,
    it_finds_the_nearest_of_a_scope,
    it_forgets_what_was_removed,
    it_follows_a_vector_that_changes,
    it_keeps_tenants_apart,
    a_rebuild_with_other_dimensions_takes_over,
    it_answers_after_reopening,
    equal_vectors_are_all_found,
    an_empty_partition_has_nothing_near,
    the_status_names_what_answers,
)
