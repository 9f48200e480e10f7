"""Parts of statements: lists as parameters or as text of a statement, and the events that may be read.

DuckDB looks for pandas twice for each value that it is given, and once more an element of a Python list (measured: 1.4 ms an
event where pandas is absent), so a list travels as one JSON text; and in a statement that a search waits for, as a part of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memory_assets.log.links import newest_link
from memory_assets.log.tip import Tip

if TYPE_CHECKING:
    import duckdb

# A set of values to compare with: `WHERE session_id IN {IN_LIST}`, with `json_list(ids)` as the parameter.
IN_LIST = "(SELECT unnest(from_json(?, '[\"VARCHAR\"]')))"

# The queue of the table of words, among those of the embedding versions: no version has this name, each ends with its number.
WORDS = "words"

# Of a unit ``u``: whether it is embedded. What a program wrote, a tool printed or somebody pasted is found by its words: it is
# bulk (a sixth of all tokens in real sessions), and what is asked of it names it.
EMBEDDED = "coalesce(u.origin, '') NOT IN ('template', 'pasted', 'tool')"

# Of a unit ``u``: whether it belongs into the table of ``$version``.
WANTED = f"($version = '{WORDS}' OR {EMBEDDED})"

# The outbox's id of the job that writes a unit ``u`` for an embedding version.
JOB_ID = "'job_' || substr(sha256(u.unit_id || ' ' || $version), 1, 32)"


def json_list(values: Iterable[str]) -> str:
    """The parameter that belongs to :data:`IN_LIST`."""
    return json.dumps(list(values), ensure_ascii=False)


def text_list(values: Iterable[str]) -> str:
    """A list of texts as an expression, for a statement that is to be given no values.

    Whatever they say they are data: their JSON is ASCII without control characters, and its quotes are doubled. Halves of
    surrogate pairs, which nothing stored has, become U+FFFD.
    """
    whole = [value.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for value in values]
    return "from_json('" + json.dumps(whole).replace("'", "''") + "', '[\"VARCHAR\"]')"


def visible(condition: str) -> str:
    """What to select from: the visible events among those that a condition on ``events`` names.

    The same rule as the view ``visible_events`` (a test compares them). DuckDB does not push a join into the view, which
    reads the whole log each time: 300 ms for 25 sessions of a log of 200,000 events, this 40 (measured).
    """
    return f"""(SELECT * FROM (SELECT * EXCLUDE (link_hash) FROM events WHERE {condition}) e
        WHERE NOT EXISTS (SELECT 1 FROM forgotten_sessions f WHERE f.session_id = e.session_id AND e.seq < f.seq)
          AND NOT EXISTS (SELECT 1 FROM hidden_chains h WHERE h.chain_id = e.chain_id)
          AND NOT EXISTS (SELECT 1 FROM hidden_outcomes o WHERE o.event_id = e.event_id))"""


# Sessions that were spoken of as forgotten, or that have a history behind their first one: where there is none, the log hides
# nothing. One more than are named in a statement says that there are too many.
_MOST_NAMED: Final = 32
_HIDING = f"""
SELECT session_id, max(seq) FILTER (event_type <> 'session_ingested'),
  arg_max(event_type, seq) FILTER (event_type <> 'session_ingested') = 'session_forgotten',
  list(event_id ORDER BY seq) FILTER (event_type = 'session_ingested'), max(seq) FILTER (event_type = 'session_ingested')
FROM events
WHERE event_type IN ('session_forgotten', 'session_unforgotten') OR (event_type = 'session_ingested' AND event_id = chain_id)
GROUP BY session_id HAVING count(*) > 1 OR any_value(event_type) <> 'session_ingested' LIMIT {_MOST_NAMED + 1}
"""
# A link is of all that stands before it: two logs that end with the same one hide the same.
_SEEN: Final[dict[Tip, Callable[[str], str]]] = {}
_MOST_ENDS: Final = 16


def seen(connection: duckdb.DuckDBPyConnection) -> Callable[[str], str]:
    """:func:`visible`, for the statements that follow on this connection before anything is appended.

    What the log hides is named in the statements, where it is little: to plan what :func:`visible` asks is three quarters of a
    small question's time (measured: 11 ms, and 3 with what is hidden named). It is looked up once for each end of the log.
    """
    tip = newest_link(connection)
    if tip is None:
        return _hiding(connection)
    known = _SEEN.get(tip)
    if known is None:
        # Other threads look up and clear too: what is returned is held here.
        known = _hiding(connection)
        if len(_SEEN) >= _MOST_ENDS:
            _SEEN.clear()
        _SEEN[tip] = known
    return known


def _hiding(connection: duckdb.DuckDBPyConnection) -> Callable[[str], str]:
    rows = connection.execute(_HIDING).fetchall()
    if len(rows) > _MOST_NAMED:
        return visible
    forgotten: dict[str, int] = {}
    hidden_chains: list[str] = []
    for session_id, told, is_forgotten, chains, began in rows:
        if is_forgotten:
            forgotten[session_id] = told
        # The newest history is shown, unless the session was forgotten behind it.
        hidden_chains += chains or [] if is_forgotten and told > (began or 0) else (chains or [])[:-1]
    if len(hidden_chains) > _MOST_NAMED:
        return visible
    return _without(forgotten, hidden_chains)


def _without(forgotten: Mapping[str, int], hidden_chains: Sequence[str]) -> Callable[[str], str]:
    """What to select from, where no more is hidden than what was said of some sessions before a seq, and some histories."""
    hidden = []
    if forgotten:
        place = f"list_position({text_list(forgotten)}, session_id)"
        hidden.append(f"seq < coalesce(list_extract({list(forgotten.values())}, {place}), 0)")
    if hidden_chains:
        chains = text_list(hidden_chains)
        hidden += [f"list_contains({chains}, chain_id)", f"list_has_any({chains}, basis_chains)"]
    shown = "".join(f" AND NOT coalesce({condition}, false)" for condition in hidden)
    return lambda condition: f"(SELECT * EXCLUDE (link_hash) FROM events WHERE ({condition}){shown})"
