"""What is masked, how it looks, and what is told about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.sessions.masking.redaction import Redacted, redact_text
from memory_assets.sessions.masking.redaction_policy import default_policy

_JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
_LETTERS = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"

# (text with {} for the secret, the secret, the kind it is masked as)
_SECRETS = [
    ("export X={}", "ghp_" + _LETTERS, "SECRET:github"),
    ("gho: {}.", "gho_" + _LETTERS, "SECRET:github"),
    ("{}", "ghs_" + _LETTERS, "SECRET:github"),
    ("토큰은 {}입니다", "github_pat_11ABCDEFG0" + _LETTERS, "SECRET:github"),
    ("key {}", "sk-" + _LETTERS, "SECRET:openai"),
    ("key {}", "sk-proj-" + _LETTERS + "_-" + _LETTERS, "SECRET:openai"),
    ("키는 {} 입니다", "sk-ant-api03-" + _LETTERS + "-AA", "SECRET:anthropic"),
    ("id {},", "AKIA" + "IOSFODNN7EXAMPLE", "SECRET:aws"),
    ("aws_secret_access_key = '{}'", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "SECRET:aws"),
    ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "SECRET:api_key"),
    ("hub {}", "hf_" + _LETTERS, "SECRET:huggingface"),
    ("{}", "glpat-" + _LETTERS[-20:], "SECRET:gitlab"),
    ("{}", "xoxb-123456789012-" + _LETTERS, "SECRET:slack"),
    ("{}", "AIza" + "SyA1234567890abcdefghijklmnopqrstuv", "SECRET:google"),
    (
        "post to {} now",
        "https://hooks.slack.com/services/T0ABCDEF1/B0ABCDEF1/AbCdEfGhIjKlMnOpQrStUvWx",
        "SECRET:slack",
    ),
    ("https://discord.com/api/webhooks/{}", "123456789012345678/AbCdEfGhIjKlMnOpQrSt-_UvWx", "SECRET:discord"),
    ("cookie {};", _JWT, "SECRET:jwt"),
    ("Authorization: Bearer {}", "abc12345def67890", "SECRET:authorization"),
    ("'authorization': 'Basic {}'", "dXNlcjpwYXNzd29yZDE=", "SECRET:authorization"),
    ("Authorization: Basic {}", "dXNlcjpwYXNz", "SECRET:authorization"),
    ("git clone https://me:{}@example.org/x.git", "s3cr3t!word", "SECRET:url_password"),
    ("postgres://app:{}@db:5432/x", "p@ss:w0rd#1", "SECRET:url_password"),
    ("curl -s -u me:{} https://example.org", "s3cr3t", "SECRET:url_password"),
    ("//registry.npmjs.org/:_authToken={}", "12345678-aaaa-bbbb-cccc-1234567890ab", "SECRET:npm"),
    ("{}", "npm_" + _LETTERS, "SECRET:npm"),
    ("{}", "pypi-AgEIcHlwaS5vcmc" + _LETTERS * 2, "SECRET:pypi"),
    ("{}", "sk_live_" + _LETTERS[:24], "SECRET:stripe"),
    ("{}", "SG." + _LETTERS[:22] + "." + (_LETTERS * 2)[:43], "SECRET:sendgrid"),
    ("bot {}", "123456789:" + _LETTERS[:35], "SECRET:telegram"),
    ("Name=x;{};", "AccountKey=" + (_LETTERS * 3)[:86] + "==", "SECRET:azure"),
    ("sid {}", "AC" + "0123456789abcdef" * 2, "SECRET:twilio"),
    ("주민번호 {}", "880101-1234567", "PII:kr_rrn"),
    # by the name of what they are assigned to
    ("password: {}", "hunter2", "SECRET:password"),
    ("Password = {}", "P@ssw0rd!", "SECRET:password"),
    ("**Password:** {}", "hunter2", "SECRET:password"),
    ("| password | {} |", "hunter2", "SECRET:password"),
    ("the password is {}.", "hunter2", "SECRET:password"),
    ("DB_PASSWORD={}", "postgres", "SECRET:password"),
    ("      POSTGRES_PASSWORD: {}", "postgres", "SECRET:password"),
    ("mysql --user root --password {}", "hunter2", "SECRET:password"),
    ("mysql --password={}", "hunter2", "SECRET:password"),
    ('login(user="me", password="{}")', "correct horse battery", "SECRET:password"),
    ('password: str = "{}"', "hunter2", "SECRET:password"),
    ('if (password == "{}") {{', "hunter2", "SECRET:password"),
    ("$config['password'] => '{}';", "hunter2", "SECRET:password"),
    ("비밀번호는 {}입니다", "hunter2", "SECRET:password"),
    ("비밀번호: {}", "hunter2!", "SECRET:password"),
    ("비밀번호를 {}으로 설정했어", "Passw0rd123", "SECRET:password"),
    ("비밀번호 {} 로 들어가", "Passw0rd123", "SECRET:password"),
    ("비밀번호(임시)는 {}야", "Passw0rd123", "SECRET:password"),
    ("비번은 {}이야", "483920", "SECRET:password"),
    ("ID admin / pw: {}", "hunter2", "SECRET:password"),
    ('{{"apiKey": "{}"}}', "abcd1234efgh5678", "SECRET:api_key"),
    ('{{\\"apiKey\\": \\"{}\\"}}', "abcd1234efgh5678", "SECRET:api_key"),
    ("curl -H 'x-api-key: {}'", "abcd1234efgh5678", "SECRET:api_key"),
    ("--api-key {} --verbose", "abcd1234efgh5678", "SECRET:api_key"),
    ('"clientSecret" : "{}"', "supersecretvalue", "SECRET:secret"),
    ("SECRET_KEY='{}'", "django-insecure-a1$b2%c3", "SECRET:api_key"),
    ("?token={}&page=2", "abc12345", "SECRET:url_parameter"),
    ('const accessToken: string = "{}";', "abc123def456", "SECRET:token"),
    ('os.environ["TOKEN"] = "{}"', "abc123def456", "SECRET:token"),
]


@pytest.mark.parametrize(("template", "secret", "kind"), _SECRETS)
def test_secret_becomes_its_kind_and_nothing_else_changes(template: str, secret: str, kind: str) -> None:
    redacted = redact_text(template.format(secret), default_policy())
    assert redacted == Redacted(template.format(f"[{kind}]"), {kind: 1})


@pytest.mark.parametrize("before", ["\\n", "\\t", "\x1b[32m", "%3D", "\\u003d", '"', "/", "="])
@pytest.mark.parametrize("secret", ["AKIA" + "IOSFODNN7EXAMPLE", "sk-" + _LETTERS])
def test_an_escape_before_a_token_does_not_hide_it(before: str, secret: str) -> None:
    assert secret not in redact_text(f"x{before}{secret}\\n", default_policy()).text


@pytest.mark.parametrize(
    "key",
    [
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nabc=\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----",
        "-----BEGIN PRIVATE KEY-----\r\n     1→MIIEowIBAAKCAQEA\r\n     2→abc\r\n-----END PRIVATE KEY-----",
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: 00ff00ff",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nb3BlbnNzaC1rZXktdjEBBBBB",
    ],
)
def test_private_key_is_one_region_and_keeps_its_lines(key: str) -> None:
    redacted = redact_text(f"before {key}\nafter", default_policy())
    breaks = "".join(char for char in key if char in "\r\n")
    assert redacted == Redacted(f"before [SECRET:private_key]{breaks}\nafter", {"SECRET:private_key": 1})


def test_key_in_a_json_string_is_masked() -> None:
    key = "-----BEGIN PRIVATE KEY-----\\nMIIEowIBAAKCAQEA\\nabc=\\n-----END PRIVATE KEY-----"
    assert redact_text(f'"{key}\\n"', default_policy()).text == '"[SECRET:private_key]\\n"'


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Bob <bob.b+tag@mail.example.co.kr>", "Bob <[EMAIL]>"),
        ("메일은bob@example.com으로", "메일은[EMAIL]으로"),
        ("bob@회사.한국.", "[EMAIL]."),
        ("담당 홍길동@example.com 님", "담당 [EMAIL] 님"),
        ("josé@example.fr", "[EMAIL]"),
        ("kim@example.com(회사)으로", "[EMAIL](회사)으로"),
        ("lee@self.example.com", "[EMAIL]"),
        ("Co-Authored-By: Claude <noreply@anthropic.com>", "Co-Authored-By: Claude <noreply@anthropic.com>"),
        ("a@b.io,c@d.io", "[EMAIL],[EMAIL]"),
        ("\\nbob@example.com", "\\n[EMAIL]"),
        ("mailto:bob@163.com", "mailto:[EMAIL]"),
    ],
)
def test_email_is_masked(text: str, masked: str) -> None:
    assert redact_text(text, default_policy()).text == masked


def test_markers_do_not_collapse_and_counts_are_by_kind() -> None:
    redacted = redact_text("<private>a</private><private>b</private> x@y.io x@y.io password=hunter2", default_policy())
    assert redacted.text == "[PRIVATE][PRIVATE] [EMAIL] [EMAIL] password=[SECRET:password]"
    assert redacted.counts == {"PRIVATE": 2, "EMAIL": 2, "SECRET:password": 1}


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\u2028", "\x85", "\x0b"])
def test_line_breaks_of_a_region_stay(line_break: str) -> None:
    text = line_break.join(["a <private>b", "c", "d</private>", "e"])
    assert redact_text(text, default_policy()).text == f"a [PRIVATE]{line_break * 2}{line_break}e"


def test_a_lone_carriage_return_does_not_melt_with_the_line_feed_behind_the_region() -> None:
    text = "<private>a\rb</private>\nc"
    assert len(redact_text(text, default_policy()).text.splitlines()) == len(text.splitlines()) == 3


def test_a_longer_token_leaves_no_tail() -> None:
    assert redact_text(f"x ghp_{_LETTERS * 40} y", default_policy()).text == "x [SECRET:github] y"
    assert redact_text(f"api_key={'ab12' * 2000} y", default_policy()).text == "api_key=[SECRET:api_key] y"


def test_what_overlaps_is_one_region_of_the_most_specific_kind() -> None:
    token = "ghp_" + _LETTERS
    assert redact_text(f"password={token}!x y", default_policy()) == Redacted(
        "password=[SECRET:github] y", {"SECRET:github": 1}
    )


def test_a_forged_marker_hides_nothing() -> None:
    assert "hunter2" not in redact_text("password=[EMAIL]hunter2", default_policy()).text


@pytest.mark.long
@pytest.mark.shared_data
def test_real_sessions_are_masked_once_and_with_few_surprises() -> None:
    """What was masked was read by eye: addresses, connection strings and sample keys; more would be false alarms."""
    sessions = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "sessions"
    if not sessions.is_dir():
        pytest.skip("../shared/data/sessions is not there")
    counts: dict[str, int] = {}
    for path in sorted(sessions.rglob("*")):
        if path.suffix in (".jsonl", ".md", ".json") and path.stat().st_size < 1_000_000 and path.name != "manifest.json":
            text = path.read_text(encoding="utf-8", errors="replace")
            redacted = redact_text(text, default_policy())
            assert redact_text(redacted.text, default_policy()).text == redacted.text
            assert redacted.text.count("\n") == text.count("\n")
            for kind, count in redacted.counts.items():
                counts[kind] = counts.get(kind, 0) + count
    assert counts["EMAIL"] > 50
    assert 0 < sum(count for kind, count in counts.items() if kind.startswith("SECRET")) < 40
