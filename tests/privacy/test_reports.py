"""Reports carry what they promise, and nothing that is no report is taken for one."""

import contextlib
import itertools
import math

import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import RWFTPL, CreditedLeader, Delayed, RWAdaBatch
from private_experts.errors import InputError
from private_experts.games import private_reports
from private_experts.learners import TotalsLeader
from private_experts.privacy import (
    GaussianDP,
    Ledger,
    PureDP,
    Reports,
    SecureNoise,
    SimulatedNoise,
    TreeSums,
    compose,
    in_rounds,
    own_share,
    privatize,
    pure_within,
)
from private_experts.privacy.guarantees import check_guarantee
from private_experts.privacy.reports import (
    ReportsOfGains,
    check_reach,
    check_report,
    foreseen,
    reporter,
    some_of,
)
from private_experts.randomness import rng_for
from tests.each import each

LOCAL = GaussianDP(0.5, "local")


def source():
    return SimulatedNoise(rng_for(0, "test reports"))


@each(
    ("gains", "guarantee", "sensitivity", "message"),
    [
        ([0.5, 0.5], GaussianDP(1.0, "central"), 1.0, r"write GaussianDP\(..., 'local'\)"),
        ([0.5, 0.5], PureDP(1.0, "local"), 1.0, r"write GaussianDP\(..., 'local'\)"),
        ([0.5, 1.5], LOCAL, 1.0, "write numbers from 0 to 1"),
        (0.5, LOCAL, 1.0, "a float was given"),
        ([0.5, 0.5], LOCAL, -1.0, "sensitivity"),
        *(([0.5, 0.5], LOCAL, wrong, "write how far one person can move") for wrong in (0.0, math.inf)),
        ([0.5, 0.5], LOCAL, 1.5, "a sensitivity of 1.5.*, and nobody moves"),
        ([0.5, 0.5], GaussianDP(0.0, "local"), 1.0, "no finite noise attains it"),
        ([0.2, 0.9], LOCAL, 1e-17, "is lost in rounding"),
    ],
)
def test_what_cannot_be_made_private_is_refused(gains, guarantee, sensitivity, message):
    with pytest.raises(InputError, match=message):
        privatize(np.array(gains) if isinstance(gains, list) else gains, guarantee, sensitivity, source())
    if "nobody" in message:
        with pytest.raises(InputError, match=message):
            RWFTPL(2, guarantee, sensitivity=sensitivity, noise=source())


def test_a_sensitivity_for_more_experts_than_are_awake_is_possible_only_where_these_are_told():
    with some_of(3):
        privatize(np.zeros(2), LOCAL, 1.5, source())
    with pytest.raises(InputError, match="nobody moves"):
        privatize(np.zeros(2), LOCAL, 1.5, source())


def test_reports_of_a_list_are_foreseen_and_those_of_an_iterator_may_answer_the_plays():
    reports = [privatize(np.zeros(2), LOCAL, 1.0, source())]
    assert [foreseen(some, None) for some in (reports, tuple(reports), iter(reports))] == [True, True, False]
    rng, rows = rng_for(0, "foreseen"), np.zeros((3, 2))
    for noise, answers in (
        (SimulatedNoise(rng), (False, True)),
        (SecureNoise(), (True, True)),
        (Secure(), (0, 0)),
    ):
        reports = private_reports(rows, LOCAL, 1.0, noise)
        # Whoever draws from the generator of the noise between two reports changes the second.
        assert reports.begun == 0
        assert (foreseen(reports, rng), foreseen(reports, rng_for(0, "another"))) == answers


def test_reports_without_rows_or_of_odd_noise_are_not_added_without_being_made():
    totals, rows = np.zeros((1, 2)), np.full((3, 2), 0.25)
    first = privatize(rows[0], LOCAL, 1.0, source())
    odd = Reports(first.values, LOCAL, np.full(2, 2.0))
    cases = [(source(), None, first), (Unnamed(), iter(rows), first), (source(), iter(rows), odd)]
    for noise, left, before in cases:
        assert [*ReportsOfGains(iter([]), noise, left).add_all(totals, before)] == []
    np.testing.assert_array_equal(totals, 0.0)
    added = ReportsOfGains(iter([]), source(), iter(rows))
    assert sum(map(len, added.add_all(totals, first))) == added.begun + 3 == 3
    drawn = rng_for(0, "test reports").standard_normal((3, 2)).sum(axis=0)
    np.testing.assert_allclose(totals[0], 0.75 + 2 * drawn, rtol=1e-12)


def test_rows_that_are_interrupted_before_they_are_added_are_in_no_total():
    def interrupted():
        yield np.zeros(2)
        raise KeyboardInterrupt

    first, totals = privatize(np.zeros(2), LOCAL, 1.0, source()), np.zeros((1, 2))
    reports = ReportsOfGains(iter([]), source(), interrupted())
    adding = reports.add_all(totals, first)
    next(adding)
    before = totals.copy()
    with pytest.raises(KeyboardInterrupt):
        next(adding)
    assert reports.begun == 0
    np.testing.assert_array_equal(totals, before)


def test_noise_that_is_lost_beside_a_value_is_refused_and_any_more_is_not():
    for values, least in ((np.zeros((1, 2)), 5e-324), (np.ones((1, 2)), 2e-16)):
        Reports(values, LOCAL, least)
    for values, scale in (
        (np.ones((1, 2)), 1e-16),
        (np.array([[0.0, 1e9]]), 1e-8),
        (np.full((1, 2), 1e3), 1e-15),
    ):
        with pytest.raises(InputError, match=r"it is lost in rounding"):
            Reports(values, LOCAL, scale)
    assert Reports([0.5, 1.0], LOCAL, 1.0).values.shape == (1, 2)


def test_a_report_is_shown_by_what_it_promises_and_never_by_its_values():
    for scale, shown in ((2.0, "2"), (np.array([3.0, 1.5]), "1.5 to 3"), (np.full(2, 1.5), "1.5")):
        report = Reports(np.zeros((4, 2)), LOCAL, scale)
        assert repr(report) == f"<Reports: 0.5-GDP (local), n=2, scale={shown}, repetitions=4>"


def test_noise_that_makes_many_numbers_of_each_gain_is_smooth():
    for scale, smooth in ((1e-3, False), (np.nextafter(1e-3, 1), True)):
        report = privatize(np.zeros(2), GaussianDP(1.0, "local"), scale, source())
        assert (report.scale, report.smooth) == (scale, smooth)


@each(
    ("values", "guarantee", "scale", "message"),
    [
        (np.zeros((2, 3, 1)), LOCAL, 1.0, r"write an array of float64 of shape \(repetitions, n\)"),
        ("0.0", LOCAL, 1.0, "reports of a str"),
        (np.zeros((1, 2), dtype=complex), LOCAL, 1.0, "float64"),
        (np.array([[0.0, np.nan]]), LOCAL, 1.0, "infinite or missing"),
        (np.zeros((1, 2)), PureDP(1.0, "local"), 1.0, r"^reports: 1-DP \(local\) .*; write GaussianDP"),
        (np.zeros((1, 2)), LOCAL, -1.0, "noise of scale -1"),
        (np.zeros((1, 2)), LOCAL, math.inf, "noise of scale inf"),
        (np.zeros((1, 2)), LOCAL, np.array([1.0, -1.0]), "one of at least 0 for each expert"),
        (np.zeros((1, 2)), LOCAL, np.ones(3), "one of at least 0 for each expert"),
        (np.zeros((1, 2)), LOCAL, 0.0, "no such guarantee; make reports of them with privatize"),
        (np.zeros((1, 2)), LOCAL, np.array([1.0, 0.0]), "true values have no such guarantee"),
    ],
)
def test_what_is_no_report_is_refused(values, guarantee, scale, message):
    with pytest.raises(InputError, match=message):
        Reports(values, guarantee, scale)


class Broken(SimulatedNoise):
    """Noise that somebody derived from ours, whose values are no numbers."""

    def perturb(self, values, scale, repetitions):
        return super().perturb(values, scale, repetitions) * np.nan


def changed(values):
    """Noise of ours with a method of another's."""
    noise = source()
    noise.perturb = lambda *_: values
    return noise


@each(
    ("noise", "guarantee", "message"),
    [
        (Broken(rng_for(0, "broken")), LOCAL, "infinite or missing"),
        (changed(np.zeros((1, 20, 20))), LOCAL, "write an array of float64"),
        (source(), GaussianDP(6e-309, "local"), "infinite or missing"),  # some draws times its scale
        (5, LOCAL, r"noise of type int; write SimulatedNoise\(rng\)"),
    ],
)
def test_what_noise_made_is_looked_at_unless_it_is_known_to_be_finite(noise, guarantee, message):
    for made in (
        lambda: privatize(np.zeros(20), guarantee, 1.0, noise, repetitions=20),
        lambda: list(private_reports(np.zeros((2, 20)), guarantee, 1.0, noise, 20)),
    ):
        with np.errstate(over="ignore"), pytest.raises(InputError, match=message):
            made()


def test_what_makes_reports_looks_at_each_round():
    report = reporter(LOCAL, source(), repetitions=3)
    assert report(np.zeros(2), 0.1).values.shape == (3, 2)
    assert report(np.zeros(2), 0.1).values.base is not None  # its memory is not its own to resize
    with pytest.raises(InputError, match="write numbers from 0 to 1"):
        report(np.array([0.5, np.nan]), 0.1)
    with pytest.raises(InputError, match="sensitivity"):
        report(np.zeros(2), -0.1)


@each(
    ("values", "scale"),
    [
        ([[0.3, 1.7]], 1e-300),
        ([[0.3, 1.7]], np.array([1.0, 1e-17])),
        ([[0.0, 0.0], [0.0, -0.3]], 1e-17),
        ([[1e308, 0.0]], 1.0),
    ],
)
def test_noise_that_is_lost_in_rounding_is_refused_and_less_of_it_may_be_small(values, scale):
    values = np.array(values)
    lost = "is lost in rounding, and true values have no such guarantee; write"
    with pytest.raises(InputError, match=lost):
        Reports(values, LOCAL, scale)
    assert (Reports(values, GaussianDP(math.inf, "local"), scale).values == values).all()
    with pytest.raises(InputError, match="is lost in rounding"):
        privatize(np.array([0.2, 0.9]), LOCAL, np.array([1.0, 1e-17]), source(), moved=1)
    for small, several in itertools.product((1e-15, np.array([1e-15, 1.0])), ([[0.3, 1.0]], [[0.0, 0.0]])):
        assert Reports(np.array(several), LOCAL, small).values.tolist() == several
    for copies in (0, 1):
        assert Reports(np.zeros((copies, 2)), LOCAL, 1e-300).scale == 1e-300
    assert (Reports(np.full((1, 2), 1e308), LOCAL, 1e300).values == 1e308).all()


def test_gains_far_smaller_than_the_sensitivity_of_their_report_are_told():
    with pytest.warns(UserWarning, match="by less than a thousandth of what bounds or a sensitivity") as told:
        privatize(np.linspace(0.0, 0.0009, 10), LOCAL, 1.0, source())
    assert [warning.filename for warning in told] == [__file__]  # the user's line, and no inner one


def test_reports_that_need_not_be_made_add_the_gains_with_their_noise_to_the_digit():
    gains, drawn = rng_for(0, "wide gains").random((5, 2**15)), rng_for(0, "test reports")
    reports = private_reports(gains, LOCAL, 0.5, source())
    first = next(reports)
    totals = first.values.copy()
    leaders = list(itertools.chain(*reports.add_all(totals, first)))
    sums = np.cumsum([row + drawn.standard_normal(2**15) for row in gains], axis=0)
    np.testing.assert_allclose(totals[0], sums[-1], rtol=1e-9)
    assert (leaders, reports.begun) == (sums.argmax(axis=1)[1:].tolist(), 0)
    gains[3, 7] = np.nan  # the rounds before it are played
    reports = private_reports(gains, LOCAL, 0.5, source())
    led, adding = [], reports.add_all(totals, next(reports))
    with pytest.raises(InputError, match="write numbers from 0 to 1"):
        led.extend(itertools.chain.from_iterable(adding))
    assert len(led) == 2
    for odd in (Broken(rng_for(0, "broken")), Secure()):
        reports = private_reports(gains, LOCAL, 0.5, odd)
        assert not [*reports.add_all(totals, first)]


def test_a_report_cannot_be_changed_to_promise_more_nor_by_what_it_was_made_of():
    values, scales = np.array([[0.3, 1.7]]), np.array([1.0, 2.0])
    reports = [Reports(values, LOCAL, 1.0), Reports(values, LOCAL, scales)]
    values[:], scales[:] = 9.0, 9.0
    assert [report.values.tolist() for report in reports] == [[[0.3, 1.7]]] * 2
    assert reports[1].scale.tolist() == [1.0, 2.0]
    with pytest.raises(AttributeError):
        reports[0].guarantee = GaussianDP(0.1, "local")
    with pytest.raises(ValueError, match="read-only"):
        reports[0].values[:] = 0.5


def test_a_stronger_report_is_taken_and_a_weaker_one_or_one_of_another_shape_is_not():
    report = privatize(np.zeros(2), LOCAL, 1.0, source(), repetitions=3)
    for stated in (LOCAL, GaussianDP(0.6, "local"), None):
        assert check_report(report, stated, 3, 2) is report
    one = privatize(np.zeros(2), LOCAL, 1.0, source())  # for all copies, however many they are
    assert all(check_report(one, LOCAL, repetitions, 2) is one for repetitions in (1, 3, None))
    for stated in (GaussianDP(0.4999, "local"), GaussianDP(0.5, "central")):
        with pytest.raises(InputError, match="state what the reports have"):
            check_report(report, stated, 3, 2)
    for repetitions, n in ((4, 2), (3, 5), (1, 2)):
        with pytest.raises(InputError, match="as the game has"):
            check_report(report, LOCAL, repetitions, n)
    for few, said in (([[0.5]], "; the gain .* is bandit feedback"), ([[0.5, 0.1]], "$")):
        with pytest.raises(InputError, match=rf"write shape \(1, 3\), as the game has{said}"):
            check_report(Reports(np.array(few), LOCAL, 1.0), LOCAL, 1, 3)


@each("reach", [0.6, np.array([0.6, 0.9])])
def test_a_report_with_noise_for_a_smaller_reach_is_not_taken(reach):
    check_reach("a leader", Reports(np.zeros((1, 2)), LOCAL, 1.2), reach)
    for scale, said in ((1.0, "0.5"), (1.2 * (1 - 1e-8), "0.6"), (1.2 * (1 + 1e-8), "0.6"), (1.8, "0.9")):
        with pytest.raises(
            InputError, match=f"moves by 0.6, and a report has noise for {said}: write one sens"
        ):
            check_reach("a leader", Reports(np.zeros((1, 2)), LOCAL, scale), 0.6)
    of_rounds = check_reach("a leader", Reports(np.zeros((1, 2)), LOCAL, 1.8), np.array([0.6, 0.9]))
    assert of_rounds is None  # of some other round
    leader = RWFTPL(2, LOCAL, sensitivity=0.6, noise=source())
    leader.update(privatize(np.zeros(2), LOCAL, np.full(2, 0.6), source(), moved=2))
    with pytest.raises(InputError, match=r"RWFTPL: .*moves by 0.6, and a report has noise for 0.5: write"):
        leader.update(privatize(np.zeros(2), LOCAL, np.full(2, 0.5), source(), moved=1))


def test_a_guarantee_of_either_model_passes_where_both_are_meant():
    for model in ("local", "central"):
        assert check_guarantee(GaussianDP(1.0, model), "x", GaussianDP) == GaussianDP(1.0, model)


def test_without_privacy_reports_need_no_noise():
    free = GaussianDP(math.inf, "local")
    assert Reports(np.zeros((1, 2)), free, 0).scale == 0.0
    report = privatize(np.array([0.2, 0.9]), free, 0.3, source())
    assert (report.scale, report.values.tolist()) == (0.0, [[0.2, 0.9]])
    with pytest.raises(InputError, match="no finite noise attains it"):  # scales that round to 0 are none
        privatize(np.zeros(2), GaussianDP(1e300, "local"), np.full(2, 1e-30), source(), moved=2)


@each("scale", [np.uint8(20), np.array([20, 20], dtype=np.uint8), np.float32(20.0)])
def test_scales_are_floats_of_full_precision(scale):
    report = Reports(np.zeros((1, 2)), LOCAL, scale)
    np.testing.assert_array_equal(np.square(report.scale), np.full(np.shape(scale), 400.0))
    assert type(report.scale) is float or report.scale.dtype == np.float64
    for guarantee, sensitivity in ((LOCAL, np.float32(0.1)), (GaussianDP(np.float32(0.5), "local"), 0.1)):
        assert privatize(np.zeros(2), guarantee, sensitivity, source()).scale == pytest.approx(0.2)


class Unnamed:
    """A source that does not say how its noise comes about."""

    def perturb(self, values, scale, repetitions):
        return source().perturb(values, scale, repetitions)


class Secure(Unnamed):
    simulated = False


@each(("noise", "simulated"), [(source(), True), (Unnamed(), True), (Secure(), False)])
def test_a_guarantee_says_when_its_noise_was_simulated(noise, simulated):
    text = "0.5-GDP (local, simulated noise)" if simulated else "0.5-GDP (local)"
    report = privatize(np.zeros(2), LOCAL, 1.0, noise)
    assert str(report.guarantee) == text
    assert report.guarantee == LOCAL  # the level is the same
    tree = TreeSums(2, GaussianDP(0.5, "central"), horizon=4, sensitivity=1.0, noise=noise)
    assert str(tree.guarantee) == text.replace("local", "central")
    assert SecureNoise.simulated is False


def test_whatever_follows_from_simulated_reports_says_so_too():
    real, seeded = (privatize(np.zeros(2), LOCAL, 1.0, noise) for noise in (Secure(), source()))
    # whoever simulates z_0 experiments
    assert RWFTPL(2, LOCAL, noise_scale=1.0, noise=source()).guarantee.simulated
    for kind in (RWFTPL, RWAdaBatch):
        leader = kind(2, LOCAL, noise_scale=2.0, noise=Secure())
        assert not leader.guarantee.simulated
        for report, simulated in ((real, False), (seeded, True), (real, True)):
            leader.update(report)
            assert leader.guarantee.simulated == simulated
    for first, simulated in ((real, False), (seeded, True)):
        meta = CreditedLeader([TotalsLeader(first)], LOCAL)
        assert meta.guarantee.simulated == simulated
        meta.update(seeded)
        assert meta.guarantee.simulated
    delayed = Delayed(lambda copy: RWFTPL(2, LOCAL, noise_scale=2.0, noise=Secure()), 1)
    for arrived, simulated in (({}, False), ({1: seeded}, True), ({2: real}, True)):
        delayed.update(arrived)
        assert delayed.guarantee.simulated == simulated
    marked = seeded.guarantee
    for made in (in_rounds(marked, 2), compose(marked, delta=1e-6), own_share(marked), pure_within(marked)):
        assert "simulated noise" in str(made)
    ledger = Ledger(GaussianDP(math.inf, "central"))
    ledger.spend(real.guarantee, "sent")
    assert "simulated" not in str(ledger)
    ledger.spend(marked, "an experiment")
    assert "simulated noise" in str(ledger.total)


def test_a_report_that_a_learner_refuses_credits_no_learner():
    leader = RWFTPL(2, LOCAL, sensitivity=1.0, noise=Secure())
    meta = CreditedLeader([leader, RWFTPL(2, LOCAL, noise_scale=2.0, noise=Secure())], LOCAL)
    meta.update(privatize(np.array([1.0, 0.0]), LOCAL, 1.0, Secure()))
    credits, total = meta.totals.copy(), leader.total.copy()
    with pytest.raises(InputError, match=r"RWFTPL: .*moves by 1, and a report has noise for 0.5"):
        meta.update(privatize(np.array([1.0, 0.0]), LOCAL, 0.5, Secure()))
    np.testing.assert_array_equal(meta.totals, credits)
    np.testing.assert_array_equal(leader.total, total)


@each("bounds", [(0.0, 1.0), (-3.0, 1.0), (2.0, 2.5)])
def test_nobody_moves_gains_further_than_from_one_bound_to_the_other(bounds):
    low, width = bounds[0], bounds[1] - bounds[0]
    gains = pd.Series(low + width * np.array([0.25, 0.5]), ["north", "south"])
    for moved, most in ((None, math.sqrt(2) * width), (1, width), (2, width)):
        for share in (1 - 1e-6, 1 + 1e-6):
            reach = pd.Series([most * share, 0.1 * width], gains.index) if moved else most * share
            allowed = (
                contextlib.nullcontext() if share < 1 else pytest.raises(InputError, match="nobody moves")
            )
            with allowed:
                report = privatize(gains, LOCAL, reach, source(), moved=moved, bounds=bounds)
                assert report.names == ("north", "south")


def test_a_person_moves_at_most_all_gains():
    reach, noise = np.full(2, 0.1), SimulatedNoise(0)
    for make in (privatize, lambda gains, *more, **moved: next(private_reports(gains[None], *more, **moved))):
        make(np.full(2, 0.5), LOCAL, reach, noise, moved=2)
        make(np.full(1, 0.5), LOCAL, reach[:1], noise, moved=2)  # one of several that report each for itself
        with pytest.raises(InputError, match="moved = 3: one person moves at most all 2 experts' gains"):
            make(np.full(2, 0.5), LOCAL, reach, noise, moved=3)


@each("mu", [1e-3, 30.0])
@each("bounds", [(0.0, 1.0), (-3.0, 1.0)])
@each("losses", [False, True])
def test_a_report_is_the_gains_plus_noise_of_its_scale_to_the_digit(mu, bounds, losses):
    gains, guarantee = rng_for(0, "gains of reports").random((3, 5)), GaussianDP(mu, "local")
    low, width = bounds[0], bounds[1] - bounds[0]
    for reach in (1e-3, 0.9):
        own = reach * np.linspace(0.2, 1.0, 5)
        asked = [(reach, None, reach / mu)] + [(own, m, own * math.sqrt(m) / mu) for m in (1, 2, 5)]
        for (sensitivity, moved, scale), given in itertools.product(asked, (gains[0], gains)):
            told = low + width * (1 - given if losses else given)
            how = {"repetitions": 3, "moved": moved, "bounds": bounds, "losses": losses}
            report = privatize(told, guarantee, width * sensitivity, source(), **how)
            np.testing.assert_allclose(report.scale, scale, rtol=1e-12)
            assert report.guarantee == guarantee
            drawn = rng_for(0, "test reports").standard_normal((3, 5))
            np.testing.assert_allclose(report.values, given + scale * drawn, rtol=1e-9, atol=1e-12)


@each("kind", [np.float32, np.int64])
def test_whole_gains_of_any_kind_in_one_copy_have_all_the_noise_to_the_digit(kind):
    gains, reach = np.array([0, 1, 1, 0, 1], kind), np.linspace(0.2, 1.0, 5)
    # One person may move all five gains, and so their vector by more than 1.
    for sensitivity, moved, scale in ((2.0, None, 4.0), (0.9, None, 1.8), (reach, 2, math.sqrt(8) * reach)):
        for copies in (1, 3):
            how = {"repetitions": copies, "moved": moved}
            report = privatize(gains, GaussianDP(0.5, "local"), sensitivity, source(), **how)
            np.testing.assert_allclose(report.scale, scale, rtol=1e-12)
            drawn = rng_for(0, "test reports").standard_normal((copies, 5))
            np.testing.assert_allclose(report.values, gains + scale * drawn, rtol=1e-9, atol=1e-12)
