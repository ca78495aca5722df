"""The log-partition function along a loss: its slope and curvature are mean and variance. [001, Lemma D.3]"""

from collections.abc import Callable, Sequence
from itertools import product

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    flint,
    largest,
    log,
    precision,
    rational,
    square,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.gauss import rest, rule
from private_experts.replication.ledger.evidence import Grid, Point

_BITS = 160
_PANELS = 16  # of the interval from -1/2 to 1/2
_NODES = 26
# of the discs, in half-widths of a panel: the soft absolute has its nearest singularity at pi i / 6
_REACH = 5.0


def _soft_absolute(z: Ball) -> Ball:
    """Return ``log(2 cosh 3z) / 3``, which is analytic where the cosine has a positive real part."""
    both = exp(3 * z) + exp(-3 * z)
    # The principal logarithm is analytic there; elsewhere the ball would hide a branch cut.
    if not both.real > 0:
        raise ValueError("the disc comes near a singularity of the soft absolute")
    return log(both) / 3


SMOOTH: dict[str, Callable[[Ball], Ball]] = {
    "linear": lambda z: z,
    "quadratic": lambda z: square(z - rational("0.3")) / 2,
    "soft absolute": _soft_absolute,
}


def _sums(masses: Sequence[Ball], factors: Sequence[Ball]) -> Ball:
    return sum((mass * factor for mass, factor in zip(masses, factors, strict=True)), ball(0))


def _quotients(here: Ball, before: Ball, after: Ball, step: Ball, most: Ball) -> tuple[Ball, Ball]:
    """Return log Z's slope and curvature from Z at three places a step apart for ``|beta loss| <= most``."""
    # Within this radius the moment function has no zero, so its logarithm is analytic and Cauchy bounds its
    # derivatives.
    radius = rational("0.4") / most
    share = square(step / radius)
    off = ball(-1, 1) * rational("0.68") * share / (1 - share)
    slope = (log(after) - log(before)) / (2 * step)
    curvature = log(after * before / square(here)) / square(step)
    return slope + off / radius, curvature + 2 * off / square(radius)


@precision(_BITS)
def partition(cells: Grid) -> list[Point]:
    """The log-partition function of a loss is convex, with slope -beta times the mean loss. [001, Lemma D.3]

    Slope and curvature come from differences of the function itself, the mean and the variance from the law.
    [mathematics/001.md#second-order-bound]
    """
    half, (nodes, weights) = ball(1) / (2 * _PANELS), rule(_NODES)
    centres = [(2 * k + 1) * half - ball(1) / 2 for k in range(_PANELS)]
    reach, error = half * _REACH, half * rest(_NODES, _REACH) * ball(-1, 1)
    x = [centre + half * node for centre in centres for node in nodes]
    # Around each panel, since the rule's error is bounded by the integrand's size in the plane.
    discs = [flint().acb(centre + reach * ball(-1, 1), reach * ball(-1, 1)) for centre in centres]
    at, around = ({name: [loss(z) for z in places] for name, loss in SMOOTH.items()} for places in (x, discs))
    squares, squares_around = [z * z / 2 for z in x], [(square(z) / 2).real for z in discs]
    points, step, allowed = [], rational(str(cells["step"])), rational(str(cells["allowed"]))
    for second, beta in product(SMOOTH, cells["beta"]):
        loss, size = at[second], largest(map(abs, around[second])).upper()
        up, down = ([exp(sign * step * beta * value) for value in loss] for sign in (1, -1))
        for first, lam, s in product(SMOOTH, cells["lam"], cells["s"]):
            potential = [
                one + lam * two + s * three for one, two, three in zip(at[first], squares, loss, strict=True)
            ]
            masses = [half * w * exp(-beta * v) for w, v in zip(weights * _PANELS, potential, strict=True)]
            lows = zip(around[first], squares_around, around[second], strict=True)
            sizes = [exp(-beta * (one.real + lam * two + s * three.real)) for one, two, three in lows]
            most = sum((bound.upper() for bound in sizes), ball(0))
            # Absolute, as sizes on the discs are far above those on the line.
            off = error * most * exp(step * beta * size)  # of all three partition functions
            here, after, before = sum(masses, off), _sums(masses, down) + off, _sums(masses, up) + off
            mean = (_sums(masses, loss) + off * size) / here
            variance = (_sums(masses, [value * value for value in loss]) + off * size**2) / here - mean**2
            slope, curvature = _quotients(here, before, after, step, beta * size)
            where = {"loss before": first, "loss": second, "beta": beta, "lam": lam, "s": s}
            # Two routes: differences of log Z, which know no moments, and moments of the law.
            gaps = {"slope": abs(slope / beta + mean), "curvature": abs(curvature / beta**2 - variance)}
            points += [at_point({**where, "quantity": name}, gap, allowed) for name, gap in gaps.items()]
    return points
