"""No text comes in with an export that the policy in force would have masked, whatever policy let it into the other store.

The messages of its histories are masked again and must stay as they are. So must all other texts of events: parts of messages,
words about them, what people said. But a quote or a title lacks what stood around it, and a part of a hash looks like a key
where the words before it are gone: what is masked of such a text is let through where the messages, which have just passed,
say it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from memory_assets.exchange.errors import ExportHoldsSecretsError, ExportRefusedError
from memory_assets.log.event_log import COLUMNS
from memory_assets.log.events import StoredEvent
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.session_history import messages_at
from memory_assets.log.upcasting import payload_as
from memory_assets.sessions.masking.redaction import redact_session, redact_text
from memory_assets.sessions.model import Message, Session
from memory_assets.stopping import stop_if_asked

if TYPE_CHECKING:
    import duckdb

    from memory_assets.exchange.staging import Staged
    from memory_assets.sessions.masking.redaction_policy import RedactionPolicy

_HINT = (
    "mask it where it came from (`memory privacy rescan`) and export it again; a session's own file can be imported as it is"
)
# Ids, hashes and plain words: nearly all short texts of an event.
_NOTHING_TO_MASK = re.compile(r"(?:[a-z]{2,8}_)?[0-9a-f]{32}(?:[0-9a-f]{32})?|[a-z][a-z_]{0,31}|[0-9.]{0,12}")
_WORD = re.compile(r"\w+")
_SAID_ANYWHERE = """SELECT 1 FROM events WHERE event_type IN ('session_ingested', 'message_continued')
  AND contains(lower(CAST(payload_json AS VARCHAR)), ?) LIMIT 1"""


class _Further(NamedTuple):
    """What a line says of an event and :class:`StoredEvent` does not."""

    dedupe_key: str
    dagster_run_id: str | None


def check_masked(staged: Staged, policy: RedactionPolicy) -> None:
    """Compare every text of an export with what the policy leaves of it.

    Raises:
        ExportHoldsSecretsError: a text holds what is masked here; which one, without its words.
        ExportRefusedError: a history has no heading.
    """
    check = _Check(policy)
    with staged.database.reading() as connection:
        sessions = connection.execute(
            "SELECT session_id FROM events WHERE session_id IS NOT NULL GROUP BY session_id ORDER BY min(seq)"
        ).fetchall()
        for (session_id,) in sessions:
            stop_if_asked()
            check.session(session_id, _events(connection, "session_id = ?", session_id))
        since = 0
        for upto in staged.parts:
            for event, further in _events(connection, "session_id IS NULL AND seq > ? AND seq <= ?", since, upto):
                check.of_no_session(connection, event, further)
            since = upto


class _Check:
    def __init__(self, policy: RedactionPolicy) -> None:
        self._policy = policy
        self._lost = lru_cache(maxsize=50_000)(self._lost_words)

    def session(self, session_id: str, events: Sequence[tuple[StoredEvent, _Further]]) -> None:
        """Check a session: its messages as they are, then what is said of them."""
        stored = [event for event, _ in events]
        said: list[str] = []
        for chain_id in dict.fromkeys(event.chain_id for event in stored if event.event_type == SessionIngested.event_type):
            messages = self._history(session_id, str(chain_id), stored)
            said += (message.text.lower() for message in messages)
        whole = "\n".join(said)
        for event, further in events:
            for text in _texts(event, further):
                if any(word not in whole for word in self._lost(text)):
                    raise self._refused(event)

    def of_no_session(self, connection: duckdb.DuckDBPyConnection, event: StoredEvent, further: _Further) -> None:
        """Check what belongs to no session: a word of it may stand in any."""
        for text in _texts(event, further):
            if any(not connection.execute(_SAID_ANYWHERE, [word]).fetchall() for word in self._lost(text)):
                raise self._refused(event)

    def _history(self, session_id: str, chain_id: str, events: Sequence[StoredEvent]) -> list[Message]:
        """Every message of a history at any of its revisions, none of which may change."""
        revisions = [e for e in events if e.event_type == SessionIngested.event_type and str(e.chain_id) == chain_id]
        found = messages_at(events, chain_id, {event.event_id for event in revisions})
        newest = found[revisions[-1].event_id]
        heading = next((told for e in revisions if (told := payload_as(e, SessionIngested).heading) is not None), None)
        if heading is None:
            raise ExportRefusedError(f"no revision of session {session_id} says what it is read from")
        session = Session(session_id, heading.source_id, heading.source_format, newest)
        masked = redact_session(session, self._policy, path=session_id)[0].messages
        for index, (before, after) in enumerate(zip(newest, masked, strict=True)):
            if before != after:
                raise ExportHoldsSecretsError(
                    f"message {index} of session {session_id} holds what the masking policy here masks", hint=_HINT
                )
        earlier = list({id(m): m for messages in found.values() for m in messages}.values())
        kept = set(map(id, newest))
        for message in earlier:
            texts = (message.text, message.name, message.tool_name)
            if id(message) not in kept and any(text and self._mask(text) != text for text in texts):
                raise ExportHoldsSecretsError(
                    f"an earlier revision of session {session_id} holds what the masking policy here masks", hint=_HINT
                )
        return earlier

    def _mask(self, text: str) -> str:
        return redact_text(text, self._policy).text

    def _lost_words(self, text: str) -> frozenset[str]:
        """The words that masking would take out of a text."""
        masked = self._mask(text)
        return frozenset() if masked == text else frozenset(_words(text)) - frozenset(_words(masked))

    def _refused(self, event: StoredEvent) -> ExportHoldsSecretsError:
        of = f" of session {event.session_id}" if event.session_id else ""
        return ExportHoldsSecretsError(
            f"event {event.event_id} ({event.event_type}{of}) holds what the masking policy here masks", hint=_HINT
        )


def _words(text: str) -> Iterator[str]:
    return (match[0].lower() for match in _WORD.finditer(text))


def _events(connection: duckdb.DuckDBPyConnection, condition: str, *parameters: object) -> list[tuple[StoredEvent, _Further]]:
    rows = connection.execute(
        f"SELECT {COLUMNS}, {', '.join(_Further._fields)} FROM events WHERE {condition} ORDER BY seq", list(parameters)
    ).fetchall()
    known = len(StoredEvent._fields)
    return [(StoredEvent._make(row[:known]), _Further._make(row[known:])) for row in rows]


def _texts(event: StoredEvent, further: _Further) -> Iterator[str]:
    """Every text of an event but its messages, which are checked as messages; ids, hashes and plain words left out."""
    payload = json.loads(event.payload_json)
    if event.event_type == SessionIngested.event_type:
        payload.pop("messages", None)
    columns = (
        event.actor, event.project, event.stage_version, event.build_id, event.causation_id, further.dagster_run_id
    )  # fmt: skip
    telemetry = json.loads(event.telemetry_json) if event.telemetry_json else None
    for text in _leaves((payload, telemetry, columns, *map(_input, json.loads(further.dedupe_key)[2]))):
        if not _NOTHING_TO_MASK.fullmatch(text):
            yield text


def _input(text: str) -> Any:
    """What an event was made from: of a person's word that is the word itself, as JSON."""
    try:
        value = json.loads(text) if text.startswith("{") else text
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner)
