"""Stochastic streams: a million rounds of each algorithm, and the time saved by laws of block totals."""

import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from benchmarks import clock
from private_experts.algorithms import (
    DartboardParameters,
    DyadicLeader,
    FixedShare,
    Hedge,
    NoisyFixedShare,
    RandomizedPrefix,
    RestartingLeader,
    ShrinkingDartboard,
)
from private_experts.algorithms.clipped_simplex import follow, project
from private_experts.games import play
from private_experts.games.streams import chunks, equal_gaps, gaps, independent, pseudo_regret
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.blocks import block_regret, sampled_errors

N, REPETITIONS, EPSILON = 100, 10, 0.1
PURE = PureDP(EPSILON, "central")
STREAM = independent(equal_gaps(N, 0.1))

# Each is made from the horizon, a generator and the number of repetitions.
ALGORITHMS = {
    "randomised prefix": lambda horizon, **rest: RandomizedPrefix(N, PURE, **rest),
    "report-noisy-max": lambda horizon, **rest: DyadicLeader(N, PURE, **rest),
    "restarting leader, dyadic windows": lambda horizon, **rest: RestartingLeader(
        N, PURE, horizon=horizon, windows="dyadic", **rest
    ),
    "shrinking dartboard": lambda horizon, **rest: ShrinkingDartboard(
        N,
        PureDP(float("inf"), "central"),
        parameters=DartboardParameters(0.001, 0.01, 0.04 * horizon),
        **rest,
    ),
    "Hedge, which draws each round": lambda horizon, **rest: Hedge(N, **rest),
    "fixed share, the same": lambda horizon, **rest: FixedShare(
        N, horizon=horizon, switches=8, eta=0.01, **rest
    ),
    "noisy fixed share, the same": lambda horizon, **rest: NoisyFixedShare(
        N, PURE, horizon=horizon, switches=8, eta=1e-5, **rest
    ),
}


def rng_of(*key):
    return rng_for(1, "benchmark streaming", *key)


def streams(horizon, repetitions, own=True, part=0):
    """Yield gains (chunk, repetitions, N), or (chunk, N) when all repetitions play on one stream."""
    for rounds in chunks(STREAM, horizon, repetitions if own else 1, rng_of("streams", part if own else 0)):
        yield rounds if own else rounds[:, 0]


def played(name, horizon, repetitions=REPETITIONS, own=True, part=0):
    """Play every round of a part of the repetitions by predict and update. Return the mean pseudo-regret."""
    algorithm = ALGORITHMS[name](horizon, rng=rng_of("own", part), repetitions=repetitions)
    total = 0.0
    for rounds in streams(horizon, repetitions, own, part):
        total += pseudo_regret(gaps(STREAM), play(algorithm, rounds, resume=True)).mean()
    return total


def computed(horizon, repetitions=REPETITIONS):
    """Return the mean pseudo-regret of the randomised prefix, computed from the law of the blocks' totals."""
    algorithm = RandomizedPrefix(N, PURE, rng=rng_of("law"))
    errors = sampled_errors(algorithm, STREAM, horizon.bit_length(), repetitions, rng_of("totals"))
    return block_regret(errors, [horizon]).mean()


def uniform_numbers(name, horizon, repetitions, own, part):
    """Draw the uniform numbers that fixed share needs for its noise, nothing else, and return how many."""
    rng, rounds = rng_of("bare", part), 2**15 // (repetitions * N)
    return sum(rng.random((rounds, repetitions, N)).size for _ in range(0, horizon, rounds))


def projected(weights, factors, floor):
    """Project round after round, as `update` does, what `follow` projects at once."""
    for now, coming, factor in zip(weights, weights[1:], factors, strict=False):
        coming[...] = project(now * factor, floor)


def projections(rounds=1600, floor=1e-7):
    weights = np.full((rounds + 1, REPETITIONS, N), 1 / N)
    factors = np.exp(0.01 * rng_of("factors").random((rounds, REPETITIONS, N)))
    stretches = range(0, rounds, 32)
    times = clock.seconds(
        {
            "in turn": lambda: projected(weights, factors, floor),
            "32 rounds at once": lambda: [
                follow(weights[k : k + 33], factors[k : k + 32], floor) for k in stretches
            ],
        },
        rounds=20,
    )
    clock.report(
        f"Projections to the clipped simplex, {N} experts x {REPETITIONS} repetitions, a round",
        {
            name: f"{1e6 * value / rounds:.1f} us  {value / times['in turn']:.2f}x"
            for name, value in times.items()
        },
    )


def waited(pool, name, horizon, cores, own, what=played):
    """Return the seconds until all repetitions are played. Every core plays the same number of them."""
    start = time.perf_counter()
    parts = [pool.submit(what, name, horizon, REPETITIONS // cores, own, part) for part in range(cores)]
    for part in parts:
        part.result()
    return time.perf_counter() - start


def main(horizon=1_000_000, few=100_000):
    projections()
    law = clock.seconds(
        {
            "bare streams": lambda: [None for _ in streams(horizon, REPETITIONS)],
            "played": lambda: played("randomised prefix", horizon),
            "from the blocks' law": lambda: computed(horizon),
        },
        rounds=1,
    )
    clock.report(
        f"Randomised prefix, {horizon} rounds x {N} experts x {REPETITIONS} repetitions, each on its own "
        "stream",
        {name: f"{value:.3f} s  {value / law['bare streams']:.2g}x" for name, value in law.items()}
        | {"regret played": f"{played('randomised prefix', few):.0f}"}
        | {"regret from the law": f"{computed(few, 1000):.0f}"},
    )
    cases = [(cores, own) for cores in (1, 2) for own in (False, True)]
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        waited(pool, "randomised prefix", few, 2, True)  # both processes have started before the clock does
        rows = {
            name: "  ".join(f"{waited(pool, name, horizon, *case, what=what):>8.1f} s" for case in cases)
            for name, what in {
                **dict.fromkeys(ALGORITHMS, played),
                "bare draws of its noise": uniform_numbers,
            }.items()
        }
    heads = (f"{'each' if own else 'one'}, {cores} core{'s' * (cores - 1)}" for cores, own in cases)
    clock.report(
        f"{horizon} rounds x {N} experts x {REPETITIONS} repetitions; one stream, or each its own, drawn as "
        "well",
        {"": "  ".join(f"{head:>10}" for head in heads)} | rows,
    )
