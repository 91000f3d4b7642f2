"""Private blocks and private keys."""

from __future__ import annotations

import pytest

from recollect.text.redaction import redact

BEGIN = "-----BEGIN RSA PRIVATE " + "KEY-----"
END = "-----END RSA PRIVATE " + "KEY-----"
BODY = "MIIEow/IBAAKC+AQEA\n" * 5


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a {} c"),
        ("a <PRIVATE>b</Private> c", "a {} c"),
        ('a <private reason="x">b</private> c', "a {} c"),
        ("a <private>b\nc</private>", "a {}"),
        ("a <private>b <private>c</private> d</private> e", "a {} e"),
        ("a <private>b <private>c</private> d", "a {}"),
        ("a <private>the rest", "a {}"),
        ("a <private></private> b", "a {} b"),
        ("a </private> <private>b</private>", "a </private> {}"),
    ],
)
def test_a_private_block_goes_with_its_tags(text: str, kept: str) -> None:
    """Nested ones as one; one that is not closed takes the rest."""
    redacted = redact(text)
    (finding,) = redacted.findings
    assert finding.kind == "private"
    assert redacted.text == kept.format(finding.mark)


@pytest.mark.parametrize("mark", ["[redacted:x:aaaaaa]", "[redacted:private-key:0a1b2c]"])
def test_a_block_goes_with_the_old_marks_in_it(mark: str) -> None:
    """Some of it was redacted before it was declared private; the rest is still secret."""
    for block in (f"<private>b {mark} c</private>", f"{BEGIN}\n{BODY}{mark}\n{BODY}{END}"):
        redacted = redact(f"a {block} d")
        assert redacted.text == f"a {redacted.findings[0].mark} d"
        assert len(redacted.findings) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a </private> b",
        "wrap it in `<private>` tags",
        "`<private>` and `</private>`",
        "<privately>b</privately>",
        "private = 1",
    ],
)
def test_talk_about_private_blocks_stays(text: str) -> None:
    """A tag in backticks is no tag, a closing one alone closes nothing."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"a {BEGIN}\n{BODY}{END} b", "a {} b"),
        (f"a {BEGIN}\n{BODY}".rstrip(), "a {}"),
        (f"a {BEGIN}\n{BODY}{END[:-3]}", "a {}"),
        (f'{{"key": "{BEGIN}\\n{BODY}"}}'.replace("+AQEA\n", "AQ\\n"), '{{"key": "{}"}}'),
        (f"{BEGIN}{BEGIN}", "{}"),
        (f"{BEGIN}", "{}"),
        (f"{BEGIN}\n{'A' * 70_000}! {END}", "{}! " + END),
    ],
)
def test_a_private_key_goes_from_header_to_footer(text: str, kept: str) -> None:
    """Or as far as it goes when its end was cut away; also in JSON."""
    redacted = redact(text)
    (finding,) = redacted.findings
    assert finding.kind == "private-key"
    assert redacted.text == kept.format(finding.mark)


def test_the_end_of_a_key_is_looked_for_in_a_part_of_the_text_only() -> None:
    """65,536 characters, END included; a header far above some other key takes nothing with it."""
    body = "!" * (65_536 - len("-----END"))
    redacted = redact(f"{BEGIN}{body}{END} b")
    assert redacted.text == f"{redacted.findings[0].mark} b"
    redacted = redact(f"{BEGIN}{body}!{END} b")
    assert redacted.text == f"{redacted.findings[0].mark}{body}!{END} b"


@pytest.mark.parametrize(
    "kind", ["PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_all_kinds_of_private_keys_are_known(kind: str) -> None:
    """By their headers."""
    text = f"-----BEGIN {kind}-----\nabc\n-----END {kind}-----"
    assert redact(text).text == redact(text).findings[0].mark


def test_the_private_lines_of_a_putty_key_go() -> None:
    """Its public lines stay, and so does the line after."""
    lines = "AAAAgQCb1+Pxe/Q9\n" * 3
    text = "PuTTY-User-Key-File-2: ssh-rsa\nPublic-Lines: 1\nAAAAB3\n{}Private-MAC: 0a1b"
    redacted = redact(text.format(f"Private-Lines: 3\n{lines}"))
    (finding,) = redacted.findings
    assert finding.kind == "private-key"
    assert redacted.text == text.format(finding.mark)


def test_public_keys_and_certificates_stay() -> None:
    """They are public."""
    text = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"
    assert redact(text).text == text


def test_a_key_of_ssh2_goes_whole() -> None:
    """Its lines have four hyphens and a comment, and its end may be cut."""
    body = "P2/56wAAAi4AAAA3aWYtbW9kbntzaWdue3JzYS1wa2NzMS1zaGEx"
    begin, end = (f"---- {word} SSH2 ENCRYPTED PRIVATE KEY ----" for word in ("BEGIN", "END"))
    for text in (f'{begin}\nComment: "rsa"\n{body}\n{end}\nthe rest', f"{begin}\n{body}"):
        out = redact(f"see\n{text}").text
        assert body[:8] not in out
        assert out.startswith("see\n[redacted:private-key:")
        assert out.endswith("the rest") == text.endswith("the rest")
