"""Parts of statements: lists as parameters or as text of a statement, and the events that may be read.

DuckDB looks for pandas twice for each value that it is given, and once more an element of a Python list (measured: 1.4 ms an
event where pandas is absent), so a list travels as one JSON text; and in a statement that a search waits for, as a part of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

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


# A session that was forgotten, or that has a history behind its first one: where there is none, the log hides nothing.
_HIDES_ANYTHING = """
SELECT coalesce(bool_or(event_type = 'session_forgotten'), false) OR count(*) > count(DISTINCT session_id) FROM events
WHERE event_type = 'session_forgotten' OR (event_type = 'session_ingested' AND event_id = chain_id)
"""


def seen(connection: duckdb.DuckDBPyConnection) -> Callable[[str], str]:
    """:func:`visible`, for the statements that follow on this connection before anything is appended.

    Where the log hides nothing, the events of the condition are all visible and nothing is asked about them: to plan what
    :func:`visible` asks is three quarters of a small question's time (measured: 4.5 ms, and 1.7 with the look at the log).
    """
    ((hides,),) = connection.execute(_HIDES_ANYTHING).fetchall()
    return visible if hides else _of_all


def _of_all(condition: str) -> str:
    return f"(SELECT * EXCLUDE (link_hash) FROM events WHERE {condition})"
