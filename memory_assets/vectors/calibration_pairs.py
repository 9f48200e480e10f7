"""Questions and the sentences that answer them, by which an embedder is measured. Written for this and found nowhere else.

A pair says the same matter in other words: what only compares words finds few of them. Each sentence answers one question
of its language and no other.
"""

from __future__ import annotations

Pairs = tuple[tuple[str, str], ...]

ENGLISH: Pairs = (
    ("Where do we keep what customers upload?", "Files that users send us go to an S3 bucket in Frankfurt."),
    ("Why was the site down on Tuesday?", "The outage came from an expired certificate on the load balancer."),
    ("Which database did we settle on?", "In the end everybody agreed on PostgreSQL for orders and invoices."),
    ("How often is there a new version?", "We release every second Thursday."),
    ("Who looks after the payment code?", "Maria's team owns billing and everything around credit cards."),
    ("What made the page slow?", "The dashboard ran one query per row, three hundred in all."),
    ("Can I log in without a password?", "Signing in works with a magic link sent by mail."),
    ("How do we undo a bad deployment?", "If something breaks in production, roll back to the previous image."),
    ("Why does the build take so long?", "Compiling the native modules eats most of the twenty CI minutes."),
    ("Is personal data encrypted?", "Names and addresses are stored with AES-256 at rest."),
    ("How many API calls are allowed?", "Each client may send a hundred requests per minute."),
    ("How long are logs kept?", "Old records of the server are deleted after thirty days."),
    ("Which programming language is the backend in?", "The server is written in Go and a little Rust."),
    ("Why does that test fail only sometimes?", "It is flaky because two threads race for the same port."),
    ("How do new colleagues get started?", "The onboarding guide walks newcomers through their first week."),
    ("Did we give up on old browsers?", "Internet Explorer no longer works since the spring redesign."),
    ("What happens when the disk is full?", "When storage runs out the worker pauses and raises an alarm."),
    ("How are translations handled?", "Strings for other languages are pulled from Crowdin each night."),
    ("Which colours did the designer pick?", "The new look is dark green on a warm grey background."),
    ("Where do secrets come from?", "Credentials are read from Vault and never stand in the repository."),
    ("How can I start it on my own computer?", "For local development run docker compose up."),
    ("Why are some emails not delivered?", "Messages bounced since our SPF record was missing."),
    ("When do backups happen?", "Every volume is saved to another region at three in the morning."),
    ("What is missing before the launch?", "Only the legal review has to be done, then we can publish it."),
    ("How do we make images smaller?", "Pictures are converted to WebP when they arrive."),
    ("Why did we not split it into microservices?", "A monolith is enough for a team of four."),
    ("How does the cache get refreshed?", "Stale entries in Redis are evicted when a product changes."),
    ("What did the memory leak come from?", "Event listeners were never removed, so the heap kept growing."),
)

KOREAN: Pairs = (
    ("고객이 올린 파일은 어디에 두나요?", "사용자가 보낸 첨부는 프랑크푸르트의 S3 버킷으로 들어갑니다."),
    ("화요일에 왜 접속이 안 됐지?", "장애 원인은 로드 밸런서의 인증서 만료였다."),
    ("데이터베이스는 무엇으로 정했어요?", "주문과 청구는 결국 PostgreSQL을 쓰기로 합의했습니다."),
    ("얼마나 자주 새 버전이 나가나요?", "배포는 격주 목요일마다 한다."),
    ("결제 쪽은 누가 맡고 있어?", "카드와 정산 코드는 마리아네 팀 담당이에요."),
    ("화면이 느렸던 이유가 뭐였죠?", "대시보드가 행마다 쿼리를 하나씩, 모두 삼백 번 날리고 있었습니다."),
    ("비밀번호 없이 들어갈 수 있나요?", "메일로 받은 링크를 누르면 로그인이 됩니다."),
    ("배포가 잘못되면 어떻게 되돌려?", "문제가 생기면 직전 컨테이너 이미지로 롤백하세요."),
    ("빌드가 왜 이렇게 오래 걸려요?", "CI 이십 분 가운데 대부분은 네이티브 모듈 컴파일이 차지한다."),
    ("개인정보는 암호화되어 있나요?", "이름과 주소는 AES-256으로 감춰서 보관합니다."),
    ("API는 몇 번까지 부를 수 있지?", "클라이언트 하나가 분당 백 건까지 요청할 수 있다."),
    ("로그는 얼마 동안 남겨 두나요?", "서버의 옛 기록은 삼십 일이 지나면 지워집니다."),
    ("서버는 어떤 언어로 짰어?", "백엔드는 Go로 작성했습니다."),
    ("테스트가 가끔만 깨지는 까닭은?", "스레드 둘이 같은 포트를 두고 다퉈서 들쭉날쭉했어요."),
    ("새로 온 동료는 무엇부터 하면 돼요?", "입사 첫 주에는 온보딩 문서를 따라가면 됩니다."),
    ("옛날 브라우저도 지원하나요?", "인터넷 익스플로러는 봄 개편 뒤로 더는 열리지 않는다."),
    ("디스크가 꽉 차면 어떻게 되나요?", "공간이 모자라면 작업자가 멈추고 경보를 울립니다."),
    ("번역은 어떻게 관리해?", "다른 나라 말 문구는 매일 밤 크라우딘에서 받아 온다."),
    ("디자이너가 고른 색은 뭐였지?", "새 시안은 짙은 초록에 따뜻한 회색 배경입니다."),
    ("비밀 키는 어디서 설정해요?", "자격 증명은 저장소에 두지 않고 Vault에서 읽습니다."),
    ("내 컴퓨터에서 돌려 보려면?", "로컬 개발은 docker compose up 한 줄로 시작해요."),
    ("메일이 왜 안 가는 거죠?", "SPF 레코드가 빠져서 발송이 반송됐습니다."),
    ("백업은 언제 해?", "새벽 세 시에 모든 볼륨을 다른 지역으로 복사한다."),
    ("출시 전에 남은 일이 뭐예요?", "법무 검토만 끝내면 세상에 내놓을 수 있습니다."),
    ("그림 용량은 어떻게 줄여요?", "이미지는 들어올 때 WebP로 바꿉니다."),
    ("왜 마이크로서비스로 안 나눴나요?", "네 명짜리 팀에는 모놀리스로 충분하다."),
    ("캐시는 언제 새로 채워지지?", "상품이 바뀌면 Redis의 낡은 항목을 비운다."),
    ("메모리 누수는 왜 생겼어?", "이벤트 리스너를 떼지 않아서 힙이 계속 불어났습니다."),
)
