"""What entries say, and which of them a change of some may regroup.

Two statements of one project and type are *linked* when they say the same (`text.equivalence`): a function of the two texts
alone. What is linked, over however many steps, is grouped anew together, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_assets.graduation.conflicts.contradictions import CONTESTABLE, conflict_forms
from memory_assets.identifiers import sha256_hex
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.text.equivalence import form, say_the_same, shorter_forms
from memory_assets.text.statements import statement_of

if TYPE_CHECKING:
    import duckdb

CUT = "…"
Links = dict["EntryStatement", set["EntryStatement"]]

# An entry without any span was quoted from nowhere: it is listed among the entries, and never a memory.
_SAID = """
SELECT n.entry_id, n.session_id, n.project, n.entry_type, n.title, q.quote
FROM entries n LEFT JOIN (
  SELECT entry_id, arg_min(coalesce(matched_text, quote), ordinal) AS quote FROM evidence_spans
  WHERE session_id IN (SELECT session_id FROM affected) AND match_method <> 'none' GROUP BY entry_id) q USING (entry_id)
WHERE n.session_id IN (SELECT session_id FROM affected) AND n.status <> 'superseded' AND n.stage <> 'raw'
"""

# As many words; a word less than was asked for; a word more.
_LIKE = """
SELECT a.number, s.statement FROM asked_forms a JOIN statements s ON s.form = a.form
  AND s.entry_type = a.entry_type AND s.project IS NOT DISTINCT FROM a.project WHERE s.statement <> a.statement
UNION
SELECT a.number, s.statement FROM asked_forms a
JOIN (SELECT project, entry_type, statement, unnest(shorter_forms) AS form FROM statements) s ON s.form = a.form
  AND s.entry_type = a.entry_type AND s.project IS NOT DISTINCT FROM a.project WHERE a.is_whole
"""


@dataclass(frozen=True, slots=True)
class EntryStatement:
    """A statement of a project and type: what the entries that say it in the same words have in common."""

    project: str | None
    entry_type: str
    statement: str


def fold_statements(connection: duckdb.DuckDBPyConnection) -> None:
    """Fold what the entries of the scope's sessions say anew."""
    import pyarrow as pa

    connection.execute("DELETE FROM statements WHERE session_id IN (SELECT session_id FROM affected)")
    rows = connection.execute(_SAID).fetchall()
    if not rows:
        return
    said = [quote if title.endswith(CUT) and quote else title for *_, title, quote in rows]
    statements = [statement_of(text) for text in said]
    table = pa.table(
        {
            "entry_id": pa.array([row[0] for row in rows], pa.string()),
            "session_id": pa.array([row[1] for row in rows], pa.string()),
            "project": pa.array([row[2] for row in rows], pa.string()),
            "entry_type": pa.array([row[3] for row in rows], pa.string()),
            "statement": pa.array(statements, pa.string()),
            "form": pa.array([_number(form(said)) for said in statements], pa.int64()),
            "shorter_forms": pa.array([_shorter(said) for said in statements], pa.list_(pa.int64())),
            "said": pa.array(said, pa.string()),
            "clash_forms": pa.array(
                [
                    [_number(form) for form in conflict_forms(text)] if row[3] in CONTESTABLE else []
                    for row, text in zip(rows, said, strict=True)
                ],
                pa.list_(pa.int64()),
            ),
        }
    )
    connection.register("new_statements", table)
    connection.execute("INSERT INTO statements BY NAME SELECT * FROM new_statements")
    connection.unregister("new_statements")


def forms_of(connection: duckdb.DuckDBPyConnection, entry_ids: Iterable[str]) -> frozenset[str]:
    """What entries say, without their words: the type and the hash of the form. Equal where as many words are equal."""
    rows = connection.execute(
        f"SELECT DISTINCT entry_type, form FROM statements WHERE entry_id IN {IN_LIST}", [json_list(entry_ids)]
    ).fetchall()
    return frozenset(f"{entry_type}:{said}" for entry_type, said in rows)


def linked(
    connection: duckdb.DuckDBPyConnection,
    start: Iterable[EntryStatement],
    merged: Iterable[tuple[EntryStatement, EntryStatement]] = (),
) -> tuple[set[EntryStatement], Links]:
    """These statements and whatever is linked to them over any number of steps, and the links between them all.

    Args:
        merged: pairs that people said are one.
    """
    found = set(start)
    joined: Links = {}
    for one, other in merged:
        joined.setdefault(one, set()).add(other)
        joined.setdefault(other, set()).add(one)
    links: Links = {}
    waiting = list(found)
    while waiting:
        reached: set[EntryStatement] = set()
        for one, other in _like(connection, waiting):
            if say_the_same(one.statement, other.statement):
                links.setdefault(one, set()).add(other)
                links.setdefault(other, set()).add(one)
                reached.add(other)
        for one in waiting:
            for other in joined.get(one, ()):
                links.setdefault(one, set()).add(other)
                links.setdefault(other, set()).add(one)
                reached.add(other)
        waiting = list(reached - found)
        found |= reached
    return found, links


def leaders(order: Iterable[EntryStatement], links: Links) -> dict[EntryStatement, EntryStatement]:
    """For each statement the first one of its group.

    Each joins the first group with all of whose members it is linked, so that any two of a group say the same: of a
    statement with no value, one with a value and one with another, only two are one memory.

    Args:
        order: in which they were said first. It alone decides, so no order of arrival matters.
    """
    groups: dict[EntryStatement, list[EntryStatement]] = {}
    place: dict[EntryStatement, int] = {}
    leader: dict[EntryStatement, EntryStatement] = {}
    for said in order:
        known = links.get(said, set())
        open_groups = sorted((first for first in known if first in groups), key=place.__getitem__)
        joined = next((first for first in open_groups if known.issuperset(groups[first])), said)
        place.setdefault(joined, len(place))
        groups.setdefault(joined, []).append(said)
        leader[said] = joined
    return leader


def _like(connection: duckdb.DuckDBPyConnection, asked: list[EntryStatement]) -> list[tuple[EntryStatement, EntryStatement]]:
    """The pairs of an asked statement and another that may say the same."""
    import pyarrow as pa

    rows = [(number, said, _number(form(said.statement)), True) for number, said in enumerate(asked)] + [
        (number, said, shorter, False) for number, said in enumerate(asked) for shorter in _shorter(said.statement)
    ]
    table = pa.table(
        {
            "number": pa.array([row[0] for row in rows], pa.int32()),
            "project": pa.array([row[1].project for row in rows], pa.string()),
            "entry_type": pa.array([row[1].entry_type for row in rows], pa.string()),
            "statement": pa.array([row[1].statement for row in rows], pa.string()),
            "form": pa.array([row[2] for row in rows], pa.int64()),
            "is_whole": pa.array([row[3] for row in rows], pa.bool_()),
        }
    )
    connection.register("asked_forms", table)
    found = connection.execute(_LIKE).fetchall()
    connection.unregister("asked_forms")
    return [(asked[number], EntryStatement(asked[number].project, asked[number].entry_type, said)) for number, said in found]


def _shorter(statement: str) -> list[int]:
    return [_number(text) for text in shorter_forms(statement)]


def _number(text: str) -> int:
    return int(sha256_hex(text)[:15], 16)
