"""Means and ratios over repetitions, the columns of Table 2 and its cells."""

from statistics import NormalDist

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.study.estimates import critical_value, largest, least, mean, picked, ratio
from private_experts.replication.study.hospital_game import FRESH, HEDGE
from private_experts.replication.study.table_2 import cells
from private_experts.replication.study.table_2_columns import OTHERS, estimates
from tests.replication.study.estimates import ESTIMATES, totals_of

CENTRAL = ["min-noise", "square-root"]


def totals(rng, repetitions=50):
    names = ["rw-meta", *OTHERS, "learner/w8-weak", "learner/w16-strong", "square-root"]
    levels = [100.0, 80.0, 60.0, 50.0, 110.0, 90.0, 95.0]
    return {name: level + rng.normal(size=repetitions) for name, level in zip(names, levels, strict=True)}


def test_critical_value_is_bonferroni_over_two_sided_intervals():
    assert critical_value(0.95, 1) == pytest.approx(1.959963984540054)
    assert critical_value(0.95, 12) == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 24))


def test_mean_has_the_interval_of_the_central_limit_theorem():
    value, half_width = mean(np.array([1.0, 2.0, 3.0, 6.0]), z=2.0)
    assert value == 3.0
    assert half_width == pytest.approx(2.0 * np.sqrt(14 / 3) / 2)


def test_without_spread_there_is_an_interval_only_where_nothing_is_random():
    # The float mean of 50 equal numbers can differ from them in the last bit, and then their spread is not
    # quite 0.
    for value in (12.3, 0.1, 7.0, 0.0):
        sample = np.full(50, value)
        assert mean(sample, z=3.0) == pytest.approx((value, np.inf))
        assert mean(sample, z=3.0, exact=True) == pytest.approx((value, 0.0))
    below = rng_for(1, "ratio").normal(5, 1, 100)
    for above, under in ((2 * below, below), (np.full(50, 12.3), np.full(50, 0.7))):
        assert ratio(above, under, z=3.0)[1] == np.inf
        assert ratio(above, under, z=3.0, exact=True) == pytest.approx((above[0] / under[0], 0.0))
    sample = np.full(50, 12.3)
    sample[0] = 12.4  # one that differs is enough
    assert mean(sample, z=3.0)[1] == pytest.approx(3.0 * 0.1 / 50)


def test_cells_are_exact_only_without_privacy():
    names = ("rw-meta", *OTHERS, "learner/w8-weak")
    played = totals_of(("NM",), (np.inf, 1.0), names, 50, lambda *_: 12.3)
    table = cells(played, {"NM": 12.0}, confidence=0.95, central=[])
    assert table["ratio_to_rw_ftpl_pm"].tolist() == table["lead_pm"].tolist() == [0.0, np.inf]


def test_ratio_covers_the_truth_as_often_as_it_says():
    # 2000 intervals at 95 %: the count of misses is Binomial(2000, 0.05); 99.9 % band 69..133, widened by the
    # delta method's own error at 100 repetitions, which is under half a percentage point here.
    rng = rng_for(2, "coverage")
    above, below = rng.normal(6, 1, (2000, 100)), rng.normal(4, 1, (2000, 100))
    intervals = [ratio(a, b, z=1.96) for a, b in zip(above, below, strict=True)]
    misses = sum(abs(value - 1.5) > half_width for value, half_width in intervals)
    assert 60 <= misses <= 143


def estimated(sample, best_hospital=12.0, central=CENTRAL, meta="rw-meta"):
    """Return the estimates at z = 2."""
    found = estimates(sample, best_hospital, central, meta)
    return {name: estimate.of(2.0) for name, estimate in found.items()}


def test_estimates_are_of_what_their_names_say():
    sample = totals(rng_for(3, "cell"))
    rw_meta, leader, noise, regret, central, linear = (
        sample[name]
        for name in ("rw-meta", "rw-ftpl", "min-noise", "min-regret", "square-root", "learner/w8-weak")
    )
    cell, z = estimated(sample), 2.0
    assert set(ESTIMATES) == set(cell)
    assert cell["static_regret"][0] == pytest.approx(12.0 - rw_meta.mean())
    expected = {
        "rw_meta": mean(rw_meta, z),
        "best_linear": mean(linear, z),  # it is the best in both halves
        "ratio_to_best_linear": ratio(rw_meta, linear, z),
        "ratio_to_rw_ftpl": ratio(rw_meta, leader, z),
        "ratio_to_min_regret": ratio(rw_meta, regret, z),
        "ratio_to_central": ratio(rw_meta, central, z),
        "lead": mean(rw_meta - leader, z),
        "lead_over_central": mean(rw_meta - central, z),
        "second": mean(noise - regret, z),
        "second_local": mean(noise - leader, z),
        "second_central": mean(central - leader, z),
        "central": mean(central, z),
    }
    for name, estimate in expected.items():
        assert cell[name] == pytest.approx(estimate, rel=1e-12), name
    # An estimate needs only the algorithms that it is about.
    few = estimates({name: sample[name] for name in ("rw-ftpl", "min-noise", "min-regret")}, 12.0, [])
    assert few["second"].of(z) == cell["second"]
    assert "central" not in few


def test_variants_are_estimated_where_they_played_and_can_stand_for_rw_meta():
    sample = totals(rng_for(4, "fresh"))
    assert "fresh" not in estimated(sample)
    sample[FRESH] = sample["rw-meta"] - np.arange(50) % 2
    sample[HEDGE] = sample["rw-meta"] + 1
    sample["rw-meta-no-floor"] = sample["rw-meta"] - 1
    usual = sample["rw-meta"].mean()
    assert estimated(sample)["cost_of_fresh"] == pytest.approx(mean(np.arange(50.0) % 2, 2.0))
    assert estimated(sample)["hedge"][0] == pytest.approx(usual + 1)
    assert estimated(sample, meta="rw-meta-no-floor")["rw_meta"][0] == pytest.approx(usual - 1)


def test_the_interval_of_the_least_of_several_holds_for_the_true_least():
    # Two rivals, of which the noisier one is truly stronger: its own interval must be covered.
    assert least([(1.0, 0.1), (1.2, 0.5)]) == pytest.approx((1.0, 0.3))
    assert least([(1.0, 0.1), (9.0, 0.5)]) == pytest.approx((1.0, 0.1))
    assert largest([(-1.0, 0.1), (-1.2, 0.5)]) == pytest.approx((-1.0, 0.3))


def test_a_picked_learner_is_not_rewarded_for_luck():
    # Twelve equal learners: the largest of their means is too large, and the mean of the picked ones is not.
    samples = rng_for(6, "luck").normal(10.0, 1.0, (400, 12, 20))
    error = 1 / np.sqrt(400 * 20)
    lucky = np.mean([sample.mean(axis=1).max() for sample in samples]) - 10.0
    fair = np.mean([picked(list(sample)).mean() for sample in samples]) - 10.0
    assert lucky > 20 * error
    assert abs(fair) < 4 * error


def test_picking_finds_a_learner_that_is_clearly_the_best():
    samples = rng_for(7, "clear").normal([[10.0], [12.0], [9.0]], 0.1, (3, 7))
    assert (picked(list(samples)) == samples[1]).all()


def test_students_t_is_wider_than_the_normal_law_and_tends_to_it():
    normal = critical_value(0.999, 10)
    assert critical_value(0.999, 10, 20) > critical_value(0.999, 10, 200) > normal
    assert critical_value(0.999, 10, 10**7) == pytest.approx(normal, rel=1e-5)


def test_intervals_hold_jointly_over_the_whole_table():
    rng = rng_for(5, "table")
    samples = {(state, mu): totals(rng) for state in ("NM", "PA") for mu in (np.inf, 1.0, 0.5)}

    def total(state, mu, name, r):
        return samples[state, mu][name][r]

    frame = totals_of(("NM", "PA"), (np.inf, 1.0, 0.5), samples["NM", 0.5], 50, total)
    best = {"NM": 12.0, "PA": 13.0}
    table = cells(frame, best, confidence=0.95, central=[*CENTRAL, "did not play"])
    assert table[["state", "mu"]].to_numpy().tolist() == [list(key) for key in samples]
    assert set(table["central_name"]) == {"square-root"}
    assert set(table["best_linear_name"]) == {"w8-weak"}
    # Twelve single ones, three rivals, and four estimates about two central algorithms each.
    z = critical_value(0.95, 6 * (12 + 3 + 4 * 2))
    assert table["rw_meta_pm"].iloc[0] == pytest.approx(mean(samples["NM", np.inf]["rw-meta"], z)[1])
    assert "central" not in cells(frame, best, confidence=0.95, central=[])
