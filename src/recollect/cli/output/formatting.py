"""Numbers, sizes, durations, times and links as people read them."""

from __future__ import annotations

from recollect.cli.output.screen import one_line
from recollect.core.clock import to_datetime
from recollect.core.numbers import Link, show_number

_STEPS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def count(number: int, one: str, many: str = "") -> str:
    """Return ``1 message`` or ``1,234 messages``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(length: int) -> str:
    """Return a number of bytes as ``512 B``, ``1.5 KB``, ``20 MB``."""
    for step, unit in _STEPS:
        if length >= step:
            share = length / step
            return f"{share:.1f} {unit}" if share < 10 else f"{share:.0f} {unit}"
    return f"{length} B"


def duration(seconds: float) -> str:
    """Return a time span as ``12 ms``, ``1.2 s``, ``3 min 5 s``, ``2 h 10 min``."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def moment(at_ms: int) -> str:
    """Return a time as ``2026-05-12 09:14`` in the zone of this machine."""
    return f"{to_datetime(at_ms).astimezone():%Y-%m-%d %H:%M}"


def day(at_ms: int) -> str:
    """Return a time as ``12 May 2026`` in the zone of this machine."""
    local = to_datetime(at_ms).astimezone()
    return f"{local.day} {local:%b %Y}"


def link_spans(link: Link, *, from_file: bool) -> tuple[tuple[str, str], ...]:
    """Return a link as styled text: to the observation that a line names, or back to the line."""
    if not from_file:
        return ("named in ", "dim"), (f"{one_line(link.path)}:{link.line}", "cyan")
    number = show_number("observation", link.number)
    return (f"line {link.line} names ", "dim"), (number, "cyan"), (f" {one_line(link.title)}", "")


def bar(part: float, width: int) -> str:
    """Return a bar of at most ``width`` characters for ``part`` of 1, in halves of a character."""
    whole, half = divmod(round(max(0.0, min(1.0, part)) * width * 2), 2)
    return "━" * whole + "╸" * half
