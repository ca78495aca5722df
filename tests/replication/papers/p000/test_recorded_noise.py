"""Reports of the study have the noise that the panel's beds imply; with less of it the claim fails."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from private_experts.games.play import private_reports
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.ledger.checking import loaded
from private_experts.replication.ledger.evidence import NotRunError, Point, decide
from private_experts.replication.papers.p000.recorded_noise import recorded_noise
from private_experts.replication.study import hospital_game
from private_experts.replication.study.data import panel as panels
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.hospital_stages import games
from private_experts.replication.study.own_counts import own_games
from private_experts.replication.study.own_counts.own_counts_stages import own_count_games
from private_experts.replication.study.players import ON_REPORTS, central_learners, names, sections
from tests.replication.study.plays import LEARNERS

GRID = {"mu": 0.5, "slack": 0.1, "week": 0.2, "cell": 0.4}
COPIES = 700


def panel(beds: bool = True) -> Panel:
    rng = rng_for(0, "test recorded noise")
    counts = rng.integers(20, 300, size=(12, 5)).astype(float)
    weeks = tuple(f"2021-01-{day:02}" for day in range(1, 13))
    other = (counts, 3 / counts) if beds else (None, None)
    return Panel(weeks, tuple("abcde"), rng.random((12, 5)), counts.min(axis=1), *other)


def play(player: str, folder: Path, copies: int = COPIES) -> Path:
    """Play a player as a job of the workflow does, and return what it left of the noise in its reports."""
    report_noise, rest = folder / f"{player}.report-noise.csv", folder / "rest.csv"
    settings = dict.fromkeys(sections(player), LEARNERS)
    given = {"privacy_levels": [np.inf, 1.0, 0.5], "repetitions": copies, "seed": 5, "settings": settings}
    games(player, [folder / "NM.csv"], totals=rest, curves=rest, report_noise=report_noise, **given)
    return report_noise


def play_own(folder: Path, copies: int = COPIES) -> Path:
    report_noise = folder / "NM.report-noise.csv"
    levels = [np.inf, 1.0, 0.5]
    own_count_games(
        "NM", folder / "NM.csv", [], [], levels, copies, LEARNERS, 5, folder / "rest.csv", report_noise
    )
    return report_noise


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    panels.write(folder / "NM.csv", panel())
    play("rw-ftpl", folder)
    play_own(folder)
    return folder


@pytest.fixture
def folder(tmp_path: Path, honest: Path) -> Path:
    """Return a folder with what an honest run of RW-FTPL, and on own counts, left."""
    shutil.copytree(honest, tmp_path, dirs_exist_ok=True)
    return tmp_path


LEFT = ("rw-ftpl.report-noise.csv", "NM.report-noise.csv")


def points(folder: Path, names: Sequence[str] = LEFT, copies: int = 600) -> list[Point]:
    files = [folder / name for name in names]
    return recorded_noise(GRID, copies, 0, **loaded([folder / "NM.csv"], report_noise=files))


def wrong(found: Sequence[Point]) -> set[str]:
    return {point.where["reports"] for point in found if decide([point]) == "fails"}


def test_noise_of_the_study_is_what_beds_imply(folder: Path) -> None:
    names = [*LEFT, *(play(name, folder).name for name in ON_REPORTS if name != "rw-ftpl")]
    found = points(folder, names, copies=3000)  # five hospitals are few
    assert decide(found) == "holds"
    assert len({point.where["mechanism"] for point in found}) == 4
    report_noise = {point.where["reports"] for point in found}
    assert report_noise == {
        *("made anew", "rw-ftpl", "rw-meta", "rw-meta-no-floor", "local-learners", "posterior-means"),
        *("own-counts-posterior-means", "same/posterior-means", "own/posterior-means"),
        *("covered/same/posterior-means", "covered/own/posterior-means"),
    }


def test_players_who_hear_no_reports_leave_none(folder: Path) -> None:
    for name in {*names()} - {*ON_REPORTS}:
        assert len(play(name, folder, copies=10).read_text().splitlines()) == 1


def first_week_only(noise: np.ndarray, week: int) -> np.ndarray:
    return noise if week == 0 else 0 * noise


def shared(noise: np.ndarray, week: int) -> np.ndarray:
    return np.broadcast_to(noise[:1], noise.shape)


def half_of_one_hospital(noise: np.ndarray, week: int) -> np.ndarray:
    return noise * np.array([1, 1, 0.5, 1, 1])


def half_in_one_week(noise: np.ndarray, week: int) -> np.ndarray:
    return noise / 2 if week == 6 else noise


def spoilt(change: Callable[[np.ndarray, int], np.ndarray], *given: Any, **more: Any) -> Iterator[Reports]:
    """Yield reports that state the scale that they should have, and have other noise."""
    for week, (gains, report) in enumerate(zip(given[0], private_reports(*given, **more), strict=True)):
        yield Reports(gains + change(report.values - gains, week), report.guarantee, report.scale)


def average_bed(*given: Any, **more: Any) -> Iterator[Reports]:
    """Make reports with noise for the average hospital, and say so."""
    gains, guarantee, reach, *rest = given
    reach = np.broadcast_to(reach.mean(axis=-1, keepdims=True), reach.shape) if reach.ndim == 2 else reach / 2
    return private_reports(gains, guarantee, reach, *rest, **more)


CHANGES = [first_week_only, shared, half_of_one_hospital, half_in_one_week]
MADE = {change.__name__: partial(spoilt, change) for change in CHANGES} | {"average_bed": average_bed}
ON_OWN_COUNTS = ("first_week_only", "average_bed")  # which cost more


@pytest.mark.parametrize(
    ("whose", "change"),
    [*(("rw-ftpl", name) for name in MADE), *(("own counts", name) for name in ON_OWN_COUNTS)],
)
def test_a_player_that_heard_other_noise_is_noticed_by_what_it_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch, whose: str, change: str
) -> None:
    with monkeypatch.context() as put:
        put.setattr(hospital_game if whose == "rw-ftpl" else own_games, "private_reports", MADE[change])
        play("rw-ftpl", folder) if whose == "rw-ftpl" else play_own(folder, 300)
    # Reports that are made anew are right again: what the player left is not.
    of_whom = {"rw-ftpl"} if whose == "rw-ftpl" else {"own/posterior-means", "covered/own/posterior-means"}
    assert wrong(points(folder, copies=20)) == of_whom


def _mutant(change: Callable[[np.ndarray, dict], np.ndarray]) -> Callable:
    perturb, kept = SimulatedNoise.perturb, {}

    def mutated(self, values, scale, repetitions):
        return values + change(perturb(self, 0 * values, scale, repetitions), kept.setdefault(id(self), {}))

    return mutated


@pytest.mark.parametrize(
    "change",
    [
        lambda noise, kept: noise / 2,
        lambda noise, kept: noise if not kept and not kept.update(a=1) else 0 * noise,
        lambda noise, kept: kept.setdefault(noise.shape, noise),
    ],
    ids=["half", "first week", "reused"],
)
def test_less_noise_is_noticed_in_reports_that_are_made_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Callable
) -> None:
    monkeypatch.setattr(SimulatedNoise, "perturb", _mutant(change))
    assert wrong(points(folder)) == {"made anew"}


class LessAtFirst(SimulatedNoise):
    """A source whose first draw has half the noise."""

    def perturb(self, values, scale, repetitions):
        first, self.begun = not getattr(self, "begun", False), True
        return super().perturb(values, scale / 2 if first else scale, repetitions)


class Again(SimulatedNoise):
    """A source that draws the same again after its first draw."""

    def perturb(self, values, scale, repetitions):
        before = self._rng.bit_generator.state
        drawn = super().perturb(values, scale, repetitions)
        if not getattr(self, "begun", False):
            self._rng.bit_generator.state, self.begun = before, True
        return drawn


@pytest.mark.parametrize("kind", [LessAtFirst, Again])
@pytest.mark.parametrize(
    ("room", "whose"),
    [
        (hospital_game, {"one noise for all": {"RW-FTPL", "RW-AdaBatch"}}),
        (central_learners, {"one noise for all": {"curator"}}),
        (own_games, {"own counts": {"RW-FTPL", "curator"}}),
    ],
    ids=["local game", "curator", "own counts"],
)
def test_less_noise_before_the_first_week_is_noticed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, room: Any, whose: dict[str, set[str]], kind: type
) -> None:
    monkeypatch.setattr(room, "SimulatedNoise", kind)
    found = [point for point in points(folder) if decide([point]) == "fails"]
    assert {point.where["reports"] for point in found} == {"made anew"}
    firsts = [point.where for point in found if "before the first" in point.where["scale of each"]]
    for mechanism, players in whose.items():
        assert {where["mechanism"] for where in firsts} == {mechanism}
        assert {where["scale of each"].partition(",")[0] for where in firsts} == players


def test_what_a_run_has_not_left_is_not_run(folder: Path) -> None:
    with pytest.raises(
        NotRunError, match="NM: no player has the noise of one noise for all, suppression, own counts"
    ):
        points(folder, LEFT[:1])
    panels.write(folder / "NM.csv", panel(beds=False))
    with pytest.raises(NotRunError, match="beds"):
        points(folder)
