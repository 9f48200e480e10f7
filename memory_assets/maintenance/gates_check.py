"""What doctor says of the numbers from which on something is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_assets.results.doctor import CheckV1

if TYPE_CHECKING:
    from memory_assets.settings import Settings


def gates_check(settings: Settings) -> CheckV1:
    """The gates in force, and whether those that the store has of its own are left out.

    Raises:
        ConfigInvalidError: the store's file holds no gates.
    """
    from memory_assets.search.answerability.own_gates import calibration_of, is_out_of_date
    from memory_assets.search.answerability.sureness import shipped

    known = calibration_of(settings.home)
    told = f"known from {known.gate_within} on within a project, from {known.gate_over_all} on over the whole store"
    if is_out_of_date(settings.home):
        return CheckV1(
            name="gates",
            ok=True,
            warning=True,
            detail=f"{told}; the store's own were chosen with other weights and are not in force",
            hint="`memory eval calibrate --write` chooses them anew",
        )
    return CheckV1(
        name="gates", ok=True, detail=f"{told}, {'as shipped' if known is shipped() else f'version {known.version}'}"
    )
