"""The warm start of LOBPCG is close to the new eigenvector; mutants."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.replication.papers.p000 import warm_start
from tests.each import each
from tests.replication.papers.small_checks import verdict

GRID = {"m": [2, 4], "weight": [0.01, 20.0]}


class TwoRounds(Decorrelation):
    """Takes a round for two."""

    def covariance(self, sigma: Any) -> Any:
        return 2 * super().covariance(sigma)


def test_there_are_as_many_partitions_as_bells_numbers() -> None:
    assert [len(list(warm_start.set_partitions(m))) for m in (1, 2, 3, 4, 5)] == [1, 2, 5, 15, 52]


@each(
    ("mutants", "expected"),
    [({}, "holds"), ({"_MISSED": {"centred": 0.495}}, "fails"), ({"Decorrelation": TwoRounds}, "fails")],
)
def test_it_holds_and_a_smaller_bound_and_a_round_of_twice_the_noise_are_caught(
    mutants: Any, expected: str
) -> None:
    assert verdict(warm_start.warm_start, GRID, **mutants) == expected


def test_of_several_leading_eigenvectors_the_one_that_fits_least_is_taken() -> None:
    """Else rounding errors would choose, and other processors find other distances."""
    alike, one = np.eye(3), np.diag([1.0, 1.0, 2.0])
    after = np.diag([3.0, 1.0, 2.0])
    start = warm_start.worst_leading(np.array([alike, one]), np.array([[after], [after]]))[:, 0]
    assert np.abs(start) == pytest.approx(np.array([[0, 1, 0], [0, 0, 1]]))
