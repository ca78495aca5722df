"""Numbers that are drawn are those that are stated, one by one; a small share of others is noticed."""

from importlib import import_module

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.drawn_samples import digit_points, twins
from private_experts.replication.papers.p000 import study_digits
from tests.mutants.__main__ import MUTANTS
from tests.replication.ledger.ledgers import KNOWN

DIGITS = {
    paper: import_module(f"private_experts.replication.papers.p{paper}.digits_{paper}").DIGITS
    for paper in ("000", "001", "002", "003", "004")
}
IN_PLAYS = ("000: one draw shared by copies, a play that makes reports",)  # which the claim plays
ENTRIES = [(paper, name) for paper, digits in DIGITS.items() for name in digits]


@pytest.mark.parametrize(("paper", "name"), ENTRIES)
def test_every_number_is_as_stated_by_any_seed_in_a_mechanism_of_the_claim(paper: str, name: str) -> None:
    claim = KNOWN.claims[f"{paper}/drawn-noise"]
    assert name in claim.experiment(quick=False).grid["mechanism"]
    assert f"`{name}`" in claim.rule  # which says of no other one that each number is as stated
    for seed in (1, 7):
        (point,) = digit_points(DIGITS[paper], {"mechanism": [name]}, seed)
        assert point.value == 0 < point.bound < 1e-8


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.0, "holds"), (1 + 1e-13, "holds"), (1 + 1e-7, "fails"), (np.nan, "fails")]
)
def test_one_number_that_differs_fails_and_rounding_holds(factor: float, verdict: str) -> None:
    rng, again = twins(0, "test")
    drawn, stated = rng.random((50, 20)), again.random((50, 20))
    drawn[3, 7] *= factor
    digits = {"one": lambda seed: [(np.eye(2) > 0, np.eye(2) > 0), (drawn, stated), (2.0, 2.0)]}
    points = [*digit_points(digits, {"mechanism": ["another", "one"]}, 0)]
    assert [point.where["mechanism"] for point in points] == ["one"]
    assert decide(points) == verdict


def test_a_study_that_leaves_no_noise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_digits, "play_covered", lambda *_: [])
    (point,) = digit_points(DIGITS["000"], {"mechanism": ["Reports"]}, 0)
    assert point.value > 0


# Others are noticed by plays of their mechanism, as the name of their test says.
HIDDEN = [name for name, each in MUTANTS.items() if each.mechanism and f"[{each.mechanism}]" not in each.test]


@pytest.mark.parametrize("name", [name for name in HIDDEN if name not in IN_PLAYS])
def test_mutants_that_plays_may_hide_have_other_digits(name: str) -> None:
    mutant = MUTANTS[name]
    with pytest.MonkeyPatch.context() as put:
        mutant.patch(put)
        (point,) = digit_points(DIGITS[name[:3]], {"mechanism": [mutant.mechanism]}, 0)
    assert point.value > 0
