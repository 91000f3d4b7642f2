"""Names functions, methods and classes of the package that nothing in the checkout uses.

Tests do not count as a use, so that code which only its own test calls is found. Fields of values
are not looked at: they go out as JSON. `make check` runs this.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "recollect"
LOOKED_AT = [PACKAGE, *(ROOT / name for name in ("benchmarks", "scripts", "docs/examples"))]
EXCLUDED = [f"{PACKAGE}/testing/*", f"{PACKAGE}/aio/twins.py"]
KINDS = {"class", "function", "method", "property", "import", "unreachable_code"}
CALLED_BY_DECORATOR = [
    *("@ROUTES.add", "@app.*", "@sessions.*", "@*.command", "@*.callback", "@bindings.add"),
]

PUBLIC = {
    "EmbeddingProvider", "LanguageProvider", "explain_settings",
}  # fmt: skip
"""For programs; the documentation or the design names them."""

CALLED_FROM_OUTSIDE = {
    "AsyncHandle", "AsyncInside", "AsyncItems", "OpenClaw", "__dir__", "_contexts",
    "_unsupported_upgrade_warning", "do_DELETE", "do_GET", "do_POST", "formatException",
    "format_help", "get_completions", "handleError", "handle_error", "log_message",
    "on_broken_pipe", "send_400_response",
}  # fmt: skip
"""By a framework, by a name that is text, or by a file that is made."""

LATER = {"chunk_turns"}
"""Needed by a step of the plan that is not built yet."""


def main() -> int:
    """Print what nothing uses, and which exceptions are not needed any more."""
    vulture = Vulture(ignore_decorators=CALLED_BY_DECORATOR)
    vulture.scavenge([str(path) for path in LOOKED_AT], exclude=EXCLUDED)
    excepted = PUBLIC | CALLED_FROM_OUTSIDE | LATER
    unused = [item for item in vulture.get_unused_code(60) if item.typ in KINDS]
    unused = [item for item in unused if PACKAGE in Path(item.filename).parents]
    unused = [item for item in unused if item.name not in _entry_points()]
    stale = sorted(excepted - {item.name for item in unused})
    if stale:
        print(f"scripts/dead_code.py: needed no more: {', '.join(stale)}")
    remaining = [item for item in unused if item.name not in excepted]
    for item in remaining:
        print(f"{Path(item.filename).relative_to(ROOT)}:{item.first_lineno} {item.typ} {item.name}")
    return 1 if remaining else 0


def _entry_points() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = project.get("entry-points", {}).values()
    return {target.partition(":")[2] for group in groups for target in group.values()}


if __name__ == "__main__":
    sys.exit(main())
