"""Many questions, a line of JSON each: their vectors are made together, an error stays with its line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from pydantic import AwareDatetime, BeforeValidator, Field, ValidationError

from memory_assets.errors import InvalidArgumentError, MemoryAssetsError
from memory_assets.results.error import ErrorV1
from memory_assets.results.model import WireModel
from memory_assets.results.search import BulkSearchItemV1
from memory_assets.search.question.intents import parse_intent
from memory_assets.search.request import MAX_HITS, SearchRequest
from memory_assets.vocabulary import AskedMode, FusionMethod, Intent, Scope

if TYPE_CHECKING:
    from memory_assets.search.searcher import Searcher

BATCH_SIZE = 100
MOST_LINE_CHARACTERS = 200_000
_MARK = "\ufeff"  # some editors put it in front of a file
_SCOPED = ("project", "worktree", "task")

Line = TypeVar("Line", bound=WireModel)
Request = TypeVar("Request")
Outcome = TypeVar("Outcome")


def _intent(given: object) -> object:
    """An intent by any of its names."""
    return (parse_intent(given) or given) if isinstance(given, str) else given


class BulkSearchRequestV1(WireModel):
    """One line that a bulk search reads: a question, and what of the command's options it says differently."""

    schema_version: Literal["bulk_search_request.v1"] = "bulk_search_request.v1"
    id: str | int
    query: str
    mode: AskedMode | None = None
    k: int | None = Field(default=None, ge=1, le=MAX_HITS)
    intent: Annotated[Intent | None, BeforeValidator(_intent)] = None
    scope: Scope | None = None
    project: str | None = None
    worktree: str | None = None
    task: str | None = None
    kinds: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    files: tuple[str, ...] | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    stage_min: str | None = None
    fusion: FusionMethod | None = None
    budget: int | None = Field(default=None, ge=1)
    now: AwareDatetime | None = None


def in_batches(lines: Iterable[str], first_line: int) -> Iterator[tuple[int, list[str]]]:
    """Lines a hundred at a time, each time with the number of the first one."""
    waiting, number = iter(lines), first_line
    while batch := list(islice(waiting, BATCH_SIZE)):
        yield number, batch
        number += len(batch)


def answered(
    searcher: Searcher, lines: Sequence[str], defaults: SearchRequest, *, first_line: int = 1, explain: bool = False
) -> Iterator[BulkSearchItemV1]:
    """The answer of each line, in the order of the lines; empty lines say nothing and get none.

    Args:
        lines: at most :data:`BATCH_SIZE` of them.
        defaults: what a line does not say itself.
        first_line: the number of the first one, for the id of a line that has none.
    """
    asked = [_asked(line, number, defaults) for number, line in enumerate(lines, start=first_line) if line.strip()]
    for given_id, outcome in in_their_order(asked, lambda requests: searcher.search_all(requests, explain=explain)):
        if isinstance(outcome, ErrorV1):
            yield BulkSearchItemV1(id=given_id, error=outcome)
        else:
            yield BulkSearchItemV1(id=given_id, response=outcome)


def in_their_order(
    asked: Sequence[tuple[str, Request | MemoryAssetsError]],
    answer_all: Callable[[list[Request]], Iterator[Outcome | MemoryAssetsError]],
) -> Iterator[tuple[str, Outcome | ErrorV1]]:
    """The answers to the questions among some lines, which are asked together, and the errors of the others, line by line.

    Args:
        asked: by the id of each line its question, or what is wrong with it.
    """
    answers = answer_all([request for _, request in asked if not isinstance(request, MemoryAssetsError)])
    for given_id, request in asked:
        outcome = request if isinstance(request, MemoryAssetsError) else next(answers)
        if isinstance(outcome, MemoryAssetsError):
            yield given_id, ErrorV1(code=outcome.code, message=str(outcome), hint=outcome.hint)
        else:
            yield given_id, outcome


def _asked(line: str, number: int, defaults: SearchRequest) -> tuple[str, SearchRequest | MemoryAssetsError]:
    """A line's id and its question, or what is wrong with it."""
    given_id, said = read_line(line, number, BulkSearchRequestV1, '{"id": "1", "query": "…"}')
    if isinstance(said, InvalidArgumentError):
        return given_id, said
    given: dict[str, Any] = {name: getattr(said, name) for name in said.model_fields_set - {"id", "schema_version"}}
    fields = {name: value for name, value in given.items() if value is not None}
    if not fields.keys().isdisjoint(_SCOPED):
        # What a line says of where to look is its scope, however far the others look.
        fields.setdefault("scope", None)
    return given_id, replace(defaults, **fields)


def read_line(line: str, number: int, model: type[Line], example: str) -> tuple[str, Line | InvalidArgumentError]:
    """A line of JSON as a model, with the id that it is answered by; or what is wrong with it.

    Args:
        number: of the line, for the id of one that has none.
        example: a line as it should be.
    """
    nameless = f"line {number}"
    if len(line) > MOST_LINE_CHARACTERS:
        return nameless, InvalidArgumentError(f"line {number} has {len(line):,} characters", hint="a line is one question")
    if not _is_unicode(line):
        return nameless, InvalidArgumentError(f"line {number} is no UTF-8", hint="a line is JSON, which is written in UTF-8")
    try:
        value = json.loads(line.removeprefix(_MARK))
    except (ValueError, RecursionError):
        return nameless, InvalidArgumentError(f"line {number} is no JSON", hint=f"as in {example}")
    given_id = _id_of(value) or nameless
    try:
        return given_id, model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the line"
        known = ", ".join(model.model_fields)
        return given_id, InvalidArgumentError(f"line {number}: {field}: {first['msg']}", hint=f"a line may say {known}")


def _id_of(value: object) -> str | None:
    """The id that a line is answered by, as the line gives it, so that whoever asked knows it again."""
    given = value.get("id") if isinstance(value, Mapping) else None
    return str(given) if isinstance(given, str | int) else None


def _is_unicode(text: str) -> bool:
    """Whether there are no halves of surrogate pairs in a text: bytes that are no UTF-8 are read as such."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
