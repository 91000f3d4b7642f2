"""Writes down the public surface: one line for each name, parameter and field, by file.

`make snapshots` writes `tests/structure/snapshots`; the test of the same name compares and shows
what differs. A changed line is a change for users, which belongs into the changelog. Prose is left
out: titles, descriptions and examples, but for what MCP tells a model.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import msgspec

import recollect
from recollect.aio.memory import AsyncMemoryPool
from recollect.cli.output.documents import DOCUMENTS, schema_of
from recollect.core import errors
from recollect.mcp.server import make_server
from recollect.pool import MemoryPool
from recollect.server.app import all_routes
from recollect.server.openapi.document import openapi_of
from recollect.text.chunking import chunk_markdown

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "structure" / "snapshots"
_PROSE = {"title", "description", "examples", "summary"}
_SETTINGS = "recollect.core.settings"
"""They have a page of their own, docs/reference/settings.md."""
_WORD = re.compile(r"\b[A-Z]\w+\b")
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ADDRESS = re.compile(r"<([\w.]+) object at 0x\w+>")


def main(names: Sequence[str]) -> int:
    """Write the files; of these surfaces where some are named."""
    FOLDER.mkdir(exist_ok=True)
    for name in names or SURFACES:
        path = FOLDER / f"{name}.txt"
        path.write_text(snapshot(name), encoding="utf-8")
        print(f"wrote {path.name}")
    return 0


def snapshot(name: str) -> str:
    """Return what the file of a surface must say."""
    return "".join(f"{line}\n" for line in SURFACES[name]())


# --- Python


def python_lines() -> list[str]:
    """Return the calls and values of the library, and the values that they give and take."""
    lines: list[str] = []
    seen: dict[str, Any] = {}
    functions = {f"recollect.{name}": getattr(recollect, name) for name in recollect.__all__}
    functions["recollect.text.chunking.chunk_markdown"] = chunk_markdown
    for name, value in functions.items():
        lines.append(f"{name}{_class_or_call(value)}")
        seen |= _classes(value)
    with TemporaryDirectory() as folder:
        for path, target in _objects(Path(folder)):
            for name, value in _public(target):
                lines.append(f"{path}.{name}{_value(value)}")
                seen |= _classes(value)
    lines += [line for kind in _reached(seen.values()) for line in _members(kind)]
    return sorted({*lines, *_errors()})


def async_lines() -> list[str]:
    """Return how each name of the asynchronous twins is used, and its parameters if they differ."""
    with TemporaryDirectory() as folder:
        return sorted(anyio.run(_twins, Path(folder)))


async def _twins(folder: Path) -> list[str]:
    lines = []
    async with recollect.open_async(folder / "twin", overrides=_OVERRIDES) as memory:
        session = await memory.sessions.create()
        async with memory.sessions.hold(session.id) as held:
            twins = _examples(memory, held)
            for path, target in _objects(folder):
                for name, value in _public(target):
                    if path in twins and _is_call(value):
                        twin = getattr(twins[path], name)
                        differs = "" if _names(twin) == _names(value) else f" {_signature(twin)}"
                        lines.append(f"{path}.{name}: {_use(twin)}{differs}")
    return lines


def _names(call: Any) -> list[tuple[str, object]]:
    return [(each.name, each.kind) for each in inspect.signature(call).parameters.values()]


def _use(call: Any) -> str:
    if inspect.iscoroutinefunction(call):
        return "awaited"
    gives = call.__annotations__.get("return", "")
    return f"called, gives {_text(gives)}"


_OVERRIDES: dict[str, object] = {"embedding.provider": "none"}


def _objects(folder: Path) -> Iterator[tuple[str, object]]:
    """Yield every object that a program is given, by the path under which it has it."""
    with (
        recollect.open(folder / "home", overrides=_OVERRIDES) as memory,
        memory.sessions.hold(memory.sessions.create().id) as held,
    ):
        yield from _examples(memory, held).items()
        session = memory.sessions.create()
        yield "stream", memory.sessions.stream(session.id, "assistant")
        yield "export_session", memory.export_session(session.id, "jsonl")
        yield "export", memory.export()
        yield "checkup", memory.checkup()
        yield "reader", memory.events.reader(bell=lambda: None)
        with memory.events.subscribe(lambda _: None) as subscription:
            yield "subscription", subscription
    yield "MemoryPool", MemoryPool
    yield "AsyncMemoryPool", AsyncMemoryPool


def _examples(memory: Any, held: Any) -> dict[str, object]:
    """Return the rooms of a memory: its public objects that are no values."""
    rooms = {"memory": memory, "held": held}
    for path, target in list(rooms.items()):
        for name, value in _public(target):
            if _is_room(value):
                rooms[f"{path}.{name}"] = value
    rooms["memory.sessions.history"] = memory.sessions.history
    return rooms


def _public(target: object) -> Iterator[tuple[str, Any]]:
    for name in dir(target):
        if not name.startswith("_"):
            yield name, getattr(target, name)


def _is_room(value: object) -> bool:
    kind = type(value)
    is_value = isinstance(value, msgspec.Struct | Enum | type) or _is_call(value)
    return kind.__module__.startswith("recollect") and not is_value


def _is_call(value: object) -> bool:
    return inspect.isroutine(value) or isinstance(value, partial)


def _value(value: object) -> str:
    if _is_call(value):
        return _signature(value)
    if _is_room(value) and callable(value):
        return _signature(value)
    return f": {type(value).__name__}"


def _class_or_call(value: Any) -> str:
    return f": class {value.__name__}" if isinstance(value, type) else _signature(value)


class _Shown:
    """A text that a signature shows as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _signature(call: Any) -> str:
    made = inspect.signature(call)
    empty = inspect.Parameter.empty
    parameters = [
        each.replace(
            annotation=each.annotation
            if each.annotation is empty
            else _Shown(_text(each.annotation)),
            default=each.default if each.default is empty else _Shown(_default(each.default)),
        )
        for each in made.parameters.values()
    ]
    gives = made.return_annotation
    shown = gives if gives is inspect.Signature.empty else _Shown(_text(gives))
    return str(made.replace(parameters=parameters, return_annotation=shown))


def _text(annotation: Any) -> str:
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return annotation.__name__
    return str(annotation).replace("typing.", "").replace("builtins.", "").strip("'")


def _default(value: object) -> str:
    """Return a default; of what differs from home to home only the kind."""
    if isinstance(value, msgspec.Struct):
        return f"{type(value).__name__}(…)"
    if isinstance(value, str) and _ID.fullmatch(value):
        return "ID"
    if inspect.isfunction(value):
        return value.__name__.replace("<lambda>", "…")
    return _ADDRESS.sub(lambda found: found[1].rpartition(".")[2] + "()", repr(value))


def _classes(call: Any) -> dict[str, Any]:
    """Return the classes of ours that a call or class names, as far as its module knows them."""
    if isinstance(call, type):
        return {call.__name__: call}
    function = inspect.unwrap(call.func if isinstance(call, partial) else call)
    told = " ".join(map(_text, getattr(function, "__annotations__", {}).values()))
    known = getattr(function, "__globals__", {})
    return {name: known[name] for name in _WORD.findall(told) if name in known}


def _reached(kinds: Iterable[Any]) -> list[type]:
    """Return the values among these, and those that their fields are made of."""
    found: dict[str, type] = {}
    waiting = list(kinds)
    while waiting:
        kind = waiting.pop()
        if not isinstance(kind, type) or not issubclass(kind, msgspec.Struct):
            waiting += getattr(kind, "__args__", ())
        elif kind.__name__ not in found and not kind.__module__.startswith(_SETTINGS):
            found[kind.__name__] = kind
            waiting += [field.type for field in msgspec.structs.fields(kind)]
    return [found[name] for name in sorted(found)]


def _members(kind: Any) -> Iterator[str]:
    """Yield the fields, properties and methods of a value."""
    for field in msgspec.structs.fields(kind):
        default = "" if field.required else f" = {_field_default(field)}"
        told = _text(kind.__annotations__.get(field.name, field.type))
        yield f"{kind.__name__}.{field.name}: {told}{default}"
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            gives = value.fget.__annotations__.get("return", "")
            yield f"{kind.__name__}.{name}: property of {_text(gives)}"
        elif inspect.isfunction(value):
            yield f"{kind.__name__}.{name}{_signature(value)}"


def _field_default(field: Any) -> str:
    if field.default is msgspec.NODEFAULT:
        return f"{field.default_factory.__name__}()"
    return _default(field.default)


def _errors() -> Iterator[str]:
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.RecollectError):
            yield f"{errors.__name__}.{name}({kind.__mro__[1].__name__}): code {kind.code}"


# --- schemas


def openapi_lines() -> list[str]:
    """Return the operations of the worker, and the schemas that they name."""
    document = openapi_of(all_routes(), "")
    paths: Mapping[str, Any] = document.pop("paths")
    schemas: Mapping[str, Any] = document["components"].pop("schemas")
    document.pop("info")
    lines = [f"document {name}: {_plain(value)}" for name, value in document.items()]
    for path, methods in paths.items():
        for method, operation in methods.items():
            lines += _operation(f"{method.upper()} {path}", operation)
    lines += [line for name, schema in schemas.items() for line in _fields(name, schema)]
    return sorted(lines)


def _operation(name: str, operation: Mapping[str, Any]) -> Iterator[str]:
    rest = {key: value for key, value in operation.items() if key not in _PROSE}
    for each in rest.pop("parameters", ()):
        needed = "" if each.get("required") else "?"
        yield f"{name} {each['in']} {each['name']}{needed}: {_shape(each['schema'])}"
    body = rest.pop("requestBody", {})
    for kind, schema in _contents(body):
        needed = "" if body.get("required") else "?"
        yield from _fields(f"{name} {kind}body{needed}", schema)
    for status, answer in rest.pop("responses", {}).items():
        shapes = [f"{kind}{_shape(schema)}" for kind, schema in _contents(answer)]
        if "$ref" not in answer:  # what fails has the same form everywhere
            yield f"{name} -> {status}: {', '.join(shapes) or 'nothing'}"
    for key, value in rest.items():
        yield f"{name} {key}: {_plain(value)}"


def _contents(message: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the schemas of a body by media type; that of JSON goes without saying."""
    for kind, content in message.get("content", {}).items():
        yield "" if kind == "application/json" else f"{kind} ", content.get("schema", {})


def mcp_lines() -> list[str]:
    """Return the tools, resources and prompts, with what a model is told of them."""
    server = make_server(lambda _: None)  # type: ignore[arg-type,return-value]  # nobody asks
    lines: list[str] = []
    offers: list[tuple[str, Any]] = [
        ("tool", server.list_tools),
        ("resource", server.list_resource_templates),
        ("prompt", server.list_prompts),
    ]
    for kind, listed in offers:
        for each in anyio.run(listed):
            value = each.model_dump(mode="json", by_alias=True, exclude_none=True)
            lines += _offered(f"{kind} {value.pop('name')}", value)
    return sorted(lines)


def _offered(name: str, value: Mapping[str, Any]) -> Iterator[str]:
    for key, each in value.items():
        if key in {"inputSchema", "outputSchema"}:
            for part, schema in each.pop("$defs", {}).items():
                yield from _fields(f"{name} {key} {part}", schema)
            yield from _fields(f"{name} {key}", each)
        else:
            yield f"{name} {key}: {_plain(each)}"


def json_lines() -> list[str]:
    """Return what each command prints with ``--json``, and the schemas that they share."""
    lines: set[str] = set()
    for command in DOCUMENTS:
        schema = schema_of(command)
        for name, part in schema.pop("$defs", {}).items():
            lines.update(_fields(name, part))
        lines.update(_fields(f"recollect {command}", schema))
    return sorted(lines)


def _fields(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield one line for each field of an object; one line for anything else."""
    if "properties" not in schema:
        yield f"{name}: {_shape(schema)}"
        return
    rest = {key: schema[key] for key in schema if key not in {"properties", "required", "type"}}
    yield f"{name}: object{_rest(rest)}"
    for field, part in schema["properties"].items():
        needed = "" if field in schema.get("required", ()) else "?"
        yield f"{name}.{field}{needed}: {_shape(part)}"


def _shape(schema: Mapping[str, Any]) -> str:
    """Return a schema on one line; what has no short form follows as it is."""
    rest = dict(schema)
    default = f" = {_plain(rest.pop('default'))}" if "default" in rest else ""
    return f"{_kind(rest)}{_rest(rest)}{default}"


def _kind(rest: dict[str, Any]) -> str:
    """Return the short form of a schema, without the keys that it tells."""
    if "$ref" in rest:
        return str(rest.pop("$ref")).rpartition("/")[2]
    for key in ("anyOf", "oneOf"):
        if key in rest:
            return " | ".join(_shape(each) for each in rest.pop(key))
    if "enum" in rest:
        rest.pop("type", None)
        return " | ".join(_plain(each) for each in rest.pop("enum"))
    if "properties" in rest:
        rest.pop("type", None)
        needed, fields = rest.pop("required", ()), rest.pop("properties")
        told = (f"{n}{'' if n in needed else '?'}: {_shape(f)}" for n, f in fields.items())
        return "{" + ", ".join(told) + "}"
    kind = rest.pop("type", "any")
    if kind == "array" and "items" in rest:
        return f"[{_shape(rest.pop('items'))}]"
    return kind if isinstance(kind, str) else " | ".join(kind)


def _rest(rest: Mapping[str, Any]) -> str:
    told = [f"{key}={_plain(rest[key])}" for key in sorted(rest) if key not in _PROSE]
    return f" ({', '.join(told)})" if told else ""


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


SURFACES: Mapping[str, Callable[[], list[str]]] = {
    "python": python_lines,
    "async": async_lines,
    "openapi": openapi_lines,
    "mcp": mcp_lines,
    "json": json_lines,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
