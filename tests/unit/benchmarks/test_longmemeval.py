"""LongMemEval: ids that give the answer away are replaced, sessions sorted by date."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import msgspec
import pytest

from benchmarks.datasets.longmemeval import FILE, load_longmemeval
from recollect.core.errors import InvalidInput


def _rewrite(folder: Path, change: dict[str, object]) -> None:
    path = folder.joinpath(*FILE)
    (record,) = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps(record | change).encode()))


def test_sessions_are_sorted_and_renamed(data_folder: Path) -> None:
    """Pitfall C.2: ``answer_`` in a session id and ``has_answer`` in a turn are leaks."""
    loaded = load_longmemeval(data_folder)

    (conversation,) = loaded.conversations
    assert [session.turns[0].text for session in conversation.sessions] == [
        "hello",
        "I did finish my biology degree",
    ]
    encoded = msgspec.json.encode(loaded)
    assert b"answer_" not in encoded
    assert b"SECRET-ANSWER" not in encoded


def test_flagged_turns_are_gold(data_folder: Path) -> None:
    """Turn level, in the order after sorting."""
    (asked,) = load_longmemeval(data_folder).questions

    assert (asked.group, asked.gold) == ("single-session-user", ("haystack/1/0",))


def test_record_without_a_list_is_read_too(data_folder: Path) -> None:
    """Some copies hold the record itself."""
    _rewrite(data_folder, {})

    assert len(load_longmemeval(data_folder).questions) == 1


def test_question_without_flagged_turns_is_not_asked(data_folder: Path) -> None:
    """Abstention records have no evidence."""
    _rewrite(
        data_folder,
        {"haystack_sessions": [[{"role": "user", "content": "hello"}], []]},
    )

    assert load_longmemeval(data_folder).questions == ()


@pytest.mark.parametrize(
    "change", [{"haystack_dates": []}, {"haystack_dates": ["today", "tomorrow"]}]
)
def test_other_dates_are_refused(data_folder: Path, change: dict[str, object]) -> None:
    """Too few dates, or in another form."""
    _rewrite(data_folder, change)

    with pytest.raises(InvalidInput):
        load_longmemeval(data_folder)


def test_empty_file_is_refused(data_folder: Path) -> None:
    """A list without a record."""
    data_folder.joinpath(*FILE).write_bytes(gzip.compress(b"[]"))

    with pytest.raises(InvalidInput, match="empty"):
        load_longmemeval(data_folder)
