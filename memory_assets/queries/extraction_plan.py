"""What an extraction of a session would do, told before it is done: nothing is sent, nothing is written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from memory_assets.errors import NotFoundError
from memory_assets.extraction.answers import WindowAnswer
from memory_assets.extraction.extractor import Extractor, RuleExtractor
from memory_assets.extraction.schema import ExtractedEntry
from memory_assets.extraction.windows import Window, shown_text, window_hash, windows
from memory_assets.identifiers import canonical_json
from memory_assets.log.event_log import EventLog
from memory_assets.log.events import dedupe_key_of, event_id_of
from memory_assets.log.payloads.entries import WindowExtracted
from memory_assets.log.payloads.sessions import SessionIngested
from memory_assets.log.session_history import History, histories
from memory_assets.queries.sessions import one_session

if TYPE_CHECKING:
    from memory_assets.configuration import Resources
    from memory_assets.settings import Settings


@dataclass(frozen=True, slots=True)
class PlannedWindow:
    """A window of whole messages, and what becomes of it.

    Attributes:
        number: from 1, in the order of the session.
        first_message, end_message: half-open; what stands from ``context_from`` to the first is repeated as context.
        messages_shown, characters: of the window and its context, what an extractor sees.
        answered: the log has the configured extractor's answer already; it is not asked again.
        messages: what is sent behind the system prompt; empty without a model.
        estimated_tokens: of all that is sent, the system prompt and the answer's schema included; 0 without a model.
        entries: what the embedded extractor quotes; empty with a model.
    """

    number: int
    first_message: int
    end_message: int
    context_from: int
    messages_shown: int
    characters: int
    answered: bool
    messages: tuple[dict[str, str], ...]
    estimated_tokens: int
    entries: tuple[ExtractedEntry, ...]


@dataclass(frozen=True, slots=True)
class ExtractionPlan:
    """What the configured extractor would be asked about a session.

    Attributes:
        extractor, version: who answers, and the version that an answer is kept under.
        model: None where the embedded rules answer; then nothing is sent to anybody.
        api_base: the address of the model's API where the settings name one.
        system_prompt, answer_schema: what goes with every call; None without a model.
        window_characters: how many characters a window holds.
        unanswered: how many windows the log has no answer for.
        calls: to the model, one for each of them where nothing goes wrong; ``calls_at_most`` counts attempts that fail and
            answers that have to be asked for again too.
        estimated_tokens: that the calls send; answers come on top.
    """

    session_id: str
    title: str | None
    message_count: int
    extractor: str
    version: str
    model: str | None
    api_base: str | None
    system_prompt: str | None
    answer_schema: dict[str, Any] | None
    window_characters: int
    windows: tuple[PlannedWindow, ...]
    unanswered: int
    calls: int
    calls_at_most: int
    estimated_tokens: int


def extraction_plan(resources: Resources, given: str) -> ExtractionPlan:
    """The windows of a session with what would be sent for each, or quoted of it by the embedded rules.

    Raises:
        NotFoundError, AmbiguousIdError: there is no such session, or its messages have not been taken in yet.
    """
    extractor = resources.extractor
    version = resources.extraction_version
    with resources.database.reading() as connection:
        session = one_session(connection, given)
        log = EventLog(resources.database)
        history = _history(log, session.session_id)
        known = log.known([session.session_id], WindowExtracted.event_type)
    cut = windows(history.messages, budget=resources.settings.extraction.window_characters)
    planned = tuple(
        _planned(number, history, window, extractor, resources.settings, answered=_event_id(history, window, version) in known)
        for number, window in enumerate(cut, start=1)
    )
    waiting = [window for window in planned if not window.answered]
    asks = not isinstance(extractor, RuleExtractor)
    return ExtractionPlan(
        session_id=session.session_id,
        title=session.title,
        message_count=len(history.messages),
        extractor=extractor.name,
        version=version,
        model=resources.settings.extraction.model,
        api_base=resources.settings.extraction.api_base if asks else None,
        system_prompt=_system_prompt(history, cut, resources.settings) if asks else None,
        answer_schema=WindowAnswer.model_json_schema() if asks else None,
        window_characters=resources.settings.extraction.window_characters,
        windows=planned,
        unanswered=len(waiting),
        calls=len(waiting) if asks else 0,
        calls_at_most=extractor.most_requests(len(waiting)),
        estimated_tokens=sum(window.estimated_tokens for window in waiting),
    )


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is, no tokenizer asked: four ASCII characters are one, any other is one by itself."""
    plain = sum(map(str.isascii, text))
    return math.ceil(plain / 4) + len(text) - plain


@cache
def _schema_tokens() -> int:
    return estimated_tokens(canonical_json(WindowAnswer.model_json_schema()))


def _history(log: EventLog, session_id: str) -> History:
    found = histories(log, log.current([session_id], SessionIngested.event_type)).get(session_id)
    if found is None:
        raise NotFoundError(
            f"the messages of session {session_id} have not been taken in yet",
            hint=f"`memory run {session_id} --to ingested` reads them",
        )
    return found


def _event_id(history: History, window: Window, version: str) -> str:
    """The id that a window's answer has in the log, as the stage ``extracted`` makes it."""
    inputs = (history.chain_id, window_hash(history.messages, window))
    return event_id_of(dedupe_key_of(WindowExtracted.event_type, history.session_id, inputs, stage_version=version))


def _planned(
    number: int, history: History, window: Window, extractor: Extractor, settings: Settings, *, answered: bool
) -> PlannedWindow:
    shown = [text for message in history.messages[window.context_start : window.end] if (text := shown_text(message))]
    sent: tuple[dict[str, str], ...] = ()
    entries: tuple[ExtractedEntry, ...] = ()
    tokens = 0
    if isinstance(extractor, RuleExtractor):
        entries = extractor.extract(history.messages, window).entries
    else:
        talk = _request(history, window, settings)
        tokens = sum(estimated_tokens(turn["content"]) for turn in talk) + _schema_tokens()
        sent = tuple(turn for turn in talk if turn["role"] != "system")
    return PlannedWindow(
        number=number,
        first_message=window.start,
        end_message=window.end,
        context_from=window.context_start,
        messages_shown=len(shown),
        characters=sum(map(len, shown)),
        answered=answered,
        messages=sent,
        estimated_tokens=tokens,
        entries=entries,
    )


def _request(history: History, window: Window, settings: Settings) -> list[dict[str, str]]:
    from memory_assets.extraction.window_request import request

    return request(history.messages, window, budget=settings.extraction.window_characters)


def _system_prompt(history: History, cut: Sequence[Window], settings: Settings) -> str | None:
    first = _request(history, cut[0], settings) if cut else []
    return next((turn["content"] for turn in first if turn["role"] == "system"), None)
