"""What is open, asked in a question: told from the board, whose tasks have states that no message says.

Only a question that asks for nothing else is one: what it is about is nothing, or a project that the store knows. Each task is
told in the words of the first quote that speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, Protocol

from memory_assets.ask.answers import answer_v1
from memory_assets.ask.extractive import language_of
from memory_assets.log.fetching import fetch
from memory_assets.results.answer import AnswerCitationV1, ClaimV1
from memory_assets.search.answers.unit_citations import cited_messages, place_citation
from memory_assets.vocabulary import FINISHED

if TYPE_CHECKING:
    import duckdb

    from memory_assets.ask.request import AskRequest
    from memory_assets.ask.said_dates import Language
    from memory_assets.results.answer import AnswerV1
    from memory_assets.results.citation import AnyCitationV1
    from memory_assets.results.tasks import TaskEvidence, TaskView

MOST_TASKS: Final = 8
_MOST_CHARACTERS: Final = 200
"""Of a task's words."""

Which = Literal["open", "blocked", "in_progress"]

_TASKS_ENGLISH: Final = r"(?:tasks?|things?|items?|to-?dos?|work)"
_OPEN_ENGLISH: Final = (
    r"(?:open|left(?: (?:over|undone|to do|to be done))?|unfinished|undone|pending|outstanding|remaining|to (?:be done|do)"
    r"|incomplete|not (?:yet )?(?:done|finished|completed?)(?: yet)?)"
)
_NOW_ENGLISH: Final = r"(?: (?:now|still|right now|currently|at the moment))?"
_IN_ENGLISH: Final = (
    r"(?: (?:in|on|for|of|at|with)(?: the)?(?: project| repo(?:sitory)?)? (?P<project>[\w./@-]+(?: [\w./@-]+){0,3}?)"
    r"(?: project| repo(?:sitory)?)?)?"
)
_STATES_ENGLISH: Final[dict[Which, str]] = {"open": _OPEN_ENGLISH, "blocked": "blocked", "in_progress": "in progress"}
_ENGLISH: Final = (
    rf"(?:what|which)(?: {_TASKS_ENGLISH})?(?:['’]s| is| are){_NOW_ENGLISH} STATE{_NOW_ENGLISH}",
    rf"(?:what(?:['’]s| is| are)|which are)(?: the| my| our)? STATE {_TASKS_ENGLISH}",
    rf"(?:is there|are there|do (?:we|i) have)(?: any(?:thing)?| something)?(?: {_TASKS_ENGLISH})?{_NOW_ENGLISH} STATE"
    rf"(?: {_TASKS_ENGLISH})?{_NOW_ENGLISH}",
    rf"is (?:anything|something){_NOW_ENGLISH} STATE",
    rf"(?:(?:list|show|give|tell)(?: me)? )?(?:all )?(?:the |my |our )?STATE {_TASKS_ENGLISH}",
)
_OPEN_ALONE_ENGLISH: Final = (
    rf"what(?: {_TASKS_ENGLISH})?(?: still)? remains?(?: (?:open|undone|to do|to be done))?",
    r"what (?:do|should) (?:i|we)(?: still)? (?:have|need) to (?:do|finish)",
)

_TASKS_KOREAN: Final = r"(?:할 ?일|일|작업|태스크|과제|투두)"
_IN_KOREAN: Final = (
    r"(?:(?!(?:아직|지금|현재|이제|여기|우리|할|내|내가)[ 은는])(?P<project>[\w./@-]+?)(?: ?프로젝트| ?저장소)?"
    r"(?:에서는|에서|에는|에|의)? )?(?:(?:아직|지금|현재|이제) ?)?"
)
_ASKS_KOREAN: Final = (
    r"(?:이|가|은|는|들이|들은|들|을|를|에는)?(?: ?(?:뭐|무엇|뭔|어떤|무슨|어느)\S{0,6}"
    r"| ?있(?:어|나|니|는지|습니까|을까)\S{0,3}"
    r"| ?(?:알려|보여|말해)\S{0,6}| ?목록\S{0,4})?(?: ?있\S{0,5}| ?(?:알려|보여)\S{0,6})?"
)
_STATES_KOREAN: Final[dict[Which, str]] = {
    "open": r"(?:남은|남아 ?있는|(?:다 )?안 ?끝난|끝나지 ?않은|못 ?(?:한|끝낸)|미완료(?:된|인)?|미완성|열린|열려 ?있는"
    r"|해야 ?할|하지 ?않은)",
    "blocked": r"(?:막힌|막혀 ?있는)",
    "in_progress": r"(?:진행 ?중인|하고 ?있는|하던)",
}
_SAYS_KOREAN: Final[dict[Which, str]] = {
    "open": r"(?:남았|남아 ?있|(?:다 )?안 ?끝났|끝나지 ?않았|열려 ?있)",
    "blocked": r"(?:막혔|막혀 ?있)",
    "in_progress": r"(?:진행 ?중|진행되고 ?있)",
}
_KOREAN: Final = (
    rf"STATE (?:{_TASKS_KOREAN}|거|것|게){_ASKS_KOREAN}",
    rf"(?:뭐|뭐가|무엇이|무슨 {_TASKS_KOREAN}이|어떤 {_TASKS_KOREAN}(?:이|가)?"
    rf"|{_TASKS_KOREAN}(?:이|은|가)? ?(?:뭐|뭐가|무엇이)) ?(?:아직 )?SAYS\S{{0,5}}",
)
_LEAD: Final = re.compile(r"^(?:(?:so|and|ok(?:ay)?|hey|hi|please|well|그럼|그래서|자)[, ]+)+", re.IGNORECASE)

_TOLD: Final[dict[Language, dict[str, str]]] = {
    "en": {"in_progress": "in progress", "blocked": "blocked", "pending": "open"},
    "ko": {"in_progress": "진행 중", "blocked": "막힘", "pending": "할 일"},
}
_NOTHING: Final[dict[Language, dict[Which, str]]] = {
    "en": {"open": "No task is open.", "blocked": "No task is blocked.", "in_progress": "No task is in progress."},
    "ko": {"open": "남은 할 일이 없습니다.", "blocked": "막힌 일이 없습니다.", "in_progress": "진행 중인 일이 없습니다."},
}


class Board(Protocol):
    """The tasks of a store, what matters most first; the finished ones too where no state is asked for."""

    def __call__(self, connection: duckdb.DuckDBPyConnection, *, status: str | None, project: str | None) -> list[TaskView]: ...


@dataclass(frozen=True, slots=True)
class AskedBoard:
    """What of the board a question asks for.

    Attributes:
        project: as the question names it; None for all of them.
    """

    which: Which
    project: str | None


@dataclass(frozen=True, slots=True)
class _Told:
    """A task as a line tells it: its state, the words of a quote, and where these stand."""

    state: str
    words: str
    place: tuple[str, int]
    citation: AnyCitationV1


def asked_board(question: str) -> AskedBoard | None:
    """What of the board a question asks for; None where it asks for anything else, which is most of them."""
    text = _LEAD.sub("", " ".join(question.split()).strip(" ?.!~？"))
    for which, pattern in _patterns():
        if (found := pattern.fullmatch(text)) is not None:
            return AskedBoard(which, found["project"])
    return None


def board_answer(connection: duckdb.DuckDBPyConnection, board: Board, request: AskRequest) -> AnswerV1 | None:
    """The tasks that a question asks for, a line each, what matters most first; None where it is no question of the board.

    Where it names what is no project of the store, it is none either.
    """
    asked = asked_board(request.question)
    if asked is None:
        return None
    project = _project(connection, asked.project, request.project)
    if asked.project is not None and project is None:
        return None
    status = None if asked.which == "open" else asked.which
    tasks = _unfinished(board(connection, status=status, project=project))
    language = language_of(request.question)
    told = list(_told(connection, tasks, language))[:MOST_TASKS]
    if not told:
        return answer_v1(request, seen=None, answer=_NOTHING[language][asked.which], grounded=False, reason="no_chunks")
    lines, citations, claims = [], [], []
    for number, one in enumerate(told, start=1):
        marker, said = f"[{number}]", f"{one.state}: {' '.join(one.words.split())}"
        lines.append(f"{said} {marker}")
        citations.append(AnswerCitationV1(marker=marker, citation=one.citation))
        claims.append(ClaimV1(text=said, markers=(marker,), quotes=(one.words,)))
    where = f" --project {project}" if project else ""
    notes = [f"{len(told)} of {len(tasks)} tasks: `memory tasks{where}` lists them"] if len(tasks) > len(told) else []
    return answer_v1(
        request,
        seen=None,
        answer="\n".join(lines),
        grounded=True,
        citations=tuple(citations),
        claims=tuple(claims),
        used=len({one.place for one in told}),
        notes=tuple(notes),
    )


@cache
def _patterns() -> tuple[tuple[Which, re.Pattern[str]], ...]:
    """Made when the first question is asked."""
    spelled: list[tuple[Which, str]] = [("open", rf"{pattern}{_IN_ENGLISH}{_NOW_ENGLISH}") for pattern in _OPEN_ALONE_ENGLISH]
    for which, state in _STATES_ENGLISH.items():
        spelled += [(which, rf"{pattern.replace('STATE', state)}{_IN_ENGLISH}{_NOW_ENGLISH}") for pattern in _ENGLISH]
    for which, state in _STATES_KOREAN.items():
        says = _SAYS_KOREAN[which]
        spelled += [(which, _IN_KOREAN + pattern.replace("STATE", state).replace("SAYS", says)) for pattern in _KOREAN]
    return tuple((which, re.compile(pattern, re.IGNORECASE)) for which, pattern in spelled)


def _project(connection: duckdb.DuckDBPyConnection, named: str | None, within: str | None) -> str | None:
    """The project that is asked of: the one that the question names, where the store has it and nothing else is said."""
    if named is None:
        return within
    rows = fetch(connection, "SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL ORDER BY project")
    known = [row[0] for row in rows if row[0].casefold() == named.casefold()]
    found = named if named in known else next(iter(known), None)
    return found if within in (None, found) else None


def _unfinished(tasks: Sequence[TaskView]) -> list[TaskView]:
    """What is said done without proof, and what nobody has spoken of for long, comes last."""
    left = [task for task in tasks if task.status not in FINISHED]
    return sorted(left, key=lambda task: (task.requested_status == "done", task.quiet))


def _told(connection: duckdb.DuckDBPyConnection, tasks: Sequence[TaskView], language: Language) -> Iterator[_Told]:
    quoted = [(task, found) for task in tasks if (found := _first_quote(task)) is not None][:MOST_TASKS]
    places = [{"session_id": quote.session_id, "message_index": quote.message_index} for _, quote in quoted]
    messages = cited_messages(connection, places)
    for task, quote in quoted:
        message = messages.get((quote.session_id, quote.message_index))
        if message is None:
            continue
        start, end = quote.span_start, _end(message.text, quote.span_start, quote.span_end)
        place = {"segments": [(start, end)], "span_start": start, "span_end": end}
        citation = place_citation("task", place, message).model_copy(update={"label": task.title})
        yield _Told(_TOLD[language][task.status], message.text[start:end], (quote.session_id, quote.message_index), citation)


def _first_quote(task: TaskView) -> TaskEvidence | None:
    """What was said of it in one piece: what its title says, else what was said first."""
    whole = [one for one in task.evidence if one.span_end - one.span_start == len(one.quote)]
    title = _bare(task.title)
    return next((one for one in whole if _bare(one.quote) in title or title in _bare(one.quote)), next(iter(whole), None))


def _bare(text: str) -> str:
    """Letters and digits: a title lacks the marks of its quote."""
    return "".join(filter(str.isalnum, text.casefold()))


def _end(text: str, start: int, end: int) -> int:
    """Where the words of a quote end that a line shows: behind a whole word."""
    if end - start <= _MOST_CHARACTERS:
        return end
    cut = start + _MOST_CHARACTERS
    blank = max(text.rfind(" ", start + 1, cut), text.rfind("\n", start + 1, cut))
    return blank if blank > start else cut
