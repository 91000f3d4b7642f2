"""The table of secrets that a shell sends to the input of a command, or that commands print."""

from __future__ import annotations

import re

from recollect.text.redaction.contexts.rows import (
    READS,
    VALUE,
    RuleRow,
    is_in_listing,
    is_not_word,
    is_opaque,
    is_printed,
    is_read,
    is_told,
    looks_random,
)

_SAID = r"""(?:echo|printf)(?:\s-[neE]{1,3})?(?:\s["']?(?:%s(?:\\n)*){1,3}["']?(?=\s))?\s{1,4}"""
_PIPE = r"""["'`]?\s{0,4}\|\s{0,4}(?:[\w./-]{1,40}\s){0,4}?(?:[\w./-]*/)?"""
_LONE = r"(?:[^\n>]|2>){0,200}(?:\n[ \t]*)?\n[ \t]*(?P<value>\S{6,256})[ \t]*(?=\n|\Z)"


def _prints(gate: str, sign: str, rest: str, command: str) -> RuleRow:
    """Return the row of a command that prints a secret alone in the line below."""
    return (
        f"printed by {command}",
        "password",
        gate,
        sign,
        re.escape(sign) + rest + _LONE,
        is_printed,
        f"$ {command}\n«q7RtW2yUpA9sDfG4»",
        f"$ {command}\nit is not there",
    )


def _in_jwk(name: str) -> RuleRow:
    return (
        f"{name} of a JWK",
        "private-key",
        '"kty"',
        f'"{name}"',
        rf'"{name}"\s{{0,4}}:\s{{0,4}}"(?P<value>[\w-]{{20,2000}})"',
        looks_random,
        f'{{"kty":"OKP","{name}":"«q7RtW2yUpA9sDfG4q7RtW2yUpA9sDfG4»"}}',
        f'{{"kty":"OKP","{name}":"short"}}',
    )


PRINTED = (
    _prints("pwgen", "pwgen", r"(?=[ \t\n])", "pwgen -s 16 1"),
    _prints("openssl", "openssl rand", "", "openssl rand -base64 12"),
    _prints("pass", "pass show", "", "pass show mail/host"),
    _prints("pass", "get password", "", "bw get password mail"),
    _prints("pass", "initial-password", "", "argocd admin initial-password -n argocd"),
    _prints("pass", "initialadminpassword", "", "cat secrets/initialAdminPassword"),
    _prints("pass", "get-login-password", "", "aws ecr get-login-password"),
    _prints(
        "pass",
        "find-generic-password",
        r"[^\n]{0,80}?\s-\w*w",
        "security find-generic-password -w -a x",
    ),
    _prints("secret", "secret-tool lookup", "", "secret-tool lookup mail host"),
    _prints(
        "secret", "get secret", r"[^\n]{0,160}base64", "kubectl get secret db -o x | base64 -d"
    ),
    _prints("secret", "get-secret-value", "", "aws secretsmanager get-secret-value --query x"),
    _prints("secret", "secret show", "", "az keyvault secret show --query value"),
    _prints("secret", "/run/secrets/", r"(?!\S*namespace)", "cat /run/secrets/db"),
    _prints("secret", "secrets get", "", "doppler secrets get db --plain"),
    _prints("secret", "secrets versions access", "", "gcloud secrets versions access latest"),
    _prints("secret", "rails secret", "", "rails secret"),
    _prints("secret", "gen.secret", "", "mix phx.gen.secret"),
    _prints("token", "auth token", "", "gh auth token"),
    _prints("token", "auth:token", "", "heroku auth:token"),
    _prints("token", "-access-token", "", "gcloud auth print-access-token"),
    _prints("token", "-identity-token", "", "gcloud auth print-identity-token"),
    _prints("token", "token create", "", "kubeadm token create"),
    _prints("token", "create token", "", "kubectl create token admin"),
    _prints("token", "secrets.token_", "", "python -c 'print(secrets.token_hex())'"),
    _prints("token", "serviceaccount/token", "", "cat serviceaccount/token"),
    _prints("key", "wg gen", "(?:key|psk)", "wg genkey"),
    _prints("pass", "keepassxc-cli", "", "keepassxc-cli show x.kdbx mail"),
    _prints("://", "op read", "", 'op read "op://home/mail/x"'),
    _prints("-field", "kv get", r"[^\n]{0,80}-field", "vault kv get -field=pw secret/db"),
    _prints("-field", "vault read", r"[^\n]{0,80}-field", "vault read -field=pw secret/db"),
    _prints(
        "--with-decryption", "--with-decryption", "", "aws ssm get-parameter --with-decryption"
    ),
    _prints(
        "-raw",
        "output -raw",
        r"[^\n]{0,40}(?:pass|secret|token|key)",
        "terraform output -raw db_password",
    ),
    _prints("urandom", "urandom", r"[^\n]{0,80}\|", "head -c 12 /dev/urandom | base64"),
    _prints("pass", "echo $", r"\{?\w{0,40}(?:PASS|PWD)", "echo $DB_PASSWORD"),
    _prints("secret", "echo $", r"\{?\w{0,40}SECRET", "echo $APP_SECRET"),
    _prints("token", "echo $", r"\{?\w{0,40}TOKEN", "echo $GH_TOKEN"),
    _prints("printenv", "printenv", r"\s\w{0,40}(?:PASS|PWD|SECRET|TOKEN|KEY)", "printenv API_KEY"),
    _prints(
        "pass",
        "cat ",
        r"[\w./~-]{0,80}pass[\w/-]{0,40}(?:\.txt)?(?=[\s|;])",
        "cat /etc/app/password",
    ),
    _prints(
        "secret",
        "cat ",
        r"[\w./~-]{0,80}secret[\w/-]{0,40}(?:\.txt)?(?=[\s|;])",
        "cat ~/.app/secret",
    ),
    _prints(
        "token",
        "cat ",
        r"[\w./~-]{0,80}token[\w/-]{0,40}(?:\.txt)?(?=[\s|;])",
        "cat ~/.vault-token",
    ),
)

SENT = (
    (
        "input by a pipe",
        "password",
        "|",
        "echo ",
        _SAID + VALUE + _PIPE + READS,
        is_told,
        "echo '«sunset blue»' | sudo -S ls",
        "echo $1 | sudo -S ls",
    ),
    (
        "input by printf",
        "password",
        "|",
        "printf ",
        _SAID + VALUE + _PIPE + READS,
        is_told,
        r"printf '%s\n' '«sunset blue»' | sudo -S ls",
        r"printf '%s\n' $1 | sudo -S ls",
    ),
    (
        "accounts by a pipe",
        "password",
        "chpasswd",
        "echo ",
        _SAID + r"""["']?[\w.-]{1,40}:(?P<value>[^"'\n|]{3,400}?)""" + _PIPE + "chpasswd",
        is_told,
        "echo 'ann:«sunset»' | chpasswd",
        "echo ann:$pw | chpasswd",
    ),
    (
        "accounts by printf",
        "password",
        "chpasswd",
        "printf ",
        _SAID + r"""["']?[\w.-]{1,40}:(?P<value>[^"'\n|]{3,400}?)(?:\\n)?""" + _PIPE + "chpasswd",
        is_told,
        r"printf 'ann:«sunset»\n' | chpasswd",
        "printf ann:$pw | chpasswd",
    ),
    (
        "accounts by a here string",
        "password",
        "chpasswd",
        "chpasswd",
        r"""chpasswd[^\n]{0,20}<<<\s{0,4}["']?[\w.-]{1,40}:(?P<value>[^"'\n]{3,400})""",
        is_told,
        "chpasswd <<< 'ann:«sunset»'",
        "chpasswd <<< ann:$1",
    ),
    (
        "accounts by a here document",
        "password",
        "chpasswd",
        "chpasswd",
        r"""chpasswd[^\n]{0,20}<<-?\s{0,4}["']?\w{1,20}["']?\s{0,4}\n\s{0,8}[\w.-]{1,40}:"""
        r"(?P<value>[^\n]{3,128})",
        is_told,
        "chpasswd <<EOF\nann:«sunset»\nEOF",
        "chpasswd <<EOF\nann:$1\nEOF",
    ),
    (
        "a here string",
        "password",
        "<<<",
        "<<<",
        r"<<<\s{0,4}\$?" + VALUE,
        is_read,
        'cryptsetup open /dev/sdb1 a <<< "«blue sunset»"',
        'grep -c word <<< "blue sunset"',
    ),
    *(
        (
            f"a here document, {gate.strip()}",
            "password",
            gate,
            "<<",
            r"<<-?\s{0,4}[\"']?(?P<end>[A-Z_]{2,20})[\"']?[^\n]{0,80}\n[ \t]{0,8}"
            r"(?P<value>[^\n]{3,128}(?:\n(?![ \t]*(?P=end))[^\n]{3,128}){0,2})\n[ \t]{0,8}(?P=end)",
            is_read,
            f"{command} <<EOF\n«blue sunset»\nEOF",
            "cat <<EOF\nblue sunset\nEOF",
        )
        for gate, command in (
            ("cryptsetup", "cryptsetup open /dev/sdb1 a"),
            ("pass", "docker login --password-stdin"),
            ("token", "gh auth login --with-token"),
        )
    ),
    (
        "expect",
        "password",
        "assword",
        "assword",
        r"""assword[^\n"'})]{0,12}["'})]{0,2}[;\s{]{1,8}(?:\w{1,12}\.)?(?:exp_)?send(?:line)?"""
        r"""[\s(]{1,4}(?:--\s{1,4})?["'{](?P<value>[^"'\n\\]{3,64})(?=[\\"'}])""",
        is_told,
        'expect "assword:"\nsend "«sunset»\\r"',
        'expect "assword:"\nsend "$pw\\r"',
    ),
)

LABELS = (
    (
        "unseal key",
        "secret",
        "unseal",
        "unseal key",
        r"unseal key(?: \d{1,2})?[ \t]{0,4}[:=][ \t]{0,4}" + VALUE,
        looks_random,
        "Unseal Key 1: «loCpMaEP1ZHkJ0DPLbZiBcqoRIWTKjgFtJDptYE83aM=»",
        "Unseal Key 1: given to Ann",
    ),
    (
        "recovery key",
        "secret",
        "key",
        "recovery key",
        r"recovery key(?: \d{1,2})?[ \t]{0,4}[:=][ \t]{0,4}" + VALUE,
        looks_random,
        "Recovery Key 1: «loCpMaEP1ZHkJ0DPLbZiBcqoRIWTKjgFtJDptYE83aM=»",
        "Recovery Key 1: given to Ann",
    ),
    (
        "key of a wireless network",
        "password",
        "key",
        "key content",
        r"key content[ \t]{1,20}:[ \t](?P<value>[^\n]{8,63})",
        is_told,
        "Key Content            : «sunset blue»",
        "Key Content            : Absent",
    ),
    (
        "key of a wireless network, in German",
        "password",
        "schlüsselinhalt",
        "schlüsselinhalt",
        r"schlüsselinhalt[ \t]{1,20}:[ \t](?P<value>[^\n]{8,63})",
        is_told,
        "Schlüsselinhalt            : «sunset blue»",
        "Schlüsselinhalt            : fehlt",
    ),
    (
        "temporary password",
        "password",
        "pass",
        "temporary password",
        r"temporary password is generated for \S{1,80}: (?P<value>\S{6,128})",
        is_told,
        "A temporary password is generated for root@localhost: «k#Wq,9aT<zPl»",
        "A temporary password is generated for each of them",
    ),
    (
        "preshared key",
        "password",
        "presharedkey",
        "presharedkey",
        r"presharedkey[ \t]{0,4}=[ \t]{0,4}(?P<value>[a-z0-9+/]{43}=)",
        looks_random,
        "PresharedKey = «rqN9cwXUTHpGwYtRm/TJ0rDcQwTx5aMPtsj7iWRXaV4=»",
        "PresharedKey = the one of the peer",
    ),
    *(
        (
            f"{sign}, without a joint",
            "token",
            gate,
            sign,
            sign + r"(?:['’]s)?(?: \([^()\n]{1,30}\))?(?: is| =|:"
            r"|) [\"'`]?(?P<value>[a-z0-9_+/=-]{20,256})(?![\w.-])",
            is_opaque,
            f"the {sign} «3a1f5c7e9b2d4f6081a3c5e7f9b1d3f5»",
            f"the {sign} of each environment",
        )
        for gate, sign in (
            ("key", "api key"),
            ("key", "api-key"),
            ("secret", "app secret"),
            ("secret", "client secret"),
            ("secret", "key secret"),
            ("key", "secret key"),
            ("key", "private key"),
            ("key", "admin key"),
            ("key", "user key"),
            ("key", "access key"),
            ("key", "service key"),
            ("key", "license key"),
            ("token", "auth token"),
            ("token", "access token"),
            ("token", "app token"),
            ("token", "bot token"),
            ("token", "api token"),
            ("token", "item token"),
        )
    ),
    *(
        (
            f"groups of a key, {sign}",
            "token",
            sign,
            sign,
            sign + r"(?: (?:key|code|number|no\.?))?(?: is|:| #"
            r"|) {1,3}(?P<value>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,6})"
            r"(?![\w-])",
            is_not_word,
            f"{sign} «W269N-WFGWX-YVC9B-4J6C9-T83GX»",
            f"{sign} is bound to one machine",
        )
        for sign in ("license", "licence", "lizenz", "serial", "activation", "voucher", "product")
    ),
    (
        "secret access key",
        "secret",
        "secretaccesskey",
        "secretaccesskey",
        r"""secretaccesskey["']?[ \t:=|]{1,12}["']?(?P<value>[a-z0-9/+]{40})(?![a-z0-9/+])""",
        is_told,
        "SecretAccessKey  «wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzKEYab»",
        "SecretAccessKey  printed once",
    ),
    (
        "listing of a vault",
        "password",
        "-----",
        "password",
        r"password[ ]{2,20}(?P<value>\S{6,128})[ \t]*(?=\n|\Z)",
        is_in_listing,
        "Key       Value\n---       -----\npassword  «sunset»",
        "Key       Value\n---       -----\npassword  <sunset>",
    ),
    (
        "literal of a secret",
        "password",
        "--from-literal",
        "--from-literal",
        r"""--from-literal[= ]["']?[\w.-]{0,40}(?:pass(?:word|wd)?|pwd|pw|secret|token|key)="""
        + VALUE,
        is_told,
        "kubectl create secret generic db --from-literal=password=«sunset»",
        "kubectl create secret generic db --from-literal=password=$1",
    ),
    (
        "key of .NET",
        "private-key",
        "<rsakeyvalue",
        "<rsakeyvalue",
        r"<rsakeyvalue>[^\n]{0,2000}?</exponent><p>(?P<value>[^\n]{24,8000})</rsakeyvalue>",
        is_told,
        "<RSAKeyValue><Exponent>AQAB</Exponent><P>«q7RtW2yUpA9sDfG4q7RtW2yUpA9sDfG4</P>»</RSAKeyValue>",
        "<RSAKeyValue><Exponent>AQAB</Exponent></RSAKeyValue>",
    ),
    (
        "key of minisign",
        "private-key",
        "secret",
        "encrypted secret key",
        r"encrypted secret key\n(?P<value>[A-Za-z0-9+/]{60,300}={0,2})",
        looks_random,
        "untrusted comment: minisign encrypted secret key\n«RWRTY0Iy" + 8 * "kd93LSKd" + "»",
        "minisign encrypted secret key\nis in the file",
    ),
    (
        "instrumentation key",
        "token",
        "instrumentationkey",
        "instrumentationkey",
        r"instrumentationkey=(?P<value>[a-f0-9-]{36})",
        looks_random,
        "InstrumentationKey=«5ffe5ad6-4194-48b1-97e1-33de88ff2fe0»",
        "InstrumentationKey=none",
    ),
    (
        "signature of an address",
        "token",
        "signature=",
        "signature=",
        r"signature=(?P<value>[a-z0-9_~%.+/=-]{23,1024}[a-z0-9_~%/=-])",
        looks_random,
        "host/a?Expires=1&Signature=«kd93kdLSKdk3kd93kdLSKdk3kd93kdLS»",
        "host/a?signature=required",
    ),
    *(
        (
            f"code of an address, {sign}",
            "token",
            sign,
            sign,
            re.escape(sign) + r"(?P<value>[a-z0-9_~%.+/=-]{20,512})",
            looks_random,
            f"GET /cb{sign}«kd93kdLSKdk3kd93kdLSKdk3kd93» HTTP/1.1",
            f"GET /cb{sign}404 HTTP/1.1",
        )
        for sign in ("?code=", "&code=")
    ),
    (
        "authorization of another scheme",
        "authorization",
        "authorization",
        "authorization",
        r"""authorization["']?[ \t]{0,4}[:=,][ \t]{0,4}["']?[a-z][\w-]{1,24}[ \t]{1,2}"""
        r"""(?!credential=)(?:token=["']?)?(?P<value>[^\s"'`,;]{16,512})""",
        looks_random,
        "Authorization: Splunk «5ffe5ad6-4194-48b1-97e1-33de88ff2fe0»",
        "Authorization: Splunk and others have it",
    ),
    *map(_in_jwk, ("d", "k", "p", "q", "dp", "dq", "qi")),
    (
        "account of twilio",
        "token",
        "client(",
        '"ac',
        r""""AC[a-f0-9]{32}",\s{0,4}["'](?P<value>[a-f0-9]{32})["']""",
        looks_random,
        'Client("AC2561568480a9d9973e3cd80129eca667", "«ac238c67e76079f64caa6711728a1e70»")',
        'Client("AC2561568480a9d9973e3cd80129eca667", token)',
    ),
)
