"""Many sessions through the compiler: in batches, several processes at once.

Starting the compiler costs as much as judging fifty entries, so what is likely to be accepted goes together into one
process. A batch either is accepted as a whole or says nothing: then it is taken apart, down to each session alone. So what
comes out for a session is what judging it alone gives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import Final

from memory_assets.graduation.proofs.idris2_verdicts import (
    Chain,
    Compiled,
    Idris2,
    NotTogether,
    Unavailable,
    check,
    check_together,
)

# So many sessions in a row that get no answer in time, and not one that does: the compiler hangs, whatever it is asked.
HOPELESS: Final = 3

_Job = tuple[str, ...]
_Outcome = Compiled | Unavailable | tuple[Compiled, ...] | NotTogether


def compile_all(tool: Idris2, chains: Mapping[str, Chain], *, alone: Collection[str] = ()) -> dict[str, Compiled | Unavailable]:
    """The compiler's verdict on each chain, or why it gave none.

    Args:
        alone: those that go into a process of their own at once: they are expected to be refused.
    """
    waiting: list[_Job] = [*_batches(tool, chains, [key for key in chains if key not in alone])]
    waiting += [(key,) for key in chains if key in alone]
    verdicts: dict[str, Compiled | Unavailable] = {}
    stop, silent, answered = Event(), 0, False
    with ThreadPoolExecutor(max_workers=max(tool.processes, 1)) as pool:
        running: dict[Future[_Outcome], _Job] = {}
        try:
            while waiting or running:
                while waiting and len(running) < max(tool.processes, 1):
                    job = waiting.pop(0)
                    running[pool.submit(_judge, tool, chains, job, stop)] = job
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    job, outcome = running.pop(done), done.result()
                    match outcome:
                        case NotTogether():
                            waiting = [*_apart(chains, job, outcome), *waiting]
                        case Compiled():
                            verdicts[job[0]], answered = outcome, True
                        case Unavailable():
                            verdicts.update(dict.fromkeys(job, outcome))
                            silent += outcome.timed_out
                        case _:
                            verdicts.update(zip(job, outcome, strict=True))
                            answered = True
                if silent >= HOPELESS and not answered:
                    unasked = Unavailable(f"idris2 {tool.version} gave no answer in time, {silent} times in a row")
                    verdicts.update({key: unasked for job in waiting for key in job})
                    waiting = []
        finally:
            stop.set()  # whoever interrupts us does not want to wait for what still runs
    return {key: verdicts[key] for key in chains}


def _judge(tool: Idris2, chains: Mapping[str, Chain], job: _Job, stop: Event) -> _Outcome:
    if len(job) > 1:
        return check_together(tool, [chains[key] for key in job], stop=stop)
    chain = chains[job[0]]
    return check(tool, chain.modules, entries=chain.entries, stop=stop)


def _batches(tool: Idris2, chains: Mapping[str, Chain], keys: Sequence[str]) -> Iterator[_Job]:
    """Chains in their order, as many together as the limit allows; no module's name comes twice in a batch."""
    batch: list[str] = []
    names: set[str] = set()
    entries = 0
    for key in keys:
        own, weight = {module.name for module in chains[key].modules}, max(chains[key].entries, 1)
        if batch and (entries + weight > tool.batch_entries or not names.isdisjoint(own)):
            yield tuple(batch)
            batch, names, entries = [], set(), 0
        batch.append(key)
        names |= own
        entries += weight
    if batch:
        yield tuple(batch)


def _apart(chains: Mapping[str, Chain], job: _Job, outcome: NotTogether) -> list[_Job]:
    """What is blamed goes alone, the rest in two halves; after a time-out each one alone, the smallest first."""
    if outcome.timed_out:
        return [(key,) for key in sorted(job, key=lambda key: chains[key].entries)]
    rest = [key for place, key in enumerate(job) if place not in outcome.blamed]
    halves = (rest[: len(rest) // 2], rest[len(rest) // 2 :])
    return [tuple(half) for half in halves if half] + [(job[place],) for place in sorted(outcome.blamed)]
