"""Made-up secrets of every shape, put together at run time so that no scanner finds them here."""

from __future__ import annotations

import base64
import json

DIGITS = "0123456789"
HEX = "0123456789abcdef"
LOWER = "abcdefghijklmnopqrstuvwxyz"
ALNUM = "q7RtW2yUpA9sDfG4hJkL5zXcV8bNm3QeK6"
UPPER = "Q7RTW2YUPA9SDFG4HJKL5ZXCV8BNM3QEK6"


def run(alphabet: str, length: int) -> str:
    """Return ``length`` characters that look random."""
    return "".join(
        alphabet[(7 * position + position // 3) % len(alphabet)] for position in range(length)
    )


def _packed(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


SHAPED = {
    "ghp": ("github-token", "ghp_" + run(ALNUM, 36)),
    "gho": ("github-token", "gho_" + run(ALNUM, 36)),
    "ghu": ("github-token", "ghu_" + run(ALNUM, 36)),
    "ghs": ("github-token", "ghs_" + run(ALNUM, 36)),
    "ghr": ("github-token", "ghr_" + run(ALNUM, 36)),
    "github_pat": ("github-token", "github_pat_" + run(ALNUM, 22) + "_" + run(ALNUM, 59)),
    "glpat": ("gitlab-token", "glpat-" + run(ALNUM, 20)),
    "glpat routable": ("gitlab-token", "glpat-" + run(ALNUM, 27) + ".01." + run(ALNUM, 9)),
    "glrt": ("gitlab-token", "glrt-" + run(ALNUM, 20)),
    "gldt": ("gitlab-token", "gldt-" + run(ALNUM, 20)),
    "bitbucket": ("bitbucket-token", "ATBB" + run(ALNUM, 32)),
    "npm": ("npm-token", "npm_" + run(ALNUM, 36)),
    "pypi": ("pypi-token", "pypi-AgEIcHlwaS5vcmc" + run(ALNUM, 90)),
    "rubygems": ("gem-token", "rubygems_" + run(HEX, 48)),
    "crates": ("crates-token", "cio" + run(ALNUM, 32)),
    "nuget": ("nuget-key", "oy2" + run(LOWER, 43)),
    "docker": ("docker-token", "dckr_pat_" + run(ALNUM, 27)),
    "ours": ("recollect-token", "rcl_" + run(ALNUM, 43)),
    "anthropic": ("anthropic-key", "sk-ant-api03-" + run(ALNUM, 93) + "AA"),
    "openai project": ("openai-key", "sk-proj-" + run(ALNUM, 100)),
    "openai old": ("openai-key", "sk-" + run(ALNUM, 20) + "T3BlbkFJ" + run(ALNUM, 20)),
    "openrouter": ("openrouter-key", "sk-or-v1-" + run(HEX, 64)),
    "langfuse": ("langfuse-key", "sk-lf-" + run(HEX, 8) + "-" + run(HEX, 27)),
    "google": ("google-key", "AIza" + run(ALNUM, 35)),
    "google oauth": ("google-oauth", "ya29." + run(ALNUM, 60)),
    "google client": ("google-oauth", "GOCSPX-" + run(ALNUM, 28)),
    "huggingface": ("huggingface-token", "hf_" + run(ALNUM, 34)),
    "replicate": ("replicate-token", "r8_" + run(ALNUM, 37)),
    "groq": ("groq-key", "gsk_" + run(ALNUM, 52)),
    "xai": ("xai-key", "xai-" + run(ALNUM, 80)),
    "perplexity": ("perplexity-key", "pplx-" + run(ALNUM, 48)),
    "voyage": ("voyage-key", "pa-" + run(ALNUM, 43)),
    "jina": ("jina-key", "jina_" + run(HEX, 32) + run(ALNUM, 28)),
    "tavily": ("tavily-key", "tvly-" + run(ALNUM, 32)),
    "aws": ("aws-key-id", "AKIA" + run(UPPER, 16)),
    "aws temporary": ("aws-key-id", "ASIA" + run(UPPER, 16)),
    "aws signature": ("aws-signature", "X-Amz-Signature=" + run(HEX, 64)),
    "azure sas": ("azure-sas", "sig=" + run(ALNUM, 41) + "%3D"),
    "azure client": ("azure-secret", run(ALNUM, 3) + "8Q~" + run(ALNUM, 34)),
    "alibaba": ("alibaba-key-id", "LTAI" + run(ALNUM, 20)),
    "digitalocean": ("digitalocean-token", "dop_v1_" + run(HEX, 64)),
    "netlify": ("netlify-token", "nfp_" + run(ALNUM, 36)),
    "supabase": ("supabase-token", "sbp_" + run(HEX, 40)),
    "planetscale": ("planetscale-token", "pscale_tkn_" + run(ALNUM, 43)),
    "databricks": ("databricks-token", "dapi" + run(HEX, 32) + "-2"),
    "pulumi": ("pulumi-token", "pul-" + run(HEX, 40)),
    "terraform": ("terraform-token", run(ALNUM, 14) + ".atlasv1." + run(ALNUM, 67)),
    "vault": ("vault-token", "hvs." + run(ALNUM, 90)),
    "doppler": ("doppler-token", "dp.pt." + run(ALNUM, 43)),
    "age": ("age-key", "AGE-SECRET-KEY-1" + run(UPPER, 58)),
    "slack bot": ("slack-token", f"xoxb-{run(DIGITS, 12)}-{run(DIGITS, 12)}-{run(ALNUM, 24)}"),
    "slack app": ("slack-token", "xapp-1-" + run(UPPER, 11) + "-" + run(DIGITS, 13)),
    "slack hook": (
        "slack-webhook",
        "hooks.slack.com/services/T" + run(UPPER, 8) + "/B" + run(UPPER, 8) + "/" + run(ALNUM, 24),
    ),
    "discord hook": ("discord-webhook", "/api/webhooks/" + run(DIGITS, 18) + "/" + run(ALNUM, 68)),
    "discord bot": ("discord-token", f"M{run(ALNUM, 23)}.{run(ALNUM, 6)}.{run(ALNUM, 27)}"),
    "telegram": ("telegram-token", run("123456789", 10) + ":AA" + run(ALNUM, 33)),
    "sendgrid": ("sendgrid-key", "SG." + run(ALNUM, 22) + "." + run(ALNUM, 43)),
    "mailgun": ("mailgun-key", "key-" + run(HEX, 32)),
    "mailchimp": ("mailchimp-key", run(HEX, 32) + "-us12"),
    "brevo": ("brevo-key", "xkeysib-" + run(HEX, 64) + "-" + run(ALNUM, 16)),
    "twilio": ("twilio-key", "SK" + run(HEX, 32)),
    "stripe": ("stripe-key", "sk_live_" + run(ALNUM, 24)),
    "stripe hook": ("stripe-webhook", "whsec_" + run(ALNUM, 32)),
    "shopify": ("shopify-token", "shpat_" + run(HEX, 32)),
    "square": ("square-token", "sq0atp-" + run(ALNUM, 22)),
    "braintree": (
        "braintree-token",
        "access_token$production$" + run(LOWER, 16) + "$" + run(HEX, 32),
    ),
    "grafana": ("grafana-token", "glsa_" + run(ALNUM, 32) + "_" + run(HEX, 8)),
    "newrelic": ("newrelic-key", "NRAK-" + run(UPPER, 27)),
    "sentry": ("sentry-token", "sntryu_" + run(HEX, 64)),
    "linear": ("linear-key", "lin_api_" + run(ALNUM, 40)),
    "notion": ("notion-token", "ntn_" + run(ALNUM, 46)),
    "airtable": ("airtable-token", "pat" + run(ALNUM, 14) + "." + run(HEX, 64)),
    "atlassian": ("atlassian-token", "ATATT3" + run(ALNUM, 180)),
    "figma": ("figma-token", "figd_" + run(ALNUM, 40)),
    "postman": ("postman-key", "PMAK-" + run(HEX, 24) + "-" + run(HEX, 34)),
    "dropbox": ("dropbox-token", "sl." + run(ALNUM, 130)),
    "x": ("x-token", "A" * 21 + "MLhe" + "A" * 7 + "0%2B" + run(ALNUM, 60)),
    "jwt": (
        "jwt",
        f"{_packed({'alg': 'HS256'})}.{_packed({'sub': 'a user of it'})}.{run(ALNUM, 43)}",
    ),
}
"""Name -> (kind, secret)."""
