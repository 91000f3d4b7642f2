"""The worker with channels: it starts them, answers, and stops them in order."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import httpx
import pytest

import recollect
from recollect.cli.doctor.index_checks import check_channels
from recollect.memory import Memory
from tests.support.chat_model import SETTINGS, Call, ChatModel, install
from tests.support.served import serving
from tests.support.telegram_server import Failure, TelegramServer

ROOT = Path(__file__).resolve().parents[3]
SECRET = "a-secret-of-some-length"


@pytest.fixture
def telegram() -> Iterator[TelegramServer]:
    """A server of Telegram."""
    with TelegramServer() as server:
        yield server


@contextmanager
def _served(
    home: Path, settings: dict[str, object], patch: pytest.MonkeyPatch
) -> Iterator[tuple[str, ChatModel]]:
    model = ChatModel()
    install(patch, model)
    with serving(home, SETTINGS | settings) as presence:
        yield presence.address, model


@contextmanager
def _memory(home: Path, settings: dict[str, object]) -> Iterator[Memory]:
    overrides = SETTINGS | settings | {"language.provider": "none"}
    with recollect.open(home, overrides=overrides, live=False) as memory:
        yield memory


def _example() -> ModuleType:
    path = ROOT / "docs" / "examples" / "webhook.py"
    spec = importlib.util.spec_from_file_location("webhook_example", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_owner_is_answered_over_telegram(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is remembered in the next process."""
    settings = telegram.settings()
    with _served(tmp_path, settings, monkeypatch):
        telegram.write(42, "My boat has a green hull.")
        telegram.await_sent(1)
    with _served(tmp_path, settings, monkeypatch) as (_, model):
        telegram.write(42, "Which boat?")
        telegram.await_sent(2)
        assert "My boat has a green hull." in model.said[0]
    assert telegram.texts(42) == ["Echo: My boat has a green hull.", "Echo: Which boat?"]
    with _memory(tmp_path, settings) as memory:
        status = memory.channels.status()
        assert [each.state for each in status.channels] == ["stopped"]
        assert status.deliveries == {"sent": 2}
        assert check_channels(memory).detail == "telegram"


def test_telegram_posts_updates(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of order too: an edit that comes before its message is answered instead."""
    settings = telegram.settings(
        channels__telegram__mode="webhook", channels__telegram__webhook_secret=SECRET
    )
    message = telegram.message(42, "tee")
    edited = {"update_id": 8, "edited_message": message | {"text": "tea", "edit_date": 2}}
    with _served(tmp_path, settings, monkeypatch) as (address, _):
        target = f"{address}/api/channels/telegram"
        own = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
        telegram.await_call("getMe")
        while httpx.post(target, json={"update_id": 1}, headers=own).status_code == 404:
            pass
        wrong = httpx.post(target, json=edited, headers={**own, next(iter(own)): SECRET + "x"})
        assert wrong.status_code == 403
        for update in (edited, {"update_id": 7, "message": message}, edited):
            answer = httpx.post(target, json=update, headers=own)
            assert answer.status_code == 200, answer.text
        telegram.await_sent(1)
        telegram.write(1, "not asked for")
    assert telegram.texts(42) == ["Echo: tea"]
    with _memory(tmp_path, settings) as memory:
        assert memory.channels.status().deliveries == {"sent": 1}


def test_the_program_of_the_page_on_channels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It signs, and gets the answer; whom nobody allowed gets none."""
    example = _example()
    settings = {"channels.enabled": ["webhook"], "channels.webhook.secret": example.SECRET}
    with _memory(tmp_path, settings) as memory:
        memory.channels.allow("webhook:ann")
    with _served(tmp_path, settings, monkeypatch) as (address, _):
        while httpx.post(f"{address}/api/channels/webhook", json={}).status_code == 404:
            pass
        answer = example.ask(address, event_id="1", sender="ann", text="Tea?")
        unknown = example.ask(address, event_id="2", sender="bob", text="Tea?")
        with pytest.raises(httpx.HTTPStatusError, match="409"):
            example.ask(address, event_id="1", sender="ann", text="Tea?")
    assert answer == {"taken": "taken", "status": "answered", "text": "Echo: Tea?"}
    assert unknown == {"taken": "unknown", "status": None, "text": ""}


def test_nothing_starts_where_the_responder_is_off(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No call is made."""
    settings = telegram.settings() | {"auto_responder.enabled": False}
    with _served(tmp_path, settings, monkeypatch) as (address, _):
        telegram.write(42, "hello")
        posted = httpx.post(f"{address}/api/channels/telegram", json={})
        assert posted.status_code == 404
        assert "telegram" not in {each.name for each in threading.enumerate()}
    assert telegram.calls == []


def test_a_channel_that_cannot_start_is_told_by_the_doctor(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker serves all the same."""
    settings = telegram.settings() | {"channels.telegram.token": None}
    with _served(tmp_path, settings, monkeypatch) as (address, _):
        assert httpx.get(f"{address}/api/health").status_code == 200
        with _memory(tmp_path, settings) as memory:
            result = check_channels(memory)
    assert result.state != "ok"
    assert "token must be set" in result.detail


def test_an_answer_that_may_not_have_arrived_is_told_by_the_doctor(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With where to look."""
    settings = telegram.settings()
    telegram.fail("sendMessage", Failure(kind="broken"))
    with _served(tmp_path, settings, monkeypatch):
        telegram.write(42, "hello")
        telegram.await_call("sendMessage")
    with _memory(tmp_path, settings) as memory:
        result = check_channels(memory)
    assert "1 answer may not have arrived" in result.detail
    assert "channels status" in result.hint


def test_a_stop_loses_nothing(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was being answered is answered, and sent, after the next start."""
    settings = telegram.settings()
    asked = threading.Event()

    def think(call: Call) -> str:
        asked.set()
        call.wait(threading.Event())
        return ""

    install(monkeypatch, ChatModel(think))
    with serving(tmp_path, SETTINGS | settings):
        telegram.write(42, "hello")
        assert asked.wait(30)
    assert telegram.sent == []
    with _served(tmp_path, settings, monkeypatch):
        telegram.await_sent(1)
    assert telegram.texts(42) == ["Echo: hello"]
