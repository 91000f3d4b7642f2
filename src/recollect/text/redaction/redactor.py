"""The engine: collects the spans of the finders, replaces them by marks, walks nested values."""

from __future__ import annotations

import functools
import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from recollect.core.errors import InvalidInput
from recollect.text.redaction.blocks import Span, find_blocks
from recollect.text.redaction.carriers import find_carried
from recollect.text.redaction.commands import find_commands
from recollect.text.redaction.contexts.phrases import find_phrases
from recollect.text.redaction.credentials import find_credentials
from recollect.text.redaction.harmless import (
    INVISIBLE,
    MARK_BEGINS,
    Signs,
    is_harmless,
    signs_in,
)
from recollect.text.redaction.keyed import find_keyed, key_kind, telling_kind
from recollect.text.redaction.recognised import Recognised, users_in
from recollect.text.redaction.said import find_said
from recollect.text.redaction.spoken import find_spoken
from recollect.text.redaction.tables import find_in_tables
from recollect.text.redaction.views import views, without

if TYPE_CHECKING:  # few homes ask for them
    from recollect.text.redaction.personal_numbers import PersonalNumbers

MAX_DEPTH = 200
"""Levels of a nested value that `Redactor.redact_value` follows; real ones stay below twenty."""

_MARK = re.compile(r"\[redacted:([a-z0-9-]{1,40}):[0-9a-f]{6}\]")
_BLOCKS = frozenset({"private", "private-key"})
_NAMES = ("name", "key", "Name", "Key")
_CONTENTS = frozenset({"value", "Value", "raw", "plain", "text", "data"})
_NUMBERS = (bool, int, float)
_SPACED = " "
_MOST_LEVELS = 4
"""Of texts within texts: a diff in a message of an array of JSON in another one."""
_MOST_PASSES = 8
"""Everyday texts need two passes: one with matches, one without."""

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PLAIN = frozenset({bool, int, float, type(None)})
_SHORT = 64
"""Longest text of a value that is remembered as harmless."""
_MOST_SHORT = 4_096
_LONG, _MOST_LONG = 65_536, 32
"""Longest text, and how many of them, that is remembered for a while: 2 MB at most."""


class SecretSpan(Struct, frozen=True, kw_only=True):
    """One redaction. Holds nothing of the secret itself."""

    kind: str
    """The kind: ``github-token``, ``password``, ``private``, …"""
    start: int
    """Offset in the text as it was given, in code points."""
    length: int
    """Code points redacted."""
    mark: str
    """The mark that replaced it: ``[redacted:kind:hash]``."""


class Redacted(Struct, frozen=True, kw_only=True):
    """A text without its secrets."""

    text: str
    findings: tuple[SecretSpan, ...]
    """In the order of the text; empty when nothing was found."""


class Redactor:
    """Redacts with the salt of one home and the patterns of its owner.

    Args:
        salt: At most 64 secret bytes. Without them a short password could be found again by
            hashing guesses; with other bytes equal secrets get other marks.
        patterns: More regular expressions; the first group, or else the whole match, is redacted.
        kinds: Personal numbers that are redacted too: cards, iban, national-ids.

    Raises:
        InvalidInput: a pattern is not a regular expression, or the salt is too long.
    """

    def __init__(
        self, salt: bytes = b"", patterns: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> None:
        if len(salt) > hashlib.blake2b.MAX_KEY_SIZE:
            raise InvalidInput("the salt is longer than 64 bytes", hint="use 32 random bytes")
        self._salt = salt
        self._patterns = tuple(_compiled(pattern) for pattern in patterns)
        self.numbers = _personal_numbers(kinds) if kinds else None
        """The finder of personal numbers, if the owner asked for some."""
        self._harmless: set[str] = set()
        """Short texts of values that hold no secret: keys and names come again and again."""
        self._quiet: set[str] = set()
        """Those of them that are keys without meaning for the values under or beside them."""
        self._lately: set[str] = set()
        """Longer texts that hold none: a transcript repeats the output of a tool several times."""

    def recognised(self) -> Recognised:
        """Return a new store of the values that are recognised in one session."""
        return Recognised(self._salt)

    def redact(self, text: str, recognised: Recognised | None = None) -> Redacted:
        """Return ``text`` without its secrets.

        Linear in the length, up to the patterns that were added. Redacting the outcome again
        changes nothing.

        Args:
            text: Any text.
            recognised: The values that are known already, which learns those that are found; of
                this text alone if not given.
        """
        if not (recognised and recognised.is_in(text)) and text in self._lately:
            return Redacted(text=text, findings=())
        values = Recognised(self._salt) if recognised is None else recognised
        result, marks, spans = text, list[str](), list[Span]()
        users = functools.cache(lambda: users_in(text))
        for _ in range(_MOST_PASSES):
            # The rest may show more, because a mark ends the word before it.
            fresh = self._find_spans(result, values)
            if not fresh:
                break
            for kind, start, end in fresh:
                values.learn(kind, result[start:end], users)
            spans = _merged([*spans, *_before(fresh, spans, marks)])
            marks = [self.mark(kind, text[start:end]) for kind, start, end in spans]
            result = _marked(text, spans, marks)
        if not spans:
            self._remember(text)
        findings = tuple(
            SecretSpan(kind=kind, start=start, length=end - start, mark=mark)
            for (kind, start, end), mark in zip(spans, marks, strict=True)
        )
        return Redacted(text=result, findings=findings)

    def _remember(self, text: str) -> None:
        if _SHORT < len(text) <= _LONG:
            if len(self._lately) >= _MOST_LONG:
                self._lately.clear()
            self._lately.add(text)

    def redact_value(self, value: object, recognised: Recognised | None = None) -> object:
        """Return ``value`` (texts, numbers, lists and mappings, nested) without its secrets.

        A text or number under a telling key such as ``password`` is redacted whole, also in a list
        or as the ``value`` of an object there, beside a ``name`` or after a flag that tells. Keys
        are redacted too. Tuples come back as lists.

        Args:
            value: The value.
            recognised: As for `redact`; of this value alone if not given.

        Raises:
            InvalidInput: nested more than ``MAX_DEPTH`` levels.
        """
        is_plain = not self._patterns and not recognised
        if type(value) is dict and is_plain and self._is_harmless(value):
            return value
        values = Recognised(self._salt) if recognised is None else recognised
        walk = _Walk(self, values)
        before, redacted = len(values), walk.value(value, 0)
        # A value that one text revealed may be in another one that was checked before.
        return redacted if len(values) == before else walk.value(value, 0)

    def _is_harmless(self, value: dict[object, object]) -> bool:
        """Return whether an object holds no secret, its texts proven together; False says nothing.

        Its containers are counted, which is cheaper than its depth.
        """
        texts: list[str] = []
        levels: list[Any] = [value]
        for level in levels:  # it grows meanwhile
            is_object = type(level) is dict
            if not (is_object and self._quiet.issuperset(level)) and self._tells(level):
                return False
            for each in level.values() if is_object else level:
                kind = type(each)
                if kind is str:
                    texts.append(each)
                elif kind is dict or kind is list:
                    levels.append(each)
                elif self.numbers and kind is int:
                    texts.append(str(each))
                elif kind not in _PLAIN:
                    return False
            if len(levels) > MAX_DEPTH:
                return False
        return self._are_harmless(texts)

    def _tells(self, level: dict[object, object] | list[object]) -> bool:
        """Return whether a key, a name or a flag may tell of a secret; False is certain."""
        if isinstance(level, list):
            return any(type(each) is str and each.startswith("-") for each in level)
        if any(self.tells(str(level[name])) for name in _NAMES if name in level):
            return True
        return not all(map(self._is_quiet, level))

    def _is_quiet(self, key: object) -> bool:
        if key in self._quiet or key in _NAMES:
            return True
        if type(key) is not str or self.tells(key) or self.redact_short(key) != key:
            return False
        if len(self._quiet) >= _MOST_SHORT:
            self._quiet.clear()
        self._quiet.add(key)
        return True

    def tells(self, key: str) -> bool:
        """Return whether a key names a secret or a personal number."""
        return bool(key_kind(key) or (self.numbers and self.numbers.tells(key)))

    def _are_harmless(self, texts: Sequence[str]) -> bool:
        fresh = [
            each
            for each in texts
            if not (each in self._harmless or each in self._lately or _UUID.fullmatch(each))
        ]
        joined = " ".join(fresh)
        if not (self.numbers and self.numbers.is_in(joined)) and is_harmless(joined):
            return True
        return all(self.redact_short(each) == each for each in fresh)

    def redact_short(self, text: str, values: Recognised | None = None) -> str:
        """Return a text without its secrets; a short one that has none is checked once."""
        if text in self._harmless and not (values and values.is_in(text)):
            return text
        redacted = self.redact(text, values).text
        if redacted == text and len(text) <= _SHORT:
            if len(self._harmless) >= _MOST_SHORT:
                self._harmless.clear()
            self._harmless.add(text)
        return redacted

    def _find_spans(self, text: str, values: Recognised) -> list[Span]:
        spans = chain(values.find(text), _spans(text), self._by_choice(text))
        if not text.isascii() and INVISIBLE.search(text):
            spans = chain(spans, self._beneath(text))
        return _merged(_outside_marks(text, spans))

    def _beneath(self, text: str) -> Iterator[Span]:
        """Yield the spans that are found once the invisible characters are removed."""
        hidden = [match.start() for match in INVISIBLE.finditer(text)]
        gaps = [at - before for before, at in enumerate(hidden)]
        visible = INVISIBLE.sub("", text)
        for kind, start, end in chain(_spans(visible), self._by_choice(visible)):
            yield kind, start + bisect_right(gaps, start), end + bisect_right(gaps, end - 1)

    def _by_choice(self, text: str) -> Iterator[Span]:
        """Yield the matches of the owner's patterns, and the personal numbers that they chose."""
        if self.numbers:
            yield from self.numbers.find(text)
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                start, end = match.span(1 if pattern.groups and match[1] is not None else 0)
                if end > start:
                    yield "pattern", start, end

    def mark(self, kind: str, secret: str) -> str:
        """Return the mark of a secret."""
        digest = hashlib.blake2b(
            secret.encode("utf-8", "surrogatepass"), digest_size=3, key=self._salt
        )
        return f"[redacted:{kind}:{digest.hexdigest()}]"


class _Walk:
    """One walk through a value, with the secrets recognised so far."""

    def __init__(self, engine: Redactor, values: Recognised) -> None:
        self._engine = engine
        self._values = values
        self._text = functools.partial(engine.redact_short, values=values)

    def value(self, value: object, depth: int) -> object:
        if depth > MAX_DEPTH:
            raise InvalidInput(
                f"a value is nested more than {MAX_DEPTH} levels deep",
                hint="store it as a text, or flatten it",
            )
        if isinstance(value, str):
            return self._text(value)
        if value is None or isinstance(value, _NUMBERS):
            return value if self._engine.numbers is None else self._number("", value)
        if isinstance(value, (dict, Mapping)):
            return self._mapping(value, None, depth + 1)
        if isinstance(value, list | tuple):
            return self._list(value, depth + 1)
        return value

    def _mapping(
        self, value: Mapping[object, object], key: str | None, depth: int
    ) -> dict[object, object]:
        """Return a mapping without its secrets; ``key`` is the telling one that it is under."""
        telling_key = key
        for field in _NAMES:
            name = value.get(field)
            if isinstance(name, str) and self._engine.tells(name):
                telling_key = name
                break
        return {
            (self._text(k) if isinstance(k, str) else k): self._under(
                telling_key if telling_key is not None and k in _CONTENTS else k, inner, depth
            )
            for k, inner in value.items()
        }

    def _list(self, value: Sequence[object], depth: int) -> list[object]:
        before = ("", *value)
        return [
            self._under(flag, inner, depth)
            if isinstance(inner, str) and isinstance(flag, str) and flag.startswith("-")
            else self.value(inner, depth)
            for flag, inner in zip(before, value, strict=False)
        ]

    def _under(self, key: object, value: object, depth: int) -> object:
        """Return a value without its secrets that is under a key, which may tell its kind."""
        if not isinstance(key, str) or not self._engine.tells(key):
            return self.value(value, depth)
        if isinstance(value, list | tuple):
            return [self._under(key, inner, depth + 1) for inner in value]
        if isinstance(value, Mapping):
            return self._mapping(value, key, depth + 1)
        if not (kind := key_kind(key)):
            return self._number(key, value)
        if isinstance(value, str) and _SPACED in value:
            # A header or a cookie: the text around the secret stays.
            line = f"{key}: {value}"
            redacted = self._engine.redact(line, self._values).text
            if redacted != line and redacted.startswith(f"{key}: "):
                return redacted[len(key) + 2 :]
        if telling_kind(key, value) is None:
            return self.value(value, depth)
        return self._marked(kind, value)

    def _number(self, key: str, value: object) -> object:
        """Return a number, or a text whose key may name one, without personal numbers."""
        numbers = self._engine.numbers
        if numbers and type(value) in {int, str} and (kind := numbers.find_under(key, str(value))):
            return self._marked(kind, value)
        return self._text(value) if isinstance(value, str) else value

    def _marked(self, kind: str, value: object) -> str:
        self._values.learn(kind, str(value))
        return self._engine.mark(kind, str(value))


def redact(text: str) -> Redacted:
    """Return ``text`` without its secrets, marked without a salt and with the built-in rules only.

    >>> redact("export GITHUB_TOKEN=ghp_" + 36 * "a").text
    'export GITHUB_TOKEN=[redacted:github-token:b92c1b]'
    """
    return Redactor().redact(text)


def marked_kinds(text: str) -> set[str]:
    """Return the kinds of the marks in a text.

    >>> marked_kinds("export GITHUB_TOKEN=[redacted:github-token:b92c1b]")
    {'github-token'}
    """
    return set(_MARK.findall(text)) if MARK_BEGINS in text else set()


def _personal_numbers(kinds: Sequence[str]) -> PersonalNumbers:
    from recollect.text.redaction.personal_numbers import PersonalNumbers

    return PersonalNumbers(kinds)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise InvalidInput(
            "a pattern of secrets must be a regular expression", hint="correct privacy.patterns"
        ) from error


def _without_marks(text: str) -> str:
    """Return ``text`` with NULs in place of its marks, whose words do not reveal secrets."""
    if MARK_BEGINS not in text:
        return text
    return _MARK.sub(lambda mark: "\0" * len(mark[0]), text)


def _marked(text: str, spans: Sequence[Span], marks: Sequence[str]) -> str:
    """Return ``text`` with the marks in place of the spans."""
    parts: list[str] = []
    at = 0
    for (_, start, end), mark in zip(spans, marks, strict=True):
        parts += (text[at:start], mark)
        at = end
    return "".join((*parts, text[at:]))


def _spans(text: str, *, level: int = 0) -> Iterator[Span]:
    """Yield the matches of the built-in rules in a text and in the texts within it."""
    plain = _without_marks(text)
    signs = signs_in(plain)
    if signs is None:
        return
    yield from find_blocks(text, signs.folded)
    within = list(views(plain)) if level < _MOST_LEVELS else []
    if any(view.end for view in within):
        text, plain = without(text, within), without(plain, within)
        signs = signs_in(plain)
    if signs:
        yield from _by_rules(text, plain, signs)
    for view in within:
        yield from map(view.to_text, _spans(view.text, level=level + 1))


def _by_rules(text: str, plain: str, signs: Signs) -> Iterator[Span]:
    yield from find_credentials(text, signs.among)
    yield from find_carried(text, signs.folded, signs.rule_signs)
    yield from find_commands(text, signs.folded, signs.heads)
    yield from find_in_tables(text, signs.folded, signs.rule_signs)
    yield from find_keyed(text, signs.folded, signs.rule_signs)
    yield from find_spoken(plain, signs.folded, signs.rule_signs)
    yield from find_said(plain, signs.folded, signs.rule_signs)
    yield from find_phrases(text, signs.folded, signs.rule_signs)


def _before(fresh: Iterable[Span], spans: Sequence[Span], marks: Sequence[str]) -> Iterator[Span]:
    """Yield the spans of the marked text, at their offsets in the text before."""
    grown = (len(mark) - (end - start) for (_, start, end), mark in zip(spans, marks, strict=True))
    shifts = [0, *accumulate(grown)]
    ends = [end + shift for (_, _, end), shift in zip(spans, shifts[1:], strict=True)]
    for kind, start, end in fresh:
        yield kind, start - shifts[bisect_right(ends, start)], end - shifts[bisect_right(ends, end)]


def _outside_marks(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the spans without those in marks that are there already."""
    every = list(spans)
    if not every or MARK_BEGINS not in text:
        return every
    marks = [match.span() for match in _MARK.finditer(text)]
    return [span for span in every if span[0] in _BLOCKS or not _touches(span, marks)]


def _touches(span: Span, marks: Sequence[tuple[int, int]]) -> bool:
    _, start, end = span
    after = bisect_right(marks, start, key=itemgetter(1))
    return after < len(marks) and marks[after][0] < end


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, overlapping ones as one of the kind that starts first.

    Of those that start together the longest gives the kind, then the one that was found first.
    """
    merged: list[Span] = []
    for kind, start, end in sorted(spans, key=lambda span: (span[1], -span[2])):
        if merged and start < merged[-1][2]:
            first_kind, first_start, first_end = merged[-1]
            merged[-1] = (first_kind, first_start, max(first_end, end))
        else:
            merged.append((kind, start, end))
    return merged
