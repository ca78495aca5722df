"""The columns of Table 2, declared once: table, page, notebook and documents take them from here.

To add a column, add it to `COLUMNS`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from private_experts.arrays import Array
from private_experts.replication.study.estimates import Estimate, largest, least, mean, picked, ratio
from private_experts.replication.study.hospital_game import FRESH, HEDGE, LEARNER

OTHERS = ("rw-ftpl", "min-noise", "min-regret")  # RW-Meta outperforms these, the paper says


@dataclass(frozen=True)
class Cell:
    """What the algorithms gained in one state at one privacy level."""

    totals: Mapping[str, Array]  # of every repetition, by algorithm
    best_hospital: float
    central: Sequence[str]  # with none the estimates about central algorithms are left out
    meta: str = "rw-meta"  # the variant that is taken as RW-Meta
    exact: bool = False  # whether equal repetitions are exact; see `mean`

    @property
    def rw_meta(self) -> Array:
        """The total gains of RW-Meta."""
        return self.totals[self.meta]

    @property
    def best_linear(self) -> Array:
        """The total gains of the best learner, chosen as in `picked`."""
        # Not the largest mean: that would reward the luckiest of many learners.
        return picked([sample for name, sample in self.totals.items() if name.startswith(LEARNER)])

    def mean(self, sample: Array, z: float) -> Estimate:
        """Return a mean and the half-width of its interval."""
        return mean(sample, z, self.exact)

    def ratio(self, below: Array, z: float) -> Estimate:
        """Return the ratio of RW-Meta to others, and the half-width of its interval."""
        return ratio(self.rw_meta, below, z, self.exact)


def _one(cell: Cell) -> int:
    return 1


def _central_count(cell: Cell) -> int:
    return len(cell.central)


def _fresh_played(cell: Cell) -> int:
    return int(FRESH in cell.totals)


def _hedge_played(cell: Cell) -> int:
    return int(HEDGE in cell.totals)


@dataclass(frozen=True)
class Column:
    """A column of Table 2."""

    name: str  # in the CSV, where `<name>_pm` is the half-width of the interval
    title: str = ""
    place: int = 0  # in the table for readers, smaller numbers first; 0 is in the CSV alone
    estimate: Callable[[Cell, float], Estimate] | None = None  # from the critical value; None has no interval
    intervals: Callable[[Cell], int] = _one  # that it rests on in a cell; with 0 it is left out there
    short: str = ""  # where space is scarce

    @property
    def heading(self) -> str:
        """The short title."""
        return self.short or self.title

    @property
    def ratio(self) -> bool:
        """Whether it has no unit, and so does not depend on the number of weeks by itself."""
        return self.name.startswith("ratio_to_")


# In the order of the CSV. A column whose value the paper prints, or implies, stands beside that: see
# `published.printed`. Beside a column `<name>` with `<name>_name` stands the algorithm that it is of.
COLUMNS = (
    Column("best_hospital", "best hospital", 13),
    Column("uniform", "uniform", 16),
    Column("follow_the_leader", "leader, true gains", 15),
    Column("rw_meta", "RW-Meta", 6, lambda cell, z: cell.mean(cell.rw_meta, z)),
    Column("rw_ftpl", "RW-FTPL", 12, lambda cell, z: cell.mean(cell.totals["rw-ftpl"], z)),
    Column("min_noise", "Min Noise", 9, lambda cell, z: cell.mean(cell.totals["min-noise"], z)),
    Column("min_regret", "Min Regret", 10, lambda cell, z: cell.mean(cell.totals["min-regret"], z)),
    Column(
        "best_linear",
        "best linear model",
        11,
        lambda cell, z: cell.mean(cell.best_linear, z),
        short="best linear",
    ),
    Column(
        "static_regret",
        "RW-Meta's static regret",
        14,
        lambda cell, z: cell.mean(cell.best_hospital - cell.rw_meta, z),
    ),
    Column(
        "ratio_to_min_noise",
        "RW-Meta / Min Noise",
        2,
        lambda cell, z: cell.ratio(cell.totals["min-noise"], z),
    ),
    Column(
        "ratio_to_min_regret",
        "RW-Meta / Min Regret",
        3,
        lambda cell, z: cell.ratio(cell.totals["min-regret"], z),
    ),
    Column("ratio_to_rw_ftpl", "RW-Meta / RW-FTPL", 5, lambda cell, z: cell.ratio(cell.totals["rw-ftpl"], z)),
    Column(
        "ratio_to_best_linear", "RW-Meta / best linear", 1, lambda cell, z: cell.ratio(cell.best_linear, z)
    ),
    Column(  # RW-Meta less the strongest of OTHERS
        "lead",
        estimate=lambda cell, z: least(cell.mean(cell.rw_meta - cell.totals[name], z) for name in OTHERS),
        intervals=lambda cell: len(OTHERS),
    ),
    Column(
        "second", estimate=lambda cell, z: cell.mean(cell.totals["min-noise"] - cell.totals["min-regret"], z)
    ),
    Column(
        "second_local",
        estimate=lambda cell, z: cell.mean(cell.totals["min-noise"] - cell.totals["rw-ftpl"], z),
    ),
    Column(  # the strongest central algorithm
        "central",
        "strongest central",
        8,
        lambda cell, z: largest(cell.mean(cell.totals[name], z) for name in cell.central),
        _central_count,
    ),
    Column(
        "ratio_to_central",
        "RW-Meta / strongest central",
        4,
        lambda cell, z: least(cell.ratio(cell.totals[name], z) for name in cell.central),
        _central_count,
    ),
    Column(
        "lead_over_central",
        estimate=lambda cell, z: least(
            cell.mean(cell.rw_meta - cell.totals[name], z) for name in cell.central
        ),
        intervals=_central_count,
    ),
    Column(  # the strongest central algorithm less RW-FTPL
        "second_central",
        estimate=lambda cell, z: largest(
            cell.mean(cell.totals[name] - cell.totals["rw-ftpl"], z) for name in cell.central
        ),
        intervals=_central_count,
    ),
    Column(
        "fresh", "RW-Meta, fresh noise", 7, lambda cell, z: cell.mean(cell.totals[FRESH], z), _fresh_played
    ),
    Column(
        "hedge", "exponential weights", 7, lambda cell, z: cell.mean(cell.totals[HEDGE], z), _hedge_played
    ),
    Column(
        "cost_of_fresh",
        estimate=lambda cell, z: cell.mean(cell.totals["rw-meta"] - cell.totals[FRESH], z),
        intervals=_fresh_played,
    ),
)
COLUMN = {column.name: column for column in COLUMNS}


class Asked(NamedTuple):
    """An available estimate: how many intervals it rests on, and what it is, given the critical value."""

    intervals: int
    of: Callable[[float], Estimate]


def estimates(
    totals: Mapping[str, Array],
    best_hospital: float,
    central: Sequence[str],
    meta: str = "rw-meta",
    exact: bool = False,
) -> dict[str, Asked]:
    """Return the estimates of one `Cell` by name. Each needs only the algorithms that it is about."""
    cell = Cell(totals, best_hospital, central, meta, exact)
    return {
        column.name: Asked(column.intervals(cell), partial(column.estimate, cell))
        for column in COLUMNS
        # What an estimate rests on is counted where it is defined, so no caller can forget an interval.
        if column.estimate and column.intervals(cell)
    }
