"""No wait for a dead thread: threads begin, and are waited for, in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "recollect"
HOME = "core/threads.py"
"""Where threads begin and are waited for."""

MAKES = {"Thread", "Timer", "ThreadPoolExecutor", "ProcessPoolExecutor", "Future", "to_thread"}
"""What begins a thread, or a wait for one. Annotations may name it; only calls count."""

ALLOWED = {
    "server/worker/home_worker.py: Timer",  # ends the process, and is not waited for
    "aio/items.py: wait",  # the loop's, while it looks at the thread
    "server/routes/events.py: wait",  # within a timeout of the loop
    "server/chat/chat.py: get",  # within a timeout of the loop
    "store/sqlite/writer.py: get",  # the writer itself, which waits for work
    "models/subprocess.py: wait",  # for a process that was killed
}


def _breaches(tree: ast.AST) -> Iterator[str]:
    """Yield what begins a thread, or waits for ever, by the name of the call."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        owner = called.value if isinstance(called, ast.Attribute) else None
        arguments = len(node.args) + len(node.keywords)
        is_context = isinstance(owner, ast.Name) and owner.id.isupper()
        waits = {"wait": 0, "get": 0, "join": 0, "wait_for": 1}
        if name in MAKES:
            if not (isinstance(owner, ast.Name) and owner.id == "to_thread"):
                yield name
        elif owner is not None and name in waits and arguments <= waits[name] and not is_context:
            yield name


def _found() -> set[str]:
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        where = path.relative_to(PACKAGE).as_posix()
        if where != HOME and not where.startswith("testing/"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found |= {f"{where}: {name}" for name in _breaches(tree)}
    return found


def test_threads_begin_and_are_waited_for_in_one_place() -> None:
    """What is allowed says why, and is there."""
    assert _found() == ALLOWED


@pytest.mark.parametrize(
    "code",
    [
        "threading.Thread(target=work).start()",
        "Thread(target=work)",
        "ThreadPoolExecutor(2)",
        "asyncio.to_thread(work)",
        "event.wait()",
        "self._jobs.get()",
        "thread.join()",
        "changed.wait_for(lambda: done)",
    ],
)
def test_a_wait_without_an_end_is_seen(code: str) -> None:
    """The rule would be silent otherwise."""
    assert list(_breaches(ast.parse(code)))
