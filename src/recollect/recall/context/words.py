"""Which text of a record may go into a prompt without a request.

These are the name of a tool, files, the outcome, and the user's or the agent's own words. Text of a
page, a server, a command or a file is shown only on demand, marked as data.
"""

from __future__ import annotations

import re

from recollect.core.clock import to_iso
from recollect.observations.evidence import Evidence
from recollect.observations.observation import Observation
from recollect.observations.summary import clipped, describe, shown_path
from recollect.text.injected import tool_label

LONGEST_LINE = 300
"""In characters: a title, and what the summary adds to it."""
_OUTCOME = re.compile(r" \(failed(?: with exit code \d{1,3})?\)$")
_FOLDED = re.compile(r"[\W_]+")
_RUN, _DENSE_RUN = 24, 10
"""Letters and digits in a row that cannot be there by chance; of scripts without spaces fewer."""
_SHORTEST_RUN = 6
_SPEAKER = re.compile(r"- (?:\[[^\]\n]{1,40}\] )?([^:\n]{1,80}): \S.*")
_OUTSIDERS = ("tool", "system")


def line_of(of: Observation) -> str | None:
    """Return the line of an observation; None where it has no text that can be trusted."""
    said = _said(of)
    return None if said is None else f"[#{of.number} {to_iso(of.created_at)[:10]}] {said}"


def summary_lines(summary: str) -> list[str]:
    """Return the lines of a session's summary that a person or the agent said."""
    found = ((line, _SPEAKER.fullmatch(line)) for line in summary.splitlines())
    return [line for line, said_by in found if said_by and not _is_outsider(said_by[1])]


def _is_outsider(speaker: str) -> bool:
    role = speaker.rpartition("(")[2].removesuffix(")").strip().casefold()
    return role in _OUTSIDERS


def _said(of: Observation) -> str | None:
    if of.trust in {"group", "imported"} or (of.tool_name is None and of.trust in {"web", "tool"}):
        return None if of.tool_name is None else _action(of)
    if of.tool_name is not None and not (_is_by_rule(of) or _is_own(of)):
        return _action(of)
    adds = of.summary and of.title not in of.summary and of.summary not in of.title
    return clipped(f"{of.title} - {of.summary}" if adds else of.title, LONGEST_LINE)


def _action(of: Observation) -> str:
    """Return the action of an observation: tool and files, with no words from its text."""
    about = " ".join([tool_label(of.tool_name or ""), *map(shown_path, of.files[:2])])
    return clipped(about if of.error is None else f"{about} (failed)", LONGEST_LINE)


def _is_by_rule(of: Observation) -> bool:
    """Return whether title and summary were made by rule: rules use nothing of an output."""
    evidence = Evidence(event=of.event, tool_name=of.tool_name, input=of.input)
    made = describe(evidence, of.files, of.trust)
    return made.title == _OUTCOME.sub("", of.title) and of.summary in {made.summary, ""}


def _is_own(of: Observation) -> bool:
    """Return whether a caller's words repeat nothing of the output that is not in the input."""
    if of.output_blob is not None or of.trust == "web":
        return False
    given, came = _folded(of.input), _folded(f"{of.output} {of.error or ''}")
    return not any(run in came and run not in given for run in _runs(f"{of.title} {of.summary}"))


def _runs(text: str) -> set[str]:
    letters = _folded(text)
    size = _RUN if letters.isascii() else _DENSE_RUN
    if len(letters) <= size:
        return {letters} if len(letters) >= _SHORTEST_RUN else set()
    return {letters[start : start + size] for start in range(len(letters) - size + 1)}


def _folded(text: str) -> str:
    return _FOLDED.sub("", text).casefold()
