"""The named half: the carriers in which secrets were found to slip through, and everyday ones."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator

from benchmarks.datasets.secret_shapes import (
    Carriers,
    SecretCase,
    grow,
    look_alikes_in,
    secrets_in,
)

HALF = "named"

_CHOSEN = ("<word><d3>", "<Word>-<d2>-<word>", "<l4><d2>", "<A12>", "<Word><d2>!", "<p14>", "<a6>7")
"""As people choose them; six characters at least, and a digit."""
_PLAIN = ("<word><d3>", "<Word>-<d2>-<word>", "<l4><d2>", "<A12>", "<a6>7")
"""Without marks that end a word in a URL or a shell."""
_ISSUED = ("<A24>", "<h32>", "<a40>", "<w43>", "<uuid>", "<A60>")
_GITHUB = ("ghp_<A36>",)

_MARKDOWN: Carriers = {
    "markdown, bold": (
        _CHOSEN,
        (
            *("**Password:** {}", "**Password**: {}", "- **password:** `{}`", "__Password:__ {}"),
            *("**Wi-Fi password:** {}", "*Password:* {}", "**Password** – {}"),
        ),
    ),
    "markdown, bold, issued": (_ISSUED, ("**API key:** {}", "**Token:** `{}`", "- **Secret:** {}")),
    "markdown, table row": (
        _CHOSEN,
        ("| user | ann |\n| Password | {} |", "|password|{}|", "| **DB password** | `{}` |"),
    ),
    "markdown, table column": (
        _CHOSEN,
        (
            "| host | user | password |\n|---|---|---|\n| db | ann | {} |\n",
            "| Password | User |\n|:--|--:|\n| bob1 | bob |\n| {} | ann |\n",
            "user | password\n--- | ---\nann | {}\n",
        ),
    ),
    "markdown, list": (
        _CHOSEN,
        ("- user: ann\n- password: {}\n", "* Password: {}", "1. passwd: `{}`", "- pw: {}\n- x: y"),
    ),
    "pw and passphrase": (
        _CHOSEN,
        ("pw: {}", "PW = {}", "passphrase: {}", "Passphrase is {}", "pass: {}", "pword: {}"),
    ),
}
_MARKED: Carriers = {
    "xml": (
        _PLAIN,
        (
            *(
                "<password>{}</password>",
                "<Password>{}</Password>",
                "<ns:password>{}</ns:password>",
            ),
            *('<password type="plain">{}</password>', "<dbPassword>\n  {}\n</dbPassword>"),
            *("<secret>{}</secret>", '<input type="password" name="password" value="{}">'),
        ),
    ),
    "json list": (
        _CHOSEN,
        ('{"password":["{}"]}', '{"passwords": ["{}", "b"]}', {"password": ["{}"]}),
    ),
    "json object": (
        _CHOSEN,
        ('{"secret":{"value":"{}"}}', {"secret": {"value": "{}"}}, {"password": {"raw": "{}"}}),
    ),
    "json name and value": (
        _CHOSEN,
        (
            '{"name":"DB_PASSWORD","value":"{}"}',
            '- name: DB_PASSWORD\n  value: "{}"\n',
            '{"value":"{}","name":"DB_PASSWORD"}',
            {"name": "DB_PASSWORD", "value": "{}"},
            {"env": [{"key": "APP_SECRET", "value": "{}"}]},
        ),
    ),
    "json authorization": (
        (*_ISSUED, "YW5uOn<A14>"),
        (
            '{"Authorization":"Basic {}"}',
            {"Authorization": "Basic {}"},
            {"headers": {"authorization": "Bearer {}"}},
            '{"headers": {"Authorization": ["Basic {}"]}}',
            {"headers": [{"name": "Authorization", "value": "Bearer {}"}]},
        ),
    ),
    "arguments": (
        _CHOSEN,
        (
            '["--password","{}"]',
            '["mysql", "-u", "root", "--password", "{}"]',
            ["login", "--password", "{}"],
            {"argv": ["x", "--token", "{}", "-v"]},
            ["login", "--password={}"],
        ),
    ),
    "docker auth": (
        ("YW5uOnN1bnNl<A10>", "<A24>=", "<A40>=="),
        (
            '{"auths":{"https<:>//index.docker.io/v1/":{"auth":"{}"}}}',
            {"auths": {"registry.test": {"auth": "{}"}}},
            '"auth": "{}"',
            "_auth={}",
        ),
    ),
    "cookie": (
        ("<A24>", "<h32>", "s%3A<A32>.<A20>", "<A7>9"),
        (
            "Cookie: lang=en; sid={}",
            "Cookie: sid={}; theme=dark",
            '{"Cookie": "a=b; session={}"}',
            "Set-Cookie: sessionid={}; Path=/; HttpOnly",
            {"cookie": "lang=en; PHPSESSID={}"},
            "-b 'csrf=1; session={}' https<:>//x.test",
        ),
    ),
    "web query": (
        ("<A24>", "<h32>", "AQ<A30>", "<a16>"),
        (
            "https<:>//maps.test/api?key={}",
            "GET /v1/items?page=2&api_key={}&x=1",
            "https<:>//x.test/?token={}#top",
            "https<:>//x.test/cb?code=1&access_token={}",
            "https<:>//x.test/?apikey={}",
        ),
    ),
}
_SHELL: Carriers = {
    "mysql -p": (
        _PLAIN,
        (
            *("mysql -u root -p{} shop", "mysqldump -p{} shop > a.sql", "mysql -h db -uroot -p{}"),
            *("mysqladmin -u root -p'{}' ping", "$ mariadb -p{}"),
        ),
    ),
    "sshpass -p": (
        _PLAIN,
        ("sshpass -p {} ssh ann@host", "sshpass -p'{}' scp a b:", "sshpass -p '{}' ssh h"),
    ),
    "other commands": (
        _PLAIN,
        (
            *("redis-cli -h r -a {} ping", "docker login -u ann -p {} registry.test"),
            *("PGPASSWORD={} psql -U ann", "htpasswd -b users ann {}", "7z a -p{} x.7z dir"),
            *("unzip -P {} x.zip", "net use z: \\\\h\\s /user:ann {}", "echo {} | sudo -S ls"),
            *("openssl enc -aes256 -k {} -in a", "ldapsearch -D cn=a -w {} -b dc=x"),
            *("openssl rsa -passin pass:{}", "wget --password={} ftp<:>//h/", "MYSQL_PWD={} mysql"),
        ),
    ),
    "environment": (
        (*_PLAIN, "<word>x<word>"),
        (
            *(
                "DB_PASS={}",
                "export DB_PASS={}",
                "SECRET_KEY_BASE={}",
                "DB_PASS='{}'",
                "ADMIN_PW={}",
            ),
            *("SMTP_PASS={}\nX=1", "ENV APP_SECRET={}", "set DB_PASS={}", "JWT_SECRET={}"),
            *("RAILS_MASTER_KEY={}", "APP_KEY={}"),
        ),
    ),
    "environment, issued": (
        (*_ISSUED, "<h128>"),
        ("SECRET_KEY_BASE={}", "SESSION_SECRET={}", "ENCRYPTION_KEY={}", "DATABASE_KEY={}"),
    ),
    "yaml base64": (
        ("<A20>Zz==", "c3Vuc2V0<A10>", "<A40>="),
        (
            "data:\n  password: {}\n",
            "  db-password: {}\n  user: YW5u\n",
            "kind: Secret\ndata:\n  token: {}\n",
            "kind: Secret\ntype: Opaque\ndata:\n  url: {}\n",
            "data:\n  tls.key: {}\n",
        ),
    ),
    "yaml next line": (
        _CHOSEN,
        (
            "password:\n  {}\n",
            "password: |\n  {}\n",
            "password: >-\n  {}\nuser: ann",
            "secret:\n- {}",
        ),
    ),
    "zero-width in the name": (
        _CHOSEN,
        ("pass\u200bword: {}", "p\u200cassword={}", "pass\u00adword: {}", "to\u2060ken=<A20>{}"),
    ),
    "tail after &": (
        ("<A8>&<A8>", "<word><d2>&<a8>"),
        ("password={}", "DB_PASSWORD={}", "password: {}", "password: '{}'", "passwd = {}\nx"),
    ),
    "tail after a line break": (
        ("<A12>\n<A12>", "<word><d2>\n<word><d2>"),
        ('password = "{}"', "'secret': '{}'", "<password>{}</password>", 'PASSWORD="{}"'),
    ),
    "wrapped token": (
        ("ghp_<A30>\n<A6>", "sk-ant-api03-<w60>\n<w33>AA", "glpat-<A14>\n<A6>"),
        ("{}", "use this:\n{}\nfor it", "the key is {} today"),
    ),
    "holds a filler": (
        ("Example<d3><A6>", "<A8>xxxx<A6>", "xxxx<A10>", "<A6>...<A8>", "my-example-<A8>"),
        ("password: {}", 'token = "{}"', "API_KEY={}", '{"secret": "{}"}'),
    ),
    "touches a mark": (
        (*_GITHUB, "glpat-<A20>", "AKIA<U16>"),
        (
            "[redacted:password:0a1b2c]{}",
            "{}[redacted:password:0a1b2c]",
            "[redacted:jwt:0a1b2c]{}[redacted:jwt:0a1b2c]",
        ),
    ),
    "after an old mark": (
        (*_GITHUB, "xoxb-<d11>-<d12>-<A24>"),
        (
            "password=[redacted:password:0a1b2c] and {}",
            "<private>[redacted:x:0a1b2c] {}</private>",
            "x [redacted:x:0a1b2c], {}",
        ),
    ),
    "first and last word": (
        _GITHUB,
        ("{} " + "quiet-evening-in-the-harbour " * 30, "quiet-evening-in-the-harbour " * 30 + "{}"),
    ),
    "prose": (
        _PLAIN,
        (
            *("my password is {} ok?", "The passphrase was {}.", "log in with password {}"),
            *("das Passwort ist {}", "mot de passe : {}", "la contraseña es {}", "密码是{}"),
            *("{} is the password", "user ann, password {}", "пароль: {}", "password - {}"),
        ),
    ),
    "configuration": (
        _PLAIN,
        (
            *(
                "spring.datasource.password={}",
                "password = {}",
                "  password: {}",
                'password = "{}"',
            ),
            *(
                "IDENTIFIED BY '{}'",
                "Server=x;Uid=sa;Pwd={};",
                "jdbc:pg<:>//h/db?user=a&password={}",
            ),
            *('ConvertTo-SecureString "{}" -AsPlainText', "machine h login ann password {}"),
            *("postgres<:>//ann:{}@db/x", "requirepass {}", "db.local:5432:shop:ann:{}"),
            *('{"password": "{}"}', "define('DB_PASSWORD', '{}');", "password='{}', user='ann'"),
            *("auth=('ann', '{}')", "password=[{}]", "-Djavax.net.ssl.keyStorePassword={}"),
        ),
    ),
    "headers": (
        _ISSUED,
        (
            *("X-Api-Key: {}", "Authorization: Bearer {}", "X-Auth-Token: {}", "PRIVATE-TOKEN: {}"),
            *("Authorization: token {}", "Proxy-Authorization: Basic {}", "X-Vault-Token: {}"),
            *({"X-Api-Key": "{}"}, {"x-access-token": "{}"}),
        ),
    ),
    "tailscale": (
        ("tskey-auth-<A12>-<A32>", "tskey-api-<A12>-<A32>", "tskey-client-<A12>-<A32>"),
        ("{}", "tailscale up --authkey={}", "tailscale up --auth-key {}", "see {}."),
    ),
    "jwe": (
        (
            "eyJhbGciOiJSU0EtT0FFUCJ9.<w86>.<w16>.<w60>.<w22>",
            "eyJhbGciOiJkaXIifQ..<w16>.<w40>.<w22>",
        ),
        ("{}", "token {} here", '{"t": "{}"}', "Authorization: Bearer {}"),
    ),
    "putty key": (
        ("<b64>\n<b64>\n<b40>=",),
        (
            "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: rsa-key\nPublic-Lines: 1\n"
            "AAAAB3NzaC1yc2EAAAABJQAAAQEA\nPrivate-Lines: 3\n{}\nPrivate-MAC: <h40>\n",
        ),
    ),
}


def named_cases(seed: int) -> Iterator[SecretCase]:
    """Yield the secrets and the look-alikes of the named half; the same seed, the same cases."""
    chance = random.Random(seed)  # noqa: S311  # the point is that everybody gets the same
    for carriers in (_MARKDOWN, _MARKED, _SHELL):
        yield from secrets_in(HALF, carriers, 10, chance)
    yield from _in_base64(chance)
    yield from look_alikes_in(HALF, _LOOK_ALIKES, 24, chance)


def _in_base64(chance: random.Random) -> Iterator[SecretCase]:
    """Yield secrets within Base64 that has marks of punctuation in it, too."""
    for turn in range(10):
        secret = grow("ghp_<A36>" if turn % 2 else "password=<word><d3>", chance)
        text = f"~>>~~? {secret} and so on" if turn % 3 else f"{secret} \u00fc\u00ff\u00bf?"
        packed = base64.b64encode(text.encode()).decode()
        yield SecretCase(
            half=HALF, carrier="base64", value=f"blob {packed} end", secret=packed.rstrip("=")
        )


_LOOK_ALIKES: dict[str, tuple[object, ...]] = {
    "digests and ids": (
        *("commit <h40>", "sha256:<h64>", "id <uuid>", "request <h16>", "build <A7>", "etag <h32>"),
        *("session 01<U24>", {"id": "<uuid>", "hash": "<h64>"}, "nonce: <uuid>", "trace_id=<h32>"),
        *("msg_<A24>", "toolu_<A24>", "chatcmpl-<A29>", "resp_<h48>", "call_<A24>", "req_<A24>"),
    ),
    "code": (
        *(
            "password: str",
            "def login(user, password):",
            "password = getpass()",
            "pw = input('pw')",
        ),
        *("token = tokens[i + 1]", "self.password = password", "if not password: return None"),
        *("const pw = process.env.DB_PASS;", "secret = os.environ['APP_SECRET']", "pass"),
        *("for key, value in items.items():", "key = lambda item: item.name", "pwd = os.getcwd()"),
        *("password_hash = hash_password(password)", "<Password onChange={setPassword} />"),
        *('register("password", { required: true })', "passwd.struct_passwd", "except: pass"),
        *("token: Token = lexer.next_token()", "passwords = [p for p in found]", "bypass: true"),
    ),
    "placeholders": (
        *("password: <your password>", "password: ${DB_PASSWORD}", "PASSWORD=changeme", "pw: xxxx"),
        *("password: ********", "token: YOUR_TOKEN_HERE", "api_key: your-api-key", "pass: none"),
        *("secret: {{ vault.secret }}", "password: %(password)s", "key: ...", "DB_PASS=$DB_PASS"),
        *("password: example", "<password>***</password>", "<password>secret</password>"),
        *("Authorization: Bearer <token>", "mysql -p$PASS", "mysql -u root -p", "sshpass -p $PW"),
        *("password=[redacted:password:0a1b2c]", "password: [hidden]", "API_KEY=xxxxxxxxxxxx"),
    ),
    "prose": (
        *("The password is required.", "I forgot my password again", "a bearer of good news"),
        *("What is the token limit?", "the secret is out", "the key to success is work"),
        *("Pass the salt, please.", "pass: the test passed", "Password reset was sent to ann"),
        *("passphrase: choose one you remember", "She is secretary: hire her", "pw is wrong"),
        *("Passwords must be 12 characters long", "password managers - use one", "tokens: 4096"),
        *("the password is wrong", "Your password was changed on Monday", "his pass was brilliant"),
    ),
    "markdown": (
        "| Option | Meaning |\n|---|---|\n| --password | the password of the user |",
        *("**Password:** required, 12 characters", "**Note:** passwords are hashed"),
        *("| password | string | yes |", "| token | the token of the user |", "- Token: optional"),
        *("| field | password |\n|---|---|\n| type | string |", "**Key:** value", "## Password"),
        *("| model | tokens |\n|---|---|\n| small | 128000 |", "1. Password: see the vault"),
    ),
    "markup and json": (
        *(
            "<password>string</password>",
            "<password/>",
            "<secret>false</secret>",
            "<key>name</key>",
        ),
        *(
            '{"password": {"type": "string", "minLength": 8}}',
            '{"name":"DB_HOST","value":"db.test"}',
        ),
        *('{"name": "PASSWORD_MIN_LENGTH", "value": "12"}', {"name": "DB_PORT", "value": "5432"}),
        *('{"auth": {"type": "bearer"}}', '{"auth": "none"}', {"auth": "oauth2"}, {"auth": True}),
        *('["--password", "-p"]', '["--token", "--verbose"]', {"required": ["user", "password"]}),
        *({"usage": {"input_tokens": 12, "total_tokens": 40}}, {"key": "name", "value": "ann"}),
        *({"properties": {"password": {"type": "string"}}}, {"token": "the"}, {"keys": ["a", "b"]}),
        *({"secret": {"name": "db-credentials", "optional": False}}, {"password": ""}),
        *({"file_path": "/src/auth/token.py", "old_string": "x = 1", "new_string": "y = 2"},),
    ),
    "shell": (
        *("ssh -p 2222 ann@host", "docker run -p 8080:80 web", "mkdir -p build/out", "cp -p a b"),
        *("mysql -P 3306 -h db", "mysql -u root shop", "psql -p 5432", "nc -p 1234", "tar -xpf a"),
        *("redis-cli -h r ping", "curl -u ann:$PASS https<:>//x.test", "git push -u origin main"),
        *(
            "unzip -p x.zip file",
            "docker login registry.test",
            "sudo -S ls",
            "kubectl get secret db",
        ),
        *(
            "ls -a src",
            "grep -w word file",
            "openssl rand -hex 32",
            "passwd ann",
            "htpasswd -c f ann",
        ),
    ),
    "urls": (
        *("https<:>//x.test/?key=name&page=2", "https<:>//x.test/?sort=key&token_type=bearer"),
        *(
            "http<:>//localhost:8080/a@b",
            "https<:>//user:password@x.test",
            "git@x.test:ann/repo.git",
        ),
        *("https<:>//x.test/reset-password?step=1", "https<:>//x.test/?code=ok&state=open"),
        *(
            "see https<:>//x.test/docs/keys#secret-keys",
            "mailto:ann@x.test",
            "file<:>///etc/passwd",
        ),
        *(
            "https<:>//x.test/commit/<h40>",
            "https<:>//x.test/i/<uuid>.png",
            "s3<:>//bucket/key/name.txt",
        ),
    ),
    "cookies and headers": (
        *("Cookie: lang=en; theme=dark", "Set-Cookie: theme=dark; Path=/; Max-Age=3600"),
        *("Content-Type: application/json; charset=utf-8", "WWW-Authenticate: Basic realm=x"),
        *("Authorization: required", "X-Request-Id: <uuid>", "Accept: */*", "Via: 1.1 <h16>"),
        *('{"headers": {"Authorization": "Bearer $TOKEN"}}', "If-None-Match: W/<h32>"),
    ),
    "configuration": (
        *("PWD=/home/ann/work", "TOKENIZERS_PARALLELISM=false", "MAX_TOKENS=4096", "KEY_ID=main"),
        *("PASSWORD_FILE=/run/secrets/db", "SECRET_NAME=db-credentials", "token_type: bearer"),
        *(
            "password_min_length: 12",
            "token_url: https<:>//x.test/token",
            "auth: oauth2",
            "SSH_ASKPASS=",
        ),
        *(
            "secretName: db-credentials",
            "primary_key: true",
            "foreign_key: user_id",
            "keypair: main",
        ),
        *("cache_key: user-42", "sort_key = created_at", "partition_key: tenant_id", "key: value"),
        *("author: ann", "compass: north", "bypass: false", "tokens_used: 1234567890"),
    ),
    "encoded": (
        *("data:image/png;base64,iVBORw0KGgo<A200>", "ssh-rsa AAAAB3NzaC1yc2E<A200> ann@host"),
        *("-----BEGIN CERTIFICATE-----\nMIID<A60>\n<A60>\n-----END CERTIFICATE-----",),
        *("integrity: sha512-<A86>==", "h1:<A43>=", "-----BEGIN PUBLIC " + "KEY-----\nMIIB<A60>\n"),
        *("\u200bnothing\u200b hidden here", "zero\u00adwidth soft hy\u00adphens"),
    ),
}
