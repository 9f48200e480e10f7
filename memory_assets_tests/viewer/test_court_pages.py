"""The pages of lessons and cases: what each tells in both languages, where it leads, and what there is not."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from memory_assets.commands.lessons import retire_lesson
from memory_assets.memory import Memory
from memory_assets.queries.cases import list_cases
from memory_assets.queries.lessons import list_lessons
from memory_assets.viewer import court_pages
from memory_assets.viewer.court_pages import CASES_OF_A_PAGE, LESSONS_OF_A_PAGE
from memory_assets_tests.court.findings import VERSION
from memory_assets_tests.depth import depth
from memory_assets_tests.filled_store import test_settings as settings_of
from memory_assets_tests.viewer.heard import hear_talks
from memory_assets_tests.viewer.payloads import PAYLOADS
from memory_assets_tests.viewer.served import Served, serving

TESTS, FORCE = "Always run the tests before a commit", "Never push to main by force"
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def told(page: str) -> str:
    """What a page says, without its elements."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Two sessions say the same, one of them twice."""
    settings = settings_of(tmp_path_factory.mktemp("heard"))
    hear_talks(settings, {"one": ["Hello", TESTS, FORCE], "two": [TESTS, "Good.", TESTS]})
    return Memory(settings)


@pytest.fixture(scope="module")
def pages(memory: Memory) -> Iterator[Served]:
    with serving(memory) as served:
        yield served


def places(page: str) -> list[str]:
    """Where the quotes of a page lead."""
    return [html.unescape(link) for link in re.findall(r'<footer>[^<]*<a href="([^"]+)"', page)]


def test_a_lesson_stands_with_its_support_and_words_that_lead_to_their_place(pages: Served, memory: Memory) -> None:
    first = memory.read(list_lessons).lessons[0]
    page = pages.get("/lessons").text
    said = told(page)
    assert said.index(TESTS) < said.index(FORCE), "the surest first"
    assert "cases: 2, sessions: 2" in said and f"{first.confidence:.2f} sure" in said and "do not coder" in said
    assert page.count("<article") == 2 == page.count('action="/say/retire_lesson"') == page.count('action="/say/keep_lesson"')
    for listed in (page, pages.get(f"/lessons/{first.lesson_id}").text):
        found = places(listed)
        assert f"/sessions/one?m=1&c=0-{len(TESTS)}#m1" in found and f"/sessions/two?m=0&c=0-{len(TESTS)}#m0" in found
        for place in found:
            assert re.search(r"<mark[^>]*>", pages.get(place.partition("#")[0]).text), "the quote is marked where it stands"


def test_lessons_are_narrowed_by_role_and_status(pages: Served) -> None:
    assert pages.get("/lessons?role=Coder").text.count("<article") == 2, "roles are free words, in any case"
    assert pages.get("/lessons?role=planner").text.count("<article") == 0
    assert pages.get("/lessons?status=contested").text.count("<article") == 0
    assert pages.get("/lessons?status=all").text.count("<article") == 2


def test_a_case_tells_what_was_kept_and_what_was_left_out_and_why(pages: Served, memory: Memory) -> None:
    newest, older = memory.read(list_cases, version=VERSION).cases
    listed = pages.get("/cases").text
    assert (newest.session_id, older.session_id) == ("two", "one") and "claims: 2, kept: 1" in told(listed)
    assert listed.index(newest.case_id) < listed.index(older.case_id), "the newest first"
    page = pages.get(f"/cases/{newest.case_id}").text
    kept, _, left_out = told(page.partition("<h1")[2]).partition("Left out")
    assert "Kept Defense" in kept and "Defense" in left_out and "Why: the same lesson as clm_" in left_out
    assert "Why:" not in kept and kept.count(TESTS) == 2 == left_out.count(TESTS), "the rule, and the quote"
    lessons = set(re.findall(r'href="(/lessons/les_[^"]+)"', page))
    assert [pages.get(link).status_code for link in lessons] == [200], "what was kept leads to the lesson that it became"
    assert set(places(page)) == {f"/sessions/two?m={index}&c=0-{len(TESTS)}#m{index}" for index in (0, 2)}


def test_the_pages_speak_korean(pages: Served, memory: Memory) -> None:
    case = memory.read(list_cases, version=VERSION).cases[0]
    lesson = memory.read(list_lessons).lessons[0]
    listed = told(pages.get("/lessons?language=ko").text)
    assert "교훈" in listed and "사건 2개, 세션 2개" in listed and "하지 말 것" in listed
    assert "근거가 된 말" in told(pages.get(f"/lessons/{lesson.lesson_id}?language=ko").text)
    assert "주장 2개, 채택 1개" in told(pages.get("/cases?language=ko").text)
    said = told(pages.get(f"/cases/{case.case_id}?language=ko").text)
    assert "채택 변호인" in said and "제외 변호인" in said and "이유: the same lesson" in said


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/lessons?status=lost", 400),
        ("/lessons?page=2", 404),
        ("/lessons?page=999999999", 404),
        ("/lessons?page=x", 400),
        ("/lessons/nobody", 404),
        ("/lessons/..%2fhealth", 404),
        ("/cases?page=2", 404),
        ("/cases?page=0", 400),
        ("/cases/nobody", 404),
        ("/cases/one?page=2", 404),
    ],
)
def test_what_there_is_not_is_a_page_that_says_so(pages: Served, path: str, status: int) -> None:
    answer = pages.get(path)
    assert answer.status_code == status and "<h1>" in answer.text


@pytest.mark.parametrize("path", ["/lessons", "/lessons?status=all&role=coder", "/cases"])
def test_an_empty_store_says_what_hears_sessions(tmp_path: Path, path: str) -> None:
    settings = settings_of(tmp_path)
    hear_talks(settings, {})
    with serving(Memory(settings)) as served:
        for language in ("en", "ko"):
            answer = served.get(f"{path}{'&' if '?' in path else '?'}language={language}")
            assert answer.status_code == 200 and "memory court run --all" in told(answer.text)


@pytest.mark.long
def test_a_retired_lesson_is_listed_only_among_the_retired(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    hear_talks(settings, {"one": [TESTS, FORCE]})
    memory = Memory(settings)
    lesson = next(one for one in memory.read(list_lessons).lessons if one.rule == TESTS)
    retire_lesson(memory.resources, lesson.lesson_id, by="kim", note="CI <b>does</b>")
    with serving(memory) as served:
        assert TESTS not in told(served.get("/lessons").text) and FORCE in told(served.get("/lessons").text)
        page = served.get("/lessons?status=retired").text
        assert "Retired: kim: CI <b>does</b>" in told(page), "told as text"
        assert "<b>" not in page and "/say/retire_lesson" not in page and "/say/keep_lesson" in page


@pytest.mark.long
@pytest.mark.deep
def test_long_lists_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of_a_page, cases_of_a_page = depth(3, LESSONS_OF_A_PAGE), depth(5, CASES_OF_A_PAGE)
    monkeypatch.setattr(court_pages, "LESSONS_OF_A_PAGE", of_a_page)
    monkeypatch.setattr(court_pages, "CASES_OF_A_PAGE", cases_of_a_page)
    settings = settings_of(tmp_path)
    words = ["apples", "bridges", "candles", "drums", "engines"]
    orders = [f"Always {verb} {word}" for verb in depth(("count",), ("count", "paint", "weigh", "sell")) for word in words]
    hear_talks(
        settings, {"one": orders[::2], "two": orders[1::2], **{f"quiet-{day}": ["Hi"] for day in range(cases_of_a_page)}}
    )
    memory = Memory(settings)
    active = memory.read(list_lessons).total
    assert active > of_a_page, "or there is no second page"
    with serving(memory) as served:
        listed = [served.get(f"/lessons?page={page}").text for page in (1, 2)]
        assert [page.count("<article") for page in listed] == [of_a_page, active - of_a_page]
        heard = [served.get(f"/cases?page={page}").text for page in (1, 2)]
        assert [page.count('class="line"') for page in heard] == [cases_of_a_page, 2]
        assert served.get("/cases?page=3").status_code == 404


@pytest.mark.long
@pytest.mark.deep
def test_text_of_a_session_is_escaped_and_masked(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    hostile = (*PAYLOADS[:: depth(5, 1)], SECRET)
    # One case each: a case has a most of lessons.
    hear_talks(settings, {f"hostile-{place}": [f"Always {text} {place}"] for place, text in enumerate(hostile)})
    memory = Memory(settings)
    with serving(memory) as served:
        lessons = memory.read(list_lessons, status="all").lessons
        assert len(lessons) > depth(4, 10)
        paths = [
            *(f"/lessons?status=all&page={page}" for page in range(1, -(-len(lessons) // LESSONS_OF_A_PAGE) + 1)),
            *(f"/cases/{case.case_id}" for case in memory.read(list_cases, version=VERSION).cases),
            f"/lessons/{lessons[0].lesson_id}",
            "/lessons?role=" + quote(PAYLOADS[0]),
        ]
        for path in paths:
            answer = served.get(path)
            assert answer.status_code == 200, (path, answer.text)
            page = answer.text
            assert SECRET not in page, path
            tags = set(re.findall(r"<([a-z0-9]+)", page))
            assert not tags & {"img", "iframe", "object", "embed", "base", "style", "svg", "math", "video", "textarea"}, path
            assert {held for held in re.findall(r"<script([^>]*)>", page) if 'src="/static/' not in held} == set(), path
            assert not re.search(r"<[a-z][^>]*\son\w+=", re.sub(r'"[^"]*"', '""', page)), path
