"""Stochastic streams: playing every round against the bare streams, and against the law of the blocks' totals."""

from benchmarks import clock
from private_experts.algorithms import (
    DyadicLeader,
    FixedShare,
    Hedge,
    NoisyFixedShare,
    RandomizedPrefix,
    RestartingLeader,
    ShrinkingDartboard,
)
from private_experts.games import play
from private_experts.games.blocks import block_regret, sampled_errors
from private_experts.games.stochastic import chunks, equal_gaps, gaps, independent, pseudo_regret
from private_experts.randomness import rng_for

N, REPETITIONS, EPSILON = 100, 10, 0.1
STREAM = independent(equal_gaps(N, 0.1))


def rng_of(*key):
    return rng_for(1, "benchmark streaming", *key)


def bare(horizon):
    """Draw the rounds and nothing else."""
    for _ in chunks(STREAM, horizon, REPETITIONS, rng_of("streams")):
        pass


def played(algorithm, horizon):
    """Play every round, through predict and update; return the mean pseudo-regret."""
    total = 0.0
    for rounds in chunks(STREAM, horizon, REPETITIONS, rng_of("streams")):
        total += pseudo_regret(gaps(STREAM), play(algorithm, rounds)).mean()
    return total


def computed(horizon, repetitions=REPETITIONS):
    """Return the mean pseudo-regret from the law of the blocks' totals."""
    algorithm = RandomizedPrefix(N, EPSILON, rng_of("law"))
    errors = sampled_errors(algorithm, STREAM, horizon.bit_length(), repetitions, rng_of("totals"))
    return block_regret(errors, [horizon]).mean()


def main(horizon=1_000_000, few=100_000):
    once = clock.seconds(
        {
            "bare streams": lambda: bare(horizon),
            "randomised prefix": lambda: played(RandomizedPrefix(N, EPSILON, rng_of("own"), REPETITIONS), horizon),
            "from the blocks' law": lambda: computed(horizon),
        },
        rounds=1,
    )
    clock.report(
        f"Randomised prefix, {horizon} rounds x {N} experts x {REPETITIONS} repetitions, each on its own stream",
        {name: f"{value:.3f} s  {value / once['bare streams']:.2g}x" for name, value in once.items()}
        | {"regret played": f"{played(RandomizedPrefix(N, EPSILON, rng_of('own'), REPETITIONS), few):.0f}"}
        | {"regret from the law": f"{computed(few, 1000):.0f}"},
    )
    calls = {
        "bare streams": lambda: bare(few),
        "randomised prefix": lambda: played(RandomizedPrefix(N, EPSILON, rng_of("own"), REPETITIONS), few),
        "report-noisy-max": lambda: played(DyadicLeader(N, EPSILON, rng_of("own"), REPETITIONS), few),
        "restarting leader, dyadic windows": lambda: played(
            RestartingLeader(N, few, EPSILON, rng_of("own"), REPETITIONS), few
        ),
        "shrinking dartboard": lambda: played(
            ShrinkingDartboard(N, 0.001, 0.01, 4 * few * 0.01, rng_of("own"), REPETITIONS), few
        ),
        "Hedge, which draws each round": lambda: played(Hedge(N, rng_of("own"), REPETITIONS), few),
        "fixed share, the same": lambda: played(FixedShare(N, few, 8, 0.01, rng_of("own"), REPETITIONS), few),
        "noisy fixed share": lambda: played(
            NoisyFixedShare(N, few, 8, 1e-5, N / EPSILON, rng_of("own"), REPETITIONS), few
        ),
    }
    times = clock.seconds(calls, rounds=1)
    clock.report(
        f"A round of {REPETITIONS} repetitions, {N} experts",
        {
            name: f"{1e6 * value / few:.1f} us, {value * horizon / few:.0f} s for {horizon}"
            for name, value in times.items()
        },
    )
