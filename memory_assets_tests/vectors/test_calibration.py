"""The self-test of an embedder: what it measures, what follows from it, and what is kept of it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.results.outbox import Calibration
from memory_assets.settings import Settings, load_settings
from memory_assets.vectors import calibration
from memory_assets.vectors.calibration import (
    FULL_WEIGHT,
    SHIPPED,
    USEFUL,
    USELESS,
    calibrate,
    ensure_calibrated,
    known_calibration,
    relevance,
    weight,
)
from memory_assets.vectors.calibration_pairs import ENGLISH, KOREAN
from memory_assets.vectors.embedder import EmbedderSettings, HashingEmbedder, make_embedder

BUNDLED = "all-minilm-l6-v2-1"


class Knowing(HashingEmbedder):
    """Knows which sentence answers which question, in some languages, and shows it by so much."""

    def __init__(self, *languages: Sequence[tuple[str, str]], closeness: float = 1.0) -> None:
        super().__init__()
        self.closeness = closeness
        self.places = {text: place for pairs in languages for place, pair in enumerate(pairs) for text in pair}

    def embed_documents(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
        vectors = super().embed_documents(texts)
        for row, text in zip(vectors, texts, strict=True):
            if (place := self.places.get(text)) is not None:
                row[place] += 4 * self.closeness
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"home": tmp_path, "embedding": {"model": "hashing"}})


def test_there_are_enough_pairs_and_each_text_stands_once() -> None:
    for pairs in (ENGLISH, KOREAN):
        assert len(pairs) >= 24
        assert len({text for pair in pairs for text in pair}) == 2 * len(pairs)


@pytest.mark.parametrize(
    ("languages", "english", "korean"),
    [((ENGLISH,), True, False), ((KOREAN,), False, True), ((ENGLISH, KOREAN), True, True), ((), False, False)],
)
def test_a_leg_has_weight_where_the_model_knows_the_language(
    languages: tuple[Sequence[tuple[str, str]], ...], english: bool, korean: bool
) -> None:
    measured = calibrate(Knowing(*languages))
    assert (measured.vector_weight, measured.korean_weight) == (FULL_WEIGHT * english, FULL_WEIGHT * korean)
    assert (measured.english == 1.0, measured.korean == 1.0) == (english, korean)
    if languages:
        # What it does not know blurs nothing of what it knows.
        assert measured.related > 0.9 > measured.unrelated + 5 * measured.unrelated_spread


def test_the_better_a_model_the_larger_the_weight() -> None:
    weights = [calibrate(Knowing(ENGLISH, closeness=closeness)).vector_weight for closeness in (0.0, 0.05, 0.1, 0.15, 1.0)]
    assert weights == sorted(weights) and weights[0] == 0.0 and weights[-1] == FULL_WEIGHT
    assert any(0 < one < FULL_WEIGHT for one in weights)


@given(st.floats(-10, 10), st.floats(0, 10))
def test_weights_grow_with_the_separation(separation: float, more: float) -> None:
    assert 0.0 <= weight(separation) <= weight(separation + more) <= FULL_WEIGHT


def test_the_ends_of_the_weights() -> None:
    assert weight(USELESS) == 0.0 and weight(USEFUL) == FULL_WEIGHT and weight(float("nan")) == 0.0
    assert weight((USELESS + USEFUL) / 2) == FULL_WEIGHT / 2


@given(st.floats(-1, 1), st.floats(0, 2))
def test_relevance_grows_with_the_cosine(cosine: float, more: float) -> None:
    for known in SHIPPED.values():
        assert 0.0 <= relevance(known, cosine) <= relevance(known, cosine + more) <= 1.0


def test_relevance_tells_what_answers_from_what_does_not() -> None:
    known = SHIPPED[BUNDLED]
    assert relevance(known, known.unrelated) < 0.001 and relevance(known, 0.3) < 0.1
    assert relevance(known, 0.55) > 0.9 and relevance(known, 0.7) > 0.99
    # Nothing is sure where the groups lie in one place.
    assert relevance(known.model_copy(update={"related": known.unrelated}), 1.0) == 0.0
    assert relevance(known.model_copy(update={"unrelated_spread": 0.0}), 1.0) == 0.0


def test_what_ships_is_known_without_a_file(settings: Settings) -> None:
    assert known_calibration(settings) == SHIPPED["hashing-256-1"]
    bundled = settings.model_copy(update={"embedding": settings.embedding.model_copy(update={"model": "bundled"})})
    known = known_calibration(bundled)
    assert known == SHIPPED[BUNDLED] and (known.vector_weight, known.korean_weight) == (FULL_WEIGHT, 0.0)
    other = bundled.embedding.model_copy(update={"query_prefix": "query: "})
    assert known_calibration(bundled.model_copy(update={"embedding": other})) is None
    assert not settings.cache_folder.exists()


def test_what_is_shipped_of_hashing_is_what_is_measured(settings: Settings) -> None:
    assert calibrate(HashingEmbedder()) == SHIPPED["hashing-256-1"]
    assert ensure_calibrated(settings, HashingEmbedder()) == SHIPPED["hashing-256-1"]
    assert not settings.cache_folder.exists()


@pytest.mark.slow
def test_what_is_shipped_of_the_bundled_model_is_what_is_measured() -> None:
    measured, shipped = calibrate(make_embedder(EmbedderSettings())), SHIPPED[BUNDLED]
    for name, value in shipped:
        assert getattr(measured, name) == (value if isinstance(value, str) else pytest.approx(value, abs=0.002)), name


def test_a_model_is_measured_once(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    other = HashingEmbedder(max_chars=30)
    first = ensure_calibrated(settings, other)
    assert first.fingerprint == other.fingerprint and known_calibration(settings) == first
    monkeypatch.setattr(calibration, "calibrate", lambda _: pytest.fail("measured again"))
    assert ensure_calibrated(settings, other) == first
    (file,) = (settings.cache_folder / "calibration").iterdir()
    assert file.name == f"{other.fingerprint}.json"


def test_of_two_models_under_one_name_the_one_that_was_used_last_counts(settings: Settings) -> None:
    one, other = HashingEmbedder(max_chars=30), HashingEmbedder(max_chars=20)
    for number, embedder in enumerate((one, other, one, HashingEmbedder())):
        ensure_calibrated(settings, embedder)
        for file in (settings.cache_folder / "calibration").iterdir():
            os.utime(file, ns=(file.stat().st_mtime_ns - 10**9,) * 2)
        known = known_calibration(settings)
        assert known is not None and known.fingerprint == embedder.fingerprint, number


@pytest.mark.parametrize(
    "text", ["", "null", "[]", '{"fingerprint": 1}', "{", json.dumps(dict(SHIPPED[BUNDLED]) | {"english": "x"})]
)
def test_a_broken_file_is_none(settings: Settings, text: str) -> None:
    folder = settings.cache_folder / "calibration"
    folder.mkdir(parents=True)
    other = HashingEmbedder(max_chars=30)
    (folder / f"{other.fingerprint}.json").write_text(text)
    assert known_calibration(settings) == SHIPPED["hashing-256-1"]
    assert isinstance(ensure_calibrated(settings, other), Calibration)
    assert known_calibration(settings) == ensure_calibrated(settings, other)
