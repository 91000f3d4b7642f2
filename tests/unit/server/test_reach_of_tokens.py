"""What a token reaches: no route reads or changes more than its scope and audience."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.errors import Conflict, Denied, NotFound
from recollect.core.scope import Scope
from recollect.pool import MemoryPool
from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client, folder

GUEST = "agent:main:telegram:acc:direct:77"


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


def say(client: Client, key: str, text: str, **more: Any) -> Any:
    """Store a message; return it."""
    status, made = client.post(
        "/api/messages", {"session_key": key, "role": "user", "content": text, **more}
    )
    assert status == 201, made
    return made


# --- what is captured, and which projects there are ---


@pytest.mark.parametrize("narrowing", ["project", "agent"])
def test_a_narrowed_token_neither_pauses_capture_nor_ends_a_pause(
    client: Client, tmp_path: Path, narrowing: str
) -> None:
    """Issue 20, C12: a pause is the tenant's; who is narrowed is refused, and the audit tells."""
    tea = folder(tmp_path, "tea")
    begin(client, "tea", tea)
    given = {"project": tea, "agent": "main"}
    narrow = client.of("narrow", audience="owner", rights="admin", **{narrowing: given[narrowing]})
    for asked in ({}, {"project": tea}, {"minutes": 5}):
        assert narrow.post("/api/capture/pause", asked)[0] == 403
    assert client.get("capture")[1]["pauses"] == []
    client.post("/api/capture/pause", {})
    client.post("/api/capture/pause", {"project": tea})
    for asked in ({}, {"project": tea}):
        assert narrow.post("/api/capture/resume", asked)[0] == 403
    assert len(client.get("capture")[1]["pauses"]) == 2
    assert narrow.get("capture")[0] == narrow.get("capture", "check", path=tea)[0] == 403
    refused = [each for each in client.memory.audit.latest() if each.outcome == "refused"]
    assert [(each.actor, each.action) for each in refused] == [("narrow", "operator")]


def test_pauses_are_in_the_audit(client: Client, tmp_path: Path) -> None:
    """Issue 20, C12: who paused and who resumed what, in the transaction that does it."""
    tea = folder(tmp_path, "tea")
    begin(client, "tea", tea)
    (project,) = client.memory.projects.list()
    other = client.of("other", audience="owner", rights="write")
    client.post("/api/capture/pause", {"project": tea})
    other.post("/api/capture/resume", {"project": tea})
    other.post("/api/capture/pause", {})
    told = [(each.actor, each.action, each.target) for each in client.memory.audit.latest()]
    assert told[1:] == [
        ("owner", "capture.pause", project.id),
        ("other", "capture.resume", project.id),
        ("other", "capture.pause", None),
    ]


def test_another_tenant_pauses_only_itself(client: Client) -> None:
    """The operator of a tenant has its pauses."""
    other = client.of("acme", tenant="acme", audience="owner", rights="write")
    assert len(other.post("/api/capture/pause", {})[1]["pauses"]) == 1
    assert client.get("capture")[1]["pauses"] == []


def test_a_narrowed_token_lists_its_own_projects(client: Client, tmp_path: Path) -> None:
    """Issue 20, C12: neither names, paths, counts nor likenesses of others."""
    tea, other = folder(tmp_path, "tea"), folder(tmp_path, "gulls")
    begin(client, "tea", tea)
    begin(client, "gulls", other)
    begin(client, "agent:work:main", other)
    assert len(client.get("projects")[1]["projects"]) == 2
    by_project = client.of("tea", audience="owner", project=tea)
    by_agent = client.of("work", audience="owner", agent="work")
    assert [each["name"] for each in by_project.get("projects")[1]["projects"]] == ["tea"]
    (seen,) = by_agent.get("projects")[1]["projects"]
    assert (seen["name"], seen["sessions"]) == ("gulls", 1)
    assert client.of("guest").get("projects")[0] == 403


def test_a_narrowed_memory_changes_neither_pauses_nor_projects(tmp_path: Path) -> None:
    """The library refuses it where HTTP does: there is one check."""
    with recollect.open(tmp_path / "home", overrides={"embedding.provider": "none"}) as memory:
        memory.sessions.create(project="/srv/tea")
        narrow = memory.within(Scope(project="/srv/tea"))
        for change in (
            narrow.capture.pause,
            narrow.capture.resume,
            lambda: narrow.projects.alias("/srv/gulls", "tea"),
            lambda: narrow.projects.merge("/srv/tea", "/srv/gulls"),
            lambda: narrow.projects.keep_apart("/srv/tea", "/srv/gulls"),
        ):
            with pytest.raises(Denied, match="concerns the whole tenant"):
                change()


# --- who imports ---


def test_only_the_operator_imports(client: Client, server: RunningServer) -> None:
    """Issue 20, C13: a guest with the right admin forges no record of the owner."""
    say(client, "agent:main:main", "The code of the safe is 12.")
    export = server.call("GET", "/api/export").body
    forged = export.replace(b"is 12.", b"is 99.")
    media = "application/x-ndjson"
    for name, audience in (("shared", "shared"), ("any", "session:*"), ("one", f"session:{GUEST}")):
        text = server.tokens.add(name, audience=audience, rights="admin", channels=["*"]).text
        for body in (export, forged):
            reply = server.call(
                "POST",
                "/api/import",
                body,
                content_type=media,
                authorization=f"Bearer {text}",
            )
            assert (reply.status, reply.json["error"]["code"]) == (403, "denied")
    assert client.memory.counts().messages == 1
    assert server.call("POST", "/api/import", export, content_type=media).status == 200


def test_an_import_of_a_narrowed_token_brings_no_paths(client: Client, tmp_path: Path) -> None:
    """Issue 20, C13: which paths are its project is not for a narrowed token to say."""
    tea, gulls = folder(tmp_path, "tea"), folder(tmp_path, "gulls")
    begin(client, "tea", tea)
    client.memory.projects.alias(gulls, tea)
    with (tmp_path / "export.jsonl").open("wb") as file:
        file.writelines(line + b"\n" for line in client.memory.export().lines())
    with MemoryPool(tmp_path / "other", OVERRIDES) as pool:
        narrow = pool.memory(scope=Scope(project=tea))
        assert narrow.import_export(tmp_path / "export.jsonl").added == {"session": 1}
        assert narrow.projects.paths(tea) == (tea,)
        assert set(client.memory.projects.paths(tea)) == {tea, gulls}


# --- names that are ids ---


def test_titles_are_of_the_sessions_that_were_checked(client: Client) -> None:
    """Issue 20, C14: a session whose key is the id tells nobody the title of that one."""
    theirs = begin(client, "agent:main:main")
    client.post(f"/api/sessions/{theirs}", {"title": "The merger"}, "PATCH")
    guest = client.of("guest", rights="write")
    mine = begin(guest, theirs)
    assert mine != theirs
    status, told = guest.post("/api/memory/titles", {"session_ids": [theirs, mine]})
    assert status == 200
    assert "merger" not in str(told)
    assert told[theirs] == told[mine]


# --- lists ---


def test_a_guest_lists_its_sessions_however_many_others_are_newer(client: Client) -> None:
    """Issue 20, C18: the newest sessions of the home are not looked at before they are filtered."""
    guest = client.of("guest", rights="write")
    mine = [begin(guest, f"k{n}") for n in range(3)]
    for _ in range(210):
        client.memory.sessions.create()
    listed = guest.get("sessions", limit=2)[1]["sessions"]
    assert [each["id"] for each in listed] == mine[:0:-1]


def test_a_list_of_messages_is_as_long_as_asked_for(tmp_path: Path) -> None:
    """Issue 20, C18: the turns of others in a shared session are left out before it is cut."""
    owners = {**OVERRIDES, "sessions.owner": ["telegram:42"]}
    with RunningServer(tmp_path / "home", overrides=owners) as server:
        client = Client(server)
        key = "agent:main:main"
        for n in range(3):
            say(client, key, f"terns {n}", sender="telegram:77")
        for n in range(5):
            say(client, key, f"gulls {n}", sender="telegram:42")
        say(client, key, "terns 3", sender="telegram:77")
        guest = client.of("one", audience=f"session:{key}")
        told = guest.get("messages", session_key=key, limit=3)[1]["messages"]
        assert [each["text"] for each in told] == ["terns 1", "terns 2", "terns 3"]


@pytest.mark.parametrize("scope", [Scope(tenant="acme"), Scope(project="/srv/tea")])
def test_an_id_that_is_taken_elsewhere_is_no_error(tmp_path: Path, scope: Scope) -> None:
    """Issue 20, C19: nothing says that a session is there which the scope does not have."""
    with MemoryPool(tmp_path / "home", OVERRIDES) as pool:
        memory, other = pool.memory(), pool.memory(scope=scope).sessions
        taken = memory.sessions.create(session_id="job-1")
        memory.sessions.append(taken.id, "user", "gulls")
        made = other.start(session_id="job-1")
        assert other.start(session_id="job-1") == made
        assert other.create(session_id="job-2").id == "job-2"
        assert other.messages(made.id) == []
        refused = []
        for id_ in ("job-1", "nobody"):
            with pytest.raises(NotFound) as error:
                other.append(id_, "user", "terns")
            with pytest.raises(NotFound) as forked:
                other.fork(id_)
            refused.append((str(error.value), error.value.hint, str(forked.value)))
        assert refused[0] == refused[1]
        assert memory.sessions.get("job-1").last_seq == 1
        with pytest.raises(Conflict) as again:
            other.create(session_id="job-1")
        with pytest.raises(Conflict) as own:
            other.create(session_id="job-2")
        assert (str(again.value), again.value.hint) == (str(own.value), own.value.hint)


# --- tokens and the audit ---


def test_the_operator_issues_lists_and_revokes_tokens(
    client: Client, server: RunningServer
) -> None:
    """The text is in the first answer alone; the audit names who did it."""
    status, issued = client.post("/api/tokens", {"name": "phone", "rights": "capture"})
    assert status == 201
    phone = Client(server, issued["text"])
    assert phone.get("sessions")[0] == 200
    assert phone.get("tokens")[0] == phone.post("/api/tokens", {"name": "x"})[0] == 403
    listed = client.get("tokens")[1]["tokens"]
    assert [each["name"] for each in listed] == ["owner", "phone"]
    assert issued["text"] not in str(listed)
    assert client.post("/api/tokens", {"name": "phone"})[0] == 409
    assert client.delete("/api/tokens/phone")[1]["revoked_at"] is not None
    assert phone.get("sessions")[0] == 401
    assert client.delete("/api/tokens/owner")[0] == 422
    assert [each["name"] for each in client.get("tokens", revoked=True)[1]["tokens"]] == [
        "owner",
        "phone",
    ]
    client.of("elsewhere", tenant="other")  # its entry is of another tenant
    entries = client.get("audit", limit=10)[1]["entries"]
    done = [(each["actor"], each["action"]) for each in entries if each["outcome"] == "done"]
    assert done == [("owner", "token.add"), ("owner", "token.revoke")]


@pytest.mark.parametrize("narrowing", ["project", "agent", "tenant"])
def test_a_narrowed_token_issues_no_wider_one(
    client: Client, tmp_path: Path, narrowing: str
) -> None:
    """With the right admin, too; and it reads neither the tokens nor the audit of the home."""
    given = {"project": folder(tmp_path, "tea"), "agent": "main", "tenant": "other"}
    narrow = client.of("narrow", audience="owner", rights="admin", **{narrowing: given[narrowing]})
    assert narrow.post("/api/tokens", {"name": "wide", "audience": "owner"})[0] == 403
    assert narrow.delete("/api/tokens/narrow")[0] == 403
    assert narrow.get("tokens")[0] == narrow.get("audit")[0] == 403


def test_a_token_for_an_agent_that_cannot_be_is_a_mistake_of_the_request(client: Client) -> None:
    """The name of an agent is no setting here: 422, and not an error of the server."""
    status, answer = client.post("/api/tokens", {"name": "narrow", "agent": "ü!"})
    assert status == 422
    assert answer["error"]["code"] == "invalid_input"
