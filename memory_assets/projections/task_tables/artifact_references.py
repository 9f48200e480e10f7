"""The artifacts that quotes, titles of tasks and what tasks wait for name."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.projections.scope import ENTRIES_IN_SCOPE
from memory_assets.tasks.canonical import artifact_id, project_key
from memory_assets.tasks.references import Reference, references_in

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# Whatever names an artifact has a digit, a slash or a dot inside a word: most quotes have none and are not even fetched.
NAMES_SOMETHING = r"[0-9/\\]|\.\w"


_ENTRIES = f"""
SELECT n.entry_id, n.entry_type, n.title, n.content_json ->> '$.status',
  coalesce(from_json(n.content_json -> '$.blocked_by', '["VARCHAR"]'), []), n.project, n.session_id, s.chain_id, n.created_ts,
  n.message_index, n.ordinal, n.source_event_id, q.quotes
FROM entries n JOIN sessions s USING (session_id)
LEFT JOIN (
  SELECT entry_id, list(struct_pack(text := matched_text, message_index := message_index, span_start := span_start,
    span_end := span_end, segments := segments_json, method := match_method) ORDER BY ordinal) AS quotes
  FROM evidence_spans WHERE match_method <> 'none' AND regexp_matches(matched_text, '{NAMES_SOMETHING}') AND {ENTRIES_IN_SCOPE}
  GROUP BY entry_id) q USING (entry_id)
WHERE n.status NOT IN ('superseded', 'deprecated') AND n.stage <> 'raw'
  AND (n.session_id IN (SELECT session_id FROM affected) OR n.memory_id IN (SELECT memory_id FROM touched_memories))
  AND (q.entry_id IS NOT NULL OR (n.entry_type = 'task'
    AND regexp_matches(n.title || ' ' || (n.content_json ->> '$.blocked_by'), '{NAMES_SOMETHING}')))
ORDER BY n.entry_id
"""

# A task that is done and says so of an artifact: "merge #12", "#12 머지".
_SETTLING = re.compile(r"\b(?:merg|clos|land|resolv)|머지|병합|닫|클로즈|해결", re.IGNORECASE)
_SETTLED_KINDS = ("gh_pr", "gh_issue", "jira")


@dataclass(slots=True)
class _Named:
    """An artifact as an entry names it: by a quote where one does, otherwise by its title or what it waits for."""

    reference: Reference
    message_index: int
    span: tuple[int, int] | None
    method: str
    is_blocker: bool = False
    settles: bool = False


@dataclass(frozen=True, slots=True)
class _Quote:
    text: str
    message_index: int
    start: int
    end: int
    segments: tuple[tuple[int, int], ...]
    method: str

    def span_of(self, reference: Reference) -> tuple[int, int] | None:
        """Where the reference stands in its message; None in what the quote leaves out between its parts."""
        if len(self.text) != self.end - self.start:
            return (self.start, self.end)
        start, end = self.start + reference.start, self.start + reference.end
        if any(first <= start and end <= last for first, last in self.segments):
            return (start, end)
        return None


@dataclass(frozen=True, slots=True)
class _Entry:
    entry_id: str
    entry_type: str
    title: str
    status: str | None
    blocked_by: Sequence[str]
    project: str | None
    session_id: str
    chain_id: str
    said_at: datetime
    message_index: int
    ordinal: int
    source_event_id: str
    quotes: tuple[_Quote, ...]


def fold_references(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold what the scope's entries and those of touched memories name anew, and touch the artifacts that change by it."""
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE old_references AS SELECT * FROM artifact_references WHERE {ENTRIES_IN_SCOPE}"
    )
    connection.execute(f"DELETE FROM artifact_references WHERE {ENTRIES_IN_SCOPE}")
    entries = [_entry(row) for row in connection.execute(_ENTRIES).fetchall()]
    found = [(entry, place, named) for entry in entries for place, named in enumerate(_named(entry))]
    connection.register("new_references", _table(found))
    connection.execute("INSERT INTO artifact_references BY NAME SELECT * FROM new_references")
    connection.execute(
        """INSERT INTO touched_artifacts SELECT DISTINCT canonical_key FROM (
             (SELECT * FROM old_references EXCEPT SELECT * FROM new_references)
             UNION ALL (SELECT * FROM new_references EXCEPT SELECT * FROM old_references))
           EXCEPT SELECT canonical_key FROM touched_artifacts"""
    )
    connection.unregister("new_references")
    connection.execute("DROP TABLE old_references")


def _entry(row: tuple[Any, ...]) -> _Entry:
    columns = (*row[:-1], tuple(_quote(told) for told in row[-1] or ()))
    return _Entry(*columns)


def _quote(told: dict[str, Any]) -> _Quote:
    start, end = told["span_start"], told["span_end"]
    segments = tuple((first, last) for first, last in json.loads(told["segments"] or "[]"))
    return _Quote(told["text"], told["message_index"], start, end, segments or ((start, end),), told["method"])


def _named(entry: _Entry) -> list[_Named]:
    """Every artifact that an entry names, each once, in the order in which it names them."""
    found: dict[str, _Named] = {}
    for reference, quote, span in _quoted(entry, is_blocker=False):
        named = found.setdefault(
            reference.canonical_key, _Named(reference, quote.message_index, span, quote.method, settles=reference.settles)
        )
        named.settles |= reference.settles
    if entry.entry_type == "task":
        _name_of_task(entry, found)
    return list(found.values())


def _name_of_task(entry: _Entry, found: dict[str, _Named]) -> None:
    scope = project_key(entry.project)
    for reference in references_in(entry.title, scope):
        named = found.setdefault(reference.canonical_key, _Named(reference, entry.message_index, None, "title"))
        named.settles |= reference.settles or (
            entry.status == "done" and reference.kind in _SETTLED_KINDS and _SETTLING.search(entry.title) is not None
        )
    waited_for = [reference for text in entry.blocked_by for reference in references_in(text, scope, is_blocker=True)]
    if not waited_for:
        return
    # What only counts as an artifact because a task waits for it (a bare `#12`) has its place in the quote all the same.
    placed = {reference.canonical_key: (quote, span) for reference, quote, span in [*_quoted(entry, is_blocker=True)][::-1]}
    for reference in waited_for:
        key = reference.canonical_key
        if key not in found:
            quote, span = placed.get(key, (None, None))
            found[key] = _Named(
                reference, quote.message_index if quote else entry.message_index, span, quote.method if quote else "title"
            )
        found[key].is_blocker = True
        found[key].settles |= reference.settles


def _quoted(entry: _Entry, *, is_blocker: bool) -> Iterator[tuple[Reference, _Quote, tuple[int, int]]]:
    scope = project_key(entry.project)
    for quote in entry.quotes:
        for reference in references_in(quote.text, scope, is_blocker=is_blocker):
            span = quote.span_of(reference)
            if span is not None:
                yield reference, quote, span


def _table(found: Sequence[tuple[_Entry, int, _Named]]) -> pa.Table:
    import pyarrow as pa

    def column(values: Iterator[object], kind: pa.DataType) -> pa.Array:
        return pa.array(list(values), kind)

    text, number, flag = pa.string(), pa.int32(), pa.bool_()
    return pa.table(
        {
            "entry_id": column((entry.entry_id for entry, _, _ in found), text),
            "place": column((place for _, place, _ in found), number),
            "canonical_key": column((named.reference.canonical_key for _, _, named in found), text),
            "artifact_id": column((artifact_id(named.reference.canonical_key) for _, _, named in found), text),
            "artifact_kind": column((named.reference.kind for _, _, named in found), text),
            "title": column((named.reference.title for _, _, named in found), text),
            "raw": column((named.reference.raw for _, _, named in found), text),
            "is_blocker": column((named.is_blocker for _, _, named in found), flag),
            "settles": column((named.settles for _, _, named in found), flag),
            "project": column((entry.project for entry, _, _ in found), text),
            "session_id": column((entry.session_id for entry, _, _ in found), text),
            "chain_id": column((entry.chain_id for entry, _, _ in found), text),
            "occurred_at": column((entry.said_at for entry, _, _ in found), pa.timestamp("us")),
            "message_index": column((named.message_index for _, _, named in found), number),
            "ordinal": column((entry.ordinal for entry, _, _ in found), number),
            "span_start": column((named.span[0] if named.span else None for _, _, named in found), number),
            "span_end": column((named.span[1] if named.span else None for _, _, named in found), number),
            "match_method": column((named.method for _, _, named in found), text),
            "source_event_id": column((entry.source_event_id for entry, _, _ in found), text),
        }
    )
