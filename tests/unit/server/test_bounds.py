"""How large an argument may be: told by the OpenAPI and MCP, and kept by every way in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.checks import MOST_HITS, MOST_IDS, MOST_LINES, MOST_QUESTION, MOST_ROWS
from recollect.core.errors import InvalidInput
from recollect.memory import Memory
from recollect.server.app import all_routes
from recollect.server.openapi.document import openapi_of
from tests.support.running_server import RunningServer

PLAIN: dict[str, object] = {"embedding.provider": "none"}
LONG = "x" * (MOST_QUESTION + 1)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    with recollect.open(tmp_path / "home", overrides=PLAIN) as opened:
        yield opened


def _fields() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every field that a route takes: address, name, schema."""
    for path, methods in openapi_of(all_routes(), "1")["paths"].items():
        for operation in methods.values():
            for each in operation.get("parameters", ()):
                yield path, each["name"], each["schema"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                for name, schema in content.get("schema", {}).get("properties", {}).items():
                    yield path, name, schema


def _has(schema: dict[str, Any], bound: str) -> bool:
    kinds = [schema, *schema.get("anyOf", ())]
    return all(
        bound in each for each in kinds if each.get("type") in {"string", "integer", "array"}
    )


def test_every_question_count_and_list_of_ids_has_a_bound_in_the_openapi() -> None:
    """Hooks aside: what is too long there is cut."""
    bounds = {
        "query": "maxLength",
        "limit": "maximum",
        "before": "maximum",
        "after": "maximum",
        "session_ids": "maxItems",
    }
    without = [
        (path, name)
        for path, name, schema in _fields()
        if name in bounds and "/hooks/" not in path and not _has(schema, bounds[name])
    ]
    assert without == []


@pytest.mark.parametrize(
    ("method", "target", "most", "above"),
    [
        ("POST", "/api/search", {"query": "x" * MOST_QUESTION}, {"query": LONG}),
        ("POST", "/api/search", {"query": "x", "limit": MOST_HITS}, {"query": "x", "limit": 1_001}),
        ("POST", "/api/memory/search", {"query": "x"}, {"query": LONG}),
        (
            "POST",
            "/api/timeline",
            {"date_from": "2026-01-01", "before": MOST_LINES},
            {"before": 201},
        ),
        ("POST", "/api/observations/batch", {"ids": [1] * MOST_IDS}, {"ids": [1] * 501}),
        ("POST", "/api/memory/get", {"ids": ["#1"] * MOST_IDS}, {"ids": ["#1"] * 501}),
        ("GET", f"/api/sessions?limit={MOST_ROWS}", None, None),
        ("GET", f"/api/context?query={'x' * MOST_QUESTION}", None, None),
    ],
)
def test_a_request_at_the_bound_is_answered_and_one_above_it_is_refused(
    tmp_path: Path, method: str, target: str, most: dict[str, Any] | None, above: Any
) -> None:
    """With what must be, and without the text."""
    import msgspec

    with RunningServer(tmp_path / "home") as server:
        first = server.call(method, target, msgspec.json.encode(most) if most else b"")
        if most is None:
            target = target.replace("=1000", "=1001").replace("=xx", "=xxx")
        second = server.call(method, target, msgspec.json.encode(above) if above else b"")
        assert first.status == 200, first.body
        assert (second.status, second.code) == (422, "invalid_input")
        assert b"xxx" not in second.body


def test_the_same_bounds_hold_in_python(memory: Memory) -> None:
    """And so on the command line, and for the tools of MCP, which call it."""
    for refused in (
        lambda: memory.search(LONG),
        lambda: memory.observations.timeline(query=LONG),
        lambda: memory.observations.timeline("#1", before=MOST_LINES + 1),
        lambda: memory.get(["#1"] * (MOST_IDS + 1)),
    ):
        with pytest.raises(InvalidInput, match=r"4,000|200|500"):
            refused()


def test_a_hook_with_a_long_question_is_answered(tmp_path: Path) -> None:
    """It is cut: what is refused is lost."""
    with RunningServer(tmp_path / "home") as server:
        reply = server.call(
            "POST",
            "/api/hooks/session-start",
            b'{"session_key": "k", "query": "%b"}' % LONG.encode(),
        )
        assert (reply.status, reply.json["status"]) == (200, "began")
