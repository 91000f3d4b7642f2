"""The description of the routes, out of the types that check what comes in."""

from __future__ import annotations

import json

from recollect import __version__
from recollect.server.app import all_routes
from recollect.server.openapi import openapi_of
from tests.support.sample_routes import SAMPLES


def test_every_route_is_described() -> None:
    """With its summary, its right, its fields and its answer."""
    document = openapi_of((*all_routes(), *SAMPLES), __version__)
    found = {(path, method) for path, at in document["paths"].items() for method in at}
    assert found == {(each.path, each.method.lower()) for each in (*all_routes(), *SAMPLES)}
    assert document["info"] == {"title": "recollect", "version": __version__}
    keyed = document["paths"]["/sample/keyed/{key}"]
    places = {each["name"]: each["in"] for each in keyed["put"]["parameters"]}
    assert places == {"key": "path", "idempotency-key": "header"}
    body = keyed["put"]["requestBody"]["content"]["application/json"]["schema"]
    assert (set(body["properties"]), body["required"]) == ({"number", "idempotency"}, [])
    assert body["additionalProperties"] is False
    assert [each["name"] for each in keyed["delete"]["parameters"]] == [
        "key",
        "number",
        "idempotency",
    ]
    made = document["paths"]["/sample/made"]["post"]["responses"]
    assert {"200", "201", "422", "default"} <= set(made)
    named = {each["$ref"].rpartition("/")[2] for each in made.values() if "$ref" in each}
    assert named <= set(document["components"]["responses"])
    assert document["paths"]["/api/health"]["get"]["security"] == []


def test_what_a_hook_route_fills_in_itself_is_not_described() -> None:
    """Nobody sends ``unread``."""
    document = openapi_of(SAMPLES, __version__)
    schema = document["paths"]["/sample/hook"]["post"]["requestBody"]["content"]["application/json"]
    assert set(schema["schema"]["properties"]) == {
        "session_id",
        "output",
        "importance",
        "tool_use_id",
    }


def test_every_reference_leads_somewhere() -> None:
    """And the document is JSON."""
    document = openapi_of((*all_routes(), *SAMPLES), __version__)
    text = json.dumps(document)
    named = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert named <= set(document["components"]["schemas"])


def test_streams_uploads_and_texts_have_their_media_types() -> None:
    """As they are sent."""
    paths = openapi_of(SAMPLES, __version__)["paths"]
    content = {
        path: set(at[method]["responses"]["200"]["content"])
        for path, method in (
            ("/sample/ticks", "get"),
            ("/sample/text", "get"),
            ("/sample/upload", "post"),
        )
        for at in [paths[path]]
    }
    assert content == {
        "/sample/ticks": {"text/event-stream"},
        "/sample/text": {"text/plain; version=0.0.4"},
        "/sample/upload": {"application/json"},
    }
    assert set(paths["/sample/upload"]["post"]["requestBody"]["content"]) == {"application/zstd"}


def test_every_operation_has_a_name_for_clients() -> None:
    """Generators of clients name their functions by it."""
    paths = openapi_of(all_routes(), __version__)["paths"]
    operations = [each for methods in paths.values() for each in methods.values()]
    names = [each["operationId"] for each in operations]
    assert len(set(names)) == len(names)
    assert all(each["tags"] and each["summary"] for each in operations)
