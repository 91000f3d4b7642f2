"""Walks: how many of our files, calls and moves from file to file one real call makes.

A move is a call or a return that is in another of our files than the one before it in its thread;
what lies between in libraries does not count. The bodies of modules and classes do not count
either. The figures are exact: `sys.setprofile` sees every call.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec


class Walk(msgspec.Struct, frozen=True, kw_only=True):
    """What one call walked.

    Attributes:
        files: Of our files entered.
        calls: Of our functions.
        moves: From one of our files to another.
        entered: Calls by file below the package, in the order of the first.
    """

    files: int
    calls: int
    moves: int
    entered: dict[str, int]


class _Thread:
    """The counts of one thread."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.moves = 0
        self.last = ""


def package_folder() -> str:
    """Return the folder of recollect with a slash behind it, without importing it."""
    found = find_spec("recollect")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("recollect")
    return f"{Path(found.submodule_search_locations[0])}/"


class Tracer:
    """Counts what every thread walks that was started after the tracer was made."""

    def __init__(self) -> None:
        self._root = package_folder()
        self._threads: dict[int, _Thread] = {}
        self._is_counting = False
        threading.setprofile(self._see)

    def close(self) -> None:
        """Let new threads run without it."""
        threading.setprofile(None)
        gc.enable()

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count from zero in every thread, the caller's too, with no finalizer of older garbage."""
        gc.collect()
        # It would run in whichever thread makes the next object, and enter our files there.
        gc.disable()
        self._threads = {}
        self._is_counting = True
        sys.setprofile(self._see)
        try:
            yield
        finally:
            sys.setprofile(None)

    def stop(self) -> None:
        """Let no thread count any more."""
        self._is_counting = False
        gc.enable()

    def walk(self, thread: int | None = None) -> Walk:
        """Return what this thread walked so far; what all of them did without one."""
        if thread is None:
            return self._walk(self._threads.values())
        return self._walk([self._threads.get(thread, _Thread())])

    def _walk(self, threads: Iterable[_Thread]) -> Walk:
        calls: Counter[str] = Counter()
        moves = 0
        for thread in list(threads):
            calls.update(thread.calls)
            moves += thread.moves
        entered = {name.removeprefix(self._root): count for name, count in calls.items() if count}
        return Walk(files=len(entered), calls=sum(entered.values()), moves=moves, entered=entered)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        name = code.co_filename
        if not self._is_counting or not name.startswith(self._root):
            return
        if event not in {"call", "return"} or not code.co_flags & CO_OPTIMIZED:
            return
        thread = self._threads.setdefault(threading.get_ident(), _Thread())
        thread.calls[name] += event == "call"
        thread.moves += thread.last not in {"", name}
        thread.last = name
