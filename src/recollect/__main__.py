"""The program `recollect`, also as `python -m recollect`.

Imports next to nothing, so that an interrupt ends it in one line from its first moment on.
"""

import sys

_INTERRUPTED = 130
_TEXT = "error: interrupted\n"
_ELSEWHERE = "recollect runs on Linux and macOS, and on Windows inside WSL"
_WSL = "run `wsl --install` once, then install recollect there"
_JSON = '{"error":{"code":"interrupted","message":"interrupted","hint":""}}\n'


def main() -> int:
    """Run the command line of this process and return its exit code."""
    if sys.platform == "win32":
        return _refuse_windows()
    try:
        from recollect.cli.main import main as run

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write(_JSON if "--json" in sys.argv else _TEXT)
        code = _INTERRUPTED
    finally:
        _answered()
    return code


def _refuse_windows() -> int:
    """Say where it runs: its locks, sockets and permissions are those of Unix."""
    if "--json" in sys.argv:
        error = f'{{"code":"unsupported","message":"{_ELSEWHERE}","hint":"{_WSL}"}}'
        sys.stderr.write(f'{{"error":{error}}}\n')
    else:
        sys.stderr.write(f"error: {_ELSEWHERE}\n hint: {_WSL}\n")
    return 1


def _answered() -> None:
    """Let what is left to do be done: an interrupt after the answer changes nothing any more."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exec("")  # noqa: S102 - Python forgets an interrupt in an earlier one: it would end by a signal


if __name__ == "__main__":
    sys.exit(main())
