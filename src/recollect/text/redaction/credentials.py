"""The shapes of credentials that are recognised by form alone: a fixed beginning and a body.

One row for each shape: its kind, its beginnings, its body. A row is tried only where one of its
beginnings is in the text, after a character that is not a letter or digit, and the credential must
not go on after its body. Bodies use possessive or fixed counts, so that no text makes them slow.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from string import ascii_letters, digits

from msgspec import Struct

from recollect.text.scramble import is_scrambled

_WORD = r"[A-Za-z0-9_-]"
_ALNUM = r"[A-Za-z0-9]"
_HEX = r"[a-f0-9]"

_ENDS = r"(?![A-Za-z0-9])"
_BEGUN = (
    r"(?:(?<![A-Za-z0-9_.~-].)|(?<=\\[nrt].)|(?<=%[A-Fa-f0-9]{2}.)"
    r"|(?<=[^\w-]-[A-Za-z].)|(?<=^-[A-Za-z].))"
)
"""After the first character of a credential: nothing is before it that it could be a part of."""

_SHAPES = (
    # Code hosting and package registries
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_ALNUM}{{36,}}+"),
    ("github-token", "github_pat_", r"[A-Za-z0-9_]{40,}+"),
    ("gitlab-token", "glpat- glrt-", rf"{_WORD}{{20,}}+(?:\.{_WORD}++)*+"),
    (
        "gitlab-token",
        "gldt- glcbt- glptt- glagent- glsoat- glffct- glft- glimt- gloas- GR1348941",
        rf"{_WORD}{{20,}}+",
    ),
    ("gitlab-token", "_gitlab_session=", r"[0-9a-z]{32}"),
    ("artifactory-key", "AKC", rf"(?=[A-Z]{{0,60}}[a-z0-9]){_ALNUM}{{10,}}+"),
    ("artifactory-key", "AP", rf"[0-9A-F]{_ALNUM}{{36,}}+"),
    ("artifactory-key", "cmVmd", rf"{_ALNUM}{{59}}"),
    ("clojars-token", "CLOJARS_", r"[a-zA-Z0-9]{60}"),
    ("octopus-key", "API-", r"[A-Z0-9]{26}"),
    ("sourcegraph-token", "sgp_", rf"(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}"),
    ("bitbucket-token", "ATBB", rf"{_ALNUM}{{32,}}+"),
    ("npm-token", "npm_", rf"{_ALNUM}{{36,}}+"),
    ("pypi-token", "pypi-AgE", rf"{_WORD}{{50,}}+"),
    ("gem-token", "rubygems_", rf"{_HEX}{{48}}"),
    ("crates-token", "cio", rf"{_ALNUM}{{32}}"),
    ("docker-token", "dckr_pat_ dckr_oat_", rf"{_WORD}{{27,}}+"),
    ("recollect-token", "rcl_", rf"{_WORD}{{43}}"),
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
    ("telegram-token", "/bot", rf"[0-9]{{7,12}}:A{_WORD}{{33,35}}"),
    ("nvidia-key", "nvapi-", rf"{_WORD}{{40,}}+"),
    ("pinecone-key", "pcsk_", rf"{_WORD}{{40,}}+"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", rf"{_HEX}{{32}}_{_HEX}{{10}}"),
    ("langsmith-key", "ls__", rf"{_HEX}{{32}}"),
    ("e2b-key", "e2b_", rf"{_HEX}{{40}}"),
    ("fireworks-key", "fw_", rf"{_ALNUM}{{22,}}+"),
    ("google-key", "AQ.", rf"{_WORD}{{40,}}+"),
    ("cerebras-key", "csk-", rf"{_ALNUM}{{40,}}+"),
    ("together-key", "tgp_v1_", rf"{_WORD}{{40,}}+"),
    ("firecrawl-key", "fc-", rf"{_HEX}{{32}}"),
    ("cartesia-key", "sk_car_", rf"{_ALNUM}{{20,}}+"),
    ("elevenlabs-key", "sk_", rf"{_HEX}{{48}}"),
    ("posthog-key", "phc_ phx_ phs_", rf"{_ALNUM}{{40,}}+"),
    ("wandb-key", "wandb_v1_", rf"{_WORD}{{40,}}+"),
    ("llama-cloud-key", "llx-", rf"{_ALNUM}{{40,}}+"),
    ("mem0-key", "m0-", rf"{_ALNUM}{{40}}"),
    ("voyage-key", "al-", rf"{_WORD}{{40,}}+"),
    ("modal-key", "ak- as-", rf"(?=[A-Za-z]{{0,21}}[0-9]){_ALNUM}{{22}}"),
    ("helicone-key", "sk-helicone- pk-helicone-", rf"{_WORD}{{20,}}+"),
    ("atlassian-token", "ATCTT3", r"[A-Za-z0-9_=-]{60,}+"),
    ("circleci-token", "CCIPAT_ CCIPRJ_", rf"{_ALNUM}{{22}}_{_HEX}{{40}}"),
    ("cloudflare-key", "cfut_ cfat_ cfk_", rf"{_WORD}{{38,}}+"),
    ("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", rf"{_ALNUM}{{22,}}+"),
    (
        "paddle-key",
        "pdl_live_apikey_ pdl_sdbx_apikey_",
        rf"{_ALNUM}{{26}}_{_ALNUM}{{22}}_{_ALNUM}{{3}}",
    ),
    ("polar-token", "polar_oat_ polar_pat_", rf"{_ALNUM}{{36,}}+"),
    ("calcom-key", "cal_live_ cal_", rf"{_HEX}{{32}}"),
    ("deno-token", "ddp_ ddo_", rf"{_ALNUM}{{36}}"),
    ("datadog-key", "ddapp_ ddpat_", rf"{_ALNUM}{{32,}}+"),
    ("honeycomb-key", "hcaik_ hcxik_ hcbik_", r"[a-z0-9_]{40,}+"),
    ("axiom-token", "xaat- xapt-", r"[a-f0-9-]{36}"),
    ("asana-token", "2/", rf"[0-9]{{10,20}}/[0-9]{{10,20}}:{_HEX}{{32}}"),
    ("clickup-token", "pk_", rf"[0-9]{{6,10}}_{_ALNUM}{{32}}"),
    ("hubspot-token", "pat-na1- pat-eu1- pat-na2-", r"[a-f0-9-]{36}"),
    ("intercom-token", "dG9rO", r"[A-Za-z0-9+/]{50,}+={0,2}"),
    ("razorpay-key", "rzp_live_ rzp_test_", rf"{_ALNUM}{{14}}"),
    ("mollie-key", "live_ test_", rf"{_ALNUM}{{30}}"),
    ("adyen-key", "AQE", r"[A-Za-z0-9+/]{60,}+[^\s]{0,60}"),
    ("launchdarkly-key", "sdk- api-", r"[a-f0-9]{8}-(?:[a-f0-9]{4}-){3}[a-f0-9]{12}"),
    ("feature-flag-key", "configcat-sdk-1/", rf"{_WORD}{{22}}/{_WORD}{{22}}"),
    ("nuget-key", "oy2", r"[a-z0-9]{43}"),
    ("sourcegraph-token", "slk_", rf"{_HEX}{{64}}"),
    ("snyk-token", "snyk_uat.", rf"{_WORD}{{8,}}+\.{_WORD}{{20,}}+"),
    ("square-token", "EAAl", rf"{_WORD}{{60}}"),
    ("facebook-token", "EAA", rf"{_ALNUM}{{100,}}+"),
    ("instagram-token", "IGQVJ IGAA", rf"{_WORD}{{80,}}+"),
    ("linkedin-secret", "WPL_AP1.", rf"{_WORD}{{16,}}+\.{_WORD}{{4,}}+={{0,2}}"),
    ("mailersend-key", "mlsn.", rf"{_HEX}{{64}}"),
    ("zapier-hook", "hooks.zapier.com/hooks/catch/", r"[0-9]{4,10}/[a-z0-9]{6,}+"),
    (
        "google-chat-hook",
        "chat.googleapis.com/v1/spaces/",
        r"\S{1,80}key=[A-Za-z0-9_-]{30,}+[^\s\"'`]{0,200}",
    ),
    ("runpod-key", "rpa_", rf"{_ALNUM}{{40,}}+"),
    ("brave-key", "BSA", r"(?=[A-Za-z_-]{0,27}[0-9])[A-Za-z0-9_-]{28}"),
    ("linear-key", "lin_oauth_ lin_wh_", rf"{_ALNUM}{{32,}}+"),
    ("apify-token", "apify_api_ apify_proxy_", rf"{_ALNUM}{{30,}}+"),
    ("onesignal-key", "os_v2_app_ os_v2_org_", r"[a-z2-7]{60,}+"),
    ("inngest-key", "signkey-prod- signkey-test-", rf"{_HEX}{{32,}}+"),
    ("trigger-key", "tr_dev_ tr_prod_ tr_pat_", rf"{_ALNUM}{{20,}}+"),
    ("stytch-secret", "secret-live- secret-test-", rf"{_WORD}{{30,}}+"),
    ("pubnub-key", "sec-c-", r"[A-Za-z0-9-]{36,}+"),
    ("luma-key", "luma-", r"[a-f0-9-]{36,}+"),
    ("xata-key", "xau_", rf"{_ALNUM}{{30,}}+"),
    ("lichess-token", "lip_ lio_", rf"{_ALNUM}{{16,}}+"),
    ("ntfy-token", "tk_", r"(?=[a-z]{0,28}[0-9])[a-z0-9]{29}"),
    ("matrix-token", "syt_ mct_ mat_", rf"{_WORD}{{16,}}+_{_ALNUM}{{6}}"),
    ("wakatime-key", "waka_", r"[a-f0-9-]{36}"),
    ("trello-token", "ATTA", rf"{_HEX}{{40,}}+"),
    ("bitbucket-token", "BBDC-", r"[A-Za-z0-9+/]{40,}+"),
    ("brevo-key", "xsmtpsib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    ("postman-key", "PMAT-", r"[A-Z0-9]{20,}+"),
    ("buildkite-token", "bkct_ bkaj_ bkpt_ bkpat_", rf"{_ALNUM}{{20,}}+"),
    ("scrapfly-key", "scp-live- scp-test-", rf"{_HEX}{{32}}"),
    ("paypal-token", "A21AA", rf"{_WORD}{{60,}}+"),
    ("firebase-key", "AAAA", rf"{_WORD}{{7}}:APA91b{_WORD}{{100,}}+"),
    ("backblaze-key", "K001 K002 K003 K004 K005", r"[A-Za-z0-9+/]{24,27}"),
    ("aiven-password", "AVNS_", rf"{_WORD}{{16,}}+"),
    ("swarm-token", "SWMTKN-1-", r"[a-z0-9]{50}-[a-z0-9]{25}"),
    ("paseto", "v2.local. v4.local. v3.local.", rf"{_WORD}{{40,}}+"),
    ("stripe-key", "pi_ seti_", rf"{_ALNUM}{{16,}}+_secret_{_ALNUM}{{20,}}+"),
    ("wallet-key", "xprv yprv zprv tprv", r"[1-9A-HJ-NP-Za-km-z]{100,112}+"),
    ("nostr-key", "nsec1", r"[a-z0-9]{58}"),
    ("discord-webhook", "discordapp.com/api/webhooks/", rf"[0-9]{{15,22}}/{_WORD}{{40,}}+"),
    (
        "teams-webhook",
        "office.com/webhook/",
        r"[a-z0-9@-]{60,80}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}",
    ),
    # Clouds
    ("aws-session-token", "IQoJb3JpZ2lu FwoGZXIvYXdz", r"[A-Za-z0-9+/]{60,}+={0,2}"),
    ("aws-key-id", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}"),
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
    ("fly-token", "fm1a_ fm1r_ fm2_", r"[A-Za-z0-9+/]{100,}+={0,3}"),
    ("tailscale-key", "tskey-", rf"[a-z]{{3,10}}-{_ALNUM}{{6,}}+(?:-{_ALNUM}{{16,}}+)?+"),
    ("openshift-token", "sha256~", rf"{_WORD}{{43}}"),
    ("cloudflare-key", "v1.0-", rf"{_HEX}{{24}}-{_HEX}{{146}}"),
    ("clickhouse-key", "4b1d", rf"{_ALNUM}{{38}}"),
    ("scalingo-token", "tk-us-", rf"{_WORD}{{48}}"),
    ("prefect-token", "pnu_", rf"{_ALNUM}{{36}}"),
    ("infracost-key", "ico-", rf"{_ALNUM}{{32}}"),
    ("defined-token", "dnkey-", rf"{_WORD}{{26}}-{_WORD}{{52}}"),
    ("yandex-token", "t1.", rf"{_WORD}++={{0,2}}\.{_WORD}{{86}}={{0,2}}"),
    ("yandex-key", "AQVN", rf"{_WORD}{{35,38}}"),
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
    ("vault-token", "s.", rf"(?=[A-Za-z]{{0,23}}[0-9]){_ALNUM}{{24}}"),
    (
        "1password-key",
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    ("1password-token", "ops_eyJ", r"[A-Za-z0-9+/=_-]{100,}+"),
    # Messages and mail
    ("slack-token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd-", rf"{_WORD}{{20,}}+"),
    ("slack-token", "xoxe", rf"[.-]{_WORD}{{20,}}+"),
    ("slack-token", "xapp-", rf"[0-9]-{_WORD}{{20,}}+"),
    (
        "teams-webhook",
        ".webhook.office.com/webhookb2/",
        r"[a-z0-9@-]{60,80}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}",
    ),
    ("slack-webhook", "hooks.slack.com/", r"[a-z]{1,20}/[A-Za-z0-9_/-]{20,}+"),
    ("discord-webhook", "/api/webhooks/", rf"[0-9]{{15,22}}/{_WORD}{{40,}}+"),
    ("sendgrid-key", "SG.", rf"{_WORD}{{16,64}}+\.{_WORD}{{16,}}+"),
    ("mailgun-key", "key-", rf"{_HEX}{{32}}"),
    ("brevo-key", "xkeysib-", rf"{_HEX}{{64}}-{_ALNUM}{{16}}"),
    ("resend-key", "re_", rf"{_ALNUM}{{8,}}+_{_ALNUM}{{20,}}+"),
    ("twilio-key", "SK", rf"{_HEX}{{32}}"),
    # Payments and shops
    (
        "stripe-key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        rf"{_ALNUM}{{10,}}+",
    ),
    ("stripe-webhook", "whsec_", r"[A-Za-z0-9+/]{24,}+={0,2}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[a-fA-F0-9]{32}"),
    ("shippo-token", "shippo_live_ shippo_test_", r"[a-fA-F0-9]{40}"),
    ("duffel-token", "duffel_live_ duffel_test_", r"[A-Za-z0-9_=-]{43}"),
    ("easypost-key", "EZAK EZTK", rf"{_ALNUM}{{54}}"),
    ("flutterwave-key", "FLWSECK_TEST- FLWSECK-", r"[a-h0-9]{12,32}+(?:-X)?"),
    ("plaid-token", "access-production- access-sandbox- access-development-", r"[a-f0-9-]{36}"),
    ("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", rf"{_ALNUM}{{16}}"),
    ("square-token", "EAAA", rf"{_WORD}{{60}}"),
    ("square-token", "sq0atp-", rf"{_WORD}{{22,}}+"),
    ("square-token", "sq0csp-", rf"{_WORD}{{40,}}+"),
    ("braintree-token", "access_token$", r"(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    # Hashes of passwords
    ("password-hash", "$1$ $apr1$", r"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}"),
    (
        "password-hash",
        "$5$ $6$",
        r"(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}+",
    ),
    ("password-hash", "$2a$ $2b$ $2y$", r"\d\d\$[./A-Za-z0-9]{53}"),
    ("password-hash", "$y$", r"[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}"),
    (
        "password-hash",
        "$argon2id$ $argon2i$",
        r"v=\d{1,3}\$[a-z0-9=,]{3,60}\$[A-Za-z0-9+/$]{20,300}+",
    ),
    ("password-hash", "pbkdf2_sha256$", r"\d{1,9}\$[A-Za-z0-9+/$=]{30,200}+"),
    ("password-hash", "{SSHA} {SSHA256} {SSHA512}", r"[A-Za-z0-9+/]{20,128}+={0,2}"),
    ("password-hash", "SCRAM-SHA-256$", r"\d{1,9}:[A-Za-z0-9+/$:=]{60,200}+"),
    # Tools of developers
    ("grafana-token", "glsa_", rf"{_ALNUM}{{32}}_[A-Fa-f0-9]{{8}}"),
    ("grafana-token", "glc_", r"[A-Za-z0-9+/]{32,}+={0,2}"),
    ("grafana-token", "eyJrIjoi", r"[A-Za-z0-9]{70,}+={0,3}"),
    ("newrelic-key", "NRAK-", r"[A-Z0-9]{27}"),
    ("newrelic-key", "NRII-", r"[A-Za-z0-9-]{32}"),
    ("dynatrace-token", "dt0c01.", r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    ("harness-token", "pat. sat.", rf"{_WORD}{{22}}\.{_ALNUM}{{24}}\.{_ALNUM}{{20}}"),
    ("readme-key", "rdme_", r"[a-z0-9]{70}"),
    ("typeform-token", "tfp_", r"[A-Za-z0-9_.=-]{59}"),
    ("frameio-token", "fio-u-", r"[A-Za-z0-9_=-]{64}"),
    ("adobe-secret", "p8e-", r"[A-Za-z0-9]{32}"),
    ("intra42-secret", "s-s4t2ud- s-s4t2af-", rf"{_HEX}{{64}}"),
    (
        "authress-key",
        "sc_ ext_ scauth_ authress_",
        r"[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}+",
    ),
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
    ("facebook-token", "EAAC EAAM", rf"{_ALNUM}{{80,}}+"),
    ("x-token", "AAAAAAAAAAAAAAAAAAAAA", r"(?=[A-Za-z0-9]{0,60}%)[A-Za-z0-9%]{50,}+"),
    ("mapbox-token", "sk.eyJ", rf"{_WORD}{{40,}}+\.{_WORD}{{16,}}+"),
)


SHORTEST = 13
"""No credential of the tables has fewer characters."""
_LEAST_BROKEN = 16
"""Fewer characters at the end of a line are not taken for the first part of a credential."""
_WRAPPED = re.compile(r"\n[ \t]{0,8}+([A-Za-z0-9_-]{4,200}+)(?!\S)")
_RUN = re.compile(r"\S{0,256}+")


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
    (kind, literal, re.compile(first + _BEGUN + rest + _ENDS))
    for kind, literal, first, rest in (
        # No fixed beginning, or one that a long run can repeat: found by search where the literal
        # is among the long words.
        (
            "jwe",
            "eyJ",
            "e",
            rf"yJ{_WORD}{{8,}}+\.{_WORD}*+(?:\.{_WORD}{{16,}}+){{2}}\.{_WORD}{{16,}}+",
        ),
        ("jwt", "eyJ", "e", rf"yJ{_WORD}{{8,}}+\.eyJ{_WORD}{{8,}}+\.{_WORD}*+"),
        ("telegram-token", ":A", "[0-9]", rf"[0-9]{{7,9}}:A{_WORD}{{34}}"),
        (
            "azure-secret",
            "Q~",
            "[A-Za-z0-9_~.]",
            r"[A-Za-z0-9_~.]{2}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",
        ),
        (
            "zhipu-key",
            ".",
            _HEX,
            rf"{_HEX}{{31}}\.{_ALNUM}{{16}}",
        ),
        ("mailchimp-key", "-us", _HEX, rf"{_HEX}{{31}}-us[0-9]{{1,2}}"),
        ("maxmind-key", "_mmk", _ALNUM, rf"{_ALNUM}{{5}}_{_ALNUM}{{29}}_mmk"),
        (
            "terraform-token",
            ".atlasv1.",
            _ALNUM,
            rf"{_ALNUM}{{13}}\.atlasv1\.[A-Za-z0-9_=-]{{60,}}+",
        ),
        ("discord-token", ".", "[MNO]", rf"{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,40}}"),
    )
)
"""(kind, what must be there, how it begins, what follows)."""
_BEGINNING = re.compile(r"([A-Za-z0-9][A-Za-z0-9]{0,2}+)[A-Za-z0-9]*+")
_GLUE = r"(?:\\[nrt]|%[A-Za-z0-9]{2}|-(?<![\w-]-)[A-Za-z])"
"""Text that touches a credential but belongs to another word: an escape, an option letter."""
_GLUED_BEGINNING = re.compile(rf"{_GLUE}([A-Za-z0-9]{{1,3}})")
_GLUED = re.compile(rf"{_GLUE}\Z")


def _by_beginning() -> dict[str, list[int]]:
    """Return the shapes by their first letters, at most three, up to the first other sign."""
    rows: dict[str, list[int]] = {}
    for row, shape in enumerate(SHAPES):
        begin = _BEGINNING.findall(shape.start)[0]
        goes_on = begin == shape.start and len(begin) < 3
        for last in ascii_letters + digits if goes_on else [""]:
            rows.setdefault(begin + last, []).append(row)
    return rows


_ROWS = _by_beginning()


def long_words(text: str) -> str:
    """Return the words of ``text`` in which a credential can be, in order, a space between them."""
    return " ".join([word for word in text.split() if len(word) >= SHORTEST])


def find_credentials(text: str, among: str) -> Iterator[tuple[str, int, int]]:
    """Yield (kind, start, end) of everything in ``text`` that looks like a credential.

    In no order; spans of different shapes may overlap.

    Args:
        text: Any text.
        among: Its long words.
    """
    if not among:
        return
    for row in _begun(among):
        if row < len(SHAPES):
            yield from _find_shape(SHAPES[row], text)
        else:
            kind, _, pattern = _LOOSE[row - len(SHAPES)]
            yield from ((kind, *match.span()) for match in pattern.finditer(text))


def may_hold(among: str) -> bool:
    """Return whether one of some long words may begin a credential, whatever is around it."""
    return any(row >= len(SHAPES) or _may_be_in(among, SHAPES[row]) for row in _begun(among))


def _may_be_in(among: str, shape: Shape) -> bool:
    """Return whether a word has such a credential, or as much of it as goes on in the next line."""
    at = among.find(shape.start)
    while at >= 0:
        if not _goes_on(among, at) and (
            shape.pattern.match(among, at) or _end_of_run(among, at) - at >= _LEAST_BROKEN
        ):
            return True
        at = among.find(shape.start, at + len(shape.start))
    return False


def _begun(among: str) -> list[int]:
    """Return the shapes, by row, that may begin in some words; those of `_LOOSE` count on."""
    rows = [_rows(word) if len(word) <= _LONGEST_KEPT else _rows_of(word) for word in among.split()]
    return sorted(set().union(*rows))


def _rows_of(word: str) -> list[int]:
    # The beginning of the word excludes most shapes at once.
    beginnings = set(_BEGINNING.findall(word))
    if "-" in word or "\\" in word or "%" in word:
        beginnings.update(_GLUED_BEGINNING.findall(word))
    rows = [row for each in beginnings & _ROWS.keys() for row in _ROWS[each]]
    loose = [
        row
        for row, (_, literal, pattern) in enumerate(_LOOSE, len(SHAPES))
        if literal in word and pattern.search(word)
    ]
    return [*(row for row in rows if SHAPES[row].start in word), *loose]


_LONGEST_KEPT = 128
"""Characters of a word whose shapes are remembered."""
_rows = functools.lru_cache(4_096)(_rows_of)


_DOCUMENTED = ("EXAMPLE", "EXAMPLEKEY")
"""The ends of keys in documentation."""


def _find_shape(shape: Shape, text: str) -> Iterator[tuple[str, int, int]]:
    at = text.find(shape.start)
    while at >= 0:
        # Only the beginning of letters overlaps itself, and inside a word it does not count.
        step = at + len(shape.start)
        if not _goes_on(text, at):
            end = _end(shape, text, at)
            if end and not text.endswith(_DOCUMENTED, at, end):
                step = end
                yield shape.kind, at, end
        at = text.find(shape.start, step)


def _end(shape: Shape, text: str, at: int) -> int:
    """Return the end of the credential that begins at ``at``, wrapped or not; 0 if it is none."""
    match = shape.pattern.match(text, at)
    end = match.end() if match else 0
    line_end = end or _end_of_run(text, at)
    wrapped = _WRAPPED.match(text, line_end)
    if not wrapped or line_end - at < _LEAST_BROKEN:
        return end
    if match:
        return wrapped.end() if len(wrapped[1]) >= 6 and is_mixed(wrapped[1]) else end
    whole = shape.pattern.fullmatch(text[at:line_end] + wrapped[1])
    return wrapped.end() if whole else 0


def _end_of_run(text: str, at: int) -> int:
    run = _RUN.match(text, at)
    return run.end() if run else at


def is_mixed(run: str) -> bool:
    """Return whether letters and digits alternate, or their case does: not a word."""
    digits = sum(map(str.isdigit, run))
    return 2 <= digits <= len(run) - 2 or is_scrambled(run)


def _goes_on(text: str, at: int) -> bool:
    r"""Return whether the word at ``at`` began before it, so that it does not begin here.

    A letter that belongs to an escape (``\n`` in JSON, ``%3D`` in a URL) or is an option
    (``curl -u``) is not part of the word.
    """
    before = text[at - 1 : at]
    if not (before.isascii() and before.isalnum() and text[at].isalnum()):
        return False
    return not _GLUED.search(text[max(at - 3, 0) : at])
