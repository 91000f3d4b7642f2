"""The table of settings of routers, of networks and of formats whose name is far from the value."""

from __future__ import annotations

import re

from recollect.text.redaction.contexts.rows import (
    VALUE,
    RuleRow,
    is_community,
    is_in_address,
    is_named,
    is_named_strong,
    is_not_word,
    is_told,
    looks_random,
)

_GIVEN = r"""["']?(?P<value>[^\s"';]{3,128})["']?"""


def _device(gate: str, sign: str, rest: str, example: str, counterexample: str) -> RuleRow:
    pattern = re.escape(sign) + rest
    return (sign.strip(), "password", gate, sign, pattern, is_told, example, counterexample)


def _parameter(sign: str) -> RuleRow:
    return (
        f"parameter {sign}",
        "token",
        sign,
        sign,
        re.escape(sign) + r"(?P<value>[a-z0-9_~%.+-]{16,512})",
        looks_random,
        f"/a?b=1&x{sign}«b6907d289e10d714a6e88b30761fae22»",
        f"/a?b=1&x{sign}new",
    )


DEVICES: tuple[RuleRow, ...] = (
    *(
        (
            f"{sign}of a device",
            "password",
            gate,
            sign,
            rf"{sign}[05789] (?P<value>[^\s\"';]{{4,128}})(?=\s|\Z|[\"'])",
            is_not_word,
            f"username ann {sign}7 «0822455D0A165445»",
            f"a {sign}5 times",
        )
        for gate, sign in (("pass", "password "), ("secret", "secret "), ("key", "key "))
    ),
    _device(
        "isakmp",
        "isakmp key ",
        r"(?:\d )?(?P<value>\S{3,128}) address",
        "crypto isakmp key «sunset» address 203.0.113.9",
        "crypto isakmp key of that address",
    ),
    (
        "community",
        "password",
        "snmp-server",
        "snmp-server community ",
        r"snmp-server community (?P<value>\S{3,64})(?= r[ow]\b|\s|\Z)",
        is_community,
        "snmp-server community «Sunset4» RW",
        "snmp-server community public RO",
    ),
    _device(
        "pass",
        "authentication password ",
        _GIVEN,
        "set interfaces pppoe0 authentication password «sunset»",
        "authentication password <sunset>",
    ),
    _device(
        "plaintext-password",
        "plaintext-password ",
        _GIVEN,
        "set login ann authentication plaintext-password '«sunset»'",
        "plaintext-password <sunset>",
    ),
    _device(
        "neighbor",
        "neighbor ",
        r"\S{3,40} password (?:\d )?(?P<value>\S{3,64})(?=\s|\Z)",
        "neighbor 203.0.113.9 password «sunset»",
        "neighbor 203.0.113.9 remote-as 65001",
    ),
    _device(
        "pre-shared",
        "pre-shared-key ",
        r"(?:ascii-text |hex |local |remote |\d )?" + _GIVEN,
        "set policy a pre-shared-key ascii-text «sunset»",
        "pre-shared-key <sunset>",
    ),
    _device(
        "pre-shared",
        "pre-shared-secret ",
        _GIVEN,
        "set authentication pre-shared-secret '«sunset»'",
        "pre-shared-secret <sunset>",
    ),
    *(
        _device(
            gate,
            f": {gate} ",
            r"(?:\S{1,60} )?\"(?P<value>[^\"\n]{3,128})\"",
            f'ann : {gate.upper()} "«sunset blue»"',
            f"ann : {gate.upper()} none",
        )
        for gate in ("psk", "eap", "xauth", "rsa", "ecdsa")
    ),
    _device(
        "option",
        "option key ",
        r"['\"](?P<value>[^'\"\n]{8,64})['\"]",
        "option key '«sunset blue»'",
        "option key '1'",
    ),
    _device(
        "tacacs",
        "tacacs-server key ",
        r"(?:\d )?" + _GIVEN,
        "tacacs-server key «sunset»",
        "tacacs-server key <sunset>",
    ),
    _device(
        "radius",
        "radius-server host ",
        r"\S{3,60}(?: \w{4}-port \d{1,5}){0,2} key (?:\d )?(?P<value>\S{3,64})(?=\s|\Z)",
        "radius-server host 203.0.113.9 key «sunset»",
        "radius-server host 203.0.113.9 timeout 5",
    ),
    (
        "wpa-psk",
        "password",
        "wpa-psk",
        "wpa-psk ",
        r"wpa-psk (?:ascii |hex )?(?:\d )?" + _GIVEN + r"(?=[ \t\r]*(?:\n|\Z|\"))",
        is_not_word,
        "wpa-psk ascii «sunset42»",
        "set the mode to wpa-psk now",
    ),
    _device("bindpw", "bindpw ", _GIVEN, "bindpw «sunset»", "bindpw <sunset>"),
    _device(
        "authtok",
        "authtok = ",
        _GIVEN,
        "ldap_default_authtok = «sunset»",
        "ldap_default_authtok = <sunset>",
    ),
    _device(
        "securestring",
        "--type securestring ",
        r"(?:--\S{1,30} \S{1,60} ){0,3}--value " + _GIVEN,
        "aws ssm put-parameter --name /a --type SecureString --value «sunset»",
        "aws ssm put-parameter --name /a --type String --value sunset",
    ),
    _device(
        "nickserv",
        "identify ",
        r"(?:\S{1,30} )?(?P<value>\S{4,64})(?=[ \t\r]*(?:\n|\Z|\"|—))",
        "/msg NickServ IDENTIFY «sunset»",
        "nickserv, identify <sunset>",
    ),
    _device(
        "wifi:",
        "wifi:",
        r"(?:[TSHR]:[^;\n]{0,64};){0,4}P:\"?(?P<value>(?:[^;\\\n\"]|\\.){4,64})\"?;",
        "WIFI:T:WPA;S:Home;P:«sunset blue»;;",
        "WIFI:T:nopass;S:Home;;",
    ),
    # Names in other positions than before a joint
    (
        "key of a property list",
        "password",
        "</key>",
        "<key>",
        r"<key>(?P<name>[\w .-]{1,60})</key>\s{0,40}<(?:string"
        r"|data)>\s{0,40}(?P<value>[^<>\n]{3,512}?)\s{0,40}</",
        is_named,
        "<key>Password</key>\n<string>«sunset»</string>",
        "<key>Name</key>\n<string>sunset</string>",
    ),
    (
        "element with a name",
        "password",
        'name="',
        'name="',
        r'name="(?P<name>[\w .-]{1,60})"[^<>\n]{0,80}>(?P<value>[^<>\n]{3,512})</',
        is_named_strong,
        '<string name="api_secret">«sunset42»</string>',
        '<string name="api_secret">Secret of the API</string>',
    ),
    (
        "variable of terraform",
        "password",
        "variable",
        'variable "',
        r'variable "(?P<name>[\w-]{1,60})"\s{0,4}\{[^{}]{0,300}?default\s{0,8}=\s{0,4}"'
        r'(?P<value>[^"\n]{3,256})"',
        is_named,
        'variable "db_password" {\n  default = "«sunset»"\n}',
        'variable "db_name" {\n  default = "sunset"\n}',
    ),
    (
        "answer of a variable",
        "password",
        "<(echo",
        "<(echo ",
        r"<\(echo (?:-n )?" + VALUE,
        is_told,
        "cryptsetup open --key-file <(echo -n «sunset») a b",
        "diff <(echo $a) b",
    ),
    # Addresses
    *map(_parameter, ("appid=", "sid=", "hmac=", "_session=", "sessionid=", "apikey=", "ticket=")),
    *(
        (
            f"address {sign}",
            "token",
            sign,
            sign,
            re.escape(sign) + r"(?:[a-z]{1,12}/)?(?P<value>[a-z0-9_~%.+-]{16,512})",
            is_in_address,
            f"/a{sign}«b6907d289e10d714a6e88b30761fae22»",
            f"/a{sign}your-account-by-mail",
        )
        for sign in "/reset/ /activate/ /verify/ /magic/ /invite/ /confirm/ /with/key/".split()
    ),
)
