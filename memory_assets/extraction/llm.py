"""The model extractor: any provider that litellm names, held to quotes by a schema (requirements G-50, E-15, E-16).

litellm is imported when the first window is sent. No socket is opened but to the model that the settings name: its cost
map is the local one, callbacks and telemetry are off, and no tokenizer is downloaded. Keys come from the environment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from memory_assets.extraction.answers import ReadAnswer, WindowAnswer, read_answer
from memory_assets.extraction.errors import ExtractionFailed
from memory_assets.extraction.extractor import ExtractionAnswer, ExtractionTelemetry
from memory_assets.extraction.windows import WINDOW_CHARACTERS, Window, shown_text, window_hash
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.sessions.model import Message

_CODE_VERSION = "1"
_LONGEST_WAIT = 30.0
_REPAIR_EXCERPT = 4_000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model to ask, and how patiently.

    Attributes:
        model: the provider's and model's name as litellm writes it, ``openai/gpt-4o-mini``, ``ollama/qwen3`` …
        api_base: the address of the provider's API where it is not the usual one.
        timeout: seconds that one attempt may take.
        max_attempts: attempts for one answer, the first included.
        backoff: seconds before the second attempt; doubled for each further one, at most 30.
    """

    model: str
    api_base: str | None = None
    timeout: float = 120.0
    max_attempts: int = 4
    backoff: float = 1.0
    max_output_tokens: int = 8_000


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Asks a language model for the entries of a window; one call, and one more when its answer cannot be read."""

    settings: ModelSettings
    sleep: Callable[[float], None] = field(default=time.sleep)

    @property
    def name(self) -> str:
        return self.settings.model

    @property
    def version(self) -> str:
        """Changes with the prompt, the schema, the model and this code."""
        asked = canonical_json([_prompt(), WindowAnswer.model_json_schema(), self.settings.model])
        return f"llm-{_CODE_VERSION}-{sha256_hex(asked)[:12]}"

    def extract(self, messages: Sequence[Message], window: Window) -> ExtractionAnswer:
        """See ``Extractor.extract``.

        Raises:
            ExtractionFailed: no attempt reached the model, it refused, or the repaired answer cannot be read either.
        """
        started = time.monotonic()
        talk = request(messages, window)
        spent = ExtractionTelemetry()
        for repaired in (False, True):
            text, call = self._ask(talk, window)
            spent = _sum(spent, call)
            answer = read_answer(text, window)
            if isinstance(answer, ReadAnswer):
                warnings = (*answer.warnings, *(("answer repaired: 1",) if repaired else ()))
                seconds = round(time.monotonic() - started, 3)
                return ExtractionAnswer(answer.entries, warnings, replace(spent, seconds=seconds))
            talk = [
                *talk,
                {"role": "assistant", "content": text[:_REPAIR_EXCERPT]},
                {"role": "user", "content": f"This answer cannot be used: {answer.reason}. Answer with the JSON alone."},
            ]
        raise ExtractionFailed(
            f"{self.settings.model} gave no answer that can be read for messages {window.start} to {window.end - 1}",
            hint="try a model that supports structured output, or unset the model to use the embedded extractor",
        )

    def _ask(self, talk: list[dict[str, str]], window: Window) -> tuple[str, ExtractionTelemetry]:
        """One answer, with further attempts after rate limits, server errors and time-outs."""
        litellm, api_error = _litellm()
        settings = self.settings
        for attempt in range(1, settings.max_attempts + 1):
            try:
                response = litellm.completion(
                    model=settings.model,
                    messages=talk,
                    api_base=settings.api_base,
                    temperature=0,
                    max_tokens=settings.max_output_tokens,
                    timeout=settings.timeout,
                    response_format=_response_format(),
                    drop_params=True,
                    num_retries=0,
                    max_retries=0,
                )
            except api_error as error:
                if attempt == settings.max_attempts or not _worth_another(error):
                    raise ExtractionFailed(
                        f"{settings.model} failed for messages {window.start} to {window.end - 1} after {attempt} "
                        f"attempt(s): {_kind(error)}",
                        hint="check the model's name, its address and key, or unset the model to use the embedded extractor",
                    ) from None  # the provider's message may hold session text
                self.sleep(_wait(error, settings.backoff * 2 ** (attempt - 1)))
                continue
            return _text_of(response), _telemetry(litellm, response, attempt)
        raise AssertionError("max_attempts is at least 1")


def request(messages: Sequence[Message], window: Window) -> list[dict[str, str]]:
    """What is sent for a window: the prompt, and the session's text as data between lines that it cannot contain.

    A message longer than a window loses its middle, with a note of how much.
    """
    boundary = window_hash(messages, window)[:16]
    parts: list[str] = []
    for index in range(window.context_start, window.end):
        text = shown_text(messages[index])
        if not text:
            continue
        message = messages[index]
        speaker = f"{message.role}{' (context)' if index < window.start else ''}"
        parts.append(f"<<<message {index} {speaker} {boundary}>>>\n{_shortened(text)}\n<<<end {boundary}>>>")
    return [{"role": "system", "content": _prompt()}, {"role": "user", "content": "\n".join(parts)}]


def _shortened(text: str) -> str:
    if len(text) <= WINDOW_CHARACTERS:
        return text
    half = WINDOW_CHARACTERS // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters are not shown …]\n{text[-half:]}"


@cache
def _prompt() -> str:
    return files("memory_assets.extraction").joinpath("prompt.md").read_text(encoding="utf-8")


def _response_format() -> dict[str, Any]:
    schema = {"name": "window_answer", "strict": True, "schema": WindowAnswer.model_json_schema()}
    return {"type": "json_schema", "json_schema": schema}


@cache
def _litellm() -> tuple[Any, type[Exception]]:
    """litellm, quiet and kept from every address but the model's, and the root of the errors that it raises."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # read while it is imported
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import litellm
    from openai import OpenAIError

    for name in ("callbacks", "input_callback", "success_callback", "failure_callback", "service_callback"):
        setattr(litellm, name, [])
    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.disable_hf_tokenizer_download = True
    return litellm, OpenAIError


def _worth_another(error: Exception) -> bool:
    """Rate limits, time-outs, lost connections and the provider's own failures pass; wrong keys and requests do not."""
    status = getattr(error, "status_code", None)
    return not isinstance(status, int) or status in (408, 409, 425, 429) or status >= 500


def _wait(error: Exception, planned: float) -> float:
    """Seconds until the next attempt: what the provider asks for, when it does, within bounds."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        asked = float(headers.get("retry-after", planned))
    except (TypeError, ValueError):
        asked = planned
    return min(max(asked, 0.0), _LONGEST_WAIT)


def _kind(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__} ({status})" if isinstance(status, int) else type(error).__name__


def _text_of(response: Any) -> str:
    choices = getattr(response, "choices", None) or []
    content = choices[0].message.content if choices else None
    return content if isinstance(content, str) else ""


def _telemetry(litellm: Any, response: Any, attempts: int) -> ExtractionTelemetry:
    usage = getattr(response, "usage", None)
    try:
        cost: float | None = float(litellm.completion_cost(completion_response=response))
    except Exception:
        cost = None
    return ExtractionTelemetry(
        input_tokens=getattr(usage, "prompt_tokens", 0) or 0,
        output_tokens=getattr(usage, "completion_tokens", 0) or 0,
        cost_usd=cost,
        attempts=attempts,
    )


def _sum(one: ExtractionTelemetry, other: ExtractionTelemetry) -> ExtractionTelemetry:
    costs = [cost for cost in (one.cost_usd, other.cost_usd) if cost is not None]
    return ExtractionTelemetry(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cost_usd=sum(costs) if costs else None,
        attempts=one.attempts + other.attempts,
    )
