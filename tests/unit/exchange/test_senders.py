"""Senders: each message says whose account said it, and whose turn it belongs to."""

from __future__ import annotations

import pytest

from recollect.audience.account import account, parse_account
from recollect.core.errors import InvalidInput
from recollect.core.scope import Scope
from recollect.core.settings import SessionSettings
from recollect.exchange.formats.jsonl import JsonlFormat, JsonlWriter
from recollect.exchange.session_export import SessionExport
from recollect.exchange.transcript import ForeignMessage, ForeignSession
from recollect.sessions.mirror.mirror_lines import mirror_lines
from tests.unit.sessions.home import Home

RESULT = [{"type": "tool_result", "tool_use_id": "c1", "content": "21 degrees"}]


def turns(home: Home, session_id: str) -> list[tuple[str | None, str | None]]:
    """Return sender and sender of the turn of each message."""
    return [(m.sender, m.turn_sender) for m in home.sessions.messages(session_id)]


def test_a_message_keeps_its_sender_in_one_spelling(home: Home) -> None:
    """Whatever the case of the channel, and without the agent's account where ids are global."""
    session = home.sessions.create()
    message = home.sessions.append(session.id, "user", "hello", sender=" Telegram: 42 ")
    assert (message.sender, message.turn_sender) == ("telegram:42", "telegram:42")
    assert home.sessions.message(message.id) == message


def test_answers_and_tools_belong_to_the_turn_before_them(home: Home) -> None:
    """Results of tools that a program calls the user's, too; what the system says to nobody's."""
    session = home.sessions.create()
    home.sessions.append(session.id, "assistant", "welcome")
    home.sessions.append(session.id, "user", "how warm is it?", sender="telegram:99")
    home.sessions.append(session.id, "assistant", "let me look")
    home.sessions.append(session.id, "system", "be polite")
    home.sessions.append_many(session.id, [("user", RESULT), ("assistant", "21 degrees")])
    home.sessions.append_many(session.id, [("user", "and here?"), ("assistant", "unknown")])
    guest = "telegram:99"
    assert [turn for _, turn in turns(home, session.id)] == [
        *(None, guest, guest, None, guest, guest),
        *(None, None),
    ]


def test_a_fork_goes_on_with_the_turn_that_it_shares(home: Home) -> None:
    """Its first answer is to the parent's last question."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "how warm is it?", sender="telegram:99")
    fork = home.sessions.fork(session.id)
    assert home.sessions.append(fork.id, "assistant", "21").turn_sender == "telegram:99"


def test_a_message_that_came_again_still_begins_the_turn(home: Home) -> None:
    """The same event id twice is one row, and its answer is to it."""
    session = home.sessions.create()
    asked = {"role": "user", "content": "warm?", "sender": "irc:libera:bob", "event_id": "e1"}
    home.sessions.append_many(session.id, [asked, ("user", "mine"), asked, ("assistant", "21")])
    assert turns(home, session.id)[-1] == (None, "irc:libera:bob")


def test_a_streamed_answer_belongs_to_the_turn_in_which_it_began(home: Home) -> None:
    """However late its end comes."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "how warm is it?", sender="telegram:99")
    with home.sessions.stream(session.id) as reply:
        reply.add("It is\n")
        reply.flush()
        home.sessions.append(session.id, "user", "mine")
        reply.add("warm.")
    assert turns(home, session.id)[1] == (None, "telegram:99")


@pytest.mark.parametrize("written", ["", ":", "telegram:", ":42", "irc::bob", "a\nb:1", "x" * 600])
def test_what_is_no_account_is_refused_as_a_sender(home: Home, written: str) -> None:
    """The message is not stored as somebody else's."""
    session = home.sessions.create()
    with pytest.raises(InvalidInput):
        home.sessions.append(session.id, "user", "hello", sender=written)
    assert not home.sessions.messages(session.id)


@pytest.mark.parametrize("user", ["bob", "a:b", "50%", "%3A", "direct:42", "a:thread:b"])
@pytest.mark.parametrize("network", [None, "libera", "x:y"])
def test_an_account_reads_back_as_it_was_written(network: str | None, user: str) -> None:
    """Whatever stands in its parts."""
    one = account("irc", network, user)
    assert parse_account(str(one)) == one


def test_senders_travel_with_mirrors_exports_and_imports(home: Home) -> None:
    """The line of a message names its sender, and our import takes it from there."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "hello", sender="telegram:99")
    mirrored = list(mirror_lines(home.database, session.id))[1]
    exported = list(SessionExport(home.sessions, session.id, JsonlWriter()).lines())[1]
    assert b'"sender":"telegram:99"' in mirrored
    assert b'"sender":"telegram:99"' in exported
    line = JsonlFormat().parse(
        {"role": "user", "content": "hi", "sender": "telegram:99"}, ForeignSession(id="1")
    )
    assert isinstance(line, ForeignMessage)
    assert line.sender == "telegram:99"


def test_a_summary_is_seen_by_those_whose_turns_it_replaces(home: Home) -> None:
    """In the view of a shared session, and in its mirror, from which it can be recovered."""
    settings = SessionSettings(owner=("telegram:42",))
    sessions = home.sessions_of(Scope(), settings)
    main = sessions.create(key="agent:main:main").id
    for number in range(4):
        for sender in ("telegram:42", "telegram:99"):
            said = f"We decided {number} for {sender}."
            sessions.append_many(main, [{"role": "user", "content": said, "sender": sender}])
    assert sessions.compact(main, keep_messages=1).outcome == "compacted"
    guests = sessions.view(main)
    assert guests.summary is not None
    assert "telegram:42" not in guests.summary + "".join(m.text for m in guests.messages)
    assert (len(guests.messages), guests.omitted) == (1, 0)
    owners = sessions.view(main, for_sender="telegram:42")
    assert (owners.summary, len(owners.messages), owners.omitted) == (None, 4, 0)
    sessions.append(main, "user", "And now?", sender="telegram:42")
    assert sessions.compact(main, keep_messages=1).outcome == "compacted"
    own = sessions.view(main)
    assert own.summary is not None
    assert "telegram:99" not in own.summary + "".join(m.text for m in own.messages)
    assert sessions.view(main, for_sender="telegram:99") == guests
    summaries = [line for line in mirror_lines(home.database, main) if b'"compaction"' in line]
    assert [b'"turn_sender":"telegram:99"' in line for line in summaries] == [True, False]


def test_a_guest_in_a_shared_session_hears_nothing_of_a_fork_before(home: Home) -> None:
    """A fork has the turns of its parent, each of whom it was with."""
    sessions = home.sessions_of(Scope(), SessionSettings(owner=("telegram:42",)))
    main = sessions.create(key="agent:main:main").id
    sessions.append(main, "user", "mine", sender="telegram:42")
    fork = sessions.fork(main).id
    sessions.append(fork, "user", "theirs", sender="telegram:99")
    assert [m.text for m in sessions.view(fork).messages] == ["theirs"]
    assert [m.text for m in sessions.view(fork, for_sender="telegram:42").messages] == ["mine"]


def test_a_turn_without_a_sender_ends_that_of_a_guest(home: Home) -> None:
    """Also where the guest's is the last one that a fork shares."""
    session = home.sessions.create()
    home.sessions.append(session.id, "user", "theirs", sender="telegram:99")
    fork = home.sessions.fork(session.id)
    home.sessions.append(fork.id, "user", "mine")
    assert home.sessions.append(fork.id, "assistant", "yours").turn_sender is None
