"""What ``memory fsck`` finds: one thing that is wrong, what to do about it, and the notes that are taken on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory_assets.log.errors import TAMPERED_HINT

# So many findings are kept; all are counted.
KEPT_FINDINGS = 1_000

Kind = Literal["log", "file", "schema", "span", "realign", "table"]
HINTS: Mapping[Kind, str] = {
    "log": TAMPERED_HINT,
    "file": "where nothing else is wrong it held nothing: `memory backup FILE` and `memory restore FILE` make it sound",
    "schema": "another program changed the store's tables or views: put a copy of the store back with `memory restore FILE`",
    "span": "it was logged so: do not rely on this entry, and report it as a bug of the aligner",
    "realign": "another version of the aligner wrote it: `memory run --all` aligns with this one",
    "table": "`memory rebuild` folds the tables again from the log",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        kind: ``file``: a part of the store's file is damaged or gone. ``log``: an event is damaged, missing or added.
            ``schema``: a table or view is another. ``span``: a quote is not what the messages say. ``realign``: aligned again
            it stands elsewhere. ``table``: a derived row is not what the log says.
        uri: the quote's address, its message's where it has no span, None where no quote is concerned.
        ordinal: which of the entry's quotes, from 0.
    """

    kind: Kind
    session_id: str | None
    entry_id: str | None
    event_id: str | None
    uri: str | None
    ordinal: int | None
    detail: str
    hint: str


@dataclass(slots=True)
class Notes:
    """What is noted on the way.

    ``damaged`` are the sessions whose events were changed: nothing of them is mended by reading the log again. ``named`` are
    the tables that say something else than the log, and of which session and entry they do.
    """

    findings: list[Finding] = field(default_factory=list)
    finding_count: int = 0
    entries: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    realigned: int = 0
    damaged: set[str | None] = field(default_factory=set)
    named: set[tuple[str, str | None, str | None]] = field(default_factory=set)
    log_is_sound: bool = True

    def add(
        self,
        kind: Kind,
        detail: str,
        *,
        session_id: str | None,
        entry_id: str | None = None,
        event_id: str | None = None,
        uri: str | None = None,
        ordinal: int | None = None,
    ) -> None:
        self.finding_count += 1
        if kind == "log":
            self.damaged.add(session_id)
        if len(self.findings) < KEPT_FINDINGS:
            # Nobody is told to fold a log that is not what was written.
            hint = HINTS["log" if session_id in self.damaged or not self.log_is_sound else kind]
            self.findings.append(Finding(kind, session_id, entry_id, event_id, uri, ordinal, detail, hint))
