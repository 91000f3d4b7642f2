"""The log of a worker: ``logs/worker.log`` in the home, for its owner only, in bounded files."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from recollect.server.logs import PlainFormatter, RateCap
from recollect.server.presence import LOG_FILE, LOGS
from recollect.store.failures import os_errors
from recollect.store.files import private_folder

FILE_BYTES = 2_000_000
FILES = 4
"""Older ones beside the newest: 10 MB in all."""
_LOGGERS = ("recollect", "uvicorn")


@contextmanager
def logging_to(home: Path) -> Iterator[Path]:
    """Write what is logged in the block to the log of a home; yield its path.

    Raises:
        StoreError: the folder cannot be created, or the file cannot be opened.
    """
    path = private_folder(home / LOGS) / LOG_FILE
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
    """A rotating file (0600); a full disk does not stop a request.

    Args:
        path: The newest file; older ones have a number after it.
        most: Its maximum size in bytes.
    """

    def __init__(self, path: Path, most: int = FILE_BYTES) -> None:
        super().__init__(path, maxBytes=most, backupCount=FILES, encoding="utf-8")
        self.setFormatter(PlainFormatter())
        self.addFilter(RateCap())

    def _open(self) -> io.TextIOWrapper:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self.baseFilename, flags, 0o600)
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging calls it so
        """Continue: a server must not fail because of its log."""
