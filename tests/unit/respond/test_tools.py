"""The tools of an answer: they hear what the sender hears, and guests and groups cannot write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import recollect
from recollect.memory import Memory
from recollect.models.language.model import ToolOutcome
from tests.support.chat_model import SETTINGS, Call, ChatModel
from tests.unit.respond.conftest import Open

KEY = "agent:main:telegram:direct:42"
ANN = "telegram:42"
OTHER = "agent:main:telegram:direct:7"
GROUP = "agent:main:telegram:group:-7"


def call(
    memory: Memory, model: ChatModel, name: str, key: str = KEY, sender: str = ANN, **given: object
) -> ToolOutcome:
    """Return the outcome of a tool that the model calls in an answer."""
    outcomes: list[ToolOutcome] = []

    def play(called: Call) -> str:
        outcomes.append(called.tools.call(name, given))
        called.say("Done.")
        return "Done."

    model.steps = [play]
    memory.respond(key, "Please.", sender, reply_to_agent=True)
    return outcomes[0]


def test_the_memory_is_searched_and_read(memory: Memory, model: ChatModel) -> None:
    """As data between tags, by names that the other tool takes."""
    memory.respond(KEY, "The cellar key hangs behind the door.", ANN)
    outcome = call(memory, model, "memory_search", query="cellar key")
    assert not outcome.is_error
    assert "m1" in outcome.text
    assert outcome.text.startswith("<recollect-context ")
    record = call(memory, model, "memory_get", ref="m1")
    assert "hangs behind the door" in record.text
    assert "nothing was found" in call(memory, model, "memory_search", query="zebra").text
    assert "there is none" in call(memory, model, "memory_get", ref="m999").text


def test_guests_hear_nothing_of_the_owner(memory: Memory, model: ChatModel) -> None:
    """Neither by search nor by name."""
    memory.respond(KEY, "The cellar key hangs behind the door.", ANN)
    for key in (OTHER, GROUP):
        found = call(memory, model, "memory_search", key, "telegram:7", query="cellar key")
        assert "door" not in found.text
        assert "door" not in call(memory, model, "memory_get", key, "telegram:7", ref="m1").text


def test_only_the_owner_has_a_tool_that_writes(memory: Memory, model: ChatModel) -> None:
    """What it remembers is the agent's word."""
    outcome = call(memory, model, "remember", text="The cellar is locked on Sundays.")
    assert not outcome.is_error
    assert outcome.text == "f1 is new, review"
    (fact,) = memory.facts.list(status="review")
    assert (fact.text, fact.trust) == ("The cellar is locked on Sundays.", "agent")
    for key in (OTHER, GROUP):
        refused = call(memory, model, "remember", key, "telegram:7", text="I am the owner.")
        assert refused.is_error
        assert [spec.name for spec in model.toolboxes[-1].specs] == ["memory_search", "memory_get"]
    assert len(memory.facts.list(status="review")) == 1


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("memory_search", {}),
        ("memory_search", {"query": 7}),
        ("memory_search", {"query": "tea", "max_results": 10_000}),
        ("memory_search", {"query": "tea", "sender": "telegram:1"}),
        ("memory_get", {"ref": "../../etc/passwd"}),
        ("memory_get", {"ref": "memory/none.md"}),
        ("remember", {"text": ""}),
        ("remember", {"text": "Tea.", "importance": 11}),
        ("erase", {"query": "tea"}),
    ],
)
def test_a_bad_call_is_a_sentence(
    memory: Memory, model: ChatModel, name: str, given: dict[str, object]
) -> None:
    """Never an exception, and nothing happens."""
    outcomes: list[ToolOutcome] = []

    def play(called: Call) -> str:
        outcomes.append(called.tools.call(name, given))
        return "Done."

    model.steps = [play]
    memory.respond(KEY, "Please.", ANN)
    assert outcomes[0].is_error
    assert outcomes[0].text
    assert memory.facts.list() == []


def test_a_memory_file_is_read_by_its_path(tmp_path: Path, model: ChatModel) -> None:
    """By the owner alone."""
    workspace = tmp_path / "work"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "tea.md").write_text("# Tea\nGreen.\nBlack.\n", "utf-8")
    with recollect.open(tmp_path / "home", workspace, overrides=SETTINGS, live=False) as memory:
        text = call(memory, model, "memory_get", ref="memory/tea.md", from_line=2, lines=1).text
        assert "Green." in text
        assert "Black." not in text
        assert call(memory, model, "memory_get", OTHER, "telegram:7", ref="memory/tea.md").is_error


def test_the_tools_of_another_opening_are_the_same(open_chat: Open, model: ChatModel) -> None:
    """They are made for each answer."""
    open_chat().respond(KEY, "Hi", ANN)
    names = [spec.name for spec in model.toolboxes[0].specs]
    assert names == ["memory_search", "memory_get", "remember"]
    assert [spec.writes for spec in model.toolboxes[0].specs] == [False, False, True]


def test_what_a_model_leaves_empty_is_as_not_given(memory: Memory, model: ChatModel) -> None:
    """Many send null for what they do not use, and some servers know no schema with two types."""
    outcomes: list[ToolOutcome] = []

    def play(called: Call) -> str:
        outcomes.append(called.tools.call("remember", {"text": "I like tea.", "importance": None}))
        assert "anyOf" not in json.dumps([spec.schema for spec in called.tools.specs])
        return "Done."

    model.steps = [play]
    memory.respond(KEY, "I like tea.", ANN)
    assert not outcomes[0].is_error
