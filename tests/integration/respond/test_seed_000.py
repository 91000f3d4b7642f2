"""The six "AutoResponder Integration Tests" of seed 000, by their names.

Where the design differs the test asserts what the seed means: the transcript goes as messages and
not as a text, and a message is searchable at once and not after an interval.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.core.settings import load_settings
from recollect.memory import Memory
from tests.support.chat_model import SETTINGS, ChatModel, install
from tests.unit.sessions.home import MINUTE, HandClock

KEY = "telegram:42"
HOURS = 60 * MINUTE


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ChatModel:
    """What answers in the place of ``claude --print``."""
    chat = ChatModel()
    install(monkeypatch, chat)
    return chat


@pytest.fixture
def clock() -> HandClock:
    """The time."""
    return HandClock()


@pytest.fixture
def memory(tmp_path: Path, model: ChatModel, clock: HandClock) -> Iterator[Memory]:
    """The seed's settings, but for the debounce."""
    with recollect.open(tmp_path, overrides=SETTINGS, live=False, clock=clock) as opened:
        yield opened


def test_context_includes_session_transcript(memory: Memory, model: ChatModel) -> None:
    """1. Context includes session transcript."""
    memory.respond(KEY, "My boat is called Aurora.")
    memory.respond(KEY, "What is it called?")
    assert model.said[1] == [
        "My boat is called Aurora.", "Echo: My boat is called Aurora.", "What is it called?",
    ]  # fmt: skip
    assert [each.role for each in model.prompts[1].messages] == ["user", "assistant", "user"]


def test_context_includes_memory_search_results(memory: Memory, model: ChatModel) -> None:
    """2. Context includes memory search results, with their scores and before the transcript."""
    memory.respond(KEY, "My boat is called Aurora.")
    memory.sessions.reset(KEY)
    memory.respond(KEY, "What is my boat called?")
    system = model.systems[1]
    head = system.index("## Relevant memories from past conversations:")
    assert "[Score: 0." in system[head:]
    assert "My boat is called Aurora." in system[head:]


def test_messages_are_saved_to_transcript_after_response(memory: Memory, model: ChatModel) -> None:
    """3. Messages are saved to transcript after response: the user's even before."""
    reply = memory.respond(KEY, "Hello")
    messages = memory.sessions.messages(reply.session_id)
    assert [(each.role, each.text) for each in messages] == [
        ("user", "Hello"), ("assistant", "Echo: Hello"),
    ]  # fmt: skip
    mirror = memory.home / "transcripts" / f"{reply.session_id}.jsonl"
    memory.heal_mirrors()
    assert "Echo: Hello" in mirror.read_text("utf-8")


@pytest.mark.parametrize("command", ["/new", "/reset"])
def test_session_reset_on_a_command(memory: Memory, model: ChatModel, command: str) -> None:
    """4. Session reset on `/new` command: what was said before is kept, and not shown."""
    first = memory.respond(KEY, "My boat is called Aurora.")
    reply = memory.respond(KEY, command)
    assert (reply.status, bool(reply.text)) == ("command", True)
    later = memory.respond(KEY, "Good morning.")
    assert later.session_id != first.session_id
    assert model.said[-1] == ["Good morning."]
    assert len(model.prompts) == 2
    assert [each.text for each in memory.sessions.messages(first.session_id)] == [
        "My boat is called Aurora.", "Echo: My boat is called Aurora.",
    ]  # fmt: skip


def test_memory_indexing_triggers_after_n_messages(memory: Memory, model: ChatModel) -> None:
    """5. Memory indexing triggers after N messages: here after each one, N or not."""
    assert memory.settings.auto_responder.memory_index_interval_messages == 5
    memory.respond(KEY, "My boat is called Aurora.")
    assert memory.search("Aurora").hits[0].snippet == "My boat is called Aurora."


def test_stale_sessions_auto_reset(memory: Memory, model: ChatModel, clock: HandClock) -> None:
    """6. Stale sessions auto-reset: after four hours, and what was said is a memory then."""
    first = memory.respond(KEY, "My boat is called Aurora.")
    clock.now += 4 * HOURS - 1
    assert memory.respond(KEY, "Still there?").session_id == first.session_id
    clock.now += 4 * HOURS + 1
    later = memory.respond(KEY, "What is my boat called?")
    assert later.session_id != first.session_id
    assert memory.sessions.get(later.session_id).previous_id == first.session_id
    assert model.said[-1] == ["What is my boat called?"]
    assert "Aurora" in model.systems[-1]


def test_the_example_configuration_of_the_seed_is_in_force_by_default(tmp_path: Path) -> None:
    """Each of its eight settings has its value here, under its own name or that of the design.

    But twice as many memories are in a prompt: docs/responder.md says what that is worth.
    """
    settings = load_settings(tmp_path, environ={}).settings
    responder = settings.auto_responder
    assert (responder.enabled, responder.max_concurrent, responder.debounce_ms) == (True, 3, 1_500)
    assert responder.max_history_messages == 20
    assert settings.sessions.fresh.idle_minutes * MINUTE == 14_400_000
    assert responder.memory_index_interval_messages == 5
    assert responder.memory_search_max_results == 2 * 5
    assert responder.memory_fts_enabled
