"""Ball arithmetic: numbers that carry a bound on their own error, by Arb (python-flint). [Johansson 2017]

A **ball** is an interval that contains the true number. A comparison of balls is true only if it holds for
all their members: a true one is a proof, and a false one says nothing. So what is proved over boxes must not
branch on one. A **series** is a Taylor polynomial of balls: about a ball, its k-th coefficient contains
``f^(k) / k!`` on all of it. Functions take numbers, balls and series. Monotone ones are evaluated at the two
ends of a ball, which is sharp.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from private_experts.replication.ledger.evidence import NotRunError

Ball = Any  # flint.arb or flint.arb_series; a plain number stands for itself

BITS = 120  # of precision: 36 digits
_LEAST = 5e-324  # the least positive float


@functools.cache
def flint() -> ModuleType:
    """Return python-flint; without it a check is not run, and says so."""
    try:
        import flint as package
    except ImportError as missing:
        raise NotRunError("python-flint is not installed, which proves this in ball arithmetic") from missing
    return package


@contextmanager
def precision(bits: int = BITS, terms: int = 2) -> Iterator[None]:
    """Work with so many bits, and with series of so many terms."""
    # The precision is a global of the library: what is nested must get back its own.
    context = flint().ctx
    before = context.prec, context.cap
    context.prec, context.cap = bits, terms
    try:
        yield
    finally:
        context.prec, context.cap = before


def ball(low: Any, high: Any = None) -> Ball:
    """Return a number, or the interval between two, as a ball. A float is the binary number it is."""
    arb = flint().arb
    # From the float's bits: text such as "0.1" would be another number.
    return arb(low) if high is None else arb(low).union(arb(high))


def rational(text: str) -> Ball:
    """Return a decimal or a fraction, such as 0.1 or 1/3, as the number it says, not the nearest float."""
    over, _, under = text.partition("/")
    return flint().arb(over) / flint().arb(under or 1)


def ends(x: Ball) -> tuple[Ball, Ball]:
    """Return the two ends of a ball."""
    return x.lower(), x.upper()


def lower(x: Ball) -> float:
    """Return a float that is surely not above the ball."""
    return _beyond(x.lower(), -1)


def upper(x: Ball) -> float:
    """Return a float that is surely not below the ball."""
    return _beyond(x.upper(), 1)


def _beyond(end: Ball, side: int) -> float:
    """Return a float surely not above (side -1) or below (side 1) a number, also if that is nearly 0."""
    nearest = float(end)
    # Only a zero that is one may stay: a number that underflows to 0 lies beyond it by something.
    if nearest == 0 and not side * end > 0:
        return 0.0
    return nearest + side * max(abs(nearest) * 2e-16, _LEAST)


def near(x: Ball) -> float:
    """Return the float next to the middle of a ball."""
    return float(x.mid())


def largest(balls: Iterable[Ball]) -> Ball:
    """Return a ball around the largest of several numbers, whichever it is."""
    return functools.reduce(lambda one, other: one.max(other), map(ball, balls))


def smallest(balls: Iterable[Ball]) -> Ball:
    """Return a ball around the smallest of several numbers, whichever it is."""
    return functools.reduce(lambda one, other: one.min(other), map(ball, balls))


def exp(x: Ball) -> Ball:
    """Return e to the power of x."""
    return _applied("exp", x)


def log(x: Ball) -> Ball:
    """Return the natural logarithm."""
    return _applied("log", x)


def sqrt(x: Ball) -> Ball:
    """Return the square root."""
    return _applied("sqrt", x)


def geometric(x: Ball) -> Ball:
    """Return the series ``1 / (1 - xz)`` at z = 0, whose coefficients are the powers of a ball."""
    return 1 / flint().arb_series([1, -x])


def erf(x: Ball) -> Ball:
    """Return the error function."""
    return _applied("erf", x)


def erfc(x: Ball) -> Ball:
    """Return the complementary error function, accurate in its tail."""
    return _applied("erfc", x)


def expm1(x: Ball) -> Ball:
    """Return e to the power of x, minus 1, accurate near 0."""
    return exp(x) - 1 if _is_series(x) else _applied("expm1", x)


def log1p(x: Ball) -> Ball:
    """Return the logarithm of 1 + x, accurate near 0."""
    return log(1 + x) if _is_series(x) else _applied("log1p", x)


def power(x: Ball, exponent: Ball) -> Ball:
    """Return a positive x to a real power."""
    return exp(exponent * log(x))


def square(x: Ball) -> Ball:
    """Return the square, which is not negative; a product of a ball with itself does not know that."""
    package = flint()
    if isinstance(x, package.arb_series | package.acb):
        return x * x
    # By the ends of |x|: as a product, [-1, 1] times itself would be [-1, 1].
    low, high = ends(abs(ball(x)).nonnegative_part())
    return ball(low * low, high * high)


def normal_density(x: Ball) -> Ball:
    """Return the density of the standard normal law."""
    # The division by a root of 2 pi of the precision in use: a cached one of fewer digits would widen the
    # ball.
    return exp(-square(x) / 2) / _roots(flint().ctx.prec)[1]


def normal_cdf(x: Ball) -> Ball:
    """Return the distribution function of the standard normal law, accurate in its lower tail."""
    # erfc and not 1 + erf: in the lower tail the sum would cancel to a ball around 0.
    return erfc(-x / _roots(flint().ctx.prec)[0]) / 2


def normal_quantile(p: Ball) -> Ball:
    """Return the quantile of the standard normal law; of balls only, which have to lie inside (0, 1)."""
    arb = flint().arb
    # Both ends, as the quantile rises: the ball between them holds all quantiles in between.
    quantiles = [-arb(2).sqrt() * (2 * end).erfcinv() for end in ends(arb(p))]
    return quantiles[0].union(quantiles[1])


def pi() -> Ball:
    """Return the ratio of a circle's circumference to its diameter."""
    return flint().arb.pi()


def integral(function: Callable[[Ball], Ball], low: Ball, high: Ball, digits: int = 20) -> Ball:
    """Return a ball around an entire function's integral, of complex balls, by Arb's adaptive Gauss rule."""
    size = 10.0**-digits
    # The rule encloses the integral only where the integrand is analytic, which an entire function is
    # everywhere.
    return flint().acb.integral(lambda z, _: function(z), low, high, rel_tol=size, abs_tol=size * 1e-280).real


@functools.cache
def _roots(bits: int) -> tuple[Ball, Ball]:
    """Return the square roots of 2 and of 2 pi to the precision that is set now, which is so many bits."""
    with precision(2 * bits):  # so that they do not depend on the digits of pi that Arb has kept
        roots = sqrt(2), sqrt(2 * pi())
    return roots[0] * 1, roots[1] * 1


def _is_series(x: Ball) -> bool:
    return hasattr(x, "coeffs")


def _applied(name: str, x: Ball) -> Ball:
    """Apply a function by name; on balls by their ends, because all that are used this way are monotone."""
    package, kind = flint(), type(x)
    if kind is package.acb or kind is package.arb_series:
        return getattr(x, name)()
    if kind is not package.arb:
        x = package.arb(x)
    if x.is_exact():
        return getattr(x, name)()
    # A ball's own function would widen by its derivative at the middle; the ends of a monotone one are exact.
    return getattr(x.lower(), name)().union(getattr(x.upper(), name)())
