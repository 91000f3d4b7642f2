"""Text of others, made safe for a terminal: it is data and may not move the cursor or hide itself.

Everything that was said, read or named by a file goes through `sanitized` before it is printed.
"""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    # A command to a terminal with its parameters, in the 7-bit and the 8-bit spelling.
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    # A window title, a link, something for the clipboard: only up to its own end.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_END = re.compile(r"\r\n|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f"
    r"\u202a-\u202e\u2066-\u2069"  # turn the direction of what follows
    r"\ufff9-\ufffb\U000e0000-\U000e007f]"  # hidden annotations and tags
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SPACE = re.compile(r"\s+")


def sanitized(text: str) -> str:
    """Return ``text`` without control characters; newlines stay, a tab becomes four spaces."""
    text = _LINE_END.sub("\n", _SEQUENCE.sub("", text)).replace("\t", "    ")
    return _SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def one_line(text: str) -> str:
    """Return ``text`` as `sanitized` does, on one line."""
    return _SPACE.sub(" ", sanitized(text)).strip()


def shortened(text: str, most: int) -> str:
    """Return ``text`` on one line and at most ``most`` characters; … tells of a cut."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
