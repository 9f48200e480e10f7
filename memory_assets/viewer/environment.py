"""Where templates become pages: everything is escaped, and every text is masked on its way out."""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from memory_assets.viewer import links
from memory_assets.viewer.layout import PLACES, is_here
from memory_assets.viewer.masking import Masked
from memory_assets.viewer.words import Own

_AS_IT_IS: Final = (Own, Masked)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The one environment of all pages."""
    made = Environment(
        loader=PackageLoader("memory_assets.viewer", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_masked_text,
        cache_size=200,
    )
    made.globals |= {"places": PLACES, "is_here": is_here}
    made.filters |= {
        "own": Own,
        "day": _day,
        "moment": _moment,
        "machine_time": _machine_time,
        "number": _number,
        "cut": _cut,
        "session_link": links.session_link,
        "message_link": links.message_link,
        "memory_link": links.memory_link,
        "cited_link": links.cited_link,
        "project_link": links.project_link,
        "lesson_link": links.lesson_link,
        "case_link": links.case_link,
        "prompt_link": links.prompt_link,
        "task_link": links.task_link,
    }
    return made


@pass_context
def _masked_text(context: Context, value: Any) -> Any:
    """What is printed in place of a value: nothing for nothing, a text masked; jinja2 escapes what this returns."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, _AS_IT_IS) and not hasattr(value, "__html__"):
        return context["mask"](value)
    return value


def _day(value: date | datetime | None) -> Own:
    return Own(value.strftime("%Y-%m-%d") if value else "–")


def _moment(value: datetime | None) -> Own:
    return Own(value.strftime("%Y-%m-%d %H:%M") if value else "–")


def _machine_time(value: datetime | None) -> Own:
    return Own(value.strftime("%Y-%m-%dT%H:%M:%SZ") if value else "")


def _number(value: int) -> Own:
    return Own(f"{value:,}")


@pass_context
def _cut(context: Context, value: str | None, length: int) -> Masked:
    """A text on one line, its beginning where it is long. It is masked before it is cut: half a secret looks like none."""
    line = " ".join(context["mask"](value or "").split())
    return Masked(line if len(line) <= length else line[: length - 1].rstrip() + "…")
