"""One call of the command line: which home and workspace it means, and how it answers."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeAlias

import msgspec
import typer

from recollect.cli.output.screen import warn
from recollect.core.errors import InvalidInput, NotFound
from recollect.core.scope import Scope
from recollect.server.presence import is_served

if TYPE_CHECKING:  # the memory brings the arrays; a command imports it when it opens it
    from recollect.memory import Memory
    from recollect.server.client import WorkerMemory


HOME_FILES = ("records.db", "config.yaml")
"""A folder with one of them is a home."""


_CONTROL = re.compile("[\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")

Recalled: TypeAlias = "Memory | WorkerMemory"
"""What a command recalls from."""


class NotAgreed(InvalidInput):
    """The arguments were right, but no one agreed to what they ask for."""


class Invocation(msgspec.Struct, kw_only=True):
    """The options given before the command."""

    home: Path | None = None
    workspace: Path | None = None
    agent: str | None = None
    as_json: bool = False
    """Also where it is asked for after the command or after the name of a group."""


def invocation_of(context: typer.Context) -> Invocation:
    """Return the options given before the command of ``context``."""
    invocation = context.find_root().obj
    return invocation if isinstance(invocation, Invocation) else Invocation()


def answers_json(context: typer.Context) -> bool:
    """Return whether JSON is asked for: after the command, before it, or after a group's name."""
    return invocation_of(context).as_json


def answer(context: typer.Context, document: object, show: Callable[[], None]) -> None:
    """Print what a command found: as its JSON document where that is asked for, else with ``show``.

    Args:
        context: Of the command.
        document: What `print_document` takes.
        show: Prints it for people.
    """
    if answers_json(context):
        print_document(document)
    else:
        show()


def print_document(document: object, stream: TextIO | None = None) -> None:
    """Write ``document`` and a newline.

    Args:
        document: Structs, mappings, lists, texts, numbers.
        stream: Where to; stdout if not given.
    """
    target = sys.stdout if stream is None else stream
    content = encoded(document)
    target.flush()
    buffer = getattr(target, "buffer", None)
    if buffer is None:
        target.write(content.decode() + "\n")
    else:
        # Past the encoding of the terminal: JSON is UTF-8.
        buffer.write(content + b"\n")
    target.flush()


def encoded(document: object) -> bytes:
    """Return ``document`` as JSON without raw control characters, also those above ASCII."""
    try:
        content = msgspec.json.encode(document)
    except UnicodeEncodeError:  # a file name that is not UTF-8
        content = msgspec.json.encode(_without_surrogates(msgspec.to_builtins(document)))
    text = content.decode()
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in value]
    return value


def home_of(context: typer.Context) -> Path:
    """Return the folder of the home; it need not exist.

    Raises:
        ConfigError: there is no home directory to put it into.
    """
    from recollect.core.settings.environment import default_home, user_path

    home = invocation_of(context).home
    if home is not None:
        return user_path(home).absolute()
    return default_home()


def require_home(context: typer.Context) -> Path:
    """Return the folder of the home, which must exist.

    Raises:
        NotFound: it is missing, or something else.
        StoreError: it cannot be looked at.
    """
    home = home_of(context)
    if not is_home(home):
        there = "holds no memory yet" if home.is_dir() else "does not exist"
        raise NotFound(f"the home {home} {there}", hint=_init_hint(context), path=str(home))
    return home


def is_home(home: Path) -> bool:
    """Return whether a folder is a home, complete or damaged.

    Raises:
        InvalidInput: a file is in its place.
        StoreError: it cannot be looked at.
    """
    from recollect.store.failures import translate_os

    try:
        for path in (home, *home.parents):
            if path.exists() and not path.is_dir():
                raise InvalidInput(
                    f"{path} must be a folder", hint="name a folder with --home", path=str(path)
                )
        return any((home / name).exists() for name in HOME_FILES) or _has_lost_records(home)
    except OSError as error:
        raise translate_os(error, home) from error


def require_agreement(
    context: typer.Context, offer: str, *, unasked: tuple[str, str], declined: tuple[str, str]
) -> None:
    """Ask whether to go on.

    Args:
        context: Of the command.
        offer: What would be done.
        unasked: Message and hint where a program reads the answer: there is no one to ask.
        declined: Message and hint where the answer is no.

    Raises:
        NotAgreed: there is no one to ask, or they declined.
    """
    if answers_json(context) or not sys.stdin.isatty():
        raise NotAgreed(unasked[0], hint=unasked[1])
    if not typer.confirm(f"{offer}. Go on?", err=True):
        raise NotAgreed(declined[0], hint=declined[1])


@contextmanager
def opened(
    context: typer.Context, *, create: bool = False, live: bool = False, warns: bool = True
) -> Iterator[Memory]:
    """Open the memory of the home for a ``with`` block.

    Args:
        context: Of the command.
        create: Make the home when it is missing.
        live: Watch files, for a command that runs until it is stopped.
        warns: Say on stderr where the home can only be read; False where the answer says it.

    Raises:
        NotFound: there is no home, and it may not be made.
        RecollectError: it cannot be opened.
    """
    home = home_of(context) if create and not is_home(home_of(context)) else require_home(context)
    from recollect.memory import open_memory

    workspace = invocation_of(context).workspace
    scope = scope_of(context)
    try:
        opened_memory = open_memory(home, workspace, scope=scope, live=live)
    except InvalidInput as error:
        error.facts.setdefault("path", str(home))  # its settings name what is not there
        raise
    with opened_memory as memory:
        if warns and memory.warning and not answers_json(context):
            warn(memory.warning)
        yield memory


@contextmanager
def recalling(context: typer.Context, *, warns: bool = True) -> Iterator[Recalled]:
    """Yield the worker of the home, or the home itself if no worker serves it.

    A command with a workspace or an agent of its own is always answered by the home itself.

    Args:
        context: Of the command.
        warns: As for `opened`.

    Raises:
        NotFound: the home is missing.
        RecollectError: it cannot be opened.
    """
    invocation, home = invocation_of(context), home_of(context)
    has_own = invocation.workspace is not None or invocation.agent is not None
    with ExitStack() as stack:
        if not has_own and is_served(home):
            from recollect.server.client import WorkerMemory, find_worker

            worker = find_worker(home)
            if worker is not None:
                stack.enter_context(worker)
                own = opened(context, warns=warns)
                yield WorkerMemory(home, worker, lambda: stack.enter_context(own))
                return
        memory = stack.enter_context(opened(context, warns=warns))
        yield memory
        if memory.settings.worker.autostart and not has_own:
            from recollect.server.worker.daemon import autostart

            autostart(home)


def scope_of(context: typer.Context) -> Scope | None:
    """Return the scope of the command; None for the whole home.

    Raises:
        ConfigError: the name of the agent cannot be used.
    """
    from recollect.core.settings.agents import agent_name

    agent = invocation_of(context).agent
    return None if agent is None else Scope(agent=agent_name(agent))


def _has_lost_records(home: Path) -> bool:
    from recollect.store.sqlite.home import left_of_records

    return left_of_records(home) is not None


def _init_hint(context: typer.Context) -> str:
    home = invocation_of(context).home
    return (
        "make it with `recollect init`"
        if home is None
        else (f"make it with `recollect --home {home} init`")
    )


FILTERS = "Filters"

JSON_HELP = "One JSON document on stdout."
folder_option = partial(typer.Option, metavar="DIR", show_default=False)
filter_option = partial(typer.Option, rich_help_panel=FILTERS)
argument = partial(typer.Argument, show_default=False)

Home = Annotated[
    Path | None,
    folder_option(help="The folder of the memory; RECOLLECT_HOME or ~/.recollect by default."),
]
Workspace = Annotated[
    Path | None,
    folder_option(
        help="The folder of MEMORY.md and memory/; the setting workspace.path by default."
    ),
]
AsAgent = Annotated[
    str | None,
    typer.Option(
        "--agent",
        help="Whose memory: with the settings below agents.NAME in config.yaml.",
        metavar="NAME",
        show_default=False,
    ),
]
Agent = Annotated[str | None, filter_option(help="Only what this agent heard.")]
User = Annotated[str | None, filter_option(help="Only of this user.")]
Project = Annotated[str | None, filter_option(help="Only in this project.")]
Since = Annotated[
    str | None,
    filter_option(help="Only said since: 2026-05-12, yesterday, last week, 3h."),
]
Until = Annotated[
    str | None,
    filter_option(help="Only said until; of a day or week its end is meant."),
]
