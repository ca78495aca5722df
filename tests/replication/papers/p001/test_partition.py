"""A check of the log-partition function holds, fails for another; error bounds hold on a known one."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from private_experts.replication.balls.balls import Ball, ball, exp, near, precision, rational
from private_experts.replication.papers.p001 import partition
from private_experts.replication.papers.p001.partition import _quotients
from tests.each import each
from tests.replication.papers.small_checks import verdict

GRID = {"beta": [3.0], "lam": [0.5], "s": [0.5], "step": 1e-10, "allowed": 1e-12}


@each(
    ("mutants", "found"),
    [
        ({}, "holds"),
        # a factor from s on, one at s, and an error of Gauss's rule
        ({"_quotients": lambda z, b, a, *rest: _quotients(z, b, a * (1 + exp(ball(-49))), *rest)}, "fails"),
        ({"_quotients": lambda z, *rest: _quotients(z * (1 + exp(ball(-72))), *rest)}, "fails"),
        ({"_NODES": 6}, "undecided"),
    ],
)
def test_it_holds_and_another_partition_function_is_caught(mutants: Any, found: str) -> None:
    assert verdict(partition.partition, GRID, **mutants) == found


def test_what_differences_leave_out_is_bounded() -> None:
    def cosh(x: Any) -> Ball:
        return (exp(x) + exp(-x)) / 2

    with precision():  # Z(s) = cosh(s) is a mean of exp(-beta s loss), with beta loss 1 or -1
        s, step = ball(0.7), ball(0.03)
        slope, curvature = partition._quotients(cosh(s), cosh(s - step), cosh(s + step), step, ball(1))
        assert slope.contains(s.tanh())
        assert curvature.contains(1 - s.tanh() ** 2)
        assert not slope.mid().overlaps(s.tanh())
        assert slope.rad() < 0.02
        assert curvature.rad() < 0.1


@each("power", [3, 4])
def test_what_differences_leave_out_is_attained(power: int) -> None:
    """The bound on the logarithm is attained by a power, whose one coefficient is the first left out."""
    with precision():
        step, most = ball(0.01), ball(2)
        before, after = (
            exp(rational("0.68") * (sign * step * most / rational("0.4")) ** power) for sign in (-1, 1)
        )
        # the slope, or the curvature
        found = partition._quotients(ball(1), before, after, step, most)[power - 3]
        assert found.contains(0)
        assert abs(found.mid()) > 0.99 * found.rad()


def test_few_nodes_give_balls_that_hold_what_many_give(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Ball] = []

    def unknown(*given: Ball) -> tuple[Ball, Ball]:
        seen.extend(given[:3])
        return ball(0), ball(0)

    monkeypatch.setattr(partition, "_quotients", unknown)
    monkeypatch.setattr(partition, "at_point", lambda where, gap, allowed: seen.append(gap))
    for nodes in (26, 3):
        monkeypatch.setattr(partition, "_NODES", nodes)
        partition.partition(GRID)
    fine, rough = seen[: len(seen) // 2], seen[len(seen) // 2 :]
    assert len(fine) == 9 * 5
    with precision(160):
        assert all(one.contains(two.mid()) for one, two in zip(rough, fine, strict=True))
        assert all(not one.mid().overlaps(two) for one, two in zip(rough, fine, strict=True))
        # of the linear loss, which reaches 1/2: what is said of 1 is said of half of it
        for k in range(0, 15, 5):
            here, _, _, mean, variance = rough[k : k + 5]
            assert mean.rad() > here.rad() / here.mid() / 2
            assert variance.rad() > here.rad() / here.mid() / 4


def test_mean_and_variance_are_those_of_quadrature(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(partition, "at_point", lambda where, gap, allowed: seen.append((where, gap)))
    monkeypatch.setattr(partition, "_quotients", lambda *given: (ball(0), ball(0)))
    partition.partition(GRID)
    found = {(w["loss before"], w["loss"], w["quantity"]): near(gap) for w, gap in seen}

    def moment(x: float, power: int) -> float:
        soft = np.log(2 * np.cosh(3 * x)) / 3
        return float(np.exp(-3 * (0.5 * (x - 0.3) ** 2 + 0.25 * x * x + 0.5 * soft)) * soft**power)

    zero, one, two = (quad(moment, -0.5, 0.5, args=(power,))[0] for power in range(3))
    for quantity, exact in (("slope", one / zero), ("curvature", two / zero - (one / zero) ** 2)):
        assert found["quadratic", "soft absolute", quantity] == pytest.approx(exact, rel=1e-9)
