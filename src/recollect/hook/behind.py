"""What a hook leaves to a process of its own, that the agent does not wait for.

Apart from `recollect.hook.client`, which is compiled for each event: a delivered one needs
none of it.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # typeshed knows `signal` alone
import os
import site
from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.hook.client import ENDS

if TYPE_CHECKING:
    from recollect.hook.client import HookCall

_FIRST_HANDLE, _MOST_HANDLES = 3, 4_096


def spool(call: HookCall) -> None:
    """Keep an event in the spool, and start the worker if so configured."""
    # Until it has closed what it inherited: who ends our group misses it.
    os.read(_behind(call, _keep, is_held=False), 1)


def start(call: HookCall) -> int:
    """Start the worker; return the end of a pipe that is held open as long as that takes."""
    return _behind(call, _start)


def _keep(call: HookCall) -> None:
    from recollect.hook.keeping import take_over

    take_over(call.home, call.client, call.event, call.at, call.payload or b"")


def _start(call: HookCall) -> None:
    # As ``-I`` does for us: a worker that keeps no bytecode compiles for 0.6 s at each start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    from recollect.hook.keeping import start_worker

    start_worker(call.home, call.at, call.payload or b"")


def _behind(call: HookCall, work: Callable[[HookCall], object], *, is_held: bool = True) -> int:
    """Work in a process of its own.

    Returns the end of a pipe that it holds open as long as it runs, or until it has closed what it
    inherited. Where the home is not there, nothing is done.
    """
    loose, theirs = os.pipe()
    if not os.path.isdir(call.home) or os.fork():
        os.close(theirs)
        return loose
    try:
        os.setsid()
        for each in ENDS:
            _signal.signal(each, _signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in range(_FIRST_HANDLE):
            os.dup2(nowhere, stream)
        os.dup2(theirs, _FIRST_HANDLE, inheritable=False)
        os.closerange(_FIRST_HANDLE + is_held, _MOST_HANDLES)
        site.main()  # the packages beside ours, which ``-I -S`` left out
        work(call)
    finally:
        os._exit(0)
