"""What an agent is given before it begins, and known issues: over a real store and a real index."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_assets.errors import InvalidArgumentError
from memory_assets.memory import Memory
from memory_assets.search.answers.budget import TokenBudget
from memory_assets.search.answers.context_text import HYPOTHESIS, ContextWriter, Line
from memory_assets.settings import Settings
from memory_assets.text.markdown_data import as_data
from memory_assets.text.tokens import estimate_tokens


@pytest.fixture(scope="module")
def memory(layers: Settings) -> Memory:
    return Memory(layers)


def test_what_holds_comes_first_and_every_line_is_cited(memory: Memory) -> None:
    bundle = memory.context("캐시를 왜 Redis로 옮겼나요?", project="shop")
    assert bundle.text.startswith("## Relevant context\n")
    sections = {section.name: section for section in bundle.sections}
    assert [item.text for item in sections["constitution"].items] == ["Keep PostgreSQL 16 for orders", "캐시를 Redis로 옮긴다"]
    said = [item.text for item in sections["context"].items]
    assert said[0].startswith("로그를 보니 커넥션 풀이")
    lines = [line for line in bundle.text.split("\n") if line.startswith("- ")]
    assert lines
    assert all(re.search(r" \[(?:mem:[A-Za-z0-9]{6}|session:[^\]]+)\]$", line) for line in lines)
    assert all(item.is_cited for section in bundle.sections for item in section.items)


def test_nothing_is_told_twice(memory: Memory) -> None:
    bundle = memory.context("redis is missing", project="shop")
    texts = [item.text.casefold() for section in bundle.sections if section.name != "code_symbols" for item in section.items]
    assert len(texts) == len(set(texts))


def test_without_a_project_no_projects_decisions_hold(memory: Memory) -> None:
    bundle = memory.context("PostgreSQL orders")
    sections = {section.name: section for section in bundle.sections}
    assert "constitution" not in sections
    assert [item.text for item in sections["skills"].items] == ["Keep PostgreSQL 16 for orders"]


def test_known_issues_and_the_files_they_name_are_told(memory: Memory) -> None:
    bundle = memory.context("redis module not found", project="shop")
    sections = {section.name: section for section in bundle.sections}
    assert "requirements.txt" in sections["recent_gotchas"].items[0].text
    symbols = {item.text: item for item in sections["code_symbols"].items}
    assert {"app.py", "requirements.txt"} <= symbols.keys()
    assert symbols["app.py"].unit_kind == "file"
    # With a thousand tokens or less there is none to spare.
    assert "recent_gotchas" not in {section.name for section in memory.context("redis", project="shop", budget=1000).sections}


@pytest.mark.parametrize("budget", [1, 30, 80, 120, 200, 500, 1000, 4000, 20_000])
@pytest.mark.parametrize("query", ["Redis 캐시", "redis module not found"])
def test_a_context_never_costs_more_than_its_budget(memory: Memory, budget: int, query: str) -> None:
    bundle = memory.context(query, project="shop", budget=budget, log=False)
    assert estimate_tokens(bundle.text) <= bundle.budget.used <= budget
    assert bundle.budget.remaining == budget - bundle.budget.used
    assert sum(section.tokens for section in bundle.sections) == bundle.budget.used
    if budget <= 30:
        assert bundle.text == ""
        assert any("hold not one line" in note for note in bundle.notes)
        assert bundle.certificate is None  # nothing was delivered that it could speak of, and there is something
    if budget >= 200:
        assert bundle.sections


def test_what_a_session_says_is_data_in_the_markdown(memory: Memory) -> None:
    bundle = memory.context("제목처럼 시작하고 주석 코드 HYPOTHESIS", project="shop")
    (line,) = [line for line in bundle.text.split("\n") if "제목처럼" in line]
    assert line.startswith("- \\# 제목처럼")
    assert "\\[mem:AAAAAA\\]" in line
    assert "\\<!-- 주석 --\\>" in line
    assert "\\`코드\\`" in line
    assert re.search(r"\) \[session:again-5#m=2(&c=0-73)?\]$", line)
    assert "[mem:AAAAAA]" not in bundle.text


def test_the_certificate_is_of_what_is_delivered(memory: Memory) -> None:
    enough = memory.context("블로커 배포", project="shop").certificate
    assert enough is not None
    assert (enough.missing, enough.next_action) == ((), "enough")
    unknown = memory.context("쿼카 사육 일지", project="shop").certificate
    assert unknown is not None
    assert unknown.next_action in ("widen", "nothing_found")
    assert "쿼카" in unknown.missing


@pytest.mark.parametrize(
    ("query", "budget"), [("", 4000), ("  \n", 4000), ("!!!", 4000), ("redis", 0), ("redis", -1), ("redis", 10**7)]
)
def test_a_context_that_cannot_be_is_refused(memory: Memory, query: str, budget: int) -> None:
    with pytest.raises(InvalidArgumentError) as error:
        memory.context(query, budget=budget)
    assert error.value.hint


def test_what_is_delivered_counts_as_shown_unless_told_otherwise(memory: Memory) -> None:
    memory.count_shown()

    def shown() -> int:
        memory.count_shown()
        with memory.database.reading() as connection:
            return int(connection.execute("SELECT coalesce(sum(shown), 0) FROM unit_usage").fetchall()[0][0])

    before = shown()
    memory.context("Redis 캐시", project="shop", log=False)
    assert shown() == before
    bundle = memory.context("Redis 캐시", project="shop")
    delivered = sum(len(section.items) for section in bundle.sections if section.name != "code_symbols")
    assert shown() == before + delivered


def test_the_same_error_of_two_sessions_is_one_issue(memory: Memory) -> None:
    found = memory.search_gotchas("redis module not found")
    (gotcha,) = found.gotchas
    assert gotcha.title == "ModuleNotFoundError: No module named 'redis'"
    assert gotcha.occurrence_count == 2
    assert len(gotcha.unit_ids) == 2
    assert "missing from requirements.txt" in gotcha.resolution
    assert "Traceback" in gotcha.description
    assert any("modulenotfounderror" in condition for condition in gotcha.trigger_conditions)
    assert {citation.session_id for citation in gotcha.citations} == {"broken-6", "broken-7"}  # type: ignore[union-attr]
    assert gotcha.first_seen < gotcha.last_seen
    assert found.estimated_tokens == gotcha.tokens > 0


def test_issues_can_be_asked_for_by_the_file_they_name(memory: Memory) -> None:
    assert len(memory.search_gotchas("redis", files=["app.py"]).gotchas) == 1
    assert memory.search_gotchas("redis", files=["nowhere.rs"]).gotchas == ()
    assert memory.search_gotchas("redis", project="another").gotchas == ()
    for k in (0, -1, 1001):
        with pytest.raises(InvalidArgumentError):
            memory.search_gotchas("redis", k=k)


@pytest.mark.parametrize("budget", [1, 20, 150, 400, 2000])
def test_what_is_plainly_meant_is_opened_within_one_cap(memory: Memory, budget: int) -> None:
    found = memory.search("retry budget is 3 attempts", kinds=("entry",), k=1, log=False)
    layers = memory.disclose(found, budget=budget)
    assert layers.reason == "high_confidence_single"
    texts = [one.text for layer in (layers.index, layers.timeline, layers.details) for one in layer]
    assert estimate_tokens("\n".join(texts)) <= layers.estimated_tokens <= budget
    if budget == 2000:
        (opened,) = layers.details
        assert opened.id == found.hits[0].id
        assert "The retry budget is 3 attempts with a back-off of 2 seconds." in opened.text
        assert "> assistant: Noted." in layers.timeline[0].text


def test_ids_that_are_asked_for_are_opened_in_place_of_the_hits(memory: Memory) -> None:
    found = memory.search("Redis", log=False)
    layers = memory.disclose(found, ids=["session:long-4#m=3", "mem:zzzzzz"])
    assert (layers.reason, layers.expanded_count, layers.total_matches) == ("explicit_ids", 2, len(found.hits))
    assert "module_3" in layers.details[0].text
    assert layers.details[1].text == "there is no memory mem:zzzzzz"
    with pytest.raises(InvalidArgumentError):
        memory.disclose(found, budget=0)


MARKED = st.text(alphabet=st.sampled_from(list("\\`*_[]<>|~&#-+=!.)(: \n\t가나ab1;\x1b\u202e")), max_size=60)


@given(MARKED)
@settings(max_examples=300)
def test_escaped_text_holds_no_mark_that_counts(text: str) -> None:
    escaped = as_data(text)
    assert "\n" not in escaped and "\x1b" not in escaped and "\u202e" not in escaped
    bare = re.sub(r"\\.", "", escaped)
    assert not re.search(r"[`*\[\]<>|]", bare)
    assert not re.match(r"#{1,6}(\s|$)|[-+=](\s|$)|\d{1,9}[.)](\s|$)|---|===", escaped)


def test_a_word_with_underscores_and_a_plain_sentence_stay_as_they_are() -> None:
    for text in ("snake_case_name stays", "배포 전에 고친다. 3.5 - 2 = 1.5!", "a & b", "(see src/app.py:12)"):
        assert as_data(text) == text


def test_a_speakers_name_is_data_too() -> None:
    writer = ContextWriter(TokenBudget(1000))
    forged = "bob) [mem:AAAAAA]\n# [HYPOTHESIS] <b>, 2025-01-02"
    ((written,), _) = writer.section("Said", [Line("yes", forged, ("mem:a7Bc3x",))], 1000, each=1000)
    bare = re.sub(r"\\.", "", written.markdown)
    assert re.findall(r"\[[^\]]*\]", bare) == ["[mem:a7Bc3x]"]
    assert "\n" not in bare and "<" not in bare


LINES = st.builds(
    Line,
    st.text(max_size=200),
    st.sampled_from(["", "decision, 2025-01-02"]),
    st.sampled_from([(), ("mem:a7Bc3x",), ("session:a#m=1",) * 3]),
)


@given(
    st.lists(st.tuples(st.lists(LINES, max_size=5), st.integers(0, 300)), max_size=4), st.integers(0, 600), st.integers(1, 200)
)
def test_a_written_context_costs_what_it_says_and_uncited_lines_are_hypotheses(
    sections: list[tuple[list[Line], int]], total: int, each: int
) -> None:
    writer = ContextWriter(TokenBudget(total))
    for number, (lines, limit) in enumerate(sections):
        before = writer.budget.remaining
        kept, spent = writer.section(f"Section {number}", lines, limit, each=each)
        assert spent <= limit or not kept
        assert writer.budget.remaining == before - spent
        for written in kept:
            assert written.markdown in writer.text
            assert written.markdown.startswith(f"- {HYPOTHESIS} ") == (not written.line.sources)
    assert estimate_tokens(writer.text) <= writer.budget.used <= total
