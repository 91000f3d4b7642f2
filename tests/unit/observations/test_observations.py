"""Observations: recorded once, found by what they say, read back by number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.errors import Conflict, InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory

WORDS_ONLY = {"embedding.provider": "none"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory for words only."""
    with recollect.open(tmp_path / "home", overrides=WORDS_ONLY) as opened:
        yield opened


@pytest.fixture
def session(memory: Memory) -> str:
    """A session of the owner's."""
    return memory.sessions.create(project="/srv/app").id


def test_what_a_tool_did_is_recorded_and_found_by_its_title(memory: Memory, session: str) -> None:
    """docs/observations.md: every tool use is captured; the index line finds it."""
    observation = memory.observations.record(
        session,
        "Edit",
        input={"file_path": "src/cron.py", "old_string": "a", "new_string": "b\nc"},
        output={"filePath": "src/cron.py", "userModified": False},
        tool_use_id="toolu_1",
    )
    assert (observation.number, observation.type, observation.files) == (
        1,
        "code_change",
        ("src/cron.py",),
    )
    assert (observation.title, observation.summary) == ("Edit src/cron.py", "1 file, -1 +2 lines")
    assert (observation.project, observation.trust, observation.event) == (
        "/srv/app",
        "tool",
        "tool",
    )
    (hit,) = memory.search("cron.py edit", sources=["observations"]).hits
    assert (hit.source, hit.ref, hit.session_id) == ("observations", observation.id, session)
    assert hit.snippet.startswith("Edit src/cron.py")
    assert memory.observations.get("#1").found == (observation,)


def test_raw_output_is_never_what_is_searched(memory: Memory, session: str) -> None:
    """docs/observations.md: title, summary, files and error line are; output and input are not."""
    memory.observations.record(
        session, "Bash", input={"command": "pytest", "description": "Run the tests"},
        output="xylophone passed", error="Exit code 1\nzeppelin: AssertionError\n1 failed",
    )  # fmt: skip
    counts = {word: len(memory.search(word, sources=["observations"]).hits)
             for word in ("tests", "zeppelin", "xylophone")}  # fmt: skip
    assert counts == {"tests": 1, "zeppelin": 1, "xylophone": 0}


def test_the_same_tool_use_is_one_observation(memory: Memory, session: str) -> None:
    """Complaint 22: by session, tool use and event, and by the caller's event id."""
    record = memory.observations.record
    first = record(session, "Read", input={"file_path": "a"}, tool_use_id="t")
    assert record(session, "Read", input={"file_path": "b"}, tool_use_id="t") == first
    failed = record(session, "Read", input={"file_path": "b"}, tool_use_id="t", error="no")
    assert failed.number == 2
    with_event_id = record(session, summary="We decided to use Redis.", event_id="e")
    assert record(session, summary="Something else", event_id="e") == with_event_id
    other = memory.sessions.create().id
    assert record(other, summary="Something else", event_id="e").number == 4
    assert [o.number for o in memory.observations.list()] == [4, 3, 2, 1]


def test_an_event_that_comes_again_is_one_whatever_its_tool_use(
    memory: Memory, session: str
) -> None:
    """The id of the event says that it is the same; programs renumber their calls."""
    observations = [
        memory.observations.record(session, "Bash", event_id="e1", tool_use_id=use, output="tea")
        for use in ("toolu_1", "toolu_2")
    ]
    assert observations[0] == observations[1]
    assert len(memory.observations.list()) == 1


def test_many_are_stored_together_or_not_at_all(memory: Memory, session: str) -> None:
    """One transaction; the error says which one is wrong, and no number is taken."""
    good = {"session_id": session, "summary": "We decided to use Redis."}
    with pytest.raises(InvalidInput) as refused:
        memory.observations.record_many([good, {**good, "importance": 2}])
    assert refused.value.facts["item"] == 1
    with pytest.raises(NotFound):
        memory.observations.record_many([good, {**good, "session_id": "none"}])
    assert memory.observations.list() == []
    observations = memory.observations.record_many([good, {**good, "type": "my_own"}])
    assert [(o.number, o.type) for o in observations] == [(1, "decision"), (2, "my_own")]


def test_a_forgotten_observation_is_nowhere_until_it_is_restored(
    memory: Memory, session: str
) -> None:
    """Complaint 13: forget and restore; the number stays its own."""
    observation = memory.observations.record(session, summary="We decided to use Redis.")
    memory.observations.forget("#1")
    assert memory.observations.get(["#1", observation.id]).missing == ("#1", observation.id)
    assert memory.observations.list() == []
    assert memory.search("redis", sources=["observations"]).hits == []
    assert [o.number for o in memory.observations.list(forgotten=True)] == [1]
    assert memory.observations.restore(observation.id) == observation
    assert [h.ref for h in memory.search("redis", sources=["observations"]).hits] == [
        observation.id
    ]


def test_long_output_has_head_and_tail_in_its_row_and_is_whole_in_a_blob(
    memory: Memory, session: str
) -> None:
    """Complaint 17: a cap per field with head and tail, the whole by hash."""
    output = "".join(f"line {n}\n" for n in range(10_000))
    observation = memory.observations.record(
        session, "Bash", input={"command": "seq"}, output=output
    )
    assert observation.output_blob is not None
    assert len(observation.output) <= 16_000
    assert observation.output.startswith("line 0\n")
    assert observation.output.endswith("line 9999\n")
    assert "characters left out" in observation.output
    (whole,) = memory.observations.get("#1", max_tokens=None).found
    assert whole.output == output
    batch = memory.observations.get(["#1"])
    assert batch.tokens <= 1_000
    assert batch.found[0].output.startswith("line 0\n")


def test_ids_come_back_in_their_order_and_what_is_missing_is_named(
    memory: Memory, session: str
) -> None:
    """docs/observations.md: a batch keeps the order and lists what is missing."""
    one, two = (memory.observations.record(session, summary=s) for s in ("One thing", "Another"))
    batch = memory.observations.get(["#9", two.id, "#1"])
    assert batch.found == (two, one)
    assert batch.missing == ("#9",)
    with pytest.raises(InvalidInput, match="UUID or a number such as #12"):
        memory.observations.get("12; DROP TABLE observations")


def test_secrets_are_taken_out_before_anything_is_stored(memory: Memory, session: str) -> None:
    """docs/observations.md: redacted, tool names and paths as well."""
    key = "sk-ant-api03-" + "a1B2c3D4" * 12
    observation = memory.observations.record(
        session, f"tool {key}", input={"file_path": f"/home/{key}/a"}, output=f"key {key}",
        title=f"see {key}", error=f"Error: {key}", project=f"/p/{key}", agent_id=key,
    )  # fmt: skip
    assert key not in repr(observation)
    memory.close()
    assert not [p for p in memory.home.rglob("*") if p.is_file() and key.encode() in p.read_bytes()]


def test_a_deleted_session_takes_no_observation_and_shows_none(
    memory: Memory, session: str
) -> None:
    """As its messages: not found until it is restored."""
    observation = memory.observations.record(session, summary="We decided to use Redis.")
    memory.sessions.set_status(session, "deleted")
    assert memory.search("redis", sources=["observations"]).hits == []
    assert memory.observations.get(observation.id).missing == (observation.id,)
    with pytest.raises(Conflict, match="deleted"):
        memory.observations.record(session, summary="More")
    memory.sessions.set_status(session, "active")
    assert [h.ref for h in memory.search("redis", sources=["observations"]).hits] == [
        observation.id
    ]


def test_another_scope_sees_none_of_it(memory: Memory, session: str) -> None:
    """DESIGN, decision 6: the owner is part of the query itself."""
    observation = memory.observations.record(session, summary="We decided to use Redis.")
    with recollect.open(memory.home, overrides=WORDS_ONLY, scope=Scope(user="eve")) as other:
        assert other.observations.get([observation.id, "#1"]).missing == (observation.id, "#1")
        assert other.observations.list() == []
        with pytest.raises(NotFound):
            other.observations.record(session, summary="Hello")
        with pytest.raises(NotFound):
            other.observations.forget(observation.id)
