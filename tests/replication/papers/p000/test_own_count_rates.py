"""Each step of both bounds for own counts holds, and what is wrong with one is caught there."""

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.own_counts import own_level, own_scales
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p000 import own_count_rates as checks
from private_experts.replication.study.data.panel import Panel
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, found, times

CHECKED = checks
LOWER = {
    "mu box": [1e-6, 1.0],
    "log k box": [0.6931471805599453, 60.0],
    "reports box": [0.01, 1.0],
    "n": [4],
    "mu": [1.0, 0.02],
    "T": [1, 1000],
    "instances": 1,
}
RULES = {
    "mu box": [1e-6, 1.0],
    "mu": [1.0],
    "beds": 4,
    "discrete noise": [8],
    "binomial": [5],
    "lies": [0.5],
    "cut": "1e-9",
}
GAMES = {
    "n": [4],
    "mu": [1.0],
    "T": [400],
    "seesaw": ["halves", "largest two"],
    "rises": ["largest"],
    "share": [0.3],
}
SCALED = checks.scaled_largest
COMPUTED = {"scaled_largest": lambda: ball("1.67")}
HYPOTHESIS = checks.hypothesis
OWN, MOMENTS, DIVERGENCE, FLOORED = checks.own_scale, checks._moments, checks._divergence, checks.floored


def less_variance(law: Any) -> Any:
    mean, variance = MOMENTS(law)
    return mean, 0.98 * variance


@each(
    ("check", "grid", "column", "mutants", "caught"),
    [
        (checks.lower_bound, LOWER, "step", {}, set()),
        *(
            (checks.lower_bound, LOWER, "step", {name: mutant}, {step})
            for name, mutant, step in (
                ("INFORMATION", "3.43", "one move"),
                ("SHARE", "0.19", "guess"),
                ("SHARE_OF_COINS", "0.175", "coins"),
                ("LARGEST", "1.6", "scaled largest"),
                ("APART", "92", "apart"),
                ("LARGEST_DELTA", "0.5", "beds and patients"),
                ("own_scale", times(2, OWN), "information"),  # not that of the level
                # patients that come from a hospital that is not the largest
                ("hypothesis", lambda beds, to, moved, source: HYPOTHESIS(beds, to, moved), "mean gap"),
            )
        ),
        # rules that are right in the mean, and noise that is too little or too much for the level
        (checks.unbiased, RULES, "rule", {}, set()),
        (checks.unbiased, RULES, "rule", {"own_scale": times(1.01, OWN)}, {"own counts"}),
        (checks.unbiased, RULES, "rule", {"own_scale": times(1 / 1.15, OWN)}, {"own counts"}),
        (checks.unbiased, RULES, "rule", {"_moments": less_variance}, {"discrete normal 8"}),
        (checks.unbiased, RULES, "rule", {"_divergence": times(0.97, DIVERGENCE)}, {"discrete normal 8"}),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught_in_its_step_or_rule(
    check: Any, grid: Any, column: str, mutants: Any, caught: set[str]
) -> None:
    points = found(check, grid, **mutants)
    assert decide(points) == ("fails" if caught else "holds")
    wrong = failing(points, column)
    assert wrong >= caught if column == "step" else wrong == caught  # a step needs others, a rule is alone


def test_a_round_tells_of_part_of_a_person_and_of_a_number_rounded_at_random() -> None:
    with precision():
        found = [near(checks.round_information(ball(moved), 0.5)) for moved in (0.5, 2.25)]
    assert found == pytest.approx([np.expm1(0.25) / 4, (2.25**2 + 0.25 * 0.75) / 8], rel=1e-12)


def test_the_noisiest_answers_of_two_values_have_the_divergence_of_their_chances() -> None:
    one, other = (ndtr(np.array([1, -1]) * sign) for sign in (1, -1))  # at mu = 2
    with precision():
        divergence, bound = map(near, checks._two_valued(ball(2)))
    assert (divergence, bound) == pytest.approx((((one - other) ** 2 / other).sum(), np.expm1(4)), rel=1e-9)


def test_the_scaled_largest_is_bounded_near_its_mean() -> None:
    drawn = np.random.default_rng(1).standard_normal((500, 3000)) / np.sqrt(np.log(np.arange(2, 3002)))
    with precision():
        assert drawn.max(axis=1).mean() < float(SCALED().upper()) < 1.7


def test_the_upper_bound_holds_in_play() -> None:
    assert decide(checks.regret(GAMES, 200, SEED)) == "holds"


def test_without_the_floor_the_largest_hospitals_break_it(put: Any) -> None:
    put(floored=lambda beds, mu: 1 / beds)
    assert failing(checks.regret(GAMES, 200, SEED), "seesaw") >= {"largest two"}


def test_a_leader_that_hears_no_report_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RWFTPL, "update", lambda *_: None)
    assert failing(checks.regret(GAMES, 20, SEED), "seesaw") == {"halves", "largest two"}


@each("mu", [1.0, 0.3, 0.01])
def test_the_floor_is_noise_of_at_least_half_a_variance_and_the_same_level(mu: float) -> None:
    beds = np.array([3.0, 40.0, 500.0])
    scales = own_scales(FLOORED(beds, mu), GaussianDP(mu, "local"))
    np.testing.assert_allclose(scales, np.maximum(np.sqrt(2) / (beds * mu), np.sqrt(0.5)))
    assert float(own_level(1 / beds, scales)) <= mu * (1 + 1e-12)


def test_the_mean_of_the_largest_has_a_closed_form_for_two_and_for_three_alike() -> None:
    assert checks.largest_mean(np.array([3.0, 4.0])) == pytest.approx(5 / np.sqrt(2 * np.pi), rel=1e-4)
    assert checks.largest_mean(np.full(3, 2.0)) == pytest.approx(3 / np.sqrt(np.pi), rel=1e-4)


def panel(beds: list[float] | None) -> dict[str, Panel]:
    rows = None if beds is None else np.array([beds])
    names = tuple("abcdefgh")
    return {"NM": Panel(("2021-01-03",), names, np.full((1, 8), 0.5), np.array([5.0]), rows)}


def saved(beds: list[float] | None) -> dict[Any, float]:
    grid = {"levels": [1.0, 0.05], "noise": [1.6, 4.5], "bound": [[1, 1], [1.15, 3.4]]}
    return {
        (point.where["what"], point.where["mu"]): point.value for point in checks.saved(grid, panel(beds))
    }


def test_what_is_saved_is_nothing_on_equal_beds_and_less_in_the_whole_bound() -> None:
    equal, one_small = saved([50.0] * 8), saved([5.0, *[300.0] * 7])
    assert set(np.round(list(equal.values()), 6)) == {1.0}
    assert one_small["noise", 1.0] > one_small["bound", 0.05] > one_small["bound", 1.0] == 1.0


def test_panels_without_beds_are_refused() -> None:
    with pytest.raises(NotRunError, match="beds"):
        saved(None)
