"""What a memory stands under: the heading above its quote, and the words that it answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.citations.addresses import SpanCitation, parse_citation
from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.queries.entries import list_entries, list_memories
from memory_assets.queries.quote_context import QuotePlace, quote_contexts
from memory_assets.results.memories import QuoteContext
from memory_assets_tests.projections.story import VERSIONS, Remark, Story

ASKED = "Why does the login page lose the session?"
REPORT = "> I found it.\n\n## Cause\n\nThe cookie expires too early.\n\n**Fix**\n\nIt lives for an hour now."


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "store")


@pytest.fixture
def log(database: Database) -> EventLog:
    return EventLog(database)


def told(database: Database, log: EventLog, texts: tuple[str, ...], at: int, words: str) -> QuoteContext | None:
    """The context of some words of a message."""
    log.append(Story("talk").tell(texts, [Remark("A title", at)]))
    catch_up(database, VERSIONS)
    with database.reading() as connection:
        (context,) = quote_contexts(connection, [QuotePlace("talk", at, texts[at].index(words))])
    return context


def words_at(uri: str | None, texts: tuple[str, ...]) -> str:
    citation = parse_citation(uri or "")
    assert isinstance(citation, SpanCitation)
    ((start, end),) = citation.segments
    return texts[citation.message_index][start:end]


@pytest.mark.parametrize(
    ("texts", "at", "words", "heading", "asked"),
    [
        ((ASKED, REPORT), 1, "The cookie", "Cause", ASKED),
        ((ASKED, REPORT), 1, "It lives", "Fix", ASKED),
        # An order to go on names nothing: what was asked before it does.
        ((ASKED, "> I look.", "continue", "> It lives for an hour now."), 3, "It lives", None, ASKED),
        # A person's sentence stands under what the message is about, or answers a question.
        (("The login page is slow today. Can we fix it?",), 0, "Can we", None, "The login page is slow today."),
        ((ASKED, "> I can set it.\n\nShall it live for an hour or a day?", "An hour."), 2, "An hour", None,
         "Shall it live for an hour or a day?"),
        (("로그인 페이지가 세션을 잃어버려요.", "> 찾았습니다.\n\n## 원인\n\n쿠키가 빨리 만료됩니다."), 1, "쿠키가", "원인",
         "로그인 페이지가 세션을 잃어버려요."),
        # Behind neither it is about what was asked before.
        ((ASKED, "> I look.", "We keep the cookie of the shop."), 2, "We keep", None, ASKED),
        # Of a plan its heading.
        (("Implement the following plan:\n\n# Keep the session\n\nSet the cookie.", "> Done so."), 1, "Done", None,
         "Keep the session"),
    ],
)  # fmt: skip
def test_a_quote_stands_under_a_heading_and_answers_something(
    database: Database, log: EventLog, texts: tuple[str, ...], at: int, words: str, heading: str | None, asked: str
) -> None:
    context = told(database, log, texts, at, words)
    assert context is not None
    assert (context.heading, context.asked) == (heading, asked)
    assert words_at(context.asked_uri, texts) == asked


@pytest.mark.parametrize(
    ("texts", "at", "words"),
    [((ASKED,), 0, ASKED), (("> Hello, I am here.",), 0, "Hello"), (("ok", "> Fine with me."), 1, "Fine")],
)
def test_what_stands_under_nothing_has_no_context(
    database: Database, log: EventLog, texts: tuple[str, ...], at: int, words: str
) -> None:
    assert told(database, log, texts, at, words) is None


def test_entries_and_memories_say_what_they_stand_under(database: Database, log: EventLog) -> None:
    log.append(Story("talk").tell((ASKED, "> It lives for an hour now."), [Remark("The cookie lives for an hour", 1)]))
    catch_up(database, VERSIONS)
    with database.reading() as connection:
        (entry,), _ = list_entries(connection)
        (memory,) = list_memories(connection).memories
    assert entry.context is not None and entry.context.asked == ASKED
    assert memory.context == entry.context


def test_a_quote_that_was_not_found_has_none(database: Database, log: EventLog) -> None:
    log.append(Story("talk").tell((ASKED, "> It lives."), [Remark("The cookie", 1, quoted=False)]))
    catch_up(database, VERSIONS)
    with database.reading() as connection:
        (entry,), _ = list_entries(connection)
    assert entry.context is None
