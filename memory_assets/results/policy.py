"""The judge's policy, as it is printed."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from memory_assets.results.model import WireModel


class PolicyActivationV1(WireModel):
    """What a person put in force once.

    Attributes:
        sha256: of the text.
        source: a file's text, or whichever policy ships with the program.
        is_usable: whether this version of the program can read it; where it cannot, the one before it holds.
    """

    event_id: str
    version: str
    sha256: str
    source: Literal["file", "shipped"]
    activated_by: str
    activated_at: datetime
    is_active: bool
    is_usable: bool


class PolicyV1(WireModel):
    """The policy in force.

    Attributes:
        source: where it is from.
        sha256: of its text.
        numbers: by their keys, as in ``budget.lessons_of_a_case``.
        critical: the pattern of words that show that a claim of a model is critical.
        cases: how many cases were judged under which version.
        history: what people put in force, the newest first; empty where nobody did.
    """

    schema_version: Literal["policy.v1"] = "policy.v1"
    version: str
    source: str
    numbers: dict[str, float]
    critical: str
    cases: dict[str, int] = Field(default_factory=dict)
    sha256: str = ""
    history: tuple[PolicyActivationV1, ...] = ()


class PolicyTroubleV1(WireModel):
    """What is wrong with a policy file; ``key`` is empty for the file as a whole."""

    key: str
    what: str


class PolicyChangeV1(WireModel):
    """A number that a policy file changes."""

    key: str
    now: float
    then: float


class PolicyCheckV1(WireModel):
    """What a policy file says, and what would come of it. Nothing is changed by a check.

    Attributes:
        troubles: what is wrong with it; where there is any, nothing else was looked at.
        same_version: the numbers differ and the version does not: such a file is not activated.
        critical_changed: whether other words show that a claim is critical: that counts where a model hears a case anew.
        cases: that were judged anew for this, by what was claimed; ``cases_of_a_model`` were judged by a model, and count as
            they are.
        claims_gained, claims_lost: that the judge would keep, or not keep any more.
        lessons_now, lessons_then: active ones, by the policy in force and by this one.
        lessons_gained, lessons_lost: active by one of the two alone.
    """

    schema_version: Literal["policy_check.v1"] = "policy_check.v1"
    version: str | None = None
    active_version: str
    troubles: tuple[PolicyTroubleV1, ...] = ()
    same_version: bool = False
    changes: tuple[PolicyChangeV1, ...] = ()
    critical_changed: bool = False
    cases: int = Field(default=0, ge=0)
    cases_of_a_model: int = Field(default=0, ge=0)
    claims_gained: int = Field(default=0, ge=0)
    claims_lost: int = Field(default=0, ge=0)
    lessons_now: int = Field(default=0, ge=0)
    lessons_then: int = Field(default=0, ge=0)
    lessons_gained: int = Field(default=0, ge=0)
    lessons_lost: int = Field(default=0, ge=0)
