"""Mutants of what draws in paper 002's algorithms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.arrays import Array
from private_experts.privacy import selection
from tests.mutants.mutant import Mutant, Patch, edited

CLAIM = "002/drawn-noise"
TEST = "tests/replication/papers/p002/test_noise_002.py::test_what_is_played_has_its_law[{}]"
LEADER = "tests/algorithms/test_dyadic_leader.py::"
SELECTION = "tests/privacy/test_selection.py::"
MANY_ROWS = (
    "tests/replication/papers/test_digits.py::"
    "test_every_number_is_as_stated_in_a_mechanism_of_the_claim[002-{}]"
)
Draw = Callable[..., Array]  # of noise, from the player's own generator or another one
Change = Callable[[Draw, int], Array]  # by how noise is drawn, and the number of the selection


class _Changed:
    """A generator whose noise for selections is changed; Gumbel noise is drawn by exponential variables."""

    def __init__(self, rng: np.random.Generator, change: Change, selections: int) -> None:
        self._rng, self._change, self._selections = rng, change, selections

    def laplace(self, *, scale: float, size: tuple[int, ...]) -> Array:
        def draw(rng: np.random.Generator = self._rng) -> Array:
            return rng.laplace(scale=scale, size=size)

        return self._change(draw, self._selections)

    def standard_exponential(self, size: tuple[int, ...]) -> Array:
        def draw(rng: np.random.Generator = self._rng) -> Array:
            return -np.log(rng.standard_exponential(size))

        return np.exp(-self._change(draw, self._selections))


def _noise(change: Change) -> Patch:
    """Change the noise of every selection."""

    def patch(put: pytest.MonkeyPatch) -> None:
        counted: list[Any] = []

        def generator(rng: Any, who: str) -> _Changed:
            counted.append(rng)
            return _Changed(rng, change, sum(other is rng for other in counted))

        put.setattr(selection, "generator", generator)

    return patch


def scaled_noise(factor: float) -> Patch:
    """Multiply the noise of all selections."""
    return _noise(lambda draw, _: factor * draw())


def _after(last: int, factor: float = 0.0) -> Patch:
    """Multiply the noise of all but the first selections of a game."""
    return _noise(lambda draw, number: draw() * (1.0 if number <= last else factor))


def _shared_by(axis: int) -> Patch:
    return _noise(lambda draw, _: np.take(draw(), [0], axis=axis) + 0 * draw())


def _second_half_again(draw: Draw, _: int) -> Array:
    """Return the first half of the copies' draws for both halves."""
    drawn = draw()
    return drawn[np.arange(len(drawn)) % -(-len(drawn) // 2)]


def _selecting(scores: str) -> Patch:
    """Let leaders select by other scores."""
    first = 'if self._selection == "laplace":'
    return edited(DyadicLeader.select, first, f"scores = {scores}\n        {first}")


def _flips(by: str) -> Patch:
    """Flip coins by other numbers than fresh uniform ones of each copy and expert."""
    return edited(BernoulliResampled.update_unchecked, "self._rng.random((self.repetitions, self.n))", by)


HALF_LATER, NONE_LATER = "half the noise from round 8 on", "no noise from round 8 on"
HALF = "half the noise on selections"
SELECT, COUNT = (
    "self.select(self._scores[which]",
    "self._rng.integers(self.shortest_prefix(lengths), lengths + 1)",
)
MECHANISMS: dict[str, dict[str, Patch]] = {
    "DyadicLeader": {
        "no noise on selections of DyadicLeader": scaled_noise(0.0),
        f"{HALF} of DyadicLeader": scaled_noise(0.5),
        "noise on the first selection alone of DyadicLeader": _after(1),
        f"{NONE_LATER} of DyadicLeader": _after(3),
        f"{HALF_LATER} of DyadicLeader": _after(3, 0.5),
        "no noise from round 16 on of DyadicLeader": _after(4),
        "noise reused between blocks of DyadicLeader": _noise(lambda draw, _: draw(np.random.default_rng(0))),
        "one draw for all copies of DyadicLeader": _shared_by(-2),
        "one draw for all experts of DyadicLeader": _shared_by(-1),
        "one draw for both halves of the copies": _noise(_second_half_again),
        "a leader that never updates": _selecting("0 * scores"),
        "a leader that is never drawn again": edited(
            DyadicLeader._begin, "self._leader[which] =", "if (lengths == 1).all(): self._leader[which] ="
        ),
    },
    "RandomizedPrefix": {
        f"{HALF} of RandomizedPrefix": scaled_noise(0.5),
        f"{NONE_LATER} of RandomizedPrefix": _after(3),
        "no noise from round 16 on of RandomizedPrefix": _after(4),
        "half the noise of a prefix of any gains": _selecting("scores * (1 + (self.largest > 1))"),
        "a prefix that is the whole block": edited(
            RandomizedPrefix.shortest_prefix, "lengths // 2 + 1", "lengths"
        ),
        "a prefix that is the whole block from round 16 on": edited(
            RandomizedPrefix.shortest_prefix,
            "lengths // 2 + 1",
            "np.where(lengths < 16, lengths // 2 + 1, lengths)",
        ),
        "one prefix for all copies": edited(DyadicLeader._begin, COUNT, f"{COUNT}[:1]"),
    },
    "BernoulliResampled": {
        f"{HALF} of BernoulliResampled": scaled_noise(0.5),
        f"{NONE_LATER} of BernoulliResampled": _after(3),
        "gains that are rounded, not flipped": _flips("np.full((self.repetitions, self.n), 0.5)"),
        "flips that all experts share": _flips("self._rng.random((self.repetitions, 1))"),
        "flips that all copies share": _flips(
            "self._rng.random((1, self.n)).repeat(self.repetitions, axis=0)"
        ),
        "flips that copies with gains of their own share": _flips(
            "self._rng.random((1 if gains.ndim == 2 else self.repetitions, self.n))"
        ),
        "flips that both halves of the copies share": _flips(
            "np.resize(self._rng.random(((self.repetitions + 1) // 2, self.n)), (self.repetitions, self.n))"
        ),
        "flips that are reused between rounds": _flips(
            "np.random.default_rng(0).random((self.repetitions, self.n))"
        ),
    },
    "laplace_report_noisy_max": {"no noise on a noisy maximum alone": scaled_noise(0.0)},
    "exponential_mechanism": {"half the noise on a softmax alone": scaled_noise(0.5)},
}

DIGITS = f"{SELECTION}test_a_draw_is_the_largest_of_scores_with_noise_of_the_stated_scale_to_the_digit"
LEVELS = f"{LEADER}test_selections_have_the_noise_of_their_level_to_the_digit"
COINS = f"{LEADER}test_resampled_gains_are_coin_flips_of_each_copy_and_expert_to_the_digit"
LAPLACE, GUMBEL = selection.laplace_report_noisy_max, selection.exponential_mechanism
# Small changes, by the test that notices them and the mechanism of the claim that does.
SMALL: dict[tuple[str, str], dict[str, Patch]] = {
    (f"{SELECTION}test_one_row_of_scores_is_drawn_like_the_first_of_many", ""): {
        "half the noise of one row of scores": _noise(
            lambda draw, _: (noise := draw()) / (2 if noise.ndim == 1 else 1)
        )
    },
    (LEVELS, "DyadicLeader"): {
        "at most the noise of epsilon 0.5": _selecting("scores * max(1, 0.5 / self.guarantee.epsilon)"),
        "half the noise from block 64 on of DyadicLeader": edited(
            DyadicLeader._begin, SELECT, f"{SELECT} * np.where(lengths < 64, 1, 2)[:, None]"
        ),
    },
    (COINS, "BernoulliResampled"): {
        "flips of rounded gains from round 40 on": edited(
            BernoulliResampled.update_unchecked,
            "< gains",
            "< (gains if self.rounds_played < 40 else gains.round(1))",
        )
    },
    (DIGITS, LAPLACE.__name__): {
        "half the noise of thirteen scores, Laplace": edited(
            LAPLACE, "rng.laplace(scale=scale,", "rng.laplace(scale=scale / (1 + (values.shape[-1] > 12)),"
        )
    },
    (DIGITS, GUMBEL.__name__): {
        "half the noise of thirteen scores, Gumbel": edited(
            GUMBEL, "_exponents(scores, rate)", "_exponents(scores, rate * (1 + (np.shape(scores)[-1] > 12)))"
        ),
        "a twentieth less noise, Gumbel": edited(
            GUMBEL, "_exponents(scores, rate)", "_exponents(scores, 1.05 * rate)"
        ),
    },
    (MANY_ROWS.format(LAPLACE.__name__), LAPLACE.__name__): {
        "every thousandth row draws the same, Laplace": edited(
            LAPLACE, "size=values.shape)", "size=values.shape)[np.arange(len(values)) % 1000]"
        )
    },
    (MANY_ROWS.format(GUMBEL.__name__), GUMBEL.__name__): {
        "every thousandth row draws the same, Gumbel": edited(
            GUMBEL, "(exponents.shape)", "(exponents.shape)[np.arange(len(exponents)) % 1000]"
        )
    },
}

MUTANTS = {
    **{
        f"002: {what}": Mutant(patch, CLAIM, TEST.format(name))
        for name, patches in MECHANISMS.items()
        for what, patch in patches.items()
    },
    **{
        f"002: {what}": Mutant(patch, CLAIM, test, mechanism)
        for (test, mechanism), patches in SMALL.items()
        for what, patch in patches.items()
    },
}
