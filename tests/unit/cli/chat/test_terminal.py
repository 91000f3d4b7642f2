"""The terminal of a chat, with keys from a pipe: what is sent, completed, stopped and shown."""

from __future__ import annotations

import io
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

import recollect
from recollect.cli.chat.conversation import MAIN_KEY, ChatConversation
from recollect.cli.chat.rendering import ShownAnswer, complete_length
from recollect.cli.chat.terminal import ChatCompleter, Terminal
from recollect.core.errors import ProviderUnavailable
from recollect.respond.reply import ReplyEvent
from tests.support.chat_model import SETTINGS, Call, ChatModel
from tests.unit.cli.conftest import Done, Run

ENTER, LINE, END = "\r", "\x1b\r", "\x04"
Talk = Callable[..., Done]


class Screen(io.StringIO):
    """A terminal of a test: somebody sits before it."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.fixture
def talk(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """Press keys in `recollect chat`, and then Ctrl-D."""

    def press(keys: str, *options: str) -> Done:
        monkeypatch.setattr(sys, "stdin", Screen())
        with create_pipe_input() as keyboard:
            keyboard.send_text(keys + END)
            with create_app_session(input=keyboard, output=DummyOutput()):
                return run("--home", home, "chat", *options)

    return press


def test_what_is_written_is_answered_until_the_end(talk: Talk, model: ChatModel) -> None:
    """Markdown is rendered; the head says which model answers, and how to leave."""
    model.steps.append(["On **Tue", "sday**.\n\n- at 9\n"])
    done = talk("When is the delivery?" + ENTER)
    assert done.code == 0
    assert "On Tuesday." in done.out
    assert " • at 9" in done.out
    assert "scripted. /help lists commands, Ctrl-C stops an answer, Ctrl-D ends." in done.err
    assert model.said == [["When is the delivery?"]]


def test_a_message_may_have_lines(talk: Talk, model: ChatModel) -> None:
    """By Alt-Enter, and from a paste."""
    talk("One" + LINE + "two" + ENTER + "\x1b[200~three\nfour\x1b[201~" + ENTER)
    assert [said[-1] for said in model.said] == ["One\ntwo", "three\nfour"]


@pytest.mark.parametrize("end", ["/exit", "/quit"])
def test_a_word_ends_it_too(talk: Talk, model: ChatModel, end: str) -> None:
    """And an empty line does nothing."""
    done = talk(ENTER + "  " + ENTER + end + ENTER + "More?" + ENTER)
    assert (done.code, model.said) == (0, [])


def test_control_c_takes_a_line_back(talk: Talk, model: ChatModel) -> None:
    """It is not sent."""
    talk("Never\x03Always" + ENTER)
    assert [said[-1] for said in model.said] == ["Always"]


def test_control_c_stops_an_answer(talk: Talk, model: ChatModel) -> None:
    """What came of it stays on the screen, and the next message is answered."""

    def interrupted(call: Call) -> str:
        call.say("It is on ")
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        call.wait(threading.Event())
        return ""

    model.steps.append(interrupted)
    done = talk("When?" + ENTER + "And now?" + ENTER)
    assert "It is on" in done.out
    assert "stopped" in done.err
    assert "Echo:" in done.out
    assert done.code == 0


def test_commands_and_failures_are_shown(talk: Talk, model: ChatModel) -> None:
    """The outcome of a command, why there is no answer, and what is not there."""
    model.steps.append(ProviderUnavailable("the model is away", hint="try later"))
    done = talk("/remember I prefer tea" + ENTER + "Hello?" + ENTER + "/rewind files c9" + ENTER)
    assert "Remembered: f1 I prefer tea" in done.out
    assert "try later" in done.err
    assert "the checkpoint does not exist: list them" in done.err


def test_files_go_back_once_somebody_agrees(
    talk: Talk, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the plan of `recollect rewind`; a no changes nothing."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("old", encoding="utf-8")
    with recollect.open(home, overrides={**SETTINGS, "checkpoints.enabled": True}) as memory:
        session = memory.sessions.open(MAIN_KEY)
        with memory.checkpoints.around(session.id, folder):
            (folder / "a.txt").write_text("new", encoding="utf-8")
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert "nothing was changed" in talk("/rewind files c1" + ENTER).err
    assert (folder / "a.txt").read_text() == "new"
    monkeypatch.setattr("typer.confirm", lambda *_, **__: True)
    talk("/rewind files c1" + ENTER)
    assert (folder / "a.txt").read_text() == "old"


def test_what_was_said_before_is_reached_by_the_arrows(talk: Talk, model: ChatModel) -> None:
    """In the next process: it is read from the sessions, and no file has it."""
    talk("One?" + ENTER)
    talk("\x1b[A" + ENTER)
    assert [said[-1] for said in model.said] == ["One?", "One?"]


def test_commands_and_sessions_are_completed(home: Path) -> None:
    """By the beginning of a name, with what it is."""
    with recollect.open(home, live=False) as memory:
        memory.sessions.create(key=MAIN_KEY, title="Tea in Kyoto")
        memory.sessions.create(key=MAIN_KEY)
        completer = ChatCompleter(ChatConversation(memory, MAIN_KEY))

        def offered(text: str) -> list[str]:
            found = completer.get_completions(Document(text), CompleteEvent())
            return [each.text for each in found]

        assert offered("/re") == ["reset", "remember", "resume", "rewind"]
        assert offered("Hello /re") == []
        assert offered("/resume tea") == ["Tea in Kyoto"]
        assert len(offered("/resume ")) == 2
        assert offered("/model x") == []


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("", 0),
        ("One line", 0),
        ("One\n\nTwo", 5),
        ("One\n\n```py\na\n\nb", 5),
        ("```\na\n\nb\n```\n\nrest", 14),
        ("~~~\n```\n\n~~~\n\n", 14),
        ("- a\n\n- b\n  \n", 12),
    ],
)
def test_what_is_complete_ends_at_a_blank_line_outside_of_code(text: str, end: int) -> None:
    """So a block of code is drawn whole."""
    assert complete_length(text) == end


def test_an_answer_moves_nothing_on_the_screen_but_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Control sequences of a model are left out, also where a piece cuts one in two."""
    with ShownAnswer() as shown:
        shown.on_event(ReplyEvent(kind="typing"))
        for piece in ("A\x1b[2", "Jword\x1b]0;ti", "tle\x07 and\n", "\nmore [b]x[/b]"):
            shown.on_event(ReplyEvent(kind="piece", text=piece))
    out = capsys.readouterr().out
    assert "Aword and" in out
    assert "more [b]x[/b]" in out
    assert "\x1b[2J" not in out
    assert "title" not in out


def test_without_the_editor_it_says_what_to_install(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a pipe it needs none."""
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    monkeypatch.delitem(sys.modules, "recollect.cli.chat.terminal")
    done = talk("")
    assert (done.code, "install recollect[chat]" in done.err) == (1, True)


def test_the_terminal_is_made_of_a_conversation(home: Path) -> None:
    """A program may make one, too."""
    with recollect.open(home, live=False) as memory, create_pipe_input() as keyboard:
        keyboard.send_text(END)
        with create_app_session(input=keyboard, output=DummyOutput()):
            Terminal(ChatConversation(memory, MAIN_KEY), print).run()
