"""What doctor says of Korean: who carries it, and which model would where people speak two languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memory_assets.log.fetching import fetch
from memory_assets.results.doctor import CheckV1

if TYPE_CHECKING:
    from memory_assets.log.database import Database
    from memory_assets.results.outbox import Calibration
    from memory_assets.settings import Settings

SPOKEN_FROM: Final = 0.05
"""Of the passages: a language that so many are in is spoken. A word in brackets and a name are none."""
RECOMMENDED: Final = (
    "`memory reembed --to intfloat/multilingual-e5-small --query-prefix 'query: ' --passage-prefix 'passage: '` finds by"
    " meaning across both"
)
_NO_DOWNLOAD: Final = (
    "; set embedding.allow_download for it once, or name the folder of a multilingual model (e5, bge-m3, gte) on this machine"
)
_OTHERWISE: Final = "`memory reembed --to MODEL` with a multilingual model finds by meaning across languages"

# Agents quote English identifiers in every language: English is told by two of the words between them.
_LITTLE = r"\b(the|and|is|to|with|that|this|for)\b"
_SPOKEN = f"""
SELECT count(*),
  count(*) FILTER (regexp_matches(body, '[\uac00-\ud7a3]{{2}}')),
  count(*) FILTER (regexp_matches(body, '{_LITTLE}.*{_LITTLE}', 'is'))
FROM memory_units WHERE unit_kind = 'passage'
"""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Which languages the passages of a store are in; one that quotes the other is in both.

    Attributes:
        passages: of all languages.
    """

    passages: int
    korean: int
    english: int

    @property
    def is_bilingual(self) -> bool:
        return min(self.korean, self.english) > SPOKEN_FROM * self.passages


def spoken_in(database: Database) -> Spoken:
    """Read from the store, all passages once."""
    with database.reading() as connection:
        ((passages, korean, english),) = fetch(connection, _SPOKEN)
    return Spoken(passages, korean, english)


def korean_check(settings: Settings, database: Database | None) -> CheckV1:
    """Whether Korean is searched by words and by meaning, and what to do where the store speaks Korean and English.

    Args:
        database: None where it cannot be opened.
    """
    from memory_assets.text.lexical_text import query_text, search_text
    from memory_assets.vectors.calibration import known_calibration

    said, asked = "배포 전에 블로커를 고치기로 했다", "블로커"
    if not set(query_text(asked).split()) <= set(search_text(said).split()):
        told = f"lexical search would not find {asked} in “{said}”"
        return CheckV1(name="korean", ok=False, detail=told, hint="reinstall memory_assets")
    spoken = spoken_in(database) if database else Spoken(0, 0, 0)
    known = known_calibration(settings)
    found = f"lexical search finds {asked} in “{said}”"
    both = f"; of {spoken.passages} passages {spoken.korean} speak Korean and {spoken.english} English"
    detail = f"{found}{_measured(known)}{both if spoken.is_bilingual else ''}"
    return CheckV1(name="korean", ok=True, detail=detail, hint=_hint(settings, spoken, known))


def _measured(known: Calibration | None) -> str:
    if known is None:
        return "; the embedder was not measured yet"
    measured = f"the embedder tells {known.english:.0%} of English and {known.korean:.0%} of Korean answers from others"
    if known.korean_weight:
        return f", and {measured}: both carry Korean (weight {known.korean_weight:g})"
    words_alone = "Korean questions go by words alone" if known.vector_weight else "questions go by words alone"
    return f" and carries Korean; {measured}: {words_alone}"


def _hint(settings: Settings, spoken: Spoken, known: Calibration | None) -> str:
    if known is None:
        return "the next `memory outbox drain` that writes measures it"
    if known.korean_weight:
        return ""
    if not spoken.is_bilingual:
        return _OTHERWISE
    return RECOMMENDED if settings.embedding.allow_download else RECOMMENDED + _NO_DOWNLOAD
