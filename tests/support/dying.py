"""Threads that die, as where memory is short or a tracer fails."""

from __future__ import annotations

import threading

import pytest


class Death(BaseException):
    """What kills a thread: no code expects it."""


def die_at_birth(monkeypatch: pytest.MonkeyPatch, times: int = 1) -> list[str]:
    """Let the next threads die before their first line; return their names as they come."""
    real, names = threading.Thread.run, list[str]()

    def run(thread: threading.Thread) -> None:
        if len(names) < times:
            names.append(thread.name)
            raise Death
        real(thread)

    monkeypatch.setattr(threading.Thread, "run", run)
    return names


def refuse_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no thread be started from now on."""

    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
