"""`recollect chat` in a real terminal, two processes on two days, with a model over its real wire.

The model knows nothing: it repeats what it finds in the prompt, so what it says was there.
"""

from __future__ import annotations

import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.chat_formats import OpenAIChatFormat
from tests.support.provider_server import ProviderServer, Turn
from tests.support.tmux import PATIENCE_S, Terminal, needs_tmux

ROOT = Path(__file__).parents[3]
DAY_MS = 86_400_000
DAY_ONE = 1_777_885_200_000
"""2026-05-04, 09:00 UTC."""

pytestmark = needs_tmux


def answer(messages: Sequence[Mapping[str, Any]]) -> str:
    """Answer from the recalled memory alone, with what is still true in it."""
    recalled = "\n".join(str(each["content"]) for each in messages if each["role"] == "system")
    true = [line for line in recalled.splitlines() if " until " not in line]
    asked = str(messages[-1]["content"])
    if not asked.endswith("?"):
        return "**Noted.**"
    pattern = r"My dentist is (Doctor \w+)" if "dentist" in asked else r"I live in (\w+)"
    known = [match[1] for line in true for match in re.finditer(pattern, line)]
    return f"It is {' and '.join(sorted(set(known)))}." if known else "I do not know."


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A server that speaks like OpenAI's."""
    with ProviderServer(services=[OpenAIChatFormat(answer)]) as running:
        yield running


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, as sockets need."""
    with tempfile.TemporaryDirectory(prefix="rc-") as name:
        yield Path(name)


@pytest.fixture
def home(folder: Path, server: ProviderServer) -> Path:
    """A home whose model is that server."""
    made = folder / "home"
    made.mkdir(mode=0o700)
    language = {
        "provider": "openai:gpt-5-mini",
        "base_url": server.origin + OpenAIChatFormat.prefix,
        "uses": ["respond"],
    }
    settings = {"embedding": {"provider": "none"}, "language": language}
    (made / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return made


def chat(folder: Path, home: Path, now_ms: int, *options: str) -> Terminal:
    """Return the terminal of a chat that begins at a time."""
    script = ["-m", "tests.support.chat_process", str(now_ms), "--home", str(home), "chat"]
    environ = {
        "HOME": str(folder),
        "PATH": "/usr/bin:/bin",
        "TERM": "screen-256color",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(ROOT),
    }
    return Terminal(folder, [sys.executable, *script, *options], environ, ROOT)


def test_what_was_said_on_one_day_is_used_on_the_next(
    folder: Path, home: Path, server: ProviderServer
) -> None:
    """Another process, a new session: it is in the prompt, the current value only as current."""
    with chat(folder, home, DAY_ONE) as terminal:
        terminal.await_text("\n>")
        for number, text in enumerate(
            ("I live in Rome.", "My dentist is Doctor Alvarez.", "I moved, I live in Oslo now."), 1
        ):
            terminal.say(text)
            terminal.await_text("Noted.", number)
        assert "**" not in terminal.screen, "Markdown is rendered"
        terminal.type("C-d")
        terminal.await_end()
    before = len(server.received)
    with chat(folder, home, DAY_ONE + DAY_MS) as terminal:
        terminal.await_text("\n>")
        terminal.say("Who is my dentist?")
        terminal.await_text("It is Doctor Alvarez.")
        terminal.say("In which city do I live?")
        screen = terminal.await_text("It is Oslo.")
        assert "Rome" not in screen
        terminal.say("/context")
        terminal.await_text("The prompt of the last answer held")
        shown = terminal.await_text("My dentist is Doctor Alvarez")
        assert re.search(r"f\d+ “My dentist is Doctor Alvarez”, score 0\.\d+, \d+ tokens", shown)
        terminal.type("C-d")
        terminal.await_end()
    assert len(server.received) == before + 2
    first = server.received[before].json["messages"]
    assert [each["role"] for each in first] == ["system", "user"], "a session of its own"


def test_control_c_stops_an_answer_and_not_the_program(
    folder: Path, home: Path, server: ProviderServer
) -> None:
    """The next message is answered; on an empty line nothing happens."""
    is_asked = threading.Event()

    def hang(turn: Turn) -> None:
        is_asked.set()
        turn.closing.wait(PATIENCE_S)

    server.script(hang)
    with chat(folder, home, DAY_ONE) as terminal:
        terminal.await_text("\n>")
        terminal.type("C-c")
        terminal.await_text("\n>", 2)
        terminal.say("I live in Rome.")
        assert is_asked.wait(PATIENCE_S)
        terminal.type("C-c")
        terminal.await_text("stopped")
        terminal.say("Never mind.")
        terminal.await_text("Noted.")
        terminal.say("/nwe")
        terminal.await_text("Did you mean /new?")
        terminal.type("C-d")
        terminal.await_end()
