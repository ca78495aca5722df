"""Each check of own counts gives the expected verdict, and another one for a mutant."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from private_experts.learners import PosteriorMeans
from private_experts.privacy import reports
from private_experts.privacy.own_counts import own_scales
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p000 import own_count_claims as own_counts
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.own_counts import own_games
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, found, times, verdict

CHECKED = own_counts
LEVEL = {"n": [2, 5], "mu": [0.5], "instances": 2}
MINIMAX = {"n": [2, 5], "mu": 0.5, "instances": 2, "drawn": 60}


@each(
    ("scales", "column", "where"),
    [
        # noise that is a hundredth off, by both routes
        (times(0.99, own_scales), "what", {"no more"}),
        (times(0.99, own_scales), "route", {"spent", "shifts"}),
        (times(1.01, own_scales), "what", {"attained"}),
        (times(1.01, own_scales), "route", {"spent", "shifts"}),
        # noise for a person who stays away, which is too small for one who moves
        (lambda reach, guarantee, moved: own_scales(reach, guarantee, 1), "adjacency", {"move"}),
    ],
)
def test_the_level_holds_and_other_noise_is_caught(
    scales: Any, column: str, where: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verdict(own_counts.level, LEVEL) == "holds"
    with monkeypatch.context() as put:
        put.setattr(reports, "own_scales", scales)
        assert failing(own_counts.level(LEVEL, SEED), column) == where


@pytest.mark.parametrize("week", [0, 1])
def test_the_noise_of_one_weeks_beds_in_all_weeks_is_caught(
    week: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = own_games.private_reports

    def stale(gains: Any, guarantee: Any, reach: Any, *rest: Any, **named: Any) -> Any:
        return given(gains, guarantee, np.tile(reach[week], (len(reach), 1)), *rest, **named)

    for module, route in ((own_games, "spent"), (own_counts, "shifts")):
        with monkeypatch.context() as patched:
            patched.setattr(module, "private_reports", stale)
            points = own_counts.level(LEVEL, SEED)
        assert failing(points, "route") == {route}
        assert {point.where["week"] for point in points if decide([point]) == "fails"} == {0, 1, 2} - {week}
        assert "no more" in failing(points, "what")


@each(
    ("name", "factor", "caught"),
    [
        ("own_scales", 1.0, set()),
        ("own_scales", 1.01, {"noise", "two with less"}),
        ("informed_scales", 0.99, {"level"}),
        ("informed_scales", 1.01, {"noise"}),
        ("own_level", 0.98, {"drawn"}),
        ("_equal_but_one", 0.99, {"form, level"}),
        ("_equal_but_one", 1.01, {"form, noise"}),
        ("_derived", 1.01, {"drawn"}),
    ],
)
def test_minimax_allocations_hold_and_others_are_caught(name: str, factor: float, caught: set[str]) -> None:
    points = found(own_counts.minimax, MINIMAX, **{name: times(factor, getattr(own_counts, name))})
    assert decide(points) == ("fails" if caught else "holds")
    assert failing(points, "what") >= caught


GAMES = {
    "mu": [0.5],
    "adjacency": "move",
    "learners": {"family": "trend", "windows": [4, 8], "strengths": {"weak": 0.1, "strong": 10.0}},
}


@pytest.fixture
def panels() -> dict[str, Panel]:
    """Two small hospitals, whose noise is all that the paper's mechanism leaves, and large ones in turns."""
    weeks, n = 40, 8
    beds = np.broadcast_to([4.0, 5.0, *[300.0] * 6], (weeks, n))
    waves = 0.3 + 0.25 * np.sin(np.arange(weeks)[:, None] / 6 + np.arange(n))
    density = np.where(np.arange(n) < 2, 0.15, waves) + 0.01 * rng_for(0, "own counts for tests").random(
        (weeks, n)
    )
    return {"NM": Panel(tuple(map(str, range(weeks))), tuple("abcdefgh"), density, np.full(weeks, 4.0), beds)}


@each("check", [own_counts.gain, own_counts.posterior_gain, own_counts.over_central])
def test_own_counts_gain_where_small_hospitals_set_the_noise_of_all(
    check: Any, panels: dict[str, Panel]
) -> None:
    points = check(GAMES, 50, SEED, panels)
    assert decide(points) == "holds"
    assert points[0].notes["repetitions"] == 50


def test_the_mechanisms_the_other_way_round_are_caught(panels: dict[str, Panel], put: Any) -> None:
    other, name_of = {"own": "same", "same": "own"}, own_counts.name_of
    put(name_of=lambda mechanism, name: name_of(other[mechanism], name))
    assert decide(own_counts.gain(GAMES, 50, SEED, panels)) == "fails"


class Contrary(PosteriorMeans):
    """Names the hospital with the smallest posterior mean."""

    def predict(self) -> Any:
        return self.forecast().argmin(axis=-1)


def test_a_learner_that_is_wrong_is_caught(panels: dict[str, Panel], put: Any) -> None:
    put(own_games, PosteriorMeans=Contrary)
    for check in (own_counts.posterior_gain, own_counts.over_central):
        assert decide(check(GAMES, 50, SEED, panels)) == "fails"


def test_all_noises_of_a_curators_posterior_means_are_rivals(panels: dict[str, Panel], put: Any) -> None:
    contenders: set[str] = set()

    def recorded(game: Any, learners: Any, names: Any) -> Any:
        contenders.update(names)
        return own_games.play(game, learners, names)

    put(play=recorded)
    own_counts.over_central(GAMES, 50, SEED, panels)
    assert {f"same/{name}" for name in own_games.POSTERIORS} <= contenders


def test_panels_without_beds_are_not_asked(panels: dict[str, Panel]) -> None:
    without = {state: replace(panel, beds=None) for state, panel in panels.items()}
    with pytest.raises(NotRunError, match="no beds of each hospital"):
        own_counts.gain(GAMES, 50, SEED, without)
