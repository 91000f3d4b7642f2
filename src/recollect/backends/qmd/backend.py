"""Search of memory files with `qmd`: its hits beside those of the index, or instead of them.

When the command fails, the builtin index answers the question, with a warning.
"""

from __future__ import annotations

import msgspec

from recollect.backends.qmd.collections import Collections
from recollect.backends.qmd.command import FoundText
from recollect.backends.qmd.engine import QmdEngine
from recollect.core.errors import ProviderUnavailable, RecollectError
from recollect.core.scope import Scope
from recollect.core.settings import models_folder, program_path
from recollect.recall.search_port import (
    SOURCE,
    Hit,
    MemoryFolder,
    OnProgress,
    SearchContext,
    SearchOptions,
    SearchResult,
    Standing,
    above_threshold,
    cite_lines,
    note_time,
    quota,
)
from recollect.text.snippet import snippet
from recollect.text.terms import query_terms, terms
from recollect.workspace.memory_folder import MemoryFile
from recollect.workspace.reading import lines_of

NAME = "qmd"
MORE = 2
"""Hits are requested this many times over: some are of files that are gone, or not ours."""
_OWNERS = ("tenant", "agent", "user", "project")


def create(context: SearchContext) -> QmdBackend:
    """Return the back end of a workspace; the files of the command are kept in ``qmd/``."""
    files = context.files
    collections = Collections(
        context.home / NAME,
        files.workspace,
        files.extra,
        cache=models_folder() / NAME,
        program_path=program_path(),
    )
    engine = QmdEngine(context.settings.qmd, collections, context.clock)
    return QmdBackend(engine, collections, context)


class QmdBackend:
    """Answers questions about memory files by the command, about all else by the builtin index.

    Args:
        engine: The command.
        collections: Which file a hit means.
        context: The files, the builtin index and the settings.
    """

    name = NAME

    def __init__(self, engine: QmdEngine, collections: Collections, context: SearchContext) -> None:
        self._engine = engine
        self._collections = collections
        self._files: MemoryFolder = context.files
        self._index = context.builtin
        self._settings = context.settings.search
        self._owner = context.owner
        self._mode = context.settings.qmd.mode
        self.refresh = engine.refresh
        self.close = engine.close

    @property
    def trouble(self) -> str | None:
        """Return the reason the command does not answer at present, or None."""
        state = self._engine.state
        return state.reason if state.failed_at else None

    def search(
        self,
        query: str,
        scope: Scope,
        options: SearchOptions,
        on_progress: OnProgress,
        embed_at_most: int,
    ) -> SearchResult:
        """Return the best hits; arguments and errors are those of `Index.search`."""
        question = _plain(query)
        if not (query_terms(question) and self._answers(scope, options)):
            return self._index.search(query, scope, options, on_progress, embed_at_most)
        # Notes of guests are in the home, which the command does not index.
        rest = msgspec.structs.replace(options, notes_only=True)
        builtin = self._index.search(query, scope, rest, on_progress, embed_at_most)
        try:
            texts = self._engine.ask(question, MORE * options.limit)
        except ProviderUnavailable as error:
            builtin = self._index.search(query, scope, options, on_progress, embed_at_most)
            warning = f"{error.message}: the builtin index answered"
            return msgspec.structs.replace(builtin, warnings=[*builtin.warnings, warning])
        hits = self._hits(question, texts, options)
        # The scores of the command are not calibrated, so only their order is known.
        return msgspec.structs.replace(
            builtin,
            hits=self._merged(hits, builtin.hits, options.limit),
            confidence=max((builtin.confidence, *(hit.score for hit in hits))),
        )

    def _answers(self, scope: Scope, options: SearchOptions) -> bool:
        """Return whether the command can answer: about visible files, in a mode it supports."""
        if options.sources is not None and SOURCE not in options.sources:
            return False
        if options.is_narrowed or not options.sees_files:
            return False
        if options.mode == ("vector" if self._mode == "search" else "lexical"):
            return False
        return scope.session is None and all(
            getattr(scope, name) in {None, getattr(self._owner, name)} for name in _OWNERS
        )

    def _hits(self, query: str, texts: list[FoundText], options: SearchOptions) -> list[Hit]:
        """Return the hits above the threshold, by the rule of the builtin index."""
        query_terms = frozenset(terms(query))
        file_at = {file.root / file.path: file for file in self._files.listing().files}
        hits: dict[tuple[str, int], tuple[Hit, Standing]] = {}
        for each in texts:
            path = self._collections.path_of(each.file)
            file = None if path is None else file_at.get(path)
            text = None if file is None else self._text(each, file)
            if file is not None and text is not None:
                hit = self._hit(each, file, text, query_terms)
                words = len(query_terms & set(terms(text))) / max(1, len(query_terms))
                standing = Standing(score=hit.score, words=words, is_file=True)
                hits.setdefault((hit.ref, hit.start_line or 0), (hit, standing))
        standings = [standing for _, standing in hits.values()]
        positions = above_threshold(standings, options.min_score, options.limit)
        every = [hit for hit, _ in hits.values()]
        return [_cited(every[path]) if options.citations else every[path] for path in positions]

    def _text(self, lines: FoundText, file: MemoryFile) -> str | None:
        """Return the lines of a hit as they are in the file now; None when they are gone."""
        try:
            every = lines_of(self._files.text(file)[0])
        except RecollectError:
            return None
        return "\n".join(every[lines.first - 1 : lines.last]) or None

    def _hit(
        self, lines: FoundText, file: MemoryFile, text: str, query_terms: frozenset[str]
    ) -> Hit:
        return Hit(
            score=lines.score,
            source=SOURCE,
            ref=file.ref,
            snippet=snippet(text, query_terms, self._settings.snippet_chars).text,
            why={NAME: lines.score},
            at=note_time(file.ref, file.mtime_ns),
            path=file.ref,
            start_line=lines.first,
            end_line=lines.first + text.count("\n"),
        )

    def _merged(self, files: list[Hit], others: list[Hit], limit: int) -> list[Hit]:
        """Return the best of both lists; `search.memory_share` is the share kept for files."""
        share = min(len(files), quota(limit, self._settings.memory_share))
        best = sorted([*files[share:], *others], key=_score)[: limit - share]
        return sorted([*files[:share], *best], key=_score)


def _cited(hit: Hit) -> Hit:
    citation = cite_lines(hit.ref, hit.start_line or 1, hit.end_line or 1)
    return msgspec.structs.replace(hit, citation=citation)


def _score(hit: Hit) -> float:
    return -hit.score


def _plain(query: str) -> str:
    """Return a question on one line, in characters that are valid in an argument."""
    return " ".join(query.replace("\0", " ").encode(errors="ignore").decode().split())
