"""Kinds of secrets that were written down before the masking was tried on them; their values are drawn from a seed."""

from __future__ import annotations

import base64
import string
from collections.abc import Callable

from memory_assets_tests.sessions.secret_kinds import Draw, Sample

_CAPITALS = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"
_SMALL = string.ascii_lowercase + string.digits

# The text, in which @@ stands for the secret, and how the secret is drawn.
_WRITTEN: dict[str, tuple[str, Callable[[Draw], str]]] = {
    # Shapes of vendors
    "supabase": ("@@", lambda d: f"sbp_{d.of(_HEX, 40)}"),
    "sentry_token": ("@@", lambda d: f"sntrys_{d.base64(60).rstrip('=')}_{d.base62(43)}"),
    "sentry_dsn": ("SENTRY_DSN=https://@@@o447951.ingest.sentry.io/5429219", lambda d: d.of(_HEX, 32)),
    "okta": ("Authorization: SSWS @@", lambda d: f"00{d.url_safe(40)}"),
    "cloudflare_global": ("X-Auth-Key: @@", lambda d: d.of(_HEX, 37)),
    "flyio": ("@@", lambda d: f"fo1_{d.url_safe(43)}"),
    "vercel_env": ("VERCEL_TOKEN=@@", lambda d: d.base62(24)),
    "mapbox": ("@@", lambda d: f"sk.eyJ1Ijoi{d.base62(52)}.{d.url_safe(22)}"),
    "kakao_rest": ("카카오 REST API 키: @@", lambda d: d.of(_HEX, 32)),
    "kakao_header": ("Authorization: KakaoAK @@", lambda d: d.of(_HEX, 32)),
    "naver_secret": ("X-Naver-Client-Secret: @@", lambda d: d.base62(10)),
    "data_go_kr": ("https://apis.data.go.kr/1360000/Vilage?serviceKey=@@&numOfRows=10", lambda d: d.base62(86)),
    "perplexity": ("@@", lambda d: f"pplx-{d.base62(48)}"),
    "xai": ("@@", lambda d: f"xai-{d.base62(80)}"),
    "langfuse": ("LANGFUSE_SECRET_KEY=@@", lambda d: f"sk-lf-{d.of(_HEX, 8)}-{d.of(_HEX, 4)}-4{d.of(_HEX, 15)}"),
    "elastic_api_key": ("Authorization: ApiKey @@", lambda d: d.base64(45)),
    "datadog": ("DD_API_KEY: @@", lambda d: d.of(_HEX, 32)),
    "pagerduty": ("Authorization: Token token=@@", lambda d: f"u+{d.base62(18)}"),
    "teams_webhook": (
        "https://acme.webhook.office.com/webhookb2/7e1c3a52-10ab-4c1d-9d3e-5b6a7c8d9e0f@d1e2f3a4-0000-4111-8222-333344445555"
        "/IncomingWebhook/@@/1b2c3d4e-5555-4666-8777-888899990000",
        lambda d: d.of(_HEX, 32),
    ),
    "google_refresh": ("refresh: @@", lambda d: f"1//0{d.url_safe(60)}"),
    "hcloud": ("hcloud context create prod --token @@", lambda d: d.base62(64)),
    # Files of settings
    "npmrc_auth": ("//registry.example.com/:_auth=@@", lambda d: d.base64(24)),
    "npmrc_token": ("//npm.pkg.example.com/:_authToken=@@", lambda d: d.base62(40)),
    "pypirc": ("[pypi]\nusername = kim\npassword = @@", Draw.password),
    "git_credentials": ("https://kimms:@@@git.example.com", Draw.simple_password),
    "maven_settings": ("<server><id>nexus</id><username>ci</username><password>@@</password></server>", Draw.simple_password),
    "gradle_properties": ("signingPassword=@@\nsigningKeyId=24875D73", Draw.simple_password),
    "terraform_default": ('variable "db_password" {\n  type    = string\n  default = "@@"\n}', Draw.password),
    "terraform_tfvars": ('master_user_password = "@@"', Draw.simple_password),
    "terraformrc": ('credentials "app.terraform.io" {\n  token = "@@"\n}', lambda d: f"{d.base62(14)}.atlasv1.{d.base62(60)}"),
    "docker_arg": ("ARG NPM_TOKEN=@@", lambda d: d.base62(36)),
    "docker_env_old": ("ENV POSTGRES_PASSWORD @@", Draw.simple_password),
    "compose_list": ("environment:\n  - MYSQL_ROOT_PASSWORD=@@", Draw.simple_password),
    "k8s_env": ("- name: ADMIN_PASSWORD\n  value: @@", Draw.simple_password),
    "k8s_string_data": ("kind: Secret\nstringData:\n  smtp-pass: @@", Draw.simple_password),
    "ansible": ("ansible_become_pass: @@", Draw.simple_password),
    "my_cnf": ("[client]\nuser=root\npassword=@@", Draw.simple_password),
    "wp_config": ("define( 'DB_PASSWORD', '@@' );", Draw.password),
    "wp_salt": ("define('AUTH_KEY', '@@');", lambda d: d.of(string.ascii_letters + string.digits + "^&*(){}|;:,.<>", 64)),
    "rails_master": ("RAILS_MASTER_KEY=@@", lambda d: d.of(_HEX, 32)),
    "rails_secret_base": ("secret_key_base: @@", lambda d: d.of(_HEX, 128)),
    "laravel": ("APP_KEY=base64:@@", lambda d: d.base64(32)),
    "spring_yaml": ("spring:\n  datasource:\n    username: sa\n    password: @@", Draw.simple_password),
    "appsettings": ('"Default": "Server=db;Database=shop;User Id=sa;Password=@@;Encrypt=True"', Draw.password),
    "odbc": ("Driver={ODBC Driver 18 for SQL Server};Server=tcp:db;Uid=sa;Pwd={@@};", Draw.password),
    "libpq": ("psql 'host=db port=5432 user=app password=@@ dbname=shop'", Draw.simple_password),
    "jdbc_oracle": ("jdbc:oracle:thin:scott/@@@//db:1521/ORCL", Draw.simple_password),
    "jdbc_query": ("jdbc:postgresql://db/shop?user=app&password=@@&ssl=true", Draw.simple_password),
    "amqp": ("amqps://svc:@@@mq.internal:5671/prod", Draw.simple_password),
    "wireguard": ("[Interface]\nPrivateKey = @@\nAddress = 10.0.0.2/32", lambda d: d.base64(32)),
    "wpa": ('network={\n  ssid="home"\n  psk="@@"\n}', Draw.simple_password),
    "ovpn_auth": ("$ cat auth.txt  # vpn password on the second line\nkimms\n@@", Draw.password),
    "s3cfg": ("secret_key = @@", lambda d: d.base64(30)),
    "rclone": ("[drive]\ntype = sftp\npass = @@", lambda d: d.url_safe(38)),
    "airflow_fernet": ("AIRFLOW__CORE__FERNET_KEY=@@", lambda d: base64.urlsafe_b64encode(d.base62(32).encode()).decode()),
    "vault_unseal": ("Unseal Key 1: @@", lambda d: d.base64(33)),
    # Command lines and dumps
    "flag_equals": ("./deploy --db-password=@@ --env prod", Draw.simple_password),
    "flag_quoted": ("mysqladmin -u root password '@@'", Draw.simple_password),
    "psql_env": ("export PGPASSWORD='@@'; psql -h db", Draw.simple_password),
    "env_dump": ("HOME=/root\nJWT_SECRET=@@\nPATH=/usr/bin", Draw.phrase),
    "powershell": ('$cred = ConvertTo-SecureString "@@" -AsPlainText -Force', Draw.password),
    "net_use": ("net use Z: \\\\nas\\share /user:kim @@", Draw.password),
    "rabbitmqctl": ("rabbitmqctl add_user kim @@", Draw.simple_password),
    "createuser": ("ALTER USER app WITH PASSWORD '@@';", Draw.simple_password),
    "mosquitto": ("mosquitto_pub -u sensor -P @@ -t x -m 1", Draw.simple_password),
    "wget": ("wget --http-user=kim --http-password=@@ https://example.com/a", Draw.simple_password),
    "ipmitool": ("ipmitool -I lanplus -H 10.0.0.9 -U ADMIN -P @@ power status", Draw.simple_password),
    "az_login": (
        "az login --service-principal -u 7e1c3a52-10ab-4c1d-9d3e-5b6a7c8d9e0f -p @@ --tenant acme",
        lambda d: f"{d.base62(3)}8Q~{d.url_safe(34)}",
    ),
    "gh_secret": ("gh secret set DEPLOY_TOKEN --body '@@'", lambda d: d.base62(30)),
    "expect_send": ('expect "Password:"\nsend "@@\\r"', Draw.simple_password),
    "prompt_answer": ("[sudo] password for kim: @@", Draw.simple_password),
    "debug_print": ("DEBUG login(user='kim', pwd='@@')", Draw.simple_password),
    # Headers, addresses, codes
    "basic_header": ("-H 'Authorization: Basic @@'", lambda d: base64.b64encode(f"kim:{d.password()}".encode()).decode()),
    "digest_like": ("Proxy-Authorization: Bearer @@", lambda d: d.url_safe(32)),
    "oauth_code": ("https://app.example.com/cb?state=xyz&code=@@", lambda d: f"4/0A{d.url_safe(60)}"),
    "fragment": ("https://app.example.com/#access_token=@@&token_type=bearer", lambda d: d.url_safe(50)),
    "signed_s3": ("https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature=@@", lambda d: d.of(_HEX, 64)),
    "reset_link": ("https://example.com/reset-password?token=@@", lambda d: d.url_safe(32)),
    "magic_link": ("https://example.com/login/magic/@@", lambda d: d.url_safe(48)),
    "session_header": ("Set-Cookie: connect.sid=s%3A@@; Path=/; HttpOnly", lambda d: d.url_safe(40)),
    "csrf": ('<input type="hidden" name="csrf_token" value="@@">', lambda d: d.url_safe(40)),
    "totp_uri": ("otpauth://totp/Acme:kim?secret=@@&issuer=Acme", lambda d: d.capitals(32)),
    "totp_seed": ("Google Authenticator 시드: @@", lambda d: d.capitals(16)),
    "backup_codes": ("2FA backup codes: @@", lambda d: f"{d.digits(4)}-{d.digits(4)} {d.digits(4)}-{d.digits(4)}"),
    "sms_code": ("인증번호는 @@ 입니다", lambda d: d.digits(6)),
    "jwt_three": ("token @@", lambda d: f"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiI0MiJ9{d.base62(20)}.{d.url_safe(86)}"),
    "ssh_body": ("@@", lambda d: f"MIIEowIBAAKCAQEA{d.base62(48)}"),
    # Words
    "ko_amho": ("암호: @@", Draw.password),
    "ko_bibeon": ("비번 @@ 로 바꿔놨어", Draw.simple_password),
    "ko_paeseu": ("패스워드는요 @@ 이에요", Draw.password),
    "ko_pw": ("PW @@", Draw.password),
    "ko_id_pw": ("ID: admin / PW: @@", Draw.simple_password),
    "ko_wifi": ("와이파이 비밀번호 @@", Draw.simple_password),
    "ko_jeopsok": ("접속 정보: admin / @@", Draw.password),
    "ko_seed": ("지갑 복구 문구는 @@ 이거야", lambda d: d.seed_phrase(12)),
    "ko_inbound": ("인증키는 @@ 로 발급받았어", lambda d: d.base62(20)),
    "ko_front_door": ("현관 비밀번호는 @@*", lambda d: d.digits(6)),
    "en_use": ("log in with kim and the password @@", Draw.simple_password),
    "en_changed": ("I changed my password to @@ yesterday", Draw.simple_password),
    "en_creds": ("creds: admin / @@", Draw.password),
    "en_temp": ("Your temporary password: @@", Draw.simple_password),
    "en_pass_short": ("user kim pass @@", Draw.password),
    # Persons
    "card_ko": ("카드번호 @@ 유효기간 12/29", lambda d: d.card("94", 16)),
    "account_ko": ("계좌 우리 @@ 홍길동", lambda d: f"1002-{d.digits(3)}-{d.digits(6)}"),
    "account_nh": ("농협 @@", lambda d: f"302-{d.digits(4)}-{d.digits(4)}-{d.digits(2)}"),
    "account_toss": ("토스뱅크 @@ 으로 보내줘", lambda d: f"1000-{d.digits(4)}-{d.digits(4)}"),
    "passport_ko": ("여권 번호는 @@ 이고", lambda d: f"M{d.digits(8)}"),
    "licence_ko": ("운전면허번호: @@", lambda d: f"서울-{d.digits(2)}-{d.digits(6)}-{d.digits(2)}"),
    "licence_plain": ("면허번호 @@", lambda d: f"13-{d.digits(2)}-{d.digits(6)}-{d.digits(2)}"),
    "uk_phone": ("+44 @@", lambda d: f"7911 {d.digits(6)}"),
    "de_phone": ("@@", lambda d: f"+49 151 {d.digits(8)}"),
    "jp_phone": ("@@", lambda d: f"+81 90-{d.digits(4)}-{d.digits(4)}"),
    "us_plain_phone": ("@@", lambda d: f"+1 415-{d.of('2345678', 3)}-{d.digits(4)}"),
    "internet_phone": ("전화 @@", lambda d: f"070-{d.digits(4)}-{d.digits(4)}"),
    "iban_fr": ("IBAN @@", lambda d: _iban("FR", d.digits(23))),
    "iban_gb": ("@@", lambda d: _iban("GB", f"NWBK{d.digits(14)}")),
    "resident_spaced": ("@@", lambda d: d.resident().replace("-", " - ")),
    "resident_named": ("주민번호 뒷자리 @@", lambda d: f"1{d.digits(6)}"),
    "corporate_card": ("법인카드 @@", lambda d: _in_fours(d.card("55", 16))),
    "health_card": ("건강보험증 번호: @@", lambda d: f"1-{d.digits(10)}"),
    "customs_code": ("개인통관고유부호 @@", lambda d: f"P{d.digits(12)}"),
    "email_ko": ("메일은 @@으로 주세요", lambda d: f"{d.of(_SMALL, 7)}@{d.of(_SMALL, 6)}.kr"),
}  # fmt: skip


def _iban(country: str, body: str) -> str:
    from stdnum import iban

    return f"{country}{iban.calc_check_digits(f'{country}00{body}')}{body}"


def _in_fours(digits: str) -> str:
    return "-".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def later_samples(seed: str = "first") -> list[Sample]:
    """One sample of each kind; another seed gives other values."""
    made = []
    for kind, (written, draw) in _WRITTEN.items():
        part = draw(Draw(f"{seed} {kind}"))
        made.append(Sample(kind, "later", written.replace("@@", part, 1), (part,)))
    return made
