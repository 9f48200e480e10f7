"""Sentences are verbatim slices; code, tables and quoted text are passed over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.extraction.titles import MAX_TITLE, title_of
from memory_assets.text.sentences import MAX_LENGTH, sentences

MARKED = st.sampled_from(["```", "~~~", "> quoted", "| a | b |", "# Title", "- [x] done thing", "**Bold:**"])
LINES = st.lists(st.one_of(st.text(max_size=60), MARKED), max_size=12)


@given(LINES.map("\n".join))
def test_sentences_are_slices_in_order(text: str) -> None:
    position = 0
    for sentence in sentences(text):
        assert position <= sentence.start < sentence.end <= len(text)
        assert text[sentence.start : sentence.end] == sentence.text
        assert len(sentence.text) <= MAX_LENGTH and sentence.text.strip() == sentence.text
        position = sentence.end


def texts(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_a_long_sentence_is_cut_where_nothing_is_open() -> None:
    inner = "(the reader, the writer, " + "and the other parts of the store, " * 3 + "all of them)"
    text = f"The lock guards the store, which is shared by all of its parts {inner}, and the log too, so that two may write."
    first, second = texts(text)
    assert first.endswith("all of them),") and second == "and the log too, so that two may write."
    assert texts("See the note re. GitHub and cf. The guide for it.") == ["See the note re. GitHub and cf. The guide for it."]


def test_english_and_korean_stops() -> None:
    assert texts("Use v1.5 of it, e.g. here. Then stop now!") == ["Use v1.5 of it, e.g. here.", "Then stop now!"]
    assert texts("로그는 그대로 둔다. 테이블은 다시 만듭니다! 왜 그런가요?") == [
        "로그는 그대로 둔다.",
        "테이블은 다시 만듭니다!",
        "왜 그런가요?",
    ]


def test_code_and_quotes_are_passed_over() -> None:
    text = "Before the code.\n```python\nassert always(never)\n```\n> somebody else said so\n| a | b |\n---\nAfter the code."
    assert texts(text) == ["Before the code.", "After the code."]


def test_words_behind_a_mode_of_the_chat_are_the_persons() -> None:
    assert texts("/ask why does it fail") == ["why does it fail"]
    assert texts("/code 캐시 키에 버전을 넣어줘. 테스트도 고쳐줘.") == ["캐시 키에 버전을 넣어줘.", "테스트도 고쳐줘."]
    assert texts("/add src/app.py src/cache.py") == texts("/ask") == texts("/code src/app.py") == []
    for said in (
        "/login returns 500 since the deploy.",
        "/checkout fails",
        "/add a retry with backoff to the http client and log it please",
    ):
        assert texts(said) == [said]
    assert texts("/run npm install left pad") == []


def test_what_a_program_wrote_is_passed_over() -> None:
    written = """still not quite right
{"time":"2026-02-15T15:05:29.111156+11:00","level":"INFO","msg":"we decided nothing"}
2026/01/24 16:45:18 INFO checkpoint saved component=checkpoint strategy=auto-commit
component=a strategy=b checkpoint_type=c and it should always be so
$ go test ./...
ok  \texample.io/cli/agent\t(cached)
Traceback (most recent call last):
  File "reader.py", line 12, in read
main.go:12:5: we should declare it
diff --git a/reader.py b/reader.py
@@ -1,2 +1,2 @@
-we always did this
+we never do this
 context of it

다시 확인해 주세요."""
    assert texts(written) == ["still not quite right", "다시 확인해 주세요."]


@pytest.mark.parametrize(
    "said",
    [
        "- **Keep** the log in `events`, and never in two places.",
        "Pass already-computed values as arguments to prevent redundant computation:",
        "- `agentv@4.41.0-next.1` published, `next` -> `4.41.0-next.1`",
        "결정: `events` 테이블은 지우지 않는다 (DuckDB 1.5.5 기준).",
        "At 15:05 the hook (post-commit) fires.",
    ],
)
def test_what_somebody_said_is_not_taken_for_a_program_s(said: str) -> None:
    assert "".join(texts(said))


def test_a_closing_mark_or_an_ellipsis_ends_no_sentence_that_goes_on() -> None:
    assert texts("That fixed the “will it run?” problem for good.") == ["That fixed the “will it run?” problem for good."]
    assert texts("Run `gh view --job ... --log` to see it. Then stop.") == [
        "Run `gh view --job ... --log` to see it.",
        "Then stop.",
    ]


def test_an_unclosed_fence_hides_the_rest() -> None:
    assert texts("Look at this one.\n```\nwe decided nothing") == ["Look at this one."]


def test_shapes_and_headings() -> None:
    found = sentences(
        "## Plan ahead\n- [ ] write the reader\n- [x] read the issue\n1. first thing to do\n**Rules for it:**\nplain text"
    )
    assert [(s.shape, s.heading) for s in found] == [
        ("heading", ""),
        ("open_box", "Plan ahead"),
        ("done_box", "Plan ahead"),
        ("item", "Plan ahead"),
        ("heading", ""),
        ("prose", "Rules for it"),
    ]


def test_a_long_line_is_cut_at_clauses() -> None:
    found = texts("we keep the log, and the tables are folds of it, " * 40)
    assert len(found) > 3 and all(len(text) <= MAX_LENGTH for text in found)


@pytest.mark.parametrize("piece", ["!", "?!", "| ", "- ", "# ", "**", " ", "(", "a,", "…", "```"])
def test_long_hostile_lines_end_in_time(piece: str) -> None:
    assert all(len(text) <= MAX_LENGTH for text in texts(piece * 60_000 + "x"))


@given(st.text(min_size=1, max_size=400))
def test_titles_are_one_short_line(text: str) -> None:
    title = title_of(text)
    assert title and len(title) <= MAX_TITLE and "\n" not in title and title == title.strip()


def test_titles_lose_markdown() -> None:
    assert title_of("- **Keep** the [log](https://x.y/z) in `events`:") == "Keep the log in events"
    assert title_of("결정: **로그**는 지우지 않는다.") == "결정: 로그는 지우지 않는다."
