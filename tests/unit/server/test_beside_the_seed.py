"""What is beside the endpoints of seed 001: sessions, messages, projects, files and admin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client, folder


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A real server with a home of its own."""
    with RunningServer(tmp_path / "home") as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


def begin(client: Client, key: str, project: str | None = None) -> str:
    """Begin a session; return its id."""
    made = client.post("/api/sessions", {"session_key": key, "project_path": project})[1]
    return str(made["id"])


def test_sessions_are_listed_renamed_archived_and_resumed(client: Client, tmp_path: Path) -> None:
    """DESIGN 7: what the command line can do with a session."""
    project = folder(tmp_path, "tea")
    tea, other = begin(client, "tea", project), begin(client, "other")
    listed = client.get("sessions", project="tea")[1]["sessions"]
    assert [each["id"] for each in listed] == [tea]
    assert {each["id"] for each in client.get("sessions")[1]["sessions"]} == {tea, other}
    assert client.post("/api/sessions/tea", {"title": "Teas"}, "PATCH")[1]["title"] == "Teas"
    assert client.get("sessions", title="teas")[1]["sessions"][0]["id"] == tea
    ended = client.post("/api/sessions/tea/end")[1]
    assert ended["ended_at"] is not None
    assert client.get("sessions", status="archived")[1]["sessions"][0]["id"] == tea
    assert client.post("/api/sessions/tea/resume")[1]["ended_at"] is None
    assert client.post("/api/sessions/tea", {"status": "deleted"}, "PATCH")[0] == 200
    assert {each["id"] for each in client.get("sessions")[1]["sessions"]} == {other}
    assert client.post("/api/sessions/other", {}, "PATCH")[0] == 422
    assert client.post("/api/sessions/nobody", {"title": "x"}, "PATCH")[0] == 404


def test_a_session_that_goes_on_is_not_told_as_made(client: Client) -> None:
    """201 for the one that begins; under the same key it is the same one, with 200."""
    status, made = client.post("/api/sessions", {"session_key": "tea"})
    again, found = client.post("/api/sessions", {"session_key": "tea"})
    assert (status, again, found["id"]) == (201, 200, made["id"])


def test_messages_are_appended_and_listed(client: Client) -> None:
    """DESIGN 7: `/api/messages`; the same event id is the first one, with 200."""
    said = {"session_key": "talk", "role": "user", "content": "Which teas keep?", "event_id": "e"}
    status, first = client.post("/api/messages", said)
    assert (status, first["seq"], first["text"]) == (201, 1, "Which teas keep?")
    assert client.post("/api/messages", {**said, "content": "again"}) == (200, first)
    blocks = [{"type": "text", "text": "Pu-erh."}]
    at = "2026-02-01T10:00:00Z"
    more = {"session_key": "talk", "role": "assistant", "content": blocks, "created_at": at}
    second = client.post("/api/messages", more)[1]
    assert (second["text"], second["created_at"]) == ("Pu-erh.", 1_769_940_000_000)
    listed = client.get("messages", session_key="talk")[1]
    assert listed["messages"] == [first, second]
    assert client.get("messages", session_key="talk", after_seq=1)[1]["messages"] == [second]
    shown = client.get("sessions", "talk", "view")[1]
    assert [each["seq"] for each in shown["messages"]] == [1, 2]
    assert client.get("messages", session_key="nobody")[0] == 404
    assert client.post("/api/messages", {"session_key": "talk", "role": "king"})[0] == 422


def test_a_fork_begins_with_the_messages_of_another(client: Client) -> None:
    """DESIGN 7: fork."""
    for n in range(3):
        said = {"session_key": "policy", "role": "user", "content": f"Line {n}"}
        client.post("/api/messages", said)
    status, made = client.post("/api/sessions/policy/fork", {"at_seq": 2, "title": "strict"})
    assert (status, made["title"], made["forked_at_seq"]) == (201, "strict", 2)
    assert len(client.get("messages", session_key=made["id"])[1]["messages"]) == 2
    assert client.post("/api/sessions/policy/fork", {"at_seq": 9})[0] == 422


def test_what_stays_of_a_session_is_listed(client: Client, tmp_path: Path) -> None:
    """DESIGN 7: `/api/episodes`."""
    project = folder(tmp_path, "tea")
    said = {"session_key": "ended", "role": "user", "content": "We decided to keep pu-erh dry."}
    client.post("/api/messages", {**said, "project_path": project})
    ended = client.post("/api/sessions/ended/end")[1]
    (episode,) = client.get("episodes")[1]["episodes"]
    assert episode["summary"] == ended["summary"]
    assert client.get("episodes", project="tea")[1]["episodes"] == [episode]
    assert client.get("episodes", session_key="ended")[1]["episodes"] == [episode]
    assert client.get("episodes", project=folder(tmp_path, "shop"))[1]["episodes"] == []
    assert client.get("episodes", project="tea", session_key="ended")[0] == 422


def test_observations_are_forgotten_and_restored(client: Client) -> None:
    """DESIGN 7: out of everything, and back."""
    told = {"session_key": "o", "summary": "The gulls nest here", "type": "decision"}
    made = client.post("/api/observations", told)[1]
    place = f"/api/observations/{made['id']}"
    assert client.post(f"{place}/forget") == (200, made)
    assert client.get("observations", str(made["id"]))[0] == 404
    assert client.post("/api/search", {"query": "gulls"})[1]["results"] == []
    assert client.post(f"{place}/forget")[0] == 404
    assert client.post(f"{place}/restore") == (200, made)
    assert client.post("/api/search", {"query": "gulls"})[1]["results"][0]["id"] == made["id"]
    assert [each.action for each in client.memory.audit.latest()] == ["forget"]


def test_observations_are_changed_by_hand(client: Client) -> None:
    """What is not given stays; search finds the new words, and a secret in them is redacted."""
    told = {"session_key": "o", "summary": "The gulls nest here", "type": "decision"}
    made = client.post("/api/observations", told)[1]
    path = f"/api/observations/{made['id']}"
    change = {"title": "Terns, not gulls", "importance": 0.9}
    status, changed = client.post(path, change, "PATCH")
    assert status == 200
    assert changed == {**made, **change, "tokens": changed["tokens"]}
    assert client.get("observations", str(made["id"])) == (200, changed)
    assert client.post("/api/search", {"query": "terns"})[1]["results"][0]["id"] == made["id"]
    secret = client.post(path, {"summary": "password: sunset-42-harbour"}, "PATCH")[1]
    assert "sunset" not in secret["summary"]
    for wrong in ({"title": ""}, {"importance": 2}, {"type": ""}, {"output": "x"}):
        assert client.post(path, wrong, "PATCH")[0] == 422
    assert client.post("/api/observations/999", {"title": "x"}, "PATCH")[0] == 404


def test_an_observation_is_deleted_as_it_is_forgotten(client: Client) -> None:
    """DELETE is what a client tries first; it can be restored."""
    made = client.post("/api/observations", {"session_key": "o", "summary": "gulls"})[1]
    path = f"/api/observations/{made['id']}"
    assert client.delete(path) == (200, made)
    assert client.get("observations", str(made["id"]))[0] == 404
    assert client.post(f"{path}/restore") == (200, made)


def test_projects_and_their_capture(client: Client, tmp_path: Path) -> None:
    """DESIGN 7: projects, pause and resume."""
    project = folder(tmp_path, "tea")
    begin(client, "tea", project)
    (known,) = client.get("projects")[1]["projects"]
    assert (known["name"], known["paths"]) == ("tea", [project])
    paused = client.post("/api/capture/pause", {"project": "tea", "minutes": 60})[1]["pauses"]
    assert [(each["project_id"], each["until"] - each["since"]) for each in paused] == [
        (known["id"], 3_600_000)
    ]
    refusals = client.get("capture", "check", path=project)[1]["refusals"]
    assert [each["reason"] for each in refusals] == ["paused"]
    hook = {"session_key": "tea", "project_path": project, "tool_name": "Read"}
    client.post("/api/hooks/tool-result", hook)
    assert client.get("capture")[1]["left_out"] == {"paused": 1}
    assert client.post("/api/capture/resume", {"project": "tea"})[1]["pauses"] == []
    assert client.post("/api/capture/pause", {"project": "nowhere"})[0] == 404
    assert client.post("/api/capture/pause", {"minutes": 0})[0] == 422


def test_a_memory_file_is_read(tmp_path: Path) -> None:
    """DESIGN 7: the lines, as `Memory.read` has them; not for a guest."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Tea\nKeep it dry.\n", "utf-8")
    home = tmp_path / "home"
    home.mkdir(0o700)
    (home / "config.yaml").write_text(f"workspace:\n  path: {workspace}\n", "utf-8")
    with RunningServer(home) as server:
        client = Client(server)
        read = client.get("files", path="MEMORY.md", from_line=2)[1]
        assert (read["text"], read["total_lines"]) == ("Keep it dry.", 2)
        assert client.get("files", path="memory/none.md")[1]["status"] == "not_found"
        assert client.get("files", path="../secret")[0] == 403
        assert client.of("guest").get("files", path="MEMORY.md")[0] == 403


def test_a_conversation_is_erased_and_the_audit_tells(client: Client) -> None:
    """DESIGN 7 and 8: admin only; a dry run changes nothing."""
    client.post("/api/messages", {"session_key": "gone", "role": "user", "content": "gulls"})
    told = client.post("/api/erase", {"session": "gone", "dry_run": True})
    assert told[0] == 200
    assert client.get("sessions", "gone")[0] == 200
    assert client.post("/api/erase", {"session": "gone"})[1]["error"]["code"] == "invalid_input"
    client.post("/api/messages", {"session_key": "gone", "role": "user", "content": "terns"})
    agreed = {"session": "gone", "plan_id": told[1]["plan_id"]}
    assert client.post("/api/erase", agreed)[1]["error"]["code"] == "conflict"
    assert client.memory.audit.latest() == []
    plan = client.post("/api/erase", {"session": "gone", "dry_run": True})[1]
    assert plan["counts"]["messages"] == 2
    agreed = {"session": "gone", "plan_id": plan["plan_id"]}
    assert client.post("/api/erase", agreed)[1]["is_clean"]
    assert client.get("sessions", "gone")[0] == 404
    assert [each.action for each in client.memory.audit.latest()] == ["erase"]
    assert client.post("/api/erase", agreed)[0] == 404


def test_retention_scrub_sync_and_reindex(client: Client) -> None:
    """DESIGN 7: the work of the operator, over HTTP."""
    client.post("/api/messages", {"session_key": "k", "role": "user", "content": "gulls"})
    assert client.post("/api/sync")[0] == client.post("/api/reindex")[0] == 200
    assert client.post("/api/prune", {"dry_run": True})[0] == 200
    assert client.post("/api/scrub", {"dry_run": True})[0] == 200
    assert client.memory.audit.latest() == []
    assert client.post("/api/prune")[0] == client.post("/api/scrub")[0] == 200
    assert [each.action for each in client.memory.audit.latest()] == ["prune", "scrub"]


ADMIN = ("erase", "prune", "scrub", "sync", "reindex")
OPERATORS = ("projects", "capture")


def test_who_is_not_the_operator_is_refused(client: Client) -> None:
    """Paths of the machine, pauses and removals are the operator's, whatever the rights."""
    guest = client.of("guest", rights="admin")
    for place in ADMIN:
        asked = {"session": "nobody"} if place == "erase" else {}
        assert guest.post(f"/api/{place}", asked)[0] == 403
    for place in OPERATORS:
        assert guest.get(place)[0] == 403
    assert guest.post("/api/capture/pause")[0] == 403
    writer = client.of("writer", audience="owner", rights="write")
    assert writer.post("/api/erase", {"session": "nobody"})[0] == 403
    narrowed = client.of("narrowed", audience="owner", rights="admin", agent="work")
    assert narrowed.post("/api/reindex")[0] == 403


def test_a_guest_lists_what_it_captured_itself(client: Client) -> None:
    """Sessions, messages and summaries: those of its own visibility group."""
    client.post("/api/messages", {"session_key": "k", "role": "user", "content": "gulls"})
    client.post("/api/sessions/k/end")
    guest = client.of("guest", rights="write")
    assert guest.get("sessions")[1]["sessions"] == guest.get("episodes")[1]["episodes"] == []
    said = {"session_key": "k", "role": "user", "content": "We decided on terns."}
    mine = guest.post("/api/messages", said)[1]
    assert guest.get("messages", session_key="k")[1]["messages"] == [mine]
    summary = guest.post("/api/sessions/k/end")[1]["summary"]
    assert [each["summary"] for each in guest.get("episodes")[1]["episodes"]] == [summary]
    own = [each["id"] for each in guest.get("sessions")[1]["sessions"]]
    assert mine["session_id"] in own
    owners = client.get("sessions", "k")[1]["id"]
    assert owners not in own
    assert guest.get("messages", session_key=owners)[0] == 404
    assert guest.get("episodes", session_key=owners)[0] == 404
    assert guest.get("sessions", owners, "view")[0] == 404
    assert guest.post(f"/api/sessions/{owners}/fork")[0] == 404
    assert guest.post(f"/api/sessions/{owners}/end")[0] == 404
    assert guest.post(f"/api/sessions/{owners}", {"title": "x"}, "PATCH")[0] == 404


def test_a_guest_forgets_what_is_its_own_alone(client: Client) -> None:
    """An id of somebody else answers like one that does not exist."""
    made = client.post("/api/observations", {"session_key": "k", "summary": "gulls"})[1]
    guest = client.of("guest", rights="write")
    assert guest.post(f"/api/observations/{made['id']}/forget")[0] == 404
    assert guest.post(f"/api/observations/{made['id']}", {"title": "x"}, "PATCH")[0] == 404
    client.post(f"/api/observations/{made['id']}/forget")
    assert guest.post(f"/api/observations/{made['id']}/restore")[0] == 404


def test_what_is_of_another_channel_is_neither_forgotten_nor_restored(client: Client) -> None:
    """A token changes only what is of the channels that it speaks for, forgotten or not."""
    made = client.post("/api/observations", {"session_key": "telegram:42", "summary": "gulls"})[1]
    place = f"/api/observations/{made['id']}"
    slack = client.of("slack", audience="owner", rights="write", channels=["slack"])
    assert slack.get("observations", str(made["id"]))[0] == 200
    assert slack.post(f"{place}/forget")[0] == 403
    assert slack.post(place, {"title": "x"}, "PATCH")[0] == 403
    assert client.post(f"{place}/forget")[0] == 200
    assert slack.post(f"{place}/restore")[0] == 403
    assert client.get("observations", str(made["id"]))[0] == 404
    assert client.post(f"{place}/restore")[0] == 200


def test_a_guest_forgets_and_restores_without_the_payload(tmp_path: Path) -> None:
    """What tools were given and gave back is the owner's, however an observation is answered."""
    shared = {**OVERRIDES, "observations.shared": True}
    with RunningServer(tmp_path / "shared", overrides=shared) as running:
        guest = Client(running).of("guest", rights="write")
        told = {"session_key": "k", "tool_name": "Bash", "summary": "gulls", "output": "secret"}
        made = guest.post("/api/observations", told)[1]
        shown = guest.get("observations", str(made["id"]))[1]
        assert shown == {**made, "output": ""}
        place = f"/api/observations/{made['id']}"
        named = {**shown, "title": "terns"}
        changed = guest.post(place, {"title": "terns"}, "PATCH")[1]
        assert changed == {**named, "tokens": changed["tokens"]}
        guest.post(place, {"title": made["title"]}, "PATCH")
        assert guest.post(f"{place}/forget") == (200, shown)
        assert guest.post(f"{place}/restore") == (200, shown)
        assert Client(running).get("observations", str(made["id"])) == (200, made)


def test_a_guest_restores_the_oldest_of_many(tmp_path: Path) -> None:
    """However much it has forgotten since."""
    shared = {**OVERRIDES, "observations.shared": True}
    with RunningServer(tmp_path / "shared", overrides=shared) as running:
        guest = Client(running).of("guest", rights="write")
        first = guest.post("/api/observations", {"session_key": "k", "summary": "gulls"})[1]
        observations = running.pool.memory().observations
        many = [{"session_id": first["session_id"], "summary": f"tern {n}"} for n in range(1_000)]
        for each in (f"#{first['id']}", *(made.id for made in observations.record_many(many))):
            observations.forget(each)
        assert guest.post(f"/api/observations/{first['id']}/restore")[0] == 200


@pytest.mark.parametrize("is_shared", [False, True])
def test_an_event_id_reads_no_more_than_its_observation(tmp_path: Path, is_shared: bool) -> None:
    """The same id twice answers a guest as it hears what is there, and the owner in full."""
    told = {"tool_name": "Bash", "summary": "gulls", "output": "secret", "event_id": "e"}
    shared = {**OVERRIDES, "observations.shared": is_shared}
    with RunningServer(tmp_path / "shared", overrides=shared) as running:
        owner = Client(running)
        guest = owner.of("guest", rights="write")
        session = guest.post("/api/sessions", {"session_key": "k"})[1]["id"]
        made = owner.post("/api/observations", {"session_id": session, **told})[1]
        repeated = {"session_key": "k", "event_id": "e", "summary": "x"}
        again = guest.post("/api/observations", repeated)[1]
        blank = {"summary": "", "title": "", "tool_name": "", "type": "tool_use"}
        unheard = {**blank, "importance": 0.0, "tokens": 0}
        assert again == {**made, "output": "", **({} if is_shared else unheard)}
        assert guest.get("observations", str(made["id"]))[0] == (200 if is_shared else 404)
        assert owner.post("/api/observations", {"session_id": session, **told}) == (200, made)


AWKWARD = ("a", "a/b", "a/end", "a/view", "/a", "a/", "a//b", "..", "../a", "%2F", "a%2Fb", "a?b#c")
"""Keys that a router which decodes a path before it splits it would take for other addresses."""


def test_an_awkward_key_reaches_only_its_own_session(client: Client) -> None:
    """On every route with a key; the others stay as they are."""
    begun = {key: begin(client, key) for key in AWKWARD}
    assert len(set(begun.values())) == len(AWKWARD)
    for key, session_id in begun.items():
        at = f"/api/sessions/{quote(key, safe='')}"
        assert client.get("sessions", key)[1]["id"] == session_id
        assert client.get("sessions", key, "view")[1]["session_id"] == session_id
        assert client.post(at, {"title": key}, "PATCH")[1]["id"] == session_id
        assert client.post(f"{at}/fork")[1]["parent_id"] == session_id
        assert client.post(f"{at}/end")[1]["id"] == session_id
        assert client.post(f"{at}/resume")[1]["id"] == session_id
        said = {"session_key": key, "role": "user", "content": key}
        assert client.post("/api/messages", said)[1]["session_id"] == session_id
    listed = client.get("sessions", limit=100)[1]["sessions"]
    titles = {each["id"]: each["title"] for each in listed if each["id"] in begun.values()}
    assert titles == {session_id: key for key, session_id in begun.items()}
    for key, session_id in begun.items():
        messages = client.get("messages", session_key=key)[1]
        assert [each["text"] for each in messages["messages"]] == [key]
        assert messages["session_id"] == session_id


def test_observations_are_listed_page_by_page(client: Client) -> None:
    """Each once, the newest first, though many were recorded in the same millisecond."""
    begin(client, "tea")
    at = "2026-02-01T10:00:00Z"
    for number in range(7):
        said = {"session_key": "tea", "summary": f"tea {number}", "created_at": at}
        assert client.post("/api/observations", said)[0] == 201
    later = {"session_key": "other", "tool_name": "Bash", "output": "ok", "type": "bugfix"}
    assert client.post("/api/observations", later)[0] == 201
    seen: list[int] = []
    cursor: str | None = None
    for _ in range(4):
        page = client.get("observations", limit=2, cursor=cursor)[1]
        seen += [each["id"] for each in page["observations"]]
        cursor = page["cursor"]
    assert (seen, cursor) == ([8, 7, 6, 5, 4, 3, 2, 1], None)
    assert len(client.get("observations", session_key="tea")[1]["observations"]) == 7
    for narrowed in ({"type": "bugfix"}, {"tool_name": "Bash"}, {"date_from": "2026-02-02"}):
        listed = client.get("observations", **narrowed)[1]["observations"]
        assert [each["id"] for each in listed] == [8]
    assert client.get("observations", date_to="2026-01-31")[1]["observations"] == []
    through = client.get("observations", date_from="2026-02-01", date_to="2026-02-01")[1]
    assert [each["id"] for each in through["observations"]] == [7, 6, 5, 4, 3, 2, 1]
    assert client.get("observations", cursor="x")[0] == 422
    assert client.get("observations", limit=0)[1] == {"observations": [], "cursor": None}


def test_sessions_are_listed_page_by_page(client: Client) -> None:
    """Each once, the last used first; a page of none has no next one."""
    begun = [begin(client, f"tea {number}") for number in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        page = client.get("sessions", limit=2, cursor=cursor)[1]
        seen += [each["id"] for each in page["sessions"]]
        cursor = page["cursor"]
    assert (seen, cursor) == (begun[::-1], None)
    assert client.get("sessions", limit=0)[1] == {"sessions": [], "cursor": None}


@pytest.mark.parametrize("hears", [False, True])
def test_a_guest_lists_only_what_they_hear(tmp_path: Path, hears: bool) -> None:
    """Nothing of the owner's session, however it is narrowed; deeds where the settings say so."""
    shared = {**OVERRIDES, "observations.shared": hears}
    with RunningServer(tmp_path / "home", overrides=shared) as server:
        client = Client(server)
        owners = "agent:main:main"
        said = {"session_key": owners, "summary": "the owner's tea"}
        assert client.post("/api/observations", said)[0] == 201
        guest = client.of("guest", rights="write")
        assert guest.post("/api/observations", {"session_key": "k", "summary": "mine"})[0] == 201
        listed = guest.get("observations")[1]["observations"]
        assert [each["title"] for each in listed] == (["mine"] if hears else [])
        assert guest.get("observations", session_key=owners)[0] == 404
        assert guest.get("observations", for_session=owners)[0] in {403, 404}
        assert len(client.get("observations")[1]["observations"]) == 2


def test_the_task_of_a_session_is_read_and_set(client: Client) -> None:
    """Nothing is known at first; what is not given stays."""
    client.post("/api/sessions", {"session_key": "boat"})
    _, none = client.get("sessions", "boat", "state")
    assert (none["task"], none["steps"], none["source"]) == ("", [], None)
    steps = [{"text": "Sand it", "status": "completed"}, {"text": "Paint it"}]
    given = {"task": "Mend the boat", "steps": steps}
    assert client.post("/api/sessions/boat/state", given, "PATCH")[0] == 200
    client.post("/api/sessions/boat/state", {"task": "Sell the boat"}, "PATCH")
    _, known = client.get("sessions", "boat", "state")
    assert (known["task"], len(known["steps"]), known["source"]) == ("Sell the boat", 2, "caller")
    assert client.get("sessions", "nobody", "state")[0] == 404


def test_sessions_are_listed_by_when_they_were_last_used(client: Client) -> None:
    """Both ends of the range count."""
    begin(client, "tea")
    used = client.get("sessions", "tea")[1]["updated_at"]

    def listed(**narrowed: object) -> int:
        return len(client.get("sessions", **narrowed)[1]["sessions"])

    assert listed(date_from=used, date_to=used) == 1
    assert listed(date_from="2100-01-01") == listed(date_to="2020-01-01") == 0
