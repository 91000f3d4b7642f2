"""Writes `aio/memory.pyi`: what type checkers and editors see of the asynchronous twins.

Read off the synchronous objects: their names, parameters and docstrings. `make reference` writes
it; with `--check` nothing is written and a stale file is named, which is what the test does.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from types import ModuleType
from typing import Any, get_origin

import recollect
from recollect.aio.memory import AsyncMemoryPool
from recollect.aio.twin import TWINS, AsyncHandle, Twin, is_block
from recollect.memory import Memory, open_memory
from recollect.pool import MemoryPool

PLACE = Path(recollect.__file__).parent / "aio" / "memory.pyi"

HEAD = '''\
"""Made by `make reference` from the synchronous classes; edit there."""

'''
OWN = {
    "AsyncCallback": "recollect.aio.bridge",
    "AsyncInside": "recollect.aio.items",
    "AsyncItems": "recollect.aio.items",
    "AsyncIterable": "collections.abc",
    "Opening": "recollect.aio.twin",
    "Self": "typing",
}
CLOSING = '''\
async def close(self) -> None:
    """Wait for the calls that run, leave what is held, and close; again does nothing."""
'''
BLOCK = """\
async def __aenter__(self) -> Self: ...
async def __aexit__(self, *error: object) -> None: ...
"""
LIMIT = "limit: Plain calls at the same time, 1 or more; what waits or calls back needs none."


def main(arguments: list[str]) -> int:
    """Write the file, or name it when it is stale and return 1."""
    text = stub()
    known = PLACE.read_text(encoding="utf-8") if PLACE.exists() else ""
    if known == text:
        return 0
    if "--check" in arguments:
        print("stale: src/recollect/aio/memory.pyi (make reference)")
        return 1
    PLACE.write_text(text, encoding="utf-8")
    print("wrote src/recollect/aio/memory.pyi")
    return 0


def stub() -> str:
    """Return what the file must say."""
    names: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        parts = [_class(twin, target, names) for twin, target in examples(Path(folder))]
    parts.append(_opening(names))
    body = "\n\n".join(parts)
    used = {node.id for node in ast.walk(ast.parse(body)) if isinstance(node, ast.Name)}
    imports = "\n".join(
        f"from {place} import {name}"
        for name, place in sorted((names | OWN).items())
        if name in used and name not in {twin.__name__ for twin in TWINS.values()}
    )
    return _formatted(f"{HEAD}import builtins\n{imports}\n\n{body}\n")


def examples(folder: Path) -> list[tuple[type[Twin], object]]:
    """Return each twin and an object that it stands for."""
    with open_memory(folder / "home", overrides={"embedding.provider": "none"}) as memory:
        session = memory.sessions.create()
        found = [
            memory,
            memory.sessions,
            memory.sessions.history,
            memory.observations,
            memory.projects,
            memory.capture,
            memory.context,
            memory.sections,
            memory.events,
            memory.export_session(session.id, "jsonl"),
            memory.export(),
            memory.checkup(),
            held := memory.sessions.hold(session.id),
            held.observations,
            memory.sessions.stream(session.id),
            memory.events.subscribe(lambda _: None),
            memory.events.reader(bell=lambda: None),
            memory.tokens,
            memory.audit,
        ]
    missing = set(TWINS) - {base for each in found for base in type(each).__mro__}
    if missing:
        raise SystemExit(f"scripts/async_stub.py: an example is missing of {missing}")
    return [(TWINS[type(each)], each) for each in found]


def calls_of(target: object) -> Iterator[tuple[str, Any]]:
    """Yield the public names of an object and what they stand for."""
    for name in dir(target):
        if not name.startswith("_"):
            yield name, getattr(target, name)


def _class(twin: type[Twin], target: object, names: dict[str, str]) -> str:
    lines = [_docstring(inspect.getdoc(type(target)) or "")]
    for name, value in calls_of(target):
        if isinstance(target, Memory) and name == "close":
            continue
        is_call = inspect.isroutine(value) or isinstance(value, partial)
        lines.append(_call(name, value, names) if is_call else _value(name, value, target, names))
    if callable(target):
        lines.append("__call__ = block")
    if isinstance(target, Memory):
        lines.append(CLOSING)
    if issubclass(twin, AsyncHandle) or isinstance(target, Memory):
        lines.append(BLOCK)
    body = indent("\n".join(lines), "    ")
    return f"class {twin.__name__}:\n{body}"


def _call(name: str, call: Any, names: dict[str, str]) -> str:
    function = call.func if isinstance(call, partial) else call
    module, found = _source(inspect.unwrap(function))
    shown = set(inspect.signature(call).parameters) - set(_bound(call))
    written = found.args
    _keep(written, shown)
    for argument in [*written.args, *written.kwonlyargs]:
        if argument.annotation is not None:
            _learn(argument.annotation, module, names)
            argument.annotation = _given(argument.annotation, module)
    gives = found.returns or ast.Constant(None)
    _learn(gives, module, names)
    kind, gives_text = _kind(ast.unparse(gives), is_block=is_block(function))
    text = ast.unparse(written)
    text = f"self, {text}" if text else "self"
    doc = _docstring(inspect.getdoc(function) or "")
    return f"{kind} {name}({text}) -> {gives_text}:\n{indent(doc, '    ')}"


def _kind(gives: str, *, is_block: bool) -> tuple[str, str]:
    """Return how a call that gives this is written, and what its twin gives."""
    twins = {of.__name__: twin for of, twin in TWINS.items()}
    if gives.startswith("Iterator["):
        return "def", gives.replace("Iterator", "AsyncInside" if is_block else "AsyncItems", 1)
    twin = twins.get(gives)
    if twin is None:
        return "async def", gives
    if issubclass(twin, AsyncHandle):
        return "def", f"Opening[{twin.__name__}]"
    return "async def", twin.__name__


def _value(name: str, value: object, target: object, names: dict[str, str]) -> str:
    twin = TWINS.get(type(value))
    if twin is not None:
        return f"@property\ndef {name}(self) -> {twin.__name__}: ..."
    known = inspect.getattr_static(type(target), name, None)
    if isinstance(known, property) and known.fget is not None:
        module, found = _source(known.fget)
        gives = found.returns or ast.Constant(None)
        doc = _docstring(inspect.getdoc(known) or "")
    else:
        module, gives = _attribute(name, value, target)
        doc = "..."
    _learn(gives, module, names)
    return f"@property\ndef {name}(self) -> {ast.unparse(gives)}:\n{indent(doc, '    ')}"


def _attribute(name: str, value: object, target: object) -> tuple[ModuleType, ast.expr]:
    """Return what an attribute is annotated with where it is set, or what it is."""
    module = importlib.import_module(type(target).__module__)
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == f"self.{name}":
            return module, node.annotation
    if value is None:
        where = f"{type(target).__name__}.{name}"
        raise SystemExit(f"scripts/async_stub.py: {where} must be annotated where it is set")
    if isinstance(value, Path):
        return sys.modules[__name__], ast.Name("Path")  # where it lies differs by version
    kind = type(value)
    return importlib.import_module(kind.__module__), ast.Name(kind.__name__)


def _opening(names: dict[str, str]) -> str:
    """Return `open_async` and the pool, with the parameters of what they open."""
    module, found = _source(inspect.unwrap(open_memory))
    for argument in [*found.args.args, *found.args.kwonlyargs]:
        if argument.annotation is not None:
            _learn(argument.annotation, module, names)
    found.args.kwonlyargs.append(ast.arg("limit", ast.Name("int")))
    found.args.kw_defaults.append(ast.Constant(...))
    doc = _docstring(_with_limit(inspect.getdoc(open_memory) or ""))
    opening = f"def open_async({ast.unparse(found.args)}) -> Opening[AsyncMemory]:"
    target = MemoryPool(PLACE.parent)
    values = [
        _value(name, value, target, names)
        for name, value in calls_of(target)
        if not inspect.isroutine(value)
    ]
    pooled = _call("memory", target.memory, names).replace("-> Memory:", "-> AsyncMemory:")
    module, made = _source(MemoryPool.__init__)
    made.args.kwonlyargs, made.args.kw_defaults = (
        [ast.arg("limit", ast.Name("int"))],
        [ast.Constant(...)],
    )
    for argument in made.args.args[1:]:
        if argument.annotation is not None:
            _learn(argument.annotation, module, names)
    made_text = f"def __init__({ast.unparse(made.args)}) -> None: ..."
    pool_doc = _docstring(inspect.getdoc(AsyncMemoryPool) or "")
    pool = "\n".join([pool_doc, made_text, *values, pooled, f"{CLOSING}{BLOCK}"])
    return f"{opening}\n{indent(doc, '    ')}\n\nclass {AsyncMemoryPool.__name__}:\n" + indent(
        pool, "    "
    )


def _with_limit(doc: str) -> str:
    head, _, raises = doc.partition("\n\nRaises:")
    return f"{head}\n    {LIMIT}\n\nRaises:{raises}"


def _bound(call: Any) -> dict[str, Any]:
    """Return the parameters that a partial call already has."""
    return call.keywords if isinstance(call, partial) else {}


def _keep(arguments: ast.arguments, shown: set[str]) -> None:
    """Leave out `self` and what is bound already."""
    arguments.args = [each for each in arguments.args if each.arg in shown]
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    kept = [(each, default) for each, default in pairs if each.arg in shown]
    arguments.kwonlyargs = [each for each, _ in kept]
    arguments.kw_defaults = [default for _, default in kept]
    count = min(len(arguments.defaults), len(arguments.args))
    arguments.defaults = [_shown(each) for each in arguments.defaults[-count:]] if count else []
    arguments.kw_defaults = [None if d is None else _shown(d) for d in arguments.kw_defaults]


def _shown(default: ast.expr) -> ast.expr:
    return default if isinstance(default, ast.Constant) else ast.Constant(...)


def _given(annotation: ast.expr, module: ModuleType) -> ast.expr:
    """Return what may be given for a parameter: pieces to come, and functions to be awaited."""
    text = ast.unparse(annotation)
    for name in (each.id for each in ast.walk(annotation) if isinstance(each, ast.Name)):
        value = getattr(importlib.import_module(origin_of(name, module)), name, None)
        if get_origin(value) is Callable:
            return ast.parse(f"AsyncCallback | {text}", mode="eval").body
    if text.startswith("Iterable["):
        return ast.parse(f"{text} | Async{text}", mode="eval").body
    return annotation


def _learn(annotation: ast.expr, module: ModuleType, names: dict[str, str]) -> None:
    """Note where each name of an annotation comes from."""
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and node.id == "list":
            node.id = "builtins.list"  # a method has this name
        elif isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            place = origin_of(node.id, module)
            if names.setdefault(node.id, place) != place:
                raise SystemExit(f"scripts/async_stub.py: two classes are called {node.id}")


def origin_of(name: str, module: ModuleType) -> str:
    """Return the module that a name is imported from, or defined in."""
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.ImportFrom) and name in {
            each.asname or each.name for each in node.names
        }:
            return str(node.module)
    return module.__name__


def _source(function: Any) -> tuple[ModuleType, ast.FunctionDef]:
    """Return the module of a function, and its definition."""
    module = importlib.import_module(function.__module__)
    place = function.__code__.co_firstlineno
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == place:
                return module, node
    raise LookupError(function)


@functools.cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _docstring(text: str) -> str:
    return f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'


def _formatted(text: str) -> str:
    for order in (["check", "--fix", "--quiet", "--select", "I"], ["format"]):
        command = [sys.executable, "-m", "ruff", *order, "--stdin-filename", str(PLACE), "-"]
        text = subprocess.run(
            command, input=text, capture_output=True, encoding="utf-8", check=True
        ).stdout
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
