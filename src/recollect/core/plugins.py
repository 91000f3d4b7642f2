"""Plugins: entry points of installed packages, ours included; imported when chosen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recollect.core.errors import InvalidInput, ProviderError


def plugin_names(group: str) -> set[str]:
    """Return the names of all entry points of ``group``."""
    from importlib.metadata import entry_points  # imports the mail parser: only on demand

    return set(entry_points(group=group).names)


def load_plugin(group: str, name: str, kind: str, built_in: Iterable[str]) -> Any:
    """Return the object that the entry point ``name`` of ``group`` refers to.

    Args:
        group: Such as ``recollect.embedders``.
        name: The name in the settings.
        kind: The kind of plugin, for messages.
        built_in: The names that need no entry point.

    Raises:
        InvalidInput: no package has a plugin with that name.
        ProviderError: it cannot be imported.
    """
    from importlib.metadata import entry_points

    # Ours come first and cannot be replaced: otherwise an installed package could read every text.
    points = entry_points(group=group, name=name)
    point = min(points, key=lambda each: not each.value.startswith("recollect."), default=None)
    if point is None:
        raise _unknown(name, kind, sorted({*built_in, *plugin_names(group)}))
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise ProviderError(
            f"the {kind} {name} cannot be imported",
            hint="install or upgrade its package",
            provider=name,
        ) from error


def check_plugin(group: str, name: str, kind: str, built_in: Iterable[str]) -> None:
    """Refuse an unknown name, without importing anything; see `load_plugin`.

    Raises:
        InvalidInput: no package has a plugin with that name.
    """
    names = sorted({*built_in, *plugin_names(group)})
    if name not in names:
        raise _unknown(name, kind, names)


def _unknown(name: str, kind: str, names: list[str]) -> InvalidInput:
    import difflib

    near = difflib.get_close_matches(name, names, n=1)
    return InvalidInput(
        f"unknown {kind}",
        hint=f"try {near[0]}" if near else f"choose one of {', '.join(names)}",
        found=name,
    )
