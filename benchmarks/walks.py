"""Gaussian walks: batch sizes from their law or by playing every round; the table of Theorem 1's inverse."""

import mpmath
import numpy as np

from benchmarks import clock
from private_experts.algorithms import RWAdaBatch, simulate_batches
from private_experts.privacy import GaussianDP, SimulatedNoise, privatize
from private_experts.randomness import rng_for
from private_experts.walks.leader_change import inverse_exact, look_up

ALPHA = 0.01


def play(n, eta, horizon, repetitions):
    """Play every round of a game without gains; return the sizes of the batches with round horizon / 2."""
    noise = SimulatedNoise(rng_for(1, "benchmark walks", "play"))
    guarantee = GaussianDP(1.0, "local")  # of a value that one person moves by eta, so that the noise is eta
    algorithm = RWAdaBatch(
        n, guarantee, noise_scale=eta, noise=noise, alpha=ALPHA, repetitions=repetitions, horizon=horizon
    )
    nothing = np.zeros(n)
    for _ in range(horizon):
        algorithm.predict()
        algorithm.update(privatize(nothing, guarantee, eta, noise, repetitions=repetitions))
    return algorithm.containing_sizes()[horizon // 2 - 1]


def draw(n, eta, horizon, repetitions):
    """Draw the same batch sizes from their law."""
    rng = rng_for(1, "benchmark walks", "draw")
    return simulate_batches(n, eta, horizon, repetitions, ALPHA, rng, rounds=[horizon // 2])[0]


def batch_sizes(horizon=100_000):
    rows = {}
    for n, eta, repetitions in ((2, 10.0, 64), (10, 10.0, 64)):
        game = (n, eta, horizon, repetitions)
        times = clock.seconds(
            {"play": lambda game=game: play(*game), "draw": lambda game=game: draw(*game)}, rounds=1
        )
        rows[f"{n} experts, {repetitions} repetitions"] = (
            f"{times['play']:.1f} s against {times['draw']:.2f} s, {times['play'] / times['draw']:.0f}x"
        )
    clock.report(
        f"Batch sizes of RW-AdaBatch over {horizon} rounds: every round played, against their law", rows
    )


def inverses(points=100_000, few=50):
    p = np.exp(-690 * rng_for(1, "benchmark walks", "inverse").random(points))

    def bound(beta, p):
        phi = mpmath.exp(-(beta**2) / 2) * mpmath.sqrt(2)
        return mpmath.log(mpmath.erfc(beta) + phi * mpmath.erf(beta / mpmath.sqrt(2))) - mpmath.log(p)

    def find():
        for probability in p[:few]:
            mpmath.findroot(
                lambda beta, probability=probability: bound(beta, mpmath.mpf(probability)),
                (1, 40),
                solver="anderson",
                tol=1e-20,
            )

    calls = {"mpmath": find, "bisection": lambda: inverse_exact(p), "table": lambda: look_up(np.log(p))}
    times = clock.seconds(calls, rounds=3)
    seconds = {name: time / (few if name == "mpmath" else points) for name, time in times.items()}
    clock.report(
        "The inverse of Theorem 1's bound, a value",
        {
            "mpmath root finding": f"{1e6 * seconds['mpmath']:.0f} us",
            "vectorised bisection": f"{1e6 * seconds['bisection']:.2f} us",
            "table": f"{1e6 * seconds['table']:.3f} us, {seconds['mpmath'] / seconds['table']:.0f}x",
            "largest difference": f"{np.abs(look_up(np.log(p)) - inverse_exact(p)).max():.1e}",
        },
    )


def main():
    batch_sizes()
    inverses()
