"""Every endpoint, asked what its description allows and what it does not: no 5xx, no other answer.

In process, and once over a real socket. The examples are the same in every run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.checks import negative_data_rejection, positive_data_acceptance
from schemathesis.schemas import APIOperation

from recollect.server.app import HttpApp, all_routes
from recollect.server.request import takes_json
from recollect.server.route import AnyRoute, StreamRoute, UploadRoute
from tests.support.running_server import RunningServer
from tests.support.sample_routes import SAMPLES

Operation: TypeAlias = "APIOperation[Any, Any, Any, Any]"
AnyCase: TypeAlias = "Case[Any]"

EXAMPLES = 12
"""For each route, of what fits and of what does not."""
ON_THE_WIRE = 3
ENDLESS = "text/event-stream"
BROKEN = "/sample/fails"

ROUTES = [
    route
    for route in (*all_routes(), *SAMPLES)
    if not (isinstance(route, StreamRoute) and route.media == ENDLESS) and route.path != BROKEN
]


def _play(operation: Operation, ask: Callable[[AnyCase], object], most: int) -> None:
    """Ask one endpoint what fits and what does not."""
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @settings(
            max_examples=most,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def run(case: AnyCase) -> None:
            ask(case)

        try:
            run()
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE  # nothing can be wrong without fields


def _operation(schema: Any, route: AnyRoute) -> Operation:
    found: Operation = schema[route.path][route.method]
    return found


def _left_out(route: AnyRoute) -> list[Any]:
    """Return what a description cannot promise: a rule of a use case may refuse what fits it."""
    is_judged = takes_json(route) and not route.is_lenient  # a query leaves out what is no text
    return [positive_data_acceptance, *([] if is_judged else [negative_data_rejection])]


def _bytes(_context: object, value: object) -> bytes:
    return value if isinstance(value, bytes) else json.dumps(value).encode()


for _media in {media for each in ROUTES if isinstance(each, UploadRoute) for media in each.takes}:
    schemathesis.serializer(_media)(_bytes)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_answer_is_as_described(server: RunningServer, route: AnyRoute) -> None:
    """In process: the application behind its layers, without a server."""
    app = HttpApp(server.routes)
    layers = app.behind_layers(server.callers)
    headers = {"Authorization": f"Bearer {server.token}", "Host": "localhost"}
    schema = schemathesis.openapi.from_asgi("/openapi.json", layers, headers=headers)

    def ask(case: AnyCase) -> None:
        case.call_and_validate(headers=headers, excluded_checks=_left_out(route))

    try:
        _play(_operation(schema, route), ask, EXAMPLES)
    finally:
        app.calls.close()


ASKED: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/api/sessions/{key}", {"path_parameters": {"key": "tea"}}),
    ("GET", "/api/sessions/{key}/view", {"path_parameters": {"key": "tea"}}),
    ("GET", "/api/observations/{id}", {"path_parameters": {"id": "1"}}),
    ("POST", "/api/observations/batch", {"body": {"ids": [1, 2, 99]}}),
    ("POST", "/api/search", {"body": {"query": "kettle"}}),
    ("POST", "/api/search", {"body": {"query": "keep", "sources": ["sessions"]}}),
    ("POST", "/api/timeline", {"body": {"anchor": 1}}),
    ("GET", "/api/context", {"query": {"session_key": "tea"}}),
    ("POST", "/api/memory/search", {"body": {"query": "Which teas keep?"}}),
    ("POST", "/api/memory/get", {"body": {"ids": ["m1", "#1"]}}),
    ("POST", "/api/memory/timeline", {"body": {"anchor": "#1"}}),
    ("PATCH", "/api/sessions/{key}", {"path_parameters": {"key": "tea"}, "body": {"title": "T"}}),
    ("POST", "/api/sessions/{key}/fork", {"path_parameters": {"key": "tea"}, "body": {}}),
]
"""Questions that find something, so that full answers are judged as well as empty ones."""


def test_answers_that_hold_something_are_as_described(tmp_path: Path) -> None:
    """Over a socket, from a home with a conversation and what the agent did in it."""
    with RunningServer(tmp_path) as server:
        memory = server.pool.memory()
        session = memory.sessions.open("tea")
        memory.sessions.append_many(
            session.id, [("user", "Which teas keep?"), ("assistant", "Two.")]
        )
        for text in ("raised the kettle timeout", "mended the kettle"):
            memory.observations.record(session.id, tool_name="Edit", input=text, output=text)
        memory.sync()
        headers = {"Authorization": f"Bearer {server.token}"}
        base = f"http://127.0.0.1:{server.port}"
        schema = schemathesis.openapi.from_url(f"{base}/openapi.json", headers=headers)
        for method, path, given in ASKED:
            case = schema[path][method].Case(**given)
            response = case.call_and_validate(base_url=base, headers=headers)
            assert 200 <= response.status_code < 300, (method, path)


def test_a_real_server_answers_the_same(tmp_path: Path) -> None:
    """Over a socket, with a client of others."""
    with RunningServer(tmp_path, SAMPLES) as server:
        base = f"http://127.0.0.1:{server.port}"
        headers = {"Authorization": f"Bearer {server.token}"}
        schema = schemathesis.openapi.from_url(f"{base}/openapi.json", headers=headers)
        for route in ROUTES:

            def ask(case: AnyCase, route: AnyRoute = route) -> None:
                case.call_and_validate(
                    base_url=base, headers=headers, excluded_checks=_left_out(route)
                )

            _play(_operation(schema, route), ask, ON_THE_WIRE)
