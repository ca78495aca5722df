"""The checks of the random prefix give the expected verdicts on small grids, and the others on mutants."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import random_prefix
from tests.each import each
from tests.replication.papers.p002.streams import AnyPrefix, at_rate, instead, split
from tests.replication.papers.small_checks import failing, verdict

rival_errors = cache(random_prefix.rival_errors)


@pytest.fixture(autouse=True)
def computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all tests of a stream share the errors that balls are put around."""
    monkeypatch.setattr(random_prefix, "rival_errors", rival_errors)


FALLING = {
    "kind, K, gap": [["deterministic", 10, 1.0], ["opposed", 2, 0.2]],
    "epsilon": [0.3],
    "T": [100, 1023],
    "rounding": 1e-12,
}


def test_where_errors_fall_whole_blocks_have_between_half_and_all_of_the_regret() -> None:
    assert verdict(random_prefix.falling_errors, FALLING) == "holds"


@pytest.mark.parametrize("mutant", [AnyPrefix, at_rate(2)])
def test_another_price_of_the_prefix_is_caught(mutant: Any, put: Any) -> None:
    put(random_prefix, "algorithm_of", instead(mutant))
    grid = FALLING | {"T": [2**10 - 1, 2**13 - 1]}
    assert verdict(random_prefix.falling_errors, grid) == "fails"


def test_an_error_that_rises_is_caught(put: Any) -> None:
    errors = random_prefix.softmax_errors
    put(
        random_prefix,
        "softmax_errors",
        lambda *given: [q * (1 + 1e-9 * (r == 3)) for r, q in enumerate(errors(*given))],
    )
    grid = FALLING | {"kind, K, gap": [["deterministic", 10, 1e-4]], "epsilon": [1e-4]}
    points = random_prefix.falling_errors(grid)
    assert decide([point for point in points if point.where["what"] == "rise of q"]) == "fails"


STREAM = {"best": 0.2, "near": 1e-4, "gap": 0.01, "small": 0, "large": 1, "steady": 199, "volatile": 20, "epsilon": 1.0}
RISING = {"cells": [STREAM], "r": [64], "peaks": [256]}


def test_errors_rise_where_few_actions_are_volatile() -> None:
    [point] = random_prefix.rising_errors(RISING)
    assert decide([point]) == "holds"
    assert not point.vacuous
    assert point.notes["peak"] == pytest.approx(4.889, abs=1e-3)


def test_errors_of_a_slightly_smaller_rate_do_not_rise_so_far(put: Any) -> None:
    error = random_prefix.softmax_error
    put(random_prefix, "softmax_error", lambda stream, epsilon, r: error(stream, 0.93 * epsilon, r))
    assert verdict(random_prefix.rising_errors, RISING) == "fails"


AHEAD = {"cells": [STREAM], "T": 1023}


def test_the_random_prefix_is_ahead_of_both_on_the_stream_that_is_stated() -> None:
    *_, whole, noisy = points = random_prefix.ahead(AHEAD)
    assert decide(points) == "holds"
    assert (whole.value, noisy.value) == (pytest.approx(1.191, abs=1e-3), pytest.approx(1.252, abs=1e-3))


def test_a_comparator_with_shorter_prefixes_would_not_be_behind(put: Any) -> None:
    put(random_prefix, "algorithm_of", instead(AnyPrefix, "whole block"))
    assert verdict(random_prefix.ahead, AHEAD) == "fails"


def test_a_rival_that_selects_at_a_larger_rate_would_not_be_behind(put: Any) -> None:
    right = random_prefix.rival_errors

    def sharper(name: str, stream: Any, epsilon: float, blocks: int) -> Any:
        return right(name, stream, epsilon * (1 if name == "randomised prefix" else 1.5), blocks)

    put(random_prefix, "rival_errors", sharper)
    points = random_prefix.ahead(AHEAD)
    rivals = failing(points, "comparator")
    assert rivals >= {"whole block, second route", "noisy max, second route"}


MAP = {
    "steady, volatile, epsilon": [[199, 20, 1.0]],
    "gap": [0.04],
    "spread": [0.06, 0.48],
    "T": [63, 255, 1023],
    "early": 15,
    "late": 16,
    "rounding": 1e-9,
}


def test_growth_tells_who_is_ahead() -> None:
    points = random_prefix.when_it_helps(MAP)
    assert decide(points) == "holds"
    assert [point.where["side"] for point in points] == ["at most", "at least", "early", "late"]
    assert all(point.certified for point in points)


def test_columns_are_put_in_the_order_of_the_grid() -> None:
    grid = MAP | {"steady, volatile, epsilon": [[199, 20, 1.0], [9, 2, 0.3]], "gap": [0.02, 0.16], "late": 1}
    points = random_prefix.when_it_helps(grid)
    found = [(point.where["steady"], point.where["gap"], point.where["spread"]) for point in points[::2]]
    assert found == [*product([199, 9], [0.02, 0.16], [0.06, 0.48])]
    for point in points[::2]:
        name, width, gap = point.where["epsilon"], point.where["spread"], point.where["gap"]
        assert point.notes["log_phi"] == pytest.approx(np.log(np.cosh(name / 2 * width)) - name / 2 * gap)


def test_quotients_are_those_of_interpolated_blocks() -> None:
    [*_, point] = random_prefix.when_it_helps(MAP | {"spread": [0.48]})
    stream = split(0.04, 0.48, 199, 20)
    for T in MAP["T"]:
        prefix, whole = (
            random_prefix._regrets(name, stream, 1.0, [T])[0] for name in ("randomised prefix", "whole block")
        )
        assert point.notes[f"at_{T}"] == pytest.approx(whole / prefix, rel=1e-8)


def test_a_growth_without_the_gap_puts_cells_on_the_wrong_side(put: Any) -> None:
    right = random_prefix.growth
    put(random_prefix, "growth", lambda rate, gap, spread: right(rate, 0.0, spread))
    assert verdict(random_prefix.when_it_helps, MAP) == "fails"


@each(("name", "mutant"), [("randomised prefix", DyadicLeader), ("whole block", AnyPrefix)])
def test_other_prefixes_are_caught_on_each_side_of_the_map(name: str, mutant: Any, put: Any) -> None:
    put(random_prefix, "algorithm_of", instead(mutant, name))
    for spread in MAP["spread"]:
        assert verdict(random_prefix.when_it_helps, MAP | {"spread": [spread]}) == "fails"


@pytest.mark.parametrize(
    ("spread", "stretches", "side"),
    [
        pytest.param(0.06, {(64, 64): 3.0, (65, 127): 4.0}, "at most", id="at most"),
        pytest.param(0.06, {(33, 63): 5.0}, "at least", id="at least"),
        pytest.param(0.48, {(4096, 4096): 3.0, (4097, 8191): 2.0}, "late", id="late"),
    ],
)
def test_one_horizon_on_the_wrong_side_is_caught(spread: float, stretches: Any, side: str, put: Any) -> None:
    right = random_prefix.every_softmax_error

    def moved(*given: Any) -> Any:
        found = right(*given)
        for errors in found.values():
            for (first, last), factor in stretches.items():
                errors.values[first - 1 : last] *= factor
        return found

    put(random_prefix, "every_softmax_error", moved)
    points = random_prefix.when_it_helps(MAP | {"spread": [spread], "T": [63, 255, 32767]})
    assert failing(points, "side") == {side}


def test_late_is_from_the_first_end_of_a_block_on() -> None:
    assert random_prefix._late(MAP, 0.04, 0.48) == 4095  # 16 * 12^2 is 2304


def test_a_multiple_that_is_too_early_is_caught() -> None:
    grid = MAP | {"gap": [0.01], "spread": [0.24], "late": 2}
    assert verdict(random_prefix.when_it_helps, grid) == "fails"


def test_a_cell_between_the_sides_is_refused() -> None:
    with pytest.raises(ValueError, match="choose others"):
        random_prefix.when_it_helps(MAP | {"gap": [0.01], "spread": [0.2]})
