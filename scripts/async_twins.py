"""Writes `aio/twins.py`: the asynchronous twin of each public class, call by call.

Read off the source of the synchronous classes, without importing it: the package is not installed
yet when it is built. The build runs this, and so do `make check` and the tests; git ignores the
file.
"""

from __future__ import annotations

import ast
import builtins
import functools
import os
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
PLACE = SOURCE / "recollect" / "aio" / "twins.py"
CLASSES = (
    "recollect.store.audit.Audit",
    "recollect.store.streams.Subscription",
    "recollect.store.streams.EventReader",
    "recollect.store.streams.EventStream",
    "recollect.observations.controls.CaptureControls",
    "recollect.observations.projects.Projects",
    "recollect.observations.observations.Observations",
    "recollect.recall.steps.timeline.ObservationRecall",
    "recollect.recall.retrieval.episodes.Episodes",
    "recollect.knowledge.facts.Facts",
    "recollect.recall.facts.FactRecall",
    "recollect.recall.context.contexts.Contexts",
    "recollect.recall.context.sections.Sections",
    "recollect.checkpoints.checkpoints.Checkpoints",
    "recollect.checkpoints.capture.file_calls.FileCalls",
    "recollect.governance.tokens.Tokens",
    "recollect.respond.channels.channels.Channels",
    "recollect.exchange.export.HomeExport",
    "recollect.index.repair.checkup.IndexCheckup",
    "recollect.recall.statements.checkup.KnowledgeCheckup",
    "recollect.exchange.session_export.SessionExport",
    "recollect.sessions.policy.history.History",
    "recollect.sessions.identities.Identities",
    "recollect.sessions.streaming.MessageStream",
    "recollect.sessions.leased_session.LeasedSession",
    "recollect.sessions.sessions.Sessions",
    "recollect.session_handle.HeldFacts",
    "recollect.session_handle.SessionObservations",
    "recollect.session_handle.SessionHandle",
    "recollect.memory_sessions.MemorySessions",
    "recollect.respond.pending.Pending",
    "recollect.respond.responder.Responder",
    "recollect.memory.Memory",
)
"""Every class with calls of its own that a memory hands out; a base before what is made of it."""
WRITTEN = {"Memory": {"close", "respond", "within"}}
"""Calls whose twins are written by hand, in `aio/memory.py`."""
ONE_AT_A_TIME = {"MessageStream"}
"""Classes whose calls must not overlap."""
HEAD = '''"""Made by scripts/async_twins.py from the synchronous classes; edit there."""
from __future__ import annotations
import builtins
from collections.abc import AsyncIterable
from functools import cached_property
from typing import TYPE_CHECKING
from recollect.aio.bridge import AsyncCallback
from recollect.aio.items import AsyncInside, AsyncItems
from recollect.aio.twin import AsyncHandle, Opening, Twin
'''
OWN = {"AsyncCallback", "AsyncIterable", "Opening", "AsyncInside", "AsyncItems", "builtins"}

Found = tuple["Module", ast.stmt]
"""A name of a class body: where it is written, and how."""


def main(place: Path = PLACE) -> None:
    """Write the file, unless it is as it must be."""
    text = Twins().text()
    if place.exists() and place.read_text(encoding="utf-8") == text:
        return
    temporary = place.with_suffix(f".{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(place)


class Module:
    """A module of the package, as it is written."""

    def __init__(self, name: str) -> None:
        self.name = name
        path = SOURCE.joinpath(*name.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self._defined = {_name(each): each for each in tree.body}
        self._imported = {
            each.asname or each.name: str(node.module)
            for node in (*tree.body, *self._typed(tree))
            if isinstance(node, ast.ImportFrom)
            for each in node.names
        }

    def origin(self, name: str) -> str:
        """Return the module that a name is imported from, or this one."""
        return self._imported.get(name, self.name)

    def definition(self, name: str) -> ast.stmt | None:
        """Return what a name is defined as at the top of it."""
        return self._defined.get(name)

    def class_(self, name: str) -> ast.ClassDef:
        """Return a class of it."""
        node = self.definition(name)
        assert isinstance(node, ast.ClassDef), f"{self.name} has no class {name}"
        return node

    @staticmethod
    def _typed(tree: ast.Module) -> Iterator[ast.stmt]:
        """Yield what is imported for type checkers only."""
        for node in tree.body:
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                yield from node.body


@functools.cache
def module(name: str) -> Module:
    """Return a module of the package; each is read once."""
    return Module(name)


def _name(node: ast.stmt) -> str | None:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    return target.id if isinstance(target, ast.Name) else None


def bases_of(where: Module, name: str) -> Iterator[tuple[Module, ast.ClassDef]]:
    """Yield a class and those of the package that it is made of."""
    node = where.class_(name)
    yield where, node
    for base in node.bases:
        if isinstance(base, ast.Name):
            origin = where.origin(base.id)
            if origin.startswith("recollect"):
                yield from bases_of(module(origin), base.id)


def members(where: Module, name: str) -> dict[str, Found]:
    """Return the public names of a class, and of those that it is made of."""
    member_of: dict[str, Found] = {}
    for home, node in bases_of(where, name):
        for each in (*node.body, *_attributes(node)):
            member = _name(each)
            if member is not None and not member.startswith("_"):
                member_of.setdefault(member, (home, each))
    return member_of


def _attributes(node: ast.ClassDef) -> Iterator[ast.stmt]:
    """Yield ``self.name: type = …`` of the constructor, as if it stood in the class."""
    inside = [each for each in node.body if _name(each) == "__init__"]
    for each in (inner for init in inside for inner in ast.walk(init)):
        targets = each.targets if isinstance(each, ast.Assign) else [getattr(each, "target", None)]
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(one, ast.Attribute) and not one.attr.startswith("_"):
                    if not isinstance(each, ast.AnnAssign):
                        raise SystemExit(
                            f"{node.name}.{one.attr} must be annotated where it is set"
                        )
                    yield ast.AnnAssign(ast.Name(one.attr), each.annotation, None, simple=1)


class Twins:
    """The text of the file, and what it imports."""

    def __init__(self) -> None:
        self._types: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._twins = {dotted.rpartition(".")[2]: dotted.rpartition(".")[0] for dotted in CLASSES}

    def text(self) -> str:
        """Return what the file must say."""
        classes = [self._class(module(home), name) for name, home in self._twins.items()]
        body = ast.unparse(ast.fix_missing_locations(ast.Module([*classes], [])))
        values = _imports(self._values)
        types = _imports({n: m for n, m in self._types.items() if n not in self._values})
        typed = "".join(f"    {line}\n" for line in types.splitlines())
        names = ", ".join(repr(each.name) for each in classes)
        typed += f"__all__ = ({names})\n"
        return f"{HEAD}{values}if TYPE_CHECKING:\n{typed}\n{body}\n"

    def _class(self, where: Module, name: str) -> ast.ClassDef:
        """Return the twin of a class, with what its base does not have."""
        node = where.class_(name)
        above = [b.id for b in node.bases if isinstance(b, ast.Name) and b.id in self._twins]
        inherited = members(module(self._twins[above[0]]), above[0]) if above else {}
        body: list[ast.stmt] = [ast.Expr(ast.Constant(ast.get_docstring(node, clean=False)))]
        body += ast.parse(f"_target: {name}").body
        self._types[name] = where.name
        if name in ONE_AT_A_TIME:
            body += ast.parse("_one_at_a_time = True").body
        for member, definition in sorted(members(where, name).items()):
            if inherited.get(member) != definition and member not in WRITTEN.get(name, ()):
                body.append(self._member(member, *definition))
        if any(_name(each) == "__call__" for each in node.body):
            body += ast.parse("__call__ = block").body
        is_handle = any(_name(each) == "__exit__" for each in node.body) and name not in WRITTEN
        base = f"Async{above[0]}" if above else "AsyncHandle" if is_handle else "Twin"
        kind = f"Async{name}Calls" if name in WRITTEN else f"Async{name}"
        return ast.ClassDef(kind, [ast.Name(base)], [], body, [])

    def _member(self, name: str, where: Module, node: ast.stmt) -> ast.stmt:
        if isinstance(node, ast.AnnAssign):
            return self._value(name, where, node.annotation, None)
        if isinstance(node, ast.Assign):  # a call of another class, for the session of a handle
            assert isinstance(node.value, ast.Call)
            assert isinstance(node.value.func, ast.Name)
            call = node.value.args[0]
            assert isinstance(call, ast.Attribute)
            assert isinstance(call.value, ast.Name)
            takes_id = node.value.func.id == "of_session"
            owner = module(where.origin(call.value.id))
            where, node = members(owner, call.value.id)[call.attr]
            assert isinstance(node, ast.FunctionDef)
            leaves_out = 2 if takes_id else 1
            return self._call(name, where, node, leaves_out, {"lease", "for_session"})
        assert isinstance(node, ast.FunctionDef), name
        if _decorators(node) & {"property", "cached_property"}:
            assert node.returns is not None
            return self._value(name, where, node.returns, ast.get_docstring(node, clean=False))
        return self._call(name, where, node, 1, set())

    def _value(self, name: str, where: Module, gives: ast.expr, doc: str | None) -> ast.FunctionDef:
        """Return a property: a value as it is, or the twin of an object with calls of its own."""
        twin = self._twin_of(gives)
        annotation = twin or self._annotation(where, gives)
        value = f"{twin}(self._target.{name}, self._hops)" if twin else f"self._target.{name}"
        kind = "cached_property" if twin else "property"
        text = f"@{kind}\ndef {name}(self) -> {annotation}:\n    return {value}"
        return _documented(text, doc)

    def _call(
        self, name: str, where: Module, node: ast.FunctionDef, leaves_out: int, bound: set[str]
    ) -> ast.FunctionDef:
        """Return the twin of a call, without its first parameters and those that are bound."""
        assert node.returns is not None, (where.name, name)
        arguments = _kept(node.args, leaves_out, bound)
        passed, is_bridged = self._passed(where, arguments)
        passed_text = "".join(f", {each}" for each in passed)
        signature = ast.unparse(arguments)
        parameters = f"self, {signature}" if signature else "self"
        twin, target = self._twin_of(node.returns), f"self._target.{name}{passed_text}"
        gives = twin or self._annotation(where, node.returns)
        head, result = f"async def {name}({parameters}) -> {gives}", ""
        if gives.startswith("Iterator["):
            kind = "AsyncInside" if "contextmanager" in _decorators(node) else "AsyncItems"
            head = f"def {name}({parameters}) -> {kind}{gives.removeprefix('Iterator')}"
            result = f"{kind}(self._hops, partial({target}))"
            self._values["partial"] = "functools"
        elif twin is not None and self._is_handle(twin):
            head = f"def {name}({parameters}) -> Opening[{twin}]"
            result = f"Opening(self._hops, {twin}, {target})"
        else:
            result = f"await self.{'_bridged' if is_bridged else '_awaited'}({target})"
            result = f"{twin}({result}, self._hops)" if twin else result
        return _documented(f"{head}:\n    return {result}", ast.get_docstring(node, clean=False))

    def _passed(self, where: Module, arguments: ast.arguments) -> tuple[list[str], bool]:
        """Return how parameters are passed on, and whether any is called or iterated over.

        What is called by default is not passed on: it needs no event loop.
        """
        passed, is_bridged = [each.arg for each in arguments.args], False
        passed += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
        defaults = dict(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
        first = len(arguments.args) - len(arguments.defaults)
        defaults |= dict(zip(arguments.args[first:], arguments.defaults, strict=True))
        for each in (*arguments.args, *arguments.kwonlyargs):
            name, default = each.arg, defaults.get(each)
            is_called = self._parameter(where, each)
            is_bridged = is_bridged or is_called
            if isinstance(default, ast.Name):
                self._values[default.id] = where.origin(default.id)
            if is_called and isinstance(default, ast.Name):
                passed = [one for one in passed if one != name]
                passed.append(f"**({{}} if {name} is {default.id} else {{'{name}': {name}}})")
            elif each in arguments.kwonlyargs:
                passed.append(f"{name}={name}")
        if arguments.kwarg:
            self._parameter(where, arguments.kwarg)
            passed.append(f"**{arguments.kwarg.arg}")
        return passed, is_bridged

    def _parameter(self, where: Module, argument: ast.arg) -> bool:
        """Say what may be given for a parameter; return whether it may come from the loop."""
        assert argument.annotation is not None, argument.arg
        text = self._annotation(where, argument.annotation)
        names = {each.id for each in ast.walk(argument.annotation) if isinstance(each, ast.Name)}
        if any(name == "Callable" or _is_callable(where, name) for name in names):
            text = f"AsyncCallback | {text}"
        elif text.startswith("Iterable["):
            text = f"{text} | Async{text}"
        else:
            argument.annotation = ast.Name(text)
            return False
        argument.annotation = ast.Name(text)
        return True

    def _annotation(self, where: Module, annotation: ast.expr) -> str:
        """Return an annotation as text, and note where its names come from."""
        copied = ast.parse(ast.unparse(annotation), mode="eval").body
        for node in ast.walk(copied):
            if isinstance(node, ast.Name) and node.id in {"list", "type"}:
                node.id = f"builtins.{node.id}"  # a method, or a parameter, has this name
            elif isinstance(node, ast.Name) and not hasattr(builtins, node.id):
                origin = where.origin(node.id)
                if self._types.setdefault(node.id, origin) != origin:
                    raise SystemExit(f"two classes are called {node.id}: {origin}")
        return ast.unparse(copied)

    def _twin_of(self, gives: ast.expr) -> str | None:
        name = gives.id if isinstance(gives, ast.Name) else None
        return f"Async{name}" if name in self._twins and name != "Memory" else None

    def _is_handle(self, twin: str) -> bool:
        name = twin.removeprefix("Async")
        classes = bases_of(module(self._twins[name]), name)
        return any(_name(each) == "__exit__" for _, node in classes for each in node.body)


def _kept(arguments: ast.arguments, leaves_out: int, bound: set[str]) -> ast.arguments:
    """Return parameters without the first of them, and without those that are bound."""
    copy = ast.parse(f"def f({ast.unparse(arguments)}): ...").body[0]
    assert isinstance(copy, ast.FunctionDef)
    remaining = copy.args
    remaining.args = [each for each in remaining.args[leaves_out:] if each.arg not in bound]
    pairs = list(zip(remaining.kwonlyargs, remaining.kw_defaults, strict=True))
    remaining.kwonlyargs = [each for each, _ in pairs if each.arg not in bound]
    remaining.kw_defaults = [default for each, default in pairs if each.arg not in bound]
    remaining.defaults = remaining.defaults[max(0, len(remaining.defaults) - len(remaining.args)) :]
    return remaining


def _is_callable(where: Module, name: str) -> bool:
    """Return whether a name is an alias of something to be called."""
    origin = where.origin(name)
    definition = module(origin).definition(name) if origin.startswith("recollect") else None
    value = getattr(definition, "value", None)
    return value is not None and ast.unparse(value).startswith("Callable[")


def _decorators(node: ast.FunctionDef) -> set[str]:
    return {each.id for each in node.decorator_list if isinstance(each, ast.Name)}


def _documented(text: str, doc: str | None) -> ast.FunctionDef:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    if doc is not None:
        function.body.insert(0, ast.Expr(ast.Constant(doc)))
    return function  # type: ignore[return-value]  # both are statements with a body


def _imports(names: dict[str, str]) -> str:
    pairs = sorted((origin, name) for name, origin in names.items() if name not in OWN)
    return "".join(f"from {origin} import {name}\n" for origin, name in pairs)


if __name__ == "__main__":
    main()
