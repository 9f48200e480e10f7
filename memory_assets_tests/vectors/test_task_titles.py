"""Names that mean nearly the same: each compared once, and kept only with the events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memory_assets.log.database import Database
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.tasks import TaskTitlesAlike
from memory_assets.tasks.canonical import name_hash
from memory_assets.tasks.likeness import CANDIDATE_FLOOR, vector_likeness
from memory_assets.vectors.embedder import HashingEmbedder
from memory_assets.vectors.errors import EmbedderUnavailableError
from memory_assets.vectors.task_titles import LEAST_COSINE, MOST_ALIKE, NewLikenesses, keep_vectors, new_likenesses
from memory_assets_tests.projections.claimed import Claims, claim, tell

if TYPE_CHECKING:
    from memory_assets.vectors.embedder import Vectors


class Words(HashingEmbedder):
    """Vectors of words that pass for vectors of meaning."""

    def __init__(self) -> None:
        super().__init__(512)
        self.embedding_version = "words-1"
        self.asked: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed_documents(texts)


class Missing(Words):
    """A model that cannot be loaded."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailableError("the model is gone")


@pytest.fixture
def claims(database: Database) -> Claims:
    return Claims(database)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "store")
    with database.kept_open():
        yield database


LONG = "the nightly export of customer invoices to the archive bucket"


def keep(claims: Claims, found: NewLikenesses) -> None:
    EventLog(claims.database).append(list(found.events))
    with claims.database.writing() as connection:
        keep_vectors(connection, found)


def pairs(found: NewLikenesses) -> list[tuple[str, str, float]]:
    told = [event.payload for event in found.events]
    return [(one.one, one.other, one.similarity) for one in told if isinstance(one, TaskTitlesAlike)]


def test_each_name_is_embedded_and_compared_once(claims: Claims) -> None:
    claims.fold(tell("a", 0, claim(f"Speed up {LONG}"), claim("Water the plants"))[1])
    embedder = Words()
    keep(claims, new_likenesses(claims.database, embedder))
    assert len(embedder.asked) == 2
    claims.fold(tell("b", 1, claim(f"Somehow speed up {LONG}"))[1])
    found = new_likenesses(claims.database, embedder)
    assert len(embedder.asked) == 3
    ((one, other, similarity),) = pairs(found)
    assert one < other and {one, other} == {name_hash(name) for name in (f"speed up {LONG}", f"somehow speed up {LONG}")}
    assert CANDIDATE_FLOOR <= similarity <= 1 and similarity == round(similarity, 4)
    (event,) = found.events
    assert event.basis_chains is not None and len(event.basis_chains) == 2 and event.occurred_at is not None
    # Nothing is kept before the events are: the same is found again, and then no more.
    assert pairs(new_likenesses(claims.database, embedder)) == pairs(found)
    keep(claims, found)
    assert new_likenesses(claims.database, embedder).name_hashes == ()


@pytest.mark.long
def test_a_name_that_is_alone_in_its_project_waits(claims: Claims) -> None:
    embedder = Words()
    claims.fold(tell("a", 0, claim("Fix the login"))[1])
    claims.fold(tell("b", 0, claim("Fix the login"), project=None)[1])
    assert new_likenesses(claims.database, embedder).name_hashes == () and embedder.asked == []
    claims.fold(tell("c", 0, claim("Fix the logins"), project=None)[1])
    assert {scope for scope, _ in new_likenesses(claims.database, embedder).name_hashes} == {"default"}


def test_a_name_that_another_project_has_is_compared_in_its_own(claims: Claims) -> None:
    embedder = Words()
    claims.fold(tell("a", 0, claim(f"Speed up {LONG}"), claim("Water the plants"))[1])
    keep(claims, new_likenesses(claims.database, embedder))
    claims.fold(tell("b", 0, claim(f"Speed up {LONG}"), claim(f"Somehow speed up {LONG}"), project="other")[1])
    found = new_likenesses(claims.database, embedder)
    assert len(pairs(found)) == 1 and len(embedder.asked) == 3


def test_without_a_model_or_meaning_there_is_nothing(claims: Claims) -> None:
    claims.fold(tell("a", 0, claim(f"Speed up {LONG}"), claim(f"Somehow speed up {LONG}"))[1])
    assert new_likenesses(claims.database, HashingEmbedder()) == NewLikenesses("hashing-256-1")
    assert new_likenesses(claims.database, Missing()) == NewLikenesses("words-1")
    # They wait for a model.
    assert len(pairs(new_likenesses(claims.database, Words()))) == 1


def test_what_can_never_be_the_same_is_no_question(claims: Claims) -> None:
    claims.fold(tell("a", 0, claim(f"Speed up {LONG} 1"), claim(f"Speed up {LONG} 2"))[1])
    assert pairs(new_likenesses(claims.database, Words())) == []


def test_of_many_the_likest_are_kept(claims: Claims) -> None:
    words = ("amber", "birch", "cedar", "denim", "ebony", "fern", "grape", "hazel", "ivory")
    claims.fold(tell("a", 0, *(claim(f"Speed up {LONG} {word}") for word in words))[1])
    found = pairs(new_likenesses(claims.database, Words()))
    named = [sum(name in pair[:2] for pair in found) for name in {name for pair in found for name in pair[:2]}]
    assert found and len(found) <= MOST_ALIKE * len(words) and min(named) >= MOST_ALIKE
    assert len({pair[:2] for pair in found}) == len(found)


def test_vectors_of_names_that_are_gone_are_not_kept(claims: Claims) -> None:
    embedder = Words()
    story, events = tell("a", 0, claim(f"Speed up {LONG}"))
    claims.fold([*events, *tell("b", 1, claim(f"Somehow speed up {LONG}"))[1]])
    found = new_likenesses(claims.database, embedder)
    claims.fold([story.forget()])
    keep(claims, found)
    assert claims.rows("SELECT name_hash FROM title_vectors") == [(name_hash(f"somehow speed up {LONG}"),)]
    # What was measured rests on the forgotten session and counts for nothing.
    claims.fold()
    assert claims.rows("SELECT * FROM name_likenesses WHERE method = 'vector'") == []


@pytest.mark.parametrize("version", ["words-1", "all-minilm-l6-v2-1"])
def test_what_is_not_looked_at_is_below_the_floor(version: str) -> None:
    assert vector_likeness(LEAST_COSINE, version, "fix the login", "repair the login") < CANDIDATE_FLOOR
