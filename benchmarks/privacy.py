"""Privacy accounting, compared with many digits, the textbook formula and, if installed, Google's accountant."""

import math

import mpmath
import numpy as np
from scipy import optimize, stats
from scipy.special import ndtr

from benchmarks import clock
from private_experts.privacy import gaussian_mechanism, gaussian_mixtures

DIGITS = 60
# (epsilon, mu): ordinary values, a delta near 1e-300, and values where the two terms of the formula cancel.
POINTS = [(1.0, 1.0), (3.0, 0.5), (8.0, 1.0), (1.0, 0.1), (2.5e-6, 1e-6), (37.5, 1.0)]


def precise(epsilon, mu):
    with mpmath.workdps(DIGITS):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(mu)
        return mpmath.ncdf(-e / m + m / 2) - mpmath.exp(e) * mpmath.ncdf(-e / m - m / 2)


def textbook(epsilon, mu):
    return stats.norm.cdf(-epsilon / mu + mu / 2) - np.exp(epsilon) * stats.norm.cdf(-epsilon / mu - mu / 2)


def accountant():
    """Return the module dp_accounting by Google, or None if it is not installed."""
    try:
        import dp_accounting
        from dp_accounting.pld import privacy_loss_distribution  # noqa: F401
    except ImportError:
        print("\n(dp-accounting is not installed: its rows are left out)")
        return None
    return dp_accounting


def error(value, exact):
    with mpmath.workdps(DIGITS):
        return f"{float(abs(mpmath.mpf(float(value)) / exact - 1)):.0e}"


def digits():
    rows = {}
    for epsilon, mu in POINTS:
        exact = precise(epsilon, mu)
        ours, plain = (error(form(epsilon, mu), exact) for form in (gaussian_mechanism.delta, textbook))
        rows[f"epsilon {epsilon:g}, mu {mu:g}: delta {float(exact):.3g}"] = f"ours {ours}, textbook form {plain}"
    clock.report(f"Relative error of delta(epsilon), against {DIGITS} digits", rows)


def profile(size=10_000, few=100):
    epsilon, mu = np.linspace(0, 4, size), np.geomspace(0.1, 2, size)
    times = clock.seconds(
        {
            "many digits": lambda: [precise(*pair) for pair in zip(epsilon[:few], mu[:few], strict=True)],
            "textbook, scipy.stats": lambda: textbook(epsilon, mu),
            "ours": lambda: gaussian_mechanism.delta(epsilon, mu),
        }
    )
    each = {name: value / (few if name == "many digits" else size) for name, value in times.items()}
    clock.report(
        f"delta(epsilon), an array of {size}, each",
        {name: f"{1e6 * value:.2f} us  {value / each['ours']:.1f}x" for name, value in each.items()},
    )


def inverses(google, size=1000):
    epsilon, delta = np.geomspace(0.1, 10, size), np.geomspace(1e-2, 1e-12, size)
    mu = gaussian_mechanism.calibrate_mu(epsilon, delta)
    few = 20
    pairs = list(zip(delta[:few], mu[:few], strict=True))
    calls = {
        "epsilon, ours": (size, lambda: gaussian_mechanism.epsilon(delta, mu)),
        "mu, ours": (size, lambda: gaussian_mechanism.calibrate_mu(epsilon, delta)),
        "epsilon, ours, one number a call": (few, lambda: [gaussian_mechanism.epsilon(*p) for p in pairs]),
    }
    rest = {}
    if google:

        def calibrate():
            return [1 / google.get_sigma_gaussian(*p) for p in zip(epsilon[:few], delta[:few], strict=True)]

        calls["epsilon, dp-accounting"] = (few, lambda: [google.get_epsilon_gaussian(1 / m, d) for d, m in pairs])
        calls["mu, dp-accounting"] = (few, calibrate)
        theirs = calibrate()
        rest["mu, largest relative difference"] = f"{np.max(np.abs(np.array(theirs) / mu[:few] - 1)):.0e}"
    again = np.max(np.abs(gaussian_mechanism.epsilon(delta, mu) / epsilon - 1))
    rest["(epsilon, delta) -> mu -> epsilon, relative error"] = f"{again:.0e}"
    times = clock.seconds({name: call for name, (_, call) in calls.items()}, rounds=3)
    each = {name: times[name] / count for name, (count, _) in calls.items()}
    clock.report(
        f"Inverses, an array of {size}, each",
        {name: f"{1e6 * value:.1f} us" for name, value in each.items()} | rest,
    )


def composed(google, times=1000, mu=1.0, epsilon=1.0):
    """Report delta of `times` Gaussian mechanisms of total level `mu`."""
    each = np.full(times, mu / math.sqrt(times))
    exact = precise(epsilon, mu)

    def ours():
        return gaussian_mechanism.delta(epsilon, gaussian_mechanism.compose(each))

    calls = {"ours, closed form": ours}
    if google:
        from dp_accounting.pld import privacy_loss_distribution as pld

        def by_grid(interval):
            loss = pld.from_gaussian_mechanism(1 / each[0], value_discretization_interval=interval)
            return loss.self_compose(times).get_delta_for_epsilon(epsilon)

        calls |= {f"dp-accounting, PLD grid {h:g}": (lambda h=h: by_grid(h)) for h in (1e-3, 1e-4)}
    spent = clock.seconds(calls, rounds=3)
    least = min(spent.values())
    clock.report(
        f"delta({epsilon:g}) of {times} composed Gaussian mechanisms, total mu {mu:g}",
        {
            name: f"{1e3 * value:.3f} ms  {value / least:.0f}x  relative error {error(calls[name](), exact)}"
            for name, value in spent.items()
        },
    )


def curves(size=999, components=65):
    alphas = np.linspace(0, 1, size + 2)[1:-1]
    weights, mus = np.full(components, 1 / components), 1 / np.sqrt(np.arange(1, components + 1))

    def by_bisection():
        """Return the curve. Each threshold is found by scipy.optimize.brentq, one after another."""
        return [
            (weights * ndtr(s / mus - mus / 2)).sum()
            for s in (
                optimize.brentq(lambda s, a=a: (weights * ndtr(-s / mus - mus / 2)).sum() - a, -40, 40, xtol=1e-15)
                for a in alphas
            )
        ]

    calls = {
        "one mechanism": lambda: gaussian_mechanism.tradeoff(alphas, 1.0),
        "mixture, ours": lambda: gaussian_mixtures.mixture_tradeoff(alphas, weights, mus),
        "mixture, a root finder a point": by_bisection,
        "mixture, delta(epsilon)": lambda: gaussian_mixtures.mixture_delta(alphas, weights, mus),
    }
    times = clock.seconds(calls, rounds=3)
    difference = np.max(np.abs(calls["mixture, ours"]() - np.array(by_bisection())))
    clock.report(
        f"Trade-off curves at {size} points; mixtures of {components} components",
        {name: f"{1e3 * value:.2f} ms" for name, value in times.items()}
        | {"largest difference of the two mixtures": f"{difference:.0e}"},
    )


def main():
    google = accountant()
    digits()
    profile()
    inverses(google)
    composed(google)
    curves()
