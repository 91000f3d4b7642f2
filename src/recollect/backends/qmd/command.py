"""The external command: its arguments, its output and its failures.

It prints one JSON list, often with notices before and after it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from recollect.core.decoding import convert_value
from recollect.core.errors import ProviderUnavailable
from recollect.recall.search_port import MISSING, Program, ProgramOutput

_NAMES = 3
"""Error names that a message may include."""
_ERROR = re.compile(r"\b(?:[A-Z]\w*Error|SQLITE_[A-Z]+|ERR_[A-Z_]+|E[A-Z]{4,})\b")
_DAMAGED = re.compile(rb"SQLITE_(?:NOTADB|CORRUPT)")
INSTALL_HINT = "npm install -g @tobilu/qmd, or qmd.command"
HINT = "see search.backend and the section qmd of `recollect config`"


class QmdCommand:
    """The external command of one collection of settings.

    Args:
        program: Its name or path.
        folder: Its working directory, outside of any project's configuration.
        environ: All its variables; the program is also searched in ``PATH``.
    """

    def __init__(self, program: str, folder: Path, environ: Mapping[str, str]) -> None:
        self._program = Program(program, environ, _not_run)
        self._folder = folder

    def run(
        self,
        arguments: Sequence[str],
        timeout_s: float,
        stopping: Callable[[], bool] = lambda: False,
    ) -> ProgramOutput:
        """Return the output of the command after it exited with 0.

        Args:
            arguments: Without the program.
            timeout_s: Seconds after which it is killed.
            stopping: Polled; after True it is killed.

        Raises:
            ProviderUnavailable: it is missing, failed, timed out or wrote too much.
        """
        output = self._program.run(arguments, self._folder, timeout_s, stopping=stopping)
        if output.code:
            what = f"ended with code {output.code}{_error_names(output.err)}"
            raise failed(what, is_damaged=_DAMAGED.search(output.err) is not None)
        return output


def failed(what: str, *, hint: str = HINT, is_damaged: bool = False) -> ProviderUnavailable:
    """Return the error of a failure of the command.

    Args:
        what: One sentence without its subject.
        hint: What to do about it.
        is_damaged: Whether its index is damaged; we can build it again.
    """
    return ProviderUnavailable(f"qmd {what}", hint=hint, is_damaged=is_damaged)


def _not_run(what: str) -> ProviderUnavailable:
    return failed(what, hint=INSTALL_HINT if what == MISSING else HINT)


def _error_names(err: bytes) -> str:
    """Return a few error names of the output; anything else could contain text of the user."""
    names = dict.fromkeys(_ERROR.findall(err.decode(errors="replace")))
    return f" ({', '.join(list(names)[:_NAMES])})" if names else ""


LEAST_SCORE = 0.01
"""Scores are rounded to hundredths; a hit that was rounded to 0 is still a hit."""
_TRIES = 1_000
"""Brackets that are tried in an output without a list."""
_HEADER = re.compile(r"^@@ -(\d{1,9}),(\d{1,9}) @@[^\n]*\n?")
_NOTHING = re.compile(r"no results found", re.IGNORECASE)


class FoundText(msgspec.Struct, frozen=True, kw_only=True):
    """A hit as the command prints it.

    Attributes:
        file: ``qmd://COLLECTION/PATH``.
        score: In [0, 1].
        first: First line shown, from 1.
        last: Last line shown, inclusive.
    """

    file: str
    score: float
    first: int
    last: int


class _Entry(msgspec.Struct):
    file: str
    score: float = 0.0
    line: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    start_line_camel: int | None = msgspec.field(name="startLine", default=None)
    end_line_camel: int | None = msgspec.field(name="endLine", default=None)
    snippet: str = ""


def read_output(output: bytes) -> list[FoundText]:
    """Return the hits, best first.

    Raises:
        ProviderUnavailable: the output holds no list of hits.
    """
    text = output.decode("utf-8", errors="replace")
    answer: tuple[bool, list[_Entry]] | None = None
    for at, entries in _lists(text):
        begins_line = at == 0 or text[at - 1] == "\n"
        with suppress(msgspec.ValidationError):
            converted = convert_value(entries, list[_Entry])
            # The last list counts: a notice before it may hold another. One within a line does not.
            if answer is None or begins_line or not answer[0]:
                answer = begins_line, converted
    if answer is not None:
        return [_found(entry) for entry in answer[1]]
    if _NOTHING.search(text):
        return []
    raise failed("did not answer with a list of hits")


def _lists(text: str) -> Iterator[tuple[int, list[object]]]:
    """Yield the JSON lists of a text that can be lists of hits, and where they begin."""
    decoder = json.JSONDecoder()
    at = text.find("[")
    for _ in range(_TRIES):
        if at < 0:
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, list):
                yield at, value
        at = text.find("[", end)


def _found(entry: _Entry) -> FoundText:
    header = _HEADER.match(entry.snippet)
    start = entry.start_line or entry.start_line_camel
    end = entry.end_line or entry.end_line_camel
    if start is not None:
        first, count = (
            start,
            1 + (start + entry.snippet.count("\n") if end is None else end) - start,
        )
    elif header:
        first, count = int(header[1]), int(header[2])
    else:
        first, count = entry.line or 1, 1 + entry.snippet.rstrip("\n").count("\n")
    first = max(1, first)
    score = min(1.0, entry.score) if math.isfinite(entry.score) else LEAST_SCORE
    return FoundText(
        file=entry.file,
        score=max(LEAST_SCORE, score),
        first=first,
        last=first + max(1, count) - 1,
    )
