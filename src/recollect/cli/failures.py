"""From errors to exit codes and to what is said about them on stderr."""

from __future__ import annotations

import re
import sys
import traceback
from typing import Any

from recollect.answers.error import FAILED, USAGE, ErrorAnswer, ErrorText, handling_of
from recollect.cli.invocation import NotAgreed, print_document
from recollect.cli.output.screen import remarking, say
from recollect.core.errors import InvalidInput, RecollectError

DONE, INTERRUPTED = 0, 130

_DEBUG_HINT = "run `recollect --debug …` (or set RECOLLECT_DEBUG=1) to see where; this is a bug"
_BEFORE_COMMAND = {"--home": " DIR", "--workspace": " DIR", "--debug": "", "--version": ""}
"""Options of the root that people write after the command, and what follows them."""
_NO_COMMAND = re.compile(r"No such command '(\w+)'")
MEANT = {
    **dict.fromkeys(("add", "note", "save", "store", "learn"), "remember"),
    **dict.fromkeys(("find", "ask", "query", "recall"), "search"),
    **dict.fromkeys(("list", "history", "conversations"), "sessions"),
    **dict.fromkeys(("setup", "install", "connect", "integrate"), "init"),
    **dict.fromkeys(("start", "run", "worker"), "serve"),
    **dict.fromkeys(("delete", "remove", "rm"), "erase"),
    **dict.fromkeys(("check", "health", "diagnose"), "doctor"),
    **dict.fromkeys(("settings", "set"), "config"),
}
"""What people type -> the command that does it."""


def tell_error(error: RecollectError, *, as_json: bool) -> int:
    """Print an error and its hint to stderr; return the exit code."""
    _tell(error.code, error.message, error.hint, as_json=as_json)
    return exit_code(error)


def exit_code(error: RecollectError) -> int:
    """Return the exit code of an error.

    Usage (2) is what typer refuses before a command starts, and what a command refuses of its
    arguments. Where nobody agreed, or the input names a path, the arguments were right, and what is
    there is not. A setting is usage only where the command line gave it.
    """
    if str(error.facts.get("origin", "")).startswith("argument "):
        return USAGE
    is_right = isinstance(error, NotAgreed) or "path" in error.facts
    if isinstance(error, InvalidInput) and is_right:
        return FAILED
    return handling_of(error).exit_code


def tell_usage(error: Any, *, as_json: bool) -> int:
    """Print a usage error; return the exit code.

    Args:
        error: A `typer.TyperException`.
        as_json: How to say it.
    """
    wrong = getattr(error, "option_name", None)
    if wrong in _BEFORE_COMMAND:
        message = f"{wrong} must be given before the command"
        hint = f"run recollect {wrong}{_BEFORE_COMMAND[wrong]} COMMAND"
    else:
        message = " ".join(error.format_message().split()).rstrip(".")
        context = getattr(error, "ctx", None)
        hint = f"see `{context.command_path} --help`" if context is not None else ""
        unknown = _NO_COMMAND.match(message)
        is_root = context is not None and context.parent is None
        if unknown is not None and unknown[1] in MEANT and is_root:
            hint = f"try `recollect {MEANT[unknown[1]]}`, or {hint}"
    _tell("usage", message, hint, as_json=as_json)
    return int(error.exit_code)


def tell_incomplete(message: str, hint: str, *, as_json: bool) -> int:
    """Say that the rest was done but something was left out; return the exit code."""
    _tell("incomplete", message, hint, as_json=as_json)
    return FAILED


def tell_interrupt(*, as_json: bool, goes_on: bool = True, is_whole: bool = False) -> int:
    """Say that nothing is broken; return the exit code.

    Args:
        as_json: How to say it.
        goes_on: Whether the command stores, and begins where it was when it is run again.
        is_whole: Whether it is done whole or not at all.
    """
    message, hint = "interrupted", ""
    if goes_on:
        message, hint = (
            "interrupted; what was stored is kept",
            "run the same command again to go on from there",
        )
    elif is_whole:
        message, hint = "interrupted; nothing is half done", "run the same command again"
    _tell("interrupted", message, hint, as_json=as_json)
    return INTERRUPTED


def tell_unexpected(error: BaseException, *, as_json: bool, debug: bool) -> int:
    """Report an unexpected error in one line; return the exit code."""
    if debug:
        traceback.print_exception(error)
    # The text of a foreign exception can hold anything, also the user's: only its type is shown.
    _tell("internal", f"unexpected {type(error).__name__}", _DEBUG_HINT, as_json=as_json)
    return FAILED


def tell_no_output(error: OSError, *, as_json: bool) -> int:
    """Say that stdout took no more; return the exit code."""
    reason = error.strerror or type(error).__name__
    message = f"the output could not be written ({reason})"
    _tell("output", message, "redirect it to another file or disk", as_json=as_json)
    return FAILED


def _tell(code: str, message: str, hint: str, *, as_json: bool) -> None:
    if as_json:
        with remarking():
            print_document(ErrorAnswer(ErrorText(code, message, hint)), sys.stderr)
        return
    say(("error", "bold red"), (": ", "bold"), (message, ""))
    if hint:
        say((" hint", "cyan"), (": ", ""), (hint, ""))
