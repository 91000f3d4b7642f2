"""Chat commands: what each does in a chat of the owner's, and what is said where one cannot."""

from __future__ import annotations

import pytest

from recollect.respond.commands.chat_commands import COMMANDS
from recollect.respond.commands.command import one_of_text, split_command
from recollect.respond.reply import PromptItem
from tests.unit.respond.commands.conftest import ANN, GROUP, MAIN, OWNER, Chat


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("/new", ("new", "")),
        ("  /New \n", ("new", "")),
        ("/remember I prefer\ntea", ("remember", "I prefer\ntea")),
        ("/help@tea_bot", ("help", "")),
        ("/usr/bin is full", None),
        ("/", None),
        ("// comment", None),
        ("/7", None),
        ("see /new", None),
        ("", None),
    ],
)
def test_a_command_begins_with_a_slash_and_a_word(text: str, split: tuple[str, str] | None) -> None:
    """A path is no command."""
    assert split_command(text) == split


def test_what_is_no_command_is_left_to_the_model(chat: Chat) -> None:
    """None, and nothing is done."""
    assert chat.run("What do I drink?") is None


def test_help_lists_each_command_with_its_usage(chat: Chat) -> None:
    """In the order of the table."""
    lines = chat.said("/help").splitlines()[1:]
    assert [line.split("`")[1].split()[0] for line in lines] == [f"/{name}" for name in COMMANDS]
    assert "- `/rewind [TURNS | to SEQ | undo]`: take the last turns out of this session" in lines


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("/rmember I prefer tea", "The command /rmember does not exist. Did you mean /remember?"),
        ("/stat", "The command /stat does not exist. Did you mean /status?"),
        ("/xyzzy", "The command /xyzzy does not exist. You can use /help, /new"),
    ],
)
def test_an_unknown_command_is_answered_with_the_nearest(
    chat: Chat, text: str, answer: str
) -> None:
    """Or with the list."""
    assert chat.said(text).startswith(answer)


@pytest.mark.parametrize("name", ["new", "reset"])
def test_a_new_session_follows_the_one_before(chat: Chat, name: str) -> None:
    """Its messages stay, and it is archived."""
    before = chat.session(OWNER)
    chat.memory.sessions.append(before.id, "user", "Hello.")
    assert chat.said(f"/{name}").startswith("A new session has begun.")
    after = chat.session(OWNER)
    assert (after.previous_id, after.last_seq) == (before.id, 0)
    assert chat.memory.sessions.get(before.id).status == "archived"
    assert [each.text for each in chat.memory.sessions.messages(before.id)] == ["Hello."]


def test_the_owner_remembers_corrects_and_forgets(chat: Chat) -> None:
    """A newer value replaces the old one, and both are named."""
    assert chat.said("/remember I live in Rome") == "Remembered: f1 I live in Rome"
    assert chat.said("/remember I live in Rome") == "Known already: f1 I live in Rome"
    moved = chat.said("/remember I live in Oslo")
    assert moved == "Remembered: f2 I live in Oslo\nNo longer: f1 I live in Rome"
    assert chat.said("/facts") == "- f2 I live in Oslo"
    assert chat.said("/facts Oslo") == "- f2 I live in Oslo"
    assert chat.said("/forget I live in Oslo").startswith("Forgotten: f2 I live in Oslo\n")
    assert chat.said("/facts") == "- f1 I live in Rome"
    assert chat.said("/forget f1").startswith("Forgotten: f1")
    assert chat.said("/facts") == "Nothing is known yet."


def test_what_fails_is_said_with_what_to_do(chat: Chat) -> None:
    """The reply has the code as well."""
    reply = chat.run("/forget f9")
    assert reply is not None
    assert (reply.status, reply.code) == ("command", "not_found")
    assert reply.text.startswith("The fact does not exist: ")
    assert chat.said("/remember") == "Something is missing: write /remember I prefer tea."


def test_the_status_says_how_the_session_stands(chat: Chat) -> None:
    """Its size, its model and what waits."""
    session = chat.session(OWNER)
    chat.memory.sessions.rename(session.id, "Tea")
    chat.memory.sessions.append(session.id, "user", "Hello.")
    lines = chat.said("/status").splitlines()
    assert lines[0] == f"- Session {session.id[-8:]} “Tea”: 1 message"
    assert lines[1].startswith("- The view takes ")
    assert lines[2:] == ["- Model: openai:gpt-5, thinking: default", "- Waiting for an answer: 1"]


@pytest.mark.parametrize(
    ("text", "answer", "overrides"),
    [
        ("/model", "Model: openai:gpt-5, thinking: default", {}),
        ("/model o4", "Model: openai:o4, thinking: default", {"model": "openai:o4"}),
        ("/model openai:o4", "Model: openai:o4, thinking: default", {"model": "openai:o4"}),
        ("/model thinking high", "Model: openai:gpt-5, thinking: high", {"thinking": "high"}),
        ("/model thinking default", "Model: openai:gpt-5, thinking: default", {}),
        ("/model default", "Model: openai:gpt-5, thinking: default", {}),
        ("/model qwen3:8b", "Model: openai:qwen3:8b, thinking: default",
         {"model": "openai:qwen3:8b"}),
        ("/model thinking", "One level is needed: use default, off, low, medium, high.", {}),
        ("/model thinking deep", "Unknown level of thinking: use one of off,", {}),
        ("/model anthropic:opus", "Only models of the provider in the settings are asked:", {}),
        ("/model a b", "A model is one word: write it as in /model gpt-5-mini.", {}),
    ],
)  # fmt: skip
def test_the_model_of_a_session_is_chosen(
    chat: Chat, text: str, answer: str, overrides: dict[str, str]
) -> None:
    """Only among those of the provider of the settings: nothing is sent to another."""
    assert chat.said(text).startswith(answer)
    assert chat.session(OWNER).overrides == overrides


def test_the_conversation_goes_back_by_turns_or_to_a_message(chat: Chat) -> None:
    """And undo brings the messages back."""
    sessions, session = chat.memory.sessions, chat.session(OWNER)
    for n in range(1, 4):
        sessions.append_many(session.id, [("user", f"Question {n}"), ("assistant", f"Answer {n}")])

    def shown() -> list[int]:
        return [each.seq for each in sessions.messages(session.id)]

    assert chat.said("/rewind").startswith("The messages 5 to 6 left the session;")
    assert shown() == [1, 2, 3, 4]
    assert chat.said("/rewind undo") == "The messages 5 to 6 are there again."
    assert shown() == [1, 2, 3, 4, 5, 6]
    assert chat.said("/rewind 2").startswith("The messages 3 to 6 left")
    assert chat.said("/rewind undo").endswith("are there again.")
    assert chat.said("/rewind to 5").startswith("The messages 6 to 6 left")
    assert chat.said("/rewind 4").startswith("The session has 3 turns to take out:")
    for words in ("0", "two", "to", "to x", "1 2"):
        assert ": " in chat.said(f"/rewind {words}")
    assert shown() == [1, 2, 3, 4, 5]
    chat.said("/rewind undo")
    assert chat.said("/rewind undo").startswith("Nothing was taken out:")


def test_a_conversation_goes_on_from_another_session(chat: Chat) -> None:
    """In a fork under its own key, so that the next message finds it; the other one stays."""
    sessions = chat.memory.sessions
    old = sessions.create(key=MAIN, title="Holiday")
    sessions.append(old.id, "user", "I want to see Rome.")
    before = chat.session(OWNER)
    assert "“Holiday”" in chat.said("/sessions")
    assert chat.said("/sessions holi").count("\n") == 0
    assert chat.said("/sessions nothing") == "There is none."
    assert "goes on from" in chat.said("/resume holiday")
    now = chat.session(OWNER)
    assert (now.parent_id, now.key, now.title) == (old.id, OWNER, "Holiday")
    assert [each.text for each in sessions.messages(now.id)] == ["I want to see Rome."]
    assert sessions.get(before.id).status == "archived"
    sessions.append(now.id, "user", "And Oslo.")
    assert [each.text for each in sessions.messages(old.id)] == ["I want to see Rome."]
    assert chat.said(f"/resume {now.id}") == "That is this session."


def test_a_conversation_goes_on_in_a_fork(chat: Chat) -> None:
    """And back again."""
    sessions, session = chat.memory.sessions, chat.session(OWNER)
    sessions.append(session.id, "user", "Hello.")
    said = chat.said("/fork Another way")
    fork = chat.session(OWNER)
    assert (fork.parent_id, fork.title) == (session.id, "Another way")
    assert f"`/resume {session.id[-8:]}`" in said
    assert "goes on from" in chat.said(f"/resume {session.id[-8:]}")
    assert chat.session(OWNER).parent_id == session.id


@pytest.mark.parametrize("key", [ANN, GROUP])
def test_a_session_of_others_is_not_resumed(chat: Chat, key: str) -> None:
    """Its words would be in the owner's chat."""
    other = chat.session(key)
    chat.memory.sessions.append(other.id, "user", "Between us.", sender="telegram:7")
    before = chat.session(OWNER)
    assert chat.said(f"/resume {other.id}").startswith("The session does not exist:")
    assert chat.session(OWNER).id == before.id


def test_a_full_view_is_compacted(chat: Chat) -> None:
    """No message is removed."""
    sessions, session = chat.memory.sessions, chat.session(OWNER)
    assert chat.said("/compact") == "There is nothing to compact yet."
    sessions.append_many(session.id, [("user", f"Question {n}? " * 200) for n in range(60)])
    assert chat.said("/compact").startswith("Older messages are replaced by a summary;")
    assert len(sessions.messages(session.id)) == 60
    assert "compacted 1 times" in chat.said("/status")


def test_the_context_of_the_last_answer_is_shown_with_its_sources(chat: Chat) -> None:
    """Records with number and words, memory files with path, each with score and cost."""
    assert chat.said("/context") == "Nothing of the memory was in the last prompt here."
    session = chat.session(OWNER)
    fact = chat.memory.facts.remember(None, "I prefer tea").fact
    message = chat.memory.sessions.append(session.id, "user", "I drank it in Kyoto.")
    chat.context[session.id] = [
        PromptItem(source="facts", ref=fact.id, tokens=9, score=0.812, why={"words": 0.7}),
        PromptItem(source="said", ref=message.id, tokens=12, why={"context": 0.2, "group": 0.1}),
        PromptItem(source="memory", ref="memory/tea.md:3-4", tokens=1_200, score=0.5),
    ]
    assert chat.said("/context").splitlines() == [
        "The prompt of the last answer held, in 1,221 tokens:",
        "- facts: f1 “I prefer tea”, score 0.81, 9 tokens (words 0.70)",
        "- said: m1 “I drank it in Kyoto.”, score 0.30, 12 tokens (context 0.20, group 0.10)",
        "- memory: memory/tea.md:3-4, score 0.50, 1200 tokens",
    ]
    chat.context[session.id] = chat.context[session.id][2:]
    assert chat.said("/context").count("\n") == 1


def test_a_long_text_is_cut_to_one_line() -> None:
    """With a mark."""
    assert one_of_text("a\n b  c", 5) == "a b c"
    assert one_of_text("abcdef", 5) == "abcd…"


def test_in_a_session_that_many_share_the_owner_gives_commands(chat: Chat) -> None:
    """Without a name it is the owner, also where a guest spoke last; with one it is who speaks."""
    session = chat.session(MAIN)
    chat.memory.sessions.append(session.id, "user", "Hi.", sender="telegram:7")
    assert chat.said("/remember I live in Rome", MAIN) == "Remembered: f1 I live in Rome"
    assert chat.memory.facts.get("f1").trust == "owner"
    assert chat.said("/facts", MAIN, "telegram:42") == "- f1 I live in Rome"
    assert chat.said("/facts", MAIN, "telegram:7").startswith("/facts is the owner's.")
