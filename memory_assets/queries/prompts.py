"""The registry of prompts: roles, versions, proposals with what each changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_assets.court.prompts import UPDATE_STATUSES, role_name, unified_diff
from memory_assets.errors import NotFoundError, check_word
from memory_assets.log.fetching import fetch, full_id, scalar
from memory_assets.queries.prompt_lessons import KnownLesson, lessons_named
from memory_assets.results.prompts import CitedLessonV1, PromptUpdateV1, PromptVersionV1, RolePromptV1

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

STATUSES = (*UPDATE_STATUSES, "all")

_VERSIONS = """
SELECT version, sha256, is_active, cause, update_id, rolled_back_to, activated_by, activated_at, written_to, written_at,
  prompt, event_id
FROM role_prompts WHERE role = ? ORDER BY version DESC
"""
_ROLES = "SELECT role FROM role_prompts WHERE is_active ORDER BY role"
_WAITING = "SELECT count(*) FROM prompt_updates WHERE role = ? AND status IN ('proposed', 'approved')"
# All roles at once; the text of the active versions alone.
_ALL_VERSIONS = """
SELECT role, version, sha256, is_active, cause, update_id, rolled_back_to, activated_by, activated_at, written_to, written_at,
  CASE WHEN is_active THEN prompt END
FROM role_prompts ORDER BY role, version DESC
"""
_ALL_WAITING = "SELECT role, count(*) FROM prompt_updates WHERE status IN ('proposed', 'approved') GROUP BY role"
# Two versions of one text are one base: the newest of them is named.
_UPDATES = """
SELECT u.update_id, u.role, u.status, u.reason, b.version AS base_version, u.base_sha256,
  coalesce(u.base_sha256 = p.sha256, false) AS base_is_active, u.sha256, u.prompt, b.prompt AS base, u.lesson_ids,
  u.proposed_by, u.proposed_at, u.reviewed_by, u.reviewed_at, u.note, u.applied_version, u.applied_by, u.applied_at,
  a.written_to
FROM prompt_updates u
LEFT JOIN role_prompts p ON p.role = u.role AND p.is_active
LEFT JOIN (SELECT role, sha256, max(version) AS version, any_value(prompt) AS prompt FROM role_prompts GROUP BY ALL) b
  ON b.role = u.role AND b.sha256 = u.base_sha256
LEFT JOIN role_prompts a ON a.role = u.role AND a.version = u.applied_version
"""
_WANTED = """($role IS NULL OR u.role = $role) AND ($status = 'all' OR u.status = $status
  OR ($status IS NULL AND u.status IN ('proposed', 'approved')))"""
# Without texts: how the proposals of a role stand.
_HEADS = """
SELECT u.update_id, u.status, u.sha256, coalesce(u.base_sha256 = p.sha256, false), u.lesson_ids, u.proposed_by
FROM prompt_updates u LEFT JOIN role_prompts p ON p.role = u.role AND p.is_active
WHERE u.role = ? ORDER BY u.proposed_at DESC, u.update_id
"""


@dataclass(frozen=True, slots=True)
class ActivePrompt:
    """The version of a role that is in force, or another one of it."""

    role: str
    version: int
    sha256: str
    prompt: str
    event_id: str


@dataclass(frozen=True, slots=True)
class UpdateHead:
    """How a proposal stands, without its texts and what it changes."""

    update_id: str
    status: str
    sha256: str
    base_is_active: bool
    lesson_ids: list[str]
    proposed_by: str

    @property
    def is_open(self) -> bool:
        """Whether it can come to something as it is."""
        return self.status in ("proposed", "approved") and self.base_is_active


@dataclass(frozen=True, slots=True)
class _Update:
    update_id: str
    role: str
    status: Any
    reason: str
    base_version: int | None
    base_sha256: str
    base_is_active: bool
    sha256: str
    prompt: str
    base: str | None
    lesson_ids: list[str]
    proposed_by: str
    proposed_at: datetime
    reviewed_by: str | None
    reviewed_at: datetime | None
    note: str
    applied_version: int | None
    applied_by: str | None
    applied_at: datetime | None
    written_to: str | None


def list_prompts(connection: duckdb.DuckDBPyConnection) -> list[RolePromptV1]:
    """The active prompt of every role, by the names of the roles."""
    versions: dict[str, list[tuple[Any, ...]]] = {}
    for role, *row in fetch(connection, _ALL_VERSIONS):
        versions.setdefault(role, []).append(tuple(row))
    waiting = dict(fetch(connection, _ALL_WAITING))
    return [
        _role_prompt(role, rows, next(row for row in rows if row[2]), waiting.get(role, 0)) for role, rows in versions.items()
    ]


def one_prompt(connection: duckdb.DuckDBPyConnection, role: str, version: int | None = None) -> RolePromptV1:
    """A version of a role's prompt, the active one where none is asked for, and its history.

    Raises:
        NotFoundError: there is no such role, or no such version of it.
    """
    known = role_name(role)
    rows = fetch(connection, _VERSIONS, [known])
    if not rows:
        raise NotFoundError(f"no prompt is registered for the role {known!r}", hint=_how_to_register(connection, known))
    found = next((row for row in rows if row[0] == version or (version is None and row[2])), None)
    if found is None:
        raise NotFoundError(f"the prompt of {known!r} has no version {version}", hint=f"it has versions 1 to {rows[0][0]}")
    ((waiting,),) = fetch(connection, _WAITING, [known])
    return _role_prompt(known, rows, found, waiting)


def _role_prompt(role: str, rows: Sequence[tuple[Any, ...]], found: tuple[Any, ...], waiting: int) -> RolePromptV1:
    return RolePromptV1(
        role=role,
        version=found[0],
        is_active=found[2],
        sha256=found[1],
        prompt=found[10],
        versions=tuple(PromptVersionV1.of_row(row[:10]) for row in rows),
        open_updates=waiting,
    )


def prompt_version(connection: duckdb.DuckDBPyConnection, role: str, version: int | None = None) -> ActivePrompt:
    """A version of a role, the active one where none is asked for, by what the log names it.

    Raises:
        NotFoundError: as of :func:`one_prompt`.
    """
    found = one_prompt(connection, role, version)
    ((event_id,),) = fetch(
        connection, "SELECT event_id FROM role_prompts WHERE role = ? AND version = ?", [found.role, found.version]
    )
    return ActivePrompt(found.role, found.version, found.sha256, found.prompt, event_id)


def list_updates(
    connection: duckdb.DuckDBPyConnection,
    *,
    status: str | None = None,
    role: str | None = None,
    limit: int | None = None,
    offset: int = 0,
) -> list[PromptUpdateV1]:
    """Proposals with what each changes, the newest first; without a status those that are neither rejected nor applied.

    Args:
        limit: so many at the most: a difference of two texts costs far more than to find them.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    page = "" if limit is None else f" LIMIT {int(limit)} OFFSET {int(offset)}"
    rows = fetch(
        connection,
        f"{_UPDATES} WHERE {_WANTED} ORDER BY u.proposed_at DESC, u.update_id{page}",
        _wanted(status, role),
    )
    return _updates(connection, rows)


def count_updates(connection: duckdb.DuckDBPyConnection, *, status: str | None = None, role: str | None = None) -> int:
    """How many :func:`list_updates` lists.

    Raises:
        InvalidArgumentError: there is no such status.
    """
    return int(scalar(connection, f"SELECT count(*) FROM prompt_updates u WHERE {_WANTED}", _wanted(status, role)))


def _wanted(status: str | None, role: str | None) -> dict[str, str | None]:
    check_word("status", status, STATUSES)
    return {"status": status, "role": None if role is None else role_name(role)}


def update_heads(connection: duckdb.DuckDBPyConnection, role: str) -> list[UpdateHead]:
    """How every proposal for a role stands, the newest first."""
    return [UpdateHead(*row) for row in fetch(connection, _HEADS, [role])]


def one_update(connection: duckdb.DuckDBPyConnection, given: str) -> PromptUpdateV1:
    """The proposal with this id, or with an id that begins so.

    Raises:
        NotFoundError, AmbiguousIdError
    """
    update_id = full_id(
        connection,
        "SELECT update_id AS id FROM prompt_updates",
        given,
        what="proposal",
        listed_by="memory prompts proposals --status all",
        prefix="pup_",
    )
    return _updates(connection, fetch(connection, f"{_UPDATES} WHERE u.update_id = ?", [update_id]))[0]


def _updates(connection: duckdb.DuckDBPyConnection, rows: list[tuple[Any, ...]]) -> list[PromptUpdateV1]:
    updates = [_Update(*row) for row in rows]
    known = lessons_named(connection, sorted({lesson for update in updates for lesson in update.lesson_ids}))
    return [_printed(update, known) for update in updates]


def _printed(update: _Update, known: Mapping[str, KnownLesson]) -> PromptUpdateV1:
    before = f"{update.role}, version {update.base_version}"
    return PromptUpdateV1(
        update_id=update.update_id,
        role=update.role,
        status=update.status,
        reason=update.reason,
        base_version=update.base_version,
        base_sha256=update.base_sha256,
        base_is_active=update.base_is_active,
        sha256=update.sha256,
        prompt=update.prompt,
        diff=unified_diff(update.base or "", update.prompt, before=before, after=f"{update.role}, {update.update_id}"),
        lessons=tuple(_lesson(lesson_id, known.get(lesson_id)) for lesson_id in update.lesson_ids),
        proposed_by=update.proposed_by,
        proposed_at=update.proposed_at,
        reviewed_by=update.reviewed_by,
        reviewed_at=update.reviewed_at,
        note=update.note,
        applied_version=update.applied_version,
        applied_by=update.applied_by,
        applied_at=update.applied_at,
        written_to=update.written_to,
    )


def _lesson(lesson_id: str, known: KnownLesson | None) -> CitedLessonV1:
    if known is None:
        return CitedLessonV1(lesson_id=lesson_id, standing="gone")
    return CitedLessonV1(lesson_id=lesson_id, standing=known.standing, title=known.title)


def _how_to_register(connection: duckdb.DuckDBPyConnection, role: str) -> str:
    roles = [name for (name,) in fetch(connection, _ROLES)]
    known = f"known are {', '.join(roles[:10])}{' …' if len(roles) > 10 else ''}; " if roles else ""
    return f"{known}`memory prompts register {role!r} --file FILE` begins one"
