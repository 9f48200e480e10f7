"""How long and how often a provider is asked again: bounded in time and in number."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import TypeVar

LONGEST_WAIT = 30.0
_RATE_LIMIT = 429
_PASSING_STATUSES = (408, 409, 425, _RATE_LIMIT)
_OF_THE_REQUEST = (400, 413, 422)
_REFUSED_STATUSES = (400, 422)
# What somebody in front of the model says of one text as well as of everybody: a moderator, a law.
_DECLINING_STATUSES = (403, 451)
_NOT_THERE_STATUSES = (502, 503)
_UNREACHED = ("ConnectError", "ConnectTimeout")
_MAX_CAUSES = 20

T = TypeVar("T")


class OutOfTimeError(Exception):
    """An answer was not whole when its time was over, though something may have arrived all along."""


def within(seconds: float, call: Callable[[], T]) -> T:
    """What ``call`` gives, as long as it takes no longer than that.

    A client's own time-out is for each read: a server that sends a byte now and then holds it for ever. The call goes on
    in a thread that nobody waits for.

    Raises:
        OutOfTimeError: the time is over.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # whatever it is, it is raised where it was asked for
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True, name="one answer of a model")
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise OutOfTimeError
    return results[0]


def status_of(error: Exception) -> int | None:
    """The HTTP status that an error stands for, where it has one."""
    status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def redirect_of(error: Exception) -> int | None:
    """The status of a reply that sends us to another address; litellm's own error may stand for another status."""
    statuses = (status_of(cause) for cause in causes_of(error) if isinstance(cause, Exception))
    return next((status for status in statuses if status is not None and 300 <= status < 400), None)


def worth_another(error: Exception) -> bool:
    """Rate limits, time-outs, lost connections and the provider's own failures pass; wrong keys and requests do not."""
    status = redirect_of(error) or status_of(error)
    return status is None or status in _PASSING_STATUSES or status >= 500


def is_rate_limit(error: Exception) -> bool:
    """Whether the server answers, and wants to be asked less often."""
    return status_of(error) == _RATE_LIMIT


def is_down(error: Exception) -> bool:
    """Whether a failure is of the server as a whole: others will meet it too. A rate limit passes."""
    return worth_another(error) and status_of(error) not in (409, 425, _RATE_LIMIT)


def is_unreached(error: Exception) -> bool:
    """Whether there was no connection at all."""
    return any(type(cause).__name__ in _UNREACHED for cause in causes_of(error))


def was_heard(error: Exception) -> bool:
    """Whether the model may have had the request before it: it was reached, and did not only ask to be left alone."""
    return not is_unreached(error) and status_of(error) not in (_RATE_LIMIT, *_NOT_THERE_STATUSES)


def may_be_declined(error: Exception) -> bool:
    """Whether what was sent may have been declined for what it says."""
    return redirect_of(error) is None and status_of(error) in _DECLINING_STATUSES


def is_of_the_request(error: Exception) -> bool:
    """Whether what was sent is why: it is too long, or nothing that this model takes. Another window may do."""
    return redirect_of(error) is None and status_of(error) in _OF_THE_REQUEST


def refused_parameter(error: Exception, given: set[str]) -> str | None:
    """Which of the optional parameters of a refused request to leave out: the one that is named, else the schema.

    A request that is too long for the model is too long without them.
    """
    if status_of(error) not in _REFUSED_STATUSES or "ContextWindow" in type(error).__name__:
        return None
    told = str(error)
    named = [name for name in ("temperature", "response_format") if name in given and name in told]
    return named[0] if named else next((name for name in ("response_format",) if name in given), None)


def wait_before_next(error: Exception, planned: float, now: float) -> float:
    """Seconds until the next attempt: what the provider asks for, as seconds or as a date, within bounds.

    Args:
        now: seconds since the epoch, to which a date is compared.
    """
    asked = _seconds(_header(error, "retry-after"), now)
    return min(max(planned if asked is None else asked, 0.0), LONGEST_WAIT)


def causes_of(error: BaseException) -> list[BaseException]:
    """An error and those behind it: litellm wraps what a provider's client raised, more than once."""
    causes = [error]
    while len(causes) < _MAX_CAUSES and (cause := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(cause)
    return causes


def _header(error: Exception, name: str) -> str:
    """A header of the reply that led to an error; litellm's own errors carry a made-up reply in front of the real one."""
    for cause in causes_of(error):
        for headers in (getattr(cause, "litellm_response_headers", None), getattr(cause, "response", None)):
            found = getattr(headers, "headers", headers)
            if isinstance(found, Mapping) and name in found:
                return str(found[name])
    return ""


def _seconds(asked: str, now: float) -> float | None:
    try:
        seconds = float(asked)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(asked).timestamp() - now
        except (ValueError, TypeError, OverflowError):
            return None
    return None if math.isnan(seconds) else seconds
