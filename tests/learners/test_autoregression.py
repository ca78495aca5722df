import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.learners import Autoregressions
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of


def rng(*key):
    return rng_for(0, "test autoregressions", *key)


def ridge_forecast(history, window, strength, order, intercept):
    """One expert: regress y_s on its `order` reports before, all within the window, from history (t,)."""
    held = history[-window:]
    if len(held) <= order:
        return held.mean()
    rows = [[0.0] + [np.sqrt(strength) * (i == j) for j in range(order)] for i in range(order)]
    targets = [0.0] * order
    for s in range(order, len(held)):
        rows.append([float(intercept), *held[s - order : s][::-1]])
        targets.append(held[s])
    (constant, *slopes), *_ = np.linalg.lstsq(np.array(rows), np.array(targets), rcond=None)
    return intercept * constant + np.array(slopes) @ held[-order:][::-1]


@settings(deadline=None, max_examples=40, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(1, 7), st.floats(0.01, 100)), min_size=1, max_size=4),
    st.tuples(st.integers(1, 3), st.integers(1, 4)),
    st.integers(1, 3),
    st.booleans(),
    st.integers(0, 9),
)
def test_forecasts_are_an_explicit_ridge_regression_of_each_expert(learners, shape, order, intercept, key):
    # 16 rounds leave every window, of at most 7 rounds, more than twice.
    reports = rng("levels", key).normal(size=shape) + rng("reports", key).normal(size=(16, *shape))
    bank = Autoregressions(learners, report_of(np.zeros(shape)), order=order, intercept=intercept)
    for t in range(1, 17):
        bank.update(report_of(reports[t - 1]))
        forecast = bank.forecast()
        assert forecast.shape == (len(learners), *shape)
        for row, (window, strength) in enumerate(learners):
            for place in np.ndindex(*shape):
                expected = ridge_forecast(reports[(slice(t), *place)], window, strength, order, intercept)
                np.testing.assert_allclose(forecast[(row, *place)], expected, rtol=0, atol=1e-8)
        np.testing.assert_array_equal(bank.predict(), forecast.argmax(axis=-1))


@each("order", [0, -1, True, 1.5])
def test_an_order_that_is_no_whole_number_of_at_least_one_is_refused(order):
    with pytest.raises(InputError, match="order"):
        Autoregressions([(8, 1.0)], report_of(np.zeros((1, 2))), order=order)
