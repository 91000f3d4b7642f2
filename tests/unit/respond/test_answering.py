"""Messages are answered: stored first, once, and with what arrived of the answer."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

import msgspec
import pytest

from recollect.core.errors import (
    Conflict,
    InvalidInput,
    ProviderUnavailable,
    StoreError,
)
from recollect.memory import Memory
from recollect.respond.inbound import Inbound
from recollect.respond.inbox import InboxRow
from recollect.respond.pending import Conversations, Pending
from recollect.respond.reply import Reply, ReplyEvent
from tests.support.chat_model import Call, ChatModel
from tests.unit.respond.conftest import Open

KEY = "agent:main:telegram:direct:42"
ANN = "telegram:42"
GROUP = "agent:main:telegram:group:-7"
WAIT_S = 20.0


def replied(pending: Pending) -> Reply:
    """Return the reply that somebody waits for."""
    reply = pending.wait(WAIT_S)
    assert reply is not None
    return reply


def said(memory: Memory, key: str = KEY) -> list[tuple[str, str]]:
    """Return the roles and texts of the session of a key."""
    session = memory.sessions.open(key)
    return [(each.role, each.text) for each in memory.sessions.messages(session.id)]


def test_who_hears_a_reply_may_ask_the_next_thing(memory: Memory, model: ChatModel) -> None:
    """In the call that brings the reply, which holds up no other conversation."""
    model.steps = ["Hello Ann."]
    replies: list[Reply] = []

    def ask(event: ReplyEvent) -> None:
        if event.kind == "reply":
            replies.append(memory.respond(KEY, "Hi", ANN, debounce_ms=0))

    asking = threading.Thread(
        target=memory.responder.submit,
        args=(Inbound(key=GROUP, text="Lunch?", sender="telegram:9"), ask),
        daemon=True,
    )
    asking.start()
    asking.join(WAIT_S)
    assert [reply.text for reply in replies] == ["Hello Ann."]


def test_an_answer_comes_in_pieces_and_is_stored(memory: Memory, model: ChatModel) -> None:
    """First that it is typed, last the reply."""
    model.steps = [["Hel", "lo Ann."]]
    events = list(memory.respond_stream(KEY, "Hi", ANN, "e1"))
    assert [event.kind for event in events] == ["typing", "piece", "piece", "block", "reply"]
    assert [event.text for event in events[1:4]] == ["Hel", "lo Ann.", "Hello Ann."]
    reply = events[-1].reply
    assert reply is not None
    assert (reply.status, reply.text, reply.inbound_seq, reply.seq) == (
        "answered", "Hello Ann.", 1, 2,
    )  # fmt: skip
    assert (reply.model, reply.usd, reply.use is not None) == ("scripted:chat", 0.001, True)
    assert said(memory) == [("user", "Hi"), ("assistant", "Hello Ann.")]
    message = memory.sessions.messages(reply.session_id)[1]
    assert message.metadata["usage"] == {"input": 10, "output": 5}


def test_the_same_event_id_is_one_message_with_one_answer(memory: Memory, model: ChatModel) -> None:
    """Whether it was answered or is being answered."""
    first = memory.respond(KEY, "Hi", ANN, "e1")
    again = memory.respond(KEY, "Hi", ANN, "e1")
    assert (again.status, again.text, again.seq) == (first.status, first.text, first.seq)
    begun, go_on = threading.Event(), threading.Event()

    def slow(call: Call) -> str:
        begun.set()
        call.wait(go_on)
        call.say("Slow.")
        return "Slow."

    model.steps = [slow]
    one = memory.responder.submit(Inbound(key=KEY, text="And?", sender=ANN, event_id="e2"))
    assert begun.wait(WAIT_S)
    other = memory.responder.submit(Inbound(key=KEY, text="And?", sender=ANN, event_id="e2"))
    go_on.set()
    assert replied(one).text == replied(other).text == "Slow."
    assert len(model.prompts) == 2
    assert len(said(memory)) == 4


def test_a_message_without_a_text_is_media(memory: Memory, model: ChatModel) -> None:
    """The model knows that there was something."""
    assert memory.respond(KEY, "  ", ANN).text == "Echo: (media)"
    assert said(memory)[0] == ("user", "(media)")
    assert "Relevant memories" not in model.systems[0]


def test_a_burst_is_one_turn(open_chat: Open, model: ChatModel) -> None:
    """Each message is stored, the newest one has the answer."""
    memory = open_chat(auto_responder__debounce_ms=60_000)
    events: list[ReplyEvent] = []
    first = memory.responder.submit(
        Inbound(key=KEY, text="One", sender=ANN, event_id="1"), events.append
    )
    last = memory.responder.submit(
        Inbound(key=KEY, text="Two", sender=ANN, event_id="2"), debounce_ms=0
    )
    assert replied(last).text == "Echo: One\n\nTwo"
    assert replied(first) == Reply(
        status="joined", session_id=replied(last).session_id, event_id="1", inbound_seq=1
    )
    assert [event.kind for event in events] == ["typing", "piece", "reply"]
    assert said(memory)[:2] == [("user", "One"), ("user", "Two")]


def test_a_newer_message_joins_until_the_first_piece_is_out(
    memory: Memory, model: ChatModel
) -> None:
    """The running call is cancelled, and asked again with both."""
    begun = threading.Event()

    def slow(call: Call) -> str:
        begun.set()
        call.wait(threading.Event())
        return "never"

    model.steps = [slow]
    heard: list[tuple[str, str]] = []
    first = memory.responder.submit(
        Inbound(key=KEY, text="One", sender=ANN, event_id="1"),
        lambda event: heard.append(("1", event.kind)),
    )
    assert begun.wait(WAIT_S)
    last = memory.responder.submit(
        Inbound(key=KEY, text="Two", sender=ANN, event_id="2"),
        lambda event: heard.append(("2", event.kind)),
    )
    assert replied(last).text == "Echo: One\n\nTwo"
    assert replied(first).status == "joined"
    assert {("1", "piece"), ("2", "piece")} <= set(heard)
    assert [who for who, kind in heard if kind == "block"] == ["2"]  # what is sent is sent once
    assert [role for role, _ in said(memory)] == ["user", "user", "assistant"]


def test_a_newer_message_waits_once_a_piece_is_out(memory: Memory, model: ChatModel) -> None:
    """And has an answer of its own, after the first."""
    out, go_on = threading.Event(), threading.Event()

    def slow(call: Call) -> str:
        call.say("First.")
        out.set()
        call.wait(go_on)
        return "First."

    model.steps = [slow]
    first = memory.responder.submit(Inbound(key=KEY, text="One", sender=ANN, event_id="1"))
    assert out.wait(WAIT_S)
    last = memory.responder.submit(Inbound(key=KEY, text="Two", sender=ANN, event_id="2"))
    go_on.set()
    assert (replied(first).status, replied(first).text) == ("answered", "First.")
    assert replied(last).text == "Echo: Two"
    assert said(memory) == [
        ("user", "One"), ("assistant", "First."), ("user", "Two"), ("assistant", "Echo: Two"),
    ]  # fmt: skip
    assert model.said[1] == ["One", "First.", "Two"]


def test_an_edit_replaces_a_message_that_waits(open_chat: Open, model: ChatModel) -> None:
    """In its place, and in what is asked."""
    memory = open_chat(auto_responder__debounce_ms=60_000)
    first = memory.responder.submit(Inbound(key=KEY, text="Teh?", sender=ANN, event_id="1"))
    edit = memory.respond(KEY, "Tea?", ANN, "1b", edits="1")
    assert (edit.status, edit.inbound_seq) == ("edited", 1)
    assert replied(first).text == "Echo: Tea?"
    assert said(memory)[0] == ("user", "Tea?")
    assert memory.search("Teh").hits == [] or "Teh" not in memory.search("Teh").hits[0].snippet


def test_an_edit_cuts_an_answer_off_that_nobody_has_heard(memory: Memory, model: ChatModel) -> None:
    """It begins again with the new words."""
    begun = threading.Event()

    def slow(call: Call) -> str:
        begun.set()
        call.wait(threading.Event())
        return "never"

    model.steps = [slow]
    first = memory.responder.submit(Inbound(key=KEY, text="Teh?", sender=ANN, event_id="1"))
    assert begun.wait(WAIT_S)
    assert memory.respond(KEY, "Tea?", ANN, "1b", edits="1").status == "edited"
    assert replied(first).text == "Echo: Tea?"


def test_an_edit_of_an_answered_message_is_a_note(memory: Memory, model: ChatModel) -> None:
    """The next prompt has it; once."""
    memory.respond(KEY, "Teh?", ANN, "1")
    for _ in range(2):
        assert memory.respond(KEY, "Tea?", ANN, "1b", edits="1").status == "noted"
    assert memory.respond(KEY, "Teh?", ANN, "1c", edits="1").status == "edited"
    memory.respond(KEY, "So?", ANN, "2")
    assert model.said[-1][-1] == "(edited an earlier message) Tea?\n\nSo?"


def test_an_edit_that_overtakes_its_message_is_that_message(
    memory: Memory, model: ChatModel
) -> None:
    """The message comes late, and is a repetition."""
    first = memory.respond(KEY, "Tea?", ANN, "1b", edits="1")
    late = memory.respond(KEY, "Teh?", ANN, "1")
    assert first.status == late.status == "answered"
    assert late.text == first.text == "Echo: Tea?"
    assert len(model.prompts) == 1


def test_a_cancelled_answer_keeps_what_arrived(memory: Memory, model: ChatModel) -> None:
    """And is not answered later."""

    def slow(call: Call) -> str:
        call.say("It is a long story. ")
        call.wait(threading.Event())
        return "never"

    model.steps = [slow]
    events = memory.respond_stream(KEY, "Why?", ANN, "1")
    seen = []
    for event in events:
        seen.append(event)
        if event.kind == "piece":
            events.close()  # type: ignore[attr-defined]
    assert seen[-1].reply is not None
    assert (seen[-1].reply.status, seen[-1].reply.text) == ("cancelled", "It is a long story.")
    memory.responder.resume()
    assert memory.responder.pending() == []
    stored = memory.sessions.messages(seen[-1].reply.session_id)[-1]
    assert stored.text.strip() == "It is a long story."
    assert stored.metadata["unfinished"] is True
    assert memory.respond(KEY, "Why?", ANN, "1").status == "cancelled"


def test_what_waits_can_be_cancelled(open_chat: Open, model: ChatModel) -> None:
    """No model is asked then."""
    memory = open_chat(auto_responder__debounce_ms=60_000)
    pending = memory.responder.submit(Inbound(key=KEY, text="One", sender=ANN))
    assert pending.wait(0.0) is None
    pending.cancel()
    assert replied(pending).status == "cancelled"
    pending.cancel()
    assert model.prompts == []


def test_nothing_to_say_is_silence(memory: Memory, model: ChatModel) -> None:
    """Not a piece of it is passed on."""
    model.steps = [["NO", "_REPLY"], ["NO"], "No news."]
    kinds = [event.kind for event in memory.respond_stream(KEY, "Hm.", ANN)]
    assert kinds == ["typing", "reply"]
    assert said(memory) == [("user", "Hm.")]
    assert memory.respond(KEY, "Is it?", ANN).text == "NO"
    assert memory.respond(KEY, "Really?", ANN).text == "No news."


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (ProviderUnavailable("the model cannot be reached", hint="wait"), "provider_unavailable"),
        (RuntimeError("secret text"), "error"),
        ("", "answer_unusable"),
        (" \n", "answer_unusable"),
    ],
)
def test_a_model_that_fails_is_a_clear_line(
    memory: Memory, model: ChatModel, step: str | Exception, code: str
) -> None:
    """The message is kept, the queue goes on, and the same id asks again."""
    model.steps = [step]
    reply = memory.respond(KEY, "Hi", ANN, "1")
    assert (reply.status, reply.code) == ("failed", code)
    assert "secret" not in reply.text
    assert "kept" in reply.text
    assert reply.hint
    assert said(memory) == [("user", "Hi")]
    assert memory.respond(KEY, "Hi", ANN, "1").text == "Echo: Hi"
    assert len(said(memory)) == 2


def test_a_model_that_breaks_off_leaves_what_arrived(memory: Memory, model: ChatModel) -> None:
    """Asked again, its answer takes that place."""

    def breaks(call: Call) -> str:
        call.say("The first half. And th")
        raise ProviderUnavailable("it broke off", hint="try again")

    model.steps = [breaks]
    assert memory.respond(KEY, "Hi", ANN, "1").status == "failed"
    assert said(memory)[1] == ("assistant", "The first half. ")
    assert memory.respond(KEY, "Hi", ANN, "1").text == "Echo: Hi"
    assert said(memory) == [("user", "Hi"), ("assistant", "Echo: Hi")]


def test_without_a_model_nobody_is_asked(open_chat: Open, model: ChatModel) -> None:
    """Neither without a provider, nor without the use."""
    for settings in ({"language__provider": "none"}, {"language__uses": ()}):
        reply = open_chat(**settings).respond(KEY, "Hi", ANN)
        assert (reply.status, reply.code) == ("failed", "model_missing")
        assert "language.uses" in (reply.hint or "")
    assert model.prompts == []


def test_a_responder_that_is_off_hears_and_stores(open_chat: Open, model: ChatModel) -> None:
    """And never answers."""
    memory = open_chat(auto_responder__enabled=False)
    assert memory.respond(KEY, "Hi", ANN, "1").status == "heard"
    assert memory.respond(KEY, "/new", ANN, "2").status == "heard"
    assert said(memory) == [("user", "Hi"), ("user", "/new")]
    assert memory.responder.pending() == []


def test_a_group_is_answered_where_it_calls(open_chat: Open, model: ChatModel) -> None:
    """What was said meanwhile is in the prompt, once."""
    memory = open_chat(sessions__groups__mentions=("@tea",))
    for number, text in enumerate(("Lunch?", "At noon."), 1):
        reply = memory.respond(GROUP, text, f"telegram:{number}", f"h{number}", name=f"P{number}")
        assert reply.status == "heard"
    assert said(memory, GROUP) == []
    reply = memory.respond(GROUP, "@tea when is lunch?", "telegram:3", "q", name="Cy")
    assert reply.status == "answered"
    assert model.said[0][-1].splitlines() == [
        "[Chat messages since your last reply - for context]",
        "P1: Lunch?",
        "P2: At noon.",
        "",
        "[Current message - respond to this]",
        "Cy: @tea when is lunch?",
    ]
    assert "NO_REPLY" in model.systems[0]
    assert memory.respond(GROUP, "So?", "telegram:1", reply_to_agent=True).status == "answered"
    assert model.said[1][-1] == "telegram:1: So?"
    assert model.said[1][0] == "Cy: @tea when is lunch?"


def test_people_who_share_a_session_are_answered_one_by_one(
    open_chat: Open, model: ChatModel
) -> None:
    """Their messages do not join, and neither hears of the other."""
    memory = open_chat(auto_responder__debounce_ms=60_000)
    key = "agent:main:main"
    first = memory.responder.submit(Inbound(key=key, text="Mine", sender="telegram:1"))
    last = memory.responder.submit(
        Inbound(key=key, text="Yours", sender="telegram:2"), debounce_ms=0
    )
    assert (replied(first).text, replied(last).text) == ("Echo: Mine", "Echo: Yours")
    assert model.said == [["Mine"], ["Yours"]]
    memory.respond(key, "Again", "telegram:1", debounce_ms=0)
    assert model.said[-1] == ["Mine", "Echo: Mine", "Again"]


def test_an_answer_to_the_owner_is_not_a_guests(open_chat: Open, model: ChatModel) -> None:
    """Who has no account, as in a terminal, may share a session with guests who write meanwhile."""
    memory = open_chat(auto_responder__debounce_ms=60_000)
    key = "agent:main:main"
    first = memory.responder.submit(Inbound(key=key, text="The safe?"))
    last = memory.responder.submit(
        Inbound(key=key, text="Hello", sender="telegram:2"), debounce_ms=0
    )
    assert replied(first).text == "Echo: The safe?"
    assert replied(last).text == "Echo: Hello"
    memory.respond(key, "And?", "telegram:2", debounce_ms=0)
    assert model.said[1:] == [["Hello"], ["Hello", "Echo: Hello", "And?"]]


def test_a_command_is_not_for_the_model(memory: Memory, model: ChatModel) -> None:
    """What only looks like one is."""
    assert memory.respond(KEY, "/usr/bin is full", ANN, "1").text == "Echo: /usr/bin is full"
    assert said(memory)[0] == ("user", "/usr/bin is full")


def test_a_command_of_a_group_that_is_for_another_bot_does_not_run(
    memory: Memory, model: ChatModel
) -> None:
    """It is a message like others that do not call the agent."""
    group = "agent:main:telegram:group:-7"
    session = memory.sessions.open(group)
    assert memory.respond(group, "/new@other_bot", ANN).status == "heard"
    assert memory.sessions.open(group).id == session.id
    assert memory.respond(group, "/new", ANN, reply_to_agent=True).status == "command"
    assert memory.sessions.open(group).id != session.id


def test_after_a_restart_what_is_unanswered_is_answered_once(
    open_chat: Open, model: ChatModel
) -> None:
    """Also what the model was asked for, and whatever arrived of it."""
    memory = open_chat()
    out = threading.Event()

    def slow(call: Call) -> str:
        call.say("Half an answer. ")
        out.set()
        call.wait(threading.Event())
        return "never"

    model.steps = [slow]
    first = memory.responder.submit(Inbound(key=KEY, text="One", sender=ANN, event_id="1"))
    assert out.wait(WAIT_S)
    waits = memory.responder.submit(Inbound(key=KEY, text="Two", sender=ANN, event_id="2"))
    memory.close()
    assert replied(first).status == replied(waits).status == "cancelled"
    assert replied(first).code == "store_closed"
    with pytest.raises(StoreError):
        memory.respond(KEY, "Three", ANN)
    memory = open_chat()
    assert [row.event_id for row in memory.responder.pending()] == ["1", "2"]
    memory.responder.resume()
    again = memory.respond(KEY, "Two", ANN, "2")
    assert again.text == "Echo: One\n\nTwo"
    assert memory.responder.pending() == []
    assert memory.respond(KEY, "One", ANN, "1").status == "joined"
    assert [role for role, _ in said(memory)].count("assistant") == 2  # half of one stays


def test_what_cannot_be_stored_is_refused(memory: Memory) -> None:
    """Before anything is stored."""
    with pytest.raises(InvalidInput):
        memory.respond("\0", "Hi")
    with pytest.raises(InvalidInput):
        memory.respond(KEY, "Hi", "no account:")
    with pytest.raises(InvalidInput):
        memory.respond(KEY, "Hi", ANN, "")
    assert memory.sessions.list() == []


def test_a_session_that_another_program_holds_refuses(memory: Memory) -> None:
    """The caller hears of it, as of any message."""
    session = memory.sessions.open(KEY)
    with memory.sessions.hold(session.id, exclusive=True), pytest.raises(Conflict):
        memory.respond(KEY, "Hi", ANN)


def test_who_listens_cannot_break_an_answer(memory: Memory) -> None:
    """Errors of a listener are dropped."""

    def broken(_: ReplyEvent) -> None:
        raise ValueError

    pending = memory.responder.submit(Inbound(key=KEY, text="Hi", sender=ANN), broken)
    assert replied(pending).text == "Echo: Hi"


@pytest.mark.parametrize(
    ("name", "asked"), [("scripted:other", "scripted:other"), ("openai:gpt", "scripted:chat")]
)
def test_a_session_may_have_another_model(
    memory: Memory, model: ChatModel, name: str, asked: str
) -> None:
    """Of the same provider: no session decides where texts are sent."""
    session = memory.sessions.open(KEY)
    overrides = msgspec.json.encode({"model": name}).decode()
    update = "UPDATE sessions SET overrides = ? WHERE id = ?"
    memory._rooms.records.write(  # noqa: SLF001  # what a command does
        lambda tx: tx.execute(update, (overrides, session.id))
    )
    assert memory.respond(KEY, "Hi", ANN).model == asked
    assert memory.respond(KEY, "Again", ANN).model == asked


def test_who_sent_a_message_gets_all_of_an_answer_that_begins_at_once(
    memory: Memory, model: ChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where it begins before the message is known to be stored."""
    responder = memory.responder
    inbox, conversations = responder._inbox, responder._conversations  # noqa: SLF001
    receive, of, is_asked = inbox.receive, Conversations.of, threading.Event()

    def of_then(*args: Any) -> list[Pending]:
        is_asked.set()
        return of(*args)

    def receive_and_wait(*args: Any) -> InboxRow:
        row = receive(*args)
        conversation = responder._conversation(KEY)  # noqa: SLF001
        run = partial(responder._run, conversation, KEY)  # noqa: SLF001
        conversations.queue.put(conversation, run)
        assert is_asked.wait(WAIT_S)
        return row

    monkeypatch.setattr(Conversations, "of", of_then)
    monkeypatch.setattr(inbox, "receive", receive_and_wait)
    kinds = [event.kind for event in responder.stream(Inbound(key=KEY, text="Hi", sender=ANN))]
    assert kinds == ["typing", "piece", "block", "reply"]
