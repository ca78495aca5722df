"""What batching costs: switches and regret of RW-FTPL and RW-AdaBatch on the same noisy reports."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array, Indices
from private_experts.games.play import private_reports
from private_experts.games.regret import static_regret
from private_experts.games.streams import STREAMS
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.intervals import bounded_interval, clopper_pearson
from private_experts.replication.study.batching.frames import groups
from private_experts.walks.gap import density

ALGORITHMS = ("rw-ftpl", "rw-adabatch")
ETA = 2**0.5  # at which the regret bound is least


def _actions(gains: Array, alpha: float, repetitions: int, seed: int, *key: str | int) -> dict[str, Indices]:
    """Return the actions (T, repetitions) of both algorithms on the same reports."""
    horizon, n = gains.shape
    guarantee = GaussianDP(1.0, "local")  # of a value that one person moves by ETA, so that the noise is ETA

    def noise() -> SimulatedNoise:
        return SimulatedNoise(rng_for(seed, "batched plays", n, horizon, *key))

    own = noise()  # it goes on with the reports; the other algorithm starts from the same draw
    players: dict[str, RWFTPL | RWAdaBatch] = {
        "rw-ftpl": RWFTPL(n, guarantee, noise_scale=ETA, noise=own, repetitions=repetitions),
        "rw-adabatch": RWAdaBatch(
            n, guarantee, noise_scale=ETA, noise=noise(), alpha=alpha, repetitions=repetitions, horizon=horizon
        ),
    }
    actions: dict[str, list[Indices]] = {name: [] for name in ALGORITHMS}
    for report in private_reports(gains, guarantee, ETA, own, repetitions):
        for name, player in players.items():
            actions[name].append(player.predict())
            player.update(report)
    return {name: np.array(played) for name, played in actions.items()}


def switch_counts(n: int, horizons: Sequence[int], repetitions: int, alpha: float, seed: int) -> pd.DataFrame:
    """Count switches on data without gains, up to each of several horizons of the same plays."""
    parts = []
    for name, actions in _actions(np.zeros((max(horizons), n)), alpha, repetitions, seed, "switches").items():
        upto = np.cumsum(actions[1:] != actions[:-1], axis=0)
        for horizon in horizons:
            facts = {"n": n, "algorithm": name, "horizon": horizon, "repetition": np.arange(repetitions)}
            parts.append(pd.DataFrame({**facts, "switches": upto[horizon - 2]}))
    return pd.concat(parts, ignore_index=True)


def regrets(n: int, horizons: Sequence[int], repetitions: int, alpha: float, seed: int) -> pd.DataFrame:
    """Measure static regret on every stream, and in how many rounds RW-AdaBatch's action was `changed`."""
    parts = []
    for stream, make in STREAMS.items():
        for horizon in horizons:
            gains = make(horizon, n)
            actions = _actions(gains, alpha, repetitions, seed, stream)
            changed = (actions["rw-ftpl"] != actions["rw-adabatch"]).sum(axis=0)
            for name in ALGORITHMS:
                facts = {"n": n, "stream": stream, "algorithm": name, "horizon": horizon}
                measures = {"regret": static_regret(gains, actions[name]), "changed": changed}
                parts.append(pd.DataFrame({**facts, "repetition": np.arange(repetitions), **measures}))
    return pd.concat(parts, ignore_index=True)


def switch_law(n: int, horizon: int) -> float:
    """Return RW-FTPL's expected switches on equal means in the long run: ``(2 / sqrt pi) f_n(0) sqrt(T)``.

    The gap has density f_n(0) / (eta sqrt t) at 0, and the leader changes when the runner-up's step minus the leader's,
    N(0, 2 eta^2), exceeds it: with probability f_n(0) / sqrt(pi t). DERIVED here. [mathematics/000.md#switch-rate]
    """
    return float(2 / np.sqrt(np.pi) * density(0.0, n) * np.sqrt(horizon))


def regret_bound(n: int, horizon: int, alpha: float = 0.0) -> float:
    """Return the bound ``(1 + alpha/2) (eta + 2/eta) sqrt(2 T log n)``; alpha = 0 is RW-FTPL. [000, Corollary 2]"""
    return float((1 + alpha / 2) * (ETA + 2 / ETA) * np.sqrt(2 * horizon * np.log(n)))


def extra_bound(n: int, horizon: int, alpha: float) -> float:
    """Return the bound ``2 alpha sqrt(T log n)`` on what batching adds. [mathematics/000.md#batching-regret]"""
    return float(2 * alpha * np.sqrt(horizon * np.log(n)))


def mean_switches(counts: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """Return mean switches with joint intervals, beside the expected law."""
    cells = list(groups(counts, ["n", "algorithm", "horizon"]))
    rows = []
    for (n, name, horizon), part in cells:
        counts_of_cell = part["switches"].to_numpy()
        mean, low, high = bounded_interval(counts_of_cell, horizon, intervals=len(cells), confidence=confidence)
        law = switch_law(n, horizon)
        rows.append(
            {"n": n, "algorithm": name, "horizon": horizon, "switches": mean, "low": low, "high": high, "law": law}
        )
    return pd.DataFrame(rows).astype({"switches": float, "low": float, "high": float})


def mean_regrets(plays: pd.DataFrame, alpha: float, confidence: float) -> pd.DataFrame:
    """Return mean regrets with joint intervals, and their bounds.

    `extra` is RW-AdaBatch's less RW-FTPL's: nearly always 0, so it has the share of runs that `changed` for an
    interval.
    """
    keys = ["n", "stream", "horizon"]
    cells = list(groups(plays, keys))
    rows = []
    for key, part in cells:
        where = dict(zip(keys, key, strict=True))
        n, horizon = where["n"], where["horizon"]
        samples = {name: of_one["regret"].to_numpy() for (name,), of_one in groups(part, ["algorithm"])}
        for name in ALGORITHMS:
            mean, low, high = bounded_interval(
                samples[name], 2 * horizon, intervals=2 * len(cells), confidence=confidence
            )
            bound = regret_bound(n, horizon, alpha if name == "rw-adabatch" else 0.0)
            measures = {"regret": float(mean), "low": float(low), "high": float(high), "bound": bound}
            rows.append({**where, "algorithm": name, **measures})
        changed = part[part["algorithm"] == "rw-adabatch"]["changed"].to_numpy() > 0
        least, most = clopper_pearson(changed.sum(), changed.size, intervals=len(cells), confidence=confidence)
        measures = {"regret": float((samples["rw-adabatch"] - samples["rw-ftpl"]).mean())}
        measures |= {"bound": extra_bound(n, horizon, alpha), "changed": float(changed.mean())}
        measures |= {"changed_low": float(least), "changed_high": float(most)}
        rows.append({**where, "algorithm": "extra", **measures})
    return pd.DataFrame(rows)
