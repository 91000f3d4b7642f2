"""`recollect status`: what is there and how it is doing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import recollect
from recollect.cli.output.status_lines import pairs_of, warnings_of
from recollect.core.settings import Settings
from recollect.index.embedding.batch_health import batch_status
from recollect.recall.status import BudgetStatus, CacheStatus, Fallback, SourceCount, Status
from tests.support.scripted_worker import ScriptedWorker
from tests.unit.cli.conftest import Run


def test_status_is_read_at_a_glance(run: Run, filled: Path, workspace: Path) -> None:
    """Names on the left, and a warning with what to do."""
    done = run("--home", filled, "status")
    shown = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert shown["home"] == str(filled)
    assert shown["workspace"] == str(workspace)
    assert shown["records"] == "4 messages in 1 session, 0 observations"
    assert shown["knowledge"] == "1 fact (1 current)"
    assert shown["index"] == "1 facts, 1 memory, 4 sessions; 6 chunks"
    assert shown["vectors"] == "none: words only"
    assert "warning: no search by meaning: " in done.err


def test_status_of_an_empty_home_says_how_to_begin(run: Run, home: Path) -> None:
    """Nothing is indexed, no workspace is named."""
    run("--home", home, "init")
    done = run("--home", home, "status")
    assert "none; `recollect init --workspace DIR` names one" in done.out
    assert "nothing yet; 0 chunks" in done.out


def test_status_tells_of_an_index_that_must_be_rebuilt(run: Run, filled: Path) -> None:
    """Here because chunks were given another size."""
    run("--home", filled, "config", "set", "chunking.tokens", "200")
    done = run("--home", filled, "status")
    assert "warning: the size of chunks was changed: run `recollect reindex`" in done.err


def test_fast_durability_is_told(run: Run, filled: Path) -> None:
    """Somebody should know."""
    run("--home", filled, "config", "set", "store.durability", "fast")
    assert "a power cut may take the last rows" in run("--home", filled, "status").out


def test_status_as_json_is_the_status(run: Run, filled: Path) -> None:
    """As the facade returns it."""
    found = run("--home", filled, "status", "--json").json
    assert (found["sessions"], found["messages"], found["observations"]) == (1, 4, 0)
    assert (found["facts_by_status"], found["episodes"]) == ({"current": 1}, 0)
    assert found["index"]["documents"] == {"facts": 1, "memory": 1, "sessions": 4}


def test_status_counts_what_the_agent_did(run: Run, filled: Path) -> None:
    """Forgotten ones too: they are kept."""
    with recollect.open(filled) as memory:
        (session,) = memory.sessions.list()
        made = [
            memory.observations.record(session.id, "Read", input={"file_path": path})
            for path in ("tea.md", "rice.md")
        ]
        memory.observations.forget(made[-1].id)
    shown = dict(
        line.split(maxsplit=1) for line in run("--home", filled, "status").out.splitlines()
    )
    assert shown["records"] == "4 messages in 1 session, 2 observations"
    assert run("--home", filled, "status", "--json").json["observations"] == 2


@pytest.fixture
def status(filled: Path) -> Status:
    """The status of a healthy home."""
    with recollect.open(filled) as memory:
        return memory.status()


def test_vectors_that_are_missing_are_counted(status: Status) -> None:
    """A sync makes them."""
    embedded = replace(status, embedder="local:model", index=replace(status.index, vectors=2))
    assert dict(pairs_of(embedded))["vectors"] == "2 vectors, 4 more with `recollect sync`"
    whole = replace(embedded, index=replace(status.index, vectors=6))
    assert dict(pairs_of(whole))["vectors"] == "6 vectors"


def test_every_part_has_its_line(status: Status) -> None:
    """What answers, what is kept, what was spent, and how the index is kept in step."""
    lines = dict(pairs_of(status))
    assert lines["search"] == "words by postings"
    assert lines["cache"] == "0 of 500,000 vectors"
    assert lines["sync"].startswith("in step")
    assert lines["sync"].endswith("files are looked at before a search")
    assert "tokens today" not in lines
    assert "batches" not in lines
    rich = replace(
        status,
        backend="qmd",
        extra_paths=["/notes/*.md"],
        source_counts=[SourceCount(source="memory", files=2, chunks=9)],
        index=replace(status.index, is_paid=True, dimensions=384, vectors=6),
        embedder="openai:small",
        vector=replace(status.vector, enabled=True, used="chroma"),
        cache=CacheStatus(enabled=True, entries=1_200, max_entries=0),
        budget=BudgetStatus(tokens_today=5_000, limit=20_000),
        dirty=True,
        sync=replace(status.sync, last_sync_at=1_770_724_800_000, last_reason="watch"),
    )
    told = dict(pairs_of(rich))
    assert told["extra paths"] == "/notes/*.md"
    assert told["index"] == "2 memory (9 chunks); 6 chunks"
    assert told["vectors"] == "6 vectors of 384"
    assert told["search"] == "words by postings, vectors by chroma; memory files by qmd"
    assert told["cache"] == "1,200 vectors"
    assert told["tokens today"] == "5,000 of 20,000"
    assert told["sync"].startswith("something is new, last 2026-02-10 12:00 (watch)")
    off = replace(status, cache=CacheStatus(enabled=False, entries=0, max_entries=0))
    assert dict(pairs_of(off))["cache"] == "switched off"


def test_batches_have_a_line_where_they_are_used(filled: Path, status: Status) -> None:
    """And a warning where they failed."""
    settings = Settings().embedding.batch
    with recollect.open(filled) as memory:
        batch = memory._rooms.opened.database.read(  # noqa: SLF001  # the one place that has batches
            lambda tx: batch_status(tx, replace(settings, enabled=True), "print", 0)
        )
    used = replace(status, batch=replace(batch, last_error="timeout", last_provider="openai"))
    assert dict(pairs_of(used))["batches"] == "0 jobs with 0 texts under way"
    assert "batches of openai: 0 of 2 failures (timeout)" in warnings_of(used)


def test_what_answers_for_something_else_is_a_warning(status: Status) -> None:
    """With what it stands in for, and why."""
    healthy = replace(status, embedder_hint="")
    index = status.index
    for changed, told in (
        ({"fallback": Fallback(origin="qmd", reason="it fell")}, "qmd does not answer: it fell"),
        ({"index": replace(index, trouble="no key")}, "the embedder failed: no key"),
        ({"index": replace(index, consent_needed="it costs")}, "it costs"),
        (
            {"index": replace(index, refused=2)},
            "2 chunks refused by the embedder: only their words are found",
        ),
        (
            {"lexical": replace(status.lexical, requested="fts5", error="no FTS5")},
            "fts5 does not answer for words: no FTS5",
        ),
        (
            {"vector": replace(status.vector, requested="chroma", load_error="down")},
            "chroma does not answer for vectors: down",
        ),
        (
            {"sync": replace(status.sync, watch_error="no handles", warnings=("x: gone",))},
            "files are not watched by the system: no handles",
        ),
    ):
        assert told in warnings_of(replace(healthy, **changed))


def test_the_embedder_is_asked_when_somebody_wants_to_know(run: Run, filled: Path) -> None:
    """It costs a request, so a status alone does not."""
    shown = run("--home", filled, "status", "--probe")
    assert "embedder  does not answer" in shown.out
    assert "warning: no embedder is installed: run `recollect models install`" in shown.err
    found = run("--home", filled, "status", "--probe", "--json").json
    assert (found["embedding_probe"]["ok"], found["vector_probe"]) == (False, True)
    assert "embedding_probe" not in run("--home", filled, "status", "--json").json


def test_everything_that_failed_is_a_warning(status: Status) -> None:
    """By place and code; a healthy home has none."""
    healthy = replace(status, embedder_hint="")
    assert warnings_of(healthy) == []
    ill = replace(
        healthy,
        index=replace(status.index, rebuilding=True),
        records_health=replace(status.records_health, last_error="store_full"),
        mirror_error="store_full",
        background_error="embedding",
    )
    assert warnings_of(ill) == [
        "a rebuild of the index is not finished: `recollect reindex` goes on with it",
        "records.db: the last write failed (store_full)",
        "mirrors: the last write failed (store_full)",
        "background: the last write failed (embedding)",
    ]


def test_the_language_model_has_its_lines(status: Status) -> None:
    """Who it is, what it took today, and what it lacks."""
    lines = dict(pairs_of(status))
    assert lines["language model"] == "none is configured: summaries are made by rule"
    assert "answers today" not in lines
    asked = replace(status.language, tokens_today=12_000, limit=2_000_000, usd_today=0.0321)
    assert dict(pairs_of(replace(status, language=asked)))["answers today"] == (
        "12,000 of 2,000,000 tokens, 0.0321 USD"
    )
    unpriced = replace(asked, limit=0, unpriced_today=2, hint="set a key")
    changed = replace(status, language=unpriced)
    assert dict(pairs_of(changed))["answers today"] == (
        "12,000 tokens, 0.0321 USD, 2 answers without a known price"
    )
    assert "no language model: set a key" in warnings_of(changed)
    failed = replace(status, language=replace(asked, trouble="it cannot be reached"))
    assert "the language model failed: it cannot be reached" in warnings_of(failed)


def test_status_tells_of_a_worker_that_hangs(run: Run, home: Path) -> None:
    """As doctor does: hooks report to it in vain."""
    run("--home", home, "init")
    assert "the worker" not in run("--home", home, "status").err
    with ScriptedWorker(home, is_deaf=True):
        done = run("--home", home, "status")
        found = run("--home", home, "status", "--json").json["worker"]
    assert "warning: the worker does not answer, process" in done.err
    assert "`recollect serve stop`" in done.err
    assert (found["running"], found["answers"]) == (True, False)
