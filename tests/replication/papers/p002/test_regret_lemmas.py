"""Each check of an inequality holds on a small grid, and fails when it is made a little sharper."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, exp, expm1, log, log1p, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import regret_lemmas
from private_experts.replication.papers.p002.regret_lemmas import (
    ELEMENTARY,
    hoeffding,
    large_gaps,
    lemma_1,
    prefix_errors,
    quoted,
    small_gaps,
)
from tests.each import each
from tests.replication.papers.small_checks import failing, found, times, verdict

HOEFFDING = {"20 D, z": [[1, 0], [10, 0.3]], "rounds": 120}
SMALL = {"kind": ["opposed", "independent"], "gap": [0.1, 0.25], "beta": [0.25], "rounds": [6, 40]}
LARGE = {"beta": [0.2, 0.5], "small": [0.01, 0.2], "s": [0.0, 1.0]}
LESS_VARIANCE = {"hoeffding_moment": lambda beta, gap: -beta * gap + 0.495 * beta * beta}


@each(
    ("check", "grid", "mutants", "expected"),
    [
        (lemma_1, HOEFFDING, {}, "holds"),
        (lemma_1, HOEFFDING, {"hoeffding": times(1.2, hoeffding)}, "fails"),
        (small_gaps, SMALL, {}, "holds"),
        (small_gaps, SMALL, {"prefix_errors": times(1 + 1e-9, prefix_errors)}, "fails"),
        (small_gaps, SMALL, {"hoeffding": times(5, hoeffding)}, "fails"),  # an exponent of more than a half
        (large_gaps, LARGE, {}, "holds"),
        (large_gaps, LARGE, {"LARGE": 0.99}, "fails"),  # gaps of less than beta
        (large_gaps, LARGE, LESS_VARIANCE, "fails"),
    ],
)
def test_the_checks_hold_and_what_is_sharper_is_caught(
    check: Any, grid: Any, mutants: Any, expected: str
) -> None:
    assert verdict(check, grid, **mutants) == expected


def test_one_variable_that_is_seldom_1_uses_nearly_the_whole_bound() -> None:
    [point] = lemma_1({"20 D, z": [[2, 0.9]], "rounds": 20})
    assert point.value == pytest.approx(0.9 * np.exp(0.1**2 / 8), rel=1e-12)


@each(("twentieths", "zero"), [(10, 0), (4, 0), (19, 0), (8, 0.3), (5, 0.5), (2, 0.9)])
def test_tails_are_those_of_enumeration(twentieths: int, zero: float) -> None:
    mean = twentieths / 20
    chances = {-1: (1 - zero - mean) / 2, 0: zero, 1: (1 - zero + mean) / 2}
    expected = [
        sum(
            np.prod([chances[y] for y in path])
            for path in product(chances, repeat=r)
            if 40 * sum(path) <= r * twentieths
        )
        for r in range(1, 7)
    ]
    with precision():
        if zero == 0:
            tails = [near(tail) for tail in regret_lemmas.tails(6, twentieths)]
            assert tails == pytest.approx(expected, abs=1e-14)
            return
        for r, tail in enumerate(expected, start=1):
            *_, last = regret_lemmas._walk_shares(r, twentieths, zero, ball(-0.25))
            assert abs(last * exp(-ball(r) / 4) - tail) < 1e-14
            assert 0 < last.rad() < 1e-13


RANGES = {"(i), (ii)": [0.0, 1.0], "(iii)": [0.0, 0.99], "(iv)": [0.0, 1.0], "(v)": [2.0, 1e6]}
QUOTED = {
    "Lemma 2": RANGES,
    "one selection": {"algorithm": ["randomised prefix", "dyadic leader"], "T": [7], "longer": [0, 7]},
}


def test_what_the_proofs_take_for_granted_is_so() -> None:
    points = quoted(QUOTED)
    assert decide(points) == "holds"
    assert {point.where["fact"] for point in points} == {*QUOTED}
    assert all(point.certified for point in points)


@each(
    ("item", "wrong"),
    [
        ("(i), (ii)", lambda x: (x / 1.58, -expm1(-x))),  # at 1 the ratio is 1.264 of 2
        ("(iii)", lambda x: (1.01 * x, -log1p(-x))),
        ("(iv)", lambda x: (x, -1.58 * expm1(-x))),
        ("(v)", lambda x: (1 + 0 * x, 1.44 * log(x))),  # 2 log 2 is 1.386, so 1.443 is the least factor
    ],
)
def test_an_elementary_inequality_with_a_sharper_constant_is_caught(item: str, wrong: Any) -> None:
    assert failing(found(quoted, QUOTED, ELEMENTARY=ELEMENTARY | {item: wrong}), "fact") == {"Lemma 2"}


def test_small_gaps_are_those_up_to_beta() -> None:
    assert small_gaps(SMALL | {"gap": [0.26, 0.5]}) == []


def test_a_beta_beyond_the_last_steps_range_is_caught() -> None:
    beyond = LARGE | {"beta": [0.2, 3.4]}
    assert verdict(large_gaps, beyond, of={"step": "exponential"}, LARGE=0.1) == "fails"
