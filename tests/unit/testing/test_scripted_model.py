"""The scripted model does what real ones do, without waiting for anything but events."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest

from recollect.core.errors import Cancelled, ProviderUnavailable
from recollect.models.language.model import (
    Cancellation,
    LanguageModel,
    Prompt,
    ToolOutcome,
    ToolSpec,
    ask,
)
from recollect.testing.scripted_model import ScriptedCall, ScriptedModel


class Tools:
    """One tool."""

    specs = (ToolSpec(name="search", description="", schema={"type": "object"}),)

    def call(self, name: str, arguments: Mapping[str, object]) -> ToolOutcome:
        """Say what was given."""
        return ToolOutcome(f"{name} {dict(arguments)}")


def test_answers_come_in_order_and_the_last_one_stays() -> None:
    """A text, steps, or a function of the prompt."""
    model: LanguageModel = ScriptedModel(
        "one", ["t", "wo"], lambda prompt: prompt.messages[0].text.upper()
    )
    texts = [model.complete(ask(f"m{number}")).text for number in range(4)]
    assert texts == ["one", "two", "M2", "M3"]
    assert ScriptedModel().complete(ask("?")).text == ""
    model.close()


def test_tools_are_called_between_the_pieces() -> None:
    """One that does not exist is an outcome."""
    calls = [ScriptedCall("search", {"query": "x"}), ScriptedCall("shell")]
    model = ScriptedModel(["Let me look.", *calls, "Here."])
    pieces: list[str] = []
    completion = model.stream(ask("?"), pieces.append, toolbox=Tools())
    assert pieces == ["Let me look.", "\n\nHere."]
    assert completion.text == "".join(pieces)
    assert [(each.text, each.is_error) for each in model.outcomes] == [
        ("search {'query': 'x'}", False),
        ("This tool does not exist. Use search.", True),
    ]
    assert model.offered == [("search",)]
    with pytest.raises(AssertionError, match="no tools"):
        ScriptedModel([ScriptedCall("search")]).complete(ask("?"))


def test_a_failure_after_a_piece_is_partial() -> None:
    """As with real ones."""
    model = ScriptedModel(["He", ProviderUnavailable("away")], [ProviderUnavailable("away")])
    for is_partial in (True, False):
        with pytest.raises(ProviderUnavailable) as caught:
            model.complete(ask("?"))
        assert caught.value.facts["partial"] is is_partial


def test_it_waits_for_an_event_until_it_is_cancelled() -> None:
    """The test says when it goes on."""
    going_on, reached = threading.Event(), threading.Event()
    model = ScriptedModel(["a", reached.set, going_on, "b"])
    cancellation = Cancellation()
    errors: list[Cancelled] = []

    def run() -> None:
        try:
            model.stream(ask("?"), lambda _: None, cancellation=cancellation)
        except Cancelled as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert reached.wait(10)
    cancellation.cancel()
    thread.join(10)
    assert len(errors) == 1
    going_on.set()
    assert model.complete(Prompt(messages=ask("?").messages)).text == "ab"
    assert model.asked.is_set()
