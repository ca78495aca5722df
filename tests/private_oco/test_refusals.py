"""What players of convex games refuse, and that what they accept is what they state a guarantee for."""

import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gaussian_accounting import every_round_parameters, lazy_private_parameters
from private_experts.private_oco.gaussian_levels import play_level
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.private_oco.parameters import lazy_parameters, private_parameters
from private_experts.private_oco.pcomw import PCOMW
from private_experts.private_oco.private_accounting import private_scale
from private_experts.randomness import rng_for
from tests.each import each

INTERVAL, SQUARE = Box((-0.5,), (0.5,)), Box((-0.5, -0.5), (0.5, 0.5))
ON_LINE = GridGibbs(INTERVAL.grid(20), beta=2.0, lam=12.0)
ON_SQUARE = GridGibbs(SQUARE.grid(6), beta=2.0, lam=12.0)
IN_DISC = LinearGibbs(Ball(2, 0.5), beta=2.0, lam=12.0)
FAMILIES = {"line": ON_LINE, "square": ON_SQUARE, "disc": IN_DISC}


def players(family, lipschitz=1.0, horizon=5):
    rest = {"rng": rng_for(0, "test refusals"), "horizon": horizon, "lipschitz": lipschitz}
    return (
        GibbsEveryRound(family, **rest, repetitions=3),
        PCOMW(family, log_phi=0.1, p=0.2, budget=3, **rest, repetitions=3),
    )


def of_slope(family, steepness):
    """A linear loss of this slope, in the form of the family."""
    return steepness * (np.array([0.6, 0.8]) if family is IN_DISC else family.points[:, 0])


@each("name", FAMILIES)
@each("lipschitz", [1.0, 0.3])
def test_a_loss_as_steep_as_stated_is_accepted_and_a_steeper_one_is_refused(name, lipschitz):
    family = FAMILIES[name]
    for player in players(family, lipschitz):
        player.update(of_slope(family, lipschitz * (1 + 1e-12)))  # rounding
        steep = of_slope(family, lipschitz * 1.001)
        for act in (player.update, lambda loss, player=player: [*player.updates([loss])]):
            with pytest.raises(InputError, match=r"loss: slope .* guarantee is for .*: scale it"):
                act(steep)


@each("name", LOSSES)
@each("family", [ON_LINE, ON_SQUARE])
def test_the_librarys_own_losses_are_accepted_also_far_from_zero(name, family):
    for loss in LOSSES[name](family, 20, 1.0, rng_for(0, "test refusals", name)):
        family.accepted(loss, 1.0)
        family.accepted(loss + 1e9, 1.0)


@each("name", FAMILIES)
@each(
    ("spoil", "words"),
    [
        (lambda loss: loss[:-1], "shape"),
        (lambda loss: np.tile(loss, (3, 1)), "shape"),
        (lambda loss: float(loss[0]), "float: write"),
        (lambda loss: np.ma.masked_array(loss, mask=True), "MaskedArray: write"),
        (lambda loss: loss * math.nan, "number 1 of .* is nan"),
        (lambda loss: np.where(np.arange(loss.size) == 1, -math.inf, loss), "number 2 of .* is -inf"),
    ],
)
def test_what_is_no_loss_of_the_family_is_refused_in_one_line_and_leaves_the_player_as_it_was(
    name, spoil, words
):
    family = FAMILIES[name]
    loss = of_slope(family, 0.5)
    for player, other in zip(players(family), players(family), strict=True):
        with pytest.raises(InputError, match=words) as refusal:
            player.update(spoil(loss))
        assert "\n" not in str(refusal.value)
        assert "write" in str(refusal.value)
        player.update(loss)
        other.update(loss)
        np.testing.assert_array_equal(player.predict(), other.predict())


def test_whole_numbers_and_short_floats_are_losses_too():
    for kind in (np.int8, np.float32):
        # 100^2 overflows the first kind
        accepted = IN_DISC.accepted(np.array([100, 100], dtype=kind), math.inf)
        assert accepted.dtype == np.float64
        assert accepted.tolist() == [100.0, 100.0]


def test_every_spike_is_refused_and_where_points_have_no_neighbours_what_varies_too_much():
    scattered = rng_for(0, "scattered").random((80, 2))
    near = (1000.0, 0.12)  # neighbours are 1/9 apart
    for points, heights in ((SQUARE.grid(9), near), (Ball(2, 0.5).grid(9), near), (scattered, (1.5,))):
        for player in players(GridGibbs(points, beta=2.0, lam=12.0)):
            for spike in np.concatenate([height * np.eye(len(points)) for height in heights]):
                with pytest.raises(InputError, match="loss: slope"):
                    player.update(spike)
    one = GridGibbs(np.array([[0.1], [0.1]]), beta=2.0, lam=12.0)  # a point twice
    assert one.accepted(np.array([3.0, 3.0]), 1.0).tolist() == [3.0, 3.0]
    with pytest.raises(InputError, match="loss: slope inf"):
        one.accepted(np.array([3.0, 4.0]), 1.0)


def test_where_no_guarantee_is_stated_any_slope_will_do():
    rest = {"log_phi": 0.1, "budget": 3, "rng": rng_for(0, "steep")}
    for player in (PCOMW(ON_LINE, p=0.0, horizon=5, **rest), PCOMW(ON_LINE, p=0.2, **rest)):
        assert player.guarantee.mu == math.inf
        player.update(of_slope(ON_LINE, 100.0))


def test_after_the_last_round_there_is_no_further_one():
    for player in players(ON_LINE, horizon=3):
        for _ in range(3):
            player.predict()
            player.update(of_slope(ON_LINE, 1.0))
        for act in (player.predict, lambda p=player: p.update(of_slope(ON_LINE, 1.0))):
            with pytest.raises(
                InputError, match=r"^player: all 3 rounds were played: write the true horizon$"
            ):
                act()


@each("name", FAMILIES)
def test_what_the_caller_does_to_actions_changes_nothing(name):
    for player in players(FAMILIES[name]):
        first = player.predict()
        kept = first.copy()
        first[:] = -1
        np.testing.assert_array_equal(player.predict(), kept)


@each("level", [0.1, 2.0])
@each(("horizon", "dimension", "lipschitz", "diameter"), [(2, 1, 1.0, 1.0), (5000, 4, 2.0, 3.0)])
def test_the_guarantee_is_the_level_that_parameters_were_chosen_for(
    level, horizon, dimension, lipschitz, diameter
):
    beta, lam = every_round_parameters(horizon, dimension, level, lipschitz, diameter)
    family = LinearGibbs(Ball(dimension, diameter / 2), beta=beta, lam=lam)
    fresh = GibbsEveryRound(family, horizon=horizon, rng=rng_for(0, "level"), lipschitz=lipschitz)
    assert fresh.guarantee.mu == pytest.approx(level)
    assert fresh.guarantee.model == "central"
    play = lazy_private_parameters(horizon, dimension, level, lipschitz=lipschitz, diameter=diameter)
    family = LinearGibbs(Ball(dimension, diameter / 2), beta=play.beta, lam=play.lam)
    lottery = {"log_phi": play.log_phi, "p": play.p, "budget": play.budget}
    rest = {"rng": rng_for(0, "level"), "lipschitz": lipschitz}
    learner = PCOMW(family, **lottery, **rest, horizon=horizon)
    assert learner.guarantee.mu == pytest.approx(level)
    assert learner.guarantee.mu <= level * (1 + 1e-9)
    assert learner.guarantee.model == "central"
    assert PCOMW(family, **lottery, **rest, horizon=2 * horizon).guarantee.mu > level
    assert PCOMW(family, **lottery, **rest).guarantee.mu == math.inf


def test_without_lottery_or_end_there_is_no_guarantee_unless_each_round_draws_from_a_budget():
    assert play_level(0.01, 100, 0.1, 0.0, 10) == math.inf
    assert play_level(1e-12, math.inf, 0.1, 0.5, 10) == math.inf
    assert play_level(0.01, math.inf, 0.1, 1.0, math.inf) == math.inf
    assert play_level(0.01, math.inf, 0.1, 1.0, 25) == pytest.approx(0.1)
    beta, lam, *lottery = lazy_parameters(100, 2, 20)
    assert play_level((beta / lam) ** 0.5, 100, *lottery) == math.inf


def test_the_last_loss_draws_nothing_and_a_budget_between_whole_numbers_allows_the_next_one():
    given = {"log_phi": 0.1, "p": 1.0, "rng": rng_for(0, "half"), "horizon": 10}
    enough, half, whole = (PCOMW(ON_LINE, budget=b, repetitions=50, **given) for b in (99, 2.5, 3))
    for learner, draws in ((enough, 9), (half, 3)):
        for _ in range(10):
            learner.update(of_slope(ON_LINE, 1.0))
        assert (learner.draws == draws).all()
    assert half.guarantee == whole.guarantee
    assert play_level(0.1, 10, 0.1, 1.0, 2.5) == play_level(0.1, 10, 0.1, 1.0, 3)
    for kind, domain in ((LinearGibbs, INTERVAL), (GridGibbs, INTERVAL.grid(3))):
        with pytest.raises(TypeError):  # beta and lam cannot be told by their place
            kind(domain, 1.0, 2.0)


def pcomw(**changed):
    return PCOMW(ON_LINE, **{"log_phi": 0.1, "p": 0.1, "budget": 1, "rng": rng_for(0, "refused")} | changed)


def fresh(**changed):
    return GibbsEveryRound(ON_LINE, **{"horizon": 5, "rng": rng_for(0, "refused")} | changed)


def linear(domain, beta=1.0, lam=1.0):
    return LinearGibbs(domain, beta=beta, lam=lam)


def on_grid(points, beta=1.0, lam=1.0):
    return GridGibbs(points, beta=beta, lam=lam)


ORIGIN = np.zeros((2, 1))


@each(
    ("make", "words", "cases"),
    [
        (pcomw, "player: rng of type str: write rng_for", [{"rng": "2026"}]),
        (pcomw, "repetitions = 0", [{"repetitions": 0}]),
        (pcomw, "horizon = ", [{"horizon": 0}, {"horizon": math.nan}, {"horizon": 2.5}]),
        (pcomw, "lipschitz = ", [{"lipschitz": math.inf}, {"lipschitz": 0.0}]),
        (pcomw, r"P-COMW: .*write", [{"log_phi": -0.1}, {"log_phi": math.inf}, {"p": 1.1}, {"p": math.nan}]),
        (pcomw, r"P-COMW: .*write", [{"budget": -1}]),
        (fresh, "rng of type NoneType", [{"rng": None}]),
        (fresh, "repetitions = 2.0", [{"repetitions": 2.0}]),
        (fresh, r"horizon = .*write", [{"horizon": 1}, {"horizon": math.inf}]),
        (fresh, r"lipschitz = .*write", [{"lipschitz": 0.0}, {"lipschitz": -1.0}]),
        (linear, "write a Box or a Ball", [(INTERVAL.grid(3),)]),
        (linear, "beta = ", [(INTERVAL, math.inf), (INTERVAL, 0.0)]),
        (linear, "lam = 0", [(INTERVAL, 1.0, 0.0)]),
        (on_grid, "points of a grid: list", [([[0.0], [1.0]],)]),
        (on_grid, r"points of a grid: \(3,\)", [(np.zeros(3),)]),
        (on_grid, "finite numbers", [(np.full((3, 1), math.nan),)]),
        (on_grid, "write a positive number", [(ORIGIN, 0.0), (ORIGIN, 1.0, -1.0), (ORIGIN, math.nan)]),
        (Box, "write", [((1.0,), (2.0,)), ((0.0,), (0.0,)), ((-1.0,), (1.0, 2.0)), ((), ())]),
        (Box, "write", [((-np.inf,), (1.0,)), ((-1.0,), (np.inf,)), (np.array([1.0]), np.array([2.0]))]),
        (Ball, "write", [(2.5, 1.0), (0, 1.0), (2, 0.0), (2, math.nan), (2, math.inf)]),
        (lazy_private_parameters, "write a positive level", [(10, 1, 0.0), (10, 1, -1.0), (10, 1, math.nan)]),
        (lazy_private_parameters, "at least 2 rounds", [(1, 1, 1.0)]),
        (lazy_parameters, "write", [(2, 1, 1), (10, 1, 11), (10, 1, 0)]),
        (private_scale, "write", [(100, 1.5, 1e-6), (100, 0.0, 1e-6)]),
        (private_parameters, "write", [(100, 1, 0.5, 0.6), (0, 1, 0.5, 0.1)]),
    ],
)
def test_parameters_that_are_none_are_refused(make, words, cases):
    for case in cases:
        with pytest.raises(InputError, match=words):
            make(**case) if isinstance(case, dict) else make(*case)
