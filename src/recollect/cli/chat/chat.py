"""The command: a terminal, or questions from a pipe."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Annotated

import msgspec
import typer

from recollect.cli.chat.conversation import ChatConversation, chosen_key, ignored, interrupts
from recollect.cli.help import App
from recollect.cli.invocation import answers_json, opened, print_document, require_home
from recollect.cli.output.screen import say, show
from recollect.cli.sessions.lines import complete_session
from recollect.core.errors import InvalidInput, ModelMissing
from recollect.respond.reply import Reply

FAILED = 1

app = App()


class ChatReplies(msgspec.Struct, frozen=True, kw_only=True):
    """What became of each message that came in by a pipe, in their order."""

    replies: tuple[Reply, ...]


@app.command(rich_help_panel="Find", epilog="echo 'When is the delivery?' | recollect chat")
def chat(
    context: typer.Context,
    *,
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            help="The session to go on with: its key, its id or its title.",
            metavar="KEY",
            autocompletion=complete_session,
        ),
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Begin a new session.")] = False,
    continue_latest: Annotated[
        bool, typer.Option("--continue", help="Go on with the last session, however old it is.")
    ] = False,
    model: Annotated[
        str | None, typer.Option("--model", help="The model for this session.", metavar="NAME")
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="From a pipe, each line is a message of its own.")
    ] = False,
) -> None:
    """Talk with a language model that has this memory.

    In a terminal, Alt-Enter begins a line, Ctrl-C stops an answer and Ctrl-D ends; /help lists the
    commands. From a pipe, the whole input is one message.
    """
    is_talk = sys.stdin.isatty() and not answers_json(context)
    if is_talk:
        _require_editor()
    if not _has_model(context, is_talk=is_talk):
        return
    quiet = interrupts(ignored) if is_talk else nullcontext()
    with quiet, opened(context, live=is_talk) as memory:
        key = chosen_key(memory, session, new=new, go_on=continue_latest)
        conversation = ChatConversation(memory, key)
        if model is not None:
            _require_model(conversation, model)
        if is_talk:
            _talk(context, conversation)
        else:
            _answer_pipe(context, conversation, lines=lines)


def _require_editor() -> None:
    try:
        import prompt_toolkit  # noqa: F401  # only whether it is there
    except ImportError as error:
        hint = "install recollect[chat]; without it, pipe a message into `recollect chat`"
        raise ModelMissing("the terminal of chats needs prompt_toolkit", hint=hint) from error


def _has_model(context: typer.Context, *, is_talk: bool) -> bool:
    """Return whether a model may answer; where none may, offer what is installed, once.

    Raises:
        ModelMissing: it cannot be asked for, or there is nothing to offer.
    """
    from recollect.cli.chat.models import choose, is_ready, no_model, numbered, offers
    from recollect.core.settings import load_settings

    home = require_home(context)
    language = load_settings(home).settings.language
    if is_ready(language):
        return True
    models = offers(language) if is_talk else []
    if not models:
        raise no_model(language, is_talk=is_talk)
    say(
        ("Which model is to answer? What is asked, and what fits it of the memory, goes to it.", "")
    )
    for line in numbered(models):
        say((f"  {line}", "cyan"))
    number = typer.prompt("A number, or nothing for none", default="", show_default=False, err=True)
    if len(models) == 1 and number.casefold() in {"y", "yes"}:
        number = "1"
    if not (number.isdecimal() and 0 < int(number) <= len(models)):
        say(("nothing was changed", "dim"))
        return False
    choose(home, language, models[int(number) - 1])
    say(("language.provider and language.uses are set in config.yaml", "dim"))
    return True


def _require_model(conversation: ChatConversation, name: str) -> None:
    reply = conversation.ask(f"/model {name}", lambda _: None)
    if reply.code is not None:
        raise InvalidInput(reply.text.partition(": ")[0], hint=reply.hint or "")


def _talk(context: typer.Context, conversation: ChatConversation) -> None:
    from recollect.cli.addresses import short
    from recollect.cli.chat.terminal import Terminal
    from recollect.cli.checkpoints.rewind import put_back

    memory = conversation.memory
    model = conversation.session.overrides.get("model", memory.settings.language.provider)
    keys = "/help lists commands, Ctrl-C stops an answer, Ctrl-D ends"
    say((short(conversation.session.id), "bold"), (f"  {model}. {keys}.", "dim"))
    Terminal(
        conversation,
        lambda target: put_back(context, memory, target, conversation.session.id),
    ).run()


def _answer_pipe(context: typer.Context, conversation: ChatConversation, *, lines: bool) -> None:
    text = sys.stdin.read()
    messages = [each for each in text.splitlines() if each.strip()] if lines else [text.strip()]
    if not any(messages):
        raise InvalidInput("nothing came in on stdin", hint="pipe a message into the command")
    replies = []
    for message in messages:
        replies.append(conversation.ask(message, lambda _: None))
        if not answers_json(context):
            _show(replies[-1])
    if answers_json(context):
        print_document(ChatReplies(replies=tuple(replies)))
    if any(each.status == "failed" for each in replies):
        raise typer.Exit(FAILED)


def _show(reply: Reply) -> None:
    if reply.status == "failed":
        say(("error", "bold red"), (f": {reply.text}", ""))
        if reply.hint:
            say((" hint", "cyan"), (f": {reply.hint}", ""))
    else:
        show((reply.text, ""))
