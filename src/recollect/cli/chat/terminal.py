"""The terminal of a chat: a line editor with history and completion, and the answers below it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from typer import Abort

from recollect.cli.addresses import short
from recollect.cli.chat.conversation import interrupts
from recollect.cli.chat.rendering import ShownAnswer
from recollect.cli.output.screen import one_line, say
from recollect.core.errors import RecollectError
from recollect.respond.commands.chat_commands import COMMANDS

if TYPE_CHECKING:  # for a name only
    from recollect.cli.chat.conversation import ChatConversation
    from recollect.respond.reply import Reply

END = ("exit", "quit")
FILES = "/rewind files "
_SAID = 200
"""Earlier messages that the arrow keys reach."""
_SESSIONS = 5
"""Sessions of the conversation in which they are looked for."""
_OFFERED = 30


class Terminal:
    """Asks for messages and shows what is answered, until Ctrl-D.

    Args:
        conversation: Where.
        put_files_back: Puts the files of a checkpoint back, as ``recollect rewind`` does.
    """

    def __init__(
        self, conversation: ChatConversation, put_files_back: Callable[[str], object]
    ) -> None:
        self._conversation = conversation
        self._put_files_back = put_files_back
        self._editor: PromptSession[str] = PromptSession(
            history=InMemoryHistory(list(_said(conversation))),
            completer=ChatCompleter(conversation),
            complete_while_typing=True,
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation="  ",
        )

    def run(self) -> None:
        """Talk until the end of the input."""
        while True:  # where Ctrl-C is not a key, it is ignored, or it stops an answer
            try:
                text = self._editor.prompt("> ").strip()
            except KeyboardInterrupt:  # takes the line back
                continue
            except EOFError:
                return
            if text.removeprefix("/") in END and text.startswith("/"):
                return
            if text:
                self._answer(text)

    def _answer(self, text: str) -> None:
        try:
            if text.startswith(FILES):
                with interrupts(signal.default_int_handler):
                    self._put_files_back(text.removeprefix(FILES).strip())
                return
            with ShownAnswer() as screen:
                reply = self._conversation.ask(text, screen.on_event)
            _show_end(reply, screen)
        except (KeyboardInterrupt, Abort):
            say(("stopped", "yellow"))
        except RecollectError as error:
            say((one_line(error.message), "bold red"), (f": {one_line(error.hint or '')}", ""))


def _show_end(reply: Reply, screen: ShownAnswer) -> None:
    """Show what was not shown as it came: the outcome of a command, or why an answer is missing."""
    if reply.status == "command":
        screen.show(reply.text)
    elif reply.status == "cancelled":
        say(("stopped", "yellow"))
    elif reply.status != "answered":
        say((one_line(reply.text or reply.status), "yellow"))
        if reply.hint:
            say((one_line(reply.hint), "dim"))


def _said(conversation: ChatConversation) -> Iterator[str]:
    """Yield what the owner said before, oldest first.

    It is read from the sessions, redacted as they are: so what is erased is in no other file.
    """
    sessions = conversation.memory.sessions
    for session in reversed(sessions.list(key=conversation.key, limit=_SESSIONS)):
        for message in sessions.messages(session.id, limit=_SAID):
            if message.role == "user":
                yield message.text


def _keys() -> KeyBindings:
    """Enter sends, Alt-Enter begins a line; a paste keeps its lines."""
    bindings = KeyBindings()

    @bindings.add("enter")
    def send(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    @bindings.add("escape", "enter")
    def begin_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return bindings


class ChatCompleter(Completer):
    """Completes commands, and the sessions that one can be given.

    Args:
        conversation: Whose sessions.
    """

    def __init__(self, conversation: ChatConversation) -> None:
        self._conversation = conversation

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Yield what can follow the text before the cursor."""
        text = document.text_before_cursor
        name, blank, words = text.removeprefix("/").partition(" ")
        if not text.startswith("/"):
            return
        if not blank:
            for command in COMMANDS.values():
                if command.name.startswith(name):
                    yield Completion(
                        command.name, start_position=-len(name), display_meta=command.about
                    )
        elif name == "resume":
            yield from self._sessions(words)

    def _sessions(self, words: str) -> Iterator[Completion]:
        sessions = self._conversation.memory.sessions
        for session in sessions.list(for_session=self._conversation.session.id, limit=_OFFERED):
            title = one_line(session.title or "")
            for name in filter(None, (title, short(session.id))):
                if name.lower().startswith(words.lower()):
                    yield Completion(name, start_position=-len(words), display_meta=title)
                    break
