"""What routes of every kind answer, over a real socket."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from recollect.server.app import Mount
from recollect.server.response import Receive, Response, Scope, Send, send_response
from recollect.server.route import KEPT_BODY
from tests.support.running_server import RunningServer
from tests.support.sample_routes import SAMPLES
from tests.support.wire import Wire, request


def test_health_is_open_and_tells_nothing_else(server: RunningServer) -> None:
    """Bare ok and the version."""
    with Wire(server.port) as wire:
        reply = wire.send(request("GET", "/api/health", {"host": "localhost"})).reply()
    assert reply is not None
    assert reply.json == {"status": "ok", "version": "0.1.0"}


def test_stats_count_what_the_token_reaches(tmp_path: Path) -> None:
    """Within its scope only, and for the operator only: counts would tell of others."""
    with RunningServer(tmp_path) as server:
        memory = server.pool.memory()
        for project in ("/tea", "/shop"):
            session = memory.sessions.create(key=f"agent:main:{project[1:]}", project=project)
            memory.sessions.append(session.id, "user", "Which teas keep?")
        last = memory.sessions.create(project="/shop")
        memory.observations.record(last.id, tool_name="Read", input="a", output="b")
        made = {
            "all": server.token,
            "tea": server.tokens.add("tea", project="/tea", audience="owner").text,
            "guest": server.tokens.add("guest", audience="shared").text,
        }
        replies = {
            name: server.call("GET", "/api/stats", authorization=f"Bearer {text}")
            for name, text in made.items()
        }
    assert replies["all"].json == {
        "sessions": 3,
        "messages": 2,
        "observations": 1,
        "episodes": 0,
        "facts": 0,
    }
    assert replies["tea"].json == {
        "sessions": 1,
        "messages": 1,
        "observations": 0,
        "episodes": 0,
        "facts": 0,
    }
    assert (replies["guest"].status, replies["guest"].code) == (403, "denied")


def test_a_right_that_lacks_is_refused(server: RunningServer) -> None:
    """And noted in the audit; a token that may write may read as well."""
    text = server.tokens.add("reader", rights="write").text
    bearer = f"Bearer {text}"
    assert server.call("PUT", "/sample/keyed/k", b"{}", authorization=bearer).status == 200
    assert server.call("GET", "/sample/plain", authorization=bearer).status == 200
    refused = server.call("DELETE", "/sample/keyed/k", authorization=bearer)
    assert (refused.status, refused.code) == (403, "denied")


def test_what_was_made_answers_201_and_what_was_there_200(server: RunningServer) -> None:
    """``Created``."""
    assert server.call("POST", "/sample/made", b'{"text": "new"}').status == 201
    assert server.call("POST", "/sample/made", b'{"text": "again"}').status == 200


def test_a_key_with_a_slash_arrives(server: RunningServer) -> None:
    """Percent-encoded in the path."""
    reply = server.call("PUT", "/sample/keyed/agent%3Amain%2F%E6%97%A5", b"{}")
    assert reply.json["values"]["key"] == "agent:main/日"


def test_a_text_is_sent_as_it_is(server: RunningServer) -> None:
    """For ``/metrics``; HEAD tells its length."""
    reply = server.call("GET", "/sample/text")
    assert (reply.body, reply.headers["content-type"]) == (b"teas 3\n", "text/plain; version=0.0.4")
    head = server.call("HEAD", "/sample/text")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "7")


def test_a_large_body_is_read_beside_the_loop(server: RunningServer) -> None:
    """Of a route that runs on it, too."""
    text = "x" * 200_000
    for path in ("/sample/plain", "/sample/loop"):
        reply = server.call("POST", path, json.dumps({"text": text}).encode())
        assert reply.json["values"]["text"] == text


def test_it_serves_without_uvloop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it does not install, on the loop of the standard library."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with RunningServer(tmp_path, SAMPLES) as server:
        assert server.call("POST", "/sample/plain", b'{"number": 1}').status == 200
        with Wire(server.port) as wire:
            reply = wire.send(b"GET / HTTP/1.1\r\nx: " + b"y" * 20_000).reply()
        assert reply is not None
        assert reply.status == 431


def test_an_unexpected_error_tells_no_text(
    server: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The answer has none, and the log has the place."""
    with caplog.at_level(logging.DEBUG):
        reply = server.call("POST", "/sample/fails", b'{"text": "my diary"}')
    assert (reply.status, reply.code) == (500, "internal")
    logged = "\n".join(each.getMessage() for each in caplog.records)
    assert "diary" not in reply.body.decode() + logged + caplog.text
    assert "sample_routes.py:" in logged


def test_pieces_come_as_they_are_made(server: RunningServer) -> None:
    """From a plain iterator, and none from an empty one."""
    reply = server.call("GET", "/sample/count?number=3")
    assert (reply.status, reply.body) == (200, b"0\n1\n2\n")
    assert reply.headers["content-disposition"] == 'attachment; filename="count.txt"'
    assert server.call("GET", "/sample/count").body == b""


def test_an_error_before_the_first_piece_is_an_answer(server: RunningServer) -> None:
    """And one behind it leaves the answer without its end."""
    early = server.call("GET", "/sample/count?text=early")
    assert (early.status, early.code) == (404, "not_found")
    with Wire(server.port) as wire:
        wire.send(request("GET", "/sample/count?number=2&text=late", server.headers()))
        head = wire.head()
        assert head is not None
        assert head.status == 200
        assert [wire.piece(), wire.piece(), wire.piece()] == [b"0\n", b"1\n", None]


def test_a_stream_ends_when_the_server_stops(tmp_path: Path) -> None:
    """It does not wait for who listens for ever."""
    with RunningServer(tmp_path, SAMPLES) as server, Wire(server.port) as wire:
        wire.send(request("GET", "/sample/ticks", server.headers()))
        assert wire.head() is not None
        assert wire.piece() == b": hello\n\n"
        server.stop()
        assert wire.is_closed()


def test_a_hook_of_20_mb_keeps_its_head_and_its_tail(server: RunningServer) -> None:
    """Over the wire, with a mark between them; ids behind the middle are found."""
    output = "a" * 10_000_000 + "b" * 10_000_000
    body = json.dumps({"session_id": "s", "output": output, "tool_use_id": "t"}).encode()
    reply = server.call("POST", "/sample/hook", body)
    values = reply.json["values"]
    assert (values["session_id"], values["tool_use_id"], values["unread"]) == ("s", "t", None)
    assert values["left_out"] == len(body) - KEPT_BODY
    assert values["output"].count("bytes left out") == 1
    assert values["output"].strip("a").startswith("\n[… ")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"words",
        b"\xff\xfe",
        rb'{"output": "\ud800"}',
        b'{"new": 1}',
        b'{"session_id": 4}',
        b"[",
    ],
)
def test_a_hook_is_never_refused_for_what_it_holds(server: RunningServer, body: bytes) -> None:
    """A refused body is a lost observation."""
    headers = {"content_type": "application/json", "content_length": str(len(body))}
    assert server.call("POST", "/sample/hook", body, **headers).status == 200


def test_a_file_is_uploaded_without_being_held(server: RunningServer) -> None:
    """Up to its own limit; nothing of it is left in the home."""
    headers = {"content_type": "application/zstd"}
    assert server.call("POST", "/sample/upload", b"x" * 2_500_000, **headers).body == b"2500000"
    large = server.call("POST", "/sample/upload", b"x" * 3_000_001, **headers)
    assert (large.status, large.code) == (413, "too_large")


def test_what_is_mounted_stands_behind_the_same_guard(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With the caller, its lifespan, and no answer of its own when it breaks."""
    life = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        life.append("entered")
        yield
        life.append("left")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["raw_path"] == b"/mount/breaks":
            raise RuntimeError("the words of a user")
        await send_response(send, Response(scope["state"]["caller"].token.name.encode()))

    mount = Mount(path="/mount", right="capture", app=app, lifespan=lifespan)
    with caplog.at_level(logging.DEBUG), RunningServer(tmp_path, mounts=[mount]) as server:
        assert server.call("GET", "/mount").body == b"owner"
        assert server.call("POST", "/mount/below?x=1", b"{}").body == b"owner"
        assert server.call("GET", "/mounted").status == 404
        reader = f"Bearer {server.tokens.add('reader', rights='read').text}"
        assert server.call("GET", "/mount", authorization=reader).status == 403
        with Wire(server.port) as wire:
            foreign = wire.send(request("GET", "/mount", {"host": "evil.example"})).reply()
        assert foreign is not None
        assert foreign.status == 421
        assert server.call("GET", "/mount/breaks").status == 500
    assert life == ["entered", "left"]
    assert "words" not in caplog.text
