"""The home over HTTP: status, doctor, settings, clients, projects, audit. For its operator."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.core.errors import NotFound
from recollect.core.settings import list_options
from recollect.integrations.agents import AGENTS
from recollect.server.home import doctor
from recollect.server.home.settings import CHANGEABLE
from tests.support.running_server import RunningServer
from tests.unit.server.client import Client, folder

BY_COMMAND = (
    *("checkpoints.roots", "checkpoints.agents_may_apply", "checkpoints.tools", "server.host"),
    *(
        "server.hosts",
        "server.socket",
        "language.api_key",
        "language.claude_command",
        "qmd.command",
    ),
    *("embedding.provider", "embedding.remote.base_url", "language.base_url", "language.provider"),
    *("workspace.path", "workspace.extra_paths", "privacy.redact", "sessions.owner", "apart"),
    *("sessions.guests_read", "observations.shared", "search.vector.extension_path"),
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose settings have a secret, a comment and an agent."""
    home = tmp_path / "home"
    home.mkdir(0o700)
    (home / "config.yaml").write_text(
        "# mine\nembedding:\n  provider: none\nlanguage:\n  api_key: sunset-42-harbour\n"
        "agents:\n  work:\n    search:\n      limit: 9\n"
    )
    return home


@pytest.fixture
def server(home: Path) -> Iterator[RunningServer]:
    """A real server of the home."""
    with RunningServer(home, overrides={}) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


# --- status and clients ---


def test_the_status_is_what_the_command_says(client: Client) -> None:
    """One struct for both; a probe is made only where it is asked for."""
    client.post("/api/messages", {"session_key": "k", "role": "user", "content": "gulls"})
    status, told = client.get("status")
    assert status == 200
    assert (told["messages"], told["home"]) == (1, str(client.memory.home))
    assert {"spool", "worker", "checkpoints", "sync", "index"} <= told.keys()
    assert "vector_probe" not in told
    assert client.get("status", probe="true")[1]["vector_probe"] is not None


def test_clients_are_connected_or_not(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that recollect knows, with the command that connects each."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    (tmp_path / ".cursor").mkdir()
    (client.memory.home / "integrations.json").write_text('{"codex": {"files": []}}')
    told = client.get("clients")[1]
    named = {each["name"]: each for each in told["clients"]}
    assert set(AGENTS) <= set(named)
    assert [name for name, each in named.items() if each["connected"]] == ["codex"]
    assert named["cursor"]["is_here"]
    assert not named["windsurf"]["is_here"]
    assert named["zed"]["command"] == "recollect init mcp --client zed"
    assert told["paused"] is False
    client.post("/api/capture/pause")
    assert client.get("clients")[1]["paused"] is True


# --- doctor ---


def test_the_doctor_looks_and_mends_what_was_agreed_to(client: Client) -> None:
    """A plan id changes with the findings; a mend is in the audit, a refused one is not."""
    home = client.memory.home
    client.post("/api/messages", {"session_key": "k", "role": "user", "content": "gulls"})
    client.memory.sync()
    client.memory.sessions.find("k")
    found = client.get("doctor")[1]
    os.truncate(next((home / "transcripts").glob("*.jsonl")), 0)
    told = client.get("doctor")[1]
    assert [each["name"] for each in told["checks"] if each["state"] == "wrong"] == ["mirrors"]
    assert told["plan_id"] != found["plan_id"]
    stale = client.post("/api/doctor/mends", {"plan_id": found["plan_id"]})
    assert (stale[0], stale[1]["error"]["code"]) == (409, "conflict")
    status, mended = client.post("/api/doctor/mends", {"plan_id": told["plan_id"]})
    assert (status, mended["healthy"]) == (200, True)
    assert mended["fixed"]
    assert [each.action for each in client.memory.audit.latest()] == ["doctor.mend"]


def test_one_doctor_looks_at_a_time_and_nobody_waits_for_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one is told to come again; every other request is answered meanwhile."""
    begun, go_on = threading.Event(), threading.Event()
    findings = doctor._findings  # noqa: SLF001  # what takes long

    def slow(home: Path, options: list[str]) -> object:
        begun.set()
        assert go_on.wait(60)
        return findings(home, options)

    monkeypatch.setattr(doctor, "_findings", slow)
    answers: list[int] = []
    looking = threading.Thread(target=lambda: answers.append(client.get("doctor")[0]))
    looking.start()
    assert begun.wait(60)
    status, refused = client.get("doctor")
    assert (status, refused["error"]["code"]) == (503, "store_busy")
    assert client.get("stats")[0] == 200
    go_on.set()
    looking.join()
    assert answers == [200]


def test_an_error_of_the_doctor_is_its_own(tmp_path: Path) -> None:
    """Such as that there is no home, not "the doctor failed"."""
    with pytest.raises(NotFound, match="holds no memory yet"):
        doctor._findings(tmp_path, [])  # noqa: SLF001  # its home was there before


# --- settings ---


def test_settings_tell_where_they_come_from(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Default, line of the file, variable; of a secret only whether it is set."""
    monkeypatch.setenv("RECOLLECT_SEARCH__SNIPPET_CHARS", "800")
    status, told = client.get("settings")
    assert status == 200
    rows = {row["name"]: row for row in told["settings"]}
    assert list(rows) == [option.key for option in list_options()]
    origins = {name: rows[name]["origin"] for name in ("search.limit", "embedding.provider")}
    assert origins == {"search.limit": "default", "embedding.provider": "config.yaml line 3"}
    assert rows["search.snippet_chars"]["origin"].startswith("environment RECOLLECT_SEARCH")
    secret = rows["language.api_key"]
    assert (secret["value"], secret["is_set"], secret["secret"]) == (None, True, True)
    assert "sunset" not in json.dumps(told)
    assert told["agents"] == ["work"]
    of_agent = client.get("settings", agent="work")[1]["settings"]
    assert {r["name"]: r["value"] for r in of_agent}["search.limit"] == 9


def test_a_setting_is_changed_as_the_command_does(client: Client) -> None:
    """In force with the next request; comments stay; null is the default again."""
    path = client.memory.home / "config.yaml"
    change = {"value": 7, "confirm": "search.limit"}
    status, row = client.post("/api/settings/search.limit", change, "PUT")
    assert (status, row["value"], row["needs_restart"]) == (200, 7, False)
    assert path.read_text().startswith("# mine\n")
    assert path.read_text().count("limit: 7") == 1
    of_agent = {**change, "agent": "work", "value": 5}
    assert client.post("/api/settings/search.limit", of_agent, "PUT")[1]["value"] == 5
    unset = client.post("/api/settings/search.limit", {**change, "value": None}, "PUT")[1]
    assert (unset["value"], unset["origin"]) == (6, "default")
    types = {"value": ["decision"], "confirm": "context.types"}
    assert client.post("/api/settings/context.types", types, "PUT")[1]["value"] == ["decision"]
    port = {"value": 40_000, "confirm": "server.port"}
    assert client.post("/api/settings/server.port", port, "PUT")[1]["needs_restart"] is True
    entries = client.memory.audit.latest()
    assert {(each.action, each.outcome) for each in entries} == {("settings.set", "done")}
    assert [each.target for each in entries][-1] == "server.port"


def test_a_change_that_is_wrong_changes_nothing(client: Client) -> None:
    """Of a value, of a name, or one that was not confirmed."""
    before = (client.memory.home / "config.yaml").read_text()
    for name, value, confirm, status in (
        ("search.limit", 0, "search.limit", 422),
        ("search.limit", "many", "search.limit", 422),
        ("search.limit", 7, "search", 422),
        ("search.limits", 7, "search.limits", 404),
        ("store.durability", "fast", "store.durability", 200),
    ):
        told = client.post(f"/api/settings/{name}", {"value": value, "confirm": confirm}, "PUT")
        assert (name, value, told[0]) == (name, value, status)
        if status != 200:
            assert (client.memory.home / "config.yaml").read_text() == before
    agents = {"value": "full", "confirm": "store.durability", "agent": "work"}
    assert client.post("/api/settings/store.durability", agents, "PUT")[0] == 422


@pytest.mark.parametrize("name", BY_COMMAND)
def test_what_decides_who_hears_or_what_is_started_is_the_command_lines(
    client: Client, name: str
) -> None:
    """A stolen token of a page must not start a program, nor send texts elsewhere."""
    assert name in {option.key for option in list_options()}
    told = client.post(f"/api/settings/{name}", {"value": "x", "confirm": name}, "PUT")
    assert (told[0], told[1]["error"]["code"]) == (403, "denied")
    rows = {row["name"]: row for row in client.get("settings")[1]["settings"]}
    assert rows[name]["changeable"] is False
    (entry,) = client.memory.audit.latest()
    assert (entry.action, entry.outcome, entry.target) == ("settings.set", "refused", name)


def test_each_name_that_a_page_may_change_is_one_of_a_setting() -> None:
    """A renamed setting would stay changeable under no name at all."""
    names = [option.key for option in list_options()]
    assert [each for each in CHANGEABLE if not any(n.startswith(each) for n in names)] == []


# --- projects and audit ---


def test_projects_are_joined_and_parted(client: Client, tmp_path: Path) -> None:
    """As `recollect projects` does, and in the audit."""
    tea, shop = folder(tmp_path, "tea"), folder(tmp_path, "shop")
    for path in (tea, shop):
        client.post("/api/sessions", {"session_key": path[1:], "project_path": path})
    old = {"path": str(tmp_path / "old"), "project": "tea"}
    assert client.post("/api/projects/alias", old)[1]["paths"] == [str(tmp_path / "old"), tea]
    both = {"project": "shop", "into": "tea"}
    assert shop in client.post("/api/projects/merge", both)[1]["paths"]
    assert client.post("/api/projects/merge", both)[0] == 409
    parted = client.post("/api/projects/merge", {**both, "undo": True})
    assert (parted[0], shop in parted[1]["paths"]) == (200, False)
    assert client.post("/api/projects/merge", {**both, "apart": True})[0] == 200
    assert client.post("/api/projects/merge", {**both, "apart": True, "undo": True})[0] == 422
    assert client.post("/api/projects/merge", {**both, "into": "none"})[0] == 404
    actions = [each.action for each in client.memory.audit.latest()]
    kinds = ("alias", "merge", "unmerge", "keep_apart")
    assert actions == [f"project.{each}" for each in kinds]


def test_the_audit_has_pages_and_filters(client: Client) -> None:
    """By action and what is below it, by token, by outcome."""
    reader = client.of("reader", audience="owner")
    client.of("other")
    client.delete("/api/tokens/other")
    assert reader.get("tokens")[0] == 403

    def actions(**query: object) -> list[str]:
        return [each["action"] for each in client.get("audit", **query)[1]["entries"]]

    every = client.get("audit")[1]["entries"]
    done = ["token.add", "token.add", "token.revoke"]
    assert [each["action"] for each in every] == [*done, "right.admin"]
    assert actions(before_seq=every[2]["seq"]) == ["token.add", "token.add"]
    assert actions(limit=1, before_seq=every[2]["seq"]) == ["token.add"]
    assert actions(action="token") == done
    assert actions(action="token.revoke") == ["token.revoke"]
    assert actions(action="tok") == []
    assert actions(actor="reader") == actions(outcome="refused") == ["right.admin"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        *(("GET", f"/api/{name}", None) for name in ("status", "clients", "settings", "doctor")),
        ("POST", "/api/doctor/mends", {"plan_id": "x"}),
        ("PUT", "/api/settings/search.limit", {"value": 7, "confirm": "search.limit"}),
        ("POST", "/api/projects/alias", {"path": "/a", "project": "b"}),
        ("POST", "/api/projects/merge", {"project": "a", "into": "b"}),
    ],
)
def test_only_the_operator_of_the_home_may(
    client: Client, method: str, path: str, body: object
) -> None:
    """Neither a guest with every right, nor an owner whose token is narrowed."""
    for name, granted in (
        ("guest", {"audience": "shared"}),
        ("narrow", {"audience": "owner", "agent": "work"}),
    ):
        caller = client.of(f"{name}", rights="admin", **granted)
        sent = b"" if body is None else json.dumps(body).encode()
        assert (name, caller.send(method, path, sent)[0]) == (name, 403)
    if body is not None:
        writer = client.of("writer", audience="owner", rights="files")
        assert writer.send(method, path, json.dumps(body).encode())[0] == 403
