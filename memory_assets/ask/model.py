"""One answer of a model, as it comes: bounded in silence, in time and in length, and each way in which it can end is a value.

Nobody is asked a second time for a better answer: a person waits, and the quotes are there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final, Literal

from memory_assets.providers.client import completion, is_served, kind_of, litellm_client, price_of_tokens
from memory_assets.providers.replies import count_of, declines, reply_of, whole_characters
from memory_assets.providers.retries import OutOfTimeError, redirect_of, status_of, within
from memory_assets.text.tokens import estimate_tokens

Talk = Sequence[dict[str, str]]

_CHARACTERS_OF_A_TOKEN: Final = 8
"""More than the longest-winded text has: what goes on beyond so many for each token keeps to no limit."""
_REFUSED_STATUSES: Final = (400, 422)
_WHY: Final = {
    401: "the key is missing or refused",
    403: "the key is refused",
    404: "there is no such model",
    408: "no answer in time",
    429: "it is asked too often, or its credit is used up",
}


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model answers, and how long it may take.

    Attributes:
        model: the provider's and model's name as litellm writes it.
        api_base: the address of the provider's API where it is not the usual one.
        timeout: seconds for the whole answer; ``silence`` for its first and for each next piece.
        max_tokens: of the answer.
    """

    model: str
    api_base: str | None = None
    timeout: float = 120.0
    silence: float = 30.0
    max_tokens: int = 600


@dataclass(frozen=True, slots=True)
class Used:
    """What an answer took: tokens as the server counts them, else as they are estimated; None where the price is not known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """An answer; ``cut`` is the limit that it reached, where it was not at its end."""

    text: str
    used: Used
    cut: Literal["length", "time"] | None = None


@dataclass(frozen=True, slots=True)
class Declined:
    """The model, or who stands in front of it, will not answer."""

    used: Used


@dataclass(frozen=True, slots=True)
class Aborted:
    """Somebody stopped the answer; ``text`` is what was said by then."""

    text: str
    used: Used


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer came; ``why`` in a few words that hold nothing of the question or the evidence."""

    why: str
    used: Used


Outcome = Said | Declined | Aborted | Failed


@dataclass(frozen=True, slots=True)
class _Piece:
    """What came of a stream at once.

    Attributes:
        finish: why the answer ends here; empty while it goes on.
    """

    text: str = ""
    finish: str = ""
    declined: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(slots=True)
class _Answer:
    """What has come of an answer up to now."""

    text: str = ""
    finish: str = ""
    declined: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, piece: _Piece) -> None:
        self.text += piece.text
        self.finish = piece.finish or self.finish
        self.declined = self.declined or piece.declined
        self.prompt_tokens = piece.prompt_tokens or self.prompt_tokens
        self.completion_tokens = piece.completion_tokens or self.completion_tokens


@dataclass(slots=True)
class LanguageModel:
    """A model that is asked for answers.

    What its server does not take (a temperature, a stream) is learned by the first answer and not offered again.
    """

    settings: ModelSettings
    _streams: bool = field(default=True, repr=False)
    _optional: dict[str, Any] = field(
        default_factory=lambda: {"temperature": 0, "seed": 0, "stream_options": {"include_usage": True}}, repr=False
    )

    def price(self, prompt_tokens: int) -> float | None:
        """The most that an answer to so many tokens can cost, in dollars; None where the model has no known price."""
        return price_of_tokens(self.settings.model, prompt_tokens, self.settings.max_tokens)

    def said(self, talk: Talk, listen: Callable[[str], None] | None = None) -> Outcome:
        """The answer to some messages.

        Args:
            listen: is told each piece as it comes. Who listens may interrupt, and what was said is kept; without a listener
                an interrupt goes through.
        """
        litellm_client()  # a model is not to blame for how long its client is loaded
        deadline = time.monotonic() + self.settings.timeout
        answer = _Answer()
        cut: Literal["length", "time"] | None = None
        try:
            for piece in self._pieces(talk, deadline):
                answer.add(piece)
                if listen is not None and piece.text:
                    listen(piece.text)
                if len(answer.text) > self._most_characters:
                    cut = "length"
                    break
        except KeyboardInterrupt:
            if listen is None:
                raise
            return Aborted(answer.text, self._used(talk, answer))
        except Exception as error:  # litellm lets through whatever a provider's client raises
            if not (isinstance(error, OutOfTimeError) and answer.text.strip()):
                return Failed(_why(error, self.settings.model), self._used(talk, answer) if answer.text else Used())
            cut = "time"
        return self._ended(talk, answer, cut)

    def _ended(self, talk: Talk, answer: _Answer, cut: Literal["length", "time"] | None) -> Outcome:
        used = self._used(talk, answer)
        if not answer.text.strip():
            declined = answer.declined or answer.finish == "content_filter"
            return Declined(used) if declined else Failed("it said nothing", used)
        return Said(answer.text[: self._most_characters], used, cut or ("length" if answer.finish == "length" else None))

    def _pieces(self, talk: Talk, deadline: float) -> Iterator[_Piece]:
        """The pieces of an answer; of a server that does not stream all of it at once."""
        nothing_came = True
        if self._streams:
            try:
                for piece in self._streamed(talk, deadline):
                    nothing_came = nothing_came and not (piece.text or piece.declined)
                    yield piece
            except Exception as error:
                # What not every server takes is left out, once, before anything was said.
                if not (nothing_came and self._optional and _is_refused(error)):
                    raise
                self._optional = {}
                for piece in self._streamed(talk, deadline):
                    nothing_came = nothing_came and not (piece.text or piece.declined)
                    yield piece
        if nothing_came:
            # Some answer with one object whatever they are asked for; a stream of it has nothing in it.
            yield self._whole(talk, deadline)
            self._streams = False

    def _streamed(self, talk: Talk, deadline: float) -> Iterator[_Piece]:
        """The pieces of a stream, read in a thread of its own: a server that keeps the line busy and says nothing holds nobody.

        Raises:
            OutOfTimeError: it was silent for too long, or takes too long.
        """
        pieces: SimpleQueue[_Piece | BaseException | None] = SimpleQueue()
        is_over = threading.Event()

        def read() -> None:
            try:
                for chunk in self._completion(talk, deadline, stream=True):
                    pieces.put(_piece(chunk))
                    if is_over.is_set():
                        return
                pieces.put(None)
            except BaseException as error:  # whatever it is, it is raised where the pieces are taken
                pieces.put(error)

        threading.Thread(target=read, daemon=True, name="one answer of a model").start()
        try:
            while (piece := self._next(pieces, deadline)) is not None:
                yield piece
        finally:
            is_over.set()

    def _next(self, pieces: SimpleQueue[_Piece | BaseException | None], deadline: float) -> _Piece | None:
        try:
            piece = pieces.get(timeout=max(0.0, min(self.settings.silence, deadline - time.monotonic())))
        except Empty:
            raise OutOfTimeError from None
        if isinstance(piece, BaseException):
            raise piece
        return piece

    def _whole(self, talk: Talk, deadline: float) -> _Piece:
        left = max(0.0, deadline - time.monotonic())
        reply = reply_of(within(left, lambda: self._completion(talk, deadline, stream=False)))
        finish = "length" if reply.cut_off else "stop"
        return _Piece(reply.text, finish, reply.refused, reply.input_tokens, reply.output_tokens)

    def _completion(self, talk: Talk, deadline: float, *, stream: bool) -> Any:
        settings = self.settings
        left = max(0.1, deadline - time.monotonic())
        optional = {name: value for name, value in self._optional.items() if stream or name != "stream_options"}
        return completion(
            talk,
            model=settings.model,
            api_base=settings.api_base,
            max_tokens=settings.max_tokens,
            timeout=min(settings.silence, left) if stream else left,
            optional=optional,
            stream=stream,
        )

    @property
    def _most_characters(self) -> int:
        return self.settings.max_tokens * _CHARACTERS_OF_A_TOKEN

    def _used(self, talk: Talk, answer: _Answer) -> Used:
        prompt = answer.prompt_tokens or sum(estimate_tokens(message["content"]) for message in talk)
        completion = answer.completion_tokens or estimate_tokens(answer.text)
        return Used(prompt, completion, price_of_tokens(self.settings.model, prompt, completion))


def _piece(chunk: Any) -> _Piece:
    choices = getattr(chunk, "choices", None) or []
    delta = getattr(choices[0], "delta", None) if choices else None
    content = getattr(delta, "content", None)
    usage = getattr(chunk, "usage", None)
    return _Piece(
        text=whole_characters(content) if isinstance(content, str) else "",
        finish=str(getattr(choices[0], "finish_reason", "") or "") if choices else "",
        declined=declines(delta),
        prompt_tokens=count_of(usage, "prompt_tokens"),
        completion_tokens=count_of(usage, "completion_tokens"),
    )


def _is_refused(error: Exception) -> bool:
    return status_of(error) in _REFUSED_STATUSES and "ContextWindow" not in type(error).__name__


def _why(error: Exception, model: str) -> str:
    if not is_served(model):
        return "there is no provider of this name"
    if redirect_of(error) is not None:
        return kind_of(error)
    status = status_of(error)
    return _WHY.get(status, kind_of(error)) if status is not None else kind_of(error)
