"""The four asked through litellm (``providers.client``): three at once, then the judge; two calls for each at the most.

The second call is for an answer that cannot be read, for a failure that passes, or for a parameter that the server does not
take; whichever comes first. So a case costs four calls, and never more than eight.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

from memory_assets.court.case import Case
from memory_assets.court.detectors import findings_of
from memory_assets.court.findings import CourtRole, Finding
from memory_assets.court.model.errors import CourtUnavailable, HearingFailed
from memory_assets.court.model.law import Kept, kept
from memory_assets.court.model.prompts import RULES_TOKENS, Talk, judgement_talk, prompts_version, statement_talk
from memory_assets.court.model.replies import (
    JudgementRead,
    StatementRead,
    Unreadable,
    judgement_schema,
    read_judgement,
    read_statement,
    statement_schema,
)
from memory_assets.court.model.window import window_of
from memory_assets.evidence.aligner import Aligner
from memory_assets.extraction.telemetry import ExtractionTelemetry
from memory_assets.providers.client import completion, is_served, kind_of, litellm_client, price_of, price_of_tokens
from memory_assets.providers.replies import Reply, reply_of
from memory_assets.providers.retries import (
    is_of_the_request,
    may_be_declined,
    refused_parameter,
    wait_before_next,
    within,
    worth_another,
)
from memory_assets.providers.spending import Refused, Spending
from memory_assets.text.tokens import estimate_tokens

CALLS_FOR_EACH: Final = 2
MOST_CALLS: Final = 4 * CALLS_FOR_EACH
"""Of a case, the judge's among them."""
_MOST_UNHEARD: Final = 3
"""Cases in a row for which no answer came, after which no other one is tried."""
_REPAIR_EXCERPT: Final = 4_000
_GRACE: Final = 1.0
"""Seconds that a client gets to end its own time-out before it is left alone."""

_Read = TypeVar("_Read", bound="StatementRead | JudgementRead")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model hears cases, and how patiently it is asked.

    Attributes:
        model: the provider's and model's name as litellm writes it.
        api_base: the address of the provider's API where it is not the usual one.
        timeout: seconds that one call may take, from its first byte to its last.
        prompt_tokens: of what one of the three is sent, rules and case together, as they are estimated.
        max_tokens: of one answer.
        backoff: seconds before the second call after a failure that passes, where the server names none.
    """

    model: str
    api_base: str | None = None
    timeout: float = 120.0
    prompt_tokens: int = 24_000
    max_tokens: int = 4_000
    backoff: float = 2.0


@dataclass(frozen=True, slots=True)
class Statement:
    """What one of the three says, as far as it stands, and what it cost."""

    kept: Kept
    spent: ExtractionTelemetry


@dataclass(slots=True)
class ModelCourt:
    """A court that a model holds; one serves a batch of cases, and what it learned of its server holds on.

    Args:
        spending: what a call and a day may cost.
        mask: what is masked of a text before it is sent, and of the model's own words.
        critical: what quoted words show where a claim may be called critical (``Policy.critical``).
    """

    settings: ModelSettings
    spending: Spending
    mask: Callable[[str], str]
    critical: re.Pattern[str]
    new_aligner: Callable[[], Aligner] = Aligner
    sleep: Callable[[float], None] = field(default=time.sleep)
    _takes_no_more: bool = field(default=False, repr=False)
    _unheard: int = field(default=0, repr=False)
    _is_over: bool = field(default=False, repr=False)

    @property
    def name(self) -> str:
        """The model's."""
        return self.settings.model

    @property
    def version(self) -> str:
        """Changes with the model, the prompts, the schemas, the law, and how much of a case is shown."""
        return f"model {self.name} {prompts_version()} window {self.settings.prompt_tokens}"

    def statements(self, case: Case) -> dict[CourtRole, Statement]:
        """What the prosecutor, the defense and the jury claim; asked at the same time.

        Raises:
            HearingFailed, CourtUnavailable: one of them gave no answer that can be used; with what all three cost.
        """
        budget = max(self.settings.prompt_tokens - RULES_TOKENS, 1)
        window = window_of(case, findings_of(case), budget, self.mask)
        roles: tuple[CourtRole, ...] = ("prosecutor", "defense", "jury")

        def asked(role: CourtRole) -> tuple[StatementRead, ExtractionTelemetry]:
            talk = statement_talk(window, role)
            return self._asked(case, role, talk, statement_schema(role), read_statement)

        answers = _at_once([partial(asked, role) for role in roles])
        self._heard([answer for answer in answers if isinstance(answer, Exception)])
        told = [answer for answer in answers if not isinstance(answer, Exception)]
        _raise_first(answers, paid=[spent for _, spent in told])
        aligner = self.new_aligner()
        return {
            role: Statement(kept(window, role, read.candidates, aligner, self.mask, self.critical, read.dropped), spent)
            for role, (read, spent) in zip(roles, told, strict=True)
        }

    def judgement(self, case: Case, candidates: Sequence[Finding]) -> tuple[JudgementRead, ExtractionTelemetry]:
        """Which of some candidates the judge keeps, by their numbers; nobody is asked where there is none.

        Raises:
            HearingFailed, CourtUnavailable: it gave no answer that can be used.
        """
        if not candidates:
            return JudgementRead((), {}, 0), ExtractionTelemetry()
        try:
            answer = self._asked(case, "judge", judgement_talk(case, candidates, self.mask), judgement_schema(), read_judgement)
        except HearingFailed as failure:
            self._heard([failure])
            raise
        self._heard([])
        return answer

    def _heard(self, failures: Sequence[Exception]) -> None:
        """Note whether the model could be asked: where it cannot, the other cases of the batch do not wait for it."""
        if self._is_over:
            return  # nobody was asked
        unavailable = [failure for failure in failures if isinstance(failure, CourtUnavailable)]
        self._unheard = self._unheard + 1 if unavailable else 0
        self._is_over = self._unheard >= _MOST_UNHEARD or any(failure.is_of_all for failure in unavailable)

    def _asked(
        self, case: Case, who: str, talk: Talk, schema: Mapping[str, Any], read: Callable[[str], _Read | Unreadable]
    ) -> tuple[_Read, ExtractionTelemetry]:
        """One answer that can be read; what it cost, repairs and failures included."""
        if self._is_over:
            raise self._unavailable(case, who, "was not asked: it gave no answer before", ExtractionTelemetry(), passes=True)
        started, spent = time.monotonic(), ExtractionTelemetry()
        for left in reversed(range(CALLS_FOR_EACH)):
            offered = {} if self._takes_no_more else _optional(schema)
            try:
                reply, cost = self._sent(case, who, talk, offered, spent)
            except HearingFailed:
                raise
            except Exception as error:  # litellm lets through whatever a provider's client raises
                spent = spent.plus(ExtractionTelemetry(attempts=1))
                self._wait_or_raise(case, who, error, offered, spent, left)
                continue
            spent = spent.plus(cost)
            if reply.refused:
                raise self._failed(case, who, "declined to answer", spent)
            answer = read(reply.text)
            if not isinstance(answer, Unreadable):
                return answer, replace(spent, seconds=round(time.monotonic() - started, 3))
            talk = [*talk[:2], *_repair(reply.text, answer.reason)]
        raise self._failed(case, who, "gave no answer that can be read", spent)

    def _wait_or_raise(
        self, case: Case, who: str, error: Exception, offered: Mapping[str, Any], spent: ExtractionTelemetry, left: int
    ) -> None:
        """Go on to the next call where there is one and it may fare better."""
        if refused_parameter(error, set(offered)) is not None:
            self._takes_no_more = True  # all of them: there is no third call to find out which
            if left:
                return
        elif left and worth_another(error):
            self.sleep(wait_before_next(error, self.settings.backoff, time.time()))
            return
        # The provider's own message may hold session text.
        what = f"failed after {spent.attempts} call(s): {kind_of(error)}"
        if (is_of_the_request(error) and is_served(self.name)) or may_be_declined(error):
            raise self._failed(case, who, what, spent) from None
        raise self._unavailable(case, who, what, spent, passes=worth_another(error)) from None

    def _sent(
        self, case: Case, who: str, talk: Talk, optional: Mapping[str, Any], spent: ExtractionTelemetry
    ) -> tuple[Reply, ExtractionTelemetry]:
        litellm_client()  # a model is not to blame for how long its client is loaded
        settings = self.settings
        prompt = sum(estimate_tokens(message["content"]) for message in talk)
        reserved = self.spending.reserve(price_of_tokens(self.name, prompt, settings.max_tokens))
        if isinstance(reserved, Refused):
            raise self._failed(case, who, f"was not asked: {reserved.why}", spent)
        cost: float | None = None
        try:
            response = within(
                settings.timeout + _GRACE,
                lambda: completion(
                    talk,
                    model=settings.model,
                    api_base=settings.api_base,
                    max_tokens=settings.max_tokens,
                    timeout=settings.timeout,
                    optional=optional,
                ),
            )
            reply, cost = reply_of(response), price_of(response)
        finally:
            self.spending.settle(reserved, cost)  # what failed may have been paid: it stays spent
        return reply, ExtractionTelemetry(
            reply.input_tokens or prompt, reply.output_tokens or estimate_tokens(reply.text), cost, attempts=1
        )

    def _failed(self, case: Case, who: str, what: str, spent: ExtractionTelemetry) -> HearingFailed:
        return HearingFailed(
            f"{self.name} as {who} {what} (case {case.case_id})",
            hint="`memory court run` asks again; another model may do better; without one the embedded court hears",
            spent=spent,
        )

    def _unavailable(self, case: Case, who: str, what: str, spent: ExtractionTelemetry, *, passes: bool) -> CourtUnavailable:
        return CourtUnavailable(
            f"{self.name} as {who} {what} (case {case.case_id})",
            hint="check the model's name (provider/model, as litellm writes it), its address and key, then `memory court run`; "
            "without a model the embedded court hears",
            spent=spent,
            passes=passes,
            is_of_all=not passes,
        )


def _repair(text: str, reason: str) -> Talk:
    return [
        {"role": "assistant", "content": text[:_REPAIR_EXCERPT] or "(empty)"},
        {"role": "user", "content": f"This answer cannot be used: {reason}. Answer with the JSON alone."},
    ]


def _optional(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What not every server takes."""
    told = {"name": "court_answer", "strict": True, "schema": dict(schema)}
    return {"temperature": 0, "response_format": {"type": "json_schema", "json_schema": told}}


_Answer = TypeVar("_Answer")


def _at_once(calls: Sequence[Callable[[], _Answer]]) -> list[_Answer | Exception]:
    """What each call gives or raises, in threads that nobody waits for when the process ends."""
    answers: dict[int, _Answer | Exception] = {}

    def work(number: int, call: Callable[[], _Answer]) -> None:
        try:
            answers[number] = call()
        except Exception as error:  # whatever it is, it is told where the answers are taken
            answers[number] = error

    threads = [threading.Thread(target=work, args=pair, name="a court's answer", daemon=True) for pair in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answers[number] for number in range(len(calls))]


def _raise_first(answers: Sequence[object], paid: Sequence[ExtractionTelemetry]) -> None:
    """Raise the first failure among some answers, with what all of them cost."""
    failures = [answer for answer in answers if isinstance(answer, Exception)]
    for other in failures:
        if not isinstance(other, HearingFailed):
            raise other
    if failures:
        first, *others = [failure for failure in failures if isinstance(failure, HearingFailed)]
        for spent in (*paid, *(other.spent for other in others)):
            first.spent = first.spent.plus(spent)
        raise first
