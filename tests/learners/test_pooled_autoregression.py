import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.learners import PooledAutoregressions
from private_experts.randomness import rng_for
from tests.noisy import report_of


def rng(*key):
    return rng_for(0, "test autoregression", *key)


def pooled_ridge_forecast(history, window, strength):
    """One repetition: regress y_s on 1, y_{s-1} and the window mean, experts pooled, from history (t, n)."""
    held = history[-window:]
    mean = held.mean(axis=0)
    rows, targets = [[0.0, np.sqrt(strength), 0.0], [0.0, 0.0, np.sqrt(strength)]], [0.0, 0.0]
    for s in range(1, len(held)):
        for i in range(held.shape[1]):
            rows.append([1.0, held[s - 1, i], mean[i]])
            targets.append(held[s, i])
    (intercept, last, level), *_ = np.linalg.lstsq(np.array(rows), np.array(targets), rcond=None)
    return intercept + last * held[-1] + level * mean


def less_mean(forecast):
    return forecast - forecast.mean(axis=-1, keepdims=True)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(2, 6), st.floats(0.01, 100)), min_size=1, max_size=4),
    st.tuples(st.integers(1, 3), st.integers(2, 5)),
    st.integers(0, 9),
)
def test_forecasts_are_an_explicit_pooled_ridge_regression_up_to_a_constant(learners, shape, key):
    # 15 rounds leave every window, of at most 6 rounds, more than twice.
    levels = rng("levels", key).normal(size=shape)
    reports = levels + rng("reports", key).normal(size=(15, *shape))
    bank = PooledAutoregressions(learners, report_of(np.zeros(shape)))
    for t in range(1, 16):
        bank.update(report_of(reports[t - 1]))
        forecast, actions = bank.forecast(), bank.predict()
        assert forecast.shape == (len(learners), *shape)
        assert actions.shape == (len(learners), shape[0])
        if t == 1:  # there is no pair of rounds yet to regress on
            continue
        for row, (window, strength) in enumerate(learners):
            for r in range(shape[0]):
                expected = pooled_ridge_forecast(reports[:t, r], window, strength)
                np.testing.assert_allclose(
                    less_mean(forecast[row, r]), less_mean(expected), rtol=0, atol=1e-8
                )
                assert expected[actions[row, r]] >= expected.max() - 1e-8
