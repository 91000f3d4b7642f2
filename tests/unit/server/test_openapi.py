"""The description of the routes, out of the types that check what comes in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from recollect import __version__
from recollect.server.app import all_routes
from recollect.server.openapi.document import openapi_of
from recollect.server.openapi.fields import COMMON, EXAMPLES
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


def _fields(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the schema of every parameter and of every field of a body."""
    for methods in document["paths"].values():
        for operation in methods.values():
            for each in operation.get("parameters", ()):
                if each["in"] != "header":
                    yield each["name"], each["schema"]
            for media in operation.get("requestBody", {}).get("content", {}).values():
                yield from media.get("schema", {}).get("properties", {}).items()


def test_every_field_of_a_request_says_what_it_means_with_an_example_that_fits() -> None:
    """A generated client and a page of the API show both."""
    document = openapi_of(all_routes(), __version__)
    fields = list(_fields(document))
    for name, schema in fields:
        whole = schema | {"components": document["components"]}
        assert schema["description"].strip(), name
        for example in schema["examples"]:
            jsonschema_rs.validate(whole, example)
    own = {field for route in all_routes() for field in route.fields.__struct_fields__}
    assert set(COMMON) == own
    kinds = {route.fields.__name__: route.fields.__struct_fields__ for route in all_routes()}
    assert all(field in kinds[kind] for kind, _, field in (e.partition(".") for e in EXAMPLES))


def test_a_description_has_no_list_of_attributes() -> None:
    """Each stands beside its field."""
    schemas = openapi_of(all_routes(), __version__)["components"]["schemas"]
    assert not [name for name, each in schemas.items() if "Attributes:" in each["description"]]
    counts = schemas["RecordCounts"]["properties"]
    assert counts["sessions"]["description"] == "Conversations."
