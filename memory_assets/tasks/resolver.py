"""From what sessions claim and people say of tasks to what became of them.

Pure functions over a cluster: names of one project that may be taken for each other, with everything that is said under them.
``follow`` reads a cluster in the order of the sessions' own clocks; ``finish`` says what its tasks wait for, once the clusters
of what they wait for were followed too. So any order in which sessions are read gives the same history.
"""

from __future__ import annotations

from memory_assets.tasks.blocker_resolution import finish
from memory_assets.tasks.claim_resolution import follow
from memory_assets.tasks.input_hashes import RESOLVER_VERSION
from memory_assets.tasks.resolution_steps import Followed

__all__ = ["RESOLVER_VERSION", "Followed", "finish", "follow"]
