"""The race beside peers, with those that need no environment of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from benchmarks.datasets.corpus import Conversation, DatedSession, DialogueSet, Question, Turn
from benchmarks.load.clustered import ClusteredEmbedder
from benchmarks.measure.environment import describe_environment
from benchmarks.output import print_tables
from benchmarks.peers.material import QUESTION_WORDS, write_synthetic
from benchmarks.peers.peers import PEERS, interpreter_of
from benchmarks.peers.race import (
    PeerCost,
    PeerProcess,
    PeerRun,
    Race,
    describe_peers,
    peer_grids,
)
from benchmarks.peers.store import Material
from recollect.core.errors import StoreError

HERE = tuple(
    msgspec.structs.replace(peer, requirements=())
    for peer in PEERS
    if peer.module in {"ours", "fts5"}
)
"""Peers that run where the tests run."""


def test_the_material_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Sixty words a text, eight a question, and each text has its own vector again."""
    write_synthetic(tmp_path / "material", 700, 20, seed=7)
    material = Material(tmp_path / "material")
    items = [item for block in material.read(700) for item in block]
    assert [item.number for item in items] == list(range(700))
    assert {len(item.text.split()) for item in items} == {60}
    questions = material.questions()
    assert {len(question.text.split()) for question in questions} == {QUESTION_WORDS}
    find = material.by_text()
    assert all((find(item.said) == item.vector).all() for item in items[::50])
    assert all((find(question.text) == question.vector).all() for question in questions)
    with pytest.raises(KeyError):
        find("never written")
    assert list(material.read(1)) == []
    find.close()
    material.close()


def test_peers_are_measured_side_by_side_and_leave_nothing(tmp_path: Path) -> None:
    """Each is filled, asked, and opened once more by a reader."""
    race = Race(tmp_path, HERE, lambda *_: None)
    costs = race.costs(150, seed=7)
    assert [cost.peer for cost in costs] == ["recollect", "FTS5"]
    for cost in costs:
        least, middle, most = cost.search_ms
        assert 0 < least <= middle <= most
        assert min(*cost.bulk, *(cost.single or ()), cost.disk_bytes) > 0
    assert list(tmp_path.iterdir()) == []
    run = PeerRun(environment=describe_environment(), peers=HERE, costs=costs, quality=())
    assert len(describe_peers(run)) == 3
    searches, keeping, peers = peer_grids(run)
    assert [len(grid.rows) for grid in (searches, keeping, peers)] == [2, 2, 2]
    assert {
        len(grid.columns) - len(row) for grid in (searches, keeping, peers) for row in grid.rows
    } == {0}


def test_what_peers_find_is_scored_on_the_same_questions(tmp_path: Path) -> None:
    """A word that only the gold has is found first by each of them."""
    turns = tuple(
        Turn(
            key=f"t{position}",
            role="user",
            name="Ann",
            text=f"talk of {word}",
            at=10**12 + position,
        )
        for position, word in enumerate(("pottery", "sailing", "chess"))
    )
    session = DatedSession(key="s", turns=turns)
    data = DialogueSet(
        name="small",
        digest="0",
        conversations=(Conversation(key="c", sessions=(session,)),),
        questions=tuple(
            Question(
                key=f"q{position}", cluster="c", group=group, text=text, gold=(f"t{position}",)
            )
            for position, (text, group) in enumerate(
                (("pottery?", "single-hop"), ("sailing?", "temporal"), ("chess?", "adversarial"))
            )
        ),
    )
    found = Race(tmp_path, HERE, lambda *_: None).quality(data, ClusteredEmbedder(7))
    assert [(each.peer, each.questions, each.recall, each.rank) for each in found] == [
        ("recollect", 2, 1.0, 1.0),
        ("FTS5", 2, 1.0, 1.0),
    ]


def test_a_peer_that_fails_says_why(tmp_path: Path) -> None:
    """The last line of its process is the message, and the hint says how to go on without it."""
    write_synthetic(tmp_path / "material", 150, 10, seed=7)
    with (
        PeerProcess(HERE[1], tmp_path / "material") as running,
        pytest.raises(
            StoreError, match="FTS5 failed at bulk: RuntimeError: nothing is open"
        ) as told,
    ):
        running.do("bulk", count=1)
    assert "--peer" in told.value.hint


def test_a_peer_without_requirements_runs_where_the_benchmarks_run(tmp_path: Path) -> None:
    """Nothing is installed for it."""
    assert interpreter_of(HERE[0], tmp_path) == Path(sys.executable)
    assert list(tmp_path.iterdir()) == []


def test_a_table_in_a_file_cuts_no_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """A column shows 2,651, not 2,6 and three dots, also where nobody can make the window wider."""
    cost = PeerCost(
        peer="LangGraph SQLite",
        version="10.10.10",
        texts=1_000_000,
        new_ms=1234.56,
        search_ms=(1234.56, 1234.56, 1234.56),
        search_wall_ms=1234.56,
        search_p95_ms=1234.56,
        bulk=(123_456, 123_456),
        single=(123_456, 123_456),
        memory_mb=12_345,
        reader_mb=12_345,
        disk_bytes=12_345,
    )
    run = PeerRun(environment=describe_environment(), peers=HERE, costs=(cost,), quality=())
    print_tables([], peer_grids(run))
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert printed.count("123,456") == 4
