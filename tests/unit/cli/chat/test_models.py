"""Which model answers: what is installed is offered, asked for once, and never shown as a key."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.cli.chat import models
from recollect.cli.chat.models import offers
from recollect.core.settings import LanguageSettings, load_settings
from tests.support.provider_formats import Received, Response, json_response
from tests.support.provider_server import ProviderServer
from tests.unit.cli.chat.conftest import write_settings
from tests.unit.cli.conftest import Run

SECRET = "sk-not-to-be-seen-0001"


class Listed:
    """A local server of models."""

    def __init__(self) -> None:
        self.body: object = {"data": [{"id": "qwen3:8b"}, {"id": ""}]}

    def answer(self, received: Received) -> Response | None:
        """List them."""
        return json_response(self.body) if received.path == "/v1/models" else None


@pytest.fixture
def listed() -> Listed:
    """What the local server says."""
    return Listed()


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No program, no key, no server: a test adds what it needs."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(models, "LOCAL", {})


@pytest.fixture
def server(listed: Listed, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    """A server on this machine."""
    with ProviderServer(services=[listed]) as running:
        monkeypatch.setattr(models, "LOCAL", {"Ollama": f"{running.origin}/v1"})
        yield running


class Typist(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_what_is_installed_is_offered(
    server: ProviderServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The command of Claude Code, models of this machine, and keys by their name."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "claude"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)
    found = offers(LanguageSettings())
    assert [each.settings.get("language.provider") for each in found] == [
        "claude-cli",
        "openai:qwen3:8b",
        "anthropic",
    ]
    assert found[1].settings["language.base_url"] == f"{server.origin}/v1"
    assert "ANTHROPIC_API_KEY" in found[2].label
    assert SECRET not in repr(found)
    assert SECRET not in json.dumps([list(each.headers.items()) for each in server.received])


@pytest.mark.parametrize("body", [{"data": "none"}, ["x"], {"error": 1}])
def test_what_is_no_list_of_models_is_not_offered(
    server: ProviderServer, listed: Listed, body: object
) -> None:
    """Nor a port on which nothing listens."""
    listed.body = body
    assert offers(LanguageSettings()) == []


def test_nothing_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address is tried, and left."""
    monkeypatch.setattr(models, "LOCAL", {"Ollama": "http://127.0.0.1:9/v1"})
    assert offers(LanguageSettings()) == []


@pytest.mark.parametrize(
    ("typed", "is_set"), [("1\n", True), ("yes\n", True), ("\n", False), ("9\n", False)]
)
def test_a_model_is_set_where_somebody_agrees(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch, typed: str, is_set: bool
) -> None:
    """One question; a no changes nothing, and nothing is asked of a model."""
    write_settings(home, {"provider": "none"})
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setattr(sys, "stdin", Typist(typed))
    monkeypatch.setattr("recollect.cli.chat.chat._talk", lambda *_: None)
    done = run("--home", home, "chat")
    assert done.code == 0
    assert "1  openai, with the key in OPENAI_API_KEY" in done.err
    assert SECRET not in done.err + done.out
    language = load_settings(home).settings.language
    assert (language.provider == "openai", "respond" in language.uses) == (is_set, is_set)
    assert SECRET not in (home / "config.yaml").read_text(encoding="utf-8")


def test_the_model_of_the_settings_is_asked_whether_it_may_answer(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has other uses already; the answer adds one."""
    write_settings(home, {"provider": "scripted", "uses": ["compaction"]})
    monkeypatch.setattr(sys, "stdin", Typist("1\n"))
    monkeypatch.setattr("recollect.cli.chat.chat._talk", lambda *_: None)
    assert "1  scripted, as in config.yaml" in run("--home", home, "chat").err
    language = load_settings(home).settings.language
    assert (language.provider, language.uses) == ("scripted", ("compaction", "respond"))


def test_nothing_to_offer_says_how_to_get_one(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a question."""
    write_settings(home, {"provider": "none"})
    monkeypatch.setattr(sys, "stdin", Typist(""))
    done = run("--home", home, "chat")
    assert (done.code, "no model is set that may answer" in done.err) == (1, True)
    assert "set ANTHROPIC_API_KEY or OPENAI_API_KEY" in done.err
