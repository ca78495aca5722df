"""Fixed share, plain and noisy: the update, the noise's law, what is promised."""

import math

import numpy as np
import pytest

from private_experts.algorithms import noisy_fixed_share
from private_experts.algorithms.fixed_share import FixedShare, dynamic_regret_bound, share_floor, tuned_step
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import ApproximateDP, GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p004.noisy_share_bounds import (
    printed_step,
    regret_bound,
    sharper_bound,
)
from tests.algorithms.test_clipped_simplex import by_sorting
from tests.each import each

OPEN = {kind: kind(math.inf, "central") for kind in (PureDP, GaussianDP)}
LAWS = {"laplace": PureDP, "gaussian": GaussianDP}


def share(n, scale=None, law="laplace", horizon=10, switches=1, eta=1.0, repetitions=1, rng=None):
    """Fixed share, which is noisy where a scale is given."""
    setting = {"horizon": horizon, "switches": switches, "eta": eta, "repetitions": repetitions}
    setting |= {"rng": rng_for(0, "unused") if rng is None else rng}
    return (
        FixedShare(n, **setting)
        if scale is None
        else NoisyFixedShare(n, OPEN[LAWS[law]], noise_scale=scale, **setting)
    )


def quantiles(levels):
    """Those of the Laplace law of scale 1."""
    return np.sign(levels - 0.5) * -np.log(2 * np.minimum(levels, 1 - levels))


def noise_of(law, rng, size):
    """The noise of a round, of scale 1."""
    return quantiles(rng.random(size)) if law == "laplace" else rng.normal(size=size)


@each("law", [None, "laplace", "gaussian"])
def test_the_weights_follow_the_formula_round_by_round(law):
    """In each of two copies, whose gains are alike at first."""
    gains, draws = rng_for(1, "formula").random((40, 2, 3)), rng_for(0, "formula")
    given = {"horizon": 40, "switches": 4, "eta": 0.7, "repetitions": 2}
    algorithm = share(3, 0.8 if law else None, law, rng=rng_for(0, "formula"), **given)
    w = np.full((2, 3), 1 / 3)
    for t, round_ in enumerate(gains):
        np.testing.assert_allclose(np.broadcast_to(algorithm.weights, (2, 3)), w, rtol=1e-12)
        algorithm.update(told := round_[0] if t < 10 else round_)
        noise = 0.8 * noise_of(law, draws, (2, 3)) if law else 0.0
        w = np.array([by_sorting(row, 4 / 120) for row in w * np.exp(0.7 * (told - 1 + noise))])
    assert law or algorithm.guarantee == PureDP(math.inf, "central")


@each("gains", [[1.0, 0.0], [1.0, 0.9], [0.5, 0.5]])
@each("law", [None, "laplace", "gaussian"])
def test_the_largest_step_and_noise_do_not_overflow(gains, law):
    given = {"horizon": 30, "switches": 3, "eta": 500.0, "repetitions": 50}
    for scale in (0.0, 1e-3, 1e3, 1e300) if law else (None,):
        algorithm = share(2, scale, law, rng=rng_for(1, "largest"), **given)
        for _ in range(20):
            algorithm.update(np.array(gains))
        assert (algorithm.weights >= 0.05).all()
        np.testing.assert_allclose(algorithm.weights.sum(axis=1), 1.0)
        if not scale:
            expected = [0.95, 0.05] if gains[0] > gains[1] else [0.5, 0.5]
            np.testing.assert_allclose(algorithm.weights, np.broadcast_to(expected, algorithm.weights.shape))


@each("scale", [None, 1.0, 1e6])
def test_without_a_floor_no_weight_is_lost_for_ever(scale):
    copies = 1 if scale is None else 50
    algorithm = share(
        3, scale, horizon=80, switches=0, eta=500.0, repetitions=copies, rng=rng_for(1, "no floor")
    )
    for t in range(80):  # 40 rounds for one expert, and then for another
        algorithm.update(np.eye(3)[t // 40])
        np.testing.assert_allclose(algorithm.weights.sum(axis=1), 1.0)
    if scale is None:
        assert algorithm.weights[0, 1] == pytest.approx(1.0)


def test_the_tuned_step_makes_the_bound_least():
    eta = tuned_step(5, 1000, 3)
    least = dynamic_regret_bound(5, 1000, 3, eta)
    assert least == pytest.approx(2 * math.sqrt(4 * math.log(5000 / 3) * 500) + 3)
    assert least < min(dynamic_regret_bound(5, 1000, 3, factor * eta) for factor in (0.8, 1.25))


EACH = 0.5 + np.arange(600) % 599 / 300


@each("kind", [PureDP, GaussianDP])
@each(("repetitions", "scale"), [(1, None), (3, 0.7), (1, EACH), (3, EACH)])
def test_noise_has_its_scale_in_every_round_to_the_digit(kind, repetitions, scale):
    """That of the guarantee, one for all rounds, or one for each, of which the first and the last are alike.

    Noise is drawn for many rounds at once: of three copies three times in this game.
    More rounds are played than the horizon says. Without gains and a floor, weights move by the noise alone.
    """
    n, eta, rng = 40, 0.05, rng_for(0, "digits")
    made = {"horizon": 600, "switches": 0, "eta": eta, "repetitions": repetitions, "noise_scale": scale}
    noisy = NoisyFixedShare(n, kind(50.0, "central") if scale is None else OPEN[kind], rng=rng, **made)
    of_guarantee = (n if kind is PureDP else math.sqrt(n)) / 50
    scales = np.broadcast_to(of_guarantee if scale is None else scale, 600)
    draws, logs, expected = rng_for(0, "digits"), [np.zeros((repetitions, n))], []
    for t in range(700):
        noisy.update(np.zeros(n))
        logs.append(np.log(noisy.weights))
        drawn = noise_of("laplace" if kind is PureDP else "gaussian", draws, (repetitions, n))
        expected.append(eta * scales[min(t, 599)] * drawn)
    moves = np.diff(logs, axis=0), np.array(expected)
    np.testing.assert_allclose(
        *(part - part.mean(axis=2, keepdims=True) for part in moves), rtol=0, atol=1e-9
    )


class Ends:
    """A generator whose draws are the ends of its range, and the middle."""

    def random(self, shape):
        return np.resize([0.0, 0.5, 1 - 2.0**-53, 0.5 - 2.0**-53], shape)


def test_laplace_noise_is_finite_and_symmetric_to_the_last_bit():
    least, middle, largest, below = noisy_fixed_share._laplace((4,), Ends())
    assert largest == -least == 53 * math.log(2)
    assert 0 < middle == -below < 1e-15
    assert largest <= noisy_fixed_share._LARGEST_LAPLACE


def test_the_guarantee_is_that_of_the_whole_vector():
    assert share(20, 1 / 0.5).guarantee == PureDP(10.0, "central")  # as printed for epsilon = 1/2
    assert share(20, 20 / 0.5).guarantee == PureDP(0.5, "central")
    assert share(20, 0.0).guarantee == PureDP(math.inf, "central")
    gaussian = share(20, GaussianDP(0.5, "central").noise_scale(math.sqrt(20)), "gaussian").guarantee
    assert isinstance(gaussian, GaussianDP)
    assert (gaussian.mu, gaussian.model, gaussian.simulated) == (pytest.approx(0.5), "central", True)
    assert share(20, 0.0, "gaussian").guarantee == GaussianDP(math.inf, "central")
    for asked in (PureDP(0.7, "central"), GaussianDP(0.7, "central"), PureDP(math.inf, "central")):
        derived = NoisyFixedShare(3, asked, horizon=10, switches=1, eta=0.1, rng=0).guarantee
        assert derived == asked
        assert derived.simulated
    scales = np.linspace(50.0, 40.0, 64)  # the round with the least noise says what is promised
    assert [share(20, scales, law, horizon=64).guarantee for law in ("laplace", "gaussian")] == [
        PureDP(0.5, "central"),
        GaussianDP(math.sqrt(20) / 40, "central"),
    ]


def test_steps_and_bounds_in_numbers():
    level = math.log(1000)
    assert printed_step(10, 100, 4, 0.5) == pytest.approx(0.1 / math.sqrt(level))
    assert regret_bound(10, 100, 4, 0.1, 2.0) == pytest.approx(80 * level + 640 * level**2 + 64 * level + 1)
    assert regret_bound(10, 100, 4, 0.1, 2.0, (10, 4)) == pytest.approx(
        80 * level + 400 * level**2 + 32 * level + 1
    )
    assert sharper_bound(10, 100, 4, 0.1, 2.0) == pytest.approx(50 * math.log(250) + 90 + 5)
    assert share_floor(10, 100, 4) == 0.004


@each(
    ("arguments", "message"),
    [
        ({"switches": -1}, "fixed share: switches = -1: write a whole number"),
        ({"switches": 11}, "fixed share: switches = 11: write a whole number from 0 to the horizon 10"),
        ({"eta": -0.1}, "fixed share: eta = -0.1: write a number from 0 to 500"),
        ({"eta": 501.0, "scale": 1.0}, "fixed share: eta = 501"),
        ({"scale": -1.0}, "noisy fixed share: noise_scale = -1"),
        ({"scale": math.nan}, "noisy fixed share: noise_scale = nan"),
        ({"scale": 1e301, "law": "gaussian"}, "noisy fixed share: noise_scale = 1e[+]301"),
        ({"scale": [1.0, math.inf], "horizon": 2}, "noisy fixed share: noise_scale = inf"),
        ({"scale": [1.0, 1.0]}, "noisy fixed share: 2 noise scales for 10 rounds; give one for each"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, message):
    with pytest.raises(InputError, match=f"^{message}"):
        share(3, **arguments)


@each(
    ("guarantee", "scale", "message"),
    [
        (PureDP(0.7, "central"), 0.999 * 3 / 0.7, r"the settings promise .*, not 0\.7-DP"),
        (GaussianDP(0.7, "central"), 0.999 * 3**0.5 / 0.7, r"the settings promise .*, not 0\.7-GDP"),
        (GaussianDP(0.0, "central"), None, "privacy level 0: no finite noise attains it"),
        (ApproximateDP(1.0, 1e-6, "central"), None, r".* write GaussianDP\.from_epsilon_delta\(epsilon=1"),
    ],
)
def test_a_guarantee_that_is_not_kept_or_is_of_no_such_noise_is_refused(guarantee, scale, message):
    setting = {"horizon": 10, "switches": 1, "eta": 0.1, "rng": rng_for(0, "unused")}
    with pytest.raises(InputError, match=f"^noisy fixed share: {message}"):
        NoisyFixedShare(3, guarantee, noise_scale=scale, **setting)


class OneByOne:
    """An algorithm without a way to play many rounds at once."""

    def __init__(self, algorithm):
        self.predict, self.update = algorithm.predict, algorithm.update


@each("n", [34, 36, 58, 77])
def test_the_first_of_many_rounds_sums_the_one_row_of_weights_that_it_has_alone(n):
    """Sums of several rows may round otherwise, as uniform numbers at the end of an expert's share show."""

    class Borders(np.random.Generator):
        def random(self, size=None, dtype=np.float64, out=None):
            return np.resize(1 - np.arange(1, n + 1) / n, size)

    def opened():
        rng = Borders(np.random.PCG64(1))
        return FixedShare(n, horizon=9, switches=1, eta=0.1, rng=rng, repetitions=n)

    gains = rng_for(1, "own rows").random((9, n, n))
    np.testing.assert_array_equal(opened().play_unchecked(gains), play(OneByOne(opened()), gains))


def test_what_is_derived_from_it_or_written_over_it_is_not_passed_over():
    class First(FixedShare):
        def predict(self):
            return np.zeros(2, dtype=np.intp)

    class Still(FixedShare):
        def tilt(self, factors):
            assert factors.shape == (2,)

    leader = Still(2, horizon=200, switches=0, eta=5.0, rng=rng_for(0, "tilt"))
    # it learns nothing; else it were all but 1
    assert play(leader, np.tile([0.0, 1.0], (200, 1))).mean() < 0.75
    setting = {"horizon": 9, "switches": 1, "eta": 0.0, "repetitions": 2}
    given = FixedShare(50, rng=rng_for(0, "given"), **setting)
    given.predict = lambda: np.ones(2, dtype=np.intp)
    assert (play(given, np.zeros((9, 50))) == 1).all()
    assert (play(First(50, rng=rng_for(0, "derived"), **setting), np.zeros((9, 50))) == 0).all()


@each("noisy", [False, True])
@each("rows", [False, True])
def test_laws_of_many_rounds_are_the_weights_before_each_of_them(noisy, rows):
    def opened():
        setting = {"horizon": 1400, "switches": 1, "eta": 0.02, "rng": rng_for(3, "laws"), "repetitions": 20}
        return NoisyFixedShare(3, PureDP(20.0, "central"), **setting) if noisy else FixedShare(3, **setting)

    gains, one_by_one = rng_for(4, "laws").random((1400, 20, 3) if rows else (1400, 3)), opened()
    together, seen = opened(), 0
    for weights in together.laws(gains):
        for law, each_gain in zip(weights, gains[seen : seen + len(weights)], strict=True):
            np.testing.assert_array_equal(law, np.broadcast_to(one_by_one.weights, law.shape))
            one_by_one.update(each_gain)
        seen += len(weights)
    assert seen == 1400
    np.testing.assert_array_equal(together.predict(), one_by_one.predict())
