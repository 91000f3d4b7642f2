"""The unseen half: shapes and carriers that the rule sets of others publish as their examples.

Taken from the examples of gitleaks (its rules, `GenerateSampleSecrets`, the curl, Kubernetes and
generic rules) and of detect-secrets (the tests of its keyword, SoftLayer, Cloudant and other
plugins): which places, prefixes, alphabets and lengths there are, none of their code. Written down
before the rules that are measured with it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from benchmarks.datasets.secret_shapes import (
    Carriers,
    SecretCase,
    look_alikes_in,
    secrets_in,
)

HALF = "unseen"

_UNNAMED = (
    *("<w32>", "<a17>", "<a32>", "<a30>", "<a20><h4>", "<a64>", "<h40>", "<A40>", "<a40>", "<h37>"),
    *("<h64>", "<h32>", "<a24>", "<uuid>", "<a60>", "<a73>", "<a14><d2>", "<h24>", "<A29>"),
)
"""What gitleaks knows by a maker's name beside it alone: Adafruit, Algolia, Asana, Datadog, …"""
_SAMPLES: Carriers = {
    name: (_UNNAMED, texts)
    for name, texts in {
        "ini, quoted": ('adafruitToken="{}"', 'algoliaToken = "{}"'),
        "ini, bare": ("asanaToken={}", "bittrexToken = {}"),
        "json, text": ('{\n    "cloudflare_token": "{}"\n}',),
        "json, escaped": ('\\{\n    \\"codecov_token\\": \\"{}\\"\n\\}',),
        "json, name and value": ('{\n    "name": "datadog_token",\n    "value": "{}"\n}',),
        "xml element": ("<droneciToken>{}</droneciToken>",),
        "xml element over lines": ("<etsyToken>\n    {}\n</etsyToken>",),
        "xml attributes": ('<entry name="fastlyToken" value="{}" />',),
        "yaml": ("finnhub_token: {}", "flickr_token: '{}'", 'gitter_token: "{}"'),
        "yaml block": ("jfrog_token: |\n  {}", "kraken_token: >\n  {}"),
        "c#": ('string kucoinToken = "{}";',),
        "go": ('var launchdarklyToken string = "{}"', 'linearToken := "{}"'),
        "go backticks": ("linkedinToken := `{}`",),
        "java": ('String lobToken = "{}";',),
        "kotlin": ('var mailgunToken = "{}"', 'var mapboxToken: string = "{}"'),
        "php": ('$mattermostToken .= "{}"', '$messagebirdToken ??= "{}"'),
        "python": ("netlifyToken = '{}'", 'newrelicToken = "{}"'),
        "csv": ("nytimesToken,{},",),
        "logstash": ('  "oktaToken" => "{}"',),
        "make": (
            *('plaid_TOKEN = "{}"', 'rapidapi_TOKEN := "{}"', 'sendbird_TOKEN ::= "{}"'),
            *('sentry_TOKEN :::= "{}"', 'snyk_TOKEN ?= "{}"', 'sonar_TOKEN += "{}"'),
        ),
        "generic names": (
            *("'access_token': '{}'", 'some_api_token_123 = "{}"', '"credentials" : "{}"'),
            *("creds = {}", "private-key: {}", '"client_secret" : "{}",', "mySecretString={}"),
            *("todo_secret_do_not_commit = {}", ' utils.GetEnvOrDefault("api_token", "{}")'),
            *('"user_auth": "{}"', "passwd = {}"),
        ),
    }.items()
}

_SHAPED = (
    *("A3-<U6>-<U11>-<U5>-<U5>-<U5>", "ops_eyJ<A250>", "p8e-<a32>", "AGE-SECRET-KEY-1<U58>"),
    *("LTAI<a20>", "sk-ant-admin01-<w93>AA", "sk-ant-api03-<w93>AA", "AKCp<A69>", "cmVmd<A59>"),
    *("ATATT3<w186>", "sc_<a12>.<a4>.acc-<a20>.<a64>", "AKIA<U16>", "ABIA<U16>", "ACCA<U16>"),
    *("<A3>8Q~<w34>", "4b1d<A38>", "CLOJARS_<a60>", "v1.0-<h24>-<h146>", "dapi<h32>"),
    *("dnkey-<a26>-<a52>", "doo_v1_<h64>", "dop_v1_<h64>", "dor_v1_<h64>", "dp.pt.<a43>"),
    *("duffel_live_<w43>", "dt0c01.<a24>.<a64>", "EZAK<a54>", "EZTK<a54>", "EAAM<a110>"),
    *("FLWSECK_TEST-<h32>-X", "fo1_<w43>", "fm1a_<b120>", "fm2_<b120>", "fio-u-<w64>"),
    *("AIza<w35>", "ghu_<A36>", "ghs_<A36>", "github_pat_<A22>_<A59>", "gho_<A36>", "ghp_<A36>"),
    *("ghr_<A36>", "glcbt-<A4>_<w20>", "gldt-<w20>", "glffct-<w20>", "glft-<w20>", "glimt-<w25>"),
    *("glagent-<w50>", "gloas-<w64>", "glpat-<w20>", "glptt-<h40>", "GR1348941<w20>", "glrt-<w20>"),
    *("glsoat-<w20>", "_gitlab_session=<a32>", "eyJrIjoi<A80>", "glc_<b60>", "glsa_<A32>_<h8>"),
    *("pat.<w22>.<A24>.<A20>", "sat.<w22>.<A24>.<A20>", "<A14>.atlasv1.<w66>", "HRKU-AA<w58>"),
    *("hf_<L34>", "api_org_<L34>", "ico-<A32>", "s-s4t2ud-<h64>", "s-s4t2af-<h64>"),
    *("lin_api_<a40>", "<A6>_<A29>_mmk", "ntn_<d11><A35>", "npm_<a36>", "API-<U26>"),
    *("sk-proj-<w74>T3BlbkFJ<w74>", "sk-<A20>T3BlbkFJ<A20>", "sha256~<w43>", "pplx-<A48>"),
    *("pscale_tkn_<A43>", "pscale_oauth_<A43>", "pscale_pw_<A43>", "PMAK-<h24>-<h34>"),
    *("pnu_<A36>", "pul-<h40>", "pypi-AgEIcHlwaS5vcmc<w80>", "rdme_<a70>", "rubygems_<h48>"),
    *("tk-us-<w48>", "SG.<w22>.<w43>", "xkeysib-<h64>-<a16>", "sntryu_<h64>", "sm_aat_<A16>"),
    *("sm_pat_<A16>", "sm_sat_<A16>", "shippo_live_<h40>", "shpat_<h32>", "shpca_<h32>"),
    *("shppa_<h32>", "shpss_<h32>", "xapp-1-<U11>-<d13>-<a64>", "xoxb-<d11>-<d12>-<A24>"),
    *("xoxe.xoxp-1-<U163>", "xoxe-1-<U146>", "xoxb-<d12>-<A24>", "xoxs-<d11>-<d11>-<d11>-<h10>"),
    *("xoxp-<d11>-<d11>-<d11>-<h32>", "sgp_<h16>_<h40>", "sgp_<h40>", "sq0atp-<w22>", "EAAA<w60>"),
    *("sk_live_<A24>", "rk_prod_<A30>", "sk_test_<A40>", "SK<h32>", "hvb.<w150>", "hvs.<w90>"),
    *("s.<A23>7", "t1.<A20>.<w86>", "AQVN<A36>", "tfp_<w59>", "NRAK-<U27>", "NRII-<A32>"),
    *("hooks.slack.com/services/<A44>", "<h32>-us12", "<d9>:A<w34>", "access-production-<uuid>"),
    *(".webhook.office.com/webhookb2/<uuid>@<uuid>/IncomingWebhook/<h32>/<uuid>",),
    *("00<A40>", "YC<A38>", "<d15>|<A27>"),
)
_NEED_NAME = {"00<A40>", "YC<A38>", "<d15>|<A27>"}
_ALONE = tuple(shape for shape in _SHAPED if shape not in _NEED_NAME)
_SHAPES: Carriers = {
    "shape in prose": (_ALONE, ("Use {} for the staging account.", "it answered with {}\nthen")),
    "shape in a mapping": (_ALONE, ({"note": "rotated to {} today"}, {"line": ["{}"]})),
    "shape in code": (_ALONE, ('client = Client("{}")', "call('{}', 3)", "x=`{}`;")),
    "shape by its maker": (
        ("00<A40>", "YC<A38>", "<d15>|<A27>"),
        ('okta_api_token = "{}"', 'YANDEX_SECRET_KEY="{}"', 'facebook_token = "{}"'),
    ),
}

_HUMAN = ("P@ssw0rd<d1>", "<a16>", "d2LkV<d2>zLx!t", "h0pk1ns~<d2>s", "<A10>", "dB2yF6@<a10>")
_CURL: Carriers = {
    "curl -u": (
        _HUMAN,
        (
            "curl --cacert ca.crt -u elastic:{} https<:>//localhost:9200",
            "sh-5.0$ curl -k -X POST https<:>//infinispan:11222/rest \\\n  -d 'world' "
            "\\\n -u dev:{}",
            'curl -u ":{}" https<:>//localhost:9200',
            "curl -sw '%{http_code}' -X POST --user  'johns:{}' $URL/$GIT_COMMIT --data",
            "curl --user roger23@gmail.com:{} https<:>//www.dropbox.com/cli_link?host_id=abc -v",
            'curl -s -v --user "j.smith:{}" "https<:>//api.contoso.org/user/me"',
            "curl --user kevin:'{}' -iX PATCH -d",
        ),
    ),
    "curl -H, authorization": (
        ("<A32>", "<h32>", "<w40>", "<b160>==", "sha256~<w43>", "<uuid>", "<h40>"),
        (
            "curl --header  'Authorization:  {}'",
            '# curl -X GET "http<:>//localhost:3000/cron" -H "Authorization: Bearer {}"',
            "curl -X PUT -H 'Authorization: Bearer {}' -d 'user=1' http<:>//127.0.0.1:8443/",
            'curl -H "Authorization: Api-Token {}" --request PUT https<:>//app.report/api/use/635',
            'curl -H "Authorization: Token {}" --request PUT https<:>//app.report/api/use/635',
            'curl -L -H "Authorization:{}" service1.local',
        ),
    ),
    "curl -H, basic": (
        ("YW5uOn<A20>", "<A64>==", "djJlNE<A60>"),
        (
            "curl -H 'Authorization: Basic {}' \\",
            'curl -k -X POST --header "Authorization: Basic {}" "https<:>//qa.test:8243/token"',
        ),
    ),
    "curl -H, other headers": (
        ("<uuid>", "<A11>", "<h16>"),
        (
            'curl -X GET \\\n     -H "apikey: {}" \\\n     -H "Accept: application/json" \\',
            'curl -X POST --header "Api-Token: {}"',
            'curl -XPOST http<:>//localhost:8080/api/tasks -H "Token: {}" -d "content=hello"',
            'curl -X GET https<:>//octopus.corp.net/\n     -H "X-Octopus-ApiKey: {}" \\',
        ),
    ),
}

_BASE64 = ("bXlwYXNz<A8>", "YWRtaW46<A12>", "UyFCXCpk<A8>", "<A40>")
_KUBERNETES: Carriers = {
    "kubernetes secret": (
        _BASE64,
        (
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: heketi\ndata:\n  # why\n  key: {}==",
            "apiVersion: v1\ndata:\n\textra: {}=\nkind: secret\nmetadata:\n\tname: sample",
            "apiVersion: v1\ndata:\n\tpassword: {}\n\tusername: YWRtaW4=\nkind: Secret\ntype: x",
            "apiVersion: 'v1'\nkind: 'Secret'\ndata:\n\tpassword: '{}'\nmetadata:\n\tname: 'db'",
            'kind: "secret"\ndata:\n\textra: "{}="\nmetadata:\n\tname: "secret-sa-sample"',
        ),
    ),
    "kubernetes secret, block": (
        ("eyJhdXRocyI6eyJodHRwczovL2<A40>",),
        (
            "kind: Secret\ntype: kubernetes.io/dockercfg\ndata:\n  .dockercfg: |\n    {}=\n",
            "data:\n  .dockercfg: >\n    {}=\nmetadata:\n  name: secret-dockercfg\nkind: Secret",
        ),
    ),
    "nuget.config": (
        ("<A12>!", "<p14>"),
        (
            '<add key="ClearTextPassword" value="{}" />',
            '<add key="Password"  value="{}" />',
        ),
    ),
    "sidekiq": (
        ("<h8>:<h8>",),
        (
            "https<:>//{}@gems.contribsys.com/",
            "BUNDLE_ENTERPRISE__CONTRIBSYS__COM={}",
            "BUNDLE_GEMS__CONTRIBSYS__COM: {}",
        ),
    ),
}

_ODD = ("{{<l1>}<l1>)<l1>${<l1>]<l3>(<l3>[<l5>>-_$#<l7>}}", "m{<l4>}ada<d2>$")
_KEYWORDS: Carriers = {
    f"keyword, {name}": (_ODD, texts)
    for name, texts in {
        "colon equals": ('apikey := "{}"', "apikey :='{}'", 'apikey:="{}"', "apikey:=  '{}'"),
        "colon": ("'theapikey': '{}'", '"theapikey": "{}"', 'apikey: "{}"', "apikey:  '{}'"),
        "objective-c": ('apikey = @"{}"', 'apikey =@"{}"', 'apikey[]= "{}"'),
        "equals": ('some_dict["secret"] = "{}"', 'the_password= "{}"\n', "the_password='{}'\n"),
        "no separator": ('apikey "{}";', 'fooapikeyfoo "{}";', "private_key '{}';"),
        "compared": ('if my_password == "{}"', 'my_password !== "{}"', '"{}" == my_password'),
    }.items()
}
_NAMED_BARE = ("<A20><d2>", "hope<l3><d2>nobody<l4>", "<a24>")
_KEYWORDS_BARE: Carriers = {
    "keyword, bare": (
        _NAMED_BARE,
        (
            *("apikey := {}", "apikey:{}", "theapikey:{}", "my_password={}", "my_password ={}"),
            *("some_dict['secret'] = {}", "the_password={}\n", "db_key={}", "app_key: {}"),
            *("priv_key = {}", "keypass={}", "contrasena: {}", "secreto={}", "auth_key: {}"),
        ),
    )
}
_PLUGINS: Carriers = {
    "softlayer": (
        ("<a64>", "<h64>"),
        (
            *('--softlayer-api-key "{}"', '--softlayer-api-key="{}"', "--softlayer-api-key {}"),
            *("--softlayer-api-key={}", "http<:>//api.softlayer.com/soap/v3.1/{}"),
            *("softlayer-key : {}", 'SOFTLAYER-API-KEY : "{}"', "softlayer-key:{}"),
            *("softlayerapikey= {}", "sl_api_key: {}", "SLAPIKEY : {}", 'sl-key: "{}"'),
            *("sl_key= {}", 'slapi_key="{}"', "slapikey:= {}", '"softlayer_key" := "{}"'),
            *('"softlayer_api_key":= "{}"', 'softlayer_password = "{}"', 'sl_pass="{}"'),
            *("softlayer-pwd = {}",),
        ),
    ),
    "cloudant": (
        ("<h64>", "<l24>"),
        (
            *("https<:>//acct:{}@acct.cloudant.com", 'cloudant_password="{}"', "cl_pw={}"),
            *("cloudant_apikey: {}", "cloudant_pwd = '{}'", "clou_key={}"),
        ),
    ),
    "ibm cloud": (
        ("<w44>", "<A44>"),
        (
            *('ibm-cloud_api_key: "{}"', "ibm_cloud_iam_api_key={}", "IBM-API-KEY : {}"),
            *('"ibm_iam_apikey": "{}"', "ibm_key:= {}"),
        ),
    ),
    "ibm object storage": (
        ("<h48>",),
        (
            *('"secret_access_key": "{}"', "ibm_cos_hmac_secret_access_key={}"),
            *("cos_secret_key: {}",),
        ),
    ),
    "azure storage": (
        ("<b86>==",),
        (
            "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey={};EndpointSuffix=core",
            "AccountKey={}",
        ),
    ),
    "basic auth": (
        ("<A14>", "<word><d3>", "<h32>"),
        (
            "https<:>//user:{}@host.test/path",
            "https<:>//name:{}@192.168.0.1:8080",
            "amqp<:>//u:{}@mq",
        ),
    ),
    "artifactory": (
        ("AKC<A60>", "AP6<A40>"),
        ("artif-key:{} ", "X-JFrog-Art-Api: {}", 'artifactory = "{}"', "pwd: {}"),
    ),
    "npm": (
        ("npm_<A36>", "<uuid>"),
        ("//registry.npmjs.org/:_authToken={}", "//reg.test/:_authToken={}"),
    ),
    "slack webhook": (
        ("T<U8>/B<U8>/<A24>",),
        ("https<:>//hooks.slack.com/services/{}", "POST hooks.slack.com/services/{} now"),
    ),
    "aws secret": (
        ("<b40>",),
        (
            *("aws_secret_access_key = {}", 'aws_secret_key="{}"', "AWS_SECRET_ACCESS_KEY={}"),
            *('"SecretAccessKey": "{}"', "secretAccessKey: '{}'"),
        ),
    ),
    "jwt": (
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOi<A30>.<w43>",),
        ("{}", '"jwt": "{}"', "x-jwt-assertion: {}", "?jwt={}&a=1"),
    ),
    "private key": (
        ("<b64>",),
        tuple(
            f"-----BEGIN {kind}PRIVATE " + f"KEY-----\n{{}}\n-----END {kind}PRIVATE " + "KEY-----"
            for kind in ("", "RSA ", "DSA ", "EC ", "OPENSSH ", "SSH2 ENCRYPTED ")
        ),
    ),
}

_LOOK_ALIKES: dict[str, tuple[object, ...]] = {
    "gitleaks: access": (
        '"accessor":"<A16>",',
        "report_access_id: <uuid>",
        'accessibilityYesOptionId = "<uuid>"',
        "_RandomAccessIterator>\n_LIBCPP_CONSTEXPR_AFTER_CXX11 ",
    ),
    "gitleaks: api": (
        'this.ultraPictureBox1.Name = "ultraPictureBox1";',
        "rapidstring:marm64-uwp=fail",
        "event-bus-message-api:rc0.15.0_<d8>_<d4>-SNAPSHOT'",
        "COMMUNICATION_API_VERSION=rc0.13.0_<d8>_<d4>-SNAPSHOT",
        "MantleAPI_version=<h40>",
        "[DEBUG]\t\torg.slf4j.slf4j-api:jar:1.7.<d1>.:compile (version managed from default)",
        "[DEBUG]\t\torg.neo4j.neo4j-graphdb-api:jar:3.5.<d2>:test",
        "apiUrl=apigee.corpint.com",
        'X-API-Name": "NRG0-Hermes-INTERNAL-API",',
    ),
    "gitleaks: auth": (
        'author = "james.<word>@ymail.com",',
        "X-MS-Exchange-Organization-AuthSource: sm0<d4>.int.contoso.com",
        "Authentication-Results: <d1>h.ca.iphmx.com",
    ),
    "gitleaks: credentials": (
        "withCredentials([usernamePassword(credentialsId: '<uuid>', usernameVariable: 'USERNAME', "
        "passwordVariable: 'PASSWORD')]) {",
        "credentialsId: '<uuid>'",
        "jobCredentialsId: '<uuid>'",
        '  "credentialId": "<A22>",',
        'environment {\n\tCREDENTIALS_ID = "K8S_CRED"\n}',
        "dev.credentials.url=dev-lb<d1>.api.f4ke.com:5215",
    ),
    "gitleaks: key": (
        'keyword: "Befaehigung_P<d1>"',
        'public_key = "<A43>"',
        "pub const X509_pubkey_st = struct_X509_pubkey_st;",
        "|| pIdxKey->default_rc==0",
        "monkeys-audio:mx64-uwp=fail",
        "primaryKey=<A30>",
        "foreignKey=<A30>",
        "key_down_event=<A30>",
        "issuerKeyHash=<A30>",
        '<entry key="jetbrains.mps.v8_elimination" value="executed" />',
        "minisat-master-keying:x64-uwp=fail",
        "IceSSL.KeyFile=s_rsa1024_priv.pem",
        '"bucket_key": "SalesResults-1.<d1>"',
        '<key tag="SecurityIdentifier" name="SecurityIdentifier" type="STRING" />',
        "schemaKey = 'DOC_Vector_<d1>_32'",
        'sequenceKey = "<d2>"',
        "app.keystore.file=env/cert.p12",
        "-DKEYTAB_FILE=/tmp/app.keytab",
        "\tdoc.Security.KeySize = PdfEncryptionKeySize.Key128Bit;",
        "o.keySelector=n,o.haKey=!1,",
        '"key_name": "prod<d1>zyxlmy-cmk",',
        '"kms_key_id": "<uuid>",',
        '"key_vault_name": "web<d2>prqodx<d5>",',
        "keyVaultToStoreSecrets: cmp2-qat-<d10>",
        'const validKeyChars = "0123456789abcdefghijklmnopqrstuvwxyz_-."',
        "key_length = XSalsa20.key_length",
        'pub const SN_id_Gost28147_89_None_KeyMeshing = "id-Gost28147-89-None-KeyMeshing"',
        "KeyPair = X25519.KeyPair",
        "BlindKeySignatures = Ed25519.BlindKeySignatures",
        'AVEncVideoMaxKeyframeDistance, "<uuid>"',
        "keyPressed = kVK_Return.u16",
        'timezone_mapping = {\n    "Turkey Standard Time": "Europe/Istanbul",\n}',
        '<add key="SchemaTable" value="G:\\SchemaTable.xml" />',
        "{ key: '<uuid>', value: 'Americas' },",
        '<TAR key="REF_ID_<d3>.properties" value="/opts/config/alias/"/>',
        '<Color x:Key="NormalBrushGradient1">#FF<H6></Color>',
    ),
    "gitleaks: password": (
        "password combination.\n\nR5: Regulatory--<d2>",
        "PuttyPassword=0",
        "snowflake.password=\njdbc.snowflake.url=",
    ),
    "gitleaks: secret": (
        'LLM_SECRET_NAME = "NEXUS-GPT4-API-KEY"',
        "  <UserSecretsId><uuid></UserSecretsId>",
        "secret_length = X25519.secret_length",
        "secretSize must be >= XXH3_SECRET_SIZE_MIN",
        "# get build time secret\n#RUN --mount=type=secret,id=jfrog_secret \\\n"
        "#    JFROG_SECRET = $(cat /run/secrets/jfrog_secret) && \\",
        "secret:\n secretName: app-decryption-secret\n items:\n - key: app-k8s.yml\n",
    ),
    "gitleaks: token": (
        "access_token_url='https<:>//github.com/login/oauth/access_token',",
        'publicToken = "<A43>"',
        '<SourceFile SourceLocation="F:\\Extracts\\" TokenFile="RTL_INST_CODE.cer">',
        'notes            = "Maven - io.jsonwebtoken:jjwt-jackson-0.11.<d1>"',
        "csrf-token=<b86>==",
        "GITHUB_API_KEY=\nDYNATRACE_API_KEY=",
    ),
    "gitleaks: general": (
        'clientId = "<uuid>"',
        "import { chain_Anvil1_Key, chain_Anvil2_Key } from '../supported-chains/consts';",
        'SRCREV_moby = "<h40>"',
        'LIC_FILES_CHKSUM = "file<:>//${WORKDIR}/license.html;md5=<h32>"',
    ),
    "gitleaks: curl -u": (
        "curl -i -u 'test:test'",
        '   curl -sL --user "$1:$2" "$3" > "$4"',
        "curl -u <user:password> https<:>//test.com/endpoint",
        "curl --user neo4j:[PASSWORD] http<:>//[IP]:7474/db/data/",
        'curl -u "myusername" http<:>//localhost:<d4>/api/check_user/',
        "curl -u username:token",
        'curl -u "${_username}:${_password}"',
        'curl -u "${username}":"${password}"',
        'curl -k -X POST -I -u "SRVC_JENKINS:${APPID}"',
        'curl -u ":" https<:>//localhost:9200',
        "curl -X POST --user '$USERNAME:$PASSWORD' $GItHUB_API_URL/$GIT_COMMIT --data",
        'curl --user "xxx:yyy"',
        'curl --fail --user "{{ $.Values.username }}:{{ $.Values.password }}"',
        'curl -XGET -i -u "${{ env.ELK_ID }}:${{ build.env.ELK_PASS }}"',
        'curl -X POST --user "$(cat ./login.txt):$(cat ./password.txt)"',
        "curl http<:>//127.0.0.1:5000/file --user user:pass --digest        # digest auth",
        'curl -X GET --insecure --user "username:password" \\',
        "curl --silent --insecure --user ${f5user}:${f5pass} \\",
        'curl "smtps<:>//smtp.gmail.com" --mail-from "src@gmail.com" --user "src@gmail.com" '
        "-T o.txt",
        'echo -n \'{"data":{"site_id":8,"lat":28.50}}\' >/dev/udp/127.0.0.1/41234\n\n'
        "#UDP Listener\nnc -u -l 41234",
    ),
    "gitleaks: curl -H": (
        'curl https<:>//example.com/micropub -d h=entry -H "Authorization: Bearer XXXXXXXXXXXX"',
        'curl -X POST https<:>//accounts.spotify.com/api/token --header "Authorization: Basic ..."',
        'curl \\\n  -H "Authorization: Bearer <Openverse API token>" '
        '\\\n  "https<:>//api.test/?q=a"',
        'curl -H "Authorization: Token **********" \\\n  -d \'{"username": "test"}\'',
        'curl -XPOST http<:>//localhost/api/token -H "Authorization: basic {base64(email:pass)}"',
        'curl -X GET \\\n     -H "apikey: $API_KEY" \\\n     -H "Accept: $FORMAT" \\\n"$API_URL"',
        'curl -H "Authorization: Bearer $(gcloud auth print-access-token)" '
        "https<:>//w.test/v1/<d12>",
    ),
    "gitleaks: kubernetes": (
        "kind: Secret\nmetadata:\n  name: registry-auth-data\ndata:\n  htpasswd: ''\n",
        'kind: Secret\nmetadata:\n  name: registry-auth-data\ndata:\n  htpasswd: ""\n',
        "kind: Secret\nmetadata:\n  name: registry\ndata:\n  htpasswd: {{ htpasswd }}\n---\n",
        'kind: Secret\nmetadata:\n  name: dashboard-csrf\ndata:\n  csrf: ""\n\n---\n\nkind: Secret',
        "data:\n\textra: YmFyCg==\nkind: secret\nmetadata:\n\tname: secret-sa-sample",
        " data:\n \tpassword: {{ .Values.Password }}\n kind: secret\n",
        "data:\n  - key: MySecretManagerKey\n    name: github_token\nkind: ExternalSecret\n",
        "kind: ExternalSecret\nspec:\n  secretStoreRef:\n    kind: ClusterSecretStore\n  data:\n"
        "    - secretKey: api-key\n      remoteRef:\n        key: my-secrets-manager-secret",
    ),
    "detect-secrets: keyword": (
        'theapikey := ""',
        'theapikey: ""',
        "password: ${link}",
        'theapikey[] = ""',
        'my_password = ""',
        'open(self, password = ""):',
        "my_password = foo(hey)you",
        "my_password = request.json_body['hey']",
        "my_password = True",
        "login(username=username, password=password)",
        'private_key "";',
        "apiKey: this.apiKey,",
        "apiKey: fs.readFileSync('foo',",
        "$password = $input;",
        "theapikeyforfoo := hopenobodyfindsthisone",
        *(f"password = {value}" for value in ("None", "null;", "undef,", "False):", "string?)")),
        *(f'password: "{value}"' for value in ("<password>", "<%= password %>", "$(shell", "todo")),
    ),
    "detect-secrets: softlayer": (
        'softlayer_api_key="%s" % SL_API_KEY_ENV',
        'sl_api_key: "%s" % <softlayer_api_key>',
        'SOFTLAYER_APIKEY: "insert_key_here"',
        'sl-apikey: "insert_key_here"',
        "softlayer-key:=afakekey",
        'fake-softlayer-key= "not_long_enough"',
    ),
    "detect-secrets: digests": (
        "md5=<h32>",
        "sha1: <h40>",
        '"sha256": "<h64>"',
        "integrity sha512-<b86>==",
        "id: <uuid>",
        "trace <h32>-<h16>-01",
        "ETag: <h32>",
    ),
}


def foreign_cases(seed: int) -> Iterator[SecretCase]:
    """Yield the secrets and the look-alikes of the unseen half; the same seed, the same cases."""
    chance = random.Random(seed)  # noqa: S311  # the point is that everybody gets the same
    for carriers, rounds in ((_SAMPLES, 7), (_CURL, 7), (_KUBERNETES, 5), (_KEYWORDS, 4)):
        yield from secrets_in(HALF, carriers, rounds, chance)
    for carriers in (_SHAPES, _KEYWORDS_BARE, _PLUGINS):
        yield from secrets_in(HALF, carriers, 4, chance)
    yield from look_alikes_in(HALF, _LOOK_ALIKES, 18, chance)
