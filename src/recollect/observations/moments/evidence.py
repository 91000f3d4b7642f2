"""Evidence: what is known of a moment before anything is made of it, redacted and readable."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.observations.moments.tally import RunTally, runs_of_tests, tally_of
from recollect.observations.observation import Made, Trust
from recollect.text.json_value import JsonValue

_STOPPED = re.compile(
    r"(?i)\W*(?:interrupted\b|request interrupted by user|the user (?:doesn'?t want|rejected)"
    r"|aborted by (?:the )?user|cancell?ed by (?:the )?user"
    r"|user (?:interrupted|cancell?ed|aborted))"
)
"""How programs say that a person stopped a tool; what stopped by itself begins otherwise."""
_SAYS_STOPPED = re.compile(r'(?<!\\)"interrupted": ?true')
_END = 1_000
"""Characters at the end of an answer in JSON, where its flags are."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What a caller or a hook reports of a moment.

    Attributes:
        event: What made it.
        tool_name: Which tool was used.
        input: What it was given: a text, or JSON.
        output: What came back, as text.
        error: What failed, as text; None where nothing did.
        said: The caller's own words about it.
        trust: As the caller says; None where the rules decide.
        project: The folder that it was about, where that is known.
    """

    event: Made
    tool_name: str | None = None
    input: JsonValue = None
    output: str = ""
    error: str | None = None
    said: str = ""
    trust: Trust | None = None
    project: str | None = None

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the tool by name; none where it was given a plain text."""
        return _arguments(self.input) if isinstance(self.input, str) else _object(self.input)

    def argument(self, *names: str) -> str:
        """Return the first argument with one of some names that is a text, else an empty one."""
        values = (self.arguments.get(name) for name in names)
        return next((value for value in values if isinstance(value, str) and value), "")

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody stopped it: then it neither went well nor failed."""
        return bool(_STOPPED.match(self.error or "") or _SAYS_STOPPED.search(self.output[-_END:]))

    @property
    def tally(self) -> RunTally | None:
        """What a run of tests counted; None where none ran, or it was stopped."""
        is_run = bool(self.command and runs_of_tests(self.command)) and not self.is_interrupted
        return tally_of(self.output or self.error or "") if is_run else None

    @property
    def is_failure(self) -> bool:
        """Whether it failed, or tests did whose output goes into a pipe."""
        is_failed_run = self.tally is not None and self.tally.is_failure
        return (self.error is not None or is_failed_run) and not self.is_interrupted

    @property
    def command(self) -> str:
        """The command line that a shell was given, or an empty text."""
        value = self.arguments.get("command", self.arguments.get("cmd"))
        if isinstance(value, list):
            return " ".join(str(part) for part in value)
        if isinstance(value, str):
            return value
        return self.input if isinstance(self.input, str) and not self.arguments else ""


@functools.lru_cache(maxsize=8)
def _arguments(text: str) -> Mapping[str, Any]:
    if not text.lstrip().startswith("{"):
        return {}
    try:
        return _object(msgspec.json.decode(text))
    except (msgspec.DecodeError, RecursionError):
        return {}


def _object(value: JsonValue) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
