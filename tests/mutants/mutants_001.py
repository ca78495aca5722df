"""Mutants of what draws in paper 001's algorithms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.arrays import Array
from private_experts.privacy.noise import SimulatedNoise
from private_experts.private_oco import gaussian_levels
from private_experts.private_oco.dp_ftrl import DPFTRL
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import BallGaussian, BoxGaussian
from private_experts.private_oco.gibbs import GridLaw
from private_experts.private_oco.pcomw import PCOMW
from tests.mutants.mutant import Mutant, Patch, edited

CLAIM = "001/drawn-noise"
TEST = "tests/replication/papers/p001/test_noise_001.py::test_what_is_played_has_its_law[{}]"
Draw = Callable[[np.random.Generator, int], Any]  # numbers of points or points, a copy a row


def _drawing(law: type, change: Callable[[Draw, np.random.Generator, int], Any]) -> Patch:
    """Change what a law draws, by how it is drawn."""

    def patch(put: pytest.MonkeyPatch) -> None:
        sample = law.sample  # type: ignore[attr-defined]
        put.setattr(
            law, "sample", lambda self, rng, size: change(lambda *given: sample(self, *given), rng, size)
        )

    return patch


def _nearer(points: Any, factor: float) -> Any:
    """Move points towards their mean; numbers of points keep their kind."""
    if not len(points):
        return points
    mean = points.mean(axis=0)
    moved = mean + factor * (points - mean)
    return np.rint(moved).astype(points.dtype) if points.dtype.kind == "i" else moved


def _second_half_again(points: Any) -> Any:
    """Give the second half of the copies the points of the first."""
    half = len(points) // 2
    return np.concatenate([points[: len(points) - half], points[:half]])


class _Narrow:
    """A generator whose uniform numbers lie in the middle half."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def random(self, size: Any) -> Array:
        return 0.25 + self._rng.random(size) / 2


def _narrow_alone(law: type) -> Patch:
    """Draw with less spread where one point is asked for, as by a copy that plays alone."""
    return _drawing(law, lambda draw, rng, size: draw(_Narrow(rng) if size == 1 else rng, size))  # type: ignore[arg-type]


def _half_from_the_fourth(law: type) -> Patch:
    """Move all coordinates but the first three towards their mean, by half."""

    def change(draw: Draw, rng: np.random.Generator, size: int) -> Array:
        points = draw(rng, size)
        return np.where(np.arange(points.shape[1]) < 3, points, _nearer(points, 0.5))

    return _drawing(law, change)


def _before_each_loss(player: type, code: str) -> Patch:
    """Let a player run some code when a loss comes."""
    return edited(player._take_in, "self._played += 1", f"self._played += 1; {code}")  # type: ignore[attr-defined]


def _sums(change: Callable[[Callable[..., Array], int], Array]) -> Patch:
    """Change the noise of sums, by how it is drawn and how often it was drawn before."""

    def patch(put: pytest.MonkeyPatch) -> None:
        def perturb(self: Any, values: Array, scale: Any, repetitions: int) -> Array:
            vars(self)["drawn"] = vars(self).get("drawn", -1) + 1

            def draw(rng: np.random.Generator = self._rng) -> Array:
                return rng.standard_normal((repetitions, values.shape[-1]))

            return values + scale * change(draw, vars(self)["drawn"])

        put.setattr(SimulatedNoise, "perturb", perturb)

    return patch


LAWS = (BoxGaussian, BallGaussian, GridLaw)
DRAWS: dict[str, Callable[[Draw, np.random.Generator, int], Any]] = {
    "no spread": lambda draw, rng, size: _nearer(draw(rng, size), 0.0),
    "half the spread": lambda draw, rng, size: _nearer(draw(rng, size), 0.5),
    "one draw for all copies": lambda draw, rng, size: draw(rng, size)[:1].repeat(size, axis=0),
    "the same draws in every round": lambda draw, rng, size: draw(np.random.default_rng(0), size),
}
OF_ROUND, OF_COPIES = "sample(self._rng, self._repetitions)", "self._law.sample(self._rng, anew.size)"
LOTTERIES = "u, v = self._rng.random((2, self.draws.size))"
LOST = "self._law.log_density(self._actions) - before.log_density(self._actions) - self._log_phi"
FLOOR = "np.maximum(ratio, -2 * self._log_phi)"
FRESH, LAZY, NOISY = "GibbsEveryRound", "PCOMW", "DPFTRL"
MECHANISMS: dict[str, dict[str, Patch]] = {
    FRESH: {
        **{f"{what} of {law.__name__}": _drawing(law, DRAWS[what]) for law in LAWS for what in DRAWS},
        **{f"less spread of {law.__name__} in one copy": _narrow_alone(law) for law in LAWS},
        "half the spread of a box's fourth coordinate": _half_from_the_fourth(BoxGaussian),
        "half the spread of a ball's fourth coordinate": _half_from_the_fourth(BallGaussian),
        "points of a grid shared by both halves of the copies": _drawing(
            GridLaw, lambda draw, rng, size: _second_half_again(draw(rng, size))
        ),
        "no more than six points": edited(GridLaw.sample, "self._cumulative[-1]", "self._cumulative[:6][-1]"),
        # What a ball's first draws from its box lack is filled with one of them.
        "a ball whose second pass repeats a point": edited(
            BallGaussian.sample,
            "drawn += ask",
            "drawn += ask; found = np.append(found, found[:1].repeat(max(size - len(found), 0), axis=0), 0)",
        ),
        # not 0: a level of a ball's middle does not exist; of numbers it is the first
        f"no spread after the first round in {FRESH}": edited(
            GibbsEveryRound._take_in,
            f"(law or self._family.law(self._total)).{OF_ROUND}",
            "np.full_like(self._actions, 0.01)",
        ),
        f"one later draw for all copies in {FRESH}": edited(
            GibbsEveryRound._take_in, OF_ROUND, "sample(self._rng, 1).repeat(self._repetitions, axis=0)"
        ),
        "fresh draws that keep their point from round 11 on": edited(
            GibbsEveryRound._take_in, "self._actions =", "if self._played < 10: self._actions ="
        ),
        f"no update in {FRESH}": _before_each_loss(GibbsEveryRound, "loss, law = 0 * loss, None"),
        "twice the level stated of fresh draws": edited(
            GibbsEveryRound.__init__, "GaussianDP(level", "GaussianDP(2 * level"
        ),
    },
    LAZY: {
        f"no spread after the first round in {LAZY}": edited(
            PCOMW._take_in, OF_COPIES, "np.full_like(self._actions[anew], 0.01)"
        ),
        f"one later draw for all copies in {LAZY}": edited(
            PCOMW._take_in, OF_COPIES, "self._law.sample(self._rng, 1).repeat(anew.size, axis=0)"
        ),
        "P-COMW that draws each copy's first quantile again": edited(
            PCOMW._take_in, OF_COPIES, "self._law.sample(np.random.default_rng(0), self.draws.size)[anew]"
        ),
        "P-COMW with a tenth of the spread": _drawing(
            BoxGaussian, lambda draw, rng, size: _nearer(draw(rng, size), 0.1)
        ),
        "P-COMW with less spread in one copy": _narrow_alone(BoxGaussian),
        "P-COMW with lotteries shared by both halves of the copies": edited(
            PCOMW._take_in,
            LOTTERIES,
            f"{LOTTERIES}; half = u.size // 2; u[half : 2 * half], v[half : 2 * half] = u[:half], v[:half]",
        ),
        f"no update in {LAZY}": _before_each_loss(PCOMW, "loss, law = 0 * loss, None"),
        "P-COMW that keeps every point from round 8 on": _before_each_loss(
            PCOMW, "self._budget *= self._played < 8"
        ),
        "P-COMW without its lottery, which keeps every point": _before_each_loss(PCOMW, "self._budget = 0.0"),
        "P-COMW without the lottery that no loss decides": _before_each_loss(PCOMW, "self._p = 0.0"),
        "P-COMW without the lottery that no loss decides in one copy": _before_each_loss(
            PCOMW, "self._p *= self.draws.size > 1"
        ),
        "P-COMW without the lottery that the loss decides": edited(
            PCOMW._take_in, LOST, "np.full(self.draws.size, -self._log_phi)"
        ),
        "P-COMW that draws in every round": _before_each_loss(PCOMW, "self._p = 1.0"),
        "P-COMW without a budget": _before_each_loss(PCOMW, "self._budget = np.inf"),
        "P-COMW without a budget on convex sets": _before_each_loss(
            PCOMW, "self._budget = np.inf if self._actions.ndim == 2 else self._budget"
        ),
        "P-COMW without the lower clip on convex sets": edited(
            PCOMW._take_in, FLOOR, f"(ratio if self._actions.ndim == 2 else {FLOOR})"
        ),
        "twice the level stated of P-COMW": edited(
            PCOMW.__init__, "GaussianDP(level", "GaussianDP(2 * level"
        ),
    },
    NOISY: {
        "sums without noise": _sums(lambda draw, _: 0 * draw()),
        "sums with half the noise": _sums(lambda draw, _: draw() / 2),
        "sums with noise in the first round alone": _sums(lambda draw, t: draw() * (t < 2)),
        "sums without noise from round 6 on": _sums(lambda draw, t: draw() * (t < 6)),
        "sums with noise reused between rounds": _sums(lambda draw, _: draw(np.random.default_rng(0))),
        "sums with one draw for all copies": _sums(lambda draw, _: draw()[:1] + 0 * draw()),
        "sums with one draw for all coordinates": _sums(lambda draw, _: draw()[:, :1] + 0 * draw()),
        "a leader on sums without update": edited(DPFTRL.update, "add(slope)", "add(0 * slope)"),
    },
}

GIBBS = "test_gibbs.py::test_samples_have_the_law"
BALL = "test_gaussian.py::test_a_ball_is_drawn_from_a_box_of_its_own_density"
QUANTILES = "test_gaussian.py::test_points_of_a_box_are_quantiles_of_numbers_of_their_own_to_the_digit"
TO_THE_DIGIT = "test_pcomw.py::test_each_lottery_and_draw_has_numbers_of_its_own_to_the_digit"
LEVEL = "test_gaussian_accounting.py::test_a_play_adds_squares_of_one_lottery_the_later_ones_and_the_draws"
ON_BOX = "self._sign * standard"
# Small changes, by the test that notices them and the mechanism of the claim that does.
SMALL: dict[tuple[str, str], dict[str, Patch]] = {
    (GIBBS, FRESH): {
        "no more than twelve points": edited(
            GridLaw.sample, "self._cumulative[-1]", "self._cumulative[:12][-1]"
        ),
        "a twentieth less spread of GridLaw": edited(
            GridLaw.__init__, "np.exp(log_masses)", "np.exp(1.05 * log_masses)"
        ),
    },
    (BALL, FRESH): {
        "a twentieth less spread of BallGaussian": edited(
            BallGaussian.__init__, "precision, turned", "1.1 * precision, 1.1 * turned"
        )
    },
    (QUANTILES, FRESH): {
        "a twentieth less spread of BoxGaussian": edited(BoxGaussian.sample, ON_BOX, f"0.95 * {ON_BOX}"),
        "half the spread of the fifth coordinate of BoxGaussian": edited(
            BoxGaussian.sample, ON_BOX, f"np.where(np.arange(self._mean.size) < 4, 1, 0.5) * {ON_BOX}"
        ),
        "every thousandth point again of BoxGaussian": edited(
            BoxGaussian.sample,
            "(size, self._mean.size))",
            "(size, self._mean.size))[np.arange(size) % 1000]",
        ),
    },
    (TO_THE_DIGIT, LAZY): {
        "P-COMW with half of the lottery that no loss decides from round 40 on": edited(
            PCOMW._take_in, "v >= self._p", "v >= self._p / (1 + (self._played > 40))"
        )
    },
    (LEVEL, LAZY): {
        "P-COMW whose last draw is not counted in its level": edited(
            gaussian_levels.Steps.level, "math.ceil(budget)", "math.floor(budget)"
        )
    },
}

MUTANTS = {
    **{
        f"001: {what}": Mutant(patch, CLAIM, TEST.format(name))
        for name, patches in MECHANISMS.items()
        for what, patch in patches.items()
    },
    **{
        f"001: {what}": Mutant(patch, CLAIM, f"tests/private_oco/{test}", mechanism)
        for (test, mechanism), patches in SMALL.items()
        for what, patch in patches.items()
    },
}
