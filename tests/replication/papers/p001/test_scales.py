"""Scales that are proved to lie between two numbers, and bounds that rest on them."""

import pytest

from private_experts.replication.balls.balls import ball, exp, log, near, square
from private_experts.replication.papers.p001 import fresh_gibbs, scales
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import times

pytestmark = pytest.mark.usefixtures("in_balls")


def test_a_root_lies_in_its_ball_and_what_is_no_root_is_not_found() -> None:
    found = scales.root(exp, ball(3), 0.0, 2.0)
    assert found.contains(log(3))
    assert found.rad() < 1e-12
    assert not scales.root(exp, ball(3), 0.0, 1.0).is_finite()
    assert not scales.root(exp, ball(3), 1.2, 2.0).is_finite()


@each(("computed", "sure"), [(3.0, True), (3.0 * (1 - 1e-12), True), (3.0 * (1 + 1e-12), False)])
def test_a_scale_is_taken_only_as_near_as_it_should_be(computed: float, sure: bool) -> None:
    assert scales.around(square, ball(9), computed, [(1e-13, 1.2e-12)]).is_finite() is sure


@each("accounting", ["closed", "mended", "careful", "gaussian", "every round", "private leader"])
def test_bounds_are_the_programs_and_surely_known(accounting: str) -> None:
    for epsilon, dimension, rounds in ((1.0, 1, 3), (0.1, 20, 10**6)):
        share = scales.shares(epsilon, 1e-6)[accounting](ball(dimension), rounds)
        program = fresh_gibbs.bounds(dimension, epsilon, 1e-6)[accounting](rounds) / rounds
        assert near(share) == pytest.approx(program, rel=1e-10)
        assert share.rad() < 1e-9 * program


@each(
    ("name", "cost"), [("mended", "mended_epsilon"), ("careful", "careful_epsilon"), ("gaussian", "gaussian")]
)
def test_an_accounting_that_is_not_the_programs_proves_nothing(name: str, cost: str) -> None:
    with put(scales, **{cost: times(3, getattr(scales, cost))}):
        assert not scales.shares(0.5, 1e-6)[name](ball(1), 1000).is_finite()
