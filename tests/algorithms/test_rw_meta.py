import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from private_experts.algorithms import RWFTPL, RWMeta
from private_experts.games import play, private_reports
from private_experts.learners import LinearFilters, Recorded, TotalsLeader, trend_weights
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.drawn_samples import attack_points
from tests.algorithms.dense_rw_meta import (
    FALSE_ALARM,
    LOCAL,
    PAPER,
    VARIANTS,
    dense_less_shift,
    dense_level,
    dense_sigma,
    every_variant,
    rng,
)
from tests.each import each
from tests.noisy import OPEN, report_of, reports_of


class Silent(np.random.Generator):
    """A generator whose normal draws are all 0."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def standard_normal(self, shape):
        return np.zeros(shape)


@pytest.mark.parametrize("decorrelation", VARIANTS.values(), ids=VARIANTS.keys())
@settings(deadline=None, max_examples=10, derandomize=True)
@given(data=st.data())
def test_totals_and_sigma_are_the_sums_of_what_the_learners_were_told(decorrelation, data):
    """Where copies agree, or not, on reports with one scale, none, or one for each expert."""
    rounds, m, repetitions, n = (data.draw(st.integers(1, top)) for top in (6, 4, 3, 4))
    drawn = data.draw(hnp.arrays(np.int64, (rounds, m, repetitions), elements=st.integers(0, n - 1)))
    random = rng("sums", data.draw(st.integers(0, 9)))
    reports = random.normal(size=(rounds, repetitions, n))
    scales = random.uniform(0.1, 2, (rounds, n))
    one_scale = scales[:, 0] * random.integers(0, 2, rounds)
    for actions, etas in (
        (drawn, one_scale),
        (np.broadcast_to(drawn[..., :1], drawn.shape), scales),
        (drawn, scales),
    ):
        meta = RWMeta([Recorded(actions)], OPEN, rng=Silent(), decorrelation=decorrelation)
        for t in range(rounds):
            followed = meta.predict()
            for r in range(repetitions):
                totals = [sum(reports[s, r, actions[s, i, r]] for s in range(t)) for i in range(m)]
                np.testing.assert_allclose(meta.totals[r], totals, rtol=0, atol=1e-12)
                np.testing.assert_allclose(
                    meta.sigma[r], dense_sigma(actions[:t, :, r], etas[:t]), atol=1e-12
                )
                assert followed[r] == actions[t, int(np.argmax(totals)), r]  # nothing but the totals decides
            meta.update(report_of(reports[t], etas[t]))


class Fickle:
    """A learner that answers differently each time it is asked, and counts how often."""

    def __init__(self):
        self.predictions = 0
        self.values_seen = []

    def predict(self):
        self.predictions += 1
        return np.array([self.predictions % 3, (self.predictions + 1) % 3])

    def update(self, report):
        self.values_seen.append(report.values)


def test_learners_are_asked_once_a_round_however_often_the_choice_is():
    learner = Fickle()
    meta = RWMeta([learner], LOCAL, rng=rng("asked"))
    reports = rng("asked reports").normal(size=(4, 2, 3))
    total = np.zeros(2)
    for t, report in enumerate(reports, start=1):
        expected = [t % 3, (t + 1) % 3]
        for _ in range(t - 1):  # in the first round not even once before the update
            np.testing.assert_array_equal(meta.predict(), expected)
        meta.update(report_of(report))
        total += report[[0, 1], expected]
        assert learner.predictions == t
    np.testing.assert_allclose(meta.totals[:, 0], total)
    np.testing.assert_array_equal(learner.values_seen, reports)


def test_learners_of_any_number_are_stacked_in_order():
    one = Recorded(np.array([[4, 5]] * 2))  # (T, repetitions): a single learner
    three = Recorded(np.array([[[0, 0], [1, 1], [2, 2]]] * 2))
    meta = RWMeta([one, three], LOCAL, rng=Silent(), decorrelation=PAPER)
    first = np.arange(12.0).reshape(2, 6)
    assert meta.predict().tolist() == [4, 5]
    meta.update(report_of(first))
    np.testing.assert_array_equal(meta.totals, [[4, 0, 1, 2], [11, 6, 7, 8]])
    assert meta.predict().tolist() == [4, 5]


def test_learners_play_as_they_would_alone():
    reports = SimulatedNoise(rng("alone")).perturb(np.zeros(4), 1.0, 30).reshape(10, 3, 4)
    z_0 = SimulatedNoise(rng("z_0")).perturb(np.zeros(4), 1.0, 3)

    def learners():
        bank = LinearFilters(trend_weights, [(2, 0.1), (5, 1.0)], report_of(z_0))
        return bank, RWFTPL(4, LOCAL, noise_scale=1.0, noise=SimulatedNoise(rng("z_0")), repetitions=3)

    bank, follower = learners()
    kept = []
    for report in reports:
        kept.append(np.vstack([bank.predict(), follower.predict()]))
        bank.update(report_of(report))
        follower.update(report_of(report))
    live = RWMeta(learners(), LOCAL, rng=rng("choice"))
    replayed = RWMeta([Recorded(np.array(kept))], LOCAL, rng=rng("choice"))
    np.testing.assert_array_equal(play(live, reports_of(reports)), play(replayed, reports_of(reports)))
    np.testing.assert_array_equal(live.sigma, replayed.sigma)


def totals_of_the_first(m):
    """Return what the first of m learners knows after a game."""
    gains = rng("gains").integers(0, 2, (60, 3)).astype(float)
    noises = [SimulatedNoise(rng("first noise", number)) for number in range(m)]
    learners = [RWFTPL(3, LOCAL, noise_scale=1.0, noise=noise, repetitions=20) for noise in noises]
    meta = RWMeta(learners, LOCAL, rng=rng("choice", m))
    play(meta, private_reports(gains, LOCAL, 1.0, SimulatedNoise(rng("reports")), 20))
    return learners[0].total


@each("m", [2, 13])
def test_what_a_learner_knows_does_not_depend_on_how_many_there_are(m):
    """Learners share the reports, so more of them cost no privacy. [000, Section 3.2]"""
    alone, among = totals_of_the_first(1), totals_of_the_first(m)
    np.testing.assert_array_equal(among, alone)
    assert np.ptp(alone, axis=0).min() > 0  # and it is noisy


def reference_choices(gains, actions, scales, decorrelation, random, repetitions):
    """RW-Meta as printed, with dense matrices: the learner chosen in the last round, by repetition."""
    rounds, m = actions.shape
    totals, sigma = np.zeros((repetitions, m)), np.zeros((m, m))
    for t in range(rounds - 1):
        noisy = gains[t] + random.normal(0, scales[t], (repetitions, gains.shape[1]))
        X = np.zeros((m, gains.shape[1]))
        X[np.arange(m), actions[t]] = 1
        totals += noisy @ X.T
        sigma += scales[t] ** 2 * X @ X.T
    projected = dense_less_shift(sigma, decorrelation.projection)
    extra = dense_level(sigma, decorrelation, rounds) * np.eye(m) - projected
    y = random.multivariate_normal(np.zeros(m), extra, repetitions, method="eigh", check_valid="ignore")
    return np.argmax(totals + y, axis=1)


@every_variant
def test_the_chosen_learner_has_the_law_of_a_plain_one_repetition_reference(decorrelation):
    gains = np.array([[0.9, 0.1, 0.5, 0.0], [0.2, 0.8, 0.0, 0.6], [1.0, 0.4, 0.3, 0.0], [0.0] * 4])
    # at last, an action names a learner
    actions = np.array([[0, 0, 1, 0], [1, 1, 1, 3], [0, 2, 2, 1], [0, 1, 2, 3]])
    scales, repetitions = [0.5, 1.5, 0.8, 1.0], 20_000
    meta = RWMeta(
        [Recorded(np.repeat(actions[:, :, None], repetitions, axis=2))],
        LOCAL,
        rng=rng("law"),
        decorrelation=decorrelation,
    )
    noise = SimulatedNoise(rng("law reports"))
    chosen = play(meta, private_reports(gains, LOCAL, scales, noise, repetitions))[-1]
    random = rng("reference")
    reference = reference_choices(gains, actions, scales, decorrelation, random, repetitions)
    counts = [np.bincount(chosen, minlength=4), np.bincount(reference, minlength=4)]
    assert np.min(counts) > 20
    assert stats.chi2_contingency(counts).pvalue > FALSE_ALARM


def test_to_follow_an_expert_that_sees_true_gains_betrays_them():
    """Learners that see reports alone keep their level; one that sees the gains gives a datum away."""
    copies = 4000

    class Seer:
        """Names the expert that earned most in the round before, from the true gains."""

        shape = copies, 2

        def __init__(self, gains):
            self.leaders = iter([0, *gains.argmax(axis=1).tolist()])
            self.action = next(self.leaders)

        def predict(self):
            return np.full(copies, self.action)

        def update(self, report):
            self.action = next(self.leaders)

    def level(sees):
        sides = []
        for seed, datum in enumerate(([1.0, 0.0], [0.0, 1.0])):
            gains, guarantee = np.array([datum, [0.5, 0.5]]), GaussianDP(1.0, "local")
            start = Reports(np.zeros((copies, 2)), guarantee, np.sqrt(2))
            learners = [TotalsLeader(start), *([Seer(gains)] if sees else [])]
            meta = RWMeta(learners, guarantee, rng=rng_for(seed, "choice"))
            noise = SimulatedNoise(rng_for(seed, "reports"))
            sides.append(play(meta, private_reports(gains, guarantee, np.sqrt(2), noise, copies))[1])
        allowed, _ = attack_points({}, *sides, GaussianDP(1.0, "local"), least=0)
        return decide([allowed])

    assert level(sees=False) != "fails"
    assert level(sees=True) == "fails"
