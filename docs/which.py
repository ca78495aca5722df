"""Write the comparison in docs/which.md: python docs/which.py.

Every private algorithm plays every stream at four levels, which are those of the same person: one who is in
up to four rounds in a row, and moves the gains of up to two experts. What an algorithm has to promise in a
single round follows from `privacy_report`. The streams come with this repository and with Matplotlib.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import tables
from matplotlib import cbook

from private_experts import (
    RWFTPL,
    FollowTheLeader,
    GaussianDP,
    Hedge,
    MatrixSums,
    PrefixFTPL,
    PureDP,
    RWAdaBatch,
    RWMeta,
    SimulatedNoise,
    TreeFTPL,
    TrendMeta,
    earned,
    own_scales,
    play,
    privacy_report,
    private_reports,
    rng_for,
)
from private_experts.algorithms import Algorithm, CreditedLeader, Delayed, DyadicLeader
from private_experts.arrays import Array, Indices
from private_experts.games.trend_meta import STUDY
from private_experts.learners import LinearFilters, TotalsLeader, trend_weights
from private_experts.privacy import (
    BandedSums,
    CorrelatedReports,
    Participation,
    Reports,
    SideBySideSums,
    own_share,
    privatize,
    pure_within,
)
from private_experts.privacy.banded import root_band
from private_experts.privacy.factorization import square_root
from private_experts.privacy.participation import times_in
from private_experts.replication.study.data import cleaning, hospital_reports

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/which.md"
REPORTS = ROOT / "resources/hhs/facility_weekly_2020-2022.csv.gz"
PATIENTS = "total_adult_patients_hospitalized_confirmed_covid_7_day_avg"
BEDS = "all_adult_hospital_inpatient_beds_7_day_avg"
LEVELS = (0.25, 0.5, 1.0, 2.0)
PERSON = Participation(4, in_a_row=True)
MOVED = 2  # experts whose gains one person moves
COPIES = 100
LATE = 4  # rounds, of reports that are late
NORMAL = 1.96  # half the width of a 95 % interval, in standard errors


@dataclass(frozen=True)
class Stream:
    """Gains (T, n) in [0, 1], and by how much one person moves each expert's."""

    about: str
    gains: Array
    reach: Array

    @property
    def sensitivity(self) -> float:
        """The L2 distance by which one person moves a round's gains."""
        return float(math.sqrt(MOVED) * self.reach.max())

    def share(self, total: Any) -> Any:
        """Return in percent how far totals are from uniform play to the best expert of every round."""
        uniform, most = self.gains.mean(axis=1).sum(), self.gains.max(axis=1).sum()
        return 100 * (total - uniform) / (most - uniform)


def streams() -> dict[str, Stream]:
    """Return the streams by name."""
    reports = hospital_reports.read(REPORTS, (PATIENTS, BEDS))
    rules = cleaning.Cleaning((PATIENTS,), (BEDS,), (PATIENTS,), 2, 100, 0, "2020-08-07", "2023-06-04")
    found, counts = {}, "Share of a hospital's beds with COVID patients, by week"
    for state, panel in cleaning.clean_all(reports, ["NM", "CA"], rules)[0].items():
        assert panel.beds is not None
        found[f"Hospitals of {state}"] = Stream(
            counts, panel.density, np.minimum(1 / panel.beds.min(axis=0), 1)
        )
    found["States"] = _of_states(reports)
    found["Stocks"] = _of_prices()
    with cbook.get_sample_data("eeg.dat") as file:
        voltage = np.frombuffer(file.read(), dtype=float).reshape(800, 4)
    low, high = np.quantile(voltage, [0.01, 0.99])
    found["EEG"] = Stream(
        "Voltage of an electrode, between its 1 % and 99 % quantiles",
        np.clip((voltage - low) / (high - low), 0, 1),
        _IMAGINED * np.ones(4),
    )
    return found


_IMAGINED = 0.02  # how far a person would move a gain where nobody's data are in it


def _of_states(reports: pd.DataFrame) -> Stream:
    """Return the share of beds with patients in the states that report in all of the same weeks."""
    figures = reports.assign(**{name: reports[name].mask(reports[name] < 0, 2) for name in (PATIENTS, BEDS)})
    figures = figures[figures[BEDS] > 0].fillna({PATIENTS: 0})
    sums = figures.groupby(["collection_week", "state"])[[PATIENTS, BEDS]].sum().unstack()
    weeks = sums[BEDS].notna().sum(axis=1) > 40
    sums = sums[weeks].dropna(axis=1)
    beds = sums[BEDS].to_numpy()
    shares = np.minimum(sums[PATIENTS][sums[BEDS].columns].to_numpy() / beds, 1)
    return Stream("Share of a state's beds with COVID patients, by week", shares, 1 / beds.min(axis=0))


def _of_prices() -> Stream:
    """Return monthly returns, cut at 20 %, of the series that are whole."""
    with cbook.get_sample_data("Stocks.csv") as file:
        prices = pd.read_csv(file, comment="#", index_col="Date", parse_dates=True)
    prices = prices[prices.index.day == 1].dropna(axis=1)
    returns = prices.pct_change().iloc[1:].clip(-0.2, 0.2).to_numpy()
    return Stream(
        "Return of a stock or an index, by month",
        (returns + 0.2) / 0.4,
        _IMAGINED * np.ones(returns.shape[1]),
    )


Make = Callable[[Stream, GaussianDP | PureDP, SimulatedNoise, np.random.Generator], Algorithm]


def _settings(stream: Stream, noise: SimulatedNoise) -> dict[str, Any]:
    return {"sensitivity": stream.sensitivity, "noise": noise, "repetitions": COPIES}


def _own_meta(stream: Stream, level: Any, noise: SimulatedNoise, rng: np.random.Generator) -> RWMeta:
    nothing = np.zeros(stream.reach.size)
    first = privatize(nothing, level, stream.reach, noise, repetitions=COPIES, moved=MOVED)
    learners = {"trend": LinearFilters(trend_weights, STUDY, first), "totals": TotalsLeader(first)}
    return RWMeta(learners, level, rng=rng)


def _own_sums(stream: Stream, level: Any, noise: SimulatedNoise, rng: np.random.Generator) -> PrefixFTPL:
    rounds, n = stream.gains.shape
    sums = MatrixSums(
        n,
        own_share(level, MOVED),
        strategy=square_root(rounds),
        sensitivity=np.tile(stream.reach, (rounds, 1)),
        noise=noise,
        repetitions=COPIES,
    )
    return PrefixFTPL(SideBySideSums([sums], MOVED))


def _correlated(stream: Stream, level: Any, noise: SimulatedNoise, rng: np.random.Generator) -> PrefixFTPL:
    rounds, n = stream.gains.shape
    settings = {**_settings(stream, noise), "sensitivity": np.full(rounds, stream.sensitivity)}
    return PrefixFTPL(MatrixSums(n, level, strategy=square_root(rounds), **settings))


class Curated:
    """The leader of learners that read the reports of one curator."""

    def __init__(self, curator: CorrelatedReports, first: Reports) -> None:
        learners = {"trend": LinearFilters(trend_weights, STUDY, first), "totals": TotalsLeader(first)}
        self.curator, self.leader = curator, CreditedLeader(learners, curator.guarantee)
        self.guarantee = self.leader.guarantee

    def times_in(self, person: Participation) -> float | None:
        """Return what the curator says of a person in several rounds."""
        return times_in(self.curator, person)

    def predict(self) -> Indices:
        """Return the leader's actions."""
        return self.leader.predict()

    def update(self, gains: Array) -> None:
        """Tell the leader the curator's report of a round."""
        self.leader.update(self.curator.report(gains))


def _curated(stream: Stream, level: Any, noise: SimulatedNoise, rng: np.random.Generator) -> Curated:
    rounds, n = stream.gains.shape
    settings = {**_settings(stream, noise), "sensitivity": np.full(rounds, stream.sensitivity)}
    curator = CorrelatedReports(n, level, strategy=square_root(rounds), **settings)
    scale = curator.guarantee.noise_scale(stream.sensitivity)
    return Curated(curator, Reports(noise.perturb(np.zeros(n), scale, COPIES), curator.guarantee, scale))


LOCAL: dict[str, Make] = {
    "`RWFTPL`": lambda stream, level, noise, rng: RWFTPL(
        stream.reach.size, level, **_settings(stream, noise)
    ),
    "`RWAdaBatch`": lambda stream, level, noise, rng: RWAdaBatch(
        stream.reach.size, level, **_settings(stream, noise)
    ),
    "`TrendMeta`": lambda stream, level, noise, rng: TrendMeta(
        stream.reach.size, level, rng=rng, **_settings(stream, noise)
    ),
    f"`Delayed` of `RWFTPL`, all reports {LATE} rounds late": lambda stream, level, noise, rng: Delayed(
        lambda copy: RWFTPL(stream.reach.size, level, **_settings(stream, noise)), LATE
    ),
}
LOCAL_OWN: dict[str, Make] = {
    "`RWFTPL`, own counts": lambda stream, level, noise, rng: RWFTPL(
        stream.reach.size,
        level,
        noise_scale=own_scales(stream.reach, level, MOVED),
        noise=noise,
        repetitions=COPIES,
    ),
    "`RWMeta` of trends, own counts": _own_meta,
}
CENTRAL: dict[str, Make] = {
    "`TreeFTPL`": lambda stream, level, noise, rng: TreeFTPL(
        stream.reach.size, level, horizon=len(stream.gains), **_settings(stream, noise)
    ),
    "`PrefixFTPL` of `BandedSums`": lambda stream, level, noise, rng: PrefixFTPL(
        BandedSums(stream.reach.size, level, coefficients=root_band(16), **_settings(stream, noise))
    ),
    "`PrefixFTPL` of `MatrixSums`": _correlated,
    "`CreditedLeader` of trends, on `CorrelatedReports`": _curated,
}
CENTRAL_OWN: dict[str, Make] = {"`PrefixFTPL` of `MatrixSums`, own counts": _own_sums}
# It is told gains in units in which one person moves each by at most 1.
PURE: dict[str, Make] = {
    "`DyadicLeader`": lambda stream, level, noise, rng: DyadicLeader(
        stream.reach.size, level, rng=rng, repetitions=COPIES, moves_at_most_1=True
    )
}
OPEN: dict[str, Make] = {
    "`FollowTheLeader`": lambda stream, level, noise, rng: FollowTheLeader(stream.reach.size),
    "`Hedge`": lambda stream, level, noise, rng: Hedge(stream.reach.size, rng=rng, repetitions=COPIES),
    "`TrendMeta`": lambda stream, level, noise, rng: TrendMeta(
        stream.reach.size, GaussianDP(math.inf, "local"), rng=rng, **_settings(stream, noise)
    ),
}


def played(stream: Stream, name: str, make: Make, trust: str, mu: float) -> Array:
    """Return in percent what copies earn whose promise to the person is mu-GDP; without trust, none."""
    key = rng_for(1, "which algorithm", stream.about, name, trust, mu).spawn(2)
    noise, rng = SimulatedNoise(key[0]), key[1]
    level: Any = None
    if trust == "pure":  # in each of several rounds it is spent anew
        level = PureDP(pure_within(GaussianDP(mu, "central")).epsilon / PERSON.rounds, "central")
    elif trust != "nobody's":
        level = GaussianDP(mu / _several(make, stream, trust), trust)  # type: ignore[arg-type]
    algorithm = make(stream, level, noise, rng)
    gains: Any = stream.gains
    if algorithm.guarantee.model == "local":
        own = {"moved": MOVED} if name in LOCAL_OWN else {}
        reach = stream.reach if own else stream.sensitivity
        gains = private_reports(gains, algorithm.guarantee, reach, noise, COPIES, **own)
    elif trust == "pure":
        gains = gains / stream.reach.max()
    late = {"delays": LATE} if isinstance(algorithm, Delayed) else {}
    return stream.share(earned(stream.gains, play(algorithm, gains, **late)).sum(axis=0))


def _several(make: Make, stream: Stream, trust: Any) -> float:
    """Return how many times the level of one round a person has who is in several."""
    unit = make(stream, GaussianDP(1.0, trust), SimulatedNoise(0), np.random.default_rng(0))
    together: Any = privacy_report(unit, delta=1e-6, rounds=PERSON).together
    return float(together.mu)


def rows(stream: Stream) -> Iterator[tuple[str, str, list[Array]]]:
    """Yield who is trusted, the algorithm, and what its copies earn at each level; one without privacy."""
    own = np.ptp(stream.reach) > 0
    yield "no privacy", "the best single expert, in hindsight", [stream.share(stream.gains.sum(axis=0).max())]
    for name, make in OPEN.items():
        yield "no privacy", name, [played(stream, name, make, "nobody's", math.inf)]
    for trust, told, players in (
        ("local", "nobody", LOCAL | (LOCAL_OWN if own else {})),
        ("central", "a curator", CENTRAL | (CENTRAL_OWN if own else {})),
        ("pure", "a curator", PURE),
    ):
        for name, make in players.items():
            yield told, name, [played(stream, name, make, trust, mu) for mu in LEVELS]


def table(name: str, stream: Stream) -> str:
    """Return a stream's table, and where private algorithms are no better than uniform play."""
    (rounds, n), least, most = stream.gains.shape, f"{stream.reach.min():.2g}", f"{stream.reach.max():.2g}"
    who = "One person" if least != most else "An imagined person"
    moves = f"{who} moves a gain by at most {most if least == most else f'{least} to {most}'}."
    lines = [
        f"**{name}.** {stream.about}: {n} experts, {rounds} rounds. {moves}",
        "",
        f"| trusted | algorithm | {' | '.join(f'μ = {mu:g}' for mu in LEVELS)} |",
        f"| --- | --- |{' ---: |' * len(LEVELS)}",
    ]
    useless: dict[str, list[str]] = {}
    for trusted, algorithm, earnings in rows(stream):
        cells = [f"{round(np.mean(earnings[0]))}", *[""] * (len(LEVELS) - 1)]
        for place, mu in enumerate(LEVELS if len(earnings) > 1 else ()):
            mean, error = earnings[place].mean(), earnings[place].std(ddof=1) / math.sqrt(COPIES)
            cells[place] = f"{round(mean)} ± {round(NORMAL * error)}"
            if mean <= NORMAL * error:
                cells[place] = f"*{cells[place]}*"
                useless.setdefault(algorithm, []).append(f"{mu:g}")
        lines.append(" ".join([*(f"| {cell}".rstrip() for cell in (trusted, algorithm, *cells)), "|"]))
    said = "; ".join(f"{algorithm} at {', '.join(levels)}" for algorithm, levels in useless.items())
    return "\n".join([*lines, "", f"No better than uniform play: {said or 'none'}."])


def comparison(found: Mapping[str, Stream]) -> str:
    """Return all tables."""
    return "\n\n".join(table(name, stream) for name, stream in found.items())


if __name__ == "__main__":
    tables.put(PAGE, comparison(streams()), "comparison")
