"""One suite for every vector back end: the same vectors give the same ten nearest."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from recollect.core.settings import VectorSettings
from tests.unit.index.vectors.conftest import Opened
from tests.unit.index.vectors.vector_home import DIMENSIONS, VectorHome, drawn, exact_top, questions

MANY = 1_500
QUESTIONS = questions(12)


def filled(home: VectorHome, count: int = MANY, seed: int = 1) -> int:
    """Return a partition with vectors that the back end has too."""
    partition = home.partition(home.generation())
    home.add(partition, drawn(count, seed))
    home.near.catch_up()
    return partition


def test_it_finds_the_ten_nearest(open_vectors: Opened, vector_settings: VectorSettings) -> None:
    """Whatever is asked, the answer is that of comparing all."""
    home = open_vectors(vector_settings)
    partition = filled(home)
    for question in QUESTIONS:
        assert home.top(partition, question) == exact_top(drawn(MANY), question)


@pytest.mark.parametrize("share", [0.9, 0.4, 0.02, 0.005])
def test_it_finds_the_nearest_of_a_scope(
    open_vectors: Opened, vector_settings: VectorSettings, share: float
) -> None:
    """A scope is filtered exactly, a wide one as well as a narrow one."""
    home = open_vectors(vector_settings)
    partition = filled(home)
    allowed = np.random.default_rng(5).random(MANY) < share
    for question in QUESTIONS[:4]:
        expected = exact_top(drawn(MANY), question, allowed)
        assert home.top(partition, question, allowed) == expected


def test_it_forgets_what_was_removed(open_vectors: Opened, vector_settings: VectorSettings) -> None:
    """What is removed is not found any more, and gone from the back end."""
    home = open_vectors(vector_settings)
    partition = filled(home)
    first = exact_top(drawn(MANY), QUESTIONS[0])
    home.remove(partition, first[:5])
    home.near.catch_up()
    left = np.ones(MANY, np.bool_)
    left[first[:5]] = False
    assert home.top(partition, QUESTIONS[0]) == exact_top(drawn(MANY), QUESTIONS[0], left)
    assert home.near.check() == []


def test_it_follows_a_vector_that_changes(
    open_vectors: Opened, vector_settings: VectorSettings
) -> None:
    """A second vector of a chunk takes the place of the first."""
    home = open_vectors(vector_settings)
    partition = filled(home, 600)
    vectors = drawn(600)
    vectors[7] = QUESTIONS[0]
    home.add(partition, vectors[7:8], first=7)
    home.near.catch_up()
    assert home.top(partition, QUESTIONS[0])[0] == 7
    assert home.near.check() == []


def test_it_keeps_tenants_apart(open_vectors: Opened, vector_settings: VectorSettings) -> None:
    """The nearest of one tenant never come from another."""
    home = open_vectors(vector_settings)
    generation = home.generation()
    one, two = home.partition(generation, "one"), home.partition(generation, "two")
    home.add(one, drawn(500, seed=1))
    home.add(two, drawn(500, seed=2))
    home.near.catch_up()
    for question in QUESTIONS[:3]:
        assert home.top(one, question) == exact_top(drawn(500, seed=1), question)
        assert home.top(two, question) == exact_top(drawn(500, seed=2), question)


def test_a_rebuild_with_other_dimensions_takes_over(
    open_vectors: Opened, vector_settings: VectorSettings
) -> None:
    """Both generations answer while both are there; the retired one leaves nothing."""
    home = open_vectors(vector_settings)
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


def test_it_answers_after_reopening(open_vectors: Opened, vector_settings: VectorSettings) -> None:
    """What was brought over is there the next time, and nothing is brought over twice."""
    home = open_vectors(vector_settings)
    partition = filled(home, 500)
    home.close()
    again = open_vectors(vector_settings)
    assert again.near.status(DIMENSIONS).waiting == 0
    assert again.top(partition, QUESTIONS[1]) == exact_top(drawn(500), QUESTIONS[1])


def test_it_takes_in_what_another_process_wrote(
    open_vectors: Opened, vector_settings: VectorSettings
) -> None:
    """Until what a process without the back end wrote is brought over, memory answers."""
    home = open_vectors(vector_settings)
    partition = filled(home, 500)
    subprocess.run([sys.executable, "-c", OTHER, str(home.folder), str(partition)], check=True)
    both = np.concatenate([drawn(500), drawn(200, seed=8)])
    _, best, _ = home.look(partition, QUESTIONS[2])
    assert best == exact_top(both, QUESTIONS[2])
    home.near.catch_up()
    assert home.top(partition, QUESTIONS[2]) == exact_top(both, QUESTIONS[2])


def test_equal_vectors_are_all_found(open_vectors: Opened, vector_settings: VectorSettings) -> None:
    """The same text said five times is found five times."""
    home = open_vectors(vector_settings)
    partition = filled(home, 500)
    same = np.repeat(QUESTIONS[:1], 5, axis=0)
    home.add(partition, same, first=500)
    home.near.catch_up()
    assert sorted(home.top(partition, QUESTIONS[0])[:5]) == [500, 501, 502, 503, 504]


def test_an_empty_partition_has_nothing_near(
    open_vectors: Opened, vector_settings: VectorSettings
) -> None:
    """Nothing is found where nothing is."""
    home = open_vectors(vector_settings)
    partition = home.partition(home.generation())
    home.near.catch_up()
    assert home.top(partition, QUESTIONS[0]) == []


def test_the_status_names_what_answers(
    open_vectors: Opened, vector_settings: VectorSettings
) -> None:
    """The status tells the back end, that it is there, and the size of the vectors."""
    home = open_vectors(vector_settings)
    filled(home, 50)
    status = home.near.status(DIMENSIONS)
    assert status.used == status.requested == vector_settings.backend
    assert (status.available, status.load_error) == (True, None)
    assert (status.enabled, status.dimensions, status.waiting) == (True, DIMENSIONS, 0)
    assert home.near.warnings() == []


OTHER = """
import sys
from pathlib import Path
from recollect.core.settings import VectorSettings
from tests.unit.index.vectors.vector_home import SteppedClock, VectorHome, drawn
home = VectorHome(Path(sys.argv[1]), VectorSettings(), SteppedClock())
home.add(int(sys.argv[2]), drawn(200, seed=8), first=500)
home.close()
"""
