"""What the agent did in a session, in a few lines: kinds, files, what mattered, what still fails.

Made of titles, which hold tool names, files, outcomes and the words of the user or the agent alone;
no line quotes the output of a tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import LiteralString

import msgspec

from recollect.observations.classify import is_shell, is_write
from recollect.observations.summary import OUTCOME, relative
from recollect.store.columns import Condition, json_cell, typed_rows
from recollect.store.engine import Transaction
from recollect.text.tokens import estimate_tokens

IMPORTANT = 0.7
"""From here on a title has a line: decisions, architecture, repairs and what failed on the way."""
_MOST_TITLES = 5
_MOST_FILES = 8
_FOREIGN = frozenset({"group", "imported", "web"})
_SPOKEN = frozenset({"prompt", "answer"})
"""They are words: the summary has them from the messages."""
_SELECT: LiteralString = """
    SELECT type, tool_name, title, files, importance, trust, error IS NOT NULL, event, project
    FROM observations WHERE """
_ORDER: LiteralString = " AND is_forgotten = 0 ORDER BY created_at, number"


class _Deed(msgspec.Struct, frozen=True, array_like=True):
    type: str
    tool_name: str | None
    title: str
    files: str
    importance: float
    trust: str
    is_failure: int
    event: str
    project: str | None


def deeds_of(tx: Transaction, where: Condition, tokens: int) -> str:
    """Return the agent's actions, as lines of at most ``tokens`` tokens; empty if there are none.

    Args:
        tx: A transaction.
        where: Which observations: those of a session, or of some turns in it.
        tokens: How long at most; whole lines go, from the end.
    """
    rows = typed_rows(tx.all(_SELECT + where.sql + _ORDER, where.params), _Deed)
    deeds = [deed for deed in rows if deed.event not in _SPOKEN]
    if not deeds:
        return ""
    lines: list[str] = []
    for line in _lines(deeds):
        if estimate_tokens("\n".join([*lines, line])) <= tokens:
            lines.append(line)
    return "\n".join(lines)


def _lines(deeds: Sequence[_Deed]) -> Iterator[str]:
    """Yield the lines, the most useful first."""
    failing = _failing(deeds)
    yield from (f"- still failing: {title}" for title in failing)
    counts = Counter(deed.type for deed in deeds).most_common()
    did = (f"{count}× {kind.replace('_', ' ')}" for kind, count in counts)
    yield f"- did: {', '.join(did)}"
    files = _changed(deeds)
    if files:
        more = len(files) - _MOST_FILES
        rest = f" and {more} more" if more > 0 else ""
        yield f"- changed: {', '.join(files[:_MOST_FILES])}{rest}"
    own = [deed for deed in deeds if deed.trust not in _FOREIGN and deed.title not in failing]
    heaviest = sorted(own, key=lambda deed: -deed.importance)
    titles = dict.fromkeys(deed.title for deed in heaviest if deed.importance >= IMPORTANT)
    yield from (f"- {title}" for title in list(titles)[:_MOST_TITLES])


def _changed(deeds: Iterable[_Deed]) -> list[str]:
    """Return the files that were written to, the newest first."""
    writes = [deed for deed in deeds if _is_written(deed) and not deed.is_failure]
    paths = (
        relative(path, deed.project)
        for deed in reversed(writes)
        for path in json_cell(deed.files, list[str])
    )
    return list(dict.fromkeys(paths))


def _is_written(deed: _Deed) -> bool:
    return is_write(deed.tool_name) or is_shell(deed.tool_name)  # its files are those it wrote


def _failing(deeds: Iterable[_Deed]) -> list[str]:
    """Return the titles of what failed and did not succeed later, the newest first."""
    last: dict[tuple[str | None, str], _Deed] = {}
    for deed in deeds:
        if deed.tool_name is not None and deed.trust not in _FOREIGN:
            about = (deed.tool_name, OUTCOME.sub("", deed.title))
            last.pop(about, None)
            last[about] = deed
    failed = [deed.title for deed in last.values() if deed.is_failure]
    return failed[::-1][:_MOST_TITLES]
