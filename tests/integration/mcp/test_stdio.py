"""`recollect mcp`: a process of its own, as a client starts it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from tests.integration.mcp.conftest import ERAS, Home, answer, call, failure, over_stdio

PATIENCE_S = 120
WITHOUT = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "mcp" else find(name, package)
from recollect.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def started(home: Home, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start the server as a client does, and leave nothing behind."""
    command = home.command(*arguments)
    with subprocess.Popen(
        [command.command, *command.args],
        env=command.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        # A test run in the background of a shell has the interrupt switched off, and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def say(process: subprocess.Popen[str], **message: Any) -> None:
    """Send a message."""
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()


def greet(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Begin a connection as clients did until 2025; return what the server says of itself."""
    about = {"name": "test", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
    say(process, id=1, method="initialize", params=params)
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())["result"]
    say(process, method="notifications/initialized")
    return found


@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_each_era_finds_what_was_said(home: Home, era: str) -> None:
    """Issue 12, item 7: memory_search over stdio."""

    async def talk(client: Client) -> Any:
        return client.protocol_version, await client.call_tool("memory_search", {"query": "teapot"})

    version, found = anyio.run(over_stdio, home.command("--as", "owner"), talk, era)
    assert version == ("2025-11-25" if era == "legacy" else "2026-07-28")
    assert {hit["name"] for hit in answer(found)["results"]} == {"m1", "m2", "m3", "#1"}


def test_a_bare_entry_hears_nothing_of_the_owner(home: Home) -> None:
    """Issue 12, item 7: a bare MCP entry gets `shared`."""
    found = anyio.run(over_stdio, home.command(), call("memory_search", query="teapot kettle"))
    assert answer(found)["results"] == []


def test_an_entry_may_be_that_of_one_session_and_one_project(home: Home) -> None:
    """Issue 12, item 3: --as session:KEY; --project narrows."""
    guest = home.command("--as", "session:agent:main:telegram:acc:direct:77")
    found = answer(anyio.run(over_stdio, guest, call("memory_search", query="teapot kettle")))
    assert [hit["name"] for hit in found["results"]] == ["m3"]
    tea = home.command("--as", "owner", "--project", "/srv/tea")
    found = answer(anyio.run(over_stdio, tea, call("memory_search", query="teapot")))
    assert {hit["name"] for hit in found["results"]} == {"m1", "m2", "#1"}
    other = anyio.run(over_stdio, tea, call("get_observations", ids=["m3"]))
    assert "not_found" in failure(other)


def test_a_setting_that_changes_holds_for_a_client_that_stays(home: Home) -> None:
    """A client runs for days: what guests may read must not be what it was when it began."""
    config = home.folder / "config.yaml"
    asked = {"path": "memory/tea.md"}

    async def talk(client: Client) -> None:
        assert "denied" in failure(await client.call_tool("memory_get", asked))
        shared = "sessions: {guests_read: [memory/**]}\n"
        config.write_text(config.read_text("utf-8") + shared, "utf-8")
        while (await client.call_tool("memory_get", asked)).is_error:
            pass  # settings are read again after a second

    anyio.run(over_stdio, home.command(), talk)


def test_stdout_has_nothing_but_the_protocol(home: Home) -> None:
    """Issue 12: a stray line would end the connection of a strict client."""
    with started(home, "--as", "owner") as process:
        assert greet(process)["serverInfo"]["name"] == "recollect"
        for number, tool in enumerate(("memory_search", "no_such_tool"), start=2):
            params = {"name": tool, "arguments": {"query": "teapot"}}
            say(process, id=number, method="tools/call", params=params)
        assert process.stdout is not None
        answered = [json.loads(process.stdout.readline())["id"] for _ in range(2)]
        assert set(answered) == {2, 3}
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, out) == (0, "")
        assert "teapot" not in err


@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [(signal.SIGINT, 130, "error: interrupted\n"), (signal.SIGTERM, 0, "")],
)
def test_a_signal_ends_it_while_it_waits_for_a_line(
    home: Home, sent: signal.Signals, code: int, said: str
) -> None:
    """Whoever started it in a terminal gets it back by Ctrl-C; a client may end it, too."""
    with started(home) as process:
        greet(process)
        process.send_signal(sent)
        assert process.wait(PATIENCE_S) == code
        assert process.stderr is not None
        assert process.stderr.read() == said


def test_without_its_packages_it_says_what_to_install(home: Home) -> None:
    """Issue 12: an extra is not an accident."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, "--home", str(home.folder), "mcp", "--json"],
        env=home.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.stdout == ""
    assert "pip install 'recollect[mcp]'" in json.loads(done.stderr)["error"]["hint"]


@pytest.mark.parametrize(
    ("arguments", "code"), [(("--as", "king"), "invalid_input"), (("--as", ""), "invalid_input")]
)
def test_a_wrong_audience_is_refused_before_anything_is_served(
    home: Home, arguments: tuple[str, ...], code: str
) -> None:
    """Nobody is served as somebody by a typing error."""
    with started(home, *arguments, "--json") as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (out, json.loads(err)["error"]["code"]) == ("", code)


def test_a_home_is_not_made_by_a_wrong_path(home: Home, tmp_path: Path) -> None:
    """A client with a wrong --home would serve an empty memory for ever."""
    missing = tmp_path / "elsewhere"
    given = ["-m", "recollect", "--home", str(missing), "mcp", "--json"]
    done = subprocess.run(
        [sys.executable, *given],
        env=home.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stderr)["error"]["code"] == "not_found"
    assert not missing.exists()


def test_a_project_that_is_neither_known_nor_a_folder_is_refused(home: Home) -> None:
    """Nothing would ever be found in it, and no client says why."""
    command = home.command("--as", "owner", "--project", "/nowhere/at/all")
    done = subprocess.run(
        [command.command, *command.args],
        env=command.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "no such project or folder" in done.stderr
