"""The worker: the one process that serves a home, and does its work in the background."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from recollect import __version__
from recollect.caller import Callers
from recollect.core.clock import SystemClock
from recollect.core.errors import (
    Denied,
    InvalidInput,
    RecollectError,
    StoreBusy,
    StoreError,
)
from recollect.core.heap import return_large
from recollect.core.settings import ServerSettings, load_settings, surroundings
from recollect.core.threads import Look, RestartableThread, await_event, run_on_thread
from recollect.governance.token_file import TokenFile
from recollect.memory import Memory
from recollect.pool import MemoryPool
from recollect.server.app import HttpApp, all_mounts, all_routes
from recollect.server.chat.channels import ChannelHooks
from recollect.server.presence import (
    PRESENCE_FILE,
    PROTOCOL,
    START_LOCK,
    Presence,
    is_served,
    served_already,
)
from recollect.server.serving import Server
from recollect.server.spooling import draining, taking
from recollect.server.worker.listening import address_of, bind_port, bind_socket, is_loopback
from recollect.server.worker.log_file import logging_to
from recollect.server.worker.sampling import sampling
from recollect.server.worker.shared_folder import shared_by
from recollect.store.background import home_locks
from recollect.store.failures import os_errors
from recollect.store.files import private_folder, write_file
from recollect.store.sqlite.home import CHECKPOINTS

STOP_S = 5.0
"""The longest a stop takes: running requests end, then the memory is closed."""
SWITCH_S = 0.0002
"""The switch interval of threads. A hook waits for the interpreter some ten times, which is 50 ms
at Python's default of 5 ms while another request runs; `docs/experiments.md` compares lengths."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_log = logging.getLogger("recollect.server")


class HomeWorker:
    """Serves a home until it is stopped.

    Args:
        home: The folder of the memory.
        overrides: Settings by dotted key.
    """

    def __init__(self, home: Path, overrides: Mapping[str, object] | None = None) -> None:
        self.home = home.absolute()
        self._overrides = overrides
        self._stopping = threading.Event()

    def run(self, started: Callable[[Presence], None] = lambda _: None) -> None:
        """Serve until stopped, by `stop` or a signal.

        Args:
            started: Called as soon as it answers.

        Raises:
            Conflict: another worker serves the home, or the port is taken.
            Denied: the home belongs to another user, or is on a network or synchronized folder.
            ConfigError: a setting is wrong.
            StoreError: the home cannot be opened or written.
        """
        return_large()
        private_folder(self.home)
        if is_served(self.home):  # also by another worker of this process
            raise served_already(self.home)
        resolved = load_settings(self.home, self._overrides)
        settings, is_chosen = resolved.settings.server, _is_chosen(resolved.origins)
        if not settings.allow_shared_folder:
            refuse_shared(self.home)
        with ExitStack() as stack:
            stack.callback(sys.setswitchinterval, sys.getswitchinterval())
            sys.setswitchinterval(SWITCH_S)
            stack.enter_context(stopped_by_signals(self.stop))
            stay = stack.enter_context(sole_worker(self.home))
            stack.enter_context(logging_to(self.home))
            TokenFile(self.home).ensure()
            listeners = stack.enter_context(listening(self.home, settings, is_chosen=is_chosen))
            pool = stack.enter_context(MemoryPool(self.home, self._overrides, role="worker"))
            _end_rewinds(pool.memory())
            look = stack.enter_context(kept_in_step(pool.memory()))
            callers = Callers(pool)
            drain = stack.enter_context(draining(self.home, taking(callers)))
            hooks = ChannelHooks()
            app = HttpApp(all_routes(hooks), all_mounts(), drain)
            measure = stack.enter_context(sampling(pool.memory, self.home, app.series))
            hosts = (settings.host, *settings.hosts)
            server = Server(app, callers, listeners, hosts=hosts)
            answer = stack.enter_context(answering(pool.memory, hooks))
            self._serve(server, _presence_of(listeners), started, (look, stay, measure, answer))

    def stop(self) -> None:
        """Stop it, from any thread; returns at once. Running requests are answered first."""
        self._stopping.set()

    def _serve(
        self,
        server: Server,
        presence: Presence,
        started: Callable[[Presence], None],
        looks: Sequence[Look],
    ) -> None:
        """Answer until it is stopped; worker.json exists as long as it answers."""

        def look() -> None:
            running.look()
            for each in looks:
                each()

        # On a thread of its own it leaves signals to us: uvicorn would end the process on them.
        running = run_on_thread("recollect-server", server.run)
        running.add_done_callback(lambda _: server.started.set())
        running.add_done_callback(lambda _: self._stopping.set())
        path = self.home / PRESENCE_FILE
        try:
            await_event(server.started, look)
            if not running.done():
                # First: one that is killed as soon as it is found has not failed to start.
                with suppress(FileNotFoundError):
                    os.truncate(self.home / START_LOCK, 0)
                write_file(path, msgspec.json.encode(presence))
                _log.info("serves %s, process %s", presence.address, presence.pid)
                started(presence)
            await_event(self._stopping, look)
        finally:
            path.unlink(missing_ok=True)
            server.stop()
            running.result()
        _log.info("stopped")


def _is_chosen(origins: Mapping[str, str]) -> bool:
    return origins["server.port"] != "default"


def refuse_shared(home: Path) -> None:
    """Refuse to serve a home that is shared with other machines.

    Raises:
        Denied: it is on a network, or synchronized.
    """
    what = shared_by(home)
    if what is not None:
        raise Denied(
            f"the home is on {what}, where databases can be damaged",
            hint="move it to a local folder (--home, RECOLLECT_HOME);"
            " or set server.allow_shared_folder: true",
            path=str(home),
        )


@contextmanager
def sole_worker(home: Path) -> Iterator[Look]:
    """Hold the lock of the worker of a home inside the block; yield a function that keeps it.

    Raises:
        Conflict: another worker holds it.
        StoreError: the lock file cannot be opened.
    """
    locks = home_locks(home, SystemClock())
    try:
        locks.become_worker(alone=True)
    except StoreBusy as error:
        raise served_already(home) from error
    try:
        with os_errors(home / PRESENCE_FILE):
            (home / PRESENCE_FILE).unlink(missing_ok=True)  # of a killed one
        yield locks.stay_worker
    finally:
        locks.retire_worker()


@contextmanager
def listening(
    home: Path, settings: ServerSettings, *, is_chosen: bool
) -> Iterator[list[socket.socket]]:
    """Yield the sockets of a worker; the file of a Unix socket is removed at the end.

    Args:
        home: The base of a relative path of a Unix socket.
        settings: Where to listen.
        is_chosen: Whether the user named the port.
    """
    with ExitStack() as stack:
        listeners = [stack.enter_context(bind_port(settings, is_chosen=is_chosen))]
        if not is_loopback(listeners[0]):
            _log.warning("listens on %s: other machines can connect", settings.host)
        if settings.socket is not None:
            path = home / Path(settings.socket).expanduser()
            listeners.append(stack.enter_context(bind_socket(path)))
            stack.callback(path.unlink, missing_ok=True)
        yield listeners


@contextmanager
def kept_in_step(memory: Memory) -> Iterator[Look]:
    """Do the work of the home in the background while the block runs; log failures.

    Yields a function that replaces the thread if it has died.
    """

    def watch() -> None:
        try:
            with suppress(InvalidInput, StoreBusy):  # turned off, or another program does it
                for synced in memory.watch():
                    if synced.last.error is not None:
                        _log.warning("a sync failed: %s", synced.last.error)
        except RecollectError as error:
            _log.warning("the home is not kept in step: %s", error.code)

    def look() -> None:
        if thread.has_died:
            with suppress(StoreError):  # the next check tries again
                thread.start()

    thread = RestartableThread("recollect-watch", watch)
    thread.start()
    yield look


@contextmanager
def answering(memory: Callable[[], Memory], hooks: ChannelHooks) -> Iterator[Look]:
    """Answer what was cut off, and run the enabled channels, while the block runs.

    Yields a function that replaces the threads of channels if they have died.

    Args:
        memory: Returns the memory of the home as it is now.
        hooks: Given the channels that run.
    """
    home = memory()
    if not home.settings.auto_responder.enabled:
        yield lambda: None
        return
    from recollect.respond.channels.runner import start_channels

    with suppress(RecollectError):
        home.responder.resume()
    running = start_channels(home.channels.access, lambda: memory().responder)
    hooks.channels = {each.channel.name: each.channel for each in running}

    def look() -> None:
        for each in running:
            each.look()

    try:
        yield look
    finally:
        hooks.channels = {}
        for each in running:
            each.stop()
        for each in reversed(running):
            each.close()


def _end_rewinds(memory: Memory) -> None:
    """Put back what rewinds changed that a crash cut off; one that fails is in the status."""
    if (memory.home / CHECKPOINTS).is_dir():
        with suppress(RecollectError):
            for each in memory.checkpoints.recover_all():
                _log.warning("rewind %s was cut off and is %s now", each.id, each.status)


def _presence_of(listeners: list[socket.socket]) -> Presence:
    host, port = address_of(listeners[0])
    return Presence(
        pid=os.getpid(),
        host=host,
        port=port,
        protocol=PROTOCOL,
        version=__version__,
        started_at=SystemClock().now_ms(),
        surroundings=surroundings(),
        socket=next((str(each.getsockname()) for each in listeners[1:]), None),
        is_open=not is_loopback(listeners[0]),
    )


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first termination signal; end the process if it takes too long.

    A killed process loses nothing that it acknowledged, so the end is never awaited longer than
    `STOP_S`. Outside of the main thread signals are left alone; so is one that the parent ignores,
    as nohup does.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    late = threading.Timer(STOP_S, _give_up)
    late.daemon = True

    def end(*_: object) -> None:
        stop()
        with suppress(RuntimeError):  # the second signal finds it already started
            late.start()

    signals = [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, end) for each in signals}
    try:
        yield
    finally:
        late.cancel()
        for each, handler in before.items():
            signal.signal(each, handler)


def _give_up() -> None:
    _log.error("did not stop within %s s: ends at once", STOP_S)
    os._exit(1)
