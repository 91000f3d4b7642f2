"""The external command: what it is given, and what its failures mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from recollect.core.errors import ProviderUnavailable
from recollect.recall.search_port import MISSING, Program, ProgramOutput

_NAMES = 3
"""Names of errors that a message holds."""
_ERROR = re.compile(r"\b(?:[A-Z]\w*Error|SQLITE_[A-Z]+|ERR_[A-Z_]+|E[A-Z]{4,})\b")
_DAMAGED = re.compile(rb"SQLITE_(?:NOTADB|CORRUPT)")
INSTALL_HINT = "npm install -g @tobilu/qmd, or qmd.command"
HINT = "see search.backend and the section qmd of `recollect config`"


class QmdCommand:
    """The external command of one collection of settings.

    Args:
        program: Its name or path.
        folder: Where it runs; no configuration of a project is found from there.
        environ: All its variables; ``PATH`` is also where the program is looked for.
    """

    def __init__(self, program: str, folder: Path, environ: Mapping[str, str]) -> None:
        self._program = Program(program, environ, _not_run)
        self._folder = folder

    def run(
        self,
        arguments: Sequence[str],
        timeout_s: float,
        stopping: Callable[[], bool] = lambda: False,
    ) -> ProgramOutput:
        """Return what the command wrote, once it ended well.

        Args:
            arguments: Without the program.
            timeout_s: When it is killed.
            stopping: Asked often; after True it is killed.

        Raises:
            ProviderUnavailable: it is not there, failed, took too long or said too much.
        """
        output = self._program.run(arguments, self._folder, timeout_s, stopping=stopping)
        if output.code:
            what = f"ended with code {output.code}{_error_names(output.err)}"
            raise failed(what, is_damaged=_DAMAGED.search(output.err) is not None)
        return output


def failed(what: str, *, hint: str = HINT, is_damaged: bool = False) -> ProviderUnavailable:
    """Return the error for something that the command did or did not do.

    Args:
        what: One sentence without its subject.
        hint: What to do about it.
        is_damaged: Whether its index is, which is ours to make again.
    """
    return ProviderUnavailable(f"qmd {what}", hint=hint, is_damaged=is_damaged)


def _not_run(what: str) -> ProviderUnavailable:
    return failed(what, hint=INSTALL_HINT if what == MISSING else HINT)


def _error_names(err: bytes) -> str:
    """Return the names of a few errors in the output; all else could hold text of the user."""
    names = dict.fromkeys(_ERROR.findall(err.decode(errors="replace")))
    return f" ({', '.join(list(names)[:_NAMES])})" if names else ""
