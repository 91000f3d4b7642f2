"""Finds what other packages bring: models behind entry points, imported when they are chosen."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.core.errors import InvalidInput, ProviderError
from recollect.models.hints import Hints

if TYPE_CHECKING:  # it brings the mail parser, which a start with a built-in name can do without
    from importlib.metadata import EntryPoint


def names_of(group: str) -> set[str]:
    """Return the names of all entry points of ``group``."""
    from importlib.metadata import entry_points

    return set(entry_points(group=group).names)


def load_plugin(group: str, name: str, hints: Hints, known: Sequence[str]) -> Any:
    """Return what the entry point ``name`` of ``group`` names.

    Args:
        group: Such as ``recollect.embedders``.
        name: What the settings ask for.
        hints: Which kind of model that is, for messages.
        known: The names that there are.

    Raises:
        InvalidInput: there is no such name.
        ProviderError: it cannot be imported.
    """
    point = _entry_point(group, name)
    if point is None:
        near = difflib.get_close_matches(name, known, n=1)
        raise InvalidInput(
            f"there is no such {hints.kind}",
            hint=f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}",
            found=name,
        )
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ProviderError(
            f"the {hints.kind} {name} cannot be imported",
            hint="install or upgrade the package that brings it",
            provider=name,
        ) from error


def _entry_point(group: str, name: str) -> EntryPoint | None:
    from importlib.metadata import entry_points

    return next(iter(entry_points(group=group, name=name)), None)
