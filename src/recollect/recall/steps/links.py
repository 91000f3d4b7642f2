"""Links between memory files and the observations that their lines name, such as ``#1234``.

The index knows those lines. A link is shown to an asker who may read the file and hear the
observation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from recollect.audience.visibility import Asker, Resolve
from recollect.core.numbers import Link
from recollect.core.scope import Scope
from recollect.index.index import Index
from recollect.index.model.document import OBSERVATIONS
from recollect.index.query.hit import Hit, SearchResult
from recollect.recall.steps.detail import Detail, DetailBatch
from recollect.recall.steps.lines import IndexLine, select_rows
from recollect.store.columns import Condition
from recollect.store.engine import Database, Transaction
from recollect.workspace.reading import ReadResult

MOST = 8
"""Links of a hit: as JSON some 35 tokens each, so that a hit never costs 300 more by them."""

_Named = tuple[str, int, int]
"""Path, line, number."""


class Linker(msgspec.Struct, frozen=True, kw_only=True):
    """Adds links to answers, as far as the asker may see them.

    Attributes:
        index: Has the mentions in memory files.
        records: Has the observations.
        scope: That of the asker.
        asker: Who asks.
        audience: Resolves what they hear.
        has_files: Whether they may see memory files at all.
    """

    index: Index
    records: Database
    scope: Scope
    asker: Asker
    audience: Resolve
    has_files: bool

    def hits(self, result: SearchResult) -> SearchResult:
        """Return a result whose hits have their links."""
        numbers = {hit.number for hit in result.hits if hit.source == OBSERVATIONS}
        paths = {hit.path for hit in result.hits if hit.path is not None}
        mentions = dict.fromkeys([*self._from_files(paths), *self._to_observations(numbers)])
        by_hit = [[each for each in mentions if _is_of(hit, *each)][:MOST] for hit in result.hits]
        links = self._resolved([each for own in by_hit for each in own])
        if not links:
            return result
        hits = [
            msgspec.structs.replace(hit, links=tuple(links[each] for each in own if each in links))
            for hit, own in zip(result.hits, by_hit, strict=True)
        ]
        return msgspec.structs.replace(result, hits=hits)

    def read(self, part: ReadResult, mentions: Iterable[tuple[int, int]]) -> ReadResult:
        """Return lines of a file with their links; ``mentions`` are those of the whole file."""
        last = part.from_line + part.lines - 1
        within = [(part.path, *each) for each in mentions if part.from_line <= each[0] <= last]
        return msgspec.structs.replace(part, links=tuple(self._resolved(within).values()))

    def details(self, batch: DetailBatch) -> DetailBatch:
        """Return records with their links."""
        numbers = {each.record.number for each in batch.found if each.kind == "observation"}
        links = self._resolved(self._to_observations(numbers)).values()
        details = tuple(_linked(each, links) for each in batch.found)
        return msgspec.structs.replace(batch, found=details) if links else batch

    def _from_files(self, paths: set[str]) -> list[_Named]:
        if not paths:
            return []
        from recollect.index.model.mentions import mentions_in

        mentions = self.index.of_files(self.scope.tenant, partial(mentions_in, paths=paths))
        return [(each.ref, each.line, each.number) for each in mentions if each.ref in paths]

    def _to_observations(self, numbers: Iterable[int | None]) -> list[_Named]:
        targets = [number for number in numbers if number is not None]
        if not (targets and self.has_files):
            return []
        from recollect.index.model.mentions import mentions_of

        mentions = self.index.of_files(self.scope.tenant, partial(mentions_of, numbers=targets))
        audience = self.records.read(lambda tx: self.audience(tx, self.asker))
        return [
            (each.ref, each.line, each.number) for each in mentions if audience.sees_file(each.ref)
        ]

    def _resolved(self, mentions: Sequence[_Named]) -> dict[_Named, Link]:
        """Return links to the observations that exist and that the asker hears, in order."""
        if not mentions:
            return {}
        numbers = sorted({number for _, _, number in mentions})
        where = Condition(self.scope, "session_id")

        def unit(tx: Transaction) -> dict[int | None, IndexLine]:
            audience = self.audience(tx, self.asker)
            pairs = select_rows(tx, "observation", where, numbers, by="number")
            rows = (row for row, turn in pairs if audience.hears_record(row.kind, turn))
            return {row.number: row.line(audience) for row in rows}

        lines = self.records.read(unit)
        return {
            each: Link(path=each[0], line=each[1], number=each[2], ref=row.ref, title=row.title)
            for each in mentions
            if (row := lines.get(each[2])) is not None
        }


def _is_of(hit: Hit, path: str, line: int, number: int) -> bool:
    """Return whether a mention is at one end of a hit."""
    if hit.path is None:
        return hit.source == OBSERVATIONS and hit.number == number
    return path == hit.path and (hit.start_line or 0) <= line <= (hit.end_line or 0)


def _linked(detail: Detail, links: Iterable[Link]) -> Detail:
    matches = [link for link in links if link.ref == detail.record.id]
    return msgspec.structs.replace(detail, links=tuple(matches[:MOST])) if matches else detail
