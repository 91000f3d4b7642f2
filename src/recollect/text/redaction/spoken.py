"""Secrets that people say: "the door code is 4471", "x1y2 is the password", an answer.

Finds a name of a secret in one of many languages and its tie to a value, and tests whether the
value can be one: behind a sign or a verb a word is enough where nothing but the end of the clause
follows, elsewhere it must have digits, signs or capitals inside.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from recollect.text.redaction.blocks import Span
from recollect.text.redaction.spoken_words import (
    BETWEEN,
    CODE_AFTER,
    CODE_BEFORE,
    COPULA,
    DIGITS,
    NOT_OF_PIN,
    NUMBER,
    NUMBER_STEMS,
    PASSWORD,
    SIGN,
    STEMS,
    STOP,
)
from recollect.text.redaction.values import PATH, is_filler, is_phrase

SPOKEN_SIGNS = STEMS
"""One of them is in the lower case of each text in which a password is said."""
_SIGNS = frozenset({*STEMS, *NUMBER_STEMS})

_PASSWORD, _NUMBER = re.compile(PASSWORD), re.compile(NUMBER)
_CODE_BEFORE, _CODE_AFTER = re.compile(CODE_BEFORE), re.compile(CODE_AFTER)
_NOT_OF_PIN = re.compile(NOT_OF_PIN)
_BEFORE_TIE = re.compile(rf"(?:[ ]\([^()\n]{{1,40}}\))?(?:,?[ ]{BETWEEN}{{0,60}})?")
_TIE = re.compile(rf"(?P<sign>{SIGN})|(?P<verb>{COPULA})")
_MOST_TIES = 3
_BARE = re.compile(r"[ ]\(?(?=\S)")
_BARE_OF = re.compile(
    r"[ ](?:(?:от|для|of|for|d[eu]s?|del|d[iao]|der|vom|für|zum|on|to)[ ](?:[^\W\d_]{1,15}[ ]){1,3}"
    r"|de l'[^\W\d_]{1,15}[ ]|dell'[^\W\d_]{1,15}[ ])(?=[#*]?\d|\S*[A-Za-z0-9])"
)
QUOTED = re.compile(
    r"""(?:"([^"\n]{4,80})"|'([^'\n]{4,80})'|`([^`\n]{4,80})`|“([^”\n]{4,80})”"""
    r"""|„([^“”\n]{4,80})[“”]|«\s?([^»\n]{4,80}?)\s?»|「([^」\n]{4,80})」)"""
)
WORD = re.compile(r"""[^\s"“”„«»`<>|，。、；\0]{2,100}+""")
_FOREIGN = re.compile(r"[^\x00-\u024f\u0400-\u04ff].*|,(?=[^\x00-\x7f]).*", re.DOTALL)
ENDS = ".,;:!?)]}'’…"
_CLAUSE_END = re.compile(
    r"""[.,;!?)\]]*(?:$|\n|["'”»](?:[\s,;})\].]|$)|[.,;!)][ ]|[ ](?:[—–(]|-[ ]|and |und |et """
    r"""|y |e """
    r"""|please|bitte|then |dann ))"""
)
_FIGURES_ALONE = re.compile(r"\d(?:[ -]?\d){3,23}[#*]?(?![A-Za-z0-9@%])")
_CAPITALISED = re.compile(
    r"(?:(?:lautet|heißt|heisst|(?:set|changed?|reset)[^\n]{0,30} to) |[:：=→–—-][ ]{0,3})$"
)
_OF_PHRASE = re.compile(r"phrase|master[ -]?(?:password|pw)|merksatz", re.IGNORECASE)
_PHRASE = re.compile(
    r"""[^\s"'`:;<>|()\[\]{}=]+(?:[ ][^\s"'`:;<>|()\[\]{}=—–]+){2,9}?(?=[.!]?(?:$|[\n"]"""
    r"""|[ ][—–(]))"""
)
_SAME_LINE = re.compile(r"[^?\n]{0,60}\?(?=[ ])")
_OF_APP = re.compile(r"[a-z]{4}(?:-[a-z]{4}){3}(?![\w-])|[a-z]{4}(?: [a-z]{4}){3}(?=[.,;)\"]|\n|$)")
"""The passwords that Apple and Google make for programs."""
_ONE_WORD = re.compile(r"\S{4,64}+(?=[\n\"]|$)")
_USER_BEFORE = re.compile(
    r"\b(?:user(?:name)?|log-?in|benutzer(?:name)?|nutzer(?:name)?|usuario|usuário|utente|utilisateur"
    r"|identifiant|account|konto|gebruiker|as|als|ssh)(?:[ ]?[:=]|[ ](?:is|ist|es|est)|)[ ]"
    r"(?!name|and|und|y|et|e|or|the)[\w.@+-]{2,60}"
    r"(?:[,;]?[ ](?:and|und|y|et|e|with|mit|con|avec|com)|[ ]?[,;/]|)[ ]"
    r"(?:(?:the|a|das|la|le|el|mot de)[ ])?$"
)
_USER_TIE = re.compile(r"(?:[ ]?[:=]|[ ](?:is|ist|es|est)|)[ ](?=\S)")
_NEXT = re.compile(
    r"(?:,| and| und| y| et| e)[ ](?:(?:the|la|el|il|le|der|die|das|a|o)[ ]|puk|pin)"
    r"[^\d\n.,]{0,30}(?=\d{4})"
)
_FIELD = re.compile(r"""(?:["']?[ ]?[:=][ ]?["']?)?(?=\d{4,8}(?![\w.-]))""")
_FIELDS = frozenset("\"'=")
_OF_OTHER = re.compile(
    r"weak|example|common|call|ruf|tel|phone|since|seit|depuis|desde|reset|chang|version|expire|length|zeichen|(?:19|20)\d\d$"
)
_OF_CARD = re.compile(
    r"(?:card|phone|sim|bank|atm|tablet|voicemail|door|my|your|new|old|karten|handy|tarjeta"
    r"|login|parental)[ -]$"
)
_ABOUT_NAMES = re.compile(
    r"(?:strength|manager|policy|reset|length|field|hint|type|hash|change|prompt|protect|rotat|generat|expir"
    r"|status|state|mode|format|requirement|rules|input|label|column|encod|quality)",
    re.IGNORECASE,
)
_PLUGGED = re.compile(r"[\d ]{2,12}[^\n.]{0,20}(?:gpio|connect|led\b|header|high|low\b)")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_INNER = re.compile(r"[^\W_][!@#$%&*+?^~|=_.-]+[^\W_]")
_STRONG_INNER = re.compile(r"[^\W_][!@#$%&*+?^~|=]+[^\W_]")
_HUMP = re.compile(r"[^\W\d_A-Z][A-Z]")
_CODE = re.compile(r"[()\[\]{}<>$]|^[-/.@#%]|::|\\|^(?:self|this|cfg|config|settings|env)\.|['’]")
_NAMED = re.compile(
    r"pass|secret|token|cred|auth|user|\.(?:py|js|ts|md|txt|json|ya?ml|env|com|org)$"
)
_COMPOUND = re.compile(r"(?:ed|ing|ive|able|ible|only|based|free|like|level|specific|less)$")
_FIGURE = re.compile(
    r"[\d.,:/x-]{1,3}|[\d.,]+[a-z%]{1,3}|v?\d+(?:\.\d+)+|[\d:.TZ+-]+|\d{4}-\d\d-\d\d.*|0x[\da-f]+",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"[A-Za-z]?-?\d[\dA-Za-zА-Яа-я]*(?:[-. #*]?\d+){0,5}[A-Z#*]?")
_BEHIND = re.compile(
    r"""(?:^|[\s("'“`])(?P<value>[^\s"“”`]{6,64}|(?<=["“])[^"“”\n]{6,64}(?=["”]))["'”`]?,?[ ]"""
    r"""(?:is|was|as|that's|that (?:is|was)|which (?:is|was)|das (?:ist|war)|ist|est|als"""
    r"""|comme|como|come|jest)[ ](?:(?:the|my|our|your|das|dein"""
    r"""|mein|le|la|el|mi|o|a|il)[ ])?"""
    r"""(?:[^\W\d_][\w-]{0,15}[ ]){0,2}$"""
)
_OF_LOGIN = ("暗証番号", "验证码", "驗證碼", "認証コード", "번호", "alarmanlage")
_OWN_CODES = (
    *("pin", "puk", "otp", "2fa", "mfa", "mtan", "combina", "kombina", "geheim", "passcode", "пин"),
)
_GROUPED = re.compile(
    r"(?:[ ](?:de|di|do|d'|for|für|от|from)[ ]\w{2,20})?[ ]?[:：][ ]?\d{3}[ -]\d{3}(?![\d-])"
)
_ONCE = re.compile(r"one[ -]time[ -]$")
_NO_LOGIN = tuple(
    word + joint
    for joint in " -"
    for word in (
        "area zip post postal error fehler dial product item country exit status source order"
        " booking tracking discount promo coupon referral style color colour course class dress"
        " tax bar qr sort swift bank branch http return response reason close morse building key"
        " hash time region state"
    ).split()
)
_IS_YOURS = re.compile(
    r"(?:^|[\s(>\"])(?P<value>(?:[a-z]-)?\d{3}[ -]?\d{1,3}(?:\d\d)?)[ ](?:is|ist|es|est|é|è|to)[ ]"
    r"(?:your|dein|ihr|tu|su|votre|ton|o seu|seu|il tuo|twój)[ ](?:[^\W\d_][\w-]{0,20}[ ]){0,4}"
    r"(?:[^\W\d_]{1,20}-?)?$"
)
_ARTICLE = re.compile(r"(?:le|el|il|o|la|die|der|das|the)[ ](?=\d)")
_ODD_END = re.compile(r"[a-z][A-Z].*[#*]$")
_AFTER_CODE = frozenset(" ?[(：:是は为은는-0123456789")
_ASKED = re.compile(r"\?\s*$")
_SPEAKER = re.compile(
    r"""[ \t>*]{0,6}(?:[\[(]?\d[\d:., /-]{3,20}(?:[AP]M)?[\])]?[ \t]*[-–]?[ \t]*)?"""
    r"""(?:\{"role":[ ]?"\w+",[ ]?"content":[ ]?"|<[\w.-]{1,30}>|\[\w{1,30}\]"""
    r"""|\W{0,3}[^\W\d_][\w.]{0,20}(?:[ ][\w().]{1,20}){0,2}[:：]\*{0,2})[ ]?"""
)
_LEAD = re.compile(
    r"(?:(?:sure|ok|yes|a|answer|antwort|ja|klar|take|try|it's|its|it is|use|es ist|es|c'est|è"
    r"|é|tome|toma|prova"
    r"|experimenta|nimm|it should be|should be|that's|now it's)[,:]?[ ]){1,3}",
    re.IGNORECASE,
)
DIGITS_SAID = re.compile(DIGITS)
_FROM_TO = re.compile(r"[ ](?:from|von)[ ](?P<old>\S{6,64})[ ](?:to|auf|zu|in)[ ](?P<new>\S{6,64})")
_TYPED = re.compile(
    r"""(?P<verb>use|using|type|enter|go with|put|verwende|nimm|utilise"""
    r"""|usa)[ ]["'`]?(?P<value>[^\s"'`]{5,64})["'`]?[ ]"""
    r"(?P<at>as|for|at|when|in|als|comme|como|come)[ ](?:[^\W\d_][\w-]{0,15}[ ]){0,5}$",
    re.IGNORECASE,
)
_TRY = re.compile(r",?[ ](?:just[ ])?(?:try|type|use|enter)[ ](?=\S)")
_PAIR = re.compile(r"[\w.@-]{2,40}[ ]?/[ ]?(?P<value>\S{4,64})")


def find_spoken(text: str, folded: str, signs: Collection[str]) -> Iterator[Span]:
    """Yield the secrets of ``text`` that people tell each other.

    Args:
        text: Any text.
        folded: The same in lower case, with every character at the same offset.
        signs: Those of `SPOKEN_SIGNS`, `CAPITALS` and `NUMBER_STEMS` that are in it.
    """
    if _SIGNS.isdisjoint(signs):
        return
    for at, match in _anchors(folded, [each for each in STEMS if each in signs], _PASSWORD):
        yield from around(text, folded, at, match.end(), is_number=False)
    numbers = [each for each in NUMBER_STEMS if each in signs]
    if numbers and (_DIGIT.search(text) or DIGITS_SAID.search(folded)):
        for at, match in _anchors(folded, numbers, _NUMBER):
            if yours := _IS_YOURS.search(folded, max(at - 80, 0), at):
                yield "code", *yours.span("value")
            elif _tells_a_code(folded, at, match):
                yield from around(text, folded, at, match.end(), is_number=True)


def _anchors(
    folded: str, stems: Iterable[str], pattern: re.Pattern[str]
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the start of each name of a secret, and the name."""
    for stem in stems:
        at = folded.find(stem)
        while at >= 0:
            match = pattern.match(folded, at)
            if (
                match
                and (folded[at - 1 : at] not in {"_", "."} or _is_set(folded, match.end()))
                and (
                    len(match[0]) > 3 or not match[0].isascii() or not folded[at - 1 : at].isalnum()
                )
            ):
                yield at, match
            at = folded.find(stem, at + len(stem))


def _is_set(folded: str, end: int) -> bool:
    """Return whether the text after the last part of a name says that it is set to a value."""
    return folded.startswith((" to ", "=", '"'), end)


def _tells_a_code(folded: str, at: int, match: re.Match[str]) -> bool:
    after = folded[match.end() : match.end() + 1]
    before = folded[max(at - 48, 0) : at]
    is_own = match[0].startswith(_OWN_CODES)
    if after not in _AFTER_CODE and not (is_own and after in _FIELDS):
        return False
    if not is_own and before.removesuffix("\n").endswith(_NO_LOGIN) and not _ONCE.search(before):
        return False
    if is_own:
        return not before[-1:].isalnum() and not _NOT_OF_PIN.search(before)
    if match[0].endswith(_OF_LOGIN) or _GROUPED.match(folded, match.end()):
        return True
    return bool(_CODE_BEFORE.search(before) or _CODE_AFTER.match(folded, match.end()))


def around(text: str, folded: str, at: int, end: int, *, is_number: bool) -> Iterator[Span]:
    """Yield the secrets behind and before a name, or in the answer to a question for it."""
    if is_number and (field := _FIELD.match(text, end)):
        yield from said(text, field.end(), is_number=True, tie="sign")
        return
    changed = [] if is_number else list(_changed(text, end))
    if changed:
        yield from changed
        return
    is_plug = (
        is_number
        and text[at : at + 3] == "pin"
        and not _OF_CARD.search(folded, max(at - 24, 0), at)
    )
    for begin, tie in _ties(folded, end):
        if is_plug and tie == "bare":
            continue
        if secret := next(said(text, begin, is_number=is_number, tie=tie), None):
            yield secret
            if following := _NEXT.match(folded, secret[2]):
                yield from said(text, following.end(), is_number=True, tie="sign")
            return
    if before := _told_before(text, at):
        yield before
    elif not is_number and (beside := _beside_user(text, folded, at, end)):
        yield beside
    else:
        yield from _answers(text, at, end, is_number=is_number)


def _changed(text: str, end: int) -> Iterator[Span]:
    """Yield the secrets of "password from x1 to y2"."""
    if both := _FROM_TO.match(text, end):
        for group in ("old", "new"):
            value = both[group].rstrip(ENDS)
            if is_mixed(value, tie="verb"):
                yield "password", both.start(group), both.start(group) + len(value)


def _ties(folded: str, end: int) -> Iterator[tuple[int, str]]:
    """Yield the possible starts of a value that a sign or a verb ties to the name, and the tie."""
    run = _BEFORE_TIE.match(folded, end)
    last = run.end() if run else end
    for _, tie in zip(range(_MOST_TIES), _TIE.finditer(folded, end, last + 24), strict=False):
        if tie.start() > last:
            break
        is_below = "\n" in tie[0]
        yield tie.end(), "bare" if is_below else "sign" if tie["sign"] else "verb"
    if bare := _TRY.match(folded, end) or _BARE.match(folded, end):
        yield bare.end(), "bare"
    if bare := _BARE_OF.match(folded, end):
        yield bare.end(), "bare"


def _beside_user(text: str, folded: str, at: int, end: int) -> Span | None:
    """Return the password of "user ann, password sunset", a word or not."""
    if not (
        _USER_BEFORE.search(folded, max(at - 110, 0), at) and (tie := _USER_TIE.match(folded, end))
    ):
        return None
    word = WORD.match(text, tie.end())
    value = word[0].rstrip(ENDS) if word else ""
    folded_value = value.casefold()
    is_none = is_filler(value) or _CODE.search(value) or PATH.match(value) or folded_value in STOP
    if len(value) < 4 or is_none or folded_value.startswith(("pass", "secret")):
        return None
    is_told = _DIGIT.search(value) or _CLAUSE_END.match(text, tie.end() + len(value))
    return ("password", tie.end(), tie.end() + len(value)) if is_told else None


def _told_before(text: str, at: int) -> Span | None:
    """Return the secret before a name, as in "x1y2 is the password"."""
    begin = max(at - 110, text.rfind("\n", 0, at) + 1)
    if typed := _TYPED.search(text, begin, at):
        is_prompt = typed["verb"].lower() in {"type", "enter"} and typed["at"] in {"at", "when"}
        if is_mixed(typed["value"], tie="verb") or (is_prompt and is_word(typed["value"])):
            return "password", *typed.span("value")
    before = _BEHIND.search(text, begin, at)
    if not before:
        return None
    value = before["value"].strip("'’")
    is_first = before.start("value") in {0, text.rfind("\n", 0, at) + 1}
    is_told = is_first and value[:1].islower() and is_word(value)
    if is_mixed(value, tie="verb") or is_told or (" " in value and is_phrase(value)):
        return "password", before.start("value"), before.start("value") + len(before["value"])
    return None


def said(text: str, at: int, *, is_number: bool, tie: str) -> Iterator[Span]:
    """Yield the value that is said at an offset, if it can be one."""
    if quoted := QUOTED.match(text, at):
        inner = next(filter(None, quoted.groups()))
        if (
            (tie != "bare" or (_DIGIT.search(inner) and _LETTER.search(inner)))
            and (" " not in inner or is_phrase(inner))
            and not is_filler(inner)
            and inner.lower().strip(".!") not in STOP
            and not _CODE.search(inner)
        ):
            start = text.index(inner, quoted.start())
            yield "password", start, start + len(inner)
    elif is_number:
        article = _ARTICLE.match(text, at)
        at = article.end() if article else at
        number = DIGITS_SAID.match(text, at) or _NUMERIC.match(text, at)
        if number and number[0][0].isalpha() and number.re is DIGITS_SAID:
            yield "code", at, at + len(number[0].rstrip(" ,-"))
        elif number and _is_code(number[0]) and not (tie == "bare" and _PLUGGED.match(text, at)):
            yield "code", at, number.end()
    elif (word := WORD.match(text, at)) and (end := _end_of_told(text, at, word[0], tie)):
        yield "password", at, end


def _is_code(number: str) -> bool:
    digits = sum(map(str.isdigit, number))
    is_short = 6 <= len(number) <= 8 and number.isupper() and digits >= 3
    return len(number) <= 24 and (digits >= 4 or is_short)


def _end_of_told(text: str, at: int, word: str, tie: str) -> int:
    """Return the end of a password that begins with a word, 0 if it is none."""
    value = _FOREIGN.sub("", word).rstrip(ENDS)
    end = at + len(value)
    if figures := _FIGURES_ALONE.match(text, at):
        return figures.end() if _tells_of_figures(text, at, figures.end(), tie) else 0
    if app := _OF_APP.match(text, at):
        is_tied = "-" in app[0] or tie != "bare"
        return app.end() if is_tied and STOP.isdisjoint(re.split("[ -]", app[0])) else 0
    if tie != "bare" and (phrase := _phrase(text, at)):
        return phrase
    if is_mixed(value, tie=tie):
        return end
    if tie == "bare" or not _CLAUSE_END.match(text, end):
        return 0
    if value.count("-") >= 2 and tie == "sign" and len(value) >= 8:
        return end if is_word(value.replace("-", "")) else 0
    if _ABOUT_NAMES.search(text, max(at - 30, 0), at):
        return 0
    is_told = value[:1].islower() or _CAPITALISED.search(text[max(at - 48, 0) : at])
    return end if is_told and is_word(value) else 0


def _tells_of_figures(text: str, at: int, end: int, tie: str) -> bool:
    """Return whether figures after a name of passwords are one."""
    before = text[max(at - 40, 0) : at]
    if _OF_OTHER.search(before) or (tie == "bare" and before[-2:].isascii()):
        return False
    return not text[end : end + 1].isascii() or _CLAUSE_END.match(text, end) is not None


def _phrase(text: str, at: int) -> int:
    """Return the end of the words of a phrase that follow its name, 0 if none do."""
    if not _OF_PHRASE.search(text, max(at - 48, 0), at):
        return 0
    words = _PHRASE.match(text, at, at + 200)
    if not words or not is_phrase(words[0]):
        return 0
    return words.end()


def is_mixed(value: str, *, tie: str) -> bool:
    """Return whether no sentence has the value as one of its words."""
    if len(value) < 4 or is_filler(value) or _CODE.search(value) or PATH.match(value):
        return False
    folded = value.casefold()
    if (
        _NAMED.search(folded)
        or _FIGURE.fullmatch(value)
        or folded in STOP
        or _COMPOUND.search(folded)
    ):
        return False
    has_both = bool(_DIGIT.search(value) and _LETTER.search(value))
    if tie == "bare":
        is_odd = has_both or _STRONG_INNER.search(value) or _ODD_END.search(value)
        return len(value) >= 8 and bool(is_odd)
    if has_both:
        return len(value) >= 6 or bool(_INNER.search(value))
    if _INNER.search(value):
        return len(value) >= 8 and (tie == "verb" or bool(_STRONG_INNER.search(value)))
    return len(value) >= 10 and tie == "verb" and bool(_HUMP.search(value))


def is_word(value: str) -> bool:
    """Return whether a word of one case may be a password: no word of sentences about them."""
    folded = value.casefold()
    if not value.isalpha() or len(value) < 6 or folded in STOP:
        return False
    return not (_NAMED.search(folded) or _COMPOUND.search(folded))


def _answers(text: str, at: int, end: int, *, is_number: bool) -> Iterator[Span]:
    """Yield the answers to a question for a secret, on the lines that follow it."""
    start = text.rfind("\n", max(at - 200, 0), at) + 1
    stop = text.find("\n", end, end + 200)
    if same := _SAME_LINE.match(text, end):
        speaker = _SPEAKER.match(text, same.end() + 1)
        begin = speaker.end() if speaker else same.end() + 1
        lead = _LEAD.match(text, begin)
        if lead or _ONE_WORD.match(text, begin):
            begin = lead.end() if lead else begin
            yield from said(text, begin, is_number=is_number, tie="bare")
            return
    if stop < 0:
        return
    is_question = _ASKED.search(text, end, stop) is not None or text[
        end : min(end + 40, stop)
    ].rstrip('"}').endswith("?")
    speaker = _SPEAKER.match(text, start, at)
    is_turn = speaker is not None and speaker.end() <= at
    if not (is_question or is_turn):
        return
    for _ in range(3):
        line, stop = stop + 1, text.find("\n", stop + 1, stop + 400)
        stop = stop if stop >= 0 else min(len(text), line + 200)
        speaker = _SPEAKER.match(text, line, stop)
        begin = speaker.end() if speaker else line
        if speaker or is_question:
            lead = _LEAD.match(text, begin, stop)
            begin = lead.end() if lead else begin
            for span in _answer(text, begin, stop, is_number=is_number, is_question=is_question):
                yield span
                return
        if stop >= len(text):
            return


def _answer(
    text: str, begin: int, stop: int, *, is_number: bool, is_question: bool
) -> Iterator[Span]:
    answer = text[begin:stop].rstrip(' "}.').rstrip()
    if is_number:
        number = _NUMERIC.fullmatch(answer)
        if number and sum(map(str.isdigit, answer)) >= 4:
            yield "code", begin, begin + len(answer)
        return
    if pair := _PAIR.search(answer):
        if is_mixed(pair["value"], tie="verb"):
            yield "password", begin + pair.start("value"), begin + pair.end("value")
        return
    if " " not in answer:
        if is_mixed(answer, tie="verb") or (is_question and is_word(answer)):
            yield "password", begin, begin + len(answer)
        return
    for word in WORD.finditer(answer):
        value = word[0].rstrip(ENDS)
        if is_mixed(value, tie="bare"):
            yield "password", begin + word.start(), begin + word.start() + len(value)
            return
