"""Passwords that only their place shows whole."""

from __future__ import annotations

import pytest

from recollect.text.redaction import redact


@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("user=scanner\npassword=", "Kopierer EG links", "\ndomain=ACME"),
        ("[wifi-security]\npsk=", "Hummeln sind dick", ""),
        ("user=ann\npassword=", "swordfish", "\nhost=db"),
        ("  host: db\n  password: ", "wolke-im-keller", "\n  port: 1"),
        ("smtp:\n  password: >-\n    ", "ein fuchs muss tun", "\n  tls: true"),
        ("signing_key: |\n  ", "u8rL751AiKRpnp6x3EMw\n  abzhEQzI2JU0gQxcJP1S", "\nnext: 1"),
        ('password = "', 'Gold" + "fisch-Glas" + "_71', '"'),
        ('secret = ("', 'EjXZXyMgWV40EaZU"\n    "IJ9HWntO8k1GTBEd', '")'),
        ('smtp.login("ann", "', "post-Horn-Gelb", '")'),
        ('new NetworkCredential("ann", @"', "back/side/99", '");'),
        ('options.user("app").password("', "krabbe-rost", '");'),
        ('psk="', "ilgattonero2019", '"'),
        ("bindpw: ", "L1nux.ldap", ""),
        ("PresharedKey = ", "rqN9cwXUTHpGwYtRm/TJ0rDcQwTx5aMPtsj7iWRXaV4=", ""),
    ],
)
def test_the_whole_value_goes(before: str, secret: str, after: str) -> None:
    """And nothing around it."""
    redacted = redact(before + secret + after)
    assert [finding.length for finding in redacted.findings] == [len(secret)]
    assert redacted.text == before + redacted.findings[0].mark + after


@pytest.mark.parametrize(
    "text",
    [
        "host: db\npassword: enabled\nport: 1",
        "host: db\npassword: must be eight characters\nport: 1",
        "host=db\npassword=encrypted\nport=1",
        "f(\n    user=user,\n    password=password,\n)",
        "f(\n    user=user,\n    password=chosen,\n)",
        "password=Kopierer EG links",
        "host: db\npassword: settings.database.password\nport: 1",
        "labels:\n  password: |\n    Enter your password\n",
        'form.login("user", "password")',
        'ask.password("What do you call it?")',
        "PublicKeyToken=b77a5c561934e089, Culture=neutral",
        "パスワードは8文字以上で入力してください。",
        "helm install app --set auth.existingSecret=app-auth",
    ],
)
def test_settings_and_calls_without_a_password_stay(text: str) -> None:
    """Types, states, messages, variables."""
    assert redact(text).text == text
