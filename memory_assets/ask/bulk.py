"""Many questions, a line of JSON each: an error stays with its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from memory_assets.ask.request import AskRequest
from memory_assets.errors import MemoryAssetsError
from memory_assets.results.answer import BulkAnswerItemV1
from memory_assets.results.error import ErrorV1
from memory_assets.results.model import WireModel
from memory_assets.search.bulk import in_their_order, read_line
from memory_assets.vocabulary import AskedMode

if TYPE_CHECKING:
    from memory_assets.ask.asker import Asker


class BulkAskRequestV1(WireModel):
    """One line that ``memory ask --bulk`` reads: a question, and what of the command's options it says differently."""

    schema_version: Literal["bulk_ask_request.v1"] = "bulk_ask_request.v1"
    id: str | int
    question: str
    project: str | None = None
    mode: AskedMode | None = None
    most_words: int | None = Field(default=None, ge=1)


def answers(asker: Asker, lines: Sequence[str], defaults: AskRequest, *, first_line: int = 1) -> Iterator[BulkAnswerItemV1]:
    """The answer of each line, in the order of the lines; empty lines say nothing and get none.

    Args:
        defaults: what a line does not say itself.
        first_line: the number of the first one, for the id of a line that has none.
    """
    asked = [_asked(line, number, defaults) for number, line in enumerate(lines, start=first_line) if line.strip()]
    for given_id, outcome in in_their_order(asked, asker.ask_all):
        if isinstance(outcome, ErrorV1):
            yield BulkAnswerItemV1(id=given_id, error=outcome)
        else:
            yield BulkAnswerItemV1(id=given_id, answer=outcome)


def _asked(line: str, number: int, defaults: AskRequest) -> tuple[str, AskRequest | MemoryAssetsError]:
    given_id, said = read_line(line, number, BulkAskRequestV1, '{"id": "1", "question": "…"}')
    if isinstance(said, MemoryAssetsError):
        return given_id, said
    fields = {
        name: value for name in ("question", "project", "mode", "most_words") if (value := getattr(said, name)) is not None
    }
    return given_id, replace(defaults, **fields)
