"""Which two texts say the same: in Korean as in English, and never where a fact differs."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_assets.text.english_words import inflected, is_past
from memory_assets.text.equivalence import differ_in_a_fact, form, say_the_same, shorter_forms
from memory_assets.text.korean_words import taken_apart
from memory_assets.text.statements import statement_of

any_text = st.text(st.characters(exclude_categories=()))
LONG = "The importer keeps every message of a session in the order of its source file"
LONG_KOREAN = "가져오기는 세션의 메시지를 원본 파일의 순서대로 로그 테이블 하나에 추가 전용 방식으로 저장한다"

WORDS = "the cache of a server keeps 3 sessions not 로그를 안 남긴다 for PostgreSQL=5%"

TURNING = """
production staging development local remote public private rarely hardly barely ignore forbid block reject
deny refuse ignored forbids blocking rejecting denies refusing unsupported you this
"""
KOREAN_TURNING = "거의 운영 개발 로컬 원격 공개 비공개 금지 무시 운영용 무시한 차단 거부 테스트용 네 운영환경의 클라이언트가"


def same(one: str, other: str) -> bool:
    a, b = statement_of(one), statement_of(other)
    assert say_the_same(a, b) == say_the_same(b, a)
    return say_the_same(a, b)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fix the login", "Fixing the LOGIN!"),
        ("Let's keep PostgreSQL for orders", "We keep postgresql for the orders."),
        ("Don't cache the session list", "do not cache session lists"),
        ("The cache TTL is 1,000 ms", "Cache TTL is 1000 ms"),
        ("All tests pass, lint clean", "All tests pass and lint is clean"),
        ("Move config to src/app/main.py", "Moves the config to `src/app/main.py`."),
        ("A → B", "A -> B"),
        ("front matter of the guide", "frontmatter of the guide"),
        ("배포 전에 블로커를 고치기로 했다", "배포 전 블로커를 고치기로 했습니다."),
        ("데이터 베이스를 옮긴다", "데이터베이스를 옮깁니다"),
        ("로그인 버그를 고쳤습니다", "로그인 버그 고쳤다"),
        ("로그인 버그를 고칩니다", "로그인 버그 고친다"),
        ("We deployed the importer", "Deployed the importer"),
        ("**Decision:** use PostgreSQL", "- Decision: use *PostgreSQL*"),
        ("**세션**을 저장한다", "세션을 저장합니다"),
        ("Fix the login - it fails", "Fix the login: it fails"),
        ("`PostgreSQL`을 쓴다", "PostgreSQL을 쓴다"),
        ("클라이언트가 서버를 호출한다", "클라이언트는 서버를 호출합니다"),
        ("٣ retries", "3 retries"),
        ("Retry !", "Retry"),
        ("PostgreSQL을 쓴다", "postgresql 쓴다."),
        ("캐시를 안 쓴다", "캐시는 안쓴다"),
        ("캐시를 Redis로 옮겼음", "이제 캐시를 Redis로 옮겼습니다"),
        ("재시도는 3번 한다", "재시도는 3번 합니다"),
        (LONG, LONG.replace("keeps every", "keeps literally every")),
        (LONG_KOREAN, LONG_KOREAN.replace("로그 테이블", "로그 저장소 테이블")),
    ],
)
def test_spelling_inflection_and_politeness_do_not_separate(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Retry 3 times", "Retry 5 times"),
        ("재시도는 3번 한다", "재시도는 5번 한다"),
        ("Use version 1.5", "Use version 15"),
        ("The offset is -5", "The offset is 5"),
        ("Coverage must stay at 80%", "Coverage must stay at 80"),
        ("Use Redis for the cache", "Do not use Redis for the cache"),
        ("Use Redis for the cache", "Never use Redis for the cache"),
        ("We can merge it", "We can't merge it"),
        ("캐시를 쓴다", "캐시를 안 쓴다"),
        ("캐시를 쓴다", "캐시를 쓰지 않는다"),
        ("로그를 삭제한다", "로그 삭제 금지"),
        ("Keep retries <= 3", "Keep retries >= 3"),
        ("Write it in C++", "Write it in C#"),
        ("Edit src/app/main.py", "Edit src/app/other.py"),
        ("Call getFiles for the list", "Call getFile for the list"),
        ("Rename user_id", "Rename users_id"),
        ("Pick option A", "Pick option B"),
        ("✅ build passes ❌ lint", "✅ build passes lint"),
        ("Keep it while a > b", "Keep it while a < b"),
        ("The size is a - b", "The size is a * b"),
        ("The size is a - b", "The size is a b"),
        ("The size is a / b", "The size is a * b"),
        ("Show it if !enabled", "Show it if enabled"),
        ("Push with --force", "Push with force"),
        ("git push -f origin", "git push f origin"),
        ("git push -f origin", "git push -F origin"),
        ("Write it in C++", "Write it in C"),
        ("Keep 10² rows", "Keep 102 rows"),
        ("Keep 1½ rows", "Keep 11/2 rows"),
        ("Keep 10M rows", "Keep 10m rows"),
        ("It returns []", "It returns {}"),
        ('Moved from="" to=active in the store of the sessions', "Moved from=idle to=active in the store of the sessions"),
        ("+ return value", "- return value"),
        ("Set a | b", "Set a & b"),
        ("Deploy to the US cluster", "Deploy to the cluster"),
        ("Deploy to the US cluster", "Deploy to the us cluster"),
        ("Move IT to the cloud", "Move it to the cloud"),
        ("US 클러스터에 배포한다", "클러스터에 배포한다"),
        ("You deploy, I review", "I deploy, you review"),
        ("You deploy the release", "I deploy the release"),
        ("내가 배포하고 네가 검토한다", "네가 배포하고 내가 검토한다"),
        ("클라이언트가 서버를 호출한다", "클라이언트를 서버가 호출한다"),
        ("클라이언트는 서버가 호출한다", "클라이언트가 서버는 호출한다"),
        ("서버에 클라이언트를 붙인다", "서버를 클라이언트에 붙인다"),
        ("배포했다", "배포하자"),
        ("배포했다", "배포한다"),
        ("서버를 옮겼습니다", "서버를 옮깁니다"),
        ("We used MySQL", "We use MySQL"),
        ("Fixed the login", "Fix the login"),
        ("Is it safe to deploy?", "It is safe to deploy"),
        ("is it safe to deploy?", "it is safe to deploy."),
        ("배포해도 안전해?", "배포해도 안전해"),
        ("The release 👍", "The release 👎"),
        ("The release 👍", "The release"),
        ("Retry ٣ times", "Retry ٤ times"),
        ("Edit /etc/App", "Edit /etc/app"),
        ("Edit README.md", "Edit readme.md"),
        ("Edit .env", "Edit env"),
        ("Edit my-app/src", "Edit my app/src"),
        ("from 3 to 5", "from 5 to 3"),
    ],
)
def test_a_number_negation_operator_or_name_separates(one: str, other: str) -> None:
    assert not same(one, other)
    assert differ_in_a_fact(statement_of(one), statement_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Enable the cache", "Disable the cache"),
        ("Add the index", "Remove the index"),
        ("Import the sessions", "Export the sessions"),
        (
            "Deploy to staging after the review of the release by the whole team",
            "Deploy to production after the review of the release by the whole team",
        ),
        ("Migrate from MySQL to PostgreSQL", "Migrate from PostgreSQL to MySQL"),
        ("do not use X, use Y", "use X, do not use Y"),
        ("Run it before the deploy", "Run it after the deploy"),
        ("서버로 옮긴다", "서버에서 옮긴다"),
        ("로그는 30일만 보관한다", "로그는 30일 보관한다"),
        ("기능을 추가한다", "기능을 제거한다"),
        ("알림을 켠다", "알림을 끈다"),
        ("배포 전에 확인한다", "배포 후에 확인한다"),
        ("a short one", "a very fine short one"),
        ("is it safe to deploy", "it is safe to deploy"),
        ("Read the news", "Read the new"),
        ("The united test", "The unit test"),
        ("A caring team", "A car team"),
        ("Staring at it", "Star at it"),
        ("Planning it", "Plane it"),
        ("Filing it", "Fill it"),
        ("Use https", "Use http"),
        ("The locale of the user", "The local of the user"),
        ("회의 서버", "회 서버"),
        ("사이 서버", "사 서버"),
        ("이해 서버", "이하 서버"),
        ("किया है", "की है"),
        (LONG, LONG.replace("of a session", "of only a session")),
        (LONG, LONG.replace("keeps", "never keeps")),
        (LONG, LONG + " in tests"),
        (LONG, LONG.replace("message", "sessionId message")),
        (LONG_KOREAN, LONG_KOREAN.replace("로그 테이블", "임시 로그 테이블")),
    ],
)
def test_another_word_separates(one: str, other: str) -> None:
    assert not same(one, other)


@pytest.mark.parametrize(
    "word",
    TURNING.split(),
)
def test_a_word_that_turns_another_is_never_one_word_more(word: str) -> None:
    assert not same(LONG, LONG.replace("keeps", f"{word} keeps"))
    assert not same(LONG, LONG.replace("source", f"{word} source"))


@pytest.mark.parametrize("word", KOREAN_TURNING.split())
def test_a_korean_word_that_turns_another_is_never_one_word_more(word: str) -> None:
    assert not same(LONG_KOREAN, LONG_KOREAN.replace("로그 테이블", f"{word} 로그 테이블"))


def test_a_difference_in_wording_alone_is_no_difference_in_a_fact() -> None:
    pairs = [
        ("세션을 서버에 저장한다", "모든 세션을 서버에 저장한다"),
        ("클라이언트가 서버를 호출한다", "클라이언트 서버를 호출한다"),
        ("We keep the cache", "I hold the cache"),
        ("The test was designed for it", "The test was written for it"),
    ]
    assert not any(differ_in_a_fact(statement_of(one), statement_of(other)) for one, other in pairs)


def test_one_word_more_in_one_is_not_one_word_more_in_each() -> None:
    assert same(LONG, LONG.replace("order", "exact order"))
    assert not same(LONG.replace("order", "exact order"), LONG.replace("order", "reverse order"))


@given(any_text)
@example("#")
def test_any_text_has_a_statement_that_can_be_stored_and_says_the_same_as_itself(text: str) -> None:
    statement = statement_of(text)
    assert statement and statement.split() == statement.split(" ")
    assert say_the_same(statement, statement)
    assert same(text, f"  {text}  ")


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_sharing_a_form_is_saying_the_same(words: list[str]) -> None:
    statement = statement_of(" ".join(words))
    for place in range(len(words)):
        other = statement_of(" ".join(words[:place] + words[place + 1 :]))
        shares = (
            form(statement) == form(other) or form(other) in shorter_forms(statement) or form(statement) in shorter_forms(other)
        )
        assert shares == say_the_same(statement, other)


@given(any_text, any_text)
def test_two_texts_that_say_the_same_do_not_differ_in_a_fixed_word(one: str, other: str) -> None:
    a, b = statement_of(one), statement_of(other)
    if say_the_same(a, b):
        assert [word for word in a.split() if word[0] == "="] == [word for word in b.split() if word[0] == "="]


@pytest.mark.parametrize(
    "words",
    [
        "cache caches cached caching",
        "fix fixes fixed fixing",
        "copy copies copied copying",
        "plan plans planned planning",
        "plane planes",
        "care cares caring cared",
        "file files filing filed",
        "fill fills filling filled",
        "use uses using used",
        "add adds adding added",
        "need needs needed",
        "deploy deploys deployed",
        "process processes processed",
        "require requires requiring required",
        "update updates updating updated",
        "edit edits editing edited",
        "unite unites uniting united",
        "control controls controlling controlled",
        "install installs installing installed",
        "die dies died",
    ],
)
def test_forms_of_one_english_word_are_one(words: str) -> None:
    assert len({inflected(word) for word in words.split()}) == 1
    assert {word for word in words.split() if is_past(word)} == {word for word in words.split() if word.endswith("ed")} - {
        "need"
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("news", "new"),
        ("united", "unit"),
        ("caring", "car"),
        ("staring", "star"),
        ("planning", "plane"),
        ("filing", "fill"),
        ("https", "http"),
    ],
)
def test_words_that_look_like_forms_of_one_are_two(one: str, other: str) -> None:
    assert inflected(one) != inflected(other)


@pytest.mark.parametrize(
    ("word", "stem", "role", "past"),
    [
        ("서버를", "서버", "를", False),
        ("서버가", "서버", "가", False),
        ("값을", "값", "를", False),
        ("전문가", "전문가", "", False),
        ("회의", "회의", "", False),
        ("사이", "사이", "", False),
        ("평가", "평가", "", False),
        ("높은", "높은", "", False),
        ("전에", "전", "", False),
        ("서버보다", "서버보다", "", False),
        ("고쳤습니다", "고치", "", True),
        ("고친다", "고치", "", False),
        ("배포됐다", "배포되", "", True),
        ("있습니다", "있", "", False),
        ("포함", "포함", "", False),
    ],
)
def test_a_korean_word_is_taken_apart(word: str, stem: str, role: str, past: bool) -> None:
    apart = taken_apart(word)
    assert (apart.stem, apart.role, apart.past) == (stem, role, past)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000,
        "a." * 100_000,
        "1," * 100_000,
        "가" * 200_000,
        "-" * 200_000,
        "a/" * 100_000,
        "*a" * 100_000,
        "a-" * 100_000,
        "㏂" * 100_000,
    ],
)
def test_a_monstrous_text_costs_little(text: str) -> None:
    started = time.process_time()
    shorter_forms(statement_of(text))
    assert time.process_time() - started < 0.2
