"""Many copies and many experts: time over a plain loop or the bare noise, and the bytes that a copy takes.

``python -m benchmarks copies`` prints the table, and ``python -m benchmarks.copies`` writes it into
docs/performance.md too. Times are of CPU, those of threads by the clock: they gain nothing on a machine whose
cores are taken. So the least of many short rounds counts, and beside two threads stand two that draw half of
the noise each and do nothing else, with NumPy's usual generator.
"""

import os
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from benchmarks import clock, documents
from benchmarks.aims import hedge, plain_hedge, ratio
from private_experts.algorithms import RWFTPL
from private_experts.games import TrendMeta, play, private_reports
from private_experts.privacy import GaussianDP, SimulatedNoise
from private_experts.randomness import rng_for

LOCAL = GaussianDP(1.0, "local")
WEEKS, HOSPITALS, LEARNERS, WINDOW = 94, 146, 13, 64
WIDE = {10**5: 1000, 10**6: 200}  # rounds by experts


def gains(rounds, n):
    return rng_for(1, "benchmark copies", rounds, n).random((rounds, n))


def meta(copies, block=0):
    """Return an RW-Meta that has played, and its actions."""
    noise, rng = SimulatedNoise(rng_for(1, "noise", block)), rng_for(1, "choice", block)
    settings = {"sensitivity": 0.15, "noise": noise, "rng": rng, "repetitions": copies}
    algorithm = TrendMeta(HOSPITALS, LOCAL, **settings)
    return algorithm, play(algorithm, 0.15 * gains(WEEKS, HOSPITALS), noise=noise)


def bytes_of_meta(copies):
    """Return what RW-Meta keeps after a game, and how much more there was on the way."""
    meta(copies)  # also makes the filters that all copies share, of some MB at most
    tracemalloc.start()
    try:
        played = meta(copies)
        kept, most = tracemalloc.get_traced_memory()
        return kept - played[1].nbytes, most - kept
    finally:
        tracemalloc.stop()


def most_in_blocks(copies, together=100):
    """Return the bytes in use at most when so many copies are played after another."""
    meta(together)
    tracemalloc.start()
    try:
        played = [meta(together, block)[1] for block in range(copies // together)]
        return tracemalloc.get_traced_memory()[1] - sum(actions.nbytes for actions in played)
    finally:
        tracemalloc.stop()


def bare(n, threads=1):
    """Draw n numbers in each round, with each thread's share in an array of its own."""
    parts = [(rng_for(1, "bare", thread), np.empty(n // threads)) for thread in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        while True:
            others = [pool.submit(rng.standard_normal, out=part) for rng, part in parts[1:]]
            parts[0][0].standard_normal(out=parts[0][1])
            yield [other.result() for other in others]


def leader(told, noise):
    """Play rounds as `play` does, as many in each step as it plays at once."""
    algorithm = RWFTPL(told.shape[1], LOCAL, sensitivity=1.0, noise=noise)
    while True:
        reports = private_reports(told, LOCAL, 1.0, noise)
        first = next(reports)
        algorithm.update(first)
        yield from reports.add_all(algorithm.total, first)


def games(told):
    """Play whole games, with all that `play` looks at before the first round, one in each step."""
    while True:
        noise = SimulatedNoise(1)
        algorithm = RWFTPL(told.shape[1], LOCAL, sensitivity=1.0, noise=noise)
        yield play(algorithm, told, sensitivity=1.0, noise=noise)


def shortest(steps, rounds, of):
    """Return the least time of a step of each, which take turns: a short one is seldom interrupted."""
    return clock.seconds({name: partial(next, some) for name, some in steps.items()}, rounds, of=of)


def lines():
    yield "| measure | measured | aim |"
    yield "| --- | ---: | ---: |"
    for game in ((1000, 100, 1000), (1000, 1000, 100)):
        assert (hedge(*game) == plain_hedge(*game)).all()
        name = f"Hedge, n = {game[1]}, {game[2]} copies of one law: over a plain loop of NumPy"
        yield f"| {name} | {ratio(partial(hedge, *game), partial(plain_hedge, *game)):.2f} | 1.2 |"
    told = 8 * HOSPITALS * (WINDOW + 3) + 8 * LEARNERS * (LEARNERS + 1)
    for copies in (100, 400, 1600):
        kept, more = bytes_of_meta(copies)
        name = f"RW-Meta, n = {HOSPITALS}, {WEEKS} rounds, {copies} copies: kB that a copy keeps"
        yield f"| {name} | {kept / copies / 1000:.0f} | {told / 1000:.0f}, as documented |"
        yield f"| MB in use beside that, at most | {more / 1e6:.0f} | |"
    for copies in (100, 1000, 4000):
        name = f"RW-Meta, n = {HOSPITALS}, {WEEKS} rounds, {copies} copies, 100 after another: MB at most"
        yield f"| {name} | {most_in_blocks(copies) / 1e6:.0f} | as 100 |"
    for n in (100, 1000, 10**5):
        actions = play(RWFTPL(n, LOCAL, noise_scale=1.0, noise=SimulatedNoise(1)), gains(3, n), **NOISE)
        least = np.min_scalar_type(-n).itemsize
        yield f"| bytes of an action among {n} experts | {actions.itemsize} | {least} |"
    for n, rounds in WIDE.items():
        noise = SimulatedNoise(1), SimulatedNoise(1, workers=2)
        at_once = noise[1].together(n)
        told = gains(1 + -(-10 // at_once) * at_once, n)  # no step is shorter than the others
        steps = {"one": leader(told, noise[0]), "threads": leader(told, noise[1])}
        steps |= {"bare": bare(n), "two": bare(n, 2)}
        cpu, waited = (shortest(steps, rounds, of) for of in (time.thread_time, time.perf_counter))
        both = " / ".join(f"{took['one'] / took['bare']:.2f}" for took in (cpu, waited))
        yield f"| RW-FTPL, n = {n}: a round over its bare noise, CPU / by the clock | {both} | 1.2 |"
        gained = f"{waited['threads'] / at_once / waited['one']:.2f} / {waited['two'] / waited['bare']:.2f}"
        name = f"RW-FTPL, n = {n}: 2 threads over one / those of bare noise, by the clock"
        yield f"| {name} | {gained} | 0.6 |"
    took = shortest({"game": games(gains(60, 10**5)), "bare": bare(10**5)}, 10, time.thread_time)
    name = "RW-FTPL, n = 100000: a game of 60 rounds over its bare noise, CPU"
    yield f"| {name} | {took['game'] / took['bare'] / 60:.2f} | 1.2 |"
    cores, load = os.cpu_count(), os.getloadavg()[0]
    yield f"| processes that wanted one of the {cores} cores meanwhile | {load:.0f} | |"


NOISE = {"sensitivity": 1.0, "noise": SimulatedNoise(1)}


def main():
    return documents.printed(lines())


if __name__ == "__main__":
    documents.write("copies", main())
