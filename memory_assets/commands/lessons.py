"""A person's word on a lesson: it is to be read no more, or it is to be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.commands.errors import NotPossibleError
from memory_assets.commands.said import command, masked, now, say, settle
from memory_assets.log.payloads.court import LessonKept, LessonRetired
from memory_assets.queries.lessons import one_lesson

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.results.court import LessonV1


def retire_lesson(resources: Resources, given: str, *, by: str, note: str = "") -> LessonV1:
    """Say that a lesson is to be read no more, whatever case gives it again. The lesson as it stands afterwards.

    Raises:
        NotFoundError, AmbiguousIdError: of the lesson's id.
        NotPossibleError: it says what another lesson says, which is the one to retire.
    """
    lesson = _current(resources, given)
    check_retirable(lesson)
    return _said(
        resources, LessonRetired(lesson_id=lesson.lesson_id, said_by=masked(resources, by), note=masked(resources, note))
    )


def check_retirable(lesson: LessonV1) -> None:
    """Say why a lesson cannot be retired, where it cannot.

    Raises:
        NotPossibleError: it says what another lesson says, which is the one to retire.
    """
    if lesson.status == "merged":
        raise NotPossibleError(
            f"the lesson {lesson.lesson_id} says what a newer one says", hint=f"`memory lessons retire {lesson.by_lesson_id}`"
        )


def keep_lesson(resources: Resources, given: str, *, by: str, note: str = "") -> LessonV1:
    """Say that a lesson is to be kept: a retirement is taken back, and neither newer evidence nor a budget sets it aside.

    Raises:
        NotFoundError, AmbiguousIdError: of the lesson's id.
    """
    lesson = _current(resources, given)
    who, why = masked(resources, by, what="name"), masked(resources, note, what="note")
    return _said(resources, LessonKept(lesson_id=lesson.lesson_id, said_by=who, note=why))


def _current(resources: Resources, given: str) -> LessonV1:
    settle(resources)
    with resources.database.reading() as connection:
        return one_lesson(connection, given)


def _said(resources: Resources, word: LessonRetired | LessonKept) -> LessonV1:
    say(resources, command(word, at=now()))
    with resources.database.reading() as connection:
        return one_lesson(connection, word.lesson_id)
