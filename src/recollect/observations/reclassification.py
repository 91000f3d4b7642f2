"""What older versions of the rules made of observations is made again, the newest first.

Only fields that were made by rule: what a caller gave, a model wrote or a person changed stays. It
goes on after a kill, from a cursor for each tenant, and changes of others meanwhile win.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import LiteralString

import msgspec

from recollect.core.clock import Clock
from recollect.core.decoding import decode_json
from recollect.core.errors import RecollectError
from recollect.core.scope import Scope
from recollect.observations.classify import (
    CLASSIFIER_VERSION,
    importance_of,
    is_shell,
    is_spoken,
    is_write,
    spoken,
    type_of,
)
from recollect.observations.draft import BY_HAND, BY_RULE, KEPT, made_by
from recollect.observations.moments.evidence import Evidence
from recollect.observations.moments.repository import git_changes
from recollect.observations.observation import Observation
from recollect.observations.payload import detailed
from recollect.observations.rows import RECLASSIFIED, rewrite, select_observations
from recollect.observations.summary import LONGEST_SUMMARY, clipped, describe, files_of
from recollect.store.blobs import Blobs
from recollect.store.columns import Condition
from recollect.store.engine import Database, Transaction
from recollect.store.meta import find_value, set_value
from recollect.text.injected import tool_label
from recollect.text.tokens import estimate_tokens

_BATCH = 200
"""Observations that are read, and rewritten, at once."""
_ORDER: LiteralString = "created_at DESC, id DESC"
_FIRST_RULES = "rules-1"
_GIVEN = " but "
_TYPES_OF_WORDS = frozenset({"decision", "architecture", "bugfix", "tool_use"})
_TYPES_OF_SHELLS = frozenset({"git_operation", "research", "exploration", "routine", "tool_use"})
_TYPES_OF_WRITES = frozenset({"code_change", "architecture", "exploration"})
_TYPES = frozenset({"research", "exploration", "routine", "tool_use"})
_FIRST_IMPORTANCE = {
    "decision": 0.8, "architecture": 0.8, "bugfix": 0.7, "code_change": 0.5, "git_operation": 0.4,
    "research": 0.4, "tool_use": 0.3, "exploration": 0.2, "routine": 0.1,
}  # fmt: skip
_EXTENT = re.compile(r"\d+ files?, -\d+ \+\d+ lines")


class _Left(msgspec.Struct, frozen=True):
    """What is left: all before a moment and an id; nothing where the moment is None."""

    version: str = ""
    before: int | None = 2**62
    id: str = ""


class Reclassification:
    """Makes again what older versions of the rules made.

    Args:
        records: ``records.db``.
        blobs: Where long inputs and outputs lie.
        clock: Dates the changes.
    """

    def __init__(self, records: Database, blobs: Blobs, clock: Clock) -> None:
        self._records = records
        self._blobs = blobs
        self._clock = clock

    def run(self, tenant: str, stopping: Callable[[], bool] = lambda: False) -> int:
        """Go on until nothing of a tenant is left; return how many observations changed.

        Args:
            tenant: Whose.
            stopping: Polled between batches; after True the rest is left for the next time.

        Raises:
            StoreError: the records refused.
        """
        changed = 0
        while not stopping():
            count = self._batch(tenant)
            if count is None:
                break
            changed += count
        return changed

    def _batch(self, tenant: str) -> int | None:
        """Make a batch again; return how many changed, None when nothing is left."""
        key = RECLASSIFIED + tenant

        def read(tx: Transaction) -> tuple[_Left, list[Observation]]:
            cursor = _read_left(tx, key)
            return cursor, [] if cursor.before is None else _older(tx, tenant, cursor)

        cursor, rows = self._records.read(read)
        if cursor.before is None:
            return None
        pairs = [(each, self._again(each)) for each in rows]
        last = rows[-1] if len(rows) == _BATCH else None
        rest = _Left(CLASSIFIER_VERSION, last.created_at if last else None, last.id if last else "")
        now = self._clock.now_ms()

        def write(tx: Transaction) -> int:
            if _read_left(tx, key) != cursor:  # another process did it meanwhile
                return 0
            set_value(tx, key, msgspec.json.encode(rest).decode())
            return sum(rewrite(tx, old, new, now) for old, new in pairs if old != new)

        return self._records.write(write)

    def _again(self, of: Observation) -> Observation:
        """Return an observation with what the rules make of it now."""
        if of.made_by == BY_HAND or of.made_by.startswith(CLASSIFIER_VERSION):
            return of
        evidence = _evidence_of(self._whole(of))
        fields = _given(of, evidence)
        files = of.files or files_of(evidence)
        description = describe(evidence, files, of.trust)
        kind = of.type if "type" in fields else type_of(evidence, files)
        title = of.title if "title" in fields else description.title
        summary = of.summary if "summary" in fields else description.summary
        grown = sum(map(estimate_tokens, (title, summary)))
        grown -= sum(map(estimate_tokens, (of.title, of.summary)))
        is_of_rules = of.made_by.startswith("rules-")
        return msgspec.structs.replace(
            of,
            type=kind,
            importance=of.importance if "importance" in fields else importance_of(evidence, kind),
            title=title,
            summary=summary,
            files=files,
            error=(of.error or description.error) if evidence.is_failure else None,
            tokens=max(0, of.tokens + grown),
            made_by=made_by(name for name in BY_RULE if name in fields)
            if is_of_rules
            else of.made_by,
        )

    def _whole(self, of: Observation) -> Observation:
        """Return an observation with all of its input and output, where the blobs have them."""
        try:
            return detailed(of, None, self._blobs)
        except RecollectError:  # it is gone, or damaged
            return of


def _read_left(tx: Transaction, key: str) -> _Left:
    value = find_value(tx, key)
    rest = _Left() if value is None else decode_json(value, _Left)
    return rest if rest.version == CLASSIFIER_VERSION else _Left(CLASSIFIER_VERSION)


def _older(tx: Transaction, tenant: str, rest: _Left) -> list[Observation]:
    where = Condition(Scope(tenant=tenant), "session_id")
    where.sql += " AND (created_at, id) < (?, ?)"
    where.params += [rest.before, rest.id]
    return select_observations(tx, where, _ORDER, _BATCH, deleted=True)


def _evidence_of(of: Observation) -> Evidence:
    """Return what is known of an observation that was stored."""
    error = of.output if of.error is not None and of.error in of.output else of.error
    return Evidence(
        event=of.event,
        tool_name=of.tool_name,
        input=of.input,
        output=of.output,
        error=error,
        said=of.summary or of.title if of.event == "manual" else "",
        trust=of.trust,
        project=of.project,
    )


def _given(of: Observation, evidence: Evidence) -> Collection[str]:
    """Return the fields that were not made by rule."""
    version, _, fields = of.made_by.removesuffix(KEPT).partition(_GIVEN)
    if version != _FIRST_RULES and version.startswith("rules-"):
        return [*fields.split(), *(["title"] if "summary" in fields else [])]
    of_model = () if version.startswith("rules-") else ("title", "summary")
    return [name for name in BY_RULE if name in of_model or not _MADE_FIRST[name](of, evidence)]


def _is_type_made(of: Observation, evidence: Evidence) -> bool:
    """Return whether the first rules, which did not say what they made, may have given the type."""
    if of.event == "manual":  # a person may have chosen it
        return False
    if is_spoken(evidence):
        return of.type in _TYPES_OF_WORDS
    if is_shell(of.tool_name):
        is_commit = of.type == "bugfix" and "commit" in git_changes(evidence.command)
        return is_commit or of.type in _TYPES_OF_SHELLS
    return of.type in (_TYPES_OF_WRITES if is_write(of.tool_name) else _TYPES)


def _is_importance_made(of: Observation, evidence: Evidence) -> bool:
    base = _FIRST_IMPORTANCE.get(of.type, 0.3)
    added = {0.15 if of.error is not None else 0.0}
    if of.type == "git_operation":
        added |= {each - 0.2 for each in added}
    if is_spoken(evidence):
        added |= {each + 0.2 for each in added}
    return any(round(min(1.0, max(0.0, base + each)), 2) == of.importance for each in added)


def _is_title_made(of: Observation, evidence: Evidence) -> bool:
    if of.event == "manual" and of.tool_name is None:
        return False
    if is_spoken(evidence):
        return of.trust == "group" or _is_said(of.title, evidence) or not spoken(evidence).strip()
    name, described = of.tool_name or "", evidence.argument("description")
    begins = (name, "git commit: ", tool_label(name), name.removeprefix("mcp__").partition("__")[0])
    return of.title.startswith((*begins, *((clipped(described, 60)[:-1],) if described else ())))


def _is_summary_made(of: Observation, evidence: Evidence) -> bool:
    if not of.summary:
        return True
    if is_spoken(evidence):
        return of.event != "manual" and _is_said(of.summary[:40], evidence)
    command = clipped(evidence.command, LONGEST_SUMMARY)
    listed = describe(evidence, of.files, of.trust).summary
    return of.summary in {command, listed} or bool(_EXTENT.fullmatch(of.summary))


def _is_said(words: str, evidence: Evidence) -> bool:
    return words.rstrip("…") in " ".join(spoken(evidence).split())


_MADE_FIRST: dict[str, Callable[[Observation, Evidence], bool]] = {
    "type": _is_type_made,
    "importance": _is_importance_made,
    "title": _is_title_made,
    "summary": _is_summary_made,
}
"""Whether the first rules may have made a field."""
