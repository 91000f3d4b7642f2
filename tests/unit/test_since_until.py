"""A search may be narrowed to when something was said."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.clock import to_ms
from recollect.core.errors import InvalidInput
from recollect.memory import Memory

NOW = to_ms(datetime(2026, 11, 18, 15, tzinfo=UTC))
"""A Wednesday."""


class Still:
    """A clock that stands still."""

    def now_ms(self) -> int:
        """Return that Wednesday."""
        return NOW


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory in which the gasket was spoken of on some days, and written of in files."""
    notes = tmp_path / "workspace" / "memory"
    notes.mkdir(parents=True)
    for name, text in (
        ("2026-11-16.md", "the gasket came\n"),
        ("seal.md", "# Of 12 November 2026\nthe gasket was ordered\n"),
        ("changed.md", "the gasket is black\n"),
        ("undated.md", "the gasket is round\n"),
    ):
        (notes / name).write_text(text, "utf-8")
        os.utime(notes / name, (0, 0) if name == "undated.md" else (NOW / 1000, NOW / 1000))
    overrides = {"embedding.provider": "none", "sessions.time_zone": "Europe/Berlin"}
    opened = recollect.open(
        tmp_path / "home", notes.parent, overrides=overrides, clock=Still(), live=False
    )
    with opened as memory:
        session = memory.sessions.create().id
        for day in (1, 11, 17):
            at = datetime(2026, 11, day, 22, 30, tzinfo=UTC)
            memory.sessions.append(session, "user", f"the gasket on {day}", at=at)
        memory.observations.record(session, summary="changed the gasket", at=NOW)
        memory.sync()
        yield memory


def found(memory: Memory, **wanted: Any) -> set[str]:
    """Return what is found of the gasket."""
    hits = memory.search("gasket", 50, **wanted).hits
    return {hit.path.rpartition("/")[2] if hit.path else hit.snippet for hit in hits}


ALL = {
    *("the gasket on 1", "the gasket on 11", "the gasket on 17", "changed the gasket"),
    *("2026-11-16.md", "seal.md", "changed.md", "undated.md"),
}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({}, ALL),
        ({"since": "yesterday"}, {"the gasket on 17", "changed the gasket", "changed.md"}),
        ({"since": "last week", "until": "last week"}, {"the gasket on 11", "seal.md"}),
        ({"since": "2026-11-16", "until": "2026-11-16"}, {"2026-11-16.md"}),
        ({"until": datetime(2026, 11, 1, 22, 30, tzinfo=UTC)}, set()),
        ({"until": datetime(2026, 11, 1, 22, 31, tzinfo=UTC)}, {"the gasket on 1"}),
        (
            {"since": to_ms(datetime(2026, 11, 16, 20, tzinfo=UTC)), "until": "2026-11-17"},
            {"2026-11-16.md", "the gasket on 17"},
        ),
        ({"since": "letzte Woche", "until": "11月12日"}, {"the gasket on 11", "seal.md"}),
        ({"since": "3h"}, {"changed the gasket", "changed.md"}),
    ],
)
def test_only_what_was_said_then_is_found(
    memory: Memory, wanted: dict[str, Any], expected: set[str]
) -> None:
    """Half-open, in the days of the user; a note of a day is in a range with any part of it."""
    assert found(memory, **wanted) == expected


def test_a_file_without_a_date_is_left_out_and_that_is_said(memory: Memory) -> None:
    """Not where nobody asked for a time, and not to who does not see it."""
    told = memory.search("gasket", since="2020-01-01").warnings
    assert [warning for warning in told if "without a date" in warning]
    assert not memory.search("gasket").warnings
    assert not memory.search("gasket", since="2020-01-01", sources=["sessions"]).warnings


def test_the_filter_leaves_room_for_what_is_left(memory: Memory) -> None:
    """It is part of the query: hits outside of the range take no places."""
    assert found(memory, since="2026-11-01", until="2026-11-02") == {"the gasket on 1"}
    hits = memory.search("gasket", 1, since="2026-11-01", until="2026-11-02").hits
    assert [hit.snippet for hit in hits] == ["the gasket on 1"]


@pytest.mark.parametrize("given", ["soon", "", "2026-13-01", "tea last week"])
def test_what_is_no_time_is_refused(memory: Memory, given: str) -> None:
    """With examples of what is."""
    with pytest.raises(InvalidInput) as refused:
        memory.search("gasket", since=given)
    assert "last week" in (refused.value.hint or "")


def test_what_a_question_says_of_time_is_a_strong_part_of_the_score(memory: Memory) -> None:
    """In the words of a question, and shown."""
    for question in ("gasket last week", "gasket letzte Woche", "gasket 先週"):
        best = memory.search(question, sources=["sessions"]).hits[0]
        assert best.snippet == "the gasket on 11"
        assert best.why["date"] > 0.1


def test_a_question_of_time_alone_is_answered_from_that_time(memory: Memory) -> None:
    """Even where no word of it is in what was said."""
    hits = memory.search("what happened yesterday?", sources=["sessions"]).hits
    assert hits[0].snippet == "the gasket on 17"


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory, **span: memory.search("gasket", **span),
        lambda memory, **span: memory.observations.timeline(query="gasket", **span),
        lambda memory, **span: memory.sessions.list(**span),
        lambda memory, **span: memory.observations.list(**span),
    ],
)
def test_a_span_that_ends_before_it_begins_is_refused_everywhere(memory: Memory, ask: Any) -> None:
    """Nothing can lie in it; an empty answer would say that nothing was said."""
    early, late = (datetime(2026, 11, day, tzinfo=UTC) for day in (10, 12))
    ask(memory, since=early, until=late)
    for since, until in ((late, early), (late, late)):
        with pytest.raises(InvalidInput, match="since must be before until"):
            ask(memory, since=since, until=until)
