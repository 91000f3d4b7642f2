"""`GET /metrics`: what Prometheus reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recollect.server.metrics import resident_bytes
from tests.support.running_server import RunningServer
from tests.support.wire import Wire, request

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="[^"\\\n]*",?)+)\})? (-?[0-9.]+)')


def samples(server: RunningServer) -> dict[str, float]:
    """Return what `/metrics` tells, whose every line must be one that Prometheus reads."""
    reply = server.call("GET", "/metrics")
    assert reply.status == 200
    assert reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found: dict[str, float] = {}
    for line in reply.body.decode().splitlines():
        if line.startswith("#"):
            assert re.fullmatch(r"# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge))", line)
            continue
        match = SAMPLE.fullmatch(line)
        assert match is not None, line
        name, labels, number = match.groups()
        found[name + (f"{{{labels}}}" if labels else "")] = float(number)
    return found


def requests(found: dict[str, float], route: str, status: int, method: str = "GET") -> float:
    """Return how many requests of a route were answered with a status."""
    labels = f'{{method="{method}",route="{route}",status="{status}"}}'
    return found.get(f"recollect_requests_total{labels}", 0)


def test_requests_are_counted_by_route_and_status(tmp_path: Path) -> None:
    """Issue 12, 6. What the guard refuses too; no path that a caller made up is a label."""
    with RunningServer(tmp_path / "home") as server:
        server.call("GET", "/api/stats")
        server.call("GET", "/api/stats")
        server.call("GET", "/api/events?since=x")
        server.call("GET", "/nothing/zorvex-key")
        server.call("GET", "/api/stats", authorization="Bearer rcl_zorvex")
        server.call("POST", "/api/health?zorvex=1", b"{}")
        text = server.call("GET", "/metrics").body.decode()
        assert "zorvex" not in text
        found = samples(server)
    assert requests(found, "/api/stats", 200) == 2
    assert requests(found, "/api/events", 422) == 1
    assert requests(found, "-", 404) == 1
    assert requests(found, "-", 401) == 1
    assert requests(found, "-", 405, "POST") == 1
    assert requests(found, "/metrics", 200) == 1


def test_what_the_home_holds_is_told(tmp_path: Path) -> None:
    """Records, searches, how far the index is behind."""
    with RunningServer(tmp_path / "home") as server:
        memory = server.pool.memory()
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "kites")
        memory.observations.record(session.id, "exec", output="kites")
        memory.sync()
        memory.search("kites")
        found = samples(server)
        assert found['recollect_records{kind="sessions"}'] == 1
        assert found['recollect_records{kind="messages"}'] == 1
        assert found['recollect_records{kind="observations"}'] == 1
        assert found["recollect_searches_total"] == 1
        assert found["recollect_index_backlog"] == 0
        assert found["recollect_vectors_waiting"] == 0
        assert found['recollect_commits_total{database="records"}'] >= 3
        assert found['recollect_write_queue{database="records"}'] == 0
        assert found["process_resident_memory_bytes"] > 10_000_000
        assert found["process_cpu_seconds_total"] > 0


def test_the_backlog_is_what_the_index_has_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a load can wait until it is 0."""
    import recollect

    monkeypatch.setattr("recollect.recall.maintenance.GATHER_S", 60.0)  # the background waits
    overrides = {"embedding.provider": "none"}
    with recollect.open(tmp_path / "home", overrides=overrides, live=False) as memory:
        session = memory.sessions.create()
        memory.sync()
        assert memory.status().backlog == 0
        memory.sessions.append_many(session.id, [("user", "kites")] * 3)
        assert memory.status().backlog >= 3
        memory.sync()
        assert memory.status().backlog == 0


def test_open_streams_are_told(tmp_path: Path) -> None:
    """As long as they are open."""
    with RunningServer(tmp_path / "home") as server:
        with Wire(server.port) as wire:
            wire.send(request("GET", "/api/events", server.headers()))
            assert wire.head() is not None
            assert samples(server)["recollect_open_streams"] == 1
        while samples(server)["recollect_open_streams"]:
            pass


@pytest.mark.parametrize(
    "given",
    [
        {"audience": "shared"},
        {"audience": "session:telegram:5"},
        {"audience": "owner", "tenant": "acme"},
        {"audience": "owner", "agent": "work"},
    ],
    ids=str,
)
def test_the_metrics_are_the_operators(tmp_path: Path, given: dict[str, str]) -> None:
    """How much others say is nobody else's business."""
    with RunningServer(tmp_path / "home") as server:
        text = server.tokens.add("a", **given).text  # type: ignore[arg-type]
        reply = server.call("GET", "/metrics", authorization=f"Bearer {text}")
    assert (reply.status, reply.code) == (403, "denied")


def test_memory_is_told_where_the_system_tells_only_its_peak(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS."""
    now = resident_bytes()
    monkeypatch.setattr("recollect.server.metrics._STATM", tmp_path / "missing")
    peak = resident_bytes()
    assert peak * 2 > now
    monkeypatch.setattr("sys.platform", "darwin")
    assert peak <= resident_bytes() * 1024 < peak * 2, "macOS counts in bytes"
