"""The channel Telegram, against a server that speaks the Bot API."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from recollect.core.errors import ConfigError, Denied, InvalidInput, NotFound
from recollect.memory import Memory
from recollect.respond.channels.telegram import api as telegram_api
from recollect.respond.channels.telegram import channel as telegram_channel
from recollect.respond.channels.telegram.api import BotApi, BotRefusal, Unreached
from recollect.respond.channels.telegram.channel import TelegramChannel
from tests.support.scripted_responder import ScriptedResponder
from tests.support.telegram_server import BOT, TOKEN, Failure, Sent, TelegramServer
from tests.unit.respond.channels.home import opened, running

ANN, BOB, GROUP = 42, 43, -1007


@pytest.fixture
def telegram(monkeypatch: pytest.MonkeyPatch) -> Iterator[TelegramServer]:
    """A server; nothing waits for a minute."""
    monkeypatch.setattr(telegram_channel, "POLL_S", 1)
    monkeypatch.setattr(telegram_api, "UNREACHED_S", 0.01)
    with TelegramServer() as server:
        yield server


def _memory(home: Path, telegram: TelegramServer, **settings: object) -> Memory:
    memory = opened(home, telegram.settings(**settings))
    for account in (f"telegram:{ANN}", f"telegram:{BOB}", f"telegram:{GROUP}"):
        memory.channels.allow(account)
    return memory


def test_a_message_is_answered_where_it_was_written(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """With the key of the conversation, the account and the name of who wrote it."""
    with _memory(tmp_path, telegram) as memory, running(memory) as (responder, _):
        telegram.write(ANN, "tea?")
        telegram.write(GROUP, "@tea_bot and here?", BOB, entities=[_entity("mention", 0, 8)])
        telegram.await_sent(2)
        telegram.await_empty()
        assert memory.channels.status().channels[0].state == "running"
    assert set(telegram.sent) == {
        Sent(ANN, "to tea?", None, None),
        Sent(GROUP, "to @tea_bot and here?", None, 2),
    }
    direct, group = responder.messages
    assert direct.key == f"agent:main:telegram:default:direct:{ANN}"
    assert (direct.sender, direct.name, direct.at) == ("telegram:42", "P42", 1_795_000_000_000)
    assert (direct.event_id, direct.reply_to_agent) == ("m1", False)
    assert (group.key, group.sender) == (f"agent:main:telegram:group:{GROUP}", "telegram:43")
    assert group.reply_to_agent
    assert [name for name, _ in telegram.calls[:3]] == ["getMe", "deleteWebhook", "getUpdates"]
    assert any(name == "sendChatAction" for name, _ in telegram.calls)


def _entity(kind: str, offset: int, length: int, **more: object) -> dict[str, object]:
    return {"type": kind, "offset": offset, "length": length, **more}


def test_what_calls_the_agent_in_a_group(tmp_path: Path, telegram: TelegramServer) -> None:
    """Its name, a mention without a name, a reply to it, a command; not one of another bot."""
    with _memory(tmp_path, telegram) as memory, running(memory) as (responder, _):
        telegram.write(GROUP, "plain")
        telegram.write(GROUP, "😀 @TEA_bot", entities=[_entity("mention", 3, 8)])
        telegram.write(GROUP, "Tea, tea", entities=[_entity("text_mention", 0, 3, user=BOT)])
        telegram.write(GROUP, "why?", reply_to_message={"message_id": 1, "from": BOT})
        telegram.write(GROUP, "/help@tea_bot me", entities=[_entity("bot_command", 0, 13)])
        telegram.write(GROUP, "/help", entities=[_entity("bot_command", 0, 5)])
        telegram.write(GROUP, "/help@other_bot", entities=[_entity("bot_command", 0, 15)])
        telegram.write(GROUP, "@ann", entities=[_entity("mention", 0, 4)])
        telegram.write(GROUP, "Ann", entities=[_entity("text_mention", 0, 3)])
        telegram.write(GROUP, None, caption="@tea_bot", caption_entities=[_entity("mention", 0, 8)])
        telegram.await_empty()
    called = [(each.text, each.reply_to_agent) for each in responder.messages]
    assert called == [
        ("plain", False),
        ("😀 @TEA_bot", True),
        ("Tea, tea", True),
        ("why?", True),
        ("/help me", True),
        ("/help", True),
        ("/help@other_bot", False),
        ("@ann", False),
        ("Ann", False),
        ("@tea_bot", True),
    ]


@pytest.mark.parametrize(("rule", "called"), [("all", [True]), ("none", [])])
def test_the_rule_of_groups(
    tmp_path: Path, telegram: TelegramServer, rule: str, called: list[bool]
) -> None:
    """All messages call the agent, or groups are left alone."""
    settings = {"channels__telegram__groups": rule}
    with _memory(tmp_path, telegram, **settings) as memory, running(memory) as (responder, _):
        telegram.write(GROUP, "plain")
        telegram.await_empty()
    assert [each.reply_to_agent for each in responder.messages] == called


def test_what_is_no_message_of_a_person_is_left_out(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """Bots, service messages, channels, positions that move, updates that cannot be read."""
    with _memory(tmp_path, telegram) as memory, running(memory) as (responder, _):
        service = telegram.message(ANN, "x")
        telegram.update({k: v for k, v in service.items() if k != "text"} | {"pinned_message": {}})
        telegram.update(telegram.message(ANN, "x") | {"from": BOT})
        telegram.update({k: v for k, v in telegram.message(ANN, "x").items() if k != "from"})
        telegram.update(telegram.message(ANN, "x") | {"chat": {"id": -5, "type": "channel"}})
        telegram.update(telegram.message(ANN, None), "edited_message")
        telegram.update(telegram.message(ANN, "x") | {"message_id": "one"})
        telegram.update({"id": "1"}, "poll_answer")
        telegram.update(
            telegram.message(ANN, "x" * 10)
            | {"from": {"id": -1}, "chat": {"id": 0, "type": "private"}}
        )
        telegram.write(ANN, None)
        telegram.await_empty()
    assert [each.text for each in responder.messages if each.sender == "telegram:42"] == [""]


def test_an_edit_names_the_message_that_it_replaces(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """Two edits of one message have ids of their own."""
    with _memory(tmp_path, telegram) as memory, running(memory) as (responder, _):
        message = telegram.message(ANN, "tee")
        telegram.update(message)
        first = telegram.edit(message, "tea")
        second = telegram.edit(message, "tea!")
        telegram.await_empty()
    ids = [(each.text, each.event_id, each.edits) for each in responder.messages]
    assert ids == [
        ("tee", "m1", None),
        ("tea", f"m1.u{first['update_id']}", "m1"),
        ("tea!", f"m1.u{second['update_id']}", "m1"),
    ]


def test_a_topic_of_a_forum_is_a_conversation_of_its_own(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """And is answered there; a reply in a plain supergroup is none."""
    settings = {"channels__telegram__groups": "all"}
    with _memory(tmp_path, telegram, **settings) as memory, running(memory) as (responder, _):
        telegram.write(GROUP, "a", message_thread_id=9, is_topic_message=True)
        telegram.write(GROUP, "b", message_thread_id=9)
        telegram.await_sent(2)
    keys = {each.text: each.key for each in responder.messages}
    assert keys["a"] == f"agent:main:telegram:group:{GROUP}:thread:9"
    assert keys["b"] == f"agent:main:telegram:group:{GROUP}"
    assert {each.text: each.thread for each in telegram.sent} == {"to a": 9, "to b": None}


def test_an_unknown_sender_hears_nothing(tmp_path: Path, telegram: TelegramServer) -> None:
    """No answer, no sign of typing, and no text is kept."""
    with _memory(tmp_path, telegram) as memory, running(memory) as (responder, _):
        telegram.write(99, "let me in")
        telegram.write(-2000, "me too", 99)
        telegram.await_empty()
        unknown = [each for each in memory.channels.list() if each.status == "unknown"]
    assert {(each.account, each.refused) for each in unknown} == {
        ("telegram:99", 1),
        ("telegram:-2000", 1),
    }
    assert responder.messages == []
    assert {name for name, _ in telegram.calls} == {"getMe", "deleteWebhook", "getUpdates"}


def test_a_long_answer_comes_in_parts_that_fit(tmp_path: Path, telegram: TelegramServer) -> None:
    """4,096 UTF-16 units each, cut between words; nothing is lost but blanks."""
    text = " ".join(f"word{number}😀" for number in range(1_500))
    answering = ScriptedResponder(lambda _: text)
    with _memory(tmp_path, telegram) as memory, running(memory, answering):
        telegram.write(ANN, "tell me")
        telegram.await_sent(4)
    assert " ".join(telegram.texts(ANN)) == text


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("First.\n\nSecond.\n\nThird.", ["First.", "Second.", "Third."]),
        ("It was cut off.", ["First.", "Second.", "It was cut off."]),
    ],
)
def test_an_answer_arrives_in_blocks_while_it_is_written(
    tmp_path: Path, telegram: TelegramServer, answer: str, texts: list[str]
) -> None:
    """The rest at its end, or the line that is said instead; all of it once."""
    answering = ScriptedResponder(lambda _: answer)
    answering.blocks = ["First.\n\n", "Second.\n\n"]
    answering.held = []
    with _memory(tmp_path, telegram) as memory, running(memory, answering):
        telegram.write(ANN, "tell me")
        telegram.await_empty()
        answering.let_end.clear()
        threading.Thread(target=answering.held[0]).start()
        telegram.await_sent(2)
        answering.let_end.set()
        telegram.await_sent(3)
        telegram.await_empty()
    assert [text.strip() for text in telegram.texts(ANN)] == texts
    with _memory(tmp_path, telegram) as memory:
        assert memory.channels.status().deliveries == {"sent": 1}


def test_a_message_that_comes_again_is_not_answered_again(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """In one run, and in the next one."""
    with _memory(tmp_path, telegram) as memory, running(memory):
        update = telegram.update(telegram.message(ANN, "tea?"))
        telegram.await_sent(1)
        telegram.await_empty()
        again = telegram.update(update["message"])
        assert again["update_id"] > update["update_id"]
        telegram.await_empty()
    with _memory(tmp_path, telegram) as memory, running(memory):
        telegram.update(update["message"])
        telegram.write(ANN, "more?")
        telegram.await_sent(2)
    assert telegram.texts(ANN) == ["to tea?", "to more?"]


def test_an_offset_is_acknowledged_after_the_messages_are_stored(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """What fails to be stored comes again."""

    class Failing(ScriptedResponder):
        fails = True

        def submit(self, inbound, on_event):  # type: ignore[no-untyped-def]
            if inbound.text == "two" and self.fails:
                self.fails = False
                raise RuntimeError("the disk is full")
            return super().submit(inbound, on_event)

    answering = Failing()
    for text in ("one", "two", "three"):
        telegram.write(ANN, text)
    with _memory(tmp_path, telegram) as memory, running(memory, answering):
        telegram.await_sent(3)
        telegram.await_empty()
    assert telegram.texts(ANN) == ["to one", "to two", "to three"]
    assert [each.text for each in answering.messages] == ["one", "two", "three"]


def test_a_refused_send_is_tried_again_when_telegram_says_so(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """In order, and each part once."""
    answering = ScriptedResponder(lambda each: f"{each.text} {'x' * 4_000} {'y' * 200}")
    with _memory(tmp_path, telegram) as memory, running(memory, answering):
        telegram.fail("sendMessage", Failure(429, 0.01), Failure(429, 0.01))
        telegram.write(ANN, "a")
        telegram.write(ANN, "b")
        telegram.await_sent(4)
        telegram.fail("sendMessage", Failure(429, 0.01))
        telegram.await_empty()
        _await_state(memory, {"sent": 2})
    assert [each[:3] for each in telegram.texts(ANN)] == ["a x", "yyy", "b x", "yyy"]


def _await_state(memory: Memory, states: dict[str, int]) -> None:
    for _ in range(200_000):
        if memory.channels.status().deliveries == states:
            return
    raise AssertionError(memory.channels.status().deliveries)


@pytest.mark.parametrize(
    ("failures", "state", "code"),
    [
        ([Failure(403)], "failed", "telegram_403"),
        ([Failure(429, 100_000.0)], "failed", "telegram_429"),
        ([Failure(429, 0.001)] * 6, "failed", "telegram_429"),
        ([Failure(kind="broken")], "unknown", None),
        ([Failure(kind="shown")], "unknown", None),
        ([Failure(502)], "unknown", None),
    ],
)
def test_a_send_that_does_not_end_well_is_told_and_not_repeated(
    tmp_path: Path,
    telegram: TelegramServer,
    failures: list[Failure],
    state: str,
    code: str | None,
) -> None:
    """A refusal for good, one too many, or nobody knows whether it arrived."""
    telegram.fail("sendMessage", *failures)
    telegram.write(ANN, "tea?")
    with _memory(tmp_path, telegram) as memory, running(memory):
        _await_state(memory, {state: 1})
        (lost,) = memory.channels.status().lost
        telegram.write(ANN, "more?")
        telegram.await_sent(2 if failures[0].kind == "shown" else 1)
    assert (lost.state, lost.code, lost.event_id) == (state, code, "m1")
    assert telegram.texts(ANN)[-1] == "to more?"


def test_what_a_kill_cut_off(tmp_path: Path, telegram: TelegramServer) -> None:
    """What was being sent is unknown and never sent again; what was not begun is sent now."""
    answering = ScriptedResponder()
    with _memory(tmp_path, telegram) as memory:
        records = memory.channels.access.database
        for number, state in ((1, "sending"), (2, "received"), (3, "sent")):
            key = f"agent:main:telegram:default:direct:{ANN}"
            row = ("local", "telegram", key, f"m{number}", f'{{"chat":{ANN}}}', state)
            statement = (
                "INSERT INTO deliveries (tenant, channel, key, event_id, address, state, at)"
                " VALUES (?, ?, ?, ?, ?, ?, 1)"
            )
            records.write(lambda tx, row=row, statement=statement: tx.execute(statement, row))  # type: ignore[misc]
        with running(memory, answering):
            telegram.await_sent(1)
            _await_state(memory, {"sent": 2, "unknown": 1})
            (lost,) = memory.channels.status().lost
    assert (lost.event_id, lost.state) == ("m1", "unknown")
    assert [each.event_id for each in answering.messages] == ["m2"]


def test_too_many_messages_are_left_out_with_one_line(
    tmp_path: Path, telegram: TelegramServer
) -> None:
    """The others of a burst are answered."""
    settings = {"channels__rate_per_minute": 2}
    with _memory(tmp_path, telegram, **settings) as memory, running(memory) as (responder, _):
        for number in range(5):
            telegram.write(ANN, str(number))
        telegram.write(BOB, "me")
        telegram.await_sent(4)
        telegram.await_empty()
    assert [each.text for each in responder.messages] == ["0", "1", "me"]
    assert len(telegram.texts(ANN)) == 3
    assert "left out" in telegram.texts(ANN)[2]


def test_a_silent_answer_leaves_nothing_behind(tmp_path: Path, telegram: TelegramServer) -> None:
    """Neither a message nor a row."""
    answering = ScriptedResponder(lambda _: "")
    with _memory(tmp_path, telegram) as memory, running(memory, answering):
        telegram.write(ANN, "thanks")
        telegram.await_empty()
        _await_state(memory, {})
    assert telegram.sent == []


def test_the_token_is_in_no_log_error_or_state(
    tmp_path: Path, telegram: TelegramServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Though it is in the path of each address: with every logger at its most talkative."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "recollect.channels"):
        caplog.set_level(logging.DEBUG, name)
    telegram.fail("getMe", Failure(500), Failure(kind="broken"))
    telegram.fail("sendMessage", Failure(kind="broken"), Failure(403))
    with _memory(tmp_path, telegram) as memory:
        with running(memory):
            telegram.write(ANN, "one")
            telegram.write(BOB, "two")
            _await_state(memory, {"unknown": 1, "failed": 1})
        state = msgspec.json.encode(memory.channels.status()).decode()
    formatter = logging.Formatter("%(message)s")
    text = "\n".join(formatter.format(record) for record in caplog.records) + state
    assert "httpx" in {record.name for record in caplog.records}
    assert "getUpdates" in text
    assert TOKEN not in text
    assert TOKEN.partition(":")[2] not in text


def test_a_channel_that_fails_says_why_and_starts_again(
    tmp_path: Path, telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a pause, which grows."""
    monkeypatch.setattr("recollect.respond.channels.runner.FIRST_PAUSE_S", 0.01)
    telegram.fail("getMe", Failure(401), Failure(502), Failure(400))
    telegram.fail("getUpdates", Failure(409))
    with _memory(tmp_path, telegram) as memory, running(memory):
        telegram.write(ANN, "tea?")
        telegram.await_sent(1)
    errors = []
    for status in (401, 409, 400):
        error = telegram_channel._refusal(BotRefusal(status))  # noqa: SLF001
        errors.append(error.code)
    assert errors == ["config", "conflict", "provider_unavailable"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"channels.telegram.token": None}, "token must be set"),
        ({"channels.telegram.token": "no token"}, "token of the bot is not one"),
        ({"channels.telegram.base_url": "ftp://x"}, "must be an http or https"),
        ({"channels.telegram.mode": "webhook"}, "webhook_secret must be set"),
        ({"channels.enabled": ["telegraf"]}, "unknown channel"),
    ],
)
def test_a_channel_with_unsound_settings_does_not_start(
    tmp_path: Path, telegram: TelegramServer, settings: dict[str, object], words: str
) -> None:
    """And the status says what is wrong."""
    with (
        opened(tmp_path, telegram.settings() | settings) as memory,
        running(memory) as (_, channels),
    ):
        assert channels == []
        (state,) = memory.channels.status().channels
    assert state.state == "failed"
    assert words in (state.error or "")
    assert state.hint


def test_updates_that_telegram_posts(tmp_path: Path, telegram: TelegramServer) -> None:
    """The address is registered with the secret; another secret is refused."""
    settings = {
        "channels__telegram__mode": "webhook",
        "channels__telegram__webhook_url": "https://tea.example/api/channels/telegram",
        "channels__telegram__webhook_secret": "a-secret-of-some-length",
    }
    update = {"update_id": 5, "message": telegram.message(ANN, "tea?")}
    body = msgspec.json.encode(update)
    with _memory(tmp_path, telegram, **settings) as memory:
        with running(memory) as (_, (channel,)):
            hook = channel.channel
            assert isinstance(hook, TelegramChannel)
            telegram.await_call("setWebhook")
            while hook._hooked is None:  # noqa: SLF001
                pass
            assert telegram.webhook is not None
            assert telegram.webhook["secret_token"] == "a-secret-of-some-length"
            assert hook.hook(body, "a-secret-of-some-length") == "taken"
            assert hook.hook(body, "a-secret-of-some-length") == "repeated"
            assert hook.hook(b'{"update_id": 6}', "a-secret-of-some-length") is None
            for secret in (None, "", "another-secret-of-len"):
                with pytest.raises(Denied):
                    hook.hook(body, secret)
            with pytest.raises(InvalidInput):
                hook.hook(b"[]", "a-secret-of-some-length")
            telegram.await_sent(1)
        with pytest.raises(NotFound):
            hook.hook(body, "a-secret-of-some-length")
    assert telegram.texts(ANN) == ["to tea?"]


def test_a_bot_that_is_unreached_is_tried_again(tmp_path: Path, telegram: TelegramServer) -> None:
    """A send that found no connection was not made."""
    with TelegramServer() as gone:
        address = gone.base_url
    api = BotApi(TOKEN, address)
    with pytest.raises(Unreached):
        api.call("getMe", object)
    api.close()
    with pytest.raises(ConfigError):
        BotApi("x", address)


def test_telegram_is_reached_over_the_proxy_of_the_environment(
    telegram: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the environment excepts it; one that cannot be used is named."""
    for name in ("ALL_PROXY", "all_proxy", "http_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", telegram.base_url.removeprefix("http://"))
    address = "http://telegram.recollect.test"
    api = BotApi(TOKEN, address)
    assert api.call("getMe", dict[str, object]) == BOT
    api.close()
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1")
    with pytest.raises(ConfigError, match="proxy of the environment"):
        BotApi(TOKEN, address)
    monkeypatch.setenv("NO_PROXY", "recollect.test")
    BotApi(TOKEN, address).close()
