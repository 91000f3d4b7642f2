"""Hands an event of an agent program to the worker of a home, and prints what it answers.

Run as a file: ``python -I -S /path/client.py CLIENT EVENT --home DIR [--deadline-ms N] [--start-ms
N]``, with the payload of the event on stdin. It exits with 0 whatever happens, and waits no longer
than its deadline; where no worker runs, a start of one may take until ``--start-ms``. What it could
not deliver it leaves to a process of its own, which redacts it and puts it into the spool of the
home, see `recollect.hook.keeping`.

An agent waits for this file at its tool calls, so it imports only what the interpreter is made of.
CPU of a whole process, mean of 100: nothing imported 7.3 ms; ``_socket``, ``_signal`` and ``_json``
8.3 ms; ``socket`` and ``json``, which are those and their enumerations and patterns, 19 ms.
"""

import _json
import _signal  # type: ignore[import-not-found]  # typeshed knows `signal` alone
import _socket
import fcntl
import os
import sys
import time

TYPE_CHECKING = False  # `typing` is not imported
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

DEADLINE_MS = 300.0
MOST_BYTES = 64_000_000
"""Largest payload; the worker keeps 16 MB of it."""
_MOST_ANSWER = 1_000_000
_CHUNK = 1_048_576
_HEAD_END = b"\r\n\r\n"
_MOST_NAME = 64
ENDS = (_signal.SIGALRM, _signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
"""Signals that end a hook."""
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_ONLY_NOW = ("PreToolUse", "BeforeTool")
"""Events that are of no use once the tool has run."""
_STAGES = {"PreToolUse": "before", "PostToolUse": "after", "PostToolUseFailure": "after"}
"""Events at which a file may have to be kept that a tool changes."""
_ANSWERED_S = 0.1
"""How long a worker may take to answer until its hook keeps the file itself."""
_LOOK_S = 0.01
"""Between two looks whether a worker that starts answers: 0.05 ms of CPU each."""
_STATUS_OK, _STATUS_NOT_ALLOWED = 200, (401, 403)


class Undelivered(Exception):
    """The worker did not take the event; the text says why."""


class NotServed(Undelivered):
    """No worker runs, or it has just started."""


_NOT_YET = (NotServed, OSError, LookupError, StopIteration, ValueError)
"""Errors of a worker that starts: it has not written its address yet, or a part of it, and that of
the one before may be there."""


class Discarded(Exception):
    """The event is not kept: it cannot be sent, or the worker does not let this hook in."""


class _Json:
    """The attributes of a decoder that the scanner of the interpreter reads."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int


class HookCall:
    """One event on its way to the worker.

    Args:
        client: The agent program, as the address of its route names it.
        event: What the program calls the event.
        home: The folder of the memory.
        deadline_ms: How long all of it may take.
        start_ms: How long all of it may take where a worker must be started first; where that is
            not longer, none is.

    Attributes:
        at: When the event happened, ns since 1970 UTC.
        payload: Its JSON, as the program sent it; None until it was read to its end.

    Raises:
        Discarded: a name has other characters than letters, digits, ``-`` and ``_``.
    """

    def __init__(
        self,
        client: str,
        event: str,
        home: str,
        deadline_ms: float = DEADLINE_MS,
        start_ms: float = 0.0,
    ) -> None:
        for name in (client, event):
            if not name.replace("-", "").replace("_", "").isalnum() or len(name) > _MOST_NAME:
                raise Discarded("client and event must be names")
            name.encode("ascii")
        self.client, self.event = client, event
        self.home = os.path.abspath(home)
        self.deadline_ms, self.start_ms = deadline_ms, start_ms
        self.at = time.time_ns()
        self.payload: bytes | None = None

    def read(self, descriptor: int = 0) -> None:
        """Read the payload from a file.

        Raises:
            OSError: it cannot be read.
            Discarded: it is longer than `MOST_BYTES`.
        """
        parts = []
        size = 0
        while part := os.read(descriptor, _CHUNK):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES:
                raise Discarded(f"the payload is longer than {MOST_BYTES:,} bytes")
        self.payload = b"".join(parts)

    def deliver(self, patience_s: float | None = None) -> bytes:
        """Return the answer of the worker: a JSON object, for the output of the hook.

        Args:
            patience_s: How long it may give no sign of life; any time if not given.

        Raises:
            Exception: it did not take the event; `Discarded`, it must not be offered again.
        """
        worker = _worker_of(self.home)
        line = _connected(worker, patience_s)
        try:
            line.sendall(self._request(worker))
            status, body = _answer(line)
        finally:
            line.close()
        if status in _STATUS_NOT_ALLOWED:
            raise Discarded(f"the worker does not accept the token (HTTP {status})")
        if status != _STATUS_OK or body[:1] != b"{":
            raise Undelivered(f"the worker could not store it (HTTP {status})")
        return body

    def _request(self, worker: "dict[str, Any]") -> bytes:
        body = self.payload or b""
        host = f"[{worker['host']}]" if ":" in worker["host"] else worker["host"]
        head = (
            f"POST /api/hooks/{self.client}?event={self.event}&at={self.at // 1_000_000}"
            f"&waits_until={self.at // 1_000_000 + int(self.deadline_ms)} HTTP/1.1\r\n"
            f"Host: {host}:{worker['port']}\r\n"
            f"Authorization: Bearer {_token_of(self.home, self.client)}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n"
        )
        return head.encode() + body


def _worker_of(home: str) -> "dict[str, Any]":
    """Return the address that the worker has published.

    Only its lock proves that it runs: the token must not go to a program that got its port. See
    `recollect.server.presence`.
    """
    try:
        lock = os.open(f"{home}/serve.lock", _READ)
    except FileNotFoundError as error:
        raise NotServed("no worker runs") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = _parsed(os.read(lock, _CHUNK))
    else:
        raise NotServed("no worker runs")
    finally:
        os.close(lock)
    try:
        worker = _parsed(_content(f"{home}/worker.json"))
    except FileNotFoundError as error:
        raise NotServed("the worker starts or stops") from error
    if worker["pid"] != holder["pid"]:
        raise NotServed("the worker has just started")
    return worker


def _token_of(home: str, client: str) -> str:
    try:
        token = _content(f"{home}/hooks/{client}.token")
    except FileNotFoundError:
        token = _content(f"{home}/token")
    if not token.strip():
        raise Undelivered("the file of the token is empty")
    return token.decode("ascii").strip()


def _content(path: str) -> bytes:
    descriptor = os.open(path, _READ)
    try:
        return os.read(descriptor, _CHUNK)
    finally:
        os.close(descriptor)


def _parsed(text: bytes) -> "dict[str, Any]":
    # Typeshed asks for a whole decoder: the scanner reads no more of it than `_Json` has.
    value: dict[str, Any] = _json.make_scanner(_Json)(text.decode(), 0)[0]  # type: ignore[arg-type]
    return value


def _connected(worker: "dict[str, Any]", patience_s: float | None) -> _socket.socket:
    address: str | tuple[str, int] = (worker["host"], worker["port"])
    family = _socket.AF_INET6 if ":" in worker["host"] else _socket.AF_INET
    if worker.get("socket"):
        family, address = _socket.AF_UNIX, worker["socket"]
    line = _socket.socket(family, _socket.SOCK_STREAM)
    line.settimeout(patience_s)
    line.connect(address)
    return line


def _answer(line: _socket.socket) -> tuple[int, bytes]:
    """Return status and body of an answer with a length, as the worker sends it."""
    data = b""
    while _HEAD_END not in data:
        data += _more(line, data)
    head, _, body = data.partition(_HEAD_END)
    first, *fields = head.split(b"\r\n")
    status = int(first.split(b" ")[1])
    length = int(next(each[15:] for each in fields if each[:15].lower() == b"content-length:"))
    while len(body) < length:
        body += _more(line, body)
    return status, body[:length]


def _more(line: _socket.socket, data: bytes) -> bytes:
    piece = line.recv(_CHUNK)
    if not piece or len(data) > _MOST_ANSWER:
        raise Undelivered("what answers is not the worker")
    return piece


def call_of(arguments: "Sequence[str]") -> HookCall:
    """Return the event that a command line describes.

    Raises:
        Exception: it describes none.
    """
    client, event, *options = arguments
    values = dict(zip(options[::2], options[1::2], strict=True))
    deadline_ms = float(values.get("--deadline-ms", DEADLINE_MS))
    start_ms = float(values.get("--start-ms", 0))
    return HookCall(client, event, values["--home"], deadline_ms, start_ms)


def main(
    arguments: "Sequence[str]",
    leave: "Callable[[int], object]" = os._exit,
    spool: "Callable[[HookCall], object] | None" = None,
) -> None:
    """Hand over the event of a command line, and end the process.

    Args:
        arguments: Client, event and options.
        leave: Ends the process.
        spool: Receives an event that was not delivered.
    """
    try:
        _open_streams()
        if os.environ.get("RECOLLECT_INSIDE", "0") in {"", "0"}:  # else it is a model of our own
            _HandOver(call_of(arguments), leave, spool or _spool_behind).run()
    except BaseException as error:  # noqa: BLE001 - the agent goes on, whatever it is
        _debug(error)
    leave(0)


class _HandOver:
    """Hands an event to the worker, and gives up in time.

    Args:
        call: The event.
        leave: Ends the process.
        spool: Receives an event that was not delivered.
    """

    def __init__(
        self,
        call: HookCall,
        leave: "Callable[[int], object]",
        spool: "Callable[[HookCall], object]",
    ) -> None:
        self._call, self._leave, self._spool = call, leave, spool
        self._is_taken = False
        rules = f"{call.home}/checkpoints/capture.json"
        self._keeps_files = call.event in _STAGES and os.path.exists(rules)

    def run(self) -> None:
        """Hand it over, and print the answer."""
        for each in ENDS:
            _signal.signal(each, self._give_up)
        # Whatever waits, the deadline ends it: a hanging worker, a full pipe, a program that never
        # closes our input.
        deadline_s = self._call.deadline_ms / 1000
        if self._keeps_files and deadline_s > _ANSWERED_S:
            _signal.signal(_signal.SIGALRM, self._lose_patience)
            _signal.setitimer(_signal.ITIMER_REAL, _ANSWERED_S)
        else:
            _signal.setitimer(_signal.ITIMER_REAL, deadline_s)
        try:
            self._call.read()
            answer = _delivered(self._call)
            self._is_taken = True
            _signal.signal(_signal.SIGALRM, self._give_up)
            _signal.setitimer(_signal.ITIMER_REAL, deadline_s)  # to be read in whole
            while answer:
                answer = answer[os.write(1, answer) :]
        except Discarded:
            self._is_taken = True
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the event is kept
            _debug(error)
            self._give_up()

    def _give_up(self, *why: object) -> None:
        for each in ENDS:
            _signal.signal(each, _signal.SIG_IGN)
        call = self._call
        if call.payload and not self._is_taken:
            if self._keeps_files:
                _keep_files(call)
            if call.event not in _ONLY_NOW:
                self._spool(call)
        self._leave(0)

    def _lose_patience(self, *why: object) -> None:
        """Keep the files ourselves, and let the tool run where that is done."""
        call, self._keeps_files = self._call, False
        if call.payload and _keep_files(call) and call.event in _ONLY_NOW:
            self._give_up()
        _signal.signal(_signal.SIGALRM, self._give_up)
        left_s = call.deadline_ms / 1000 - (time.time_ns() - call.at) / 1e9
        _signal.setitimer(_signal.ITIMER_REAL, max(left_s, 0.001))


def _keep_files(call: HookCall) -> bool:
    """Keep what a call names of files, where the rules of the home want that."""
    _add_package()
    try:
        from recollect.hook.copying import copy_files

        return copy_files(call.home, call.client, _STAGES[call.event], call.payload or b"")
    except Exception as error:  # noqa: BLE001 - the agent goes on, and the file counts as not seen
        _debug(error)
        return False


def _delivered(call: HookCall) -> bytes:
    """Return the answer of the worker; where none runs, and the call may wait, of a new one."""
    try:
        return call.deliver()
    except _NOT_YET:
        left_s = call.start_ms / 1000 - (time.time_ns() - call.at) / 1e9
        if call.start_ms <= call.deadline_ms or left_s <= 0:
            raise
    _signal.setitimer(_signal.ITIMER_REAL, left_s)
    _add_package()
    from recollect.hook.behind import start

    starting = start(call)
    os.set_blocking(starting, False)
    while True:
        is_over = _is_closed(starting)
        try:
            return call.deliver()
        except _NOT_YET:
            if is_over:
                raise
        time.sleep(_LOOK_S)


def _is_closed(pipe: int) -> bool:
    try:
        return not os.read(pipe, 1)
    except BlockingIOError:
        return False


def _open_streams() -> None:
    """Open what is closed of stdin, stdout and stderr, so that no other file gets its number."""
    opened = 0
    while opened <= 2:
        opened = os.open(os.devnull, os.O_RDWR)
    os.close(opened)


def _debug(error: BaseException) -> None:
    if os.environ.get("RECOLLECT_HOOK_DEBUG", "0") not in {"", "0"}:
        os.write(2, f"recollect hook: {type(error).__name__}: {error}\n".encode())


def _spool_behind(call: HookCall) -> None:
    _add_package()
    from recollect.hook.behind import spool

    spool(call)


def _add_package() -> None:
    """Make the package of this file importable; of others, only the standard library is."""
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


if __name__ == "__main__":
    main(sys.argv[1:])
