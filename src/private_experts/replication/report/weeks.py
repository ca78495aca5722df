"""Which of the paper's weeks the study plays, for the page and for the PDF."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from private_experts.replication.study import published

# Weeks of the repository's file that were copied by hand: resources/hhs/README.md.
COPIED_UNTIL, COPIED_LATER = "2020-12-25", "2021-01-22"


class Weeks(NamedTuple):
    """The paper's weeks that are there, by their numbers, and which of these were copied by hand."""

    there: Sequence[int]
    copied: Sequence[int]

    @property
    def between(self) -> int:
        """How many are missing between the first and the last that are there."""
        return self.there[-1] - self.there[0] + 1 - len(self.there) if self.there else 0

    @property
    def missing(self) -> list[str]:
        """Those that are not there, as spans of dates."""
        absent = sorted({*range(published.WEEKS)} - {*self.there})
        firsts = [week for week in absent if week - 1 not in absent]
        lasts = [week for week in absent if week + 1 not in absent]
        return [
            _day(first) if first == last else f"{_day(first)} to {_day(last)}"
            for first, last in zip(firsts, lasts, strict=True)
        ]


def weeks(played: Iterable[str], pinned: bool) -> Weeks:
    """Return which of the paper's weeks are among those played; only the pinned file has copied ones."""
    by_hand = {
        round((date.fromisoformat(week) - published.FIRST_WEEK).days / 7): pinned
        and (week <= COPIED_UNTIL or week == COPIED_LATER)
        for week in played
    }
    there = sorted(week for week in by_hand if 0 <= week < published.WEEKS)
    return Weeks(there, [week for week in there if by_hand[week]])


def latex(found: Weeks) -> str:
    """Return a strip with a cell for each of the paper's weeks, by commands that the papers define."""
    cells = ("lacks", "plays", "copied")
    return "".join(
        rf"\{cells[(week in found.there) + (week in found.copied)]}" for week in range(published.WEEKS)
    )


def _day(week: int) -> str:
    return (published.FIRST_WEEK + timedelta(weeks=week)).isoformat()
