"""What a command line does to a repository: the verbs of git, the subject of a commit."""

from __future__ import annotations

from typing import Literal

from recollect.observations.moments.command_line import ShellCommand, commands

PROGRAMS = frozenset("git gh glab hub jj hg".split())
"""Programs that work on a repository."""
_WITH_VALUE = frozenset("-C -c --git-dir --work-tree --namespace -R --repo".split())
_SEARCHES = frozenset(
    "log diff show blame grep shortlog reflog cat-file ls-tree rev-list annotate".split()
)
"""Verbs that read a history with a purpose."""
_GLANCES = frozenset(
    "status ls-files rev-parse describe name-rev show-ref for-each-ref help config".split()
)
"""Verbs that look in passing."""
_LISTS = frozenset("branch remote tag worktree stash bookmark".split())
"""Verbs that only list without another word than these."""
_LISTING = frozenset("list show get-url".split())
_ALTERS = frozenset("-d -D -m -M --delete --move".split())
_READ_ONLINE = frozenset("view list status checks diff watch api search auth".split())
"""What is done to a thing of a hosting service without a change."""
_HOSTED = frozenset("gh glab hub".split())
_COMMITS = frozenset({"commit", "ci"})
_FROM_INPUT = ("-F", "--file", "-")


def git_changes(line: str) -> tuple[str, ...]:
    """Return what a command line changes with git, or a program like it: the verbs, in order.

    >>> git_changes("git status; git add -A && git -C . commit -m 'Fix'"), git_changes("git log")
    (('add', 'commit'), ())
    """
    return tuple(_call(each)[0] for each in commands(line) if look_of(each) == "change")


def look_of(command: ShellCommand) -> Literal["glance", "search", "change"] | None:
    """Return whether a command looks at a repository or changes it; None of another command."""
    verb, rest = _call(command)
    operands = [word for word in rest if not word.startswith("-")]
    if not verb:
        return None
    if command.program in _HOSTED:
        is_read = verb in _READ_ONLINE or (operands and operands[0] in _READ_ONLINE)
        return "search" if is_read else "change"
    if verb in _SEARCHES:
        return "search"
    is_list = verb in _LISTS and (verb != "stash" or operands) and _LISTING.issuperset(operands)
    is_list = is_list and not any(word in _ALTERS for word in rest)
    return "glance" if verb in _GLANCES or is_list else "change"


def commit_subject(line: str) -> str:
    r"""Return the subject of the last commit that a command line makes; empty if it names none.

    The first line of the first message, also where that is a here-document.

    >>> commit_subject("git commit -qam 'Brew tea\n\nIt was cold.' && git push")
    'Brew tea'
    """
    subjects = [_subject(each) for each in commands(line) if _call(each)[0] in _COMMITS]
    return next(filter(None, reversed(subjects)), "")


def _call(command: ShellCommand) -> tuple[str, tuple[str, ...]]:
    """Return the verb of a command of git, and what follows it; nothing of another command."""
    if command.program not in PROGRAMS:
        return "", ()
    words, at = command.words, 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    return (words[at], words[at + 1 :]) if at < len(words) else (words[0], ())


def _subject(command: ShellCommand) -> str:
    words = _call(command)[1]
    for word, following in zip(words, (*words[1:], ""), strict=True):
        message = _message(word, following)
        if message is not None:
            return _first_line(message)
        if word in _FROM_INPUT and command.body:
            return _first_line(command.body)
    return ""


def _message(word: str, following: str) -> str | None:
    """Return the message that an option gives; None for another word."""
    if word.startswith("--message"):
        return word.partition("=")[2] or following
    if word[:1] != "-" or word[:2] == "--" or "m" not in word:
        return None
    return word.partition("m")[2] or following


def _first_line(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    subject = next((line for line in lines if line), "")
    return "" if subject.startswith("$") else subject
