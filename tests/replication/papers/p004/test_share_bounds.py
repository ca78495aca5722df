"""The checks of fixed share, noisy or not, give their verdicts, and others when something is wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.fixed_share import FixedShare
from private_experts.privacy.guarantees import GaussianDP
from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import share_bounds
from private_experts.replication.papers.p004.noisy import differences_in_weights
from private_experts.replication.papers.p004.share_bounds import noisy_share
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict

PROJECTION = {
    "n": [2, 20],
    "spread": [3.0],
    "share": [0.01, 0.5],
    "instances": 20,
    "tolerance": 1e-9,
    "solver_n": [3],
    "solver_instances": 2,
    "solver_tolerance": 1e-6,
}


def clipped_and_scaled(u: Any, floor: float) -> Any:
    """Clip, then divide by the sum: a distribution, but not the nearest one."""
    w = np.maximum(u / u.sum(axis=-1, keepdims=True), floor)
    return w / w.sum(axis=-1, keepdims=True)


def test_the_projection_is_the_nearest_point() -> None:
    assert verdict(share_bounds.kl_projection, PROJECTION) == "holds"


def test_another_point_is_caught_by_both_routes(put: Any) -> None:
    put(share_bounds, "project", clipped_and_scaled)
    assert failing(share_bounds.kl_projection(PROJECTION, SEED), "route") >= {"KKT", "solver"}


SHARE = {"N": [4], "T": [256], "S": [3], "gap": [1.0], "step": [1.0, 0.5], "streams": 3}


class WithoutFloor(FixedShare):
    """Never lets an expert come back."""

    def __init__(self, n: int, *, switches: int, **rest: Any) -> None:
        super().__init__(n, switches=0, **rest)


def test_fixed_share_has_its_regret() -> None:
    points = share_bounds.fixed_share_regret(SHARE, SEED)
    assert decide(points) == "holds"
    best, half = (point.value / point.bound for point in points[:2])
    assert half > 0.6 > best  # at half the step, shifts cost nearly the whole first term


def test_what_is_earned_is_as_uncertain_as_the_weights(put: Any) -> None:
    put(share_bounds, "relative_error", lambda *_: ball(0.05))
    point = share_bounds.fixed_share_regret(SHARE, SEED)[0]
    assert point.high - point.low > 0.05 * SHARE["T"][0] / 2


def test_a_share_without_its_floor_is_caught(put: Any) -> None:
    put(share_bounds, "FixedShare", WithoutFloor)
    assert verdict(share_bounds.fixed_share_regret, SHARE | {"T": [1024]}) == "fails"


CONSTANTS = {"N": [2, 10], "T": [100], "epsilon": [1.0], "S": [5]}


def test_the_constants_of_theorem_b2() -> None:
    assert verdict(share_bounds.constants, CONSTANTS) == "holds"
    assert verdict(share_bounds.constants_printed, CONSTANTS) == "fails"
    assert decide(share_bounds.constants(CONSTANTS, quadratic=15.0)) == "fails"
    # (1 / log 200 + sqrt 10)^2 is 11.2, and (1 / log 1000 + sqrt 10)^2 is 10.9
    assert failing(share_bounds.constants(CONSTANTS, quadratic=11.0), "N") == {"all", 2}
    assert decide(share_bounds.constants(CONSTANTS, clipping=1.79)) == "fails"
    # log(NT) / eps below 1.2
    assert verdict(share_bounds.constants, CONSTANTS | {"epsilon": [10.0]}) == "fails"


NOISY = {"N": [2], "T": [1000], "S": [2], "epsilon": [8.0], "B.2 alone": [], "gap": 0.8}


def test_the_noisy_regret_is_within_both_bounds() -> None:
    assert verdict(share_bounds.noisy_regret, NOISY, 30) == "holds"


def test_sixty_times_the_noise_is_caught(put: Any) -> None:
    """A check whose learner is told gains without noise would pass it."""
    put(share_bounds, "noisy_share", lambda n, t, s, eta, x, *rest: noisy_share(n, t, s, eta, 60 * x, *rest))
    assert verdict(share_bounds.noisy_regret, NOISY, 30) == "fails"


def test_never_updating_is_caught_by_both_bounds(put: Any) -> None:
    put(share_bounds, "noisy_share", lambda n, t, s, eta, *rest: noisy_share(n, t, s, eta / 1e9, *rest))
    game = [2, 40000, 1, 18.0]  # at smaller levels the first bound would need longer games
    points = share_bounds.noisy_regret(NOISY | {"B.2 alone": [game]}, 4, SEED)
    found = {
        (point.where["bound_of"], point.where["T"]): (decide([point]) == "fails", point.lazy_fails)
        for point in points
    }
    assert found == {
        ("B.2", 1000): (False, False),
        ("sharper", 1000): (True, True),
        ("B.2", 40000): (True, True),
    }
    assert [point.lazy for point in points] == pytest.approx([point.value for point in points], rel=1e-3)


GAUSSIAN = {
    "N": [2],
    "T": [1000],
    "S": [1],
    "mu": [8.0],
    "gap": 0.8,
    "seen": 1.0,
    "draws": 400_000,
    "slack": 0.05,
}


def noise_times(factor: float) -> Any:
    return lambda level, *rest: differences_in_weights(GaussianDP(level.mu / factor, "central"), *rest)


def test_gaussian_noise_has_its_bound_and_its_level() -> None:
    points = share_bounds.gaussian_share_regret(GAUSSIAN, 20, SEED)
    assert decide(points) == "holds"
    assert points[0].lazy_fails


@pytest.mark.parametrize(("factor", "what"), [(0.9, "level below"), (1.1, "level above")])
def test_a_tenth_less_or_more_gaussian_noise_is_caught(factor: float, what: str, put: Any) -> None:
    put(share_bounds, "differences_in_weights", noise_times(factor))
    assert failing(share_bounds.gaussian_share_regret(GAUSSIAN, 20, SEED), "what") == {what}


GROWTH = {"N": 2, "base": {"T": 800, "S": 1, "epsilon": 1.0}, "gap": [0.3, 0.9], "groups": 10}
ALONG = {"T": [200, 1600], "S": [1, 7], "epsilon": [0.5, 1.5]}


def slopes(name: str) -> Any:
    tolerance = 0.5 if name == "epsilon" else 0.35
    return verdict(share_bounds.growth, GROWTH | {"along": {name: ALONG[name]}, "tolerance": tolerance}, 160)


@each("name", ALONG)
def test_the_regret_grows_as_stated(name: str) -> None:
    assert slopes(name) == "holds"


@pytest.mark.parametrize(
    ("along", "name", "mutant"),
    [
        ("epsilon", "private_scale", lambda n, epsilon: float(n)),
        ("T", "noisy_share", lambda n, t, s, *rest: noisy_share(n, t, 0, *rest)),
    ],
    ids=["the same noise for all levels", "no floor"],
)
def test_another_growth_is_caught(along: str, name: str, mutant: Any, put: Any) -> None:
    put(share_bounds, name, mutant)
    assert slopes(along) == "fails"
