"""An interpolated inverse gives the exact batch sizes, and a coarse one does not."""

from typing import Any

import numpy as np

from private_experts.replication.papers.p000 import interpolation
from private_experts.replication.papers.p000.walks import batch_fits
from private_experts.walks.delay import compute_delay
from private_experts.walks.leader_change import look_up
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

GRID: dict[str, Any] = {
    "n": [24],
    "eta": [5.0],
    "rho": [0.0, 1.0],
    "alpha": [0.01],
    "decisions": 5000,
    "excess": 0.01,
}
GRID["share"] = {"library": 1e-3, "1000": 1e-3, "64": 0.05}


@each(
    ("share", "of", "mutants", "expected"),
    [
        (GRID["share"], {}, {}, "holds"),
        (GRID["share"], {}, {"look_up": times(1 + 1e-3, look_up)}, "fails"),
        # too few pairs break the guarantee
        ({"24": 1.0}, {"what": "share"}, {}, "holds"),
        ({"24": 1.0}, {"what": "excess"}, {}, "fails"),
        # sizes that are not sure
        (GRID["share"], {}, {"surely_largest": lambda sizes, *rest: sizes < 0}, "undecided"),
    ],
)
def test_interpolation_holds_and_a_coarse_inverse_is_caught(
    share: Any, of: Any, mutants: Any, expected: str
) -> None:
    assert verdict(interpolation.interpolation, GRID | {"share": share}, of=of, **mutants) == expected


def test_exact_sizes_are_sure_and_others_are_not() -> None:
    gap, completed = np.geomspace(1.0, 400.0, 200), np.arange(200) * 50.0
    for rho in (0.0, 1.0):
        sizes = compute_delay(gap, 1.0, 24, 0.01, completed, rho)
        sure = [interpolation.surely_largest(sizes + by, gap, 1.0, 24, 0.01, completed, rho) for by in (0, 1)]
        assert sure[0].all()
        assert not sure[1].any()
        smaller = interpolation.surely_largest(np.maximum(sizes - 1, 1), gap, 1.0, 24, 0.01, completed, rho)
        assert not smaller[sizes > 1].any()


def test_a_size_at_the_very_tolerance_is_not_sure() -> None:
    """Balls decide of the same place: there bound and tolerance agree to the last digits of a float."""
    gap, size = 30.0, 8

    def fits(alpha: float) -> bool:
        return batch_fits(gap, 1.0, 5, alpha, 1000, 1.0, size)

    low, high = 1e-6, 1.0
    while np.nextafter(low, high) < high:
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    no, unsure, yes = (False, True), (False, False), (True, False)
    for alpha, sure in ((0.999 * low, no), (low, unsure), (high, unsure), (1.001 * high, yes)):
        certainties = interpolation._surely(
            np.array([size]), np.array([gap]), 1.0, 5, alpha, np.array([1000.0]), 1.0
        )
        assert tuple(bool(verdict[0]) for verdict in certainties) == sure
