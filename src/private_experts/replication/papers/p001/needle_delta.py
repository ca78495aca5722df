"""Delta of fresh draws on a needle whose edges are far away, between two bounds. [001, Appendix D]"""

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, log, near, normal_cdf, power, sqrt, square
from private_experts.replication.papers.p001.gaussian_gibbs import normal_delta


class Needle:
    """Delta of fresh draws from the first of two streams with slopes (2, T), at any epsilon, between two balls."""

    shift = lost = slack = 0.0

    def __init__(self, slopes: Array, beta: float, lam: float, half: float) -> None:
        sums = slopes[:, :-1].cumsum(axis=1)
        self._lam, self._half, self._root = ball(lam), half, sqrt(ball(beta) * lam)
        one, two = sums[:, sums[0] != sums[1]]
        self._sums, self._apart = [ball(each) for each in one.tolist()], [ball(each) for each in (two - one).tolist()]
        self._variance = sum((square(each) for each in self._apart), ball(0)) * beta / lam
        beyond = [log(1 - self._beyond(-each / self._lam)) for each in self._sums]
        others = [log(1 - self._beyond(-each / self._lam)) for each in map(ball, two.tolist())]
        self._log_inside = sum(beyond, ball(0))
        self._moved = sum(others, ball(0)) - self._log_inside

    def near(self, epsilon: float) -> float:
        """Return delta in floats, as a guide."""
        return near(self._normal(ball(epsilon) - self._moved))

    def above(self, epsilon: float) -> Ball:
        """Return what delta is at most."""
        return self._normal(ball(epsilon) - self._moved) / exp(self._log_inside)

    def below(self, epsilon: float) -> Ball:
        """Return what delta is at least: less a bound on what the normal law has beyond the edges, by tilting."""
        x = ball(epsilon) - self._moved
        c = ball(max(near(x / self._variance) - 0.5, 1.0))
        tilted = zip(self._sums, self._apart, strict=True)
        outside = sum((self._beyond((c * apart - total) / self._lam) for total, apart in tilted), ball(0))
        left_out = outside * power(c / (c + 1), c) / (c + 1) * exp(self._variance * c * (c + 1) / 2 - c * x)
        return (self._normal(x) - left_out) / exp(self._log_inside)

    def _beyond(self, mean: Ball) -> Ball:
        """Return the mass of a normal draw beyond the edges."""
        return normal_cdf((mean - self._half) * self._root) + normal_cdf((-mean - self._half) * self._root)

    def _normal(self, x: Ball) -> Ball:
        """Return delta of draws without edges, whose loss is normal."""
        return normal_delta(x, sqrt(self._variance))
