"""The rules of capture as hooks read them: `checkpoints/capture.json`, there while it is on.

A hook that no worker answers keeps a file itself, by these rules: it has no time to read settings
and records. They are written whenever a home is opened, and when a setting or a pause changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Protocol

import msgspec

from recollect.checkpoints.files.exclusion import Exclusions
from recollect.checkpoints.files.tools import FileTools
from recollect.core.settings import Settings, user_path
from recollect.store.files import private_folder, write_file
from recollect.store.sqlite.home import CHECKPOINTS

RULES_FILE = "capture.json"
_CLIENTS = ("claude-code", "codex")
"""Programs whose payloads name a call by the same id before and after it."""


class TimeSpan(Protocol):
    """A time in which nothing is kept, ms UTC; without an end where ``until`` is None."""

    @property
    def since(self) -> int:
        """Its first moment."""

    @property
    def until(self) -> int | None:
        """The first moment after it."""


class CaptureRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook may keep.

    Attributes:
        roots: Absolute, without links in their paths, the longest first.
        excluded: A pattern of paths, and of folders, that are not kept; None: all are.
        paused: Times in which nothing is kept, ms UTC, from and to; without an end: None.
        tools: By program and tool, the fields of its input that name files.
        file_bytes: Size of a file up to which it is kept.
    """

    roots: tuple[str, ...]
    excluded: str | None
    paused: tuple[tuple[int, int | None], ...]
    tools: Mapping[str, Mapping[str, tuple[str, ...]]]
    file_bytes: int


def roots_of(settings: Settings) -> list[str]:
    """Return the folders in which files are kept, the longest first."""
    roots = {os.path.realpath(user_path(root)) for root in settings.checkpoints.roots}
    return sorted(roots, key=lambda root: (-len(root), root))


def excluded_patterns(home: Path, settings: Settings) -> tuple[str, ...]:
    """Return the patterns of files of which only the name is listed; the home is never kept."""
    own = escape(os.path.realpath(home))
    return own, *settings.checkpoints.exclude, *settings.capture.skip_paths


def publish_rules(home: Path, settings: Settings, pauses: Iterable[TimeSpan]) -> None:
    """Write the rules for hooks, or remove them where checkpoints are off.

    Args:
        home: Of the memory.
        settings: Those in force.
        pauses: When nothing is kept, of whatever project.

    Raises:
        StoreError: they cannot be written.
    """
    path, before = home / CHECKPOINTS / RULES_FILE, None
    with suppress(OSError):
        before = path.read_bytes()
    if not settings.checkpoints.enabled:
        if before is not None:
            path.unlink(missing_ok=True)
        return
    tools = FileTools(settings.checkpoints.tools)
    excluded = (*excluded_patterns(home, settings), *settings.privacy.exclude_projects)
    rules = CaptureRules(
        roots=tuple(roots_of(settings)),
        excluded=Exclusions(excluded).pattern,
        paused=tuple((each.since, each.until) for each in pauses),
        tools={client: tools.fields(client) for client in _CLIENTS},
        file_bytes=settings.checkpoints.file_bytes,
    )
    content = msgspec.json.encode(rules)
    if content != before:
        private_folder(path.parent)
        write_file(path, content)
