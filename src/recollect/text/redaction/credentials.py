"""The shapes of credentials that are recognised by their look alone: a fixed beginning and a body.

One row for each shape: what it is, how it may begin, what follows. A row is looked at only where
one of its beginnings is in the text, after a character that is not a letter or digit, and the
credential must not go on after its body. Bodies use possessive or fixed counts, so that no text
makes them slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_WORD = r"[A-Za-z0-9_-]"
_ALNUM = r"[A-Za-z0-9]"
_HEX = r"[a-f0-9]"

# Beside the mark of an earlier redaction nothing begins or ends: it went on there before.
_ENDS = r"(?![A-Za-z0-9]|\[redacted:)"
_BEGINS = r"(?<!:[0-9a-f]{6}\])(?:(?<![A-Za-z0-9_.~-])|(?<=\\[nrt])|(?<=%[A-Fa-f0-9]{2}))"

_SHAPES = (
    # Code hosting and package registries
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_ALNUM}{{36,}}+"),
    ("github-token", "github_pat_", r"[A-Za-z0-9_]{40,}+"),
    ("gitlab-token", "glpat- glrt-", rf"{_WORD}{{20,}}+(?:\.{_WORD}++)*+"),
    ("gitlab-token", "gldt- glcbt- glptt- glagent- glsoat-", rf"{_WORD}{{20,}}+"),
    ("bitbucket-token", "ATBB", rf"{_ALNUM}{{32,}}+"),
    ("npm-token", "npm_", rf"{_ALNUM}{{36,}}+"),
    ("pypi-token", "pypi-AgE", rf"{_WORD}{{50,}}+"),
    ("rubygems-token", "rubygems_", rf"{_HEX}{{48}}"),
    ("crates-token", "cio", rf"{_ALNUM}{{32}}"),
    ("nuget-key", "oy2", r"[a-z0-9]{43}"),
    ("docker-token", "dckr_pat_ dckr_oat_", rf"{_WORD}{{27,}}+"),
    # Models
    ("anthropic-key", "sk-ant-", rf"{_WORD}{{24,}}+"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin-", rf"{_WORD}{{20,}}+"),
    ("openrouter-key", "sk-or-v1-", rf"{_HEX}{{64}}"),
    ("langfuse-key", "sk-lf-", rf"{_HEX}{{8}}-[a-f0-9-]{{27}}"),
    ("openai-key", "sk-", rf"(?=[A-Za-z]{{0,30}}[0-9]){_ALNUM}{{32,}}+"),
    ("google-key", "AIza", rf"{_WORD}{{35,}}+"),
    ("huggingface-token", "hf_ api_org_", rf"{_ALNUM}{{34,}}+"),
    ("replicate-token", "r8_", rf"{_ALNUM}{{37,}}+"),
    ("groq-key", "gsk_", rf"{_ALNUM}{{48,}}+"),
    ("xai-key", "xai-", rf"{_ALNUM}{{70,}}+"),
    ("perplexity-key", "pplx-", rf"{_ALNUM}{{40,}}+"),
    ("voyage-key", "pa-", rf"(?=[A-Za-z_-]{{0,40}}[0-9]){_WORD}{{43}}(?!{_WORD})"),
    ("jina-key", "jina_", rf"{_HEX}{{32}}{_WORD}{{20,}}+"),
    ("tavily-key", "tvly-", rf"{_WORD}{{20,}}+"),
    # Clouds
    ("aws-key-id", "AKIA ASIA", r"[A-Z0-9]{16}"),
    ("aws-signature", "X-Amz-Signature=", rf"{_HEX}{{64}}"),
    ("azure-sas", "sig=", r"[A-Za-z0-9%/+]{40,}+={0,2}"),
    ("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,}+={0,2}"),
    ("google-oauth", "ya29.", rf"{_WORD}{{20,}}+"),
    ("google-oauth", "GOCSPX-", rf"{_WORD}{{24,}}+"),
    ("google-oauth", "1//0", rf"{_WORD}{{40,}}+"),
    ("alibaba-key-id", "LTAI", rf"{_ALNUM}{{16,26}}+"),
    ("tencent-key-id", "AKID", rf"{_ALNUM}{{32}}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"{_HEX}{{64}}"),
    ("heroku-key", "HRKU-", rf"{_WORD}{{36,}}+"),
    ("fly-token", "fo1_", rf"{_WORD}{{43,}}+"),
    ("netlify-token", "nfp_", rf"{_ALNUM}{{36,}}+"),
    ("render-key", "rnd_", rf"{_ALNUM}{{28,}}+"),
    ("supabase-token", "sbp_", rf"{_HEX}{{40}}"),
    ("supabase-key", "sb_secret_", rf"{_WORD}{{20,}}+"),
    ("planetscale-token", "pscale_", rf"(?:tkn|pw|oauth)_{_WORD}{{32,}}+"),
    ("neon-key", "napi_", rf"{_ALNUM}{{40,}}+"),
    ("databricks-token", "dapi", rf"{_HEX}{{32}}(?:-[0-9])?"),
    ("pulumi-token", "pul-", rf"{_HEX}{{40}}"),
    ("vault-token", "hvs. hvb.", rf"{_WORD}{{24,}}+"),
    (
        "doppler-token",
        "dp.",
        rf"(?:pt|st|ct|sa|scim|audit)\.(?:{_WORD}{{1,40}}\.)?{_ALNUM}{{40,}}+",
    ),
    ("age-key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    ("1password-token", "ops_eyJ", r"[A-Za-z0-9+/=_-]{100,}+"),
    # Messages and mail
    ("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs-", rf"{_WORD}{{20,}}+"),
    ("slack-token", "xoxe", rf"[.-]{_WORD}{{20,}}+"),
    ("slack-token", "xapp-", rf"[0-9]-{_WORD}{{20,}}+"),
    ("slack-webhook", "hooks.slack.com/", r"[a-z]{1,20}/[A-Za-z0-9_/-]{20,}+"),
    ("discord-webhook", "/api/webhooks/", rf"[0-9]{{15,22}}/{_WORD}{{40,}}+"),
    ("sendgrid-key", "SG.", rf"{_WORD}{{16,64}}+\.{_WORD}{{16,}}+"),
    ("mailgun-key", "key-", rf"{_HEX}{{32}}"),
    ("brevo-key", "xkeysib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    ("resend-key", "re_", rf"{_ALNUM}{{8,}}+_{_ALNUM}{{20,}}+"),
    ("twilio-key", "SK", rf"{_HEX}{{32}}"),
    # Payments and shops
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", rf"{_ALNUM}{{16,}}+"),
    ("stripe-webhook", "whsec_", r"[A-Za-z0-9+/]{24,}+={0,2}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[a-fA-F0-9]{32}"),
    ("square-token", "EAAA", rf"{_WORD}{{60}}"),
    ("square-token", "sq0atp-", rf"{_WORD}{{22,}}+"),
    ("square-token", "sq0csp-", rf"{_WORD}{{40,}}+"),
    ("braintree-token", "access_token$", r"(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    # Tools of developers
    ("grafana-token", "glsa_", rf"{_ALNUM}{{32}}_[A-Fa-f0-9]{{8}}"),
    ("grafana-token", "glc_", r"[A-Za-z0-9+/]{32,}+={0,2}"),
    ("newrelic-key", "NRAK-", r"[A-Z0-9]{27}"),
    ("sentry-token", "sntrys_", r"[A-Za-z0-9+/=_]{60,}+"),
    ("sentry-token", "sntryu_", rf"{_HEX}{{64}}"),
    ("linear-key", "lin_api_", rf"{_ALNUM}{{32,}}+"),
    ("notion-token", "ntn_", rf"{_ALNUM}{{40,}}+"),
    ("notion-token", "secret_", rf"{_ALNUM}{{43}}"),
    ("airtable-token", "pat", rf"{_ALNUM}{{14}}\.{_HEX}{{64}}"),
    ("atlassian-token", "ATATT3", r"[A-Za-z0-9_=-]{60,}+"),
    ("figma-token", "figd_", rf"{_WORD}{{40,}}+"),
    ("postman-key", "PMAK-", rf"{_HEX}{{24}}-{_HEX}{{34}}"),
    ("contentful-token", "CFPAT-", rf"{_WORD}{{43,}}+"),
    ("buildkite-token", "bkua_", rf"{_HEX}{{40}}"),
    ("sonar-token", "squ_ sqp_", rf"{_HEX}{{40}}"),
    ("dropbox-token", "sl.", rf"{_WORD}{{100,}}+"),
    ("facebook-token", "EAAC", rf"{_ALNUM}{{80,}}+"),
    ("x-token", "AAAAAAAAAAAAAAAAAAAAA", r"(?=[A-Za-z0-9]{0,60}%)[A-Za-z0-9%]{50,}+"),
    ("mapbox-token", "sk.eyJ", rf"{_WORD}{{40,}}+\.{_WORD}{{16,}}+"),
)


SHORTEST = 16
"""No credential of the tables has fewer characters."""
MOST_RUNS = 24
"""With more long runs than this, one look at all of them together is cheaper."""
_LONG_RUN = re.compile(rf"(?<!\S)\S{{{SHORTEST},}}")
_MARK_END = re.compile(r":[0-9a-f]{6}\]")
_ESCAPES = frozenset({"\\n", "\\r", "\\t"})


class Shape(Struct, frozen=True):
    """One row, ready to match."""

    kind: str
    start: str
    pattern: re.Pattern[str]


SHAPES = tuple(
    Shape(kind, start, re.compile(re.escape(start) + body + _ENDS))
    for kind, starts, body in _SHAPES
    for start in starts.split()
)

_LOOSE = tuple(
    (kind, literal, re.compile(f"{_BEGINS}(?:{pattern}){_ENDS}"))
    for kind, literal, pattern in (
        # No fixed beginning, or one that a long run can repeat: found by search, which starts only
        # where a run of such characters starts. The literal decides whether to look at all.
        ("jwt", "eyJ", rf"eyJ{_WORD}{{8,}}+\.eyJ{_WORD}{{8,}}+\.{_WORD}*+"),
        ("telegram-token", ":AA", rf"[0-9]{{8,10}}:AA{_WORD}{{33}}"),
        ("azure-secret", "Q~", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
        ("mailchimp-key", "-us", rf"{_HEX}{{32}}-us[0-9]{{1,2}}"),
        ("terraform-token", ".atlasv1.", rf"{_ALNUM}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,}}+"),
        ("discord-token", ".", rf"[MNO]{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}"),
    )
)


def find_credentials(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (kind, start, end) of everything in ``text`` that looks like a credential.

    In no order; spans of different shapes may overlap.
    """
    for start, end in _long_runs(text):
        for shape in SHAPES:
            yield from _find_shape(shape, text, start, end)
        for kind, literal, pattern in _LOOSE:
            if text.find(literal, start, end) >= 0:
                yield from ((kind, *match.span()) for match in pattern.finditer(text, start, end))


def _long_runs(text: str) -> list[tuple[int, int]]:
    """Return where a credential can be: no shape is shorter, and none contains a space.

    Most texts have no such run, and splitting is ten times as fast as looking for every shape.
    """
    if max(map(len, text.split()), default=0) < SHORTEST:
        return []
    runs = [match.span() for match in _LONG_RUN.finditer(text)]
    return runs if len(runs) <= MOST_RUNS else [(runs[0][0], runs[-1][1])]


def _find_shape(shape: Shape, text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    at = text.find(shape.start, start, end)
    while at >= 0:
        # No beginning overlaps itself but the one of letters only, which inside a word is none.
        step = at + len(shape.start)
        if not _goes_on(text, at):
            match = shape.pattern.match(text, at)
            if match:
                step = match.end()
                yield shape.kind, at, step
        at = text.find(shape.start, step, end)


def _goes_on(text: str, at: int) -> bool:
    r"""Return whether the word at ``at`` began before it, so that it does not begin here.

    A letter that belongs to an escape (``\n`` in JSON, ``%3D`` in a URL) is not part of the word.
    """
    before = text[at - 1 : at]
    if before == "]":
        return _MARK_END.match(text, max(at - 8, 0), at) is not None
    if not (before.isascii() and before.isalnum() and text[at].isalnum()):
        return False
    return not (text[max(at - 2, 0) : at] in _ESCAPES or text[max(at - 3, 0) : at].startswith("%"))
