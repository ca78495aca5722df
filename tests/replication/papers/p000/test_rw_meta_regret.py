"""Theorem 3's checks: fixed learners keep the bound, learners that react break it, and mutants turn both verdicts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.rw_meta import Decorrelation, RWMeta
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import rw_meta_regret
from private_experts.replication.yaml_text import load_yaml

CHECKED = rw_meta_regret
SEED = 1
CLAIMS = load_yaml((Path(__file__).parents[4] / "claims" / "000.yaml").read_text(encoding="utf-8"))["claims"]
CLAIM = next(claim for claim in CLAIMS if claim["id"] == "000/theorem-3")
FIXED = CLAIM["grid"] | CLAIM["quick"]  # the singled-out cells, which turn the verdict, are those of the whole grid
# A cell alone is enough for what it was singled out for: following the leader fails in one, a bad choice in the other.
LED, CHOSEN = ({"structure": [], "singled_out": [cell]} for cell in FIXED["singled_out"])
CONTRARY = {"learners": ["contrary"], "eta": [1.5], "T": [400]}


class Floorless(Decorrelation):
    """Drops the floor 2t."""

    def level(self, covariance: Any, t: int) -> Any:
        return np.linalg.eigvalsh(covariance)[..., -1]


class SecondBest(RWMeta):
    """Follows the learner that is last."""

    def predict(self) -> Any:
        advice = self._advice()
        chosen = (self.totals + self._extra()).argmin(axis=-1)
        return np.take_along_axis(advice, chosen[:, None], axis=-1)[:, 0]


class Uniform(RWMeta):
    """Draws a learner at random."""

    def _extra(self) -> Any:
        return 1e9 * self._rng.standard_normal(self.totals.shape)


class Leader(RWMeta):
    """Follows the leader of the credited totals, without extra noise."""

    def _extra(self) -> Any:
        return 0.0


def test_theorem_3_holds_for_fixed_learners() -> None:
    assert decide(rw_meta_regret.theorem_3(FIXED, 60, SEED)) == "holds"


def test_theorem_3_catches_extra_noise_without_its_floor(put: Any) -> None:
    put(Decorrelation=Floorless)  # with nearly no noise it follows the leader, which does badly on a stream
    assert decide(rw_meta_regret.theorem_3(FIXED | LED, 60, SEED)) == "fails"


@pytest.mark.parametrize(("mutant", "cell"), [(SecondBest, CHOSEN), (Uniform, CHOSEN), (Leader, LED)])
def test_theorem_3_catches_another_choice(mutant: Any, cell: Any, put: Any) -> None:
    put(RWMeta=mutant)
    assert decide(rw_meta_regret.theorem_3(FIXED | cell, 60, SEED)) == "fails"


def test_theorem_3_catches_noise_of_forty_times_the_scale(put: Any) -> None:
    reports = rw_meta_regret.private_reports
    put(private_reports=lambda gains, promised, reach, *rest: reports(gains, promised, 40 * reach, *rest))
    assert decide(rw_meta_regret.theorem_3(FIXED | CHOSEN, 60, SEED)) == "fails"


def test_reacting_learners_break_the_bound_against_either_best() -> None:
    points = rw_meta_regret.theorem_3_printed(CONTRARY, 20, SEED)
    assert [(point.where["best"], decide([point])) for point in points] == [
        ("expectation", "fails"),
        ("hindsight", "fails"),
    ]


def test_other_rules_break_it_too() -> None:
    for name in ("wandering", "chasing"):  # each has a claim of its own
        grid = {"learners": [name], "eta": [3.0], "T": [1000]}
        assert [decide([point]) for point in rw_meta_regret.theorem_3_printed(grid, 20, SEED)] == ["fails"] * 2


def test_fresh_noise_in_its_place_keeps_the_printed_bound(put: Any) -> None:
    put(RWMeta=lambda learners, guarantee, rng, **rule: FreshMeta(learners, guarantee, scale=20.0, rng=rng))
    assert decide(rw_meta_regret.theorem_3_printed(CONTRARY, 20, SEED)) == "holds"


def test_learners_that_are_blind_to_their_credit_keep_the_printed_bound(put: Any) -> None:
    bank = rw_meta_regret.bank

    def blind(*arguments: Any) -> Any:
        learners = bank(*arguments)
        learners._credits += np.array([[1e12], [-1e12]])
        return learners

    put(bank=blind)
    assert decide(rw_meta_regret.theorem_3_printed(CONTRARY, 20, SEED)) == "holds"
