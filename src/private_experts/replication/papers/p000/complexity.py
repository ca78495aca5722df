"""What a round costs, in evaluations and in bytes, whatever the horizon. [000, Appendix A.1]

[mathematics/000.md#complexity]
"""

import gc
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from types import FunctionType, MethodType, ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.arrays import Array
from private_experts.learners.recorded import Recorded
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.fixed_stream_regret import LOCAL, noisy_reports
from private_experts.walks import delay

_STEPS = 31  # of bisection: sizes of batches are below 2^31
_TABLED = 7 + 3  # look-ups of the inverse, and tests of a guess that may be off by one


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the arguments at which ComputeDelay evaluates Theorem 1's bound, and looks up its inverse."""
    spent: Counter[str] = Counter()

    def counting(name: str, function: Any) -> Any:
        def count(arguments: Array) -> Any:
            spent[name] += np.size(arguments)
            return function(arguments)

        return count

    # The library's own functions are counted where they are called, so no second implementation is measured.
    with patch.multiple(
        delay, **{name: counting(name, getattr(delay, name)) for name in ("log_bound", "look_up")}
    ):
        yield spent


def array_bytes(thing: Any) -> int:
    """Return the bytes of an array, or of all arrays in a container."""
    if isinstance(thing, np.ndarray):
        return int((thing if thing.base is None else thing.base).nbytes)
    if isinstance(thing, Mapping):
        return sum(map(array_bytes, thing.values()))
    return sum(map(array_bytes, thing)) if isinstance(thing, list | tuple) else 0


def reachable_bytes(thing: Any) -> int:
    """Return the bytes of all arrays that an object refers to, and eight a place in a container; not code."""
    visited, waiting, total = set(), [thing], 0
    while waiting:
        item = waiting.pop()
        # Code and classes are shared by all algorithms, and no memory of a game.
        if id(item) in visited or isinstance(item, type | ModuleType | FunctionType | MethodType):
            continue
        visited.add(id(item))
        if isinstance(item, np.ndarray):
            total += item.nbytes if item.base is None else 0
        elif isinstance(item, Collection) and not isinstance(item, str | bytes):
            total += 8 * len(item)
        waiting += gc.get_referents(item)
    return total


def complexity(cells: Grid, seed: int) -> list[Point]:
    """A decision takes so many evaluations at most, and between rounds so many bytes stay: for all n, T.

    `bisection` and `table` are the most evaluations of a decision, over gaps of any size. The others are the
    bytes that an algorithm keeps in arrays beyond those of the formula, and how much longer games make all
    that it refers to.
    """
    points = []
    for n, completed in product(cells["n"], cells["completed"]):
        most = {
            way: max(
                _evaluations(float(gap), n, completed, way == "bisection") for gap in np.geomspace(1, 1e5, 24)
            )
            for way in ("bisection", "table")
        }
        where = {"n": n, "completed": completed}
        points.append(Point({**where, "what": "bisection"}, abs(most["bisection"] - _STEPS), 0))
        points.append(Point({**where, "what": "table"}, most["table"], _TABLED))
    for horizon, n, m in product(cells["T"], cells["n"], cells["m"]):
        for name, (bytes_kept, formula, _) in _memory(n, m, horizon, seed).items():
            points.append(Point({"T": horizon, "n": n, "m": m, "what": name}, abs(bytes_kept - formula), 0))
    for n, m in product(cells["n"], cells["m"]):
        horizons = min(cells["T"]), max(cells["T"])
        shorter, longer = (_memory(n, m, horizon, seed) for horizon in horizons)
        for name, (*_, everything) in longer.items():
            # Between the shortest and the longest game: what grows with the rounds cannot hide in a constant.
            grown = abs(everything - shorter[name][2])
            where = {"T": horizons[1], "n": n, "m": m, "what": f"{name}, growth"}
            points.append(Point(where, grown, 0))
    return points


def _evaluations(gap: float, n: int, completed: int, exact: bool) -> int:
    with counted() as spent:
        delay.compute_delay(gap, 1.0, n, 0.01, completed, exact=exact)
    return spent.total()


def _memory(n: int, m: int, horizon: int, seed: int) -> dict[str, tuple[int, int, int]]:
    """Return by algorithm the bytes of its arrays after a game and one choice; those claimed; all."""
    rng = rng_for(seed, "complexity", n, m, horizon)
    noise = SimulatedNoise(rng)
    # Without the record, which is for readers and grows with the game.
    batched = RWAdaBatch(n, LOCAL, noise_scale=1.0, noise=noise, record=False)
    meta = RWMeta([Recorded(rng.integers(0, n, (horizon + 1, m, 1)))], LOCAL, rng=rng)
    for report in noisy_reports(np.zeros((horizon, n)), 1.0, noise, repetitions=1):
        batched.predict()
        batched.update(report)
        meta.update(report)
    meta.predict()
    own = {name: value for name, value in vars(meta).items() if name not in ("_learners", "_made_with")}
    algorithms = {"RW-AdaBatch": (vars(batched), 8 * (2 * n + 2)), "RW-Meta": (own, 8 * (m * m + 2 * m + 1))}
    return {
        name: (array_bytes(held), formula, reachable_bytes(held))
        for name, (held, formula) in algorithms.items()
    }
