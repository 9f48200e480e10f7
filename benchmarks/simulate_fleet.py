"""What saturates first where thousands of machines share logs: a simulation that draws from measured turns.

  python benchmarks/simulate_fleet.py [--load benchmarks/fleet_load.json] [--turns-a-day 60] [--seed 1]

The figures come from ``bench_fleet_load``; how much people work does not, and is an argument. Each machine has turns
at random over the busiest hour of a day, in which a fifth of them fall. A turn asks for the lock of its log once for
each transaction that a measured turn had, one behind the other, and holds it for as long as that one did. Requests
are served in the order in which they come. For each number of machines, and for each size of a group that has a log
of its own, it prints how busy the lock is, how long a turn waits for it, and what one machine's mirror has to take
over in a day, and by how much it grows in a year of 230 working days.
"""

from __future__ import annotations

import argparse
import heapq
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

HOUR = 3_600.0
SHARE_OF_THE_BUSIEST_HOUR = 0.2
# Of one core: what a person leaves to a program that works behind everything else.
CPU_SECONDS_A_DAY = 1_800.0
WORKING_DAYS = 230
MACHINES = (10, 30, 100, 300, 1_000, 3_000, 10_000)
GROUPS = (10, 30, 100, 300, 10_000)


@dataclass(frozen=True)
class Load:
    """What was measured.

    Attributes:
        turns: of each turn the seconds for which it held the log, by transaction.
        events_a_turn: on average.
        event_seconds: CPU-seconds for which another machine takes over an event of many, tables and index of words.
        turn_seconds: and for which it follows one turn by itself.
        log_bytes, mirror_bytes: by which an event makes PostgreSQL and a mirror larger; what a new store takes is not in it.
    """

    turns: tuple[tuple[float, ...], ...]
    events_a_turn: float
    event_seconds: float
    turn_seconds: float
    log_bytes: float
    mirror_bytes: float

    @classmethod
    def read(cls, path: Path) -> Load:
        """From the file that ``bench_fleet_load`` writes."""
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        turns = [turn for turn in told["turns"] if turn]
        first, last = told["half"], told["all"]
        events = last["events"] - first["events"]
        grown = {name: (last[name] - first[name]) / events for name in first if name.startswith("bytes_")}
        return cls(
            tuple(tuple(seconds for seconds, _ in turn) for turn in turns),
            sum(written for turn in turns for _, written in turn) / len(turns),
            (last["cpu_seconds_to_take_over"] - first["cpu_seconds_to_take_over"]) / events,
            sum(seconds for _, seconds in told["follows"]) / len(told["follows"]),
            grown["bytes_in_postgresql"],
            grown["bytes_of_a_mirror_file"] + grown["bytes_of_a_mirror_index"],
        )


@dataclass(frozen=True)
class Hour:
    """The busiest hour of one log.

    Attributes:
        busy: the share of the hour for which its lock was held.
        waits: seconds that each turn waited for the lock, all its transactions together, in order.
        behind: turns that were not through an hour after it.
    """

    busy: float
    waits: tuple[float, ...]
    behind: int

    def waited(self, share: float) -> float:
        """The wait that so many turns do not exceed."""
        return self.waits[min(len(self.waits) - 1, int(len(self.waits) * share))] if self.waits else 0.0


def simulated(load: Load, machines: int, turns_a_day: float, chance: Random) -> Hour:
    """The busiest hour of a log that so many machines share."""
    count = chance_of_turns(machines * turns_a_day * SHARE_OF_THE_BUSIEST_HOUR, chance)
    # When a turn asks next, which turn, and how many of its transactions are done.
    asking = [(chance.random() * HOUR, turn, 0) for turn in range(count)]
    heapq.heapify(asking)
    drawn = [chance.choice(load.turns) for _ in range(count)]
    waits = [0.0] * count
    free = held = 0.0
    behind = 0
    while asking:
        at, turn, done = heapq.heappop(asking)
        begun = max(at, free)
        if begun > 2 * HOUR:
            behind += 1
            continue
        seconds = drawn[turn][done]
        waits[turn] += begun - at
        free = begun + seconds
        held += min(seconds, max(0.0, HOUR - begun))
        if done + 1 < len(drawn[turn]):
            heapq.heappush(asking, (free, turn, done + 1))
    return Hour(held / HOUR, tuple(sorted(waits)), behind)


def chance_of_turns(expected: float, chance: Random) -> int:
    """How many there are where so many are expected, of independent people: a Poisson's, above 30 by a normal one."""
    if expected > 30:
        return max(0, round(chance.gauss(expected, expected**0.5)))
    count, left = 0, chance.expovariate(1.0)
    while left < expected:
        count, left = count + 1, left + chance.expovariate(1.0)
    return count


def main() -> None:
    """Print both tables."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--load", type=Path, default=Path(__file__).with_name("fleet_load.json"))
    arguments.add_argument("--turns-a-day", type=float, default=60.0)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    load, chance = Load.read(given.load), Random(given.seed)
    print(f"{len(load.turns)} measured turns of {load.events_a_turn:.0f} events; {given.turns_a_day:g} a day and machine")
    print(f"\n{'machines':>8} {'lock held':>10} {'a turn waits p50':>17} {'p95':>8} {'p99':>8} {'not through':>12}")
    for machines in MACHINES:
        print(row_of(machines, simulated(load, machines, given.turns_a_day, chance)))
    events_a_day = given.turns_a_day * load.events_a_turn
    print(f"\n{'a log of':>8} {'events a day':>13} {'CPU at once':>12} {'turn by turn':>13} {'grows a year':>14} {'logs':>7}")
    for group in GROUPS:
        print(mirror_of(group, given.turns_a_day, load))
    once, each = events_a_day * load.event_seconds, given.turns_a_day * load.turn_seconds
    print(
        f"\na mirror that may take {CPU_SECONDS_A_DAY / 60:.0f} CPU-minutes a day follows {int(CPU_SECONDS_A_DAY / once):,} "
        f"machines once a day, {int(CPU_SECONDS_A_DAY / each):,} turn by turn"
    )


def row_of(machines: int, hour: Hour) -> str:
    """A line about the lock."""
    waits: Sequence[str] = [f"{hour.waited(share):.2f} s" for share in (0.5, 0.95, 0.99)]
    return f"{machines:8,} {hour.busy:10.1%} {waits[0]:>17} {waits[1]:>8} {waits[2]:>8} {hour.behind:12,}"


def mirror_of(group: int, turns_a_day: float, load: Load) -> str:
    """A line about what a mirror of so many machines takes over."""
    turns = group * turns_a_day
    events = turns * load.events_a_turn
    once, each = events * load.event_seconds / 60, turns * load.turn_seconds / 60
    size = events * load.mirror_bytes * WORKING_DAYS / 1e9
    return f"{group:8,} {events:13,.0f} {once:8,.1f} min {each:9,.0f} min {size:11,.1f} GB {-(-10_000 // group):7,}"


if __name__ == "__main__":
    main()
