"""What uses cost together: against other ways to compute it, at the edges, and under a limit."""

import contextlib
import copy
import itertools
import math
import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from private_experts.algorithms import Uniform
from private_experts.errors import InputError
from private_experts.privacy import (
    ApproximateDP,
    GaussianDP,
    Ledger,
    PureDP,
    compose,
    gaussian_mechanism,
    in_rounds,
    to_gaussian,
)
from private_experts.privacy.accountant import Spending
from private_experts.privacy.composition import advanced_epsilon, step_within
from private_experts.privacy.exact_composition import delta as exact_delta
from private_experts.privacy.exact_composition import epsilon as exact_epsilon
from private_experts.saving import load, load_state_dict, save, state_dict
from tests.each import each

SEVERAL = settings(deadline=None, max_examples=20, derandomize=True)
LEVELS = st.floats(0.01, 3)
OPEN, ONE = GaussianDP(math.inf, "central"), GaussianDP(1.0, "central")
LOCAL, PURE, TWO = GaussianDP(1.0, "local"), PureDP(1.0, "central"), ApproximateDP(1.0, 1e-6, "central")


def ledger_of(mus=(), pures=(), approximates=(), limit=OPEN):
    ledger = Ledger(limit)
    for mu in mus:
        ledger.spend(GaussianDP(mu, "central"), "sums")
    for level in pures:
        ledger.spend(PureDP(level, "central"), "a choice")
    for level, delta in approximates:
        ledger.spend(ApproximateDP(level, delta, "central"), "a table")
    return ledger


def spent() -> Ledger:
    """A ledger with uses of every kind, of which 0.2 of 1 are left."""
    ledger = Ledger(GaussianDP(1.0, "central"))
    ledger.spend(GaussianDP(0.2, "local", simulated=True), "weekly reports", times=15)
    ledger.spend(PureDP(0.1, "central"), "a ranking")
    ledger.spend(ApproximateDP(0.1, 0.0, "local"), "a table")
    return ledger


def refused(message):
    return pytest.raises(InputError, match=message)


# Against other ways


@each("m", [1, 13])
def test_noise_for_each_of_m_learners_grows_with_the_root_of_their_number(m):
    """To divide the level among learners is the naive way. [000, Section 3.2]"""
    alone, scale = GaussianDP(0.5 / math.sqrt(m), "local"), GaussianDP(0.5, "local").noise_scale(1.0)
    assert alone.noise_scale(1.0) == pytest.approx(math.sqrt(m) * scale, rel=1e-12)
    assert compose(*[alone] * m).mu == pytest.approx(0.5, rel=1e-12)


@SEVERAL
@given(st.lists(LEVELS, min_size=1, max_size=5), st.floats(0, 5))
def test_gaussian_uses_are_one_gaussian_use(mus, epsilon):
    ledger, mu = ledger_of(mus), math.hypot(*mus)
    assert ledger.total.mu == pytest.approx(mu, rel=1e-14)
    assert ledger.delta(epsilon) == pytest.approx(gaussian_mechanism.delta(epsilon=epsilon, mu=mu), rel=1e-10)
    assert ledger.epsilon(1e-6) == pytest.approx(gaussian_mechanism.epsilon(delta=1e-6, mu=mu), rel=1e-12)


def played_out(epsilon, mu, levels):
    """Return the delta of Gaussian noise and of coins, each right with probability e^level / (1 + e^level).

    All outcomes of all coins are listed: each uses up some of epsilon, and the rest is left for the noise.
    """
    signs, levels = np.array(list(itertools.product([-1, 1], repeat=len(levels)))), np.array(levels)
    chances = np.exp(np.where(signs > 0, levels, 0.0)).prod(axis=1) / (1 + np.exp(levels)).prod()
    left = epsilon - signs @ levels
    if mu == 0:
        return chances @ -np.expm1(np.minimum(left, 0.0))
    return chances @ (norm.cdf(mu / 2 - left / mu) - np.exp(left) * norm.cdf(-mu / 2 - left / mu))


@SEVERAL
@given(
    st.lists(LEVELS, max_size=2),
    st.lists(LEVELS, min_size=1, max_size=6),
    st.lists(st.tuples(LEVELS, st.floats(0, 0.1)), max_size=2),
    st.floats(0, 8),
)
def test_uses_of_every_kind_are_as_telling_as_noise_and_coins_played_out_one_by_one(
    mus, pures, some, epsilon
):
    failing = 1 - math.prod(1 - delta for _, delta in some)
    given_that_none_fails = played_out(epsilon, math.hypot(*mus), [*pures, *(level for level, _ in some)])
    expected = failing + (1 - failing) * given_that_none_fails
    assert ledger_of(mus, pures, some).delta(epsilon) == pytest.approx(expected, abs=1e-13)
    assert ledger_of(pures=pures).delta(epsilon) == pytest.approx(played_out(epsilon, 0, pures), abs=1e-13)


def test_thirteen_different_levels_are_counted_exactly_and_more_by_their_gaussian_levels():
    levels = [0.1 + 0.01 * k for k in range(20)]  # 2^14 sums of the first 14
    found = ledger_of(pures=levels[:13]).delta(0.5)
    assert found == pytest.approx(played_out(0.5, 0, levels[:13]), rel=1e-12)
    implied = math.hypot(0.5, *(to_gaussian(PureDP(level, "central")).mu for level in levels[:14]))
    overstated = float(gaussian_mechanism.delta(epsilon=2.0, mu=implied))
    assert ledger_of([0.5], levels[:14]).delta(2.0) == pytest.approx(overstated, rel=1e-9)
    for count in (3, 13, 20):  # beyond the sum of the levels nothing fails, however many there are
        ledger = ledger_of(pures=levels[:count])
        assert ledger.delta(ledger.pure.epsilon) == ledger.delta(9.0) == 0.0
        assert ledger.delta(0.9 * ledger.pure.epsilon) > 0


@each(("mu", "pure"), [(0.0, [(0.1, 50)]), (1.0, [(0.5, 3), (0.2, 1)]), (3.0, []), (0.3, [(2.0, 2)])])
def test_epsilon_is_the_inverse_of_delta_and_never_too_small(mu, pure):
    for delta in (0.3, 1e-3, 1e-9, 1e-30):
        epsilon = exact_epsilon(delta=delta, mu=mu, pure=pure)
        assert exact_delta(epsilon=epsilon, mu=mu, pure=pure) <= delta
        if 0 < epsilon < math.fsum(level * times for level, times in pure) or (mu > 0 and epsilon > 0):
            assert exact_delta(epsilon=epsilon * (1 - 1e-9), mu=mu, pure=pure) > delta


@each("delta", [0.101, 0.3, 0.45])
def test_epsilon_is_the_inverse_of_delta_where_some_uses_may_fail(delta):
    ledger = ledger_of([1.0], [0.3], [(0.5, 0.1)])
    assert ledger.delta(ledger.epsilon(delta)) == pytest.approx(delta, rel=1e-9)


def test_many_steps_of_one_level_are_counted_exactly():
    # by the sum over all numbers of right bits with 40 digits
    assert exact_epsilon(delta=1e-6, pure=[(1e-3, 100_000)]) == pytest.approx(1.367549831243796, rel=1e-11)
    level, times = 6.0, 12_000  # all but a few bits are right
    found = exact_epsilon(delta=1e-6, pure=[(level, times)])
    right = np.arange(times + 1.0)
    law = binom(times, 1 / (1 + math.exp(-level))).pmf(right)
    left = law @ -np.expm1(np.minimum(found - level * (2 * right - times), 0))
    assert left == pytest.approx(1e-6, rel=1e-6)
    for times in (200_000, 1_000_000):  # of the million only numbers that have a chance are listed
        limit = gaussian_mechanism.epsilon(delta=1e-6, mu=math.hypot(0.5, 1e-3 * math.sqrt(times)))
        assert exact_epsilon(delta=1e-6, mu=0.5, pure=[(1e-3, times)]) == pytest.approx(limit, rel=2e-3)
    one, several = (  # in whatever parts they are given
        exact_epsilon(delta=1e-6, mu=0.1, pure=pure)
        for pure in ([(0.3, 5), (0.1, 4)], [(0.3, 2), (0.1, 4), (0.3, 3)])
    )
    assert one == pytest.approx(several, rel=1e-12)


@each("count", [10, 10_000])
def test_the_closed_form_is_that_of_the_theorem(count):
    epsilon, delta = 0.01, 1e-6
    mean, root = (
        count * epsilon * math.tanh(epsilon / 2),
        epsilon * math.sqrt(2 * count * math.log(1 / delta)),
    )
    found = advanced_epsilon(epsilon=epsilon, count=count, delta=delta)
    assert found == pytest.approx(min(count * epsilon, mean + root), rel=1e-12)
    for none_or_some in (0.0, 0.1):
        assert advanced_epsilon(epsilon=0.0, count=math.inf, delta=none_or_some) == 0.0
    assert advanced_epsilon(epsilon=0.1, count=10**400, delta=0.1) == math.inf


@each(("epsilon", "count", "delta"), [(1.0, 100, 1e-6), (1.0, 4, 1e-6), (0.5, 1, 0.9)])
def test_a_step_is_the_largest_that_keeps_within_the_closed_form(epsilon, count, delta):
    step = step_within(epsilon=epsilon, count=count, delta=delta)
    assert advanced_epsilon(epsilon=step, count=count, delta=delta) <= epsilon
    assert advanced_epsilon(epsilon=step * (1 + 1e-9), count=count, delta=delta) > epsilon


# Parts and edges


def test_each_kind_is_kept_by_itself():
    ledger = ledger_of([0.3, 0.4], [0.1, 0.2], [(1.0, 0.01), (0.5, 0.02)])
    assert ledger.gaussian == GaussianDP(0.5, "central")
    assert ledger.pure.epsilon == pytest.approx(0.3, rel=1e-15)
    assert (ledger.approximate.epsilon, ledger.approximate.delta) == (1.5, pytest.approx(1 - 0.99 * 0.98))
    with refused(r"so no mu follows; ask for epsilon\(delta\)$"):
        _ = ledger.total
    assert ledger.epsilon(0.029) == math.inf  # less than the chance that a promise fails
    assert ledger.epsilon(0.03) < 4
    assert [line.guarantee.epsilon for line in ledger.lines[2:]] == [0.1, 0.2, 1.0, 0.5]


def test_an_empty_ledger_has_cost_nothing_and_keeps_its_limit():
    ledger = Ledger(GaussianDP(2.0, "local"))
    assert ledger.total.mu == ledger.delta(0.0) == ledger.epsilon(0.0) == 0.0
    assert ledger.left == ledger.limit
    assert str(ledger).splitlines()[1:] == ["together: nothing", "limit: 2-GDP (local)"]
    with pytest.raises(AttributeError):
        ledger.limit = GaussianDP(9.0, "central")


def test_edges():
    assert ledger_of(pures=[0.25, 0.5]).epsilon(0.0) == 0.75
    assert ledger_of([1.0], [0.5]).epsilon(0.0) == math.inf
    assert ledger_of([math.inf]).delta(3.0) == ledger_of(pures=[math.inf]).delta(3.0) == 1.0
    assert ledger_of([math.inf]).epsilon(0.5) == ledger_of(pures=[math.inf, 1.0]).epsilon(0.5) == math.inf
    assert ledger_of([math.inf]).epsilon(1.0) == ledger_of(approximates=[(1.0, 1.0)]).epsilon(1.0) == 0.0
    assert ledger_of(approximates=[(0.5, 1e-6)]).epsilon(1e-6) == 0.5
    failed = ledger_of(approximates=[(1.0, 1.0)])
    assert (failed.delta(9.0), failed.approximate) == (1.0, ApproximateDP(math.inf, 1.0, "central"))
    assert ledger_of([0.5]).left == OPEN
    assert ledger_of([0.0], limit=PURE).left == PURE  # what says nothing fits beside any kind
    assert ledger_of(approximates=[(0.5, 0.0)]).total == to_gaussian(PureDP(0.5, "central"))
    for wrong in (-0.1, 1.1, math.nan):
        with refused(r"^delta = .*: write a number from 0 to 1$"):
            ledger_of([1.0]).epsilon(wrong)
    with refused(r"^epsilon = -1: write"):
        ledger_of([1.0]).delta(-1.0)


# Limits


gaussian, pure_use, approximate = (
    partial(kind, model="central") for kind in (GaussianDP, PureDP, ApproximateDP)
)


@each(
    ("limit", "first", "times", "second", "why"),
    [
        (
            ONE,
            gaussian(0.3),
            4,
            gaussian(0.8001),
            r"exceeds the limit; what is left is 0\.8-GDP \(central\)$",
        ),
        (PURE, pure_use(0.1), 7, pure_use(0.301), r"exceeds the limit; what is left is 0\.3-DP"),
        (PURE, pure_use(0.1), 7, gaussian(0.01), r"is 0.01-GDP .*, which no limit such as 1-DP \(central\)"),
        (PURE, pure_use(0.1), 7, approximate(0.01, 1e-9), "is .*, which no limit such as 1-DP"),
        (ONE, ONE, 1, approximate(0.01, 1e-12), r"is .* 1-GDP \(central\) covers; keep a ledger of its own"),
        (TWO, pure_use(0.1), 1, approximate(0.1, 2e-6), r"is .* no limit such as \(1, 1e-06\)-DP"),
        (LOCAL, LOCAL, 1, gaussian(0.0), "has shown a curator true values, .* with a central limit"),
    ],
)
def test_a_use_beyond_the_limit_or_beside_it_is_refused_and_not_written_down(
    limit, first, times, second, why
):
    ledger = Ledger(limit)
    ledger.spend(first, "first game", times=times)
    before = ledger.lines, ledger.left, str(ledger)
    with refused(f"^ledger: a second game {why}"):
        ledger.spend(second, "a second game")
    assert (ledger.lines, ledger.left, str(ledger)) == before
    ledger.spend(ledger.left, "a second game")  # exactly what is left
    assert (ledger.left.epsilon if limit == PURE else ledger.left.mu) < (1e-4 if limit == TWO else 1e-7)


@each(
    ("limit", "times"),
    [
        (LOCAL, [2, 1]),
        (LOCAL, [9_999, 1]),
        (ONE, [1] * 100),  # the first count as much as the last
        (PureDP(10.0, "central"), [1] * 100),
        (PureDP(10.0, "central"), [99, 1]),
        (TWO, [10_000]),
        (ApproximateDP(8.0, 0.1, "central"), [1]),
        (ApproximateDP(0.0, 1e-3, "central"), [3]),
    ],
)
def test_a_limit_may_be_spent_in_equal_parts_to_the_last_one(limit, times):
    ledger, most = Ledger(limit), Ledger(limit).left
    kind, level, parts = type(most), getattr(most, "mu", 0) or most.epsilon, sum(times)
    for count in times:
        part = kind(level / (parts if kind is PureDP else math.sqrt(parts)), limit.model)
        ledger.spend(part, "sums", times=count)
    assert not isinstance(limit, ApproximateDP) or ledger.epsilon(limit.delta) <= limit.epsilon * (1 + 1e-12)
    with refused(r"^ledger: one more exceeds the limit; what is left is .*-G?DP \(\w+\)$"):
        ledger.spend(kind(0.01 * level, limit.model), "one more")
    assert len(ledger.lines) == len(times)


def test_what_is_local_counts_for_what_is_published_and_not_the_other_way_round():
    with refused("^ledger: a game has shown a curator true values"):
        Ledger(LOCAL).spend(gaussian(0.1), "a game")
    ledger = Ledger(ONE)
    ledger.spend(GaussianDP(0.6, "local"), "a report")
    ledger.spend(GaussianDP(0.8, "central"), "a game")
    assert ledger.total == ONE


@each(
    ("guarantee", "purpose", "times", "said"),
    [
        (0.5, "game", 1, r"0\.5 was spent; write a guarantee"),
        (LOCAL, " ", 1, "the purpose ' '; write in one line"),
        (LOCAL, None, 1, "the purpose None; write in one line what the data were used for"),
        (LOCAL, "two\nlines", 1, r"the purpose 'two\\nlines'; write in one line"),
        (LOCAL, "game", 0, "times = 0: write a whole number"),
        (LOCAL, "game", 10**400, "times is too large: write a whole number of at most 9223372036854775807"),
    ],
)
def test_lines_that_say_nothing_are_refused_in_one_line(guarantee, purpose, times, said):
    for make in (Spending, lambda use, purpose, times: Ledger(OPEN).spend(use, purpose, times=times)):
        with refused(rf"^ledger: {said}[^\n]*$"):
            make(guarantee, purpose, times)


def test_a_use_is_spent_as_a_privacy_report_tells_it():
    ledger, use = Ledger(GaussianDP(2.0, "local")), Spending(GaussianDP(0.5, "local"), "reports", 13)
    ledger.spend(use)
    for more in ({"purpose": "others"}, {"times": 2}):
        with refused(r"write spend\(use\) alone"):
            ledger.spend(use, **more)
    assert ledger.lines == (use,)


# An approximate limit


def test_an_approximate_limit_takes_every_kind_and_counts_as_exactly_as_compose():
    uses = [GaussianDP(0.1, "local"), PureDP(0.2, "central"), ApproximateDP(0.3, 2e-7, "central")]
    exact = compose(*uses, delta=1e-6).epsilon
    for level, fits in ((exact, True), (exact * (1 - 1e-9), False)):
        ledger = Ledger(ApproximateDP(level, 1e-6, "central"))
        for use in uses[:2]:
            ledger.spend(use, "a use")
        with contextlib.nullcontext() if fits else refused(r"^ledger: a use exceeds the limit"):
            ledger.spend(uses[2], "a use")
    for use in (PURE, TWO):  # alone
        Ledger(TWO).spend(use, "a use")


def test_what_is_left_of_an_approximate_limit_is_the_largest_gaussian_level_that_fits():
    whole = GaussianDP.from_epsilon_delta(epsilon=1.0, delta=1e-6, model="central")
    assert Ledger(TWO).left == whole
    for use in (GaussianDP(0.1, "central"), PureDP(0.4, "central"), ApproximateDP(0.3, 5e-7, "central")):
        ledger = Ledger(TWO)
        ledger.spend(use, "first")
        left = ledger.left
        assert 0 < left.mu < whole.mu
        assert compose(use, GaussianDP(left.mu * (1 + 1e-6), "central"), delta=1e-6).epsilon > 1.0
        ledger.spend(left, "second")
        assert ledger.left.mu < 1e-4
    narrow = ledger_of([1e-4], limit=ApproximateDP(1e-3, 1e-9, "central"))
    more = GaussianDP(narrow.left.mu * (1 + 1e-9), "central")
    assert compose(more, GaussianDP(1e-4, "central"), delta=1e-9).epsilon > 1e-3
    assert ledger_of(approximates=[(0.1, 1e-6)], limit=TWO).left.mu < 1e-6  # all of the delta was spent
    assert Ledger(ApproximateDP(1.0, 0.0, "central")).left.mu == 0.0
    none = ledger_of([50.0], limit=ApproximateDP(math.inf, 1e-6, "central"))
    assert none.left.mu == math.inf
    assert "limit: none" in str(none)


def test_a_ledger_shows_equal_uses_together_in_the_order_of_the_first_and_others_apart():
    ledger = ledger_of([0.3], [0.2], [(1.0, 1e-6)])
    for level, times in ((0.4, np.int64(2)), (0.25, 1), (0.4, 3)):
        ledger.spend(GaussianDP(level, "local"), "weekly reports", times=times)
    assert len(ledger.lines) == 6
    assert str(ledger).splitlines() == [
        "purpose         guarantee                times",
        "sums            0.3-GDP (central)            1",
        "a choice        0.2-DP (central)             1",
        "a table         (1, 1e-06)-DP (central)      1",
        "weekly reports  0.4-GDP (local)              5",
        "weekly reports  0.25-GDP (local)             1",
        "together: 0.975961-GDP (central) and 0.2-DP (central) and (1, 1e-06)-DP (central)",
        "limit: none, so what is left is unlimited",
    ]
    several = ledger_of([0.6], [0.2])
    assert str(several).splitlines()[-2] == f"in all: {several.total}"
    ledger = Ledger(ONE)
    ledger.spend(GaussianDP(0.25, "local"), "reports", times=2)
    ledger.spend(GaussianDP(0.5, "central"), "a game")
    assert repr(ledger) == (
        "<Ledger: limit 1-GDP (central); reports: 0.25-GDP (local), 2 times; a game: 0.5-GDP (central)>"
    )


# A person in several rounds


@each("rounds", [40, 10**6])
def test_no_round_and_no_use_is_forgotten_however_many_they_are(rounds):
    root, few = math.sqrt(rounds), 1e-8
    for model, times in (("local", root), ("central", rounds)):
        assert in_rounds(GaussianDP(0.01, model), rounds).mu == pytest.approx(0.01 * times)
        assert in_rounds(PureDP(0.01, model), rounds).epsilon == pytest.approx(0.01 * rounds)
        assert in_rounds(ApproximateDP(0.01, few, model), rounds).epsilon == pytest.approx(0.01 * rounds)
    failing = -math.expm1(rounds * math.log1p(-few))
    assert in_rounds(ApproximateDP(0.01, few, "local"), rounds).delta == pytest.approx(failing)
    assert advanced_epsilon(epsilon=0.01, count=rounds) == pytest.approx(0.01 * rounds)
    for step, numbers in ((0.25, (1.0, 4, 0.0)), (0.0, (0.0, 4, 0.1)), (1.0, (1.0, 0, 0.1))):
        assert step_within(**dict(zip(("epsilon", "count", "delta"), numbers, strict=True))) == step
    ledger = Ledger(ApproximateDP(math.inf, 0.5, "local"))
    for use in (GaussianDP(0.01, "local"), PureDP(0.01, "local"), ApproximateDP(0.0, few, "local")):
        ledger.spend(use, "a round", times=rounds)
    assert ledger.gaussian.mu == pytest.approx(0.01 * root)
    assert ledger.pure.epsilon == pytest.approx(0.01 * rounds)
    assert ledger.approximate.delta == pytest.approx(failing, rel=1e-6)


@each("epsilon", [0.0, 0.5])
def test_a_delta_grows_with_the_rounds_of_one_person(epsilon):
    guarantee, reached = ApproximateDP(epsilon, 1e-6, "central"), 0.0
    for rounds in range(1, 8):
        reached = 1e-6 + math.exp(epsilon) * reached  # one more neighbour
        several = in_rounds(guarantee, np.int64(rounds))
        assert (several.epsilon, several.model) == (rounds * epsilon, "central")
        assert several.delta == pytest.approx(reached, rel=1e-12)
    assert in_rounds(guarantee, 2**62).delta == 1.0
    assert in_rounds(ApproximateDP(epsilon, 0.0, "local"), 9) == ApproximateDP(9 * epsilon, 0.0, "local")
    assert in_rounds(ApproximateDP(epsilon, 0.1, "local"), 9).delta == pytest.approx(1 - 0.9**9)
    assert in_rounds(ApproximateDP(epsilon, 1.0, "local"), 9).delta == 1.0


# Out of range


def test_levels_too_large_for_a_float_are_counted():
    assert exact_epsilon(delta=1e-6, pure=[(0.5, 0)]) == 0.0
    assert exact_epsilon(delta=1e-6, mu=1e150) < exact_epsilon(delta=1e-6, mu=1.001e150) == math.inf
    ledger = ledger_of([1e200, 1e200])
    assert ledger.total.mu == pytest.approx(math.sqrt(2) * 1e200)
    assert (ledger.epsilon(1e-6), ledger.delta(1.0)) == (math.inf, 1.0)
    assert ledger_of([6e199], limit=GaussianDP(1e200, "central")).left.mu == pytest.approx(8e199)


def test_small_integers_of_numpy_do_not_wrap_below_a_limit():
    ledger = Ledger(PureDP(np.uint8(1), "central"))
    with refused("exceeds the limit"):
        ledger.spend(PureDP(np.uint8(64), "central"), "a game", times=np.uint8(4))
    assert ledger.lines == ()
    open_ledger = Ledger(OPEN)
    open_ledger.spend(PureDP(np.uint8(64), "central"), "a game", times=np.uint8(4))
    assert open_ledger.pure.epsilon == 256.0
    assert type(open_ledger.lines[0].times) is int
    assert exact_epsilon(delta=0.0, mu=0.0, pure=[(np.uint8(100), np.uint8(3))]) == pytest.approx(300.0)


# Copies and files


def test_a_backup_that_is_put_back_forgets_no_use(tmp_path):
    ledger, other = spent(), Ledger(GaussianDP(1.0, "central"))
    save(tmp_path / "old.state", ledger)
    ledger.spend(GaussianDP(0.1, "central"), "a game")
    other.spend(GaussianDP(0.1, "central"), "something else")
    for late in (ledger, other):
        lines = late.lines
        with refused("it has spent what the file does not have: load into one"):
            load(tmp_path / "old.state", late)
        assert late.lines == lines
        assert late.left.mu < 1
    load_state_dict(state_dict(ledger), ledger)  # its own uses are no other's
    assert len(ledger.lines) == len(spent().lines) + 1


def test_a_file_of_more_than_the_limit_or_of_another_one_is_refused():
    saved = state_dict(spent())
    kind, level, *rest = saved["state"]["0._uses"][0]
    for use in (
        (kind, 2.0, *rest),
        (kind, -1.0, *rest),
        (kind, math.nan, *rest),
        ("Other", level),
        (kind, "1", *rest),
    ):
        fresh = Ledger(GaussianDP(1.0, "central"))
        with pytest.raises(InputError):
            load_state_dict(saved | {"state": {"0._uses": (use,)}}, fresh)
        assert fresh.lines == ()
    fresh, once = Ledger(GaussianDP(1.0, "central")), (*rest[:-2], 1, rest[-1])
    with refused("the file has spent more than the limit"):
        load_state_dict(saved | {"state": {"0._uses": ((kind, 1.001, *once),)}}, fresh)
    load_state_dict(saved | {"state": {"0._uses": ((kind, 1.0, *once),)}}, fresh)  # all of it, and no more
    assert fresh.left.mu == 0
    with refused(r"_limit\.mu was"):
        load_state_dict(saved, Ledger(GaussianDP(2.0, "central")))


@each(
    ("limit", "use"),
    [
        (OPEN, OPEN),
        (GaussianDP(0.0, "central"), GaussianDP(0.0, "local", simulated=True)),
        (PURE, PureDP(1.0, "central", simulated=True)),
        (TWO, ApproximateDP(0.5, 1e-7, "central", simulated=True)),
        (ONE, GaussianDP(0.5, "local")),
    ],
)
def test_a_file_has_all_that_was_spent_of_any_limit(limit, use):
    ledger, fresh = Ledger(limit), Ledger(limit)
    ledger.spend(use, "a use", times=1)
    load_state_dict(state_dict(ledger), fresh)
    assert (fresh.lines, str(fresh), fresh.left) == (ledger.lines, str(ledger), ledger.left)


def test_uses_of_the_first_format_are_told_apart_by_their_places():
    words = ("GaussianDP", 0.5, 0.0, "local", False, "reports", 1)
    read = Ledger.read_format(1, {"_uses": (words, words)})
    assert [use[:-1] for use in read["_uses"]] == [words, words]
    assert len({use[-1] for use in read["_uses"]}) == 2
    assert Ledger.read_format(2, read) is read


def test_a_copy_spends_from_the_same_limit():
    ledger = Ledger(PureDP(1.0, "central"))
    copies = [copy.copy(ledger), copy.deepcopy(ledger), copy.deepcopy([{"of": ledger}])[0]["of"]]
    for each_ in copies[:2]:
        each_.spend(PureDP(0.5, "central"), "half")
    with refused("exceeds the limit"):
        copies[2].spend(PureDP(0.5, "central"), "half")
    assert ledger.pure.epsilon == 1.0
    with refused("a pickled copy would spend the limit twice"):
        pickle.dumps(ledger)


G, P, A = GaussianDP(0.5, "local"), PureDP(0.2, "central"), ApproximateDP(0.3, 1e-6, "central")


@each(
    ("uses", "together"),
    [
        ((G,), G),
        ((G, G, G, G), GaussianDP(1.0, "local")),
        ((P, P, P), PureDP(0.6000000000000001, "central")),
        ((G, GaussianDP(0.0, "central")), GaussianDP(0.5, "central")),  # a curator has seen something
        ((A,), A),
        ((P, A), ApproximateDP(0.5, 1e-6, "central")),
        ((G, P), GaussianDP(math.hypot(0.5, to_gaussian(P).mu), "central")),
    ],
)
def test_what_is_composed_is_of_the_kind_of_the_uses(uses, together):
    found = compose(*uses)
    assert type(found) is type(together)
    assert str(found) == str(together)


def test_at_a_delta_uses_compose_as_in_a_ledger():
    ledger = Ledger(GaussianDP(math.inf, "central"))
    for use in (G, P, A, G):
        ledger.spend(use, "a use")
    assert compose(G, P, A, G, delta=1e-4) == ApproximateDP(ledger.epsilon(1e-4), 1e-4, "central")
    assert compose(G, delta=1e-4).epsilon == pytest.approx(G.epsilon(1e-4), rel=1e-13)
    assert compose(A, delta=1e-7).epsilon == math.inf


def test_simulated_noise_in_one_use_is_told_of_all_whatever_their_order():
    marked = GaussianDP(0.5, "local", simulated=True)
    assert all(compose(*uses).simulated for uses in ((G, marked), (marked, G)))
    assert compose(marked, P, delta=0.1).simulated
    assert compose(PureDP(0.1, "local", simulated=True), A).simulated
    assert not compose(G, P, delta=0.1).simulated
    for use in (
        marked,
        PureDP(0.1, "local", simulated=True),
        ApproximateDP(0.1, 1e-6, "local", simulated=True),
    ):
        ledger = Ledger(OPEN)
        ledger.spend(use, "a use")
        assert "simulated noise" in str(ledger).splitlines()[2]


def closed(**wrong):
    return lambda: advanced_epsilon(**{"epsilon": 1.0, "count": 3, "delta": 0.1} | wrong)


def exact(epsilon=1.0, mu=0.0, pure=()):
    return lambda: exact_delta(epsilon=epsilon, mu=mu, pure=pure)


AT_LEAST_0, BELOW_1 = "write a number that is at least 0", "write a number from 0 to 1, and below 1"


@each(
    ("act", "said"),
    [
        (lambda: Ledger(1.0), r"ledger: the limit 1\.0; write GaussianDP\(mu, model\), PureDP\("),
        (
            lambda: Ledger(ApproximateDP(1e-6, 1.0, "central")),
            ".* promises nothing: write a delta such as 1e-6$",
        ),
        (lambda: compose([G, G]), r"compose: \[.*\] was given; write guarantees, as compose\(first, second"),
        (lambda: compose(G, A), r"compose: a guarantee with a delta among Gaussian ones; write compose\("),
        (lambda: in_rounds(1.0, 3), r"in_rounds: 1\.0 was asked for"),
        (lambda: in_rounds(ONE, 0), "in_rounds: rounds = 0"),
        (lambda: in_rounds(ONE, 1.5), r"in_rounds: rounds = 1\.5"),
        (lambda: in_rounds(Uniform(2, rng=1), 3), "in_rounds: .* write privacy_report of this Uniform$"),
        (exact(epsilon=-1.0), f"epsilon = -1: {AT_LEAST_0}"),
        (exact(mu=-1.0), f"mu = -1: {AT_LEAST_0}"),
        (exact(pure=[(-0.1, 1)]), rf"level = -0\.1: {AT_LEAST_0}"),
        (exact(pure=[(0.1, -1)]), "composition: number of steps = -1: write a whole number of at least 0"),
        (lambda: exact_epsilon(delta=1.5), r"delta = 1\.5: write a number from 0 to 1$"),
        (closed(epsilon=-1.0), f"composition: epsilon = -1.*: {AT_LEAST_0}$"),
        (closed(epsilon=math.nan), f"composition: epsilon = nan.*: {AT_LEAST_0}$"),
        (closed(epsilon=np.ones((2, 2))), f"composition: epsilon [^\n]*: {AT_LEAST_0}$"),
        (closed(count=-3), f"composition: count = -3.*: {AT_LEAST_0}$"),
        (closed(delta=1.0), f"composition: delta = 1.*: {BELOW_1}$"),
        (closed(delta=-0.1), rf"composition: delta = -0\.1.*: {BELOW_1}$"),
    ],
)
def test_what_is_out_of_range_or_no_guarantee_is_refused_in_one_line(act, said):
    with refused(f"^{said}"):
        act()
