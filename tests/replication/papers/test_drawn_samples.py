"""Samples of the stated law pass; a fifth less noise, reuse and sharing fail, each at its own aspect."""

import numpy as np
import pytest
from scipy import stats

from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.drawn_samples import (
    LAPLACE,
    NORMAL,
    UNIFORM,
    attack_points,
    copy_points,
    event_points,
    law_points,
    noise_points,
)
from tests.each import each
from tests.replication.papers.small_checks import failing

COPIES, ROUNDS, EXPERTS = 20_000, 4, 3
LAWS = {"normal": NORMAL, "laplace": LAPLACE}


def noise(law: str):
    rng = rng_for(0, "test drawn samples", law)
    return {"normal": rng.standard_normal, "laplace": rng.laplace}[law](size=(COPIES, ROUNDS, EXPERTS))


@each(
    ("ours", "known"), [(NORMAL, stats.norm()), (LAPLACE, stats.laplace()), (UNIFORM, stats.uniform(-0.5, 1))]
)
def test_laws_are_those_of_scipy(ours, known) -> None:
    x = np.linspace(-6, 6, 49)
    np.testing.assert_allclose(ours.cdf(x), known.cdf(x), rtol=1e-13)
    assert ours.mean_size == pytest.approx(known.expect(abs))


@each("law", LAWS)
def test_samples_of_the_law_hold(law) -> None:
    points = list(noise_points({}, noise(law), LAWS[law], slack=0.05))
    assert decide(points) == "holds"
    assert len(points) == 4 * ROUNDS + 2 * 6 + 3


LATER = np.array([1.0, *[0.8] * (ROUNDS - 1)])[:, None]  # a fifth less after round 1


@each("law", LAWS)
@each(
    ("mutant", "aspects"),
    [
        (lambda drawn: 0.8 * drawn, {"size"}),
        (lambda drawn: 1.25 * drawn, {"size"}),
        (lambda drawn: 0.5 * drawn, {"law", "size"}),
        (lambda drawn: LATER * drawn, {"size"}),
        (lambda drawn: np.repeat(drawn[:, :1], ROUNDS, axis=1), {"rounds", "sizes"}),
        (lambda drawn: np.copysign(drawn[:, :1], drawn), {"sizes"}),  # reused with fresh signs
        (lambda drawn: np.repeat(drawn[:, :, :1], EXPERTS, axis=2), {"coordinates"}),
        (lambda drawn: np.repeat(drawn[::2], 2, axis=0), {"copies"}),  # shared by neighbours
        (lambda drawn: np.tile(drawn[::2], (2, 1, 1)), {"halves"}),  # shared by halves
    ],
)
def test_each_mutant_fails_where_it_differs(law, mutant, aspects) -> None:
    found = failing(list(noise_points({}, mutant(noise(law)), LAWS[law], slack=0.05)), "aspect")
    assert aspects <= found <= aspects | {"law"}


@each(
    ("mutant", "aspects"),
    [
        (lambda drawn: 0.0 * drawn, {"law", "size"}),
        (lambda drawn: 1e-9 * drawn, {"law", "size"}),
        (lambda drawn: np.sign(drawn) * NORMAL.mean_size, {"law"}),  # of one size, with the right mean
    ],
)
def test_no_noise_and_noise_of_one_size_fail(mutant, aspects) -> None:
    points = list(noise_points({}, mutant(noise("normal")), NORMAL, slack=0.05))
    assert failing(points, "aspect") >= aspects


def test_copies_are_compared_in_each_round_or_in_all_together() -> None:
    plays = rng_for(0, "test copies").integers(2, size=(ROUNDS, COPIES))
    plays[1, COPIES // 2 :] = plays[1, : COPIES // 2]
    alike = np.full(ROUNDS, 0.5)
    together = list(copy_points({}, plays, alike, slack=0.04))
    assert failing(together, "rounds") == {"of both halves of the copies"}
    single = (copy_points({"rounds": t}, plays[[t]], alike[[t]], slack=0.2) for t in range(ROUNDS))
    assert failing([point for points in single for point in points], "rounds") == {
        "1 of both halves of the copies"
    }


@each(
    ("law", "verdict"),
    [
        ({0: 0.5, 1: 0.3, 2: 0.2}, "holds"),
        ({0: 0.4, 1: 0.4, 2: 0.2}, "fails"),
        ({0: 0.5, 1: 0.5}, "fails"),  # an outcome that cannot be
        ({0: 0.5, 1: 0.2, 2: 0.2, 3: 0.1}, "fails"),  # one that never was
    ],
)
def test_outcomes_are_compared_with_their_law_one_by_one(law, verdict) -> None:
    outcomes = rng_for(0, "test outcomes").choice(3, size=COPIES, p=[0.5, 0.3, 0.2])
    assert decide(law_points({}, outcomes, law, slack=0.03)) == verdict


def test_an_event_of_many_outcomes_shows_what_none_of_them_does() -> None:
    law = dict.fromkeys(range(400), 1 / 400)
    draws = rng_for(0, "test events").integers(400, size=(20_000, 2))
    halved = np.where(draws % 2, draws, (draws + draws % 4 // 2) % 400)  # half of the even ones become odd
    for drawn, verdict in ((draws, "holds"), (halved, "fails")):
        assert decide(list(law_points({}, drawn[:, 0], law, slack=0.05))) == "holds"
        assert decide(list(event_points({}, drawn, law, slack=0.05))) == verdict


def response(level: float, side: int):
    """Randomised response of this level."""
    lie = rng_for(0, "response", side).random(COPIES) < 1 / (1 + np.exp(level))
    return np.where(lie, 1 - side, side)


def shifted(level: float, side: int):
    """Normal variables whose means are so far apart, in steps."""
    drawn = rng_for(0, "gaussian attack", side).standard_normal(COPIES)
    return np.floor(4 * (drawn + level * side)).astype(np.int64)


@each(
    ("guarantee", "least", "release"),
    [(PureDP(1.0, "local"), 0.8, response), (GaussianDP(1.0, "local"), 0.7, shifted)],
)
@each(("level", "failed"), [(1.0, set()), (2.0, {"level allowed"}), (0.5, {"level reached"})])
def test_the_attack_finds_the_level(guarantee, least, release, level, failed) -> None:
    points = list(attack_points({}, *(release(level, side) for side in (0, 1)), guarantee, least=least))
    assert failing(points, "place") == failed
    assert failed or decide(points) == "holds"


def test_no_noise_at_all_is_an_infinite_level_and_equal_outcomes_reach_none() -> None:
    zeros = np.zeros(COPIES, dtype=np.int64)
    for guarantee in (PureDP(1.0, "local"), GaussianDP(1.0, "local"), ApproximateDP(1.0, 1e-6, "local")):
        assert decide(attack_points({}, zeros, zeros + 1, guarantee, least=0.7)) == "fails"
    (allowed, reached) = attack_points({}, zeros, zeros, GaussianDP(1.0, "local"), least=0.7)
    assert (decide([allowed]), decide([reached])) == ("holds", "fails")
