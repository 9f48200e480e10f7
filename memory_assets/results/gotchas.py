"""Known issues and what ended them, as they are printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.citation import AnyCitationV1
from memory_assets.results.model import WireModel


class GotchaV1(WireModel):
    """An issue that was met and ended, once or in many sessions.

    Attributes:
        unit_id: of the best hit; ``unit_ids`` are those of every occurrence that was found.
        title: the error in one line.
        description: what went wrong, in the words of the session.
        resolution: what ended it; empty where nothing says so.
        occurrence_count: sessions in which it was met, the found ones and the others.
        trigger_conditions: what it was met with: commands, files, tools.
        relevance: how sure it is that this is what was asked for, 0 to 1.
    """

    unit_id: str
    unit_ids: tuple[str, ...] = ()
    title: str
    description: str = ""
    resolution: str = ""
    occurrence_count: int = Field(default=1, ge=1)
    trigger_conditions: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    project: str | None = None
    first_seen: datetime
    last_seen: datetime
    relevance: float = Field(default=0.0, ge=0, le=1)
    citations: tuple[AnyCitationV1, ...] = ()
    is_cited: bool = False
    tokens: int = Field(default=0, ge=0)


class GotchaListV1(WireModel):
    """Known issues for a question, best first."""

    schema_version: Literal["gotcha_list.v1"] = "gotcha_list.v1"
    query: str
    project: str | None = None
    files: tuple[str, ...] = ()
    gotchas: tuple[GotchaV1, ...] = ()
    estimated_tokens: int = Field(default=0, ge=0)
    notes: tuple[str, ...] = ()
