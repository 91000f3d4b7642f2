"""What `recollect search` imports: a process of its own, so that nothing is there already."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import recollect

PROGRAM = """
import json, sys
from recollect.cli.main import main
code = main(sys.argv[1:])
sys.stdout.flush()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""
MOST_AS_TEXT, MOST_AS_JSON = 275, 236
"""Modules of ours; each one takes a quarter of a millisecond of every search. Each language with
spaces between words is one, because a question may be in any of them."""
NEVER = (
    "httpx",
    "onnxruntime",
    "recollect.backends.chroma",
    "recollect.cli.doctor",
    "recollect.cli.setup",
    "recollect.governance",
    "recollect.index.indexing.preview",
    "recollect.index.embedding.batch_jobs",
    "recollect.index.repair",
    "recollect.models.embedding.remote",
    "recollect.models.http.client",
    "recollect.models.language.registry",
    "recollect.models.local",
    "recollect.recall.followed",
    "recollect.recall.following",
    "recollect.recall.memory_source",
    "recollect.recall.status",
    "recollect.exchange",
    "recollect.text.redaction.keyed",
    "rich.progress",
    "watchfiles",
)
"""What a search for words has no use for."""
NEVER_AS_JSON = ("recollect.sessions.context.window", "recollect.sessions.sessions", "rich")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with a message, whose search knows words only."""
    home = tmp_path / "home"
    with recollect.open(home, overrides={"embedding.provider": "none"}, live=False) as memory:
        session = memory.sessions.create()
        memory.sessions.append(session.id, "user", "The green tea is in the box.")
        memory.sync()
    (home / "config.yaml").write_text("embedding: {provider: none}\n", encoding="utf-8")
    return home


def _imported(home: Path, *options: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--home", str(home), "search", "tea", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "green tea" in done.stdout
    modules: list[str] = json.loads(done.stderr.splitlines()[-1])
    return modules


def _within(modules: list[str], names: tuple[str, ...]) -> list[str]:
    return [m for m in modules for name in names if m == name or m.startswith(f"{name}.")]


def test_a_search_imports_what_it_uses(home: Path) -> None:
    """A module more is a decision: raise the ceiling with its reason."""
    modules = _imported(home)
    assert _within(modules, NEVER) == []
    assert len(_within(modules, ("recollect",))) <= MOST_AS_TEXT


def test_a_search_for_a_program_imports_less(home: Path) -> None:
    """Nothing is drawn, and no session is looked at."""
    modules = _imported(home, "--json")
    assert _within(modules, (*NEVER, *NEVER_AS_JSON)) == []
    assert len(_within(modules, ("recollect",))) <= MOST_AS_JSON
