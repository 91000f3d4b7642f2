"""The memory files of one workspace: listed, found by name, and read with the secrets taken out."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from recollect.core.errors import InvalidInput, NotFound
from recollect.store.paths import read_beneath
from recollect.text.secret_redactor import SecretRedactor
from recollect.workspace.extra_paths import ExtraPath, FilePlace
from recollect.workspace.listing import (
    MemoryFile,
    MemoryListing,
    is_memory_path,
    list_memory,
    memory_places,
)

LARGEST_BYTES = 32 * 1024 * 1024


class MemoryFolder:
    """Lists and reads memory files.

    Args:
        workspace: The folder of MEMORY.md and memory/; None for extra paths only.
        extra: More Markdown files, or folders of them.
        redactor: Takes secrets out of a text; None leaves it as it is.
    """

    def __init__(
        self,
        workspace: Path | None,
        extra: Sequence[ExtraPath] = (),
        *,
        redactor: SecretRedactor | None,
    ) -> None:
        self.workspace = workspace
        self.extra = tuple(extra)
        self._redactor = redactor

    def places(self) -> tuple[FilePlace, ...]:
        """Return what is to be watched."""
        return memory_places(self.workspace, self.extra)

    def listing(self, only: frozenset[str] | None = None) -> MemoryListing:
        """Return the files that are there, and what was left out.

        Args:
            only: Look at these files of the workspace alone, see `named`; at all if not given.
        """
        if only is None:
            return list_memory(self.workspace, self.extra)
        return list_memory(self.workspace, (), only)

    def named(self, paths: Collection[str]) -> frozenset[str] | None:
        """Return the refs of files that changed; None where more than these may have changed.

        That is so for folders, and for extra paths, which may show one file under several names.
        """
        if self.workspace is None:
            return None
        refs = frozenset(os.path.relpath(path, self.workspace) for path in paths)
        is_all = all(map(is_memory_path, refs)) and not any(map(os.path.isdir, paths))
        return refs if is_all else None

    def find(self, ref: str) -> MemoryFile:
        """Return one file by its ref.

        Raises:
            NotFound: no memory file has it.
        """
        for file in self.listing().files:
            if file.ref == ref:
                return file
        raise NotFound(
            "there is no such memory file", hint="paths are as `recollect search` prints them"
        )

    def text(self, file: MemoryFile) -> tuple[str, list[str]]:
        """Return what may be shown of a file, line numbers kept, and warnings.

        Raises:
            InvalidInput: it is binary or too large.
            RecollectError: it cannot be read.
        """
        content = read_beneath(file.root, file.path, limit=LARGEST_BYTES)
        if b"\0" in content:
            raise InvalidInput("the file is binary", hint="give it another ending than .md")
        warnings = []
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("utf-8-sig", errors="replace")
            warnings.append(f"{file.ref}: bytes that are not UTF-8 were replaced")
        return (self._redactor.lines(text) if self._redactor else text), warnings
