"""What tests of random numbers and of exact laws share."""

import numpy as np
from scipy import stats
from scipy.special import ndtri


def two_samples(one, other):
    """Return the p-value of a chi-square test that two samples have one law; rare values are pooled."""
    values, places = np.unique(np.concatenate([one, other]), return_inverse=True)
    table = np.stack([np.bincount(part, minlength=values.size) for part in np.split(places, [len(one)])])
    common = table.sum(axis=0) >= 20
    table = np.column_stack([table[:, common], table[:, ~common].sum(axis=1)])
    return stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue


def gaussian_level(one, other):
    """The distance of two laws with the same support, in units of the normal law: the most over all tests."""
    likely = one > 0
    assert ((other > 0) == likely).all()
    order = np.argsort(-other[likely] / one[likely])
    errors, powers = (law[likely][order].cumsum() for law in (one, other))
    inner = (errors < 1 - 1e-9) & (powers < 1 - 1e-9)
    return float((ndtri(powers[inner]) - ndtri(errors[inner])).max(initial=0.0))
