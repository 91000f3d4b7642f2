"""The program `recollect`, also as `python -m recollect`.

Imports next to nothing, so that an interrupt ends it in one line from its first moment on.
"""

import sys

_INTERRUPTED = 130
_TEXT = "error: interrupted\n"
_JSON = '{"error":{"code":"interrupted","message":"interrupted","hint":""}}\n'


def main() -> int:
    """Run the command line of this process and return its exit code."""
    try:
        from recollect.cli.main import main as run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write(_JSON if "--json" in sys.argv else _TEXT)
        code = _INTERRUPTED
    finally:
        _answered()
    return code


def _answered() -> None:
    """Let what is left to do be done: an interrupt after the answer changes nothing any more."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exec("")  # noqa: S102 - Python forgets an interrupt in an earlier one: it would end by a signal


if __name__ == "__main__":
    sys.exit(main())
