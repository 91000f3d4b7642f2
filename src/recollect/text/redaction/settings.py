"""Values whose extent depends on context: a line of settings, a block of YAML, joined literals.

The match of a rule after a name ends with a word or a quote. In a file of settings the value goes
on to the end of the line, below a ``|`` as far as the lines are indented, behind a ``+`` in the
next literal; and in a call the password has no name but that of the function.
"""

from __future__ import annotations

import re

from recollect.text.redaction.spoken_words import STOP
from recollect.text.redaction.values import PATH, is_filler, is_no_word, is_phrase

_LEAD = re.compile(r"""(?:[ \t]*(?:-[ \t]+)?["']?)(?:(?:export|set)[ \t]+)?[\w.-]{0,60}""")
_BESIDE = re.compile(
    r"""[ \t]*(?:-[ \t]+)?["']?[A-Za-z][\w.-]{0,60}["']?[ \t]?([:=])(?=[ \t]?\S)"""
)
_HEAD = re.compile(r"[ \t]*\[[\w. -]{1,60}\][ \t]*$")
_LINE = re.compile(
    r"""[ \t]*(?:(?P<quote>["'])(?P<quoted>[^"'`\n\r]{4,100})(?P=quote)[,;]?"""
    r"""|(?P<value>[^\s"'`#][^\n\r"`]{3,100}?))[ \t]*(?=[\r\n}]|$)"""
)
_SECTION = re.compile(
    r"(?:^|\n)[ \t]*\[[\w. -]{1,60}\][ \t]*\n(?:[ \t]*(?:[#;]|[\w.-]+[ \t]*=)[^\n]*\n){0,12}$"
)
_LONE = re.compile(
    r"[ \t]*(?:host|user|login|port|from|machine|username|server|account|auth|tls"
    r"|ssid)\b[ \t=:]+\S+[ \t]*$"
)
_PLAIN = re.compile(r"[ \t]*[\w.-]+ = (?:\d+|[\w-]+(?:[.@:/-][\w@:/-]+)*[.@:-][\w/]+)[ \t]*$")
"""A line that no language has: a value with dots, or a number, without quotes or brackets."""
_COMPOSED = re.compile(r"[A-Za-z0-9][_.]$")
_BLOCK = re.compile(r"[ \t]{0,4}[|>][+-]?[0-9]?[ \t]*\r?\n(?P<indent>[ \t]+)(?=\S)")
_MOST_LINES = 40
_JOINED = re.compile(
    r"""["'`](?:\s{0,40}(?:\+|\.{1,2}|&|\|\|"""
    r"""|~)[ \t]{0,4}[_\\]?\s{0,40}|[ \t]{0,4}\\?\r?\n[ \t]{1,40})[bru]?"""
    r"""(?P<quote>["'`])(?P<value>[^"'`\n]{1,400})(?P=quote)(?![ \t]*:)"""
)
_LISTED = re.compile(r"""["'],\s{0,40}["'](?P<value>[^"'`\n]{1,400})(?=["'])""")
_LIST_JOINED = re.compile(r"""(?:["'],\s{0,40}["'][^"'`\n]{1,400}){1,20}["']\s{0,40}\]\.join\(""")
_EXPRESSION = re.compile(r"[()\[\]{}<>$|\\]|^[!&*@%]|\w: |,$|;$|[;&] |%\w+%|[/:]{2}|->")
_NAMED = re.compile(r"pass|secret|token|cred|auth|user|key|vault|config|env|\.(?:txt|json|ya?ml)$")
_STATES = frozenset(
    "admin always anonymous argon2 array bcrypt char clear cleartext disable disabled enable"
    " enabled encrypted expired external file generate generated global hash hashed inherit"
    " insecure internal kerberos keyring local locked manual masked md5 mixed never password"
    " plain plaintext private public random redacted reset rotate scram secure shared static"
    " strict strong system template uuid valid varchar verify weak".split()
)
"""Values of a setting with the name of a password: a type, a state, a method."""
_ABOUT = frozenset(
    "must should required invalid incorrect wrong enter type please forgot change reset confirm"
    " minimum maximum least characters letters digits your you use used contains match new old"
    " current repeat field hint show hide need needs asks ask login see same".split()
)
"""Words of labels and messages, which no setting of a password holds."""

_CALL = re.compile(
    r"(?:auth(?:entication)?(?:token)?|cred(?:ential)?s?|login|(?<=[._])password|(?<=\.set)password"
    r"|(?<=\.with)password)(?P<new>::new|\.of|\.new)?\([ \t]{0,4}"
    r"""(?P<first>@?(?:"[^"\n]{0,100}"|'[^'\n]{0,100}'),[ \t]{0,4})?"""
    r"""@?(?P<quote>["'])(?P<value>[^"'\n]{4,100})(?P=quote)[ \t]{0,4}[,)]"""
)


def end_of_joined(text: str, end: int, *, is_list: bool) -> int:
    """Return the end of the last literal that is joined to the one that ends at ``end``.

    Args:
        text: Any text.
        end: Where the first literal ends, before its quote.
        is_list: Whether the literals of a list are joined.
    """
    is_list = is_list or _LIST_JOINED.match(text, end) is not None
    while match := (_LISTED if is_list else _JOINED).match(text, end):
        end = match.end("value")
    return end


def block_of(text: str, at: int) -> tuple[int, int] | None:
    """Return the start and end of the block of YAML whose sign is at ``at``."""
    sign = _BLOCK.match(text, at)
    if not sign:
        return None
    end = sign.end()
    for _ in range(_MOST_LINES):
        stop = text.find("\n", end)
        if stop < 0:
            return sign.end(), len(text.rstrip())
        if not text.startswith(sign["indent"], stop + 1):
            return sign.end(), stop
        end = stop + 1
    return sign.end(), end - 1


def is_told_in_block(text: str) -> bool:
    """Return whether the words of a block below the name of a password are one."""
    return not _EXPRESSION.search(text) and _is_no_message(text) and not is_filler(text)


def in_setting(text: str, start: int, at: int, sign: str) -> tuple[int, int] | None:
    """Return the password that is all the rest of a line of settings.

    Args:
        text: Any text.
        start: Where the name starts.
        at: Behind its joint.
        sign: The joint.
    """
    line = text.rfind("\n", max(start - 100, 0), start) + 1
    if sign not in {":", "=", " "} or not _LEAD.fullmatch(text, line, start):
        return None
    value = _LINE.match(text, at)
    if not value or (sign == ":" and text[at : at + 1] not in {" ", "\t"}):
        return None
    group = "value" if value["quoted"] is None else "quoted"
    content = value[group]
    if is_filler(content) or PATH.match(content) or _EXPRESSION.search(content):
        return None
    is_composed = (sign == ":" or value["quoted"] is not None) and _COMPOSED.search(
        text, max(start - 2, 0), start
    ) is not None
    if not (is_composed or _is_beside_settings(text, line, value.end(), sign)):
        return None
    if " " in content:
        is_told = (
            len(content.split()) <= 8
            and _is_no_message(content)
            and not content.endswith((".", ":"))
        )
        is_told = is_told and (not is_composed or content[:1].islower())
    else:
        is_told = is_chosen(content) and _stands_as_word(text, line, start, at, sign)
    return value.span(group) if is_told else None


def _stands_as_word(text: str, line: int, start: int, at: int, sign: str) -> bool:
    """Return whether a word there cannot name a variable."""
    if sign == ":":
        is_upper = text[max(start - 2, 0) : start].isupper() or text[start : start + 4].isupper()
        return is_upper or _is_beside_settings(text, line, at, sign)
    if text[at : at + 1] != " " or _SECTION.search(text, max(line - 600, 0), line):
        return True
    before = text[text.rfind("\n", max(line - 200, 0), max(line - 1, 0)) + 1 : line]
    after = text[at : at + 300].partition("\n")[2].partition("\n")[0]
    return any(map(_PLAIN.match, (before.rstrip("\r\n"), after)))


def _is_beside_settings(text: str, line: int, end: int, sign: str) -> bool:
    """Return whether the line before or after is a setting too, or the head of some."""
    before = text[text.rfind("\n", max(line - 200, 0), max(line - 1, 0)) + 1 : line]
    if _HEAD.match(before.rstrip("\r\n")):
        return True
    after = text[end : end + 200].lstrip("\r\n").partition("\n")[0]
    if sign == " ":
        return any(map(_LONE.match, (before.rstrip("\r\n"), after)))
    return any((match := _BESIDE.match(each)) and match[1] == sign for each in (before, after))


def _is_no_message(content: str) -> bool:
    words = [word.strip(".,!?:\"'") for word in content.casefold().split()]
    if not _ABOUT.isdisjoint(words) or _NAMED.search(content.casefold()):
        return False
    return sum(word in STOP for word in words) * 2 <= len(words)


def is_chosen(word: str) -> bool:
    """Return whether a word may be a password in a setting: no state, no type, no name of one."""
    folded = word.casefold()
    if len(word) < 5 or _NAMED.search(folded) or folded in STOP or folded in _STATES:
        return False
    if is_filler(word) or PATH.match(word):
        return False
    return is_no_word(word) or folded.replace("-", "").isalpha()


def in_call(text: str, folded: str, at: int) -> tuple[int, int] | None:
    """Return the password that a call of a telling name has without a name of its own."""
    call = _CALL.match(folded, at)
    if not call or (not call["first"] and not folded.startswith("password", at)):
        return None
    if folded.endswith("get", 0, at):
        return None
    content = text[slice(*call.span("value"))]
    if is_filler(content) or PATH.match(content) or (" " in content and not is_phrase(content)):
        return None
    return None if _NAMED.search(content.casefold()) else call.span("value")
