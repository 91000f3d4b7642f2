"""The memory plugin of OpenClaw in Node, hosted as OpenClaw hosts it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import recollect

HOST = Path(__file__).with_suffix(".mjs")
PLUGIN = Path(recollect.__file__).parent / "integrations" / "openclaw" / "plugin"
NO_NODE = "node is not installed: the plugin of OpenClaw is JavaScript"


class PluginHost:
    """Node, with the plugin registered."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, **asked: Any) -> Any:
        """Return what the host answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        assert "failed" not in told, told["failed"]
        return told

    def recall(self, prompt: str, key: str, **context: Any) -> str:
        """Return what is put before a prompt; empty where nothing is."""
        messages = context.pop("messages", [])
        told = self.ask(
            hook="before_prompt_build",
            event={"prompt": prompt, "messages": messages},
            context={"sessionKey": key} | context,
        )
        returned: dict[str, str] = told["returned"] or {}
        return returned.get("prependContext", "")

    def tool(self, name: str, key: str, given: Mapping[str, Any], **context: Any) -> Any:
        """Return the details of what a tool answers."""
        told = self.ask(tool=name, context={"sessionKey": key} | context, given=given)
        details = told["returned"]["details"]
        (shown,) = told["returned"]["content"]
        assert json.loads(shown["text"]) == details
        assert "<" not in shown["text"]
        return details


@contextmanager
def hosted(config: Mapping[str, Any], plugin: Path = PLUGIN) -> Iterator[PluginHost]:
    """Host the plugin while the block runs."""
    node = shutil.which("node")
    if node is None:
        pytest.skip(NO_NODE)
    with subprocess.Popen(
        [node, str(HOST)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={}
    ) as process:
        host = PluginHost(process)
        told = host.ask(plugin=str(plugin / "index.js"), config=dict(config))
        assert told["tools"] == ["memory_search", "memory_get"]
        yield host
        assert process.stdin is not None
        process.stdin.close()
