"""Rules: the type, the importance and the trust of an observation, by tool, command and words.

No model. The output of a tool is never read for its meaning, only whether it failed: text from the
web or a file cannot make an observation important.
"""

from __future__ import annotations

import re
from typing import Literal

from recollect.observations.moments.command_line import ShellCommand, commands, written_files
from recollect.observations.moments.evidence import Evidence
from recollect.observations.moments.meaning import WordsMeaning, is_repair, meaning_of
from recollect.observations.moments.repository import PROGRAMS, commit_subject, look_of
from recollect.observations.observation import Trust
from recollect.text.tokens import estimate_tokens

CLASSIFIER_VERSION = "rules-2"
"""Raise it when the same moment gives another type, importance, title or summary."""

SPOKEN = frozenset({"prompt", "answer", "subagent", "compaction", "manual"})
"""Events that consist of words instead of a tool call."""

_WRITES = frozenset(
    "write edit multiedit notebookedit write_file replace apply_patch edit_file create_file"
    " str_replace_based_edit_tool str_replace_editor append_file delete_file search_replace".split()
)
_SHELLS = frozenset(
    "bash exec shell run_shell_command local_shell run_terminal_cmd execute_command powershell"
    " terminal process".split()
)
_WEB = frozenset(
    "websearch webfetch web_search web_fetch google_web_search web_browse browser fetch"
    " browse read_url search_web web_search_preview".split()
)
_READS = frozenset(
    "read glob grep ls notebookread read_file read_many_files list_directory search_file_content"
    " list_dir file_search codebase_search grep_search view image view_image lsp task agent".split()
)
_ROUTINE = frozenset(
    "todowrite todoread todo_write update_plan exitplanmode enterplanmode askuserquestion"
    " bashoutput taskoutput killshell killbash taskstop wait sleep skill toolsearch".split()
)
_FETCHES = re.compile(
    r"(?:^|[;&|(`\n])[ \t]*(?:\w+=\S+[ \t]+){0,8}(?:sudo[ \t]+)?(?:curl|wget|http|https|lynx|w3m)\s"
)
_FETCHERS = frozenset("curl wget http https lynx w3m".split())
"""Both are asked: what runs within a quotation is seen by the pattern only."""
_DOCUMENTS = re.compile(
    r"(?i)(?:^|[-_])(?:docs?|documentation|web|browser?|fetch|crawl|scrape)(?:[-_]|$)"
)
"""Found in names of tools of MCP servers that read documentation or the web."""
_SEARCHES = frozenset(
    "grep egrep rg ag find fd jq diff sed awk sort uniq cut tr column xargs less more".split()
)
_TRIFLES = frozenset(
    "cat head tail wc nl bat stat file tree du cd ls ll pwd echo printf true which whoami date"
    " clear env printenv sleep mkdir export set source . for done fi type uname hostname ps df"
    " free read".split()
)
_CHANGES = frozenset("mv cp rm touch ln patch truncate black isort".split())
_CHANGES_WITH = re.compile(
    r"(?:ruff (?:format|check .*--fix)|prettier .*(?:--write|-w)\b|eslint .*--fix|gofmt .*-w"
    r"|rustfmt|cargo fmt|perl .*-\w*i|npm pkg set|git apply)\b"
)
_SCRIPT_WRITES = re.compile(
    r"\.write_(?:text|bytes)\(|\bopen\([^()\n]{1,200}['\"][wax]b?\+?['\"]|writeFile(?:Sync)?\("
    r"|File\.write\("
)
"""Found in a script that writes a file."""
_DESIGN_FILE = re.compile(r"(?i)(?:^|/)(?:adr|adrs|rfcs?)/|(?:^|/)(?:architecture|design)\.\w+$")

_IMPORTANCE = {
    "decision": 0.8,
    "architecture": 0.8,
    "bugfix": 0.7,
    "code_change": 0.5,
    "git_operation": 0.4,
    "research": 0.4,
    "tool_use": 0.3,
    "prompt": 0.3,
    "answer": 0.3,
    "exploration": 0.2,
    "routine": 0.1,
}
_FAILED = 0.15
"""Added for a failure: the next session should know of it."""
_LASTING = 0.2
"""Added for words that somebody wants kept."""
_PLAIN = frozenset({"prompt", "answer"})
_TERSE, _TERSE_TOKENS = 0.2, 5
"""Subtracted for words that are plain and so few: "go on", "Done."."""


def type_of(evidence: Evidence, files: tuple[str, ...]) -> str:
    """Return the type of a moment: one of `observation.TYPES`."""
    if is_spoken(evidence):
        return _type_of_words(evidence)
    if evidence.event == "interrupted" or evidence.is_interrupted:
        return "routine"
    return _type_of_tool(evidence, files)


def importance_of(evidence: Evidence, kind: str) -> float:
    """Return the importance of a moment of a type, 0 to 1, rounded to two decimals."""
    value = _IMPORTANCE.get(kind, _IMPORTANCE["tool_use"])
    if evidence.is_failure:
        value += _FAILED
    if is_spoken(evidence) and said_meaning(evidence).is_lasting:
        value += _LASTING
    elif kind in _PLAIN and estimate_tokens(spoken(evidence)) <= _TERSE_TOKENS:
        value -= _TERSE
    return round(min(1.0, max(0.0, value)), 2)


def trust_of(evidence: Evidence, *, is_owners: bool) -> Trust:
    """Return the trust of a moment: the source of its input and output.

    Args:
        evidence: The facts about the moment.
        is_owners: Whether the turn is the owner's.
    """
    if evidence.trust is not None:
        return evidence.trust
    if evidence.event == "prompt":
        return "owner" if is_owners else "group"
    if evidence.tool_name is None:
        return "agent"
    name = plain_name(evidence.tool_name)
    reaches_web = name in _WEB or (name in _SHELLS and _fetches(evidence.command))
    return "web" if reaches_web else "tool"


def spoken(evidence: Evidence) -> str:
    """Return the words that a moment is made of."""
    if evidence.event == "prompt" and isinstance(evidence.input, str):
        return evidence.input
    text = evidence.input if isinstance(evidence.input, str) else ""
    return evidence.said or evidence.output or text


def is_spoken(evidence: Evidence) -> bool:
    """Return whether a moment consists of words instead of the call of a tool."""
    return evidence.event in SPOKEN and evidence.tool_name is None


def said_meaning(evidence: Evidence) -> WordsMeaning:
    """Return what the words of a moment mean; those of a person are read as such."""
    return meaning_of(spoken(evidence), role_of(evidence))


def role_of(evidence: Evidence) -> Literal["user", "assistant"]:
    """Return who speaks: a person, also where it is recorded by hand, or the agent."""
    return "user" if evidence.event in {"prompt", "manual"} else "assistant"


def plain_name(tool_name: str) -> str:
    """Return the name of a tool in small letters.

    >>> plain_name("MultiEdit")
    'multiedit'
    """
    return tool_name.strip().lower()


def is_shell(tool_name: str | None) -> bool:
    """Return whether a tool runs commands."""
    return tool_name is not None and plain_name(tool_name) in _SHELLS


def is_web(tool_name: str | None) -> bool:
    """Return whether a tool reads the web."""
    return tool_name is not None and plain_name(tool_name) in _WEB


def is_write(tool_name: str | None) -> bool:
    """Return whether a tool changes files."""
    return tool_name is not None and plain_name(tool_name) in _WRITES


def _type_of_words(evidence: Evidence) -> str:
    meaning = said_meaning(evidence)
    if meaning.decisions:
        return "decision"
    if meaning.repairs:
        return "bugfix"
    if meaning.is_design:
        return "architecture"
    return _PLAIN_WORDS.get(evidence.event, "tool_use")


_PLAIN_WORDS = {
    "prompt": "prompt",
    **dict.fromkeys(("answer", "subagent", "compaction"), "answer"),
}
"""The types of words that decide and tell of nothing."""


def _type_of_tool(evidence: Evidence, files: tuple[str, ...]) -> str:
    name = plain_name(evidence.tool_name or "")
    if name in _WRITES:
        if evidence.argument("command") == "view":
            return "exploration"
        return "architecture" if any(map(_DESIGN_FILE.search, files)) else "code_change"
    if name in _SHELLS:
        return _type_of_command(evidence, files)
    if name in _WEB:
        return "research"
    if name in _ROUTINE:
        return "routine"
    if name.startswith("mcp__") and _DOCUMENTS.search(name):
        return "research"
    return "exploration" if name in _READS else "tool_use"


def _type_of_command(evidence: Evidence, files: tuple[str, ...]) -> str:
    """Return the type of a command line: that of the most telling command of the chain."""
    line = evidence.command
    chain = commands(line)
    if subject := commit_subject(line):
        return "bugfix" if is_repair(subject) and not evidence.is_failure else "git_operation"
    if written_files(line) or any(map(_changes_files, chain)):
        return "architecture" if any(map(_DESIGN_FILE.search, files)) else "code_change"
    looks = set(map(look_of, chain)) - {None}
    if "change" in looks:
        return "git_operation"
    programs = {each.program for each in chain}
    if _fetches(line):
        return "research"
    if programs - _TRIFLES - _SEARCHES - PROGRAMS:
        return "tool_use"
    return "exploration" if programs & _SEARCHES or "search" in looks else "routine"


def _changes_files(command: ShellCommand) -> bool:
    """Return whether a command changes files of a project, whatever they are."""
    if command.program in _CHANGES:
        return not all(each.startswith(_ELSEWHERE) for each in command.operands)
    is_script = command.body is not None and bool(_SCRIPT_WRITES.search(command.body))
    return is_script or bool(_CHANGES_WITH.match(" ".join(command.words)))


_ELSEWHERE = ("/tmp/", "/var/tmp/", "/dev/")  # noqa: S108  # seen in commands, not used


def _fetches(line: str) -> bool:
    return bool(_FETCHES.search(line)) or any(each.program in _FETCHERS for each in commands(line))
