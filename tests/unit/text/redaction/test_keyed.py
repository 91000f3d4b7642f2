"""Values behind telling names."""

from __future__ import annotations

import pytest

from recollect.text.redaction import redact
from recollect.text.redaction.keyed import telling_kind
from tests.unit.text.redaction.secrets_made_up import ALNUM, HEX, run

LONG = run(ALNUM, 24)


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("password=", "hunter2", ""),
        ("password: ", "hunter2", "\nnext: 1"),
        ("my password is ", "sesame417", " ok?"),
        ("the password was: ", "sesame417", ""),
        ('password = "', "letmein", '"'),
        ("passwd='", "letmein", "'"),
        ("pwd = `", "letmein", "`"),
        ('"password": "', "p@ss", '"'),
        ('{\\"password\\": \\"', "hunter2", '\\"}'),
        ('{\\\\\\"password\\\\\\": \\\\\\"', "hunter2", '\\\\\\"}'),
        ('password: str = "', "letmein", '"'),
        ('const password: string = "', "letmein", '"'),
        ('password => "', "letmein", '"'),
        ('password := "', "letmein", '"'),
        ('if password == "', "letmein", '":'),
        ('os.environ["PASSWORD"] = "', "letmein", '"'),
        ('password = b"', "letmein", '"'),
        ("password%3D", "hunter22", "&x=1"),
        ("password\\u003d", "hunter22", ""),
        ("Server=x;Password=", "hunter22", ";User=sa"),
        ("passphrase: ", "xaNibsZfMlDO", ""),
        ('the password "', "hunter2x9", '"'),
        ("--password `", "letmein", "`"),
        ("DB_PASSWORD=", "letmein", "\nX=1"),
        ("export DB_PASSWORD=", "letmein", ""),
        ("ENV APP_SECRET=", "letmein", ""),
        ("client_secret=", "s3cr3t-value", ""),
        ("secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + run(ALNUM, 10), ""),
        ("api_key = '", LONG, "'"),
        ("X-API-Key: ", LONG, ""),
        ("a token ", LONG, ""),
        ("consumer_secret ", LONG, ""),
        ("vercel env add API_KEY ", LONG, " production"),
        ("mistral key: ", LONG, ""),
        ("here's my key: ", "k3jf93jf02mvls94hg", ""),
        ("apiKey: `", LONG, "`"),
        ("?access_token=", LONG, "&page=1"),
        ("AccountKey=", run(ALNUM, 86) + "==", ";Endpoint"),
        ("SERVICE_TOKEN=", "abcdefgh", ""),
        ("token: ", "abcdefghijklmnopqrstuvwxyz", ""),
        ("token_2: ", run(HEX, 40), ""),
        ("--password ", "xK9sesame", " -u root"),
        ("--api-token ", LONG, ""),
        ("密码：", "hunter22", ""),
        ("パスワードは", "hunter22", ""),
        ("contraseña: ", "hunter22", ""),
        ("password=", "a1b2" * 100, " end"),
        ('token="', LONG, ""),
        ("password=", "ab12cd", ""),
        ('password = "', "ab1c", '"'),
        ("DB_PASSWORD=", "ab1c", ""),
        ("token: ", "ab123456", ""),
        ("token: ", "abcdef12", ""),
        ("API_KEY=", "a1234567", ""),
        ("(password=", "hunter2", ")."),
        ("first: 1\nDB_PASSWORD=", "letmein", ""),
        ("password=", "correcthorsebatterys", ""),
        ("**Password:** ", "sunset42", ""),
        ("**Password**: ", "sunset42", ""),
        ("- **API key:** `", LONG, "`"),
        ("| Password | ", "sunset42", " |"),
        ("| host | password |\n|---|---|\n| db | ", "sunset42", " |\n\n| a | b1c2d3e4 |"),
        ("<password>", "sunset42", "</password>"),
        ('<db:Password type="plain">\n  ', "sunset42", "\n</db:Password>"),
        ('<entry name="dbPassword" value="', "sunset42", '" />'),
        ('{"password":["', "sunset42", '"]}'),
        ('{"secret":{"value":"', "sunset42", '"}}'),
        ('{"name":"DB_PASSWORD","value":"', "sunset42", '"}'),
        ('{"value":"', "sunset42", '","name":"DB_PASSWORD"}'),
        ("- name: DB_PASSWORD\n  value: ", "sunset42", "\n"),
        ('["login", "--password", "', "sunset42", '"]'),
        ("pw: ", "sunset42", ""),
        ("adminPw = ", "sunset42", ""),
        ("DB_PASS=", "amber", ""),
        ("SECRET_KEY_BASE=", "amberfalcon", ""),
        ("password:\n  ", "sunset42", "\n"),
        ("password:\n", "sunset42", "\n"),
        ("password=", "amber&falcon42", "&next=1"),
        ('password = "', "amber42\nfalcon", '"'),
        ("password: ", "Example42river", ""),
        ("token = '", "xxxxAb12Cd34Ef", "'"),
        ("password=[", "amber-42-river", "]"),
        ("user ann, password ", "sunset42", ""),
        ("Password – ", "sunset42", ""),
        ("", "sunset42", " is the password"),
        ('"', "sunset42", '" == my_password'),
        ('("api_token", "', LONG, '")'),
        ("mySecretString=", LONG, ""),
        ("my_secret_do_not_commit = ", LONG, ""),
        ("?key=", LONG, "&a=1"),
        ('softlayer_key ::= "', LONG, '"'),
        ("APP_KEY=", "ab12cd", ""),
    ],
)
def test_a_secret_behind_a_telling_name_is_found(before: str, secret: str, after: str) -> None:
    """And nothing around it."""
    redacted = redact(before + secret + after)
    (finding,) = redacted.findings
    assert redacted.text == before + finding.mark + after


@pytest.mark.parametrize(
    "text",
    [
        "password: str",
        "password = getpass()",
        "password = settings.database.password",
        "password: Optional[str] = None",
        "password=password",
        "password1",
        "password = password1",
        "password: required",
        "password: ********",
        "password = ''",
        "password=",
        'password: "must be long enough"',
        "password: <your password>",
        "password: ${DB_PASSWORD}",
        "password: $DB_PASSWORD",
        'password: "\\${PASSWORD}"',
        "password: {{ vault }}",
        "password: %(password)s",
        "PASSWORD=changeme",
        "PWD=/home/ann/work",
        "PWD=~/work",
        "pwd: https://example.org",
        "the password is secret",
        "your password is wrong",
        "the password is 12 characters long",
        "token = next(tokens)",
        "max_token: 4096",
        "tokens: 40096",
        "token: 2026-11-20",
        "token = self.tokens[0]",
        "token: identifier",
        "token: 'authorization_code'",
        "TOKEN=short",
        "API_KEY=your-api-key",
        "api_key: xxxxxxxxxxxx1234",
        "api_key: example-1234",
        "credentials: 'include'",
        "secret santa: ann",
        "secretary: hunter22",
        "the key to success: work123456",
        "--password PASSWORD",
        "--token <token>",
        "--keys 12345678",
        "password:\n\n\n\n\n\nhunter22",
        "token: a,b",
        "passcode: 12",
        'password: "abc',
        'password: "\n',
        "sha256 token: sha256",
        "password=ab12c",
        'password = "ab1"',
        "DB_PASSWORD=ab1",
        "token: a1234567",
        "token: abcdefg1",
        "token: ab12345",
        "password=correcthorsebattery",
        "say DB_PASSWORD=letmein",
        'password: "----"',
        "TOKEN = token.NAME",
        "password - tests/a1b2.py",
        "('password', 'username1')",
        "| password | string |",
        "| host | password |\n|---|---|\n| db | none |\nno table",
        "| a | b |\n|---|---|\n| db | sunset42 |",
        "|---|---|\n| db | sunset42 |",
        "a <password is not a tag> sunset42",
        "password> sunset42",
        "public_token: " + LONG,
        "csrf-token=" + LONG,
        "primary_key: " + LONG,
        "monkey_key_x: short",
        "bypass: sunset42",
        "compass=sunset42",
        "token_id: " + LONG,
        "passwordHash: " + LONG,
        "password_policy_notes: a1b2",
        "password=\nnext=sunset42",
        '{"password": {"type": "string"}}',
        "snowflake.password=\njdbc.url=sunset42",
        "a token getUserByIdOrNull2FromCache",
        "the secret AzureKeyVaultSecretProvider1 is a class",
        "cache key: " + LONG,
        "the key 4f9d2c7b8a1e6035d4c3b2a190817263 of the map",
        "it is the password",
    ],
)
def test_code_and_prose_about_secrets_stay(text: str) -> None:
    """Documents are full of the names."""
    assert redact(text).text == text


@pytest.mark.parametrize("sign", ["=", ":=", "=="])
def test_an_equals_sign_takes_no_value_from_the_next_line(sign: str) -> None:
    """An empty setting is no name of the setting below it."""
    text = f"DB_PASSWORD{sign}\n{LONG}\n"
    assert redact(text).text == text


def test_an_escaped_quote_does_not_end_a_secret() -> None:
    """The whole value goes."""
    assert "ab" not in redact('password = "x\\"ab"').text


def test_a_quoted_secret_ends_on_its_line() -> None:
    """A quote without a partner does not swallow the text."""
    redacted = redact('password: "hunter22\nand "more" follows')
    assert redacted.text.endswith('\nand "more" follows')
    assert "hunter22" not in redacted.text


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("password", "xy", "password"),
        ("userPassword", "correct horse", "password"),
        ("pin_password_2", 1234, "password"),
        ("clientSecret", "abc", "secret"),
        ("apiKey", "12345678", "token"),
        ("Authorization", "Basic-abc", "token"),
        ("accessToken", "abcdefgh", "token"),
        ("token", "the", None),
        ("token", "two words here", None),
        ("token", 12345678, None),
        ("tokens", "abcdefgh", None),
        ("password", True, None),
        ("password", None, None),
        ("password", ["x"], None),
        ("password", "********", None),
        ("passwordless", "abcdefgh", None),
        ("dbPass", "abc", "password"),
        ("bypass", "abc", None),
        ("X-API-Key", "abcdefgh", "token"),
        ("name", "abcdefgh", None),
    ],
)
def test_a_key_tells_what_its_value_is(key: str, value: object, kind: str | None) -> None:
    """Numbers too, but not a word of a tokenised sentence."""
    assert telling_kind(key, value) == kind
