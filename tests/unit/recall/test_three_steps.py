"""Recall in three steps: index lines, what was around one of them, and details by id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import recollect
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.memory import Memory
from recollect.recall.steps import timeline
from recollect.text.tokens import estimate_tokens

OWNER = "agent:main:telegram:acc:direct:42"
GUEST = "agent:main:telegram:acc:direct:7"
GROUP = "agent:main:telegram:acc:group:-100"
NOON = 1_780_000_000_000
MINUTE = 60_000


def opened(home: Path, *, shared: bool = False) -> Memory:
    """A memory whose owner is named."""
    named = {"embedding.provider": "none", "sessions.owner": ["telegram:42"]}
    return recollect.open(home, overrides={**named, "observations.shared": shared})


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory whose owner is named."""
    with opened(tmp_path / "home") as found:
        yield found


def work(memory: Memory, key: str | None, *, project: str | None = None, start: int = NOON) -> str:
    """Talk and work for six minutes: a message and an observation in turn; return the session."""
    session = memory.sessions.create(key=key, project=project).id
    for n in range(3):
        at = start + 2 * n * MINUTE
        memory.sessions.append(session, "user", f"Please look at queue {n}", at=at)
        memory.observations.record(
            session, summary=f"We use redis {n}", output="raw " * 3_000, at=at + MINUTE
        )
    return session


def names(lines: tuple[object, ...]) -> list[str]:
    """What lines are called."""
    return [line.name for line in lines]  # type: ignore[attr-defined]


def test_a_line_says_what_the_details_would_cost(memory: Memory) -> None:
    """Issue 11.6: number, type, time, title, tokens, at most 100 tokens each; and of all of it."""
    work(memory, OWNER)
    memory.sessions.append(memory.sessions.open(OWNER).id, "user", "redis " * 2_000, at=NOON)
    result = memory.search("redis", 20)
    found = memory.lines(result)
    assert len(found.lines) == len(result.hits) >= 4
    for line, hit in zip(found.lines, result.hits, strict=True):
        assert (line.ref, line.at, line.session_id) == (hit.ref, hit.at, hit.session_id)
        assert estimate_tokens(line.text) <= 100
        assert line.text.startswith(f"{line.name}  2026-05-28")
        assert f"{line.tokens} tokens" in line.text
    assert found.tokens == sum(estimate_tokens(line.text) for line in found.lines)
    assert result.tokens == sum(estimate_tokens(hit.snippet) for hit in result.hits)
    by_name = {line.name: line for line in found.lines}
    assert by_name["#1"].type == memory.observations.get("#1").found[0].type
    assert by_name["#1"].tokens == memory.observations.get("#1", None).found[0].tokens
    assert (by_name["m4"].type, by_name["m4"].title[:5]) == ("user", "redis")


def test_a_line_of_a_memory_file_is_what_get_takes(tmp_path: Path) -> None:
    """The three steps are over all that a search finds."""
    (tmp_path / "MEMORY.md").write_text("# Tea\n\nPu-erh keeps for years.\n", "utf-8")
    with recollect.open(
        tmp_path / "home", tmp_path, overrides={"embedding.provider": "none"}
    ) as memory:
        (line,) = memory.lines(memory.search("pu-erh")).lines
    assert (line.name, line.kind, line.number) == ("MEMORY.md:1-3", "file", None)
    assert line.tokens > 0


def test_a_timeline_is_what_happened_around_a_record(memory: Memory) -> None:
    """By time, observations and messages both, so many before and after."""
    work(memory, OWNER)
    around = memory.observations.timeline("#2", before=2, after=1)
    assert (names(around.before), names(around.after)) == (["#1", "m2"], ["m3"])
    assert around.anchor is not None
    assert around.anchor.name == "#2"
    assert names(around.lines) == ["#1", "m2", "#2", "m3"]
    assert around.tokens == sum(estimate_tokens(line.text) for line in around.lines)
    whole = memory.observations.timeline("m1")
    assert (names(whole.before), len(whole.after)) == ([], 5)
    by_id = memory.observations.timeline(around.anchor.ref, before=0, after=0)
    assert names(by_id.lines) == ["#2"]


def test_a_timeline_is_around_the_best_hit_or_a_time(memory: Memory) -> None:
    """A question finds its anchor; a time needs none."""
    work(memory, OWNER)
    found = memory.observations.timeline(query="redis 1", before=1, after=1)
    assert names(found.lines) == ["m2", "#2", "m3"]
    at = memory.observations.timeline(NOON + 2 * MINUTE, before=1, after=2)
    assert at.anchor is None
    assert (names(at.before), names(at.after)) == (["#1"], ["m2", "#2"])
    with pytest.raises(NotFound):
        memory.observations.timeline(query="zanzibar")
    for wrong in ({}, {"anchor": "#1", "query": "redis"}, {"anchor": "tea"}, {"anchor": "e1"}):
        with pytest.raises(InvalidInput):
            memory.observations.timeline(**wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        memory.observations.timeline("#1", before=-1)


def test_a_timeline_has_a_beginning_and_an_end(memory: Memory) -> None:
    """With an anchor they narrow; alone it begins or ends there. As a search understands them."""
    work(memory, OWNER)
    told = memory.observations.timeline
    since, until = NOON + MINUTE, NOON + 4 * MINUTE
    assert names(told("#2", since=since, until=until).lines) == ["#1", "m2", "#2"]
    assert names(told(since=since, after=2).lines) == ["#1", "m2"]
    assert names(told(until=until, before=2).lines) == ["m2", "#2"]
    assert names(told(query="redis", until=since + 1).lines) == ["m1", "#1"]
    assert len(told(since="2026-05-28", until="9999-12-31", after=99).lines) == 6
    assert told(until="1999").lines == ()
    for wrong in ({}, {"anchor": "#1", "query": "redis", "since": NOON}, {"since": "soon"}):
        with pytest.raises(InvalidInput):
            told(**wrong)


def test_a_timeline_stays_in_its_project(memory: Memory) -> None:
    """Issue 11.6: same project; of other scopes it does not know."""
    work(memory, None, project="/tea")
    work(memory, None, project="/post", start=NOON + 30_000)
    found = memory.observations.timeline("#2", before=9, after=9)
    assert names(found.lines) == ["m1", "#1", "m2", "#2", "m3", "#3"]
    narrow = memory.observations.timeline(NOON, project="/post", before=9, after=9)
    assert names(narrow.lines) == ["m4", "#4", "m5", "#5", "m6", "#6"]
    assert len(memory.observations.timeline(NOON, before=9, after=99).lines) == 12
    home = memory.home
    with recollect.open(home, scope=Scope(project="/post"), live=False) as other:
        with pytest.raises(NotFound):
            other.observations.timeline("#2")
        assert len(other.observations.timeline(NOON, after=99).lines) == 6


@pytest.mark.parametrize("shared", [False, True])
def test_a_timeline_never_shows_another_audience(tmp_path: Path, *, shared: bool) -> None:
    """Issue 11.4: for the operator neither; what may not be heard is as what does not exist."""
    with opened(tmp_path / "home", shared=shared) as memory:
        keys = (OWNER, GUEST, GROUP)
        sessions = {key: work(memory, key, start=NOON + n) for n, key in enumerate(keys)}
        own = {OWNER: ("m1", "#1"), GUEST: ("m4", "#4"), GROUP: ("m7", "#7")}
        for key, (message, observation) in own.items():
            asked = {"before": 50, "after": 50, "for_session": sessions[key]}
            heard = memory.observations.timeline(message, **asked)  # type: ignore[arg-type]
            assert {line.session_id for line in heard.lines} == {sessions[key]}
            hears = key == OWNER or shared
            assert len(heard.lines) == (6 if hears else 3)
            timed = memory.observations.timeline(NOON, **asked)  # type: ignore[arg-type]
            assert names(timed.lines) == names(heard.lines)
            operator = memory.observations.timeline(message, before=50, after=50)
            assert {line.session_id for line in operator.lines} == {sessions[key]}
            unheard = [name for other in keys if other != key for name in own[other]]
            for name in [*unheard, *([] if hears else [observation])]:
                errors = []
                for each in (name, f"{name[0]}999"):
                    with pytest.raises(NotFound) as error:
                        memory.observations.timeline(each, **asked)  # type: ignore[arg-type]
                    errors.append((error.value.message, error.value.hint))
                assert errors[0] == errors[1]
        if shared:
            (line,) = memory.observations.timeline(
                "#7", before=0, after=0, for_session=sessions[GROUP]
            ).lines
            assert line.tokens < 50, "what the group may load of it"


def test_a_timeline_leaves_out_what_is_gone(memory: Memory) -> None:
    """Forgotten observations, deleted sessions, and raw output that programs call messages."""
    session = work(memory, OWNER)
    memory.sessions.append(session, "tool", "raw output", at=NOON + 1)
    memory.observations.forget("#1")
    assert "#1" not in names(memory.observations.timeline("m1", after=50).lines)
    assert "m4" not in names(memory.observations.timeline("m1", after=50).lines)
    with pytest.raises(NotFound):
        memory.observations.timeline("#1")
    memory.sessions.set_status(session, "deleted")
    for name in ("m1", "#2"):
        with pytest.raises(NotFound):
            memory.observations.timeline(name)
    assert memory.observations.timeline(NOON, after=50).lines == ()


def test_details_come_in_order_and_what_is_missing_is_named(memory: Memory) -> None:
    """Issue 11.6: of mixed kinds, at most 1,000 tokens each unless asked."""
    session = work(memory, OWNER)
    long = memory.sessions.append(session, "assistant", "tea " * 3_000)
    batch = memory.get(["#2", f"m{long.number}", "#99", "m1", "f1"])
    assert [found.name for found in batch.found] == ["#2", "m4", "m1"]
    assert [found.kind for found in batch.found] == ["observation", "message", "message"]
    assert batch.missing == ("#99", "f1")
    assert all(found.tokens <= 1_000 for found in batch.found)
    assert batch.tokens == sum(found.tokens for found in batch.found)
    whole = memory.get(["m4", "#2"], max_tokens=None)
    assert whole.found[0].record == long
    assert whole.found[1].record == memory.observations.get("#2", None).found[0]
    assert memory.get(long.id).found[0].name == "m4"
    with pytest.raises(InvalidInput):
        memory.get(["tea"])
    with pytest.raises(InvalidInput):
        memory.get(["m1"], max_tokens=0)


def test_details_are_given_as_far_as_the_asker_hears(memory: Memory) -> None:
    """Issue 11.4: an id that may not be heard is missing, like one that does not exist."""
    sessions = {key: work(memory, key) for key in (OWNER, GUEST, GROUP)}
    everything = ["m1", "#1", "m4", "#4", "m7", "#7"]
    heard = {OWNER: ["m1", "#1"], GUEST: ["m4"], GROUP: ["m7"]}
    for key, own in heard.items():
        batch = memory.get(everything, for_session=sessions[key])
        assert [found.name for found in batch.found] == own
        assert batch.missing == tuple(name for name in everything if name not in own)
    assert not memory.get(everything).missing
    memory.sessions.set_status(sessions[OWNER], "deleted")
    assert memory.get(["m1", "#1"], for_session=sessions[OWNER]).found == ()


def test_an_episode_is_given_to_whom_it_was_said(tmp_path: Path) -> None:
    """What retention left of messages; each chat hears its own."""
    with opened(tmp_path / "home") as memory:
        talks = {key: memory.sessions.create(key=key).id for key in (OWNER, GROUP)}
        for key, session in talks.items():
            said = [
                ("user", f"Which teas keep in {key}? We decided on pu-erh."),
                ("assistant", "Pu-erh."),
            ]
            memory.sessions.append_many(session, said * 40)
    caps = {
        "sessions.retention.max_messages": 20,
        "embedding.provider": "none",
        "sessions.owner": ["telegram:42"],
    }
    with recollect.open(tmp_path / "home", overrides=caps) as memory:
        memory.prune()
        batch = memory.get(["e1", "e2"])
        assert [found.kind for found in batch.found] == ["episode", "episode"]
        for session in talks.values():
            (own,) = memory.get(["e1", "e2"], for_session=session).found
            assert own.record.session_id == session
        memory.sessions.set_status(talks[GROUP], "deleted")
        assert memory.get(["e1", "e2"], for_session=talks[GROUP]).found == ()
        assert len(memory.get(["e1", "e2"]).found) == 2, "the operator may look at what is deleted"


@pytest.mark.parametrize("seed", range(3))
def test_a_timeline_is_what_reading_everything_would_give(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Whatever lies between, at the same moment too, and however it falls into pages."""
    monkeypatch.setattr(timeline, "_PAGE", 3)
    chance = Random(seed)
    keys = (OWNER, GUEST, GROUP, "agent:main:main")
    sessions = [memory.sessions.create(key=key, project=p).id for key in keys for p in ("/a", None)]
    every: list[tuple[int, str, str, str]] = []
    for _ in range(80):
        session, at = chance.choice(sessions), NOON + chance.randrange(12)
        if chance.random() < 0.5:
            found = memory.sessions.append(session, "user", "tea", at=at)
            every.append((at, found.id, f"m{found.number}", session))
        else:
            made = memory.observations.record(session, summary="tea", at=at)
            every.append((at, made.id, f"#{made.number}", session))
    every.sort()
    owned = {sessions[i]: (keys[i // 2] in {OWNER, "agent:main:main"}, i % 2) for i in range(8)}
    for place, anchor in enumerate(every):
        is_owners, project = owned[anchor[3]]
        same = [
            each
            for each in every
            if owned[each[3]][1] == project
            and (each[3] == anchor[3] if not is_owners else owned[each[3]][0])
        ]
        here = same.index(anchor)
        before, after = chance.randrange(9), chance.randrange(9)
        found_lines = memory.observations.timeline(anchor[2], before=before, after=after).lines
        wanted = same[max(0, here - before) : here + after + 1]
        assert names(found_lines) == [each[2] for each in wanted], (seed, place)


def test_a_call_and_its_observation_are_one_line(memory: Memory) -> None:
    """Issue 23, item 6: words beside a call stay, and so does a call that nobody observed."""
    session = memory.sessions.create(key=OWNER).id
    asks = [{"type": "text", "text": "I run them."}]
    for call, words in (("c1", asks), ("c2", []), ("c3", [])):
        uses = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": call}}
        memory.sessions.append(session, "assistant", [*words, uses])
        said = {"type": "tool_result", "tool_use_id": call, "content": "done"}
        memory.sessions.append(session, "user", [said])
    for call in ("c1", "c2"):
        memory.observations.record(
            session, tool_name="Bash", input=call, output="done", tool_use_id=call
        )

    def told() -> set[str]:
        return set(names(memory.observations.timeline("#1", before=9).lines))

    assert told() == {"m1", "m5", "m6", "#1", "#2"}
    memory.observations.forget("#2")
    assert told() == {"m1", "m3", "m4", "m5", "m6", "#1"}
