"""What the study's games have played of own counts: the same games, on the same noise, by other names."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from private_experts.replication.records import read_rows
from private_experts.replication.study.formats import REPORT_NOISE, TOTALS
from private_experts.replication.study.own_counts.own_games import META, SUMS, name_of
from private_experts.replication.study.players import own_counts_local

if TYPE_CHECKING:
    import pandas as pd

Known = set[tuple[str, float]]  # who has played, by the name on own counts, and at which level

# By the name in the study's games: that on own counts.
SHARED = {name: name_of("same", name) for name in (META, *SUMS, "central-learners")} | {
    name: name_of(*contender) for name, contender in own_counts_local.PLAYED.items()
}


def shared(games: "pd.DataFrame", repetitions: int) -> "pd.DataFrame":
    """Return the first totals of `SHARED` from the study's games, if these have as many repetitions."""
    found = games[games["algorithm"].isin([*SHARED]) & (games["repetition"] < repetitions)]
    if set(found["repetition"]) != set(range(repetitions)):
        return found[:0]
    return found.assign(algorithm=found["algorithm"].map(SHARED))


def known_games(
    totals: Sequence[Path], noise: Sequence[Path], state: str, levels: Sequence[float], repetitions: int
) -> tuple[Known, list[str], list[str]]:
    """Return who has played in a state with as many copies, and the rows of their totals and report noise."""
    played = [*_rows(totals, TOTALS, state)]
    copies = Counter(who for who, _ in played)
    # Fewer copies of more would not hear what those who play here do.
    known = {who for who, number in copies.items() if number == repetitions and who[1] in levels}
    noises = _rows(noise, REPORT_NOISE, state)
    return known, [row for who, row in played if who in known], [row for who, row in noises if who in known]


def _rows(
    paths: Sequence[Path], columns: Sequence[str], state: str
) -> Iterator[tuple[tuple[str, float], str]]:
    for path in paths:
        for row in read_rows(path, columns):
            if row["state"] == state and row["algorithm"] in SHARED:
                row["algorithm"] = SHARED[row["algorithm"]]
                yield (row["algorithm"], float(row["mu"])), ",".join(row[name] for name in columns)
