"""The log of a worker stays small, is for its owner only, and never stops who writes to it."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path

import pytest

from recollect.server.presence import LOG_FILE, LOGS
from recollect.server.worker.log_file import FILES, LogFile, logging_to

_log = logging.getLogger("recollect.server")


def test_old_files_go_when_there_are_more_than_enough(tmp_path: Path) -> None:
    """A worker runs for years."""
    path = tmp_path / LOG_FILE
    handler = LogFile(path, most=1_000)
    before = os.umask(0)
    try:
        for number in range(300):
            handler.emit(logging.makeLogRecord({"msg": f"line {number}", "levelname": "INFO"}))
    finally:
        os.umask(before)
        handler.close()
    files = sorted(tmp_path.iterdir())
    assert len(files) == 1 + FILES
    assert all(each.stat().st_size <= 1_000 for each in files)
    assert {stat.S_IMODE(each.stat().st_mode) for each in files} == {0o600}
    assert path.read_text().splitlines()[-1].endswith("line 299")


def test_a_client_that_fails_all_the_time_fills_no_disk(tmp_path: Path) -> None:
    """S7: at most 1 MB a minute; slow clients made uvicorn write 30 MB in seven seconds."""
    with logging_to(tmp_path) as path:
        for number in range(20_000):
            _log.warning("a request failed, %s", number)
    assert 0 < path.stat().st_size < 100_000


def test_an_exception_is_logged_without_its_text(tmp_path: Path) -> None:
    """It can hold anything, also what a user said."""
    with logging_to(tmp_path) as path:
        try:
            int("the password is swordfish")
        except ValueError:
            _log.exception("unexpected")
    text = path.read_text()
    assert "ValueError" in text
    assert "swordfish" not in text
    assert "test_log_file.py" in text


def test_after_the_block_nothing_more_is_written(tmp_path: Path) -> None:
    """A program that served goes on with its own logging."""
    logger = logging.getLogger("recollect")
    before = (logger.level, logger.propagate, list(logger.handlers))
    with logging_to(tmp_path) as path:
        _log.info("serves")
    _log.error("after the end")
    assert "after the end" not in path.read_text()
    assert (logger.level, logger.propagate, list(logger.handlers)) == before
    assert path == tmp_path / LOGS / LOG_FILE


def test_a_line_that_cannot_be_written_stops_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on a full disk: the request that logged it is answered."""
    handler = LogFile(tmp_path / LOG_FILE)
    handler.emit(logging.makeLogRecord({"msg": "%d", "args": ("no number",)}))
    handler.close()
    assert capsys.readouterr().err == ""
