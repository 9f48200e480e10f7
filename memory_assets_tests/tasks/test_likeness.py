"""How alike two names are: never too alike where they are two tasks, and found by looking up where they are one."""

import re
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory_assets.tasks.canonical import normalize
from memory_assets.tasks.likeness import (
    CANDIDATE_FLOOR,
    STRICT_FLOOR,
    is_semantic,
    lexical_keys,
    lexical_likeness,
    never_the_same,
    tokens,
    vector_likeness,
)
from memory_assets.tasks.matching import Known, match
from memory_assets.tasks.model import Likeness
from memory_assets.tasks.naming import task_title
from memory_assets.vocabulary import Stage

NOW = datetime(2026, 3, 1)
BUNDLED = "all-minilm-l6-v2-1"

LABELLED = [
    (label == "same", task_name(one), task_name(other))
    for task_name in [lambda title: normalize(task_title(title))]
    for line in (Path(__file__).parent / "title_pairs.tsv").read_text("utf-8").splitlines()
    for label, one, other in [line.split("\t")]
]

_WORDS = """
fix add the login bug in for of on to page test tests feature 17 3 module update docs documentation remove delete flaky checkout
set up setup end e2e not don t without from redis postgres with by all config configuration user s build release plan a
로그인 버그 버그를 수정 고치기 추가 에서 페이지에서 기능 테스트 서버가 서버를 클라이언트로 삭제 안 않는 작업
만들기 발송하는 의 프론트엔드 v1.2 cpp 로그인버그
"""
WORDS = _WORDS.split()
names = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(lambda words: normalize(" ".join(words))),
    st.text(max_size=40).map(normalize),
).filter(bool)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two names of much the same words, for two names at random are never alike."""
    one = draw(names)
    words = one.split()
    for _ in range(draw(st.integers(0, 3))):
        match draw(st.integers(0, 3)):
            case 0:
                words.insert(draw(st.integers(0, len(words))), draw(st.sampled_from(WORDS)))
            case 1 if len(words) > 1:
                words.pop(draw(st.integers(0, len(words) - 1)))
            case 2:
                words.insert(0, words.pop())
            case _:
                place = draw(st.integers(0, len(words) - 1))
                words[place : place + 2] = ["".join(words[place : place + 2])]
    return one, normalize(" ".join(words)) or one


def is_strict(one: str, other: str) -> bool:
    return lexical_likeness(one, other) >= STRICT_FLOOR and not never_the_same(one, other)


def test_no_two_tasks_are_taken_for_one() -> None:
    wrong = [(one, other) for same, one, other in LABELLED if not same and is_strict(one, other)]
    assert wrong == []


def test_most_tasks_in_other_words_are_recognised() -> None:
    same = [(one, other) for is_same, one, other in LABELLED if is_same]
    assert len(same) >= 60 and len(LABELLED) - len(same) >= 60
    assert sum(is_strict(one, other) for one, other in same) / len(same) >= 0.84


@pytest.mark.parametrize(("stage", "share"), [("raw", 0.5), ("candidate", 0.7), ("verified", 0.8)])
def test_the_resolver_would_match_a_recent_open_task_by_them(stage: Stage, share: float) -> None:
    def matched(one: str, other: str) -> bool:
        if never_the_same(one, other):
            return False
        likeness = Likeness("lexical", lexical_likeness(one, other))
        return match([Known("tsk_1", likeness, stage, False, "in_progress", NOW - timedelta(days=2))], NOW) is not None

    found = Counter((same, matched(one, other)) for same, one, other in LABELLED)
    assert found[False, True] == 0
    assert found[True, True] / (found[True, True] + found[True, False]) >= share


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(
            ("Fixed the login bug", "TODO: fix the login bug"),
            ("Fix login bug", "- [x] Fixing login bugs"),
            ("Fix log in bug", "Fix login bug"),
        ),
        *(
            ("로그인 버그를 수정해야 함", "로그인 버그 수정 끝냄"),
            ("로그인버그 수정", "로그인 버그 수정"),
            ("로그인의 버그를 고쳤음", "로그인 버그 고칠 것"),
        ),
        *(
            ("Fix the bug in login", "Fix login bug"),
            ("Fix login bug", "Login bug fix"),
            ("front matter parser", "frontmatter parser"),
        ),
        *(
            ("Add e2e tests", "Add end to end tests"),
            ("DB 이전", "데이터베이스 이전"),
            ("Update the docs", "Update documentation"),
        ),
    ],
)
def test_inflection_particles_and_order_cost_nothing(one: str, other: str) -> None:
    one, other = normalize(task_title(one)), normalize(task_title(other))
    assert lexical_likeness(one, other) == 1.0
    assert not never_the_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *(
            ("Fix module 3", "Fix module 4"),
            ("Add tests", "Remove tests"),
            ("Fix frontend login", "Fix backend login"),
            ("Deploy to staging", "Deploy to production"),
        ),
        *(
            ("Implement login", "Test login"),
            ("Allow guests", "Disallow guests"),
            ("Retry", "Do not retry"),
            ("Move A to B", "Move B to A"),
        ),
        *(
            ("로그인 수정", "로그아웃 수정"),
            ("댓글 추가", "댓글 삭제"),
            ("프론트엔드 배포", "백엔드 배포"),
            ("결제 구현", "결제 테스트"),
            ("캐시를 쓴다", "캐시를 안 쓴다"),
        ),
        *(
            ("서버가 클라이언트를 호출", "클라이언트가 서버를 호출"),
            ("Release 1.2", "Release 1.3"),
            ("첫 번째 단계", "두 번째 단계"),
        ),
    ],
)
def test_what_makes_two_tasks(one: str, other: str) -> None:
    one, other = normalize(one), normalize(other)
    assert never_the_same(one, other) and never_the_same(other, one)
    assert not never_the_same(one, one)


@pytest.mark.long
@settings(max_examples=600)
@given(pairs())
@example(("fix bug in login", "login bug fix"))
@example(("flaky test in checkout", "flaky checkout test"))
@example(("to do list", "todo list"))
@example(("fix the build", "build the fix"))
@example(("s s", "s"))
@example(("the", "a"))
def test_names_that_may_be_one_share_a_key(pair: tuple[str, str]) -> None:
    one, other = pair
    if is_strict(one, other):
        assert set(lexical_keys(one)) & set(lexical_keys(other))
    assert not (lexical_likeness(one, other) > 0 and set(tokens(one)).isdisjoint(tokens(other)))


@settings(max_examples=300)
@given(pairs())
def test_the_measures_are_symmetric_and_in_bounds(pair: tuple[str, str]) -> None:
    one, other = pair
    assert lexical_likeness(one, other) == lexical_likeness(other, one)
    assert never_the_same(one, other) == never_the_same(other, one)
    assert 0.0 <= lexical_likeness(one, other) <= 1.0
    assert lexical_likeness(one, one) == 1.0 and not never_the_same(one, one)
    for hashes in (lexical_keys(one), tokens(one)):
        assert hashes and all(-(2**63) <= number < 2**63 for number in hashes)
    assert len(set(tokens(one))) == len(tokens(one))


@settings(max_examples=300)
@given(pairs())
def test_no_number_and_no_negation_is_lost_on_the_way(pair: tuple[str, str]) -> None:
    def facts(name: str) -> Counter[str]:
        said = name.replace("end to end", "e2e").replace("don t", "not")
        return Counter(c for c in said if c.isdigit()) + Counter(re.findall(r"(?<![a-z])(?:not|without)(?![a-z])", said))

    one, other = pair
    if is_strict(one, other):
        assert facts(one) == facts(other)


@pytest.mark.long
def test_keys_are_selective() -> None:
    crowd = [normalize(f"Implement feature {number} of module {module}") for number in range(1000) for module in range(10)]
    crowd += [normalize(f"{module}번 모듈의 {number}번 기능 구현") for number in range(100) for module in range(10)]
    started = time.process_time()
    users = Counter(key for name in crowd for key in set(lexical_keys(name)))
    assert time.process_time() - started < 10.0
    # `feature 3 of module 7` and `feature 7 of module 3` have the same words.
    assert max(users.values()) <= 2


@pytest.mark.long
def test_a_long_name_costs_little() -> None:
    started = time.process_time()
    for number in range(300):
        one, other = normalize(f"{number} " + "login bug fix " * 800), normalize(f"{number} " + "가나다 " * 3000)
        assert lexical_likeness(one, other) < CANDIDATE_FLOOR
    assert time.process_time() - started < 6.0


# -- by meaning


@pytest.mark.parametrize("version", [BUNDLED, "all-minilm-l6-v2-1-deadbeef", "some-model-1", "hashing-256-1"])
@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
def test_vectors_suggest_and_never_decide(version: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    first, second = (vector_likeness(cosine, version, "fix login", "repair sign in") for cosine in (low, high))
    assert 0.0 <= first <= second < STRICT_FLOOR


def test_vectors_are_trusted_where_the_model_was_measured() -> None:
    assert vector_likeness(0.95, BUNDLED, "fix login", "repair sign in") >= CANDIDATE_FLOOR
    assert vector_likeness(0.75, BUNDLED, "fix login", "repair sign in") < CANDIDATE_FLOOR
    assert vector_likeness(0.85, "some-model-1", "fix login", "repair sign in") < CANDIDATE_FLOOR
    assert vector_likeness(0.99, BUNDLED, "로그인 수정", "로그인 고치기") == 0.0
    assert vector_likeness(0.99, BUNDLED, "fix café login", "fix the café login") >= CANDIDATE_FLOOR
    assert vector_likeness(0.95, "some-model-1", "로그인 수정", "로그인 고치기") >= CANDIDATE_FLOOR
    assert not is_semantic("hashing-256-1") and is_semantic(BUNDLED)


@pytest.mark.long
def test_the_bundled_model_suggests_what_words_do_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    from memory_assets.vectors.embedder import EmbedderSettings, make_embedder

    embedder = make_embedder(EmbedderSettings())
    english = [(same, one, other) for same, one, other in LABELLED if one.isascii() and other.isascii()]
    ones = embedder.embed_documents([one for _, one, _ in english])
    others = embedder.embed_documents([other for _, _, other in english])
    likely = {
        (one, other): vector_likeness(float(left @ right), embedder.embedding_version, one, other)
        for (_, one, other), left, right in zip(english, ones, others, strict=True)
    }
    assert max(likely.values()) < STRICT_FLOOR
    unseen = [(one, other) for same, one, other in english if same and lexical_likeness(one, other) < STRICT_FLOOR]
    assert sum(likely[pair] >= CANDIDATE_FLOOR for pair in unseen) >= 0.8 * len(unseen)
    # Suggested wrongly is what only a reader tells apart.
    offered = [
        pair for same, *pair in english if not same and not never_the_same(*pair) and likely[tuple(pair)] >= CANDIDATE_FLOOR
    ]
    assert len(offered) <= 0.25 * sum(not same for same, _, _ in english)
