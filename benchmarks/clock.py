"""Timing: the calls take turns several times, and the least time of each counts."""

import time
from collections.abc import Callable, Mapping


def seconds(
    calls: Mapping[str, Callable[[], object]],
    rounds: int = 5,
    of: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Return the least time of each call over several rounds, in which every call is made once."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = of()
            call()
            best[name] = min(best[name], of() - start)
    return best


def report(title: str, rows: Mapping[str, str]) -> None:
    print(f"\n{title}")
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"  {name:<{width}}  {value}")
