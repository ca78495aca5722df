"""Bounds on delta and conversions in ball arithmetic: they hold, and small defects are caught."""

from types import SimpleNamespace
from typing import Any

import pytest

from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.gaussian_mechanism import delta
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import privacy_conversions

CHECKED = privacy_conversions

GRID = {"z": [0.0, 8.0], "mu": [0.5, 5.0], "s": [0.0, 4.0], "epsilon": [0.0, 1.0], "levels": [0.5, 2.0]}


@pytest.fixture
def found(put: Any) -> Any:
    """Return a function that tells the verdict on points of one kind; no other box is looked at for them."""
    over_box = privacy_conversions.over_box

    def verdict(what: str) -> str:
        def asked(where: Any, *box: Any, **more: Any) -> Any:
            return over_box(where, *box, **more) if where["what"] == what else Point(where, 0.0, 1.0)

        put(over_box=asked)
        return decide([point for point in privacy_conversions.conversions(GRID, 2, 1) if point.where["what"] == what])

    return verdict


def test_they_hold() -> None:
    assert decide(privacy_conversions.conversions(GRID, 2, 1)) == "holds"


@pytest.mark.parametrize(
    ("name", "what"),
    [("_above", "upper bound on delta"), ("_below", "lower bound on delta"), ("_pure", "pure to Gaussian")],
)
def test_a_bound_a_fiftieth_smaller_is_caught(
    name: str, what: str, found: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(privacy_conversions, name)
    monkeypatch.setattr(
        privacy_conversions, name, lambda *at, **more: (right(*at, **more)[0], 0.98 * right(*at, **more)[1])
    )
    assert found(what) == "fails"


def test_a_smaller_level_than_that_of_the_corner_is_caught(found: Any, put: Any) -> None:
    half = privacy_conversions.normal_cdf

    def less(mu: Any, s: Any) -> Any:  # e^epsilon of a level that is a hundredth larger
        return half(-mu / 2 - s) * half(1.01 * mu / 2), half(-1.01 * mu / 2) * half(mu / 2 - s)

    put(_pure=less)
    assert found("pure to Gaussian") == "fails"


def test_the_librarys_numbers_are_compared(found: Any, put: Any) -> None:
    put(gaussian_mechanism=SimpleNamespace(delta=lambda *asked: delta(*asked) * (1 + 1e-9)))
    put(to_gaussian=lambda asked: SimpleNamespace(mu=to_gaussian(asked).mu * (1 + 1e-9)))
    assert {found("delta"), found("mu of epsilon-DP")} == {"fails"}
