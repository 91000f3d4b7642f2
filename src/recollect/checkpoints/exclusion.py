"""Exclusions: files of which only the name is listed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from pathlib import Path

from recollect.core.settings import user_path


class Exclusions:
    """Patterns of paths whose content is not kept.

    Args:
        patterns: With a slash, of a whole path or a folder above it, such as ``~/private/*``;
            without one, of a name, such as ``*.pem``. ``*`` matches any characters.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        expressions = [each for pattern in patterns for each in _expressions(pattern)]
        self._excluded = re.compile("|".join(expressions)) if expressions else None

    def include(self, root: Path, path: str) -> bool:
        """Return whether a path relative to a root is one of them.

        >>> Exclusions(["*.pem", "*/node_modules/*"]).include(Path("/srv/app"), "keys/a.pem")
        True
        """
        return self._excluded is not None and bool(self._excluded.match(f"{root}/{path}"))


def _expressions(pattern: str) -> list[str]:
    """Return the expressions of what a pattern means, and of what is in it."""
    whole = pattern.rstrip("/") if "/" in pattern else f"*/{pattern}"
    whole = str(user_path(whole)) if whole.startswith("~") else whole
    return [translate(whole), translate(f"{whole}/*")]
