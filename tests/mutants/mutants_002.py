"""Mutants of what draws in paper 002's algorithms."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.arrays import Array
from private_experts.privacy import PureDP, selection
from tests.mutants.mutant import Mutant, Patch, edited

CLAIM = "002/drawn-noise"
TEST = "tests/replication/papers/p002/test_noise_002.py::test_what_is_played_has_its_law[{}]"
LEVELS = "tests/algorithms/test_dyadic_leader.py::test_selections_have_the_noise_of_their_level_to_the_digit"
MANY_ROWS = (
    "tests/replication/papers/test_digits.py::"
    "test_every_number_is_as_stated_by_any_seed_in_a_mechanism_of_the_claim[002-{}]"
)
DIGITS = (
    "tests/privacy/test_selection.py::"
    "test_a_draw_is_the_largest_of_scores_with_noise_of_the_stated_scale_to_the_digit"
)
ONE_ROW = "tests/privacy/test_selection.py::test_one_row_of_scores_is_drawn_like_one_of_many"
Change = Callable[
    [Callable[..., Array], int], Array
]  # of how noise is drawn, and the number of the selection


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


def _shared_by(axis: int) -> Change:
    def change(draw: Callable[..., Array], _: int) -> Array:
        noise = draw()
        return np.broadcast_to(np.take(noise, [0], axis=axis), noise.shape)

    return change


def _second_half_again(drawn: Array) -> Array:
    """Return the first half of the copies' draws for both halves."""
    half = len(drawn) // 2
    return np.concatenate([drawn[: len(drawn) - half], drawn[:half]])


def _until(last: int, factor: float = 0.0) -> Patch:
    """Draw noise for the first selections of a game only."""
    return _noise(lambda draw, number: draw() * (1.0 if number <= last else factor))


def _no_update(put: pytest.MonkeyPatch) -> None:
    select = DyadicLeader.select
    put.setattr(DyadicLeader, "select", lambda self, scores: select(self, 0 * scores))


def _no_new_block(put: pytest.MonkeyPatch) -> None:
    """Keep the first leader for good."""
    begin = DyadicLeader._begin

    def first_alone(self: DyadicLeader, which: Any, lengths: Any) -> None:
        if (lengths == 1).all():
            begin(self, which, lengths)
        else:
            self._played[which], self._length[which] = 0, lengths

    put.setattr(DyadicLeader, "_begin", first_alone)


def _whole_prefix(put: pytest.MonkeyPatch) -> None:
    put.setattr(RandomizedPrefix, "shortest_prefix", lambda self, lengths: lengths)


def _whole_prefix_from(first: int) -> Patch:
    """Count all of a block that is so long or longer."""

    def patch(put: pytest.MonkeyPatch) -> None:
        shortest = RandomizedPrefix.shortest_prefix
        put.setattr(
            RandomizedPrefix,
            "shortest_prefix",
            lambda self, lengths: np.where(lengths < first, shortest(self, lengths), lengths),
        )

    return patch


def _one_prefix_for_all(put: pytest.MonkeyPatch) -> None:
    begin = DyadicLeader._begin

    def shared(self: DyadicLeader, which: Any, lengths: Any) -> None:
        begin(self, which, lengths)
        self._counted[which] = self._counted[which][0]

    put.setattr(DyadicLeader, "_begin", shared)


def _flips(change: Callable[[BernoulliResampled, Array], Array]) -> Patch:
    def patch(put: pytest.MonkeyPatch) -> None:
        def update(self: BernoulliResampled, gains: Array) -> None:
            shape = (self.repetitions, self.n)
            self._tell((np.broadcast_to(change(self, gains), shape) < gains).astype(np.float64))

        put.setattr(BernoulliResampled, "update_unchecked", update)

    return patch


def _half_of_any_gains(put: pytest.MonkeyPatch) -> None:
    """Halve the noise of random prefixes whose gains may be of any size."""
    select = RandomizedPrefix.select
    put.setattr(
        RandomizedPrefix,
        "select",
        lambda self, scores: select(self, scores * (2 if self.largest > 1 else 1)),
    )


def _least_level(put: pytest.MonkeyPatch) -> None:
    """Let no selection have more noise than at epsilon 0.5."""
    select = DyadicLeader.select

    def mutated(self: DyadicLeader, scores: Array) -> Any:
        stated = self.guarantee
        self.guarantee = PureDP(max(stated.epsilon, 0.5), "central")
        chosen = select(self, scores)
        self.guarantee = stated
        return chosen

    put.setattr(DyadicLeader, "select", mutated)


def _one_row(put: pytest.MonkeyPatch) -> None:
    """Halve the noise of the selections from one row of scores."""

    class Changed:
        def __init__(self, rng: np.random.Generator) -> None:
            self._rng = rng

        def laplace(self, *, scale: float, size: tuple[int, ...]) -> Array:
            return self._rng.laplace(scale=scale, size=size) / (2 if len(size) == 1 else 1)

        def standard_exponential(self, size: tuple[int, ...]) -> Array:
            return self._rng.standard_exponential(size) ** (0.5 if len(size) == 1 else 1)

    generator = selection.generator
    put.setattr(selection, "generator", lambda *given: Changed(generator(*given)))


def _mutants() -> dict[str, Mutant]:
    everywhere = {
        "no noise on selections": scaled_noise(0.0),
        "half the noise on selections": scaled_noise(0.5),
        "noise on the first selection alone": _until(1),
        "no noise from round 8 on": _until(3),
        "half the noise from round 8 on": _until(3, 0.5),
        "noise reused between blocks": _noise(lambda draw, _: draw(np.random.default_rng(0))),
        "one draw for all copies": _noise(_shared_by(-2)),
        "one draw for all experts": _noise(_shared_by(-1)),
    }
    found = {f"{what} of DyadicLeader": (patch, "DyadicLeader") for what, patch in everywhere.items()}
    for name in ("RandomizedPrefix", "BernoulliResampled"):  # they select by the same function
        for what in ("half the noise on selections", "no noise from round 8 on"):
            found[f"{what} of {name}"] = everywhere[what], name
    found |= {
        "no noise on a noisy maximum alone": (scaled_noise(0.0), "laplace_report_noisy_max"),
        "half the noise on a softmax alone": (scaled_noise(0.5), "exponential_mechanism"),
        "a leader that never updates": (_no_update, "DyadicLeader"),
        "a leader that is never drawn again": (_no_new_block, "DyadicLeader"),
        "no noise from round 16 on of DyadicLeader": (_until(4), "DyadicLeader"),
        "no noise from round 16 on of RandomizedPrefix": (_until(4), "RandomizedPrefix"),
        "a prefix that is the whole block from round 16 on": (_whole_prefix_from(16), "RandomizedPrefix"),
        "a prefix that is the whole block": (_whole_prefix, "RandomizedPrefix"),
        "one prefix for all copies": (_one_prefix_for_all, "RandomizedPrefix"),
        "gains that are rounded, not flipped": (
            _flips(lambda self, gains: np.float64(0.5)),
            "BernoulliResampled",
        ),
        "flips that all experts share": (
            _flips(lambda self, gains: self._rng.random((self.repetitions, 1))),
            "BernoulliResampled",
        ),
        "flips that all copies share": (
            _flips(lambda self, gains: self._rng.random((1, self.n))),
            "BernoulliResampled",
        ),
        "flips that copies with gains of their own share": (
            _flips(
                lambda self, gains: self._rng.random((1 if gains.ndim == 2 else self.repetitions, self.n))
            ),
            "BernoulliResampled",
        ),
        "flips that both halves of the copies share": (
            _flips(lambda self, gains: _second_half_again(self._rng.random((self.repetitions, self.n)))),
            "BernoulliResampled",
        ),
        "one draw for both halves of the copies": (
            _noise(lambda draw, _: _second_half_again(draw())),
            "DyadicLeader",
        ),
        "flips that are reused between rounds": (
            _flips(lambda self, gains: np.random.default_rng(0).random((self.repetitions, self.n))),
            "BernoulliResampled",
        ),
    }
    mutants = {
        f"002: {what}": Mutant(patch, CLAIM, TEST.format(name)) for what, (patch, name) in found.items()
    }
    return mutants | {
        "002: half the noise of one row of scores": Mutant(_one_row, CLAIM, ONE_ROW),
        "002: half the noise of a prefix of any gains": Mutant(
            _half_of_any_gains, CLAIM, TEST.format("RandomizedPrefix")
        ),
        "002: at most the noise of epsilon 0.5": Mutant(_least_level, CLAIM, LEVELS, "DyadicLeader"),
        "002: flips of rounded gains from round 40 on": Mutant(
            edited(
                BernoulliResampled.update_unchecked,
                "< gains",
                "< (gains if self.rounds_played < 40 else gains.round(1))",
            ),
            CLAIM,
            "tests/algorithms/test_dyadic_leader.py::"
            "test_resampled_gains_are_coin_flips_of_each_copy_and_expert_to_the_digit",
            "BernoulliResampled",
        ),
        "002: half the noise from block 64 on of DyadicLeader": Mutant(
            edited(
                DyadicLeader._begin,
                "self.select(self._scores[which])",
                "self.select(self._scores[which] * np.where(lengths < 64, 1, 2)[:, None])",
            ),
            CLAIM,
            LEVELS,
            "DyadicLeader",
        ),
        **{
            f"002: {what}": Mutant(
                edited(draw, old, new),
                CLAIM,
                MANY_ROWS.format(draw.__name__) if "row" in what else DIGITS,
                draw.__name__,
            )
            for what, draw, old, new in (
                (
                    "half the noise of thirteen scores, Laplace",
                    selection.laplace_report_noisy_max,
                    "rng.laplace(scale=scale,",
                    "rng.laplace(scale=scale / (1 + (values.shape[-1] > 12)),",
                ),
                (
                    "half the noise of thirteen scores, Gumbel",
                    selection.exponential_mechanism,
                    "_exponents(scores, rate)",
                    "_exponents(scores, rate * (1 + (np.shape(scores)[-1] > 12)))",
                ),
                (
                    "a twentieth less noise, Gumbel",
                    selection.exponential_mechanism,
                    "_exponents(scores, rate)",
                    "_exponents(scores, 1.05 * rate)",
                ),
                (
                    "every thousandth row draws the same, Laplace",
                    selection.laplace_report_noisy_max,
                    "size=values.shape)",
                    "size=values.shape)[np.arange(len(values)) % 1000]",
                ),
                (
                    "every thousandth row draws the same, Gumbel",
                    selection.exponential_mechanism,
                    "(exponents.shape)",
                    "(exponents.shape)[np.arange(len(exponents)) % 1000]",
                ),
            )
        },
    }


MUTANTS = _mutants()
