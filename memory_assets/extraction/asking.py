"""Windows asked of a model side by side, and their answers taken in the order in which they are wanted.

What is answered ahead of its turn waits to be taken. It is paid for, so not much may wait: a process that is killed loses it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType

from memory_assets.extraction.errors import ModelUnavailable
from memory_assets.extraction.extractor import ExtractionAnswer, Extractor
from memory_assets.extraction.windows import Window
from memory_assets.sessions.model import Message

_AHEAD = 4
"""Windows that may be asked for or wait for each that is asked at once: one slow answer holds up as many, and no more."""
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Question:
    """A window of a session, by the id of the event that will hold its answer."""

    event_id: str
    messages: Sequence[Message]
    window: Window


class Asking:
    """Asks about several windows at once, from its beginning to its end as a context.

    Args:
        questions: in the order in which their answers will be taken.
        at_once: how many are asked at the same time, at most.
        insists: ask about the others also when the model is out of reach for one, until it clearly is for all.
        is_asked_to_stop: whether somebody wants an end; looked at while an answer is waited for.
    """

    def __init__(
        self,
        extractor: Extractor,
        questions: Iterable[Question],
        *,
        at_once: int,
        insists: bool = False,
        is_asked_to_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._extractor = extractor
        self._is_asked_to_stop = is_asked_to_stop
        self._waiting = deque(questions)
        self._questions = {question.event_id: question for question in self._waiting}
        self._at_once = min(at_once, len(self._waiting))
        self._insists = insists
        self._under_way: set[str] = set()
        self._unwanted: set[str] = set()
        self._taken: set[str] = set()
        self._results: dict[str, ExtractionAnswer | Exception] = {}
        self._late: dict[str, ExtractionAnswer | Exception] = {}
        self._unanswered = 0
        self._ended: ModelUnavailable | None = None
        self._closed = False
        self._changed = threading.Condition()

    def __enter__(self) -> Asking:
        for number in range(self._at_once):
            # Nobody waits for a model when the process ends.
            threading.Thread(target=self._work, name=f"asking {number}", daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def answer(self, event_id: str) -> ExtractionAnswer:
        """The answer to a question, when it is there. Whoever comes for it again has it asked again, here and now.

        Raises:
            ExtractionFailed: see ``Extractor.extract``.
            ModelUnavailable: also where another question met it, and this one was not asked.
            KeyboardInterrupt: somebody asked for an end meanwhile.
        """
        with self._changed:
            is_taken = event_id in self._taken
            self._taken.add(event_id)
            while event_id in self._under_way or not (is_taken or event_id in self._results):
                if self._ended is not None and event_id not in self._under_way:
                    raise self._ended.of_another()
                if self._is_asked_to_stop():
                    raise KeyboardInterrupt
                self._changed.wait(_LOOK_SECONDS)
            result = (self._late if is_taken else self._results).pop(event_id, None)
            self._changed.notify_all()
        if isinstance(result, ExtractionAnswer):
            return result
        if result is None or is_taken:
            return self._asked(self._questions[event_id])
        raise result

    def _asked(self, question: Question) -> ExtractionAnswer:
        return self._extractor.extract(question.messages, question.window)

    def leave_out(self, event_ids: Iterable[str]) -> None:
        """These answers are not waited for any more; what is answered of them all the same is to be kept."""
        with self._changed:
            self._unwanted.update(event_ids)
            self._taken.update(event_ids)
            self._waiting = deque(question for question in self._waiting if question.event_id not in self._unwanted)
            for event_id in self._unwanted.intersection(self._results):
                self._put(event_id, self._results.pop(event_id))
            self._changed.notify_all()

    def rest(self) -> dict[str, ExtractionAnswer | Exception]:
        """What came and was not taken, failures among it. Nothing more is asked, and what is under way is waited for.

        Somebody who asked for an end waits for nothing: then it is what is there.
        """
        with self._changed:
            self._closed = True
            while self._under_way and not self._is_asked_to_stop():
                self._changed.wait(_LOOK_SECONDS)
            return self._late | self._results

    def _work(self) -> None:
        while (question := self._next()) is not None:
            try:
                result: ExtractionAnswer | Exception = self._asked(question)
            except Exception as error:  # raised where the answer is taken
                result = error
            with self._changed:
                self._under_way.remove(question.event_id)
                self._look_at(result)
                self._put(question.event_id, result)
                self._changed.notify_all()

    def _look_at(self, result: ExtractionAnswer | Exception) -> None:
        if not isinstance(result, ModelUnavailable):
            self._unanswered = 0
            return
        self._unanswered += 1
        # As many as were under way may fail for one reason; when others do behind them, it is no single window's.
        tries_others = self._insists or not result.passes
        if result.is_of_all or not tries_others or self._unanswered > self._at_once:
            self._ended = result

    def _next(self) -> Question | None:
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or self._ahead < self._at_once * _AHEAD)
            if self._is_over:
                return None
            question = self._waiting.popleft()
            self._under_way.add(question.event_id)
            return question

    @property
    def _is_over(self) -> bool:
        return self._closed or self._ended is not None or not self._waiting or self._is_asked_to_stop()

    @property
    def _ahead(self) -> int:
        return len(self._under_way) + len(self._results)

    def _put(self, event_id: str, result: ExtractionAnswer | Exception) -> None:
        of_kind = self._late if event_id in self._unwanted else self._results
        of_kind[event_id] = result
