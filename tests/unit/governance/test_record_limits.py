"""Limits of observations, blobs and other records: the newest stay, no blob in use ever goes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect.core.events import RecordsPruned
from recollect.core.settings import RecordLimits
from recollect.governance.record_limits import Capped, above
from recollect.memory import Memory
from recollect.observations.payload import MOST_PAYLOAD_CHARS
from recollect.store.blobs import Blobs
from recollect.store.sqlite.home import BLOBS
from tests.support.leftovers import files_that_hold
from tests.support.scripted_time import ScriptedTime

DAY = 86_400_000


def opened(home: Path, limits: dict[str, Any] | None = None, time: Any = None) -> Memory:
    """Return a memory with limits under ``retention``, and without a background."""
    settings = {f"retention.{key}": value for key, value in (limits or {}).items()}
    overrides = {"embedding.provider": "none", **settings}
    return recollect.open(home, overrides=overrides, live=False, clock=time)


def long(word: str) -> str:
    """Return an output whose whole lies in a blob."""
    return (word + " ") * MOST_PAYLOAD_CHARS


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (RecordLimits(), 4),
        (RecordLimits(days=2), 2),
        (RecordLimits(records=3), 3),
        (RecordLimits(bytes=25), 2),
        (RecordLimits(days=2, records=1), 1),
        (RecordLimits(bytes=5), 0),
    ],
)
def test_the_newest_stay(limits: RecordLimits, left: int) -> None:
    """Whatever limit it is; the oldest of what goes comes first."""
    now = 100 * DAY
    records = [Capped(n, now - n * DAY, 10, "local") for n in range(1, 5)]
    assert [each.key for each in above(records, limits, now)] == [4, 3, 2, 1][: 4 - left]


def test_old_observations_go_for_good(tmp_path: Path) -> None:
    """From lists, search and every file; numbers are not used again."""
    time = ScriptedTime()
    with opened(tmp_path, time=time) as memory:
        session = memory.sessions.create()
        memory.observations.record(session.id, "Bash", output=long("zorvexplum"), title="quibnav")
        time.pause(10 * DAY / 1_000)
        memory.observations.record(session.id, "Bash", title="second")
        memory.sync()
    with opened(tmp_path, {"observations.days": 5}, time) as memory:
        told = memory.prune(dry_run=True)
        assert (told.records["observations"].records, told.messages) == (1, 0)
        assert files_that_hold(tmp_path, "zorvexplum")
        report = memory.prune()
        assert report.is_clean
        assert report.records == told.records
        assert [each.number for each in memory.observations.list()] == [2]
        assert memory.search("quibnav").hits == []
        assert memory.observations.record(session.id, "Bash").number == 3
        (event,) = [found.event for found in memory.events.since(types=["records.pruned"])]
        assert isinstance(event, RecordsPruned)
        assert (event.kind, event.count) == ("observations", 1)
    assert files_that_hold(tmp_path, "zorvexplum") == []


def test_a_blob_above_the_size_goes_and_head_and_tail_stay(tmp_path: Path) -> None:
    """The row is sound, and says how much is left out."""
    with opened(tmp_path) as memory:
        session = memory.sessions.create()
        for word in ("first", "second"):
            memory.observations.record(session.id, "Bash", output=long(word))
    with opened(tmp_path, {"blobs.bytes": 150_000}) as memory:
        report = memory.prune()
        assert report.records["blobs"].records == 1
        first, second = memory.observations.get(["#1", "#2"], None).found
        assert first.output_blob is None
        assert "characters left out" in first.output
        assert second.output == long("second")
        assert len(Blobs(tmp_path / BLOBS).digests()) == 1


def test_events_above_the_number_go_but_not_those_of_backups(tmp_path: Path) -> None:
    """An erasure names the backups that still hold what it erases."""
    home = tmp_path / "home"
    with opened(home) as memory:
        memory.backup(tmp_path / "backup.tar")
        session = memory.sessions.create()
        for number in range(20):
            memory.sessions.append(session.id, "user", f"line {number}")
    with opened(home, {"events.records": 3}) as memory:
        memory.prune()
        kinds = [recorded.event.__struct_config__.tag for recorded in memory.events.since()]
    assert "home.backed_up" in kinds
    assert kinds.count("messages.appended") <= 3


def test_the_newest_entries_of_the_audit_stay(tmp_path: Path) -> None:
    """A token that goes on asking for what it may not fills no disk."""
    with opened(tmp_path) as memory:
        for number in range(5):
            memory.audit.record("export", target=str(number))
    with opened(tmp_path, {"audit.records": 2}) as memory:
        assert memory.prune().records["audit"].records == 3
        assert [entry.target for entry in memory.audit.latest()] == ["3", "4"]


def test_facts_that_were_not_asked_for_go_and_what_never_fades_stays(tmp_path: Path) -> None:
    """Issue 22 D: rules, what is pinned or important, values, relationships and health stay."""
    time = ScriptedTime()
    kept = {
        "rule": "Never push to main",
        "relationship": "My brother Tom lives in Bergen",
        "personal": "I am allergic to peanuts",
    }
    with opened(tmp_path, time=time) as memory:
        remember = memory.facts.remember
        for kind, said in kept.items():
            remember(None, said, kind)
        remember(None, "The zorvexplum is blue", "technical")
        remember(None, "The vault is important", "technical", 8)
        remember(None, "I live in Leeds")
        time.pause(DAY / 1_000)
        remember(None, "I live in Bristol")
        remember(None, "The oven is warm", "technical")
        memory.facts.pin("f8")
        time.pause(10 * DAY / 1_000)
        remember(None, "The oven is new", "technical")
    with opened(tmp_path, {"facts.days": 5}, time) as memory:
        told = memory.prune(dry_run=True)
        assert told.records["facts"].records == 2
        assert memory.prune().records == told.records
        assert [fact.number for fact in memory.facts.list()] == [9, 8, 7, 5, 3, 2, 1]
        assert memory.facts.list(status="replaced") == []
        assert memory.search("zorvexplum").hits == []
        assert memory.prune().records == {}
    assert files_that_hold(tmp_path, "zorvexplum") == []


def test_the_newest_injections_stay_with_their_lines(tmp_path: Path) -> None:
    """What was put into prompts long ago explains nothing any more."""
    home = tmp_path / "home"
    with opened(home) as memory:
        session = memory.sessions.create()
        memory.observations.record(session.id, type="decision", summary="Quinces go to the cellar")
        readers = [memory.sessions.create().id for _ in range(5)]
        for reader in readers:
            assert "Quinces" in memory.context(reader).text
    with opened(home, {"injections.records": 2}) as memory:
        amount = memory.prune().records["injections"]
        left = memory.context.injections(limit=9)
    assert (amount.records, amount.bytes > 3 * 250) == (3, True)
    assert [each.session_id for each in left] == readers[:2:-1]
    assert [len(each.items) for each in left] == [1, 1]


def test_a_limit_is_of_the_scope_of_the_memory(tmp_path: Path) -> None:
    """What others have stays."""
    with opened(tmp_path) as memory:
        for project in ("/srv/a", "/srv/b"):
            session = memory.sessions.create(project=project)
            memory.observations.record(session.id, "Bash")
    overrides = {"embedding.provider": "none", "retention.observations.bytes": 1}
    scope = recollect.Scope(tenant="local", project="/srv/a")
    with recollect.open(tmp_path, overrides=overrides, live=False, scope=scope) as memory:
        assert memory.prune().records["observations"].records == 1
    with opened(tmp_path) as memory:
        assert [each.project for each in memory.observations.list()] == ["/srv/b"]


step = st.one_of(
    st.tuples(st.just("record"), st.integers(0, 3), st.integers(0, 3)),
    st.tuples(st.just("forget"), st.integers(0, 9), st.just(0)),
    st.tuples(st.just("erase"), st.just(0), st.just(0)),
    st.tuples(st.sampled_from(["observations", "blobs"]), st.integers(1, 4), st.integers(0, 1)),
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(step, min_size=3, max_size=12))
def test_no_blob_in_use_goes_and_none_is_left_over(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    """Whatever is recorded, pruned and erased, in whatever order; blobs are shared by rows."""
    home = tmp_path_factory.mktemp("home")
    with opened(home) as memory:
        session = memory.sessions.create().id
        for number, (kind, one, other) in enumerate(steps):
            if kind == "record":
                asked, came = long(f"w{one}"), long(f"w{other}")
                memory.observations.record(session, "Bash", input=asked, output=came)
            elif kind == "forget":
                for each in memory.observations.list(limit=one + 1)[one:]:
                    memory.observations.forget(each.id)
            elif kind == "erase":
                memory.erase(session_id=session)
                session = memory.sessions.create().id
            else:
                limit = {f"{kind}.records": one} if other else {f"{kind}.bytes": one * 60_000}
                with opened(home, limit) as pruning:
                    # A thread of the other memory may read, and keeps the log from being cut.
                    assert any(pruning.prune().is_clean for _ in range(20)), number
                check_blobs(memory, home, exact=True)
            check_blobs(memory, home, exact=False)


def check_blobs(memory: Memory, home: Path, *, exact: bool) -> None:
    """Every blob that a row names is there and whole; with ``exact`` there is no other one."""
    every = memory.observations.list(limit=100) + memory.observations.list(
        limit=100, forgotten=True
    )
    named = {d for each in every for d in (each.input_blob, each.output_blob) if d is not None}
    blobs = Blobs(home / BLOBS)
    assert all(blobs.get(digest) for digest in named)
    if exact:
        assert set(blobs.digests()) == named
