"""Means, ratios and their intervals."""

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.hospital.cells import ESTIMATES, OTHERS, cell, cells, critical_value, mean, ratio


def totals(rng, repetitions=50):
    names = ["rw-meta", *OTHERS, "learner/w8-weak", "learner/w16-strong"]
    levels = [10.0, 8.0, 6.0, 5.0, 11.0, 9.0]
    return {name: level + rng.normal(size=repetitions) for name, level in zip(names, levels, strict=True)}


def test_critical_value_is_bonferroni_over_two_sided_intervals():
    assert critical_value(0.95, 1) == pytest.approx(1.959963984540054)
    assert critical_value(0.95, 12) == pytest.approx(NormalDist().inv_cdf(1 - 0.05 / 24))


def test_mean_has_the_interval_of_the_central_limit_theorem():
    value, half_width = mean(np.array([1.0, 2.0, 3.0, 6.0]), z=2.0)
    assert value == 3.0
    assert half_width == pytest.approx(2.0 * np.sqrt(14 / 3) / 2)


def test_ratio_of_proportional_samples_is_certain():
    below = rng_for(1, "ratio").normal(5, 1, 100)
    assert ratio(2 * below, below, z=3.0) == pytest.approx((2.0, 0.0))


def test_ratio_covers_the_truth_as_often_as_it_says():
    # 2000 intervals at 95 %: the count of misses is Binomial(2000, 0.05); 99.9 % band 69..133, widened by the
    # delta method's own error at 100 repetitions, which is under half a percentage point here.
    rng = rng_for(2, "coverage")
    above, below = rng.normal(6, 1, (2000, 100)), rng.normal(4, 1, (2000, 100))
    intervals = [ratio(a, b, z=1.96) for a, b in zip(above, below, strict=True)]
    misses = sum(abs(value - 1.5) > half_width for value, half_width in intervals)
    assert 60 <= misses <= 143


def test_cell_picks_the_best_learner_and_the_strongest_rival():
    sample = totals(rng_for(3, "cell"))
    row = cell(sample, best_hospital=12.0, z=2.0)
    assert row["best_linear_name"] == "w8-weak"
    assert row["best_linear"] == pytest.approx(sample["learner/w8-weak"].mean())
    assert row["lead"] == pytest.approx((sample["rw-meta"] - sample["rw-ftpl"]).mean())
    assert row["static_regret"] == pytest.approx(12.0 - sample["rw-meta"].mean())
    assert row["static_regret_pm"] == pytest.approx(row["rw_meta_pm"])
    assert set(ESTIMATES) <= set(row)
    assert {f"{name}_pm" for name in ESTIMATES} <= set(row)


def test_another_variant_can_stand_for_rw_meta():
    sample = totals(rng_for(4, "variant"))
    sample["rw-meta-floor"] = sample["rw-meta"] - 1
    assert cell(sample, 12.0, 2.0, "rw-meta-floor")["rw_meta"] == pytest.approx(sample["rw-meta"].mean() - 1)


def test_intervals_hold_jointly_over_the_whole_table():
    rng = rng_for(5, "table")
    samples = {(state, mu): totals(rng) for state in ("NM", "PA") for mu in (np.inf, 1.0, 0.5)}
    frame = pd.DataFrame(
        [
            {"state": state, "mu": mu, "algorithm": name, "repetition": r, "total": value}
            for (state, mu), sample in samples.items()
            for name, values in sample.items()
            for r, value in enumerate(values)
        ]
    )
    table = cells(frame, {"NM": 12.0, "PA": 13.0}, confidence=0.95)
    assert table[["state", "mu"]].to_numpy().tolist() == [list(key) for key in samples]
    z = critical_value(0.95, 6 * len(ESTIMATES))
    assert table["rw_meta_pm"].iloc[0] == pytest.approx(mean(samples["NM", np.inf]["rw-meta"], z)[1])
