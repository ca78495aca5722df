"""Mutants of what draws in paper 001's algorithms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.arrays import Array
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.private_oco import gaussian, gaussian_levels, pcomw
from private_experts.private_oco.dp_ftrl import DPFTRL
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import BallGaussian, BoxGaussian
from private_experts.private_oco.gibbs import GridLaw
from private_experts.private_oco.pcomw import PCOMW
from tests.mutants.mutant import Mutant, Patch, edited

CLAIM = "001/drawn-noise"
TEST = "tests/replication/papers/p001/test_noise_001.py::test_what_is_played_has_its_law[{}]"
Points = Any  # numbers of points or points, a copy a row


def _sampled(sampler: type, change: Callable[[Points], Points]) -> Patch:
    """Change what a law draws."""

    def patch(put: pytest.MonkeyPatch) -> None:
        sample = sampler.sample  # type: ignore[attr-defined]
        put.setattr(sampler, "sample", lambda self, rng, size: change(sample(self, rng, size)))

    return patch


def _second_half_again(points: Points) -> Points:
    """Give the second half of the copies the points of the first."""
    half = len(points) // 2
    return np.concatenate([points[: len(points) - half], points[:half]])


class _SharedLotteries:
    """A generator whose uniform numbers of two lotteries are the same for both halves of the copies."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)

    def random(self, size: Any) -> Any:
        drawn = self._rng.random(size)
        half = drawn.shape[-1] // 2 if drawn.ndim == 2 and len(drawn) == 2 else 0
        if half:
            drawn[:, half : 2 * half] = drawn[:, :half]
        return drawn


def _shared_lotteries(put: pytest.MonkeyPatch) -> None:
    start = PCOMW.__init__

    def mutated(self: PCOMW, *given: Any, **settings: Any) -> None:
        start(self, *given, **settings)
        self._rng = _SharedLotteries(self._rng)  # type: ignore[assignment]

    put.setattr(PCOMW, "__init__", mutated)


def _nearer(factor: float) -> Callable[[Points], Points]:
    """Move points towards their mean; numbers of points keep their kind."""

    def change(points: Points) -> Points:
        if not len(points):
            return points
        mean = points.mean(axis=0)
        moved = mean + factor * (points - mean)
        return np.rint(moved).astype(points.dtype) if points.dtype.kind == "i" else moved

    return change


def half_the_spread(sampler: type) -> Patch:
    """Draw with half the spread about the mean."""
    return _sampled(sampler, _nearer(0.5))


def _same_seed(sampler: type) -> Patch:
    def patch(put: pytest.MonkeyPatch) -> None:
        sample = sampler.sample  # type: ignore[attr-defined]
        put.setattr(sampler, "sample", lambda self, rng, size: sample(self, np.random.default_rng(0), size))

    return patch


def _later(player: type, change: Callable[[Any, Points], None]) -> Patch:
    """Change the points that were drawn anew after a loss."""

    def patch(put: pytest.MonkeyPatch) -> None:
        take_in = player._take_in  # type: ignore[attr-defined]

        def changed(self: Any, loss: Array, law: Any = None) -> None:
            before = self._actions.copy()
            take_in(self, loss, law)
            anew = self._actions != before
            change(self, np.flatnonzero(anew if anew.ndim == 1 else anew.any(axis=1)))

        put.setattr(player, "_take_in", changed)

    return patch


def _collapse(self: Any, anew: Points) -> None:
    self._actions[anew] = 0 if self._actions.ndim == 1 else 0.01  # a level of a ball's middle does not exist


def _one_for_all(self: Any, anew: Points) -> None:
    if anew.size:
        self._actions[anew] = self._actions[anew[0]]


def _as_before(self: Any, anew: Points) -> None:
    """Give each copy the quantile of its first draw in every round."""
    law = self._family.law(self._total)
    self._actions[anew] = law.sample(np.random.default_rng(0), len(self._actions))[anew]


def _nearer_from(first: int) -> Callable[[Points], Points]:
    """Move coordinates from the first of some number on towards their mean, by half."""

    def change(points: Points) -> Points:
        near = _nearer(0.5)(points)
        return np.where(np.arange(points.shape[1]) < first, points, near)

    return change


def _only_the_first_points(masses: int) -> Callable[[Points], Points]:
    """Never draw a point whose number is so large or larger."""
    return lambda numbers: np.minimum(numbers, masses - 1)


def _second_pass_repeats(put: pytest.MonkeyPatch) -> None:
    """What a ball's first draws from its box lack is filled with one of them."""

    def sample(self: BallGaussian, rng: np.random.Generator, size: int) -> Array:
        points = self._around.sample(rng, 2 * size + 64)
        found = points[(points**2).sum(axis=-1) <= self._ball.radius**2][:size]
        lacking = np.repeat(found[:1], size - len(found), axis=0)
        return gaussian._mirrored(np.concatenate([found, lacking]), self._mirror)

    put.setattr(BallGaussian, "sample", sample)


def _keeps_from_round_8(put: pytest.MonkeyPatch) -> None:
    take_in = PCOMW._take_in

    def changed(self: PCOMW, loss: Array, law: Any = None) -> None:
        if self._played >= 7:
            self._budget = 0.0
        take_in(self, loss, law)

    put.setattr(PCOMW, "_take_in", changed)


def _stuck_from_round_11(put: pytest.MonkeyPatch) -> None:
    take_in = GibbsEveryRound._take_in

    def changed(self: GibbsEveryRound, loss: Array, law: Any = None) -> None:
        before = self._actions
        take_in(self, loss, law)
        if self._played >= 10:
            self._actions = before

    put.setattr(GibbsEveryRound, "_take_in", changed)


class _Narrow:
    """A generator whose uniform numbers lie in the middle half."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def random(self, size: Any) -> Array:
        return 0.25 + self._rng.random(size) / 2


def _narrow_alone(sampler: type) -> Patch:
    """Draw with less spread where one point is asked for, as by a copy that plays alone."""

    def patch(put: pytest.MonkeyPatch) -> None:
        sample = sampler.sample  # type: ignore[attr-defined]
        put.setattr(
            sampler, "sample", lambda self, rng, size: sample(self, _Narrow(rng) if size == 1 else rng, size)
        )

    return patch


def _set_where(which: Callable[[PCOMW], bool], **values: float) -> Patch:
    """Play P-COMW with another lottery than it states in some games."""

    def patch(put: pytest.MonkeyPatch) -> None:
        take_in = PCOMW._take_in

        def changed(self: PCOMW, loss: Array, law: Any = None) -> None:
            if which(self):
                vars(self).update(values)
            take_in(self, loss, law)

        put.setattr(PCOMW, "_take_in", changed)

    return patch


def _unclipped_on_convex_sets(put: pytest.MonkeyPatch) -> None:
    """A ratio may be less than the least that is stated, where actions are points."""
    take_in = PCOMW._take_in

    class Unclipped:
        maximum = staticmethod(lambda ratio, least: ratio)

        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

    def changed(self: PCOMW, loss: Array, law: Any = None) -> None:
        with pytest.MonkeyPatch.context() as now:
            if self._actions.ndim == 2:
                now.setattr(pcomw, "np", Unclipped())
            take_in(self, loss, law)

    put.setattr(PCOMW, "_take_in", changed)


def _twice_the_level(player: type) -> Patch:
    """State twice the level, as one would who draws half the noise."""

    def patch(put: pytest.MonkeyPatch) -> None:
        start = player.__init__  # type: ignore[misc]

        def started(self: Any, *given: Any, **more: Any) -> None:
            start(self, *given, **more)
            self.guarantee = GaussianDP(2 * self.guarantee.mu, "central", simulated=True)

        put.setattr(player, "__init__", started)

    return patch


def _set(**values: float) -> Patch:
    """Play P-COMW with another lottery than it states."""
    return _set_where(lambda player: True, **values)


def _deaf(player: type) -> Patch:
    def patch(put: pytest.MonkeyPatch) -> None:
        take_in = player._take_in  # type: ignore[attr-defined]
        put.setattr(player, "_take_in", lambda self, loss, law=None: take_in(self, 0 * loss))

    return patch


def _keep_whatever_the_loss(put: pytest.MonkeyPatch) -> None:
    """Keep points with the chance that holds on average, whatever the point."""
    density = {law: law.log_density for law in (BoxGaussian, BallGaussian, GridLaw)}
    for law, log_density in density.items():
        put.setattr(law, "log_density", lambda self, points, of=log_density: 0 * of(self, points))


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


def _deaf_leader(put: pytest.MonkeyPatch) -> None:
    update = DPFTRL.update
    put.setattr(DPFTRL, "update", lambda self, slope: update(self, 0 * slope))


def _mutants() -> dict[str, Mutant]:
    found: dict[str, tuple[Patch, str]] = {}
    for law in (BoxGaussian, BallGaussian, GridLaw):
        for what, patch in {
            "no spread": _sampled(law, _nearer(0.0)),
            "half the spread": half_the_spread(law),
            "one draw for all copies": _sampled(
                law, lambda points: np.repeat(points[:1], len(points), axis=0)
            ),
            "the same draws in every round": _same_seed(law),
        }.items():
            found[f"{what} of {law.__name__}"] = patch, "GibbsEveryRound"
    for player in (GibbsEveryRound, PCOMW):
        for what, patch in {
            "no spread after the first round": _later(player, _collapse),
            "one later draw for all copies": _later(player, _one_for_all),
            "no update": _deaf(player),
        }.items():
            found[f"{what} in {player.__name__}"] = patch, player.__name__
    for law in (BoxGaussian, BallGaussian, GridLaw):
        found[f"less spread of {law.__name__} in one copy"] = _narrow_alone(law), "GibbsEveryRound"
    found |= {
        "half the spread of a box's fourth coordinate": (
            _sampled(BoxGaussian, _nearer_from(3)),
            "GibbsEveryRound",
        ),
        "half the spread of a ball's fourth coordinate": (
            _sampled(BallGaussian, _nearer_from(3)),
            "GibbsEveryRound",
        ),
        "points of a grid shared by both halves of the copies": (
            _sampled(GridLaw, _second_half_again),
            "GibbsEveryRound",
        ),
        "P-COMW with lotteries shared by both halves of the copies": (_shared_lotteries, "PCOMW"),
        "no more than six points": (_sampled(GridLaw, _only_the_first_points(6)), "GibbsEveryRound"),
        "fresh draws that keep their point from round 11 on": (_stuck_from_round_11, "GibbsEveryRound"),
        "P-COMW without a budget on convex sets": (
            _set_where(lambda player: player._actions.ndim == 2, _budget=np.inf),
            "PCOMW",
        ),
        "P-COMW without the lower clip on convex sets": (_unclipped_on_convex_sets, "PCOMW"),
        "P-COMW without the lottery that no loss decides in one copy": (
            _set_where(lambda player: player.draws.size == 1, _p=0.0),
            "PCOMW",
        ),
        "P-COMW with less spread in one copy": (_narrow_alone(BoxGaussian), "PCOMW"),
        "half the spread of a box's third coordinate": (
            _sampled(BoxGaussian, _nearer_from(2)),
            "GibbsEveryRound",
        ),
        "half the spread of a ball's third coordinate": (
            _sampled(BallGaussian, _nearer_from(2)),
            "GibbsEveryRound",
        ),
        "a ball whose second pass repeats a point": (_second_pass_repeats, "GibbsEveryRound"),
        "no more than three points": (_sampled(GridLaw, _only_the_first_points(3)), "GibbsEveryRound"),
        "P-COMW that keeps every point from round 8 on": (_keeps_from_round_8, "PCOMW"),
        "twice the level stated of fresh draws": (_twice_the_level(GibbsEveryRound), "GibbsEveryRound"),
        "twice the level stated of P-COMW": (_twice_the_level(PCOMW), "PCOMW"),
        "sums without noise from round 6 on": (_sums(lambda draw, t: draw() * (t < 6)), "DPFTRL"),
        "a tenth of the spread of BoxGaussian": (_sampled(BoxGaussian, _nearer(0.1)), "GibbsEveryRound"),
        "P-COMW with a tenth of the spread": (_sampled(BoxGaussian, _nearer(0.1)), "PCOMW"),
        "P-COMW that draws each copy's first quantile again": (_later(PCOMW, _as_before), "PCOMW"),
        "P-COMW without its lottery, which keeps every point": (_set(_budget=0.0), "PCOMW"),
        "P-COMW without the lottery that no loss decides": (_set(_p=0.0), "PCOMW"),
        "P-COMW without the lottery that the loss decides": (_keep_whatever_the_loss, "PCOMW"),
        "P-COMW that draws in every round": (_set(_p=1.0), "PCOMW"),
        "P-COMW without a budget": (_set(_budget=np.inf), "PCOMW"),
        "sums without noise": (_sums(lambda draw, _: 0 * draw()), "DPFTRL"),
        "sums with half the noise": (_sums(lambda draw, _: draw() / 2), "DPFTRL"),
        "sums with noise in the first round alone": (_sums(lambda draw, t: draw() * (t < 2)), "DPFTRL"),
        "sums with noise reused between rounds": (
            _sums(lambda draw, _: draw(np.random.default_rng(0))),
            "DPFTRL",
        ),
        "sums with one draw for all copies": (
            _sums(lambda draw, _: np.broadcast_to(draw()[:1], draw().shape)),
            "DPFTRL",
        ),
        "sums with one draw for all coordinates": (
            _sums(lambda draw, _: np.broadcast_to(draw()[:, :1], draw().shape)),
            "DPFTRL",
        ),
        "a leader on sums without update": (_deaf_leader, "DPFTRL"),
    }
    named = {f"001: {what}": Mutant(patch, CLAIM, TEST.format(name)) for what, (patch, name) in found.items()}
    return named | {
        **{
            f"001: {what}": Mutant(edited(*edit), CLAIM, f"tests/private_oco/{test}", mechanism)
            for what, edit, test, mechanism in (
                (
                    "no more than twelve points",
                    (GridLaw.sample, "self._cumulative[-1]", "self._cumulative[:12][-1]"),
                    "test_gibbs.py::test_samples_have_the_law",
                    "GibbsEveryRound",
                ),
                (
                    "a twentieth less spread of GridLaw",
                    (GridLaw.__init__, "np.exp(log_masses)", "np.exp(1.05 * log_masses)"),
                    "test_gibbs.py::test_samples_have_the_law",
                    "GibbsEveryRound",
                ),
                (
                    "a twentieth less spread of BallGaussian",
                    (BallGaussian.__init__, "precision, turned", "1.1 * precision, 1.1 * turned"),
                    "test_gaussian.py::test_a_ball_is_drawn_from_a_box_of_its_own_density",
                    "GibbsEveryRound",
                ),
                (
                    "P-COMW with half of the lottery that no loss decides from round 40 on",
                    (PCOMW._take_in, "v >= self._p", "v >= self._p / (1 + (self._played > 40))"),
                    "test_pcomw.py::test_each_lottery_and_draw_has_numbers_of_its_own_to_the_digit",
                    "PCOMW",
                ),
                (
                    "P-COMW whose last draw is not counted in its level",
                    (gaussian_levels.Steps.level, "math.ceil(budget)", "math.floor(budget)"),
                    "test_gaussian_accounting.py::"
                    "test_a_play_adds_squares_of_one_lottery_the_later_ones_and_the_draws",
                    "PCOMW",
                ),
            )
        },
        **{
            f"001: {what} of BoxGaussian": Mutant(
                edited(BoxGaussian.sample, old, new),
                CLAIM,
                "tests/private_oco/test_gaussian.py::"
                "test_points_of_a_box_are_quantiles_of_numbers_of_their_own_to_the_digit",
                "GibbsEveryRound",
            )
            for what, old, new in (
                ("a twentieth less spread", "self._sign * standard", "0.95 * self._sign * standard"),
                (
                    "half the spread of the fifth coordinate",
                    "self._sign * standard",
                    "np.where(np.arange(self._mean.size) < 4, 1, 0.5) * self._sign * standard",
                ),
                (
                    "every thousandth point again",
                    "(size, self._mean.size))",
                    "(size, self._mean.size))[np.arange(size) % 1000]",
                ),
            )
        },
    }


MUTANTS = _mutants()
