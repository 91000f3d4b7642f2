"""Metrics of the server for Prometheus. No label contains a text of a user."""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from recollect import __version__
from recollect.caller import Caller
from recollect.recall.status import Status
from recollect.server.response import AsgiApp, Message, Receive, Scope, Send
from recollect.server.route import AnyRoute, Nothing, route_of

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
UNROUTED = "-"
"""The label of requests without a route: the guard refused them, or there is none."""
ROUTE = "recollect.route"
"""The key in the scope of a request for the path of the answering route."""
_STATM = Path("/proc/self/statm")

Labels = Mapping[str, object]


class Metrics:
    """Counts requests, and reads all other metrics on request.

    Args:
        open_streams: Returns the number of open streams.
    """

    def __init__(self, open_streams: Callable[[], int]) -> None:
        self._open_streams = open_streams
        self._requests: Counter[tuple[str, str, int]] = Counter()

    def around(self, app: AsgiApp) -> AsgiApp:
        """Return an application that counts answers by status; 0: the client left before that."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            status = 0

            async def noted(message: Message) -> None:
                nonlocal status
                status = message.get("status", status)
                await send(message)

            try:
                await app(scope, receive, noted)
            finally:
                if scope["type"] == "http":
                    self._requests[scope["method"], scope.get(ROUTE, UNROUTED), status] += 1

        return counted

    def route(self) -> AnyRoute:
        """Return the route of the metrics."""
        return route_of(self.tell, "GET", "/metrics", "read", media=MEDIA)

    def tell(self, caller: Caller, _fields: Nothing) -> str:
        """Return the metrics of the server in the text format of Prometheus.

        Raises:
            Denied: the token is not the operator's of the whole home.
            StoreError: the home cannot be read.
        """
        caller.require_operator("home")
        status = caller.memory.status()
        return "".join([*self._of_server(), *_of_home(status), *_of_process()])

    def _of_server(self) -> Iterator[str]:
        requests = [
            ({"method": method, "route": route, "status": status}, number)
            for (method, route, status), number in sorted(self._requests.items())
        ]
        yield _family("recollect_info", "gauge", "The version.", ({"version": __version__}, 1))
        yield _family("recollect_requests_total", "counter", "Answered requests.", *requests)
        yield _family(
            "recollect_open_streams", "gauge", "Answers that go on.", ({}, self._open_streams())
        )


def _of_home(status: Status) -> Iterator[str]:
    kinds = ("sessions", "messages", "observations", "facts")
    records = [({"kind": kind}, getattr(status, kind)) for kind in kinds]
    healths = {"records": status.records_health, "index": status.index_health}
    commits = [({"database": name}, health.commits) for name, health in healths.items()]
    queued = [({"database": name}, health.queued) for name, health in healths.items()]
    yield _family("recollect_records", "gauge", "What the home holds.", *records)
    yield _family("recollect_searches_total", "counter", "Searches.", ({}, status.sync.searches))
    yield _family(
        "recollect_index_backlog", "gauge", "Changes not indexed yet.", ({}, status.backlog)
    )
    yield _family(
        "recollect_vectors_waiting", "gauge", "Chunks without a vector.", ({}, status.index.waiting)
    )
    yield _family("recollect_commits_total", "counter", "Commits of this process.", *commits)
    yield _family("recollect_write_queue", "gauge", "Writes that wait.", *queued)


def _of_process() -> Iterator[str]:
    cpu_s, memory = round(time.process_time(), 3), resident_bytes()
    yield _family("process_cpu_seconds_total", "counter", "CPU of the process.", ({}, cpu_s))
    yield _family("process_resident_memory_bytes", "gauge", "Of the process.", ({}, memory))


def resident_bytes() -> int:
    """Return the resident memory of this process, or its peak where only that is available."""
    if _STATM.exists():
        return int(_STATM.read_text("ascii").split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _family(name: str, kind: str, help_: str, *samples: tuple[Labels, float]) -> str:
    lines = [f"# HELP {name} {help_}", f"# TYPE {name} {kind}"]
    lines += [f"{name}{_labels(labels)} {number}" for labels, number in samples]
    return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    pairs = ",".join(f'{name}="{value}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""
