"""Privacy curves beside dp-accounting: the largest relative difference over a grid, and CPU time for it.

``python -m benchmarks curves`` prints the table, and ``python -m benchmarks.curves`` writes it into
docs/performance.md too.
"""

import math
from itertools import product

from dp_accounting import get_epsilon_gaussian, get_sigma_gaussian
from dp_accounting.pld.common import DifferentialPrivacyParameters
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism, from_privacy_parameters
from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss

from benchmarks import clock, documents
from private_experts.privacy.exact_composition import epsilon as exact_epsilon
from private_experts.privacy.gaussian_mechanism import calibrate_mu, delta, epsilon

LEVELS, DELTAS, STEPS = (0.1, 0.5, 1.0, 3.0), (1e-9, 1e-6, 1e-3), (10, 147)


def many_gaussians(mu, delta, count):
    return from_gaussian_mechanism(1 / mu).self_compose(count).get_epsilon_for_delta(delta)


def many_pure(epsilon, delta, count):
    step = from_privacy_parameters(DifferentialPrivacyParameters(epsilon, 0.0))
    return step.self_compose(count).get_epsilon_for_delta(delta)


# What is computed: the grid, how often it is gone through, ours, and theirs.
ROWS = {
    "epsilon of one Gaussian release": (
        [*product(LEVELS, DELTAS)],
        20,
        lambda mu, d: float(epsilon(delta=d, mu=mu)),
        lambda mu, d: get_epsilon_gaussian(1 / mu, d),
    ),
    "its mu from epsilon and delta": (
        [*product((0.1, 1.0, 5.0), DELTAS)],
        20,
        lambda e, d: float(calibrate_mu(epsilon=e, delta=d)),
        lambda e, d: 1 / get_sigma_gaussian(e, d),
    ),
    "its delta from mu and epsilon": (
        [*product(LEVELS, (0.1, 1.0, 5.0))],
        200,
        lambda mu, e: float(delta(epsilon=e, mu=mu)),
        lambda mu, e: GaussianPrivacyLoss(1 / mu).get_delta_for_epsilon(e),
    ),
    "epsilon of 10 and 147 Gaussian releases (theirs: a distribution of losses)": (
        [*product(LEVELS[:2], DELTAS, STEPS)],
        1,
        lambda mu, d, k: float(epsilon(delta=d, mu=mu * math.sqrt(k))),
        many_gaussians,
    ),
    "epsilon of 10 and 147 pure releases (theirs: the same)": (
        [*product((0.05, 0.2), DELTAS[1:], STEPS)],
        1,
        lambda e, d, k: exact_epsilon(delta=d, pure=[(e, k)]),
        many_pure,
    ),
}


def compared(cases, times, ours, theirs):
    """Return the largest relative difference of two functions, and the ratio of their CPU times."""
    apart = max(abs(theirs(*case) / ours(*case) - 1) for case in cases if ours(*case) > 1e-300)
    both = {
        name: lambda function=function: [function(*case) for _ in range(times) for case in cases]
        for name, function in (("ours", ours), ("theirs", theirs))
    }
    taken = clock.seconds(both, rounds=7)
    return apart, taken["ours"] / taken["theirs"]


def lines():
    yield "| number | largest relative difference | our CPU over dp-accounting's |"
    yield "| --- | ---: | ---: |"
    for name, row in ROWS.items():
        apart, ratio = compared(*row)
        yield f"| {name} | {apart:.0e} | {ratio:.2g} |"


def main():
    return documents.printed(lines())


if __name__ == "__main__":
    documents.write("curves", main())
