"""Credentials that are known by their look alone."""

from __future__ import annotations

import base64
import json

import pytest

from recollect.text.redaction import redact
from recollect.text.redaction.credentials import find_credentials
from tests.unit.text.redaction.secrets_made_up import ALNUM, HEX, LOWER, SHAPED, run

CARRIERS = (
    "{}",
    "use {} for it",
    '"{}"',
    "`{}`,",
    "({})",
    "first line\n{}\nlast line",
    "first line\\n{}\\nlast line",
    "https://example.org/?k={}&page=2",
    "value%3D{}",
    "see {}.",
    "绿茶{}绿茶",
)


@pytest.mark.parametrize("name", SHAPED)
def test_a_credential_is_found_wherever_it_stands(name: str) -> None:
    """In prose, JSON, code, URLs and escapes, by its kind and to its end."""
    kind, secret = SHAPED[name]
    for carrier in CARRIERS:
        redacted = redact(carrier.format(secret))
        assert [finding.kind for finding in redacted.findings] == [kind], carrier
        assert secret not in redacted.text
        assert redacted.text == carrier.format(redacted.findings[0].mark)


@pytest.mark.parametrize("name", SHAPED)
def test_a_credential_is_found_inside_base64(name: str) -> None:
    """Kubernetes secrets, headers and copied blobs hold them so."""
    _, secret = SHAPED[name]
    packed = base64.b64encode(f"the value is {secret} here".encode()).decode()
    assert redact(f"data: {packed} end").text.count("[redacted:") == 1


@pytest.mark.parametrize("name", SHAPED)
def test_a_credential_is_found_in_json_of_json(name: str) -> None:
    """Tool outputs are quoted twice."""
    _, secret = SHAPED[name]
    text = json.dumps({"out": json.dumps({"line": f"a\n{secret}\n"})})
    assert secret not in redact(text).text


@pytest.mark.parametrize("name", SHAPED)
def test_a_credential_is_found_glued_to_its_option(name: str) -> None:
    """As `curl -u` and `mysql -p` take it; the option stays."""
    kind, secret = SHAPED[name]
    for before in ("curl -u", "-H", "run\t-T", '["-u', "(`-t"):
        redacted = redact(before + secret)
        assert redacted.text == before + redacted.findings[0].mark
        assert {finding.kind for finding in redacted.findings} <= {kind, "cookie"}


def test_the_shortest_credential_is_found() -> None:
    """Thirteen characters, the fewest of any row."""
    assert redact("key AKC" + run(ALNUM, 10)).text.startswith("key [redacted:artifactory-key:")


def test_a_webhook_is_found_in_its_address() -> None:
    """What comes before its fixed part is another word."""
    kind, secret = SHAPED["discord hook"]
    redacted = redact("https://hooks.example.com" + secret)
    assert [finding.kind for finding in redacted.findings] == [kind]
    assert redacted.text == "https://hooks.example.com" + redacted.findings[0].mark


@pytest.mark.parametrize("name", SHAPED)
def test_the_middle_of_a_word_is_no_credential(name: str) -> None:
    """Else Base64 would be full of them."""
    kind, secret = SHAPED[name]
    if secret[0].isalnum():
        assert kind not in [each for each, _, _ in find_credentials("x" + secret, "x" + secret)]


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn-contrib-and-other-long-names-of-packages",
        "sk-" + run("abcdefghijklmnopqrstuvwxyz", 40),
        "ghp_short",
        "the AKIA prefix",
        "SG.1.2",
        "key-value-store",
        "pa-" + "word-" * 9,
        "eyJhbGciOiJIUzI1NiJ9",
        "commit " + run(HEX, 40),
        "sha256:" + run(HEX, 64),
        "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "twilio account AC" + run(HEX, 32),
        "SK" + run(HEX, 31),
        "SK" + run(HEX, 33),
        "re_" + run(ALNUM, 6),
        "AKC" + run(ALNUM, 9),
        "AKCJONARIUSZAMI i AKCEPTOWANYCH",
        "a-ughp_" + run(ALNUM, 36),
    ],
)
def test_what_only_resembles_a_credential_stays(text: str) -> None:
    """Package names, digests, ids and prefixes that people talk about."""
    assert redact(text).text == text


@pytest.mark.parametrize("place", [0, 20, 24])
def test_every_word_of_a_long_text_is_looked_at(place: int) -> None:
    """The first and the last too, when the long words are searched all at once."""
    _, secret = SHAPED["ghp"]
    words = [run(LOWER, 16)] * 24
    words.insert(place, secret)
    redacted = redact(" ".join(words))
    (finding,) = redacted.findings
    words[place] = finding.mark
    assert redacted.text == " ".join(words)


@pytest.mark.parametrize(
    ("secret", "after"),
    [
        ("ghp_" + run(ALNUM, 30) + "\n" + run(ALNUM, 6), " then"),
        ("sk-ant-api03-" + run(ALNUM, 60) + "\n  " + run(ALNUM, 35), ""),
        ("sk-ant-api03-" + run(ALNUM, 60), "\nthe next line"),
        ("ghp_" + run(ALNUM, 36), "\nabc123"[:5]),
    ],
)
def test_a_wrapped_credential_goes_with_its_end(secret: str, after: str) -> None:
    """A terminal breaks long lines; a word below is not its end."""
    redacted = redact(f"use {secret}{after}")
    (finding,) = redacted.findings
    assert redacted.text == f"use {finding.mark}{after}"


def test_a_beginning_above_a_line_is_no_credential() -> None:
    """Both lines together must be one."""
    for text in ("ghp_" + run(ALNUM, 20) + "\nabcdef", "ghp_\n" + run(ALNUM, 36)):
        assert redact(text).text == text


def test_a_credential_that_touches_a_mark_goes() -> None:
    """What stands beside it was redacted, this was not; other brackets are no marks."""
    _, secret = SHAPED["ghp"]
    mark = "[redacted:pattern:0a1b2c]"
    for text in (f"{mark}{secret}", f"{secret}{mark}", f"{mark}{secret}{mark}"):
        assert redact(text).text == text.replace(secret, redact(secret).text)
    assert secret not in redact(f"list[0]{secret}").text
