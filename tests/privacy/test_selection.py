"""Draws follow their laws, which agree with closed forms, another quadrature, shifted and scaled scores."""

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import stats

from private_experts.errors import InputError
from private_experts.privacy.selection import (
    exponential_law,
    exponential_mechanism,
    laplace_report_noisy_max,
    log_exponential_law,
    report_noisy_max_law,
)
from private_experts.randomness import rng_for
from tests.each import each

FALSE_ALARM = 1e-6
SCORES = [
    [0.0, 0.0],
    [3.0, -1.0, 2.75, 0.0, 0.0],
    [0.0, -1e-9, -2.0, -30.0],
]


def laplace_law(scores: list[float]) -> list[float]:
    """Return the law of report-noisy-max at scale 1 by tanh-sinh quadrature between all kinks, in floats."""

    def below(x: float) -> float:
        return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2

    def density(y: float, j: int) -> float:
        others = math.prod(below(y - other) for i, other in enumerate(scores) if i != j)
        return math.exp(-abs(y - scores[j])) / 2 * others

    cuts = sorted(
        {*scores, min(scores) - 60, *(max(scores) + k for k in (-12, -6, *range(-3, 4), 6, 12, 60))}
    )
    return [float(mpmath.fp.quad(lambda y, j=j: density(y, j), cuts)) for j in range(len(scores))]


@each("scores", SCORES)
def test_the_law_of_report_noisy_max_is_that_of_another_quadrature(scores: list[float]) -> None:
    np.testing.assert_allclose(report_noisy_max_law(scores, 1.0), laplace_law(scores), rtol=0, atol=1e-13)


def test_for_two_scores_the_law_of_report_noisy_max_has_a_closed_form() -> None:
    ahead = np.array([0.0, 1e-6, 0.1, 1.0, 5.0, 30.0, 700.0])
    law = report_noisy_max_law(np.stack([1 + 3 * ahead, np.ones(7)], axis=1), 3.0)
    np.testing.assert_allclose(law[:, 0], 1 - np.exp(-ahead) * (2 + ahead) / 4, rtol=0, atol=1e-14)
    np.testing.assert_allclose(law.sum(axis=1), 1, rtol=0, atol=1e-14)


@each(("n", "ahead"), [(100, 0.0), (10**6, 15.0)])
def test_one_ahead_of_many_alike_has_an_integral_in_one_variable(n: int, ahead: float) -> None:
    """Above the leader's score s, with u = e^-(y - s), the integrand is a power of a line; below, split."""
    best, other = report_noisy_max_law([ahead, 0.0], 1.0, counts=[1, n - 1])
    assert abs(best + (n - 1) * other - 1) < 1e-12
    m = n - 1
    with mpmath.workdps(20):
        ratio = mpmath.exp(-ahead) / 2
        above = (1 - (1 - ratio) ** (m + 1)) / (ratio * (m + 1)) / 2
        between = mpmath.quad(
            lambda v: mpmath.exp(v - ahead) / 2 * (1 - mpmath.exp(-v) / 2) ** m,
            [0, *mpmath.linspace(0, ahead, 8)[1:]] if ahead else [0, 0],
        )
        beneath = ratio * mpmath.mpf(2) ** -m / (m + 1)
    assert best == pytest.approx(float(above + between + beneath), abs=1e-13)


def test_many_rows_are_worked_off_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rng_for(0, "test selection", "parts").normal(size=(50, 3))
    expected = report_noisy_max_law(rows, 1.0)
    monkeypatch.setattr("private_experts.privacy.selection._ROOM", 1)
    np.testing.assert_array_equal(report_noisy_max_law(rows, 1.0), expected)


@each("law", [report_noisy_max_law, exponential_law])
def test_experts_that_share_a_score_are_counted_as_if_written_out(law: Any) -> None:
    short = law([1.0, 0.5, -1.0], 0.5, counts=[1, 3, 2])
    long = law([1.0, 0.5, 0.5, 0.5, -1.0, -1.0], 0.5)
    np.testing.assert_allclose(long, short[[0, 1, 1, 1, 2, 2]], rtol=0, atol=1e-14)


@each("scores", SCORES)
def test_a_shift_of_all_scores_changes_no_law_and_scores_count_in_units_of_the_noise(
    scores: list[float],
) -> None:
    values = np.array(scores)
    for law in (report_noisy_max_law, lambda values, scale: exponential_law(values, 1 / scale)):
        np.testing.assert_allclose(law(values + 1000, 2.0), law(values, 2.0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(law(3 * values, 6.0), law(values, 2.0), rtol=1e-9, atol=1e-12)


def test_the_exponential_law_is_proportional_to_the_exponentials() -> None:
    scores = np.array([0.0, 1.0, 2.5])
    np.testing.assert_allclose(
        exponential_law(scores, 0.5), np.exp(scores / 2) / np.exp(scores / 2).sum(), rtol=1e-14
    )
    np.testing.assert_allclose(exponential_law(scores, 0.0), 1 / 3, rtol=1e-14)


def test_the_logarithm_of_the_exponential_law_is_right_where_the_law_underflows() -> None:
    log_law = log_exponential_law([0.0, -3000.0], 1.0)
    assert log_law.tolist() == [0.0, -3000.0]
    assert exponential_law([0.0, -3000.0], 1.0).tolist() == [1.0, 0.0]
    np.testing.assert_array_equal(log_exponential_law([1e6, 1e6], 1.0), np.full(2, -np.log(2)))


MECHANISMS = {
    "laplace": (laplace_report_noisy_max, report_noisy_max_law, 1.5),
    "gumbel": (exponential_mechanism, exponential_law, 0.7),
}


@each("name", MECHANISMS)
def test_draws_follow_the_law(name: str) -> None:
    draw, law, parameter = MECHANISMS[name]
    scores = np.array([0.0, 1.0, -1.0, 2.0])
    drawn = draw(np.broadcast_to(scores, (20_000, 4)), parameter, rng_for(0, "test selection", name))
    counts = np.bincount(drawn, minlength=4)
    assert stats.chisquare(counts, 20_000 * law(scores, parameter)).pvalue > FALSE_ALARM
    for wrong in (0.8 * parameter, 1.25 * parameter):  # the test can tell these from the right law
        assert stats.chisquare(counts, 20_000 * law(scores, wrong)).pvalue < FALSE_ALARM


@each("name", MECHANISMS)
def test_draws_have_the_shape_of_the_scores_without_its_last_axis(name: str) -> None:
    draw, _, parameter = MECHANISMS[name]
    for shape in ((3,), (2, 5, 1)):
        assert np.shape(draw(np.zeros(shape), parameter, rng_for(0, "test selection", "shape"))) == shape[:-1]


@each("name", MECHANISMS)
@each(("experts", "size"), [(2, 1.0), (200, 1.0), (20, 1e-3), (20, 1e3)])
def test_a_draw_is_the_largest_of_scores_with_noise_of_the_stated_scale_to_the_digit(
    name: str, experts: int, size: float
) -> None:
    """Each expert in each row has its own: no row of so many has the noise of another."""
    draw, _, parameter = MECHANISMS[name]
    scores = size * rng_for(0, "test selection", "scores").random((70, 80, experts))
    scores[..., -1] -= 100 * size  # one who is far behind changes nothing for the others
    scores += 1e4 * size * np.arange(-35, 35)[:, None, None]  # nor does what all have
    parameter = parameter * size if name == "laplace" else parameter / size  # a rate falls as scores grow
    rng, again = (rng_for(0, "test selection", "digits") for _ in range(2))
    noisy = {
        "laplace": lambda: scores + again.laplace(scale=parameter, size=scores.shape),
        "gumbel": lambda: parameter * scores - np.log(again.standard_exponential(scores.shape)),
    }[name]()
    drawn = [draw(of_round, parameter, rng) for of_round in scores]
    np.testing.assert_array_equal(drawn, noisy.argmax(axis=-1))


@each("name", MECHANISMS)
def test_one_row_of_scores_is_drawn_like_the_first_of_many(name: str) -> None:
    draw, _, parameter = MECHANISMS[name]
    row, many = np.array([0.3, 1.1, 0.8, 0.0]), 300
    streams = [[rng_for(0, "test selection", "alone", game) for game in range(many)] for _ in range(3)]
    alone = [int(draw(row, parameter, rng)) for rng in streams[0]]
    assert alone == [int(draw(row[None], parameter, rng)[0]) for rng in streams[1]]
    assert alone == [int(draw(np.tile(row, (2, 1)), parameter, rng)[0]) for rng in streams[2]]


def test_without_noise_the_first_of_the_largest_is_reported() -> None:
    assert laplace_report_noisy_max([[1.0, 2.0, 2.0]], 0.0, rng_for(0)).tolist() == [1]


@each("wrong", [-1.0, float("nan")])
def test_noise_that_is_none_is_refused(wrong: float) -> None:
    for call in (
        lambda: laplace_report_noisy_max([0.0], wrong, rng_for(0)),
        lambda: exponential_mechanism([0.0], wrong, rng_for(0)),
        lambda: exponential_law([0.0], wrong),
        lambda: report_noisy_max_law([0.0], wrong),
    ):
        with pytest.raises(InputError, match="write a"):
            call()
    with pytest.raises(InputError, match="rate = inf: write a number of at least 0"):
        exponential_law([0.0], np.inf)
    with pytest.raises(InputError, match="positive"):
        report_noisy_max_law([0.0], 0.0)
