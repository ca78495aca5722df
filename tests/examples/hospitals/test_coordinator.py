"""Weeks close when they should, and a coordinator that begins again goes on where it stood."""

import asyncio
import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette

from examples.hospitals.choosing import LEARNERS, MISSING, choose, explain
from examples.hospitals.coordinator import Choice, Coordinator
from examples.hospitals.server import application
from private_experts.learners import trend_weights
from private_experts.randomness import rng_for
from tests.each import each
from tests.examples.hospitals.desk import SETTING, Desk, good

HOSPITALS = ("H01", "H02", "H03")


def noisy_weeks(weeks: int) -> list[dict[str, float]]:
    """Return reports of a world in which the best hospital changes."""
    rng = rng_for(0, "noisy weeks")
    rows = (
        0.3 + 0.3 * np.sin(np.arange(weeks)[:, None] / 3 + np.arange(3) * 2) + rng.normal(0, SETTING.scales, (weeks, 3))
    )
    return [dict(zip(HOSPITALS, row.tolist(), strict=True)) for row in rows]


def fill(desk: Desk, week: int, hospitals: tuple[str, ...] = HOSPITALS) -> None:
    for place, hospital in enumerate(hospitals):
        assert desk.report(hospital, good(week, (place + week) / 8, hospital)).status == 200


def test_a_whole_week_closes_after_its_shortest_time(desk: Desk) -> None:
    fill(desk, 1)
    desk.now = 0.99
    assert not desk.coordinator.close_if_due()
    desk.now = 1.0
    assert desk.coordinator.close_if_due()
    assert desk.coordinator.week == 2
    assert not desk.coordinator.close_if_due()  # the next week has its own time


def test_a_week_with_a_report_missing_closes_after_its_longest_time(desk: Desk) -> None:
    fill(desk, 1, HOSPITALS[:2])
    desk.now = 9.99
    assert not desk.coordinator.close_if_due()
    desk.now = 10.0
    assert desk.coordinator.close_if_due()
    assert desk.coordinator.choices(2) == [
        Choice(1, desk.coordinator.choices(2)[0].hospital, 2),
        Choice(2, choose(SETTING, [{"H01": 1 / 8, "H02": 2 / 8}]), 0),
    ]


def test_a_missing_report_counts_as_no_patients() -> None:
    weeks = noisy_weeks(6)
    without = [{name: value for name, value in week.items() if name != "H02"} for week in weeks]
    assert choose(SETTING, without) == choose(SETTING, [week | {"H02": MISSING} for week in weeks])
    assert choose(SETTING, without) != "H02"


def test_the_choice_follows_the_hospital_that_is_fullest() -> None:
    weeks = [{"H01": 0.2, "H02": 0.2, "H03": 0.2} | {best: 0.8} for best in ("H01",) * 20 + ("H03",) * 20]
    assert choose(SETTING, weeks[:20]) == "H01"
    assert choose(SETTING, weeks) == "H03"


def test_the_choices_depend_on_the_reports_and_the_seed_alone() -> None:
    strict = replace(SETTING, mu=0.01)  # with so much noise the seed decides
    weeks = noisy_weeks(12)
    choices = [choose(strict, weeks[:week]) for week in range(13)]
    assert choices == [choose(strict, weeks[:week]) for week in range(13)]
    others = [[choose(replace(strict, seed=seed), weeks[:week]) for week in range(13)] for seed in range(1, 6)]
    assert any(choices != other for other in others)


def test_the_reason_is_the_best_record_among_the_forecasts_that_name_the_choice() -> None:
    values, seen = rng_for(0, "even weeks").random((30, 3)), set()
    weeks = [dict(zip(HOSPITALS, row, strict=True)) for row in values.tolist()]
    first = rng_for(SETTING.seed, "first report").standard_normal(3)
    for count in range(1, 31):
        named = [first.argmax()] * len(LEARNERS)
        earned = np.zeros(len(LEARNERS))
        for week in range(1, count + 1):
            earned += values[week - 1, named]
            for place, (window, strength) in enumerate(LEARNERS):
                held = min(window, week)
                named[place] = (trend_weights(window, held, strength) @ values[week - held : week][::-1]).argmax()
        reason = explain(SETTING, weeks[:count])
        choice = HOSPITALS.index(reason.hospital)
        best = max((earned[place], -place) for place in range(len(LEARNERS)) if named[place] == choice)
        assert reason.window == LEARNERS[-best[1]][0]
        assert reason.votes == {name: named.count(place) for place, name in enumerate(HOSPITALS) if place in named}
        seen.add((reason.window, len(reason.votes)))
    assert len(seen) > 3


def test_a_coordinator_that_begins_again_shows_what_was_shown_and_chooses_as_one_that_never_stopped(tmp_path) -> None:
    steady, killed = Desk(tmp_path / "steady"), Desk(tmp_path / "killed")
    for week in range(1, SETTING.weeks + 1):
        for hospital in HOSPITALS:
            report = good(week, (week * 7 + HOSPITALS.index(hospital) * 3) % 8 / 8, hospital)
            assert steady.report(hospital, report).status == killed.report(hospital, report).status == 200
            shown = killed.coordinator.choices(9)
            killed.close()
            killed = Desk(tmp_path / "killed")
            assert killed.coordinator.choices(9) == shown
        steady.now += 1.0
        killed.now += 1.0
        assert steady.coordinator.close_if_due()
        assert killed.coordinator.close_if_due()
    assert killed.coordinator.choices(9) == steady.coordinator.choices(9)
    assert len(killed.coordinator.choices(9)) == SETTING.weeks + 1
    steady.close()
    killed.close()


def test_an_outage_takes_nothing_from_a_weeks_time(desk: Desk) -> None:
    desk.now = 9.0
    again = Coordinator(SETTING, desk.store, lambda: desk.now)
    desk.now = 18.0  # longer after the week was opened than it may last
    assert not again.close_if_due()
    assert again.wait() == 1.0


def test_a_week_that_cannot_be_closed_is_closed_later_with_the_same_choice(desk: Desk, monkeypatch) -> None:
    fill(desk, 1)
    desk.now = 1.0

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(desk.store, "open_week", full)
        with pytest.raises(sqlite3.OperationalError):
            desk.coordinator.close_if_due()
    assert desk.coordinator.week == 1
    assert desk.coordinator.close_if_due()
    assert desk.coordinator.choices(1)[0].hospital == choose(SETTING, desk.store.reports(1))


class Full:
    """A database whose journal has room, while its file cannot grow."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def execute(self, sql: str, *values: Any) -> Any:
        if "wal_checkpoint" in sql:
            raise sqlite3.OperationalError("database or disk is full")
        return self._database.execute(sql, *values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


def test_a_full_disk_does_not_close_week_after_week_without_reports(desk: Desk) -> None:
    desk.store._database = Full(desk.store._database)  # type: ignore[assignment]
    for week in (1, 2):
        desk.report("H01", good(week))
        desk.now += SETTING.longest
        for _ in range(3):
            with contextlib.suppress(sqlite3.Error):  # the timer tries again each second
                desk.coordinator.close_if_due()
            desk.now += 1.0
        assert desk.coordinator.week == week + 1
    assert [len(reports) for reports in desk.store.reports(2)] == [1, 1]


class NoRoom(Full):
    """A database that can be read alone."""

    def execute(self, sql: str, *values: Any) -> Any:
        if not sql.startswith("SELECT"):
            raise sqlite3.OperationalError("database or disk is full")
        return self._database.execute(sql, *values)


@each("when", ["before its end", "after its end"])
def test_a_week_waits_for_reports_that_a_full_disk_refused(tmp_path_factory, when: str) -> None:
    desk = Desk(tmp_path_factory.mktemp("full") / "reports")
    whole = desk.store._database
    fill(desk, 1, HOSPITALS[:1])
    desk.now = SETTING.longest - 0.1
    desk.store._database = NoRoom(whole)  # type: ignore[assignment]
    assert desk.report("H02", good(hospital="H02")).status == 503
    if when == "after its end":
        desk.now += 60.0
        with pytest.raises(sqlite3.Error):
            desk.coordinator.close_if_due()
        assert desk.coordinator.wait() < -59.0  # the page says that it is overdue
    desk.store._database = whole
    desk.now += 0.2
    fill(desk, 1, HOSPITALS[1:2])  # one comes before the timer, one after it
    assert not desk.coordinator.close_if_due()
    desk.now += 1.0
    fill(desk, 1, HOSPITALS[2:])
    assert desk.coordinator.close_if_due()
    assert [len(reports) for reports in desk.store.reports(1)] == [3]
    desk.close()


def test_after_a_full_disk_a_week_waits_for_a_silent_hospital_no_longer_than_before(desk: Desk) -> None:
    whole = desk.store._database
    desk.store._database = NoRoom(whole)  # type: ignore[assignment]
    assert desk.report("H02", good(hospital="H02")).status == 503
    desk.store._database = whole
    assert not desk.coordinator.close_if_due()
    desk.now = SETTING.longest
    assert desk.coordinator.close_if_due()


def test_the_timer_closes_weeks_by_itself(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "timer", replace(SETTING, shortest=0.01, longest=0.02))
    desk.coordinator = Coordinator(desk.setting, desk.store)

    async def alone(app: Starlette) -> None:
        async with app.router.lifespan_context(app):
            async with asyncio.timeout(2):
                while desk.coordinator.week <= SETTING.weeks:
                    await asyncio.sleep(0.01)

    asyncio.run(alone(application(desk.coordinator, lambda token: None)))
    assert desk.coordinator.week == SETTING.weeks + 1
    desk.close()
