"""The thirteen endpoints of seed 001: its methods, paths, fields and statuses, over real HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.server.app import all_routes
from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client, folder

SEED = """
GET /api/health
GET /api/stats
POST /api/sessions
GET /api/sessions/:key
POST /api/observations
GET /api/observations/:id
POST /api/observations/batch
POST /api/search
POST /api/timeline
GET /api/context
POST /api/hooks/session-start
POST /api/hooks/tool-result
POST /api/hooks/session-end
"""
SESSION = "id session_key project_path started_at ended_at summary"
OBSERVATION = "id session_id type tool_name input output summary tokens importance created_at"
RESULT = "id type title tokens created_at score source"
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture(scope="module", params=["person", "owner"])
def server(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[RunningServer]:
    """A real server; each test has keys and projects of its own, which may be whose they may."""
    overrides = {**OVERRIDES, "sessions.plain_keys": request.param}
    with RunningServer(tmp_path_factory.mktemp("served") / "home", overrides=overrides) as running:
        yield running


@pytest.fixture
def client(server: RunningServer) -> Client:
    """The owner's client."""
    return Client(server)


def record(client: Client, key: str, **given: Any) -> dict[str, Any]:
    """Store an observation; return it as it was answered."""
    status, made = client.post("/api/observations", {"session_key": key, **given})
    assert status in {200, 201}, made
    return dict(made)


def test_the_thirteen_are_there() -> None:
    """Seed 001, API Endpoints: literally."""
    named = [(route.method, re.sub(r"{(\w+)}", r":\1", route.path)) for route in all_routes()]
    routes = {f"{method} {path}" for method, path in named}
    assert not set(SEED.split("\n")[1:-1]) - routes
    assert len(SEED.split("\n")[1:-1]) == 13


def test_a_session_has_the_fields_of_the_seed(client: Client, tmp_path: Path) -> None:
    """Seed 001, Data Model; creating answers 201, the second time what is there."""
    project = folder(tmp_path, "tea")
    asked = {"session_key": "s-fields", "project_path": project}
    status, made = client.post("/api/sessions", asked)
    assert (status, set(SESSION.split()) <= set(made)) == (201, True)
    assert (made["session_key"], made["project_path"]) == ("s-fields", project)
    assert ISO.fullmatch(made["started_at"])
    assert made["ended_at"] is made["summary"] is None
    assert client.post("/api/sessions", asked) == (200, made)
    assert client.get("sessions", "s-fields") == (200, made)
    assert client.get("sessions", made["id"]) == (200, made)
    status, missing = client.get("sessions", "s-nobody")
    assert (status, missing["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "key", ["agent:main:telegram:acc:group:-100", "a/b c%41?d#e", "Käse und 茶", "plain"]
)
def test_a_key_is_percent_encoded_in_the_path(client: Client, key: str) -> None:
    """Issue 12.5: whatever a key holds, it is one segment."""
    _, made = client.post("/api/sessions", {"session_key": key})
    assert client.get("sessions", key) == (200, made)
    assert made["session_key"] == key


def test_an_observation_has_the_fields_of_the_seed(client: Client) -> None:
    """Seed 001, Data Model; the same event id is the first one, with 200."""
    given = {
        "session_key": "o-fields",
        "tool_name": "Edit",
        "input": {"file_path": "briefing.sh", "new_string": "PATH=/opt gog"},
        "output": "done",
        "summary": "Fixed PATH issue for cron",
        "importance": 0.7,
        "type": "bugfix",
        "created_at": "2026-02-01T10:00:00.250Z",
        "event_id": "e-1",
    }
    status, made = client.post("/api/observations", given)
    assert (status, set(made)) == (201, {*OBSERVATION.split(), "title", "trust"})
    assert {name: made[name] for name in ("tool_name", "type", "importance", "summary")} == {
        name: given[name] for name in ("tool_name", "type", "importance", "summary")
    }
    assert made["created_at"] == given["created_at"]
    assert type(made["id"]) is int
    assert client.get("sessions", "o-fields")[1]["id"] == made["session_id"]
    assert client.post("/api/observations", {**given, "summary": "again"}) == (200, made)
    for name in (str(made["id"]), f"#{made['id']}"):
        assert client.get("observations", name) == (200, made)
    assert client.get("observations", "999999")[0] == 404


def test_an_observation_names_its_session_by_id_too(client: Client) -> None:
    """Issue 12.5: `session_key` or `session_id`."""
    _, session = client.post("/api/sessions", {"session_key": "o-by-id"})
    _, made = client.post("/api/observations", {"session_id": session["id"], "summary": "x"})
    assert made["session_id"] == session["id"]
    unknown = session["id"][:-4] + "beef"
    assert client.post("/api/observations", {"session_id": unknown, "summary": "x"})[0] == 404


@pytest.mark.parametrize("importance", [-0.1, 1.01, 7])
def test_an_importance_outside_of_0_to_1_is_422(client: Client, importance: float) -> None:
    """Issue 12.5."""
    given = {"session_key": "o-importance", "summary": "x", "importance": importance}
    status, answer = client.post("/api/observations", given)
    assert (status, answer["error"]["code"]) == (422, "invalid_input")


def test_times_are_taken_as_milliseconds_too(client: Client) -> None:
    """Issue 12.5: ISO 8601 UTC out, ms taken too, without a zone UTC."""
    written = {
        1_769_940_000_250: "2026-02-01T10:00:00.250Z",
        "1769940000250": "2026-02-01T10:00:00.250Z",
        "2026-02-01T11:00:00+01:00": "2026-02-01T10:00:00.000Z",
        "2026-02-01T10:00:00": "2026-02-01T10:00:00.000Z",
        "2026-02-01": "2026-02-01T00:00:00.000Z",
    }
    for given, told in written.items():
        assert record(client, "o-times", summary="x", created_at=given)["created_at"] == told


def test_a_search_answers_results(client: Client, tmp_path: Path) -> None:
    """Issue 12.5: the fields of a result; observations unless `sources` widens it."""
    project = folder(tmp_path, "zebra")
    client.post("/api/sessions", {"session_key": "f-fields", "project_path": project})
    made = record(client, "f-fields", summary="The zebra queue runs on redis", type="decision")
    session = client.get("sessions", "f-fields")[1]["id"]
    client.memory.sessions.append(session, "user", "Which zebra queue?")
    status, found = client.post("/api/search", {"query": "zebra queue"})
    assert (status, len(found["results"])) == (200, 1)
    (result,) = found["results"]
    assert set(result) == {*RESULT.split(), "project"}
    assert result["project"] == "zebra"
    assert (result["id"], result["source"], result["type"]) == (
        made["id"],
        "observations",
        "decision",
    )
    assert 0 < result["score"] <= 1
    assert result["created_at"] == made["created_at"]
    wide = {"query": "zebra queue", "sources": ["observations", "sessions"]}
    sources = {each["source"] for each in client.post("/api/search", wide)[1]["results"]}
    assert sources == {"observations", "sessions"}


def test_a_search_is_narrowed(client: Client, tmp_path: Path) -> None:
    """Issue 12.5: type, project, date_from, date_to (inclusive), min_importance, limit."""
    project = folder(tmp_path, "heron")
    client.post("/api/sessions", {"session_key": "f-narrow", "project_path": project})
    ids = {}
    for day, kind, weight in ((1, "decision", 0.9), (2, "bugfix", 0.5), (3, "decision", 0.2)):
        at = f"2026-02-0{day}T23:59:59.999Z"
        given = {"type": kind, "importance": weight, "created_at": at}
        ids[record(client, "f-narrow", summary="heron nests", **given)["id"]] = day
    record(client, "f-elsewhere", summary="heron nests elsewhere")

    def days(**narrowed: object) -> list[int]:
        asked = {"query": "heron nests", **narrowed}
        found = client.post("/api/search", asked)[1]["results"]
        return sorted(ids.get(each["id"], 0) for each in found)

    assert days() == [0, 1, 2, 3]
    assert days(project=project) == days(project="heron") == [1, 2, 3]
    assert days(type="decision") == [1, 3]
    assert days(type=["decision", "bugfix"], min_importance=0.5) == [1, 2]
    assert days(date_from="2026-02-02", date_to="2026-02-02") == [2]
    assert days(date_to="2026-02-01T23:59:59.999Z") == [1]
    assert days(date_to=1_769_990_399_999, limit=1) == [1]
    assert client.post("/api/search", {"query": "heron", "date_from": "soon"})[0] == 422
    assert client.post("/api/search", {"query": "heron", "nonsense": 1})[0] == 422


def test_a_timeline_is_around_an_id_a_number_a_time_or_a_question(client: Client) -> None:
    """Issue 12.5: `anchor` or `query`, `before`, `after`."""
    made = [
        record(client, "t-around", summary=f"otter {n}", created_at=f"2026-03-01T10:0{n}:00Z")
        for n in range(5)
    ]
    middle = made[2]["id"]
    uuid = client.memory.observations.get(f"#{middle}").found[0].id

    def around(**asked: object) -> list[int]:
        status, found = client.post("/api/timeline", {"before": 1, "after": 1, **asked})
        assert status == 200, found
        anchor = [found["anchor"]] if found["anchor"] else []
        return [each["id"] for each in (*found["before"], *anchor, *found["after"])]

    three = [each["id"] for each in made[1:4]]
    for anchor in (middle, str(middle), f"#{middle}", uuid):
        assert around(anchor=anchor) == three
    assert around(query="otter 2", before=0, after=1)[-1] == made[3]["id"]
    moment = ["2026-03-01T10:02:00Z", 1_772_359_320_000]
    assert [around(anchor=each, after=2) for each in moment] == [three, three]
    assert client.post("/api/timeline", {})[0] == 422
    assert client.post("/api/timeline", {"anchor": "whenever"})[0] == 422
    assert client.post("/api/timeline", {"anchor": 999_999})[0] == 404


def test_a_batch_keeps_the_order_of_its_ids(client: Client) -> None:
    """Seed 001: details only for the ids that were chosen."""
    one, two = (record(client, "b-order", summary=f"batch {n}") for n in range(2))
    asked = {"ids": [two["id"], 999_999, f"#{one['id']}"]}
    status, found = client.post("/api/observations/batch", asked)
    assert (status, found["observations"], found["missing"]) == (200, [two, one], [999_999])
    assert found["tokens"] > 0


def test_details_are_shortened_unless_all_is_asked_for(client: Client) -> None:
    """Seed 001: about 500 to 1,000 tokens an observation."""
    made = record(client, "b-long", tool_name="Bash", output="line of a log\n" * 5_000)
    short = client.get("observations", str(made["id"]))[1]["output"]
    assert len(short) < 5_000 < len(made["output"]) < 20_000
    whole = client.get("observations", str(made["id"]), full="true")[1]
    assert whole["output"] == "line of a log\n" * 5_000
    batch = {"ids": [made["id"]], "full": True}
    assert client.post("/api/observations/batch", batch)[1]["observations"] == [whole]


def test_a_context_fits_its_budget(client: Client, tmp_path: Path) -> None:
    """Issue 12.5: session_key, project, max_tokens, query; text, tokens, items."""
    project = folder(tmp_path, "stork")
    client.post(
        "/api/sessions", {"session_key": "c-before", "project_path": project, "owner": True}
    )
    for n in range(20):
        record(client, "c-before", summary=f"We decided on stork {n}", type="decision")
    client.post("/api/sessions", {"session_key": "c-now", "project_path": project, "owner": True})
    status, found = client.get(
        "context", session_key="c-now", owner="true", max_tokens=300, query="stork 7"
    )
    assert (status, set(found)) == (200, {"text", "tokens", "items"})
    assert 0 < found["tokens"] <= 300
    assert "stork 7" in found["text"]
    assert all(type(item["id"]) is int for item in found["items"])
    assert client.get("context", project=project)[1]["text"].count("stork") == 20
    assert client.get("context", project="stork")[1]["items"]
    assert client.get("context", session_key="c-not-yet", owner="true", project=project)[1]["items"]
    assert client.get("context")[0] == 200


def test_what_a_context_of_no_session_gives_is_not_recorded(client: Client, tmp_path: Path) -> None:
    """Nothing was injected: nobody has a prompt yet."""
    project = folder(tmp_path, "crane")
    client.post("/api/sessions", {"session_key": "c-crane", "project_path": project, "owner": True})
    record(client, "c-crane", summary="We decided on cranes", type="decision")
    assert client.get("context", session_key="c-new", owner="true", project=project)[1]["items"]
    assert client.get("sessions", "c-new")[0] == 404
    assert not [
        each for each in client.memory.context.injections(limit=100) if each.project == project
    ]


def test_a_token_of_a_project_gets_no_context_of_another(client: Client, tmp_path: Path) -> None:
    """Issue 20, C11: `GET /api/context` answers within the project of the token."""
    tea, shop = folder(tmp_path, "of-tea"), folder(tmp_path, "of-shop")
    for key, project in (("context-tea", tea), ("context-shop", shop)):
        client.post("/api/sessions", {"session_key": key, "project_path": project, "owner": True})
        record(client, key, output=f"We decided to paint {key}.", type="decision")
    narrowed = client.of("of-tea", project=tea, audience="owner")
    for asked in (None, "what did we decide to paint?"):
        _, own = narrowed.get("context", project=tea, query=asked)
        _, other = narrowed.get("context", project=shop, query=asked)
        _, whole = client.get("context", project=shop, query=asked)
        said = [one["text"] for one in (own, other, whole)]
        assert ["context-tea" in text for text in said] == [True, False, False]
        assert ["context-shop" in text for text in said] == [False, False, True]
