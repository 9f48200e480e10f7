"""An answer, recorded: who asked what, and which words answered it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memory_assets.commands.said import MOST_SAID, command, masked, now
from memory_assets.errors import InvalidArgumentError, MemoryAssetsError, ReadOnlyStoreError
from memory_assets.identifiers import sha256_hex, typed_id
from memory_assets.log.errors import StoreError
from memory_assets.log.event_log import EventLog
from memory_assets.log.payloads.answers import AnswerRecorded, CitedSpan
from memory_assets.projections.fold import catch_up
from memory_assets.queries.answers import chains_of, conversation_of, last_conversation
from memory_assets.results.citation import CitationV1
from memory_assets.sessions.masking.redaction import redact_text

if TYPE_CHECKING:
    from memory_assets.ask.answerer import Listen
    from memory_assets.ask.asker import Asker
    from memory_assets.ask.conversation import Conversation
    from memory_assets.ask.request import AskRequest
    from memory_assets.configuration import Resources
    from memory_assets.results.answer import AnswerCitationV1, AnswerV1

LONGEST_NAME = 100
"""Characters of a conversation's name."""


def conversation_for(resources: Resources, name: str | None, *, continued: bool = False) -> Conversation:
    """The conversation of a name, with its earlier turns; where there is none it begins.

    Args:
        name: None for the one that was asked in last, which has to be there.
        continued: whether there has to be one.

    Raises:
        InvalidArgumentError: the name is none.
        NotFoundError: there is no such conversation to continue.
    """
    kept = None if name is None else _name(resources, name)
    with resources.database.reading() as connection:
        conversation_id = last_conversation(connection) if kept is None else kept
        return conversation_of(connection, conversation_id, is_known=continued)


def answered(
    asker: Asker,
    resources: Resources,
    request: AskRequest,
    *,
    conversation: str | None = None,
    continued: bool = False,
    wanted: bool | None = None,
    listen: Listen | None = None,
) -> AnswerV1:
    """Ask, in a conversation where one is named, and write the answer down where it is to be.

    Args:
        conversation, continued: see :func:`conversation_for`; neither given, the question stands alone.
        wanted: see :func:`is_recorded`.

    Raises:
        As :func:`conversation_for` and ``ask.asker.Asker.ask``.
    """
    if conversation is not None or continued:
        request = replace(request, conversation=conversation_for(resources, conversation, continued=continued))
    return recorded(resources, request, asker.ask(request, listen), wanted=wanted)


def is_recorded(resources: Resources, request: AskRequest, wanted: bool | None) -> bool:
    """Whether an answer is to be recorded.

    Args:
        wanted: what the asker says of this one; None for the setting ``ask.record``.
    """
    if wanted is not None:
        return wanted
    setting = resources.settings.ask.record
    return setting == "always" or (setting == "conversations" and request.conversation is not None)


def recorded(resources: Resources, request: AskRequest, answer: AnswerV1, *, wanted: bool | None = None) -> AnswerV1:
    """Write an answer down, where it is to be; the answer as it was, with a note where it could not be written.

    An answer is not lost over it: a store that nobody may write, or that others hold, is asked all the same.

    Args:
        wanted: see :func:`is_recorded`.
    """
    if not is_recorded(resources, request, wanted):
        return answer
    try:
        record_answer(resources, request, answer)
    except (StoreError, ReadOnlyStoreError, OSError) as error:
        hint = f" ({error.hint})" if isinstance(error, MemoryAssetsError) and error.hint else ""
        return answer.model_copy(update={"notes": (*answer.notes, f"this answer is not recorded: {error}{hint}")})
    return answer


def record_answer(resources: Resources, request: AskRequest, answer: AnswerV1) -> str:
    """Write an answer into the log: the question, masked, and references to what it cites; the answer's id.

    Raises:
        StoreLockedError, StoreReadOnlyError, StoreFullError, StoreError
    """
    at = now()
    cited = [span for one in answer.citations if (span := _span(one)) is not None]
    question = _question(resources, request.question)
    talk = request.conversation
    word = AnswerRecorded(
        answer_id=typed_id("ans", question, at.isoformat(), talk and talk.conversation_id, talk and talk.turn_index),
        question=question,
        conversation_id=talk and talk.conversation_id,
        turn_index=talk and talk.turn_index,
        answerer=answer.model.id,
        prompt_version=answer.prompt_template_version,
        answerability=answer.retrieval.answerability,
        score_gate=answer.retrieval.score_gate,
        grounded=answer.grounded,
        refusal_reason=answer.refusal_reason,
        citations=cited,
    )
    database = resources.database
    with database.kept_open():
        with database.reading() as connection:
            chains = chains_of(connection, (span.session_id for span in cited))
        event = replace(command(word, at=at, project=request.project), basis_chains=chains or None)
        EventLog(database).append([event])
        catch_up(database, resources.configured_versions)
    return word.answer_id


def _span(one: AnswerCitationV1) -> CitedSpan | None:
    """A citation as a reference; None for what lies outside the store."""
    cited = one.citation
    if not isinstance(cited, CitationV1):
        return None
    return CitedSpan(
        marker=one.marker or "",
        session_id=cited.session_id,
        message_index=cited.message_index,
        span_start=cited.span_start or 0,
        span_end=cited.span_end or 0,
        quote_hash=sha256_hex(cited.quote) if cited.quote else "",
    )


def _question(resources: Resources, text: str) -> str:
    """What is kept of a question: masked whole, then cut, so that no half of a secret is left."""
    whole = text.encode("utf-8", "replace").decode("utf-8").strip()
    return redact_text(whole, resources.redaction_policy).text[:MOST_SAID]


def _name(resources: Resources, given: str) -> str:
    kept = " ".join(masked(resources, given, what="conversation's name").split())
    if not kept:
        raise InvalidArgumentError("the conversation's name is empty", hint="as in memory ask --session deploys '…'")
    if len(kept) > LONGEST_NAME:
        raise InvalidArgumentError(
            f"a conversation's name of {len(kept):,} characters is too long", hint=f"it has {LONGEST_NAME} at the most"
        )
    return kept
