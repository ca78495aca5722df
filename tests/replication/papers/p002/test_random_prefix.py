"""The checks of the randomised prefix give the expected verdicts on small grids, others on mutants."""

from functools import cache
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import random_prefix
from private_experts.replication.papers.p002.random_prefix import ahead, falling_errors, softmax_errors
from tests.each import each
from tests.replication.papers.p002.streams import AnyPrefix, at_rate, instead
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
LONGER = FALLING | {"T": [2**10 - 1, 2**13 - 1]}
STREAM = {"best": 0.2, "near": 1e-4, "gap": 0.01, "small": 0, "large": 1, "steady": 199, "volatile": 20}
AHEAD = {"cells": [STREAM | {"epsilon": 1.0}], "T": 1023}


@each(
    ("check", "grid", "mutants", "found"),
    [
        (falling_errors, FALLING, {}, "holds"),  # whole blocks have between half and all of the regret
        (falling_errors, LONGER, {"algorithm_of": instead(AnyPrefix)}, "fails"),
        (falling_errors, LONGER, {"algorithm_of": instead(at_rate(2))}, "fails"),
        (ahead, AHEAD, {"algorithm_of": instead(AnyPrefix, "whole block")}, "fails"),  # not behind
    ],
)
def test_errors_fall_and_other_prefixes_are_caught(check: Any, grid: Any, mutants: Any, found: str) -> None:
    assert verdict(check, grid, **mutants) == found


def test_an_error_that_rises_is_caught() -> None:
    def rising(*given: Any) -> Any:
        return [q * (1 + 1e-9 * (r == 3)) for r, q in enumerate(softmax_errors(*given))]

    grid = FALLING | {"kind, K, gap": [["deterministic", 10, 1e-4]], "epsilon": [1e-4]}
    assert verdict(falling_errors, grid, of={"what": "rise of q"}, softmax_errors=rising) == "fails"


def test_the_random_prefix_is_ahead_of_both_on_the_stream_that_is_stated() -> None:
    *_, whole, noisy = points = ahead(AHEAD)
    assert decide(points) == "holds"
    assert (whole.value, noisy.value) == (pytest.approx(1.191, abs=1e-3), pytest.approx(1.252, abs=1e-3))


def test_a_rival_that_selects_at_a_larger_rate_would_not_be_behind(put: Any) -> None:
    def sharper(name: str, stream: Any, epsilon: float, blocks: int) -> Any:
        return rival_errors(name, stream, epsilon * (1 if name == "randomised prefix" else 1.5), blocks)

    put(random_prefix, "rival_errors", sharper)
    assert failing(ahead(AHEAD), "comparator") >= {"whole block, second route", "noisy max, second route"}
