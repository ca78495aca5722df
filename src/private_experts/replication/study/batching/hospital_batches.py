"""What RW-AdaBatch would give the hospitals: its batches, week by week, at the study's noise."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.games.play import play
from private_experts.games.regret import earned
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.replication.study.batching.frames import groups
from private_experts.replication.study.formats import BATCHED_TOTALS, BATCHED_WEEKS
from private_experts.replication.study.hospital_game import Game, local_game
from private_experts.replication.study.intervals import rare_interval
from private_experts.replication.study.players.rw_ftpl import follower

RHOS = (1.0, 0.0)  # what gains in [0, 1] can do to a lead in a week; and no allowance for it


def batcher_and_reports(
    game: Game, mu: float, alpha: float, rho: float
) -> tuple[RWAdaBatch, Iterable[Reports]]:
    """Return RW-AdaBatch at one level, and the reports that it gets."""

    def make(guarantee: GaussianDP, noise: SimulatedNoise) -> RWAdaBatch:
        return RWAdaBatch(
            game.gains.shape[1],
            guarantee,
            # A scale a week: the largest one bounds changes of the leader, see `RWAdaBatch`.
            noise_scale=np.array([guarantee.noise_scale(bound) for bound in game.sensitivity]),
            noise=noise,
            alpha=alpha,
            repetitions=game.repetitions,
            horizon=len(game.gains),
            rho=rho,
        )

    return local_game(game, mu, make)


def weeks(game: Game, alpha: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Play RW-AdaBatch and RW-FTPL on equal reports at each finite level: means by week and total gains."""
    by_week, totals = [], []
    horizon = len(game.gains)
    for mu in game.levels:
        if not np.isfinite(mu):
            continue
        followed = earned(game.gains, play(*follower(game, mu)))
        for rho in RHOS:
            batcher, reports = batcher_and_reports(game, mu, alpha, rho)
            gained = earned(game.gains, play(batcher, reports))
            sizes = batcher.containing_sizes()
            facts = {"state": game.state, "mu": mu, "rho": rho}
            measures = {
                "size": sizes.mean(axis=1),
                "inverse": (1 / sizes).mean(axis=1),
                "inverse_root": (1 / np.sqrt(sizes)).mean(axis=1),
                "single": (sizes == 1).mean(axis=1),
            }
            by_week.append(pd.DataFrame({**facts, "week": np.arange(1, horizon + 1), **measures}))
            sums = {"total": gained.sum(axis=0), "rw_ftpl": followed.sum(axis=0)}
            totals.append(pd.DataFrame({**facts, "repetition": np.arange(game.repetitions), **sums}))
    if not by_week:
        return pd.DataFrame(columns=[*BATCHED_WEEKS]), pd.DataFrame(columns=[*BATCHED_TOTALS])
    return pd.concat(by_week, ignore_index=True), pd.concat(totals, ignore_index=True)


def summary(by_week: pd.DataFrame, totals: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return a row for each state, level and drift; a run unlike RW-FTPL may differ by 1 each week."""
    keys = ["state", "mu", "rho"]
    plays = dict(groups(totals, keys))
    rows = []
    for key, part in groups(by_week, keys):
        total, plain = plays[key]["total"].to_numpy(), plays[key]["rw_ftpl"].to_numpy()
        # Most runs do not differ at all, so Student's t has nothing to go on.
        mean, low, high = rare_interval(total - plain, len(part), intervals=len(plays), confidence=confidence)
        rows.append(
            {
                **dict(zip(keys, key, strict=True)),
                "single": part["single"].mean(),
                "size": part["size"].mean(),
                "largest_week": part["size"].max(),
                "rms": float(np.sqrt(part["inverse"].mean())),
                "total": total.mean(),
                "rw_ftpl": plain.mean(),
                "difference": mean,
                "difference_pm": max(mean - low, high - mean),
            }
        )
    return pd.DataFrame(rows)
