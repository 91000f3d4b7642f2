"""Commands on the conversation: begin again, go on elsewhere, go back, and how it is served."""

from __future__ import annotations

from recollect.core.clock import to_datetime
from recollect.core.errors import InvalidInput, NotFound
from recollect.respond.commands.command import CommandCall, one_of_text, required
from recollect.sessions.policy.conversation import THINKING
from recollect.sessions.record.session import Session

_LISTED = 10
_BACK = 1_000
"""Messages in which the turns are looked for that a rewind counts."""
_ID_END = 8
"""Characters of the end of an id that name a session."""
_OUTCOMES = {
    "nothing_to_replace": "There is nothing to compact yet.",
    "failed": "It could not be compacted: no summary was made.",
    "overtaken": "It was compacted by another program meanwhile.",
}


def begin_anew(call: CommandCall) -> str:
    """Begin a new session; the one before stays stored."""
    session = call.session
    call.parts.sessions.reset(call.key, session.project, reason="new", owner=session.user is None)
    return "A new session has begun. What was said before stays remembered."


def compact(call: CommandCall) -> str:
    """Replace older messages of the view by a summary."""
    result = call.parts.sessions.compact(call.session.id)
    if result.outcome != "compacted":
        return _OUTCOMES[result.outcome]
    failure = result.model_failure
    by_rule = "" if failure is None else " The model did not answer, so it was made by rule."
    return f"Older messages are replaced by a summary; none is removed.{by_rule}"


def show_status(call: CommandCall) -> str:
    """Show how the conversation stands."""
    session, sessions = call.session, call.parts.sessions
    view = sessions.view(session.id)
    compacted = f", compacted {session.compaction_count} times" if session.compaction_count else ""
    return "\n".join(
        (
            f"- Session {_name(session)}: {_messages(session)}{compacted}",
            f"- The view takes {view.tokens:,} tokens{', and is full' if view.is_full else ''}",
            f"- {_model_line(call, session)}",
            f"- Waiting for an answer: {max(0, call.parts.waiting() - 1)}",
        )
    )


def list_sessions(call: CommandCall) -> str:
    """List the sessions that can be gone on with, the last used first."""
    sessions = call.parts.sessions.list(
        for_session=call.session.id, automatic=False, title=call.words or None, limit=_LISTED
    )
    lines = [
        f"- {_name(each)}, {to_datetime(each.updated_at):%Y-%m-%d %H:%M}, "
        f"{_messages(each)}{' (this one)' if each.id == call.session.id else ''}"
        for each in sessions
    ]
    return "\n".join(lines) or "There is none."


def resume(call: CommandCall) -> str:
    """Go on with another session: in a fork of it, which is the current one from now on."""
    name = required(call, "/resume and the id or title of a session, see /sessions")
    sessions = call.parts.sessions
    other = sessions.find(name)
    if other.id == call.session.id:
        return "That is this session."
    if not sessions.hears(call.session.id, other.id):
        raise NotFound("the session does not exist", hint="list them with /sessions")
    _move(call, other, other.title)
    return f"This conversation goes on from {_name(other)}; that stays as it was."


def fork(call: CommandCall) -> str:
    """Go on in a fork of this session; it stays as it was."""
    _move(call, call.session, call.words or None)
    return f"This conversation goes on in a fork. `/resume {_end(call.session)}` goes back."


def rewind(call: CommandCall) -> str:
    """Take the last turns out of the session, all after a message, or bring them back."""
    words, sessions, id_ = call.words.split(), call.parts.sessions, call.session.id
    if words == ["undo"]:
        rewinds = [each for each in sessions.rewinds(id_) if each.returned_at is None]
        if not rewinds:
            raise NotFound("nothing was taken out", hint="take out the last turn with /rewind")
        back = sessions.undo_rewind(rewinds[-1].id)
        return f"The messages {back.from_seq} to {back.to_seq} are there again."
    withdrawal = sessions.rewind(id_, _position(call, words))
    span = f"The messages {withdrawal.from_seq} to {withdrawal.to_seq} left the session"
    return f"{span}; files stay as they are. `/rewind undo` brings them back."


def choose_model(call: CommandCall) -> str:
    """Show or choose the model of this session, or how long it thinks."""
    words, session = call.words.split(), call.session
    if not words:
        return _model_line(call, session)
    overrides = _thinking(words) if words[0] == "thinking" else _model(call, words)
    return _model_line(call, call.parts.sessions.set_overrides(session.id, overrides))


def _thinking(words: list[str]) -> dict[str, str | None]:
    if len(words) != 2:
        raise InvalidInput("one level is needed", hint=f"use default, {', '.join(THINKING)}")
    return {"thinking": None if words[1] == "default" else words[1]}


def _model(call: CommandCall, words: list[str]) -> dict[str, str | None]:
    """Return the override of a model: of the provider of the settings, which alone is asked."""
    provider = call.parts.language.provider.partition(":")[0]
    prefix, _, rest = words[0].partition(":")
    if len(words) > 1:
        raise InvalidInput("a model is one word", hint="write it as in /model gpt-5-mini")
    if words == ["default"]:
        return {"model": None}
    if provider == "none":
        raise InvalidInput("no model is set", hint="set language.provider first")
    if rest and prefix == provider:
        return {"model": words[0]}
    if prefix in {"openai", "anthropic", "claude-cli", "none"}:
        hint = f"choose one of {provider}, or set language.provider"
        raise InvalidInput("only models of the provider in the settings are asked", hint=hint)
    return {"model": f"{provider}:{words[0]}"}


def _model_line(call: CommandCall, session: Session) -> str:
    model = session.overrides.get("model", call.parts.language.provider)
    return f"Model: {model}, thinking: {session.overrides.get('thinking', 'default')}"


def _position(call: CommandCall, words: list[str]) -> int:
    """Return the last message that stays: before some turns, or a seq."""
    is_seq = words[:1] == ["to"]
    number = words[1:] if is_seq else words or ["1"]
    if len(number) != 1 or not number[0].isdecimal():
        raise InvalidInput(
            "a number is needed", hint="write /rewind 2 for two turns, /rewind to 14 for a message"
        )
    if is_seq:
        return int(number[0])
    messages = call.parts.sessions.messages(call.session.id, limit=_BACK)
    turns = [message.seq for message in messages if message.role == "user"]
    count = int(number[0])
    if not 0 < count <= len(turns):
        raise InvalidInput(
            f"the session has {len(turns)} turns to take out", hint="use a number up to that"
        )
    return turns[-count] - 1


def _move(call: CommandCall, source: Session, title: str | None) -> None:
    call.parts.sessions.fork(source.id, title=title, key=call.key, owner=call.session.user is None)


def _end(session: Session) -> str:
    return session.id[-_ID_END:]


def _name(session: Session) -> str:
    title = "" if session.title is None else f" “{one_of_text(session.title, 60)}”"
    return f"{_end(session)}{title}"


def _messages(session: Session) -> str:
    return f"{session.last_seq:,} message{'' if session.last_seq == 1 else 's'}"
