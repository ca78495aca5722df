"""The largest shift of a quantile is that of the laws' quantiles; a shift not reached is not proved."""

from dataclasses import replace

import numpy as np
import pytest

from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import precision
from private_experts.replication.balls.piecewise_gaussian import gibbs
from private_experts.replication.balls.piecewise_linear import exact, line, maximum
from private_experts.replication.papers.p001.shifts import furthest_quantiles, quantiles_within
from private_experts.replication.papers.p001.transport import largest_shift
from tests.each import each

pytestmark = pytest.mark.usefixtures("in_balls")

ENDS = (-2.0, 6.0)


@each("parameters", [(3.0, 10.0), (0.1, 0.5), (30.0, 1.0)])
def test_it_is_the_largest_distance_of_quantiles_on_fine_cells(parameters: tuple[float, float]) -> None:
    (beta, lam), cells = parameters, 20_000
    points = Box((ENDS[0],), (ENDS[1],)).grid(cells)
    family, rng, pairs, upper = GridGibbs(points, beta=beta, lam=lam), rng_for(1, "shifts", beta), [], []
    for _ in range(3):
        lines = [(rng.normal(0, 2, 3), rng.normal(0, 4, 3)) for _ in range(2)]
        one, two = (gibbs(maximum(*lines_of, *ENDS), beta, lam) for lines_of in lines)
        losses = np.stack([(s[:, None] * points.T + h[:, None]).max(axis=0) for s, h in lines])
        shift = largest_shift(*family.log_masses(losses), np.linspace(*ENDS, cells + 1))
        low, high = furthest_quantiles([(one, two)], 1.0)
        assert high == low + 2.0**-12
        assert low - 0.001 <= shift <= high + 0.001
        pairs.append((one, two))
        upper.append(high)
    assert furthest_quantiles(pairs, 1.0)[1] == max(upper)


def test_a_shifted_gaussian_is_shifted_by_that_and_not_by_less() -> None:
    one, two = (gibbs(line(slope, *ENDS), 4.0, 10.0) for slope in (0.0, -2.0))  # 0.2 to the right
    slope = exact(2.0) / exact(10.0)
    assert quantiles_within(one, two, slope) == "yes"
    assert quantiles_within(one, two, slope * 4095 / 4096) == "no"
    assert quantiles_within(two, one, exact(0.0)) == "yes"  # it lies to the left
    assert furthest_quantiles([(two, one)], slope) == (1 - 2.0**-12, 1.0)
    low, high = furthest_quantiles([(two, one)], slope / 3, cuts=4)  # beyond the unit
    assert low <= 3.0 <= high <= low + 1 / 16
    assert furthest_quantiles([(one, one)], 1.0) == (0.0, 0.0)


def test_what_few_bits_do_not_decide_is_neither_proved_nor_refuted() -> None:
    one, two = (gibbs(line(slope, *ENDS), 4.0, 10.0) for slope in (0.0, -2.0))  # 0.2 to the right
    nearly = exact(2.0) / exact(10.0) * (1 - 1 / exact(2.0**60))
    answers = []
    for bits in (40, 300):
        with precision(bits):
            answers.append(quantiles_within(replace(one), replace(two), nearly))
    assert answers == ["unknown", "no"]


def test_no_shift_exceeds_the_interval() -> None:
    one, two = (gibbs(line(slope, *ENDS), 4.0, 10.0) for slope in (-200.0, 200.0))
    assert quantiles_within(two, one, exact(8.0)) == "yes"
    assert furthest_quantiles([(one, two)], 1.0)[1] == pytest.approx(8.0, abs=0.2)


def test_laws_of_different_curvatures_or_intervals_are_refused_however_far_quantiles_may_be() -> None:
    law = gibbs(line(0.0, *ENDS), 1.0, 1.0)
    for far in map(exact, (0.1, 1.0, 8.0)):
        with pytest.raises(ValueError, match="different curvatures"):
            quantiles_within(law, gibbs(line(0.0, *ENDS), 1.0, 2.0), far)
        with pytest.raises(ValueError, match="different intervals"):  # of which quantiles are up to 10 apart
            quantiles_within(law, gibbs(line(0.0, ENDS[0], 16.0), 1.0, 1.0), far)
