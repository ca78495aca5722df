"""An interpolated inverse gives the exact batch sizes, and a coarse one does not."""

from typing import Any

from private_experts.replication.papers.p000 import interpolation
from private_experts.walks.leader_change import look_up
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

GRID: dict[str, Any] = {
    "n": [24],
    "eta": [5.0],
    "rho": [0.0, 1.0],
    "alpha": [0.01],
    "decisions": 2000,
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
