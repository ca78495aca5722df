"""The privacy of K Laplace mechanisms together, in closed form. [mathematics/003.md#vector-privacy]"""

import functools
import math
from typing import Any

from private_experts.replication.balls.balls import Ball, ball, exp, flint


def together(mechanisms: int, shift: Ball, epsilon: Ball) -> Ball:
    """Return the delta of K Laplace mechanisms together, whose centres are `shift` noise scales apart.

    With ``t_j = (K - 2j) shift - epsilon`` it is 0 for ``t_0 <= 0``, and otherwise, over all j with ``t_j > 0``, ``1 +
    2^(1-K) e^(-t_0 / 2) sum_j C(K, j) [x^(K-1)] (1 + x)^(K-1-j) (x - 1)^(j-1) e^(x t_j / 2)``.
    """
    most = mechanisms * shift - epsilon
    total, whole = ball(0), math.factorial(mechanisms - 1) * 2 ** (mechanisms - 1)
    for j, term in enumerate(_terms(mechanisms)):
        away = most - 2 * j * shift
        if away <= 0:
            break
        added = term(away / 2)
        if j == 0:
            added += whole * exp(most / 2)
        total += added
    return total * exp(-most / 2) / whole


@functools.cache
def _terms(mechanisms: int) -> list[Any]:
    """Return ``(K-1)! C(K, j) [x^(K-1)] ... e^(xu)`` as a polynomial in u, for every j below K/2. All are whole.

    For j = 0 the quotient by ``x - 1`` is a power series: minus the running sums of the coefficients above it.
    """
    polynomial = flint().fmpz_poly
    plus, minus = polynomial([1, 1]), polynomial([-1, 1])
    sums, total = [], 0
    for k in range(mechanisms):
        total -= math.comb(mechanisms - 1, k)
        sums.append(total)
    found = [sums]
    product = plus ** max(mechanisms - 2, 0)
    for j in range(1, (mechanisms + 1) // 2):
        found.append([math.comb(mechanisms, j) * int(product[k]) for k in range(mechanisms)])
        product = product // plus * minus
    falling = [1]  # (K-1)! / n! from n = K - 1 down to 0
    for n in range(mechanisms - 1, 0, -1):
        falling.append(falling[-1] * n)
    return [polynomial([each * by for each, by in zip(one, falling, strict=True)][::-1]) for one in found]
