"""A seed stands for a generator of its own kind of object, everywhere."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from private_experts import algorithms, distribution_learning, games, learners, privacy, private_oco
from private_experts.algorithms import DyadicLeader, FixedShare, Hedge, Uniform
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.privacy import AboveThreshold, PureDP, SimulatedNoise
from private_experts.private_oco import losses
from private_experts.randomness import rng_for
from tests.algorithms.cases import CASES, LOCAL, gains_of, opened

ROUNDS, COPIES = 24, 20
GAINS = gains_of(ROUNDS, 4)
DRAWING = [
    name
    for name, case in CASES.items()
    if "rng" in inspect.signature(type(opened(case, GAINS[:1])[0])).parameters
]


def actions(name: str, rng: int) -> np.ndarray:
    case, noise = CASES[name], SimulatedNoise(rng_for(0, "noise"))
    algorithm = case.make(4, ROUNDS, COPIES, noise, rng)
    return play(algorithm, private_reports(GAINS, LOCAL, 1.0, noise, COPIES) if case.local else GAINS)


@pytest.mark.parametrize("name", DRAWING)
def test_a_seed_will_do_where_a_generator_is_asked_for(name: str) -> None:
    whole = actions(name, 7)
    np.testing.assert_array_equal(actions(name, np.int64(7)), whole)
    assert (actions(name, 8) != whole).any()


def test_a_curator_that_draws_from_rng_alone_says_so_and_the_threat_model_names_it() -> None:
    """Its level is that of a simulation, whatever the generator, unless it takes secure noise beside it."""
    curators = [AboveThreshold(PureDP(1.0, "central"), rng=0)]
    for name in DRAWING:
        algorithm = opened(CASES[name], GAINS[:1])[0]
        if algorithm.guarantee.model == "central" and str(algorithm.guarantee) != "no privacy":
            curators.append(algorithm)
    for curator in curators:
        assert curator.guarantee.simulated, curator
    kinds = {type(curator).__name__: type(curator) for curator in curators}
    securable = {name for name, kind in kinds.items() if "noise" in inspect.signature(kind).parameters}
    assert securable == {"PooledDraws"}
    page = (Path(__file__).parents[2] / "docs/threat-model.md").read_text(encoding="utf-8")
    (paragraph,) = re.findall(r"^What takes `rng` alone .*?\n\n", page, flags=re.DOTALL | re.MULTILINE)
    named = set(re.findall(r"`([A-Z]\w+)`", paragraph)) - {"SecureNoise"}
    assert named == {*kinds} - securable | {"PCOMW", "GibbsEveryRound"}


def test_secure_noise_is_no_generator_and_the_refusal_says_what_follows() -> None:
    class Secure:
        simulated = False

        def perturb(self, values: object, scale: object, repetitions: object) -> object:
            return values

    with pytest.raises(
        InputError, match=r"rng of type Secure: rng takes no source of noise, not even a secure one; write"
    ):
        DyadicLeader(2, PureDP(1.0, "central"), rng=Secure())


def test_most_algorithms_draw() -> None:
    assert len(DRAWING) > 15


STREAMS = {"Trial.rng", "streams.chunks.rng"}  # of a record, and of what yields a stream part by part


def test_whatever_the_library_offers_takes_a_seed() -> None:
    played, refused = 0, set()
    for package in (algorithms, distribution_learning, games, learners, privacy, private_oco):
        for name in package.__all__:
            offered = getattr(package, name)
            of_module = (
                [member for member in vars(offered) if member[0] != "_"] if inspect.ismodule(offered) else []
            )
            things = {f"{name}.{member}": getattr(offered, member) for member in of_module} or {name: offered}
            for called, thing in things.items():
                here = not of_module or getattr(thing, "__module__", "") == offered.__name__
                if callable(thing) and here and "rng" in inspect.signature(thing).parameters:
                    played += 1
                    taken = inspect.signature(thing).parameters["rng"].annotation
                    refused |= set() if taken == np.random.Generator | int else {f"{called}.rng"}
    assert played > 30
    assert refused == STREAMS


def test_functions_of_a_seed_are_functions() -> None:
    scores, family = (
        np.zeros((1000, 3)),
        private_oco.GridGibbs(private_oco.Box([-1.0], [1.0]).grid(4), beta=1.0, lam=1.0),
    )
    for draw in (
        lambda rng: privacy.exponential_mechanism(scores, 1.0, rng),
        lambda rng: privacy.laplace_report_noisy_max(scores, 1.0, rng),
        lambda rng: algorithms.simulate_batches(3, 0.5, 50, 20, 0.5, rng, rounds=[9, 30, 50]),
        lambda rng: losses.hinges(family, 9, 1.0, rng),
        lambda rng: losses.absolute(family, 9, 1.0, rng),
    ):
        np.testing.assert_array_equal(draw(7), draw(7))
        assert (draw(7) != draw(8)).any()


def test_objects_of_different_kinds_with_one_seed_draw_independently() -> None:
    """A correlation of 2000 independent pairs is above 0.12 with probability below 1e-6."""
    flat = np.full((1, 2), 0.5)
    share = FixedShare(2, horizon=2, switches=1, eta=0.5, rng=7, repetitions=2000)
    first = [play(algorithm, flat)[0] for algorithm in (Hedge(2, rng=7, repetitions=2000), share)]
    first += [play(Uniform(2, rng=7, repetitions=2000), flat)[0]]
    first += [SimulatedNoise(7).perturb(np.zeros(1), 1.0, 2000)[:, 0]]
    assert np.abs(np.triu(np.corrcoef(first), 1)).max() < 0.12
