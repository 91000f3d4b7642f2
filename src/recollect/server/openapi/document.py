"""Describes the routes as OpenAPI 3.1, from the types that check the input and their docstrings."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import msgspec

from recollect.answers.error import ErrorAnswer
from recollect.server.openapi.fields import COMMON, EXAMPLES, descriptions_of, split_docstring
from recollect.server.request import WITH_BODY, path_fields, query_fields, takes_json
from recollect.server.route import (
    JSON,
    AnyRoute,
    Endpoint,
    LenientFields,
    PayloadFields,
    Route,
    SignedFields,
    StreamRoute,
)

_REF = "#/components/schemas/{name}"
_FAILED = "#/components/responses"
_TOKEN = "token"  # noqa: S105  # the name of the scheme
_FAILURES = (400, 401, 403, 404, 408, 409, 413, 415, 421, 422, 429, 431, 500, 503, 507)
"""Statuses of errors; each has a response of its name."""
_OWN_FIELDS = frozenset(LenientFields.__struct_fields__)
"""Fields that a lenient route sets itself."""


def openapi_of(routes: Sequence[AnyRoute], version: str) -> dict[str, Any]:
    """Return the document; `$ref` only into its own components.

    Args:
        routes: The routes to describe.
        version: That of recollect.
    """
    answers = [route.answer for route in routes if route.answer is not None]
    kinds = [ErrorAnswer, *answers, *(route.fields for route in routes)]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    request_kinds = {route.fields.__name__ for route in routes}
    by_kind = dict(zip(map(id, kinds), schemas, strict=True))
    for route in routes:
        _describe_request(route.fields, components[route.fields.__name__])
    for name in components.keys() - request_kinds:
        _describe_answer(components[name])
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        fields = components[route.fields.__name__]
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, fields, by_kind)
    return {
        "openapi": "3.1.0",
        "info": {"title": "recollect", "version": version},
        "security": [{_TOKEN: []}],
        "paths": paths,
        "components": {
            "schemas": {k: v for k, v in components.items() if k not in request_kinds},
            "responses": {
                "default": _answer("An error", JSON, by_kind[id(ErrorAnswer)]),
                **{
                    str(status): _answer(HTTPStatus(status).phrase, JSON, by_kind[id(ErrorAnswer)])
                    for status in _FAILURES
                },
            },
            "securitySchemes": {_TOKEN: {"type": "http", "scheme": "bearer"}},
        },
    }


def _describe_request(kind: type, schema: Any) -> None:
    """Give each field of a request its meaning and an example."""
    schema["description"] = split_docstring(schema.get("description", ""))[0]
    own = descriptions_of(kind)
    for name, field in schema["properties"].items():
        if name in COMMON:
            meaning, example = COMMON[name]
            field["description"] = own.get(name, meaning)
            field["examples"] = [EXAMPLES.get(f"{kind.__name__}.{name}", example)]


def _describe_answer(schema: Any) -> None:
    schema["description"], own = split_docstring(schema.get("description", ""))
    for name, field in schema.get("properties", {}).items():
        if name in own:
            field["description"] = own[name]


def _operation(route: AnyRoute, fields: Any, by_kind: dict[int, Any]) -> dict[str, Any]:
    parameters = _parameters(route, fields)
    tag = route.call.__module__.rpartition(".")[2]
    operation: dict[str, Any] = {
        "operationId": f"{tag}_{route.call.__name__}",
        "tags": [tag],
        "summary": route.summary,
        "description": "Open." if route.right is None else f"Needs the right `{route.right}`.",
        "responses": _responses(route, by_kind),
    }
    if parameters:
        operation["parameters"] = parameters
    if route.right is None:
        operation["security"] = []
    body = _body(route, fields)
    if body is not None:
        operation["requestBody"] = {"required": True, "content": body}
    return operation


def _parameters(route: AnyRoute, fields: Any) -> list[dict[str, Any]]:
    """Return the fields of path, headers and, without a JSON body, of the query."""
    locations = dict.fromkeys(path_fields(route.path), "path")
    if not takes_json(route):
        locations |= {name: "query" for name in fields["properties"] if name not in locations}
    locations |= dict.fromkeys(sorted(query_fields(route)), "query")
    required = set(fields.get("required", ()))
    parameters = [
        {
            "name": name,
            "in": location,
            "required": location == "path" or name in required,
            "schema": fields["properties"][name],
        }
        for name, location in locations.items()
    ]
    headers = [
        {"name": name, "in": "header", "schema": fields["properties"][field]}
        for name, field in route.headers.items()
    ]
    return parameters + headers


def _body(route: Endpoint, fields: Any) -> dict[str, Any] | None:
    takes: tuple[str, ...] = getattr(route, "takes", ())
    if takes:
        return {media: {} for media in takes}
    if not takes_json(route):
        return None
    if issubclass(route.fields, PayloadFields | SignedFields):
        return {JSON: {"schema": {"type": "object"}}}
    apart = {*path_fields(route.path), *(_OWN_FIELDS if route.is_lenient else ())}
    schema = fields | {
        "properties": {k: v for k, v in fields["properties"].items() if k not in apart},
        "required": [name for name in fields.get("required", ()) if name not in apart],
    }
    return {JSON: {"schema": schema}}


def _responses(route: AnyRoute, by_kind: dict[int, Any]) -> dict[str, Any]:
    failed = {"default": {"$ref": f"{_FAILED}/default"}}
    failed |= {str(status): {"$ref": f"{_FAILED}/{status}"} for status in _failures(route)}
    if isinstance(route, StreamRoute):
        pieces = _answer("Pieces", route.media, {"type": "string"})
        if route.answer is not None:
            pieces["content"][JSON] = {"schema": by_kind[id(route.answer)]}
        return failed | {"200": pieces}
    schema = by_kind[id(route.answer)]
    media = route.media if isinstance(route, Route) else JSON
    status = route.status if isinstance(route, Route) else 200
    responses = {str(status): _answer("Made" if status == 201 else "Answered", media, schema)}
    if status == 201:
        responses["200"] = _answer("It was there", media, schema)
    return responses | failed


def _failures(route: AnyRoute) -> list[int]:
    """Return the statuses of the errors that a caller of a route must expect."""
    statuses = [400, 403, 421, 431, 500, 503]
    if route.right is not None:
        statuses += [401, 422, 429]
    if path_fields(route.path) or "session_key" in route.fields.__struct_fields__:
        statuses.append(404)
    if route.method in WITH_BODY:
        statuses += [408, 409, 413, 415, 507]
    return sorted(statuses)


def _answer(description: str, media: str, schema: Any) -> dict[str, Any]:
    return {"description": description, "content": {media: {"schema": schema}}}
