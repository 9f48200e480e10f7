"""Text as it is: NUL, line ends, Hangul and astral characters are stored and folded unchanged; half a character is refused."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.errors import UnstorableTextError
from memory_assets.log.event_log import EventLog
from memory_assets.log.sql import text_list
from memory_assets.projections.fold import catch_up
from memory_assets_tests.log.samples import newest, taken
from memory_assets_tests.projections.story import VERSIONS, Remark, Story, rows

TEXTS = [
    "a\x00b",
    "\x00",
    "가나다 각",
    "한글",
    "😀\u200d💻",
    "one\r\ntwo\rthree\n",
    "\u2028 \ufeff \uffff",
    "\"\\'; --",
    "",
    " ",
]


def test_every_text_comes_back_as_it_was_and_is_counted_in_code_points(log: EventLog, database: Database) -> None:
    log.append(Story("a").tell(TEXTS, [Remark("제목 \x00 title", 0)]))
    catch_up(database, VERSIONS)
    assert [message.text for message in newest(log, "a")["a"].messages] == TEXTS
    assert rows(database, "SELECT text, char_len FROM messages ORDER BY message_index") == [(text, len(text)) for text in TEXTS]
    assert rows(database, "SELECT title FROM entries") == [("제목 \x00 title",)]
    assert rows(database, "SELECT matched_text, span_start, span_end FROM evidence_spans") == [("a\x00b", 0, 3)]


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(), min_size=1, max_size=20))
def test_any_text_comes_back(log: EventLog, texts: list[str]) -> None:
    session_id = Story("x").ingest(texts).event_id
    log.append([Story(session_id).ingest(texts)])
    assert [message.text for message in newest(log, session_id)[session_id].messages] == texts


def test_half_a_character_is_refused_and_the_event_named(log: EventLog) -> None:
    log.append([taken(1)])
    with pytest.raises(UnstorableTextError, match="session_ingested of session 'talk-9'") as raised:
        log.append([taken(2), Story("talk-9").ingest(["bad \udcff text"])])
    assert "text" not in str(raised.value).replace("text that is no text", "")
    assert raised.value.hint
    assert log.last_seq() == 1


def test_half_a_character_in_what_was_measured_is_refused_too(log: EventLog) -> None:
    with pytest.raises(UnstorableTextError, match="source_taken"):
        log.append([taken(1, telemetry={"error": "\ud800"})])
    assert log.last_seq() == 0


def unnested(database: Database, texts: list[str]) -> list[str]:
    with database.reading() as connection:
        return [text for (text,) in connection.execute(f"SELECT unnest({text_list(texts)})").fetchall()]


def test_texts_within_a_statement_are_the_texts_that_they_are(database: Database) -> None:
    hostile = ["'); DROP TABLE events; --", "{told} $1 ? ?1 $told", "\\'", "E'\\n'", '"]', "]\u0027", "/* -- */"]
    assert unnested(database, [*TEXTS, *hostile]) == [*TEXTS, *hostile]
    assert unnested(database, []) == []
    assert unnested(database, ["half \udcff"]) == ["half \ufffd\ufffd\ufffd"]


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(), max_size=20))
def test_any_text_within_a_statement_is_the_text_that_it_is(database: Database, texts: list[str]) -> None:
    assert unnested(database, texts) == texts
