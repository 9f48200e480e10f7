"""A question, checked and understood: what is left is to search. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory_assets.errors import InvalidArgumentError, check_word
from memory_assets.search.question.complexity import Complexity, complexity, dynamic_k, strategy
from memory_assets.search.question.intents import Detected, detect_intent
from memory_assets.search.question.speakers import named_speakers
from memory_assets.search.question.time_cues import TimeWindow, time_window
from memory_assets.search.ranking.weights import VECTOR_WEIGHT
from memory_assets.search.request import DEFAULT_KINDS, KINDS_WITH_STAGE, MAX_HITS, MAX_QUERY_CHARACTERS, ROLES, SearchRequest
from memory_assets.text.lexical_text import query_text
from memory_assets.vectors.units import UnitFilter
from memory_assets.vocabulary import FUSIONS, MODES, SCOPES, STAGES, UNIT_KINDS, SearchMode, Strategy

if TYPE_CHECKING:
    from memory_assets.results.outbox import Calibration

_HANGUL = re.compile("[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]")
# A kind and an id that nothing has: none at all would be no condition.
_NO_UNIT = "none"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question asks for.

    Attributes:
        vector_weight: the say of the vector leg; 0 where it takes no part.
        vectors_tell: what a cosine is says something here; not where the model's self-test says that it knows no such language.
        names: everybody who may be named; ``speakers`` who is.
        notes: why a leg takes no part, for people.
    """

    request: SearchRequest
    now: datetime
    mode: SearchMode
    vector_weight: float
    vectors_tell: bool
    k: int
    complexity: Complexity
    strategy: Strategy
    intent: Detected
    intent_asked: bool
    window: TimeWindow | None
    names: frozenset[str]
    speakers: frozenset[str]
    where: UnitFilter
    notes: tuple[str, ...]

    @property
    def is_within(self) -> bool:
        """Whether only a project, a folder or a task is searched."""
        return bool(self.where.project or self.where.worktree or self.where.unit_ids)

    @property
    def is_narrowed(self) -> bool:
        """Whether a wider search may find what this one does not."""
        where, request = self.where, self.request
        others = where.roles or where.stages or where.facets or where.since or where.until or request.kinds
        return self.is_within or bool(others)


def plan_of(
    request: SearchRequest,
    *,
    names: frozenset[str],
    calibration: Calibration | None,
    model: str,
    units_of_task: Callable[[str], tuple[str, ...]],
) -> Plan:
    """What a checked request asks for.

    Args:
        names: everybody who may be named.
        calibration: what the self-test says of the model; None where nothing has measured it.
        model: its name, for people.
        units_of_task: the units that are evidence of a task. What it raises is raised.
    """
    now = request.now or datetime.now(UTC)
    measured = complexity(request.query)
    usable = _usable(request, calibration)
    mode, weight, notes = _mode(request, usable, model)
    return Plan(
        request=request,
        now=now,
        mode=mode,
        vector_weight=weight,
        vectors_tell=usable != 0.0,
        k=request.k or dynamic_k(measured.score),
        complexity=measured,
        strategy=strategy(measured.score),
        intent=Detected(request.intent, ()) if request.intent else detect_intent(request.query),
        intent_asked=request.intent is not None,
        window=time_window(request.query, now),
        names=names,
        speakers=named_speakers(request.query, names),
        where=_filter(request, units_of_task),
        notes=notes,
    )


def check_request(request: SearchRequest) -> None:
    """Refuse what cannot be asked.

    Raises:
        InvalidArgumentError: an empty or endless question, a word that there is none of, a number out of bounds.
    """
    if not request.query.strip():
        raise InvalidArgumentError("the question is empty", hint="say what to look for")
    if len(request.query) > MAX_QUERY_CHARACTERS:
        raise InvalidArgumentError(
            f"a question of {len(request.query):,} characters is too long: {MAX_QUERY_CHARACTERS:,} are read at the most",
            hint="ask in a few words; `memory import` takes documents",
        )
    if not query_text(request.query):
        raise InvalidArgumentError("the question holds no word or number", hint="signs alone are not searched for")
    if request.k is not None and not 1 <= request.k <= MAX_HITS:
        raise InvalidArgumentError(f"{request.k} hits cannot be asked for", hint=f"ask for 1 to {MAX_HITS}")
    if request.budget is not None and request.budget < 1:
        raise InvalidArgumentError(f"a budget of {request.budget} tokens buys nothing", hint="give at least 1, better 500")
    check_word("mode", request.mode, MODES)
    check_word("fusion", request.fusion, FUSIONS)
    if request.scope is not None:
        check_word("scope", request.scope, SCOPES)
        _check_scope(request)
    for kind in request.kinds:
        check_word("kind", kind, UNIT_KINDS)
    for role in request.roles if request.kinds != ("lesson",) else ():  # a lesson's role is free words
        check_word("role", role, ROLES)
    if request.stage_min is not None:
        check_word("stage", request.stage_min, STAGES)
    for option, moment in (("since", request.since), ("until", request.until)):
        if moment is not None:
            _check_moment(option, moment)
    if request.since and request.until and request.since >= request.until:
        raise InvalidArgumentError("no time lies between --since and --until", hint="the first is the earlier one")


def _check_moment(option: str, moment: datetime) -> None:
    try:
        moment.astimezone(UTC)
    except OverflowError as error:
        raise InvalidArgumentError(f"{option} is at the end of all time", hint="give a year between 2 and 9998") from error


def _check_scope(request: SearchRequest) -> None:
    needed = {"project": request.project, "worktree": request.worktree, "task": request.task}
    if request.scope in needed and not needed[request.scope]:
        raise InvalidArgumentError(f"the scope {request.scope} names no {request.scope}", hint=f"say which {request.scope}")


def _is_korean(request: SearchRequest) -> bool:
    return _HANGUL.search(request.query) is not None


def _usable(request: SearchRequest, calibration: Calibration | None) -> float | None:
    """The weight that the self-test gives the model in the question's language; None where nothing has measured it yet."""
    if calibration is None:
        return None
    return calibration.korean_weight if _is_korean(request) else calibration.vector_weight


def _mode(request: SearchRequest, usable: float | None, model: str) -> tuple[SearchMode, float, tuple[str, ...]]:
    """Which legs to search, the say of the vector leg, and why one is left out."""
    if request.mode == "lexical":
        return "lexical", 0.0, ()
    if usable is None:
        return "hybrid" if request.mode == "auto" else request.mode, VECTOR_WEIGHT, ()
    if usable == 0.0 and request.mode in ("auto", "hybrid"):
        language = "Korean" if _is_korean(request) else "English"
        return "lexical", 0.0, (f"vector search left out: by its self-test the model {model} knows no {language}",)
    return "hybrid" if request.mode == "auto" else request.mode, usable or VECTOR_WEIGHT, ()


def _filter(request: SearchRequest, units_of_task: Callable[[str], tuple[str, ...]]) -> UnitFilter:
    # Whatever lies within the scope narrows it, wherever it was given; a scope that is not given is as narrow as can be.
    reach = SCOPES.index(request.scope) if request.scope else 0
    unit_ids: tuple[str, ...] = ()
    if request.task and reach == SCOPES.index("task"):
        unit_ids = units_of_task(request.task) or (_NO_UNIT,)
    kinds = request.kinds or (UNIT_KINDS if request.intent == "what_happened" else DEFAULT_KINDS)
    if request.stage_min:
        kinds = tuple(kind for kind in kinds if kind in KINDS_WITH_STAGE) or (_NO_UNIT,)
    return UnitFilter(
        project=request.project if reach <= SCOPES.index("project") else None,
        worktree=request.worktree or None if reach <= SCOPES.index("worktree") else None,
        unit_kinds=tuple(dict.fromkeys(kinds)),
        unit_ids=unit_ids,
        roles=request.roles,
        stages=STAGES[STAGES.index(request.stage_min) :] if request.stage_min else (),
        facets=tuple(f"file:{path.removeprefix('@').removeprefix('./')}" for path in request.files),
        since=request.since,
        until=request.until,
    )
