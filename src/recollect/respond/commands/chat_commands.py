"""`ChatCommands`: the table of commands, who may give which, and what is answered to the others."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import msgspec

from recollect.core.errors import RecollectError
from recollect.respond.commands import conversation, knowledge
from recollect.respond.commands.command import (
    ChatCommand,
    CommandCall,
    CommandParts,
    Speaker,
    split_command,
)
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
        ChatCommand(name="help", about="this list", is_open=True, run=show_help),
        ChatCommand(
            name="new",
            about="begin a new session; what was said stays remembered",
            is_open=True,
            run=conversation.begin_anew,
        ),
        ChatCommand(name="reset", about="the same", is_open=True, run=conversation.begin_anew),
        ChatCommand(
            name="remember",
            usage="TEXT",
            about="remember one short statement",
            is_open=True,
            run=knowledge.remember,
        ),
        ChatCommand(
            name="forget",
            usage="f12 | WORDS",
            about="forget what was remembered",
            is_open=True,
            run=knowledge.forget,
        ),
        ChatCommand(
            name="facts",
            usage="[WORDS]",
            about="what is known, or what of it fits",
            run=knowledge.list_facts,
        ),
        ChatCommand(
            name="context",
            about="what the last answer was made from, and why",
            run=knowledge.show_context,
        ),
        ChatCommand(name="status", about="how this session stands", run=conversation.show_status),
        ChatCommand(
            name="model",
            usage="[NAME | default | thinking LEVEL]",
            about="which model answers in this session",
            run=conversation.choose_model,
        ),
        ChatCommand(
            name="compact",
            about="replace older messages by a summary",
            run=conversation.compact,
        ),
        ChatCommand(
            name="sessions",
            usage="[TITLE]",
            about="sessions to go on with",
            run=conversation.list_sessions,
        ),
        ChatCommand(
            name="resume",
            usage="ID | TITLE",
            about="go on from another session",
            run=conversation.resume,
        ),
        ChatCommand(name="fork", usage="[TITLE]", about="go on in a fork", run=conversation.fork),
        ChatCommand(
            name="rewind",
            usage="[TURNS | to SEQ | undo]",
            about="take the last turns out of this session",
            run=conversation.rewind,
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
