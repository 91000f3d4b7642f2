"""recollect in the real gateway of OpenClaw 2026.9.6, put there by its own command.

People write over a stand-in for Telegram; a stand-in for the chat model calls the tools of its
script. What the gateway sends to the model is what the agent would have read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.memory import Memory
from recollect.observations.observation import Observation
from tests.agents.openclaw.gateway import Gateway
from tests.support.served import serving

OWNER, GUEST, CREW = 501, 502, -100
OWNERS, GUESTS = f"agent:main:telegram:direct:{OWNER}", f"agent:main:telegram:direct:{GUEST}"
GROUPS = f"agent:main:telegram:group:{CREW}"
SEEN_S = 30.0
SETTINGS: dict[str, object] = {
    "embedding.provider": "none",
    "sessions.owner": [f"telegram:{OWNER}"],
    "context.prompt_floor": 0.1,  # among a few lines no word is rare enough for the default
    "sync.transcripts.debounce_ms": 100,
}
SEARCH = ("tool_call", {"id": "memory_search", "args": {"query": "boat called", "minScore": 0}})


def recollect_command(gateway: Gateway, *given: str) -> str:
    """Run the command line as the user of the gateway."""
    command = [sys.executable, "-m", "recollect", "--home", str(home_of(gateway)), *given]
    environment = {"HOME": str(gateway.user), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def home_of(gateway: Gateway) -> Path:
    """Return where the memory of the user lies."""
    return gateway.user / "memory"


def overrides(gateway: Gateway) -> dict[str, object]:
    """Return the settings of the worker: the store is not where this process looks for it."""
    return SETTINGS | {"workspace.transcripts": [str(gateway.state / "agents")]}


@pytest.fixture
def gateway(openclaw: list[str], tmp_path: Path) -> Iterator[Gateway]:
    """A gateway into which `recollect init openclaw` put the plugin; it does not run yet."""
    made = Gateway(openclaw, tmp_path / "user")
    recollect_command(made, "init", "openclaw")
    yield made
    made.close()


@pytest.fixture
def memory(gateway: Gateway) -> Iterator[Memory]:
    """The memory of the user, beside the worker that serves it."""
    with recollect.open(home_of(gateway), overrides=overrides(gateway), live=False) as opened:
        yield opened


def eventually(found: Callable[[], Any]) -> Any:
    """Return what is found, as soon as there is something."""
    end = time.monotonic() + SEEN_S
    while not (value := found()):
        assert time.monotonic() < end, "it was not captured"
        threading.Event().wait(0.1)
    return value


def said(memory: Memory, key: str) -> list[str]:
    """Return what is stored of a conversation."""
    session = memory.sessions.known(key)
    return [] if session is None else [each.text for each in memory.sessions.messages(session.id)]


def captured(memory: Memory, key: str, text: str) -> None:
    """Wait until something that was said is stored."""
    eventually(lambda: any(text in each for each in said(memory, key)))


def observed(memory: Memory, key: str) -> list[Observation]:
    """Return what tools did for a conversation."""
    session = memory.sessions.known(key)
    found = [] if session is None else memory.observations.list(session_id=session.id)
    return [each for each in found if each.event.startswith("tool")]


def test_each_conversation_is_captured_and_recalls_its_own(
    gateway: Gateway, memory: Memory
) -> None:
    """Owner, guest and group: after /new the agent is told what was said there, and no more."""
    words = {OWNERS: "Heron", GUESTS: "Egret", GROUPS: "Pelican"}
    places = {OWNERS: (OWNER, None), GUESTS: (GUEST, None), GROUPS: (503, CREW)}
    with serving(home_of(gateway), overrides(gateway)), gateway:
        for key, (sender, chat) in places.items():
            gateway.ask(f"The boat is called {words[key]}.", sender, chat)
        for key in places:
            captured(memory, key, words[key])
            assert sum(words[key] in text for text in said(memory, key)) == 1
        for key, (sender, chat) in places.items():
            gateway.ask("/new", sender, chat)
            gateway.ask("How is the boat called?", sender, chat)
            prompt = gateway.model.prompts()[-1]
            assert "<recollect-context " in prompt
            for other, word in words.items():
                assert (word in prompt) == (other == key)
        gateway.model.script["look it up"] = [SEARCH]
        for key, (sender, chat) in places.items():
            gateway.ask("Please look it up.", sender, chat)
            found = gateway.model.results()[-1]
            for other, word in words.items():
                assert (word in found) == (other == key)
        for key in places:
            captured(memory, key, "look it up")
            assert not any("<recollect-context" in text for text in said(memory, key))
            assert observed(memory, key) == [], "what asks the memory is no observation"


def test_what_the_agent_and_its_sub_agent_do_is_observed_once(
    gateway: Gateway, memory: Memory
) -> None:
    """The sub-agent's tools belong to the conversation that started it, and it recalls for it."""
    note = gateway.user / "workspace" / "harbour.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("Three boats.\n", encoding="utf-8")
    read = ("tool_call", {"id": "read", "args": {"path": str(note)}})
    task = "Read the harbour note and search the memory."
    spawn = ("tool_call", {"id": "sessions_spawn", "args": {"task": task}})
    with serving(home_of(gateway), overrides(gateway)), gateway:
        gateway.ask("The boat is called Heron.", OWNER)
        gateway.ask("The boat is called Egret.", GUEST)
        captured(memory, OWNERS, "Heron")
        captured(memory, GUESTS, "Egret")
        gateway.model.script = {"Read the harbour note": [read, SEARCH], "Look at it": [read]}
        gateway.ask("Look at it.", OWNER)
        (made,) = eventually(lambda: observed(memory, OWNERS))
        assert (made.tool_name, made.agent_id) == ("read", None)
        assert "Three boats." in made.output
        gateway.model.script["Let somebody"] = [spawn]
        gateway.ask("Let somebody do it.", OWNER)
        by_agent = eventually(lambda: [e for e in observed(memory, OWNERS) if e.agent_id])
        assert [each.tool_name for each in by_agent] == ["read"]
        found = eventually(lambda: [r for r in gateway.model.results() if "boat is called" in r])
        assert any("Heron" in each for each in found)
        assert not any("Egret" in each for each in found)
        assert not any("subagent" in (s.key or "") for s in memory.sessions.list(automatic=True))


def test_with_the_worker_stopped_openclaw_goes_on(gateway: Gateway, memory: Memory) -> None:
    """And what was said meanwhile is there when it runs again."""
    recollect_command(gateway, "config", "set", "worker.autostart", "false")
    with gateway:
        gateway.model.script["look it up"] = [SEARCH]
        assert gateway.ask("The boat is called Heron.", OWNER).startswith("Answer")
        assert gateway.ask("Please look it up.", OWNER).startswith("Answer")
        assert "does not answer" in gateway.model.results()[-1]
        assert all("<recollect-context" not in prompt for prompt in gateway.model.prompts())
        with serving(home_of(gateway), overrides(gateway)):
            captured(memory, OWNERS, "Heron")
            gateway.ask("/new", OWNER)
            gateway.ask("How is the boat called?", OWNER)
            assert "Heron" in gateway.model.prompts()[-1]
        assert gateway.ask("And the harbour?", OWNER).startswith("Answer")


def test_taken_out_again_openclaw_is_as_it_was(gateway: Gateway) -> None:
    """The settings byte for byte, none of our files; its own memory has the slot again."""
    recollect_command(gateway, "init", "openclaw", "--remove")
    assert json.loads(gateway.config.read_text(encoding="utf-8")) == gateway.settings()
    assert not (home_of(gateway) / "integrations").exists()
    assert not (home_of(gateway) / "hooks" / "openclaw.token").exists()
    asked = ["plugins", "inspect", "memory-core", "--runtime", "--json"]
    done = subprocess.run(
        [*gateway.program, *asked],
        env=gateway.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert os.path.exists(gateway.config)
    assert "recollect" not in done.stdout.replace(str(gateway.user), "")
