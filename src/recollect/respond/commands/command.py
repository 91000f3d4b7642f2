"""What a chat command is, and what it is called with."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, TypedDict

import msgspec

from recollect.core.errors import InvalidInput
from recollect.core.scope import ConversationTurn
from recollect.core.settings import LanguageSettings
from recollect.knowledge.fact import FactPlace
from recollect.knowledge.own_facts import OwnFacts
from recollect.recall.facts import FactRecall
from recollect.recall.steps.detail import DetailBatch
from recollect.respond.reply import PromptItem
from recollect.sessions.record.session import Session
from recollect.sessions.sessions import Sessions

_SHAPE = re.compile(r"/([a-z][a-z_-]*)(?:@\w+)?(?:\s+(.*))?", re.DOTALL | re.IGNORECASE)

Speaker: TypeAlias = Literal["owner", "guest", "group"]
"""Who gave a command: the owner in a chat of their own, somebody else in theirs, or a group."""


class CommandParts(msgspec.Struct, frozen=True, kw_only=True):
    """What commands work with.

    Attributes:
        sessions: Those of the memory.
        facts: Likewise.
        own_facts: What guests remember and forget.
        details: `Memory.get`.
        context_of: Returns what the prompt of the last answer in a session held, by its id.
        language: Which model answers where a session has none of its own.
        waiting: Returns the number of messages, the command among them, that have no answer yet.
    """

    sessions: Sessions
    facts: FactRecall
    own_facts: OwnFacts
    details: Callable[..., DetailBatch]
    context_of: Callable[[str], Sequence[PromptItem]]
    language: LanguageSettings
    waiting: Callable[[], int]


class Behalf(TypedDict):
    """The arguments that say on whose behalf the memory is asked."""

    for_session: str | None
    for_sender: str | None


class CommandCall(msgspec.Struct, frozen=True, kw_only=True):
    """A command as it was given.

    Attributes:
        parts: What it works with.
        session: Where.
        key: The key of the conversation.
        sender: The account that gave it, where the channel says so.
        speaker: Who that is.
        words: What follows its name, without blanks around it.
    """

    parts: CommandParts
    session: Session
    key: str
    sender: str | None
    speaker: Speaker
    words: str

    @property
    def place(self) -> FactPlace:
        """Where what is said in the command is said."""
        s = self.session
        turn = ConversationTurn(
            s.agent, s.user, s.channel, s.account, s.chat_type, s.peer, self.sender
        )
        return FactPlace(turn=turn, project=s.project, session_id=s.id)

    @property
    def behalf(self) -> Behalf:
        """On whose behalf the memory is asked.

        The owner, without a name in a session where a guest spoke last, asks for all of the scope.
        """
        group = self.parts.sessions.visibility_group(self.session.id, self.sender)
        if self.speaker == "owner" and not group.is_owners:
            return Behalf(for_session=None, for_sender=None)
        return Behalf(for_session=self.session.id, for_sender=self.sender)


class ChatCommand(msgspec.Struct, frozen=True):
    """A chat command.

    Attributes:
        name: Without its slash.
        usage: What may follow the name.
        about: What it does, in a line.
        run: Does it, and returns what to show as Markdown.
        is_open: Whether guests and groups may give it; else it is the owner's, in their own chats.
    """

    name: str
    usage: str
    about: str
    run: Callable[[CommandCall], str]
    is_open: bool = False


def split_command(text: str) -> tuple[str, str] | None:
    """Return the name of a command and the words after it; None where a text is none.

    >>> split_command("/Remember@tea_bot  I prefer tea "), split_command("/usr/bin is full")
    (('remember', 'I prefer tea'), None)
    """
    match = _SHAPE.fullmatch(text.strip())
    return None if match is None else (match[1].lower(), (match[2] or "").strip())


def one_of_text(text: str, most: int = 120) -> str:
    """Return a text on one line of at most so many characters, for a line of an answer."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def required(call: CommandCall, usage: str) -> str:
    """Return the words of a command that needs some.

    Raises:
        InvalidInput: there are none.
    """
    if not call.words:
        raise InvalidInput("something is missing", hint=f"write {usage}")
    return call.words
