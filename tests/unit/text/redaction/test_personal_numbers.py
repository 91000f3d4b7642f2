"""Personal numbers: those with a right check go where the owner asks for it, all others stay."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.text.redaction import Recognised, Redactor
from recollect.text.redaction.personal_numbers import IBAN_CHARS, NUMBERS, NumberRule

ALL = Redactor(b"salt", kinds=["cards", "iban", "national-ids"])
ONE = {kind: Redactor(b"salt", kinds=[kind]) for kind in ("cards", "iban", "national-ids")}
MARK = re.compile(r"\[redacted:(?:card|iban|national-id):[0-9a-f]{6}\]")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CARRIERS = (
    "The {name} is {number}, please check it.",
    '{{"id": 7, "{name}": "{number}", "ok": true}}',
    "2026-11-24T01:50:11.204Z INFO pay {name}={number} took=12ms",
)
BEGINNINGS = ("4", "51", "2221", "2720", "34", "37", "36", "6011", "3528", "62", "6759", "2200")
LENGTHS = {"34": (15,), "37": (15,), "36": (14,), "4": (13, 16, 19), "62": (16, 19), "6759": (13,)}


def grouped(digits: str, sign: str, *sizes: int) -> str:
    """Return digits in groups; the last size comes again and again."""
    groups, at = list[str](), 0
    while at < len(digits):
        size = sizes[min(len(groups), len(sizes) - 1)]
        groups.append(digits[at : at + size])
        at += size
    return sign.join(groups)


def digits(length: int) -> st.SearchStrategy[str]:
    """Make runs of digits."""
    return st.text("0123456789", min_size=length, max_size=length)


@st.composite
def cards(draw: st.DrawFn) -> tuple[str, str]:
    """Make a card as people write it, the last digit by the sum of Luhn."""
    begin = draw(st.sampled_from(BEGINNINGS))
    length = draw(st.sampled_from(LENGTHS.get(begin, (16,))))
    body = begin + draw(digits(length - len(begin) - 1))
    table = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
    total = sum(
        table[int(sign)] if position % 2 == 0 else int(sign)
        for position, sign in enumerate(body[::-1])
    )
    number = body + str(-total % 10)
    by_issuer = (4, 6, 5) if length in {14, 15} else (4,)
    return "card", draw(st.sampled_from([number, *(grouped(number, s, *by_issuer) for s in " -")]))


@st.composite
def ibans(draw: st.DrawFn) -> tuple[str, str]:
    """Make an IBAN of any country, in one run or in fours."""
    country = draw(st.sampled_from(sorted(IBAN_CHARS)))
    length = IBAN_CHARS[country] - 4
    # The bank is told in digits everywhere, or by four letters and then digits.
    body = draw(digits(length - 6)) + draw(st.text("0123456789" + LETTERS, min_size=6, max_size=6))
    as_number = "".join(str(int(sign, 36)) for sign in body + country)
    number = f"{country}{98 - int(as_number + '00') % 97:02}{body}"
    return "ref", draw(st.sampled_from([number, number.lower(), grouped(number, " ", 4)]))


@st.composite
def steuer_ids(draw: st.DrawFn) -> tuple[str, str]:
    """Make one digit come twice, one never, and the check by ISO 7064."""
    order = draw(st.permutations("0123456789"))
    body = [*order[:9], order[0]]
    if body[0] == "0":
        body = [*body[1:], "0"]
    if body[0] == "0":
        body = [order[1], *"0", *order[2:9], "0"]
    product = 10
    for sign in body:
        total = (int(sign) + product) % 10
        product = (total or 10) * 2 % 11
    check = 11 - product
    number = "".join(body) + str(0 if check == 10 else check)
    spaced = f"{number[:2]} {number[2:5]} {number[5:8]} {number[8:]}"
    return draw(st.sampled_from([("Steuer-ID", number), ("idnr", number), ("ref", spaced)]))


@st.composite
def nirs(draw: st.DrawFn) -> tuple[str, str]:
    """Make one of the mainland or Corsica."""
    begin = f"{draw(st.sampled_from('12'))}{draw(digits(2))}{draw(st.integers(1, 12)):02}"
    department = draw(st.sampled_from(["75", "13", "2A", "2B"]))
    rest = draw(digits(6))
    counted = begin + {"2A": "19", "2B": "18"}.get(department, department) + rest
    key = f"{97 - int(counted) % 97:02}"
    parts = (begin[0], begin[1:3], begin[3:], department, rest[:3], rest[3:], key)
    return "ref", draw(st.sampled_from(["".join(parts), " ".join(parts)]))


@st.composite
def dnis(draw: st.DrawFn) -> tuple[str, str]:
    """Make a DNI or a NIE."""
    number = draw(st.integers(0, 99_999_999))
    foreign = draw(st.sampled_from(["", "X", "Y", "Z"]))
    if foreign:
        number = "XYZ".index(foreign) * 10_000_000 + number % 10_000_000
    letter = "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]
    body = foreign + (f"{number % 10_000_000:07}" if foreign else f"{number:08}")
    return "ref", draw(st.sampled_from([body + letter, f"{body}-{letter}"]))


@st.composite
def bsns(draw: st.DrawFn) -> tuple[str, str]:
    """Make one that passes the test of eleven."""
    body = draw(digits(8).filter(lambda body: int(body) > 0 and eleven(body) < 10))
    number = body + str(eleven(body))
    dotted = f"{number[:4]}.{number[4:6]}.{number[6:]}"
    return draw(st.sampled_from([("BSN", number), ("ref", dotted)]))


def eleven(body: str) -> int:
    """Return the last digit of a BSN, or ten."""
    return sum((9 - position) * int(sign) for position, sign in enumerate(body)) % 11


@st.composite
def pesels(draw: st.DrawFn) -> tuple[str, str]:
    """Make one of a day in one of five centuries."""
    century, month = draw(st.sampled_from([80, 0, 20, 40, 60])), draw(st.integers(1, 12))
    day = draw(st.integers(1, 28))
    body = f"{draw(digits(2))}{century + month:02}{day:02}{draw(digits(4))}"
    total = sum(int(sign) * (1, 3, 7, 9)[position % 4] for position, sign in enumerate(body))
    return "pesel", f"{body}{-total % 10}"


@st.composite
def cpfs(draw: st.DrawFn) -> tuple[str, str]:
    """Make both check digits, as the tax office tells it."""
    number = draw(digits(9).filter(lambda body: len(set(body)) > 1))
    for first in (10, 11):
        total = sum((first - position) * int(sign) for position, sign in enumerate(number))
        number += str(0 if total % 11 < 2 else 11 - total % 11)
    dotted = f"{number[:3]}.{number[3:6]}.{number[6:9]}-{number[9:]}"
    return draw(st.sampled_from([("cpf", number), ("ref", dotted)]))


@st.composite
def codici(draw: st.DrawFn) -> tuple[str, str]:
    """Make a codice fiscale; the check is told in two tables by letters and digits."""
    name = draw(st.text(LETTERS, min_size=6, max_size=6))
    month = draw(st.sampled_from("ABCDEHLMPRST"))
    body = f"{name}{draw(digits(2))}{month}{draw(digits(2))}{draw(st.sampled_from('AFHL'))}"
    body += draw(digits(3))
    odd = "BAKPLCQDREVOSFTGUHMINJWZYX"
    total = 0
    for position, sign in enumerate(body):
        value = int(sign) if sign.isdigit() else LETTERS.index(sign)
        total += odd.index(LETTERS[value]) if position % 2 == 0 else value
    number = body + LETTERS[total % 26]
    return "ref", draw(st.sampled_from([number, number.lower()]))


@st.composite
def ssns(draw: st.DrawFn) -> tuple[str, str]:
    """Make one that the office may have given; it has no check."""
    area = draw(st.integers(1, 899).filter(lambda area: area != 666))
    parts = (f"{area:03}", f"{draw(st.integers(1, 99)):02}", f"{draw(st.integers(1, 9999)):04}")
    return draw(st.sampled_from([("ssn", "".join(parts)), ("ref", "-".join(parts))]))


@st.composite
def ninos(draw: st.DrawFn) -> tuple[str, str]:
    """Make one of an allowed prefix; it has no check."""
    prefix = draw(st.sampled_from(["AB", "CE", "JM", "PX", "SW"]))
    body, last = draw(digits(6)), draw(st.sampled_from("ABCD"))
    spaced = f"{prefix} {body[:2]} {body[2:4]} {body[4:]} {last}"
    return draw(st.sampled_from([("NINO", f"{prefix}{body}{last}"), ("ref", spaced)]))


CHECKED = {
    "card": ("cards", cards()),
    "iban": ("iban", ibans()),
    "steuer": ("national-ids", steuer_ids()),
    "nir": ("national-ids", nirs()),
    "dni": ("national-ids", dnis()),
    "codice": ("national-ids", codici()),
    "bsn": ("national-ids", bsns()),
    "pesel": ("national-ids", pesels()),
    "cpf": ("national-ids", cpfs()),
}
VALID = CHECKED | {"ssn": ("national-ids", ssns()), "nino": ("national-ids", ninos())}


@pytest.mark.parametrize("which", VALID)
@given(data=st.data())
def test_every_valid_number_is_found_in_prose_json_and_a_log(
    which: str, data: st.DataObject
) -> None:
    """It goes whole, alone, and for good; as the value of a key, too."""
    chosen_by, numbers = VALID[which]
    name, number = data.draw(numbers)
    for redactor in (ONE[chosen_by], ALL):
        for carrier in CARRIERS:
            text = carrier.format(name=name, number=number)
            redacted = redactor.redact(text).text
            assert MARK.sub(number, redacted) == text
            assert number not in redacted
            assert redactor.redact(redacted).text == redacted
        assert MARK.fullmatch(redactor.redact_value({"a": [{name: number}]})["a"][0][name])  # type: ignore[index]
        escaped = json.dumps({"text": f"said\n{name} {number}\n"})
        assert number not in redactor.redact(escaped).text


@pytest.mark.parametrize("which", CHECKED)
@given(data=st.data())
def test_a_number_with_a_wrong_check_stays(which: str, data: st.DataObject) -> None:
    """One sign beside the right one is enough."""
    chosen_by, numbers = CHECKED[which]
    name, number = data.draw(numbers)
    position = number.index(number.lstrip(LETTERS + LETTERS.lower())[0]) if which == "iban" else -1
    wrong = list(number)
    wrong[position] = beside(number[position])
    for carrier in CARRIERS:
        text = carrier.format(name=name, number="".join(wrong))
        assert ONE[chosen_by].redact(text).text == text
    assert ONE[chosen_by].redact_value({name: "".join(wrong)}) == {name: "".join(wrong)}


def beside(sign: str) -> str:
    """Return another sign of the same kind."""
    if sign.isdigit():
        return str((int(sign) + 1) % 10)
    letters = "TRWAGMYFPDXBNJZSQVHLCKE"
    other = LETTERS[(LETTERS.index(sign.upper()) + 1) % 26]
    other = next(each for each in (other, "T", "R") if each in letters and each != sign.upper())
    return other if sign.isupper() else other.lower()


PHONES = st.one_of(
    st.builds("+{}".format, st.integers(10**9, 10**13 - 1)),
    st.builds("+1 ({}) 555-0{}".format, st.integers(200, 999), st.integers(100, 199)),
    st.builds("0{} {}".format, st.integers(150, 179), st.integers(10**6, 10**8)),
    st.builds("{:03}-555-{:04}".format, st.integers(200, 999), st.integers(0, 9_999)),
)
ORDERS = st.one_of(
    st.builds("ORD-{}-{:06}".format, st.integers(2_000, 2_040), st.integers(0, 999_999)),
    st.builds("#{}".format, st.integers(1, 10**11)),
    st.builds("{:03}-{:07}-{:07}".format, *(st.integers(100, 999 * 10**n) for n in (0, 4, 4))),
    st.builds("INV/{}/{:05}".format, st.integers(2_000, 2_040), st.integers(0, 99_999)),
    st.builds("PO {}".format, st.integers(4_500_000_000, 4_599_999_999)),
)
TIMES = st.integers(10**12, 2 * 10**12 - 1)


@given(
    other=st.one_of(
        TIMES.map(str),
        TIMES.map(lambda ms: str(ms * 1_000)),
        st.uuids().map(str),
        st.uuids().map(lambda it: str(it).upper()),
        PHONES,
        ORDERS,
    )
)
def test_times_uuids_telephones_and_orders_stay(other: str) -> None:
    """With all kinds, in all carriers, under keys and as numbers."""
    for name in ("id", "phone", "created_at"):
        for carrier in CARRIERS:
            text = carrier.format(name=name, number=other)
            assert ALL.redact(text).text == text
        assert ALL.redact_value({name: [other]}) == {name: [other]}


@given(ms=TIMES)
def test_times_stay_numbers(ms: int) -> None:
    """The type of what is left does not change."""
    assert ALL.redact_value({"at": ms, "all": [ms, True, None, 1.5]}) == {
        "at": ms,
        "all": [ms, True, None, 1.5],
    }


@given(text=st.text("0123456789 -.,:/+XABsn\n[]card", max_size=60))
def test_redacting_again_changes_nothing(text: str) -> None:
    """A mark ends what was before it, and names nothing that follows."""
    once = ALL.redact(text).text
    assert ALL.redact(once).text == once


def test_numbers_of_json_are_found() -> None:
    """A program may write a card without quotes; what is left keeps its type."""
    value = {"amount": 1200, "pan": 4111111111111111, "list": [378282246310005], "ssn": 78051120}
    redacted = ALL.redact_value(value)
    assert isinstance(redacted, dict)
    assert MARK.fullmatch(redacted["pan"])
    assert MARK.fullmatch(redacted["list"][0])
    assert (redacted["amount"], redacted["ssn"]) == (1200, 78051120), "a zero is missing"


def test_a_name_beside_a_value_tells_too() -> None:
    """As an object of a form, a list under a key, and a flag before it."""
    form = {"fields": [{"name": "ssn", "value": "078051120"}], "bsn": ["111222333"]}
    redacted = json.dumps(ALL.redact_value({**form, "run": ["pay", "--pesel", "44051401359"]}))
    assert len(MARK.findall(redacted)) == 3


def test_the_end_of_another_field_names_nothing() -> None:
    """An empty field stands before the telephone."""
    for text in ('{"ssn": null, "phone": "555123456"}', "ssn= phone=555123456", "bsn, 111222334"):
        assert ALL.redact(text).text == text


def test_what_a_word_named_once_is_known_without_it() -> None:
    """In the rest of the session; as a secret is."""
    recognised = Recognised(b"salt")
    ALL.redact("her SSN is 078051120", recognised)
    assert ALL.redact("stored 078051120", recognised).text.startswith(
        "stored [redacted:national-id:"
    )


def test_nothing_is_looked_for_that_nobody_asked_for() -> None:
    """Nor is the table read."""
    text = "4111 1111 1111 1111 DE89370400440532013000 078-05-1120"
    assert Redactor().redact(text).text == text
    assert ONE["iban"].redact(text).text.startswith("4111 1111 1111 1111 [redacted:iban:")
    code = (
        "import sys; from recollect.text.redaction import redact; redact('ssn: 078-05-1120');"
        "sys.exit('recollect.text.redaction.personal_numbers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "text", ["\u212aB 12 34 56 C", "\u0131T60X0542811101000000123456", "４111111111111111"]
)
def test_signs_that_only_look_alike_do_no_harm(text: str) -> None:
    """Letters that Unicode folds to ASCII, and digits of other scripts."""
    assert ALL.redact(text).text == text


@pytest.mark.parametrize("rule", NUMBERS, ids=lambda rule: rule.name)
def test_a_row_finds_its_example_and_leaves_its_counterexample(rule: NumberRule) -> None:
    """The number goes, whole, and nothing beside it."""
    before, number, after = re.split("[«»]", rule.example)
    redacted = ONE[rule.chosen_by].redact(before + number + after).text
    assert MARK.sub("", redacted) == before + after
    assert re.search(rule.looks_for, before + number + after)
    assert ALL.redact(rule.counterexample).text == rule.counterexample


def test_no_two_rows_have_one_name() -> None:
    """A name, a row."""
    assert len({rule.name for rule in NUMBERS}) == len(NUMBERS)
