"""Who hears: what answers reads no rows without an audience, and keeps none from read to read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "recollect"
READERS = {
    *("select_rows", "select_observations", "find_observation", "select_injections"),
    *("read_messages", "named_message", "find_message"),
    *("select_episodes", "heard_episodes", "require_episode", "episodes_after"),
}
"""Return records whoever hears them, or as an audience that is passed hears them."""
ANSWERING = (
    *("recall/steps", "recall/context", "observations/observations.py"),
    *("sessions/transcripts.py", "sessions/context/window.py", "exchange/export.py"),
)
"""Rooms and modules that read rows for whoever asks."""
ABOVE = (
    "home.py",
    "memory.py",
    "memory_exchange.py",
    "home_index.py",
    "rooms.py",
    "upkeep.py",
    "caller.py",
    "server",
    "mcp",
    "hook",
    "cli",
    "integrations",
)
"""Rooms that ask those, and read no rows themselves."""
UNHEARD = {
    "_check",  # compares rows that are not shown
    "_walk",  # reads the rows that `_is_shown` let through
    "find_observation",  # a reader
    "message",  # `Sessions.message` is the operator's; others ask `Memory.get`
}
SAYS_WHO = {"audience", "_audience", "heard", "only_heard", "HeardTurns"}
"""Names of whoever hears what is read; the last is the type of the turns that are heard."""
ONE_READ = {
    *("_Around", "Order"),  # made and left within one transaction
    *("SearchQuestion", "SearchOptions", "Access"),  # one search
    "Replacement",  # for whom a summary is made, compared when it is stored
}
"""Classes with a field that is an audience."""
PAIRED = {
    *("memory.py", "server/client.py", "cli", "observations/observations.py"),
    *("recall/steps/timeline.py", "recall/context/injected.py", "recall/facts.py"),
    "recall/context/contexts.py",
    *("knowledge/facts.py", "cli/knowledge/facts.py", "sessions/context/working_memory.py"),
    *("recall/retrieval/episodes.py", "recall/retrieval/retriever.py"),
    *("sessions/context/window.py", "sessions/policy/conversation.py", "sessions/sessions.py"),
}
"""Public calls with ``for_sender``, which they make an `Asker` of in their first lines."""


def _files(*rooms: str) -> Iterator[Path]:
    for room in rooms:
        path = SOURCE / room
        yield from [path] if path.suffix else sorted(path.rglob("*.py"))


def _names(tree: ast.AST) -> set[str]:
    """Return every name that code uses, also of parameters, attributes and keywords."""
    found: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                found.add(name)
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                found.add(name)
    return found


def unheard_reads(code: str) -> list[str]:
    """Return the functions that read records and say nothing of who hears them."""
    tree = ast.parse(code)
    defined = {node: _names(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return [
        node.name
        for node, names in defined.items()
        if names & READERS and not names & SAYS_WHO
        if not any(node in ast.walk(outer) for outer in defined if outer is not node)
    ]


@pytest.mark.parametrize("path", list(_files(*ANSWERING)), ids=lambda path: path.stem)
def test_what_answers_reads_for_an_audience(path: Path) -> None:
    """A function that returns records must have been told who asks."""
    assert set(unheard_reads(path.read_text("utf-8"))) <= UNHEARD


def test_a_read_without_an_audience_is_noticed() -> None:
    """The check itself: one that passes everything proves nothing."""
    assert unheard_reads("def all(tx, where):\n    return select_rows(tx, 'message', where)") == [
        "all"
    ]
    assert not unheard_reads("def all(tx, audience):\n    return heard_episodes(tx, audience)")


def test_surfaces_read_no_rows_themselves() -> None:
    """They ask a memory, with ``for_session``."""
    found = {path.name for path in _files(*ABOVE) if _names(ast.parse(path.read_text())) & READERS}
    assert found <= {"get.py"}  # its `find_message` asks the sessions of a memory


def test_no_audience_is_kept_over_two_reads() -> None:
    """What somebody hears changes with every message: it is a field of what lives for one read."""
    kept = {
        node.name
        for path in _files(*(each.name for each in SOURCE.iterdir() if each.is_dir()), "memory.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
        for field in ast.walk(node)
        if isinstance(field, ast.AnnAssign)
        and ast.unparse(field.annotation) in {"Audience", "Audience | None"}
    }
    assert kept <= ONE_READ


def test_who_asks_is_one_value_inside() -> None:
    """The pair of a session and a sender is passed by nothing but public calls."""
    allowed = set(_files(*PAIRED))
    for path in _files("recall", "sessions", "observations", "governance", "exchange"):
        parameters = {
            node.arg for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.arg)
        }
        assert "for_sender" not in parameters or path in allowed, path
