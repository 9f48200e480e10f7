"""What was said around something: beside it in its session, and of the same task elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.errors import InvalidArgumentError
from memory_assets.log.fetching import fetch
from memory_assets.log.sql import IN_LIST, json_list
from memory_assets.queries.resolve_ids import MessageSpan, ResolvedId, UnresolvedId, resolve_ids
from memory_assets.results.error import ErrorV1
from memory_assets.results.timeline import Relation, TimelineItemV1, TimelineTargetV1, TimelineV1
from memory_assets.results.unanswered import UnansweredV1
from memory_assets.search.answers.budget import Cut, cut_to
from memory_assets.search.answers.layers import TIMELINE_TOKENS
from memory_assets.search.answers.said_otherwise import said_instead_where
from memory_assets.search.answers.snippets import around

if TYPE_CHECKING:
    import duckdb

    from memory_assets.vocabulary import Origin

WINDOW = 3
MOST_WINDOW = 20
MOST_IDS = 100
PREVIEW_LENGTH = 200
MOST_PLACES = 3
"""Sessions in which one target is looked at; a memory may be said in hundreds."""
MOST_OF_TASK = 5
"""Quotes of the same task that a target brings."""
_OF_TARGET = 0.4
"""The share of a target's tokens that its own preview may take before the others have had theirs."""

# The passages beside each point. A point that none of them holds (what a tool or a program wrote) lies between two.
_AROUND = """
WITH points AS (
  SELECT unnest(from_json($points,
    '[{"n": "INTEGER", "session_id": "VARCHAR", "message_index": "INTEGER", "start": "INTEGER"}]'), recursive := true)
), here AS (
  SELECT p.n, p.session_id, coalesce(max(u.place), -1) AS place
  FROM points p LEFT JOIN memory_units u ON u.unit_kind = 'passage' AND u.session_id = p.session_id
    AND (u.message_index, u.span_start) <= (p.message_index, p.start)
  GROUP BY p.n, p.session_id
)
SELECT h.n, u.unit_id, u.session_id, u.message_index, u.span_start, u.span_end, u.body, u.occurred_at,
  coalesce(u.speaker, u.role, ''), u.title, u.project, m.char_len, u.origin
FROM here h JOIN memory_units u ON u.unit_kind = 'passage' AND u.session_id = h.session_id
  AND u.place BETWEEN h.place - $window AND h.place + $window + 1
JOIN messages m ON m.session_id = u.session_id AND m.message_index = u.message_index
ORDER BY h.n, u.place
"""
_MESSAGES = """
WITH points AS (
  SELECT unnest(from_json(?, '[{"n": "INTEGER", "session_id": "VARCHAR", "message_index": "INTEGER", "start": "INTEGER"}]'),
    recursive := true)
)
SELECT p.n, u.unit_id, m.session_id, m.message_index, coalesce(u.span_start, 0), coalesce(u.span_end, m.char_len),
  coalesce(u.body, m.text), m.ts, coalesce(m.name, m.tool_name, m.role), coalesce(s.title, s.session_id), s.project, m.char_len,
  u.origin
FROM points p JOIN messages m USING (session_id, message_index) JOIN sessions s USING (session_id)
LEFT JOIN memory_units u ON u.unit_kind = 'passage' AND u.session_id = p.session_id AND u.message_index = p.message_index
  AND u.span_start <= p.start AND p.start < u.span_end
"""
# The tasks that are spoken of on some characters of a message.
_TASKS_AT = """
WITH points AS (
  SELECT unnest(from_json(?, '[{"n": "INTEGER", "session_id": "VARCHAR", "message_index": "INTEGER", "start": "INTEGER",
    "end": "INTEGER"}]'), recursive := true)
)
SELECT DISTINCT p.n, g.dst_id FROM points p JOIN evidence_spans s ON s.session_id = p.session_id
  AND s.message_index = p.message_index AND s.span_start < p."end" AND s.span_end > p.start
JOIN edges g ON g.src_id = s.entry_id AND g.rel_type = 'evidence_of'
"""
_OF_TASKS = f"""
SELECT g.dst_id, t.title, s.session_id, s.message_index, s.segments_json, s.matched_text, n.created_ts,
  coalesce(m.name, m.role), coalesce(x.title, x.session_id), x.project, 'mem:' || y.short_id
FROM edges g JOIN entities t ON t.entity_id = g.dst_id AND t.entity_type = 'task'
JOIN entries n ON n.entry_id = g.src_id AND n.status <> 'superseded'
JOIN evidence_spans s ON s.entry_id = n.entry_id AND s.match_method <> 'none'
JOIN messages m ON m.session_id = s.session_id AND m.message_index = s.message_index
JOIN sessions x ON x.session_id = s.session_id LEFT JOIN memories y ON y.memory_id = n.memory_id
WHERE g.rel_type = 'evidence_of' AND g.dst_id IN {IN_LIST}
ORDER BY n.created_ts, s.session_id, s.message_index, s.ordinal
"""


@dataclass(slots=True)
class _Shown:
    """Something on the timeline, before its preview is cut to the budget.

    Attributes:
        start: where it begins in its message, to order what is of one message.
        far: steps from its target, to spend the budget from near to far.
    """

    relation: Relation
    place: MessageSpan
    whole: bool
    text: str
    ts: datetime
    speaker: str
    session_title: str
    project: str | None
    far: int
    unit_id: str | None = None
    id: str | None = None
    task: str | None = None
    origin: Origin | None = None
    targets: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, int, int]:
        return self.place.session_id, self.place.message_index, self.place.start


@dataclass(frozen=True, slots=True)
class _Point:
    """A place that a timeline is around, and the id that named it."""

    n: int
    given: str
    place: MessageSpan


def timeline(
    connection: duckdb.DuckDBPyConnection, ids: Sequence[str], *, window: int = WINDOW, budget: int | None = None
) -> TimelineV1:
    """What was said around some ids.

    Args:
        ids: citations, and ids of units, memories, entries and tasks; of what many sessions say the first few are shown.
        window: passages of the same session on each side.
        budget: tokens of all previews together, a hard cap; None for about 150 for each id.

    Raises:
        InvalidArgumentError: no id, too many, or a window or budget out of bounds.
    """
    check_ids(ids)
    _check(window, budget)
    named = resolve_ids(connection, ids)
    targets = [one for one in named if isinstance(one, ResolvedId)]
    points = [
        _Point(n, given, place)
        for n, (given, place) in enumerate((one.given, place) for one in targets for place in _places(one.places))
    ]
    shown = _beside(connection, points, window)
    _add_of_tasks(connection, shown, targets, points)
    # A wider window has more to show: an id's share grows with it.
    each = max(TIMELINE_TOKENS, TIMELINE_TOKENS * (2 * window + 1) // (2 * WINDOW + 1))
    total = each * len(targets) if budget is None else budget
    items = _said_otherwise(connection, _within(shown, targets, total))
    return TimelineV1(
        window=window,
        targets=tuple(_target(one) for one in targets),
        items=tuple(item for item, _ in items),
        errors=tuple(unanswered(one) for one in named if isinstance(one, UnresolvedId)),
        budget=total,
        estimated_tokens=sum(tokens for _, tokens in items),
    )


def _said_otherwise(
    connection: duckdb.DuckDBPyConnection, items: Sequence[tuple[TimelineItemV1, int]]
) -> list[tuple[TimelineItemV1, int]]:
    """The timeline, and of each preview that shows what a person corrected, what they said instead."""
    shown = {n: (((item.session_id, item.message_index),), item.preview) for n, (item, _) in enumerate(items)}
    instead = said_instead_where(connection, shown)
    return [(item.model_copy(update={"said_otherwise": instead.get(n)}), tokens) for n, (item, tokens) in enumerate(items)]


def unanswered(one: UnresolvedId) -> UnansweredV1:
    """The wire form of an id that names nothing."""
    return UnansweredV1(id=one.given, error=ErrorV1(code=one.code, message=one.reason, hint=one.hint))


def check_ids(ids: Sequence[str]) -> None:
    """Refuse no ids, and more than are looked at together.

    Raises:
        InvalidArgumentError
    """
    if not ids:
        raise InvalidArgumentError("no id is given", hint="give the address of a hit, as `memory search` prints it")
    if len(ids) > MOST_IDS:
        raise InvalidArgumentError(f"{len(ids)} ids cannot be looked at together", hint=f"at most {MOST_IDS}")


def _check(window: int, budget: int | None) -> None:
    if not 0 <= window <= MOST_WINDOW:
        raise InvalidArgumentError(f"a window of {window} passages cannot be shown", hint=f"0 to {MOST_WINDOW}")
    if budget is not None and budget < 1:
        raise InvalidArgumentError(f"a budget of {budget} tokens holds nothing", hint="at least 1; leave it out for the usual")


def _places(places: Sequence[MessageSpan]) -> list[MessageSpan]:
    """The first place in each session, of the first few sessions."""
    of_session: dict[str, MessageSpan] = {}
    for place in places:
        of_session.setdefault(place.session_id, place)
    return list(of_session.values())[:MOST_PLACES]


def _beside(connection: duckdb.DuckDBPyConnection, points: Sequence[_Point], window: int) -> dict[tuple[str, int, int], _Shown]:
    """The targets and the passages beside them, each once."""
    wanted = json.dumps(
        [
            {
                "n": point.n,
                "session_id": point.place.session_id,
                "message_index": point.place.message_index,
                "start": point.place.start,
            }
            for point in points
        ]
    )
    if not points:
        return {}
    of_point: dict[int, list[tuple[Any, ...]]] = {point.n: [] for point in points}
    for n, *beside in fetch(connection, _AROUND, {"points": wanted, "window": window}):
        of_point[n].append(tuple(beside))
    messages = {row[0]: row[1:] for row in fetch(connection, _MESSAGES, [wanted])}
    shown: dict[tuple[str, int, int], _Shown] = {}
    for point in points:
        at = (point.place.message_index, point.place.start)
        holding = [row for row in of_point[point.n] if row[2] == at[0] and row[3] <= at[1] < row[4]]
        before = [row for row in of_point[point.n] if (row[2], row[3]) <= at and row not in holding]
        behind = [row for row in of_point[point.n] if (row[2], row[3]) > at]
        _add(shown, _passage(holding[0] if holding else messages[point.n], "target", 0, point.place), point.given)
        for far, row in enumerate(reversed(before[-window:] if window else []), start=1):
            _add(shown, _passage(row, "before", far), point.given)
        for far, row in enumerate(behind[:window], start=1):
            _add(shown, _passage(row, "after", far), point.given)
    return shown


def _passage(row: tuple[Any, ...], relation: Relation, far: int, cited: MessageSpan | None = None) -> _Shown:
    unit_id, session_id, index, start, end, body, ts, speaker, title, project, length, origin = row
    place = MessageSpan(session_id, index, ((start, max(end, start + 1)),))
    text = body if cited is None else around(body, cited.start - start, cited.end - start, PREVIEW_LENGTH)
    whole = (start, end) == (0, length)
    return _Shown(relation, place, whole, text, ts, speaker, title, project, far, unit_id, origin=origin)


def _add(shown: dict[tuple[str, int, int], _Shown], one: _Shown, given: str) -> None:
    """Put something on the timeline; where it is there already, with the nearer relation of the two."""
    known = shown.setdefault(one.key, one)
    if one.far < known.far:
        one.targets = known.targets
        shown[one.key] = known = one
    if given not in known.targets:
        known.targets.append(given)


def _add_of_tasks(
    connection: duckdb.DuckDBPyConnection,
    shown: dict[tuple[str, int, int], _Shown],
    targets: Sequence[ResolvedId],
    points: Sequence[_Point],
) -> None:
    """What speaks of a target's tasks elsewhere: of each target the nearest in time."""
    wanted = [
        {
            "n": point.n,
            "session_id": point.place.session_id,
            "message_index": point.place.message_index,
            "start": point.place.start,
            "end": point.place.end,
        }
        for point in points
    ]
    tasks: dict[str, set[str]] = {one.given: {one.source_id} for one in targets if one.unit_kind == "task" and one.source_id}
    for n, task_id in fetch(connection, _TASKS_AT, [json.dumps(wanted)]) if wanted else ():
        tasks.setdefault(points[n].given, set()).add(task_id)
    if not tasks:
        return
    spoken = fetch(connection, _OF_TASKS, [json_list(sorted(set().union(*tasks.values())))])
    seen = {(one.place.session_id, one.place.message_index) for one in shown.values()}
    for given, task_ids in tasks.items():
        near = [one.ts for one in shown.values() if one.far == 0 and given in one.targets]
        elsewhere = [row for row in spoken if row[0] in task_ids and (row[2], row[3]) not in seen]
        for row in sorted(elsewhere, key=lambda row: min((abs(row[6] - ts) for ts in near), default=row[6] - row[6]))[
            :MOST_OF_TASK
        ]:
            _add(shown, _of_task(row), given)


def _of_task(row: tuple[Any, ...]) -> _Shown:
    _, task, session_id, index, segments, quote, ts, speaker, title, project, address = row
    place = MessageSpan(session_id, index, tuple((start, end) for start, end in json.loads(segments)))
    far = 2 * MOST_WINDOW
    return _Shown("same_task", place, False, quote, ts, speaker, title, project, far, id=address, task=task)


def _within(
    shown: Mapping[tuple[str, int, int], _Shown], targets: Sequence[ResolvedId], total: int
) -> list[tuple[TimelineItemV1, int]]:
    """The timeline within its tokens, in order; what one target, or one preview, did not need is for the others."""
    lines = {key: " ".join(one.text[: 2 * PREVIEW_LENGTH].split())[:PREVIEW_LENGTH] for key, one in shown.items()}
    previews: dict[tuple[str, int, int], Cut] = {}
    left = total
    nearest = sorted(shown, key=lambda key: (shown[key].far, key))
    for done, target in enumerate(targets):
        mine = [key for key in nearest if shown[key].targets[0] == target.given]
        share = left // (len(targets) - done)
        for place, key in enumerate(mine):
            room = share // (len(mine) - place)
            previews[key] = cut_to(lines[key], max(room, int(share * _OF_TARGET)) if place == 0 else room)
            share -= previews[key].tokens
            left -= previews[key].tokens
    for key in nearest:
        if previews[key].lost:
            longer = cut_to(lines[key], previews[key].tokens + left)
            left -= longer.tokens - previews[key].tokens
            previews[key] = longer
    return [(_item(one, previews[one.key].text), previews[one.key].tokens) for one in _in_order(shown.values())]


def _in_order(shown: Iterable[_Shown]) -> list[_Shown]:
    """Session by session, the one whose first passage is the oldest first; within each by place."""
    told = sorted(shown, key=lambda one: one.key)
    first: dict[str, datetime] = {}
    for one in told:
        first[one.place.session_id] = min(first.get(one.place.session_id, one.ts), one.ts)
    return sorted(told, key=lambda one: (first[one.place.session_id], one.key))


def _item(one: _Shown, preview: str) -> TimelineItemV1:
    line = " ".join(one.text.split())
    return TimelineItemV1(
        relation=one.relation,
        is_target=one.relation == "target",
        targets=tuple(one.targets),
        uri=one.place.uri(one.place.end if one.whole else None),
        id=one.id,
        unit_id=one.unit_id,
        session_id=one.place.session_id,
        session_title=one.session_title,
        project=one.project,
        message_index=one.place.message_index,
        ts=one.ts,
        speaker=one.speaker,
        preview=preview,
        is_cut=preview != line,
        task=one.task,
        origin=one.origin,
    )


def _target(one: ResolvedId) -> TimelineTargetV1:
    return TimelineTargetV1(
        given=one.given,
        id=one.address,
        unit_id=one.unit_id,
        unit_kind=one.unit_kind,
        title=one.title,
        uris=tuple(place.uri() for place in one.places[:MOST_PLACES]),
    )
