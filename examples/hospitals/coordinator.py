"""The coordinator's work, without the network: count reports, close weeks, choose. The `Store` has all its state."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from examples.hospitals.accounts import Accounts
from examples.hospitals.choosing import Reason, explain
from examples.hospitals.reading import RefusedError, Report
from examples.hospitals.setting import Setting
from examples.hospitals.store import Store

COUNTED = "The report is counted."
ALREADY = "The report was already counted, once."
MAY_DRAW = "The report may be drawn, once."
AHEAD = "The week need not wait for this hospital."


@dataclass(frozen=True)
class Choice:
    """The hospital that is named in a week, and how many have reported for it."""

    week: int
    hospital: str
    reported: int


class Coordinator:
    """Counts each hospital's report of a week once, and names a hospital for each week.

    A week's time, by a clock in seconds, begins anew with each coordinator, and when a disk that was full has room
    again while reports are missing. So neither costs a report. When a hospital has reports of later weeks, the database
    was `put_back`. Then a week is closed as soon as each hospital has sent its report again, or said that none will
    come.
    """

    def __init__(self, setting: Setting, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self.setting = setting
        self._store, self._clock = store, clock
        if not store.week():
            store.open_week(1, explain(setting, []).hospital)
        self._reason: tuple[int, Reason] | None = None
        self._so_far: tuple[int, Accounts, dict[str, list[int]]] | None = None
        self._opened = clock()
        self._ahead: set[str] = set()  # hospitals from which nothing more of the open week will come
        self.put_back = False

    @property
    def week(self) -> int:
        """The week that is open for reports; beyond the last one, all is over."""
        return self._store.week()

    def accept(self, hospital: str, report: Report) -> str:
        """Count a report, on the disk, and return a sentence that says so; refuse one of a closed or later week."""
        held = self._store.value(report.week, hospital)
        if held == report.value:
            return ALREADY
        if held is not None:
            self._store.note_twice(report.week, hospital)
            raise RefusedError(
                409, f"Another report of week {report.week} was counted: a figure is released only once."
            )
        open_week = self.week
        if open_week > self.setting.weeks:
            raise RefusedError(410, "All weeks are closed: nothing more is reported.")
        if report.week < open_week:
            raise RefusedError(
                410, f"Week {report.week} is closed: report for week {open_week}, when you have its figure."
            )
        if report.week > open_week:
            raise RefusedError(409, f"Week {report.week} is not open yet: week {open_week} is.")
        self._store.add(report.week, hospital, report.value)
        return COUNTED

    def begin_draw(self, hospital: str, week: int, mark: str) -> str:
        """Let a hospital draw for the open week, once: who has another mark is another copy of it, or an older one."""
        if week != self.week or week > self.setting.weeks:
            raise RefusedError(409, f"Week {week} is not open: nothing is drawn for it now.")
        if self._store.value(week, hospital) is not None or self._store.begin_draw(week, hospital, mark) != mark:
            raise RefusedError(409, f"Another draw for week {week} was begun: a figure is released only once.")
        return MAY_DRAW

    def ahead(self, hospital: str, week: int) -> str:
        """Note that a hospital has reports of later weeks than the open one, and will send no more of this one."""
        if week == self.week:
            self._ahead.add(hospital)
            self.put_back = True
        return AHEAD

    def reported(self, hospital: str) -> bool:
        """Tell whether the open week has a report of a hospital."""
        return self._store.value(self.week, hospital) is not None

    def held(self, hospital: str) -> list[tuple[int, float]]:
        """Return the week and value of all reports of a hospital that are counted."""
        return self._store.reports_of(hospital)

    def wait(self) -> float:
        """Return how many seconds the open week may still last, as things stand."""
        if self.week > self.setting.weeks:
            return float("inf")
        reported = self._store.reported(self.week)
        if self._ahead and reported | self._ahead == self.setting.beds.keys():
            return 0.0  # its time has passed before
        until = self.setting.shortest if reported == self.setting.beds.keys() else self.setting.longest
        return self._opened + until - self._clock()

    def close_if_due(self) -> bool:
        """Close the open week if its time has come, and show the next choice. Return whether it was closed."""
        if self._store.failed:
            self._store.write_again()
            if self._store.reported(self.week) != self.setting.beds.keys():  # what was refused is sent again
                self._opened = self._clock()
        if self.wait() > 0:
            return False
        week = self.week
        reason = explain(self.setting, self._store.reports(week))
        self._store.open_week(week + 1, reason.hospital)
        self._reason = week + 1, reason
        self._opened = self._clock()
        self._ahead.clear()
        return True

    def reason(self) -> Reason:
        """Return why the hospital of the open week was chosen. It is computed once a week."""
        week = self.week
        if self._reason is None or self._reason[0] != week:
            self._reason = week, explain(self.setting, self._store.reports(week - 1))
        return self._reason[1]

    def so_far(self) -> tuple[Accounts, dict[str, list[int]]]:
        """Return what the reports so far have cost, and of which weeks each hospital's are, the first one first.

        It is computed when something has changed, and not each time that somebody asks.
        """
        changes = self._store.changes
        if self._so_far is None or self._so_far[0] != changes:
            accounts = Accounts(self.setting, min(self.week, self.setting.weeks), self._store.draws())
            weeks: dict[str, list[int]] = {hospital: [] for hospital in self.setting.hospitals}
            for week, hospital in self._store.reported_weeks():
                weeks[hospital].append(week)
            self._so_far = changes, accounts, weeks
        return self._so_far[1:]

    def open_for(self) -> float:
        """Return for how many seconds the open week has been open, as this process knows."""
        return self._clock() - self._opened

    def choices(self, latest: int) -> list[Choice]:
        """Return the choices of the latest weeks, the newest last."""
        return [Choice(*row) for row in self._store.choices(latest)]
