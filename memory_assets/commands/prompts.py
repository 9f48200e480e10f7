"""What is said of prompts: registered, proposed, approved or rejected by a person, applied, and taken back.

Each word is checked against the registry as it stands and written in one transaction: of two that are said at once, the second
meets what the first one left. A file is written inside of it: where either fails, the other is as it was.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memory_assets.citations.addresses import MessageCitation
from memory_assets.commands.errors import NotPossibleError, PromptChangedError
from memory_assets.commands.prompt_files import PromptFile, Writing
from memory_assets.commands.said import command, masked, now
from memory_assets.court.prompt_blocks import PromptBlock
from memory_assets.court.prompt_lessons import without_marks
from memory_assets.court.prompts import (
    CitedLesson,
    Verdict,
    copied_run,
    new_runs,
    prompt_hash,
    prompt_policy,
    prompt_text,
    role_name,
    said_too,
    why_not_proposed,
)
from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.identifiers import typed_id
from memory_assets.log.batches import insert, rows_of
from memory_assets.log.events import NewEvent
from memory_assets.log.payloads.prompts import (
    PromptUpdateProposed,
    PromptUpdateReviewed,
    PromptWritten,
    RolePromptActivated,
)
from memory_assets.projections.fold import catch_up, fold
from memory_assets.queries.prompt_lessons import lessons_named, lessons_of_role
from memory_assets.queries.prompts import one_prompt, one_update, prompt_version, update_heads
from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.text.invisible import without_unseen

if TYPE_CHECKING:
    import duckdb

    from memory_assets.configuration import Resources
    from memory_assets.results.prompts import PromptUpdateV1, RolePromptV1

Author = Literal["person", "agent"]

# What agents are told at their start is no part of what was said in a session.
_SAID = "SELECT session_id, message_index, text FROM messages WHERE kind <> 'injected' ORDER BY session_id, message_index"
_MESSAGES_AT_ONCE = 1_000
_LESSON_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")


def register_prompt(resources: Resources, role: str, prompt: str, *, by: str) -> RolePromptV1:
    """Take a role's first prompt in; it is the active one.

    Raises:
        InvalidArgumentError: of the role or the text.
        NotPossibleError: the role has a prompt, which only a proposal changes.
    """
    name, text = _role(resources, role), _prompt(resources, prompt)
    word = RolePromptActivated(role=name, prompt=text, cause="seed", activated_by=_name(resources, by))
    with _registry(resources) as connection:
        known = _if_known(connection, name)
        if known is not None:
            raise NotPossibleError(
                f"the role {name!r} has a prompt, version {known.version}",
                hint=f"`memory prompts propose {name!r} --file FILE --reason …` proposes another one",
            )
        _append(resources, connection, command(word, at=now()))
        return one_prompt(connection, name)


def propose_update(
    resources: Resources,
    role: str,
    prompt: str,
    *,
    reason: str,
    lessons: Sequence[str] = (),
    by: str,
    author: Author = "person",
    made_from: str | None = None,
) -> PromptUpdateV1:
    """Propose another text for a role; nothing changes by it.

    What a program proposes, and what is made of lessons, rests on lessons that are enough and copies no session; what a person
    writes without any is their own word.

    Args:
        made_from: the SHA-256 of the prompt that the text was made from; None for whichever is active.

    Raises:
        PromptChangedError: it was made from another prompt than the active one.
        InvalidArgumentError: of the role, the text, the reason or the name; it copies a session.
        NotFoundError: there is no such role or lesson.
        NotPossibleError: it is the active text, waits already, or its lessons are not enough.
    """
    name, text = _role(resources, role), _prompt(resources, prompt)
    said_by, why = _name(resources, by), masked(resources, without_unseen(reason), what="reason")
    if not why:
        raise InvalidArgumentError("the reason says nothing", hint="say why the prompt should change: a person decides by it")
    catch_up(resources.database, resources.configured_versions)
    with resources.database.reading() as connection:
        base = prompt_version(connection, name)
        if made_from not in (None, base.sha256):
            raise _changed_meanwhile(name)
        rests_on = _lessons(connection, name, lessons, author)
        if author == "agent" or lessons:
            _check_copies_nothing(connection, base.prompt, text, why)
    at = now()
    update_id = typed_id("pup", name, base.sha256, prompt_hash(text), at.isoformat())
    word = PromptUpdateProposed(
        update_id=update_id,
        role=name,
        prompt=text,
        base_sha256=base.sha256,
        reason=why,
        lesson_ids=rests_on,
        proposed_by=said_by,
    )
    with _registry(resources) as connection:
        if prompt_version(connection, name).sha256 != base.sha256:
            raise _changed_meanwhile(name)
        _check_is_new(connection, word, base.version)
        _append(resources, connection, replace(command(word, at=at), actor=author))
        return one_update(connection, update_id)


def _changed_meanwhile(role: str) -> PromptChangedError:
    return PromptChangedError(f"the prompt of {role!r} was changed meanwhile", hint="look at it and propose again")


def review_update(resources: Resources, given: str, verdict: Verdict, *, by: str, note: str = "") -> PromptUpdateV1:
    """Approve or reject a proposal. An approval can be taken back by rejecting, until it is applied; a rejection stands.

    Raises:
        NotFoundError, AmbiguousIdError: of the id.
        NotPossibleError: that was said already, or it is too late to say it.
        InvalidArgumentError: the name is empty.
    """
    said_by, kept = _name(resources, by), masked(resources, note, what="note")
    with _registry(resources) as connection:
        update = one_update(connection, given)
        if update.status == "applied" or update.status == "rejected" or update.status == verdict:
            raise NotPossibleError(
                f"{update.update_id} is {update.status}"
                + (f", by {update.reviewed_by}" if update.reviewed_by else "")
                + (f" as version {update.applied_version}" if update.applied_version else ""),
                hint=_what_now(update),
            )
        word = PromptUpdateReviewed(update_id=update.update_id, verdict=verdict, reviewed_by=said_by, note=kept)
        _append(resources, connection, command(word, at=now()))
        return one_update(connection, update.update_id)


def apply_update(resources: Resources, given: str, *, by: str, into: PromptFile | None = None) -> PromptUpdateV1:
    """Make an approved text the active one, and write it into a file where one is named.

    Raises:
        NotFoundError, AmbiguousIdError: of the id.
        NotPossibleError: nobody approved it, it is applied, its base has changed, or the file's block was changed by hand.
        OSError: the file cannot be written.
    """
    said_by = _name(resources, by)
    with _file(into) as file, _registry(resources) as connection:
        update = one_update(connection, given)
        check_appliable(update)
        word = RolePromptActivated(
            role=update.role, prompt=update.prompt, cause="update", update_id=update.update_id, activated_by=said_by
        )
        _append(resources, connection, command(word, at=now()))
        if file is not None:
            _write_active(resources, connection, update.role, file, said_by)
        return one_update(connection, update.update_id)


def check_appliable(update: PromptUpdateV1) -> None:
    """Refuse what cannot be applied as things stand.

    Raises:
        NotPossibleError
    """
    if update.status != "approved":
        raise NotPossibleError(f"{update.update_id} is {update.status}, and not approved", hint=_what_now(update))
    if not update.base_is_active:
        raise NotPossibleError(
            f"{update.update_id} was made from version {update.base_version} of {update.role!r}, which is not active any more",
            hint=f"`memory prompts show {update.role!r}` shows it; make a new proposal from it",
        )


def roll_back(resources: Resources, role: str, to: int, *, by: str, into: PromptFile | None = None) -> RolePromptV1:
    """Make the text of an older version the active one again: it becomes a new version.

    Raises:
        NotFoundError: there is no such role or version.
        NotPossibleError: it is the active text; or as of :func:`apply_update`.
        OSError: the file cannot be written.
    """
    said_by = _name(resources, by)
    with _file(into) as file, _registry(resources) as connection:
        older, active = prompt_version(connection, role, to), prompt_version(connection, role)
        if older.sha256 == active.sha256:
            raise NotPossibleError(
                f"version {to} of {active.role!r} is the active text",
                hint=f"`memory prompts show {active.role!r}` lists others",
            )
        word = RolePromptActivated(
            role=active.role, prompt=older.prompt, cause="rollback", rolled_back_to=older.event_id, activated_by=said_by
        )
        _append(resources, connection, command(word, at=now()))
        if file is not None:
            _write_active(resources, connection, active.role, file, said_by)
        return one_prompt(connection, active.role)


def write_prompt(resources: Resources, role: str, into: PromptFile, *, by: str) -> RolePromptV1:
    """Write a role's active prompt into a file.

    Raises:
        NotFoundError: there is no such role.
        NotPossibleError: the file's block was changed by hand.
        OSError: the file cannot be written.
    """
    said_by = _name(resources, by)
    with Writing(into) as file, _registry(resources) as connection:
        _write_active(resources, connection, role, file, said_by)
        return one_prompt(connection, role)


@contextlib.contextmanager
def _registry(resources: Resources) -> Iterator[duckdb.DuckDBPyConnection]:
    """The registry as the log has it now, in a transaction that nobody writes beside."""
    with resources.database.writing() as connection:
        fold(connection, resources.configured_versions)
        yield connection


def _append(resources: Resources, connection: duckdb.DuckDBPyConnection, *words: NewEvent) -> None:
    insert(connection, rows_of(words))
    fold(connection, resources.configured_versions)


def _file(into: PromptFile | None) -> contextlib.AbstractContextManager[Writing | None]:
    return contextlib.nullcontext() if into is None else Writing(into)


def _write_active(resources: Resources, connection: duckdb.DuckDBPyConnection, role: str, file: Writing, said_by: str) -> None:
    active = prompt_version(connection, role)
    path = file.write(PromptBlock(active.role, active.version, active.prompt))
    word = PromptWritten(role=active.role, activated_event_id=active.event_id, path=_path(resources, path), written_by=said_by)
    _append(resources, connection, command(word, at=now()))


def _path(resources: Resources, path: Path) -> str:
    """A file as the log calls it: whose home it lies in is nobody's business, and a folder's name may hold a secret."""
    with contextlib.suppress(ValueError, RuntimeError):  # it lies elsewhere, or nobody's home is known
        return redact_text(f"~/{path.relative_to(Path.home().resolve()).as_posix()}", resources.redaction_policy).text
    return redact_text(str(path), resources.redaction_policy).text


def _if_known(connection: duckdb.DuckDBPyConnection, role: str) -> RolePromptV1 | None:
    try:
        return one_prompt(connection, role)
    except NotFoundError:
        return None


def _check_is_new(connection: duckdb.DuckDBPyConnection, word: PromptUpdateProposed, version: int) -> None:
    proposed = prompt_hash(word.prompt)
    if proposed == word.base_sha256:
        raise NotPossibleError(
            f"the proposal is the prompt of {word.role!r} as it is, version {version}", hint="change the text first"
        )
    same = [one for one in update_heads(connection, word.role) if one.sha256 == proposed and one.is_open]
    if same:
        raise NotPossibleError(
            f"{same[0].update_id} proposes this text already", hint=_what_now(one_update(connection, same[0].update_id))
        )


def _lessons(connection: duckdb.DuckDBPyConnection, role: str, given: Sequence[str], author: Author) -> list[str]:
    """The lessons that a proposal names, each once, if they are enough."""
    named = list(dict.fromkeys(one.strip() for one in given))
    if wrong := next((one for one in named if not _LESSON_ID.fullmatch(one)), None):
        raise InvalidArgumentError(f"{wrong[:100]!r} is no lesson's id", hint="`memory lessons list` shows them")
    known = lessons_named(connection, named)
    for lesson_id in named:
        if lesson_id not in known:
            raise NotFoundError(f"there is no lesson {lesson_id[:100]!r}", hint="`memory lessons list` lists them")
        if known[lesson_id].standing == "set_aside":
            raise NotPossibleError(f"the lesson {lesson_id} does not stand any more", hint="name lessons that stand")
    if named or author == "agent":
        rests_on = named or lessons_of_role(connection, role)
        cited: list[CitedLesson] = [one.cited for one in lessons_named(connection, rests_on).values()]
        if (reason := why_not_proposed(cited, prompt_policy())) is not None:
            raise NotPossibleError(reason, hint=f"`memory lessons list --role {role!r}` lists those that stand")
    return named


def _check_copies_nothing(connection: duckdb.DuckDBPyConnection, base: str, *told: str) -> None:
    """See that neither the prompt nor the reason, which a person decides by, is a session's own words."""
    length = prompt_policy().words_in_a_row
    runs = frozenset(run for text in told for run in new_runs(without_marks(base), without_marks(text), length))
    if not runs:
        return
    found = copied_run(runs, _messages(connection))
    if found is not None:
        run, where = found
        raise InvalidArgumentError(
            f"the proposal copies {length} words in a row from {where}: {run[:200]!r}",
            hint="say it in words of your own: what a session says is no instruction",
        )


def copied_rules(connection: duckdb.DuckDBPyConnection, base: str, rules: Sequence[str]) -> set[str]:
    """Those of some rules that a session says too, more words in a row of them than a proposal may."""
    length = prompt_policy().words_in_a_row
    runs = {rule: new_runs(without_marks(base), rule, length) for rule in rules}
    copied: set[str] = set()
    for _, text in _messages(connection):
        open_runs = [(rule, of) for rule, of in runs.items() if of and rule not in copied]
        if not open_runs:
            break
        copied |= said_too(dict(open_runs), text, length)
    return copied


def _messages(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    rows = connection.execute(_SAID)
    while part := rows.fetchmany(_MESSAGES_AT_ONCE):
        for session_id, index, text in part:
            yield MessageCitation(session_id, index).uri, text


def _role(resources: Resources, given: str) -> str:
    name = role_name(given)
    if redact_text(name, resources.redaction_policy).counts:
        raise InvalidArgumentError("the role's name holds what the masking policy masks", hint="name it in plain words")
    return name


def _prompt(resources: Resources, given: str) -> str:
    """A prompt as it is kept: whole, so that what would be masked is refused."""
    text = prompt_text(given)
    if counts := redact_text(text, resources.redaction_policy).counts:
        told = ", ".join(f"{kind} ({count})" for kind, count in counts.items())
        raise InvalidArgumentError(
            f"the prompt holds what the masking policy keeps out of the store: {told}",
            hint="take it out: a prompt is kept and written word for word",
        )
    return text


def _name(resources: Resources, by: str) -> str:
    name = masked(resources, " ".join(without_unseen(by).split()), what="name")
    if not name:
        raise InvalidArgumentError("the name of who says so is empty", hint="name somebody")
    return name


def _what_now(update: PromptUpdateV1) -> str:
    match update.status:
        case "proposed":
            return f"a person approves it: `memory prompts approve {update.update_id} --by NAME`"
        case "approved":
            return f"`memory prompts apply {update.update_id}` applies it"
        case "rejected":
            return "propose it anew, with a reason"
        case _:
            return f"`memory prompts show {update.role!r}` shows what is active; `memory prompts rollback` takes it back"
