"""A stand-in for the Messages API on this machine: it says what a script has it say.

It answers over the real wire shape, streamed or whole, and keeps what it was asked. The client asks
more than its conversation: for a title, for a summary, in the name of a sub-agent. So each request
is first told by what stands in it, and a sub-agent has a script of its own.

Source: the Messages API of Anthropic, its events of a stream; requests of Claude Code 2.1.330.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

MODEL = "claude-test-1"
SUMMARY = "<analysis>short</analysis><summary>They spoke of the kettle.</summary>"
LAST_WORDS = "Done."
COMPACTION_WORDS = "followed by a <summary> block"
"""What stands in the last message of a request for a summary."""

Kind = Literal["main", "subagent", "compaction", "other"]


@dataclass(frozen=True)
class Use:
    """A tool that the model calls.

    Args:
        name: Of the tool: ``Write``, ``Bash``, ``mcp__server__tool``.
        input: Its arguments.
        id: The tool_use_id; made from the place in the stream where it is empty.
    """

    name: str
    input: Mapping[str, Any]
    id: str = ""


Say = str | Use
Reply = Sequence[Say]
"""Text and tool calls of one answer, in this order."""


@dataclass(frozen=True)
class Asked:
    """One request: what kind it was, and its body."""

    kind: Kind
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All words of the system prompt and the messages, blocks of tools included."""
        return "\n".join(_words([self.body.get("system"), self.body.get("messages")]))


@dataclass
class Script:
    """What the model says.

    Args:
        main: The answers of the conversation, one a request; then `LAST_WORDS`.
        subagents: The same for each sub-agent, by a part of its prompt.
        summary: The answer to a request for a summary.
        status: Of every answer; anything but 200 is an error without words.
        going_on: Every streamed answer waits for it after the first word of its text.
    """

    main: list[Reply] = field(default_factory=list)
    subagents: dict[str, list[Reply]] = field(default_factory=dict)
    summary: str = SUMMARY
    status: int = 200
    going_on: threading.Event | None = None


class MessagesApi:
    """Serves in the ``with`` block on a free port.

    Clear ``released`` and an answer to the conversation waits until it is set again; ``waiting`` is
    set as soon as one does.

    Args:
        script: What it says; it may be replaced between two runs.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or Script()
        self.asked: list[Asked] = []
        self.released = threading.Event()
        self.released.set()
        self.waiting = threading.Event()
        self._lock = threading.Lock()
        self._uses = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.api = self
        self._thread = threading.Thread(target=self._server.serve_forever, name="messages-api")

    @property
    def url(self) -> str:
        """Where it listens."""
        port = self._server.server_address[1]
        return f"http://127.0.0.1:{port}"

    def __enter__(self) -> MessagesApi:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.released.set()
        if self.script.going_on:
            self.script.going_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def conversation(self) -> list[Asked]:
        """Return the requests of the main conversation, oldest first."""
        return [asked for asked in self.asked if asked.kind == "main"]

    def forget(self) -> None:
        """Forget what was asked so far."""
        self.asked.clear()

    def reply(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Keep the request, and return the blocks of the answer."""
        with self._lock:
            kind, lines = self._told(body)
            self.asked.append(Asked(kind, body))
            if kind == "compaction":
                said: Reply = [self.script.summary]
            else:
                said = lines.pop(0) if lines else [LAST_WORDS]
            blocks = [self._block(part) for part in said]
        if kind == "main" and not self.released.is_set():
            self.waiting.set()
            self.released.wait()
        return blocks

    def _told(self, body: Mapping[str, Any]) -> tuple[Kind, list[Reply]]:
        messages = body.get("messages") or [{}]
        if COMPACTION_WORDS in "\n".join(_words(messages[-1])):
            return "compaction", []
        if not body.get("tools"):
            return "other", []
        first = "\n".join(_words(messages[0]))
        for part, lines in self.script.subagents.items():
            if part in first:
                return "subagent", lines
        return "main", self.script.main

    def _block(self, part: Say) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        self._uses += 1
        named = part.id or f"toolu_scripted_{self._uses:04}"
        return {"type": "tool_use", "id": named, "name": part.name, "input": dict(part.input)}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    api: MessagesApi


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self._send(b"{}", "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._send(json.dumps({"input_tokens": 100}).encode(), "application/json")
        elif not path.endswith("/messages"):
            self._send(b"{}", "application/json")
        elif self.server.api.script.status != 200:
            refusal = {"type": "error", "error": {"type": "api_error", "message": "refused"}}
            self._send(json.dumps(refusal).encode(), "application/json", 400)
        elif body.get("stream"):
            blocks = self.server.api.reply(body)
            if self.server.api.script.going_on is None:
                self._send("".join(_stream(blocks)).encode(), "text/event-stream")
            else:
                self._send_slowly(blocks, self.server.api.script.going_on)
        else:
            whole = _message(self.server.api.reply(body))
            self._send(json.dumps(whole).encode(), "application/json")

    def _send(self, content: bytes, kind: str, status: int = 200) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # a client that was interrupted is gone

    def _send_slowly(self, blocks: list[dict[str, Any]], going_on: threading.Event) -> None:
        self.close_connection = True
        try:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            for event in _stream(blocks, by_words=True):
                self.wfile.write(event.encode())
                self.wfile.flush()
                if "text_delta" in event:
                    going_on.wait()
        except (BrokenPipeError, ConnectionResetError):
            pass  # a client that was interrupted is gone

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _message(blocks: list[dict[str, Any]]) -> dict[str, Any]:
    is_use = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": blocks,
        "stop_reason": "tool_use" if is_use else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 20},
    }


def _stream(blocks: list[dict[str, Any]], *, by_words: bool = False) -> Iterator[str]:
    whole = _message(blocks)
    start = whole | {"content": [], "stop_reason": None}
    yield _event("message_start", message=start)
    for index, block in enumerate(blocks):
        is_text = block["type"] == "text"
        nothing: dict[str, Any] = {"text": ""} if is_text else {"input": {}}
        yield _event("content_block_start", index=index, content_block=block | nothing)
        for said in _deltas(block, by_words=by_words):
            yield _event("content_block_delta", index=index, delta=said)
        yield _event("content_block_stop", index=index)
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage={"output_tokens": 20})
    yield _event("message_stop")


def _deltas(block: dict[str, Any], *, by_words: bool) -> Iterator[dict[str, Any]]:
    if block["type"] != "text":
        yield {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        return
    for piece in re.findall(r"\S+\s*", block["text"]) if by_words else [block["text"]]:
        yield {"type": "text_delta", "text": piece}


def _event(name: str, **more: object) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name, **more})}\n\n"


def _words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _words(inner)
    elif isinstance(value, Sequence):
        for inner in value:
            yield from _words(inner)
