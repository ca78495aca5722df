"""Laws and bounds of paper 000 on balls: changes of the leader, and the gap of n normals.

Written from the formulas of the documents, and not from the library, whose numbers are compared with them.
[mathematics/000.md#gap] [mathematics/000.md#theorem-1]
"""

from private_experts.replication.claims.certified.balls import (
    Ball,
    ball,
    erf,
    erfc,
    exp,
    integral,
    normal_cdf,
    normal_density,
    pi,
    sqrt,
    square,
)

_REACH = 14  # of integrals, in standard deviations; what lies beyond is bounded and added


def theorem_1(beta: Ball) -> Ball:
    """Return P(beta), Theorem 1's bound on a change of leader."""
    return erfc(beta) + sqrt(2) * exp(-square(beta) / 2) * erf(beta / sqrt(2))


def levy(ahead: Ball, challengers: Ball) -> Ball:
    """Return Levy's bound on a change of leader, at a lead of so many times ``eta sqrt(2 B)``."""
    return challengers * erfc(ahead / sqrt(2))


def gap_survival(e: Ball, n: int) -> Ball:
    """Return P(gap > e) for n standard normals. [000, Equation (1)]"""
    inside = integral(lambda x: normal_density(x) * normal_cdf(x - e) ** (n - 1), -_REACH, _REACH)
    return n * (inside + ball(0, 2 * normal_cdf(ball(-_REACH)).upper()))


def gap_survival_by_second(e: Ball, n: int) -> Ball:
    """Return the same by the second largest: its law, and that the largest is further above than e.

    Any of n coordinates is the second largest, and any other one the largest. [mathematics/000.md#gap-distribution]
    """
    inside = integral(lambda y: normal_density(y) * normal_cdf(y) ** (n - 2) * normal_cdf(-y - e), -_REACH, _REACH)
    return n * (n - 1) * (inside + ball(0, 2 * normal_cdf(ball(-_REACH)).upper()))


def gap_density(e: Ball, n: int) -> Ball:
    """Return the density of the gap of n standard normals, as a product of two factors that fall in e.

    It is equation (1) with x = u + e / 2. [mathematics/000.md#gap-density]
    """
    inside = integral(lambda u: exp(-u * u) * normal_cdf(u - e / 2) ** (n - 2), -_REACH, _REACH)
    return n * (n - 1) * exp(-square(e) / 4) / (2 * pi()) * (inside + _beyond())


def gap_density_printed(e: Ball, n: int) -> Ball:
    """Return the density of the gap of n standard normals, by the integral of equation (1) as it stands. [000]"""
    inside = integral(
        lambda x: normal_density(x) * normal_density(x - e) * normal_cdf(x - e) ** (n - 2), -_REACH, _REACH
    )
    return n * (n - 1) * (inside + ball(0, 2 * normal_cdf(ball(-_REACH)).upper()))


def gap_density_slope(e: Ball, n: int) -> Ball:
    """Return the derivative of `gap_density` in e, from the integral of equation (1) as it stands."""

    def integrand(x: Ball) -> Ball:
        density, below = normal_density(x - e), normal_cdf(x - e)
        change = (x - e) * density * below ** (n - 2)
        if n > 2:
            change = change - (n - 2) * density * density * below ** (n - 3)
        return normal_density(x) * change

    # Beyond the range the integrand is at most (|x| + e + n) phi(x), for e at most 10.
    beyond = 2 * (n + 12) * normal_cdf(ball(-_REACH + 1)).upper()
    return n * (n - 1) * (integral(integrand, -_REACH, _REACH) + ball(-beyond, beyond))


def _beyond() -> Ball:
    return ball(0, (sqrt(pi()) * erfc(ball(_REACH))).upper())
