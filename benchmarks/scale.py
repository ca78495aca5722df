"""Time and memory against rounds, experts and learners, with fitted exponents, and a deployment's cost.

``python -m benchmarks scale`` prints them, and ``python -m benchmarks.scale`` writes them into
docs/performance.md too. There ``--limit 300`` lets an algorithm play ten times as many rounds as so far while
that takes up to 300 seconds.
"""

import argparse
import itertools
import math
import time
import tracemalloc

import numpy as np

from benchmarks import documents
from benchmarks.streaming import PURE
from private_experts.algorithms import (
    RWFTPL,
    DyadicLeader,
    FixedShare,
    NoisyFixedShare,
    PrefixFTPL,
    RWAdaBatch,
    RWMeta,
    TreeFTPL,
)
from private_experts.learners import LinearFilters, trend_weights
from private_experts.privacy import BandedSums, GaussianDP, Reports, SimulatedNoise, TightTreeSums
from private_experts.privacy.banded import root_band
from private_experts.randomness import rng_for

LOCAL, CENTRAL = GaussianDP(1.0, "local"), GaussianDP(1.0, "central")
BAND, BILLION = 16, 10**9
FEW_EXPERTS, FEW_LEARNERS = 100, 12


def noise():
    return SimulatedNoise(rng_for(1, "benchmark scale"))


def rng():
    return rng_for(1, "benchmark scale", "draws")


def meta(n, m=FEW_LEARNERS):
    settings = [(8 + 4 * (k % 4), 10.0 ** (k - m // 2)) for k in range(m)]
    first = Reports(noise().perturb(np.zeros(n), 1.0, 1), LOCAL, 1.0)
    return RWMeta([LinearFilters(trend_weights, settings, first)], LOCAL, rng=rng())


# Each is made from the numbers of experts and of rounds. The first three hear reports.
MAKERS = {
    "RW-FTPL": lambda n, T: RWFTPL(n, LOCAL, noise_scale=1.0, noise=noise()),
    "RW-AdaBatch, no record": lambda n, T: RWAdaBatch(n, LOCAL, noise_scale=1.0, noise=noise(), record=False),
    f"RW-Meta, {FEW_LEARNERS} learners": lambda n, T: meta(n),
    "Min Noise (tree)": lambda n, T: TreeFTPL(n, CENTRAL, horizon=T, sensitivity=1.0, noise=noise()),
    "refined tree": lambda n, T: PrefixFTPL(
        TightTreeSums(n, CENTRAL, sensitivity=np.ones(T), noise=noise(), refined=True)
    ),
    f"band of {BAND}": lambda n, T: PrefixFTPL(
        BandedSums(n, CENTRAL, coefficients=root_band(BAND), sensitivity=1.0, noise=noise())
    ),
    "report-noisy-max": lambda n, T: DyadicLeader(n, PURE, rng=rng()),
    "fixed share": lambda n, T: FixedShare(n, horizon=T, switches=8, eta=0.01, rng=rng()),
    "noisy fixed share": lambda n, T: NoisyFixedShare(n, PURE, horizon=T, switches=8, eta=1e-5, rng=rng()),
}
LOCAL_ONES = [*MAKERS][:3]


def feedback(name, n):
    """Return what an algorithm is told in each round: some vectors in turn. Drawing them is not timed."""
    gains = 0.5 * rng().random((8, n))
    gains[:, 0] += 0.5  # an expert that is better, as in a game that ends some day
    drawn = noise()
    rounds = (
        [Reports(drawn.perturb(row, 1.0, 1), LOCAL, 1.0) for row in gains] if name in LOCAL_ONES else [*gains]
    )
    return itertools.cycle(rounds)


def seconds(algorithm, rounds, stops, limit=math.inf):
    """Return the process time until each of so many rounds was played; after the limit no stop is begun."""
    passed, start = [], time.process_time()
    for t, row in zip(range(1, stops[-1] + 1), rounds, strict=False):
        algorithm.predict()
        algorithm.update(row)
        if t in stops:
            passed.append(time.process_time() - start)
            if passed[-1] > limit / 10:  # the next stop is ten times as far
                break
    return passed


def held(name, n, rounds):
    """Return the bytes of the arrays an algorithm keeps after so many rounds, and the most on the way."""
    given = feedback(name, n)
    MAKERS[name](4, 16).predict()
    arrays = tracemalloc.DomainFilter(inclusive=True, domain=np.lib.tracemalloc_domain)
    tracemalloc.start()
    try:
        algorithm = MAKERS[name](n, rounds + 1)
        seconds(algorithm, given, [rounds])
        traces = tracemalloc.take_snapshot().filter_traces([arrays]).traces
        return sum(trace.size for trace in traces), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def exponent(xs, ys):
    """Return the slope of the logarithms, by least squares."""
    return float(np.polyfit(np.log(xs), np.log(np.maximum(ys, 1e-9)), 1)[0])


def power(number):
    return f"10^{round(math.log10(number))}"


def against_experts(experts, rounds=7):
    """Return a table: seconds of a round and bytes by the number of experts."""
    heads = [f"ms a round, n = {power(n)}" for n in experts]
    yield f"| algorithm | {' | '.join(heads)} | exponent | bytes an expert keeps | and at most in use |"
    yield f"| --- |{' ---: |' * (len(experts) + 3)}"
    for name, make in MAKERS.items():
        times, sizes = [], []
        for n in experts:
            algorithm, given = make(n, 2 * rounds + 2), feedback(name, n)
            begun, whole = seconds(algorithm, given, [rounds, 2 * rounds])
            times.append((whole - begun) / rounds)
            sizes.append(held(name, n, rounds))
        cells = [f"{1000 * time:.3g}" for time in times]
        kept, most = (sizes[-1][k] / experts[-1] for k in (0, 1))
        yield f"| {name} | {' | '.join(cells)} | {exponent(experts, times):.2f} | {kept:.0f} | {most:.0f} |"


def against_rounds(stops, limit, n=FEW_EXPERTS):
    """Return a table: seconds and bytes by rounds, and the price of a billion reports at these rates."""
    short = (2**6 - 1, 2**9 - 1)
    heads = [f"s, T = {power(T)}" for T in stops]
    yield (
        f"| algorithm | {' | '.join(heads)} | exponent | bytes an expert keeps, T = {short[0]} | T = "
        f"{short[1]} | *computed:* h for 10^9 reports |"
    )
    yield f"| --- |{' ---: |' * (len(stops) + 4)}"
    for name, make in MAKERS.items():
        times = seconds(make(n, stops[-1] + 1), feedback(name, n), stops, limit)
        kept = [f"{held(name, 1000, T)[0] / 1000:.0f}" for T in short]
        hours = times[-1] / (n * stops[len(times) - 1]) * BILLION / 3600
        cells = " | ".join([f"{time:.2f}" for time in times] + [""] * (len(stops) - len(times)))
        fitted = exponent(stops[: len(times)], times)
        yield f"| {name} | {cells} | {fitted:.2f} | {' | '.join(kept)} | *{hours:.2g}* |"


def against_learners(learners, n=FEW_EXPERTS, rounds=400):
    """Return a table: seconds of a round of RW-Meta by the number of learners."""
    times = []
    for m in learners:
        begun, whole = seconds(meta(n, m), feedback(LOCAL_ONES[2], n), [50, 50 + rounds])
        times.append((whole - begun) / rounds)
    yield f"| RW-Meta, n = {n} | {' | '.join(f'm = {m}' for m in learners)} | exponent |"
    yield f"| --- |{' ---: |' * (len(learners) + 1)}"
    cells = " | ".join(f"{1000 * seconds:.2f}" for seconds in times)
    yield f"| ms a round | {cells} | {exponent(learners, times):.2f} |"


LIMIT = 20  # seconds


def main(
    rounds=(10**3, 10**4, 10**5, 10**6),
    experts=(10**4, 10**5, 10**6),
    learners=(4, 8, 16, 32, 64),
    limit=LIMIT,
):
    lines = []
    for table in (against_experts(experts), against_rounds(rounds, limit), against_learners(learners)):
        for line in table:
            print(line, flush=True)
            lines.append(line)
        print()
        lines.append("")
    return "\n".join(lines).strip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help="seconds that the next stop may take at most"
    )
    tables = main(limit=parser.parse_args().limit)
    documents.write("scale", tables)
