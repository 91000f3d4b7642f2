"""The real gateway of OpenClaw, with a home of its own, on stand-ins for all that it talks to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from queue import Empty
from types import TracebackType
from typing import Any

from tests.agents.openclaw.loopback import ChatModel, Loopback, Telegram
from tests.support.served import free_port

READY_S = 180.0
ANSWER_S = 120.0
GATEWAY_TOKEN = "only-for-this-test"


class Gateway:
    """Runs in the ``with`` block.

    Args:
        program: The command of OpenClaw.
        user: The home of its user.

    Attributes:
        telegram: What people write over.
        model: What answers.
        config: The file of its settings.
        state: Where it keeps its sessions.
    """

    def __init__(self, program: list[str], user: Path) -> None:
        self.program = program
        self.user = user
        self.state = user / ".openclaw"
        self.state.mkdir(parents=True)
        self.config = self.state / "openclaw.json"
        self.telegram, self.model = Telegram(), ChatModel()
        self._loopbacks = [Loopback(self.telegram.answer), Loopback(self.model.answer)]
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.log = user / "gateway.log"
        self.config.write_text(json.dumps(self.settings(), indent=2) + "\n", encoding="utf-8")

    def settings(self) -> dict[str, Any]:
        """Return the settings of its user."""
        telegram, model = self._loopbacks
        served = {"id": "m", "name": "m", "input": ["text"], "reasoning": False}
        served |= {"contextWindow": 128_000, "maxTokens": 4_096}
        provider = {"baseUrl": f"{model.url}/v1", "apiKey": "none", "api": "openai-completions"}
        return {
            "gateway": {
                "mode": "local",
                "port": self.port,
                "bind": "loopback",
                "auth": {"mode": "token", "token": GATEWAY_TOKEN},
            },
            "models": {"mode": "replace", "providers": {"fake": provider | {"models": [served]}}},
            "agents": {
                "defaults": {
                    "model": {"primary": "fake/m"},
                    "workspace": str(self.user / "workspace"),
                    "skipBootstrap": True,
                    "heartbeat": {"every": "0m"},
                }
            },
            "session": {"dmScope": "per-channel-peer"},
            "channels": {
                "telegram": {
                    "enabled": True,
                    "botToken": "1:none",
                    "apiRoot": telegram.url,
                    "dmPolicy": "open",
                    "allowFrom": ["*"],
                    "groupPolicy": "open",
                    "groups": {"*": {"requireMention": True}},
                    "streaming": {"mode": "off"},
                }
            },
            "update": {"checkOnStart": False},
        }

    def environment(self) -> dict[str, str]:
        """Return all that its process knows of this machine."""
        return {"HOME": str(self.user), "PATH": "/usr/bin:/bin", "OPENCLAW_SKIP_CRON": "1"}

    def __enter__(self) -> Gateway:
        for each in self._loopbacks:
            each.__enter__()
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()
        for each in self._loopbacks:
            each.__exit__()

    def start(self) -> None:
        """Start it, and wait until it asks for messages."""
        self.telegram.is_polled.clear()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self.program, "gateway", "run", "--port", str(self.port)],
                env=self.environment(),
                cwd=self.user,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        assert self.telegram.is_polled.wait(READY_S), self.told()

    def stop(self) -> None:
        """End it, with what it started."""
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def close(self) -> None:
        """End it, and give the ports back."""
        self.stop()
        for each in self._loopbacks:
            each.close()

    def told(self) -> str:
        """Return what it logged."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-8_000:]

    def ask(self, text: str, sender: int, chat: int | None = None) -> str:
        """Let somebody write, and return what the bot answers there."""
        self.telegram.write(text, sender, chat)
        try:
            place, said = self.telegram.said.get(timeout=ANSWER_S)
        except Empty:
            raise AssertionError(f"no answer: {self.told()}") from None
        assert place == (chat if chat is not None else sender)
        return said
