"""Every vector back end passes the conformance suite: the same ten nearest."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from recollect.testing import vector_suite
from recollect.testing.vector_suite import QUESTIONS, OpenVectors, drawn, exact_top, filled


def test_it_finds_the_ten_nearest(open_home: OpenVectors) -> None:
    """Whatever is asked, the answer is that of comparing all."""
    vector_suite.it_finds_the_ten_nearest(open_home)


def test_it_finds_the_nearest_of_a_scope(open_home: OpenVectors) -> None:
    """A scope is filtered exactly, a wide one as well as a narrow one."""
    vector_suite.it_finds_the_nearest_of_a_scope(open_home)


def test_it_forgets_what_was_removed(open_home: OpenVectors) -> None:
    """What is removed is not found any more, and gone from the back end."""
    vector_suite.it_forgets_what_was_removed(open_home)


def test_it_follows_a_vector_that_changes(open_home: OpenVectors) -> None:
    """A second vector of a chunk takes the place of the first."""
    vector_suite.it_follows_a_vector_that_changes(open_home)


def test_it_keeps_tenants_apart(open_home: OpenVectors) -> None:
    """The nearest of one tenant never come from another."""
    vector_suite.it_keeps_tenants_apart(open_home)


def test_a_rebuild_with_other_dimensions_takes_over(open_home: OpenVectors) -> None:
    """Both generations answer while both are there; the retired one leaves nothing."""
    vector_suite.a_rebuild_with_other_dimensions_takes_over(open_home)


def test_it_answers_after_reopening(open_home: OpenVectors) -> None:
    """What was brought over is there the next time, and nothing is brought over twice."""
    vector_suite.it_answers_after_reopening(open_home)


def test_it_takes_in_what_another_process_wrote(open_home: OpenVectors) -> None:
    """Until what a process without the back end wrote is brought over, memory answers."""
    home = open_home()
    partition = filled(home, 500)
    subprocess.run([sys.executable, "-c", OTHER, str(home.folder), str(partition)], check=True)
    both = np.concatenate([drawn(500), drawn(200, seed=8)])
    _, best, _ = home.look(partition, QUESTIONS[2])
    assert best == exact_top(both, QUESTIONS[2])
    home.near.catch_up()
    assert home.top(partition, QUESTIONS[2]) == exact_top(both, QUESTIONS[2])


def test_equal_vectors_are_all_found(open_home: OpenVectors) -> None:
    """The same text said five times is found five times."""
    vector_suite.equal_vectors_are_all_found(open_home)


def test_an_empty_partition_has_nothing_near(open_home: OpenVectors) -> None:
    """Nothing is found where nothing is."""
    vector_suite.an_empty_partition_has_nothing_near(open_home)


def test_the_status_names_what_answers(open_home: OpenVectors) -> None:
    """The status tells the back end, that it is there, and the size of the vectors."""
    vector_suite.the_status_names_what_answers(open_home)


OTHER = """
import sys
from pathlib import Path
from recollect.core.settings import VectorSettings
from recollect.core.clock import SystemClock
from recollect.testing.vector_suite import VectorHome, drawn
home = VectorHome(Path(sys.argv[1]), VectorSettings(), SystemClock())
home.add(int(sys.argv[2]), drawn(200, seed=8), first=500)
home.close()
"""
