"""Answers over what an agent said: windows of long messages, the likeliest first."""

from __future__ import annotations

import itertools
import json
import math

import pytest

from memory_assets.ask.asker import Considered, considered
from memory_assets.ask.extractive import quotes_for
from memory_assets.ask.line_signs import Line
from memory_assets.ask.request import AskRequest
from memory_assets.ask.windows import MOST_WINDOWS, Window, windows_of
from memory_assets.cli.main import main
from memory_assets.memory import Memory
from memory_assets.results.answer import AnswerV1
from memory_assets.search.answerability.calibration import calibration
from memory_assets.search.answerability.passages import passages_of
from memory_assets.settings import load_settings

SUMMARY = """The migration is finished. Here is what came of it.

## Files

- **`guides/process.md`** (212 lines) - how work is taken on
- **`guides/security.md`** (519 lines) - what must never be logged
- **`guides/naming.md`** (87 lines) - names of branches

## Retry budget

The client gives up after four attempts. Between two of them it waits for a jittered back-off.

## Commit

```
[main 9f2c41b] docs: move the guides
 3 files changed, 818 insertions(+)
```

| step | owner |
|------|-------|
| proofreading | Hanna |
| publishing | Teodor |

### 언어 정책

- `description` 필드만 한국어로 쓴다
- 나머지 필드는 영어로 쓴다
"""
TALK = (
    ("user", "Migrate the guides to the new template, please."),
    ("assistant", "I'll migrate the guides now. Let me look at the security guide first."),
    ("assistant", SUMMARY),
    ("user", "Thanks! Which guide is the longest?"),
    ("assistant", "The security guide: it lists every secret by kind."),
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    folder = tmp_path_factory.mktemp("windows")
    messages = [
        {"id": str(place), "role": role, "content": text, "ts": f"2026-02-03T10:{place:02}:00+00:00"}
        for place, (role, text) in enumerate(TALK)
    ]
    told = {"schema_version": "chat.v1", "session_id": "guides", "project": "docs", "started_at": messages[0]["ts"]}
    (folder / "guides.chat.json").write_text(json.dumps({**told, "messages": messages}), encoding="utf-8")
    home = folder / "home"
    arguments = ["--home", str(home), "--set", "embedding.model=hashing"]
    assert main([*arguments, "import", str(folder / "guides.chat.json")]) == 0
    return Memory(load_settings({"home": home, "embedding": {"model": "hashing"}}))


def looked_at(memory: Memory, question: str) -> Considered:
    """What an answer is made of, whether or not that is sure enough to answer."""
    request = AskRequest(question, project="docs", mode="lexical")
    found = memory.asker.searcher.look_up(request.search())
    with memory.asker.searcher.database.reading() as connection:
        return considered(request, found, passages_of(connection, found.response.hits))


def ask(memory: Memory, question: str, words: int = 45) -> AnswerV1:
    return memory.ask(AskRequest(question, project="docs", mode="lexical", most_words=words))


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("how many lines does guides/security.md have?", "519 lines"),
        ("after how many attempts does the client give up?", "four attempts"),
        ("which commit moved the guides?", "9f2c41b"),
        ("who is the owner of publishing?", "Teodor"),
        ("description 필드는 무슨 언어로 쓰지?", "한국어로 쓴다"),
    ],
)
def test_the_first_quote_of_a_long_message_answers(memory: Memory, question: str, says: str) -> None:
    seen = looked_at(memory, question)
    quotes = quotes_for(seen.question, seen.graded, calibration())
    assert says in quotes[0].text


@pytest.mark.parametrize("words", [5, 20, 45])
def test_windows_keep_to_their_words_and_stand_where_they_are_cited(memory: Memory, words: int) -> None:
    answer = ask(memory, "how many lines does guides/security.md have?", words)
    texts = [text for _, text in TALK]
    spans = set()
    for cited in answer.citations:
        one = cited.citation
        assert one.kind == "message" and one.span_start is not None and one.span_end is not None
        assert texts[one.message_index][one.span_start : one.span_end] == one.quote
        spans.add((one.message_index, one.span_start, one.span_end))
    assert len(spans) == len(answer.citations) <= MOST_WINDOWS
    assert sum(len((cited.citation.quote or "").split()) for cited in answer.citations) <= words or len(answer.citations) == 1


def test_no_window_lies_over_another(memory: Memory) -> None:
    answer = ask(memory, "which guide has how many lines, and who is the owner?")
    spans = sorted(
        (one.citation.message_index, one.citation.span_start, one.citation.span_end)
        for one in answer.citations
        if one.citation.kind == "message"
    )
    for (message, _, end), (other, start, _) in itertools.pairwise(spans):
        assert message != other or end is None or start is None or end <= start


def test_no_lines_make_no_window() -> None:
    assert windows_of([], 45) == []


def scored(memory: Memory, likelihoods: dict[str, float]) -> list[tuple[Line, float]]:
    """The lines of the summary, each as likely as is said of the words that it has; the others next to never."""
    passage = next(one for one, _ in looked_at(memory, "guides/security.md").graded if len(one.lines) > 5)
    told = []
    for number, line in enumerate(passage.lines):
        likely = next((value for words, value in likelihoods.items() if words in line.text), 1e-6)
        told.append((Line(passage, number, {}), math.log(likely)))
    return told


def test_the_first_window_is_the_likeliest_and_not_that_of_the_likeliest_line(memory: Memory) -> None:
    lines = scored(memory, {"proofreading": 0.4, "process.md": 0.25, "security.md": 0.25, "naming.md": 0.25})
    first, second, *_ = windows_of(lines, 45)
    said = first.passage.text[first.start : first.end]
    assert "process.md" in said and "naming.md" in said and "proofreading" not in said
    assert "proofreading" in second.passage.text[second.start : second.end]


def test_a_window_much_less_likely_than_the_first_is_left_out(memory: Memory) -> None:
    windows = windows_of(scored(memory, {"four attempts": 1.0, "proofreading": 0.01}), 45)
    assert len(windows) == 1 and "four attempts" in windows[0].passage.text[windows[0].start : windows[0].end]


def test_one_line_is_quoted_whatever_its_length_and_no_other_one_is(memory: Memory) -> None:
    windows = windows_of(scored(memory, {"four attempts": 1.0, "proofreading": 0.9, "jittered": 0.9}), 3)
    assert len(windows) == 1 and windows[0].words > 3


def test_a_window_knows_what_it_holds(memory: Memory) -> None:
    passage = next(one for one, _ in looked_at(memory, "guides/security.md").graded if len(one.lines) > 5)
    window = Window(passage, 1, 2)
    held = passage.text[window.start : window.end]
    assert held.startswith(passage.lines[1].text) and held.endswith(passage.lines[2].text)
    shapes = {one.shape for one in passage.lines}
    assert {"prose", "item", "heading", "row", "code"} <= shapes
    assert all(one.text == passage.text[one.start : one.end] for one in passage.lines)
    assert all(passage.start <= one.start and one.end <= passage.end and one.shape != "code" for one in passage.sentences)
    assert next(one for one in passage.lines if "Teodor" in one.text).heading == "Commit"
