"""The table of calls that take a secret without a name: of ciphers, tokens, forms."""

from __future__ import annotations

import re

from recollect.text.redaction.contexts.rows import RuleRow, is_call, is_typed

_ARG = r"""[brLu]{0,2}(?P<quote>["'`])(?P<value>[^"'`\n]{4,256})(?P=quote)"""
_TEXT = r"""[brLu]{0,2}["'`][^"'`\n]{0,200}["'`]"""
_ANY = rf"(?:{_TEXT}|[^\s\"'`,()]{{1,80}}(?:\([^()\n]{{0,80}}\))?)"
_NEXT = r",\s{0,20}"
_NO_ALGORITHM = (
    r"""(?![brLu]{0,2}["'`](?:[hrep]s\d{3}|eddsa|sha-?\d|md5|aes|utf-?8|hex|base64|\d))"""
)


def _key(sign: str, before: str, example: str, counterexample: str) -> RuleRow:
    """Return the row of a call whose argument in quotes behind ``before`` is a key."""
    pattern = re.escape(sign) + r"\s{0,20}" + before + _NO_ALGORITHM + _ARG
    gate = sign.partition(" ")[0]
    return (f"key of {sign}", "secret", gate, sign, pattern, is_call, example, counterexample)


def _typed(sign: str, example: str, counterexample: str) -> RuleRow:
    pattern = re.escape(sign) + r"\s{0,4}" + _ARG + r"(?=\s{0,4}[,)])"
    return (
        f"typed by {sign}",
        "password",
        "pass",
        sign,
        pattern,
        is_typed,
        example,
        counterexample,
    )


_OF_JWT = rf"(?:\{{[^{{}}\n]{{0,200}}\}}|{_ANY}){_NEXT}"

CALLS: tuple[RuleRow, ...] = (
    _key(
        "hmac.new(",
        r"(?:[\w.]{1,20},\s{0,4}\[\]byte\()?",
        'hmac.new(b"«sunset blue»", b)',
        "hmac.new(key, b)",
    ),
    _key(
        "createhmac(",
        _TEXT + _NEXT,
        "createHmac('sha256', '«sunset»')",
        "createHmac('sha256', key)",
    ),
    _key(
        "hash_hmac(",
        rf"{_ANY}{_NEXT}{_ANY}{_NEXT}",
        "hash_hmac('md5', $a, '«sunset»')",
        "hash_hmac('md5', $a, $b)",
    ),
    _key(
        "createcipheriv(",
        _TEXT + _NEXT,
        "createCipheriv('aes', '«sunset»', iv)",
        "createCipheriv('aes', key, iv)",
    ),
    _key(
        "createdecipheriv(",
        _TEXT + _NEXT,
        "createDecipheriv('aes', '«sunset»', iv)",
        "createDecipheriv('aes', key, iv)",
    ),
    *(
        _key(
            f"jwt.{verb}(",
            _OF_JWT,
            f"jwt.{verb}(data, '«sunset»')",
            f'jwt.{verb}(data, key, "HS256")',
        )
        for verb in ("encode", "decode", "sign", "verify")
    ),
    _key(
        "signedstring([]byte(",
        "",
        'token.SignedString([]byte("«sunset»"))',
        "token.SignedString([]byte(key))",
    ),
    _key(
        "cookiestore([]byte(",
        "",
        'NewCookieStore([]byte("«sunset»"))',
        "NewCookieStore([]byte(key))",
    ),
    _key("fernet(", "", 'Fernet("«sunset»")', "Fernet(key)"),
    _key("aes.new(", "", 'AES.new(b"«sunset blue»", mode)', "AES.new(key, mode)"),
    _key(
        "aes.newcipher([]byte(",
        "",
        'aes.NewCipher([]byte("«sunset»"))',
        "aes.NewCipher([]byte(key))",
    ),
    _key("cookieparser(", "", "cookieParser('«sunset»')", "cookieParser(key)"),
    _key(
        "cryptojs.aes.encrypt(",
        _ANY + _NEXT,
        "CryptoJS.AES.encrypt(text, '«sunset»')",
        "CryptoJS.AES.encrypt(text, key)",
    ),
    _key(
        "cryptojs.aes.decrypt(",
        _ANY + _NEXT,
        "CryptoJS.AES.decrypt(text, '«sunset»')",
        "CryptoJS.AES.decrypt(text, key)",
    ),
    _key(
        "secretkeyspec(",
        "",
        'new SecretKeySpec("«sunset»".getBytes(), a)',
        "new SecretKeySpec(key, a)",
    ),
    _key("pbekeyspec(", "", 'new PBEKeySpec("«sunset»".toCharArray())', "new PBEKeySpec(chars)"),
    _key(
        "hmacshakeyfor(",
        "",
        'Keys.hmacShaKeyFor("«sunset»".getBytes())',
        "Keys.hmacShaKeyFor(bytes)",
    ),
    _key(
        "rfc2898derivebytes(",
        "",
        'new Rfc2898DeriveBytes("«sunset»", salt)',
        "new Rfc2898DeriveBytes(text, salt)",
    ),
    _key(
        "x509certificate2(",
        _ANY + _NEXT,
        'new X509Certificate2("a.pfx", "«sunset»")',
        "new X509Certificate2(path, text)",
    ),
    _key(
        "keystore.load(",
        _ANY + _NEXT,
        'keyStore.load(stream, "«sunset»".toCharArray())',
        "keyStore.load(stream, chars)",
    ),
    _key("messageverifier.new(", "", "MessageVerifier.new('«sunset»')", "MessageVerifier.new(key)"),
    _key(
        "urlsafetimedserializer(",
        "",
        'URLSafeTimedSerializer("«sunset»")',
        "URLSafeTimedSerializer(key)",
    ),
    _key(
        "plainauth(",
        rf"{_ANY}{_NEXT}{_ANY}{_NEXT}",
        'smtp.PlainAuth("", "ann", "«sunset»", host)',
        "smtp.PlainAuth(a, b, c, host)",
    ),
    _key("wifi.begin(", _ANY + _NEXT, 'WiFi.begin("home", "«sunset»")', "WiFi.begin(ssid, text)"),
    _key(
        "wlan.connect(",
        _ANY + _NEXT,
        'wlan.connect("home", "«sunset»")',
        "wlan.connect(ssid, text)",
    ),
    _key(
        "dbi->connect(",
        rf"{_ANY}{_NEXT}{_ANY}{_NEXT}",
        'DBI->connect("dbi:a", "ann", "«sunset»")',
        "DBI->connect($a, $b, $c)",
    ),
    _key(
        "mysql_connect(",
        rf"{_ANY}{_NEXT}{_ANY}{_NEXT}",
        "mysql_connect('h', 'ann', '«sunset»')",
        "mysql_connect($a, $b, $c)",
    ),
    _key(
        "mysql_real_connect(",
        rf"(?:{_ANY}{_NEXT}){{3}}",
        'mysql_real_connect(c, "h", "ann", "«sunset»", d)',
        "mysql_real_connect(c, h, u, w, d)",
    ),
    _key(
        "credentials::new(",
        rf"{_ANY}(?:\.\w{{1,10}}\(\))?{_NEXT}",
        'Credentials::new("ann".into(), "«sunset»".into())',
        "Credentials::new(user, word)",
    ),
    _key(
        "ftp(",
        rf"{_TEXT}{_NEXT}{_TEXT}{_NEXT}",
        'FTP("host", "ann", "«sunset»")',
        'FTP("host", user, word)',
    ),
    _key(
        "basicawscredentials(",
        _ANY + _NEXT,
        'new BasicAWSCredentials("AKIA", "«sunset»")',
        "new BasicAWSCredentials(a, b)",
    ),
    _key(
        "awsbasiccredentials.create(",
        _ANY + _NEXT,
        'AwsBasicCredentials.create("AKIA", "«sunset»")',
        "AwsBasicCredentials.create(a, b)",
    ),
    *(
        _typed(
            sign,
            f"field(By.id('password')){sign}'«sunset»')",
            f"field(By.id('name')){sign}'sunset')",
        )
        for sign in (
            ".send_keys(",
            ".sendkeys(",
            ".type(",
            ".setvalue(",
            ".fill(",
            ".clear_and_type(",
            ".typetext(",
        )
    ),
)
"""The text in quotes is the secret, a word or not; a variable is not."""
