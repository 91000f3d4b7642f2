"""A package of somebody else with back ends of its own, and some that are named like ours."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

PLUGIN = '''
import numpy as np
from recollect.backends.fts5.backend import Fts5
from recollect.index.vectors.port import VectorBackend, VectorContext
from recollect.recall.search_port import Hit, SearchContext, SearchResult

class Words(Fts5):
    name = "mine"

class Rows:
    """All vectors in a dictionary, compared one by one."""

    name, place, is_inside, library = "mine", "", False, None
    homes = {}

    def __init__(self, context: VectorContext):
        self.parts = self.homes.setdefault((str(context.home), context.home_id), {})

    def open(self):
        pass

    def of(self, part):
        return self.parts.setdefault((part.generation, part.number), {})

    def apply(self, tx, change):
        held = self.of(change.part)
        held.update(zip(change.put, change.vectors, strict=True))
        for chunk in change.gone:
            held.pop(chunk, None)

    def nearest(self, tx, part, vector, most):
        held = self.of(part)
        best = sorted(held, key=lambda chunk: -float(held[chunk] @ vector))
        return np.array(best[:most], np.int64)

    def ids(self, tx, part):
        return np.array(sorted(self.of(part)), np.int64)

    def count(self, tx, part):
        return len(self.of(part))

    def keep_only(self, tx, parts):
        kept = {(part.generation, part.number) for part in parts}
        for key in set(self.parts) - kept:
            del self.parts[key]

    def leave(self, tx):
        self.parts.clear()

    def close(self):
        pass

class Oracle:
    """Knows one line, until it has a fault."""

    name = "mine"
    trouble = None
    calls = []

    def __init__(self, context: SearchContext):
        self.builtin = context.builtin

    def search(self, query, scope, options, on_progress, embed_at_most):
        if self.trouble:
            return self.builtin.search(query, scope, options, on_progress, embed_at_most)
        hit = Hit(score=1.0, source="memory", ref="MEMORY.md", snippet=query, why={}, at=0)
        return SearchResult(hits=[hit], mode="lexical")

    def refresh(self):
        self.calls.append("refresh")
        self.trouble = "it is tired"
        return self.trouble

    def close(self):
        self.calls.append("close")
'''
POINTS = """
[recollect.lexical_backends]
mine = stranger_plugin:Words
fts5 = stranger_plugin:missing
broken = stranger_plugin:missing
[recollect.vector_backends]
mine = stranger_plugin:Rows
sqlite-vec = stranger_plugin:missing
chroma = stranger_plugin:missing
[recollect.search_backends]
mine = stranger_plugin:Oracle
qmd = stranger_plugin:missing
[recollect.embedders]
gguf = stranger_plugin:missing
"""


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the package for one test; it comes before ours on the path."""
    site = tmp_path / "site"
    info = site / "stranger-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "stranger_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "stranger_plugin", raising=False)
    importlib.invalidate_caches()
