"""Windows asked about side by side: who waits for whom, in which order answers are taken, and what becomes of the rest."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from memory_assets.extraction.asking import Asking, Question
from memory_assets.extraction.errors import ExtractionFailed, ModelUnavailable
from memory_assets.extraction.extractor import ExtractionAnswer
from memory_assets.extraction.llm import ModelExtractor, ModelSettings
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.extraction.windows import Window, windows
from memory_assets.sessions.model import Message
from memory_assets_tests.extraction.provider import Asked, Provider, Reply, body, serving
from memory_assets_tests.extraction.talk import user

OUTAGE = ModelUnavailable("down", hint="", spent=ExtractionTelemetry(attempts=1), passes=True, answers_before=0)
REFUSED = ModelUnavailable(
    "no key", hint="", spent=ExtractionTelemetry(attempts=1), passes=False, is_of_all=True, answers_before=0
)
FORBIDDEN = ModelUnavailable("forbidden", hint="", spent=ExtractionTelemetry(attempts=1), passes=False, answers_before=0)
DECLINED = ExtractionFailed("declined", hint="", spent=ExtractionTelemetry(attempts=1))


@dataclass
class Slow:
    """An extractor that answers when it is told to, or at once; the window's start is the question's number."""

    failures: dict[int, Exception] = field(default_factory=dict)
    waits_for: dict[int, threading.Event] = field(default_factory=dict)
    begun: list[int] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    name: str = "slow"
    version: str = "slow 1"
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def most_requests(self, windows: int) -> int:
        return windows

    def is_down(self) -> bool:
        return False

    def answered_since(self, failure: ModelUnavailable) -> bool:
        return False

    def answers_now(self) -> ExtractionTelemetry | None:
        return None

    def extract(self, messages: Sequence[Message], window: Window) -> ExtractionAnswer:
        with self._lock:
            self.begun.append(window.start)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if (told := self.waits_for.get(window.start)) is not None:
                assert told.wait(20)
            else:
                time.sleep(0.002)
            if window.start in self.failures:
                raise self.failures[window.start]
            return ExtractionAnswer((), (f"answer {window.start}: 1",))
        finally:
            with self._lock:
                self.at_once -= 1


def questions(count: int) -> list[Question]:
    return [Question(f"q{number}", (), Window(number, number + 1, number)) for number in range(count)]


def said(answer: ExtractionAnswer | Exception) -> str:
    assert isinstance(answer, ExtractionAnswer)
    return answer.warnings[0]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("at_once", [1, 3, 8])
def test_answers_come_in_the_order_they_are_taken_in(at_once: int) -> None:
    slow = Slow()
    with Asking(slow, questions(40), at_once=at_once) as asking:
        assert [said(asking.answer(f"q{number}")) for number in range(40)] == [f"answer {number}: 1" for number in range(40)]
        assert asking.rest() == {}
    assert slow.most_at_once == at_once and sorted(slow.begun) == list(range(40))


def test_one_slow_answer_holds_up_no_more_than_some() -> None:
    slow = Slow(waits_for={0: threading.Event()})
    with Asking(slow, questions(100), at_once=2) as asking:
        until(lambda: len(slow.begun) == 8)
        time.sleep(0.1)
        assert len(slow.begun) == 8, "so many answers may wait for their turn"
        slow.waits_for[0].set()
        assert len({said(asking.answer(f"q{number}")) for number in range(100)}) == 100


def test_a_failure_is_raised_where_its_answer_is_taken_and_the_others_go_on() -> None:
    slow = Slow(failures={3: DECLINED})
    with Asking(slow, questions(10), at_once=4) as asking:
        for number in range(3):
            asking.answer(f"q{number}")
        with pytest.raises(ExtractionFailed):
            asking.answer("q3")
        # A session that failed wants no more answers; what is answered of it all the same is kept.
        asking.leave_out(["q4", "q5"])
        assert [said(asking.answer(f"q{number}")) for number in range(6, 10)] == [f"answer {n}: 1" for n in range(6, 10)]
        assert {said(answer) for answer in asking.rest().values()} <= {"answer 4: 1", "answer 5: 1"}


def test_an_outage_ends_the_asking_and_what_is_under_way_is_kept() -> None:
    slow = Slow(failures={1: OUTAGE}, waits_for={number: threading.Event() for number in range(3)})
    with Asking(slow, questions(50), at_once=3) as asking:
        until(lambda: len(slow.begun) == 3)
        slow.waits_for[1].set()
        with pytest.raises(ModelUnavailable):
            asking.answer("q9")
        assert set(slow.begun) == {0, 1, 2}
        slow.waits_for[0].set()
        assert said(asking.answer("q0")) == "answer 0: 1"
        slow.waits_for[2].set()
        rest = asking.rest()
        assert rest.pop("q1") is OUTAGE and [said(answer) for answer in rest.values()] == ["answer 2: 1"]


def test_who_insists_goes_on_behind_an_outage_and_not_behind_a_refused_key() -> None:
    slow = Slow(failures={1: OUTAGE})
    with Asking(slow, questions(6), at_once=1, insists=True) as asking:
        asking.answer("q0")
        with pytest.raises(ModelUnavailable):
            asking.answer("q1")
        assert [said(asking.answer(f"q{number}")) for number in range(2, 6)] == [f"answer {n}: 1" for n in range(2, 6)]
    slow = Slow(failures={0: REFUSED})
    with Asking(slow, questions(6), at_once=1, insists=True) as asking:
        for number in range(6):
            with pytest.raises(ModelUnavailable) as failure:
                asking.answer(f"q{number}")
            assert failure.value.spent.attempts == (1 if number == 0 else 0), "what was not asked cost nothing"
    assert slow.begun == [0]


@pytest.mark.parametrize("insists", [False, True])
def test_what_may_be_of_one_window_holds_up_no_other(insists: bool) -> None:
    slow = Slow(failures={0: FORBIDDEN})
    with Asking(slow, questions(6), at_once=2, insists=insists) as asking:
        with pytest.raises(ModelUnavailable):
            asking.answer("q0")
        assert [said(asking.answer(f"q{number}")) for number in range(1, 6)] == [f"answer {n}: 1" for n in range(1, 6)]


def test_whoever_was_asked_to_stop_asks_nothing() -> None:
    slow = Slow()
    with Asking(slow, questions(6), at_once=3, is_asked_to_stop=lambda: True) as asking:
        with pytest.raises(KeyboardInterrupt):
            asking.answer("q0")
        assert asking.rest() == {}
    assert slow.begun == []


def test_who_comes_again_has_it_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow(failures={1: OUTAGE}, waits_for={2: threading.Event()})
    with Asking(slow, questions(6), at_once=2, insists=True) as asking:
        asking.answer("q0")
        with pytest.raises(ModelUnavailable):
            asking.answer("q1")
        asking.leave_out(["q2", "q5"])
        assert [said(asking.answer(name)) for name in ("q3", "q4")] == ["answer 3: 1", "answer 4: 1"]
        with pytest.raises(ModelUnavailable):
            asking.answer("q1")
        slow.failures.clear()
        slow.waits_for[2].set()
        # What was under way meanwhile is not asked for twice.
        assert [said(asking.answer(name)) for name in ("q1", "q2", "q5")] == [f"answer {n}: 1" for n in (1, 2, 5)]
        assert sorted(slow.begun) == [0, 1, 1, 1, 2, 3, 4, 5] and asking.rest() == {}


def test_who_is_asked_to_stop_waits_for_nobody() -> None:
    slow = Slow(waits_for={1: threading.Event()})
    wanted = threading.Event()
    with Asking(slow, questions(3), at_once=3, is_asked_to_stop=wanted.is_set) as asking:
        until(lambda: slow.at_once == 1 and len(slow.begun) == 3)
        wanted.set()
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            asking.answer("q1")
        assert {said(answer) for answer in asking.rest().values()} == {"answer 0: 1", "answer 2: 1"}
        assert time.monotonic() - started < 1
    slow.waits_for[1].set()


TALK = [user(f"Let's keep number {number}.") for number in range(8)]


def asked_about(provider: Provider, *, at_once: int, **settings: object) -> tuple[list[ExtractionAnswer | Exception], float]:
    given = {"timeout": 20.0, "max_attempts": 3, "backoff": 0.2, **settings}
    model = ModelExtractor(ModelSettings("openai/tiny", provider.base, **given))  # type: ignore[arg-type]
    wanted = [Question(str(n), TALK, window) for n, window in enumerate(windows(TALK, budget=20))]
    results: list[ExtractionAnswer | Exception] = []
    started = time.monotonic()
    with Asking(model, wanted, at_once=at_once, insists=True) as asking:
        for question in wanted:
            try:
                results.append(asking.answer(question.event_id))
            except ExtractionFailed as failure:
                results.append(failure)
    return results, time.monotonic() - started


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Provider:  # type: ignore[misc]
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    with serving() as provider:
        yield provider


def test_a_real_server_is_asked_by_one_until_it_answers_and_then_by_all(provider: Provider) -> None:
    under_way, most, lock = [0], [0], threading.Lock()
    all_of_them = threading.Event()

    def answer(asked: Asked) -> str:
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
            first = len(provider.requests) == 1
            if under_way[0] == 4:
                all_of_them.set()
        if first:
            time.sleep(0.2)
        else:
            assert all_of_them.wait(20)
        with lock:
            assert not first or under_way[0] == 1
            under_way[0] -= 1
        return body()

    provider.plan = [answer]
    results, _ = asked_about(provider, at_once=4)
    assert len(results) == 8 and all(isinstance(result, ExtractionAnswer) for result in results)
    assert most == [4]


def test_what_a_server_refuses_is_learned_once(provider: Provider) -> None:
    provider.plan = [lambda asked: Reply(status=400) if "response_format" in asked else body()]
    results, _ = asked_about(provider, at_once=4)
    assert all(isinstance(result, ExtractionAnswer) for result in results) and len(provider.requests) == 9


@pytest.mark.long
def test_a_rate_limit_is_met_by_one_and_heeded_by_all(provider: Provider) -> None:
    times: list[float] = []

    def answer(asked: Asked) -> str | Reply:
        times.append(time.monotonic())
        number = len(times)
        time.sleep(0.1)
        return Reply(status=429, headers={"retry-after": "1"}) if number == 3 else body()

    provider.plan = [answer]
    results, _ = asked_about(provider, at_once=2)
    assert all(isinstance(result, ExtractionAnswer) for result in results) and len(times) == 9
    # One may be on its way when the limit is met; the others come when it is over.
    assert not any(times[2] + 0.5 < at < times[2] + 0.95 for at in times[3:])
    assert sum(at < times[2] + 0.95 for at in times[3:]) <= 3


def test_a_server_that_is_down_is_waited_for_by_one(provider: Provider) -> None:
    provider.plan = [503]
    results, _ = asked_about(provider, at_once=2, backoff=0.01)
    assert len(results) == 8 and all(isinstance(result, ModelUnavailable) for result in results)
    assert 5 <= len(provider.requests) <= 3 + 3, "when it failed for some, the rest is not asked"
