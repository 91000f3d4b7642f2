"""A Chroma server as a process of its own, on a free port of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

import httpx

from tests.support.served import free_port

START_S = 60.0


class ChromaProcess:
    """Runs while its ``with`` block does; it may be stopped and started again on its port.

    Args:
        folder: For its data, its log, and as its home.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> ChromaProcess:
        """Start it and wait until it answers."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Stop it."""
        self.stop()

    def start(self) -> None:
        """Start it and wait until it answers."""
        program = Path(sys.executable).parent / "chroma"
        data = ["--path", str(self._folder / "data")]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [program, "run", *data, "--host", "127.0.0.1", "--port", str(self._port)],
                env={
                    "HOME": str(self._folder),
                    "PATH": os.defpath,
                    "ANONYMIZED_TELEMETRY": "False",
                },
                stdout=log,
                stderr=log,
            )
        deadline, pause = time.monotonic() + START_S, threading.Event()
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._folder / "log").read_text("utf-8", "replace"))
            pause.wait(0.02)

    def stop(self) -> None:
        """Stop it and wait."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(START_S)
            self._process = None

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/api/v2/heartbeat", trust_env=False).is_success
        except httpx.HTTPError:
            return False
