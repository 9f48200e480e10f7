"""Two hundred ordinary lines that were written down before the masking was tried on them; nothing in them is secret."""

from __future__ import annotations

LATER_ORDINARY_LINES = r"""
토큰 수가 128000개를 넘으면 잘라서 보낸다
비밀번호 찾기 화면은 다음 스프린트에서 만들기로 했다
비밀번호는 최소 8자 이상이어야 합니다
비밀번호가 틀리면 5회까지 다시 시도할 수 있다
암호화 알고리즘은 AES-256-GCM으로 정했다
암호: 필수 입력값입니다
비번 변경 기능은 아직 없다
패스워드 정책 문서를 업데이트했다
인증번호 6자리를 입력하세요
카드번호 입력란에 placeholder가 없다
카드 결제 수수료는 2.3%이고 정산은 D+2이다
계좌 이체 한도는 5,000,000원이다
계좌번호 형식 검사를 정규식으로 바꿨다
여권번호 필드는 nullable로 둔다
운전면허 인증 API는 2026년 3월에 붙인다
전화번호 칸을 필수에서 뺐다
주민번호는 저장하지 않는다
토큰이 만료되면 401을 돌려준다
토큰은 헤더에 넣어서 보냅니다
API 키는 환경변수에서 읽는다
시크릿은 볼트에 보관하고 코드에는 두지 않는다
테스트 1,204개 중 1,203개가 통과했다
커밋 3개를 하나로 합쳤고 PR #1842로 올렸다
2026년 11월 23일 오후 3시 30분에 배포했다
응답 시간이 평균 132.5ms에서 48.1ms로 줄었다
우편번호 06236, 강남대로 382
사업자등록번호 검증 로직은 그대로 둔다
버전 10.3.2에서 10.4.0으로 올렸다
좌표는 37.5665, 126.9780이다
포트 5432와 6379를 열어야 한다
메모리 사용량 8,589,934,592바이트 중 62%를 썼다
주문 번호 20261123000412 건은 환불 처리했다
인증 키 발급은 관리자 페이지에서 한다
복구 문구를 종이에 적어 두라고 안내한다
로그인 화면 비밀번호 입력창에 눈 아이콘을 추가했다
키 값은 문자열이고 값은 정수다
the password field must be at least 12 characters long
the password is hashed with bcrypt before it is stored
the password is never logged
password reset mails are sent by the worker
We should rename password to passphrase in the form.
Is the password optional here?
The token is refreshed every 15 minutes.
The token is valid for 3600 seconds.
the token count was 4096 before the cut
each token costs 0.000002 dollars
The API key is read from the environment.
the secret to fast builds is caching
the secret is out: we ship on Friday
her pass to the conference is in the mail
This pass removes dead code.
The first pass took 12.4s and the second pass took 3.1s
the key is the user's id and the value is a list
pin the version to 4.17.21
code 137 means that the process was killed
exit code 0
status code 404 is returned for unknown ids
The signature does not match the declared type.
card layout has 3 columns at 1280px
account 42 was merged into account 17
passport.js is used for the login
phone numbers are stored in E.164 format
Call me when the deploy is done.
the session id is stored in Redis
credentials are loaded lazily
Permission denied (publickey,password).
Enter passphrase for key '/home/kim/.ssh/id_ed25519':
[sudo] password for kim:
fatal: Authentication failed for 'https://github.com/acme/app.git/'
error: password authentication failed for user "app"
ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)
def check_password(password: str, hashed: bytes) -> bool:
password = getpass.getpass("Password: ")
password = request.form["password"]
password = os.environ["DB_PASSWORD"]
password: process.env.DB_PASSWORD,
password=settings.database.password.get_secret_value(),
const { password, ...rest } = user;
if (!password) throw new Error("password required");
user.set_password(new_password)
validates :password, length: { minimum: 8 }
<input type="password" name="password" placeholder="Password" />
<label for="password">Password</label>
<TextField label="API Token" value={token} onChange={setToken} />
private readonly tokenService: TokenService,
@Value("${spring.datasource.password}") private String password;
password: ${{ secrets.DB_PASSWORD }}
password: "{{ vault_db_password }}"
password: !vault |
password_hash = bcrypt.hashpw(password.encode(), bcrypt.gensalt())
PASSWORD_MIN_LENGTH = 12
TOKEN_EXPIRE_MINUTES = 60
MAX_TOKENS=4096
max_tokens: 8192,
tokenizer = AutoTokenizer.from_pretrained("bert-base-multilingual-cased")
token_type_ids = inputs["token_type_ids"]
next_page_token = response.get("nextPageToken")
let token = try await auth.refreshToken()
var secret = sync.OnceValue(loadSecret)
secretName: app-tls
secretKeyRef: {name: app, key: db-password}
kubectl get secret app-tls -o yaml
kubectl create secret generic app --from-file=./tls.crt
gh auth login --with-token < token.txt
docker login -u kim --password-stdin
psql -h localhost -U app -W shop
mysql -u root -p shop < dump.sql
curl -H "Authorization: Bearer $TOKEN" https://api.example.com/v1/me
curl -u "$USER:$PASSWORD" https://example.com
export API_KEY=$(op read op://dev/api/key)
ARG NPM_TOKEN
ENV PATH=/usr/local/bin:$PATH
RUN --mount=type=secret,id=npm,target=/root/.npmrc npm ci
//registry.npmjs.org/:_authToken=${NPM_TOKEN}
jdbc:postgresql://localhost:5432/shop
postgres://localhost/shop_test
redis://localhost:6379/0
DATABASE_URL=postgres://$USER:$PASS@db/shop
https://example.com/login?next=/account
https://github.com/acme/app/commit/9b2f7c1d4e5a6b8c0d1e2f3a4b5c6d7e8f901234
https://www.youtube.com/watch?v=dQw4w9WgXcQ
https://docs.google.com/document/d/e/pub?start=false
https://example.com/search?q=reset+password&page=2
git clone git@github.com:acme/app.git
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGtQv3n2Zb1cXyRkLwT8p0mJ5sHd7fQaUoEeNiVxYbWc kim
SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDA5V3Q2zY5mB9xTqk
-----BEGIN CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg= ssh-rsa
Co-authored-by: Mina <noreply@github.com>
From: noreply@example.com
12345678+kimms@users.noreply.github.com
@types/node@20.11.5
react-dom@18.2.0
npm install lodash@4.17.21
urllib3==2.2.1 --hash=sha256:450b20ec296a467077128bff42b73080516e71b56ff59a60a02bef2232c4fa9d
"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="
"resolved": "https://registry.npmjs.org/ms/-/ms-2.1.3.tgz#574c8138ce1d2b5861f0b44579dbadd60c6615b2"
golang.org/x/crypto v0.21.0 h1:X31++rzVUdKhX5sWmSOFZxx8UW/ldWx55cbf08iNAMA=
image: ghcr.io/acme/app@sha256:0f9d3a1b2c4e5d6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7
commit 4f1d0b8b9a1e3c5d7f9b1d3e5a7c9e1f3b5d7a9c (HEAD -> main, origin/main)
Merge: 1a2b3c4 5d6e7f8
index 83db48f..bf269f4 100644
@@ -120,7 +120,9 @@ def render(page: Page) -> str:
tree 9bdb5b3f0d7a1c2e4f6a8b0c2d4e6f8a0b1c3d5e
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
X-Request-Id: 4c1d9d3e-5b6a-4c8d-9e0f-7e1c3a5210ab
traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
trace_id=5b8efff798038103d269b633813fc60c span_id=eee19b7ec3c1b174
CONTAINER ID 3f4e8c9a1b2d
arn:aws:iam::123456789012:role/deploy
arn:aws:s3:::acme-artifacts/builds/20261123
projects/acme-prod/secrets/db-password/versions/3
subscription /subscriptions/7e1c3a52-10ab-4c1d-9d3e-5b6a7c8d9e0f/resourceGroups/rg
machine id is 9e0f7e1c3a5210ab4c1d9d3e5b6a4c8d
MAC 00:1a:2b:3c:4d:5e, address 192.168.10.24/24, gateway 192.168.10.1
fe80::1ff:fe23:4567:890a%eth0
at Object.<anonymous> (/app/src/auth/password.test.ts:42:17)
  File "/app/auth/tokens.py", line 118, in decode
src/components/PasswordInput.tsx
tests/fixtures/credentials.json
app/secrets/README.md
E   assert 1732345678901 == 1732345678900
2026-11-23 08:35:04,118 WARNING token bucket is empty, waiting 0.25s
PASSED tests/test_login.py::test_wrong_password_is_refused [ 42%]
1732345678.901234 epoch
elapsed 00:12:34.567, 1234567 rows, 98.76 MB
| id | name | email_verified | password_changed_at |
| 12 | Kim | true | 2026-03-01 |
| key | value |
| retries | 3 |
id,name,created_at,token_count
7,summary,2026-03-01,1834
{"type": "password", "required": true, "minLength": 8}
{"token_type": "Bearer", "expires_in": 3600}
{"input_tokens": 1834, "output_tokens": 412, "cache_read_input_tokens": 90112}
{"code": "ERR_TOKEN_EXPIRED", "message": "The token has expired"}
{"tool_use_id": "toolu_01A9xQ7bC3dE5fG7hJ9kL1mN", "type": "tool_result"}
{"id": "call_8fJx2KqLm4NpRt6VwXz0BcDe", "type": "function"}
{"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "role": "assistant"}
{"requestId": "req_011CQxYzAbCdEfGhJkMnPqRs"}
"version": "1.0.0-alpha.20261123.4"
colors: #1a2b3c, #ffeeaa, rgba(12, 34, 56, 0.78)
matrix(0.98, -0.17, 0.17, 0.98, 120, 340)
3.141592653589793 2.718281828459045 1.618033988749895
9007199254740991 is the largest safe integer
0x5f3759df magic number
SELECT id, password_hash FROM users WHERE email = $1;
ALTER TABLE users ADD COLUMN api_token text;
CREATE ROLE app LOGIN;
GRANT SELECT ON secrets TO auditor;
UPDATE users SET password = crypt($2, gen_salt('bf')) WHERE id = $1;
ISBN 979-11-6224-000-0
RFC 6749 section 4.1.2 defines the authorization code
CVE-2024-3094 affects xz 5.6.0 and 5.6.1
UTC+09:00, week 47, day 327
lat=37.566535 lng=126.977969 zoom=12
order 110-2034 has 3 items for 45,000 KRW
page 12-34, figure 5-6, table 010
serial port /dev/ttyUSB0 at 115200 baud 8-N-1
H.264 1920x1080 59.94fps 8-bit 4:2:0
ghp_ is the prefix of GitHub's classic tokens
keys that begin with sk- are refused by the hook
AKIA marks the ids of long-term AWS keys
abandon the branch and zoo the tests about it
ride the bike across the bridge and draw the river before winter
""".strip().splitlines()
