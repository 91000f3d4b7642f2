"""Commands keep their place in a conversation; several programs answer one home together."""

from __future__ import annotations

import threading
from functools import partial

import msgspec

from recollect.core.errors import NotFound
from recollect.memory import Memory
from recollect.respond.inbound import Inbound
from recollect.respond.reply import Reply
from recollect.respond.responder import Responder
from recollect.sessions.record.session import Session
from tests.support.chat_model import Call, ChatModel
from tests.unit.respond.conftest import Open
from tests.unit.respond.test_answering import ANN, KEY, WAIT_S, replied, said


class Commands:
    """Stands in for the commands of chats."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.seen: list[str] = []

    def run(self, inbound: Inbound, session: Session) -> Reply | None:
        """Begin a session, fail, or be none."""
        self.seen.append(inbound.text)
        if inbound.text == "/new":
            new = self.memory.sessions.reset(inbound.key)
            return Reply(status="command", text="A new session.", session_id=new.id)
        if inbound.text == "/resume":
            raise NotFound("nothing has this name", hint="give the title of a session")
        return None


def with_commands(memory: Memory) -> tuple[Responder, Commands]:
    """Return a responder with commands."""
    commands = Commands(memory)
    parts = memory.responder._parts  # noqa: SLF001  # composed without them here
    return Responder(msgspec.structs.replace(parts, command=commands.run)), commands


def inbound(text: str, event_id: str | None = None) -> Inbound:
    """Return a message of Ann's."""
    return Inbound(key=KEY, text=text, sender=ANN, event_id=event_id)


def test_a_command_runs_once_and_is_not_in_the_transcript(memory: Memory, model: ChatModel) -> None:
    """One that fails says why; a text that only looks like one is a message."""
    responder, commands = with_commands(memory)
    first = responder.respond(inbound("Hi"))
    done = responder.respond(inbound("/new", "c1"))
    assert (done.status, done.text, done.event_id) == ("command", "A new session.", "c1")
    assert done.session_id != first.session_id
    assert responder.respond(inbound("/new", "c1")).status == "command"
    assert commands.seen == ["/new"]
    failed = responder.respond(inbound("/resume"))
    assert (failed.status, failed.text, failed.code) == (
        "command", "nothing has this name", "not_found",
    )  # fmt: skip
    assert responder.respond(inbound("/usr is full")).text == "Echo: /usr is full"
    assert said(memory) == [("user", "/usr is full"), ("assistant", "Echo: /usr is full")]


def test_a_command_waits_for_what_came_before_and_what_comes_after_for_it(
    memory: Memory, model: ChatModel
) -> None:
    """The next message is stored in the session that it began."""
    responder, _ = with_commands(memory)
    begun, go_on = threading.Event(), threading.Event()

    def slow(call: Call) -> str:
        call.say("Slowly. ")
        begun.set()
        call.wait(go_on)
        return "Slowly. "

    model.steps = [slow]
    first = responder.submit(inbound("Old"))
    assert begun.wait(WAIT_S)
    command = responder.submit(inbound("/new"))
    later: list[Reply] = []
    thread = threading.Thread(target=lambda: later.append(responder.respond(inbound("New"))))
    thread.start()
    go_on.set()
    thread.join(WAIT_S)
    assert replied(first).text == "Slowly."
    assert later[0].session_id == replied(command).session_id != replied(first).session_id
    assert model.said[-1] == ["New"]


def test_a_command_that_was_cut_off_is_not_run_later(open_chat: Open, model: ChatModel) -> None:
    """Whoever sent it hears that it may not have run."""
    memory = open_chat()
    session = memory.sessions.open(KEY)
    inbox = memory.responder._inbox  # noqa: SLF001  # as a kill leaves it
    inbox.receive(session.id, KEY, "c1", None)
    memory.close()
    memory = open_chat()
    memory.responder.resume()
    reply = memory.responder.respond(inbound("/new", "c1"))
    assert (reply.status, reply.code) == ("failed", "interrupted")


def test_two_programs_answer_a_burst_together(open_chat: Open, model: ChatModel) -> None:
    """The one that has its turn sees that more came in, and leaves both to the other."""
    one, other = open_chat(), open_chat()
    begun, go_on = threading.Event(), threading.Event()

    def slow(call: Call) -> str:
        begun.set()
        assert go_on.wait(WAIT_S)
        call.say("too early")
        call.cancellation.require_going()
        return "too early"

    model.steps = [slow]
    first = one.responder.submit(inbound("One", "1"))
    assert begun.wait(WAIT_S)
    last = other.responder.submit(inbound("Two", "2"))
    go_on.set()
    assert replied(last).text == "Echo: One\n\nTwo"
    assert replied(first).status == "joined"
    assert [role for role, _ in said(one)] == ["user", "user", "assistant"]


def test_many_conversations_are_answered_at_once(open_chat: Open, model: ChatModel) -> None:
    """Three by default, and a slow one holds none of the others up for ever."""
    memory = open_chat()
    everybody = threading.Barrier(3)

    def together(call: Call) -> str:
        everybody.wait(WAIT_S)
        call.say("Now.")
        return "Now."

    model.steps = [together] * 3
    pendings = [
        memory.responder.submit(Inbound(key=f"telegram:{number}", text="Hi")) for number in range(3)
    ]
    assert {replied(pending).text for pending in pendings} == {"Now."}


def test_what_was_erased_is_not_answered(open_chat: Open, model: ChatModel) -> None:
    """Its row goes with the message, and no byte of it is left."""
    memory = open_chat(auto_responder__debounce_ms=60_000)
    pending = memory.responder.submit(inbound("Forget the plum tree.", "secret-event-17"))
    session = memory.sessions.open(KEY)
    memory.erase(session_id=session.id)
    assert memory.responder.pending() == []
    pending.cancel()
    assert replied(pending).status == "cancelled"
    memory.close()
    files = [path for path in memory.home.rglob("*") if path.is_file()]
    assert not [path for path in files if b"secret-event-17" in path.read_bytes()]


def test_failures_of_the_store_are_a_clear_line(memory: Memory, model: ChatModel) -> None:
    """The message stays, and may be sent again."""
    responder = memory.responder
    broken = partial(_raise, NotFound("the session is gone", hint="begin another"))
    parts = msgspec.structs.replace(responder._parts, language=broken)  # noqa: SLF001
    reply = Responder(parts).respond(inbound("Hi", "1"))
    assert (reply.status, reply.code) == ("failed", "not_found")
    bug = msgspec.structs.replace(responder._parts, language=partial(_raise, KeyError()))  # noqa: SLF001
    assert Responder(bug).respond(inbound("Hi", "1")).code == "error"
    assert responder.respond(inbound("Hi", "1")).text == "Echo: Hi"


def _raise(error: Exception, _: object) -> None:
    raise error
