"""Forty hospitals, fifty weeks, reports that are private before anyone sees them: python examples/first.py.

The hospitals and their patients are made up. One person more or less moves one density by at most 1/20 a
week.
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

gain = densities[np.arange(50)[:, None], visited].sum(axis=0).mean()
print("Each week's report is", planner.guarantee, "before it leaves its hospital.")
print(f"The planner finds {gain:.1f}, the best single hospital has {densities.sum(axis=0).max():.1f},")
regret = static_regret(densities, visited).mean()
print(f"a hospital at random {densities.mean(axis=1).sum():.1f}: a regret of {regret:.1f}.")
