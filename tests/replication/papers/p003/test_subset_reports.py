"""Reports of sets and signs of labels: information by enumeration, games against other reports, mutants."""

import numpy as np
import pytest

from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.replication.ledger.evidence import NotRunError, decide
from private_experts.replication.papers.p003 import kl_risk, subset_reports
from private_experts.replication.study.data.panel import Panel
from tests.each import each
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

KINDS = {"subset selection": SubsetSelection, "Hadamard response": HadamardResponse}
ALL = {"mechanism": [*KINDS], "M": [2, 4, 5], "eps": [0.1, 1.0], "instances": 10}
GAMES = {"class": ["tilted 0.9"], "K": [4], "eps": [1.0], "features": ["permuted"], "T": [600]}
GAMES |= {"eps_low_privacy": [2.0]}
OWN = {"subset selection": {"T_long": [4000]}, "Hadamard response": {"T_long": [100_000]}}
RIVALS = {
    "rivals": {"algorithm 2": 0.5, "posterior": 1.0, "centred reports": 1.0},
    "K": 8,
    "games": {
        "subset selection": {"M": [64], "eps": [2.0], "T_over_M": [20]},
        "Hadamard response": {"M": [64], "eps": [0.5], "T_over_M": [2000]},
    },
}
HOSPITAL = {"rivals": RIVALS["rivals"], "K": 4, "eps": [1.0], "T": [300_000], "least_M": 60}


def test_reports_have_their_level_and_their_information() -> None:
    assert verdict(subset_reports.information, ALL) == "holds"


@each(
    ("name", "attribute", "off", "instances", "what"),
    [
        ("Hadamard response", "information", lambda right: 1.02 * right, 40, "information"),
        ("subset selection", "information", lambda right: 1.1 * right, 40, "information"),
        ("subset selection", "inclusion", lambda right: right + 1e-9, 10, "true chance"),
        ("Hadamard response", "flip", lambda right: right + 1e-9, 10, "true chance"),
    ],
)
def test_a_little_more_information_or_another_chance_of_a_lie_is_caught(
    name, attribute, off, instances, what
) -> None:
    whole = getattr(KINDS[name], attribute).fget
    with pytest.MonkeyPatch.context() as put:
        put.setattr(KINDS[name], attribute, property(lambda self: off(whole(self))))
        points = subset_reports.information(ALL | {"instances": instances}, SEED)
    assert failing(points, "what") == {what}
    assert failing(points, "mechanism") == {name}


def test_likelihoods_at_another_level_are_caught(monkeypatch) -> None:
    monkeypatch.setattr(
        HadamardResponse, "contrast", property(lambda self: np.tanh(self.guarantee.epsilon * 0.50001))
    )
    right = SubsetSelection.losses
    monkeypatch.setattr(SubsetSelection, "losses", lambda self, sets, f: right(self, sets, f) * 1.00001)
    points = subset_reports.information(ALL, SEED)
    assert "likelihoods" in failing(points, "what")
    assert failing(points, "mechanism") == set(KINDS)


def test_the_risk_is_under_its_bound_and_learning_nothing_is_caught() -> None:
    points = kl_risk.subset_reports(GAMES | {"own": OWN}, 20, SEED)
    assert decide(points) == "holds"
    assert {point.where["mechanism"] for point in points} == set(KINDS)
    assert all(point.lazy_fails and not point.vacuous for point in points if point.where["features"] == "one")
    for name in KINDS:
        alone = GAMES | {"features": [], "own": {name: OWN[name]}}
        with nothing_learnt():
            assert caught(lambda alone=alone: kl_risk.subset_reports(alone, 20, SEED))


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


def test_shares_of_hospitals_are_a_class() -> None:
    f = subset_reports.hospital_shares(panel(10), 3)
    np.testing.assert_allclose(f.sum(axis=1), 1.0)
    np.testing.assert_allclose(f[:, 0] * 50, [9.0, 5.0, 1.0], rtol=0.05)


def test_reports_of_many_labels_win_also_on_hospitals_where_there_are_many() -> None:
    points = subset_reports.rivals(RIVALS, 60, SEED)
    assert decide(points) == "holds"
    assert len(points) == 6
    assert all(point.lazy_fails for point in points)
    panels = {"AA": panel(100), "BB": panel(8)}
    points = subset_reports.rivals_hospital(HOSPITAL, 40, SEED, panels=panels)
    assert decide(points) == "holds"
    assert {point.where["state"] for point in points} == {"AA"}
    with pytest.raises(NotRunError, match="60"):
        subset_reports.rivals_hospital(HOSPITAL, 40, SEED, panels={"BB": panel(8)})


def test_reports_that_do_not_say_which_set_are_caught() -> None:
    """The mutant: plain randomised response in their place, which is too slow with many labels."""

    def plain(right, name, *game):
        return right("randomised response" if name in KINDS else name, *game)

    with wrong(subset_reports, "mechanism_of", plain):
        assert decide(subset_reports.rivals(RIVALS, 60, SEED)) == "fails"
        assert (
            decide(subset_reports.rivals_hospital(HOSPITAL, 40, SEED, panels={"AA": panel(100)})) == "fails"
        )
        assert isinstance(subset_reports.mechanism_of("subset selection", 2, 4, 9, 1.0), RandomizedResponse)
