"""How far an entry can come: the ladder that proofs, policy, log and tables share."""

from __future__ import annotations

from typing import Literal

Stage = Literal["raw", "working", "candidate", "verified", "certified"]
STAGES: tuple[Stage, ...] = ("raw", "working", "candidate", "verified", "certified")
