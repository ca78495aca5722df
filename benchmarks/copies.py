"""Many copies and many experts: time over a plain loop or the bare noise, and the bytes that a copy takes.

``python -m benchmarks copies`` prints the table, and ``python -m benchmarks.copies`` writes it into
docs/performance.md too. Times are of CPU, those of threads by the clock too: they gain nothing on a machine
whose cores are taken. Of two threads there is also the CPU of the one that plays. It draws half of the noise
and does all the rest, so on idle cores a round takes this long, and what threads wait for each other.
"""

import os
import time
import tracemalloc
from functools import partial

import numpy as np

from benchmarks import clock, documents
from benchmarks.aims import hedge, plain_hedge, ratio
from private_experts.algorithms import RWFTPL
from private_experts.games import TrendMeta, play
from private_experts.privacy import GaussianDP, SimulatedNoise
from private_experts.randomness import rng_for

LOCAL = GaussianDP(1.0, "local")
WEEKS, HOSPITALS, LEARNERS, WINDOW = 94, 146, 13, 64
WIDE = {10**5: 20, 10**6: 10}  # rounds by experts


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


def bare(rounds, n):
    rng = rng_for(1, "bare")
    for _ in range(rounds + 1):
        rng.standard_normal((1, n))


def leader(told, workers=None):
    noise = SimulatedNoise(1, workers)
    play(RWFTPL(told.shape[1], LOCAL, sensitivity=1.0, noise=noise), told, noise=noise)


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
        told = gains(rounds, n)
        calls = {"bare": partial(bare, rounds, n)}
        calls |= {workers: partial(leader, told, workers) for workers in (None, 2)}
        cpu, own, waited = (
            clock.seconds(calls, 20, of=of) for of in (time.process_time, time.thread_time, time.perf_counter)
        )
        name, both = (
            f"RW-FTPL, n = {n}",
            f"{cpu[None] / cpu['bare']:.2f} / {waited[None] / waited['bare']:.2f}",
        )
        yield f"| {name}: over its bare noise, CPU / by the clock | {both} | 1.2 |"
        both = f"{own[2] / own[None]:.2f} / {waited[2] / waited[None]:.2f}"
        yield f"| {name}, 2 threads: over one, CPU of the one that plays / by the clock | {both} | 0.6 |"
    cores, load = os.cpu_count(), os.getloadavg()[0]
    yield f"| processes that wanted one of the {cores} cores meanwhile | {load:.0f} | |"


NOISE = {"sensitivity": 1.0, "noise": SimulatedNoise(1)}


def main():
    return documents.printed(lines())


if __name__ == "__main__":
    documents.write("copies", main())
