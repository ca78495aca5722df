"""The figure of rules that spend the tolerance: its laws, and what it shows of them."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from private_experts.privacy.gaussian_mechanism import tradeoff
from private_experts.replication.study.batching import batch_size_laws
from private_experts.replication.study.batching import figure_1_rules as report
from private_experts.walks.batch_rules import sizes_by_rule
from private_experts.walks.lead_tolerance import LeadTolerance
from tests.each import each


@pytest.fixture(scope="module")
def laws() -> Any:
    return report.laws([2, 5], [1.0, 0.5], 60, 30, 400, 0.1, 7)


@each("kind", ["sharper", "exact"])
def test_sizes_are_those_of_the_rules_table(kind: Any) -> None:
    gaps = batch_size_laws.draw_walks(2, 30, 300, np.random.default_rng(1)).gaps(2.0)
    rule = LeadTolerance(kind, 2.0, 2, 0.1)
    found = report.containing(gaps, rule, 40, 30)
    np.testing.assert_array_equal(found, sizes_by_rule(gaps, rule.table(40), [30])[0])
    assert (found > 1).any()


def test_all_rules_meet_the_same_walks_and_larger_batches_follow(laws: Any) -> None:
    table = report.summary(laws, 400, 0.95)
    assert len(table) == 2 * 2 * 3
    for _, part in table.groupby(["n", "mu"]):
        assert part["rule"].tolist() == ["paper", "sharper", "exact"]
        for column in ("at_most", "root_mean"):
            assert (np.diff(part[column]) < 0).all()
        assert (part["root_mean"] <= part["at_most"] + 0.02).all()
        # A larger batch hides more.
        assert (np.diff(part["type_II"]) > 0).all()
        assert (part["type_II"] > part["alone"]).all()
        mu = part["mu"].to_numpy()
        assert (part["type_II"] < tradeoff(report.ALPHA, 0.0)).all()
        np.testing.assert_allclose(part["alone"], stats.norm.cdf(stats.norm.ppf(0.95) - mu), atol=1e-12)
        assert ((part["low"] < part["root_mean"]) & (part["root_mean"] < part["high"])).all()
    shown = report.rules_table(table)
    assert len(shown) == 4
    assert shown["type II alone"].tolist() == ["0.740", "0.874"] * 2
    assert "[" in shown["exact probability: simulated"].iloc[0]
    assert "[" not in shown["exact probability: at most"].iloc[0]


def test_weights_are_probabilities_and_curves_rise_with_the_rule(laws: Any) -> None:
    sums = laws.groupby(["n", "mu", "rule", "kind"])["weight"].sum()
    np.testing.assert_allclose(sums, 1.0)
    figure = report.rules_figure(report.curves(laws, np.linspace(0, 0.5, 21)))
    assert len(figure.axes) == 4
    for axis in figure.axes:
        heights = {line.get_label(): np.asarray(line.get_ydata()) for line in axis.lines}
        assert len(heights) == 6
        for words, _ in report.KINDS.values():
            paper, sharper, exact = (heights[f"{label}{words}"] for label, _ in report.RULES.values())
            assert (paper >= -1e-9).all()
            assert (sharper >= paper - 1e-9).all()
            assert (exact >= sharper - 1e-9).all()
            assert exact.max() > paper.max()
    assert "datum of round 30" in " ".join(figure.get_suptitle().split())
