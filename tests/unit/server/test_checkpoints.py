"""Checkpoints over HTTP: a token plans; the operator, or whom the owner allows it, puts back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.running_server import OVERRIDES, RunningServer
from tests.unit.server.client import Client

KEY = "sk-ant-api03-" + "Zk3" * 30
OWN, GUESTS = "agent:main:main", "agent:main:telegram:direct:7"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one file."""
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "cart.py").write_text(f"KEY = '{KEY}'\n")
    return folder


@pytest.fixture
def server(tmp_path: Path, root: Path) -> Iterator[RunningServer]:
    """A server whose owner registered the folder."""
    overrides = {**OVERRIDES, "checkpoints.enabled": True, "checkpoints.roots": (str(root),)}
    with RunningServer(tmp_path / "home", overrides=overrides) as running:
        yield running


@pytest.fixture
def client(server: RunningServer, root: Path) -> Client:
    """The owner's client; in its session a tool wrote two files after `c1`."""
    owner = Client(server)
    owner.post("/api/sessions", {"session_key": OWN, "owner": True})
    _write(owner, OWN, root)
    return owner


def _write(owner: Client, key: str, root: Path) -> None:
    session = owner.memory.sessions.known(key)
    assert session is not None
    paths = ["cart.py", "new.py"]
    with owner.memory.checkpoints.around(session.id, root, paths, tool_name="Write"):
        (root / "cart.py").write_text("KEY = None\n")
        (root / "new.py").write_text("made\n")


def test_a_plan_is_made_and_done_and_undone(client: Client, root: Path) -> None:
    """What it would do has the form of what it did; its id says which plan was agreed to."""
    _, listed = client.get("checkpoints", session=OWN)
    assert [each["id"] for each in listed["checkpoints"]] == ["c1"]
    status, plan = client.post("/api/checkpoints/c1/plan")
    assert (status, plan["status"], plan["counts"]) == (200, "planned", {"restore": 1, "delete": 1})
    assert (root / "new.py").exists()
    assert client.post("/api/checkpoints/c1/rewind", {"plan_id": "0" * 32})[0] == 409
    assert (root / "new.py").exists()
    status, done = client.post("/api/checkpoints/c1/rewind", {"plan_id": plan["plan_id"]})
    assert (status, done["status"], done.keys()) == (200, "done", plan.keys())
    assert (not (root / "new.py").exists(), KEY in (root / "cart.py").read_text()) == (True, True)
    assert client.post(f"/api/rewinds/{done['rewind_id']}/undo")[1]["type"] == "undo"
    assert (root / "new.py").exists()
    assert client.post(f"/api/rewinds/{done['rewind_id']}/redo")[1]["type"] == "redo"
    _, rewinds = client.get("rewinds", session=OWN)
    assert [each["type"] for each in rewinds["rewinds"]] == ["rewind", "undo", "redo"]
    audit = [entry.action for entry in client.memory.audit.latest(20)]
    assert audit.count("rewind") == 3


def test_no_answer_has_a_secret(client: Client) -> None:
    """Diffs are redacted; a checkpoint shows sizes and no contents."""
    answers = [
        client.post("/api/checkpoints/c1/plan"),
        client.get("checkpoints", "c1"),
        client.get("checkpoints", session=OWN),
    ]
    assert "-KEY = None" in answers[0][1]["items"][0]["diff"]
    assert answers[1][1]["kept"][0]["before"]["size"] == len(f"KEY = '{KEY}'\n")
    assert KEY not in str(answers)


def test_a_conflict_is_409_and_a_choice_is_made_with_the_plan(client: Client, root: Path) -> None:
    """The plan of another choice has another id."""
    (root / "new.py").write_text("mine\n")
    _, plan = client.post("/api/checkpoints/c1/plan")
    assert plan["conflicts"] == ["new.py"]
    status, error = client.post("/api/checkpoints/c1/rewind", {"plan_id": plan["plan_id"]})
    assert (status, error["error"]["code"]) == (409, "rewind_conflict")
    keep = {"on_conflict": "keep"}
    _, kept = client.post("/api/checkpoints/c1/plan", keep)
    assert kept["plan_id"] != plan["plan_id"]
    stale = keep | {"plan_id": plan["plan_id"]}
    assert client.post("/api/checkpoints/c1/rewind", stale)[0] == 409
    fresh = keep | {"plan_id": kept["plan_id"]}
    assert client.post("/api/checkpoints/c1/rewind", fresh)[0] == 200
    assert (root / "new.py").read_text() == "mine\n"
    assert client.post("/api/checkpoints/c1/plan", {"on_conflict": "maybe"})[0] == 422


@pytest.mark.parametrize(
    "granted",
    [
        {"rights": "write", "audience": "owner"},
        {"rights": "admin", "audience": "owner", "agent": "main"},
        {"rights": "admin", "audience": f"session:{OWN}"},
    ],
)
def test_who_may_not_apply(client: Client, root: Path, granted: dict[str, str]) -> None:
    """A token that only writes, a narrowed one, and one that is not the owner's: they plan."""
    other = client.of("other", **granted)
    status, plan = other.post("/api/checkpoints/c1/plan")
    assert status == 200
    for target in ("checkpoints/c1/rewind", "rewinds/{}/undo"):
        _, rewound = client.post("/api/checkpoints/c1/plan")
        body = {"plan_id": plan["plan_id"]} if "checkpoints" in target else {}
        if "rewinds" in target:
            done = client.post("/api/checkpoints/c1/rewind", {"plan_id": rewound["plan_id"]})[1]
            target = target.format(done["rewind_id"])
        assert other.post(f"/api/{target}", body)[0] == 403
    assert not (root / "new.py").exists()


def test_agents_apply_where_the_owner_allows_it(tmp_path: Path, root: Path) -> None:
    """With the right to write, and as the owner's."""
    allowed = {"checkpoints.enabled": True, "checkpoints.agents_may_apply": True}
    with RunningServer(tmp_path / "home", overrides={**OVERRIDES, **allowed}) as running:
        client = Client(running)
        client.post("/api/sessions", {"session_key": OWN, "owner": True})
        _write(client, OWN, root)
        agent = client.of("agent", audience="owner", rights="write")
        reader = client.of("reader", audience="owner", rights="read")
        _, plan = agent.post("/api/checkpoints/c1/plan")
        body = {"plan_id": plan["plan_id"]}
        assert reader.post("/api/checkpoints/c1/plan")[0] == 403
        assert reader.post("/api/checkpoints/c1/rewind", body)[0] == 403
        guest = client.of("guest", audience=f"session:{OWN}", rights="admin")
        assert guest.post("/api/checkpoints/c1/rewind", body)[0] == 403
        assert agent.post("/api/checkpoints/c1/rewind", body)[0] == 200
        assert not (root / "new.py").exists()


def test_a_guest_sees_only_what_it_hears_and_nothing_of_files(client: Client, root: Path) -> None:
    """Not that the others exist; of its own sessions which paths, and neither sizes nor diffs."""
    guest = client.of("guest", audience="session:telegram:7", rights="write", channels=["telegram"])
    guest.post("/api/sessions", {"session_key": GUESTS})
    (root / "cart.py").write_text(f"KEY = '{KEY}'\n")
    (root / "new.py").unlink()
    _write(client, GUESTS, root)
    assert guest.get("checkpoints", session=OWN)[0] == 404
    assert guest.get("checkpoints", "c1")[0] == 404
    assert guest.post("/api/checkpoints/c1/plan")[0] == 404
    assert guest.get("rewinds", session=OWN)[0] == 404
    _, listed = guest.get("checkpoints", session=GUESTS)
    assert [each["id"] for each in listed["checkpoints"]] == ["c2"]
    assert guest.get("checkpoints", "c2")[1]["kept"] == []
    status, plan = guest.post("/api/checkpoints/c2/plan")
    assert status == 200
    assert {item["diff"] for item in plan["items"]} == {None}
    assert {item["current"]["size"] for item in plan["items"]} == {None}
    own = {"session": GUESTS, "root": str(root)}
    assert guest.post("/api/checkpoints", own)[0] == 403


def test_a_root_is_one_that_the_owner_registered(client: Client, root: Path) -> None:
    """Never one that a program names; its only one may be left out."""
    order = {"session": OWN, "paths": ["cart.py"], "label": KEY}
    status, made = client.post("/api/checkpoints", order)
    assert (status, made["id"], made["root"]) == (201, "c2", str(root))
    assert KEY not in made["label"]
    assert client.post("/api/checkpoints", order | {"root": f"{root}/"})[0] == 201
    for name in ("/", str(root.parent), f"{root}/..", "shop", "/etc"):
        status, error = client.post("/api/checkpoints", order | {"root": name})
        assert (status, "roots --add" in error["error"]["hint"]) == (403, True)
    assert client.post("/api/checkpoints", order | {"paths": ["../home/token"]})[0] == 403


def test_nothing_is_taken_where_checkpoints_are_off(tmp_path: Path, root: Path) -> None:
    """The hint says how the owner switches them on."""
    overrides = {**OVERRIDES, "checkpoints.roots": (str(root),)}
    with RunningServer(tmp_path / "home", overrides=overrides) as running:
        client = Client(running)
        client.post("/api/sessions", {"session_key": OWN, "owner": True})
        status, error = client.post("/api/checkpoints", {"session": OWN, "root": str(root)})
        assert (status, "checkpoints.enabled" in error["error"]["hint"]) == (403, True)


def test_without_a_session_those_of_all_are_listed(client: Client, root: Path) -> None:
    """The newest, oldest first, for the owner's tokens; a narrowed one has those of its own."""
    client.post("/api/sessions", {"session_key": "agent:work:main", "owner": True})
    _write(client, "agent:work:main", root)
    _, plan = client.post("/api/checkpoints/c2/plan")
    client.post("/api/checkpoints/c2/rewind", {"plan_id": plan["plan_id"]})
    _, listed = client.get("checkpoints")
    kinds = [(each["id"], each["kind"]) for each in listed["checkpoints"]]
    assert kinds == [("c1", "tool"), ("c2", "tool"), ("c3", "rescue")]
    _, newest = client.get("checkpoints", limit=1)
    assert [each["id"] for each in newest["checkpoints"]] == ["c3"]
    assert [each["target"] for each in client.get("rewinds")[1]["rewinds"]] == ["c2"]
    assert client.get("rewinds", limit=0)[1] == {"rewinds": []}
    main = client.of("main", audience="owner", rights="read", agent="main")
    assert [each["id"] for each in main.get("checkpoints")[1]["checkpoints"]] == ["c1"]
    assert main.get("rewinds")[1] == {"rewinds": []}
    guest = client.of("guest", audience=f"session:{GUESTS}", rights="admin")
    assert (guest.get("checkpoints")[0], guest.get("rewinds")[0]) == (403, 403)


def test_messages_alone_leave_with_no_paths(client: Client, root: Path) -> None:
    """An empty list of paths leaves the files as they are."""
    client.post("/api/messages", {"session_key": OWN, "role": "user", "content": "Go on."})
    alone = {"paths": [], "conversation": True}
    _, plan = client.post("/api/checkpoints/c1/plan", alone)
    assert (plan["items"], plan["first_seq"], plan["last_seq"]) == ([], 1, 1)
    status, done = client.post("/api/checkpoints/c1/rewind", alone | {"plan_id": plan["plan_id"]})
    assert (status, done["status"]) == (200, "done")
    assert (root / "new.py").exists()
    assert client.post(f"/api/rewinds/{done['rewind_id']}/undo")[0] == 200
