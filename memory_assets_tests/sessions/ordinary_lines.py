"""Lines as sessions are full of them, in which nothing is secret; numbers and digests are drawn anew from a seed."""

from __future__ import annotations

import base64
import random
import uuid
from collections.abc import Callable

_HEX = "0123456789abcdef"


class _Numbers:
    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)

    def hex(self, length: int) -> str:
        return "".join(self.random.choices(_HEX, k=length))

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def sri(self, size: int) -> str:
        return base64.b64encode(self.random.randbytes(size)).decode()

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))


# Each is drawn several times.
_DRAWN: tuple[Callable[[_Numbers], str], ...] = (
    lambda n: f"commit {n.hex(40)}",
    lambda n: f"{n.hex(7)} fix: handle an empty list in the parser (#{n.number(10, 9999)})",
    lambda n: f"index {n.hex(7)}..{n.hex(7)} 100644",
    lambda n: f'      "integrity": "sha512-{n.sri(64)}",',
    lambda n: f"  resolution: {{integrity: sha512-{n.sri(64)}}}",
    lambda n: f"github.com/pkg/errors v0.{n.number(1, 9)}.{n.number(0, 9)} h1:{n.sri(32)}",
    lambda n: f"golang.org/x/net v0.{n.number(1, 40)}.0/go.mod h1:{n.sri(32)}",
    lambda n: f"    --hash=sha256:{n.hex(64)} \\",
    lambda n: f'checksum = "{n.hex(64)}"',
    lambda n: f"sha256:{n.hex(64)}",
    lambda n: f"md5 ({n.hex(32)}) = archive-{n.number(1, 9)}.{n.number(0, 20)}.tar.gz",
    lambda n: f"request id {n.uuid()} took {n.number(1, 900)} ms",
    lambda n: f'{{"uuid": "{n.uuid()}", "parentUuid": "{n.uuid()}"}}',
    lambda n: f"0x{n.hex(40)} sent 0.{n.number(10, 99)} ETH in 0x{n.hex(64)}",
    lambda n: f"order {n.number(2023, 2026)}{n.number(10, 12)}{n.number(10, 28)}-{n.number(100000, 999999)} was shipped",
    lambda n: f"ISBN 978-{n.number(0, 9)}-{n.number(100, 999)}-{n.number(10000, 99999)}-{n.number(0, 9)}",
    lambda n: (
        f"{n.number(2020, 2026)}-0{n.number(1, 9)}-{n.number(10, 28)}T0{n.number(0, 9)}:{n.number(10, 59)}:{n.number(10, 59)}.{n.number(100, 999)}Z INFO started"
    ),
    lambda n: f"ts={n.number(1600000000, 1790000000)} id={n.number(10**12, 10**13)}",
    lambda n: (
        f"listening on {n.number(10, 200)}.{n.number(0, 255)}.{n.number(0, 255)}.{n.number(1, 254)}:{n.number(3000, 9000)}"
    ),
    lambda n: f"  color: #{n.hex(6)}; margin: {n.number(0, 20)}px {n.number(0, 20)}px;",
    lambda n: f"version {n.number(0, 9)}.{n.number(0, 99)}.{n.number(0, 999)}-rc.{n.number(1, 9)}+build.{n.number(1000, 9999)}",
    lambda n: f"Chrome/{n.number(90, 130)}.0.{n.number(4000, 6999)}.{n.number(10, 200)} Safari/537.36",
    lambda n: (
        f"지난달 매출은 {n.number(1, 99)},{n.number(100, 999)},{n.number(100, 999)}원이고 방문자는 {n.number(1000, 9999)}명이었다."
    ),
    lambda n: (
        f"회의는 {n.number(2024, 2026)}년 {n.number(1, 12)}월 {n.number(1, 28)}일 오후 {n.number(1, 6)}시에 3층 {n.number(301, 399)}호에서 한다."
    ),
    lambda n: f"data:image/png;base64,{n.sri(60)}",
    lambda n: f"toolu_01{n.uuid().replace('-', '')[:22]} returned {n.number(1, 99)} lines",
    lambda n: f"  at Object.<anonymous> (/app/node_modules/x/dist/index-{n.hex(8)}.js:{n.number(1, 999)}:{n.number(1, 99)})",
    lambda n: f"{n.number(1, 9)} passed, {n.number(0, 9)} skipped in {n.number(1, 90)}.{n.number(10, 99)}s",
    lambda n: f"rows {n.number(1000, 9999)} {n.number(1000, 9999)} {n.number(100, 999)} {n.number(10, 99)} {n.number(1, 9)}",
    lambda n: f"pi = 3.{n.number(10**14, 10**15)}, e = 2.{n.number(10**14, 10**15)}",
)
_DRAWS = 10

_WRITTEN = """
password = os.environ["X"]
token: str
def login(user: str, password: str) -> Session:
api_key: <your-api-key>
export TOKEN=${TOKEN}
curl -H "Authorization: Bearer $TOKEN" https://api.example.com
git commit --author="GitHub <noreply@github.com>"
Co-Authored-By: Bot <noreply@github.com>
password: str | None = None
const token = await getToken();
if (!token) throw new Error("missing token");
self.api_key = api_key or settings.api_key
PASSWORD=changeme
password=<password>
secret: ${{ secrets.DEPLOY_KEY }}
max_tokens: 4096
tokens_used: 128331
The password field is required.
The token expires after 15 minutes.
비밀번호는 8자 이상이어야 합니다.
비밀번호를 잊어버린 사용자는 재설정 메일을 받는다.
토큰은 15분 뒤에 만료되고 갱신 토큰은 30일 동안 유효하다.
키는 정렬된 순서로 저장된다.
계좌 화면은 다음 달에 만든다.
카드 목록을 세 줄로 보여 준다.
전화 알림은 끄기로 했다.
여권 사진 업로드는 나중에 한다.
mysql -u root -p app < dump.sql
docker run -p 8080:80 nginx
mkdir -p /srv/app/data
ssh -p 2222 deploy@host
cp -a src dst && rsync -a src/ dst/
redis-cli -p 6379 ping
grep -b pattern file
psql -U postgres -d app -W
Cookie: consent banner is shown once.
Set the Cookie header before the request.
<password>...</password>
<input type="password" name="password" />
<label for="password">Password</label>
Password:
password:
  type: string
  minLength: 8
token:
  description: the access token
| name | type | default |
| password | string | none |
key=value
https://example.com/search?q=token&page=2
https://example.com/list?key=name&sort=asc
https://example.com/login?code=404
https://github.com/org/repo/pull/123#discussion_r1234567890
seed = 42
rng = np.random.default_rng(seed=12345)
the quick brown fox jumps over the lazy dog while nobody looks
we then make the change and run all tests again before the next release goes out
--- PASS: TestLogin/with_a_token_that_expired_10_minutes_ago (0.00s)
PASS: all 12 checks
auth: enabled
auth = require("./auth")
from app.auth import login_required
class TokenBucketRateLimiterConfigurationFactory2Impl:
useEffect(() => { setToken(null); }, [token]);
function a(b,c){return b.d(c).e,f=g?h:i}var j=k[l]||{},m=n;
!function(e,t){"object"==typeof exports?module.exports=t():e.x=t()}(this,function(){return 1});
.btn-primary:hover{background:#0a58ca;border-color:#0a53be}
SELECT id, name FROM users WHERE created_at > '2025-01-01'
INSERT INTO t VALUES (1, 'a'), (2, 'b');
192.168.0.1 - - [10/Oct/2025:13:55:36 +0900] "GET / HTTP/1.1" 200 2326
127.0.0.1 localhost
Python 3.11.9 (main, Apr  2 2024, 08:25:04) [GCC 12.2.0] on linux
npm WARN deprecated glob@7.2.3: no longer supported
added 1284 packages, and audited 1285 packages in 32s
-rw-r--r-- 1 me me 10485760 Mar  3 2025 data.bin
drwxr-xr-x 12 root root 4096 2025-03-03 10:11 src
total 123456789 bytes in 1234567 blocks
2^53 = 9007199254740992
1234567890123456789
0.30000000000000004
phone-like version 010.1.2
v2.10.123-4567
RFC 2617, section 3.2.2.4
ticket ABC-12345, sprint 2025-14
build 20250301.1234
100% of 12,345,678 rows
a4b8c15d16e23f42
let x = 0xDEADBEEF;
uint64_t mask = 0x00ff00ff00ff00ffULL;
#!/usr/bin/env python3
assert login("kim", "x") is None
expect(screen.getByLabelText("Password")).toBeVisible();
process.env.DATABASE_URL
- [ ] rotate the keys
- use the key from the vault
key: value
primary_key: true
foreign_key: user_id
sort_key = "created_at"
cache_key = f"user:{user_id}"
public_key_path: ~/.ssh/id_ed25519.pub
keyboard shortcut: ctrl+shift+p
passes: 3
bypass: true
compass: north
""".strip().splitlines()


def ordinary_lines(seed: str) -> list[str]:
    """At least four hundred lines."""
    numbers = _Numbers(seed)
    return [*_WRITTEN, *(draw(numbers) for draw in _DRAWN for _ in range(_DRAWS))]
