"""Maps the errors of providers to our errors and hints.

Reads the status and the error body of OpenAI, Anthropic, Gemini, Voyage and compatible servers. The
message of a provider may repeat the user's text or part of a key, so only its short codes are
passed on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from recollect.core.decoding import json_decoder
from recollect.core.errors import (
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    QuotaExhausted,
)
from recollect.models.hints import EMBEDDING, Hints

_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_QUOTA = re.compile(
    r"insufficient[_ ]quota|billing[_ ](?:hard[_ ]limit|not[_ ]active)|payment required"
    r"|insufficient[_ ](?:credits?|balance|funds)",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"credit balance is too low", re.IGNORECASE)
"""Anthropic sends it with status 400."""
_TOO_LARGE = re.compile(
    r"too (?:large|long|many (?:tokens|inputs|texts|items))|context[_ ](?:length|size|window)"
    r"|max(?:imum)?[_ ](?:\w+[_ ]){0,3}(?:tokens|length|size|batch)|token[_ ]limit|batch size"
    r"|exceeds? (?:the )?(?:\w+ ){0,3}(?:limit|length|size|tokens)|at most \d+ (?:requests|inputs)"
    r"|larger than the max|reduce the length|prompt is too long",
    re.IGNORECASE,
)
_DELAY = re.compile(rb'"retryDelay"\s*:\s*"([0-9]{1,6}(?:\.[0-9]{1,9})?)s"')
"""The wait that Gemini asks for, in the body instead of a header."""
_KEY = re.compile(r"api[_ -]?key", re.IGNORECASE)

_TYPES = {
    "authentication_error": 401,
    "invalid_request_error": 400,
    "not_found_error": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "request_too_large": 413,
}
"""The status of errors that come within a stream, after status 200."""
_AGAIN = frozenset({408, 409, 425, 429})
_LIMITED = 429
_WORDS = 2_000
"""Characters of an error that are read."""


class MappedError(msgspec.Struct, frozen=True, kw_only=True):
    """An error in an answer, as we understand it.

    Attributes:
        status: The HTTP status, or the one that an error body names.
        code: The provider's own short code; empty where it has none.
        words: The provider's message, for matching; never shown.
        wait_s: The wait requested in the body.
    """

    status: int
    code: str = ""
    words: str = ""
    wait_s: float | None = None

    @property
    def is_limited(self) -> bool:
        """Return whether the provider says "too many requests"."""
        return self.status == _LIMITED

    @property
    def is_too_large(self) -> bool:
        """Return whether a smaller request may be accepted."""
        return self.status == 413 or (
            self.status in {400, 422} and bool(_TOO_LARGE.search(f"{self.code} {self.words}"))
        )

    def error(
        self, provider: str, retry_after_s: float | None, hints: Hints = EMBEDDING
    ) -> ProviderError:
        """Return the corresponding error of ours.

        Args:
            provider: Its name, for the message.
            retry_after_s: The wait requested by a header; with it, an exhausted account recovers.
            hints: For the error.
        """
        if retry_after_s is None:
            retry_after_s = self.wait_s
        facts: dict[str, object] = {"status": self.status}
        if self.code:
            facts["provider_code"] = self.code
        if self._is_quota and retry_after_s is None:
            return QuotaExhausted(
                f"the account at {provider} has nothing left",
                hint="check plan and billing there, or choose another provider",
                **facts,
            )
        if self.status in _AGAIN or self.status >= 500:
            what = "says: too many requests" if self.is_limited else "cannot answer now"
            hint = (self.is_limited and hints.slower) or hints.meanwhile
            return ProviderUnavailable(
                f"{provider} {what} ({self._label})",
                hint=f"wait, it is tried again later; {hint}",
                retry_after_s=retry_after_s,
                limited=self.is_limited,
                **facts,
            )
        return ProviderRejected(
            f"{provider} refused the request ({self._label})",
            hint=self._hint(provider, hints),
            too_large=self.is_too_large,
            **facts,
        )

    @property
    def _label(self) -> str:
        return f"HTTP {self.status}, {self.code}" if self.code else f"HTTP {self.status}"

    @property
    def _is_quota(self) -> bool:
        if self.status == 402 or (self.status == 400 and _EMPTY.search(self.words)):
            return True
        return self.status in {403, 429} and bool(_QUOTA.search(f"{self.code} {self.words}"))

    def _hint(self, provider: str, hints: Hints) -> str:
        if self.status in {401, 403} or _KEY.search(self.words):
            return f"check the key of {provider}: {hints.setting('api_key')} or the environment"
        if self.status in {404, 405}:
            return f"check {hints.choice} (the model's name) and {hints.setting('base_url')}"
        if 300 <= self.status < 400:
            return (
                f"{hints.setting('base_url')} must be the final address: redirects are not followed"
            )
        if self.is_too_large:
            return hints.smaller
        return f"check the model's name and {hints.size}"


def map_error(status: int, body: bytes) -> MappedError | None:
    """Return the error in an answer, or None if it may be a normal answer.

    Status 200 with an error in the body is an error: gateways do that.
    """
    error = _error_part(body)
    if error is None:
        return (
            None
            if 200 <= status < 300
            else MappedError(status=status, words=body[:_WORDS].decode("utf-8", "replace"))
        )
    code, number, words = _parts(error)
    if 200 <= status < 300:
        # Without a status in it, the failure is the gateway's own, and may be temporary.
        status = number if 400 <= number < 600 else _TYPES.get(code, 502)
        if number == 0 and _QUOTA.search(f"{code} {words}"):
            status = 429
    if status == 500 and "too large to process" in words:
        status = 413  # the answer of a llama.cpp server to a text above its batch size
    delay = _DELAY.search(body)
    wait_s = float(delay[1]) if delay else None
    return MappedError(status=status, code=code, words=words, wait_s=wait_s)


class _Envelope(msgspec.Struct, frozen=True):
    """The fields of an error in a body; the rest of an answer is skipped, not decoded."""

    error: msgspec.Raw = msgspec.Raw(b"null")
    errors: msgspec.Raw = msgspec.Raw(b"null")
    detail: msgspec.Raw = msgspec.Raw(b"null")


_ENVELOPE = json_decoder(_Envelope)
_WRAPPED = json_decoder(tuple[_Envelope])


def _error_part(body: bytes) -> object | None:
    """Return the value of the error, or None."""
    # Gemini's streams wrap an error in a list.
    decoder = _WRAPPED if body.lstrip()[:1] == b"[" else _ENVELOPE
    try:
        decoded = decoder.decode(body)
        envelope = decoded[0] if isinstance(decoded, tuple) else decoded
        parts = (envelope.error, envelope.errors, envelope.detail)
        return next((value for part in parts if (value := msgspec.json.decode(part))), None)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _parts(error: object) -> tuple[str, int, str]:
    """Return the provider's code, the status in the body (or 0), and its message."""
    if not isinstance(error, Mapping):
        return "", 0, msgspec.json.encode(error).decode()[:_WORDS]
    names = [error.get(name) for name in ("code", "status", "type")]
    number = next((value for value in names[:2] if isinstance(value, int)), 0)
    code = next((v for v in names if isinstance(v, str) and _CODE.fullmatch(v)), "")
    return code, number, str(error.get("message", ""))[:_WORDS]
