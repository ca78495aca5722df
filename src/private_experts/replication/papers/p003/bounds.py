"""Bounds of paper 003 and alternatives, on balls; k is log K and t is log T. [mathematics/003.md#orders]

Written from the formulas of the documents, and not from the library, whose numbers are compared with them.
"""

from private_experts.replication.balls.balls import Ball, exp, expm1, log, log1p, power, sqrt


def span(k: Ball, t: Ball) -> Ball:
    """Return ``log((K + 1) T)``, the span of clipped log-likelihoods."""
    return k + t + log1p(exp(-k))


def rate(k: Ball, t: Ball, epsilon: Ball) -> Ball:
    """Return Theorem 2's rate, ``sqrt(K T log^5(K T)) / epsilon``."""
    return exp((k + t) / 2) * power(k + t, 2.5) / epsilon


def theorem_5_over_rate(k: Ball, t: Ball, epsilon: Ball) -> Ball:
    """Return Theorem 5's bound over Theorem 2's rate, so that nothing is divided by epsilon."""
    noise = epsilon + 2 * (2 * t + k)
    return span(k, t) * (sqrt(2 * k) * noise + 4 * epsilon * exp(-(k + t) / 2)) / power(k + t, 2.5)


def theorem_5(k: Ball, t: Ball, epsilon: Ball) -> Ball:
    """Return Theorem 5's bound."""
    return theorem_5_over_rate(k, t, epsilon) * rate(k, t, epsilon)


def theorem_4_over_rate(k: Ball, t: Ball, root: Ball, share: Ball) -> Ball:
    """Return Theorem 4's bound over the rate of the remark after it, ``sqrt(log(1/delta))`` times `rate`."""
    noise = root * share * exp(-k / 2) + 2 * (2 * t + k) * (2 * sqrt(2) + share)
    rest = 4 * root * share * exp(-(k + t) / 2)
    return span(k, t) * (sqrt(2 * k) * noise + rest) / power(k + t, 2.5)


def posterior(k: Ball, t: Ball, epsilon: Ball, labels: Ball) -> Ball:
    """Return the risk bound of randomised response with a posterior. [mathematics/003.md#large-epsilon]"""
    flip = 1 / (exp(epsilon) + labels - 1)
    contrast = expm1(epsilon) * flip
    added = labels * flip * -log(flip) / contrast - log1p(-labels * flip) + exp(k) * labels * flip
    return k / contrast + exp(t) * added
