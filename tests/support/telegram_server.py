"""A real HTTP server on loopback that speaks the Bot API of Telegram, for one bot.

What people write is scripted, what the bot sends is kept; any call can fail in the ways that
Telegram and networks have.

Source: https://core.telegram.org/bots/api; update ids ascend, an update is kept until an offset
above it is asked for, and errors are ``{"ok": false, "error_code", "description"}``.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import urlsplit

TOKEN = "123456:AAE-scripted_token_of_a_test"
BOT = {"id": 123456, "is_bot": True, "first_name": "Tea", "username": "tea_bot"}


class Sent(NamedTuple):
    """A message that the bot sent, and that was shown."""

    chat: int
    text: str
    thread: int | None
    reply_to: int | None


class Failure(NamedTuple):
    """What the next call of a method meets: an error, or a connection that breaks.

    ``shown``: the message was shown before it broke.
    """

    status: int = 0
    retry_after: float | None = None
    kind: Literal["error", "broken", "shown"] = "error"


class TelegramServer:
    """The server; a context manager. Safe to use from several threads."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.webhook: dict[str, Any] | None = None
        self._updates: list[dict[str, Any]] = []
        self._next_update = 700_000_001
        self._next_message = 1
        self._failures: dict[str, deque[Failure]] = {}
        self._changed = threading.Condition()
        self._is_closing = False
        self._server = _Listener(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> TelegramServer:
        """Start it."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop it."""
        self.close()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def base_url(self) -> str:
        """Return the setting ``channels.telegram.base_url``."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def settings(self, **more: object) -> dict[str, object]:
        """Return the settings of a home with this bot."""
        own: dict[str, object] = {
            "embedding.provider": "none",
            "channels.enabled": ["telegram"],
            "channels.telegram.token": TOKEN,
            "channels.telegram.base_url": self.base_url,
        }
        return own | {name.replace("__", "."): value for name, value in more.items()}

    def close(self) -> None:
        """Let go of those that wait for updates."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()

    def write(
        self, chat: int, text: str | None = "", person: int | None = None, **more: Any
    ) -> int:
        """Let a person write; return the number of the message.

        Args:
            chat: The person's own, or, below 0, a group.
            text: What is written; None: media.
            person: Who; the chat's if not given.
            more: Other fields of the message.
        """
        return int(self.update(self.message(chat, text, person, **more))["message"]["message_id"])

    def message(
        self, chat: int, text: str | None = "", person: int | None = None, **more: Any
    ) -> dict[str, Any]:
        """Return a new message, as Telegram has it."""
        with self._changed:
            number, self._next_message = self._next_message, self._next_message + 1
        who = chat if person is None else person
        content: dict[str, Any] = {"photo": [{"file_id": "x"}]} if text is None else {"text": text}
        sender = {"id": who, "is_bot": False, "first_name": f"P{who}"}
        place = {"id": chat, "type": "private" if chat > 0 else "supergroup"}
        return {
            "message_id": number,
            "date": 1_795_000_000,
            "chat": place,
            "from": sender,
            **content,
            **more,
        }

    def update(self, message: dict[str, Any], kind: str = "message") -> dict[str, Any]:
        """Put an update into the queue, and return it."""
        with self._changed:
            update = {"update_id": self._next_update, kind: message}
            self._next_update += 1
            self._updates.append(update)
            self._changed.notify_all()
        return update

    def edit(self, message: dict[str, Any], text: str) -> dict[str, Any]:
        """Let a person edit a message."""
        return self.update(message | {"text": text, "edit_date": 1_795_000_100}, "edited_message")

    def repeat(self, update: dict[str, Any]) -> None:
        """Deliver an update once more, as after a lost acknowledgement."""
        with self._changed:
            self._updates.append(update)
            self._changed.notify_all()

    def fail(self, method: str, *failures: Failure) -> None:
        """Let the next calls of a method fail, one each."""
        with self._changed:
            self._failures.setdefault(method, deque()).extend(failures)

    def texts(self, chat: int) -> list[str]:
        """Return what was sent to a chat, in order."""
        with self._changed:
            return [each.text for each in self.sent if each.chat == chat]

    def await_sent(self, count: int, timeout_s: float = 20.0) -> list[Sent]:
        """Return all that was sent, once it is so much."""
        with self._changed:
            there = self._changed.wait_for(lambda: len(self.sent) >= count, timeout_s)
            assert there, f"{len(self.sent)} of {count} were sent"
            return list(self.sent)

    def await_call(self, method: str, count: int = 1, timeout_s: float = 20.0) -> None:
        """Wait until a method was called so often."""
        with self._changed:
            assert self._changed.wait_for(
                lambda: sum(name == method for name, _ in self.calls) >= count, timeout_s
            ), f"{method} was not called {count} times"

    def await_empty(self, timeout_s: float = 20.0) -> None:
        """Wait until every update is acknowledged."""
        with self._changed:
            assert self._changed.wait_for(lambda: not self._updates, timeout_s)

    def answer(self, method: str, fields: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """Return status and body of a call; None: the connection breaks."""
        with self._changed:
            self.calls.append((method, fields))
            self._changed.notify_all()
            failures = self._failures.get(method)
            failure = failures.popleft() if failures else None
            if failure is not None and failure.kind == "shown":
                self._send(fields)
            if failure is not None:
                return _error(failure)
            result = self._result(method, fields)
        if result is None:
            return 404, {"ok": False, "error_code": 404, "description": "Not Found"}
        return 200, {"ok": True, "result": result}

    def _result(self, method: str, fields: dict[str, Any]) -> object:
        if method == "getMe":
            return BOT
        if method == "getUpdates":
            return self._poll(fields)
        if method == "sendMessage":
            assert len(fields["text"].encode("utf-16-le")) <= 2 * 4_096
            return self._send(fields)
        if method in {"setWebhook", "deleteWebhook"}:
            self.webhook = fields if method == "setWebhook" else None
            return True
        return True if method == "sendChatAction" else None

    def _poll(self, fields: dict[str, Any]) -> list[dict[str, Any]]:
        offset = fields.get("offset", 0)
        self._updates = [each for each in self._updates if each["update_id"] >= offset]
        self._changed.notify_all()
        self._changed.wait_for(lambda: self._updates or self._is_closing, fields["timeout"])
        return self._updates[:100]

    def _send(self, fields: dict[str, Any]) -> dict[str, Any]:
        reply_to = fields.get("reply_parameters", {}).get("message_id")
        thread = fields.get("message_thread_id")
        self.sent.append(Sent(fields["chat_id"], fields["text"], thread, reply_to))
        self._changed.notify_all()
        return {"message_id": 90_000_000 + len(self.sent)}


def _error(failure: Failure) -> tuple[int, dict[str, Any]] | None:
    if failure.kind != "error":
        return None
    body: dict[str, Any] = {
        "ok": False,
        "error_code": failure.status,
        "description": "scripted",
    }
    if failure.retry_after is not None:
        body["parameters"] = {"retry_after": failure.retry_after}
    return failure.status, body


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    owner: TelegramServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: clients hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Answer a call."""
        fields = json.loads(self.rfile.read(int(self.headers.get("content-length", "0"))) or b"{}")
        path = urlsplit(self.path).path  # a client of a proxy sends the whole address
        token, _, method = path.removeprefix("/bot").partition("/")
        owner = cast("_Listener", self.server).owner
        if token != TOKEN:
            answer: tuple[int, dict[str, Any]] | None = (
                401,
                {"ok": False, "error_code": 401, "description": "Unauthorized"},
            )
        else:
            answer = owner.answer(method, fields)
        if answer is None:
            self.close_connection = True
            self.connection.close()
            return
        body = json.dumps(answer[1]).encode()
        self.send_response(answer[0])
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""
