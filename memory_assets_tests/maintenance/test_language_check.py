"""What doctor says of Korean, and which model it names where people speak two languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.configuration import Resources
from memory_assets.maintenance.doctor import checks
from memory_assets.maintenance.language_check import korean_check, spoken_in
from memory_assets.results.doctor import CheckV1
from memory_assets.results.outbox import Calibration
from memory_assets.settings import Settings, load_settings
from memory_assets_tests.filled_store import fill_one, tell

ENGLISH = (("user", "The deploy was put off to Friday, and the cache is cleared before that."),) * 3
KOREAN = (("user", "배포를 금요일로 미뤘고 그 전에 cache를 비운다."),) * 3


def said(home: Path, *talks: tuple[tuple[str, str], ...]) -> Settings:
    settings = fill_one(home, "session-0", talks[0], ())
    for number, talk in enumerate(talks[1:], 1):
        tell(settings, f"session-{number}", talk, ())
    return settings


def told(settings: Settings, measured: Calibration | None, monkeypatch: pytest.MonkeyPatch) -> CheckV1:
    monkeypatch.setattr("memory_assets.vectors.calibration.known_calibration", lambda settings: measured)
    return korean_check(settings, Resources(settings).database)


def calibration(korean_weight: float) -> Calibration:
    return Calibration(
        embedding_version="tiny-1",
        fingerprint="f",
        english=1.0,
        korean=korean_weight,
        vector_weight=1.0,
        korean_weight=korean_weight,
        related=0.8,
        unrelated=0.1,
        unrelated_spread=0.05,
    )


def test_where_two_languages_are_spoken_a_multilingual_model_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = said(tmp_path, ENGLISH, KOREAN)
    found = told(settings, calibration(0.0), monkeypatch)
    assert found.ok and "of 6 passages 3 speak Korean and 3 English" in found.detail
    assert "memory reembed --to intfloat/multilingual-e5-small" in found.hint
    assert "allow_download" in found.hint and "bge-m3, gte" in found.hint
    allowed = load_settings({"home": tmp_path, "embedding": {"model": "hashing", "allow_download": True}})
    assert "allow_download" not in told(allowed, calibration(0.0), monkeypatch).hint
    assert told(settings, calibration(0.7), monkeypatch).hint == ""


@pytest.mark.parametrize("talk", [ENGLISH, KOREAN])
def test_where_one_is_spoken_none_is(
    talk: tuple[tuple[str, str], ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(said(tmp_path, talk), calibration(0.0), monkeypatch)
    assert found.ok and "multilingual-e5" not in found.hint and "passages" not in found.detail


def test_a_word_of_the_other_language_is_no_second_language(tmp_path: Path) -> None:
    talk = (*ENGLISH * 8, ("user", "The team calls this 배포 and that is all."))
    spoken = spoken_in(Resources(said(tmp_path, talk)).database)
    assert spoken.korean == 1 and not spoken.is_bilingual


def test_doctor_shows_it(tmp_path: Path) -> None:
    shown = {check.name: check for check in checks(Resources(said(tmp_path, ENGLISH, KOREAN)))}
    assert shown["korean"].ok
    nothing = {check.name: check for check in checks(Resources(load_settings({"home": tmp_path / "none"})))}
    assert nothing["korean"].ok and "passages" not in nothing["korean"].detail
