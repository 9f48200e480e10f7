"""What follows across cases: which lessons stand, which say the same, which contradict each other, and which are too many.

A function of the set of accepted lessons and of what people said of them. The order in which cases were heard decides nothing:
what is newer is newer by the sessions' own clocks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory_assets.court.lessons import Accepted, Lesson, Link, PersonsWord, Use
from memory_assets.court.likeness import Alike, words_of
from memory_assets.court.policy import Policy
from memory_assets.court.support import Moment, moment_of, told_once
from memory_assets.graduation.conflicts.contradictions import contradiction
from memory_assets.text.equivalence import differ_in_a_fact
from memory_assets.text.statements import statement_of
from memory_assets.vocabulary import LessonStatus, LinkKind, Severity

STANDING_VERSION = "3"
"""Changes whenever the same accepted lessons would stand otherwise."""

_DOUBT: Mapping[Severity, float] = {"low": 1.1, "medium": 1.0, "high": 0.9, "critical": 0.8}
"""What is grave is kept on less evidence."""

_STATUS: Mapping[LinkKind, LessonStatus] = {"merges": "merged", "supersedes": "superseded", "conflicts": "contested"}


@dataclass(frozen=True, slots=True)
class Standing:
    """The lessons of some roles and how they stand to each other, by their ids."""

    lessons: tuple[Lesson, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class _Fate:
    """What became of a lesson beside a newer one."""

    status: LessonStatus
    by: str
    reason: str


def standing(
    accepted: Iterable[Accepted],
    policy: Policy,
    *,
    words: Mapping[str, PersonsWord] | None = None,
    use: Mapping[str, Use] | None = None,
    moments: Iterable[tuple[str, Moment]] | None = None,
) -> Standing:
    """What stands of some accepted lessons: all of the roles that are among them.

    Args:
        moments: by which sessions are known to be the same, where lessons of other roles tell of them too; otherwise those of
            ``accepted``.
        words: the last word of a person, by lesson.
        use: what was said of lessons that were shown, by lesson.
    """
    given = list(accepted)
    told = ((one.session_id, moment_of(one.at, one.said)) for one in given) if moments is None else moments
    sessions = told_once(told)
    by_role: dict[str, dict[str, list[Accepted]]] = {}
    for one in given:
        by_role.setdefault(one.role, {}).setdefault(one.lesson_id, []).append(one)
    lessons: list[Lesson] = []
    links: list[Link] = []
    for role in sorted(by_role):
        of_role = {
            lesson_id: sorted(given, key=lambda one: (one.at, one.session_id, one.claim_id))
            for lesson_id, given in by_role[role].items()
        }
        found = _of_role(of_role, words or {}, use or {}, policy, sessions)
        lessons += found.lessons
        links += found.links
    return Standing(
        tuple(sorted(lessons, key=lambda lesson: lesson.told.lesson_id)),
        tuple(sorted(links, key=lambda link: (link.lesson_id, link.other_lesson_id))),
    )


def _of_role(
    of_role: Mapping[str, Sequence[Accepted]],
    words: Mapping[str, PersonsWord],
    use: Mapping[str, Use],
    policy: Policy,
    sessions: Mapping[str, str],
) -> Standing:
    """The lessons of one role. What is retired takes nothing with it but what says the same, so what it set aside stands again.

    That may put others beyond the budget, and so on; what is retired once stays so, and this ends.
    """
    retired: set[str] = set()
    while True:
        fates, links = _beside_each_other(of_role, retired, policy)
        stand = [_lesson(lesson_id, of_role, fates, words, use, sessions) for lesson_id in of_role]
        lessons = _within_budget(stand, retired, words, policy)
        more = {one.told.lesson_id for one in lessons if one.status == "retired"}
        setting_aside = {fate.by for fate in fates.values() if fate.status != "merged"}
        retired |= more
        if setting_aside.isdisjoint(more):
            return Standing(tuple(lessons), tuple(links))


def confidence_of(given: Sequence[Accepted], use: Use, sessions: int) -> float:
    """How sure a lesson is: ``1 - doubt``, then what those say who used it.

    Doubt is what the surest finding leaves, times 1.1 for a low, 1, 0.9, and 0.8 for a critical severity (the worst that was
    found), divided by the number of sessions that support it: a session that was heard twice says no more for it. Of those who
    said whether it helped, the share that it helped, with one more who it helped, scales the whole: one word that it did harm
    halves it.
    """
    surest = max(one.confidence for one in given)
    grave = min(_DOUBT[one.severity] for one in given)
    doubt = min(1.0, (1 - surest) * grave) / sessions
    helped = (1 + use.helpful) / (1 + use.helpful + use.harmful)
    return round((1 - doubt) * helped, 4)


def _beside_each_other(
    of_role: Mapping[str, Sequence[Accepted]], retired: Collection[str], policy: Policy
) -> tuple[dict[str, _Fate], list[Link]]:
    """What the newer lessons of a role do to the older ones; the newest goes first and stands.

    Args:
        retired: those that take nothing with them but what says the same.
    """
    told = {lesson_id: given[-1] for lesson_id, given in of_role.items()}
    words = {lesson_id: words_of(one.rule, one.trigger) for lesson_id, one in told.items()}
    alike = Alike(words, policy.near)
    fates: dict[str, _Fate] = {}
    links: list[Link] = []
    for lesson_id in sorted(sorted(told), key=lambda lesson_id: told[lesson_id].at, reverse=True):
        for other, share in alike.found(lesson_id):
            link, reason = _decided(told[other], told[lesson_id], share, policy)
            if link in ("supersedes", "conflicts") and other in retired:
                continue
            links.append(Link(other, lesson_id, link, round(share, 4), reason))
            if link != "coexists":
                fates[lesson_id] = _Fate(_STATUS[link], other, reason)
                break
        # What is contested stands beside the newer one; only what went into another lesson is no more to be compared with.
        if lesson_id not in fates or fates[lesson_id].status == "contested":
            alike.add(lesson_id)
    return fates, links


def _decided(newer: Accepted, older: Accepted, share: float, policy: Policy) -> tuple[LinkKind, str]:
    """What a newer lesson does to an older one that is near."""
    if newer.polarity != older.polarity:
        return "conflicts", "one says to do what the other says not to do; the newer evidence holds"
    if found := contradiction(newer.rule, older.rule):
        return "conflicts", f"{found.reason}; the newer evidence holds"
    if differ_in_a_fact(statement_of(newer.rule), statement_of(older.rule)):
        return "coexists", "they differ in a number, a name, a path, an operator or a negation"
    if share >= policy.same:
        return "merges", "both say the same"
    if newer.kind != older.kind:
        return "coexists", "they were found in different ways"
    return "supersedes", "both speak of the same; the newer evidence holds"


def _lesson(
    lesson_id: str,
    of_role: Mapping[str, Sequence[Accepted]],
    fates: Mapping[str, _Fate],
    words: Mapping[str, PersonsWord],
    use: Mapping[str, Use],
    sessions: Mapping[str, str],
) -> Lesson:
    """A lesson with what was merged into it, and the last word that a person said of either."""
    merged = tuple(sorted(other for other, fate in fates.items() if fate.status == "merged" and fate.by == lesson_id))
    both = (lesson_id, *merged)
    given = [one for each in both for one in of_role[each]]
    used = Use(sum(use[each].helpful for each in both if each in use), sum(use[each].harmful for each in both if each in use))
    projects = {one.project for one in given}
    support = len({sessions.get(one.session_id, one.session_id) for one in given})
    lesson = Lesson(
        told=of_role[lesson_id][-1],
        status="active",
        reason="",
        by=None,
        merged=merged,
        support_cases=len({one.case_id for one in given}),
        support_sessions=support,
        helpful=used.helpful,
        harmful=used.harmful,
        confidence=confidence_of(given, used, support),
        first_at=min(one.at for one in given),
        last_at=max(one.at for one in given),
        project=projects.pop() if len(projects) == 1 else None,
    )
    said = max((words[each] for each in both if each in words), key=lambda word: (word.at, word.by, word.note), default=None)
    if said is not None and not said.keeps:
        return replace(lesson, status="retired", reason=f"{said.by}: {said.note}" if said.note else said.by)
    fate = fates.get(lesson_id)
    if said is not None and fate is not None and fate.status != "merged":
        return lesson  # a person wants it kept, whatever newer evidence says
    return lesson if fate is None else replace(lesson, status=fate.status, reason=fate.reason, by=fate.by)


def _within_budget(
    lessons: Sequence[Lesson], retired: Collection[str], words: Mapping[str, PersonsWord], policy: Policy
) -> list[Lesson]:
    """Beyond the most that a role may have, the weakest retire; what a person wants kept comes first.

    Args:
        retired: those that were beyond it before: they stay so.
    """

    def worth(lesson: Lesson) -> tuple[bool, float, datetime]:
        both = (lesson.told.lesson_id, *lesson.merged)
        return any(each in words and words[each].keeps for each in both), lesson.confidence, lesson.last_at

    by_id = sorted(lessons, key=lambda lesson: lesson.told.lesson_id)
    known = [lesson for lesson in by_id if lesson.status == "active" and lesson.told.lesson_id not in retired]
    active = sorted(known, key=worth, reverse=True)
    most = policy.active_lessons_of_a_role
    over = {lesson.told.lesson_id for lesson in active[most:]}
    return [
        replace(lesson, status="retired", reason=f"the role has its {most:,} strongest lessons")
        if lesson.told.lesson_id in over or (lesson.status == "active" and lesson.told.lesson_id in retired)
        else lesson
        for lesson in lessons
    ]
