"""Secrets in URLs, headers, command lines and Base64."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from recollect.text.redaction import redact
from tests.unit.text.redaction.secrets_made_up import ALNUM, HEX, run

LONG = run(ALNUM, 24)


def _packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("before", "secret", "after", "kind"),
    [
        ("postgres://app:", "Tr0ub4dor", "@db.local:5432/x", "url-password"),
        ("redis://:", "Tr0ub4dor", "@db.local", "url-password"),
        ("https://ann:", "p@ss", "@example.org/a@b", "url-password"),
        ("https://://ann:", "Tr0ub4dor", "@example.org", "url-password"),
        ("Authorization: Bearer ", LONG, "", "authorization"),
        ('"authorization": "Basic ', _packed("ann:letmein"), '"', "authorization"),
        ("Authorization: ", LONG, "", "authorization"),
        ("('Authorization', 'token ", LONG, "')", "authorization"),
        ("it says bearer ", LONG, " there", "authorization"),
        ("authorization: authorization: bearer ", LONG, "", "authorization"),
        ("Authorization: Bearer ", LONG * 20, "", "authorization"),
        ("Cookie: ", f"theme=dark; session={LONG}", "", "cookie"),
        ("curl -u ann:", "letmein", " https://example.org", "password"),
        ("curl --user 'ann:", "letmein", "' x", "password"),
        ("machine example.org login ann password ", "letmein", "\n", "password"),
        ("Cookie: ", "lang=en; sid=a1b2c3d4", "", "cookie"),
        ("curl -b '", "a=1; session=a1b2c3d4", "' https://x.test", "cookie"),
        ("mysql -u root -p", "sunset42", " shop", "password"),
        ("sshpass -p '", "sunset42", "' ssh h", "password"),
        ("redis-cli -h r -a ", "sunset42", " ping", "password"),
        ("echo ", "sunset42", " | sudo -S ls", "password"),
        ("unzip -P ", "sunset42", " x.zip", "password"),
        ("db.local:5432:shop:ann:", "sunset42", "", "password"),
        ("IDENTIFIED BY '", "sunset42", "'", "password"),
        ("curl -u :", "sunset42", " https://x.test", "password"),
        ("https://", "a1b2c3d4:b1c2d3e4", "@gems.test", "url-password"),
        ('{"Authorization": ["Basic ', _packed("ann:letmein"), '"]}', "authorization"),
        ('"auth": "', _packed("ann:sunset42"), '"', "token"),
    ],
)
def test_a_secret_is_known_by_what_carries_it(
    before: str, secret: str, after: str, kind: str
) -> None:
    """And only the secret goes."""
    redacted = redact(before + secret + after)
    (finding,) = redacted.findings
    assert finding.kind == kind
    assert redacted.text == before + finding.mark + after


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org:8080/a@b",
        "http://localhost:8080",
        "https://user:password@example.org",
        "https://user:<password>@example.org",
        "https://user:${PASSWORD}@example.org",
        "git@example.org:ann/repo.git",
        "Authorization: required",
        "Authorization: Bearer <token>",
        "Authorization: Bearer getToken(context)",
        "Authorization = self.headers",
        "a bearer of very good and long news",
        "Cookie: name=a_short_value",
        "Set-Cookie: lang=english; Path=/; Secure",
        "curl -u ann:$PASSWORD https://example.org",
        "login ann password",
        "mysql -u root -p shop",
        "mysql -p$PASSWORD",
        "ssh -p 2222 ann@host",
        "unzip -p x.zip file1",
        "Cookie: lang=en; theme=dark",
        '"auth": "oauth2"',
        "12:30:45:60:70",
    ],
)
def test_carriers_without_a_secret_stay(text: str) -> None:
    """Documents show them empty."""
    assert redact(text).text == text


SECRET = "kind: Secret\ndata:\n  # why\n  url: {}\n  short: YW5u\nmetadata:\n  name: a1b2c3d4e5f6\n"


def test_the_data_of_a_kubernetes_secret_is_secret() -> None:
    """Whatever it is called, in a block as well; what is beside it stays."""
    for value in (_packed("amqp at home"), "|\n    " + _packed("amqp at home")):
        text = SECRET.format(value)
        redacted = redact(text)
        (finding,) = redacted.findings
        assert redacted.text == text.replace(_packed("amqp at home"), finding.mark)


@pytest.mark.parametrize(
    "text",
    [
        SECRET.format(_packed("amqp at home")).replace("Secret", "ConfigMap"),
        SECRET.format("{{ .Values.url }}"),
        "kind: Secret\nmetadata:\n  name: x\n---\nkind: ConfigMap\ndata:\n  url: a1b2c3d4e5f6\n",
    ],
)
def test_the_data_of_other_manifests_is_not(text: str) -> None:
    """Each document of a stream by itself."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    ("inside", "kind"),
    [
        ("password=hunter2 and möre", "password"),
        ("password=hunter2 and more", "password"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n", "private-key"),
        ("key ghp_" + run(ALNUM, 36), "github-token"),
    ],
)
def test_base64_is_looked_into(inside: str, kind: str) -> None:
    """By every kind of rule; with and without padding, in both alphabets."""
    for packed in (_packed(inside), _packed(inside).rstrip("=")):
        assert [finding.kind for finding in redact(f"a {packed} b").findings] == [kind]


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize(
    "inside", ["~>>~~? password=hunter2", "password=hunter2 a~>>~~? and so on"]
)
def test_base64_is_one_run_in_both_alphabets(encode: Callable[[bytes], bytes], inside: str) -> None:
    """Regression: without ``+`` in the run, a packed secret was cut in two and stayed."""
    packed = encode(inside.encode()).decode()
    assert not packed.isalnum()
    redacted = redact(f"a {packed} b")
    (finding,) = redacted.findings
    assert redacted.text == f"a {finding.mark} b"


def test_of_several_texts_in_base64_only_those_with_a_secret_go() -> None:
    """Each run by itself."""
    harmless, secret = _packed("nothing to see here, move along"), _packed("password=hunter2 here")
    redacted = redact(f"{harmless} {secret} {harmless}")
    (finding,) = redacted.findings
    assert redacted.text == f"{harmless} {finding.mark} {harmless}"


@pytest.mark.parametrize(
    "text",
    [
        _packed("nothing to see here, move along"),
        base64.b64encode(bytes(range(200, 256))).decode(),
        run(HEX, 64),
        "a" * 25,
        "/usr/local/share/applications/and/more",
        _packed("password=hunter2 " * 5_000),
    ],
)
def test_base64_of_something_else_stays(text: str) -> None:
    """Texts, bytes, digests, paths, and what is too long to be a secret."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        '$ cat tests/test_tokens.py\n"""Tests."""',
        "$ openssl rand -hex 16 > key.bin\nkey.bin.2024a1",
        "sudo -S bash <<'EOF'\napt-get update\nEOF",
        "echo done | openssl enc -base64",
        "$ cat /run/secrets/kubernetes.io/serviceaccount/namespace\ndefault-ns-01",
    ],
)
def test_what_a_command_reads_or_prints_stays_where_it_is_no_secret(text: str) -> None:
    """Sources, what goes to a file, scripts for a shell."""
    assert redact(text).text == text
