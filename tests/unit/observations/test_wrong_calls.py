"""Observations that cannot be: each is refused with what must be, and nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import InvalidInput
from recollect.memory import Memory
from recollect.observations.draft import MAX_PAYLOAD_BYTES


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory with one session, for words only."""
    home = tmp_path_factory.mktemp("wrong") / "home"
    words_only = {"embedding.provider": "none"}
    with recollect.open(home, overrides=words_only, live=False) as opened:
        opened.sessions.create()
        yield opened


WRONG: dict[str, dict[str, Any]] = {
    "a type": {"type": ""},
    "a long type": {"type": "x" * 600},
    "a tool": {"tool_name": 7},
    "a title": {"title": 7},
    "files that are no list": {"files": 7},
    "files that are no texts": {"files": [7]},
    "an importance above 1": {"importance": 1.5},
    "an importance that is no number": {"importance": True},
    "a trust": {"trust": "nobody"},
    "an event": {"event": "explosion"},
    "an id of a tool use": {"tool_use_id": "two\nlines"},
    "an id of an event": {"event_id": ""},
    "a time": {"at": "yesterday"},
    "an input that is no JSON": {"input": object()},
    "an output that is too large": {"output": "x" * (MAX_PAYLOAD_BYTES + 1)},
}


@pytest.mark.parametrize("given", WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_stored_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    """By a clear error, also within many, where it tells which one."""
    (session,) = memory.sessions.list()
    with pytest.raises(InvalidInput) as caught:
        memory.observations.record(session.id, **{"summary": "it rained", **given})
    assert caught.value.hint
    sound = {"session_id": session.id, "summary": "it rained"}
    with pytest.raises(InvalidInput) as among:
        memory.observations.record_many([sound, {**sound, **given}])
    assert among.value.facts["item"] == 1
    assert memory.observations.list() == []


@pytest.mark.parametrize("item", [7, {}, {"session_id": "s", "sumary": "a"}])
def test_an_item_that_is_no_observation_is_refused(memory: Memory, item: Any) -> None:
    """The hint has the names that there are."""
    with pytest.raises(InvalidInput) as caught:
        memory.observations.record_many([item])
    assert "summary" in caught.value.hint


@pytest.mark.parametrize("wrong", ["#0", "#", "12", "m1", "", "#99999999999999999999"])
def test_an_id_that_cannot_be_one_is_refused(memory: Memory, wrong: str) -> None:
    """A number of another kind, too."""
    with pytest.raises(InvalidInput, match="an id must be"):
        memory.observations.get([wrong])


@pytest.mark.parametrize("wrong", [12, None, [12], [None]])
def test_ids_that_are_no_texts_are_refused(memory: Memory, wrong: Any) -> None:
    """By the details of every kind as well."""
    for get in (memory.observations.get, memory.get):
        with pytest.raises(InvalidInput, match="ids must be a text or a list"):
            get(wrong)


def test_a_context_or_project_of_no_text_is_refused(memory: Memory) -> None:
    """Whatever a program passes by mistake."""
    (session,) = memory.sessions.list()
    wrong: Any = 7
    for call in (
        lambda: memory.context(session.id, wrong),
        lambda: memory.context(session.id, client=wrong),
        lambda: memory.projects.alias(wrong, "tea"),
        lambda: memory.projects.merge("tea", wrong),
    ):
        with pytest.raises(InvalidInput, match="must be a text"):
            call()


@pytest.mark.parametrize(
    "given",
    [
        {"limit": 0},
        {"since": "now"},
        {"until": -1},
        {"min_importance": "high"},
        {"types": [7]},
    ],
)
def test_a_filter_that_cannot_be_one_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    """It would find nothing without a word."""
    with pytest.raises(InvalidInput):
        memory.observations.list(**given)


def test_filters_narrow_a_list(tmp_path: Path) -> None:
    """Each by itself; the newest first."""
    with recollect.open(tmp_path / "home", live=False) as memory:
        session = memory.sessions.create(project="/srv/rain").id
        said = {"session_id": session, "type": "decision", "summary": "jars", "at": 1_000_000}
        read = {"session_id": session, "tool_name": "Read", "input": {"file_path": "a"}}
        early, late = memory.observations.record_many([said, {**read, "at": 2_000_000}])
        listed = memory.observations.list
        assert listed(session_id=session) == [late, early]
        assert listed(since=1_500_000, until=3_000_000) == [late]
        assert listed(types="decision", project="/srv/rain") == [early]
        assert listed(tool_name="Read") == [late]
        assert listed(min_importance=0.6) == [early]
        forgotten = memory.observations.forget(f"#{early.number}")
        assert (listed(session_id=session), listed(forgotten=True)) == ([late], [forgotten])
