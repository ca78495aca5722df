"""Cut-off Gaussians: normalisers against sums over grids, samples against their laws."""

import numpy as np
import pytest
from scipy import stats

from private_experts.errors import InputError
from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.gaussian import BallGaussian, BoxGaussian, LinearGibbs, _mirrored
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.randomness import rng_for
from tests.each import each

FALSE_ALARM = 1e-6
CASES = {
    "interval": (Box((-0.5,), (1.0,)), 40.0, [7.0], 20_000),
    "interval, far away": (Box((-0.5,), (0.5,)), 40.0, [2000.0], 400_000),
    "rectangle": (Box((-0.2, 0.0), (0.5, 1.0)), 9.0, [5.0, -8.0], 600),
    "disc": (Ball(2, 0.5), 40.0, [3.0, -9.0], 750),
    "disc, far away": (Ball(2, 0.5), 10.0, [-60.0, 20.0], 1500),
    "ball": (Ball(3, 1.0), 5.0, [1.0, 2.0, 3.0], 60),
}


def law_of(domain, precision, slope):
    make = BallGaussian if isinstance(domain, Ball) else BoxGaussian
    return make(domain, precision, np.array(slope))


@each("name", CASES)
def test_the_density_sums_to_1_over_a_fine_grid(name):
    domain, precision, slope, cells = CASES[name]
    points = domain.grid(cells)
    sides = (
        (2 * domain.radius,) * domain.dimension
        if isinstance(domain, Ball)
        else np.subtract(domain.high, domain.low)
    )
    mass = (
        np.exp(law_of(domain, precision, slope).log_density(points)).sum()
        * np.prod(sides)
        / cells**domain.dimension
    )
    assert mass == pytest.approx(1.0, abs=2e-3 if isinstance(domain, Ball) else 1e-5)
    law = law_of(domain, precision, slope)
    assert law.log_density(points[0]) == pytest.approx(law.log_density(points)[0])


@each("name", CASES)
def test_samples_are_inside_and_their_coordinates_have_the_law(name):
    domain, precision, slope, _ = CASES[name]
    law, size = law_of(domain, precision, slope), 4000
    points = law.sample(rng_for(0, "test gaussian", name), size)
    assert points.shape == (size, domain.dimension)
    np.testing.assert_allclose(domain.project(points), points, atol=1e-12)
    grid = domain.grid({1: 20_000, 2: 300, 3: 60}[domain.dimension])
    weights = np.exp(law.log_density(grid))
    for along in range(domain.dimension):
        places, number = np.unique(grid[:, along], return_inverse=True)
        masses = np.bincount(number, weights / weights.sum())
        half = (places[1] - places[0]) / 2
        cumulative = np.concatenate([[0.0], masses.cumsum()])
        edges = np.concatenate([[places[0] - half], places + half])
        distance = stats.kstest(
            points[:, along], lambda x, e=edges, c=cumulative: np.interp(x, e, c)
        ).statistic
        # Massart's inequality, and what the grid is off by
        assert distance < np.sqrt(np.log(2 / FALSE_ALARM) / (2 * size)) + 0.003


def test_points_of_a_box_are_quantiles_of_numbers_of_their_own_to_the_digit():
    slope, precision = np.array([0.0, 3.0, -3.0, 40.0, -0.5, 8.0]), 9.0
    box = Box((-1.0, -0.5, -1.0, -1.0, 0.0, -2.0), (1.0, 1.0, 0.25, 1.0, 1.0, 2.0))
    rng = rng_for(0, "test digits")  # by one, and by the law of another round
    points = np.concatenate([law_of(box, precision, slope).sample(rng, 1500) for _ in range(2)])
    drawn, spread = rng_for(0, "test digits").random((3000, 6)), precision**-0.5
    for number, low, high, mean, shares in zip(
        points.T, box.low, box.high, -slope / precision, drawn.T, strict=True
    ):
        ends = (low - mean) / spread, (high - mean) / spread
        levels = stats.truncnorm(*ends, loc=mean, scale=spread).cdf(number)
        # From whichever end the tail is drawn.
        assert min(np.abs(levels - share).max() for share in (shares, 1 - shares)) < 1e-9


def test_a_ball_is_drawn_from_a_box_of_its_own_density():
    """Up to a constant, and the reflection: what is drawn is what is stated, and not a little nearer."""
    ball = law_of(Ball(3, 2.0), 4.0, [1.0, -2.0, 0.5])
    points = rng_for(0, "test ball").normal(size=(20, 3)) / 2
    apart = ball.log_density(points) - ball._around.log_density(_mirrored(points, ball._mirror))
    np.testing.assert_allclose(apart, apart[0], atol=1e-9)
    drawn, again = (rng_for(0, "test ball", "digits") for _ in range(2))
    found = ball._around.sample(again, 2 * 500 + 64)
    inside = found[(found**2).sum(axis=1) <= 4.0][:500]
    assert len(inside) == 500
    np.testing.assert_array_equal(ball.sample(drawn, 500), _mirrored(inside, ball._mirror))


def test_however_often_points_of_a_ball_are_refused_each_is_one_of_its_own():
    ball = law_of(Ball(6, 1.0), 0.1, [0.1] * 6)  # one in twelve of its box
    assert len(np.unique(ball.sample(rng_for(0, "test ball", "own"), 3000), axis=0)) == 3000


def test_a_line_is_a_ball_in_one_dimension():
    ball, box = (
        BallGaussian(Ball(1, 0.5), 40.0, np.array([7.0])),
        BoxGaussian(Box((-0.5,), (0.5,)), 40.0, np.array([7.0])),
    )
    assert ball.log_normaliser == pytest.approx(box.log_normaliser, abs=1e-12)


def test_the_family_is_that_of_the_grid_up_to_the_width_of_a_cell():
    domain, total = Ball(2, 0.5), np.array([4.0, -1.0])
    family, grid = LinearGibbs(domain, beta=2.0, lam=6.0), domain.grid(200)
    np.testing.assert_array_equal(family.nothing, np.zeros(2))
    on_grid = GridGibbs(grid, beta=2.0, lam=6.0).log_masses(grid @ total)
    difference = family.law(total).log_density(grid) - on_grid
    assert np.ptp(difference) < 1e-9
    assert difference[0] == pytest.approx(2 * np.log(200), abs=1e-3)


def test_a_ball_that_fills_next_to_nothing_of_its_box_is_refused():
    with pytest.raises(InputError, match="fewer dimensions"):
        BallGaussian(Ball(20, 1.0), 1e-3, np.zeros(20)).sample(rng_for(0, "test refusal"), 1)
