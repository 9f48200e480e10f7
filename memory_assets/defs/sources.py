"""Session files read, masked and kept for a moment: a file is registered and ingested in one go without reading it twice."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from memory_assets.sessions.files import SourceFile, found_masked_path, load_source
from memory_assets.sessions.masking.clean_texts import CleanTexts
from memory_assets.sessions.masking.masked_ids import hash_in_masked_path, masked_path
from memory_assets.sessions.masking.redaction import redact_session, redact_text
from memory_assets.sessions.masking.redaction_policy import RedactionPolicy
from memory_assets.sessions.model import Defect, Session, SourceOutcome, SourceRefused, SourceTaken
from memory_assets.sessions.reading import READER_VERSION, read_source

KEPT_FILES = 64


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file's masked sessions, its date, which stands in for a session without a time, and what was masked by session.

    Attributes:
        stamp: the file's time and size from before it was read: what is written meanwhile gives it another one.
    """

    outcome: SourceOutcome
    file_date: datetime
    stamp: dict[str, int] = field(default_factory=dict)
    redactions: dict[str, dict[str, int]] = field(default_factory=dict)


class SourceReader:
    """Reads files and masks what they hold, before anything else sees it.

    Attributes:
        policy: what is masked.
        version: of readers and masking together; an event made from a file names it.
    """

    def __init__(self, policy: RedactionPolicy) -> None:
        self.policy = policy
        self.version = f"reader {READER_VERSION} redaction {policy.policy_hash[:16]}"
        self._kept: OrderedDict[tuple[str, int, int], ReadFile] = OrderedDict()
        self._clean = CleanTexts()
        self._uris: dict[str, str] = {}
        self._paths: dict[str, str] = {}

    def uri(self, path: str) -> str:
        """What a file is called in the log and wherever it is shown: its path, masked where that holds a secret."""
        if path not in self._uris:
            self._uris[path] = uri = masked_path(path, self._plainly)
            self._paths[uri] = path
        return self._uris[path]

    def path(self, uri: str) -> str:
        """The file that the log calls so.

        A masked path is kept nowhere: its file is found in the folders that the path names in plain words, by its hash.
        """
        if uri not in self._paths:
            self._paths[uri] = found_masked_path(uri) or uri
            self._uris[self._paths[uri]] = uri
        return self._paths[uri]

    def shown(self, defect: Defect) -> Defect:
        """A defect as it may be stored and printed."""
        return replace(defect, path=self.uri(defect.path), detail=self._plainly(defect.detail))

    def _plainly(self, text: str) -> str:
        return redact_text(text, self.policy).text

    def read(self, file: SourceFile) -> ReadFile:
        """The outcome for one file, by its path or by what the log calls it; one that cannot be read is an outcome too."""
        path = self.path(file.path) if hash_in_masked_path(file.path) else file.path
        file = replace(file, path=path)
        try:
            status = Path(file.path).stat()
        except OSError as error:
            defect = Defect(self.uri(path), None, "unreadable_file", error.strerror or type(error).__name__)
            return ReadFile(SourceRefused(self.uri(path), defect), datetime.fromtimestamp(0, UTC))
        key = (file.path, status.st_mtime_ns, status.st_size)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        data = load_source(file.path)
        outcome = data if isinstance(data, SourceRefused) else read_source(file.path, data, explicit=file.explicit)
        read = self._masked(outcome, datetime.fromtimestamp(status.st_mtime, UTC), stamp_of(status))
        # Only what holds for the file whoever asks: one that cannot be read now can be in a moment, with the same time.
        if isinstance(outcome, SourceTaken):
            self._kept[key] = read
            while len(self._kept) > KEPT_FILES:
                self._kept.popitem(last=False)
        return read

    def masked(self, session: Session) -> Session:
        """A session whose text is stored already, masked by the policy as it is now."""
        return redact_session(session, self.policy, path=session.session_id)[0]

    def _masked(self, outcome: SourceOutcome, file_date: datetime, stamp: dict[str, int]) -> ReadFile:
        uri = self.uri(outcome.path)
        if not isinstance(outcome, SourceTaken):
            return ReadFile(replace(outcome, path=uri, defect=self.shown(outcome.defect)), file_date, stamp)
        sessions, defects = [], [self.shown(defect) for defect in outcome.defects]
        redactions: dict[str, dict[str, int]] = {}
        for session in outcome.sessions:
            masked, counts, unclosed = redact_session(session, self.policy, path=uri, clean=self._clean)
            sessions.append(masked)
            defects += unclosed
            redactions[masked.session_id] = counts
        taken = replace(outcome, path=uri, sessions=tuple(sessions), defects=tuple(defects))
        return ReadFile(taken, file_date, stamp, redactions)


def stamp_of(status: os.stat_result) -> dict[str, int]:
    """What tells that nobody wrote to a file, without reading it."""
    return {"mtime_ns": status.st_mtime_ns, "size": status.st_size}
