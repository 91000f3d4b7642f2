"""Clients that are slow, many or greedy: others are answered all the same.

uvicorn has no deadline for receiving a request: 300 half-sent headers kept the next good one
waiting, and its log grew by 30 MB in seconds (reliability reference, s9).
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from recollect.server.serving import Limits
from tests.support.running_server import RunningServer
from tests.support.sample_routes import SAMPLES
from tests.support.wire import Wire, request

SOON = Limits(request_s=1.0)


def test_300_slow_connections_keep_nobody_waiting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """S7: the slowest make room. Good requests come in between, on connections of their own."""
    with caplog.at_level(logging.DEBUG), RunningServer(tmp_path, SAMPLES) as server:
        slow = []
        answers = []
        for number in range(300):
            slow.append(Wire(server.port).send(b"GET /api/health HTTP/1.1\r\nhost: loc"))
            if number % 10 == 0:
                answers.append(server.call("GET", "/api/stats").status)
        kept = Wire(server.port).send(request("GET", "/api/health", server.headers()))
        assert kept.reply() is not None
        assert answers == [200] * 30
        assert all(wire.is_closed() for wire in slow[:236])
        for wire in (*slow, kept):
            wire.close()
    assert len(caplog.records) < 50


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /api/health HTTP/1.1\r\nhost: localhost\r\nx: ",
        b"POST /sample/plain HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
        b"content-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    ],
)
def test_a_request_that_does_not_end_is_refused(tmp_path: Path, sent: bytes) -> None:
    """S7: 10 s to the full request, headers and body together; here one second."""
    with RunningServer(tmp_path, SAMPLES, limits=SOON) as server:
        data = sent.replace(b"{token}", server.token.encode())
        with Wire(server.port) as wire:
            reply = wire.send(data).reply()
            assert reply is not None
            assert (reply.status, reply.code) == (408, "too_slow")
            assert wire.is_closed()


def test_a_second_request_of_a_connection_has_the_same_deadline(tmp_path: Path) -> None:
    """S7: what was answered before does not count."""
    with RunningServer(tmp_path, SAMPLES, limits=SOON) as server, Wire(server.port) as wire:
        first = wire.send(request("GET", "/api/health", server.headers())).reply()
        assert first is not None
        assert first.status == 200
        second = wire.send(b"GET /api/health HTTP/1.1\r\nhost: localhost\r\nx: ").reply()
        assert second is not None
        assert (second.status, second.code) == (408, "too_slow")
        assert wire.is_closed()


@pytest.mark.parametrize("sent", [b"", b"\r\n\r\n"])
def test_a_connection_that_asks_nothing_is_closed(tmp_path: Path, sent: bytes) -> None:
    """Without an answer: there was no question."""
    with RunningServer(tmp_path, limits=SOON) as server, Wire(server.port) as wire:
        assert wire.send(sent).reply() is None


def test_a_body_that_trickles_after_its_refusal_ends_too(tmp_path: Path) -> None:
    """The answer is there at once; nobody reads the rest for ever."""
    with RunningServer(tmp_path, SAMPLES, limits=SOON) as server, Wire(server.port) as wire:
        headers = {"host": "localhost", "content-length": "100"}
        reply = wire.send(request("POST", "/sample/plain", headers, b"{")).reply()
        assert reply is not None
        assert reply.status == 401
        assert wire.is_closed()


def test_a_whole_request_may_be_answered_late(tmp_path: Path) -> None:
    """The deadline is for what a client sends; a stream goes on longer than it."""
    with RunningServer(tmp_path, SAMPLES, limits=SOON) as server:
        with Wire(server.port) as wire, Wire(server.port) as other:
            wire.send(request("GET", "/sample/ticks", server.headers()))
            head = wire.head()
            assert head is not None
            assert (head.status, wire.piece()) == (200, b": hello\n\n")
            assert other.reply() is None  # closed at its deadline, which was that of the stream too
            wire.send(b"")
        assert server.call("GET", "/api/health").status == 200


def test_an_upload_may_take_longer_than_a_request(tmp_path: Path) -> None:
    """Each piece has the deadline, not all of them together."""
    with RunningServer(tmp_path, SAMPLES, limits=SOON) as server:
        headers = server.headers(content_type="application/zstd", content_length="8")
        with Wire(server.port) as wire, Wire(server.port) as clock:
            wire.send(request("POST", "/sample/upload", headers, b"12"))
            assert clock.reply() is None  # the first deadline is over
            wire.send(b"")
            wire.close()
        with Wire(server.port) as wire:
            wire.send(request("POST", "/sample/upload", headers, b"12345678"))
            reply = wire.reply()
            assert reply is not None
            assert (reply.status, reply.body) == (200, b"8")


def test_an_idle_connection_makes_room_and_a_working_one_does_not(tmp_path: Path) -> None:
    """At the cap the one that was silent longest goes; where all work, the new one."""
    with RunningServer(tmp_path, SAMPLES, limits=Limits(connections=2)) as server:
        ticks = request("GET", "/sample/ticks", server.headers())
        health = request("GET", "/api/health", server.headers())
        with Wire(server.port) as first, Wire(server.port) as idle:
            first.send(ticks).head()
            assert idle.send(health).reply() is not None
            with Wire(server.port) as second:
                second.send(ticks).head()
                assert idle.is_closed()
                with Wire(server.port) as third:
                    reply = third.reply()
                    assert reply is not None
                    assert (reply.status, reply.code) == (503, "busy")
                assert (first.piece(), second.piece()) == (b": hello\n\n", b": hello\n\n")


def test_headers_without_an_end_are_refused(tmp_path: Path) -> None:
    """At 16 kB, long before the deadline; and headers behind a body are not kept."""
    with RunningServer(tmp_path, SAMPLES) as server:
        with Wire(server.port) as wire:
            reply = wire.send(b"GET / HTTP/1.1\r\nx: " + b"y" * 20_000).reply()
            assert reply is not None
            assert (reply.status, reply.code) == (431, "too_large")
            assert wire.is_closed()
        headers = server.headers(content_type="application/json", transfer_encoding="chunked")
        trailers = b"2\r\n{}\r\n0\r\n" + b"authorization: x\r\n" * 2_000 + b"\r\n"
        with Wire(server.port) as wire:
            reply = wire.send(request("POST", "/sample/plain", headers, trailers)).reply()
            assert reply is not None
            assert reply.status == 200


def test_requests_in_one_packet_are_answered_in_order(tmp_path: Path) -> None:
    """Pipelining, and a connection that is used again."""
    with RunningServer(tmp_path, SAMPLES) as server, Wire(server.port) as wire:
        one = request("GET", "/sample/plain?number=1", server.headers())
        two = request("GET", "/sample/plain?number=2", server.headers())
        wire.send(one + two)
        replies = [wire.reply(), wire.reply()]
        assert [reply and reply.json["values"]["number"] for reply in replies] == [1, 2]
        third = wire.send(one).reply()
        assert third is not None
        assert third.status == 200


def test_a_client_that_leaves_disturbs_nobody(tmp_path: Path) -> None:
    """In the middle of a body, and before its answer."""
    with RunningServer(tmp_path, SAMPLES) as server:
        headers = server.headers(content_type="application/json", content_length="9")
        for body in (b"{", b"{}       "):
            with Wire(server.port) as wire:
                wire.send(request("POST", "/sample/plain", headers, body))
        assert server.call("GET", "/api/health").status == 200


def test_rubbish_fills_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """S7: the cap of lines a minute holds what uvicorn says of each."""
    from recollect.server.logs import RateCap

    caplog.handler.addFilter(RateCap(5))
    with caplog.at_level(logging.DEBUG), RunningServer(tmp_path) as server:
        for _ in range(100):
            with Wire(server.port) as wire:
                reply = wire.send(b"\x16\x03\x01 rubbish\r\n\r\n").reply()
                assert reply is not None
                assert reply.code == "bad_request"
    assert sum("Invalid HTTP" in each.getMessage() for each in caplog.records) == 5


def test_a_unix_socket_serves_the_same(tmp_path: Path) -> None:
    """S12: with the same guard."""
    path = tmp_path / "s"
    with RunningServer(tmp_path / "home", SAMPLES, unix=path) as server:
        good = request("GET", "/api/stats", {**server.headers(), "host": "localhost"})
        bad = request("GET", "/api/stats", {**server.headers(), "host": "evil.example"})
        statuses = []
        assert server.port > 0
        for data in (good, bad):
            with Wire(0, str(path)) as wire:
                reply = wire.send(data).reply()
                assert reply is not None
                statuses.append(reply.status)
        assert statuses == [200, 421]


def test_it_listens_where_it_was_told_and_nowhere_else(tmp_path: Path) -> None:
    """S1: only loopback, and no address of the network."""
    with RunningServer(tmp_path) as server:
        table = Path("/proc/net/tcp")
        if not table.exists():
            pytest.skip("no table of sockets here")
        port = f":{server.port:04X}"
        lines = [
            line.split()
            for each in (table, Path("/proc/net/tcp6"))
            if each.exists()
            for line in each.read_text(encoding="ascii").splitlines()[1:]
        ]
        listening = [line[1] for line in lines if line[1].endswith(port) and line[3] == "0A"]
        assert listening == [f"0100007F{port}"]
