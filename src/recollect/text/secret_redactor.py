"""The redactor as the features use it: texts, values, and files whose line numbers must stay.

A value that a rule matched once in a session is a secret everywhere in it:
`SecretRedactor.session`.
"""

from __future__ import annotations

import functools
import hashlib
import re
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # its patterns are large; a search that stores nothing needs none of them
    from recollect.core.settings import PrivacySettings
    from recollect.store.engine import Database
    from recollect.text.redaction import Recognised, Redactor

T = TypeVar("T")
_MOST_SESSIONS = 64
"""Sessions whose recognised secrets are held; those of others are read again."""
_PLAIN_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w.-]{1,15}")
"""Ids that are not checked further: shorter than any secret without a name, and UUIDs."""
_WORD = r"(?:[A-Za-z]?[a-z]{1,14}\d{0,3}|\d{1,8})"
_PLAIN_PATH = re.compile(
    rf"(?!.*hooks)(?:/|(?<![\w.-])(?:[\w.-]{{1,15}}|{_WORD}(?:[._-]{_WORD})*+)(?![\w.-]))*+"
)
"""Paths that are not checked further: of names that are short, or of words and numbers."""
_ENDING = re.compile(r"[A-Za-z0-9]{1,6}")
_MOST_PATHS = 4_096


def is_marked(text: str) -> bool:
    """Return whether something was redacted in a text.

    >>> is_marked("/home/ann/[redacted:github-token:5645b9]/notes")
    True
    """
    return "[redacted:" in text


class SecretRedactor:
    """Redacts secrets before a value is stored.

    Args:
        salt: Secret bytes of the home, see `recollect.text.redaction.Redactor`.
        patterns: More regular expressions of secrets; the first text that is redacted raises
            `InvalidInput` when one of them is not valid.
        records: The database for hashes of recognised values; None keeps them in the process.
        kinds: Personal numbers that are redacted too, as in ``privacy.kinds``.
    """

    def __init__(
        self,
        salt: bytes,
        patterns: Sequence[str] = (),
        records: Database | None = None,
        kinds: Sequence[str] = (),
    ) -> None:
        self._salt = salt
        self._patterns = tuple(patterns)
        self._kinds = tuple(kinds)
        self._has_own = bool(patterns or kinds)
        """Whether plain ids and paths may hold something that the owner wants redacted."""
        self._records = records
        self._sessions: dict[str, _SessionSecrets] = {}
        self._choosing = threading.Lock()
        self.path: Callable[[str], str] = functools.lru_cache(_MOST_PATHS)(self._path)
        """Returns a path without secrets, the same each time.

        Its folders and its ending stay: ``/w/token=x/a.md`` is ``/w/token=[redacted:…]/a.md``. The
        same paths recur each time a folder is read.
        """

    @classmethod
    def chosen(
        cls, salt: bytes, privacy: PrivacySettings, records: Database | None = None
    ) -> SecretRedactor:
        """Return a redactor for everything that the owner's settings ask for."""
        return cls(salt, privacy.patterns, records, privacy.kinds)

    @functools.cached_property
    def _redactor(self) -> Redactor:
        from recollect.text.redaction import Redactor

        return Redactor(self._salt, self._patterns, self._kinds)

    def session(
        self, name: str, make: Callable[[SecretRedactor], T], *, is_current: bool = True
    ) -> T:
        """Return the result of ``make``, given a redactor that knows the secrets of a session.

        It knows the secrets recognised in the session before, also by other processes, and learns
        new ones. If something was, ``make`` is called again, since its first result may still hold
        it. New secrets are stored, as hashes, before this returns.

        Args:
            name: The id of the session, see `recollect.store.recognised.session_name`.
            make: May be called twice, and changes nothing.
            is_current: Whether it asks what other processes learnt since the last call; the first
                call of a session does in any case.

        Raises:
            StoreError: the recognised secrets cannot be read or stored.
        """
        with self._choosing:
            secrets = self._sessions.get(name)
            if secrets is None:
                if len(self._sessions) >= _MOST_SESSIONS:
                    self._sessions.clear()
                secrets = self._sessions[name] = _SessionSecrets(name, self._redactor)
        while True:  # again where another thread has learnt a secret meanwhile
            recognised = secrets.known(self._records, is_current=is_current)
            bound = _BoundRedactor(self, recognised.copy())
            result = make(bound)
            if fresh := bound.recognised.take_fresh():
                result = make(bound)
                fresh += bound.recognised.take_fresh()
            if secrets.learn(recognised, fresh, self._records):
                return result

    def text(self, text: str) -> str:
        """Return ``text`` without secrets."""
        return self._redactor.redact(text).text

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets; a key may show that its value is one."""
        return self._redactor.redact_value(value)

    def label(self, text: str) -> str:
        """Return the label of a project without secrets, which is most often a path without."""
        if not self._has_own and _PLAIN_PATH.fullmatch(text):
            return text
        redacted: str = self.value(text)
        return redacted

    def _path(self, path: str) -> str:
        if not self._has_own and _PLAIN_PATH.fullmatch(path):
            return path
        stem, dot, ending = path.rpartition(".")
        if not (dot and _ENDING.fullmatch(ending)):
            stem, dot, ending = path, "", ""
        redacted = "/".join([self._redactor.redact_short(each) for each in stem.split("/")])
        # The rest may be a secret only as a whole, as the path of a webhook.
        return self._redactor.redact(redacted + dot + ending).text

    def identifier(self, text: str) -> str:
        """Return an id, or if it holds a secret a hash under the salt; equal ids stay equal."""
        is_plain = not self._has_own and _PLAIN_ID.fullmatch(text)
        if is_plain or self._redactor.redact_value(text) == text:
            return text
        encoded = text.encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(encoded, digest_size=16, key=self._salt).hexdigest()
        return f"redacted-{digest}"

    def lines(self, text: str) -> str:
        """Return ``text`` without secrets; every line that is left keeps its number."""
        redacted = self._redactor.redact(text)
        parts, position = [], 0
        for finding in redacted.findings:
            end = finding.start + finding.length
            parts += [text[position : finding.start], finding.mark]
            parts.append("\n" * text.count("\n", finding.start, end))
            position = end
        return "".join([*parts, text[position:]])


class _SessionSecrets:
    """The secrets recognised in a session, for all threads that redact in it."""

    def __init__(self, name: str, redactor: Redactor) -> None:
        self._name, self._redactor = name, redactor
        self._recognised = redactor.recognised()
        """Never changed but replaced, so that nobody waits for a thread that redacts with it."""
        self._number = 0
        """The number of the newest known row."""
        self._is_loaded = False
        self._changing = threading.Lock()

    def known(self, records: Database | None, *, is_current: bool) -> Recognised:
        """Return what is known: the first time, or if it must be current, with all of the records.

        Without any row the session ended, and known values are forgotten.
        """
        from recollect.store.recognised import find_recognised

        with self._changing:
            if records is not None and (is_current or not self._is_loaded):
                since = self._number
                self._number, lines = records.read(
                    lambda tx: find_recognised(tx, self._name, since)
                )
                if lines:
                    self._add(lines)
                elif self._recognised:
                    self._recognised = self._redactor.recognised()
                self._is_loaded = True
            return self._recognised

    def learn(self, basis: Recognised, fresh: list[str], records: Database | None) -> bool:
        """Store what was learnt; return whether nothing was learnt elsewhere after ``basis``."""
        from recollect.store.recognised import add_recognised

        with self._changing:
            is_newest = self._recognised is basis
            if fresh:
                if records is not None:  # first: what is not stored is not known, and learnt again
                    records.write(lambda tx: add_recognised(tx, self._name, fresh))
                self._add(fresh)
        return is_newest

    def _add(self, lines: list[str]) -> None:
        more = self._recognised.copy()
        more.add(lines)
        if len(more) > len(self._recognised):
            self._recognised = more


class _BoundRedactor(SecretRedactor):
    """A redactor that knows the recognised secrets of a session, and learns."""

    def __init__(self, shared: SecretRedactor, recognised: Recognised) -> None:
        self.__dict__.update(vars(shared))
        self.recognised = recognised

    def session(
        self, name: str, make: Callable[[SecretRedactor], T], *, is_current: bool = True
    ) -> T:
        """Return the result of ``make``: the session is known already."""
        return make(self)

    def text(self, text: str) -> str:
        """Return ``text`` without secrets."""
        return self._redactor.redact(text, self.recognised).text

    def value(self, value: Any) -> Any:
        """Return a JSON value without secrets; a key may show that its value is one."""
        return self._redactor.redact_value(value, self.recognised)
