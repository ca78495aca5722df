"""The hospital study, timed against a simple implementation and the bare noise."""

import warnings
from unittest.mock import patch

import numpy as np
from scipy.sparse.linalg import lobpcg
from scipy.special import ndtri

from benchmarks import clock, reference, streams
from private_experts.algorithms import rw_meta as choice
from private_experts.randomness import rng_for
from private_experts.replication.study.players import rw_ftpl, rw_meta, tree_ftpl

REPETITIONS = 100


def bare_noise(game):
    """Draw the local noise of all privacy levels and do nothing else."""
    rng = rng_for(1, "bare")
    for _ in [mu for mu in game.levels if mu < float("inf")]:
        for _ in range(game.gains.shape[0] + 1):
            rng.standard_normal((game.repetitions, game.gains.shape[1]))


def noise_of_choices(game, learners=13):
    """Draw the normals of RW-Meta's choices at all privacy levels and do nothing else."""
    rng = rng_for(1, "choices")
    for _ in [mu for mu in game.levels if mu < float("inf")]:
        for _ in range(game.gains.shape[0]):
            rng.standard_normal((game.repetitions, learners, 1))


def only_the_paper_variant(game):
    """Play only the paper's variant of RW-Meta."""
    return rw_meta.play_variants(game, streams.LEARNERS, ["rw-meta"])


def with_a_norm_for_the_eigenvalue(game):
    """Play the same as if eigenvalues cost next to nothing: what can be gained by faster ones at most."""
    with patch.object(
        choice, "leading_eigenvalues", lambda matrices: np.linalg.norm(matrices, axis=(-2, -1))
    ):
        return only_the_paper_variant(game)


def only_the_advice(game):
    """Play RW-Meta's learners, and nobody who chooses between them."""
    family, settings = streams.LEARNERS["family"], list(rw_meta.settings_of(streams.LEARNERS).values())
    return [rw_meta.advised(rw_meta.followed(game, mu), family, settings) for mu in game.levels]


def against_reference(weeks=72, n=280):
    game = streams.game(weeks, n, REPETITIONS, levels=(0.5,))
    scales = game.sensitivity / 0.5
    few = 4
    slow = []

    def loops():
        rng = rng_for(2, "reference", len(slow))
        slow.extend(reference.rw_meta(game.gains, scales, streams.SETTINGS, rng) for _ in range(few))

    times = clock.seconds({"loops": loops, "ours": lambda: only_the_paper_variant(game)}, rounds=5)
    ours = next(p for p in only_the_paper_variant(game) if p.algorithm == "rw-meta").earned.sum(axis=0)
    seconds = {"loops": times["loops"] / few, "ours": times["ours"] / REPETITIONS}
    difference = np.mean(slow) - ours.mean()
    error = np.sqrt(np.var(slow, ddof=1) / len(slow) + ours.var(ddof=1) / ours.size)
    clock.report(
        f"RW-Meta, {weeks} weeks x {n} hospitals x 13 learners, a repetition",
        {
            "a loop per repetition and week, LOBPCG": f"{1e3 * seconds['loops']:.1f} ms",
            "vectorised over repetitions": f"{1e3 * seconds['ours']:.2f} ms",
            "ratio": f"{seconds['loops'] / seconds['ours']:.0f}x",
            "difference of mean gains": f"{difference:+.2f} +- {-ndtri(0.0005) * error:.2f} (99.9 %)",
        },
    )


def against_bare_noise():
    weeks, hospitals = streams.PAPER
    games = [streams.game(weeks, n, REPETITIONS, state=state) for state, n in hospitals.items()]
    times = clock.seconds(
        {
            "bare noise": lambda: [bare_noise(game) for game in games],
            "bare noise of one variant's choices": lambda: [noise_of_choices(game) for game in games],
            "RW-FTPL": lambda: [rw_ftpl.play(game) for game in games],
            "the advice of RW-Meta's learners": lambda: [only_the_advice(game) for game in games],
            "RW-Meta, one variant": lambda: [only_the_paper_variant(game) for game in games],
            "the same, a norm for the eigenvalue": lambda: [
                with_a_norm_for_the_eigenvalue(game) for game in games
            ],
            "tree baseline, both scales": lambda: [tree_ftpl.play(game) for game in games],
        },
        rounds=3,
    )
    bare = times["bare noise"]
    clock.report(
        f"Table 2's games, {weeks} weeks x {', '.join(map(str, hospitals.values()))} hospitals x 4 levels "
        f"x {REPETITIONS} repetitions, one core",
        {name: f"{value:.2f} s  {value / bare:.2f}x" for name, value in times.items()},
    )


def a_round(weeks=72, n=280, learners=13):
    """Time the parts of a round that A.3 of the paper names: how much of RW-Meta is the leading eigenvalue?

    The study's games know all advice beforehand, and ask for the eigenvalues of many weeks at once.
    """
    game = streams.game(weeks, n, REPETITIONS, levels=(0.5,))
    actions = rng_for(3, "agreement").integers(0, learners // 2, (REPETITIONS, 20, learners))
    agreement = (actions[..., :, None] == actions[..., None, :]).sum(axis=1).astype(float)
    rule = choice.Decorrelation(floor=0)
    shifted = rule.covariance(agreement)
    times = clock.seconds(
        {
            "RW-FTPL": lambda: rw_ftpl.play(game),
            "RW-Meta, one variant": lambda: only_the_paper_variant(game),
            "its eigenvalues": lambda: [
                rule.level(np.tile(shifted, (8, 1, 1)), 1) for _ in range(weeks // 8)
            ],
            "the same by LAPACK": lambda: [
                np.linalg.eigvalsh(np.tile(shifted, (8, 1, 1))) for _ in range(weeks // 8)
            ],
        },
        rounds=3,
    )
    whole, rounds = times["RW-Meta, one variant"], weeks * REPETITIONS
    clock.report(
        f"A round of one repetition, {n} hospitals, {learners} learners (A.3 of paper 000)",
        {
            name: f"{1e6 * value / rounds:.0f} us  {value / whole:.3f} of RW-Meta"
            for name, value in times.items()
        },
    )


def an_eigenvalue(learners=13, rounds=94):
    """Time what A.3 times: LOBPCG on a round's matrix, from the last eigenvector, beside LAPACK for all."""
    actions = rng_for(4, "agreement").integers(0, learners // 2, (rounds, learners))
    actions[rng_for(5, "agreement").random(rounds) < 0.7] = actions[0]  # in most rounds they repeat the first
    agreement = (actions[:, :, None] == actions[:, None, :]).cumsum(axis=0).astype(float)
    shifted = choice.Decorrelation().covariance(agreement)

    def warm():
        vector = np.arange(1.0, learners + 1)[:, None]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LOBPCG warns when it stops short of its tolerance
            for matrix in shifted:
                _, vector = lobpcg(matrix, vector, largest=True)

    times = clock.seconds(
        {"LOBPCG": warm, "LAPACK": lambda: [np.linalg.eigvalsh(matrix) for matrix in shifted]}
    )
    clock.report(
        f"The leading eigenvalue of a round, {learners} learners (A.3 of paper 000: about 2 ms)",
        {
            "LOBPCG, warm start": f"{1e3 * times['LOBPCG'] / rounds:.2f} ms",
            "LAPACK, all eigenvalues": f"{1e3 * times['LAPACK'] / rounds:.3f} ms",
            "ratio": f"{times['LOBPCG'] / times['LAPACK']:.0f}x",
        },
    )


def main():
    against_reference()
    against_bare_noise()
    a_round()
    an_eigenvalue()
