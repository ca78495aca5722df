"""A simple, slow implementation of RW-Meta: loops over repetitions and weeks, with LOBPCG in every week.

It follows the paper step by step. It shares no code with the package except the weights of the learners'
filters. So it also serves as a second route: both implementations must agree in distribution.
"""

import warnings

import numpy as np
from scipy.sparse.linalg import lobpcg

from private_experts.learners.linear_filter import trend_weights


def rw_meta(gains, scales, settings, rng):
    """Play one repetition of RW-Meta. Return its total gain."""
    weeks, n = gains.shape
    learners = len(settings) + 1
    first = rng.normal(0, scales[0], n)  # z_0
    reports = []
    totals = np.zeros(learners)
    sigma = np.zeros((learners, learners))
    leading = rng.normal(size=(learners, 1))
    earned = 0.0
    for week in range(weeks):
        actions = []
        for window, strength in settings:
            if not reports:
                actions.append(int(np.argmax(first)))
                continue
            latest = np.array(reports[-window:])[::-1]
            weights = trend_weights(window, len(latest), strength)
            actions.append(int(np.argmax(weights @ latest)))
        actions.append(int(np.argmax(first + np.sum(reports, axis=0))) if reports else int(np.argmax(first)))

        shifted = sigma - sigma.mean()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LOBPCG warns when it stops short of its tolerance
            values, leading = lobpcg(shifted, leading, largest=True, maxiter=40, tol=1e-8)
        level = max(2.0 * (week + 1), float(values[0]), float(np.linalg.eigvalsh(shifted)[-1]))
        extra = rng.multivariate_normal(
            np.zeros(learners), level * np.eye(learners) - shifted, method="eigh", check_valid="ignore"
        )
        chosen = int(np.argmax(totals + extra))
        earned += gains[week, actions[chosen]]

        report = gains[week] + rng.normal(0, scales[week], n)
        reports.append(report)
        for i in range(learners):
            totals[i] += report[actions[i]]
            for j in range(learners):
                if actions[i] == actions[j]:
                    sigma[i, j] += scales[week] ** 2
    return earned
