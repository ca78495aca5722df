"""The checks of the randomised prefix give the expected verdicts on small grids, others on mutants."""

from functools import cache
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import random_prefix
from tests.replication.papers.p002.streams import AnyPrefix, at_rate, instead
from tests.replication.papers.small_checks import failing

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
    assert decide(random_prefix.falling_errors(FALLING)) == "holds"


@pytest.mark.parametrize("mutant", [AnyPrefix, at_rate(2)])
def test_another_price_of_the_prefix_is_caught(mutant: Any, put: Any) -> None:
    put(random_prefix, "algorithm_of", instead(mutant))
    grid = FALLING | {"T": [2**10 - 1, 2**13 - 1]}
    assert decide(random_prefix.falling_errors(grid)) == "fails"


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


STREAM = {
    "best": 0.2,
    "near": 1e-4,
    "gap": 0.01,
    "small": 0,
    "large": 1,
    "steady": 199,
    "volatile": 20,
    "epsilon": 1.0,
}
AHEAD = {"cells": [STREAM], "T": 1023}


def test_the_random_prefix_is_ahead_of_both_on_the_stream_that_is_stated() -> None:
    *_, whole, noisy = points = random_prefix.ahead(AHEAD)
    assert decide(points) == "holds"
    assert (whole.value, noisy.value) == (pytest.approx(1.191, abs=1e-3), pytest.approx(1.252, abs=1e-3))


def test_a_comparator_with_shorter_prefixes_would_not_be_behind(put: Any) -> None:
    put(random_prefix, "algorithm_of", instead(AnyPrefix, "whole block"))
    assert decide(random_prefix.ahead(AHEAD)) == "fails"


def test_a_rival_that_selects_at_a_larger_rate_would_not_be_behind(put: Any) -> None:
    right = random_prefix.rival_errors

    def sharper(name: str, stream: Any, epsilon: float, blocks: int) -> Any:
        return right(name, stream, epsilon * (1 if name == "randomised prefix" else 1.5), blocks)

    put(random_prefix, "rival_errors", sharper)
    points = random_prefix.ahead(AHEAD)
    rivals = failing(points, "comparator")
    assert rivals >= {"whole block, second route", "noisy max, second route"}
