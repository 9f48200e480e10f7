"""Words that are each other's opposite, and words that limit what is said: one place for whoever compares texts.

The measures that use them ask different things. A guard over one quote takes whatever could turn it; a conflict between two
sentences of one session takes every pair of whole words; a conflict between memories takes only those that turn a rule
round (``RULES``), or the state that something is said to be in (``STATES``): "the left panel" and "the right panel" are two
panels, "the old config" and "the new config" two files, however opposite their words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

RULES = """
always/never enable/disable enabled/disabled keep/delete keep/remove keep/drop keep/discard allow/deny allow/forbid
allow/block permit/forbid accept/reject approve/reject include/exclude show/hide encrypt/decrypt
항상/절대 켜/끄 켜/꺼 유지/삭제 유지/제거 유지/폐기 허용/금지 허용/차단 포함/제외 활성/비활성 승인/거절 보이/숨기
"""
"""Whoever says one and whoever says the other want another thing of the same subject."""

STATES = """
on/off internal/external public/private valid/invalid possible/impossible safe/unsafe required/optional
local/remote sync/async
필수/선택 동기/비동기 로컬/원격 자동/수동 공개/비공개 내부/외부
"""
"""Said of a subject they turn the statement round; in front of a noun they name another thing."""

_STEPS_AND_PLACES = """
add/remove add/delete add/drop start/stop begin/end before/after increase/decrease raise/lower min/max minimum/maximum
open/close pass/fail yes/no more/less most/least first/last old/new all/none all/any read/write push/pull up/down above/below
with/without lock/unlock merge/split install/uninstall connect/disconnect mount/unmount must/may left/right success/failure
succeed/fail true/false
추가/삭제 추가/제거 시작/중지 시작/종료 증가/감소 늘/줄 최대/최소 이전/이후 전/후 이상/이하 성공/실패 통과/실패 열/닫
"""

WHOLE_WORDS = RULES + STATES + _STEPS_AND_PLACES
"""Every pair of whole words; of a Korean word its beginning."""

BEGINNINGS = (
    *(("min", "max"), ("before", "after"), ("on", "off"), ("in", "on"), ("now", "not"), ("in", "out"), ("up", "down")),
    *(("lower", "upper"), ("above", "below"), ("and", "or"), ("push", "pull"), ("this", "that"), ("he", "she")),
    *(("his", "her"), ("more", "less"), ("most", "least"), ("all", "any"), ("must", "most"), ("they", "them")),
    *(("read", "write"), ("left", "right"), ("old", "new"), ("can", "may"), ("was", "has"), ("am", "pm"), ("our", "your")),
    *(("in", "ex"), ("im", "ex"), ("in", "de"), ("en", "de"), ("en", "dis"), ("at", "de"), ("inter", "exter")),
    *(("north", "south"), ("major", "minor"), ("inner", "outer"), ("senior", "junior"), ("en", "un"), ("east", "west")),
    *(("pre", "post"), ("over", "under"), ("asc", "desc"), ("async", "sync"), ("new", "news"), ("un", "re")),
    *(("이전", "이후"), ("이상", "이하"), ("전", "후"), ("최대", "최소"), ("포함", "제외"), ("증가", "감소"), ("켜", "꺼")),
    *(("내부", "외부"), ("자동", "수동"), ("허용", "금지"), ("위", "아래"), ("앞", "뒤"), ("로컬", "원격")),
)
"""Words, or beginnings of words, that turn a word round, or make a mistyped one another, when the rest of it is the same."""

LIMITS = ("only", "except", "unless", "until", "빼고", "제외하고")
"""What one of two sentences that are alike must not have alone."""

_LEFT_OUT = """
only unless except if until before after rarely hardly seldom barely almost nearly refuse refuses refused stop stops stopped
avoid avoids avoided fail fails failed might may should instead without nobody less deprecated formerly
절대 절대로 거의 아직 먼저 빼고 제외하고 대신 만약 오직 때만 경우만
"""
LIMITS_OF_A_QUOTE = frozenset(_LEFT_OUT.split())
"""Left out of a quote, these leave another claim."""

NEVER_ONE_WORD_MORE = """
only except unless until before after if when while or but all any some most every each both first second third last next
old new more less fewer too almost nearly partly partially mostly mainly up down in out on off at by to from for with of as
than into over under behind via per about against within outside inside between above below beyond through during since
without despite once twice again always often sometimes rarely seldom hardly barely scarcely usually generally normally
typically possibly maybe perhaps probably likely unlikely supposedly allegedly nominally still yet later soon early late
today tomorrow yesterday tonight weekly daily monthly hourly nightly yearly monday tuesday wednesday thursday friday
saturday sunday stop avoid skip remove delete disable revert fail drop instead rather ignore forbid block reject deny refuse
prevent prohibit ban cancel pause suspend defer delay postpone omit exclude lack miss lose break abandon undo reverse oppose
disallow decline discard may might could should would must can will shall need want plan try attempt hope expect intend
propose suggest consider recommend request require used be was were been had has have did do get self half double single
dual triple test draft temporary optional legacy deprecated obsolete experimental broken wrong false true fake mock dummy
sample example invalid valid incorrect correct empty full missing former previous current future original default custom
manual automatic production prod staging stage development dev live sandbox beta alpha canary preview preprod local remote
public private internal external global shared backup primary secondary replica master slave main client server frontend
backend left right top bottom read write input output incoming outgoing maximum minimum max min high low higher lower large
small larger smaller long short longer shorter fast slow faster slower safe unsafe sync async synchronous asynchronous it
its he she they them his her their this that these those who whom which what whose where how why other another same
different mine yours ours you your we us our my me un non pre post anti semi re de co ex
medium critical urgent minor major severe normal initial final
만 도 전 후 때 이전 이후 먼저 나중 다시 모든 모두 일부 새 새로운 기존 첫 마지막 더 덜 가장 또는 부터 까지 보다 아직
테스트 임시 삭제 제거 취소 실패 중단 거의 드물게 가끔 항상 자주 보통 아마 운영 개발 스테이징 프로덕션 상용 실서버 로컬
원격 공개 비공개 내부 외부 금지 무시 차단 거부 거절 방지 제외 보류 연기 생략 포기 해제 비활성 활성 자동 수동 최대 최소
이상 이하 미만 초과 오늘 내일 어제 매일 매주 매월 주간 월간 반드시 가능 불가능 필요 선택 필수 예정 예상 계획 제안 검토
시도 왼쪽 오른쪽 위 아래 입력 출력 읽기 쓰기 공유 개인 전용 현재 과거 미래 이번 다음 지난 옛 구 신규 임의 잘못 오류
정상 비정상 그 이 저 그것 이것 저것 다른 같은 네 내 제 너 나 우리 당신
"""
"""What limits, orders, dates, points, turns or places the word that it stands beside: of two statements that say the same
neither has one of these more than the other."""


def opposites(pairs: str, stem: Callable[[str], str]) -> dict[str, set[str]]:
    """Of each word in ``pairs`` the words that are opposite to it."""
    found: dict[str, set[str]] = {}
    for pair in pairs.split():
        one, other = (stem(word) for word in pair.split("/"))
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


@lru_cache(maxsize=8)
def sides(pairs: str, stem: Callable[[str], str]) -> dict[str, tuple[str, bool]]:
    """Of each word in ``pairs`` the axis that it lies on, named by its first word, and on which side.

    What is opposite to one word lies on the other side with all that is opposite to it: ``keep``, and ``delete``, ``remove``.
    """
    against = opposites(pairs, stem)
    placed: dict[str, tuple[str, bool]] = {}
    for first in against:
        if first in placed:
            continue
        placed[first] = (first, True)
        waiting = [first]
        while waiting:
            word = waiting.pop()
            for other in against[word] - placed.keys():
                placed[other] = (first, not placed[word][1])
                waiting.append(other)
    return placed
