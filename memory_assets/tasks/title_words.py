"""The words of task titles: what is done, what is spelled in two ways, what says nothing, and what excludes each other.

English words stand as ``english_words.inflected`` leaves them, Korean ones as ``korean_words.taken_apart`` does.
"""

from __future__ import annotations

from memory_assets.text.english_words import inflected
from memory_assets.text.korean_words import is_hangul
from memory_assets.text.opposites import WHOLE_WORDS

_ACTIONS = {
    "fix": "fix repair solve resolve hotfix 수정 고치기 고치 해결 픽스 버그픽스",
    "make": "add create implement write introduce develop implementation addition creation"
    " 추가 구현 작성 생성 만들기 만들 개발 제작 도입",
    "remove": "remove delete drop removal deletion 삭제 제거 지우기",
    "test": "test 테스트",
    "check": "check verify validate confirm verification 확인 검증 점검",
    "review": "review 리뷰 검토",
    "deploy": "deploy deployment 배포",
    "release": "release publish 출시 릴리스 릴리즈",
    "document": "document 문서화",
    "refactor": "refactor restructure 리팩토링 리팩터링",
    "tidy": "cleanup tidy 정리",
    "investigate": "investigate investigation examine 조사 분석",
    "move": "migrate migration move 이전 이동 옮기기 마이그레이션",
    "change": "change modify 변경 바꾸기",
    "update": "update 업데이트 갱신",
    "upgrade": "upgrade 업그레이드",
    "improve": "improve improvement enhance enhancement 개선 향상",
    "optimize": "optimize optimization optimise 최적화",
    "design": "design 설계 기획",
    "enable": "enable activate 활성화 켜기",
    "disable": "disable deactivate 비활성화 끄기",
    "revert": "revert rollback 롤백 되돌리기",
    "rename": "rename",
    "replace": "replace replacement 교체 대체",
    "handle": "handle 처리",
    "integrate": "integrate integration 연동 통합",
    "configure": "configure setup 설정",
}
ACTIONS = {word: action for action, words in _ACTIONS.items() for word in words.split()}
"""Of each word that says what is done, what that is; in front of the others in English, behind them in Korean."""

KOREAN_ACTIONS = tuple(sorted((word for word in ACTIONS if is_hangul(word[0])), key=lambda word: -len(word)))
_NEVER_A_NOUN = """
add create implement introduce remove delete fix repair resolve migrate refactor investigate
verify validate improve enable disable rename replace handle integrate optimize
"""
NEVER_A_NOUN = frozenset(_NEVER_A_NOUN.split())
"""In the middle of a title they are its verb: ``Settings page: add dark mode``."""

_NOUNS_OF_WORK = """
fix refactor cleanup migration deployment implementation removal
deletion addition creation rollback replacement integration optimization
"""
NOUNS_OF_WORK = frozenset(_NOUNS_OF_WORK.split())
"""Behind a single word they are the verb of a title (``login fix``); of ``release plan`` and ``plan release`` nobody knows."""

_OTHER_VERBS = """
build run do make get use show allow disallow support ensure let set keep load save send read parse print speed extract
populate merge push pull commit plan prepare finish start stop open close ship revert try find list call copy cut cancel
convert define decide describe discuss draft explain expose format generate grant guard hide ignore include install invite
label limit link log mark mock monitor need notify pick pin port protect prove provide put query record reduce register
reject report request reset restart restore retry return reuse save schedule search select separate serve share simplify
skip sort split store stream submit switch sync tag track translate trigger tune turn validate wait warn wire wrap
"""
OTHER_VERBS = frozenset(_OTHER_VERBS.split())
"""Where one of these comes first, the last word is no verb: ``Build the fix``."""

_ALTERING = frozenset(("fix", "change", "update", "upgrade", "improve", "optimize", "refactor", "tidy", "replace", "handle"))


def are_two_actions(one: str, other: str) -> bool:
    """Whether nobody would call the same work by both; ``수정`` is a fix and a change, an update may improve."""
    return bool(one and other) and one != other and not {one, other} <= _ALTERING


PHRASES = {
    "end to end": "e2e",
    "pull request": "pr",
    "merge request": "pr",
    "풀 리퀘스트": "pr",
    "kubernetes": "k8s",
    "ci cd": "cicd",
    "look into": "investigate",
    "clean up": "cleanup",
    "roll back": "rollback",
    # In a title it is a place: who speaks is taken away before (`naming`).
    "us": "usa",
    # So is `my page`, which is another than the page.
    "my": "own",
    **{f"{verb} {particle}": verb + particle for verb in ("log", "sign", "opt", "check", "plug") for particle in ("in", "out")},
    **{f"{verb} up": f"{verb}up" for verb in ("set", "sign", "back", "start", "look")},
}
"""Words that stand for one."""

SAME_WORDS = {
    variant: word
    for word, variants in {
        "doc": "documentation",
        "auth": "authentication",
        "db": "database 데이터베이스 디비",
        "repo": "repository",
        "config": "configuration",
        "env": "environment",
        "app": "application",
        "앱": "애플리케이션 어플리케이션 어플",
        "param": "parameter",
        "dep": "dependency",
        "js": "javascript",
        "ts": "typescript",
        "postgre": "postgresql",
        "lib": "library",
        "spec": "specification",
        "prod": "production",
        "오류": "에러",
        "with": "by",
    }.items()
    for variant in variants.split()
}

SAME_WHEN_FIXED = {"issue": "bug", "problem": "bug", "이슈": "버그", "문제": "버그"}
"""What is fixed is a bug by any of these; issues that are sorted are those of a tracker."""

SAYING_LITTLE = frozenset(("관련", "대한", "관한", "위한"))
"""Nothing is another task for one of these."""
SAYING_LITTLE_AT_THE_END = frozenset(("feature", "functionality", "기능", "작업"))
"""Behind what they are: ``password reset feature``; a feature flag is not a flag, and ``feature 17`` is one of many."""

TURNED_ROUND = frozenset(("of", "in", "for", "on", "at"))
"""What stands behind them says of which kind it is: ``tests for the parser`` are ``parser tests``."""

_GROUPS = """
frontend backend|front back|client server|staging production prod dev development local|admin user|ios android web
mobile desktop|web desktop|windows linux macos mac|login logout signup|signin signout signup|upload download
import export|encode decode|serialize deserialize parse|request response|header footer sidebar|sender receiver
json yaml xml csv toml|parser lexer|python javascript typescript java kotlin go rust ruby swift cpp csharp php
postgre mysql sqlite redis mongodb duckdb|chrome firefox safari edge|first second third fourth fifth
one two three four five six seven eight nine ten|monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
daily weekly monthly yearly hourly|startup shutdown|create read update delete|get post put patch delete
unit integration e2e|korean english japanese chinese|aws gcp azure|major minor patch|light dark|encrypt decrypt
compress decompress|subscribe unsubscribe|publish unpublish|lock unlock|bug feature|로그인 로그아웃 회원가입|프론트 백
프론트엔드 백엔드|프런트엔드 백엔드|클라이언트 서버|스테이징 운영 개발 프로덕션 로컬|관리자 사용자 회원
업로드 다운로드|가져오기 내보내기|요청 응답|가입 탈퇴|입금 출금|매수 매도|구독 해지|켜기 끄기|열기 닫기|쓰기 읽기
암호화 복호화|압축 해제|목록 상세|웹 앱|안드로이드 아이폰|첫 두 세 네|첫째 둘째 셋째
월요일 화요일 수요일 목요일 금요일|오전 오후|상반기 하반기|1분기 2분기|한국어 영어 일본어 중국어|결제 환불|주문 배송
등록 해제|구 신|생성 취소 수정|승인 취소 거절|일간 주간 월간 연간|이메일 전화번호 문자|설치 설정
"""


def _excluding() -> dict[str, frozenset[str]]:
    pairs = [pair.split("/") for pair in WHOLE_WORDS.split()]
    groups = [group.split() for line in _GROUPS.strip().split("\n") for group in line.split("|")]
    found: dict[str, set[str]] = {}
    for group in [*pairs, *groups]:
        words = [word if is_hangul(word[0]) else inflected(SAME_WORDS.get(word, word)) for word in group]
        for word in words:
            found.setdefault(word, set()).update(other for other in words if other != word)
    return {word: frozenset(others) for word, others in found.items()}


EXCLUDING = _excluding()
"""Of each word the words that make another task of a title when they stand in its place."""
KOREAN_EXCLUDING = tuple(sorted((w for w in EXCLUDING if is_hangul(w[0]) and len(w) > 1), key=lambda word: -len(word)))
