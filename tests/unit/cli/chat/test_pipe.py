"""`recollect chat` where stdin is no terminal: plain answers, or one document."""

from __future__ import annotations

from pathlib import Path

import recollect
from recollect.core.errors import ProviderUnavailable
from tests.support.chat_model import ChatModel
from tests.support.served import serving
from tests.unit.cli.chat.conftest import Chat, write_settings


def test_the_whole_input_is_one_message(chat: Chat, model: ChatModel) -> None:
    """Its answer is on stdout, and nothing else."""
    model.steps.append("On **Tuesday**.")
    done = chat("When is\nthe delivery?\n")
    assert (done.code, done.out, done.err) == (0, "On **Tuesday**.\n", "")
    assert model.said == [["When is\nthe delivery?"]]


def test_each_line_may_be_a_message(chat: Chat) -> None:
    """Empty ones are none; a command is one, too."""
    done = chat("One?\n\n/remember I prefer tea\n", "--lines")
    assert done.out.splitlines() == ["Echo: One?", "Remembered: f1 I prefer tea"]


def test_the_answers_are_one_document(chat: Chat) -> None:
    """With what became of each message."""
    done = chat("One?\nTwo?", "--lines", "--json")
    first, second = done.json["replies"]
    assert (first["status"], first["text"], first["seq"]) == ("answered", "Echo: One?", 2)
    assert second["session_id"] == first["session_id"]


def test_a_failure_is_said_and_the_message_is_kept(chat: Chat, model: ChatModel) -> None:
    """On stderr, with exit code 1; what follows is answered."""
    model.steps.append(ProviderUnavailable("the model is away", hint="try later"))
    done = chat("One?\nTwo?", "--lines")
    assert (done.code, done.out) == (1, "Echo: One?\n\nTwo?\n")
    assert done.err.startswith("error: ")
    assert done.err.splitlines()[1] == " hint: try later"


def test_nothing_is_no_message(chat: Chat, home: Path) -> None:
    """Neither is a blank line, nor a home that is not there."""
    done = chat(" \n")
    assert (done.code, "nothing came in on stdin" in done.err) == (2, True)
    home.rename(home.with_name("other"))
    assert "does not exist" in chat("Hello?").err


def test_without_a_model_it_says_how_to_get_one(chat: Chat, home: Path) -> None:
    """From a pipe nobody is asked."""
    write_settings(home, {"provider": "none"})
    done = chat("Hello?")
    assert (done.code, "no model is set that may answer" in done.err) == (1, True)
    write_settings(home, {"provider": "scripted"})
    done = chat("Hello?", "--json")
    assert done.error["code"] == "model_missing"
    assert "language.uses compaction,flush,respond" in done.error["hint"]


def test_a_model_is_chosen_for_the_session(chat: Chat) -> None:
    """As /model does; what cannot be one is refused before anything is asked."""
    assert "scripted:tiny" in chat("/model", "--model", "tiny").out
    assert "scripted:tiny" in chat("/model").out
    done = chat("Hello?", "--model", "anthropic:opus")
    assert (done.code, done.out) == (2, "")
    assert "only models of the provider" in done.err.lower()


def test_sessions_are_chosen(chat: Chat, home: Path) -> None:
    """A new one, the last one however old, or one by title, key or id."""
    with recollect.open(home) as memory:
        old = memory.sessions.create(key="agent:main:main", title="Tea", at=1_700_000_000_000)
        memory.sessions.append(old.id, "user", "I prefer tea.", at=1_700_000_000_000)
    first = chat("Hello?", "--continue", "--json").json["replies"][0]
    assert (first["session_id"] != old.id, first["inbound_seq"]) == (True, 2), "a fork of it"
    assert chat("More?", "--json").json["replies"][0]["session_id"] == first["session_id"]
    new = chat("Hello?", "--new", "--json").json["replies"][0]
    assert new["inbound_seq"] == 1
    again = chat("Hello?", "--session", old.id, "--json").json["replies"][0]
    assert again["inbound_seq"] == 2
    keyed = chat("Hello?", "--session", "agent:main:other:direct:owner", "--json")
    assert keyed.code == 1, "an account that is not the owner's"
    assert chat("Hello?", "--session", "nothing").code == 1
    both = chat("Hello?", "--new", "--continue")
    assert (both.code, "exclude each other" in both.err) == (2, True)


def test_a_conversation_with_somebody_else_is_theirs(chat: Chat, home: Path) -> None:
    """What the owner writes there would be taken for theirs."""
    with recollect.open(home) as memory:
        guest = memory.sessions.open("telegram:7")
    done = chat("Hello?", "--session", guest.id)
    assert (done.code, "the session is with somebody else" in done.err) == (1, True)


def test_nothing_to_continue_is_a_new_session(chat: Chat) -> None:
    """The first of the home."""
    assert chat("Hello?", "--continue").out == "Echo: Hello?\n"


def test_a_worker_may_serve_the_home(chat: Chat, home: Path) -> None:
    """Both have it open; what was said is found by either."""
    with serving(home, {"embedding.provider": "none"}):
        assert chat("I keep the wire in the shed.").out.startswith("Echo: ")
        assert chat("/facts").code == 0
    with recollect.open(home) as memory:
        memory.sync()
        assert memory.search("wire shed").hits
