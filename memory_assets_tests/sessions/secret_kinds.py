"""Kinds of secrets and of personal data, made at test time from a seed: none stands in the repository as it is.

A kind is a way to write a secret; a place is where a session can hold it. What must be gone are the secret's own parts.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from memory_assets.identifiers import sha256_hex

_BASE62 = string.ascii_letters + string.digits
_WORDS = [
    "walnut",
    "harbor",
    "velvet",
    "comet",
    "lantern",
    "maple",
    "rocket",
    "pepper",
    "saddle",
    "glacier",
    "tunnel",
    "orbit",
    "falcon",
    "meadow",
    "copper",
    "ribbon",
    "thunder",
    "pebble",
    "marble",
    "candle",
    "willow",
    "anchor",
    "puzzle",
    "dragon",
]


class Draw:
    """Random values in the spellings that secrets have."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def of(self, alphabet: str, length: int) -> str:
        return "".join(self._random.choices(alphabet, k=length))

    def base62(self, length: int) -> str:
        """With a digit, a capital and a small letter among the first, as long random keys have."""
        return "x7Q"[: min(3, length)] + self.of(_BASE62, max(0, length - 3))

    def url_safe(self, length: int) -> str:
        return "k4Z" + self.of(_BASE62 + "-_", length - 4) + "w"

    def base64(self, length: int) -> str:
        return base64.b64encode(self._random.randbytes(length)).decode()

    def hex(self, length: int) -> str:
        return "b3" + self.of("0123456789abcdef", length - 2)

    def digits(self, length: int) -> str:
        return self.of("123456789", 1) + self.of(string.digits, length - 1)

    def capitals(self, length: int) -> str:
        return self.of(string.ascii_uppercase + "234567", length)

    def password(self) -> str:
        """Ten characters, a mark among them."""
        letters = self.of(string.ascii_lowercase, 4) + self.of(string.ascii_uppercase, 2) + self.of("23456789", 3)
        return letters[:5] + self.of("!#^~", 1) + letters[5:]

    def simple_password(self) -> str:
        return self.of(string.ascii_lowercase, 6) + self.of("23456789", 3)

    def phrase(self, count: int = 5) -> str:
        return " ".join(self._random.sample(_WORDS, count))

    def seed_phrase(self, count: int = 12, language: str = "english") -> str:
        from mnemonic import Mnemonic

        return Mnemonic(language).to_mnemonic(self._random.randbytes(count * 4 // 3))

    def card(self, prefix: str, length: int) -> str:
        from stdnum import luhn

        body = prefix + self.of(string.digits, length - len(prefix) - 1)
        return body + luhn.calc_check_digit(body)

    def resident(self, *, dash: bool = True) -> str:
        from stdnum.kr import rrn

        body = (
            f"{self._random.randint(60, 99)}{self._random.randint(1, 12):02d}{self._random.randint(1, 28):02d}"
            f"{self._random.randint(1, 2)}{self.of(string.digits, 5)}"
        )
        number = body + rrn.calc_check_digit(body + "0")
        return f"{number[:6]}-{number[6:]}" if dash else number

    def ssn(self) -> str:
        return f"{self._random.randint(101, 665)}-{self._random.randint(11, 99)}-{self._random.randint(1001, 9998)}"

    def iban(self) -> str:
        from stdnum import iban

        body = f"DE00{self.of(string.digits, 18)}"
        return f"DE{iban.calc_check_digits(body)}{body[4:]}"

    def pem_body(self, *, lines: int = 8) -> str:
        der = bytes.fromhex("308204a40201000282010100") + self._random.randbytes(48 * lines - 12)
        text = base64.b64encode(der).decode()
        return "\n".join(text[start : start + 64] for start in range(0, len(text), 64))


@dataclass(frozen=True, slots=True)
class Sample:
    """A secret as it is written, and the parts that may be nowhere afterwards."""

    kind: str
    group: str
    text: str
    parts: tuple[str, ...]


_Make = Callable[[Draw], "tuple[str, str] | tuple[str, tuple[str, ...]]"]


def _shape(make: Callable[[Draw], str]) -> _Make:
    def made(draw: Draw) -> tuple[str, str]:
        value = make(draw)
        return value, value

    return made


def _around(template: str, make: Callable[[Draw], str]) -> _Make:
    def made(draw: Draw) -> tuple[str, str]:
        value = make(draw)
        return template.replace("@@", value), value

    return made


def _encoded(inner: Callable[[Draw], str], template: str = "@@") -> _Make:
    def made(draw: Draw) -> tuple[str, str]:
        value = base64.b64encode(inner(draw).encode()).decode()
        return template.replace("@@", value), value.rstrip("=")

    return made


def _in_fours(value: str, between: str) -> str:
    return between.join(value[start : start + 4] for start in range(0, len(value), 4))


def _lines(value: str) -> tuple[str, ...]:
    return tuple(line for line in value.split("\n") if len(line) >= 6)


_PREFIXED: dict[str, Callable[[Draw], str]] = {
    "github_classic": lambda d: "ghp_" + d.base62(36),
    "github_oauth": lambda d: "gho_" + d.base62(36),
    "github_fine": lambda d: "github_pat_" + d.base62(22) + "_" + d.base62(59),
    "gitlab": lambda d: "glpat-" + d.url_safe(20),
    "aws_id": lambda d: "AKIA" + d.capitals(16),
    "aws_session_id": lambda d: "ASIA" + d.capitals(16),
    "google_api": lambda d: "AIza" + d.url_safe(35),
    "google_access": lambda d: "ya29." + d.url_safe(90),
    "google_client_secret": lambda d: "GOCSPX-" + d.url_safe(28),
    "openai": lambda d: "sk-" + d.base62(48),
    "openai_project": lambda d: "sk-proj-" + d.url_safe(74) + d.base62(70),
    "anthropic": lambda d: "sk-ant-api03-" + d.url_safe(93) + "AA",
    "openrouter": lambda d: "sk-or-v1-" + d.hex(64),
    "huggingface": lambda d: "hf_" + d.base62(34),
    "slack_bot": lambda d: f"xoxb-{d.digits(12)}-{d.digits(12)}-{d.base62(24)}",
    "slack_app": lambda d: f"xapp-1-A{d.capitals(9)}-{d.digits(12)}-{d.hex(64)}",
    "slack_webhook": lambda d: f"https://hooks.slack.com/services/T{d.capitals(8)}/B{d.capitals(8)}/{d.base62(24)}",
    "discord_webhook": lambda d: f"https://discord.com/api/webhooks/{d.digits(18)}/{d.url_safe(68)}",
    "discord_bot": lambda d: f"M{d.base62(23)}.{d.base62(6)}.{d.base62(27)}",
    "telegram": lambda d: f"{d.digits(9)}:AA{d.base62(33)}",
    "jwt": lambda d: f"eyJhbGciOiJIUzI1NiJ9.eyJ{d.base62(40)}.{d.url_safe(43)}",
    "npm": lambda d: "npm_" + d.base62(36),
    "pypi": lambda d: "pypi-AgEIcHlwaS5vcmc" + d.url_safe(100),
    "stripe_live": lambda d: "sk_live_" + d.base62(24),
    "stripe_restricted": lambda d: "rk_live_" + d.base62(30),
    "stripe_webhook": lambda d: "whsec_" + d.base62(32),
    "sendgrid": lambda d: f"SG.{d.base62(22)}.{d.base62(43)}",
    "mailgun": lambda d: "key-" + d.hex(32),
    "mailchimp": lambda d: d.hex(32) + "-us14",
    "twilio": lambda d: "SK" + d.hex(32),
    "groq": lambda d: "gsk_" + d.base62(52),
    "replicate": lambda d: "r8_" + d.base62(37),
    "nvidia": lambda d: "nvapi-" + d.url_safe(64),
    "digitalocean": lambda d: "dop_v1_" + d.hex(64),
    "shopify": lambda d: "shpat_" + d.hex(32),
    "linear": lambda d: "lin_api_" + d.base62(40),
    "figma": lambda d: "figd_" + d.url_safe(40),
    "docker_pat": lambda d: "dckr_pat_" + d.url_safe(27),
    "notion": lambda d: "ntn_" + d.base62(46),
    "vault": lambda d: "hvs." + d.url_safe(90),
    "grafana": lambda d: f"glsa_{d.base62(32)}_{d.hex(8)}",
    "atlassian": lambda d: "ATATT3xFfGF0" + d.url_safe(180),
    "bitbucket": lambda d: "ATBB" + d.base62(32),
    "age": lambda d: "AGE-SECRET-KEY-1" + d.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "databricks": lambda d: "dapi" + d.hex(32),
    "tailscale": lambda d: f"tskey-auth-{d.base62(12)}-{d.base62(32)}",
    "postman": lambda d: f"PMAK-{d.hex(24)}-{d.hex(34)}",
    "new_relic": lambda d: "NRAK-" + d.capitals(27),
    "planetscale": lambda d: "pscale_tkn_" + d.url_safe(43),
    "rubygems": lambda d: "rubygems_" + d.hex(48),
    "brevo": lambda d: f"xkeysib-{d.hex(64)}-{d.base62(16)}",
    "airtable": lambda d: f"pat{d.base62(14)}.{d.hex(64)}",
    "doppler": lambda d: "dp.pt." + d.base62(43),
    "terraform": lambda d: f"{d.base62(14)}.atlasv1.{d.url_safe(67)}",
    "heroku": lambda d: "HRKU-AA" + d.url_safe(58),
    "pinecone": lambda d: f"pcsk_{d.base62(6)}_{d.base62(63)}",
    "netlify": lambda d: "nfp_" + d.base62(36),
    "azure_client_secret": lambda d: f"{d.base62(3)}8Q~{d.base62(34)}",
    "alibaba_id": lambda d: "LTAI5t" + d.base62(18),
    "tencent_id": lambda d: "AKID" + d.base62(32),
    "toss_payments": lambda d: "live_sk_" + d.base62(24),
    "unknown_vendor": lambda d: "zqx_live_" + d.base62(32),
    "unknown_vendor_dashes": lambda d: "kvt-prod-" + d.base62(40),
    "facebook": lambda d: "EAAG" + d.base62(150),
    "fcm": lambda d: f"AAAA{d.base62(7)}:APA91b{d.url_safe(134)}",
    "onepassword": lambda d: "ops_eyJ" + d.base62(250),
    "sonar": lambda d: "squ_" + d.hex(40),
    "contentful": lambda d: "CFPAT-" + d.url_safe(43),
    "dropbox": lambda d: "sl." + d.url_safe(135),
    "square": lambda d: "sq0atp-" + d.url_safe(22),
    "aws_secret_bare": lambda d: d.base62(17) + "/" + d.base62(10) + "+" + d.base62(11),
    "azure_storage_bare": lambda d: d.base64(64),
    "fernet_bare": lambda d: d.base64(32).replace("+", "Q").replace("/", "z"),
    "azure_sas": lambda d: f"https://x.blob.core.windows.net/c?sv=2022-11-02&se=2026-01-01&sig={quote(d.base64(32), safe='')}",
    "bare_random_48": lambda d: d.base62(48),
}

_PASSWORD = Draw.password
_SIMPLE = Draw.simple_password

_NAMED: dict[str, _Make] = {
    "ko_is_spaced": _around("비밀번호는 @@ 입니다", _PASSWORD),
    "ko_is": _around("암호는 @@야", _SIMPLE),
    "ko_colon": _around("비번: @@", _SIMPLE),
    "ko_set_to": _around("관리자 비밀번호를 @@로 바꿨어요", _PASSWORD),
    "ko_before": _around("@@ 가 운영 서버 비밀번호입니다", _PASSWORD),
    "ko_token": _around("토큰은 @@ 입니다", lambda d: d.base62(24)),
    "ko_key": _around("인증키는 @@ 이고 만료일은 내일", lambda d: d.hex(32)),
    "ko_phrase": _around("패스프레이즈는 '@@' 입니다", Draw.phrase),
    "ko_otp": _around("복구 코드: @@", lambda d: f"{d.hex(5)}-{d.hex(5)}"),
    "ko_login": _around("아이디 admin 비번 @@ 로 들어가면 돼", _SIMPLE),
    "en_is": _around("the password is @@", _PASSWORD),
    "en_is_now": _around("the root password is now @@", _PASSWORD),
    "en_before": _around("use @@ as the password", _PASSWORD),
    "en_phrase": _around("my passphrase is @@.", Draw.phrase),
    "en_phrase_colon": _around("Passphrase: @@", Draw.phrase),
    "en_quoted": _around('the password is "@@"', lambda d: d.of(string.ascii_lowercase, 10)),
    "en_with": _around("log in with admin / @@", _PASSWORD),
    "en_pin": _around("the door PIN is @@", lambda d: d.digits(6)),
    "en_recovery": _around("backup code: @@", lambda d: f"{d.hex(4)}-{d.hex(4)}-{d.hex(4)}"),
    "next_line": _around("Password:\n@@", _PASSWORD),
    "next_line_blank": _around("API key:\n\n    @@", lambda d: d.hex(32)),
    "next_line_fenced": _around("the password is:\n```\n@@\n```", _PASSWORD),
    "yaml_next_line": _around("password:\n  @@", _PASSWORD),
    "yaml_block": _around("client_secret: |\n  @@", lambda d: d.base62(32)),
    "yaml_folded": _around("token: >-\n    @@", lambda d: d.base62(32)),
    "yaml_env": _around("- name: DB_PASSWORD\n  value: @@", _PASSWORD),
    "yaml_quoted": _around("password: '@@'", _PASSWORD),
    "xml_element": _around("<password>@@</password>", _SIMPLE),
    "xml_element_lines": _around("<clientSecret>\n    @@\n</clientSecret>", lambda d: d.base62(24)),
    "xml_attribute": _around('<add key="SmtpPassword" value="@@" />', _PASSWORD),
    "xml_named": _around('<string name="api_key">@@</string>', lambda d: d.hex(32)),
    "plist": _around("<key>password</key>\n<string>@@</string>", _PASSWORD),
    "json": _around('{"password": "@@"}', _PASSWORD),
    "json_name_value": _around('{"name": "DB_PASSWORD", "value": "@@"}', _PASSWORD),
    "json_camel": _around('{"clientSecret":"@@"}', lambda d: d.base62(30)),
    "toml": _around('secret_key = "@@"', lambda d: d.base62(40)),
    "ini": _around("[db]\nuser=app\npass=@@", _SIMPLE),
    "dotenv": _around("DATABASE_PASSWORD=@@", _PASSWORD),
    "dotenv_key": _around("DATADOG_APP_KEY=@@", lambda d: d.hex(40)),
    "dotenv_pass": _around("SMTP_PASS=@@", _SIMPLE),
    "dotenv_credentials": _around("SERVICE_CREDENTIALS=@@", lambda d: d.base62(30)),
    "dockerfile": _around("ENV API_TOKEN @@", lambda d: d.base62(30)),
    "properties": _around("spring.datasource.password=@@", _SIMPLE),
    "code_call": _around('client.setPassword("@@");', _PASSWORD),
    "code_keyword": _around('connect(host="db", passwd="@@")', _PASSWORD),
    "code_dict": _around("config['auth_token'] = '@@'", lambda d: d.base62(28)),
    "sql_identified": _around("CREATE USER app IDENTIFIED BY '@@'", _PASSWORD),
    "sql_role": _around("ALTER ROLE app WITH PASSWORD '@@'", _PASSWORD),
    "redis_conf": _around("requirepass @@", _SIMPLE),
    "redis_cli": _around("redis-cli -h cache -a @@ ping", _SIMPLE),
    "mysql": _around("mysql -u root -p@@ app", _SIMPLE),
    "mysqldump": _around("mysqldump -uroot -p'@@' app > x.sql", _PASSWORD),
    "mongo": _around("mongosh -u admin -p @@ --host db", _SIMPLE),
    "sshpass": _around("sshpass -p '@@' ssh root@10.0.0.3", _PASSWORD),
    "sshpass_bare": _around("sshpass -p@@ scp x y", _SIMPLE),
    "pgpassword": _around("PGPASSWORD=@@ psql -h db", _SIMPLE),
    "docker_login": _around("docker login -u bot -p @@ registry.corp", lambda d: d.base62(20)),
    "docker_stdin": _around("echo @@ | docker login -u bot --password-stdin", lambda d: d.base62(20)),
    "sudo_stdin": _around("echo '@@' | sudo -S apt update", _SIMPLE),
    "chpasswd": _around("echo 'root:@@' | chpasswd", _PASSWORD),
    "htpasswd_b": _around("htpasswd -b -c .htpasswd admin @@", _SIMPLE),
    "openssl_pass": _around("openssl rsa -in k.pem -passin pass:@@", _SIMPLE),
    "zip": _around("unzip -P @@ dump.zip", _SIMPLE),
    "gpg": _around("gpg --batch --passphrase @@ -d x.gpg", _SIMPLE),
    "ldap": _around("ldapsearch -x -D cn=admin -w @@ -b dc=x", _SIMPLE),
    "smb": _around("smbclient //nas/x -U kim%@@", _SIMPLE),
    "curl_user": _around("curl -u admin:@@ https://api.corp/x", _PASSWORD),
    "keytool": _around("keytool -list -storepass @@ -keystore k.jks", _SIMPLE),
    "aws_configure": _around("aws configure set aws_secret_access_key @@", lambda d: d.base62(40)),
    "kubectl_literal": _around("kubectl create secret generic s --from-literal=pw=@@", _SIMPLE),
    "netrc": _around("machine api.corp login bot password @@", _SIMPLE),
    "netrc_lines": _around("machine api.corp\n  login bot\n  password @@", _SIMPLE),
    "pgpass": _around("db.corp:5432:app:app:@@", _PASSWORD),
    "table_row": _around("| password | @@ |", _SIMPLE),
    "table_column": _around("| user | password |\n|---|---|\n| admin | @@ |", _PASSWORD),
    "table_column_token": _around("| service | API key | note |\n| --- | --- | --- |\n| mail | @@ | x |", lambda d: d.hex(32)),
    "csv_column": _around("user,password,role\nkim,@@,admin", _PASSWORD),
    "cookie": _around("Cookie: theme=dark; sessionid=@@; lang=ko", lambda d: d.base62(32)),
    "cookie_one": _around("cookie: sid=@@", lambda d: d.url_safe(26)),
    "set_cookie": _around("Set-Cookie: auth=@@; Path=/; HttpOnly", lambda d: d.base62(40)),
    "curl_cookie": _around("curl -b 'JSESSIONID=@@' https://x.corp", lambda d: d.capitals(32)),
    "query_key": _around("https://maps.corp/api?key=@@&q=x", lambda d: d.base62(32)),
    "query_code": _around("https://app.corp/callback?code=@@&state=1", lambda d: d.url_safe(40)),
    "query_access_token": _around("https://x.corp/p#access_token=@@&type=bearer", lambda d: d.base62(40)),
    "query_signature": _around("https://cdn.corp/f?Expires=1&Signature=@@", lambda d: d.url_safe(60)),
    "bearer": _around("Authorization: Bearer @@", lambda d: d.base62(32)),
    "header_key": _around("X-Api-Key: @@", lambda d: d.hex(32)),
    "header_private": _around("PRIVATE-TOKEN: @@", lambda d: d.base62(20)),
    "url_password": _around("postgres://app:@@@db.corp:5432/app", _SIMPLE),
    "redis_url": _around("redis://:@@@cache.corp:6379/0", _PASSWORD),
    "ado_connection": _around("Server=db;User Id=sa;Password=@@;Encrypt=true", _PASSWORD),
    "jdbc": _around("jdbc:mysql://db/app?user=root&password=@@", _SIMPLE),
    "docker_auth": _encoded(lambda d: f"bot:{d.password()}", '{"auths":{"registry.corp":{"auth":"@@"}}}'),
    "basic": _encoded(lambda d: f"admin:{d.password()}", "Authorization: Basic @@"),
    "k8s_secret": _encoded(lambda d: d.password(), "kind: Secret\ndata:\n  password: @@"),
    "htpasswd_apr": _around("admin:@@", lambda d: f"$apr1${d.base62(8)}${d.base62(22)}"),
    "htpasswd_bcrypt": _around("admin:@@", lambda d: f"$2y$10${d.base62(53)}"),
    "htpasswd_sha": _around("admin:{SHA}@@", lambda d: d.base64(20)),
    "shadow": _around("root:@@:19500:0:99999:7:::", lambda d: f"$6${d.base62(16)}${d.base62(86)}"),
    "argon": _shape(lambda d: f"$argon2id$v=19$m=65536,t=3,p=4${d.base62(22)}${d.base62(43)}"),
    "django_hash": _shape(lambda d: f"pbkdf2_sha256$600000${d.base62(22)}${d.base64(32)}"),
    "seed_12": _shape(lambda d: d.seed_phrase(12)),
    "seed_24": _shape(lambda d: d.seed_phrase(24)),
    "seed_named": _around("seed phrase: @@", lambda d: d.seed_phrase(12)),
    "seed_numbered": lambda d: (
        (phrase := "\n".join(f"{n}. {word}" for n, word in enumerate(d.seed_phrase(12).split(), 1))),
        (phrase[: phrase.index("3.")], phrase[phrase.index("10.") :]),
    ),
    "seed_korean": _around("시드 구문: @@", lambda d: d.seed_phrase(12, "korean")),
}

_HIDDEN: dict[str, _Make] = {
    "base64_github": _encoded(_PREFIXED["github_classic"]),
    "base64_aws": _encoded(_PREFIXED["aws_id"]),
    "base64_assignment": _encoded(lambda d: f"DB_PASSWORD={d.password()}"),
    "base64_json": _encoded(lambda d: json.dumps({"user": "bot", "password": d.password()})),
    "base64_url": _encoded(lambda d: f"postgres://app:{d.simple_password()}@db.corp:5432/app"),
    "base64_resident": _encoded(Draw.resident),
    "base64_ko": _encoded(lambda d: f"비밀번호는 {d.password()} 입니다"),
    "base64_pem": _encoded(lambda d: "-----BEGIN RSA PRIVATE KEY-----\n" + d.pem_body() + "\n-----END RSA PRIVATE KEY-----\n"),
    "url_encoded": lambda d: (f"password%3D{(p := quote(d.password(), safe=''))}%26user%3Dkim", p),
    "url_encoded_json": lambda d: (quote(json.dumps({"token": (t := d.base62(30))})), t),
    "zero_width_github": lambda d: (f"ghp_{(a := d.base62(18))}\u200b{(b := d.base62(18))}", (a, b)),
    "soft_hyphen_openai": lambda d: (f"sk-{(a := d.base62(20))}\u00ad{(b := d.base62(28))}", (a, b)),
    "zero_width_password": lambda d: (f"pass\u200bword: {(p := d.password())}", p),
    "bom_in_key": lambda d: (f"AKIA{(a := d.capitals(7))}\ufeff{(b := d.capitals(9))}", (a, b)),
    "two_lines_github": lambda d: (f"ghp_{(a := d.base62(22))}\n{(b := d.base62(14))}", (a, b)),
    "two_lines_early": lambda d: (f"glpat-{(a := d.base62(8))}\n{(b := d.base62(12))}", (a, b)),
    "two_lines_indent": lambda d: (f"sk-ant-api03-{(a := d.base62(40))}\n    {(b := d.base62(50))}", (a, b)),
    "two_lines_backslash": lambda d: (f"hf_{(a := d.base62(17))}\\\n{(b := d.base62(17))}", (a, b)),
    "two_lines_jwt": lambda d: (
        f"eyJhbGciOiJIUzI1NiJ9.eyJ{(a := d.base62(40))}\n{(b := d.base62(20))}.{(c := d.url_safe(43))}",
        (a, b, c),
    ),
    "two_lines_concatenated": lambda d: (f'"AIza{(a := d.base62(15))}" +\n    "{(b := d.base62(20))}"', (a, b)),
    "pem": lambda d: ("-----BEGIN PRIVATE KEY-----\n" + (b := d.pem_body()) + "\n-----END PRIVATE KEY-----", _lines(b)),
    "pem_body": lambda d: ((b := d.pem_body()), _lines(b)),
    "pem_tail": lambda d: ("\n".join((b := d.pem_body(lines=9)).split("\n")[3:]), _lines(b)[3:]),
    "pem_one_line": lambda d: ((b := d.pem_body().replace("\n", "")), (b[:64], b[-64:])),
    "openssh_body": lambda d: (
        (b := "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n" + d.base62(70) + "\n" + d.base62(70)),
        _lines(b)[1:],
    ),
    "ec_body": _shape(lambda d: base64.b64encode(bytes.fromhex("307702010104") + b"\x20" + d.base62(112).encode()).decode()),
}

_PERSONAL: dict[str, _Make] = {
    "kr_mobile": _shape(lambda d: f"010-{d.digits(4)}-{d.digits(4)}"),
    "kr_mobile_plain": _around("연락처 @@", lambda d: f"010{d.digits(8)}"),
    "kr_mobile_spaces": _shape(lambda d: f"010 {d.digits(4)} {d.digits(4)}"),
    "kr_mobile_dots": _shape(lambda d: f"010.{d.digits(4)}.{d.digits(4)}"),
    "kr_international": _shape(lambda d: f"+82 10-{d.digits(4)}-{d.digits(4)}"),
    "kr_international_plain": _shape(lambda d: f"+8210{d.digits(8)}"),
    "kr_seoul": _shape(lambda d: f"02-{d.of('23456', 1)}{d.digits(3)}-{d.digits(4)}"),
    "kr_area": _around("전화: @@", lambda d: f"031-{d.of('2345678', 1)}{d.digits(2)}-{d.digits(4)}"),
    "us_phone": _around("call me at @@", lambda d: f"(415) {d.of('2345678', 1)}{d.of('2345678', 2)}-{d.digits(4)}"),
    "resident": _shape(Draw.resident),
    "resident_plain": _around("주민등록번호 @@", lambda d: d.resident(dash=False)),
    "resident_bare": _shape(lambda d: d.resident(dash=False)),
    "resident_ko": _around("제 주민번호는 @@ 입니다", Draw.resident),
    "foreigner": _around("외국인등록번호: @@", lambda d: f"900312-5{d.digits(6)}"),
    "card_spaces": _shape(lambda d: _in_fours(d.card("4", 16), " ")),
    "card_dashes": _shape(lambda d: _in_fours(d.card("53", 16), "-")),
    "card_plain": _shape(lambda d: d.card("4", 16)),
    "card_amex": _around("card: @@", lambda d: f"{(c := d.card('37', 15))[:4]} {c[4:10]} {c[10:]}"),
    "card_local": _around("카드번호는 @@", lambda d: _in_fours(d.card("9", 16), "-")),
    "passport": _around("여권번호 @@", lambda d: f"M{d.digits(8)}"),
    "passport_new": _around("passport no. @@", lambda d: f"M{d.digits(3)}A{d.digits(4)}"),
    "passport_en": _around("passport number: @@", lambda d: d.digits(9)),
    "bank_kookmin": _around("국민은행 @@", lambda d: f"{d.digits(6)}-{d.digits(2)}-{d.digits(6)}"),
    "bank_shinhan": _around("신한 @@ 로 입금해 주세요", lambda d: f"110-{d.digits(3)}-{d.digits(6)}"),
    "bank_account": _around("계좌번호: @@", lambda d: d.digits(13)),
    "bank_kakao": _around("카카오뱅크 @@ 김민수", lambda d: f"3333-{d.digits(2)}-{d.digits(7)}"),
    "bank_en": _around("bank account number @@", lambda d: d.digits(12)),
    "iban": _shape(Draw.iban),
    "iban_spaces": _shape(lambda d: _in_fours(d.iban(), " ")),
    "ssn": _around("SSN @@", Draw.ssn),
    "ssn_bare": _shape(Draw.ssn),
    "driver": _around("운전면허 @@", lambda d: f"11-{d.digits(2)}-{d.digits(6)}-{d.digits(2)}"),
    "cvc": _around("CVC: @@", lambda d: d.digits(3) + "7"),
    "email": _shape(lambda d: f"{d.of(string.ascii_lowercase, 8)}@{d.of(string.ascii_lowercase, 6)}.co.kr"),
    "email_plus": _shape(lambda d: f"{d.of(string.ascii_lowercase, 6)}+x@{d.of(string.ascii_lowercase, 7)}.com"),
}


def _groups() -> dict[str, dict[str, _Make]]:
    return {
        "shape": {name: _shape(make) for name, make in _PREFIXED.items()},
        "named": _NAMED,
        "hidden": _HIDDEN,
        "personal": _PERSONAL,
    }


def samples(seed: str = "first") -> list[Sample]:
    """One sample of each kind; another seed gives other values."""
    made = []
    for group, kinds in _groups().items():
        for kind, make in kinds.items():
            text, parts = make(Draw(f"{seed} {kind}"))
            made.append(Sample(kind, group, text, (parts,) if isinstance(parts, str) else parts))
    return made


def is_held_out(kind: str) -> bool:
    """A third of the kinds, by their names."""
    return int(sha256_hex(kind)[:8], 16) % 3 == 0


PLACES: dict[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "korean_prose": lambda text: f"어제 정리한 내용인데 {text} 이고, 배포는 금요일에 하기로 했다.",
    "english_prose": lambda text: f"For the record, {text} and then we deploy on Friday.",
    "code": lambda text: f"def deploy():\n    # note\n    value = 1\n    {text}\n    return value\n",
    "code_string": lambda text: f"note = '''{text}'''\nprint(len(note))",
    "json": lambda text: json.dumps({"id": 7, "content": text, "ok": True}, ensure_ascii=False),
    "json_in_string": lambda text: json.dumps({"arguments": json.dumps({"command": text})}),
    "tool_result": lambda text: f"$ cat notes.txt\n   12\t{text}\nexit code 0",
    "table": lambda text: "\n".join(["| what | value |", "|---|---|", f"| x | {text} |"]) if "\n" not in text and "|" not in text
    else f"a\n\n{text}\n\nb",
    "list": lambda text: f"- first\n- {text}\n- last",
    "log": lambda text: f"2026-03-01T09:00:00Z INFO app[12]: {text}",
    "name": lambda text: "notes " + text.replace("/", "_").replace("\n", " ") + ".md",
}  # fmt: skip
