"""Where a secret may stand in a transcript: ten carriers of a text, and what survived of a secret.

A carrier is a pure function. It adds only words and figures that are no secret of any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

Carrier = Callable[[str], str]

WINDOW = 8
"""So many characters of a secret in a row are too many."""

_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


def _bare(text: str) -> str:
    return text


def _in_prose(text: str) -> str:
    """Put a line into a sentence; several lines stand on their own between two sentences."""
    before = "I went through the notes of last week, and this stood on the second page:"
    after = "the rest was about the new printer, so I left it alone."
    gaps = ("\n", "\n") if "\n" in text else (" ", " — ")
    return f"{before}{gaps[0]}{text}{gaps[1]}{after}"


def _in_json(text: str) -> str:
    return json.dumps({"role": "user", "content": text}, ensure_ascii=False)


def _in_tool_output(text: str) -> str:
    return f"$ make look\nlooking at 14 files\n{text}\nmake: leaving the folder\nready in 2.31s"


def _in_code_block(text: str) -> str:
    return f"This is what it says:\n\n```\n{text}\n```\n\nNothing else stood there."


def _in_log(text: str) -> str:
    return "\n".join(
        f"2025-03-14T09:26:{second % 60:02d}.417Z INFO  {line}"
        for second, line in enumerate(text.split("\n"), start=11)
    )


def _in_diff(text: str) -> str:
    lines = text.split("\n")
    head = f"diff --git a/notes b/notes\n--- a/notes\n+++ b/notes\n@@ -3,0 +4,{len(lines)} @@\n"
    return head + "\n".join(f"+{line}" for line in lines)


def _numbered(text: str) -> str:
    return "\n".join(f"{n:6d}\t{line}" for n, line in enumerate(text.split("\n"), start=1))


def _quoted(text: str) -> str:
    lines = "\n".join(f"> {line}" for line in text.split("\n"))
    return f"Thanks, I will look at it on Monday.\n\nOn Friday Robin wrote:\n{lines}"


def _in_json_twice(text: str) -> str:
    inner = json.dumps({"message": text}, ensure_ascii=False)
    return json.dumps({"type": "line", "payload": inner}, ensure_ascii=False)


CARRIERS: Mapping[str, Carrier] = {
    "bare": _bare,
    "prose": _in_prose,
    "json": _in_json,
    "tool output": _in_tool_output,
    "code block": _in_code_block,
    "log": _in_log,
    "diff": _in_diff,
    "numbered": _numbered,
    "quoted": _quoted,
    "json twice": _in_json_twice,
}
"""Each carrier by its name."""


def survivors(secrets: Sequence[str], output: str) -> list[str]:
    """Return the secrets that can still be read in an output, in their order.

    Of a secret of eight characters or more no eight in a row may be there; a shorter one may not be
    there as a token. Escapes of JSON do not hide it.
    """
    plain = _unescaped(output)
    return [secret for secret in secrets if _stands(secret, output) or _stands(secret, plain)]


def _unescaped(text: str) -> str:
    return re.sub(r'\\+([nrt"/])', lambda match: _ESCAPED.get(match[1], match[1]), text)


def _stands(secret: str, text: str) -> bool:
    if len(secret) < WINDOW:
        token = rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])"
        return re.search(token, text) is not None
    return any(secret[start : start + WINDOW] in text for start in range(len(secret) - WINDOW + 1))
