"""Hooks over real HTTP: from start to end, and whatever else a client sends in between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.running_server import RunningServer
from tests.unit.server.client import Client, folder

START, TOOL, END = (
    f"/api/hooks/{name}" for name in ("session-start", "tool-result", "session-end")
)
ALL = (START, TOOL, END)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A real server; each test has keys and projects of its own."""
    with RunningServer(tmp_path_factory.mktemp("served") / "home") as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


def hook(client: Client, place: str, **told: Any) -> dict[str, Any]:
    """Send a hook, which must be answered with 200; return the answer."""
    status, answer = client.post(place, told)
    assert status == 200, answer
    return dict(answer)


def observation(client: Client, answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a hook stored."""
    assert answer["observation_id"] is not None, answer
    return dict(client.get("observations", str(answer["observation_id"]))[1])


def test_a_day_of_an_agent(client: Client, tmp_path: Path) -> None:
    """Seed 001: start, work, end; the next session is given what was learnt."""
    project = folder(tmp_path, "briefing")
    begun = hook(client, START, session_key="monday", project_path=project)
    assert (begun["status"], begun["context"], begun["items"]) == ("began", "", [])
    stored = hook(
        client,
        TOOL,
        session_key="monday",
        project_path=project,
        tool_name="Bash",
        input={"command": "git commit -m 'Fix the PATH of cron'"},
        output="1 file changed",
    )
    assert stored["status"] == "stored"
    assert observation(client, stored)["type"] == "bugfix"
    ended = hook(client, END, session_key="monday")
    assert (ended["status"], ended["session_id"]) == ("ended", begun["session_id"])
    assert "Fix the PATH of cron" in ended["summary"]
    session = client.get("sessions", "monday")[1]
    assert (session["summary"], session["ended_at"]) == (ended["summary"], ended["ended_at"])
    found = client.post("/api/search", {"query": "PATH of cron"})[1]["results"]
    assert found[0]["id"] == stored["observation_id"]
    around = client.post("/api/timeline", {"anchor": found[0]["id"]})[1]
    assert around["anchor"]["id"] == found[0]["id"]
    batch = client.post("/api/observations/batch", {"ids": [found[0]["id"]]})[1]
    assert batch["observations"][0]["output"] == "1 file changed"
    tuesday = hook(client, START, session_key="tuesday", project_path=project, max_tokens=500)
    assert "Fix the PATH of cron" in tuesday["context"]
    assert 0 < tuesday["tokens"] <= 500
    assert tuesday["items"][0]["id"] == stored["observation_id"]


def test_a_session_lasts_until_its_end_and_a_resume_opens_it_again(client: Client) -> None:
    """Issue 12.5: no freshness; any hook creates it."""
    first = hook(client, TOOL, session_key="resumed", tool_name="Read", output="x")
    assert hook(client, START, session_key="resumed")["session_id"] == first["session_id"]
    assert hook(client, END, session_key="resumed")["status"] == "ended"
    again = hook(client, END, session_key="resumed")
    assert (again["status"], again["session_id"]) == ("over", first["session_id"])
    resumed = hook(client, START, session_key="resumed", source="resume")
    assert (resumed["status"], resumed["session_id"]) == ("resumed", first["session_id"])
    assert client.get("sessions", "resumed")[1]["ended_at"] is None
    hook(client, END, session_key="resumed")
    other = hook(client, START, session_key="resumed", source="startup")
    assert (other["status"], other["session_id"] != first["session_id"]) == ("began", True)


def test_a_hook_that_comes_twice_stores_once(client: Client) -> None:
    """By its event id, whatever that holds, or by the call of the tool."""
    for twice in ({"event_id": "e"}, {"event_id": "\n" * 600}, {"tool_use_id": "toolu_1"}):
        told = {"session_key": "twice", "tool_name": "Read", "output": "x", **twice}
        first, second = hook(client, TOOL, **told), hook(client, TOOL, **told)
        assert (first["status"], second["status"]) == ("stored", "duplicate")
        assert first["observation_id"] == second["observation_id"]


def test_a_paused_project_is_told_and_nothing_is_stored(client: Client, tmp_path: Path) -> None:
    """Not even the session: a pause leaves no trace of what was done in it."""
    project = folder(tmp_path, "paused")
    client.memory.capture.pause(project)
    for place in ALL:
        answer = hook(client, place, session_key="paused", project_path=project, tool_name="Read")
        assert (answer["status"], answer["reason"]) == ("not_captured", "paused")
        assert "recollect resume" in answer["why"]
    assert client.get("sessions", "paused")[0] == 404
    client.memory.capture.resume(project)
    assert hook(client, START, session_key="paused", project_path=project)["status"] == "began"


def test_an_excluded_folder_is_told(client: Client, tmp_path: Path) -> None:
    """A file `.recollect-off`; also where only the session knows the folder."""
    project = folder(tmp_path, "off")
    hook(client, START, session_key="off", project_path=project)
    (Path(project) / ".recollect-off").touch()
    for told in ({"project_path": project}, {}):
        answer = hook(client, TOOL, session_key="off", tool_name="Read", output="x", **told)
        assert (answer["status"], answer["reason"]) == ("not_captured", "off")
        assert answer["observation_id"] is None


def test_what_this_memory_said_is_not_remembered_again(client: Client, tmp_path: Path) -> None:
    """A call of our own makes no observation; a block of ours is cut out of others."""
    own = hook(client, TOOL, session_key="own", tool_name="mcp__recollect__memory_search")
    assert (own["status"], own["reason"]) == ("not_captured", "recalled")
    project = folder(tmp_path, "loop")
    client.post("/api/sessions", {"session_key": "loop", "project_path": project, "owner": True})
    told = {"session_key": "loop", "summary": "We decided on the ibis", "type": "decision"}
    client.post("/api/observations", told)
    block = hook(client, START, session_key="loop2", project_path=project)["context"]
    assert "ibis" in block
    echoed = {"session_key": "loop2", "tool_name": "Bash", "output": f"before {block} after"}
    answer = hook(client, TOOL, **echoed)
    assert (answer["status"], answer["reason"]) == ("stored", "recalled")
    assert "ibis" not in observation(client, answer)["output"]


@pytest.mark.parametrize("place", ALL)
@pytest.mark.parametrize("key", [None, "", "x" * 600, "a\nb", "a::b", 7, {"a": 1}])
def test_a_hook_without_a_key_that_can_be_one_is_kept(
    client: Client, place: str, key: object
) -> None:
    """Issue 12.4: a missing id is no reason to lose what happened."""
    answer = hook(client, place, session_key=key, tool_name="Read", output="x")
    assert answer["session_key"] == "unnamed"
    assert answer["reason"] in {"no_session", "unread"}


def test_a_client_may_call_its_key_a_session_id(client: Client) -> None:
    """As Claude Code does; an id of ours means that very session."""
    one = hook(client, START, session_id="claude-1")
    assert (one["session_key"], one["status"]) == ("claude-1", "began")
    same = hook(client, TOOL, session_id=one["session_id"], tool_name="Read")
    assert same["session_id"] == one["session_id"]
    by_id = {"session_id": one["session_id"]}
    told = [hook(client, place, **by_id)["status"] for place in (END, END, START, START)]
    assert told == ["ended", "over", "resumed", "continued"]


STRANGE: dict[str, bytes] = {
    "bad UTF-8": b'{"session_key": "strange", "tool_name": "Bash", "output": "caf\xe9 \xff"}',
    "half a surrogate": rb'{"session_key": "strange", "tool_name": "Bash", "output": "\ud800 b"}',
    "unknown fields": b'{"session_key": "strange", "tool_name": "Bash", "new": {"a": [1]}}',
    "unknown event": b'{"session_key": "strange", "hook_event_name": "Later", "tool_name": "X"}',
    "other types": b'{"session_key": "strange", "tool_name": ["Bash"], "importance": "high"}',
    "an odd importance": b'{"session_key": "strange", "tool_name": "Bash", "importance": 7}',
    "an odd time": b'{"session_key": "strange", "tool_name": "Bash", "created_at": "soon"}',
    "long names": b'{"session_key": "strange", "tool_name": "%s", "type": "%s"}'
    % (b"t" * 9_000, b"y" * 9_000),
    "unprintable names": b'{"session_key": "strange", "tool_name": "\\u0000", "type": " "}',
    "a long path": b'{"session_key": "strange", "project_path": "/%s"}' % (b"p" * 9_000),
    "no JSON": b"tool=Bash&output=x",
    "a list": b"[1, 2]",
    "nothing": b"{}",
    "torn JSON": b'{"session_key": "strange", "tool_name": "Bash", "output": "it was cut o',
    "deep JSON": b'{"session_key": "strange", "output": %s1%s}' % (b"[" * 500, b"]" * 500),
}


@pytest.mark.parametrize("place", ALL)
@pytest.mark.parametrize("name", STRANGE)
def test_strange_content_of_a_hook_is_never_refused(client: Client, place: str, name: str) -> None:
    """A refused body is a lost observation: nobody sends it again."""
    status, answer = client.send("POST", place, STRANGE[name])
    assert status == 200
    assert answer["session_id"] is not None
    if place == TOOL:
        assert answer["status"] == "stored"


REFUSED = {
    **dict.fromkeys(("bad UTF-8", "half a surrogate", "no JSON", "torn JSON", "deep JSON"), 400),
    **dict.fromkeys(("unknown fields", "unknown event", "other types", "a list"), 422),
    **dict.fromkeys(("an odd importance", "an odd time", "a long path", "nothing"), 422),
    **dict.fromkeys(("long names", "unprintable names"), 201),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_program_learns_what_is_wrong_with_its_observation(client: Client, name: str) -> None:
    """Who calls the API can correct itself; a note without words helps nobody."""
    before = len(client.memory.observations.list(limit=1_000))
    status, answer = client.send("POST", "/api/observations", STRANGE[name])
    assert status == REFUSED[name], answer
    assert len(client.memory.observations.list(limit=1_000)) == before + (status == 201)
    assert status == 201 or answer["error"]["hint"]


@pytest.mark.parametrize(
    ("told", "hint"),
    [
        ({}, "give a summary"),
        ({"summary": "  "}, "give a summary"),
        ({"summary": "tea", "sumary": "tea"}, "the fields are"),
        ({"summary": "tea", "created_at": "soon"}, "write 2026-02-01"),
        ({"summary": "tea", "created_at": 1_700_000_000}, ""),
        ({"summary": "tea", "session_key": "a::b"}, ""),
        ({"summary": "tea", "event_id": "e" * 9_000}, ""),
    ],
)
def test_an_observation_must_say_something_at_a_time(
    client: Client, told: dict[str, object], hint: str
) -> None:
    """Unknown fields, no text, times in seconds or in words: 422 with what to do."""
    status, answer = client.post("/api/observations", {"session_key": "strict"} | told)
    assert (status, answer["error"]["code"]) == (422, "invalid_input"), answer
    assert hint in answer["error"]["hint"]


def test_an_observation_says_what_was_redacted_or_is_elsewhere(client: Client) -> None:
    """The program that sent a key learns so; an answer without such a remark has no such field."""
    told = {"tool_name": "Bash", "output": "export GITHUB_TOKEN=ghp_" + 36 * "a"}
    answer = client.post("/api/observations", told)[1]
    assert answer["redacted"] == ["github-token"]
    assert answer["note"]["reason"] == "no_session"
    plain = client.post("/api/observations", {"session_key": "plain", "summary": "tea"})[1]
    assert not {"redacted", "note"} & plain.keys()
    marked = {"session_key": "plain", "summary": "was [redacted:github-token:b92c1b]"}
    assert "redacted" not in client.post("/api/observations", marked)[1]


def test_what_could_not_be_read_is_kept_as_text(client: Client) -> None:
    """The whole body, or the fields that are not what they should be."""
    body = b"tool=Bash&output=x"
    answer = client.send("POST", TOOL, body)[1]
    assert (answer["reason"], observation(client, answer)["output"]) == ("unread", body.decode())
    told = {"session_key": "unread", "tool_name": ["Bash"], "input": "i", "output": "o"}
    kept = observation(client, hook(client, TOOL, **told))
    assert (kept["input"], msgspec.json.decode(kept["output"])["output"]) == ("i", "o")
    assert "Bash" in kept["output"]


@pytest.mark.slow
def test_twenty_megabytes_are_kept_as_head_and_tail(client: Client) -> None:
    """Issue 12.4: 16 MB are taken, then head and tail with a mark."""
    output = b"head " + b"x" * 20_000_000 + b" tail"
    body = b'{"session_key": "large", "output": "%s", "tool_name": "Bash"}' % output
    status, answer = client.send("POST", TOOL, body)
    assert (status, answer["status"], answer["reason"]) == (200, "stored", "too_large")
    kept = observation(client, answer)
    assert kept["tool_name"] == "Bash"
    assert kept["output"].startswith("head ")
    assert kept["output"].endswith(" tail")
    assert client.get("sessions", "large")[1]["id"] == kept["session_id"]


def test_a_failure_is_one(client: Client) -> None:
    """What a tool says of an error is the error of the observation."""
    answer = hook(
        client, TOOL, session_key="fails", tool_name="Bash", error="exit code 1: no such file"
    )
    stored = client.memory.observations.get(f"#{answer['observation_id']}").found[0]
    assert (stored.event, stored.error) == ("tool_failed", "exit code 1: no such file")


def test_who_may_not_capture_is_refused(client: Client) -> None:
    """Rights are not content: 403, and nothing is stored."""
    reader = client.of("reader", audience="owner", rights="read")
    for place in ALL:
        assert reader.post(place, {"session_key": "refused", "tool_name": "Read"})[0] == 403
    worker = client.of("worker", audience="owner", rights="capture")
    chat = {"session_key": "telegram:42", "tool_name": "Read"}
    status, answer = worker.post(TOOL, chat)
    assert (status, answer["error"]["code"]) == (403, "denied")
    assert client.get("sessions", "refused")[0] == client.get("sessions", "telegram:42")[0] == 404
    chatter = client.of("chatter", audience="owner", rights="capture", channels=["telegram"])
    assert chatter.post(TOOL, chat)[1]["status"] == "stored"


def test_a_guest_captures_into_sessions_of_its_own(client: Client, tmp_path: Path) -> None:
    """The same plain key is another session; neither hears the other."""
    project = folder(tmp_path, "guests")
    guest = client.of("guest", rights="write")
    mine = hook(client, START, session_key="same", project_path=project)
    client.post(
        "/api/observations",
        {"session_key": "same", "summary": "We decided on puffins", "type": "decision"},
    )
    theirs = hook(guest, START, session_key="same", project_path=project)
    assert theirs["session_id"] != mine["session_id"]
    assert "puffins" not in theirs["context"]
    assert guest.get("sessions", "same")[1]["id"] == theirs["session_id"]
    assert guest.get("sessions", mine["session_id"])[0] == 404
    assert guest.post("/api/search", {"query": "puffins"})[1]["results"] == []
    with_id = hook(guest, TOOL, session_id=mine["session_id"], tool_name="Read", output="x")
    assert with_id["session_id"] != mine["session_id"]


def test_who_may_write_to_a_chat_reads_nothing_of_it(client: Client, tmp_path: Path) -> None:
    """A bridge speaks for a channel, and hears as a guest: no event id, start or end reads it."""
    project = folder(tmp_path, "chat")
    chat = {"session_key": "telegram:4711", "project_path": project}
    secret = {"summary": "The skua is secret", "type": "decision", "input": "s", "output": "s"}
    client.post("/api/observations", {**chat, **secret, "event_id": "e"})
    client.post("/api/messages", {**chat, "role": "user", "content": "skua", "event_id": "m"})
    client.post("/api/hooks/session-end", chat)
    client.post("/api/observations", {**chat, **secret, "event_id": "e2", "tool_use_id": "t"})
    bridge = client.of("bridge", rights="capture", channels=["telegram"])
    for told in (
        bridge.post("/api/observations", {**chat, "event_id": "e2"}),
        bridge.post("/api/observations", {**chat, "tool_use_id": "t"}),
        bridge.post("/api/messages", {**chat, "role": "user", "content": "?", "event_id": "m"}),
        bridge.post("/api/sessions", chat),
        *(bridge.post(place, {**chat, "tool_name": "Read"}) for place in ALL),
        bridge.get("context", session_key="telegram:4711", project=project),
        bridge.post("/api/search", {"query": "skua", "sources": ["observations", "sessions"]}),
        bridge.post("/api/timeline", {"query": "skua"}),
    ):
        assert "skua" not in str(told), told


def test_a_start_that_asks_for_odd_things_begins_all_the_same(client: Client) -> None:
    """What of the order cannot be meant is left out; the session is begun, the context given."""
    odd = {"session_key": "odd", "client": "Claude Code!", "max_tokens": -1, "source": "prompt"}
    assert client.post(START, odd)[1]["status"] == "began"
    assert hook(client, START, session_key="odd", source="later")["status"] == "continued"


def test_a_session_that_another_program_holds_is_told(client: Client) -> None:
    """It can neither be ended nor opened again; the hook is answered all the same."""
    session = hook(client, START, session_key="held")["session_id"]
    with client.memory.sessions.hold(session, exclusive=True):
        answer = hook(client, END, session_key="held")
        assert (answer["status"], answer["reason"]) == ("refused", "conflict")
        assert hook(client, TOOL, session_key="held", tool_name="Read")["status"] == "stored"
    assert hook(client, END, session_key="held")["status"] == "ended"


def test_names_and_questions_of_the_longest_body_are_cut_first(client: Client) -> None:
    """Issue 12, 4: they would keep a thread for seconds, and its caller from the context."""
    long = "kites " * 2_500_000
    begun = hook(client, START, session_key="long", query=long)
    assert begun["status"] == "began"
    told = hook(client, TOOL, session_key="long", tool_name=long, output="x")
    assert observation(client, told)["tool_name"] == long[:512].rstrip()
    blank = hook(client, TOOL, session_key="long", tool_name="\n" * 100_000 + "t", output="y")
    assert not observation(client, blank)["tool_name"]
