"""RW-AdaBatch's batches by the sharper rule on hospitals: with the paper's noise and on own counts.

The largest noise of all weeks and hospitals bounds the changes of the leader with both. On own counts no
amplification ex ante is claimed. [mathematics/000.md#own-counts-lead]
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.arrays import Scale
from private_experts.games.play import play, private_reports
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.own_counts import own_scales
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.plotting.numbers import level
from private_experts.replication.study.hospital_game import Game, local_game
from private_experts.replication.study.own_counts.own_games import MECHANISMS

CAPTION = (
    "Batches of RW-AdaBatch by the sharper rule on the hospitals: the share of weeks that are a batch of "
    "their own, with its standard error. The largest noise of all hospitals bounds the changes of the "
    "leader, so less noise elsewhere makes no longer batches. No amplification ex ante is claimed on own "
    "counts. Over {weeks}, mean of {repetitions} repetitions."
)
_TITLES = {"same": "the paper's noise", "own": "own counts"}


def batch_sizes_by_mechanism(game: Game, alpha: float) -> pd.DataFrame:
    """Return by mechanism and finite level the share of weeks alone (and its standard error), and mean sizes.

    `rms` is the root mean square of ``1 / sqrt(B)``, with B the size of a week's batch.
    """
    rows = []
    for mu in game.levels:
        for mechanism in MECHANISMS if np.isfinite(mu) else ():
            batcher, reports = batcher_and_reports(game, mu, mechanism, alpha)
            play(batcher, reports)
            sizes = batcher.containing_sizes()
            alone = (sizes == 1).mean(axis=0)
            rows.append(
                {
                    "state": game.state,
                    "mu": mu,
                    "mechanism": mechanism,
                    "alone": alone.mean(),
                    "alone_se": alone.std(ddof=1) / np.sqrt(alone.size),
                    "size": sizes.mean(),
                    "rms": float(np.sqrt((1 / sizes).mean())),
                }
            )
    return pd.DataFrame(rows, columns=["state", "mu", "mechanism", "alone", "alone_se", "size", "rms"])


def batch_sizes_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers, a row for each state and level."""
    rows = []
    for _, part in table.groupby(["state", "mu"], sort=False):
        cells = {
            row["mechanism"]: f"{row['alone']:.3f} ± {row['alone_se']:.3f}" for row in part.to_dict("records")
        }
        where = {"state": part["state"].iloc[0], "μ": level(float(part["mu"].iloc[0]))}
        rows.append(where | {_TITLES[name]: cells[name] for name in MECHANISMS})
    return pd.DataFrame(rows, columns=None if rows else ["state", "μ", *_TITLES.values()])


def batcher_and_reports(
    game: Game, mu: float, mechanism: str, alpha: float
) -> tuple[RWAdaBatch, Iterable[Reports]]:
    """Return RW-AdaBatch by the sharper rule, and the reports that it gets."""
    horizon, n = game.gains.shape

    def make(guarantee: GaussianDP, noise: SimulatedNoise) -> RWAdaBatch:
        scales: Iterable[Scale] = (
            [guarantee.noise_scale(bound) for bound in game.sensitivity]
            if mechanism == "same"
            else [own_scales(reach, guarantee, game.moved).max() for reach in game.own_reach]
        )
        return RWAdaBatch(
            n,
            guarantee,
            noise_scale=np.array(scales),
            noise=noise,
            alpha=alpha,
            repetitions=game.repetitions,
            horizon=horizon,
            rule="sharper",
        )

    if mechanism == "same":
        return local_game(game, mu, make)
    guarantee = GaussianDP(mu, "local")
    noise = SimulatedNoise(rng_for(game.seed, "batches on own counts", game.state, mu))
    batcher = make(guarantee, noise)
    return batcher, private_reports(
        game.gains, guarantee, game.own_reach, noise, game.repetitions, moved=game.moved
    )
