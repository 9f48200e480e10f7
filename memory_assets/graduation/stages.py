"""How far an entry can come (requirements G-01, X-03): the ladder that proofs, policy, log and tables share."""

from __future__ import annotations

from typing import Literal

Stage = Literal["raw", "working", "candidate", "verified", "certified"]
STAGES: tuple[Stage, ...] = ("raw", "working", "candidate", "verified", "certified")
