"""The convex players and the learners of distributions go on after saving, like the algorithms."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts import distribution_learning, private_oco
from private_experts.distribution_learning import (
    CentredCoordinate,
    HadamardResponse,
    NoisyCoordinate,
    NoisyVector,
    RandomizedResponse,
    ResponsePosterior,
    SubsetSelection,
)
from private_experts.errors import InputError
from private_experts.privacy import ApproximateDP, BandedSums, GaussianDP, PureDP, SimulatedNoise
from private_experts.privacy.banded import root_band
from private_experts.private_oco import DPFTRL, PCOMW, Ball, Box, GibbsEveryRound, GridGibbs, LinearGibbs
from private_experts.randomness import rng_for
from private_experts.saving import load, save
from tests.saving.test_every_algorithm import ROUNDS, goes_on

GRID = Box((-0.5,), (0.5,)).grid(9)
OFTEN = {"log_phi": 0.1, "p": 0.2, "budget": 9.0, "repetitions": 5, "horizon": ROUNDS}
FAMILIES: dict[str, Callable[[], Any]] = {
    "ball": lambda: LinearGibbs(Ball(2, 0.5), beta=3.0, lam=4.0),
    "box": lambda: LinearGibbs(Box([-0.5, -0.2], [0.5, 0.3]), beta=3.0, lam=4.0),
    "grid": lambda: GridGibbs(GRID, beta=3.0, lam=4.0),
}
CONVEX: dict[str, Callable[..., Any]] = {
    "PCOMW": lambda family, rng: PCOMW(family, **OFTEN, rng=rng),
    "PCOMW without an end": lambda family, rng: PCOMW(family, log_phi=0.0, p=0.0, budget=np.inf, rng=rng),
    "GibbsEveryRound": lambda family, rng: GibbsEveryRound(family, horizon=ROUNDS, rng=rng, repetitions=5),
}


def convex_player(kind: str, family: str, seed: int) -> tuple[Any, list[Any]]:
    slopes = rng_for(0, "slopes").normal(size=(ROUNDS, 2))
    slopes /= 2 * np.hypot.reduce(slopes, axis=1, keepdims=True)
    losses = [GRID[:, 0] * slope[0] if family == "grid" else slope for slope in slopes]
    return CONVEX[kind](FAMILIES[family](), rng_for(seed, "play")), losses


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", CONVEX)
def test_a_convex_player_goes_on_bit_for_bit(kind, family, tmp_path):
    goes_on(lambda seed: convex_player(kind, family, seed), tmp_path / "a.state")


def noisy_leader(seed: int) -> tuple[Any, list[Any]]:
    _, losses = convex_player("PCOMW", "ball", seed)
    noise = SimulatedNoise(rng_for(seed, "sums"))
    sums = BandedSums(2, GaussianDP(1.0, "central"), coefficients=root_band(4), sensitivity=2.0, noise=noise)
    return DPFTRL(Ball(2, 0.5), sums, lam=3.0), losses


def test_a_leader_on_noisy_sums_goes_on_bit_for_bit(tmp_path):
    goes_on(noisy_leader, tmp_path / "a.state")


def test_how_often_a_convex_player_drew_is_state_too(tmp_path):
    (before, losses), (after, _) = (convex_player("PCOMW", "ball", seed) for seed in (1, 2))
    for loss in losses[:8]:
        before.update(loss)
    assert before.draws.sum() > 0
    save(tmp_path / "a.state", before)
    load(tmp_path / "a.state", after)
    np.testing.assert_array_equal(after.draws, before.draws)


def test_a_law_is_worked_out_again_from_the_total_that_was_loaded(tmp_path):
    slopes = rng_for(0, "far").normal(size=(ROUNDS, 2)) + 3.0  # so that the laws differ

    def player(seed: int) -> tuple[Any, list[Any]]:
        family, lottery = LinearGibbs(Ball(2, 0.5), beta=3.0, lam=4.0), {"log_phi": 0.5, "p": 0.0}
        made = PCOMW(family, **lottery, budget=np.inf, rng=rng_for(seed, "play"), repetitions=99)
        return made, [*slopes]

    goes_on(player, tmp_path / "a.state")


CLASSES = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]])
PURE = PureDP(3.0, "local")
MECHANISMS: dict[str, Callable[[], Any]] = {
    "ClippedMixture": lambda: NoisyVector(3, ApproximateDP(3.0, 1e-3, "local"), horizon=ROUNDS),
    "ClippedMixture of coordinates": lambda: NoisyCoordinate(3, PURE, horizon=ROUNDS),
    "CentredMixture": lambda: CentredCoordinate(3, PURE, horizon=ROUNDS),
    "LabelMixture": lambda: RandomizedResponse(3, PURE, labels=3, horizon=ROUNDS),
    "LabelMixture of a posterior": lambda: ResponsePosterior(3, PURE, labels=3, horizon=ROUNDS),
    "LabelMixture of signs": lambda: HadamardResponse(3, PURE, labels=3, horizon=ROUNDS),
    "LabelMixture of sets": lambda: SubsetSelection(3, PURE, labels=3, horizon=ROUNDS),
}


@pytest.mark.parametrize("kind", MECHANISMS)
def test_a_learner_of_distributions_goes_on_bit_for_bit(kind, tmp_path):
    users, rng = MECHANISMS[kind](), rng_for(0, "labels")
    reports = [users.privatize(rng.integers(3, size=4), CLASSES, rng) for _ in range(ROUNDS)]
    goes_on(lambda _: (MECHANISMS[kind]().learner(4), reports), tmp_path / "a.state", (CLASSES,))


def test_another_family_or_mechanism_is_refused(tmp_path):
    turned = GridGibbs(GRID[::-1].copy(), beta=3.0, lam=4.0)  # the guarantee is the same
    save(tmp_path / "a.state", CONVEX["GibbsEveryRound"](FAMILIES["grid"](), 0))
    with pytest.raises(InputError, match=r"0\._family\.points was"):
        load(tmp_path / "a.state", CONVEX["GibbsEveryRound"](turned, 0))
    save(tmp_path / "b.state", MECHANISMS["LabelMixture of a posterior"]().learner())
    less = ResponsePosterior(3, PureDP(2.0, "local"), labels=3, horizon=ROUNDS)
    more = ResponsePosterior(3, PURE, labels=4, horizon=ROUNDS)
    for other, word in ((less, "guarantee.epsilon was 3.0"), (more, "_mechanism.labels was 3")):
        with pytest.raises(InputError, match=word):
            load(tmp_path / "b.state", other.learner())


def test_each_setting_of_a_family_is_compared(tmp_path):
    """Of families alone: a player's guarantee hangs on theirs, and is told first where it differs."""
    own, turned, box = {"beta": 3.0, "lam": 4.0}, Box([-0.2, -0.5], [0.3, 0.5]), FAMILIES["box"]().domain
    wrong = [
        ("ball", LinearGibbs(Ball(2, 0.6), **own), "domain"),
        ("box", LinearGibbs(turned, **own), "domain"),
    ]
    wrong.append(("grid", GridGibbs(GRID[::-1].copy(), **own), "points"))
    for name, value in (("beta", 2.0), ("lam", 5.0)):
        wrong.append(("grid", GridGibbs(GRID, **own | {name: value}), name))
        wrong.append(("box", LinearGibbs(box, **own | {name: value}), name))
    for kind, other, name in wrong:
        save(tmp_path / f"{kind}.state", FAMILIES[kind]())
        load(tmp_path / f"{kind}.state", FAMILIES[kind]())
        with pytest.raises(InputError, match=f"0.{name}.* was "):
            load(tmp_path / f"{kind}.state", other)


def test_no_convex_player_and_no_learner_of_distributions_is_missing():
    """They are found by their methods, in all modules of their rooms."""
    found = {
        kind.__name__
        for room in (private_oco, distribution_learning)
        for module in pkgutil.iter_modules(room.__path__, f"{room.__name__}.")
        for kind in vars(importlib.import_module(module.name)).values()
        if isinstance(kind, type)
        and hasattr(kind, "predict")
        and hasattr(kind, "update")
        and not getattr(kind, "_is_protocol", False)
        and not inspect.isabstract(kind)
    }
    assert found == {kind.partition(" ")[0] for kind in ["DPFTRL", *CONVEX, *MECHANISMS]}
