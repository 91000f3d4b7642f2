"""The status of a memory: every part of it, as the parts themselves tell."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import msgspec

import recollect
from recollect.core.bill import Bill, TokenUse
from recollect.core.clock import SystemClock, to_datetime
from recollect.recall.status import BudgetStatus
from recollect.store.usage_ledger import EMBEDDING, LANGUAGE, UsageLedger

LEXICAL: dict[str, object] = {"embedding.provider": "none"}

OPENCLAW = {
    "backend", "provider", "model", "requested_provider", "files", "chunks", "dirty", "workspace",
    "db_path", "extra_paths", "sources", "source_counts", "cache", "lexical", "fallback", "vector",
    "batch",
}  # fmt: skip
"""What OpenClaw's `MemoryProviderStatus` has, in our words."""


def _workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "memory").mkdir(parents=True)
    (folder / "memory" / "tea.md").write_text("# Tea\n\nGreen.\n", encoding="utf-8")
    return folder


def test_a_status_has_every_field_of_the_original(tmp_path: Path) -> None:
    """And tells how much of each source is indexed."""
    workspace = _workspace(tmp_path)
    overrides = LEXICAL | {"workspace.extra_paths": [str(tmp_path / "notes")]}
    with recollect.open(tmp_path / "home", workspace, overrides=overrides) as memory:
        session = memory.sessions.create(key="k")
        memory.sessions.append_many(session.id, [("user", "tea"), ("assistant", "green tea")])
        memory.sync()
        deadline, waiting = time.monotonic() + 30, threading.Event()
        while (status := memory.status()).dirty and time.monotonic() < deadline:
            waiting.wait(0.01)  # the background looks too, because messages and files arrived
    assert set(msgspec.to_builtins(status)) >= OPENCLAW
    assert (status.backend, status.provider, status.model) == ("builtin", "none", None)
    assert (status.files, status.chunks, status.dirty) == (1, 3, False)
    assert status.db_path == str(tmp_path / "home" / "index.db")
    assert status.extra_paths == [str(tmp_path / "notes")]
    assert status.sources == ["memory", "sessions"]
    counted = [(each.source, each.files, each.chunks) for each in status.source_counts]
    assert counted == [("memory", 1, 1), ("sessions", 2, 2)]
    assert (status.lexical.backend, status.lexical.available) == ("postings", True)
    assert (status.vector.enabled, status.vector.available) == (False, True)
    assert (status.cache.enabled, status.cache.entries) == (True, 0)
    assert (status.fallback, status.budget.tokens_today) == (None, 0)


def test_what_waits_to_be_indexed_makes_it_dirty(tmp_path: Path) -> None:
    """Nobody has looked at these messages yet."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        session = memory.sessions.create(key="k")
        memory.sync()
        memory._rooms.opened.maintenance.close()  # noqa: SLF001  # nobody indexes beside the test
        memory.sessions.append(session.id, "user", "tea")
        assert memory.status().dirty
        memory.search("tea")
        assert not memory.status().index.waiting


def test_a_failure_of_qmd_is_told_as_a_fallback(tmp_path: Path) -> None:
    """As ``{"from", "reason"}``."""
    overrides = LEXICAL | {"search.backend": "qmd", "qmd.command": "/no/such/qmd"}
    with recollect.open(tmp_path / "home", _workspace(tmp_path), overrides=overrides) as memory:
        assert memory.status().fallback is None
        memory.search("tea")
        found = msgspec.to_builtins(memory.status())
    assert found["fallback"] == {"from": "qmd", "reason": "qmd is not installed"}
    assert found["backend"] == "qmd"


def test_tokens_of_embeddings_and_of_language_models_are_told_apart(tmp_path: Path) -> None:
    """Each against its own limit, those of today only; an unknown price is no price of 0."""
    limits: dict[str, object] = {
        "embedding.remote.daily_tokens": 1_000,
        "language.daily_tokens": 2_000,
    }
    with recollect.open(tmp_path / "home", overrides={**LEXICAL, **limits}) as memory:
        records = memory._rooms.records  # noqa: SLF001  # what providers took, without one
        today = to_datetime(SystemClock().now_ms()).date().isoformat()
        embedding, language = UsageLedger(records, EMBEDDING), UsageLedger(records, LANGUAGE)
        embedding.add(today, Bill(model="openai:e", use=TokenUse(input=5), usd=4.0))
        language.add(today, Bill(model="openai:m", use=TokenUse(input=30, output=9), usd=0.5))
        language.add(today, Bill(model="openai:n", use=TokenUse(input=200)))
        language.add("2020-02-10", Bill(model="openai:m", use=TokenUse(input=7_000)))
        status = memory.status()
    assert status.budget == BudgetStatus(tokens_today=5, limit=1_000)
    told = status.language
    assert (told.tokens_today, told.limit) == (239, 2_000)
    assert (told.usd_today, told.unpriced_today) == (0.5, 1)
    assert [each.kind for each in status.spending] == ["embedding", "language", "language"]


def test_probes_are_asked_through_the_memory(tmp_path: Path) -> None:
    """Without an embedder there is none to answer; vectors are in memory."""
    with recollect.open(tmp_path / "home", overrides=LEXICAL) as memory:
        assert not memory.probe_embedding().ok
        assert memory.probe_vectors()
