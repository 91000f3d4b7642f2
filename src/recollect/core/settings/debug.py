"""Whether somebody wants to see where an unexpected error came from."""

from __future__ import annotations

import os
from collections.abc import Mapping


def debug_requested(environ: Mapping[str, str] | None = None) -> bool:
    """Return whether ``RECOLLECT_DEBUG`` is set, to anything but ``0``."""
    environ = os.environ if environ is None else environ
    return environ.get("RECOLLECT_DEBUG", "") not in {"", "0"}
