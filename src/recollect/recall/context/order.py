"""The order of a context block: what to look for in the records, and on whose behalf."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from recollect.audience.visibility import Audience
from recollect.core.scope import Scope
from recollect.observations.rows import IS_REPEATED, IS_TRIVIAL
from recollect.recall.context.worth import repeats
from recollect.store.columns import Condition

LONGEST_LINE = 300
"""In characters: a title, and what the summary adds to it."""
PLAIN = 0.5
"""The importance of texts that no rule has weighed: that of a plain observation."""

_MOST_TIMES = 4
"""How many times the words of a rule a line of a file may have that says the same."""


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for.

    Attributes:
        scope: What the caller may see; never wider.
        projects: The paths of the project; empty for what belongs to none.
        audience: Who reads the block.
        types: Of observations.
        lineage: The session and those it was forked from: the last session is another one.
        relevance: How well observations answer the question, by id.
        loaded: The words of each line that the client reads by itself.
    """

    scope: Scope
    projects: tuple[str, ...]
    audience: Audience
    types: tuple[str, ...]
    lineage: frozenset[str]
    relevance: Mapping[str, float]
    loaded: tuple[frozenset[str], ...] = ()

    def observed(self) -> Condition:
        """Return the condition of observations of the project that were not forgotten."""
        where = Condition(self.scope, "session_id").also("is_forgotten = ?", 0)
        where.sql += f" AND NOT {IS_REPEATED} AND NOT {IS_TRIVIAL}"
        if self.projects:
            return where.among("project", self.projects)
        return where.also("project IS NOT DISTINCT FROM ?", None)

    @property
    def is_of_many(self) -> bool:
        """Whether a group reads it: none of their words speaks to the agent by itself."""
        group = self.audience.group
        return group is not None and not group.is_private

    def is_loaded(self, words: Collection[str]) -> bool:
        """Return whether the client reads what a line says anyway.

        A line of a file with many more words does not say it: one with all words that there are
        would hide every rule.
        """
        most = _MOST_TIMES * len(words)
        return any(len(line) <= most and repeats(words, line) for line in self.loaded)

    def relative(self, path: str) -> str:
        """Return a path as it is below the folder of the project."""
        for folder in self.projects:
            if path.startswith(f"{folder}/"):
                return path.removeprefix(f"{folder}/")
        return path
