"""The paper's step for fixed share on noisy losses, and regret bounds. [mathematics/004.md#theorem-b2]"""

import math

from private_experts.algorithms.sequence_weights import count_sequences
from private_experts.validation import plain_numbers


@plain_numbers
def printed_step(n: int, horizon: int, switches: int, epsilon: float) -> float:
    """Return the step ``epsilon sqrt(S / (T log(NT)))``, for noise of scale 1/epsilon. [004, Theorem 5.2]"""
    return epsilon * math.sqrt(switches / (horizon * math.log(n * horizon)))


@plain_numbers
def regret_bound(
    n: int,
    horizon: int,
    switches: int,
    eta: float,
    noise_scale: float,
    constants: tuple[float, float] = (16, 8),
) -> float:
    """Return the bound on expected dynamic regret with Laplace noise, in units of gains. [004, Theorem B.2]

    ``2 S log(NT) / eta + 16 eta T (b log NT)^2 + 8 S b log(NT) + 1`` for noise of scale b with ``b log(NT) >=
    1.2``, S at least 1, and streams that are fixed in advance. [mathematics/004.md#theorem-b2] The paper
    prints 10 and 4 instead of 16 and 8. [mathematics/004.md#e004-8]
    """
    # By a union over all N T coordinates, noise is at most about b log(NT); each term of the proof uses that
    # once.
    log_nt = math.log(n * horizon)
    quadratic, clipping = constants
    return (
        2 * switches * log_nt / eta
        + quadratic * eta * horizon * (noise_scale * log_nt) ** 2
        + clipping * switches * noise_scale * log_nt
        + 1
    )


@plain_numbers
def sharper_bound(n: int, horizon: int, switches: int, eta: float, noise_scale: float) -> float:
    """Return a bound with the variance of the Laplace noise instead of its largest value.

    ``(S + 1) log(NT / S) / eta + eta T (1 + 2 b^2) + S + 1`` for S at least 1, steps of at most ``1 / (b
    log(N T^2 / 2))`` and streams that are fixed in advance. Gaussian noise of deviation s has the same bound
    with ``b = s / sqrt(2)``, for steps of at most ``1 / (s sqrt(2 log(N T^2 / 2)))``.

    The proof is that of mirror descent with local norms. With probability 1 - 1/T no product of eta and a
    coordinate of the noise falls below -1. Given that, the noise of all coordinates still has one and the
    same mean, which cancels in differences of distributions; and ``exp(-x) - 1 + x <= x^2`` holds where it is
    needed. The comparison expert is mixed with S/T of the uniform law, which costs at most S in all.
    [mathematics/004.md#sharper-bound]
    """
    return (
        (switches + 1) * math.log(n * horizon / switches) / eta
        + eta * horizon * (1 + 2 * noise_scale**2)
        + switches
        + 1
    )


@plain_numbers
def comparator_noise(n: int, horizon: int, switches: int, noise_scale: float) -> float:
    """Return a bound on the largest total of the noise along a sequence of experts with at most S switches.

    ``2 b sqrt(M (T + M))`` bounds its expectation, for Laplace noise of scale b and ``M = log(1 + number of
    such sequences)``. [mathematics/004.md#comparator-noise]
    """
    # A union over the sequences, whose logarithm is of order S log(NT), though there are exponentially many.
    m = math.log(1 + count_sequences(horizon, n, switches))
    return 2 * noise_scale * math.sqrt(m * (horizon + m))


@plain_numbers
def adaptive_bound(n: int, horizon: int, switches: int, eta: float, noise_scale: float) -> float:
    """Return a bound on the expected dynamic regret against every adaptive adversary.

    It is `sharper_bound` plus `comparator_noise`, under the same conditions but for the stream. An adversary
    who sees the plays can choose losses, and so the comparison sequence, according to the noise. For a stream
    that is fixed in advance the noise along the comparison sequence has mean 0. It needs what `sharper_bound`
    needs. [mathematics/004.md#adaptive-bound]
    """
    return sharper_bound(n, horizon, switches, eta, noise_scale) + comparator_noise(
        n, horizon, switches, noise_scale
    )
