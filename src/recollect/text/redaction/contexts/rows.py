"""The common part of the tables of locations: their rows, and the tests of values.

A row is tried only from a fixed sign on, once its gate is in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from recollect.text.redaction.keyed import key_kind
from recollect.text.redaction.values import PATH, is_filler, is_random, is_strong

RuleRow = tuple[str, str, str, str, str, Callable[[re.Match[str], str], bool], str, str]
"""Name, kind, gate, sign, pattern, test of the value, example and counterexample."""

VALUE = r"""["'`]?(?P<value>(?<=["'`])[^"'`\n]{3,128}(?=["'`])|[^\s"'`;,&|<>()]{3,128})"""
QUOTED = r"""(?P<quote>["'])(?P<value>[^"'\n]{3,128})(?P=quote)"""
READS = (
    r"(?:(?<!ch)passwd|smbpasswd|cryptsetup|sudo\s[^\n|]{0,20}?-[a-z]*S\b|kinit|vncpasswd|su\s|mkpasswd"
    r"|ssh-add|openssl\spasswd|gpg2?\s[^\n|]{0,60}?--passphrase-fd|(?:secret|env)\s(?:create"
    r"|set|put|add)|secret-tool\sstore|secrets\s(?:create|versions)|pass\sinsert"
    r"|[^\n|]{0,160}?(?:--(?:password|token|key)-stdin|--with-token|\s--stdin"
    r"|pass(?:in)?[ =]stdin))"
)
_IN_LINE = re.compile(READS, re.IGNORECASE)
_CONNECTED = re.compile(
    r"(?:server|data source|host|hostaddr|addr|dbname|user id|uid|user|username|initial catalog"
    r"|database|databasename|sslmode|port|driver|ssl|abortconnect|login)[ ]?=|jdbc:",
    re.IGNORECASE,
)
_NAME_OF_ONE = re.compile(r"\w*(?:pass(?:word|wd)?|pwd|secret)\w*", re.IGNORECASE)
_NEAR = 240
_ACCESS = re.compile(r"create|alter|grant|link|connect", re.IGNORECASE)


def is_told(_: re.Match[str], value: str) -> bool:
    """Return whether a value is neither a placeholder nor a path."""
    return not is_filler(value) and not PATH.match(value)


def is_not_word(_: re.Match[str], value: str) -> bool:
    """Return whether a value is not a word of prose."""
    return not is_filler(value) and (is_random(value) or is_strong(value))


def looks_random(_: re.Match[str], value: str) -> bool:
    """Return whether a long value looks random."""
    return len(value) >= 16 and not is_filler(value) and is_random(value)


def is_in_address(match: re.Match[str], value: str) -> bool:
    """Return whether a part of an address is random, and no title of words."""
    words = sum(part.isalpha() and len(part) >= 3 for part in re.split(r"[-_.]", value))
    return looks_random(match, value) and words < 2


def is_opaque(match: re.Match[str], value: str) -> bool:
    """Return whether a long value has letters and digits all through, as no name has."""
    digits = sum(map(str.isdigit, value))
    return looks_random(match, value) and digits >= len(value) // 8 and "-" not in value.strip("-")


def is_printed(_: re.Match[str], value: str) -> bool:
    """Return whether the output of a command is a secret, and not a message or a path."""
    if PATH.match(value) or value.endswith((":", "...", ".")) or value[0] in "[{(<$#>":
        return False
    return not is_filler(value) and (is_random(value) or is_strong(value))


def is_read(match: re.Match[str], value: str) -> bool:
    """Return whether the command in the line before takes a secret from its input."""
    text, at = match.string, match.start()
    line = text[max(text.rfind("\n", 0, at) + 1, at - _NEAR) : at]
    return bool(_IN_LINE.search(line)) and not is_filler(value)


def is_connected(match: re.Match[str], value: str) -> bool:
    """Return whether the other parts of a string of a connection are beside the value."""
    text, at = match.string, match.start()
    begin = max(text.rfind("\n", 0, at) + 1, at - _NEAR)
    before = text[begin:at].rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.")
    if before[-1:] not in {";", "&", "?", " ", ","} or (
        before.endswith((", ", ",")) and "(" in before
    ):
        return False
    end = text.find("\n", match.end())
    after = text[match.end() : min(end if end >= 0 else len(text), match.end() + _NEAR)]
    is_name = _NAME_OF_ONE.fullmatch(value) or is_filler(value) or value[0] in "$%{["
    return not is_name and bool(_CONNECTED.search(before) or _CONNECTED.search(after))


def is_of_account(match: re.Match[str], value: str) -> bool:
    """Return whether the statement makes or changes an account."""
    text, at = match.string, match.start()
    return not is_filler(value) and bool(_ACCESS.search(text[max(at - _NEAR, 0) : at]))


def is_assigned(match: re.Match[str], value: str) -> bool:
    """Return whether a statement sets a column to the value."""
    before = match.string[max(match.start() - _NEAR, 0) : match.start()].lower()
    return "update " in before and " set " in before and not is_filler(value)


def is_in_listing(match: re.Match[str], value: str) -> bool:
    """Return whether a line of hyphens is before the value, as below a header."""
    text, at = match.string, match.start()
    return "-----" in text[max(at - _NEAR, 0) : at] and not is_filler(value)


def is_call(_: re.Match[str], value: str) -> bool:
    """Return whether an argument in quotes is a value, and not the name of one."""
    return not is_filler(value) and not PATH.match(value) and not _NAME_OF_ONE.fullmatch(value)


def is_in_dialogue(match: re.Match[str], value: str) -> bool:
    """Return whether the name of an account is sent too, as to a server of mail or files."""
    beside = match.string[max(match.start() - _NEAR, 0) : match.end() + _NEAR]
    return not is_filler(value) and any(sign in beside for sign in ("USER ", "331 ", "NICK "))


def is_typed(match: re.Match[str], value: str) -> bool:
    """Return whether typed text goes into a field that the line before it names."""
    text, at = match.string, match.start()
    before = text[max(text.rfind("\n", 0, at) + 1, at - _NEAR) : at].lower()
    return any(sign in before for sign in ("pass", "pwd")) and is_call(match, value)


def is_named(match: re.Match[str], value: str) -> bool:
    """Return whether the name beside a value tells of a secret."""
    return key_kind(match["name"]) is not None and is_told(match, value)


def is_named_strong(match: re.Match[str], value: str) -> bool:
    """Return whether the name beside a value tells of a secret, and the value is not a label."""
    return key_kind(match["name"]) is not None and is_not_word(match, value)


def is_community(match: re.Match[str], value: str) -> bool:
    """Return whether a community name of SNMP is not one of the defaults."""
    return value.lower() not in {"public", "private"} and is_told(match, value)
