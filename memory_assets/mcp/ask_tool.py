"""The tool that answers a question in cited quotes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memory_assets.mcp import arguments as given
from memory_assets.mcp.answers import EVIDENCE, Answer, answer
from memory_assets.mcp.output_schemas import Output
from memory_assets.mcp.quoting import inline, quoted
from memory_assets.mcp.tool import Tool

if TYPE_CHECKING:
    from memory_assets.mcp.store import Store
    from memory_assets.results.answer import AnswerV1


def _ask_memory(store: Store, asked: given.AskArguments) -> Answer:
    from memory_assets.commands.answers import conversation_for, recorded
    from memory_assets.memory import AskRequest

    resources = store.memory.resources
    talk = conversation_for(resources, asked.conversation) if asked.conversation is not None else None
    request = AskRequest(
        asked.question,
        project=asked.project,
        mode=asked.mode,
        most_words=asked.words,
        conversation=talk,
        multi_hop=asked.multi_hop,
    )
    told = recorded(resources, request, store.memory.ask(request))
    return answer(told, list(answer_lines(told)))


def answer_lines(told: AnswerV1) -> Iterator[str]:
    """The quotes with what their marks stand for; of a refusal what was nearest."""
    if told.grounded:
        how = (
            "in quotes"
            if told.model.provider == "memory_assets"
            else f"by {told.model.id}, each statement held to what it cites"
        )
        yield f"answered {how}, answerability {told.retrieval.answerability:.2f}. {EVIDENCE}"
    else:
        yield f"not answered ({told.refusal_reason}), answerability {told.retrieval.answerability:.2f}"
    yield from quoted(told.answer)
    if not told.grounded and told.citations:
        yield "nearest:"
    for cited in told.citations:
        mark = cited.marker.strip("[]") + "." if cited.marker else "-"
        yield f"{mark} {cited.citation.uri}  {inline(cited.citation.label, 120)}"
    for note in told.notes:
        yield f"note: {inline(note, 400)}"


ASK_TOOL = Tool(
    "ask_memory",
    "An answer in quotes",
    "The answer to one question as a few quotes (45 words), or as at most eight lines where it asks for a list ('what is "
    "open?', 'what did we decide?'), with their addresses; or a refusal where nothing that was said answers it: then say so, "
    "and guess nothing. Use it for 'why did we', 'when was', '왜 … 했지'; use search_memory to look around. Some 150 to 600 "
    "tokens.",
    given.AskArguments,
    _ask_memory,
    Output("answer.v1"),
)
