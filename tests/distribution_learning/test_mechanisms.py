"""Properties that all mechanisms and learners share, and properties of each."""

import math
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from private_experts.distribution_learning import (
    AskComparison,
    CentredCoordinate,
    HadamardResponse,
    LabelReports,
    Mechanism,
    NoisyCoordinate,
    NoisyVector,
    RandomizedResponse,
    ResponsePosterior,
    SignDesign,
    SubsetSelection,
    label_sets,
)
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.label_composition import advanced, coordinate_level
from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p003.classes import dirichlet
from tests.each import each

K, M, T = 3, 5, 40
pure = partial(PureDP, model="local")
approximate = partial(ApproximateDP, delta=1e-5, model="local")
CLASSES = dirichlet(K * T, M, 0.7, rng_for(0, "mechanisms")).reshape(T, K, M)
Maker = Callable[..., Any]


def maker(kind: Maker, guarantee: Maker = pure, epsilon: float = 2.0, **given: Any) -> Maker:
    return lambda horizon=T, level=epsilon: kind(K, guarantee(level), horizon=horizon, **given)


MAKE: dict[str, Maker] = {
    "algorithm 1": maker(NoisyVector, approximate),
    "algorithm 1 as printed": maker(NoisyVector, approximate, rate="printed"),
    "algorithm 2": maker(NoisyCoordinate),
    "centred reports": maker(CentredCoordinate),
    "randomised response": maker(RandomizedResponse, labels=M),
    "posterior": maker(ResponsePosterior, labels=M),
    "subset selection": maker(SubsetSelection, epsilon=1.0, labels=M),
    "Hadamard response": maker(HadamardResponse, labels=M),
    "sign design": maker(SignDesign, labels=M),
}
everyone = each("name", MAKE)


def predictions(mechanism: Mechanism, classes: np.ndarray, seed: int = 0, repetitions: int = 4) -> np.ndarray:
    """Return what a learner predicts in each round; labels do not depend on the classes."""
    learner, rng, predicted = mechanism.learner(repetitions), rng_for(seed, "predictions"), []
    for distributions in classes:
        predicted.append(learner.predict(distributions))
        learner.update(mechanism.privatize(rng.integers(M, size=repetitions), distributions, rng))
    return np.stack(predicted)


@everyone
def test_predictions_are_distributions_and_start_from_equal_weights(name: str) -> None:
    predicted = predictions(MAKE[name](), CLASSES)
    assert predicted.shape == (T, 4, M)
    np.testing.assert_allclose(predicted.sum(axis=-1), 1.0, rtol=1e-12)
    assert (predicted > 0).all()
    assert np.abs(predicted[0] - CLASSES[0].mean(axis=0)).max() < 2 / T
    assert np.ptp(predicted[-1], axis=0).max() > 0  # repetitions differ


@everyone
def test_nobody_looks_ahead(name: str) -> None:
    changed = CLASSES.copy()
    changed[20] = changed[20][::-1]
    before, after = (predictions(MAKE[name](), classes) for classes in (CLASSES, changed))
    assert (before[:20] == after[:20]).all()
    assert (before[20:] != after[20:]).any()


@everyone
def test_without_much_privacy_the_truth_is_learnt(name: str) -> None:
    horizon = 200
    table = np.eye(K, M) * 0.75 + 0.05  # each distribution has a label of its own
    mechanism = MAKE[name](horizon, 2000.0 if name.startswith("algorithm 1") else 100.0)
    learner, rng = mechanism.learner(8), rng_for(0, "learnt", name)
    for _ in range(horizon):
        labels = rng.choice(M, p=table[2], size=8)
        learner.predict(table)
        learner.update(mechanism.privatize(labels, table, rng))
    assert learner.majority.weights.mean(axis=0)[2] > 0.8


@everyone
def test_totals_of_many_rounds_have_the_law_of_sums(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_sets, "_AT_ONCE", 2**16)  # so that users are drawn in several lots
    mechanism, distributions, rounds, draws = MAKE[name](), CLASSES[0], 3, 20_000
    rng = rng_for(0, "totals", name)
    at_once, further = (
        mechanism.total_losses(np.full(draws, rounds), 1, distributions, rng) for _ in range(2)
    )
    learner = mechanism.learner(draws)
    for _ in range(rounds):
        learner.predict(distributions)
        learner.update(mechanism.privatize(rng.choice(M, p=distributions[1], size=draws), distributions, rng))
    one_by_one = learner.majority.total
    # Means, variances and the covariance of two coordinates, at six standard errors each: false alarm below
    # 1e-6.
    for moment in (
        lambda x: x,
        lambda x: (x - x.mean(axis=0)) ** 2,
        lambda x: (x - x.mean(axis=0))[:, :1] * (x - x.mean(axis=0))[:, 1:2],
    ):
        left, right = moment(at_once), moment(one_by_one)
        errors = np.sqrt((left.var(axis=0) + right.var(axis=0)) / draws)
        assert (np.abs(left.mean(axis=0) - right.mean(axis=0)) <= 6 * errors + 1e-12).all()
    assert (mechanism.total_losses(np.zeros(2, dtype=np.int64), 1, distributions, rng) == 0).all()
    # Further rounds are drawn anew: correlations within six standard errors, a false alarm below 1e-6.
    left, right = (x - x.mean(axis=0) for x in (at_once, further))
    most = 6 * np.sqrt((left**2).sum(axis=0) * (right**2).sum(axis=0) / draws)
    assert (np.abs((left * right).sum(axis=0)) <= most).all()


@each("name", ["algorithm 2", "centred reports"])
def test_a_user_alone_reports_any_coordinate(name: str) -> None:
    mechanism, rng, users = MAKE[name](), rng_for(0, "coordinates", name), 3000
    reports = [mechanism.privatize(np.array([0]), CLASSES[0], rng).values[0] for _ in range(users)]
    shares = (np.array(reports) != 0).mean(axis=0)
    # Six standard deviations of a share: a false alarm once in 10^8.
    assert np.abs(shares - 1 / K).max() < 6 * 0.5 / math.sqrt(users)


@each("level", [0.05, 5.0])
@each("size", [2, 9, 100])
@each("count", [1, 4000])
def test_reports_are_true_as_often_as_the_level_allows_to_the_digit(
    level: float, size: int, count: int
) -> None:
    given, users = {"labels": size, "horizon": T}, rng_for(0, "lies").random(count)
    users[0] = 0.0  # lies at every level
    labels, classes = np.zeros(count, dtype=np.intp), np.full((K, size), 1 / size)

    class Numbers:
        """A generator of given numbers; whoever lies names the next label, and all are asked of row 0."""

        def random(self, shape: Any) -> np.ndarray:
            return users if np.prod(shape) == users.size else rng_for(0, "keys").random(shape)

        def integers(self, low: int, high: int = 0, *, size: tuple[int, ...]) -> np.ndarray:
            return np.full(size, low if high else 0)

    def reports(kind: type, told: np.ndarray = labels) -> np.ndarray:
        return kind(K, pure(level), **given).privatize(told, classes, Numbers()).values

    lie = (size - 1) / (size - 1 + math.exp(level))
    np.testing.assert_array_equal(reports(RandomizedResponse), (users < lie).astype(np.intp))
    signs = reports(HadamardResponse, labels + (size - 1) // 2 * 2)  # of even labels they are positive
    np.testing.assert_array_equal(signs > 0, users < 1 / (1 + math.exp(level)))
    chosen = SubsetSelection(K, pure(level), **given).size
    inside = chosen * math.exp(level) / (chosen * math.exp(level) + size - chosen)
    np.testing.assert_array_equal(reports(SubsetSelection)[:, 0], users < inside)
    asked = np.broadcast_to(np.arange(size) % 2 == 0, (count, size))
    sets = SignDesign(K, pure(level), **given)._answered(asked, labels, Numbers())  # type: ignore[arg-type]
    np.testing.assert_array_equal(~sets[:, 0], users < 1 / (1 + math.exp(level)))


@each(("kind", "guarantee"), [(NoisyVector, approximate), (NoisyCoordinate, pure)])
@each("users", [1, 200])
def test_each_number_reported_has_noise_of_its_own_of_the_stated_scale_to_the_digit(
    kind: Any, guarantee: Maker, users: int
) -> None:
    experts = 40
    rng, other = (rng_for(0, "wide", kind.__name__) for _ in range(2))
    labels, classes = np.zeros(users, dtype=np.intp), np.full((experts, M), 1 / M)
    mechanism = kind(experts, guarantee(2.0), horizon=T)
    sent = mechanism.privatize(labels, classes, rng).values
    shown, size = np.ones((users, experts), dtype=bool), (users, experts)
    if kind is NoisyCoordinate:
        shown = other.integers(experts, size=users)[:, None] == np.arange(experts)
        size = (users,)
    clip(classes, T).draw(labels, other)  # into cells that all distributions give the same mass
    noise = other.laplace(scale=math.log((experts + 1) * T) / mechanism.scaling.level, size=size)
    found = sent[shown].reshape(size) / -mechanism.scaling.factor + mechanism.scaling.shift
    np.testing.assert_allclose(found, noise, atol=1e-9)
    assert (sent[~shown] == 0).all()


def test_comparisons_ask_about_each_distribution_as_often() -> None:
    experts, users = 40, 20_000
    asker = AskComparison(experts, pure(100.0), labels=experts, horizon=T)
    labels, flat = np.arange(users) % experts, np.full((users, experts), 1 / experts)
    answers = asker.privatize(labels, np.eye(experts), rng_for(0, "comparisons"), flat).values
    # Nobody lies: the set is that of the distribution asked about if the label is in it, and else the others.
    of_one = answers.sum(axis=1) == 1
    asked = np.where(of_one, answers.argmax(axis=1), (~answers).argmax(axis=1))
    assert stats.chisquare(np.bincount(asked, minlength=experts)).pvalue > 1e-6  # false alarm 1e-6


def test_what_is_drawn_without_a_look_at_the_label_is_any_of_many() -> None:
    size, experts, users = 100, 40, 40_000
    labels, classes = np.zeros(users, dtype=np.intp), np.full((experts, size), 1 / size)

    def reports(kind: type, **given: int) -> np.ndarray:
        rng = rng_for(0, "any of many", kind.__name__)
        return kind(experts, pure(0.5), horizon=T, **given).privatize(labels, classes, rng).values

    counts = {
        "other labels": np.bincount(reports(RandomizedResponse, labels=size), minlength=size)[1:],
        "rows": np.bincount(reports(HadamardResponse, labels=size) % 127, minlength=127),
        "labels of a set": reports(SubsetSelection, labels=size).sum(axis=0)[1:],
        "coordinates": (shown := reports(NoisyCoordinate) != 0).sum(axis=0),
    }
    assert (shown.sum(axis=1) == 1).all()
    for what, of_each in counts.items():
        assert of_each.sum() >= users / 2, what
        assert stats.chisquare(of_each).pvalue > 1e-6, what  # false alarm 1e-6


def test_algorithm_1_gives_less_than_half_of_the_epsilon_asked_for() -> None:
    few, many = (NoisyVector(experts, approximate(0.5), horizon=T).proved for experts in (K, 5000))
    level = coordinate_level(K, 0.5, 1e-5)
    assert (few.epsilon, few.delta) == (pytest.approx(K * level), 1e-5)
    assert many.epsilon == advanced(5000, coordinate_level(5000, 0.5, 1e-5), 1e-5)
    assert few.epsilon < many.epsilon < 0.25


def test_the_learning_rates_of_algorithm_1() -> None:
    proved, printed = (
        NoisyVector(K, approximate(1.0), horizon=T, rate=rate) for rate in ("proved", "printed")
    )
    assert proved.learning_rate == pytest.approx(math.sqrt(2 * math.log(K) / T))
    assert printed.learning_rate == pytest.approx(math.sqrt(2 * K * math.log(K) / T))
    assert proved.risk_bound < printed.risk_bound


def test_algorithm_2_reports_one_coordinate_and_algorithm_1_all() -> None:
    labels = np.arange(M)
    of_one, of_all = (
        MAKE[name]().privatize(labels, CLASSES[0], rng_for(0, "coordinates")).values
        for name in ("algorithm 2", "algorithm 1")
    )
    assert of_one.shape == of_all.shape == (M, K)
    assert ((of_one != 0).sum(axis=1) == 1).all()
    assert (of_all != 0).all()


def test_without_privacy_the_losses_are_the_clipped_log_likelihoods() -> None:
    # with so many rounds a label is hardly ever moved
    mechanism = NoisyCoordinate(K, pure(math.inf), horizon=10**9)
    clipped = clip(CLASSES[0], 10**9)
    labels = rng_for(0, "labels").integers(M, size=200)
    reports = mechanism.privatize(labels, CLASSES[0], rng_for(0, "no privacy")).values
    exact = -(np.log(clipped.values.T[labels]) + math.log(M)) / mechanism.scaling.width
    shown = reports != 0
    np.testing.assert_allclose(reports[shown], exact[shown], rtol=1e-9, atol=1e-12)


def test_the_channel_of_randomised_response_is_that_of_its_level() -> None:
    mechanism = RandomizedResponse(K, pure(1.0), labels=M, horizon=T)
    channel = mechanism.channel
    np.testing.assert_allclose(channel.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(channel / channel.min(), np.where(np.eye(M), math.e, 1.0), rtol=1e-12)
    assert mechanism.contrast == pytest.approx(1 - M * mechanism.flip / (M - 1), rel=1e-12)


@each("epsilon", [0.1, 8.0])
def test_randomised_response_s_losses_are_unbiased_and_in_the_unit_interval(epsilon: float) -> None:
    mechanism = RandomizedResponse(K, pure(epsilon), labels=M, horizon=T)
    losses = mechanism.losses(CLASSES[0])
    assert losses.min() >= -1e-12
    assert losses.max() <= 1 + 1e-12
    smoothed = (1 - 1 / T) * CLASSES[0] + 1 / (T * M)
    expected = mechanism.channel @ losses
    # shift and scale may be anything
    slopes = np.diff(expected, axis=1) / np.diff(-np.log(smoothed).T, axis=1)
    np.testing.assert_allclose(slopes, slopes[0, 0], rtol=1e-9)
    assert slopes[0, 0] > 0
    two = RandomizedResponse(2, pure(epsilon), labels=2, horizon=T)
    sure = two.losses(np.eye(2))  # a sure label is the extreme case
    assert sure.max() <= 1 + 1e-12
    assert np.ptp(sure) > 0.5


def test_centred_reports_are_those_of_algorithm_2() -> None:
    labels = rng_for(0, "same").integers(M, size=100)
    plain, ours = (kind(K, pure(0.5), horizon=T) for kind in (NoisyCoordinate, CentredCoordinate))
    one, other = (it.privatize(labels, CLASSES[0], rng_for(0, "reports")).values for it in (plain, ours))
    np.testing.assert_array_equal(one, other)
    assert ours.guarantee == plain.guarantee


def test_centring_leaves_the_log_likelihood_with_its_noise() -> None:
    mechanism, labels = CentredCoordinate(K, pure(1e7), horizon=T), np.arange(M)  # nearly without noise
    learner = mechanism.learner(M)
    learner.predict(CLASSES[0])
    reports = mechanism.privatize(labels, CLASSES[0], rng_for(0, "centring"))
    learner.update(reports)
    sent = reports.values
    logs, width = np.log(clip(CLASSES[0], T).values).T + math.log(M), mechanism.scaling.width
    nearest = np.abs(-learner.majority.total[sent != 0][:, None] - (logs.ravel() + width / 2)).min(axis=1)
    assert nearest.max() < 1e-4
    assert np.abs(learner.majority.total).max() <= width / 2 + 1e-4
    assert (learner.majority.total[sent == 0] == 0).all()


def test_the_rate_of_centred_reports_is_near_the_best_for_its_bound() -> None:
    mechanism = CentredCoordinate(K, pure(1.0), horizon=10**6)

    class Other(CentredCoordinate):
        factor = 1.0

        @property
        def learning_rate(self) -> float:
            return self.factor * super().learning_rate

    other = Other(K, pure(1.0), horizon=10**6)
    for factor in (0.9, 1.1):
        Other.factor = factor
        assert mechanism.risk_bound < other.risk_bound < 1.01 * mechanism.risk_bound
    assert CentredCoordinate(1, pure(1.0), horizon=T).risk_bound == 3 * math.log(2 * T)
    assert CentredCoordinate(50, pure(1.0), horizon=2).learning_rate == pytest.approx(0.5 / math.log(51 * 2))


RESPONSE = ResponsePosterior(K, pure(1.0), labels=M, horizon=T)
SUBSETS = SubsetSelection(K, pure(0.1), labels=M, horizon=T)
SETS = np.array([[True, False, False, True, False], [False, True, True, False, False]])


@each(
    ("mechanism", "reports", "chances"),
    [
        (RESPONSE, np.array([0, 2, 2]), RESPONSE.channel[:, [0, 2, 2]].T),
        (SUBSETS, SETS, np.where(SETS, math.exp(0.1), 1.0)),
    ],
)
def test_a_posterior_multiplies_the_weights_by_the_probabilities_of_reports(
    mechanism: Any, reports: np.ndarray, chances: np.ndarray
) -> None:
    learner, likelihood = mechanism.learner(), np.ones(K)
    for distributions, report, chance in zip(CLASSES, reports, chances, strict=False):
        learner.predict(distributions)
        learner.update(LabelReports(report[None], mechanism))
        likelihood *= distributions @ chance
    np.testing.assert_allclose(learner.majority.weights[0], likelihood / likelihood.sum())
    np.testing.assert_allclose(learner.predict(CLASSES[3])[0], learner.majority.weights[0] @ CLASSES[3])


@each("epsilon", [0.1, 1.0, 3.0])
def test_sets_are_drawn_as_often_as_they_should_be(epsilon: float) -> None:
    mechanism, users = SubsetSelection(K, pure(epsilon), labels=M, horizon=T), 20_000
    assert mechanism.size == {0.1: 2, 1.0: 1, 3.0: 1}[epsilon]
    kept = mechanism.size * math.exp(epsilon) / (mechanism.size * math.exp(epsilon) + M - mechanism.size)
    sets = np.array([[y in labels for y in range(M)] for labels in combinations(range(M), mechanism.size)])
    for label in range(M):
        drawn = mechanism.privatize(
            np.full(users, label), CLASSES[0], rng_for(0, "sets", label, epsilon)
        ).values
        shares = (drawn[:, None, :] == sets).all(axis=2).mean(axis=0)
        exact = np.where(sets[:, label], kept, 1 - kept)
        exact /= np.where(sets[:, label], sets[:, label].sum(), (~sets[:, label]).sum())
        assert shares.sum() == pytest.approx(1)
        assert (np.abs(shares - exact) < 6 * np.sqrt(exact / users)).all()  # a false alarm below 1e-6


def test_rows_and_signs_are_drawn_as_the_channel_says() -> None:
    mechanism, users = HadamardResponse(K, pure(1.0), labels=M, horizon=T), 20_000
    assert mechanism.channel.shape == (M, 14)
    np.testing.assert_allclose(mechanism.channel.sum(axis=1), 1.0)
    for label in range(M):
        reported = mechanism.privatize(np.full(users, label), CLASSES[0], rng_for(0, "signs", label)).values
        shares, exact = np.bincount(reported, minlength=14) / users, mechanism.channel[label]
        assert (np.abs(shares - exact) < 6 * np.sqrt(exact / users)).all()  # a false alarm below 1e-6


def test_sets_of_one_label_are_randomised_response() -> None:
    alone, response = (
        kind(K, pure(3.0), labels=M, horizon=T) for kind in (SubsetSelection, ResponsePosterior)
    )
    assert alone.size == 1
    assert alone.inclusion == pytest.approx(1 - response.flip)
    both = alone.losses(np.eye(M, dtype=bool), CLASSES[0]), response.losses(CLASSES[0])
    np.testing.assert_allclose(*map(np.diff, both))


def test_a_set_of_another_size_is_refused() -> None:
    mechanism = SubsetSelection(K, pure(0.1), labels=M, horizon=T)
    learner = mechanism.learner()
    learner.predict(CLASSES[0])
    for chosen in ([0], [0, 1, 2], []):
        with pytest.raises(InputError, match="write 2"):
            learner.update(LabelReports(np.isin(np.arange(M), chosen)[None], mechanism))
    assert (learner.majority.total == 0).all()


def test_the_bounds_of_sets_and_signs_have_the_root_of_the_labels_and_rounds() -> None:
    for kind in (SubsetSelection, HadamardResponse):
        base, longer, wider = (
            kind(16, pure(0.01), labels=labels, horizon=horizon).risk_bound
            for labels, horizon in ((128, 10**9), (128, 4 * 10**9), (512, 10**9))
        )
        assert longer == pytest.approx(2 * base)
        assert wider == pytest.approx(2 * base, rel=0.01)
        assert kind(16, pure(0.01), labels=128, horizon=100).risk_bound == 100 * math.log(16)
        assert kind(1, pure(700.0), labels=128, horizon=100).risk_bound == 0


def test_the_bound_of_the_posterior_is_log_k_without_lies_and_t_log_k_with_many() -> None:
    assert ResponsePosterior(K, pure(60.0), labels=M, horizon=T).risk_bound == pytest.approx(math.log(K))
    assert ResponsePosterior(K, pure(0.1), labels=M, horizon=T).risk_bound == T * math.log(K)


def test_sets_have_their_size_even_where_random_keys_are_equal() -> None:
    class Equal:
        def random(self, shape: int | tuple[int, int]) -> np.ndarray:
            return np.full(shape, 0.5)

    mechanism = SubsetSelection(2, pure(1.0), labels=9, horizon=T)
    reports = mechanism.privatize(np.array([0, 4]), np.full((2, 9), 1 / 9), Equal())  # type: ignore[arg-type]
    assert mechanism.size > 1
    assert reports.values.sum(axis=1).tolist() == [mechanism.size] * 2


@each("size", [3, 100])
def test_each_row_that_is_asked_has_its_lies(size: int) -> None:
    mechanism, users = HadamardResponse(K, pure(1.0), labels=size, horizon=T), 20_000
    rng = rng_for(0, "rows", size)
    labels = rng.integers(size, size=users)
    signs = mechanism._signs
    rows, minus = np.divmod(
        mechanism.privatize(labels, np.full((K, size), 1 / size), rng).values, signs.shape[1]
    )[::-1]
    true = (signs[labels, rows] < 0) == minus
    for few in (rows < signs.shape[1] // 2, rows >= signs.shape[1] // 2):
        lies = int((~true[few]).sum())
        assert stats.binomtest(lies, int(few.sum()), 1 / (1 + math.e)).pvalue > 1e-7
