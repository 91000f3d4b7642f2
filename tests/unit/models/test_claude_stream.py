"""Streams of ``claude --print``, against a stand-in: the real command never runs here."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.core.bill import TokenUse
from recollect.core.errors import (
    BudgetSpent,
    Cancelled,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
)
from recollect.models import subprocess
from recollect.models.language.model import Cancellation, Completion, ToolOutcome, ToolSpec, ask
from recollect.models.language.tools import MOST_ROUNDS
from tests.unit.models.test_claude_cli import Command

SAYS = """\
def say(event, **more):
    print(json.dumps({"type": "stream_event", "event": event} | more), flush=True)
def start():
    usage = {"input_tokens": 9, "output_tokens": 1}
    say({"type": "message_start", "message": {"model": "m", "usage": usage}})
def word(text):
    delta = {"type": "text_delta", "text": text}
    say({"type": "content_block_delta", "index": 0, "delta": delta})
def use():
    block = {"type": "tool_use", "id": "t", "name": "mcp__recollect__search", "input": {}}
    say({"type": "content_block_start", "index": 1, "content_block": block})
def stop():
    end = {"stop_reason": "end_turn"}
    say({"type": "message_delta", "delta": end, "usage": {"output_tokens": 4}})
    say({"type": "message_stop"})
def end(): print(json.dumps(result), flush=True)
if "--mcp-config" in sys.argv:
    config = json.load(open(sys.argv[sys.argv.index("--mcp-config") + 1]))
    config = config["mcpServers"]["recollect"]
def rpc(method, secret=None, **params):
    import urllib.request
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = config["headers"] if secret is None else {"Authorization": secret}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return json.load(opener.open(urllib.request.Request(config["url"], body, headers)))
"""
ANSWERS = 'start(); word("the answer "); word("is tea"); stop(); end()'


class Tools:
    """One tool."""

    specs = (ToolSpec(name="search", description="Search.", schema={"type": "object"}),)

    def __init__(self) -> None:
        self.calls: list[Mapping[str, object]] = []

    def call(self, name: str, arguments: Mapping[str, object]) -> ToolOutcome:
        """Say what was given."""
        self.calls.append(arguments)
        return ToolOutcome(f"{name}: tea")


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """A stand-in that streams."""
    made = Command(tmp_path)
    does(made, ANSWERS)
    return made


def does(command: Command, code: str, **changes: Any) -> None:
    """Let the command do this; a part of its words is defined."""
    command.does(SAYS + code, **changes)


def streamed(
    command: Command, tools: Tools | None = None, **changes: object
) -> tuple[Completion, list[str]]:
    """Return an answer and its pieces."""
    pieces: list[str] = []
    model = command.model("haiku", **changes)
    prompt = ask("the user's words", system="Be short.", purpose="respond")
    return model.stream(prompt, pieces.append, toolbox=tools), pieces


def test_the_answer_comes_in_pieces_with_its_cost(command: Command) -> None:
    """The result tells tokens and cost of all rounds."""
    completion, pieces = streamed(command)
    assert pieces == ["the answer ", "is tea"]
    assert completion.text == "the answer is tea"
    assert (completion.usd, completion.finish) == (0.25, "stop")
    assert completion.use == TokenUse(input=10, output=4, cache_read=2, cache_write=3)
    (bill,) = command.spending.bills
    assert (bill.purpose, bill.use, bill.usd) == ("respond", completion.use, 0.25)


@pytest.mark.parametrize(("thinking", "effort"), [("off", "low"), ("high", "high")])
def test_the_command_is_given_how_long_to_think(
    command: Command, thinking: str, effort: str
) -> None:
    """It thinks at least a little."""
    prompt = ask("the user's words", purpose="respond")
    prompt = msgspec.structs.replace(prompt, thinking=thinking)
    command.model("haiku").stream(prompt, lambda piece: None)
    ((arguments, *_),) = command.seen()
    assert arguments[arguments.index("--effort") + 1] == effort


def test_a_stream_is_locked_down_as_well(command: Command) -> None:
    """What is not in files that only the user reads is the same for every call."""
    given = 'open(sys.argv[sys.argv.index("--system-prompt-file") + 1]).read()'
    does(command, f"print('noise', flush=True); system = {given}; start(); word(system); end()")
    assert streamed(command)[0].text == "Be short."
    ((arguments, stdin, variables, folder, files),) = command.seen()
    assert arguments[:18] == [
        "--print",
        "--input-format",
        "text",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--no-session-persistence",
        "--tools",
        "",
        "--setting-sources",
        "",
        "--settings",
        '{"permissions":{"deny":["Read(//**)"]}}',
        "--strict-mcp-config",
        "--max-budget-usd",
        "0.5",
        "--model",
    ]
    assert arguments[18:20] == ["haiku", "--system-prompt-file"]
    assert len(arguments) == 21
    assert "words" not in str(arguments)
    assert "short" not in str(arguments)
    assert stdin == "the user's words"
    assert variables["CLAUDE_CODE_DISABLE_ATTACHMENTS"] == "1"
    assert variables["NO_PROXY"] == variables["no_proxy"] == "127.0.0.1"
    assert files == []
    assert not Path(folder).parent.exists()


def test_tools_come_from_a_server_of_the_call(command: Command) -> None:
    """Its address and its secret are in a file that only the user reads."""
    code = (
        "mode = oct(os.stat(sys.argv[sys.argv.index('--mcp-config') + 1]).st_mode)[-3:]\n"
        "made = rpc('initialize', protocolVersion='2025-03-26')['result']\n"
        "listed = rpc('tools/list')['result']['tools']\n"
        "called = rpc('tools/call', name='search', arguments={'query': 'x'})['result']\n"
        "other = rpc('tools/call', name='Bash', arguments={})['result']\n"
        "start(); use(); stop(); start()\n"
        "pong, missing = rpc('ping')['result'], rpc('resources/list')['error']['code']\n"
        "version = made['protocolVersion']\n"
        "word(json.dumps([mode, version, listed, called, other, pong, missing])); stop(); end()"
    )
    does(command, code)
    tools = Tools()
    completion, _ = streamed(command, tools)
    mode, version, listed, called, other, pong, missing = msgspec.json.decode(completion.text)
    assert (mode, version, pong, missing) == ("600", "2025-03-26", {}, -32601)
    assert listed == [
        {
            "name": "search",
            "description": "Search.",
            "inputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }
    ]
    assert called == {"content": [{"type": "text", "text": "search: tea"}], "isError": False}
    assert other["isError"]
    assert tools.calls == [{"query": "x"}]
    arguments = command.seen()[0][0]
    assert arguments[arguments.index("--allowedTools") + 1] == "mcp__recollect__search"
    assert not [each for each in threading.enumerate() if each.name == "recollect-tools"]


def test_the_server_knows_its_caller(command: Command) -> None:
    """Another user of the machine finds a closed door, and other methods none."""
    code = (
        "import urllib.error\n"
        "codes = []\n"
        "for secret in ('', 'Bearer x'):\n"
        "    try: rpc('tools/list', secret=secret)\n"
        "    except urllib.error.HTTPError as error: codes.append(error.code)\n"
        "start(); word(json.dumps(codes)); stop(); end()"
    )
    does(command, code)
    assert streamed(command, Tools())[0].text == "[401, 401]"


def test_after_the_last_round_tools_say_that_they_are_closed(command: Command) -> None:
    """The command has no such limit of its own."""
    code = (
        "for number in range(12):\n"
        "    start(); use(); stop()\n"
        "    failed = rpc('tools/call', name='search')['result']['isError']\n"
        "    if failed: break\n"
        "start(); word(str(number)); stop(); end()"
    )
    does(command, code)
    tools = Tools()
    last = int(streamed(command, tools)[0].text)
    assert len(tools.calls) == last
    assert last - MOST_ROUNDS in {0, 1}  # what the command printed last may not be read yet


def test_no_tools_need_no_server(command: Command) -> None:
    """An empty toolbox is none."""
    tools = Tools()
    tools.specs = ()  # type: ignore[assignment]
    streamed(command, tools)
    assert "--mcp-config" not in command.seen()[0][0]


@pytest.mark.parametrize(
    "code",
    [
        "end()",
        "print('noise'); print('{}'); print('[1]'); sys.stdout.buffer.write(b'\\xff\\n'); end()",
        "start(); say({'type': 'error', 'error': {'type': 'overloaded_error'}}); stop(); end()",
        "start(); stop(); say(None, parent_tool_use_id='a'); end()",
    ],
)
def test_an_answer_without_pieces_is_one_piece(command: Command, code: str) -> None:
    """Noise, errors that the command has overcome, and sub-agents are not its words."""
    does(command, code)
    completion, pieces = streamed(command)
    assert pieces == [completion.text] == ["the answer is tea"]


FAULTS: dict[str, tuple[str, dict[str, Any], type[ProviderError], bool]] = {
    "exit code": ("sys.exit(3)", {}, ProviderUnavailable, False),
    "no result": ("start(); stop()", {}, ProviderUnavailable, False),
    "killed in the middle": (
        "start(); word('the'); os.kill(os.getpid(), 9)",
        {},
        ProviderUnavailable,
        True,
    ),
    "after a call": ("start(); use(); stop(); sys.exit(1)", {}, ProviderUnavailable, True),
    "error": ("end()", {"is_error": True, "result": ""}, ProviderUnavailable, False),
    "login": (
        "end()",
        {"is_error": True, "result": "Please run /login"},
        ProviderRejected,
        False,
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_fails_is_a_clear_error(command: Command, name: str) -> None:
    """It is tried again only while nothing was given out and no tool was called."""
    code, changes, kind, is_partial = FAULTS[name]
    does(command, code, **changes)
    pieces: list[str] = []
    with pytest.raises(ProviderError) as caught:
        command.model().stream(ask("what?"), pieces.append, toolbox=Tools())
    assert type(caught.value) is kind
    assert caught.value.hint
    assert caught.value.facts.get("partial", False) is is_partial
    is_final = is_partial or kind is ProviderRejected
    assert len(command.seen()) == (1 if is_final else 2)
    assert pieces == (["the"] if "word" in code else [])
    counted = "start" in code or "end" in code
    assert bool(command.spending.bills) == counted


def test_what_broke_off_is_counted(command: Command) -> None:
    """As far as the command told it, the rest is estimated."""
    does(command, "start(); word('the answer is tea and more ' * 20); time.sleep(600)")
    with pytest.raises(ProviderUnavailable, match="took too long"):
        streamed(command, timeout_s=1.0)
    (bill,) = command.spending.bills
    assert bill.use.input == 9
    assert bill.use.output > 50


def test_silence_has_a_limit_and_words_renew_it(command: Command) -> None:
    """An answer may take longer than the longest silence."""
    does(command, "start()\nfor _ in range(8): word('a'); time.sleep(0.25)\nstop(); end()")
    assert streamed(command, timeout_s=1.2)[0].text == "a" * 8


def test_what_says_too_much_is_killed(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its output does not fill the memory."""
    monkeypatch.setattr(subprocess, "MOST_STREAM_BYTES", 1 << 16)
    does(command, "while True: print('x' * 4096)")
    with pytest.raises(ProviderUnavailable, match="said too much"):
        streamed(command)


def test_a_cancelled_command_is_killed_with_its_children(command: Command, tmp_path: Path) -> None:
    """From another thread; what it said is counted."""
    pids = tmp_path / "pids"
    does(
        command,
        "child = os.fork()\n"
        "if child == 0: time.sleep(600)\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child}}')\n"
        "start(); word('the'); time.sleep(600)",
    )
    cancellation = Cancellation()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        command.model().stream(
            ask("what?"),
            lambda _: threading.Thread(target=cancellation.cancel).start(),
            cancellation=cancellation,
            toolbox=Tools(),
        )
    assert time.monotonic() - began < 10
    assert not any(_runs(int(pid)) for pid in pids.read_text().split())
    assert len(command.spending.bills) == 1
    with pytest.raises(Cancelled):
        command.model().stream(ask("what?"), lambda _: None, cancellation=cancellation)
    assert len(command.seen()) == 1


def _runs(pid: int) -> bool:
    waiting = threading.Event()
    for _ in range(500):
        try:
            os.kill(pid, 0)
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text(encoding="utf-8"):
                return False
        except OSError:
            return False
        waiting.wait(0.01)
    return True


def test_an_error_of_the_caller_ends_the_command(command: Command) -> None:
    """It is raised as it is."""

    def fail(_: str) -> None:
        raise OSError("the terminal is gone")

    does(command, "start(); word('the'); time.sleep(600)")
    with pytest.raises(OSError, match="terminal"):
        command.model().stream(ask("what?"), fail)
    assert len(command.spending.bills) == 1


def test_the_day_has_a_limit(command: Command) -> None:
    """The command is not even started."""
    with pytest.raises(BudgetSpent):
        streamed(command, daily_tokens=100)
    assert command.spending.bills == []
