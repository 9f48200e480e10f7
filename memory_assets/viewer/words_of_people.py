"""What a person says on a page: the same words as on the command line, each foreseen before it is said.

An action first tells what will be, from the same functions that do it or that tell of it on the command line, and changes
nothing. What then becomes of it is done by these functions too.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from memory_assets.commands.conflicts import RESOLUTIONS, reopen_conflict, resolve_conflict
from memory_assets.commands.lessons import check_retirable, keep_lesson, retire_lesson
from memory_assets.commands.people import speaker
from memory_assets.commands.promotions import SPOKEN_STAGES, ladder_of, promote
from memory_assets.commands.prompts import apply_update, check_appliable, review_update, roll_back
from memory_assets.errors import InvalidArgumentError, NotFoundError, check_word
from memory_assets.queries.conflicts import ConflictView, one_conflict
from memory_assets.queries.entries import memories_by_id, one_entry
from memory_assets.queries.forgettable import ToForget
from memory_assets.queries.forgettings import list_forgettings
from memory_assets.queries.lessons import one_lesson
from memory_assets.queries.prompts import one_prompt, one_update
from memory_assets.viewer.foreseen import Action, Foreseen, Given, Line, note_lines, with_word
from memory_assets.viewer.links import cited_link, lesson_link, memory_link, prompt_link, session_link, task_link, with_query
from memory_assets.viewer.words import Own
from memory_assets.viewer.words_of_tasks import TASK_ACTIONS
from memory_assets.vocabulary import SIGNALS, STAGES

if TYPE_CHECKING:
    from memory_assets.memory import Memory
    from memory_assets.results.court import LessonV1
    from memory_assets.results.prompts import PromptUpdateV1


def _resolve(memory: Memory, given: Given) -> Foreseen:
    check_word("resolution", given["as"], RESOLUTIONS)
    conflict = memory.read(one_conflict, given["conflict"])
    lines = (*_sides(conflict), Line(f"resolution_{given['as']}", ""), *note_lines(given))
    return Foreseen(_conflicts("open"), lines)


def _do_resolve(memory: Memory, given: Given) -> Own:
    resolve_conflict(memory.resources, given["conflict"], given["as"], by=speaker(), note=given["note"])
    return _conflicts("resolved")


def _reopen(memory: Memory, given: Given) -> Foreseen:
    conflict = memory.read(one_conflict, given["conflict"])
    return Foreseen(_conflicts("resolved"), (*_sides(conflict), *note_lines(given)), nothing=conflict.status != "resolved")


def _do_reopen(memory: Memory, given: Given) -> Own:
    reopen_conflict(memory.resources, given["conflict"], by=speaker(), note=given["note"])
    return _conflicts("open")


def _promote(memory: Memory, given: Given) -> Foreseen:
    check_word("stage", given["stage"], SPOKEN_STAGES)
    ladder = ladder_of(memory.database, given["memory"])
    link = memory_link(ladder.citation)
    lines = [Line("memory", ladder.title, link), Line(f"from_{ladder.stage}", ""), Line(f"to_{given['stage']}", "")]
    if ladder.waits_for and STAGES.index(given["stage"]) > STAGES.index(ladder.stage):
        lines.append(Line("waits_for", ladder.waits_for))
    return Foreseen(
        link or Own("/today"),
        (*lines, *note_lines(given)),
        gates=ladder.gates if ladder.next_stage == given["stage"] else None,
        nothing=ladder.stage == given["stage"] or ladder.status == "deprecated",
    )


def _do_promote(memory: Memory, given: Given) -> Own:
    spoken = promote(memory.resources, given["memory"], given["stage"], by=speaker(), note=given["note"])
    return with_word(memory_link(spoken.memory.citation), "reached" if spoken.reached else "kept")


def _correct(memory: Memory, given: Given) -> Foreseen:
    entry = memory.read(one_entry, given["memory"])
    known = memory.read(memories_by_id, [entry.memory_id]) if entry.memory_id else {}
    title = known[entry.memory_id].title if entry.memory_id in known else entry.title
    link = memory_link(entry.citation) or Own("/today")
    lines = (Line("set_aside", title, link), Line("holds", given["text"]))
    return Foreseen(link, lines, nothing=entry.memory_id is None or entry.entry_type == "task")


def _do_correct(memory: Memory, given: Given) -> Own:
    from memory_assets.defs.correcting import correct

    report = correct(memory.settings, given["memory"], given["text"], by=speaker())
    return with_word(memory_link(report.correction.citation), "corrected")


def _feedback(memory: Memory, given: Given) -> Foreseen:
    check_word("signal", given["signal"], SIGNALS)
    lines = (Line("of", given["id"], _link_of(given["id"])), Line(f"signal_{given['signal']}", ""), *note_lines(given))
    memory.resolve(given["id"])
    return Foreseen(_link_of(given["id"]) or Own("/today"), lines)


def _do_feedback(memory: Memory, given: Given) -> Own:
    memory.feedback(given["id"], given["signal"], by=speaker(), note=given["note"])
    return with_word(_link_of(given["id"]), "noted")


def _forget(memory: Memory, given: Given) -> Foreseen:
    from memory_assets.defs.forgetting import what_would_go

    report = what_would_go(memory.settings, _to_forget(given))
    return Foreseen(Own("/privacy"), (), report=report, nothing=not (report.sessions or report.parts))


def _do_forget(memory: Memory, given: Given) -> Own:
    from memory_assets.defs.forgetting import forget

    forget(memory.settings, _to_forget(given))
    return with_query("/privacy", said="forgotten")


def _to_forget(given: Given) -> ToForget:
    before = given["before"]
    try:
        day = date.fromisoformat(before) if before else None
    except ValueError as error:
        raise InvalidArgumentError(f"{before[:40]!r} is no day", hint="a day is written 2026-03-12") from error
    return ToForget(
        ids=tuple(given["ids"].split()),
        sessions=tuple(given["session"].split()),
        project=given["project"] or None,
        before=day,
        query=given["query"] or None,
        words=given["words"] or None,
    )


def _unforget(memory: Memory, given: Given) -> Foreseen:
    found = [one for one in memory.read(list_forgettings).forgettings if given["id"] in (one.event_id, one.session_id)]
    if not found:
        raise NotFoundError(f"nothing of the name {given['id'][:80]!r} is forgotten", hint="/privacy lists it")
    lines = tuple(Line(f"back_{one.what}", one.session_id) for one in found if one.holds and not one.purged)
    return Foreseen(Own("/privacy"), lines, nothing=not lines)


def _do_unforget(memory: Memory, given: Given) -> Own:
    from memory_assets.defs.forgetting import unforget

    report = unforget(memory.settings, [given["id"]])
    return session_link(report.session_ids[0]) if report.session_ids else with_query("/privacy", said="back")


def _approve_prompt(memory: Memory, given: Given) -> Foreseen:
    return _reviewed(memory, given, nothing_if=("approved", "rejected", "applied"))


def _do_approve_prompt(memory: Memory, given: Given) -> Own:
    review_update(memory.resources, given["update"], "approved", by=given["by"], note=given["note"])
    return with_query("/prompts", said="approved")


def _reject_prompt(memory: Memory, given: Given) -> Foreseen:
    return _reviewed(memory, given, nothing_if=("rejected", "applied"))


def _do_reject_prompt(memory: Memory, given: Given) -> Own:
    review_update(memory.resources, given["update"], "rejected", by=given["by"], note=given["note"])
    return with_query("/prompts", said="rejected")


def _reviewed(memory: Memory, given: Given, *, nothing_if: tuple[str, ...]) -> Foreseen:
    update = memory.read(one_update, given["update"])
    lines = (*_proposal(update), Line("by", given["by"]), *note_lines(given))
    return Foreseen(Own("/prompts"), lines, nothing=update.status in nothing_if)


def _apply_prompt(memory: Memory, given: Given) -> Foreseen:
    update = memory.read(one_update, given["update"])
    check_appliable(update)
    lines = (
        Line("becomes_prompt", update.role, prompt_link(update.role)),
        Line("prompt_text", update.prompt),
        Line("in_place_of", str(update.base_version)),
    )
    return Foreseen(Own("/prompts"), (*_proposal(update), *lines))


def _do_apply_prompt(memory: Memory, given: Given) -> Own:
    applied = apply_update(memory.resources, given["update"], by=speaker())
    return with_word(prompt_link(applied.role), "applied")


def _roll_back_prompt(memory: Memory, given: Given) -> Foreseen:
    older = memory.read(one_prompt, given["role"], _number(given["to"]))
    active = memory.read(one_prompt, given["role"])
    lines = (
        Line("becomes_prompt", active.role, prompt_link(active.role)),
        Line("back_to", str(older.version)),
        Line("prompt_text", older.prompt),
        Line("in_place_of", str(active.version)),
    )
    return Foreseen(prompt_link(active.role), lines, nothing=older.sha256 == active.sha256)


def _do_roll_back_prompt(memory: Memory, given: Given) -> Own:
    back = roll_back(memory.resources, given["role"], _number(given["to"]), by=speaker())
    return with_word(prompt_link(back.role), "applied")


def _retire_lesson(memory: Memory, given: Given) -> Foreseen:
    lesson = memory.read(one_lesson, given["lesson"])
    check_retirable(lesson)
    return _of_lesson(lesson, "retire_lesson", given)


def _do_retire_lesson(memory: Memory, given: Given) -> Own:
    lesson = retire_lesson(memory.resources, given["lesson"], by=speaker(), note=given["note"])
    return with_word(lesson_link(lesson.lesson_id), "retired")


def _keep_lesson(memory: Memory, given: Given) -> Foreseen:
    return _of_lesson(memory.read(one_lesson, given["lesson"]), "keep_lesson", given)


def _do_keep_lesson(memory: Memory, given: Given) -> Own:
    lesson = keep_lesson(memory.resources, given["lesson"], by=speaker(), note=given["note"])
    return with_word(lesson_link(lesson.lesson_id), "lesson_kept")


def _of_lesson(lesson: LessonV1, becomes: str, given: Given) -> Foreseen:
    link = lesson_link(lesson.lesson_id)
    lines = (Line("lesson", lesson.rule, link), Line(f"is_{lesson.status}", ""), Line(becomes, ""))
    return Foreseen(link, (*lines, *note_lines(given)))


def _number(given: str) -> int:
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        raise InvalidArgumentError(f"{given[:40]!r} is no version", hint="versions count from 1")
    return int(given)


def _proposal(update: PromptUpdateV1) -> tuple[Line, ...]:
    link = Own(f"/prompts?status={update.status}#{update.update_id}")
    return (Line("proposal", f"{update.update_id}, {update.role}", link), Line("why", update.reason))


def _sides(conflict: ConflictView) -> tuple[Line, ...]:
    sides = (("older", conflict.older), ("newer", conflict.newer))
    return tuple(Line(name, side.quote or side.title, cited_link(side.uri)) for name, side in sides)


def _conflicts(status: str) -> Own:
    return with_query("/conflicts", status=status)


def _link_of(given: str) -> Own | None:
    return task_link(given) if given.startswith("tsk_") else cited_link(given)


ACTIONS: Final = {
    action.name: action
    for action in (
        Action("resolve", ("conflict", "as"), ("conflict", "as", "note"), _resolve, _do_resolve),
        Action("reopen", ("conflict",), ("conflict", "note"), _reopen, _do_reopen),
        Action("promote", ("memory", "stage"), ("memory", "stage", "note"), _promote, _do_promote),
        Action("correct", ("memory", "text"), ("memory", "text"), _correct, _do_correct),
        Action("feedback", ("id", "signal"), ("id", "signal", "note"), _feedback, _do_feedback),
        *TASK_ACTIONS,
        Action("forget", (), ("ids", "session", "project", "before", "query", "words"), _forget, _do_forget, takes_away=True),
        Action("unforget", ("id",), ("id",), _unforget, _do_unforget),
        Action("approve_prompt", ("update", "by"), ("update", "by", "note"), _approve_prompt, _do_approve_prompt),
        Action("reject_prompt", ("update", "by"), ("update", "by", "note"), _reject_prompt, _do_reject_prompt),
        Action("apply_prompt", ("update",), ("update",), _apply_prompt, _do_apply_prompt),
        Action("roll_back_prompt", ("role", "to"), ("role", "to"), _roll_back_prompt, _do_roll_back_prompt),
        Action("retire_lesson", ("lesson",), ("lesson", "note"), _retire_lesson, _do_retire_lesson),
        Action("keep_lesson", ("lesson",), ("lesson", "note"), _keep_lesson, _do_keep_lesson),
    )
}
"""Every word that can be said on a page, by its name."""
