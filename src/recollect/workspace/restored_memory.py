"""The memory files of a backup: written into a workspace, and what differs there is kept."""

from __future__ import annotations

import os
from pathlib import Path

from recollect.core.clock import Clock, to_datetime
from recollect.core.errors import NotFound
from recollect.store.failures import os_errors
from recollect.store.paths import append_beneath, list_files, read_beneath
from recollect.workspace.memory_folder import LARGEST_BYTES

BEFORE = ".before-"
"""The suffix, followed by a time, of the name of what a restore replaced."""


def free_name(path: Path, clock: Clock) -> Path:
    """Return a name beside a path, with the time in it, that nothing has."""
    stamp = to_datetime(clock.now_ms()).strftime("%Y%m%d-%H%M%S")
    name, number = f"{path.name}{BEFORE}{stamp}", 1
    while os.path.lexists(path.with_name(name)):
        number += 1
        name = f"{path.name}{BEFORE}{stamp}-{number}"
    return path.with_name(name)


def write_memory(
    unpacked: Path, workspace: Path | None, clock: Clock
) -> tuple[list[str], list[str]]:
    """Write memory files into a workspace; return their names, and those of files that differed.

    Raises:
        Denied: a path of the workspace leads over a link.
        StoreError: the disk refused.
    """
    new_files: list[str] = []
    kept_files: list[str] = []
    if workspace is None or not unpacked.is_dir():
        return new_files, kept_files
    root = workspace.expanduser()
    with os_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        for file in list_files(unpacked).files:
            content = (unpacked / file.path).read_bytes()
            current = _known(root, file.path)
            if current is not None and current != content:
                aside = free_name(root / file.path, clock)
                os.rename(root / file.path, aside)
                kept_files.append(aside.relative_to(root).as_posix())
            if current != content:
                _write_one(root, file.path, content)
                new_files.append(file.path)
    return new_files, kept_files


def _write_one(root: Path, path: str, content: bytes) -> None:
    append_beneath(root, path, lambda _: content, limit=LARGEST_BYTES)


def _known(root: Path, path: str) -> bytes | None:
    try:
        return read_beneath(root, path, limit=LARGEST_BYTES)
    except NotFound:
        return None
