"""The log: no text of a user, and not without end."""

from __future__ import annotations

import io
import logging

from recollect.server.logs import PlainFormatter, RateCap
from tests.support.scripted_time import ScriptedTime


def _error() -> Exception:
    try:
        int("the words of a user")
    except ValueError as error:
        return error
    raise AssertionError


def test_an_exception_is_logged_by_its_place() -> None:
    """S8: what others wrote into its text stays out, also when uvicorn logs it."""
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(PlainFormatter())
    for error in (_error(), None):
        line = logging.LogRecord("uvicorn.error", logging.ERROR, "", 0, "it broke", (), None)
        line.exc_info = (
            (None, None, None) if error is None else (type(error), error, error.__traceback__)
        )
        handler.handle(line)
    written = out.getvalue()
    assert "words" not in written
    assert "ValueError" in written
    assert "test_logs.py:" in written
    assert "Z ERROR uvicorn.error: it broke" in written


def test_lines_of_one_kind_are_capped_in_each_minute() -> None:
    """And the next minute tells how many there were."""
    time = ScriptedTime()
    cap = RateCap(2, time)

    def line(text: str = "rubbish from %s") -> logging.LogRecord:
        return logging.LogRecord("server", logging.ERROR, "", 0, text, ("x",), None)

    assert [cap.filter(line()) for _ in range(5)] == [True, True, False, False, False]
    assert cap.filter(line("another %s"))
    time.pause(61)
    told = line()
    assert cap.filter(told)
    assert told.getMessage() == "rubbish from x (and 3 more in the minute before)"
    time.pause(61)
    quiet = line()
    assert cap.filter(quiet)
    assert quiet.getMessage() == "rubbish from x"
