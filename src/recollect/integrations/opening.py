"""Opens a memory that knows every format of transcripts: `recollect.open`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.core.clock import Clock
from recollect.core.scope import Scope

if TYPE_CHECKING:  # a format must not load the index and its arrays
    from recollect.memory import Memory
    from recollect.models.embedder import Embedder
    from recollect.sessions.foreign import TranscriptFormat


def open_memory(
    home: Path | str | None = None,
    workspace: Path | str | None = None,
    *,
    overrides: Mapping[str, object] | None = None,
    scope: Scope | None = None,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    live: bool = True,
    count_tokens: Callable[[str], int] | None = None,
) -> Memory:
    """Open the memory of a home, made when it is missing.

    Args:
        home: Its folder; ``RECOLLECT_HOME`` or ``~/.recollect`` if not given.
        workspace: The folder of MEMORY.md and memory/; the setting ``workspace.path`` if not given.
        overrides: Settings by dotted key, stronger than file and environment.
        scope: Whose memory it is; the local tenant, everything in it, if not given.
        clock: Tells the time; the machine's clock if not given.
        embedder: Makes vectors; what the settings choose if not given.
        live: Whether the program stays: then, from its first use of the memory on, files are
            watched and the index is kept in step in the background, see `sync` in the settings.
        count_tokens: The tokenizer of your model, for the budgets of views; an estimate with a
            margin of 10 % if not given.

    Raises:
        ConfigError: a setting is wrong.
        NotFound: the workspace is no folder.
        StoreError: a database cannot be opened.
    """
    from recollect.memory import open_memory as open_with

    return open_with(
        home,
        workspace,
        overrides=overrides,
        scope=scope,
        clock=clock,
        embedder=embedder,
        formats=_formats,
        live=live,
        count_tokens=count_tokens,
    )


def _formats() -> Sequence[TranscriptFormat]:
    from recollect.integrations.following import following_formats

    return following_formats()
