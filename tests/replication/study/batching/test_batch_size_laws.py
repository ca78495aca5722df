"""Laws of the containing batch size: steps between bound and simulation, simulation by gaps alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.games.play import play, private_reports
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.study.batching import batch_size_laws
from private_experts.walks.batch_size import proxy_survival, threshold
from private_experts.walks.delay import compute_delay
from private_experts.walks.gap import leading_gap, survival
from private_experts.walks.leader_change import bound
from tests.each import each
from tests.noisy import UNIT

ALPHA = 0.01
CELLS = [(2, 1.0, 50), (2, 0.25, 200), (10, 0.5, 120), (30, 1.0, 300)]


@each(("n", "mu", "t"), CELLS)
def test_each_bound_lies_below_the_next(n, mu, t):
    of = (t, batch_size_laws.noise_scale(n, mu), n, ALPHA, 100)
    proxy, still, tighter, one = (
        make(*of)
        for make in (
            proxy_survival,
            batch_size_laws.still_survival,
            batch_size_laws.tighter_survival,
            batch_size_laws.one_look_survival,
        )
    )
    for larger in (proxy, still, tighter, one):
        assert larger[0] == 1
        assert np.all(np.diff(larger) <= 0)
    assert np.all(proxy <= still + 1e-12)
    assert np.all(proxy <= tighter)
    assert np.all(still <= one + 1e-12)
    assert np.all(tighter <= one + 1e-12)
    assert tighter[4] > 1.02 * proxy[4]  # it is worth having


def test_without_drift_the_still_law_is_the_proxy():
    of = (120, 7.0, 5, ALPHA, 80)
    assert_allclose(
        batch_size_laws.still_survival(*of, rho=0.0), proxy_survival(*of, rho=0.0), rtol=1e-12, atol=1e-15
    )


@each("n", [2, 7])
def test_the_tighter_law_is_what_its_formula_says_by_plain_summation(n):
    t, eta, b = 150, 6.0, 5
    k, first = float(threshold(t, b, eta, n, ALPHA)), t - b
    steps = t - 1 - first
    x = np.linspace(k, k + 600, 6001)  # off by 4e-6 at most
    fall = (x - k - steps) / (eta * np.sqrt(2 * steps))
    stays = np.maximum(1 - 2 * (n - 1) * ndtr(-fall), 0)
    mass = -np.diff(survival(x, n, eta * np.sqrt(first + 1)))
    middle = np.array([0.5, 0.5])
    union = float((np.convolve(stays, middle, "valid") * mass).sum())
    bracket = np.maximum(1 - bound(fall - np.sqrt(np.log(2 * n - 2))), 0)
    paper = float((np.convolve(bracket, middle, "valid") * mass).sum())
    assert union > paper  # here the union is the better of the two
    assert_allclose(batch_size_laws.tighter_survival(t, eta, n, ALPHA, b)[b], union, rtol=1e-4)
    assert_allclose(proxy_survival(t, eta, n, ALPHA, b)[b], paper, rtol=1e-4)


@each("rho", [0.0, 1.0])
@each("n", [2, 5])
def test_sizes_read_off_gaps_are_those_of_compute_delay(n, rho):
    gaps = batch_size_laws.draw_walks(n, 30, 500, rng_for(2, "rule", n)).gaps(3.0)
    size = np.zeros(500, dtype=int)
    end = size.copy()
    for start, row in enumerate(gaps):
        begins = end == start
        size[begins] = np.minimum(compute_delay(row[begins], 3.0, n, 1.0, start, rho), 40 - start)
        end[begins] = start + size[begins]
        np.testing.assert_array_equal(
            batch_size_laws.containing_sizes(gaps, 3.0, n, 1.0, 40, [start + 1], rho)[0], size
        )


def test_sizes_read_off_gaps_are_those_of_the_algorithm_on_the_same_reports():
    n, eta, horizon = 3, 1.5, 80
    gains = np.tile([0.9, 0.0, 0.0], (horizon, 1))

    class Kept(SimulatedNoise):
        def perturb(self, values, scale, repetitions):
            report = super().perturb(values, scale, repetitions)
            kept.append(report.copy())
            return report

    kept: list[np.ndarray] = []
    noise = Kept(rng_for(2, "test reports"))
    given = {"noise_scale": eta, "noise": noise, "alpha": ALPHA, "repetitions": 20, "horizon": horizon}
    algorithm = RWAdaBatch(n, GaussianDP(1.0, "local"), **given)
    play(algorithm, private_reports(gains, UNIT, eta, noise, 20))
    gaps = leading_gap(np.cumsum(kept, axis=0))[:horizon]
    read = batch_size_laws.containing_sizes(gaps, eta, n, ALPHA, horizon, range(1, horizon + 1))
    np.testing.assert_array_equal(read, algorithm.containing_sizes())
    assert read.max() > 5


@each("n", [2, 3, 6])
def test_three_numbers_of_a_walk_give_its_gap(n):
    walks = batch_size_laws.draw_walks(n, 20, 50, rng_for(3, "test gaps", n))
    rng = rng_for(3, "test gaps", n)
    total = np.cumsum([rng.standard_normal((50, n)) for _ in range(20)], axis=0)
    drift = np.zeros((20, 1, n))
    drift[:, 0, 0] = 0.7 * np.arange(20)
    assert_allclose(walks.gaps(2.0, 0.7), leading_gap(2.0 * total + drift), rtol=1e-12, atol=1e-12)


@each(("n", "mu"), [(2, 1.0), (6, 0.5)])
def test_a_gap_that_stays_large_forces_a_large_batch_on_every_walk(n, mu):
    rounds, horizon = [40, 100, 150], 200
    table = batch_size_laws.simulated(n, [mu], horizon, rounds, [], 400, ALPHA, seed=4)
    assert {*table["law"]} == {"simulation", "simulation-without-drift", "stay-simulated"}
    wide = table.set_index(["round", "repetition", "law"])["size"].unstack("law")
    assert (wide["stay-simulated"] <= wide["simulation"]).all()
    assert (wide["stay-simulated"] > 1).any()
    assert (wide["stay-simulated"] < wide["simulation"]).any()
    # By hand, in the last rounds of a game, beyond which no batch goes.
    last = batch_size_laws.simulated(n, [mu], 153, rounds, [], 400, ALPHA, seed=4).query("round == 150")
    eta = batch_size_laws.noise_scale(n, mu)
    gaps = batch_size_laws.draw_walks(n, 150, 400, rng_for(4, "walks", n)).gaps(eta)
    large = [(gaps[150 - b : 150].min(axis=0) >= threshold(150, b, eta, n, ALPHA)) for b in (1, 2, 3)]
    found = last.loc[last["law"] == "stay-simulated", "size"]
    np.testing.assert_array_equal(found, 1 + np.sum(large, axis=0))
    assert found.max() == 4


def test_staying_sizes_by_hand():
    gaps = np.array([[9.0], [1.0], [5.0], [4.0], [9.0]])  # after 0, 1, 2, 3, 4 rounds
    # Datum 4 may be opened for after 3 rounds (b = 1), 2 (b = 2), 1 (b = 3), 0 (b = 4 and more).
    for least, size in (([4.5], 1), ([4.0, 4.0, 4.0], 3), ([0.5, 0.6, 0.7, 0.8, 0.9, 2.0], 6)):
        assert batch_size_laws.staying_sizes(gaps, 4, np.array(least)).tolist() == [size]


def test_the_control_has_mean_zero_and_moves_with_the_sizes():
    table = batch_size_laws.simulated(3, [1.0], 150, [100], [], 4000, ALPHA, seed=5)
    part = table[table["law"] == "simulation"]
    control, inverse = part["control"].to_numpy(), 1 / part["size"].to_numpy()
    assert abs(control.mean()) < 4.5 * control.std() / np.sqrt(control.size)  # false alarm: 7e-6
    assert np.corrcoef(control, inverse)[0, 1] > 0.8


def test_a_law_from_a_survival_keeps_its_mass_on_the_safe_side():
    sizes, weights = batch_size_laws.from_survival(np.array([1.0, 0.5, 0.25, 1e-17]))
    assert (sizes.tolist(), weights.tolist()) == ([1, 2, 3], pytest.approx([0.5, 0.25, 0.25]))
    assert weights.sum() == pytest.approx(1, abs=1e-15)
    sizes, weights = batch_size_laws.from_survival(np.array([1.0, 0.5]))  # the last size gets the rest
    assert (sizes.tolist(), weights.tolist()) == ([1, 2], [0.5, 0.5])


def test_computed_laws_have_a_row_a_size_and_weigh_one():
    table = batch_size_laws.computed(3, [1.0, 0.5], 60, [20, 40], ALPHA)
    assert set(table["law"]) == set(batch_size_laws.COMPUTED)
    totals = table.groupby(["law", "mu", "round"])["weight"].sum()
    assert len(totals) == len(batch_size_laws.COMPUTED) * 4
    assert_allclose(totals, 1)
    assert (table["size"] <= 60 - table["round"] + 1).all()
