"""The ledger of answers: references, gone with what they refer to, the same in any order and after a replay."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.answers import AnswerRecorded, CitedSpan
from memory_assets.log.payloads.forgetting import SessionUnforgotten
from memory_assets.projections.fold import catch_up
from memory_assets.projections.rebuild import verify
from memory_assets_tests.depth import depth
from memory_assets_tests.projections.people import LATER, said
from memory_assets_tests.projections.story import APPEND_TIMES, VERSIONS, Story, folded, rows, shuffled, tables


def answered(question: str, *stories: Story, turn: int | None = None, minute: int = 0) -> NewEvent:
    """An answer that cites the first message of some sessions."""
    payload = AnswerRecorded(
        answer_id=f"ans_{question}",
        question=question,
        conversation_id=None if turn is None else "talk",
        turn_index=turn,
        answerer="extractive",
        prompt_version="extractive-v1",
        answerability=0.75,
        score_gate=0.5,
        grounded=bool(stories),
        refusal_reason=None if stories else "no_chunks",
        citations=[
            CitedSpan(marker=f"[{number}]", session_id=story.session_id, message_index=0, span_start=0, span_end=3)
            for number, story in enumerate(stories, start=1)
        ],
    )
    chains = tuple(str(story.chain_id) for story in stories)
    return replace(said(payload, LATER + timedelta(minutes=minute)), basis_chains=chains or None)


@pytest.fixture
def stories(log: EventLog) -> tuple[Story, Story]:
    one, other = Story("one"), Story("other")
    log.append([*one.tell(["We keep PostgreSQL."]), *other.tell(["Redis holds the cache."])])
    return one, other


def test_an_answer_is_kept_as_references(log: EventLog, database: Database, stories: tuple[Story, Story]) -> None:
    one, _ = stories
    log.append([answered("Which database?", one, turn=0), answered("Which helicopter?")])
    catch_up(database, VERSIONS)
    told = rows(
        database,
        """SELECT question, conversation_id, turn_index, answerer, prompt_version, answerability, score_gate, grounded,
             refusal_reason, citations_json FROM answers ORDER BY question""",
    )
    assert [row[:-1] for row in told] == [
        ("Which database?", "talk", 0, "extractive", "extractive-v1", 0.75, 0.5, True, None),
        ("Which helicopter?", None, None, "extractive", "extractive-v1", 0.75, 0.5, False, "no_chunks"),
    ]
    assert json.loads(told[0][-1]) == [{"marker": "[1]", "session_id": "one", "message_index": 0, "span_end": 3}]
    assert json.loads(told[1][-1]) == []


@pytest.mark.long
def test_it_is_hidden_with_any_session_that_it_cites(log: EventLog, database: Database, stories: tuple[Story, Story]) -> None:
    one, other = stories
    log.append([answered("Both?", one, other), answered("One?", one), answered("Other?", other), answered("Nothing?")])
    catch_up(database, VERSIONS)
    log.append([other.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT question FROM answers ORDER BY 1") == [("Nothing?",), ("One?",)]
    # What is said again after it was forgotten brings no old answer back.
    other.begin_anew()
    log.append(other.tell(["Redis holds the cache."]))
    log.append([answered("Other again?", other)])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT question FROM answers ORDER BY 1") == [("Nothing?",), ("One?",), ("Other again?",)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_it_comes_back_with_a_session_that_is_wanted_back(
    log: EventLog, database: Database, stories: tuple[Story, Story]
) -> None:
    one, _ = stories
    log.append([answered("One?", one), one.forget()])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT question FROM answers") == []
    log.append([NewEvent(SessionUnforgotten(), session_id=one.session_id, inputs=("wanted",))])
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT question FROM answers") == [("One?",)]
    assert verify(database, VERSIONS).equal


@pytest.mark.long
def test_it_is_hidden_with_the_history_whose_characters_it_counts(
    log: EventLog, database: Database, stories: tuple[Story, Story]
) -> None:
    one, _ = stories
    log.append([answered("One?", one)])
    catch_up(database, VERSIONS)
    one.begin_anew()
    log.append(one.tell(["We keep [SECRET:random]."]))
    catch_up(database, VERSIONS)
    assert rows(database, "SELECT question FROM answers") == []
    assert verify(database, VERSIONS).equal


def test_an_answer_changes_no_other_table(log: EventLog, database: Database, stories: tuple[Story, Story]) -> None:
    catch_up(database, VERSIONS)
    before = tables(database)
    log.append([answered("Both?", *stories)])
    assert catch_up(database, VERSIONS).sessions == 0
    assert {name for name, found in tables(database).items() if found != before[name]} == {"answers"}


@pytest.mark.long
@pytest.mark.deep
@settings(
    max_examples=depth(1, 25),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
@given(
    st.lists(st.lists(st.integers(0, 2), max_size=3, unique=True), min_size=1, max_size=5),
    st.sets(st.integers(0, 2)),
    st.randoms(use_true_random=False),
    st.data(),
)
def test_any_order_gives_the_same_answers(
    cited: Sequence[Sequence[int]], forgotten: set[int], chance: Random, data: st.DataObject
) -> None:
    stories = [Story(f"talk-{number}") for number in range(3)]
    told = [[story.tell([f"{story.session_id} says so."])] for story in stories]
    asked = [
        [answered(f"Question {number}?", *(stories[place] for place in places), minute=number)]
        for number, places in enumerate(cited)
    ]
    streams = [*told, *([batch] for batch in asked)]
    # Each session is forgotten behind everything that is said of it: before that there is nothing to forget.
    ends = [[stories[place].forget()] for place in sorted(forgotten)]
    other_order = shuffled(streams, chance)
    resolved = data.draw(st.lists(st.booleans(), min_size=len(other_order) + 1, max_size=len(other_order) + 1))
    at_once = [event for batches in streams for batch in batches for event in batch]
    last = [event for batch in ends for event in batch]
    with tempfile.TemporaryDirectory() as folder:
        one = folded(Path(folder) / "one", [[*at_once, *last]], [True])
        other = folded(Path(folder) / "other", [*other_order, last], resolved)
        expected = tables(one, without=APPEND_TIMES)
        assert tables(other, without=APPEND_TIMES) == expected
        kept = [number for number, places in enumerate(cited) if forgotten.isdisjoint(places)]
        assert sorted(row["question"] for row in expected["answers"]) == [f"Question {number}?" for number in kept]
        report = verify(other, VERSIONS)
        assert report.equal, report.differences
