"""What masking would take out of files, told without repeating it: nothing is stored."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_assets.sessions.files import SourceFile, iter_source_files, load_source
from memory_assets.sessions.masking.masked_ids import masked_path
from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.sessions.masking.redaction_policy import RedactionPolicy
from memory_assets.sessions.model import Defect, SourceRefused
from memory_assets.sessions.source import decode

AROUND = 30


@dataclass(frozen=True, slots=True)
class MaskedPlace:
    """One masked region of a file.

    Attributes:
        line: 1-based, in the file.
        excerpt: the masked text around it, on one line.
    """

    kind: str
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A file and what would be masked in it; its own name is masked as well.

    Attributes:
        counts: places by kind.
        problem: why it could not be read; None where it was.
    """

    path: str
    places: tuple[MaskedPlace, ...]
    counts: dict[str, int]
    problem: str | None = None


def scan_files(paths: Iterable[Path], policy: RedactionPolicy) -> Iterator[ScannedFile]:
    """Each session file under some paths, and every file that is named itself."""

    def plainly(text: str) -> str:
        return redact_text(text, policy).text

    for found in iter_source_files(paths):
        path = masked_path(found.path, plainly)
        if isinstance(found, Defect):
            yield ScannedFile(path, (), {}, found.detail)
            continue
        yield _scanned(found, path, policy)


def masked_places(text: str, policy: RedactionPolicy) -> list[MaskedPlace]:
    """The places of a text that would be masked, in order."""
    masked = redact_text(text, policy).text
    if masked == text:
        return []
    known = Counter(marker[0] for marker in policy.marker.finditer(text))
    breaks = [place for place, char in enumerate(masked) if char == "\n"]
    places = []
    for marker in policy.marker.finditer(masked):
        if known[marker[0]]:  # it stood there before
            known[marker[0]] -= 1
            continue
        excerpt = masked[max(0, marker.start() - AROUND) : marker.end() + AROUND]
        line = bisect_right(breaks, marker.start()) + 1
        places.append(MaskedPlace(marker[0][1:-1], line, " ".join(excerpt.split())))
    return places


def _scanned(file: SourceFile, path: str, policy: RedactionPolicy) -> ScannedFile:
    data = load_source(file.path)
    if isinstance(data, SourceRefused):
        return ScannedFile(path, (), {}, data.defect.detail)
    places = masked_places(decode(path, data)[0].text, policy)
    if path != file.path:
        places.insert(0, MaskedPlace("name of the file", 0, path))
    return ScannedFile(path, tuple(places), dict(sorted(Counter(place.kind for place in places).items())))
