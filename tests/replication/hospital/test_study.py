import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.learners.linear_filter import LinearFilters, gaussian_process_weights, trend_weights
from private_experts.learners.pooled_autoregression import PooledAutoregressions
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.tree import height
from private_experts.randomness import rng_for
from private_experts.replication.hospital import study
from private_experts.replication.hospital.panel import Panel

WINDOWS, STRENGTHS = (2, 4), (("weak", 0.01), ("strong", 100.0))
LEVELS = (math.inf, 1.0, 0.25)
ALGORITHMS = ["rw-ftpl", "rw-meta", "tree-ftpl", "yardsticks"]


def a_panel(weeks=12, hospitals=4, seed=1):
    rng = rng_for(seed, "a panel for tests")
    return Panel(
        tuple(f"week {week}" for week in range(weeks)),
        tuple(f"01000{number}" for number in range(hospitals)),
        rng.random((weeks, hospitals)),
        rng.uniform(4, 25, weeks),
    )


def a_game(levels=LEVELS, panel=None, state="NM", repetitions=6, seed=5, adjacency="move"):
    return study.game(panel or a_panel(), state, levels, repetitions, seed, adjacency)


def plays(algorithm, game, family="trend", windows=WINDOWS, strengths=STRENGTHS):
    """Return what an algorithm's stage played, by name and level."""
    made = {
        "rw-ftpl": lambda: study.rw_ftpl(game),
        "rw-meta": lambda: study.rw_meta(game, family, windows, strengths),
        "tree-ftpl": lambda: study.tree_ftpl(game),
        "yardsticks": lambda: study.yardsticks(game),
    }[algorithm]()
    by_name = {(play.algorithm, play.mu): play for play in made}
    assert len(by_name) == len(made)
    return by_name


def same(one, other):
    return np.array_equal(one.earned, other.earned) and np.array_equal(one.switches, other.switches)


@pytest.fixture
def noises(monkeypatch):
    """Record every call to a noise that the study makes: (values, scale, repetitions, what came back)."""
    recorded = []

    class Spy(SimulatedNoise):
        def __init__(self, rng):
            super().__init__(rng)
            self.calls = []
            recorded.append(self.calls)

        def privatize(self, values, scale, repetitions):
            report = super().privatize(values, scale, repetitions)
            self.calls.append((np.array(values), scale, repetitions, report.copy()))
            return report

    monkeypatch.setattr(study, "SimulatedNoise", Spy)
    return recorded


# ---------------------------------------------------------------- the game


@pytest.mark.parametrize(("adjacency", "distance"), [("move", math.sqrt(2)), ("removal", 1.0)])
def test_a_week_is_as_sensitive_as_its_smallest_hospital_is_small(adjacency, distance):
    panel = a_panel()
    game = a_game(panel=panel, adjacency=adjacency)
    np.testing.assert_allclose(game.sensitivity, distance / panel.smallest_beds, rtol=1e-15)
    np.testing.assert_array_equal(game.gains, panel.density)


def test_moving_is_the_default():
    assert np.array_equal(study.game(a_panel(), "NM", [1.0], 2, 1).sensitivity, a_game().sensitivity)


@pytest.mark.parametrize("seed", range(5))
def test_no_move_of_one_person_changes_a_weeks_densities_by_more_than_the_sensitivity(seed):
    rng = rng_for(seed, "one person")
    beds = rng.uniform(4, 300, 6)
    patients = rng.uniform(1, 3, 6)
    panel = Panel(("week",), tuple("abcdef"), (patients / beds)[None], np.array([beds.min()]))
    moved, removed = (a_game(panel=panel, adjacency=kind).sensitivity[0] for kind in ("move", "removal"))
    for left in range(6):
        there = patients.copy()
        there[left] -= 1
        assert np.linalg.norm((there - patients) / beds) <= removed * (1 + 1e-12)
        for reached in set(range(6)) - {left}:
            here = there.copy()
            here[reached] += 1
            assert np.linalg.norm((here - patients) / beds) <= moved * (1 + 1e-12)


@pytest.mark.parametrize("mu", [0, -1, -math.inf, math.nan])
def test_a_level_that_is_not_positive_is_refused_before_anybody_plays(mu):
    with pytest.raises(InputError, match="mu"):
        a_game(levels=(1.0, mu))


# ---------------------------------------------------------------- local noise


@pytest.mark.parametrize("adjacency", ["move", "removal"])
@pytest.mark.parametrize("mu", [1.0, 0.25])
def test_rw_ftpl_adds_noise_of_scale_sensitivity_over_mu_each_week_and_first_z_0(noises, mu, adjacency):
    game = a_game(levels=(mu,), adjacency=adjacency)
    study.rw_ftpl(game)
    [calls] = noises
    assert len(calls) == 1 + len(game.gains)
    values, scale, repetitions, _ = calls[0]  # z_0 is drawn like the first report's noise
    assert not values.any()
    assert values.shape == (4,)
    assert (scale, repetitions) == (game.sensitivity[0] / mu, 6)
    for week, (values, scale, repetitions, report) in enumerate(calls[1:]):
        np.testing.assert_array_equal(values, game.gains[week])
        assert (scale, repetitions) == (pytest.approx(game.sensitivity[week] / mu, rel=1e-15), 6)
        assert report.shape == (6, 4)


def test_rw_ftpl_leads_the_sum_of_z_0_and_the_reports(noises):
    game = a_game(levels=(0.5,))
    [play] = study.rw_ftpl(game)
    totals = np.cumsum([report for *_, report in noises[0]], axis=0)[:-1]
    expected = np.array([gains[leaders] for gains, leaders in zip(game.gains, totals.argmax(axis=-1), strict=True)])
    np.testing.assert_array_equal(play.earned, expected)


def test_rw_meta_hears_the_very_reports_that_rw_ftpl_hears(noises):
    game = a_game()
    study.rw_ftpl(game)
    study.rw_meta(game, "trend", WINDOWS, STRENGTHS)
    alone, meta = noises[: len(LEVELS)], noises[len(LEVELS) :]
    assert len(meta) == len(LEVELS)
    for first, second in zip(alone, meta, strict=True):
        assert len(first) == len(second)
        for (*_, one), (*_, other) in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_rw_ftpl_among_rw_metas_learners_plays_as_rw_ftpl_does(monkeypatch):
    advice = []

    class Spy(study.Recorded):
        def __init__(self, actions):
            advice.append(actions)
            super().__init__(actions)

    monkeypatch.setattr(study, "Recorded", Spy)
    game = a_game(levels=(0.5,))
    [alone] = study.rw_ftpl(game)
    study.rw_meta(game, "trend", WINDOWS, STRENGTHS)
    assert len(advice) == len(study.RW_META_VARIANTS)  # all variants choose between the same learners
    for actions in advice:
        assert actions.shape == (len(game.gains), len(WINDOWS) * len(STRENGTHS) + 1, 6)
        np.testing.assert_array_equal(actions, advice[0])
    follower = advice[0][:, -1]
    np.testing.assert_array_equal(np.take_along_axis(game.gains, follower, axis=1), alone.earned)
    np.testing.assert_array_equal((follower[1:] != follower[:-1]).sum(axis=0), alone.switches)


def test_the_same_seed_state_and_level_give_the_same_noise_in_other_scenarios(noises):
    study.rw_ftpl(a_game(levels=(0.5,)))
    study.rw_ftpl(a_game(levels=(0.5,), adjacency="removal"))
    study.rw_ftpl(a_game(levels=(0.5,), panel=a_panel(seed=2)))  # such as another suppressed value
    standard = [np.array([(report - values) / scale for values, scale, _, report in calls]) for calls in noises]
    np.testing.assert_allclose(standard[1], standard[0], atol=1e-12)
    np.testing.assert_allclose(standard[2], standard[0], atol=1e-12)


@pytest.mark.parametrize("changes", [{"seed": 6}, {"state": "PA"}, {"levels": (0.25,)}])
def test_another_seed_state_or_level_gives_other_noise(noises, changes):
    study.rw_ftpl(a_game(**{"levels": (0.5,)} | changes))
    study.rw_ftpl(a_game(levels=(0.5,)))
    first, second = (np.array([(report - values) / scale for values, scale, _, report in calls]) for calls in noises)
    assert not np.isclose(first, second).any()


@pytest.mark.parametrize("algorithm", ["rw-ftpl", "tree-ftpl", "yardsticks"])
def test_the_learners_settings_do_not_touch_other_algorithms(algorithm):
    # Their stages do not even take them; and RW-Meta, played before, leaves their streams alone.
    before = plays(algorithm, a_game())
    study.rw_meta(a_game(), "autoregression", (3,), (("weak", 1.0),))
    assert all(same(play, before[key]) for key, play in plays(algorithm, a_game()).items())


# ---------------------------------------------------------------- streams


@pytest.mark.parametrize("levels", [(1.0,), (0.25, 1.0, math.inf), (1.0, 0.1), (2.0, 1.0, 0.5, 0.25)])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_level_plays_the_same_whatever_other_levels_are_played(algorithm, levels):
    reference, found = plays(algorithm, a_game()), plays(algorithm, a_game(levels=levels))
    shared = reference.keys() & found.keys()
    assert {mu for _, mu in shared} == set(LEVELS) & set(levels)
    for key in shared:
        assert same(reference[key], found[key]), key


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_whole_number_1_is_the_level_1(algorithm):
    whole, real = plays(algorithm, a_game(levels=(1,))), plays(algorithm, a_game(levels=(1.0,)))
    assert all(same(play, real[key]) for key, play in whole.items())


def test_different_levels_play_with_different_randomness():
    # uniform choice does not depend on the level, its stream does
    played = plays("yardsticks", a_game())
    assert not same(played["uniform", 1.0], played["uniform", 0.25])


def test_the_variants_of_rw_meta_have_streams_of_their_own(monkeypatch):
    keys = []

    def noted(seed, *key):
        keys.append((seed, *key))
        return rng_for(seed, *key)

    monkeypatch.setattr(study, "rng_for", noted)
    for algorithm in ALGORITHMS:
        plays(algorithm, a_game(levels=(1.0, 0.5)))
    shared = [key for key in keys if key[1] == "local noise"]
    assert len(set(shared)) == 2  # a level: shared by RW-FTPL and RW-Meta on purpose
    others = [key for key in keys if key[1] != "local noise"]
    assert len(others) == len(set(others)) == 2 * (len(study.RW_META_VARIANTS) + 3)
    assert {seed for seed, *_ in keys} == {5}


# ---------------------------------------------------------------- no privacy


def test_without_privacy_rw_ftpl_is_follow_the_leader_in_every_repetition():
    game = a_game(levels=(math.inf,))
    leader = plays("yardsticks", game)["follow-the-leader", math.inf]
    follower = plays("rw-ftpl", game)["rw-ftpl", math.inf]
    assert same(follower, leader)
    assert (follower.earned == follower.earned[:, :1]).all()


def test_without_privacy_the_reports_are_the_gains(noises):
    game = a_game(levels=(math.inf,))
    study.rw_meta(game, "trend", WINDOWS, STRENGTHS)
    assert [scale for _, scale, *_ in noises[0]] == [0.0] * (1 + len(game.gains))
    for (*_, report), gains in zip(noises[0][1:], game.gains, strict=True):
        np.testing.assert_array_equal(report, np.broadcast_to(gains, (6, 4)))


def test_without_privacy_and_floor_all_repetitions_of_rw_meta_and_its_learners_agree():
    played = plays("rw-meta", a_game(levels=(math.inf,)))
    for name in ("rw-meta", "rw-meta-centred", "learner/w2-weak", "learner/w4-strong"):
        earned = played[name, math.inf].earned
        assert (earned == earned[:, :1]).all(), name
    floored = played["rw-meta-floor", math.inf].earned
    assert (floored != floored[:, :1]).any()  # the floor of Theorem 3 is noise even then


def test_without_privacy_min_noise_is_follow_the_leader():
    game = a_game(levels=(math.inf,))
    leader = plays("yardsticks", game)["follow-the-leader", math.inf]
    tree = plays("tree-ftpl", game)
    np.testing.assert_array_equal(tree["min-noise", math.inf].earned, leader.earned)
    assert (tree["min-regret", math.inf].earned != leader.earned).any()


# ---------------------------------------------------------------- the tree


@pytest.mark.parametrize("mu", [1.0, 0.05])
def test_the_tree_uses_the_largest_sensitivity_of_all_weeks(noises, mu):
    game = a_game(levels=(mu,))
    study.tree_ftpl(game)
    horizon, h = len(game.gains), height(len(game.gains))
    assert h == 4
    least = game.sensitivity.max() * h / mu
    assert bool(least > math.sqrt(horizon)) == (mu < 1)  # so that min-regret is once the one, once the other
    for calls, prefix in zip(noises, (least, max(least, math.sqrt(horizon))), strict=True):
        nodes = [scale for values, scale, *_ in calls if values.any()]
        assert len(nodes) == horizon  # a node completed each week
        np.testing.assert_allclose(nodes, prefix / math.sqrt(h), rtol=1e-12)


# ---------------------------------------------------------------- names and families


def test_learners_are_named_by_window_and_strength_and_the_variants_are_four():
    played = plays("rw-meta", a_game(), windows=(8, 16, 32, 64), strengths=(("a", 0.1), ("b", 1.0), ("c", 10.0)))
    names = [name for name, mu in played if mu == 1.0]
    learners = [f"learner/w{window}-{name}" for window in (8, 16, 32, 64) for name in "abc"]
    assert names == [*learners, "rw-meta", "rw-meta-floor", "rw-meta-centred", "rw-meta-centred-floor"]
    assert {mu for _, mu in played} == set(LEVELS)
    assert len(played) == (12 + 4) * len(LEVELS)


def test_the_other_stages_play_the_algorithms_of_the_paper():
    assert set(plays("rw-ftpl", a_game())) == {("rw-ftpl", mu) for mu in LEVELS}
    assert set(plays("tree-ftpl", a_game())) == {(name, mu) for name in ("min-noise", "min-regret") for mu in LEVELS}
    expected = {(name, mu) for name in ("follow-the-leader", "uniform") for mu in LEVELS}
    assert set(plays("yardsticks", a_game())) == expected


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_play_records_gains_by_week_and_repetition_and_counts_switches(algorithm):
    game = a_game()
    for play in plays(algorithm, game).values():
        assert play.earned.shape == (12, 6)
        assert play.switches.shape == (6,)
        assert np.isin(play.earned, game.gains).all()
        assert ((play.switches >= 0) & (play.switches <= 11)).all()


def test_the_variants_are_floor_and_projection():
    found = {name: (variant.floor, variant.projection) for name, variant in study.RW_META_VARIANTS.items()}
    assert found == {
        "rw-meta": (False, "sigma-star"),
        "rw-meta-floor": (True, "sigma-star"),
        "rw-meta-centred": (False, "centred"),
        "rw-meta-centred-floor": (True, "centred"),
    }


def test_a_learner_does_not_depend_on_who_else_learns():
    alone = plays("rw-meta", a_game(), windows=(4,), strengths=(("weak", 0.01),))
    among = plays("rw-meta", a_game())
    for mu in LEVELS:
        assert same(alone["learner/w4-weak", mu], among["learner/w4-weak", mu])


@pytest.mark.parametrize(
    ("family", "kind", "weights"),
    [
        ("trend", LinearFilters, trend_weights),
        ("gaussian-process", LinearFilters, gaussian_process_weights),
        ("autoregression", PooledAutoregressions, None),
    ],
)
def test_a_family_is_the_regression_of_its_name(family, kind, weights):
    settings = [(3, 0.5), (5, 2.0)]
    first = np.zeros((1, 4))
    bank = study.learner_bank(family, settings, first)
    twin = kind(weights, settings, first) if weights else kind(settings, first)
    assert type(bank) is kind
    for report in rng_for(1, "reports").random((8, 1, 4)):
        np.testing.assert_array_equal(bank.forecast(), twin.forecast())
        bank.update(report)
        twin.update(report)
    assert bank.forecast().shape == (2, 1, 4)


def test_the_families_differ():
    totals = {
        family: plays("rw-meta", a_game(panel=a_panel(weeks=30)), family=family)["learner/w4-weak", 1.0].earned.sum()
        for family in ("trend", "gaussian-process", "autoregression")
    }
    assert len(set(totals.values())) == 3
