"""Rules: the type, the importance and the trust of an observation, by tool, command and words.

No model. The output of a tool is never read for its meaning, only whether it failed: text from the
web or a file cannot make an observation important.
"""

from __future__ import annotations

import re

from recollect.observations.evidence import Evidence
from recollect.observations.observation import Trust
from recollect.text.languages.language import DESIGNED, FIXED
from recollect.text.statements.sentences import is_decision, must_last, statements, states

CLASSIFIER_VERSION = "rules-1"
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
_GIT = re.compile(r"(?:^|[;&|(]\s*)(?:\w+=\S+\s+)*(?:sudo\s+)?(git|gh|glab|hub|jj|hg)\s+([\w-]+)?")
_GIT_OPTIONS = re.compile(r"(?<=\bgit)(?:\s+(?:-C|-c)\s+\S+|\s+--?[\w-]+(?:=\S+)?)+")
_GIT_LOOKS = frozenset(
    "status log diff show branch blame reflog remote ls-files rev-parse describe grep".split()
)
_FETCHES = re.compile(r"(?:^|[;&|(]\s*)(?:sudo\s+)?(?:curl|wget|http|https|lynx|w3m)\s")
_LOOKS = re.compile(
    r"\s*(?:cd\s+\S+\s*(?:&&|;)\s*)*(?:cat|head|tail|less|more|grep|rg|ag|find|fd|tree|wc|sed\s+-n"
    r"|nl|bat|stat|file|du|jq|diff)\b"
)
_TRIFLES = re.compile(r"\s*(?:cd|ls|ll|pwd|echo|true|which|whoami|date|clear|env|sleep|mkdir)\b")
_DESIGN_FILE = re.compile(r"(?i)(?:^|/)(?:adr|adrs|rfcs?)/|(?:^|/)(?:architecture|design)\.\w+$")

_IMPORTANCE = {
    "decision": 0.8,
    "architecture": 0.8,
    "bugfix": 0.7,
    "code_change": 0.5,
    "git_operation": 0.4,
    "research": 0.4,
    "tool_use": 0.3,
    "exploration": 0.2,
    "routine": 0.1,
}
_FAILED = 0.15
"""Added for a failure: the next session should know of it."""
_LASTING = 0.2
"""Added for words that somebody wants kept."""
_LOOKED = 0.2
"""Subtracted for a look at the state of a repository."""


def type_of(evidence: Evidence, files: tuple[str, ...]) -> str:
    """Return the type of a moment: one of `observation.TYPES`."""
    if evidence.event in SPOKEN and evidence.tool_name is None:
        return _type_of_words(spoken(evidence))
    if evidence.event == "interrupted":
        return "routine"
    return _type_of_tool(evidence, files)


def importance_of(evidence: Evidence, kind: str) -> float:
    """Return the importance of a moment of a type, 0 to 1, rounded to two decimals."""
    value = _IMPORTANCE.get(kind, _IMPORTANCE["tool_use"])
    if evidence.error is not None:
        value += _FAILED
    if kind == "git_operation" and _is_look(evidence.command):
        value -= _LOOKED
    if evidence.event in SPOKEN and any(map(must_last, statements(spoken(evidence)))):
        value += _LASTING
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
    reaches_web = name in _WEB or (name in _SHELLS and bool(_FETCHES.search(evidence.command)))
    return "web" if reaches_web else "tool"


def spoken(evidence: Evidence) -> str:
    """Return the words that a moment is made of."""
    if evidence.event == "prompt" and isinstance(evidence.input, str):
        return evidence.input
    text = evidence.input if isinstance(evidence.input, str) else ""
    return evidence.said or evidence.output or text


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


def git_verb(command: str) -> str | None:
    """Return the git operation of a command line, such as ``commit``; None if it has none.

    >>> git_verb("cd app && git -C . commit -m 'Fix'"), git_verb("ls")
    ('commit', None)
    """
    match = _GIT.search(_GIT_OPTIONS.sub("", command))
    return None if match is None else match[2] or match[1]


def _is_look(command: str) -> bool:
    return git_verb(command) in _GIT_LOOKS


def _type_of_words(words: str) -> str:
    sentences = list(statements(words))
    decided = [line for line in sentences if is_decision(line)]
    if decided:
        return "architecture" if any(states(line, DESIGNED) for line in decided) else "decision"
    if any(states(line, FIXED) and not line.endswith("?") for line in sentences):
        return "bugfix"
    return "tool_use"


def _type_of_tool(evidence: Evidence, files: tuple[str, ...]) -> str:
    name = plain_name(evidence.tool_name or "")
    if name in _WRITES:
        if evidence.argument("command") == "view":
            return "exploration"
        return "architecture" if any(map(_DESIGN_FILE.search, files)) else "code_change"
    if name in _SHELLS:
        return _type_of_command(evidence.command)
    if name in _WEB:
        return "research"
    if name in _ROUTINE:
        return "routine"
    return "exploration" if name in _READS else "tool_use"


def _type_of_command(command: str) -> str:
    verb = git_verb(command)
    if verb is not None:
        return "bugfix" if verb == "commit" and states(command, FIXED) else "git_operation"
    if _FETCHES.search(command):
        return "research"
    if _LOOKS.match(command):
        return "exploration"
    return "routine" if _TRIFLES.match(command) and "&&" not in command else "tool_use"
