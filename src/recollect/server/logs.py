"""The log of a worker: ``logs/worker.log`` in the home, for its owner only, in bounded files.

It never holds a text of the user: of an exception it keeps the type and where it was raised.
"""

from __future__ import annotations

import io
import logging
import os
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from recollect.core.clock import to_iso
from recollect.store.failures import os_errors
from recollect.store.files import private_folder

FOLDER = "logs"
LOG_FILE = "worker.log"
FILE_BYTES = 2_000_000
FILES = 4
"""Older ones beside the newest: 10 MB in all."""
MINUTE_BYTES = 500_000
"""What is written in a minute at most. A worker whose clients all fail wrote 30 MB in seven
seconds before there was a limit (reference: slow clients against uvicorn)."""
_MINUTE_S = 60.0
_LOGGERS = ("recollect", "uvicorn")
_DROPPED = "%s lines were left out: too much was logged in a minute"


@contextmanager
def logging_to(home: Path) -> Iterator[Path]:
    """Write what is logged in the block to the log of a home; give its path.

    Raises:
        StoreError: the folder cannot be made, or the file not be opened.
    """
    path = private_folder(home / FOLDER) / LOG_FILE
    with os_errors(path):
        handler = LogFile(path)
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger.level, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
    try:
        yield path
    finally:
        for logger, (level, propagate) in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagate
        handler.close()


class LogFile(RotatingFileHandler):
    """A rotating file (0600) that takes so many bytes a minute; a full disk stops no request.

    Args:
        path: The newest file; older ones have a number after it.
        minute_bytes: What it takes in a minute.
    """

    def __init__(self, path: Path, minute_bytes: int = MINUTE_BYTES) -> None:
        self._most = minute_bytes
        self._written = 0
        self._dropped = 0
        self._since = time.monotonic()
        super().__init__(path, maxBytes=FILE_BYTES, backupCount=FILES, encoding="utf-8")
        self.setFormatter(_Line())

    def _open(self) -> io.TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self.baseFilename, flags, 0o600)
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, or count it as left out."""
        now = time.monotonic()
        if now - self._since >= _MINUTE_S:
            dropped, self._since, self._written, self._dropped = self._dropped, now, 0, 0
            if dropped:
                self._write(_remark(dropped))
        if self._written < self._most:
            self._write(record)
        else:
            self._dropped += 1

    def _write(self, record: logging.LogRecord) -> None:
        self._written += len(self.format(record)) + 1
        super().emit(record)

    def close(self) -> None:
        """Close the file; tell first what was left out."""
        if self._dropped and self.stream is not None:
            self._write(_remark(self._dropped))
            self._dropped = 0
        super().close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        """Go on: who serves must not fail over its log."""


def _remark(dropped: int) -> logging.LogRecord:
    return logging.LogRecord(
        "recollect", logging.WARNING, __file__, 0, _DROPPED, (dropped,), exc_info=None
    )


class _Line(logging.Formatter):
    """Time in UTC, level, where it comes from, what happened; of an exception no text."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatTime(  # noqa: N802 - logging calls it so
        self, record: logging.LogRecord, datefmt: str | None = None
    ) -> str:
        return to_iso(int(record.created * 1000))

    def formatException(  # noqa: N802 - logging calls it so
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        frames = traceback.extract_tb(ei[2])
        places = (f"  {Path(f.filename).name}:{f.lineno} {f.name}" for f in frames)
        return "\n".join((ei[0].__name__ if ei[0] else "", *places))


def last_line(path: Path) -> str:
    """Return the last line of a file that says something; empty where there is none."""
    try:
        lines = path.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
