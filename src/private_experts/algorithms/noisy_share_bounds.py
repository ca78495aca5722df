"""The paper's step for fixed share on noisy losses, and bounds on the regret. [mathematics/004.md#theorem-b2]"""

import math

from private_experts.algorithms.sequence_weights import count_sequences


def printed_step(n: int, horizon: int, switches: int, epsilon: float) -> float:
    """Return the paper's step, ``epsilon sqrt(S / (T log(NT)))``. [004, Theorem 5.2]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, at least 1.
    epsilon : float
        Privacy level, positive, as the paper states it: for noise of scale ``1 / epsilon``.

    Returns
    -------
    float
        The step size eta.

    Examples
    --------
    >>> from private_experts.algorithms.noisy_share_bounds import printed_step
    >>> round(printed_step(n=4, horizon=1000, switches=3, epsilon=1.0), 4)
    0.019
    """
    return epsilon * math.sqrt(switches / (horizon * math.log(n * horizon)))


def regret_bound(
    n: int, horizon: int, switches: int, eta: float, noise_scale: float, constants: tuple[float, float] = (16, 8)
) -> float:
    """Return the bound on the expected dynamic regret with Laplace noise. [004, Theorem B.2]

    ``2 S log(NT) / eta + 16 eta T (b log NT)^2 + 8 S b log(NT) + 1`` for noise of scale b with ``b log(NT) >= 1.2``,
    S at least 1, and streams that are fixed in advance. [mathematics/004.md#theorem-b2] The paper prints 10 and 4
    instead of 16 and 8. [mathematics/004.md#e004-8]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, at least 1.
    eta : float
        Step size, positive.
    noise_scale : float
        Scale b of the Laplace noise.
    constants : (float, float)
        Those of the second and the third term: (16, 8), or (10, 4) as printed.

    Returns
    -------
    float
        In units of the gains, which are in [0, 1].

    Examples
    --------
    More than a game of 1000 rounds can lose, so here the bound says nothing; see `sharper_bound`:

    >>> from private_experts.algorithms.noisy_share_bounds import regret_bound
    >>> round(regret_bound(n=4, horizon=1000, switches=3, eta=0.02, noise_scale=1.0))
    24701
    """
    log_nt = math.log(n * horizon)
    quadratic, clipping = constants
    return (
        2 * switches * log_nt / eta
        + quadratic * eta * horizon * (noise_scale * log_nt) ** 2
        + clipping * switches * noise_scale * log_nt
        + 1
    )


def sharper_bound(n: int, horizon: int, switches: int, eta: float, noise_scale: float) -> float:
    """Return a bound with the variance of the Laplace noise instead of its largest value.

    ``(S + 1) log(NT / S) / eta + eta T (1 + 2 b^2) + S + 1`` for S at least 1, steps of at most
    ``1 / (b log(N T^2 / 2))`` and streams that are fixed in advance.

    The proof is that of mirror descent with local norms. With probability 1 - 1/T no product of eta and a coordinate of
    the noise falls below -1. Given that, the noise of all coordinates still has one and the same mean, which cancels
    in differences of distributions; and ``exp(-x) - 1 + x <= x^2`` holds where it is needed. The comparison expert is
    mixed with S/T of the uniform law, which costs at most S in all. [mathematics/004.md#sharper-bound]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, at least 1.
    eta : float
        Step size, positive, at most ``1 / (b log(N T^2 / 2))``.
    noise_scale : float
        Scale b of the Laplace noise, at least 0.

    Returns
    -------
    float
        On the expected dynamic regret, in units of the gains.

    Examples
    --------
    >>> from private_experts.algorithms.noisy_share_bounds import sharper_bound
    >>> round(sharper_bound(n=4, horizon=1000, switches=3, eta=0.05, noise_scale=1.0))
    730
    """
    return (
        (switches + 1) * math.log(n * horizon / switches) / eta
        + eta * horizon * (1 + 2 * noise_scale**2)
        + switches
        + 1
    )


def comparator_noise(n: int, horizon: int, switches: int, noise_scale: float) -> float:
    """Return a bound on the largest total of the noise along a sequence of experts with at most S switches.

    ``2 b sqrt(M (T + M))`` bounds its expectation, for Laplace noise of scale b and ``M = log(1 + number of such
    sequences)``. [mathematics/004.md#comparator-noise]

    Parameters
    ----------
    n : int
        Number of experts.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S, at least 0.
    noise_scale : float
        Scale b of the Laplace noise, at least 0.

    Returns
    -------
    float
        In the unit of the noise.

    Examples
    --------
    >>> from private_experts.algorithms.noisy_share_bounds import comparator_noise
    >>> round(comparator_noise(n=4, horizon=1000, switches=3, noise_scale=1.0))
    311
    """
    m = math.log(1 + count_sequences(horizon, n, switches))
    return 2 * noise_scale * math.sqrt(m * (horizon + m))


def adaptive_bound(n: int, horizon: int, switches: int, eta: float, noise_scale: float) -> float:
    """Return a bound on the expected dynamic regret against every adaptive adversary.

    It is `sharper_bound` plus `comparator_noise`, under the same conditions but for the stream. An adversary who sees
    the plays can choose losses, and so the comparison sequence, according to the noise. For a stream that is fixed in
    advance the noise along the comparison sequence has mean 0. [mathematics/004.md#adaptive-bound]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, at least 1.
    eta : float
        Step size, positive, at most ``1 / (b log(N T^2 / 2))``.
    noise_scale : float
        Scale b of the Laplace noise, at least 0.

    Returns
    -------
    float
        In units of the gains.

    Examples
    --------
    >>> from private_experts.algorithms.noisy_share_bounds import adaptive_bound
    >>> round(adaptive_bound(n=4, horizon=1000, switches=3, eta=0.05, noise_scale=1.0))
    1041
    """
    return sharper_bound(n, horizon, switches, eta, noise_scale) + comparator_noise(n, horizon, switches, noise_scale)
