"""Parts of a variance: exact for sums, apart from chance, unbiased in a sample."""

import itertools

import numpy as np
import pandas as pd
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.study.multiverse.decomposition import (
    INTERACTIONS,
    contrasts,
    crossed,
    mean_shares,
    of_cell,
    parts,
)
from private_experts.replication.study.multiverse.design import sample
from private_experts.replication.study.multiverse.universe_verdicts import PAPER

EFFECTS = {"a": [0.0, 1.0, 5.0], "b": [0.0, 2.0], "c": [1.0, 1.0, 1.0]}
ALL = pd.DataFrame(itertools.product(range(3), range(2), range(3)), columns=list("abc"))
SUM = sum(np.array(EFFECTS[name])[ALL[name]] for name in EFFECTS)


def twice(values):
    return np.stack([values, values], axis=-1)


def test_of_a_sum_each_part_is_the_variance_of_its_term():
    expected = {"a": np.var(EFFECTS["a"]), "b": np.var(EFFECTS["b"]), "c": 0.0}
    assert parts(ALL, twice(SUM), 1.0) == pytest.approx(expected, abs=1e-12)


def test_what_depends_on_two_choices_together_is_no_main_effect():
    found = parts(ALL, twice((ALL["a"] - 1.0) * (ALL["b"] - 0.5)), 1.0)
    assert found == pytest.approx({"a": 0.0, "b": 0.0, "c": 0.0}, abs=1e-12)


def test_chance_is_kept_out():
    """Noise of the halves is independent, so its parts are 0 on average (4 sigma), and not 2 / 18 = 0.11."""
    rng, apart, alike = rng_for(1, "noise"), [], []
    for _ in range(120):
        noise = rng.standard_normal((len(ALL), 2))
        apart.append(parts(ALL, noise, 1.0)["a"])
        alike.append(parts(ALL, twice(noise[:, 0]), 1.0)["a"])
    assert abs(np.mean(apart)) < 4 * np.std(apart) / np.sqrt(120) < 0.09 < np.mean(alike)


def test_a_sample_is_right_on_average():
    """Of values without order, which are nearly all interaction: what a sample says less what all universes say.

    Without the correction it would be 0.1 on average, of a variance of 1. The tolerance is 4 sigma.
    """
    names, sizes, rng, off, raw = list("abcd"), (3, 3, 2, 3), rng_for(2, "interactions"), [], []
    universes = np.indices(sizes).reshape(4, -1).T
    for seed in range(90):
        values = rng.standard_normal(sizes)
        here = sample(sizes, 0.56, seed, "NM").reshape(-1, 4)
        few, some = pd.DataFrame(here, columns=names), twice(values[tuple(here.T)])
        every = parts(pd.DataFrame(universes, columns=names), twice(values.ravel()), 1.0)["a"]
        if not np.isnan(found := parts(few, some, 5 / 9)["a"]):
            off.append(found - every)
            raw.append(parts(few, some, 1.0)["a"] - every)
    assert len(off) > 70
    assert abs(np.mean(off)) < 4 * np.std(off) / np.sqrt(len(off)) < np.mean(raw)


def test_of_a_choice_within_universes_the_part_is_the_variance_of_its_effect():
    effect, universe = np.array([0.0, 1.0, 5.0]), np.array([3.0, -2.0])
    assert crossed(twice(universe[:, None] + effect), 0.5) == pytest.approx(np.var(effect))
    rng, off = rng_for(3, "interactions within"), []
    for _ in range(300):  # six universes, without main effects: as often above 0 as below
        off.append(crossed(twice(rng.standard_normal((6, 3))), 0.0))
    assert abs(np.mean(off)) < 4 * np.std(off) / np.sqrt(300) < 0.05  # without the correction 1/6 * 2/3


def test_shares_sum_to_one():
    """Those of the paper's choices alone; ours, which adds 4 to each estimate, would add a variance of 2^2."""
    rows = [
        {"universe": universe, **choice, "whose": whose, "even": value, "odd": value}
        for whose, more in ((PAPER, 0.0), ("ours", 4.0))
        for universe, choice in enumerate(ALL.to_dict("records"))
        for value in [SUM[universe] + more]
    ]
    found = of_cell(pd.DataFrame(rows), list("abc"), 1.0)
    whole = np.var(EFFECTS["a"]) + np.var(EFFECTS["b"])
    expected = {"a": np.var(EFFECTS["a"]) / whole, "b": np.var(EFFECTS["b"]) / whole, "c": 0.0, INTERACTIONS: 0.0}
    assert found == pytest.approx(expected | {"ours": 4.0 / whole}, abs=1e-12)


def test_means_are_over_the_cells_where_ours_is_asked():
    rows = [
        {"question": "best", "state": "NM", "mu": mu, "choice": name, "share": share}
        for mu, shares in ((1.0, {"weeks": 0.4, INTERACTIONS: 0.6, "ours": 0.8}), (2.0, {INTERACTIONS: 1.0}))
        for name, share in shares.items()
    ]
    assert mean_shares(pd.DataFrame(rows))["best"].to_dict() == {"weeks": 0.2, INTERACTIONS: 0.8, "ours": 0.8}


def test_contrasts_tell_options_apart_and_sum_to_zero():
    columns = contrasts(["x", "y", "z", "x", "y", "z"])
    assert columns.shape == (6, 2)
    assert columns.sum(axis=0).tolist() == [0, 0]
    assert contrasts(["x", None, "x"]).shape == (3, 1)


def test_too_few_universes_give_no_parts():
    assert all(np.isnan(part) for part in parts(ALL.iloc[:3], twice(SUM[:3]), 0.1).values())
