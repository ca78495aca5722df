"""Reports of sets and signs of labels: information by enumeration, games against other reports, mutants."""

from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning import (
    label_mixture,
)
from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p003 import kl_risk, subset_reports
from private_experts.replication.study.data.panel import Panel
from tests.each import each
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import Stubborn
from tests.replication.papers.small_checks import SEED, failing, verdict

ALL = {
    "mechanism": ["subset selection", "Hadamard response"],
    "M": [2, 4, 5],
    "eps": [0.1, 1.0],
    "instances": 10,
}
KINDS = {"subset selection": SubsetSelection, "Hadamard response": HadamardResponse}


def test_reports_have_their_level_and_their_information() -> None:
    assert verdict(subset_reports.information, ALL) == "holds"


@each(("name", "factor"), [("Hadamard response", 1.02), ("subset selection", 1.1)])
def test_a_little_more_information_than_there_is_is_caught(
    name: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = KINDS[name].information.fget  # type: ignore[attr-defined]
    with monkeypatch.context() as patched:
        patched.setattr(KINDS[name], "information", property(lambda self: factor * whole(self)))
        points = subset_reports.information(ALL | {"instances": 40}, SEED)
    assert failing(points, "what") == {"information"}
    assert failing(points, "mechanism") == {name}


@each(("name", "what"), [("subset selection", "inclusion"), ("Hadamard response", "flip")])
def test_a_chance_of_a_lie_that_is_a_billionth_off_is_caught(
    name: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = getattr(KINDS[name], what).fget
    with monkeypatch.context() as patched:
        patched.setattr(KINDS[name], what, property(lambda self: whole(self) + 1e-9))
        points = subset_reports.information(ALL, SEED)
    assert failing(points, "what") == {"true chance"}
    assert failing(points, "mechanism") == {name}


def test_likelihoods_at_another_level_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        HadamardResponse, "contrast", property(lambda self: np.tanh(self.guarantee.epsilon * 0.50001))
    )
    right = SubsetSelection.losses
    monkeypatch.setattr(SubsetSelection, "losses", lambda self, sets, f: right(self, sets, f) * 1.00001)
    points = subset_reports.information(ALL, SEED)
    assert "likelihoods" in failing(points, "what")
    assert failing(points, "mechanism") == set(ALL["mechanism"])


GAMES: dict[str, Any] = {
    "class": ["tilted 0.9"],
    "K": [4],
    "eps": [1.0],
    "features": ["permuted"],
    "T": [600],
    "eps_low_privacy": [2.0],
    "own": {"subset selection": {"T_long": [4000]}, "Hadamard response": {"T_long": [100_000]}},
}


def test_the_risk_is_under_its_bound() -> None:
    points = kl_risk.subset_reports(GAMES, 20, SEED)
    assert decide(points) == "holds"
    assert {point.where["mechanism"] for point in points} == set(KINDS)
    assert all(point.lazy_fails and not point.vacuous for point in points if point.where["features"] == "one")


def test_learning_nothing_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    own = GAMES | {"features": []}
    monkeypatch.setattr(label_mixture, "WeightedMajority", Stubborn)
    for name in ("subset selection", "Hadamard response"):
        assert caught(
            lambda name=name: kl_risk.subset_reports(own | {"own": {name: own["own"][name]}}, 20, SEED)
        )


RIVALS: dict[str, Any] = {
    "rivals": {"algorithm 2": 0.5, "posterior": 1.0, "centred reports": 1.0},
    "K": 8,
    "games": {
        "subset selection": {"M": [64], "eps": [2.0], "T_over_M": [20]},
        "Hadamard response": {"M": [64], "eps": [0.5], "T_over_M": [2000]},
    },
}


def test_reports_of_many_labels_win() -> None:
    points = subset_reports.rivals(RIVALS, 60, SEED)
    assert decide(points) == "holds"
    assert len(points) == 6
    assert all(point.lazy_fails for point in points)


def test_reports_that_do_not_say_which_set_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant: plain randomised response in their place, which is too slow with many labels."""
    monkeypatch.setattr(
        subset_reports,
        "mechanism_of",
        lambda name, *game: kl_risk.mechanism_of("randomised response" if name in KINDS else name, *game),
    )
    points = subset_reports.rivals(RIVALS, 60, SEED)
    assert decide(points) == "fails"
    assert decide(subset_reports.rivals_hospital(HOSPITAL, 40, SEED, panels={"AA": panel(200)})) == "fails"
    assert isinstance(subset_reports.mechanism_of("subset selection", 2, 4, 9, 1.0), RandomizedResponse)


def panel(hospitals: int, weeks: int = 30) -> Panel:
    """Return a panel whose patients move from the first half of the hospitals to the second."""
    moved, first = np.linspace(0.9, 0.1, weeks)[:, None], np.arange(hospitals) < hospitals / 2
    return Panel(
        weeks=tuple(map(str, range(weeks))),
        hospitals=tuple(f"{number:03}" for number in range(hospitals)),
        density=np.where(first, moved, 1 - moved),
        smallest_beds=np.ones(weeks),
        beds=np.full((weeks, hospitals), 10.0),
    )


HOSPITAL = {"rivals": RIVALS["rivals"], "K": 4, "eps": [1.0], "T": [300_000], "least_M": 60}


def test_shares_of_hospitals_are_a_class() -> None:
    f = subset_reports.hospital_shares(panel(10), 3)
    np.testing.assert_allclose(f.sum(axis=1), 1.0)
    np.testing.assert_allclose(f[:, 0] * 50, [9.0, 5.0, 1.0], rtol=0.05)


def test_signs_win_on_hospitals_where_there_are_many() -> None:
    panels = {"AA": panel(200), "BB": panel(8)}
    points = subset_reports.rivals_hospital(HOSPITAL, 40, SEED, panels=panels)
    assert decide(points) == "holds"
    assert {point.where["state"] for point in points} == {"AA"}
    with pytest.raises(NotRunError, match="60"):
        subset_reports.rivals_hospital(HOSPITAL, 40, SEED, panels={"BB": panel(8)})
