"""The process of a peer: `python -m benchmarks.peers.host MODULE MATERIAL`.

Reads one JSON order a line and answers with one line. Started by `benchmarks.peers.race`, with the
interpreter of the peer's environment; so it imports the standard library and numpy only.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.peers.store import Material, Store

COUNT = 10
_WARM_UP = 10
_STATUS = Path("/proc/self/status")


class Host:
    """Does what it is told with one store."""

    def __init__(self, module: str, material: Path) -> None:
        adapter = importlib.import_module(module)
        self._peer: type[Store] = adapter.Peer
        self._version: str = adapter.VERSION
        self._material = Material(material)
        self._questions = self._material.questions()
        self._vectors = self._material.by_text()
        self._store: Store | None = None
        gc.collect()
        self._start_mb = _resident_mb()

    def version(self) -> str:
        """Return that of the peer."""
        return self._version

    def open(self, folder: str) -> dict[str, float]:
        """Open the store, made anew where it is missing."""
        spent = _Spent()
        with spent:
            self._store = self._peer(Path(folder), self._vectors)
        return spent.told()

    def bulk(self, count: int) -> dict[str, float]:
        """Store the next ``count`` texts in blocks, until all can be found."""
        spent = _Spent()
        for block in self._material.read(count):
            with spent:
                self._open_store.add(block)
        with spent:
            self._open_store.settle()
        return spent.told()

    def single(self, count: int) -> dict[str, float]:
        """Store the next ``count`` texts one by one, until all can be found."""
        spent = _Spent()
        for block in self._material.read(count):
            for item in block:
                with spent:
                    self._open_store.add([item])
        with spent:
            self._open_store.settle()
        return spent.told()

    def ask(self, first: int, last: int) -> dict[str, float]:
        """Answer a range of the questions, after some that are not measured."""
        for question in self._questions[:_WARM_UP]:
            self._open_store.ask(question, COUNT)
        gc.collect()
        spent = _Spent()
        for question in self._questions[first:last]:
            with spent:
                self._open_store.ask(question, COUNT)
        return spent.told()

    def answers(self) -> list[list[int]]:
        """Return what is found for every question."""
        return [self._open_store.ask(question, COUNT) for question in self._questions]

    def memory(self) -> float:
        """Return MB of resident memory over the start, when the peer was imported but not used."""
        gc.collect()
        return _resident_mb() - self._start_mb

    def close(self) -> None:
        """Close the store."""
        self._open_store.close()
        self._store = None

    @property
    def _open_store(self) -> Store:
        if self._store is None:
            raise RuntimeError("nothing is open")
        return self._store


class _Spent:
    """CPU and wall time of what runs under it; each wall time is kept for the percentiles."""

    def __init__(self) -> None:
        self._cpu = 0.0
        self._walls: list[float] = []
        self._began = (0.0, 0.0)

    def __enter__(self) -> None:
        self._began = (time.process_time(), time.perf_counter())

    def __exit__(self, *_: object) -> None:
        self._cpu += time.process_time() - self._began[0]
        self._walls.append(time.perf_counter() - self._began[1])

    def told(self) -> dict[str, float]:
        walls = sorted(self._walls) or [0.0]
        return {
            "cpu_s": self._cpu,
            "wall_s": sum(walls),
            "p95_s": walls[min(len(walls) - 1, int(len(walls) * 0.95))],
        }


def _resident_mb() -> float:
    line = next(
        line for line in _STATUS.read_text("ascii").splitlines() if line.startswith("VmRSS")
    )
    return int(line.split()[1]) * 1024 / 1e6


def main() -> None:
    """Answer orders until the input ends; what a peer prints goes to stderr."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    host = Host(sys.argv[1], Path(sys.argv[2]))
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        act: Callable[..., Any] = getattr(host, order.pop("do"))
        answers.write(json.dumps(act(**order)) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
