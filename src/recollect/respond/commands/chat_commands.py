"""`ChatCommands`: the table of commands, who may give which, and what is answered to the others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import msgspec

from recollect.core.errors import RecollectError
from recollect.respond.commands.command import (
    ChatCommand,
    CommandCall,
    CommandParts,
    Speaker,
    split_command,
)
from recollect.respond.commands.conversation import (
    begin_anew,
    choose_model,
    compact,
    fork,
    list_sessions,
    resume,
    rewind,
    show_status,
)
from recollect.respond.commands.knowledge import forget, list_facts, remember, show_context
from recollect.respond.inbound import Inbound
from recollect.respond.reply import Reply
from recollect.sessions.record.session import Session


def show_help(call: CommandCall) -> str:
    """List the commands that may be given here."""
    lines = [
        f"- `{' '.join(filter(None, (f'/{each.name}', each.usage)))}`: {each.about}"
        for each in commands_for(call.speaker)
    ]
    return "\n".join(["Commands:", *lines])


COMMANDS: dict[str, ChatCommand] = {
    each.name: each
    for each in (
        ChatCommand("help", "", "this list", show_help, is_open=True),
        ChatCommand(
            "new",
            "",
            "begin a new session; what was said stays remembered",
            begin_anew,
            is_open=True,
        ),
        ChatCommand("reset", "", "the same", begin_anew, is_open=True),
        ChatCommand("remember", "TEXT", "remember one short statement", remember, is_open=True),
        ChatCommand("forget", "f12 | WORDS", "forget what was remembered", forget, is_open=True),
        ChatCommand("facts", "[WORDS]", "what is known, or what of it fits", list_facts),
        ChatCommand("context", "", "what the last answer was made from, and why", show_context),
        ChatCommand("status", "", "how this session stands", show_status),
        ChatCommand(
            "model",
            "[NAME | default | thinking LEVEL]",
            "which model answers in this session",
            choose_model,
        ),
        ChatCommand("compact", "", "replace older messages by a summary", compact),
        ChatCommand("sessions", "[TITLE]", "sessions to go on with", list_sessions),
        ChatCommand("resume", "ID | TITLE", "go on from another session", resume),
        ChatCommand("fork", "[TITLE]", "go on in a fork", fork),
        ChatCommand(
            "rewind", "[TURNS | to SEQ | undo]", "take the last turns out of this session", rewind
        ),
    )
}
"""By name, in the order of the help."""


def commands_for(speaker: Speaker) -> list[ChatCommand]:
    """Return the commands that somebody may give."""
    return [each for each in COMMANDS.values() if each.is_open or speaker == "owner"]


class ChatCommands:
    """Runs the commands of chats.

    Args:
        parts: What they work with.
    """

    def __init__(self, parts: CommandParts) -> None:
        self._parts = parts

    def run(self, inbound: Inbound, session: Session) -> Reply | None:
        """Run the command of a message, and return what to show; None where it is none.

        What fails is said in the reply. Nothing is added to the session.

        Args:
            inbound: The message.
            session: The current session of its key.
        """
        parts = split_command(inbound.text)
        if parts is None:
            return None
        name, words = parts
        call = CommandCall(
            parts=self._parts,
            session=session,
            key=inbound.key,
            sender=inbound.sender,
            speaker=self._speaker(session, inbound.sender),
            words=words,
        )
        reply = Reply(status="command", session_id=session.id, event_id=inbound.event_id or "")
        return _answered(reply, name, call)

    def _speaker(self, session: Session, sender: str | None) -> Speaker:
        group = self._parts.sessions.speaking_group(session.id, sender)
        if group.is_owners:
            return "owner"
        return "guest" if group.is_private else "group"


def _answered(reply: Reply, name: str, call: CommandCall) -> Reply:
    command = COMMANDS.get(name)
    may = commands_for(call.speaker)
    if command is None:
        return _with(reply, f"The command /{name} does not exist. {_meant(name, may)}")
    if command not in may:
        return _with(reply, f"/{name} is the owner's. {_list_of(may)}", code="denied")
    try:
        return _with(reply, command.run(call))
    except RecollectError as error:
        hint = f": {error.hint}" if error.hint else ""
        text = f"{error.message[:1].upper()}{error.message[1:]}{hint}."
        return _with(reply, text, code=error.code, hint=error.hint)


def _with(reply: Reply, text: str, *, code: str | None = None, hint: str | None = None) -> Reply:
    return msgspec.structs.replace(reply, text=text, code=code, hint=hint)


def _meant(name: str, may: Iterable[ChatCommand]) -> str:
    near = difflib.get_close_matches(name, [each.name for each in may], 1, cutoff=0.5)
    return f"Did you mean /{near[0]}?" if near else _list_of(may)


def _list_of(may: Iterable[ChatCommand]) -> str:
    return f"You can use {', '.join(f'/{each.name}' for each in may)}."
