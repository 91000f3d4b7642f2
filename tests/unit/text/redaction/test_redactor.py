"""Marks, laws and nested values."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.errors import InvalidInput
from recollect.text.redaction import MAX_DEPTH, Redactor, redact
from tests.unit.text.redaction.secrets_made_up import ALNUM, SHAPED, run

TOKEN = "ghp_" + run(ALNUM, 36)
REDACTOR = Redactor(b"salt of a home", patterns=[r"\bPX-\d{4}\b", r"badge (\d+)", r"(zz)?y{0}"])

FRAGMENTS = [
    *[secret for _, secret in SHAPED.values()],
    *["<private>", "</private>", "`", '"', "'", "\\", "\\n", "\n", " ", "=", ":", "&", "%3D", "."],
    *["password", "token", "api_key", "secret", "is ", "--password ", "hunter22", ": str ="],
    *["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "authorization: "],
    *["bearer ", "cookie: a=", "curl -u a:", "://u:", "@h", "/", "_", "-", "A", "9", "İ", "密码"],
    *["[redacted:x:aaaaaa]", "[redacted:", "PX-1234", "badge 77", "{", "}", "(", ")", "$", "<"],
    *["| ", "|---|\n", "**Password:** ", "<password>", "</password>", "\u200b", "mysql -p", "pw: "],
    *[
        "kind: Secret\n",
        "data:\n  a: ",
        '"value": "',
        '"name": "',
        ", ",
        "[",
        "]",
        " -b ",
        "; sid=",
    ],
    *["sshpass -p ", "a1b2c3d4e5", "\n  ", " is the ", " == ", "auth", "key=", "?", "---\n", "eyJ"],
]


def test_a_mark_shows_kind_and_a_short_hash() -> None:
    """And the finding where and how much, but nothing of the secret."""
    redacted = REDACTOR.redact(f"use {TOKEN}!")
    (finding,) = redacted.findings
    assert re.fullmatch(r"\[redacted:github-token:[0-9a-f]{6}\]", finding.mark)
    assert redacted.text == f"use {finding.mark}!"
    assert (finding.start, finding.length) == (4, 40)
    assert TOKEN not in repr(redacted)


def test_equal_secrets_have_equal_marks_within_one_home() -> None:
    """They can be linked there, but not between homes."""
    one, two = REDACTOR.redact(f"{TOKEN} {TOKEN}").findings
    assert one.mark == two.mark
    assert Redactor(b"another").redact(TOKEN).findings[0].mark != one.mark
    assert redact(TOKEN).findings[0].mark != one.mark


def test_a_text_without_secrets_is_the_same_text() -> None:
    """Not a copy with changes."""
    text = "Nothing of that kind, İstanbul included."
    assert redact(text).text is text


def test_patterns_of_the_owner_are_taken_out_too() -> None:
    """The first group, or the whole match; matches of nothing are ignored."""
    redacted = REDACTOR.redact("order PX-1234, badge 77")
    order, badge = redacted.findings
    assert redacted.text == f"order {order.mark}, badge {badge.mark}"
    assert order.kind == badge.kind == "pattern"


def test_a_pattern_does_not_eat_the_marks() -> None:
    """Even if it would match what they say."""
    greedy = Redactor(patterns=[r"\w{6,}"])
    once = greedy.redact(f"{TOKEN} and another secret").text
    assert greedy.redact(once).text == once


def test_a_secret_beside_old_marks_is_taken_out() -> None:
    """Before the first, between two and after the last one; the marks stay as they are."""
    mark = "[redacted:x:aaaaaa]"
    redacted = redact(f"{TOKEN} {mark} {TOKEN} {mark} {TOKEN}")
    new = redact(TOKEN).text
    assert redacted.text == f"{new} {mark} {new} {mark} {new}"
    assert len(redacted.findings) == 3


def test_text_after_an_old_mark_is_looked_at() -> None:
    """Regression of a change that no test noticed: also the last character, and none at all."""
    mark = "[redacted:x:aaaaaa]"
    assert redact(mark).text == mark
    assert redact(f"{mark}x").text == f"{mark}x"
    assert TOKEN not in redact(f"<private>a {mark} b</private> {mark}, {TOKEN}").text


@pytest.mark.parametrize("unseen", ["\u200b", "\u200d", "\u00ad", "\u2060", "\ufeff"])
def test_characters_that_nobody_sees_hide_nothing(unseen: str) -> None:
    """They are taken out with the secret, and nowhere else."""
    redacted = redact(f"a{unseen}b pass{unseen}word: sun{unseen}set42 ok")
    (finding,) = redacted.findings
    assert redacted.text == f"a{unseen}b pass{unseen}word: {finding.mark} ok"
    assert redact(f"a{unseen}b").text == f"a{unseen}b"


def test_what_a_mark_brings_to_light_goes_too() -> None:
    """Up to eight times; only a pattern of the owner's can need more."""
    (first, second) = redact(f"{TOKEN[4:8]}://a:b1c2d3@{TOKEN}").findings
    assert (first.kind, second.kind) == ("url-password", "github-token")
    assert len(Redactor(patterns=[r"a(?=\[|$)"]).redact("a" * 20).findings) == 8


def test_a_bad_pattern_or_salt_is_refused() -> None:
    """When the redactor is made, not when the first secret comes by."""
    with pytest.raises(InvalidInput, match="regular expression"):
        Redactor(patterns=["("])
    with pytest.raises(InvalidInput, match="64 bytes"):
        Redactor(bytes(65))


def test_overlapping_finds_become_one_mark() -> None:
    """Of the kind that starts first; of those, of the longest."""
    (finding,) = redact(f"<private>{TOKEN}</private>").findings
    assert finding.kind == "private"
    (finding,) = redact(f"token={TOKEN}").findings
    assert finding.kind == "github-token"
    (finding,) = redact("a <private>password='x1</private>y2z3'").findings
    assert finding.length == len("<private>password='x1</private>y2z3")


def test_a_lone_surrogate_is_no_obstacle() -> None:
    """The hash needs bytes."""
    assert "\ud83d" not in redact("password='ab\ud83dcd1'").text


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=12).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    """What is stored can be stored again: imports, forks, exports."""
    once = REDACTOR.redact(text)
    assert REDACTOR.redact(once.text).text == once.text


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=12).map("".join))
def test_what_is_left_is_the_text_between_the_finds(text: str) -> None:
    """The findings account for every change."""
    redacted = REDACTOR.redact(text)
    rebuilt, position = "", 0
    for finding in redacted.findings:
        assert finding.start >= position
        rebuilt += text[position : finding.start] + finding.mark
        position = finding.start + finding.length
    assert rebuilt + text[position:] == redacted.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        *["token=", 'secret: "', "-eyJ", "<private>", "-----BEGIN RSA PRIVATE KEY-----", "://a:"],
        *["bearer ", "authorization: ", "ghp_", "sk-ant-", "M" * 24 + ".", "A", "password is "],
        *["cookie: a=", "curl -u a:b ", "machine a login b password ", "--password ", "\\", " "],
        *['password:\\"', "password: str =", "[redacted:x:aaaaaa]", "q3Q~", "1234567890:AA", "-us"],
        *["?key=", "?key=a1b2", "token=a1b2", " -b a=", "a\u200b", "kind: secret\ndata:\n a: b\n"],
        *["password | x\n--|--\n", "|password|\n" + 1_500 * "-" + 1_500 * "|" + "x\n"],
    ],
)
def test_no_text_makes_it_slow(part: str) -> None:
    """300 kB of what each rule likes least; a quadratic rule would take minutes."""
    text = part * (300_000 // len(part))
    assert redact(text).text


def _calls(text: str) -> int:
    """Return how many functions are entered and built-in ones called to redact ``text``."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        redact(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.slow
@given(st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=4).map("".join))
def test_twice_the_text_takes_twice_the_steps(part: str) -> None:
    """Calls are counted, not time; how long a pattern may be, the sizes above tell.

    Both texts are too long for the proof that they are harmless, which costs a handful of calls.
    """
    text = part * (5_000 // len(part) + 1)
    assert _calls(text + text) <= 2.5 * _calls(text) + 500


def test_nested_values_are_redacted_throughout() -> None:
    """Texts by the rules, values of telling keys whole, keys too; the rest is as it was."""
    value = {
        "command": f"deploy --token {TOKEN}",
        "password": "correct horse battery",
        "pin": 1234,
        "list": [1, None, True, ("x", TOKEN)],
        TOKEN: 2.5,
        7: {"api_key": 12},
        "usage": {"input_tokens": 12, "token": "the"},
    }
    mark = REDACTOR.redact(TOKEN).text
    result = REDACTOR.redact_value(value)
    assert isinstance(result, dict)
    password = result.pop("password")
    assert re.fullmatch(r"\[redacted:password:[0-9a-f]{6}\]", password)
    assert result == {
        "command": f"deploy --token {mark}",
        "pin": 1234,
        "list": [1, None, True, ["x", mark]],
        mark: 2.5,
        7: {"api_key": 12},
        "usage": {"input_tokens": 12, "token": "the"},
    }
    assert REDACTOR.redact_value({"password": password}) == {"password": password}


def test_a_value_is_secret_by_what_is_above_and_beside_it() -> None:
    """Lists, objects, names, flags and headers; of a header its scheme stays."""
    redact_value = REDACTOR.redact_value
    for value in (
        {"password": ["sunset42"]},
        {"secret": {"value": "sunset42"}},
        {"secret": {"name": "db", "data": [{"raw": "sunset42"}]}},
        {"name": "DB_PASSWORD", "value": "sunset42"},
        {"env": [{"key": "APP_SECRET", "value": "sunset42"}]},
        ["login", "--password", "sunset42"],
        {"Cookie": "lang=en; sid=sunset42"},
        {"auth": "YW5uOnN1bnNldDQy"},
    ):
        assert "sunset42" not in str(redact_value(value))
        assert "YW5u" not in str(redact_value(value))
        assert redact_value(redact_value(value)) == redact_value(value)
    header = redact_value({"Authorization": "Basic YW5uOnN1bnNldDQy"})
    assert str(header).startswith("{'Authorization': 'Basic [redacted:authorization:")


@pytest.mark.parametrize(
    "value",
    [
        {"properties": {"password": {"type": "string"}}},
        {"secret": {"name": "db-credentials", "optional": False}},
        {"name": "DB_HOST", "value": "db.test"},
        {"value": 7, "name": 8},
        ["--password", "-p"],
        ["--verbose", "sunset42"],
        ["-p", 7, "x"],
        {"Authorization": "as you like it"},
        {"Cookie": "lang=en; theme=dark"},
        {"required": ["user", "password"]},
    ],
)
def test_values_beside_other_names_stay(value: object) -> None:
    """Schemas, references and arguments are full of telling words."""
    assert REDACTOR.redact_value(value) == value


def test_more_short_texts_than_it_remembers_do_no_harm() -> None:
    """What was looked at is forgotten then, not the secret."""
    for number in range(5_000):
        assert REDACTOR.redact_value(f"text {number}") == f"text {number}"
    assert TOKEN not in str(REDACTOR.redact_value(TOKEN))


@pytest.mark.parametrize(
    "wrap", [lambda inner: [inner], lambda inner: {"key": inner}, lambda inner: {7: inner}]
)
def test_a_value_nested_without_end_is_refused(wrap: Callable[[object], object]) -> None:
    """Instead of a stack overflow; lists and mappings are a level each."""
    value: object = TOKEN
    for _ in range(MAX_DEPTH):
        value = wrap(value)
    assert TOKEN not in str(REDACTOR.redact_value(value))
    with pytest.raises(InvalidInput, match="levels deep"):
        REDACTOR.redact_value(wrap(value))


OBJECTS = st.dictionaries(
    st.sampled_from(["name", "key", "value", "text", "password", "api_key", "line", "usage", "x"]),
    st.recursive(
        st.sampled_from([*FRAGMENTS, "plain words", "DB_PASSWORD", "--token", "sunset42", TOKEN])
        | st.none()
        | st.integers(0, 99_999)
        | st.tuples(st.just("x")),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(["name", "data", "secret", "b", "Key"]), inner)
        ),
        max_leaves=8,
    ),
)


@given(st.lists(OBJECTS, min_size=1, max_size=4))
def test_an_object_that_is_proven_harmless_is_what_a_walk_makes_of_it(values: list[object]) -> None:
    """With a pattern of the owner's, even one that finds nothing, nothing is proven together."""
    proving, walking = Redactor(b"salt"), Redactor(b"salt", patterns=[r"(?!)"])
    for value in values:
        assert proving.redact_value(value) == walking.redact_value(value)


def test_more_keys_than_it_remembers_do_no_harm() -> None:
    """Objects whose keys are ids are common."""
    redactor = Redactor(b"salt")
    for number in range(5_000):
        assert redactor.redact_value({f"key {number}": 1}) == {f"key {number}": 1}
    assert TOKEN not in str(redactor.redact_value({"key 7": TOKEN}))


def test_an_object_of_many_levels_or_strange_keys_is_walked() -> None:
    """What cannot be proven at once is looked at value by value, and too deep a one is refused."""
    redactor = Redactor(b"salt")
    value: object = {7: "words", "many": [{"a": 1}] * (MAX_DEPTH + 1), "list": [{"b": TOKEN}]}
    redacted = redactor.redact_value(value)
    assert TOKEN not in str(redacted)
    assert isinstance(redacted, dict)
    assert len(redacted["many"]) == MAX_DEPTH + 1
    no_json = object()
    assert redactor.redact_value({"a": no_json}) == {"a": no_json}
    deep: object = "words"
    for _ in range(MAX_DEPTH + 1):
        deep = {"a": deep}
    with pytest.raises(InvalidInput, match="levels deep"):
        redactor.redact_value(deep)
