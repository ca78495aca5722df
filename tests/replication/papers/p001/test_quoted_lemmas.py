"""Each fact that the proofs quote is checked, and another one in its place is caught."""

from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.losses import random_slopes
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import partition, quoted_lemmas
from private_experts.replication.papers.p001.partition import _quotients
from tests.each import each
from tests.replication.papers.p001.mutants import put
from tests.replication.papers.small_checks import failing

SHRUNK = {"d": [1, 4], "T": [2, 50], "instances": 5}
GRID: dict[str, Any] = {
    "Lemma C.2": {"n": [2, 8], "instances": 20},
    "Lemma D.3": {"beta": [3.0], "lam": [0.5], "s": [0.5], "step": 1e-10, "allowed": 1e-12},
    "shrunk set": SHRUNK,
}


@each(
    ("dimensions", "mutants", "found"),
    [
        ([1, 4], {}, "holds"),
        ([1, 4], {"_shrunk": lambda corners, t: (1 - 2 / t) * corners[0] + 2 * corners / t}, "fails"),
        ([1], {"random_slopes": lambda pieces, d, g, rng: random_slopes(pieces, d, 1.3 * g, rng)}, "fails"),
    ],
)
def test_the_shrunk_set_is_as_claimed_and_another_is_caught(
    dimensions: Any, mutants: Any, found: str
) -> None:
    with put(quoted_lemmas, **mutants):
        assert decide(quoted_lemmas.shrunk_set(SHRUNK | {"d": dimensions}, 1)) == found


def test_all_facts_hold() -> None:
    points = quoted_lemmas.quoted(GRID, 1)
    assert decide(points) == "holds"
    assert {point.where["fact"] for point in points} == {*GRID}
    assert all(point.certified for point in points)


def test_signs_that_are_none_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    sign = np.sign
    monkeypatch.setattr(np, "sign", lambda x: 0.999 * sign(x))
    assert failing(quoted_lemmas.quoted(GRID, 1), "fact") == {"Lemma C.2"}


def test_another_partition_function_is_caught() -> None:
    with put(partition, _quotients=lambda *given: (_quotients(*given)[0] * 2, _quotients(*given)[1])):
        assert failing(quoted_lemmas.quoted(GRID, 1), "fact") == {"Lemma D.3"}
