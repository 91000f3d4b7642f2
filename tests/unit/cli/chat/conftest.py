"""A home with a scripted model, and what a chat is given to read."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.support.chat_model import ChatModel, install
from tests.unit.cli.conftest import Done, Run

Chat = Callable[..., Done]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ChatModel:
    """What answers: by default it echoes."""
    made = ChatModel()
    install(monkeypatch, made)
    return made


@pytest.fixture
def home(home: Path, model: ChatModel) -> Path:
    """A home that lets it answer."""
    home.mkdir(mode=0o700)
    write_settings(home, {"provider": "scripted", "uses": ["respond"]})
    return home


def write_settings(home: Path, language: dict[str, object]) -> None:
    """Set the language model of a home."""
    settings = {"embedding": {"provider": "none"}, "language": language}
    (home / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")


@pytest.fixture
def chat(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Chat:
    """Pipe a text into `recollect chat`."""

    def piped(text: str, *options: str) -> Done:
        monkeypatch.setattr(sys, "stdin", io.StringIO(text))
        return run("--home", home, "chat", *options)

    return piped
