"""The channel webhook: signed requests in, answers back or posted."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from recollect.core.clock import SystemClock
from recollect.core.errors import Conflict, Denied, InvalidInput, NotFound
from recollect.memory import Memory
from recollect.respond.channels.port import SIGNATURE, TIMESTAMP
from recollect.respond.channels.runner import RunningChannel
from recollect.respond.channels.webhook import FRESH_S, WebhookChannel, signature
from recollect.respond.reply import ReplyEvent
from tests.unit.respond.channels.home import LEXICAL, opened, running

SECRET = "a secret of some length"


class Receiver:
    """A program that answers are posted to; it answers with a status each time."""

    def __init__(self) -> None:
        self.posts: list[tuple[dict[str, str], bytes]] = []
        self.statuses: list[int] = []
        self._changed = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver._changed:
                    receiver.posts.append(({k.lower(): v for k, v in self.headers.items()}, body))
                    status = receiver.statuses.pop(0) if receiver.statuses else 200
                    receiver._changed.notify_all()
                if status == 0:
                    self.connection.close()
                    return
                self.send_response(status)
                self.send_header("retry-after", "0")
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Keep quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """Return the address of it."""
        return f"http://127.0.0.1:{self.server.server_port}/answers"

    def await_posts(self, count: int) -> None:
        """Wait until so much was posted."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.posts) >= count, 20)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A program that takes answers."""
    made = Receiver()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def _memory(home: Path, **settings: object) -> Memory:
    own = {"channels.enabled": ["webhook"], "channels.webhook.secret": SECRET}
    memory = opened(home, LEXICAL | own | {k.replace("__", "."): v for k, v in settings.items()})
    memory.channels.allow("webhook:ann")
    return memory


def _hook(channels: list[RunningChannel], at_s: int | None = None, **fields: Any) -> Any:
    """Return what became of a signed message, and the events of its answer."""
    channel = channels[0].channel
    assert isinstance(channel, WebhookChannel)
    while channel._receive is None:  # noqa: SLF001
        pass
    body = json.dumps({"event_id": "e1", "sender": "ann"} | fields).encode()
    timestamp = str(SystemClock().now_ms() // 1_000 if at_s is None else at_s)
    events: list[ReplyEvent] = []
    taken = channel.hook(body, timestamp, signature(SECRET, timestamp, body), events.append)
    return taken, events


def test_a_signed_message_is_answered(tmp_path: Path) -> None:
    """In the answer to its request; the state says that it was sent."""
    with _memory(tmp_path) as memory:
        with running(memory) as (responder, channels):
            taken, events = _hook(channels, text="tea?", name="Ann")
        assert memory.channels.status().deliveries == {"sent": 1}
    (message,) = responder.messages
    assert taken == "taken"
    assert events[-1].reply is not None
    assert events[-1].reply.text == "to tea?"
    assert message.key == "agent:main:webhook:default:direct:ann"
    assert (message.sender, message.name) == ("webhook:ann", "Ann")


def test_an_event_id_is_taken_once(tmp_path: Path) -> None:
    """Somebody who recorded a request does not get its answer."""
    with _memory(tmp_path) as memory, running(memory) as (_, channels):
        assert _hook(channels, text="tea?")[0] == "taken"
        with pytest.raises(Conflict, match="taken before"):
            _hook(channels, text="tea?")
        assert _hook(channels, text="more?", event_id="e2")[0] == "taken"


def test_what_is_not_signed_now_is_refused(tmp_path: Path) -> None:
    """Another secret, another body, another time, an old one, none."""
    now = SystemClock().now_ms() // 1_000
    body = b'{"event_id": "e1", "sender": "ann"}'
    right = signature(SECRET, str(now), body)
    old = str(now - FRESH_S - 5)
    late = str(now + FRESH_S + 5)
    with _memory(tmp_path) as memory, running(memory) as (responder, channels):
        hook = channels[0].channel
        assert isinstance(hook, WebhookChannel)
        while hook._receive is None:  # noqa: SLF001
            pass
        for timestamp, signed, sent in (
            (str(now), signature("another secret, as long", str(now), body), body),
            (str(now), right, body + b" "),
            (str(now + 1), right, body),
            (old, signature(SECRET, old, body), body),
            (late, signature(SECRET, late, body), body),
            ("soon", signature(SECRET, "soon", body), body),
            (None, right, body),
            (str(now), None, body),
            (str(now), "é", body),
        ):
            with pytest.raises(Denied):
                hook.hook(sent, timestamp, signed, print)
        assert responder.messages == []


def test_what_a_message_must_have(tmp_path: Path) -> None:
    """The fields are told, and no text of the user."""
    with _memory(tmp_path) as memory, running(memory) as (_, channels):
        for fields in ({"event_id": 5}, {"words": "tea"}, {"sender": None}):
            with pytest.raises(InvalidInput, match="must be a message"):
                _hook(channels, **fields)
    assert channels[0].channel.name == "webhook"
    with pytest.raises(NotFound):
        channels[0].channel.hook(b"{}", "1", "x", print)  # type: ignore[attr-defined]


def test_a_group_and_an_unknown_sender(tmp_path: Path) -> None:
    """A group is allowed by its own name, apart from a person of the same name."""
    with _memory(tmp_path) as memory, running(memory) as (responder, channels):
        assert _hook(channels, sender="bob", text="hi")[0] == "unknown"
        assert _hook(channels, group="ann", text="hi", event_id="e2")[0] == "unknown"
        memory.channels.allow("webhook:group:ann")
        taken, _ = _hook(channels, group="ann", sender="bob", text="hi", event_id="e3", called=True)
        assert taken == "taken"
    (message,) = responder.messages
    assert (message.key, message.reply_to_agent) == ("agent:main:webhook:group:ann", True)


def test_answers_are_posted_and_signed(tmp_path: Path, receiver: Receiver) -> None:
    """Tried again where the other side says so."""
    settings = {"channels__webhook__reply_url": receiver.url}
    receiver.statuses = [429, 503, 200]
    with _memory(tmp_path, **settings) as memory:
        with running(memory) as (_, channels):
            _hook(channels, text="tea?")
            receiver.await_posts(3)
        assert memory.channels.status().deliveries == {"sent": 1}
    headers, body = receiver.posts[-1]
    assert json.loads(body) == {"event_id": "e1", "text": "to tea?"}
    assert headers[SIGNATURE] == signature(SECRET, headers[TIMESTAMP], body)


@pytest.mark.parametrize(
    ("status", "state"), [(404, "failed"), (500, "unknown"), (0, "unknown"), (302, "unknown")]
)
def test_a_post_that_does_not_end_well(
    tmp_path: Path, receiver: Receiver, status: int, state: str
) -> None:
    """It is told, and not repeated."""
    receiver.statuses = [status]
    with _memory(tmp_path, channels__webhook__reply_url=receiver.url) as memory:
        with running(memory) as (_, channels):
            _hook(channels, text="tea?")
            receiver.await_posts(1)
        assert memory.channels.status().deliveries == {state: 1}
    assert len(receiver.posts) == 1


def test_a_program_that_is_not_there_gets_the_answer_later(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a stop it is sent by the next start: nothing of it was sent."""
    url = receiver.url
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as free:
        gone = f"http://127.0.0.1:{free.server_port}/"
    with _memory(tmp_path, channels__webhook__reply_url=gone) as memory:
        with running(memory) as (responder, channels):
            _hook(channels, text="tea?")
            while memory.channels.status().deliveries != {"received": 1}:
                pass
        assert memory.channels.status().deliveries == {"received": 1}
    with _memory(tmp_path, channels__webhook__reply_url=url) as memory:
        with running(memory, responder):
            receiver.await_posts(1)
        assert memory.channels.status().deliveries == {"sent": 1}


def test_the_channel_does_not_start_without_a_secret(tmp_path: Path) -> None:
    """Anybody could write."""
    with (
        _memory(tmp_path, channels__webhook__secret="short") as memory,
        running(memory) as (_, channels),
    ):
        assert channels == []
        (state,) = memory.channels.status().channels
        assert "secret must be set" in (state.error or "")
