"""Cursor, Windsurf, Copilot CLI and OpenCode: what `init` writes, and that it all goes again."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect.integrations.agents import integration_of
from recollect.integrations.installing import Setup, apply, removal
from recollect.integrations.opencode.install import PLUGIN
from tests.support.plugin_host import NO_NODE

FILES = {
    "cursor": [".cursor/hooks.json", ".cursor/mcp.json"],
    "windsurf": [".codeium/windsurf/hooks.json", ".codeium/windsurf/mcp_config.json"],
    "copilot": [".copilot/hooks/recollect.json", ".copilot/mcp-config.json"],
    "opencode": [f".config/opencode/plugins/{PLUGIN}", ".config/opencode/opencode.json"],
}
OTHERS = {
    ".cursor/hooks.json": (
        '{\n  "version": 1,\n  "hooks": {"stop": [{"command": "./audit.sh"}]}\n}\n'
    ),
    ".codeium/windsurf/hooks.json": '{"hooks": {"post_write_code": [{"command": "fmt"}]}}',
    ".copilot/mcp-config.json": '{"mcpServers": {"mine": {"command": "x"}}}\n',
    ".config/opencode/opencode.json": '{\n  // mine\n  "theme": "dark",\n}\n',
}


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setup:
    """A user with settings of their own in each program."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("COPILOT_HOME", raising=False)
    for name, text in OTHERS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    home = tmp_path / ".recollect"
    home.mkdir()
    return Setup(home=home, python="/usr/my python/bin/python3", hook="/usr/hook.py")


def contents(folder: Path) -> dict[str, bytes]:
    """Return all files and folders, with what they hold."""
    return {
        str(each): each.read_bytes() if each.is_file() else b""
        for each in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("name", FILES)
def test_all_that_init_wrote_goes_again_and_nothing_else(setup: Setup, name: str) -> None:
    """Byte for byte, folders too; a second installation writes nothing."""
    user, agent = setup.home.parent, integration_of(name)
    assert agent.is_here()
    before = contents(user)
    apply(setup.home, agent.installation(setup))
    assert all((user / each).is_file() for each in FILES[name])
    again = agent.installation(setup)
    assert all(change.before == change.after for change in again.changes)
    apply(setup.home, removal(setup.home, name))
    assert contents(user) == before


def test_hooks_run_the_client_with_the_event(setup: Setup) -> None:
    """In the form of each program, beside those of the user."""
    user = setup.home.parent
    for name in ("cursor", "windsurf", "copilot"):
        apply(setup.home, integration_of(name).installation(setup))
    cursor = json.loads((user / ".cursor/hooks.json").read_text())
    assert (cursor["version"], cursor["hooks"]["stop"][0]) == (1, {"command": "./audit.sh"})
    windsurf = json.loads((user / ".codeium/windsurf/hooks.json").read_text())["hooks"]
    copilot = json.loads((user / ".copilot/hooks/recollect.json").read_text())["hooks"]
    commands = {
        ("cursor", "stop"): cursor["hooks"]["stop"][1]["command"],
        ("windsurf", "post_write_code"): windsurf["post_write_code"][1]["command"],
        ("copilot", "sessionEnd"): copilot["sessionEnd"][0]["bash"],
    }
    for (name, event), command in commands.items():
        assert shlex.split(command) == [
            *["/usr/my python/bin/python3", "-I", "-S", "/usr/hook.py", name, event],
            *["--home", str(setup.home), "--deadline-ms", "300"],
        ]
    assert json.loads((user / ".cursor/mcp.json").read_text())["mcpServers"]["recollect"]


SCRIPT = """
import { pathToFileURL } from "node:url";
const { default: plugin } = await import(pathToFileURL(process.argv[2]).href);
const played = JSON.parse(process.argv[3]);
const hooks = {};
const queue = [];
let wake = () => {};
const on = (domain) => ({ hook: async (name, handler) => (hooks[`${domain}.${name}`] = handler) });
async function* subscribe({ signal }) {
  while (!signal.aborted) {
    while (queue.length) yield queue.shift();
    await new Promise((resolve) => (wake = resolve));
  }
}
const systems = [];
if (played.api === 1) {
  const own = await plugin.server({ directory: "/home/ada/shop" });
  for (const [name, input, output] of played.calls) {
    await own[name](input, output);
    if (output?.system) systems.push(output.system);
  }
} else {
  const location = { directory: "/home/ada/shop" };
  const context = { session: on("session"), tool: on("tool"), event: { subscribe }, location };
  const stop = await plugin.setup(context);
  for (const [name, event] of played.calls) {
    if (name === "event") {
      queue.push(event);
      wake();
      await new Promise((resolve) => setTimeout(resolve, 300));
    } else await hooks[name](event);
    if (event.system) systems.push(event.system);
  }
  stop();
  wake();
}
console.log(JSON.stringify(systems));
"""
CLIENT = """
import json, sys
event, payload = sys.argv[2], json.load(sys.stdin)
with open(sys.argv[sys.argv.index("--home") + 1] + "/told.jsonl", "a") as file:
    file.write(json.dumps([event, payload]) + "\\n")
print(json.dumps({"context": "We use tabs."} if event == "start" else {}))
"""
TOLD: list[list[Any]] = [
    ["start", {}],
    ["prompt", {"message_id": "m1", "text": "Rename it."}],
    ["tool", {"call_id": "c1", "tool": "bash", "input": {"command": "ls"}, "output": "a.py"}],
    ["answer", {"message_id": "m1", "text": "Renamed."}],
    ["end", {}],
]
SAID = {"type": "text", "text": "Rename it."}
PLAYED: dict[int, list[list[Any]]] = {
    1: [
        ["chat.message", {"sessionID": "s"}, {"message": {"id": "m1"}, "parts": [SAID]}],
        ["experimental.chat.system.transform", {"sessionID": "s"}, {"system": ["Be brief."]}],
        [
            "tool.execute.after",
            {"sessionID": "s", "callID": "c1", "tool": "bash", "args": {"command": "ls"}},
            {"title": "", "output": "a.py", "metadata": {}},
        ],
        *(
            ["event", {"event": {"type": kind, "properties": properties}}]
            for kind, properties in {
                "message.updated": {
                    "info": {"id": "m2", "role": "assistant", "sessionID": "s"},
                },
                "message.part.updated": {
                    "part": {
                        "type": "text",
                        "messageID": "m2",
                        "sessionID": "s",
                        "text": "Renamed.",
                    },
                },
                "session.idle": {"sessionID": "s"},
                "session.deleted": {"info": {"id": "s"}},
            }.items()
        ),
    ],
    2: [
        ["session.prompt", {"sessionID": "s", "messageID": "m1", "prompt": {"text": "Rename it."}}],
        ["session.context", {"sessionID": "s", "system": [{"type": "text", "text": "Be brief."}]}],
        [
            "tool.execute.after",
            {
                "sessionID": "s",
                "id": "c1",
                "tool": "bash",
                "input": {"command": "ls"},
                "status": "completed",
                "result": {"content": "a.py"},
            },
        ],
        *(
            ["event", {"type": kind, "data": {"sessionID": "s", **data}}]
            for kind, data in {
                "session.text.ended": {"text": "Renamed."},
                "session.execution.succeeded": {},
                "session.deleted": {},
            }.items()
        ),
    ],
}


@pytest.mark.parametrize("api", PLAYED)
def test_the_plugin_of_opencode_reports_a_session(setup: Setup, tmp_path: Path, api: int) -> None:
    """By either plugin API: the same five events, and the context in the system prompt."""
    node = shutil.which("node")
    if node is None:
        pytest.skip(NO_NODE)
    client = tmp_path / "client.py"
    client.write_text(CLIENT, encoding="utf-8")
    own = Setup(home=setup.home, python=sys.executable, hook=str(client))
    agent = integration_of("opencode")
    apply(setup.home, agent.installation(own))
    plugin = tmp_path / "plugin.mjs"
    shutil.copy(tmp_path / FILES["opencode"][0], plugin)
    script = tmp_path / "host.mjs"
    script.write_text(SCRIPT, encoding="utf-8")
    played = json.dumps({"api": api, "calls": PLAYED[api]})
    done = subprocess.run(
        [node, str(script), str(plugin), played], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in (setup.home / "told.jsonl").read_text().splitlines()]
    shared = {"session_id": "s", "cwd": "/home/ada/shop"}
    assert told == [[event, shared | payload] for event, payload in TOLD]
    (system,) = json.loads(done.stdout)
    assert "We use tabs." in str(system[-1])
