"""Theorem 3's checks: fixed learners keep the bound, others break it, and mutants turn both verdicts."""

from pathlib import Path
from typing import Any

import numpy as np

from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.papers.p000 import rw_meta_regret
from tests.each import each
from tests.replication.papers.p000.mutants import deaf, floored
from tests.replication.papers.small_checks import SEED, verdict

CLAIMS = load_yaml((Path(__file__).parents[4] / "claims" / "000.yaml").read_text(encoding="utf-8"))["claims"]
CLAIM = next(claim for claim in CLAIMS if claim["id"] == "000/theorem-3")
# the small grid with what it does not name of the whole one
FIXED = CLAIM["grid"] | CLAIM["quick"]
# A cell alone is enough for what it was singled out for: following the leader fails in one, a bad choice in
# the other.
LED, CHOSEN = ({"structure": [], "singled_out": [cell]} for cell in CLAIM["grid"]["singled_out"])
CONTRARY = {"learners": ["contrary"], "eta": [1.5], "T": [400]}
bank = rw_meta_regret.bank


def blind(*arguments: Any) -> Any:
    """Learners that are blind to their credit."""
    learners = bank(*arguments)
    learners._credits += np.array([[1e12], [-1e12]])
    return learners


@each(
    ("cell", "mutants", "expected"),
    [
        ({}, {}, "holds"),
        (LED, {"Decorrelation": floored(0.0)}, "fails"),
        (CHOSEN, {"RWMeta": deaf(RWMeta)}, "fails"),
    ],
)
def test_theorem_3_holds_for_fixed_learners_and_another_choice_is_caught(
    cell: Any, mutants: Any, expected: str
) -> None:
    assert verdict(rw_meta_regret.theorem_3, FIXED | cell, 60, **mutants) == expected


@each(
    "grid",
    [CONTRARY, *({"learners": [name], "eta": [3.0], "T": [1000]} for name in ("wandering", "chasing"))],
)  # each has rows of its own
def test_reacting_learners_break_the_bound_against_either_best(grid: dict[str, Any]) -> None:
    found = [(point.where["best"], decide([point])) for point in rw_meta_regret.reacting(grid, 20, SEED)]
    assert found == [("expectation", "fails"), ("hindsight", "fails")]


@each(
    "mutants",
    [
        {
            "RWMeta": lambda learners, guarantee, rng, **rule: FreshMeta(
                learners, guarantee, scale=20.0, rng=rng
            )
        },
        {"bank": blind},
    ],
)
def test_fresh_noise_and_learners_that_do_not_react_keep_the_printed_bound(mutants: Any) -> None:
    assert verdict(rw_meta_regret.reacting, CONTRARY, 20, **mutants) == "holds"
