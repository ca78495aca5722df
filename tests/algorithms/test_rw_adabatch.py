import numpy as np
import pytest

from private_experts.algorithms import RWFTPL, RWAdaBatch, simulate_batches
from private_experts.errors import InputError
from private_experts.games import play, private_reports
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise, compose, privacy_report
from private_experts.privacy.gaussian_mechanism import delta as gaussian_delta
from private_experts.privacy.gaussian_mixtures import mixture_epsilon
from private_experts.randomness import rng_for
from private_experts.saving import load_state_dict, state_dict
from private_experts.walks import LeadTolerance, compute_delay, proxy_survival
from private_experts.walks.gap import leading_gap
from tests.each import each
from tests.laws import two_samples
from tests.noisy import report_of, reports_of

LOCAL = GaussianDP(1.0, "local")
FALSE_ALARM = 1e-6


def simulated(*key):
    return SimulatedNoise(rng_for(0, "test rw-adabatch", *key))


def algorithm(n, eta=1.0, repetitions=1):
    return RWAdaBatch(n, LOCAL, noise_scale=eta, noise=simulated("z_0"), repetitions=repetitions)


class Eighths:
    """Noise whose sums are exact: the order of summation cannot show in them."""

    def __init__(self, *key):
        self.rng = rng_for(0, "test rw-adabatch", *key)

    def perturb(self, values, scale, repetitions):
        noise = np.round(8 * scale * self.rng.standard_normal((repetitions, values.shape[-1]))) / 8
        return values + noise


def values_of(rounds, n, repetitions=1, eta=1.0, gains=None, key="reports"):
    gains = np.zeros((rounds, n)) if gains is None else gains
    reports = private_reports(gains, LOCAL, eta, Eighths(key, rounds, n), repetitions)
    return np.array([report.values for report in reports])


def run(reports, eta=1.0, note=None, **options):
    """Play with a state of eighths; return actions and the algorithm."""
    _, repetitions, n = reports.shape
    player = RWAdaBatch(n, LOCAL, noise_scale=eta, noise=Eighths("z_0"), repetitions=repetitions, **options)
    return play(player, reports_of(reports, eta), note=note), player


def leading(rounds, n):
    """True gains of a stream with long batches: the first expert gains all."""
    return np.tile(np.eye(n)[0], (rounds, 1))


TURNS = np.eye(3)[np.arange(400) // 40 % 3]  # the best expert changes within long batches


BATCHES = [  # gains, copies and options
    (leading(400, 3), 1, {}),
    (leading(400, 3), 7, {}),
    (TURNS, 7, {"alpha": 2.0, "rho": 0.0}),
    (leading(150, 3), 7, {"rule": "sharper"}),
    (leading(150, 3), 7, {"rule": "exact"}),
    (leading(60, 3), 7, {"horizon": 60}),
    (leading(1, 3), 7, {"horizon": 1}),
]


@each(("gains", "repetitions", "options"), BATCHES)
def test_batches_are_what_compute_delay_says_of_the_totals_at_their_beginning(gains, repetitions, options):
    """Or what another rule says, up to the horizon. Until a batch ends, its reports are not in the totals."""
    (rounds, n), eta, seen = gains.shape, 0.6, []
    reports = values_of(rounds, n, repetitions, eta, gains)
    z_0 = Eighths("z_0").perturb(np.zeros(n), eta, repetitions)
    totals = np.concatenate([z_0[None], z_0 + reports.cumsum(axis=0)])
    actions, player = run(reports, eta, note=lambda it: seen.append(it.total.copy()), **options)
    sizes, during = player.containing_sizes(), np.array(seen)
    assert sizes.shape == (rounds, repetitions)
    alpha, rho, rule = (
        options.get(name, usual) for name, usual in (("alpha", 0.01), ("rho", 1.0), ("rule", None))
    )
    for r in range(repetitions):
        start, begun = 0, []
        while start < rounds:
            gap = leading_gap(totals[start, r])
            if rule:
                size = LeadTolerance(rule, eta, n, alpha, rho).sizes(np.array([gap]), start)[0]
            else:
                size = compute_delay(gap, eta, n, alpha, start, rho)
            size = min(int(size), options.get("horizon", 10**9) - start)
            begun.append([r, start, size])
            batch = slice(start, start + size)
            assert np.all(sizes[batch, r] == size)
            assert np.all(actions[batch, r] == totals[start, r].argmax())
            assert np.all(during[batch, r] == totals[start, r])
            start += size
        assert player.batches[player.batches[:, 0] == r].tolist() == begun
    assert player.batches[:, 2].max() > min(20, rounds - 1)
    if "horizon" in options:  # all batches have ended
        np.testing.assert_array_equal(player.total, totals[-1])


def test_who_never_asks_has_the_batches_of_who_does():
    reports = values_of(60, 3, gains=leading(60, 3))
    _, asked = run(reports)
    silent = RWAdaBatch(3, LOCAL, noise_scale=1.0, noise=Eighths("z_0"))
    for report in reports_of(reports):
        silent.update(report)
    np.testing.assert_array_equal(silent.batches, asked.batches)
    np.testing.assert_array_equal(silent.total, asked.total)


def test_of_varying_scales_z_0_takes_the_first_and_batches_the_largest():
    scales = [0.5, 3.0, 0.25]
    player = RWAdaBatch(2, LOCAL, noise_scale=iter(scales), noise=simulated("scales"), repetitions=100)
    np.testing.assert_array_equal(player.total, simulated("scales").perturb(np.zeros(2), 0.5, 100))
    player.predict()
    player.update(report_of(np.array([60.0, 0.0])))
    player.predict()
    last = player.batches[-100:]
    np.testing.assert_array_equal(last[:, 1], 1)
    np.testing.assert_array_equal(last[:, 2], compute_delay(leading_gap(player.total), 3.0, 2, 0.01, 1))
    assert np.any(last[:, 2] != compute_delay(leading_gap(player.total), 0.5, 2, 0.01, 1))


def test_a_report_has_no_more_noise_of_any_expert_than_batches_are_chosen_for():
    report = report_of(np.zeros(3), np.array([0.5, 2.0, 0.1]))
    algorithm(3, 2.0).update(report)
    with pytest.raises(InputError, match=r"noise of scale 2, and batches are chosen for 1\.98"):
        algorithm(3, 1.98).update(report)
    for wrong in (-1.0, np.nan):
        with pytest.raises(InputError, match="RW-AdaBatch: noise_scale"):
            algorithm(3, wrong)
    of_another = RWAdaBatch(3, LOCAL, sensitivity=0.5, noise=Eighths("z_0"))
    with pytest.raises(InputError, match=r"one person moves by 0\.5, and a report has noise for 0\.4"):
        of_another.update(report_of(np.zeros(3), 0.4 / LOCAL.mu))
    with pytest.raises(InputError, match="batches were not recorded: write record=True"):
        print(RWAdaBatch(3, LOCAL, noise_scale=1.0, noise=Eighths("z_0"), record=False).batches)


class Unseeded(Eighths):
    """Noise that does not say that it is simulated."""

    simulated = False


@each("kind", [RWAdaBatch, RWFTPL])
def test_one_report_with_simulated_noise_makes_the_guarantee_one_of_a_simulation(kind):
    player = kind(2, LOCAL, noise_scale=1.0, noise=Unseeded("own"))
    for simulated_report in (False, True, False):
        before = player.guarantee.simulated
        stated = GaussianDP(1.0, "local", simulated=simulated_report)
        player.update(report_of(np.zeros(2), guarantee=stated))
        assert player.guarantee.simulated == (before or simulated_report)
    assert player.guarantee.simulated


def test_before_any_round_there_is_nothing_to_tell():
    player = algorithm(3, repetitions=4)
    assert player.batches.shape == (0, 3)
    assert player.containing_sizes().shape == (0, 4)
    player.predict()
    assert player.batches.shape == (4, 3)
    assert player.containing_sizes().shape == (0, 4)


# The last game has batches of two and more from the start, where z_0 and each round of delay still count.
@each(
    ("n", "eta", "gain", "alpha"),
    [(3, 0.5, 0.5, 0.3), (2, 50.0, 0.0, 1.2)],
)
def test_drawn_batches_have_the_law_of_played_ones(n, eta, gain, alpha):
    # Chi-square on the size that holds a round, and on the pair of sizes at two rounds; false alarm 1e-6
    # each.
    horizon, repetitions, rounds = 45, 3000, [2, 3, 12, 30, 45]
    drift = gain * np.eye(n)[0]
    given = {"alpha": alpha, "repetitions": repetitions, "horizon": horizon}
    player = RWAdaBatch(n, LOCAL, noise_scale=eta, noise=simulated("law", n, eta), **given)
    # Noise of scale eta, of which some are above any sensitivity of gains in [0, 1].
    level, noise = GaussianDP(2.0**-6, "local"), simulated("law", n, eta, "r")
    gains = np.tile(drift, (horizon, 1))
    play(player, private_reports(gains, level, 2.0**-6 * eta, noise, repetitions))
    played = player.containing_sizes()[np.array(rounds) - 1]
    rng = rng_for(0, "test rw-adabatch", "law", n, eta, "drawn")
    drawn = simulate_batches(n, eta, horizon, repetitions, alpha, rng, drift=drift, rounds=rounds)
    for one, other in zip(played, drawn, strict=True):
        assert two_samples(one, other) > FALSE_ALARM
    assert two_samples(46 * played[2] + played[3], 46 * drawn[2] + drawn[3]) > FALSE_ALARM
    assert len(np.unique(drawn)) > 5
    # The law at another tolerance would be told apart.
    wrong = simulate_batches(n, eta, horizon, repetitions, 3 * alpha, rng, drift=drift, rounds=rounds)
    assert min(two_samples(one, other) for one, other in zip(played, wrong, strict=True)) < FALSE_ALARM


@each("horizon", [1, 60])
def test_drawn_rounds_of_one_batch_agree_and_fit_into_the_game(horizon):
    rounds = np.arange(1, horizon + 1)
    sizes = simulate_batches(3, 1.0, horizon, 200, 0.3, rng_for(0, "test rw-adabatch", "fit"), rounds=rounds)
    assert sizes.shape == (horizon, 200)
    for column in sizes.T:
        start = 0
        while start < horizon:
            size = column[start]
            assert size >= 1
            assert np.all(column[start : start + size] == size)
            start += size
        assert start == horizon


def test_drawn_sizes_do_not_depend_on_which_other_rounds_are_asked_for():
    def draw(rounds):
        return simulate_batches(2, 2.0, 200, 50, 0.3, rng_for(0, "test rw-adabatch", "asked"), rounds=rounds)

    everything = draw(range(1, 201))
    np.testing.assert_array_equal(draw([200, 3, 77, 3]), everything[[199, 2, 76, 2]])
    assert draw([]).shape == (0, 50)


# Amplification


def amplifying(rule="paper", **options):
    settings = {"noise_scale": 1.0, "alpha": 0.1, "horizon": 400, "rule": rule, **options}
    return RWAdaBatch(2, LOCAL, noise=simulated("amplified"), **settings)


@each("rule", ["paper", "sharper", "exact"])
def test_amplification_is_the_mixture_over_the_proxy_law(rule):
    if rule == "paper":
        survival = proxy_survival(130, 1.0, 2, 0.1, largest=20)  # until the game ends
    else:
        survival = LeadTolerance(rule, 1.0, 2, 0.1).proxy_survival(130, largest=20)
    expected = mixture_epsilon(1e-3, -np.diff(survival, append=0.0), 1 / np.sqrt(np.arange(1, 22)))
    found = amplifying(rule, horizon=150).amplified(130, 1e-3)
    assert (found.epsilon, found.delta, found.model) == (
        pytest.approx(float(expected), rel=1e-12),
        1e-3,
        "central",
    )


def test_batches_that_are_drawn_are_as_private_as_is_promised():
    """Delta at the promised epsilon is a mean of numbers from 0 to the reports' delta: Hoeffding holds."""
    promised, copies = amplifying().amplified(300, 1e-3), 20000
    assert promised.simulated
    rng = rng_for(0, "test rw-adabatch", "promised")
    sizes = simulate_batches(2, 1.0, 400, copies, 0.1, rng, drift=[0.4, 0.6], rounds=[300])[0]
    deltas = gaussian_delta(epsilon=promised.epsilon, mu=1 / np.sqrt(sizes))
    most = float(gaussian_delta(epsilon=promised.epsilon, mu=1.0))
    assert deltas.mean() <= 1e-3 + most * np.sqrt(np.log(1 / FALSE_ALARM) / (2 * copies))
    assert most > 3e-3  # without batching the promise would not hold


def test_amplification_is_never_negative_and_ends_with_the_game():
    report = compose(LOCAL, delta=1e-3).epsilon
    epsilons = [amplifying().amplified(t, 1e-3).epsilon for t in (1, 10, 100, 399, 400)]
    assert max(epsilons) <= report * (1 + 1e-9)
    assert epsilons[-1] == pytest.approx(report)
    assert min(epsilons) < 0.9 * report


def drawn_in(rounds):
    return simulate_batches(2, 1.0, 10, 5, 0.01, rng_for(0, "test rw-adabatch", "outside"), rounds=rounds)


@each(
    ("message", "act"),
    [
        ("at least 2", lambda: algorithm(1).predict()),
        ("true horizon", lambda: run(values_of(6, 2), horizon=5)),
        ("write rounds from 1 to 10", lambda: drawn_in([0])),
        ("write rounds from 1 to 10", lambda: drawn_in([1, 11])),
        ("t = 0", lambda: amplifying().amplified(0, 1e-3)),
        ("t is too large: write a whole number of at most 400", lambda: amplifying().amplified(401, 1e-3)),
        ("noise of one positive scale", lambda: amplifying(noise_scale=[1.0, 0.5]).amplified(5, 1e-3)),
        ("noise of one positive scale", lambda: amplifying(noise_scale=0.0).amplified(5, 1e-3)),
    ],
)
def test_what_is_not_known_or_beyond_the_game_is_refused(message, act):
    with pytest.raises(InputError, match=message):
        act()


@each("scale", [0.01, np.array([1.0, 0.5])])
def test_amplification_is_refused_once_reports_had_less_noise_than_batches_are_chosen_for(scale):
    leader = amplifying()
    leader.update(Reports(np.zeros((1, 2)), LOCAL, scale=1.0))
    assert leader.amplified(300, 1e-3).epsilon > 0
    leader.update(Reports(np.zeros((1, 2)), LOCAL, scale=scale))
    leader.update(Reports(np.zeros((1, 2)), LOCAL, scale=1.0))
    resumed = amplifying()
    load_state_dict(state_dict(leader), resumed)
    for each_one in (leader, resumed):
        with pytest.raises(InputError, match="noise of one positive scale"):
            privacy_report(each_one, delta=1e-3, t=300)
