"""The redactor as the features use it: texts, values, and files whose line numbers must stay."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # its patterns are large; a search that stores nothing needs none of them
    from recollect.text.redaction import Redactor

_PLAIN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w.-]{1,15}")
"""Ids that are looked at no further: shorter than any secret without a name, and UUIDs."""


class SecretRedactor:
    """Takes secrets out of what is stored.

    Args:
        salt: Secret bytes of the home, see `recollect.text.redaction.Redactor`.
        patterns: More regular expressions of secrets; the first text that is redacted raises
            `InvalidInput` when one of them is not valid.
    """

    def __init__(self, salt: bytes, patterns: Sequence[str] = ()) -> None:
        self._salt = salt
        self._patterns = tuple(patterns)

    @functools.cached_property
    def _redactor(self) -> Redactor:
        from recollect.text.redaction import Redactor

        return Redactor(self._salt, self._patterns)

    def text(self, text: str) -> str:
        """Return ``text`` without secrets."""
        return self._redactor.redact(text).text

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets; a key may show that its value is one."""
        return self._redactor.redact_value(value)

    def identifier(self, text: str) -> str:
        """Return an id, or if it holds a secret a hash under the salt; equal ids stay equal."""
        is_plain = not self._patterns and _PLAIN_ID.fullmatch(text)
        if is_plain or self._redactor.redact_value(text) == text:
            return text
        encoded = text.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(encoded, digest_size=16, key=self._salt).hexdigest()
        return f"redacted-{digest}"

    def lines(self, text: str) -> str:
        """Return ``text`` without secrets; every line that is left keeps its number."""
        redacted = self._redactor.redact(text)
        kept, position = [], 0
        for finding in redacted.findings:
            end = finding.start + finding.length
            kept += [text[position : finding.start], finding.mark]
            kept.append("\n" * text.count("\n", finding.start, end))
            position = end
        return "".join([*kept, text[position:]])
