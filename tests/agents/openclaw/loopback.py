"""Stand-ins on loopback for what OpenClaw talks to: a Telegram Bot API and a chat model.

The wire shapes are those of the real ones, as far as the gateway uses them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from typing import Any

POLL_S = 1.0
"""Longest that `getUpdates` waits for news."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Say nothing of a client that was ended in the middle."""


class Loopback:
    """An HTTP server on a free port, while the ``with`` block runs.

    Args:
        answer: Returns the body for a path and what came with it; text is sent as an event stream.
    """

    def __init__(self, answer: Callable[[str, Any], dict[str, Any] | str]) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    given = json.loads(body or b"{}")
                except ValueError:
                    given = {}
                self._send(answer(self.path, given))

            def do_GET(self) -> None:
                self._send(answer(self.path, {}))

            def _send(self, told: dict[str, Any] | str) -> None:
                is_stream = isinstance(told, str)
                body = told.encode() if isinstance(told, str) else json.dumps(told).encode()
                self.send_response(200)
                kind = "text/event-stream" if is_stream else "application/json"
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Loopback:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self.close()

    def close(self) -> None:
        """Give the port back, where it never ran."""
        self._server.server_close()


class Telegram:
    """A Telegram Bot API: people write to the bot, and what it says is kept.

    Attributes:
        said: What the bot sent: the id of the chat, and the text.
    """

    def __init__(self) -> None:
        self._updates: Queue[dict[str, Any]] = Queue()
        self._count = 0
        self.said: Queue[tuple[int, str]] = Queue()
        self.calls: list[str] = []

    def write(self, text: str, sender: int, chat: int | None = None) -> None:
        """Let somebody write: to the bot alone, or into a group where it is mentioned."""
        self._count += 1
        place: dict[str, Any] = {"id": sender, "type": "private", "first_name": f"P{sender}"}
        entities: list[dict[str, Any]] = []
        if chat is not None:
            place = {"id": chat, "type": "supergroup", "title": "Crew"}
            kind = "bot_command" if text.startswith("/") else "mention"
            text = f"{text}@heron_bot" if kind == "bot_command" else f"@heron_bot {text}"
            length = len(text) if kind == "bot_command" else len("@heron_bot")
            entities = [{"type": kind, "offset": 0, "length": length}]
        message = {
            "message_id": 100 + self._count,
            "date": 1_795_348_800 + self._count,
            "chat": place,
            "from": {"id": sender, "is_bot": False, "first_name": f"P{sender}"},
            "text": text,
            "entities": entities,
        }
        self._updates.put({"update_id": self._count, "message": message})

    def answer(self, path: str, given: dict[str, Any]) -> dict[str, Any]:
        """Answer a call of a method."""
        method = path.partition("?")[0].rpartition("/")[2]
        self.calls.append(method)
        result: Any = True
        if method == "getMe":
            result = {"id": 1, "is_bot": True, "first_name": "Heron", "username": "heron_bot"}
            result |= {"can_join_groups": True, "can_read_all_group_messages": False}
        elif method == "getUpdates":
            try:
                result = [self._updates.get(timeout=POLL_S)]
            except Empty:
                result = []
        elif method == "getWebhookInfo":
            result = {"url": "", "pending_update_count": 0, "has_custom_certificate": False}
        elif method in {"sendMessage", "editMessageText"}:
            self._count += 1
            chat, text = int(given["chat_id"]), given.get("text", "")
            self.said.put((chat, text))
            place = {"id": chat, "type": "private" if chat > 0 else "supergroup"}
            result = {"message_id": 1_000 + self._count, "date": 0, "chat": place, "text": text}
        elif method in {"getMyCommands", "getForumTopicIconStickers", "getChatAdministrators"}:
            result = []
        return {"ok": True, "result": result}


class ChatModel:
    """A chat model over OpenAI's wire: it calls the tools of its script, then says what it got.

    Attributes:
        script: By a part of the newest message of a person, the calls that answer it: names and
            arguments.
        asked: Every request.
    """

    def __init__(self) -> None:
        self.script: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.asked: list[dict[str, Any]] = []

    def answer(self, path: str, given: dict[str, Any]) -> dict[str, Any] | str:
        """Answer a completion; other paths list the model."""
        if not path.endswith("/chat/completions"):
            return {"object": "list", "data": [{"id": "m", "object": "model"}]}
        self.asked.append(given)
        prompt = prompt_of(given)
        done = sum(each["role"] == "tool" for each in _turn(given))
        calls = next((calls for part, calls in self.script.items() if part in prompt), [])
        if done < len(calls):
            name, arguments = calls[done]
            return _stream(_call(name, arguments, f"call_{len(self.asked)}"), "tool_calls")
        return _stream({"content": f"Answer {len(self.asked)}."}, "stop")

    def prompts(self) -> list[str]:
        """Return what each request asks, with what OpenClaw and its plugins put beside it."""
        return [prompt_of(each) for each in self.asked]

    def results(self) -> list[str]:
        """Return what tools gave back, in any request, once."""
        found = [
            text_of(each)
            for one in self.asked
            for each in one["messages"]
            if each["role"] == "tool"
        ]
        return list(dict.fromkeys(found))


def prompt_of(request: dict[str, Any]) -> str:
    """Return the words of the newest turn: OpenClaw sends what it adds as messages of their own."""
    return "\n".join(text_of(each) for each in _turn(request) if each["role"] == "user")


def _turn(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages since the last answer that called no tool."""
    messages: list[dict[str, Any]] = request["messages"]
    answers = [
        n
        for n, each in enumerate(messages)
        if each["role"] == "assistant" and not each.get("tool_calls")
    ]
    return messages[answers[-1] + 1 if answers else 0 :]


def text_of(message: dict[str, Any]) -> str:
    """Return the text of a message."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or [])


def _call(name: str, arguments: dict[str, Any], call_id: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}]}


def _stream(delta: dict[str, Any], reason: str) -> str:
    head: dict[str, Any] = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"role": "assistant"} | delta, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]
    lines = [f"data: {json.dumps(head | chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"])
