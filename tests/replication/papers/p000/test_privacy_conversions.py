"""Bounds on delta and conversions in ball arithmetic: they hold, and small defects are caught."""

from types import SimpleNamespace
from typing import Any

from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.gaussian_mechanism import delta
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import privacy_conversions
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

GRID = {"z": [0.0, 8.0], "mu": [0.5, 5.0], "s": [0.0, 4.0], "epsilon": [0.0, 1.0], "levels": [0.5, 2.0]}
above, below, pure = privacy_conversions._above, privacy_conversions._below, privacy_conversions._pure
over_box, half = privacy_conversions.over_box, privacy_conversions.normal_cdf


def test_they_hold() -> None:
    assert decide(privacy_conversions.conversions(GRID)) == "holds"


def smaller(right: Any) -> Any:
    """Return both sides of a bound that is a fiftieth smaller."""
    return lambda *at, **more: (right(*at, **more)[0], 0.98 * right(*at, **more)[1])


def of_the_corner(mu: Any, s: Any) -> Any:
    """Both sides for e^epsilon of a level that is a hundredth larger."""
    return half(-mu / 2 - s) * half(1.01 * mu / 2), half(-1.01 * mu / 2) * half(mu / 2 - s)


@each(
    ("what", "mutants"),
    [
        ("upper bound on delta", {"_above": smaller(above)}),
        ("lower bound on delta", {"_below": smaller(below)}),
        ("pure to Gaussian", {"_pure": smaller(pure)}),
        ("pure to Gaussian", {"_pure": of_the_corner}),
        ("delta", {"gaussian_mechanism": SimpleNamespace(delta=times(1 + 1e-9, delta))}),
        ("mu of epsilon-DP", {"to_gaussian": lambda of: SimpleNamespace(mu=to_gaussian(of).mu * (1 + 1e-9))}),
    ],
)
def test_it_is_caught(what: str, mutants: Any) -> None:
    def one_box(where: Any, *box: Any, **more: Any) -> Any:  # no other box is looked at
        return over_box(where, *box, **more) if where["what"] == what else Point(where, 0.0, 1.0)

    check = privacy_conversions.conversions
    assert verdict(check, GRID, of={"what": what}, over_box=one_box, **mutants) == "fails"
