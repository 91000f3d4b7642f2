"""The model behind ``claude --print``, against a stand-in: the real command never runs."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.core.bill import TokenUse
from recollect.core.errors import (
    BudgetSpent,
    InvalidInput,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.core.settings import LanguageSettings
from recollect.models import subprocess
from recollect.models.budget import MemorySpending
from recollect.models.dependencies import Dependencies
from recollect.models.language.claude_cli import MAX_SYSTEM_BYTES, ClaudeCli
from recollect.models.language.model import Prompt, PromptMessage, ask
from recollect.models.language.structured_output import complete_as
from recollect.models.registry import choose_language
from tests.support.scripted_time import ScriptedTime

RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "the answer is tea",
    "session_id": "s",
    "num_turns": 1,
    "duration_ms": 5,
    "total_cost_usd": 0.25,
    "stop_reason": "end_turn",
    "usage": {
        "input_tokens": 10,
        "output_tokens": 4,
        "cache_creation_input_tokens": 3,
        "cache_read_input_tokens": 2,
        "service_tier": "standard",
    },
    "modelUsage": {"claude-haiku-4-5": {"costUSD": 0.25}},
}
"""What the command prints, as documented; unknown keys do no harm."""

STAND_IN = """\
#!{python}
import json, os, sys, time
told = sys.stdin.read() if {reads} else ""
with open({notes!r}, "a") as notes:
    seen = [sys.argv[1:], told, dict(os.environ), os.getcwd(), os.listdir(".")]
    notes.write(json.dumps(seen) + "\\n")
result = json.loads({result!r})
{does}
"""
PRINTS = "print(json.dumps(result))"


class Command:
    """A stand-in for the command, and models that ask it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "claude-stand-in"
        self.spending = MemorySpending()
        self.time = ScriptedTime()
        self._notes = folder / "notes.jsonl"
        self.does(PRINTS)

    def does(self, code: str, *, reads: bool = True, **changes: Any) -> None:
        """Let the command do this; ``result`` is what it prints, with these changes."""
        result = msgspec.json.encode(RESULT | changes).decode()
        notes = str(self._notes)
        text = STAND_IN.format(
            python=sys.executable, notes=notes, result=result, does=code, reads=reads
        )
        self.path.write_text(text, encoding="utf-8")
        self.path.chmod(0o700)

    def seen(self) -> list[Any]:
        """Return arguments, input, variables, folder and its files, of each start."""
        lines = self._notes.read_text(encoding="utf-8").splitlines()
        return [msgspec.json.decode(line) for line in lines]

    def model(self, model: str = "", **changes: object) -> ClaudeCli:
        """Return a model that asks it."""
        spec = f"claude-cli:{model}" if model else "claude-cli"
        values: dict[str, object] = {"provider": spec, "claude_command": str(self.path)}
        environ = {"HOME": "/home/me", "OPENAI_API_KEY": "no", "ANTHROPIC_API_KEY": "yes"}
        dependencies = Dependencies(
            models=Path(),
            spending=self.spending,
            retry_clock=self.time.retry_clock(),
            environ=environ,
        )
        settings = msgspec.convert(values | changes, LanguageSettings)
        language_model = choose_language(settings, dependencies).model
        assert language_model is not None
        assert isinstance(language_model.inner, ClaudeCli)
        return language_model.inner


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """A stand-in that answers."""
    return Command(tmp_path)


def test_an_answer_comes_with_its_tokens_and_its_cost(command: Command) -> None:
    """As the command tells them; they count for the day."""
    completion = command.model("haiku").complete(ask("what?"))
    assert (completion.text, completion.finish, completion.usd) == (
        "the answer is tea",
        "stop",
        0.25,
    )
    assert completion.use == TokenUse(input=10, output=4, cache_read=2, cache_write=3)
    assert completion.model == "claude-cli:claude-haiku-4-5"
    (bill,) = command.spending.bills
    assert (bill.model, bill.usd) == ("claude-cli:haiku", 0.25)


def test_it_starts_without_anything_of_an_agent(command: Command) -> None:
    """No tools, settings, sessions, servers; an empty folder; a guard against a circle of hooks."""
    model = command.model("haiku", claude_max_usd=1.5)
    model.complete(ask("the user's words", system="Sum up."))
    ((arguments, stdin, variables, folder, files),) = command.seen()
    assert arguments == [
        "--print",
        "--output-format",
        "json",
        "--no-session-persistence",
        "--tools",
        "",
        "--setting-sources",
        "",
        "--settings",
        '{"permissions":{"deny":["Read(//**)"]}}',
        "--strict-mcp-config",
        "--max-budget-usd",
        "1.5",
        "--model",
        "haiku",
        "--system-prompt",
        "Sum up.",
    ]
    assert stdin == "the user's words"
    assert variables["RECOLLECT_INSIDE"] == "1"
    assert variables["ANTHROPIC_API_KEY"] == "yes"
    assert "OPENAI_API_KEY" not in variables
    assert files == []
    assert not Path(folder).exists()


def test_the_model_of_the_account_needs_no_name(command: Command) -> None:
    """And several models at work are told by the name that was asked for."""
    command.does(PRINTS, modelUsage={"a": {}, "b": {}})
    completion = command.model().complete(ask("what?"))
    assert completion.model == command.model().name == "claude-cli"
    assert "--model" not in command.seen()[0][0]


def test_a_conversation_becomes_one_text(command: Command) -> None:
    """Its parts keep their roles."""
    messages = (
        PromptMessage(text="one"),
        PromptMessage(role="assistant", text="two"),
        PromptMessage(text="three"),
    )
    command.model().complete(Prompt(messages=messages))
    assert command.seen()[0][1] == "[user]\none\n\n[assistant]\ntwo\n\n[user]\nthree"


class Fact(msgspec.Struct, frozen=True):
    """What is asked for as JSON."""

    text: str
    importance: int


@pytest.mark.parametrize(
    "changes",
    [
        {"structured_output": {"text": "tea", "importance": 3}, "result": "done"},
        {"result": '```json\n{"text": "tea", "importance": 3}\n```'},
    ],
    ids=["structured", "in words"],
)
def test_json_is_a_checked_value(command: Command, changes: dict[str, Any]) -> None:
    """Older commands know no ``--json-schema``'s output and answer in words."""
    command.does(PRINTS, **changes)
    assert complete_as(command.model(), ask("which?"), Fact).value == Fact("tea", 3)
    arguments = command.seen()[0][0]
    schema = msgspec.json.decode(arguments[arguments.index("--json-schema") + 1])
    assert schema["required"] == ["text", "importance"]


@pytest.mark.parametrize(
    "code",
    [
        "print('a hook says hello'); print(json.dumps(result)); print('bye {')",
        "print('warning: ' + json.dumps(result))",
        "print(json.dumps([dict(type='system'), dict(type='x', result=3), result]))",
        "print('[broken'); print(json.dumps(dict(type='other'))); print(json.dumps(result))",
        "print(json.dumps(result, indent=2))",
        "sys.stderr.write('noise' * 1000); print(json.dumps(result))",
    ],
)
def test_noise_around_the_answer_does_no_harm(command: Command, code: str) -> None:
    """Wrappers and hooks print what they like."""
    command.does(code)
    assert command.model().complete(ask("what?")).text == "the answer is tea"


def test_without_usage_the_tokens_are_estimated(command: Command) -> None:
    """They count for the day all the same."""
    command.does(PRINTS, usage=None, stop_reason="max_tokens")
    completion = command.model().complete(ask("what?"))
    assert (completion.use.output, completion.finish) == (4, "length")
    command.does(PRINTS, stop_reason="pause_turn")
    assert command.model().complete(ask("what?")).finish == "other"


FAULTS: dict[str, tuple[str, dict[str, Any], type[ProviderError]]] = {
    "exit code": ("sys.exit(3)", {}, ProviderUnavailable),
    "killed": ("os.kill(os.getpid(), 9)", {}, ProviderUnavailable),
    "silent": ("pass", {}, ProviderUnavailable),
    "garbage": ("sys.stdout.buffer.write(bytes(range(256)) * 9)", {}, ProviderUnavailable),
    "other JSON": ('print(\'{"type": "system"}\')', {}, ProviderUnavailable),
    "half": ("print(json.dumps(result)[:50])", {}, ProviderUnavailable),
    "empty": (PRINTS, {"result": ""}, ProviderUnavailable),
    "error": (PRINTS, {"is_error": True, "result": "API Error: 529"}, ProviderUnavailable),
    "error and code": (
        f"{PRINTS}; sys.exit(1)",
        {"is_error": True, "result": "overloaded"},
        ProviderUnavailable,
    ),
    "good words, bad code": (f"{PRINTS}; sys.exit(1)", {}, ProviderUnavailable),
    "limit": (
        PRINTS,
        {"is_error": True, "result": "Claude AI usage limit reached|1790000000"},
        QuotaExhausted,
    ),
    "credit": (
        PRINTS,
        {"is_error": True, "result": "Credit balance is too low"},
        QuotaExhausted,
    ),
    "login": (
        f"{PRINTS}; sys.exit(1)",
        {"is_error": True, "result": "Invalid API key · Please run /login"},
        ProviderRejected,
    ),
    "too dear": (
        PRINTS,
        {"subtype": "error_max_budget_usd", "result": None},
        ProviderRejected,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_fails_is_a_clear_error(command: Command, name: str) -> None:
    """With a hint, and without a word of the command or of the user."""
    code, changes, kind = FAULTS[name]
    command.does(code, **changes)
    with pytest.raises(ProviderError) as caught:
        command.model().complete(ask("my secret words"))
    assert type(caught.value) is kind
    message = f"{caught.value} {caught.value.hint} {caught.value.facts}"
    assert caught.value.hint
    assert "secret" not in message
    assert "tea" not in message
    assert len(command.seen()) == (2 if kind is ProviderUnavailable else 1)


def test_what_passes_costs_a_wait(command: Command) -> None:
    """The command's own tries may not have been enough."""
    first = "sys.exit(1) if sum(1 for _ in open(NOTES)) == 1 else "
    notes = repr(str(command.path.parent / "notes.jsonl"))
    command.does(first.replace("NOTES", notes) + PRINTS)
    assert command.model().complete(ask("what?")).text == "the answer is tea"
    assert len(command.time.waits) == 1


def test_one_that_hangs_is_killed_with_its_children(command: Command, tmp_path: Path) -> None:
    """One deadline for all of it; a child that keeps the output open keeps nobody waiting."""
    child = tmp_path / "child"
    command.does(
        "if os.fork() == 0:\n"
        f"    open({str(child)!r}, 'w').write(str(os.getpid()))\n"
        "    time.sleep(600)\n"
        f"while not os.path.exists({str(child)!r}): time.sleep(0.01)\n"
        "time.sleep(600)"
    )
    with pytest.raises(ProviderUnavailable, match="took too long"):
        command.model(timeout_s=1.0).complete(ask("what?"))
    deadline, waiting = time.monotonic() + 10, threading.Event()
    while _runs(int(child.read_text())) and time.monotonic() < deadline:
        waiting.wait(0.01)
    assert not _runs(int(child.read_text()))


def _runs(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False


def test_one_that_says_too_much_is_killed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its output does not fill the memory."""
    monkeypatch.setattr(subprocess, "MOST_BYTES", 1 << 16)
    command.does("while True: sys.stdout.write('x' * 4096)")
    with pytest.raises(ProviderUnavailable, match="said too much"):
        command.model().complete(ask("what?"))


def test_one_that_does_not_listen_is_answered_all_the_same(command: Command) -> None:
    """A long prompt that nobody reads does not hang, and is no error."""
    command.does(PRINTS, reads=False)
    assert command.model().complete(ask("x" * 3_000_000)).text == "the answer is tea"


def test_a_long_prompt_arrives_whole(command: Command) -> None:
    """It goes through the input, which takes more than a command line."""
    command.does("result['result'] = str(len(told)); " + PRINTS)
    assert command.model().complete(ask("é" * 500_000)).text == "500000"


def test_a_closed_model_ends_the_command(command: Command) -> None:
    """A memory that is closed waits for no answer."""
    started = command.path.parent / "started"
    command.does(f"open({str(started)!r}, 'w').close(); time.sleep(600)")
    model = command.model()
    errors: list[ProviderError] = []

    def run() -> None:
        try:
            model.complete(ask("what?"))
        except ProviderError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    _wait_for(started.exists)
    model.close()
    thread.join(30)
    assert [error.code for error in errors] == ["provider_unavailable"]


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline, waiting = time.monotonic() + 30, threading.Event()
    while not condition():
        assert time.monotonic() < deadline
        waiting.wait(0.01)


def test_a_command_that_goes_away_is_an_error(command: Command) -> None:
    """It was there when the memory was opened."""
    model = command.model()
    command.path.unlink()
    with pytest.raises(ProviderUnavailable) as caught:
        model.complete(ask("what?"))
    assert "install" in caught.value.hint


def test_the_day_has_a_limit(command: Command) -> None:
    """The command is not even started."""
    with pytest.raises(BudgetSpent):
        command.model(daily_tokens=100).complete(ask("what?", max_output_tokens=100))
    assert command.spending.bills == []


def test_a_system_text_that_no_command_line_takes_is_refused(command: Command) -> None:
    """Before anything is started."""
    with pytest.raises(InvalidInput):
        command.model().complete(ask("what?", system="x" * (MAX_SYSTEM_BYTES + 1)))


def test_the_stand_in_is_not_the_real_one(command: Command) -> None:
    """The tests name their program by its whole path."""
    assert os.path.isabs(command.path)
    assert command.path.name != "claude"
