"""What a provider's reply says, whatever shape it has: content, parts, a tool call, a refusal, a price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory_assets.text.half_characters import HALF


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of a model.

    Attributes:
        cut_off: the answer reached the limit of its length.
        refused: the model or its provider declined to answer.
        model: the name under which the server says that it answered; empty when it does not say.
        input_tokens, output_tokens: as the server counted them; 0 where it does not say.
    """

    text: str
    cut_off: bool
    refused: bool
    model: str
    input_tokens: int
    output_tokens: int


def reply_of(response: Any) -> Reply:
    """A chat completion as litellm gives it."""
    choices = getattr(response, "choices", None) or []
    message = getattr(choices[0], "message", None) if choices else None
    finish = str(getattr(choices[0], "finish_reason", "") or "") if choices else ""
    text = whole_characters(_text_of(message))
    usage = getattr(response, "usage", None)
    refused = not text.strip() and (finish == "content_filter" or declines(message))
    return Reply(
        text,
        finish == "length",
        refused,
        str(getattr(response, "model", "") or "")[:200],
        input_tokens=count_of(usage, "prompt_tokens"),
        output_tokens=count_of(usage, "completion_tokens"),
    )


def whole_characters(text: str) -> str:
    """A text without half characters, which can neither be sent back nor stored."""
    return HALF.sub("\ufffd", text)


def same_model(asked: str, answered: str) -> bool:
    """Whether a name that a server gives can be the model that was asked: it adds a date, or leaves a provider out."""
    wanted, given = asked.rpartition("/")[2].casefold(), answered.rpartition("/")[2].casefold()
    return not given or given.startswith(wanted) or wanted.startswith(given)


def _text_of(message: Any) -> str:
    content = _field(message, "content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if isinstance(content, str) and content.strip():
        return content
    # A model that knows tools may answer by calling one: its arguments are the answer.
    calls = _field(message, "tool_calls")
    function = _field(calls[0], "function") if isinstance(calls, list) and calls else _field(message, "function_call")
    arguments = _field(function, "arguments")
    return arguments if isinstance(arguments, str) else ""


def declines(message: Any) -> bool:
    """Whether a message, or a piece of one, says that the model will not answer."""
    return bool(_field(message, "refusal") or _field(_field(message, "provider_specific_fields"), "refusal"))


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def count_of(usage: Any, name: str) -> int:
    """A count of tokens as a server gives it; 0 where it gives none."""
    count = getattr(usage, name, 0)
    return count if isinstance(count, int) and count > 0 else 0
