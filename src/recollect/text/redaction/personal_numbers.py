r"""The table of personal numbers: cards, IBANs and national ids, for owners who ask for them.

A number counts where its check digits are right. One whose check says little, or that has none,
must stand as people write it (``078-05-1120``) or beside a word that names it (``SSN 078051120``):
of eleven random digits one in fifty is a valid PESEL. A part of a longer number or id does not
count.

Sources: ISO/IEC 7812 and the issuers' pages (cards), the IBAN registry of SWIFT, and the pages of
the authorities that give the ids.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping

from recollect.text.redaction.blocks import Span
from recollect.text.redaction.rules import Rule

_SEPARATOR = "[ \u00a0\u2009\u202f\u2010\u2011\u2013-]"
_BEGUN = r"(?:(?<![\w+].)|(?<=\\[nrt].)|(?<=^\+.)|(?<=\n\+.))(?<![0-9][.,:/-].)(?<![A-Za-z]-.)"
"""After the first sign of a number, by which a search is fast: not within another one. A plus
is before numbers of telephones, and before lines of a diff."""
_ENDS = r"(?!\w|[.,:/-][0-9]|-[A-Za-z])"
_JOINED = re.compile(r"[\W_]+")
_WINDOW = 64
_GATE = re.compile(rf"[0-9](?:(?:{_SEPARATOR}|\.)?[0-9]){{5}}|[0-9]{{2}}[A-Ta-t][0-9L-Vl-v]{{2}}")
"""A pattern in every number: six digits in a row, or the date of a codice fiscale."""
_NAMED = (
    r"(?:(?<![A-Za-z])|(?<=[a-z])(?=[A-Z])|(?<=\\[nrt]))(?i:{words})(?:s(?![A-Za-z])|(?![a-z]))"
    r"[^\n\d\],;:=]{{0,24}}(?:(?:::?|=>|:=|=)[^\n\d\],;:=]{{0,8}}|,[ ]?[\"']?)?$"
)
"""Before a number. No sign that ends a value, and no mark, is between."""
_NAMES_IT = (
    r"[\"'`*]{{0,3}}(?:[ ](?:is|was|ist|war|es|est|è|é|to)(?:[ ][^\W\d]{{2,8}}){{0,2}}?[ ]|[ ]?\()"
    r"(?i:{words})(?![^\W\d_])"
)


class NumberRule(Rule, frozen=True):
    """A number that names a person or their account; the expression is for a text as it is."""

    kind: str
    chosen_by: str
    """The value of ``privacy.kinds`` that asks for it."""
    is_valid: Callable[[str], bool]
    """Whether letters and digits alone, in upper case, have the right check."""
    stands_alone: Callable[[str], bool]
    """Whether it is one without a word that names it, as it is written."""
    pattern: re.Pattern[str]
    named: re.Pattern[str] | None
    """The words that name it, to the end of the text before the number."""
    names_it: re.Pattern[str] | None
    """The words, from the beginning of what follows."""


# Cards

_ISSUERS = tuple(
    (name, re.compile(begins), lengths)
    for name, begins, lengths in (
        ("Visa", "4", (13, 16, 19)),
        ("Mastercard", "5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720", (16,)),
        ("American Express", "3[47]", (15,)),
        ("Diners Club", "30[0-5]|3095|3[689]", (14, 15, 16, 17, 18, 19)),
        ("Discover", "6011|64[4-9]|65", (16, 17, 18, 19)),
        ("JCB", "352[89]|35[3-8]", (16, 17, 18, 19)),
        ("UnionPay", "62|81", (16, 17, 18, 19)),
        (
            "Maestro",
            "5018|5020|5038|5893|6304|6759|676[1-3]",
            (13, 14, 15, 16, 17, 18, 19),
        ),
        ("Mir", "220[0-4]", (16, 17, 18, 19)),
        ("Dankort", "5019", (16,)),
        ("Elo and Hipercard", "5067|636[23]|6062", (16,)),
        ("RuPay", "60|82|508", (16,)),
        ("Troy", "9792", (16,)),
        ("Verve", "506[01]|507[89]", (16, 18, 19)),
    )
)
_CARD = (
    rf"[2-689]{_BEGUN}\d{{3}}(?:"
    rf"(?P<four>{_SEPARATOR})\d{{4}}(?P=four)\d{{4}}(?P=four)\d{{1,4}}(?:(?P=four)\d{{1,3}})?"
    rf"|(?P<six>{_SEPARATOR})\d{{6}}(?P=six)\d{{4,5}}"
    r"|\d{9,15})"
)


def _is_card(number: str) -> bool:
    """Return whether an issuer has such numbers, and the sum of Luhn is right."""
    if not any(len(number) in lengths and begins.match(number) for _, begins, lengths in _ISSUERS):
        return False
    doubled = sum(sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2])
    return (doubled + sum(map(int, number[-1::-2]))) % 10 == 0


def _is_usual_card(number: str) -> bool:
    """Return whether it has separators or 14 to 16 digits: codes of goods have 13 or more."""
    return not number.isdecimal() or 14 <= len(number) <= 16


# Accounts

IBAN_CHARS: Mapping[str, int] = {
    country: int(length)
    for length, countries in (
        line.split(":")
        for line in (
            "15:NO",
            "16:BE",
            "18:DK FI FK FO GL NL SD",
            "19:MK SI",
            "20:AT BA EE KZ LT LU MN XK",
            "21:CH HR LI LV",
            "22:BG BH CR DE GB GE IE ME RS VA",
            "23:AE GI IL IQ OM SO TL",
            "24:AD CZ ES MD PK RO SA SE SK TN VG",
            "25:LY PT ST",
            "26:IS TR",
            "27:BI DJ FR GR IT MC MR SM",
            "28:AL AZ BY CY DO GT HN HU LB NI PL SV",
            "29:BR EG PS QA UA",
            "30:JO KW MU YE",
            "31:MT SC",
            "32:LC",
            "33:RU",
        )
    )
    for country in countries.split()
}
"""Letters and digits of an IBAN by its country."""


def _iban_pattern() -> str:
    by_length: defaultdict[int, list[str]] = defaultdict(list)
    for country, length in IBAN_CHARS.items():
        by_length[length].append(f"(?<={country[0]}){country[1]}")
    bodies = (
        rf"(?:{'|'.join(codes)}){_SEPARATOR}?\d\d(?:{_SEPARATOR}?[A-Z0-9]){{{length - 4}}}"
        for length, codes in by_length.items()
    )
    return rf"[A-Za-z](?=[A-Za-z]{_SEPARATOR}?\d\d){_BEGUN}(?i:{'|'.join(bodies)})"


def _is_iban(number: str) -> bool:
    return int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1


# National ids


def _weighted(number: str, weights: Collection[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(number, weights, strict=False))


def _is_ssn(number: str) -> bool:
    """Return whether it may have been given; it has no check digit."""
    return (
        number[:3] not in {"000", "666"}
        and number[0] != "9"
        and int(number[3:5]) > 0 < int(number[5:])
    )


def _is_nino(number: str) -> bool:
    return number[:2] not in {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"}


def _is_steuer_id(number: str) -> bool:
    """Return whether one of ten digits comes twice or thrice, and ISO 7064 mod 11, 10 is right."""
    times = sorted(map(number[:10].count, set(number[:10])))
    if number[0] == "0" or times[-1] not in {2, 3} or times[-2] != 1:
        return False
    product = 10
    for digit in number[:10]:
        product = 2 * ((int(digit) + product) % 10 or 10) % 11
    return (11 - product) % 10 == int(number[10])


def _is_nir(number: str) -> bool:
    """Return whether the month is one, or one of those for unknown ones, and the key is right."""
    month = int(number[3:5])
    digits = number[:13].replace("2A", "19").replace("2B", "18")
    return (1 <= month <= 12 or 20 <= month <= 42 or month >= 50) and 97 - int(digits) % 97 == int(
        number[13:]
    )


def _is_usual_nir(number: str) -> bool:
    return not number.isalnum() or (number[0] in "12" and 1 <= int(number[3:5]) <= 12)


def _is_dni(number: str) -> bool:
    digits = number[:-1].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


_ODD = (
    1,
    0,
    5,
    7,
    9,
    13,
    15,
    17,
    19,
    21,
    2,
    4,
    18,
    20,
    11,
    3,
    6,
    8,
    12,
    14,
    16,
    10,
    22,
    25,
    24,
    23,
)
"""The value of a digit, or of a letter, in odd positions of a codice fiscale."""


def _is_codice(number: str) -> bool:
    values = [int(sign) if sign.isdecimal() else ord(sign) - ord("A") for sign in number[:15]]
    total = sum(_ODD[value] for value in values[::2]) + sum(values[1::2])
    return chr(ord("A") + total % 26) == number[15]


def _is_bsn(number: str) -> bool:
    return int(number) > 0 and _weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _is_pesel(number: str) -> bool:
    """Return whether it begins with a date, its century in the month, and the sum is right."""
    month, day = int(number[2:4]) % 20, int(number[4:6])
    is_date = 1 <= month <= 12 and 1 <= day <= 31
    return is_date and _weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _is_cpf(number: str) -> bool:
    """Return whether both check digits are right; eleven equal ones were never given."""
    return len(set(number)) > 1 and all(
        _weighted(number, range(digits + 1, 1, -1)) * 10 % 11 % 10 == int(number[digits])
        for digits in (9, 10)
    )


def _always(_: str) -> bool:
    return True


def _is_separated(number: str) -> bool:
    return not number.isalnum()


def _is_dashed(number: str) -> bool:
    return not number.isalnum() and " " not in number


def _is_upper(number: str) -> bool:
    return number == number.upper()


_SSN_WORDS = r"ssn|ss#|social[ _-]?sec(?:urity)?(?:[ _-]?(?:number|num|nr|no))?"
_NATIONAL = r"national[ _-]?id(?:entity|entification)?"

NUMBERS = tuple(
    NumberRule(
        name,
        form,
        example,
        other,
        kind,
        chosen_by,
        is_valid,
        stands_alone,
        re.compile(form + _ENDS, re.ASCII),
        re.compile(_NAMED.format(words=words)) if words else None,
        re.compile(_NAMES_IT.format(words=words)) if words else None,
    )
    for name, chosen_by, kind, words, form, is_valid, stands_alone, example, other in (
        (
            "payment card",
            "cards",
            "card",
            r"(?:credit|debit|kredit|bank)?[ _-]?(?:card|karte)|carte|tarjeta|cart[ãa]o|carta|kaart"
            r"|karta|pan|visa|maestro|mastercard|unionpay|ccn?",
            _CARD,
            _is_card,
            _is_usual_card,
            "paid with «4111 1111 1111 1111» today",
            "paid with 4111 1111 1111 1112 today",
        ),
        (
            "IBAN",
            "iban",
            "iban",
            "",
            _iban_pattern(),
            _is_iban,
            _always,
            "to «DE89 3704 0044 0532 0130 00» by Friday",
            "to DE88 3704 0044 0532 0130 00 by Friday",
        ),
        (
            "US social security number",
            "national-ids",
            "national-id",
            _SSN_WORDS,
            rf"\d{_BEGUN}\d\d(?P<ssn>{_SEPARATOR}?)\d\d(?P=ssn)\d{{4}}",
            _is_ssn,
            _is_dashed,
            "SSN: «078051120»",
            "order 078051120",
        ),
        (
            "UK national insurance number",
            "national-ids",
            "national-id",
            rf"nino|n\.?i\.?[ _-]?(?:number|no)|nat(?:iona)?l?[ _-]?ins(?:urance)?|{_NATIONAL}",
            rf"(?i:[A-CEGHJ-PR-TW-Z](?=.[ \d-]){_BEGUN}[A-CEGHJ-NPR-TW-Z](?P<nino>[ -]?)"
            r"(?:\d{6}|\d\d[ -]\d\d[ -]\d\d)(?P=nino)[A-D])",
            _is_nino,
            _is_separated,
            "his is «AB 12 34 56 C» then",
            "part AB123456C is sold out",
        ),
        (
            "German Steuer-ID",
            "national-ids",
            "national-id",
            r"steuer[ _-]?(?:id(?:nr)?|ident\w{0,30})|steuerliche identifikationsnummer|id-?nr|tin"
            r"|tax[ _-]?id",
            rf"\d{_BEGUN}\d(?P<steuer>[ \u00a0\u202f]?)\d{{3}}(?P=steuer)\d{{3}}(?P=steuer)\d{{3}}",
            _is_steuer_id,
            _is_separated,
            "meine ist «86 095 742 719», danke",
            "meine ist 86 095 742 718, danke",
        ),
        (
            "French NIR",
            "national-ids",
            "national-id",
            r"nir|s[ée]curit[ée] sociale|n(?:um[ée]ro|[°o]) de s[ée]cu|insee|nss",
            rf"[1-478]{_BEGUN}(?P<nir>[ \u00a0\u202f]?)\d\d(?P=nir)\d\d(?P=nir)"
            r"(?:\d\d|2[AB])(?P=nir)\d{3}(?P=nir)\d{3}[ \u00a0\u202f/-]?\d\d",
            _is_nir,
            _is_usual_nir,
            "ameli: «1 85 05 78 006 084 91»",
            "ameli: 1 85 05 78 006 084 90",
        ),
        (
            "Spanish DNI or NIE",
            "national-ids",
            "national-id",
            "dni|nie|nif|documento",
            rf"[\dX-Zx-z]{_BEGUN}(?:(?<=\d)(?:\d{{7}}|\d\.\d{{3}}\.\d{{3}})"
            r"|(?<=[X-Zx-z])[ -]?\d{7})[ -]?(?i:[A-HJ-NP-TV-Z])",
            _is_dni,
            _is_upper,
            "firmado: «12345678Z»",
            "firmado: 12345678A",
        ),
        (
            "Italian codice fiscale",
            "national-ids",
            "national-id",
            "",
            rf"(?i:[A-Z](?=[A-Z]{{2}}[ ]?[A-Z]{{3}}[ ]?[0-9L-V]){_BEGUN}"
            r"[A-Z]{2}[ ]?[A-Z]{3}[ ]?[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2}[ ]?"
            r"[A-Z][0-9LMNP-V]{3}[A-Z])",
            _is_codice,
            _always,
            "intestato a «RSSMRA85T10A562S».",
            "intestato a RSSMRA85T10A562T.",
        ),
        (
            "Dutch BSN",
            "national-ids",
            "national-id",
            r"bsn|burger[ _-]?service[ _-]?nummer|sofi[ _-]?nummer|persoonsnummer",
            rf"\d{_BEGUN}\d\d"
            r"(?:\d{6}|\.\d{3}\.\d{3}|[ ]\d{3}[ ]\d{3}|\d\.\d\d\.\d{3})",
            _is_bsn,
            _is_dashed,
            "BSN «111222333»",
            "order 111222333",
        ),
        (
            "Polish PESEL",
            "national-ids",
            "national-id",
            "pesel",
            rf"\d{_BEGUN}\d{{10}}",
            _is_pesel,
            _is_separated,
            "PESEL: «44051401359»",
            "PESEL: 44051401358",
        ),
        (
            "Brazilian CPF",
            "national-ids",
            "national-id",
            r"cpf(?:/mf)?|cadastro de pessoas? f[íi]sicas?",
            rf"\d{_BEGUN}\d\d(?P<cpf>\.?)\d{{3}}(?P=cpf)\d{{3}}-?\d\d",
            _is_cpf,
            _is_separated,
            "nota para «529.982.247-25»",
            "nota para 529.982.247-26",
        ),
    )
)
"""The patterns, each row separate."""


class PersonalNumbers:
    """Finds the numbers that the owner asked for.

    Args:
        kinds: Of ``privacy.kinds``: cards, iban, national-ids.
    """

    def __init__(self, kinds: Collection[str]) -> None:
        self._rules = tuple(rule for rule in NUMBERS if rule.chosen_by in kinds)

    def find(self, text: str) -> Iterator[Span]:
        """Yield the numbers of a text, those of one row in its order."""
        if not _GATE.search(text):
            return
        for rule in self._rules:
            for match in rule.pattern.finditer(text):
                number, (start, end) = match[0], match.span()
                if rule.is_valid(_JOINED.sub("", number).upper()) and (
                    rule.stands_alone(number) or _is_named(rule, text, start, end)
                ):
                    yield rule.kind, start, end

    def is_in(self, text: str) -> bool:
        """Return whether a text has such a number."""
        return any(self.find(text))

    def find_under(self, key: str, value: str) -> str | None:
        """Return the kind of a value that is such a number beside its key, or None."""
        line = f"{key}: {value}"
        whole = (len(line) - len(value), len(line))
        return next((kind for kind, *span in self.find(line) if (*span,) == whole), None)

    def tells(self, key: str) -> bool:
        """Return whether a key names such numbers."""
        return any(rule.named and rule.named.search(key) for rule in self._rules)


def _is_named(rule: NumberRule, text: str, start: int, end: int) -> bool:
    if rule.named is None or rule.names_it is None:
        return False
    before = text[max(0, start - _WINDOW) : start]
    return bool(rule.named.search(before) or rule.names_it.match(text, end, end + _WINDOW))
