"""`recollect models`: which embedder is used, and how it comes here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import recollect
from recollect.core.bill import Bill, TokenUse
from recollect.core.clock import SystemClock, to_datetime
from recollect.models.local.folder import MODEL, ORIGINALS
from recollect.store.usage_ledger import LANGUAGE, UsageLedger
from tests.unit.cli.conftest import Run


def test_without_a_model_it_is_told_how_to_get_one(run: Run, home: Path) -> None:
    """A home is not needed for it."""
    done = run("--home", home, "models")
    shown = dict(line.split("  ", 1) for line in done.out.splitlines())
    assert shown["in use"].strip() == "none: words only"
    assert shown["installed"].strip() == "no"
    assert "recollect models install" in done.err
    assert not home.exists()


def test_the_choice_is_told_as_json(run: Run, home: Path, tmp_path: Path) -> None:
    """With folder and reason."""
    found = run("--home", home, "models", "--json").json
    assert found["in use"] is None
    assert found["folder"].startswith(str(tmp_path / "models"))


def test_a_model_that_is_switched_off_is_no_reason_to_install(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody decided that."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    done = run("--home", home, "models")
    assert "embeddings are switched off" in done.out
    assert done.err == ""


def test_a_missing_key_is_told_with_what_to_do(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installing the local model would not help whoever asked for another."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "voyage")
    done = run("--home", home, "models")
    assert "the embedding provider voyage needs a key" in done.out
    assert "VOYAGE_API_KEY" in done.err
    assert "models install" not in done.err


def test_a_fallback_is_told_with_its_reason(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose place it takes."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "voyage")
    monkeypatch.setenv("RECOLLECT_EMBEDDING__FALLBACK", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    found = run("--home", home, "models", "--json").json
    assert found["in use"] == "openai:text-embedding-3-small"
    assert found["instead of"] == "voyage"
    assert "needs a key" in found["because"]


def test_a_source_without_the_files_is_refused(run: Run, home: Path, tmp_path: Path) -> None:
    """What was given is named in the hint."""
    (tmp_path / "empty").mkdir()
    for source in (tmp_path / "empty", tmp_path / "none"):
        done = run("--home", home, "models", "install", "--source", source, "--json")
        assert (done.code, done.out, done.error["code"]) == (1, "", "invalid_input")
        assert "model.safetensors" in done.error["hint"]


def test_a_source_with_other_files_is_refused(run: Run, home: Path, tmp_path: Path) -> None:
    """By their digests; each step is told on stderr."""
    folder = tmp_path / "other"
    folder.mkdir()
    for name in ORIGINALS:
        (folder / name).write_bytes(b"other")
    done = run("--home", home, "models", "install", "--from", folder)
    assert done.code == 1
    assert "Reading the model from a folder …" in done.err
    assert "its digest differs" in done.err


@pytest.mark.model
def test_an_installed_model_is_found_installed(
    run: Run, home: Path, models_folder: Path, tmp_path: Path
) -> None:
    """The second installation only checks; on a copy, because checkouts share the real one."""
    shutil.copytree(models_folder / MODEL, tmp_path / "models" / MODEL)
    done = run("--home", home, "models", "install")
    assert done.out.startswith("all-MiniLM-L6-v2 is installed already: ")
    assert run("--home", home, "models", "install", "--json").json["was_installed"] is True
    found = run("--home", home, "models", "--json").json
    assert found["in use"] == "local:all-MiniLM-L6-v2"


def test_who_writes_summaries_is_told_too(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason, and what is missing; nobody is asked."""
    done = run("--home", home, "models")
    assert "none is configured: summaries are made by rule" in done.out
    monkeypatch.setenv("RECOLLECT_LANGUAGE__PROVIDER", "anthropic")
    done = run("--home", home, "models")
    assert "the language model anthropic needs a key" in done.out
    assert "ANTHROPIC_API_KEY" in done.err
    monkeypatch.setenv("ANTHROPIC_API_KEY", "made-up")
    found = run("--home", home, "models", "--json").json
    assert found["language model"] == "anthropic:claude-haiku-4-5"
    assert found["language model why"] == "anthropic:claude-haiku-4-5 is configured"


def test_what_each_use_would_take_is_shown_before_it_is_switched_on(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the rows of the last days; nothing is asked, and the price is that of the model."""
    monkeypatch.setenv("RECOLLECT_LANGUAGE__PROVIDER", "openai:gpt-5-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    run("--home", home, "init")
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create().id
        memory.sessions.append(session, "user", "Remember the copper kettle. " * 700)
        for _ in range(70):
            memory.observations.record(session, "Edit", input={"file_path": "a.py"})
        bill = Bill(use=TokenUse(input=700, output=70), usd=0.1, purpose="respond")
        records = memory._rooms.opened.home.records  # noqa: SLF001  # no public call answers yet
        today = to_datetime(SystemClock().now_ms()).date().isoformat()
        UsageLedger(records, LANGUAGE).add(today, bill)
    uses = {use["use"]: use for use in run("--home", home, "models", "uses", "--json").json["uses"]}
    assert [name for name, use in uses.items() if use["is_named"]] == ["compaction", "flush"]
    assert 10 * 160 < uses["observations"]["tokens"] < 10 * 200
    assert uses["observations"]["usd"] > 0
    assert uses["episodes"]["tokens"] > 500
    assert uses["compaction"]["tokens"] == 0
    assert (uses["respond"]["tokens"], uses["respond"]["calls"]) == (110, 0.1)
    done = run("--home", home, "config", "set", "language.uses", "compaction,flush,observations")
    assert "observations on" in " ".join(done.out.split())
    refused = run("--home", home, "config", "set", "language.uses", "titles")
    assert refused.code != 0
    assert "compaction, flush, observations, episodes, facts, respond" in refused.err


def test_a_session_is_ended_by_hand(run: Run, home: Path) -> None:
    """Its summary is read by its number."""
    run("--home", home, "init")
    with recollect.open(home, live=False) as memory:
        session = memory.sessions.create(title="tea").id
        memory.sessions.append(session, "user", "Remember the copper kettle.")
    done = run("--home", home, "sessions", "end", "tea")
    assert (done.out.strip(), done.err) == (session, "ended with 1 message\n")
    assert "copper kettle" in run("--home", home, "get", "e1").out
