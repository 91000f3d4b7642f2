"""Values that a rule recognised once: secret wherever else they occur in the same call or session.

Only keyed hashes are kept, with lengths, so that ordinary words are seldom hashed. Never kept are
values that others may have too: short ones, paths, hosts, addresses, dates, names of users.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator

from recollect.text.redaction.blocks import Span
from recollect.text.redaction.values import PATH, is_filler

LEAST_CHARS, MOST_CHARS = 8, 128
"""Characters of a value that is kept."""
MOST_VALUES = 1_000
"""Values of a session; later ones are redacted only where a rule matches them."""
_KINDS = frozenset(
    {
        "authorization",
        "cookie",
        "national-id",
        "password",
        "pattern",
        "secret",
        "token",
        "url-password",
    }
)
"""Kinds that need a name; secrets of a known form are found again without one."""
_PARTS = {"cookie": re.compile(r"[\s;=]+"), "url-password": re.compile(":")}
_LEAST_PART = {"cookie": 16}
_COMMON = re.compile(
    r"(?:localhost|postgres(?:ql)?|anonymous|administrator|username|password|passw0rd|password123?"
    r"|changeit|(?:19|20)\d{6}|\d{4}-\d\d-\d\d\S*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,6}(?::\d+)?|[\d.:]+\d+\.\d+[\d.:]*)",
    re.IGNORECASE,
)
"""Common values: they would match everywhere, and say nothing of a secret."""
_USERS = re.compile(
    r"""(?i:(?:user(?:[_-]?name)?|login|account|owner|-u|--user)["']?[\s:=]{1,4}["']?|/home/|/users/"""
    r"""|://)([\w.-]{8,64})"""
)
_RUN = re.compile(rf"\S{{{LEAST_CHARS},}}+")
_STARTS = re.compile(r"\\[nrt](?=\w)|%[0-9A-Fa-f]{2}|(?<![^\W_])(?=[^\W_])|(?=[\W_])")


class Recognised:
    """The values that were recognised in one call or session, as keyed hashes.

    Args:
        key: Secret bytes of the home, at most 64.
        known: Lines of `take_fresh`, of an earlier call.
    """

    def __init__(self, key: bytes, values: list[str] | None = None) -> None:
        self._key = key
        self._kinds: dict[bytes, str] = {}
        self._lengths: dict[bool, set[int]] = {False: set(), True: set()}
        """Of values without and with spaces."""
        self._fresh: list[str] = []
        self.add(values or [])

    def __len__(self) -> int:
        """Return how many values are known."""
        return len(self._kinds)

    def copy(self) -> Recognised:
        """Return one that knows the same and has learnt nothing yet."""
        copy = Recognised(self._key)
        copy._kinds = self._kinds.copy()
        copy._lengths = {spaced: set(lengths) for spaced, lengths in self._lengths.items()}
        return copy

    def add(self, lines: list[str]) -> None:
        """Add the result of `take_fresh` of another one; lines of another form are ignored."""
        for line in lines:
            match line.split(" "):
                case [digest, length, spaced, kind] if len(digest) == 32 and length.isdecimal():
                    self._keep(bytes.fromhex(digest), int(length), kind, is_spaced=spaced == "1")

    def take_fresh(self) -> list[str]:
        """Return a line for each value that was learnt since: hash, length, spaces, kind."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def learn(
        self, kind: str, secret: str, users: Callable[[], Collection[str]] = frozenset
    ) -> None:
        """Recognise a secret from now on, if only its holder has it.

        Args:
            kind: Its kind.
            secret: As it was matched.
            users: Returns names of users, which do not count as secrets: see `users_in`.
        """
        if kind not in _KINDS or len(self) >= MOST_VALUES:
            return
        for part in _PARTS[kind].split(secret) if kind in _PARTS else (secret,):
            if (
                len(part) >= _LEAST_PART.get(kind, LEAST_CHARS)
                and is_own(part)
                and part not in users()
            ):
                for form in {part, json.dumps(part, ensure_ascii=False)[1:-1]}:
                    self._learn(kind, form)

    def _learn(self, kind: str, value: str) -> None:
        digest, is_spaced = self._digest(value), " " in value
        if digest not in self._kinds and self._keep(digest, len(value), kind, is_spaced=is_spaced):
            self._fresh.append(f"{digest.hex()} {len(value)} {int(is_spaced)} {kind}")

    def _keep(self, digest: bytes, length: int, kind: str, *, is_spaced: bool) -> bool:
        if len(self) >= MOST_VALUES or not LEAST_CHARS <= length <= 2 * MOST_CHARS:
            return False
        self._kinds[digest] = kind
        self._lengths[is_spaced].add(length)
        return True

    def _digest(self, value: str) -> bytes:
        encoded = value.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(
            encoded, digest_size=16, key=self._key, person=b"recognised"
        ).digest()

    def is_in(self, text: str) -> bool:
        """Return whether a text has one of the values."""
        return next(self.find(text), None) is not None

    def find(self, text: str) -> Iterator[Span]:
        """Yield the recognised values of a text, in no order."""
        if not self._kinds:
            return
        if lengths := sorted(self._lengths[False], reverse=True):
            for run in _RUN.finditer(text):
                yield from self._find(text, *run.span(), lengths)
        if lengths := sorted(self._lengths[True], reverse=True):
            yield from self._find(text, 0, len(text), lengths)

    def _find(self, text: str, begin: int, stop: int, lengths: list[int]) -> Iterator[Span]:
        """Yield the values between two positions that start and end where words or signs do."""
        shortest, at = lengths[-1], begin
        if stop - begin < shortest:
            return
        for boundary in _STARTS.finditer(text, begin, stop):
            start = boundary.end()
            if start < at:
                continue
            if stop - start < shortest:
                break
            for length in lengths:
                end = start + length
                if end > stop or (end < stop and text[end].isalnum() and text[end - 1].isalnum()):
                    continue
                if kind := self._kinds.get(self._digest(text[start:end])):
                    yield kind, start, end
                    at = end
                    break


def users_in(text: str) -> frozenset[str]:
    """Return the names of users in a text: named as such, or part of a path or an address."""
    return frozenset(_USERS.findall(text))


def is_own(value: str) -> bool:
    """Return whether only the holder of a secret has its value, not every machine."""
    if not LEAST_CHARS <= len(value) <= MOST_CHARS or "\n" in value:
        return False
    return not (_COMMON.fullmatch(value) or PATH.match(value) or is_filler(value))
