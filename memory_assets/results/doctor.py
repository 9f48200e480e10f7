"""What doctor looked at, as it is printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memory_assets.results.model import WireModel


class CheckV1(WireModel):
    """One thing that was looked at; ``hint`` says what to do about it, ``warning`` that it is sound and wants somebody."""

    name: str
    ok: bool
    detail: str
    hint: str = ""
    warning: bool = False


class DoctorV1(WireModel):
    """Every check; healthy where each is well."""

    schema_version: Literal["doctor.v1"] = "doctor.v1"
    healthy: bool
    checks: tuple[CheckV1, ...]

    @classmethod
    def of(cls, checks: Sequence[CheckV1]) -> DoctorV1:
        """What all checks say together."""
        return cls(healthy=all(check.ok for check in checks), checks=tuple(checks))
