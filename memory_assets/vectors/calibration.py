"""What an embedder's cosines are worth, measured on pairs of our own: the self-test of the vector leg.

The *separation* of a language is how far the cosines of a question with the sentence that answers it lie above those with
the other sentences, in standard deviations of the latter. The weight of the vector leg follows from it alone: 0 up to
`USELESS`, where what answers cannot be told from what does not, `FULL_WEIGHT` from `USEFUL` on, in between in proportion. So
an English model gets a weight for English questions and none for Korean ones, and the hybrid is never worse for it.
"""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_assets.results.outbox import Calibration
from memory_assets.vectors.calibration_pairs import ENGLISH, KOREAN, Pairs
from memory_assets.vectors.embedder import EmbedderSettings, version_of

if TYPE_CHECKING:
    from memory_assets.settings import Settings
    from memory_assets.vectors.embedder import Embedder

USELESS, USEFUL = 1.0, 2.5
"""Separations. Measured: words hashed 0.4, the bundled model 3.0 in English and 0.1 in Korean."""

FULL_WEIGHT = 0.6
"""Of the vector leg, where that of the lexical one is 1: the best of the bundled model on LoCoMo's development part."""

ONE_IN = 1000
"""Of so many texts one answers: what `relevance` takes for granted."""


# Both ship with the package, and a search need not wait for a measurement of them; a test measures them again.
SHIPPED = {
    one.embedding_version: one
    for one in (
        Calibration(
            fingerprint="6a1027e5ab8300069e124e847b889bf88803943e70ac6aff05f1e0a928830a16",
            embedding_version="all-minilm-l6-v2-1",
            related=0.3704,
            unrelated=0.0884,
            unrelated_spread=0.0949,
            english=0.7857,
            korean=0.1071,
            vector_weight=0.6,
            korean_weight=0.0,
        ),
        Calibration(
            fingerprint="81723d69c1148b97cb3900b28376058987acb939ccf7451f358e700c8871445d",
            embedding_version="hashing-256-1",
            related=0.0393,
            unrelated=0.0227,
            unrelated_spread=0.0809,
            english=0.1429,
            korean=0.0,
            vector_weight=0.0,
            korean_weight=0.0,
        ),
    )
}


@dataclass(frozen=True, slots=True)
class _Measured:
    nearest: float
    own: tuple[float, ...]
    others: tuple[float, ...]

    @property
    def separation(self) -> float:
        spread = _deviation(self.others)
        return (_mean(self.own) - _mean(self.others)) / spread if spread else 0.0


def calibrate(embedder: Embedder) -> Calibration:
    """Measure an embedder; loads its model.

    Raises:
        EmbedderUnavailableError: the model cannot be loaded.
    """
    english, korean = _measured(embedder, ENGLISH), _measured(embedder, KOREAN)
    known = [one for one in (english, korean) if weight(one.separation)] or [english, korean]
    others = tuple(cosine for one in known for cosine in one.others)
    return Calibration(
        fingerprint=embedder.fingerprint,
        embedding_version=embedder.embedding_version,
        related=round(_mean([cosine for one in known for cosine in one.own]), 4),
        unrelated=round(_mean(others), 4),
        unrelated_spread=round(_deviation(others), 4),
        english=round(english.nearest, 4),
        korean=round(korean.nearest, 4),
        vector_weight=weight(english.separation),
        korean_weight=weight(korean.separation),
    )


def weight(separation: float) -> float:
    """The weight of the vector leg, in [0, FULL_WEIGHT], that a separation is worth; grows with it."""
    if not separation > USELESS:  # nor is one that is no number
        return 0.0
    return round(FULL_WEIGHT * min(1.0, (separation - USELESS) / (USEFUL - USELESS)), 4)


def relevance(calibration: Calibration, cosine: float) -> float:
    """How sure it is that a text of this cosine answers, in [0, 1]; grows with the cosine.

    Bayes' rule over the two groups that were measured, taken as normal and equally wide, when one text in `ONE_IN` answers.
    0 where the model does not tell them apart.
    """
    apart = calibration.related - calibration.unrelated
    if not (apart > 0 and calibration.unrelated_spread > 0):
        return 0.0
    middle = (calibration.related + calibration.unrelated) / 2
    log_odds = (cosine - middle) * apart / calibration.unrelated_spread**2 - math.log(ONE_IN - 1)
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, log_odds))))


def known_calibration(settings: Settings) -> Calibration | None:
    """What is known of the embedder that the settings name; None before it was measured. Loads no model and reads none.

    A measurement on this machine goes before a shipped one. Of several models that had the version's name the one that was
    used last counts.
    """
    return _of_version(_folder(settings), version_of(EmbedderSettings.chosen(settings.embedding)))


def ensure_calibrated(settings: Settings, embedder: Embedder) -> Calibration:
    """The calibration of exactly this model, measured now if it never was, and from now on the one of its version.

    Raises:
        EmbedderUnavailableError: the model cannot be loaded.
    """
    folder, fingerprint = _folder(settings), embedder.fingerprint
    known = _of_version(folder, embedder.embedding_version)
    if known is not None and known.fingerprint == fingerprint:
        return known
    path = folder / f"{fingerprint}.json"
    shipped = SHIPPED.get(embedder.embedding_version)
    if (found := _read(path)) is None:
        found = shipped if shipped and shipped.fingerprint == fingerprint else calibrate(embedder)
    _write(path, found)
    return found


def _of_version(folder: Path, version: str) -> Calibration | None:
    measured = [(_used_at(path), one) for path in folder.glob("*.json") if (one := _read(path))]
    of_version = [(used_at, one) for used_at, one in measured if one.embedding_version == version]
    return max(of_version, key=lambda item: item[0])[1] if of_version else SHIPPED.get(version)


def _measured(embedder: Embedder, pairs: Pairs) -> _Measured:
    import numpy as np

    questions = np.stack([embedder.embed_query(question) for question, _ in pairs])
    cosines = questions @ embedder.embed_documents([sentence for _, sentence in pairs]).T
    own = np.eye(len(pairs), dtype=bool)
    return _Measured(
        nearest=float((cosines.argmax(axis=1) == np.arange(len(pairs))).mean()),
        own=tuple(map(float, cosines[own])),
        others=tuple(map(float, cosines[~own])),
    )


def _mean(values: tuple[float, ...] | list[float]) -> float:
    return sum(values) / len(values)


def _deviation(values: tuple[float, ...]) -> float:
    mean = _mean(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def _folder(settings: Settings) -> Path:
    return settings.cache_folder / "calibration"


def _used_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _read(path: Path) -> Calibration | None:
    """A file that is not what was written is as good as none: it is a cache."""
    try:
        known = Calibration.model_validate_json(path.read_text(encoding="utf-8"), strict=True, extra="forbid")
    except (OSError, ValueError):
        return None
    numbers = [value for _, value in known if isinstance(value, float)]
    return known if known.fingerprint == path.stem and all(map(math.isfinite, numbers)) else None


def _write(path: Path, calibration: Calibration) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".part", delete=False) as file:
        json.dump(dict(calibration), file)
    Path(file.name).replace(path)
