"""Why the analytic law is loose: each check gives the expected verdict, and another for other reasons."""

from typing import Any

import numpy as np

from private_experts.replication.papers.p000 import looseness
from private_experts.walks.batch_size import proxy_survival
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import verdict

CHECKED = looseness
GRID = {"n": [2], "mu": [1.0], "T": 300, "t": 150, "epsilon": 3, "factor": 2}
still = looseness.still_survival
COMPUTED = {"simulated": remembered(looseness.simulated)}


def larger(*cell: Any) -> Any:
    """A law without drift whose probabilities of large batches are a tenth larger."""
    return np.minimum(1.1 * still(*cell), 1.0)


def fewer(*cell: Any) -> Any:
    """A law with a tenth too few large batches, which is loose at low type I errors as well."""
    return np.concatenate([[1.0], 0.9 * proxy_survival(*cell)[1:]])


@each(
    ("check", "repetitions", "mutants", "expected"),
    [
        (looseness.drift_is_the_cause, 400, {}, "fails"),
        (looseness.drift_is_the_cause, 400, {"still_survival": larger}, "holds"),
        (looseness.causes, 1600, {}, "holds"),
        (looseness.causes, 400, {"still_survival": larger}, "fails"),
        (looseness.moderate_errors, 6000, {}, "holds"),
        (looseness.moderate_errors, 3000, {"proxy_survival": fewer}, "fails"),
    ],
)
def test_the_reason_is_as_claimed(check: Any, repetitions: int, mutants: Any, expected: str) -> None:
    assert verdict(check, GRID, repetitions, **mutants) == expected


def test_the_half_normal_law_lies_between_theorem_1_and_the_truth() -> None:
    cell = (150, 1.4, 10, 0.01, 100)
    theorem_1, half = still(*cell), looseness.half_normal_survival(*cell)
    assert (half >= theorem_1 - 1e-9).all()
    means = looseness._mean_inverses({"half": half, "theorem 1": theorem_1})
    assert means["half"] < means["theorem 1"]
