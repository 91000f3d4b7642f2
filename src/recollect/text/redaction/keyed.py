"""Secrets revealed only by their name: `password = …`, `API_KEY=…`, `"token": "…"`.

Finds a telling name, what joins it to a value (a sign, a table cell, a tag, a second argument), and
then asks whether the value can be a secret: code and documents are full of `password: str` and
`token = get_token()`. A password needs little, a token must look random, and the weaker the joint
the stricter the requirements. No rule looks at entropy alone. The names and joints are rows of
`rules`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Container, Generator, Iterator
from itertools import islice, zip_longest
from string import ascii_letters, digits

import msgspec
from msgspec import Struct

from recollect.text.redaction.blocks import Span
from recollect.text.redaction.rules import (
    BEHIND,
    CHOSEN,
    JOINTS,
    NAMES,
    QUALIFIED,
    SHARED,
    SHORT,
    JointRule,
    NameRule,
    is_somebodys,
)
from recollect.text.redaction.settings import (
    block_of,
    end_of_joined,
    in_call,
    in_setting,
    is_chosen,
    is_told_in_block,
)
from recollect.text.redaction.values import (
    NUMBERS,
    PATH,
    SPACE,
    is_code,
    is_filler,
    is_no_name,
    is_no_word,
    is_phrase,
    is_random,
    is_strong,
    is_unmistakable,
)

_WORDS = "пароль 密码 密碼 口令 パスワード 비밀번호".split()
_ASCII = (
    "pass",
    "pw",
    "psk",
    "secret",
    "token",
    "key",
    "cred",
    "auth",
    "login(",
    "senha",
    "contrase",
    "kennwort",
    "wachtwoord",
)
_STEMS = (*_ASCII, *_WORDS)
"""The beginnings of all telling names; in lower case."""
COLUMN = "|"
FOLDED_TO_S = "ßſ"
"""With them a column may have a telling name that no sign is in: ``Paßwort``."""
_OF_COLUMNS = ("cookie", *FOLDED_TO_S)
"""Further strings in the telling name of a column."""
KEYED_SIGNS = (*_STEMS, COLUMN)
"""One of them is in the lower case of each text in which a name or a column tells of a value."""


def _alternatives(prefix: str, rules: tuple[NameRule | JointRule, ...]) -> str:
    return "|".join(f"(?P<{prefix}{row}>{rule.looks_for})" for row, rule in enumerate(rules))


_NAME = re.compile(
    rf"(?:{_alternatives('name', NAMES)})"
    r"""(?P<rest>[a-z0-9_.-]{0,24})(?:\\{0,4}["'`])?(?:\[\])?[\])]?[*_]{0,3}"""
    rf"(?:{_alternatives('joint', JOINTS)})"
)
"""A name, what follows it within the same word, and what joins it to its value."""
_NAMES = {f"name{row}": rule for row, rule in enumerate(NAMES)}
_JOINTS = {f"joint{row}": rule for row, rule in enumerate(JOINTS)}
_INNER = r"""\\{0,4}["'](?:value|raw|plain|text|data)\\{0,4}["']\s{0,4}:\s{0,4}(?=\\{0,4}["'])"""
_GAP = re.compile(
    r"[*_]{0,3}[ \t]{0,24}(?P<line>(?:[|>][+-]?[ \t]*)?\r?\n(?P<indent>[ \t]*)(?:-[ \t]+)?)?"
    r"""(?:["']{2}\.join\()?(?:(?:\[\s{0,8}|\(\s{0,24})(?=\\{0,4}["'`])|\[(?=[^\s"'`\[\]]{6,64}\]))?"""
    rf"(?:(?:\{{\s{{0,8}})?{_INNER})?@?"
)
"""Between the joint and the value: emphasis, a line break, a bracket, the key of an object."""
_MILD = re.compile(
    r"[_-]?(?:value|plain|text|base64|prod|dev|test|staging|live|old|new|string|data|[0-9]{1,3})?"
)
_OTHER = re.compile(
    r"^s$|^i[sz]|^smanager|(?:^s?|[_.-])(?:ids?|name|len|length|size|count|min|max|files?|path|dir|ur[il]|endpoint|type|hash"
    r"|version|expir|ttl|limit|usage|used|policy|field|label|hint|prompt|format|ref|alias|down|up"
    r"|vault|store|code|board|audience|source|variable)"
)
"""Continuations of a name that name something else: `token_type`, `passwordFile`, `key_id`."""
_FLAG = re.compile(r"-(?<![a-z0-9]-)-?[a-z0-9-]{0,40}$")
_STATEMENT = re.compile(r"(?:^|[{;\n])[ \t]*[\w.]{0,40}$", re.MULTILINE)
_STATEMENT_END = re.compile(r"[\"'][ \t]*(?:[;}\n]|$)")
_SETTER = re.compile(
    r"(?:define|put(?:string)?|of|set(?:property|item|env|default)?|putenv|add(?:property)?|env|entry|append"
    r"""|secret|config|with|option)\(\s{0,20}["'][\w.-]{0,40}$"""
)
_IN_TAG = re.compile(r"<[a-z0-9_:.-]{0,60}$")
_TELLING = re.compile(
    rf"(?:(?P<password>{CHOSEN}|(?<![a-z])(?:{SHORT}))|(?P<secret>(?<!existing_){SHARED})"
    r"|(?P<token>(?<!public_)(?<!(?:page|next|csrf|xsrf|sync)_)(?<!continuation_)token|client-key-data|(?<![a-z])creds|credentials?"
    rf"|(?:{QUALIFIED})[_ .-]?key|authorization|cookie|(?<![a-z])auth))"
    r"[_-]?(?:value|plain|base64)?[0-9]{0,2}$"
)
_ARN = re.compile(r":\d{12}:$")
"""Before the name of a resource of AWS, such as ``secret:prod/db``."""
_MAX_KEY = 100
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OF_NAMES = ascii_letters + digits + "_.-"
_RULE = re.compile(
    r"(?=[ \t|:-]*+$)(?:[ \t|:]*+--[^|\n]*+\||[ \t]*+\|[ \t:]*+--)[^\n]*+", re.MULTILINE
)
_MOST_COLUMNS = 100
_CELL = re.compile(r"[^|\n]+")
_QUOTE = re.compile(r"""[bfru]{0,2}(?P<quote>"{3}(?!")|\\{0,4}["'`])""", re.IGNORECASE)
_AND = r"&(?![\w.%-]*=|&|\s|$|(?:amp|quot|lt|gt);)"
_BARE = re.compile(rf"""(?:[^\s"'`,;&|<>\\]|{_AND}){{1,128}}+""")
_MAX_BARE = 128
_REST = re.compile(rf"""(?:[^\s"'`,;&|<>\\]|{_AND})*+""")
_MAX_QUOTED = 4_096
_TWO_LINES = re.compile(r"""[^\s"'`]{4,128}\r?\n[^\s"'`]{4,128}(?=["'`])""")
_ELEMENT = re.compile(r"\s*([^<>\s][^<>]{0,300}?)\s*</")

_ENV_LINE = re.compile(r"\s*(?:(?:export|set|ENV|ARG|-e|-)\s+)?[\w.]*")
_LEAST_WEAK = {"password": 6, "secret": 8, "token": 10}


class _Value(Struct, frozen=True):
    text: str
    start: int
    is_quoted: bool
    is_variable: bool
    """Assigned without spaces to an upper-case name that starts a line, as in an ``.env`` file."""


class _Named(Struct, frozen=True):
    """A name and its joint: the requirements for the value."""

    match: re.Match[str]
    name: NameRule
    joint: JointRule
    is_weak: bool
    """The joint is weak, and the name not an option: the value must be no word."""
    is_other: bool
    """The name goes on: the value must look random."""

    @property
    def sign(self) -> str:
        """The joint as it is written."""
        return self.match[self.match.lastgroup or ""].strip()


def find_keyed(text: str, folded: str, signs: Container[str] | None = None) -> Iterator[Span]:
    """Yield the secrets of ``text`` that a telling name gives away.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        signs: Those of `KEYED_SIGNS` that are in it; searched if not given.
    """
    present = folded if signs is None else signs
    stems = [stem for stem in _STEMS if stem in present]
    for stem in stems:
        at = folded.find(stem)
        while at >= 0:
            match, end = _NAME.match(folded, at), at + len(stem)
            if call := in_call(text, folded, at):
                yield "password", *call
            if match and (key := _named(text, folded, match)):
                if span := _behind(text, key.name.kind, at):
                    yield span
                if span := _ahead(text, folded, key):
                    yield span
                    end = span[2]
            # Names within a value are skipped, since each could have all the rest as its value.
            at = folded.find(stem, end)
    is_named = stems or any(each in folded for each in _OF_COLUMNS)
    if is_named and COLUMN in present and "--" in text:
        yield from _in_columns(text, folded)


def _named(text: str, folded: str, match: re.Match[str]) -> _Named | None:
    """Return the requirements of a name and its joint for a value; None where they tell of none."""
    at = match.start()
    name = next(_NAMES[group] for group in _NAMES if match[group] is not None)
    before = text[max(at - 24, 0) : at]
    sign = "" if match["rest"] else match[match.lastgroup or ""].strip()
    is_random = is_unmistakable(text, match.end())
    is_key = name.name == "key" and is_somebodys(before.lower(), sign, is_random=is_random)
    if not (is_key or name.stands(text[at : at + 1], before)) or _ARN.search(before):
        return None
    joint = _JOINTS[match.lastgroup or ""]
    is_called = joint.is_weak and "(" in folded[max(at - 80, 0) : at]
    is_set = is_called and _SETTER.search(folded, max(at - 80, 0), at) is not None
    is_flag = is_set or (
        "-" in folded[max(at - 60, 0) : at] and _FLAG.search(folded, max(at - 60, 0), at)
    )
    return _Named(
        match=match,
        name=name,
        joint=joint,
        is_weak=joint.is_weak and not is_flag,
        is_other=bool(match["rest"]) and not _MILD.fullmatch(match["rest"]),
    )


def _ahead(text: str, folded: str, key: _Named) -> Span | None:
    """Return the secret that follows a name, if one does."""
    end = key.match.end()
    if not _may_have_value(text, folded, key):
        return None
    block = None
    if key.joint.name == "tag":
        value = _element(text, end)
    else:
        block = block_of(text, end) if key.sign == ":" else None
        gap = _GAP.match(text, end)
        if gap and gap["line"] and not key.joint.is_spoken:
            if key.sign[-1:] == "=":
                return None
            if key.sign not in {":", "："} or not gap["indent"]:
                key = msgspec.structs.replace(key, is_weak=True)
        value = _value(text, key.match, gap.end() if gap else end)
    if block and (span := _in_block(text, block, key)):
        return span
    return _longest(text, key, value)


def _longest(text: str, key: _Named, value: _Value | None) -> Span | None:
    """Return a value as a secret, or the whole line of a setting that it begins."""
    kind, secret = key.name.kind, None
    if value and value.is_quoted and key.is_weak and _is_statement(text, key.match, value):
        key = msgspec.structs.replace(key, is_weak=False)
    if value and _is_secret(key, value):
        secret = kind, value.start, _end(text, value)
    if kind == "token" or key.is_other or (value and value.is_quoted and secret):
        return secret
    line = in_setting(text, key.match.start(), key.match.end(), key.sign or " ")
    return (kind, *line) if line and (not secret or line[1] > secret[2]) else secret


def _in_block(text: str, block: tuple[int, int], key: _Named) -> Span | None:
    """Return the lines below the sign of a block as a secret, if they are one."""
    content = text[slice(*block)]
    if key.is_other or (" " in content.strip() and key.name.kind != "token"):
        is_told = not key.is_other and is_told_in_block(" ".join(content.split()))
    else:
        whole = _Value("".join(content.split()), block[0], is_quoted=True, is_variable=False)
        is_told = len(content.splitlines()) > 1 and _is_secret(key, whole)
    return (key.name.kind, *block) if is_told else None


def _may_have_value(text: str, folded: str, key: _Named) -> bool:
    """Return whether the text around a name and its joint allows a value to follow."""
    match, joint = key.match, key.joint
    end = match.end()
    if text[end : end + 20].lstrip(" \"'`").startswith("[redacted:"):
        return False
    if key.sign == ":" and "encrypteddata:" in folded[max(end - 400, 0) : end]:
        return False
    if key.is_other and (joint.is_final or _OTHER.search(match["rest"])):
        return False
    if joint.name == "tag":
        return bool(_IN_TAG.search(folded, max(match.start() - 60, 0), match.start()))
    if joint.name != "bare":
        return True
    following = text[end : end + 8]
    if following.lstrip(" \t")[:1] in {'"', "'", "`"}:
        return True
    if not following[:1].isspace():
        return False
    return key.name.name == "chosen" or not key.is_weak or is_unmistakable(text, end)


def _behind(text: str, kind: str, at: int) -> Span | None:
    """Return the secret that precedes its name, if one does."""
    before = text[max(at - 200, 0) : at]
    head = before.rstrip(_OF_NAMES)
    for rule in BEHIND:
        if head[-1:] not in rule.endings or rule.literal not in head[-rule.reach :]:
            continue
        if rule.joint.search(before) and (match := rule.pattern.search(before)):
            start = at - len(before) + match.start("value")
            value = match["value"]
            if is_strong(value) and (kind != "token" or is_random(value)):
                return kind, start, start + len(value)
    return None


def _in_columns(text: str, folded: str) -> Iterator[Span]:
    """Yield the secrets of tables whose header is a telling name."""
    rules = list(_rules(text))
    stops = [*(start for start, _ in rules[1:]), len(text)]
    kinds: list[str | None] = []
    at = -1
    for (start, end), stop in zip(rules, stops, strict=False):
        header = folded[folded.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        cells = islice(_CELL.finditer(header.strip("\n |")), _MOST_COLUMNS)
        fresh = [key_kind(cell[0].strip(" *`_")) for cell in cells]
        # Rows that go on below another rule are under both headers: each row is read once.
        above = kinds if at == start else []
        kinds = [new or old for new, old in zip_longest(fresh, above)]
        at = yield from _in_rows(text, end + 1, stop, kinds)


def _rules(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the lines between the header of a table and its rows."""
    at = text.find("--")
    while at >= 0:
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = end if end >= 0 else len(text)
        if _RULE.match(text, start):
            yield start, end
        at = text.find("--", end)


def _in_rows(text: str, at: int, stop: int, kinds: list[str | None]) -> Generator[Span, None, int]:
    """Yield the secrets of the rows from ``at`` to ``stop``; return the end of the rows."""
    while any(kinds) and at < stop:
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        if "|" not in text[at:end]:
            break
        yield from _in_row(text, at, end, kinds)
        at = end + 1
    return at


def _in_row(text: str, at: int, end: int, kinds: list[str | None]) -> Iterator[Span]:
    first = at + len(text[at:end]) - len(text[at:end].lstrip(" |"))
    for kind, cell in zip(kinds, _CELL.finditer(text, first, end), strict=False):
        value = cell[0].strip(" \t`*_")
        if kind and (is_strong(value) or (kind == "password" and is_chosen(value))):
            start = cell.start() + cell[0].index(value)
            yield kind, start, start + len(value)


@functools.lru_cache(4_096)
def key_kind(key: str) -> str | None:
    """Return the kind of secret that is under ``key``, or None; it ends in a telling name then."""
    match = _TELLING.search(_INNER_CAPITAL.sub("_", key[-_MAX_KEY:]).casefold())
    return match and next(kind for kind in _TESTS if match[kind])


def telling_kind(key: str, value: object) -> str | None:
    """Return the kind of secret that ``key`` makes of ``value``, or None.

    Any text or number under a password's name is one, but only an unbroken text of some length is
    a token: ``"token": "the"`` is a word of a sentence.
    """
    kind = key_kind(key)
    if kind is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)
    if is_filler(text):
        return None
    is_token = len(text) >= 8 and not SPACE.search(text) and isinstance(value, str)
    return kind if kind != "token" or is_token else None


def _value(text: str, match: re.Match[str], start: int) -> _Value | None:
    """Return the value after a name and its joint, at most its beginning; None for none."""
    quote = _QUOTE.match(text, start)
    start = quote.end() if quote else start
    name = slice(match.start(), match.start("rest"))
    is_upper = text[name].isupper() and _is_joined(text, match)
    if quote:
        end = _closing_quote(text, start, quote["quote"])
        if end:
            return _Value(text[start:end], start, is_quoted=True, is_variable=is_upper)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    is_variable = (is_upper and _begins_line(text, match)) or (
        _is_joined(text, match) and _is_setting(text, bare)
    )
    return _Value(bare[0].rstrip(".:)]}*"), start, is_quoted=False, is_variable=is_variable)


def _is_statement(text: str, match: re.Match[str], value: _Value) -> bool:
    """Return whether a name and a value in quotes are a whole statement: ``storePassword "x"``."""
    line = text.rfind("\n", max(match.start() - 100, 0), match.start()) + 1
    is_begun = _STATEMENT.search(text, max(line, match.start() - 60), match.start())
    return bool(is_begun and _STATEMENT_END.match(text, value.start + len(value.text)))


def _element(text: str, start: int) -> _Value | None:
    """Return the text of an XML element."""
    inner = _ELEMENT.match(text, start)
    is_word = inner and inner[1].islower() and is_chosen(inner[1])
    return inner and _Value(inner[1], inner.start(1), is_quoted=bool(is_word), is_variable=False)


def _closing_quote(text: str, start: int, quote: str) -> int:
    """Return the end of the quoted text; 0 when it does not end soon, or breaks like prose."""
    limit = text.find("\n", start, start + _MAX_QUOTED)
    limit = limit if limit >= 0 else start + _MAX_QUOTED
    end = text.find(quote, start, limit)
    while end > start and len(quote) == 1 and text[end - 1] == "\\":
        end = text.find(quote, end + 1, limit)
    if end < 0 and (wrap := _TWO_LINES.match(text, start)) and text.startswith(quote, wrap.end()):
        return wrap.end()
    return max(end, 0)


def _is_joined(text: str, match: re.Match[str]) -> bool:
    sign = match[match.lastgroup or ""].strip()
    return sign == "=" and not SPACE.search(text, match.end() - 2, match.end() + 1)


def _begins_line(text: str, match: re.Match[str]) -> bool:
    line = text.rfind("\n", max(match.start() - 200, 0), match.start()) + 1
    return _ENV_LINE.fullmatch(text, line, match.start()) is not None


def _is_setting(text: str, value: re.Match[str]) -> bool:
    """Return whether a value without quotes stands alone after its name, and names nothing."""
    is_last = text[value.end() : value.end() + 1] in {"", "\n", "\r", " ", '"'}
    return (
        is_last and "-" in value[0][1:-1] and value[0][-1] not in ",)" and not is_filler(value[0])
    )


def _end(text: str, value: _Value) -> int:
    end = value.start + len(value.text)
    if value.is_quoted:
        return end_of_joined(
            text, end, is_list="join(" in text[max(value.start - 12, 0) : value.start]
        )
    if text.startswith("\\\n", end):
        end += 2
    elif len(value.text) < _MAX_BARE:
        return end
    rest = _REST.match(text, end)
    return max(end, rest.end()) if rest else end


def _is_secret(key: _Named, value: _Value) -> bool:
    text = value.text
    if "\n" in text:
        text = re.sub(r"\s+", "", text)
        value = _Value(text, value.start, is_quoted=True, is_variable=False)
    if is_filler(text):
        return False
    if SPACE.search(text):
        if not value.is_quoted or key.is_weak or key.is_other or key.name.kind == "token":
            return False
        return is_phrase(text) or (value.is_variable and is_told_in_block(text))
    if key.joint.is_weak and text.istitle() and text.isalpha():
        return False
    if key.is_other and not (len(text) >= 10 and is_random(text)):
        return False
    if key.is_weak and (len(text) < _LEAST_WEAK[key.name.kind] or not is_no_word(text)):
        return False
    return _TESTS[key.name.kind](value)


def _is_password(value: _Value) -> bool:
    text = value.text
    if value.is_quoted or value.is_variable:
        return len(text) >= 4 and not PATH.match(text)
    if len(text) < 6 or is_code(text):
        return False
    return not text.isalpha() or is_no_name(text)


def _is_token(value: _Value) -> bool:
    text = value.text
    if PATH.match(text) or NUMBERS.fullmatch(text):
        return False
    if value.is_variable and not value.is_quoted:
        return len(text) >= 8 or is_no_word(text)
    if len(text) < 8:
        return False
    return (value.is_quoted or not is_code(text)) and is_random(text)


_TESTS = {"password": _is_password, "secret": _is_password, "token": _is_token}
"""The test of a value without fillers and spaces, by the kind of its name."""
