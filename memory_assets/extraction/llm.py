"""The model extractor: any provider that litellm names (``providers.client``), held to quotes by a schema."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memory_assets.extraction.answers import ReadAnswer, UnreadableAnswer, WindowAnswer, read_answer, read_broken_answer
from memory_assets.extraction.errors import ExtractionFailed, ModelUnavailable
from memory_assets.extraction.extractor import ExtractionAnswer
from memory_assets.extraction.grounding import ground
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.extraction.window_request import prompt, request
from memory_assets.extraction.windows import WINDOW_CHARACTERS, Window
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.providers.client import completion, is_served, kind_of, litellm_client, price_of
from memory_assets.providers.replies import Reply, reply_of, same_model
from memory_assets.providers.retries import (
    is_down,
    is_of_the_request,
    is_rate_limit,
    may_be_declined,
    refused_parameter,
    wait_before_next,
    was_heard,
    within,
    worth_another,
)
from memory_assets.sessions.model import Message

_CODE_VERSION = "3"
_ROUNDS = 2
"""Answers that a window is asked for: the first one, and one more when that cannot be read."""
_REPAIR_EXCERPT = 4_000
_GRACE = 1.0
"""Seconds that a client gets to end its own time-out before it is left alone."""


_Answered = tuple[Reply, ExtractionTelemetry]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model to ask, and how patiently.

    Attributes:
        model: the provider's and model's name as litellm writes it, ``openai/gpt-4o-mini``, ``ollama/qwen3`` …
        api_base: the address of the provider's API where it is not the usual one.
        timeout: seconds that one attempt may take, from its first byte to its last.
        max_attempts: attempts for one answer, the first included.
        backoff: seconds before the second attempt; doubled for each further one, at most 30.
        window_characters: a longer message is shown without its middle.
    """

    model: str
    api_base: str | None = None
    timeout: float = 120.0
    max_attempts: int = 4
    backoff: float = 1.0
    max_output_tokens: int = 8_000
    window_characters: int = WINDOW_CHARACTERS


@dataclass(slots=True)
class _Server:
    """What was learned of the server while it was asked; shared by all who ask it at once.

    Attributes:
        optional: parameters that not every server takes; one that was refused is not offered again.
        down: it failed whatever patience it was given: until it answers, it is asked once a window and not waited for.
        answers: how many it has given.
        paused_until: a rate limit was met: nobody asks before, by ``time.monotonic``.
    """

    optional: dict[str, Any] = field(default_factory=lambda: _optional_parameters())
    down: bool = False
    answers: int = 0
    paused_until: float = 0.0
    _alone: threading.Lock = field(default_factory=threading.Lock)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """One window at a time until the server has answered or failed, then as many as come.

        So what it refuses is learned by one of them, and a server that is not there is waited for by one of them.
        """
        with contextlib.ExitStack() as alone:
            if not self.is_known:
                alone.enter_context(self._alone)
                if self.is_known:
                    alone.close()
            yield

    @property
    def is_known(self) -> bool:
        return self.down or self.answers > 0

    def answered(self) -> None:
        """It gave an answer."""
        with self._counting:
            self.answers += 1
        self.down = False


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Asks a language model for the entries of a window; one call, and one more when its answer cannot be read."""

    settings: ModelSettings
    sleep: Callable[[float], None] = field(default=time.sleep)
    _server: _Server = field(default_factory=lambda: _Server(), repr=False, compare=False)

    @property
    def name(self) -> str:
        return self.settings.model

    @property
    def version(self) -> str:
        """Changes with the prompt, the schema, the model and this code."""
        asked = canonical_json([prompt(), WindowAnswer.model_json_schema(), self.settings.model])
        return f"llm-{_CODE_VERSION}-{sha256_hex(asked)[:12]}"

    def most_requests(self, windows: int) -> int:
        """See ``Extractor.most_requests``."""
        return windows and windows * _ROUNDS * self.settings.max_attempts + len(_optional_parameters())

    def extract(self, messages: Sequence[Message], window: Window) -> ExtractionAnswer:
        """See ``Extractor.extract``.

        Raises:
            ExtractionFailed: the model declined, or the repaired answer cannot be read either.
            ModelUnavailable: no attempt reached the model, or it took none.
        """
        started = time.monotonic()
        talk = request(messages, window, budget=self.settings.window_characters)
        spent = ExtractionTelemetry()
        warnings: Counter[str] = Counter()
        unread: list[str] = []
        answer: ReadAnswer | UnreadableAnswer = UnreadableAnswer("it was not asked for")
        while isinstance(answer, UnreadableAnswer) and len(unread) < _ROUNDS:
            reply, spent = self._ask(talk, window, spent)
            if reply.refused:
                raise self._failed("declined to answer", window, spent)
            warnings["answers of another model"] += not same_model(self.settings.model, reply.model)
            answer = read_answer(reply.text)
            if isinstance(answer, UnreadableAnswer) and reply.cut_off:
                # Another answer would be cut off as well: what is whole of this one is the answer.
                answer = read_broken_answer(reply.text)
                warnings["answers cut off"] += isinstance(answer, ReadAnswer)
            if isinstance(answer, UnreadableAnswer):
                unread.append(reply.text)
                talk = [*talk[:2], *_repair(reply.text, answer)]
        if isinstance(answer, UnreadableAnswer):
            answer = next((a for a in map(read_broken_answer, unread) if isinstance(a, ReadAnswer)), answer)
            warnings["answers read in part"] += 1
        elif unread:
            warnings["answers repaired"] += 1
        if isinstance(answer, UnreadableAnswer):
            raise self._failed("gave no answer that can be read", window, spent)
        grounded = ground(answer.entries, messages, window)
        counted = warnings + Counter(answer.warnings) + grounded.warnings
        return ExtractionAnswer(
            grounded.entries,
            tuple(f"{what}: {count}" for what, count in sorted(counted.items())),
            replace(spent, seconds=round(time.monotonic() - started, 3)),
        )

    def _ask(self, talk: list[dict[str, str]], window: Window, spent: ExtractionTelemetry) -> _Answered:
        """One answer, and ``spent`` with what it cost."""
        with self._server.turn():
            return self._ask_patiently(talk, window, spent)

    def _ask_patiently(self, talk: list[dict[str, str]], window: Window, spent: ExtractionTelemetry) -> _Answered:
        """One answer, with further attempts after rate limits, server errors and time-outs."""
        settings, server = self.settings, self._server
        failures = calls = 0
        pause = 0.0
        while True:
            if server.paused_until != pause and (rest := server.paused_until - time.monotonic()) > 0:
                self.sleep(rest)  # another one met the limit
            calls += 1
            offered = dict(server.optional)
            try:
                reply, cost = self._sent(talk, offered, calls)
            except Exception as error:  # litellm lets through whatever a provider's client raises
                refused = refused_parameter(error, set(offered))
                if refused is not None:
                    server.optional.pop(refused, None)
                    continue
                failures += 1
                if failures == settings.max_attempts or server.down or not worth_another(error):
                    server.down = server.down or is_down(error)
                    # The provider's own message may hold session text.
                    raise self._unanswered(error, calls, window, spent.plus(ExtractionTelemetry(attempts=calls))) from None
                wait = wait_before_next(error, settings.backoff * 2 ** (failures - 1), time.time())
                if is_rate_limit(error):
                    pause = server.paused_until = max(server.paused_until, time.monotonic() + wait)
                self.sleep(wait)
            else:
                server.answered()
                return reply, spent.plus(cost)

    def _sent(self, talk: list[dict[str, str]], optional: dict[str, Any], calls: int) -> _Answered:
        litellm_client()  # a model is not to blame for how long its client is loaded
        settings = self.settings
        response = within(
            settings.timeout + _GRACE,
            lambda: completion(
                talk,
                model=settings.model,
                api_base=settings.api_base,
                max_tokens=settings.max_output_tokens,
                timeout=settings.timeout,
                optional=optional,
            ),
        )
        reply = reply_of(response)
        return reply, ExtractionTelemetry(reply.input_tokens, reply.output_tokens, price_of(response), attempts=calls)

    def _unanswered(self, error: Exception, calls: int, window: Window, spent: ExtractionTelemetry) -> ExtractionFailed:
        """Why no answer came: the window, which is put aside, or the server, which is asked again another time."""
        what = f"failed after {calls} attempt(s): {kind_of(error)}"
        if is_of_the_request(error) and is_served(self.settings.model):
            return self._failed(what, window, spent)
        if may_be_declined(error) and self._server.answers:
            return self._failed(what, window, spent)
        return ModelUnavailable(
            f"{self.settings.model} {what}",
            hint="check the model's name (provider/model, as litellm writes it), its address and key, then `memory run --all`; "
            "without a model the embedded rules extract",
            passes=worth_another(error),
            is_of_all=not worth_another(error) and not may_be_declined(error),
            was_heard=was_heard(error),
            spent=spent,
            answers_before=self._server.answers,
        )

    def _failed(self, what: str, window: Window, spent: ExtractionTelemetry) -> ExtractionFailed:
        return ExtractionFailed(
            f"{self.settings.model} {what} (messages {window.start} to {window.end - 1})",
            hint="`memory retry --quarantined` asks again; another model may do better; without one the embedded rules extract",
            spent=spent,
        )

    def is_down(self) -> bool:
        """See ``Extractor.is_down``."""
        return self._server.down

    def answered_since(self, failure: ModelUnavailable) -> bool:
        """See ``Extractor.answered_since``."""
        return self._server.answers > failure.answers_before

    def answers_now(self) -> ExtractionTelemetry | None:
        """See ``Extractor.answers_now``."""
        try:
            _, cost = self._sent([{"role": "user", "content": "Say yes."}], {}, 1)
        except Exception:  # litellm lets through whatever a provider's client raises
            return None
        self._server.answered()
        return cost


def _repair(text: str, answer: UnreadableAnswer) -> list[dict[str, str]]:
    return [
        {"role": "assistant", "content": text[:_REPAIR_EXCERPT] or "(empty)"},
        {"role": "user", "content": f"This answer cannot be used: {answer.reason}. Answer with the JSON alone."},
    ]


def _optional_parameters() -> dict[str, Any]:
    schema = {"name": "window_answer", "strict": True, "schema": WindowAnswer.model_json_schema()}
    return {"temperature": 0, "response_format": {"type": "json_schema", "json_schema": schema}}
