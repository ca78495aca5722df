"""The measures of docs/performance.md beside their aims: CPU time ratios of programs that take turns."""

import math
from functools import partial

import numpy as np

from benchmarks import checks, clock, streams
from private_experts.algorithms import Decorrelation, Hedge, KnownAdvice, RWAdaBatch, RWMeta
from private_experts.games import play, private_reports
from private_experts.learners import LinearFilters, TotalsLeader, trend_weights
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise
from private_experts.privacy.factorization import optimal, prefix_sums
from private_experts.randomness import rng_for
from private_experts.replication.study.players.rw_meta import advice_of_learners

LOCAL, SCALE = GaussianDP(1.0, "local"), 1.0
WEEKS, COPIES, HOSPITALS = 148, 100, (25, 146, 293)
ROUNDS = 6  # turns of each program


def gains(rounds, n):
    return rng_for(1, "benchmark aims", rounds, n).random((rounds, n))


def noise(name):
    return SimulatedNoise(rng_for(1, "benchmark aims", name))


def bare(rounds, n, copies):
    """Draw the noise of a game's reports and do nothing else."""
    rng = rng_for(1, "bare")
    for _ in range(rounds + 1):
        rng.standard_normal((copies, n))


def hospital_reports(n, copies=COPIES):
    """Return what is heard before the first week, and the reports of all weeks."""
    drawn = noise("weeks")
    first = Reports(drawn.perturb(np.zeros(n), SCALE, copies), LOCAL, SCALE)
    return first, private_reports(gains(WEEKS, n), LOCAL, SCALE, drawn, copies)


def through_play(n, settings=streams.SETTINGS):
    """Play RW-Meta as the library's users do."""
    first, reports = hospital_reports(n)
    learners = [LinearFilters(trend_weights, settings, first), TotalsLeader(first)]
    return play(RWMeta(learners, LOCAL, rng=rng_for(1, "choice")), reports)


def as_the_study(n):
    """Play the same as the study does: advice first, and then the choices."""
    first, reports = hospital_reports(n)
    advice = KnownAdvice(
        *advice_of_learners(TotalsLeader(first), first, reports, "trend", streams.SETTINGS), LOCAL
    )
    return RWMeta.play_many(advice, {"": (Decorrelation(), rng_for(1, "choice"))}, COPIES)[""]


def of_learners(m, n):
    """Play RW-Meta with so many learners."""
    return through_play(n, [(8 * 2 ** (k % 4), 10.0 ** (k // 4 - m // 8)) for k in range(m - 1)])


def adabatch(rounds=2000, n=100, copies=10):
    drawn = noise("batches")
    leader = RWAdaBatch(n, LOCAL, noise_scale=SCALE, noise=drawn, repetitions=copies)
    return play(leader, private_reports(gains(rounds, n), LOCAL, SCALE, drawn, copies))


def hedge(rounds, n, copies):
    return play(Hedge(n, rng=rng_for(1, "hedge"), repetitions=copies), gains(rounds, n))


def plain_hedge(rounds, n, copies):
    """Play the same in a plain loop of NumPy."""
    rng, totals = rng_for(1, "hedge"), np.zeros(n)
    actions = np.empty((rounds, copies), dtype=np.intp)
    for t, row in enumerate(gains(rounds, n)):
        scores = 2 * math.sqrt(math.log(n) / (t + 1)) * totals
        sums = np.exp(scores - scores.max()).cumsum()
        actions[t] = sums.searchsorted((1 - rng.random(copies)) * sums[-1])
        totals += row
    return actions


def ratio(ours, other, rounds=ROUNDS):
    times = clock.seconds({"ours": ours, "other": other}, rounds)
    return times["ours"] / times["other"]


def dearest_check(least=25e-6, again=3):
    """Return the largest ratio of a round with checks to one without, for rounds of so many seconds or more.

    What is above the aim is measured again, and the least ratio counts.
    """
    found = [1.0]
    for repetitions, n in checks.SIZES:
        for _, make in checks.players(repetitions, n):
            measured = []
            while not measured or (len(measured) < again and min(measured) > checks.WORTH_A_LOOK):
                without, cost = checks.round_and_ratio(checks.turns(make))
                measured.append(cost if without >= least else 1.0)
            found.append(min(measured))
    return max(found)


def measures():
    """Yield what is measured, the ratio, and the aim."""
    for n, aim in zip(HOSPITALS, (20, 6, 4.5), strict=True):
        times = clock.seconds(
            {
                "bare": partial(bare, WEEKS, n, COPIES),
                "study": partial(as_the_study, n),
                "play": partial(through_play, n),
            },
            ROUNDS,
        )
        game = f"RW-Meta, {len(streams.SETTINGS) + 1} learners, {WEEKS} rounds, {COPIES} copies, n = {n}"
        yield f"{game}: through `play` over the study's way", times["play"] / times["study"], 1.1
        yield f"{game}: through `play` over the bare noise", times["play"] / times["bare"], aim
    yield (
        "RW-Meta, 100 copies, n = 100: 64 learners over 16",
        ratio(partial(of_learners, 64, 100), partial(of_learners, 16, 100), 2),
        5,
    )
    yield (
        "RW-AdaBatch, 2000 rounds, 10 copies, n = 100: over the bare noise",
        ratio(adabatch, partial(bare, 2000, 100, 10)),
        5,
    )
    for game, aim in (
        ((1000, 100, 1000), 1.2),
        ((1000, 1000, 100), 1.2),
        ((5000, 100, 10), 1),
        ((5000, 10, 1), 1),
    ):
        assert (hedge(*game) == plain_hedge(*game)).all()
        yield (
            f"Hedge, n = {game[1]}, copies: {game[2]}: over a plain loop of NumPy",
            ratio(partial(hedge, *game), partial(plain_hedge, *game)),
            aim,
        )
    yield (
        "the dearest checks of a round of 25 µs or more: with them over without",
        dearest_check(),
        checks.WORTH_A_LOOK,
    )
    sums, ones = prefix_sums(200), np.ones(200)
    yield (
        "factorization.optimal, 200 rounds: a tolerance of 1e-4 over 1e-9",
        ratio(lambda: optimal(sums, ones), lambda: optimal(sums, ones, tolerance=1e-9)),
        0.25,
    )


def main():
    print("\nRatios of CPU time beside their aims (docs/performance.md)")
    for name, measured, aim in measures():
        print(
            f"  {measured:6.2f}  {'at most' if measured <= aim else 'ABOVE  '} {aim:5g}  {name}", flush=True
        )
