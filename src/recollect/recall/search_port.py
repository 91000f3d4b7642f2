"""The port of search back ends for memory files, beside or instead of the builtin index.

Another package provides one as an entry point of the group ``recollect.search_backends``: a
`SearchBackendFactory`, which needs nothing of the search but what is defined here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import msgspec

from recollect.core.clock import Clock
from recollect.core.plugins import load_plugin
from recollect.core.scope import Scope
from recollect.core.settings import Settings
from recollect.index.model.document import SOURCES
from recollect.index.model.origin import SOURCE
from recollect.index.model.sync_report import OnProgress, never
from recollect.index.query.hit import Hit, SearchResult, cite_lines
from recollect.index.query.search_service import SearchOptions
from recollect.index.query.shortlist import Standing, above_threshold, quota
from recollect.models.subprocess import MISSING, Program, ProgramOutput
from recollect.recall.memory_source import note_time
from recollect.workspace.memory_folder import MemoryFolder

__all__ = [
    "MISSING",
    "SOURCE",
    "SOURCES",
    "Hit",
    "MemoryFolder",
    "OnProgress",
    "Program",
    "ProgramOutput",
    "SearchBackend",
    "SearchBackendFactory",
    "SearchContext",
    "SearchOptions",
    "SearchResult",
    "Searches",
    "Standing",
    "above_threshold",
    "cite_lines",
    "find_factory",
    "never",
    "note_time",
    "quota",
]

GROUP = "recollect.search_backends"


class Searches(Protocol):
    """What answers questions, such as the builtin index."""

    def search(
        self,
        query: str,
        scope: Scope,
        options: SearchOptions,
        on_progress: OnProgress,
        embed_at_most: int,
    ) -> SearchResult:
        """Return the best hits; arguments and errors are those of `Index.search`."""


class SearchBackend(Searches, Protocol):
    """One back end. When it fails, it answers from the builtin index, with a warning."""

    @property
    def name(self) -> str:
        """Return its name in the settings."""

    @property
    def trouble(self) -> str | None:
        """Return the reason why the builtin index answers instead; None when it does not."""

    def refresh(self) -> str | None:
        """Read the files now; return why that was not possible, or None."""

    def close(self) -> None:
        """Stop its processes. A second call does nothing."""


class SearchContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a back end is made with.

    Attributes:
        settings: All of them.
        builtin: The builtin index.
        files: The memory files; reads them with the secrets taken out.
        owner: Their owner.
        home: The folder for the back end's files.
        clock: The time.
    """

    settings: Settings
    builtin: Searches
    files: MemoryFolder
    owner: Scope
    home: Path
    clock: Clock


class SearchBackendFactory(Protocol):
    """The type of an entry point of the group `GROUP`."""

    def __call__(self, context: SearchContext) -> SearchBackend:
        """Return the back end; nothing is started yet."""


def find_factory(name: str, built_in: str) -> SearchBackendFactory:
    """Return the factory of the back end that ``search.backend`` names, which is not ``built_in``.

    Raises:
        InvalidInput: no package provides one of that name.
        ProviderError: it cannot be imported.
    """
    factory: SearchBackendFactory = load_plugin(GROUP, name, "search back end", (built_in,))
    return factory
