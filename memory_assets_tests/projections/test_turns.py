"""What a passage is in its conversation."""

from dataclasses import replace

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets.projections.unit_tables.turns import turn_of
from memory_assets.projections.unit_tables.unit_rows import Draft, found
from memory_assets.vocabulary import Turn
from memory_assets_tests.projections.story import STARTED, VERSIONS, rows
from memory_assets_tests.projections.talk import Talk, ingested


@pytest.mark.parametrize(
    ("text", "asked", "turn"),
    [
        ("The certificate had expired.", "Why did the deployment fail?", "replies"),
        ("인증서가 만료되었습니다.", "배포가 왜 실패했나요？ 급합니다.", "replies"),
        ("It had expired. Shall I renew it?", "Why did it fail?", "asks_back"),
        ("Shall I renew it?", None, "asks"),
        ("Did he say 'renew it?'", None, "asks"),
        ("**갱신할까요?** 🚀\n", None, "asks"),
        ("Why? Because it had expired.", None, None),
        ("It had expired.", "Renew it.", None),
        ("", "", None),
        # A mark that is part of an address or of code asks nothing.
        ("Done.", "Run curl https://x.test/a?b=1 and show me the output.", None),
        ("I merged it.", "Use `user?.name` there.", None),
        ("The regex is `colou?r?`", None, None),
        ("Fixed: see http://h/p?", None, None),
    ],
)
def test_a_passage_asks_and_replies(text: str, asked: str | None, turn: Turn | None) -> None:
    assert turn_of(text, asked) == turn


def test_who_replies_is_somebody_else_and_speaks_directly_behind(log: EventLog, database: Database) -> None:
    talk = Talk().user("Where does the cache live?", "Mina").user("I looked everywhere.", "Mina").user("In Redis.", "Jun")
    talk.user("And the queue?", "Mina").agent("In a table.").agent("Nothing else is stored.")
    log.append([ingested("a", talk.messages)])
    catch_up(database, VERSIONS)
    turns = rows(database, "SELECT turn FROM memory_units WHERE unit_kind = 'passage' ORDER BY place")
    assert turns == [("asks",), (None,), (None,), ("asks",), ("replies",), (None,)]
    report = verify(database, VERSIONS)
    assert report.equal, report.differences


def test_a_unit_is_written_anew_when_the_passage_before_it_becomes_a_question() -> None:
    """A mark is no token: nothing else of the unit tells that the passage before it changed."""
    reply = Draft(kind="passage", source_id="a#m1", title="t", body="It is full.", occurred_at=STARTED, citations=[])
    told, asked = (found(replace(reply, turn=turn_of(reply.body, f"The cache is slow{mark}"))).unit for mark in ".?")
    assert (told.turn, asked.turn) == (None, "replies")
    assert told.around_text == asked.around_text and told.content_hash != asked.content_hash
    assert told.content_hash == found(reply).unit.content_hash
