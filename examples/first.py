"""Forty hospitals, fifty weeks, reports that are private before anyone sees them: python examples/first.py.

The hospitals and their patients are made up. One person more or less moves one density by at most 1/20 a
week. Where matplotlib is installed, the game is drawn into first.png.
"""

import numpy as np

from private_experts import RWFTPL, GaussianDP, SimulatedNoise, play, static_regret

# of weeks and hospitals, in [0, 1]
densities = np.random.default_rng(0).random((50, 40)) * np.linspace(0.3, 0.6, 40)
noise = SimulatedNoise(1)  # seeded, so that you see what we see; SecureNoise protects people
guarantee = GaussianDP.from_epsilon_delta(epsilon=4.0, delta=1e-6, model="local")  # of a person in one week
planner = RWFTPL(40, guarantee, sensitivity=1 / 20, noise=noise, repetitions=100)
# the hospital of each week, in 100 repetitions
visited = play(planner, densities, noise=noise)

gains = densities[np.arange(50)[:, None], visited].cumsum(axis=0)
best = densities[:, densities.sum(axis=0).argmax()].cumsum()
random = densities.mean(axis=1).cumsum()
print("Each week's report is", planner.guarantee, "before it leaves its hospital.")
print(f"The planner finds {gains[-1].mean():.1f}, the best single hospital has {best[-1]:.1f},")
print(f"a hospital at random {random[-1]:.1f}: a regret of {static_regret(densities, visited).mean():.1f}.")

try:
    from matplotlib.figure import Figure
except ImportError:
    print("With matplotlib there is a picture as well: pip install matplotlib.")
else:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    weeks = np.arange(1, 51)
    axes.fill_between(weeks, *np.quantile(gains, [0.05, 0.95], axis=1), alpha=0.3)
    axes.plot(weeks, gains.mean(axis=1), label="planner, from private reports (band: 90 % of 100 games)")
    axes.plot(weeks, best, "k:", label="best single hospital, in hindsight")
    axes.plot(weeks, random, "--", label="a hospital at random")
    axes.set(xlabel="week", ylabel="gain so far: shares of beds, summed")
    axes.legend()
    figure.savefig("first.png", dpi=120)
    print("The game, week by week: first.png")
