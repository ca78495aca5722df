"""Fixed share, plain and noisy: the update, the noise's law, what is promised."""

import math

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import noisy_fixed_share
from private_experts.algorithms.central import at_once
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
from tests.algorithms.cases import PlacedDraws
from tests.algorithms.test_clipped_simplex import by_sorting
from tests.each import each

OPEN = {"laplace": PureDP(math.inf, "central"), "gaussian": GaussianDP(math.inf, "central")}


def share(n, scale=None, law="laplace", horizon=10, switches=1, eta=1.0, repetitions=1, rng=None):
    """Fixed share, which is noisy where a scale is given."""
    setting = {"horizon": horizon, "switches": switches, "eta": eta, "repetitions": repetitions}
    setting |= {"rng": rng_for(0, "unused") if rng is None else rng}
    return (
        FixedShare(n, **setting)
        if scale is None
        else NoisyFixedShare(n, OPEN[law], noise_scale=scale, **setting)
    )


def test_the_weights_follow_the_formula_round_by_round():
    gains = rng_for(1, "formula").random((40, 3))
    algorithm = share(3, horizon=40, switches=4, eta=0.7, repetitions=2)
    w = np.full(3, 1 / 3)
    for round_ in gains:
        np.testing.assert_allclose(algorithm.weights[0], w, rtol=1e-12)
        algorithm.update(round_)
        w = by_sorting(w * np.exp(-0.7 * (1 - round_)), 4 / 120)
    assert algorithm.guarantee == PureDP(math.inf, "central")


def test_repetitions_with_streams_of_their_own_are_single_games():
    gains = rng_for(1, "own streams").random((10, 3, 4))
    together = share(4, eta=2.0, repetitions=3)
    alone = [share(4, eta=2.0) for _ in range(3)]
    for round_ in gains:
        together.update(round_)
        for r, one in enumerate(alone):
            one.update(round_[r])
    np.testing.assert_allclose(together.weights, np.vstack([one.weights for one in alone]), rtol=1e-12)


@each("gains", [[1.0, 0.0], [1.0, 0.9], [0.1, 0.0], [0.5, 0.5]])
def test_the_largest_step_does_not_overflow(gains):
    for scale in (None, 0.0, 1e-3, 1e3, 1e6):
        copies = 1 if scale is None else 50
        algorithm = share(
            2, scale, horizon=30, switches=3, eta=500.0, repetitions=copies, rng=rng_for(1, "largest")
        )
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


@each("law", [None, "laplace", "gaussian"])
def test_permuted_experts_have_permuted_weights(law):
    """Experts are drawn from the weights by their numbers: a play is not permuted, but its law is."""
    order = np.array([3, 0, 4, 1, 2])

    def weights_of(gains, rng):
        algorithm = share(5, 2.0 if law else None, law, horizon=20, eta=0.5, repetitions=6, rng=rng)
        found = []
        for round_ in gains:
            algorithm.update(round_)
            found.append(algorithm.weights)
        return np.array(found)

    gains = rng_for(1, "permuted").random((20, 5))
    expected = weights_of(gains, rng_for(1, "draws"))[..., order]
    assert not np.allclose(expected[-1], expected[-1, ..., ::-1])
    found = weights_of(gains[:, order], PlacedDraws(rng_for(1, "draws"), np.argsort(order), 5))
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@each("own", [False, True])
def test_experts_are_drawn_with_the_weights_anew_each_round(own):
    weights = np.array([0.5, 0.2, 0.2999, 0.0001])
    algorithm = FixedShare(
        4, horizon=10, switches=0, eta=1.0, rng=rng_for(1, "draw", own), repetitions=100_000
    )
    algorithm.weights = np.tile(weights, (100_000 if own else 1, 1))
    first = algorithm.predict()
    algorithm.update(np.full(4, 0.5))
    second = algorithm.predict()
    law = np.outer(weights[:3], weights[:3])  # the last is too rare for a table of two rounds
    both = np.bincount(4 * first + second, minlength=16).reshape(4, 4)
    rest = 100_000 - both[:3, :3].sum()
    expected = 100_000 * np.append(law, 1 - law.sum())
    assert stats.chisquare(np.append(both[:3, :3], rest), expected).pvalue > 1e-6  # false alarm 1e-6
    counts = np.bincount(first, minlength=4)
    assert stats.chisquare(counts, 100_000 * weights).pvalue > 1e-6  # false alarm 1e-6


def test_the_tuned_step_makes_the_bound_least():
    eta = tuned_step(5, 1000, 3)
    least = dynamic_regret_bound(5, 1000, 3, eta)
    assert least == pytest.approx(2 * math.sqrt(4 * math.log(5000 / 3) * 500) + 3)
    assert least < min(dynamic_regret_bound(5, 1000, 3, factor * eta) for factor in (0.8, 1.25))


@each(("law", "ppf"), [("laplace", stats.laplace), ("gaussian", stats.norm)])
def test_the_noise_has_the_law_and_the_scale_that_were_asked_for(law, ppf):
    repetitions, scale, eta = 20_000, 3.0, 0.01
    algorithm = share(
        2, scale, law, switches=0, eta=eta, repetitions=repetitions, rng=rng_for(1, "noise", law)
    )
    algorithm.update(np.array([1.0, 0.0]))
    difference = np.diff(np.log(algorithm.weights), axis=1)[:, 0] / -eta - 1  # of two independent noises
    draws = ppf.rvs(scale=scale, size=(2, 400_000), random_state=np.random.default_rng(1))
    assert stats.ks_2samp(difference, draws[0] - draws[1]).pvalue > 1e-6  # false alarm 1e-6
    # 5 % less noise would pass that. Here the standard error is 1.3 % at most.
    assert difference.var() == pytest.approx(2 * ppf.var(scale=scale), rel=0.07)


@each("n", [2, 8])
@each("guarantee", [PureDP(2.0, "central"), GaussianDP(2.0, "central")])
def test_noise_in_play_has_its_scale_in_every_round_and_for_more_experts(guarantee, n):
    reach, law = (n, stats.laplace) if isinstance(guarantee, PureDP) else (math.sqrt(n), stats.norm)
    setting = {
        "horizon": 5,
        "switches": 0,
        "eta": 1e-3,
        "repetitions": 20_000,
        "rng": rng_for(1, "in play", n),
    }
    algorithm, before = NoisyFixedShare(n, guarantee, **setting), np.zeros((1, n))
    for _ in range(5):
        algorithm.update(np.zeros(n))
        after = np.log(algorithm.weights)
        differences = np.diff(after - before, axis=1) / 1e-3  # of the noise of neighbouring coordinates
        np.testing.assert_allclose(differences.var(axis=0), 2 * law.var(scale=reach / 2.0), rtol=0.07)
        before = after


@each(("law", "exact"), [("laplace", stats.laplace), ("gaussian", stats.norm)])
def test_every_coordinate_of_every_round_has_noise_of_its_own(law, exact):
    draw = {"laplace": noisy_fixed_share._laplace, "gaussian": noisy_fixed_share._gaussian}[law]
    noise = draw((200, 100, 10), rng_for(1, "one law", law))
    assert stats.kstest(noise.ravel(), exact.cdf).pvalue > 1e-6  # false alarm 1e-6
    # More than are drawn at once.
    algorithm = share(3, 1.0, law, switches=0, repetitions=4000, rng=rng_for(1, "rounds"))
    tilts = np.array([next(algorithm._exponents).copy() for _ in range(5)])
    contrasts = np.diff(tilts, axis=2).transpose(1, 0, 2).reshape(4000, 10)
    correlations = np.corrcoef(contrasts, rowvar=False)
    neighbours = np.kron(np.eye(5), [[1.0, -0.5], [-0.5, 1.0]])  # contrasts of one round share a coordinate
    assert np.abs(correlations - neighbours).max() < 5.5 / math.sqrt(4000)  # false alarm below 1e-5


class Ends:
    """A generator whose draws are the ends of its range, and the middle."""

    def random(self, shape):
        return np.resize([0.0, 0.5, 1 - 2.0**-53, 0.5 - 2.0**-53], shape)


@each("law", ["laplace", "gaussian"])
@each("repetitions", [1, 3])
@each("eta", [0.001, 1.0, 300.0])
def test_noise_has_its_scale_in_every_round_to_the_digit(law, repetitions, eta):
    rounds, draw = 700, {"laplace": noisy_fixed_share._laplace, "gaussian": noisy_fixed_share._gaussian}[law]
    # Of all rounds, or of each within the horizon: the first and the last of those drawn together are alike.
    for scale in (0.7, 0.5 + np.arange(600) % 399 / 300):
        made = {"law": law, "horizon": 600, "eta": eta, "repetitions": repetitions}
        noisy = share(40, scale, rng=rng_for(0, "digits"), **made)
        parts = [noisy._drawn_exponents((part, repetitions, 40)) for part in (400, rounds - 400)]
        drawn = np.concatenate(parts)
        scales = np.resize(scale, 600)[np.minimum(np.arange(rounds), 599)][:, None, None]
        noise = eta * scales * draw((rounds, repetitions, 40), rng_for(0, "digits"))
        # What all experts share does not change the weights.
        np.testing.assert_allclose(
            drawn - drawn.max(axis=2, keepdims=True), noise - noise.max(axis=2, keepdims=True), rtol=1e-9
        )


@each("shape", [(3, 2, 40), (9, 70, 5)])
def test_each_number_drawn_has_its_law_to_the_digit(shape):
    rng, other = (rng_for(0, "each number") for _ in range(2))
    for _ in range(70):
        u = other.random(shape)
        np.testing.assert_allclose(
            noisy_fixed_share._laplace(shape, rng), stats.laplace.ppf(u), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_array_equal(noisy_fixed_share._gaussian(shape, rng), other.normal(size=shape))


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
    ("arguments", "word"),
    [
        ({"switches": -1}, "switches"),
        ({"switches": 11}, "switches"),
        ({"eta": -0.1}, "eta"),
        ({"eta": 501.0}, "eta"),
        ({"eta": math.nan}, "eta"),
    ],
)
def test_what_is_out_of_range_is_refused(arguments, word):
    with pytest.raises(InputError, match=word):
        share(3, **arguments)


@each("noise_scale", [math.inf, math.nan, 1e301, np.array([1.0, math.inf])])
@each("noise", ["laplace", "gaussian"])
def test_noise_without_a_finite_scale_is_refused(noise, noise_scale):
    with pytest.raises(InputError, match=r"noise_scale = .*: write a number from 0 to 1e"):
        share(3, noise_scale, noise, horizon=2)


@each("noise", ["laplace", "gaussian"])
def test_the_largest_noise_and_step_leave_weights_that_are_numbers(noise):
    algorithm = share(3, 1e300, noise, horizon=9, eta=500.0, repetitions=500, rng=rng_for(0, "large"))
    for _ in range(9):
        algorithm.update(np.zeros(3))
        np.testing.assert_allclose(algorithm.weights.sum(axis=1), 1.0)


def test_whether_the_largest_entry_is_subtracted_from_modest_noise_changes_no_weight(monkeypatch):
    found = []
    for modest in (100.0, 0.0):
        monkeypatch.setattr(noisy_fixed_share, "_MODEST", modest)
        algorithm = share(5, 4.0, horizon=9, eta=0.5, rng=rng_for(0, "modest"))
        assert algorithm._modest == (modest > 0)
        for gains in np.eye(5):
            algorithm.update(gains)
        found.append(algorithm.weights)
    np.testing.assert_allclose(*found, rtol=1e-12)


@each(("scales", "modest"), [([0.0, 2.7], True), ([0.0, 2.8], False), ([0.0, 1e6], False)])
def test_the_largest_noise_that_there_is_leaves_weights_that_are_numbers(scales, modest, monkeypatch):
    """Laplace noise of scale 1 is at most 53 log 2."""
    signs = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]])
    monkeypatch.setattr(
        noisy_fixed_share,
        "_laplace",
        lambda shape, rng: np.resize(53 * np.log(2) * signs, (shape[0], 1, 3)).copy(),
    )
    algorithm = share(3, scales, horizon=2, rng=rng_for(0, "largest"))
    assert algorithm._modest == modest
    for gains in np.eye(3)[:2]:
        algorithm.update(gains)
        np.testing.assert_allclose(algorithm.weights.sum(), 1.0)


def test_noise_that_does_not_exist_is_refused():
    setting = {"horizon": 10, "switches": 1, "eta": 0.1, "rng": rng_for(0, "unused")}
    with pytest.raises(InputError, match="noise_scale"):
        NoisyFixedShare(3, OPEN["laplace"], noise_scale=-1.0, **setting)
    with pytest.raises(
        InputError,
        match=r"for; write GaussianDP\.from_epsilon_delta\(epsilon=1\.0, delta=1e-06, model='central'\)$",
    ):
        NoisyFixedShare(3, ApproximateDP(1.0, 1e-6, "central"), **setting)
    with pytest.raises(InputError, match="privacy level 0"):
        NoisyFixedShare(3, GaussianDP(0.0, "central"), **setting)


@each("guarantee", [PureDP(0.7, "central"), GaussianDP(0.7, "central"), PureDP(math.inf, "central")])
def test_the_noise_follows_from_the_guarantee_and_less_is_refused(guarantee):
    setting = {"horizon": 10, "switches": 1, "eta": 0.1, "rng": rng_for(0, "unused")}
    derived = NoisyFixedShare(3, guarantee, **setting)
    assert derived.guarantee == guarantee
    assert derived.guarantee.simulated
    reach = math.sqrt(3) if isinstance(guarantee, GaussianDP) else 3
    np.testing.assert_allclose(
        derived._scales, 0.1 * reach * (1 / 0.7 if guarantee != OPEN["laplace"] else 0.0)
    )
    if guarantee != OPEN["laplace"]:
        with pytest.raises(InputError, match=r"^noisy fixed share: the settings promise .*, not 0\.7-"):
            NoisyFixedShare(3, guarantee, noise_scale=0.999 * reach / 0.7, **setting)


class OneByOne:
    """An algorithm without a way to play many rounds at once."""

    def __init__(self, algorithm):
        self.predict, self.update = algorithm.predict, algorithm.update


@each("law", [None, "laplace", "gaussian"])
@each("own", [False, True])
@each(("repetitions", "n", "early"), [(40, 50, 1), (1000, 3, 0)])
def test_many_rounds_at_once_are_the_rounds_one_by_one_to_the_last_bit(law, own, repetitions, n, early):
    horizon = 45  # noise is ready for 16 rounds, or for 10 and uniform numbers for 32
    gains = rng_for(1, "at once").random((horizon, repetitions, n) if own else (horizon, n))

    def opened():
        rng, scale = rng_for(1, "share", law, own), 2.0 if law else None
        algorithm = share(n, scale, law, horizon, switches=3, eta=0.3, repetitions=repetitions, rng=rng)
        for _ in range(early):
            algorithm.predict()  # now the rounds at once begin in the middle of what was drawn
        return algorithm

    together, alone = opened(), opened()
    assert at_once(together) is not None
    actions = play(together, gains)
    np.testing.assert_array_equal(actions, play(OneByOne(alone), gains))
    np.testing.assert_array_equal(together.weights, alone.weights)
    np.testing.assert_array_equal(together.predict(), alone.predict())
    assert (actions[1:] != actions[:-1]).any(axis=0).all()


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
        setting = {"horizon": 3000, "switches": 1, "eta": 0.02, "rng": rng_for(3, "laws"), "repetitions": 20}
        return NoisyFixedShare(3, PureDP(20.0, "central"), **setting) if noisy else FixedShare(3, **setting)

    gains, one_by_one = rng_for(4, "laws").random((3000, 20, 3) if rows else (3000, 3)), opened()
    together, seen = opened(), 0
    for weights in together.laws(gains):
        for law, each_gain in zip(weights, gains[seen : seen + len(weights)], strict=True):
            np.testing.assert_array_equal(law, np.broadcast_to(one_by_one.weights, law.shape))
            one_by_one.update(each_gain)
        seen += len(weights)
    assert seen == 3000
    np.testing.assert_array_equal(together.predict(), one_by_one.predict())
