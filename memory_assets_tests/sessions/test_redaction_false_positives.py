"""What looks like a secret and is none stays as it is."""

from __future__ import annotations

import pytest

from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.sessions.masking.redaction_policy import default_policy

_HARMLESS = [
    # type annotations
    "def login(user: str, password: str) -> bool:",
    "token: string; password?: string; secret: Optional[str] = None",
    "password: SecretStr\napi_key: str | None = None",
    "let token: &'static str; secret: [u8; 32]; token: Uint8Array",
    "type Config struct { Token string; Password string }",
    "password = models.CharField(max_length=128)",
    "password: z.string().min(8),",
    # functions, calls, variables
    "const f = (token) => fetch(token)",
    "secret => secret.length",
    "token = get_token()",
    "Token := GetCloudToken()",
    "Password = await bcrypt.hash(password, 10);",
    "login(user=user, password=password, token=self.token)",
    "api_key=settings.api_key, secret=config['secret']",
    "token = token2",
    "if token == access_token and password != confirmPassword:",
    "if (apiKey === undefined) { throw new Error('token: missing') }",
    # the environment
    "const k = process.env.API_KEY; apiKey: process.env.OPENAI_API_KEY",
    'api_key = os.environ["TOKEN"]',
    'API_KEY = os.getenv("API_KEY")',
    "password: ${{ secrets.GITHUB_TOKEN }}",
    "TOKEN=$TOKEN PASSWORD=${PASSWORD} API_KEY=$(cat key)",
    "https://user:${TOKEN}@example.org and https://user:$PASS@example.org",
    'Authorization: `Bearer ${token}` and f"Bearer {api_key}"',
    # placeholders
    "token: <your-token>",
    "API_KEY=your_api_key_here",
    'TOKEN="github_pat_xxxx" token: gho_************************************',
    "password: xxxx\npassword: ****\npassword: ......",
    "OPENAI_API_KEY=sk-...",
    "sk-your-key-here and sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "api_key: REDACTED",
    "--token <TOKEN> --password=PASSWORD --api-key KEY",
    # prose
    "Use a Bearer token. The bearer authentication scheme, Bearer YOUR_TOKEN.",
    "Basic authentication, basic Authentication, Authorization: Basic credentials, basic JavaScript, a basic HTTPServer",
    "The token: a short string. Secret: none. The password is required.",
    "password is hashed; use the --password flag, or --token for tokens",
    'label: "Password", password: "Enter your password", error: "Password must be 8 characters"',
    "input_tokens: 12345, max_tokens=4096, token_count: 98765",
    "secretName: my-app-secret1\nsecret: my-app-secret",
    "It starts with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "PWD=/home/me pwd: ~/work",
    # ids and data
    "commit d5345c0ecc68ae6295c69f91926b2bd379e25481 and sha256:" + "ab12" * 16,
    "id 123e4567-e89b-12d3-a456-426614174000",
    '<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAA">',
    "2024-01-01 1234567-1234567 251301-1234567",
    "class sk-loading-spinner-animation-circle and task-abcdefghijklmnopqrstuvwx1",
    "APPLICATION APIVersion2024 APClientFactory",
    # no addresses
    "git@github.com:org/repo.git ssh://git@gitlab.com/org/repo deploy@prod.example.com:/srv",
    "react@18.2.0 lodash@4.17.21-rc.x actions/checkout@v4.1 @pytest.mark.slow icon@2x.png",
    "x@self.weight q@k.transpose(-2, -1) @scope/name user@localhost",
    "http://localhost:3000/@vite/client https://medium.com/@user/post",
    # Korean
    "비밀번호를 bcrypt로 해시하고, 비밀번호는 2024년부터 바꾸고, 비밀번호 12345번 시도, 비밀번호 정책 v2, 비밀번호 reset 화면",
    "비밀번호는 8자 이상이어야 합니다. 비밀번호: 영문과 숫자를 섞어 주세요.",
    "토큰: 만료됨, 비밀번호를 입력하세요, 암호화: AES256, 시크릿 키를 발급받아 주세요.",
    "API 키를 환경 변수로 옮기고 토큰 사용량은 12,345개였다.",
    # what is masked already
    "password=[SECRET:password] and [SECRET:github] [EMAIL] [PRIVATE]\n\n api_key: '[SECRET:api_key]'",
]


@pytest.mark.parametrize("text", _HARMLESS)
def test_harmless_text_is_untouched(text: str) -> None:
    redacted = redact_text(text, default_policy())
    assert (redacted.text, redacted.counts) == (text, {})
