"""Exclusions: files of which only the name is listed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from functools import cache
from pathlib import Path

from recollect.core.settings import user_path

OFF_FILE = ".recollect-off"
"""A file or folder of this name: nothing is kept of its folder and below."""


class Exclusions:
    """Patterns of paths whose content is not kept.

    Args:
        patterns: With a slash, of a whole path or a folder above it, such as ``~/private/*``;
            without one, of a name, such as ``*.pem``. ``*`` matches any characters.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        expressions = [each for pattern in patterns for each in _expressions(pattern)]
        self.pattern = "|".join(expressions) or None
        """As a regular expression of a whole path; None where there are none."""
        self._excluded = re.compile(self.pattern) if self.pattern else None

    def include(self, root: Path, path: str) -> bool:
        """Return whether a path relative to a root is one of them, or below a `.recollect-off`.

        >>> Exclusions(["*.pem", "*/node_modules/*"]).include(Path("/srv/app"), "keys/a.pem")
        True
        """
        return self.test_of(root)(path)

    def test_of(self, root: Path) -> Callable[[str], bool]:
        """Return `include` for many paths of a root: each folder is looked at once."""

        @cache
        def is_off(folder: str) -> bool:
            outer = folder.rpartition("/")[0]
            return os.path.lexists(f"{root}/{folder}/{OFF_FILE}") or (outer != "" and is_off(outer))

        def is_included(path: str) -> bool:
            if self._excluded is not None and self._excluded.match(f"{root}/{path}"):
                return True
            folder = path.rpartition("/")[0]
            return folder != "" and is_off(folder)

        return is_included


def _expressions(pattern: str) -> list[str]:
    """Return the expressions of what a pattern means, and of what is in it."""
    whole = pattern.rstrip("/") if "/" in pattern else f"*/{pattern}"
    whole = str(user_path(whole)) if whole.startswith("~") else whole
    return [translate(whole), translate(f"{whole}/*")]
