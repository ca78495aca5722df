"""How tight the bounds of paper 000 are, drawn from evidence."""

import math

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.papers.p000 import figures_000
from tests.each import each
from tests.replication.papers.quick import LEDGER, evidence_of, figures_of


def table(**columns: list[object]) -> pd.DataFrame:
    return pd.DataFrame({"sense": "<="} | columns)


def ratios(evidence: dict[str, pd.DataFrame]) -> list[float]:
    (axis,) = figures_000.tightness(evidence).axes
    points = [line for line in axis.lines if line.get_marker() in "oD"]
    return sorted(float(x) for line in points for x in np.asarray(line.get_xdata(), dtype=float))


def test_a_value_stands_over_its_bound_and_a_lower_bound_over_its_value_or_at_the_edge() -> None:
    upper = table(value=[1.0, 0.0], low=[0.5, 0.0], high=[1.5, 0.0], bound=[4.0, 4.0])
    lower = table(value=[8.0], low=[8.0], high=[8.0], bound=[4.0], sense=[">="])
    assert ratios({"a": upper}) == [figures_000.SMALLEST, 0.25]
    assert ratios({"a": lower}) == [0.5]
    assert ratios({"a": upper.assign(what=["regret", "library"])}) == [0.25]  # of the program with balls


def test_the_title_counts_bounds_that_are_attained_or_exceeded() -> None:
    rows = table(value=[1.0, 3.0], low=[1.0, 2.9], high=[1.0, 3.1], bound=[4.0, 4.0])
    figure = figures_000.tightness({"near": rows, "far": rows[:1], "beyond": rows.assign(low=4.1, high=5.0)})
    assert figure.get_suptitle().startswith("1 of 3 bounds are exceeded, and 2 of 3 are attained")


def test_a_claim_that_was_not_run_has_a_row_with_words() -> None:
    (axis,) = figures_000.tightness({"a": pd.DataFrame({"reason": ["synthetic data"]})}).axes
    assert [text.get_text().strip() for text in axis.texts] == ["not run"]


@each("claim", ["000/lemma-3"])
def test_the_quick_evidence_of_a_claim_can_be_drawn(claim: str) -> None:
    assert claim in figures_of("000")["tightness"]
    assert len(ratios(evidence_of([claim]))) == len(evidence_of([claim])[claim])
    assert LEDGER.claims[claim].expected == "holds"


def test_the_regret_of_each_pair_stands_beside_the_bounds() -> None:
    part = pd.DataFrame(
        {
            "learners": "contrary",
            "eta": 1.5,
            "T": [200, 800, 200],
            "best": ["expectation", "expectation", "hindsight"],
            "value": [95.0, 395.0, 108.0],
            "low": [90.0, 390.0, 100.0],
            "high": [99.0, 401.0, 120.0],
            "bound": [48.5, 97.0, 48.5],
        }
    )
    left, right = figures_000.theorem_3({"a": part, "b": pd.DataFrame({"reason": ["synthetic data"]})}).axes
    drawn = {line.get_label(): line.get_ydata().tolist() for line in left.lines}
    assert drawn["RW-Meta's regret"] == [95, 395]
    assert drawn["Theorem 3 as printed"] == [48.5, 97]
    assert [path.vertices[:, 1].tolist() for path in left.collections[0].get_paths()] == [
        [90, 99],
        [390, 401],
    ]
    assert drawn[figures_000.WITHOUT][0] == pytest.approx(
        math.sqrt((200 + 4 * 200 * 1.5**2) * math.log(2) / 2)
    )
    assert drawn["fresh noise: bound"][-1] < drawn[figures_000.WITHOUT][-1] < 97
    # Numbers of neighbouring panels stay apart.
    assert [number.get_ha() for number in left.get_xticklabels()] == ["left", "right"]
    assert [text.get_text() for text in right.texts] == ["not run"]


def test_all_pairs_are_drawn_with_the_same_noise() -> None:
    both = pd.DataFrame({"eta": [1.5, 3.0], "T": 800, "best": "expectation", "value": [395.0, 396.0]})
    both = both.assign(low=390.0, high=401.0, bound=[97.0, 147.0], learners="contrary")
    # Rows of the other regret, which is not drawn, are at a noise that no panel can have.
    both = pd.concat([both, both[:1].assign(eta=0.5, best="hindsight")])
    panels = figures_000.theorem_3({"a": both, "b": both[1:].assign(learners="chasing")}).axes
    assert [panel.get_title() for panel in panels] == ["contrary, η = 3", "chasing, η = 3"]
    assert panels[0].lines[0].get_ydata().tolist() == [396]
