"""What messages explain by themselves: the same rows in any order of sessions, again, and after a rebuild."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets_tests.depth import depth
from memory_assets_tests.projections.story import VERSIONS, Story, folded, rows, shuffled

TEXTS = st.lists(
    st.sampled_from(
        [
            "찢김(tearing)이 보인다.",
            "찢김(tearing)과 구분자(separator)를 고쳤다.",
            "The crate(크레이트) is new.",
            "함수(arg)를 부른다.",
            "아무 말도 없다.",
        ]
    ),
    min_size=1,
    max_size=3,
)
ALL = "SELECT session_id, message_index, korean, english FROM explained_words ORDER BY ALL"


@pytest.mark.deep
@settings(max_examples=depth(1, 6), suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.lists(st.lists(TEXTS, min_size=1, max_size=2), min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_words(told: list[list[list[str]]], chance: Random) -> None:
    streams = []
    for number, revisions in enumerate(told):
        story = Story(f"talk-{number}")
        streams.append([story.tell(texts) for texts in revisions])
    at_once = [event for batches in streams for batch in batches for event in batch]
    other_order = shuffled(streams, chance)
    with tempfile.TemporaryDirectory() as folder:
        one = folded(Path(folder) / "one", [at_once], [True])
        other = folded(Path(folder) / "other", other_order, [False] * len(other_order))
        catch_up(other, VERSIONS, resolve=True)
        assert rows(one, ALL) == rows(other, ALL)
        report = verify(other, VERSIONS)
        assert report.equal, report.differences


def test_a_session_that_is_told_anew_or_forgotten_explains_what_it_says_now(database: Database) -> None:
    story, log = Story("a"), EventLog(database)
    log.append(story.tell(["찢김(tearing)이 보인다."]))
    catch_up(database, VERSIONS)
    assert rows(database, ALL) == [("a", 0, "찢김", "tear")]
    log.append(story.tell(["구분자(separator)가 없다."]))
    catch_up(database, VERSIONS)
    assert rows(database, ALL) == [("a", 0, "구분자", "separator")]
    log.append([story.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, ALL) == []
