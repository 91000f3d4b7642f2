"""Exports and imports over a real server, with tokens of every kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.running_server import RunningServer
from tests.support.wire import Reply

NDJSON = "application/x-ndjson"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server whose home holds what the owner, a guest and a group said."""
    with RunningServer(tmp_path / "home") as running:
        memory = running.pool.memory()
        for key, word in (
            ("agent:main:main", "owner"),
            ("agent:main:telegram:acc:direct:42", "guest"),
            ("agent:main:slack:group:g1", "group"),
        ):
            session = memory.sessions.create(key=key, project=f"/p/{word}")
            memory.sessions.append(session.id, "user", f"word {word}")
            memory.observations.record(session.id, "Read", output=f"saw {word}")
        yield running


def exported(server: RunningServer, query: str = "", token: str | None = None) -> Reply:
    """Return the answer to an export."""
    authorization = f"Bearer {token or server.token}"
    return server.call("GET", f"/api/export{query}", authorization=authorization)


def imported(
    server: RunningServer, body: bytes, query: str = "", media: str = NDJSON, **headers: str
) -> Reply:
    """Return the answer to an import."""
    return server.call("POST", f"/api/import{query}", body, content_type=media, **headers)


def added(server: RunningServer, **facts: Any) -> str:
    """Return the text of a new token."""
    return str(server.tokens.add("one", **facts).text)


def test_the_operator_gets_everything_and_another_home_takes_it(
    server: RunningServer, tmp_path: Path
) -> None:
    """The same document as of the command line; twice is once."""
    reply = exported(server)
    assert reply.status == 200
    assert reply.headers["content-type"] == NDJSON
    body = reply.body
    assert all(f"word {who}".encode() in body for who in ("owner", "guest", "group"))
    with RunningServer(tmp_path / "two") as other:
        plan = json.loads(imported(other, body, "?dry_run=true").body)
        first = json.loads(imported(other, body).body)
        again = json.loads(imported(other, body).body)
        assert plan["added"] == first["added"]
        assert (first["added"]["message"], again["added"]) == (3, {})
        assert exported(other).body.splitlines()[1:-1] == body.splitlines()[1:-1]


@pytest.mark.parametrize("query", ["?session=agent:main:main", "?project=/p/owner", "?since=tea"])
def test_queries_narrow(server: RunningServer, query: str) -> None:
    """By session, project and time."""
    reply = exported(server, query)
    if "since" in query:
        assert reply.status == 422
        reply = exported(server, "?since=9999-01-01T00:00:00Z")
        assert b"word" not in reply.body
        return
    assert b"word owner" in reply.body
    assert b"word guest" not in reply.body


def test_a_guest_token_gets_its_own_only(server: RunningServer) -> None:
    """Whatever it asks for; what is another's answers as what does not exist."""
    token = added(server, audience="session:agent:main:telegram:acc:direct:42", rights="read")
    reply = exported(server, token=token)
    assert reply.status == 200
    assert b"word guest" in reply.body
    assert not any(f"word {who}".encode() in reply.body for who in ("owner", "group"))
    assert b"saw" not in reply.body
    assert exported(server, "?session=agent:main:main", token).status == 404
    assert exported(server, "?for_session=agent:main:main", token).status == 404
    assert exported(server, "?session=nobody", token).status == 404


def test_an_operator_needs_the_right_for_everything(server: RunningServer) -> None:
    """Who may only read gets what one session hears; files need their own right."""
    token = added(server, audience="owner", rights="read")
    assert exported(server, token=token).status == 403
    assert exported(server, "?for_session=agent:main:main", token).status == 200
    assert exported(server, "?for_session=agent:main:main&files=true", token).status == 403


def test_only_an_admin_imports(server: RunningServer) -> None:
    """A token that writes does not."""
    body = exported(server).body
    token = added(server, audience="owner", rights="files")
    assert imported(server, body, authorization=f"Bearer {token}").status == 403


@pytest.mark.parametrize(
    ("body", "media", "status"),
    [
        (b"hello", NDJSON, 422),
        (b"", NDJSON, 422),
        (b'{"header":{"recollect_export":9}}\n', NDJSON, 422),
        (b"{}", "application/json", 415),
        (b"{}", "text/plain", 415),
    ],
)
def test_what_is_no_document_is_refused(
    server: RunningServer, body: bytes, media: str, status: int
) -> None:
    """With the shape of every error, and nothing is stored."""
    before = exported(server).body.splitlines()[1:-1]
    reply = imported(server, body, media=media, content_length=str(len(body)))
    assert reply.status == status
    assert set(json.loads(reply.body)["error"]) == {"code", "message", "hint"}
    assert exported(server).body.splitlines()[1:-1] == before


def test_a_cut_document_leaves_nothing(server: RunningServer, tmp_path: Path) -> None:
    """Neither records nor a file in the home."""
    body = exported(server).body
    with RunningServer(tmp_path / "two") as other:
        before = sorted(path.name for path in (tmp_path / "two").iterdir())
        assert imported(other, body[:-100]).status == 422
        assert sorted(path.name for path in (tmp_path / "two").iterdir()) == before
        assert b"word" not in exported(other).body


def test_the_audit_names_who_did_it(server: RunningServer) -> None:
    """Both, with the id of the document."""
    body = exported(server).body
    imported(server, body)
    document = json.loads(body.splitlines()[0])["header"]["id"]
    found = [(e.action, e.target) for e in server.pool.memory().audit.latest()]
    assert found[-2:] == [("export", document), ("import", document)]
    assert server.pool.memory().audit.latest()[-1].actor
