"""Samples of the stated law pass; a fifth less noise, reuse and sharing fail, each at its own aspect."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from private_experts.arrays import Array
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.drawn_samples import (
    LAPLACE,
    NORMAL,
    UNIFORM,
    Law,
    attack_points,
    copy_points,
    event_points,
    law_points,
    noise_points,
)

COPIES, ROUNDS, EXPERTS = 20_000, 4, 3
LAWS = {"normal": NORMAL, "laplace": LAPLACE}


def noise(law: str) -> Array:
    rng = rng_for(0, "test drawn samples", law)
    return {"normal": rng.standard_normal, "laplace": rng.laplace}[law](size=(COPIES, ROUNDS, EXPERTS))


def failing(points: list[Point]) -> set[str]:
    return {point.where["aspect"] for point in points if decide([point]) == "fails"}


@pytest.mark.parametrize(
    ("ours", "known"), [(NORMAL, stats.norm()), (LAPLACE, stats.laplace()), (UNIFORM, stats.uniform(-0.5, 1))]
)
def test_laws_are_those_of_scipy(ours: Law, known: Any):
    x = np.linspace(-6, 6, 49)
    np.testing.assert_allclose(ours.cdf(x), known.cdf(x), rtol=1e-13)
    assert ours.mean_size == pytest.approx(known.expect(abs))


@pytest.mark.parametrize("law", LAWS)
def test_samples_of_the_law_hold(law: str) -> None:
    points = list(noise_points({}, noise(law), LAWS[law], slack=0.05))
    assert decide(points) == "holds"
    assert len(points) == 4 * ROUNDS + 2 * 6 + 3


def _later_rounds(drawn: Array, factor: float) -> Array:
    return drawn * np.array([1.0, *[factor] * (ROUNDS - 1)])[:, None]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("mutant", "aspects"),
    [
        (lambda drawn: 0.8 * drawn, {"size"}),
        (lambda drawn: 1.25 * drawn, {"size"}),
        (lambda drawn: 0.5 * drawn, {"law", "size"}),
        (lambda drawn: _later_rounds(drawn, 0.8), {"size"}),
        (lambda drawn: np.repeat(drawn[:, :1], ROUNDS, axis=1), {"rounds", "sizes"}),
        (lambda drawn: np.copysign(drawn[:, :1], drawn), {"sizes"}),
        (lambda drawn: np.repeat(drawn[:, :, :1], EXPERTS, axis=2), {"coordinates"}),
        (lambda drawn: np.repeat(drawn[::2], 2, axis=0), {"copies"}),
        (lambda drawn: np.tile(drawn[::2], (2, 1, 1)), {"halves"}),
    ],
    ids=[
        "less",
        "more",
        "half",
        "less after round 1",
        "reused",
        "reused with fresh signs",
        "one for all experts",
        "shared by neighbours",
        "shared by halves",
    ],
)
def test_each_mutant_fails_where_it_differs(
    law: str, mutant: Callable[[Array], Array], aspects: set[str]
) -> None:
    found = failing(list(noise_points({}, mutant(noise(law)), LAWS[law], slack=0.05)))
    assert aspects <= found
    assert found <= aspects | {"law"}


@pytest.mark.parametrize("size", [0.0, 1e-9])
def test_no_noise_fails(size: float) -> None:
    still = noise("normal") * size
    assert {"law", "size"} <= failing(list(noise_points({}, still, LAWS["normal"], slack=0.05)))


def test_noise_of_one_size_fails_even_where_its_mean_is_right() -> None:
    signs = np.sign(noise("normal")) * NORMAL.mean_size
    assert "law" in failing(list(noise_points({}, signs, LAWS["normal"], slack=0.05)))


def test_copies_are_compared_in_each_round_or_in_all_together() -> None:
    plays = rng_for(0, "test copies").integers(2, size=(ROUNDS, COPIES))
    plays[1, COPIES // 2 :] = plays[1, : COPIES // 2]
    alike = np.full(ROUNDS, 0.5)
    together = list(copy_points({}, plays, alike, slack=0.04))
    single = [
        point
        for t in range(ROUNDS)
        for point in copy_points({"rounds": t}, plays[[t]], alike[[t]], slack=0.2)
    ]
    for points, place in (
        (together, "of both halves of the copies"),
        (single, "1 of both halves of the copies"),
    ):
        assert {point.where["rounds"] for point in points if decide([point]) == "fails"} == {place}


def test_outcomes_are_compared_with_their_law_one_by_one() -> None:
    outcomes = rng_for(0, "test outcomes").choice(3, size=COPIES, p=[0.5, 0.3, 0.2])
    assert decide(law_points({}, outcomes, {0: 0.5, 1: 0.3, 2: 0.2}, slack=0.03)) == "holds"
    assert decide(law_points({}, outcomes, {0: 0.4, 1: 0.4, 2: 0.2}, slack=0.03)) == "fails"
    # An outcome that cannot be, and one that never was.
    assert decide(law_points({}, outcomes, {0: 0.5, 1: 0.5}, slack=0.03)) == "fails"
    assert decide(law_points({}, outcomes, {0: 0.5, 1: 0.2, 2: 0.2, 3: 0.1}, slack=0.03)) == "fails"


def _response(epsilon: float, value: int, seed: int) -> Array:
    lie = rng_for(seed, "response", value).random(COPIES) < 1 / (1 + np.exp(epsilon))
    return np.where(lie, 1 - value, value)


def test_an_event_of_many_outcomes_shows_what_none_of_them_does() -> None:
    law = dict.fromkeys(range(400), 1 / 400)
    draws = rng_for(0, "test events").integers(400, size=(20_000, 2))
    halved = np.where(draws % 2, draws, (draws + draws % 4 // 2) % 400)  # half of the even ones become odd
    for drawn, verdict in ((draws, "holds"), (halved, "fails")):
        assert decide(list(law_points({}, drawn[:, 0], law, slack=0.05))) == "holds"
        assert decide(list(event_points({}, drawn, law, slack=0.05))) == verdict


@pytest.mark.parametrize(
    ("epsilon", "failed"), [(1.0, set()), (2.0, {"level allowed"}), (0.5, {"level reached"})]
)
def test_the_attack_finds_the_level_of_randomised_response(epsilon: float, failed: set[str]) -> None:
    sides = [_response(epsilon, value, 0) for value in (0, 1)]
    points = list(attack_points({}, *sides, PureDP(1.0, "local"), least=0.8))
    assert {point.where["place"] for point in points if decide([point]) == "fails"} == failed
    assert failed or decide(points) == "holds"


@pytest.mark.parametrize(("mu", "failed"), [(1.0, set()), (2.0, {"level allowed"}), (0.5, {"level reached"})])
def test_the_attack_finds_a_gaussian_level(mu: float, failed: set[str]) -> None:
    rng = rng_for(0, "gaussian attack")
    sides = [np.floor(4 * (rng.standard_normal(COPIES) + mu * side)).astype(np.int64) for side in (0, 1)]
    points = list(attack_points({}, *sides, GaussianDP(1.0, "local"), least=0.7))
    assert {point.where["place"] for point in points if decide([point]) == "fails"} == failed
    assert failed or decide(points) == "holds"


def test_no_noise_at_all_is_an_infinite_level() -> None:
    sides = [np.full(COPIES, side) for side in (0, 1)]
    for guarantee in (PureDP(1.0, "local"), GaussianDP(1.0, "local"), ApproximateDP(1.0, 1e-6, "local")):
        assert decide(attack_points({}, *sides, guarantee, least=0.7)) == "fails"


def test_equal_outcomes_reach_no_level() -> None:
    same = np.zeros(COPIES, dtype=np.int64)
    (allowed, reached) = attack_points({}, same, same, GaussianDP(1.0, "local"), least=0.7)
    assert (decide([allowed]), decide([reached])) == ("holds", "fails")
