"""The program `recollect`, also as `python -m recollect`.

Imports next to nothing, so that an interrupt ends it in one line from its first moment on.
"""

from __future__ import annotations

import sys

_INTERRUPTED = 130
_TEXT = "error: interrupted\n"
_JSON = '{"error":{"code":"interrupted","message":"interrupted","hint":""}}\n'


def main() -> int:
    """Run the command line of this process and return its exit code."""
    try:
        from recollect.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write(_JSON if "--json" in sys.argv else _TEXT)
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
