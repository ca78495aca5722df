"""The least epsilon of a play for a delta, between two bounds. [mathematics/001.md#bounded-delta]"""

from typing import Protocol

from private_experts.replication.balls.balls import Ball, ball

_MOST = 1e6  # no epsilon is looked for beyond
_WIDER = [0.0, *(3.0**k for k in range(-22, -3))]  # of epsilon, relative; the least that is sure counts


class Delta(Protocol):
    """Delta at any epsilon, between two balls: ``below(epsilon)`` is about ``near(epsilon + shift) - lost``."""

    shift: float
    lost: float
    slack: float

    def near(self, epsilon: float) -> float:
        """Return delta in floats, as a guide."""
        ...

    def above(self, epsilon: float) -> Ball:
        """Return what delta is at most."""
        ...

    def below(self, epsilon: float) -> Ball:
        """Return what delta is at least."""
        ...


def epsilon_between(curve: Delta, delta: float) -> Ball:
    """Return a ball around the least epsilon, at least 0, at which delta is this; at worst around all of them."""
    high = _found(curve, delta * (1 - curve.slack))
    low = _found(curve, delta * (1 + curve.slack) + curve.lost) - curve.shift
    most = next((high * (1 + wider) for wider in _WIDER if curve.above(high * (1 + wider)) <= delta), float("inf"))
    least = next((low * (1 - wider) for wider in _WIDER if low > 0 and curve.below(low * (1 - wider)) > delta), 0.0)
    return between(least, most)


def between(least: float, most: float) -> Ball:
    """Return the ball between two bounds, of which one is wrong unless they are in order; both may be 0."""
    if not (least < most or least == most == 0):
        raise AssertionError(f"epsilon is at least {least} and at most {most}")
    return ball(least, most)


def _found(curve: Delta, delta: float) -> float:
    """Return where the guide falls to delta, by bisection."""
    if curve.near(0.0) <= delta:
        return 0.0
    high = next((1e-3 * 2.0**k for k in range(30) if curve.near(1e-3 * 2.0**k) <= delta), _MOST)
    low = 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if curve.near(middle) > delta else (low, middle)
    return high
