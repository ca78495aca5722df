"""River and MABWiser beside this library: regret on the same streams, and CPU time.

They are not installed with the project. In an environment of their own:

    python3 -m venv build/other
    build/other/bin/pip install . -r benchmarks/other-libraries.txt
    build/other/bin/python -m benchmarks.other_libraries    # writes the tables into docs/performance.md too
"""

import math
import sys
import time
from statistics import median

import numpy as np

from benchmarks import documents
from private_experts.algorithms import RWFTPL, FixedShare, Hedge, SleepingHedge, textbook_rate
from private_experts.privacy import GaussianDP, SimulatedNoise, privatize
from private_experts.randomness import rng_for

try:
    from mabwiser.mab import MAB, LearningPolicy
    from river import bandit, base, ensemble, optim
except ImportError as error:
    sys.exit(f"benchmarks: {error.name} is not installed; pip install -r benchmarks/other-libraries.txt")

ROUNDS, N, STREAMS, GAP = 2000, 10, 30, 0.1
RATE = math.sqrt(8 * math.log(N) / ROUNDS)
LOCAL, REACH = GaussianDP(1.0, "local"), 1.0  # noise of scale 1: a person moves a round's gains by 1


class Ours:
    """An algorithm of this library that is told all gains, or their report."""

    def __init__(self, algorithm, seed):
        self.algorithm = algorithm
        self.noise = SimulatedNoise(rng_for(seed, "reports"))

    def play(self, gains):
        actions, local = [], self.algorithm.guarantee.model == "local"
        for row in gains:
            actions.append(int(self.algorithm.predict()[0]))
            self.algorithm.update(privatize(row, LOCAL, REACH, self.noise) if local else row)
        return actions


class Advice(base.Regressor):
    """A model for River that passes on one number of what it is shown."""

    def __init__(self, number=0):
        self.number = number

    def learn_one(self, x, y):
        pass

    def predict_one(self, x):
        return x[self.number]


class RiverWeights:
    """River's exponentially weighted average: its models predict the experts' gains, and 1 would be right."""

    def __init__(self, seed):
        loss = optim.losses.Absolute()
        self.model = ensemble.EWARegressor([Advice(i) for i in range(N)], loss=loss, learning_rate=RATE)
        self.rng = rng_for(seed, "draws")

    def play(self, gains):
        actions = []
        for row in gains.tolist():
            edges = np.cumsum(self.model.weights)
            actions.append(int(np.searchsorted(edges, self.rng.random() * edges[-1])))
            self.model.learn_one(row, 1.0)
        return actions


class RiverBandit:
    """A policy of River, which is told the gain of the arm that it pulled."""

    def __init__(self, policy):
        self.policy = policy

    def play(self, gains):
        actions, arms = [], list(range(N))
        for row in gains.tolist():
            actions.append(self.policy.pull(arms))
            self.policy.update(actions[-1], row[actions[-1]])
        return actions


class Wiser:
    """A policy of MABWiser, which gets the gain of the arm that it pulled. It first pulls each arm once."""

    def __init__(self, policy, seed):
        self.model = MAB(list(range(N)), policy, seed=seed)

    def play(self, gains):
        actions = list(range(N))
        self.model.fit(actions, [float(gains[arm, arm]) for arm in actions])
        for row in gains[N:].tolist():
            actions.append(self.model.predict())
            self.model.partial_fit(actions[-1:], [row[actions[-1]]])
        return actions


def hedge(seed):
    return Ours(Hedge(N, rng=rng_for(seed, "draws")), seed)


def weights(seed):
    return Ours(FixedShare(N, horizon=ROUNDS, switches=0, eta=RATE, rng=rng_for(seed, "draws")), seed)


def leader(seed):
    start = SimulatedNoise(rng_for(seed, "start"))
    return Ours(RWFTPL(N, LOCAL, noise_scale=LOCAL.noise_scale(REACH), noise=start), seed)


def noisy_weights(seed):
    rate = textbook_rate([LOCAL.noise_scale(REACH)] * ROUNDS, N)
    return Ours(SleepingHedge(N, LOCAL, rate=rate, rng=rng_for(seed, "draws")), seed)


EXPLORATION = min(1.0, math.sqrt(N * math.log(N) / ((math.e - 1) * ROUNDS)))
PLAYERS = {
    "all gains": {
        "ours: Hedge": hedge,
        "ours: exponential weights, fixed rate": weights,
        "River: EWARegressor, the same rate": RiverWeights,
    },
    "all gains, 1-GDP at each source": {
        "ours: RW-FTPL": leader,
        "ours: SleepingHedge, all awake": noisy_weights,
    },
    "the played arm's gain (bandit)": {
        "River: Exp3": lambda seed: RiverBandit(bandit.Exp3(gamma=EXPLORATION, seed=seed)),
        "River: UCB": lambda seed: RiverBandit(bandit.UCB(delta=1, seed=seed)),
        "MABWiser: UCB1": lambda seed: Wiser(LearningPolicy.UCB1(alpha=1.0), seed),
        "MABWiser: Thompson sampling": lambda seed: Wiser(LearningPolicy.ThompsonSampling(), seed),
    },
}


def stream(seed):
    """Return coin flips: one expert gains with probability 0.6, all others with 0.5."""
    means = np.full(N, 0.5)
    means[seed % N] += GAP
    return (rng_for(seed, "benchmark other libraries").random((ROUNDS, N)) < means).astype(float)


def regrets():
    """Return the lines of the table of regrets: in each stream all players take turns."""
    regret, taken = {}, {}
    for seed in range(STREAMS):
        gains = stream(seed)
        for feedback, players in PLAYERS.items():
            for name, make in players.items():
                player, start = make(seed), time.process_time()
                actions = player.play(gains)
                taken.setdefault((feedback, name), []).append((time.process_time() - start) / ROUNDS)
                earned = gains[np.arange(ROUNDS), actions].sum()
                regret.setdefault((feedback, name), []).append(gains.sum(axis=0).max() - earned)
    own = taken["all gains", "ours: Hedge"]
    yield "| told of a round | library: algorithm | regret | CPU over Hedge's |"
    yield "| --- | --- | ---: | ---: |"
    for key, values in regret.items():
        ratio = median(theirs / ours for theirs, ours in zip(taken[key], own, strict=True))
        error = np.std(values, ddof=1) / math.sqrt(STREAMS)
        yield f"| {key[0]} | {key[1]} | {np.mean(values):.1f} ± {error:.1f} | {ratio:.2g} |"


def same_weights():
    """Return the largest difference between River's weights and ours after any round of a stream."""
    gains, ours, theirs, largest = stream(0), weights(0).algorithm, RiverWeights(0).model, 0.0
    for row in gains:
        ours.update(row)
        theirs.learn_one(row.tolist(), 1.0)
        largest = max(largest, float(np.abs(ours.weights[0] - theirs.weights).max()))
    return largest


def main():
    weights = f"River's weights differ from ours by at most {same_weights():.0e}."
    return documents.printed([*regrets(), "", weights])


if __name__ == "__main__":
    documents.write("other-libraries", main())
