"""The checks of fixed share, noisy or not, give their verdicts, and others when something is wrong."""

import numpy as np
import pytest

from private_experts.algorithms.fixed_share import FixedShare
from private_experts.privacy.guarantees import GaussianDP
from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import share_bounds
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

PROJECTION = {"n": [2, 20], "spread": [3.0], "share": [0.01, 0.5], "instances": 20, "tolerance": 1e-9}
PROJECTION |= {"solver_n": [3], "solver_instances": 2, "solver_tolerance": 1e-6}
SHARE = {"N": [4], "T": [256], "S": [3], "gap": [1.0], "step": [1.0, 0.5], "streams": 3}
CONSTANTS = {"N": [2, 10], "T": [100], "epsilon": [1.0], "S": [5]}
NOISY = {"N": [2], "T": [1000], "S": [2], "epsilon": [8.0], "B.2 alone": [], "gap": 0.8}
GAUSSIAN = {"N": [2], "T": [1000], "S": [1], "mu": [8.0], "gap": 0.8, "seen": 1.0}
GAUSSIAN |= {"draws": 400_000, "slack": 0.05}
GROWTH = {"N": 2, "base": {"T": 800, "S": 1, "epsilon": 1.0}, "gap": [0.3, 0.9], "groups": 10}
ALONG = {"T": [200, 1600], "S": [1, 7], "epsilon": [0.5, 1.5]}


def test_the_projection_is_the_nearest_point() -> None:
    assert verdict(share_bounds.kl_projection, PROJECTION) == "holds"

    def clipped_and_scaled(right, u, floor):
        """Clip, then divide by the sum: a distribution, but not the nearest one."""
        w = np.maximum(u / u.sum(axis=-1, keepdims=True), floor)
        return w / w.sum(axis=-1, keepdims=True)

    with wrong(share_bounds, "project", clipped_and_scaled):
        assert failing(share_bounds.kl_projection(PROJECTION, SEED), "route") >= {"KKT", "solver"}


class WithoutFloor(FixedShare):
    """Never lets an expert come back."""

    def __init__(self, n, *, switches, **rest) -> None:
        super().__init__(n, switches=0, **rest)


def test_fixed_share_has_its_regret() -> None:
    points = share_bounds.fixed_share_regret(SHARE, SEED)
    assert decide(points) == "holds"
    best, half = (point.value / point.bound for point in points[:2])
    assert half > 0.6 > best  # at half the step, shifts cost nearly the whole first term
    with wrong(share_bounds, "FixedShare", WithoutFloor):
        assert verdict(share_bounds.fixed_share_regret, SHARE | {"T": [1024]}) == "fails"


def test_what_is_earned_is_as_uncertain_as_the_weights() -> None:
    with wrong(share_bounds, "relative_error", lambda *_: ball(0.05)):
        point = share_bounds.fixed_share_regret(SHARE, SEED)[0]
    assert point.high - point.low > 0.05 * SHARE["T"][0] / 2


def test_the_constants_of_theorem_b2() -> None:
    assert verdict(share_bounds.constants, CONSTANTS) == "holds"
    assert verdict(share_bounds.constants_printed, CONSTANTS) == "fails"
    assert decide(share_bounds.constants(CONSTANTS, quadratic=15.0)) == "fails"
    # (1 / log 200 + sqrt 10)^2 is 11.2, and (1 / log 1000 + sqrt 10)^2 is 10.9
    assert failing(share_bounds.constants(CONSTANTS, quadratic=11.0), "N") == {"all", 2}
    assert decide(share_bounds.constants(CONSTANTS, clipping=1.79)) == "fails"
    # log(NT) / eps below 1.2
    assert verdict(share_bounds.constants, CONSTANTS | {"epsilon": [10.0]}) == "fails"


def test_the_noisy_regret_is_within_both_bounds_and_not_with_sixty_times_the_noise() -> None:
    """A check whose learner is told gains without noise would pass with any noise."""
    assert verdict(share_bounds.noisy_regret, NOISY, 30) == "holds"
    with wrong(share_bounds, "noisy_share", lambda right, *game: right(*game[:4], 60 * game[4], *game[5:])):
        assert verdict(share_bounds.noisy_regret, NOISY, 30) == "fails"


def test_never_updating_is_caught_by_both_bounds() -> None:
    game = [2, 40000, 1, 18.0]  # at smaller levels the first bound would need longer games
    with wrong(share_bounds, "noisy_share", lambda right, *game: right(*game[:3], game[3] / 1e9, *game[4:])):
        points = share_bounds.noisy_regret(NOISY | {"B.2 alone": [game]}, 4, SEED)
    found = {
        (point.where["bound_of"], point.where["T"]): (decide([point]) == "fails", point.lazy_fails)
        for point in points
    }
    seen, unseen = (True, True), (False, False)
    assert found == {("B.2", 1000): unseen, ("sharper", 1000): seen, ("B.2", 40000): seen}
    assert [point.lazy for point in points] == pytest.approx([point.value for point in points], rel=1e-3)


def test_gaussian_noise_has_its_bound_and_its_level_and_a_tenth_less_or_more_is_caught() -> None:
    points = share_bounds.gaussian_share_regret(GAUSSIAN, 20, SEED)
    assert decide(points) == "holds"
    assert points[0].lazy_fails
    for factor, what in ((0.9, "level below"), (1.1, "level above")):

        def of_other_noise(right, level, *rest, factor=factor):
            return right(GaussianDP(level.mu / factor, "central"), *rest)

        with wrong(share_bounds, "differences_in_weights", of_other_noise):
            assert failing(share_bounds.gaussian_share_regret(GAUSSIAN, 20, SEED), "what") == {what}


def slopes(name: str) -> str:
    tolerance = 0.5 if name == "epsilon" else 0.35
    return verdict(share_bounds.growth, GROWTH | {"along": {name: ALONG[name]}, "tolerance": tolerance}, 160)


def test_the_regret_grows_as_stated() -> None:
    assert {name: slopes(name) for name in ALONG} == dict.fromkeys(ALONG, "holds")


@each(
    ("along", "name", "mutant"),
    [
        ("epsilon", "private_scale", lambda right, n, epsilon: float(n)),  # the same noise for all levels
        ("T", "noisy_share", lambda right, n, t, s, *rest: right(n, t, 0, *rest)),  # no floor
    ],
)
def test_another_growth_is_caught(along, name, mutant) -> None:
    with wrong(share_bounds, name, mutant):
        assert slopes(along) == "fails"
