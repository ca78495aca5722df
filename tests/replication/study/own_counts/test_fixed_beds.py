"""Fixed beds: what is public beforehand, the noise that follows from it, and how beds follow patients."""

import math
from dataclasses import replace

import numpy as np
import pytest

from private_experts.privacy import own_level
from private_experts.randomness import rng_for
from private_experts.replication.study import hospital_game
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.estimates import critical_value
from private_experts.replication.study.own_counts import fixed_beds as room
from private_experts.replication.study.own_counts import own_games
from tests.replication.study.estimates import totals_of
from tests.replication.study.plays import LEARNERS, a_panel

WEEKS, HOSPITALS = 64, 3


def dated(weeks: int = WEEKS, **changes: object) -> Panel:
    first = np.datetime64("2020-08-07")
    panel = a_panel(weeks, HOSPITALS)
    return replace(panel, weeks=tuple(str(first + 7 * week) for week in range(weeks)), **changes)


def match(panel: Panel) -> hospital_game.Game:
    return hospital_game.game(panel, "NM", (math.inf, 0.5, 0.1), 60, 5)


def test_the_number_is_the_median_of_the_first_year_and_the_game_is_of_the_weeks_after_it() -> None:
    beds = np.outer(np.arange(1.0, WEEKS + 1), [1, 2, 3])
    later, number = room.split(dated(beds=beds))
    assert later.weeks[0] == "2021-08-06"
    assert len(later.weeks) == len(later.density) == len(later.smallest_beds) == WEEKS - 52
    np.testing.assert_array_equal(number, 26.5 * np.array([1, 2, 3]))
    # What beds do in the weeks that are played moves neither.
    moved = room.split(dated(beds=np.where(np.arange(WEEKS)[:, None] < 52, beds, 7 * beds)))[1]
    np.testing.assert_array_equal(moved, number)
    np.testing.assert_array_equal(later.density, dated().density[52:])
    assert room.play_fixed(dated(52), match, LEARNERS) == []


def test_noise_follows_from_the_fixed_number_alone_and_has_the_level() -> None:
    panel, number = room.split(dated())
    reported = match(room.on_fixed(panel, number))
    assert panel.beds is not None
    np.testing.assert_allclose(reported.gains, np.minimum(panel.density * panel.beds / number, 1))
    for sensitivity in reported.sensitivity:
        assert sensitivity == pytest.approx(math.sqrt(2) / number.min())
    _, reports = own_games.own_follower(reported, 0.5)
    scales = [report.scale for report in reports]
    np.testing.assert_allclose(scales, np.broadcast_to(math.sqrt(2) / (0.5 * number), (12, 3)), rtol=1e-12)
    assert own_level(1 / number, scales[0]) == pytest.approx(0.5, rel=1e-12)
    # Twice the beds and the density halved are the same patients, and so the same reports.
    twice = room.on_fixed(replace(panel, beds=2 * panel.beds, density=panel.density / 2), number)
    np.testing.assert_allclose(twice.density, reported.gains)
    covering = room.on_fixed(replace(panel, covering=1.5 / panel.beds), number).covering
    np.testing.assert_allclose(covering, np.broadcast_to(1.5 / number, (12, 3)))


def test_both_kinds_of_beds_gain_shares_of_the_beds_of_the_week() -> None:
    panel = dated()
    found = {(play.algorithm, play.mu): play for play in room.play_fixed(panel, match, LEARNERS)}
    names = [f"{beds}/{noise}/rw-meta" for beds in (room.WEEKLY, room.FIXED) for noise in ("same", "own")]
    assert {*found} == {(name, mu) for name in names for mu in (math.inf, 0.5)}
    later, number = room.split(panel)
    gains = np.sort(later.density, axis=1)
    for play in found.values():
        assert play.earned.shape == (12, room.COPIES)
        assert all(np.isin(earned, row).all() for earned, row in zip(play.earned, gains, strict=True))
    weekly, fixed = found[names[1], 0.5], found[names[3], 0.5]
    assert not np.array_equal(weekly.earned, fixed.earned)
    # Where beds have not changed since, both are one game.
    assert panel.beds is not None
    still = replace(
        panel, beds=np.broadcast_to(number, panel.beds.shape), smallest_beds=np.full(64, number.min())
    )
    alike = {(play.algorithm, play.mu): play for play in room.play_fixed(still, match, LEARNERS)}
    for noise in ("same", "own"):
        one, other = (alike[f"{beds}/{noise}/rw-meta", 0.5] for beds in (room.WEEKLY, room.FIXED))
        np.testing.assert_array_equal(one.earned, other.earned)


def following(slope: float) -> Panel:
    """Return a panel in which beds move by `slope` for each patient, and by chance."""
    rng = rng_for(3, "beds that follow")
    patients = 20 + 5 * rng.random((WEEKS, HOSPITALS))
    beds = 100 + slope * patients + 0.1 * rng.normal(size=(WEEKS, HOSPITALS))
    return dated(beds=beds, density=patients / beds)


def test_beds_follow_by_the_slope_of_weekly_changes() -> None:
    slope, error = room.follow(following(0.2))
    assert 0 < error < 0.02
    # least squares would have an error of 0.005
    assert slope == pytest.approx(0.2, abs=0.02)
    assert abs(room.follow(following(0.0))[0]) < 0.02
    panel = following(0.2)
    assert panel.beds is not None
    # Neither the weeks of a hospital nor the hospitals of a week are independent: what each says adds up
    # before it is squared.
    changes = np.diff(panel.density * panel.beds, axis=0)
    more, moved = changes - changes.mean(), np.diff(panel.beds, axis=0)
    left = moved - moved.mean() - slope * more
    by_hospital = [float(more[:, hospital] @ left[:, hospital]) for hospital in range(HOSPITALS)]
    by_week = [float(more[week] @ left[week]) for week in range(len(more))]
    variance = math.hypot(*by_hospital) ** 2 + math.hypot(*by_week) ** 2 - float(np.sum((more * left) ** 2))
    least = max(math.hypot(*by_hospital), math.hypot(*by_week))
    assert error == pytest.approx(max(math.sqrt(variance), least) / float(np.sum(more**2)))
    # A hospital that says what another says is no evidence more.
    twice = replace(panel, **{name: np.tile(getattr(panel, name), 2) for name in ("beds", "density")})
    again = room.follow(twice)
    assert again[0] == pytest.approx(slope)
    assert error / math.sqrt(2) < again[1]


def test_faults_closed_hospitals_and_weeks_apart_do_not_count() -> None:
    panel = following(0.2)
    assert panel.beds is not None
    faulty, closed = panel.beds.copy(), panel.density.copy()
    faulty[30, 1] *= 0.8
    closed[30, 1] = 0.0
    # A gap at week 30: the change into it is not of one week.
    apart = tuple(str(np.datetime64(week) + 7 * (place >= 30)) for place, week in enumerate(panel.weeks))
    patients = panel.density * panel.beds

    def slope(skips: set[tuple[int, int]]) -> float:
        kept = [
            (patients[t, i] - patients[t - 1, i], panel.beds[t, i] - panel.beds[t - 1, i])
            for t in range(1, WEEKS)
            for i in range(HOSPITALS)
            if (t, i) not in skips
        ]
        return float(np.polyfit(*np.array(kept).T, 1)[0])

    assert room.follow(panel)[0] == pytest.approx(slope(set()))
    shrunk = replace(panel, beds=faulty, density=patients / faulty)
    for changed in (shrunk, replace(panel, density=closed)):
        assert room.follow(changed)[0] == pytest.approx(slope({(30, 1), (31, 1)}))
    assert room.follow(replace(panel, weeks=apart))[0] == pytest.approx(slope({(30, i) for i in range(3)}))
    still = dated(beds=np.full((WEEKS, HOSPITALS), 9.0), density=np.full((WEEKS, HOSPITALS), 0.5))
    assert np.isnan(room.follow(still)).all()


def test_gains_and_differences_are_of_the_right_contenders() -> None:
    names = [f"{beds}/{noise}/rw-meta" for beds in (room.WEEKLY, room.FIXED) for noise in ("same", "own")]
    names.append("same/rw-meta")

    def total(state: str, mu: float, name: str, r: int) -> float:
        return 10.0 * names.index(name) + r % 2 * (1 + names.index(name))

    games = totals_of(("PA", "NM"), (math.inf, 0.5), names, 8, total)
    panels = {"PA": dated(), "NM": following(0.2)}
    table = room.fixed_numbers(games, panels, 0.95)
    assert list(table["state"]) == ["PA", "PA", "NM", "NM"]
    row = table.iloc[3]
    assert (row["weekly_same"], row["weekly_own"], row["fixed_same"], row["fixed_own"]) == (0.5, 11, 21.5, 32)
    assert (row["cost"], row["lead"]) == (11 - 32, 32 - 21.5)
    joint = critical_value(0.95, 4 * 6)
    assert row["weekly_same_pm"] == pytest.approx(joint * np.std([0, 1] * 4, ddof=1) / math.sqrt(8))
    later, number = room.split(panels["NM"])
    assert later.beds is not None
    assert row["noise"] == pytest.approx((later.beds / number).mean())
    shown = room.fixed_table(table).iloc[3]
    assert shown["fixed beds, own counts"].startswith("32.0 ± ")
    assert shown["beds of the week, own counts"].startswith("11.0 ± ")
    [_, follows] = room.follow_table(table.to_dict("records")).to_dict("records")
    assert follows["beds for one patient more"] == f"{row['follows']:.2f}"
    assert float(follows["standard errors from 0"]) == round(row["follows"] / row["follows_error"], 1)
    assert room.facts(games, panels, 0.95) == {"weeks": "12 weeks", "repetitions": 8, "confidence": 95}
    games = games[games["algorithm"] == "same/rw-meta"]
    assert room.facts(games, {"PA": dated(52)}, 0.95) == {
        "weeks": "0 weeks",
        "repetitions": 0,
        "confidence": 95,
    }
    nothing = room.fixed_numbers(games, panels, 0.95)  # but how beds follow is known without games
    assert list(nothing["state"]) == ["PA", "NM"]
    assert nothing["mu"].isna().all()
    assert list(nothing["follows"]) == [room.follow(panel)[0] for panel in panels.values()]
    assert room.fixed_table(nothing).empty
