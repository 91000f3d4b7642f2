"""What it costs is shown first, and a paid provider begins only after a yes."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.cli.index.sync import show_preview
from recollect.home import Home
from recollect.home_index import OpenOptions
from recollect.index.indexing.preview import Preview
from tests.unit.cli.conftest import Run
from tests.unit.index.scripted import PaidEmbedder

NOTHING = Preview(
    rebuild=None,
    consent_needed=None,
    documents=0,
    chunks=0,
    texts=0,
    tokens=0,
    model=None,
    is_paid=False,
    usd=0.0,
)


@pytest.fixture
def paid(monkeypatch: pytest.MonkeyPatch) -> PaidEmbedder:
    """Every memory of the test uses a paid provider."""
    embedder = PaidEmbedder("paid:words")

    def with_paid(options: OpenOptions) -> Home:
        return Home(msgspec.structs.replace(options, embedder=embedder))

    monkeypatch.setattr("recollect.memory.Home", with_paid)
    return embedder


class Terminal(io.StringIO):
    """Somebody who types an answer."""

    def isatty(self) -> bool:
        """Return that somebody is there."""
        return True


def test_a_dry_run_changes_nothing(run: Run, filled: Path, workspace: Path) -> None:
    """It tells what would be read."""
    (workspace / "memory" / "new.md").write_text("a new note")
    shown = run("--home", filled, "sync", "--dry-run")
    assert shown.code == 0
    assert "nothing was changed" in shown.out
    assert "1 document, 1 chunk" in shown.out
    document = run("--home", filled, "sync", "--dry-run", "--json").json
    assert (document["documents"], document["texts"], document["usd"]) == (1, 0, 0.0)
    anew = run("--home", filled, "reindex", "--dry-run", "--json").json
    assert (anew["documents"], anew["rebuild"]) == (7, "it is asked for")
    assert run("--home", filled, "sync").out.endswith(": 1 document, 1 chunk\n")


def test_without_a_terminal_a_paid_provider_needs_yes(
    run: Run, filled: Path, paid: PaidEmbedder
) -> None:
    """The error says how much it is and how to agree; nothing is sent."""
    for command in ("sync", "reindex"):
        refused = run("--home", filled, command)
        assert refused.code == 1
        assert re.search(r"paid:words would embed 5 texts, about \d+ tokens", refused.err)
        assert "--yes" in refused.err
        document = run("--home", filled, command, "--json")
        assert (document.code, document.error["code"]) == (1, "invalid_input")
    assert paid.texts == []
    dry = run("--home", filled, "sync", "--dry-run")
    assert "5 texts" in dry.out
    assert "is paid" in dry.err
    assert run("--home", filled, "sync", "--yes").out.startswith("rebuilt in ")
    assert len(paid.texts) == 5
    assert run("--home", filled, "sync").out.endswith(": nothing new\n")
    assert run("--home", filled, "reindex").out.startswith("rebuilt in "), "the cache has them"
    assert len(paid.texts) == 5


def test_on_a_terminal_somebody_is_asked(
    run: Run, filled: Path, paid: PaidEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No is what silence means."""
    for answer, sent in (("n\n", 0), ("\n", 0), ("y\n", 5)):
        monkeypatch.setattr(sys, "stdin", Terminal(answer))
        done = run("--home", filled, "sync")
        assert "Go on?" in done.err
        assert len(paid.texts) == sent
        assert done.code == (0 if sent else 1)


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({}, "nothing: words only"),
        ({"model": "p:m"}, "nothing: every vector is in the cache"),
        ({"model": "p:m", "texts": 1, "tokens": 1_500}, "1 text, about 1,500 tokens, p:m"),
        ({"is_paid": True, "usd": None}, "unknown price"),
        ({"is_paid": True, "usd": 0.001}, "less than 0.01 USD"),
        ({"is_paid": True, "usd": 1_234.5}, "about 1,234.50 USD"),
        ({"is_paid": True, "usd": 0.0, "tokens": 9, "tokens_left_today": 9}, "about 0.00 USD"),
        (
            {"is_paid": True, "usd": 2.0, "tokens": 9_000, "tokens_left_today": 8_000},
            "about 2.00 USD; today's limit allows 8,000 tokens more",
        ),
    ],
)
def test_figures_are_for_people(
    capsys: pytest.CaptureFixture[str], changed: dict[str, Any], shown: str
) -> None:
    """Singular, thousands, cents."""
    show_preview(msgspec.structs.replace(NOTHING, **changed))
    assert shown in capsys.readouterr().out
