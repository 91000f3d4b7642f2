"""BEAM: sessions are batches, gold is flattened, abstention is not asked."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from benchmarks.datasets.beam import flatten_ids, load_beam, load_wishes
from recollect.core.clock import to_datetime
from recollect.core.errors import InvalidInput, NotFound


def test_batches_become_dated_sessions(data_folder: Path) -> None:
    """A batch without its own anchor goes on where the last one was."""
    (chat,) = load_beam(data_folder).conversations

    assert [len(session.turns) for session in chat.sessions] == [2, 2, 1]
    days = [to_datetime(session.turns[0].at).date().isoformat() for session in chat.sessions]
    assert days == ["2024-03-15", "2024-04-05", "2024-04-05"]
    assert [turn.role for turn in chat.sessions[0].turns] == ["user", "assistant"]


def test_gold_is_flattened_and_only_what_exists(data_folder: Path) -> None:
    """Protocol C.3: abstention and questions without ids are skipped."""
    asked = load_beam(data_folder).questions

    assert [(one.group, one.gold) for one in asked] == [
        ("knowledge_update", ("100K-01/0", "100K-01/2")),
        ("event_ordering", ("100K-01/4",)),
    ]


def test_what_is_behind_a_question_is_apart_from_it(data_folder: Path) -> None:
    """The product is asked the question alone."""
    assert load_wishes(data_folder) == {"100K-01/preference_following-0": "I prefer Django."}
    assert b"I prefer" not in msgspec.json.encode(load_beam(data_folder))


def test_answers_and_message_labels_never_leave_the_file(data_folder: Path) -> None:
    """Leak guard: ``question_type`` of a message says where the gold is."""
    loaded = msgspec.json.encode(load_beam(data_folder))

    assert b"SECRET-ANSWER" not in loaded
    assert b"leak" not in loaded


def test_ids_of_any_shape_are_flattened() -> None:
    """Lists, dictionaries of lists, lists of lists, nothing."""
    assert list(flatten_ids([1, [2, [3]]])) == [1, 2, 3]
    assert list(flatten_ids({"a": [1], "b": 2})) == [1, 2]
    assert list(flatten_ids(None)) == []
    assert list(flatten_ids("7")) == []


def test_missing_tier_is_named(data_folder: Path) -> None:
    """Only one tier is there."""
    with pytest.raises(NotFound, match="beam/500K"):
        load_beam(data_folder, "500K")


def test_damaged_chat_is_refused(data_folder: Path) -> None:
    """Not gzip, not JSON of this shape, not a date."""
    path = data_folder / "beam" / "100K" / "01.json.gz"
    good = gzip.decompress(path.read_bytes())
    for content in (
        b"plain",
        gzip.compress(b"{}"),
        gzip.compress(good.replace(b"March-15", b"15 of March")),
    ):
        path.write_bytes(content)
        with pytest.raises(InvalidInput):
            load_beam(data_folder)
