"""Secrets among the arguments of commands, read as a shell reads them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from recollect.text.redaction.blocks import Span
from recollect.text.redaction.command_rules import COMMANDS
from recollect.text.redaction.keyed import key_kind
from recollect.text.redaction.values import is_filler, is_random

_ARGUMENT = re.compile(
    r"""(?:[^\s"'\\|;&<>`]++|\\[^\s]|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+'|(?<=\S)<(?=\S))++"""
)
_BETWEEN = re.compile(r"(?:[ \t]++|[\\`^][ \t]*\r?\n)++")
_QUOTED = re.compile(r"""\\*["']""")
_WITHIN = re.compile(r"[\w.-]")
_MOST_ARGUMENTS = 256
_SIGNS = ":%,/"
_DEMANDS = "!?"
_OPTION = re.compile(r"--?[a-z][a-z0-9_.-]*", re.IGNORECASE)
_NAMED = re.compile(r"(?:[\w.\[\]-]*[^\W\d][\w.\[\]-]*?)(?==)")
_REFERENCE = re.compile(
    r"\$|%\w+%$|@|(?:id|src|type|name)=|!\w+ |(?:env|file|fd|stdin|prompt|data):?[\w./~-]*$|-$"
    r"|[./~]*/[\w./-]+$"
    r"|/dev/|\d{1,5}$|https?://",
    re.IGNORECASE,
)
"""Values that are not the secret itself but tell its location, and ports."""
_OF_OTHER = re.compile("existing", re.IGNORECASE)
"""The name of a secret that is kept elsewhere: ``existingSecret``."""
_PREFIX = re.compile(r"pass:")
_OF_PROSE = frozenset(
    "a an and are as at but by can command does flag for from has if in into is it its must of on"
    " option or set should so than that the then this to twice use was when where which will with"
    " without you your argument parameter public private".split()
)


class Argument(Struct, frozen=True):
    """One word of a command line, as it is written, and its position."""

    text: str
    start: int

    def behind(self, length: int) -> Argument:
        """Return the text after ``length`` characters, without the quotes around it."""
        rest, start = self.text[length:], self.start + length
        quote = _QUOTED.match(rest)
        if quote:
            rest, start = rest[quote.end() :], start + quote.end()
            rest = rest.removesuffix(quote[0])
        return Argument(rest, start)


class _ArgumentPattern(Struct, frozen=True):
    """The position of a secret among the arguments."""

    begins: str
    number: int
    """Of the argument, or of those after an option."""
    sign: str
    demand: str
    is_touching: bool


def _parse_pattern(pattern: str) -> _ArgumentPattern:
    is_touching = pattern.endswith("*")
    demand = pattern[-1] if pattern[-1] in _DEMANDS else ""
    begins = pattern.rstrip("*" + _DEMANDS)
    sign = begins[-1] if begins[-1] in _SIGNS and not begins.startswith("/") else ""
    begins = begins.removesuffix(sign)
    begins, _, number = begins.partition("#")
    return _ArgumentPattern(begins, int(number or 1), sign, demand, is_touching)


_PATTERNS: dict[str, dict[tuple[str, ...], tuple[_ArgumentPattern, ...]]] = {}
for _row in COMMANDS:
    for _name in _row.commands:
        _first, *_rest = _name.split()
        _of_first = _PATTERNS.setdefault(_first, {})
        _of_first[tuple(_rest)] = (
            *_of_first.get(tuple(_rest), ()),
            *map(_parse_pattern, _row.positions),
        )
HEADS = frozenset(_PATTERNS)
"""The first words of commands that take a secret."""
HEADS_ALONE = frozenset(
    head
    for head, rows in _PATTERNS.items()
    if any(place.number or place.begins[:1] in "+/" for places in rows.values() for place in places)
)
"""Those of commands that take one without an option."""
OPTIONS = tuple(
    sorted(
        {
            f" {place.begins.lower()}"
            for rows in _PATTERNS.values()
            for places in rows.values()
            for place in places
            if place.begins.startswith("-")
        }
    )
)
"""The options before a secret, with the space before each."""


def find_commands(text: str, folded: str, heads: Collection[str]) -> Iterator[Span]:
    """Yield the secrets among the arguments of the commands in ``text``.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        heads: The first words of commands that are in it.
    """
    if not heads:
        return
    at = 0
    for head in sorted(_begun(folded, heads)):
        if head >= at:
            arguments = list(_arguments(text, head))
            yield from _in_command(arguments)
            at = arguments[-1].start + len(arguments[-1].text) if arguments else at


def _begun(folded: str, heads: Collection[str]) -> Iterator[int]:
    """Yield the offsets of the first words of commands."""
    for head in [f"{head}{gap}" for head in heads for gap in " \t"]:
        at = folded.find(head)
        while at >= 0:
            if not (at and _WITHIN.match(folded, at - 1)):
                yield at
            at = folded.find(head, at + len(head))


def _arguments(text: str, at: int) -> Iterator[Argument]:
    """Yield the words from ``at`` to where the command ends."""
    for _ in range(_MOST_ARGUMENTS):
        word = _ARGUMENT.match(text, at)
        if not word:
            return
        yield Argument(word[0], at)
        gap = _BETWEEN.match(text, word.end())
        if not gap:
            return
        at = gap.end()


def _in_command(arguments: Sequence[Argument]) -> Iterator[Span]:
    """Yield the secrets of a line, in which one command may be the argument of another."""
    heads = [at for at, each in enumerate(arguments) if _head(each) in HEADS]
    ends = [*heads[1:], len(arguments)]
    for begin, end in zip(heads, ends, strict=True):
        rest = arguments[begin + 1 : end]
        for subcommands, patterns in _PATTERNS[_head(arguments[begin])].items():
            words = tuple(each.text.lower() for each in rest[: len(subcommands)])
            if words == subcommands:
                yield from _at_patterns(rest[len(subcommands) :], patterns)
    yield from _named(arguments)


def _head(argument: Argument) -> str:
    return argument.text.rpartition("/")[2].lower()


def _at_patterns(
    arguments: Sequence[Argument], patterns: Iterable[_ArgumentPattern]
) -> Iterator[Span]:
    plain = [each for each in arguments if each.text[:1] not in {"-", "/"}]
    for pattern in patterns:
        if not pattern.begins:
            if len(plain) >= pattern.number:
                before = plain[pattern.number - 2].text if pattern.number > 1 else ""
                yield from _secret(plain[pattern.number - 1].behind(0), pattern, before)
        else:
            yield from _behind_options(arguments, pattern)


def _behind_options(arguments: Sequence[Argument], pattern: _ArgumentPattern) -> Iterator[Span]:
    """Yield the secret of the first such option."""
    begins = pattern.begins.lstrip("+")
    for at, each in enumerate(arguments):
        if not each.text.startswith(begins):
            continue
        rest = each.text[len(begins) :]
        if not rest and not pattern.is_touching and at + pattern.number < len(arguments):
            yield from _secret(arguments[at + pattern.number].behind(0), pattern)
            return
        if rest and (pattern.is_touching or rest[0] in "=:" or begins.endswith(":")):
            joint = rest[0] in "=:" and not pattern.is_touching
            yield from _secret(each.behind(len(begins) + joint), pattern)
            return


def _named(arguments: Sequence[Argument]) -> Iterator[Span]:
    """Yield the values after an option, or assigned to a name, that tells of a secret."""
    for at, each in enumerate(arguments):
        option = _OPTION.match(each.text)
        name = option or _NAMED.match(each.behind(0).text)
        if not name or _OF_OTHER.search(name[0]) or not (kind := key_kind(name[0])):
            continue
        whole = each if option else each.behind(0)
        if whole.text[name.end() : name.end() + 1] == "=":
            value = whole.behind(name.end() + 1)
        elif option and option[0] == each.text and at + 1 < len(arguments):
            value = arguments[at + 1].behind(0)
        else:
            continue
        demand = "!" if kind == "token" else ""
        yield from _secret(value, _ArgumentPattern("", 1, "", demand, is_touching=False))


def _secret(value: Argument, pattern: _ArgumentPattern, before: str = "") -> Iterator[Span]:
    """Yield a value if it is a secret."""
    if pattern.sign:
        at = value.text.find(pattern.sign)
        if at < 0:
            return
        value = value.behind(at + 1)
        if pattern.sign == "/":
            value = Argument(value.text.partition("@")[0], value.start)
    if prefix := _PREFIX.match(value.text):
        value = value.behind(prefix.end())
    if pattern.demand == "?" and not key_kind(before):
        return
    if pattern.demand == "!" and not (len(value.text) >= 10 and is_random(value.text)):
        return
    if is_value(value.text):
        yield "password", value.start, value.start + len(value.text)


def is_value(text: str) -> bool:
    """Return whether a text can be a secret, and not its location or a word of prose."""
    if len(text) < 3 or is_filler(text) or _REFERENCE.match(text):
        return False
    return text.lower() not in _OF_PROSE
