"""The responder over HTTP, and what other programs post for channels."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.chat_model import SETTINGS, Call, ChatModel, install
from tests.support.running_server import RunningServer

KEY = "agent:main:telegram:default:direct:42"


@contextmanager
def _serving(
    home: Path, patch: pytest.MonkeyPatch, *steps: Any
) -> Iterator[tuple[RunningServer, ChatModel]]:
    model = ChatModel(*steps)
    install(patch, model)
    with RunningServer(home, overrides=SETTINGS) as server:
        yield server, model


def _ask(server: RunningServer, token: str = "", accept: str = "*/*", **fields: Any) -> Any:
    return httpx.post(
        f"http://127.0.0.1:{server.port}/api/chat",
        json=fields,
        headers={"authorization": f"Bearer {token or server.token}", "accept": accept},
        timeout=30,
    )


def test_a_message_is_answered_as_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the same event id twice is answered once, with the same answer."""
    with _serving(tmp_path, monkeypatch, "With milk.") as (server, model):
        replies = [_ask(server, session_key=KEY, text="Tea?", event_id="e1") for _ in range(2)]
        first, second = (each.json() for each in replies)
    assert first["status"] == second["status"] == "answered"
    assert first["text"] == second["text"] == "With milk."
    assert (first["event_id"], first["seq"], second["seq"]) == ("e1", 2, 2)
    assert replies[0].headers["content-type"] == "application/json"
    assert len(model.prompts) == 1


def test_an_answer_is_streamed_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typing, pieces, blocks, and the reply as the last event."""
    with _serving(tmp_path, monkeypatch, ["With ", "milk."]) as (server, _):
        answer = _ask(server, accept="text/event-stream", session_key=KEY, text="Tea?")
    assert answer.headers["content-type"] == "text/event-stream"
    events = [each.split("\n") for each in answer.text.strip().split("\n\n")]
    kinds = [lines[0].removeprefix("event: ") for lines in events]
    data = [json.loads(lines[1].removeprefix("data: ")) for lines in events]
    assert kinds[0] == "typing"
    assert kinds[-1] == "reply"
    pieces = [each["text"] for kind, each in zip(kinds, data, strict=True) if kind == "piece"]
    assert pieces == ["With ", "milk."]
    assert data[-1]["text"] == "With milk."


def test_a_client_that_leaves_cancels_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message stays, and the next one is answered."""
    said, cancelled = threading.Event(), threading.Event()

    def slow(call: Call) -> str:
        call.say("With ")
        said.set()
        call.cancellation.on_cancel(cancelled.set)
        call.wait(threading.Event())
        return ""

    with _serving(tmp_path, monkeypatch, slow) as (server, _):
        with httpx.stream(
            "POST",
            f"http://127.0.0.1:{server.port}/api/chat",
            json={"session_key": KEY, "text": "Tea?"},
            headers=server.headers(accept="text/event-stream"),
            timeout=30,
        ) as answer:
            assert next(answer.iter_lines()) == "event: typing"
            assert said.wait(30)
        assert cancelled.wait(30)
        assert _ask(server, session_key=KEY, text="Coffee?").json()["status"] == "answered"
        page = server.call("GET", f"/api/messages?session_key={KEY}").json
    texts = [each["text"] for each in page["messages"]]
    assert "Tea?" in texts
    assert "Coffee?" in texts


def test_a_failure_is_a_clear_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its code and what to do; the message is kept."""
    with _serving(tmp_path, monkeypatch, RuntimeError("boom")) as (server, _):
        reply = _ask(server, session_key=KEY, text="Tea?").json()
    assert reply["status"] == "failed"
    assert reply["text"]
    assert reply["code"]


def test_who_may_have_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who writes for a channel without hearing it gets none, nor who may only capture."""
    with _serving(tmp_path, monkeypatch) as (server, model):
        bridge = server.tokens.add("bridge", rights="write", channels=["telegram"]).text
        reader = server.tokens.add("reader", rights="capture").text
        bot = server.tokens.add(
            "bot", audience="session:*", rights="write", channels=["telegram"]
        ).text
        guest = server.tokens.add("guest", audience=f"session:{KEY}", rights="write").text
        assert _ask(server, bridge, session_key=KEY, text="x").status_code == 404
        assert _ask(server, reader, session_key="notes", text="x").status_code == 403
        assert model.prompts == []
        for token in (bot, guest):
            answer = _ask(server, token, session_key=KEY, text="x")
            assert answer.json()["status"] == "answered"
        other = "agent:main:telegram:default:direct:43"
        assert _ask(server, guest, session_key=other, text="x").status_code in {403, 404}
        wrong = _ask(server, guest, session_key=KEY, text="x", sender="slack:U1")
        assert wrong.status_code == 403


def test_a_session_without_a_key_cannot_be_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes later would find no conversation."""
    with _serving(tmp_path, monkeypatch) as (server, _):
        session = server.pool.memory().sessions.create()
        answer = _ask(server, session_key=session.id, text="x")
    assert answer.status_code == 422
    assert "no key" in answer.json()["error"]["message"]


def test_hooks_of_channels_that_do_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They tell nothing but that."""
    with _serving(tmp_path, monkeypatch) as (server, _):
        for name in ("telegram", "webhook"):
            target = f"http://127.0.0.1:{server.port}/api/channels/{name}"
            answer = httpx.post(target, json={"x": 1})
            assert answer.status_code == 404
            assert "is not open" in answer.json()["error"]["message"]
            broken = httpx.post(target, content=b"{", headers={"content-type": "application/json"})
            assert broken.status_code == 400
