"""A memory whose language model answers by a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from tests.support.chat_model import SETTINGS, ChatModel, install

Open = Callable[..., Memory]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ChatModel:
    """The model; a test adds to its steps."""
    chat = ChatModel()
    install(monkeypatch, chat)
    return chat


@pytest.fixture
def open_chat(tmp_path: Path, model: ChatModel) -> Iterator[Open]:
    """Open the home again and again, with further settings."""
    with ExitStack() as stack:

        def opened(**settings: object) -> Memory:
            overrides = {**SETTINGS, **{k.replace("__", "."): v for k, v in settings.items()}}
            clock = overrides.pop("clock", None)
            return stack.enter_context(
                recollect.open(tmp_path / "home", overrides=overrides, live=False, clock=clock)  # type: ignore[arg-type]
            )

        yield opened


@pytest.fixture
def memory(open_chat: Open) -> Memory:
    """A memory that answers at once."""
    return open_chat()
