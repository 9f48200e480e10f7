from typing import Any

from memory_assets.search.answers.beside import FoundPassages
from memory_assets.search.answers.hydration import FoundUnit
from memory_assets.search.ranking.ranking import RankedHit
from memory_assets_tests.search.ranking.found_units import DAY, hit


def ranked(*hits: Any) -> list[RankedHit]:
    return [RankedHit(one, one.score, "bm25", {}, {}, {}, ()) for one in hits]


def unit(unit_id: str, *messages: int, kind: str = "passage") -> FoundUnit:
    cited = tuple({"session_id": "s1", "message_index": index, "span_start": 0, "span_end": 5} for index in messages)
    places = frozenset(("s1", index) for index in messages)
    names = {"source_id": unit_id, "title": "", "summary": "", "body": "", "stage": "raw", "status": "active"}
    said = {"project": None, "session_id": "s1", "role": None, "speaker": None, "occurred_at": DAY, "origin": None}
    return FoundUnit(
        unit_id=unit_id, unit_kind=kind, cited=cited, places=places, address=None, checker=None, path=None, **names, **said
    )


def test_beside_a_passage_stands_the_next_one_and_the_best_other_of_its_message() -> None:
    found = FoundPassages(
        ranked(
            hit("p2", 5.0, message_index=1, place=2),
            hit("p5", 4.0, message_index=1, place=5),
            hit("p3", 3.0, message_index=1, place=3),
            hit("p6", 2.0, message_index=2, place=6),
            hit("other", 1.0, session_id="s2", message_index=1, place=3),
        )
    )
    assert found.beside(unit("p2", 1)) == ("p5", "p3")
    assert found.beside(unit("p5", 1)) == ("p2", "p6")
    assert found.beside(unit("p6", 2)) == ()


def test_the_other_passage_of_a_message_may_be_the_next_one() -> None:
    found = FoundPassages(ranked(hit("p2", 5.0, message_index=1, place=2), hit("p3", 4.0, message_index=1, place=3)))
    assert found.beside(unit("p2", 1)) == ("p3",)


def test_beside_a_memory_stands_what_is_said_behind_the_message_that_it_quotes_first() -> None:
    found = FoundPassages(
        ranked(
            hit("p0", 5.0, message_index=1, place=0),
            hit("p1", 4.0, message_index=1, place=1),
            hit("p2", 3.0, message_index=2, place=2),
        )
    )
    assert found.beside(unit("e", 1, kind="entry")) == ("p2",)
    # What it cites itself it shows anyway.
    assert found.beside(unit("e", 1, 2, kind="entry")) == ()
    assert found.beside(unit("e", kind="entry")) == ()


def test_a_template_stands_beside_nothing() -> None:
    found = FoundPassages(ranked(hit("p0", 5.0, place=0), hit("t", 4.0, message_index=1, place=None, origin="template")))
    assert found.beside(unit("p0", 0)) == ()
