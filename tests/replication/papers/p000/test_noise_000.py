"""What is drawn has the stated law, mechanism by mechanism, on the quick grid of the claim.

`tests/mutants/mutants_000.py` names these tests: each fails when the noise of its mechanism is changed.
"""

from functools import cache

import pytest

from private_experts.errors import InputError
from private_experts.privacy import SecureNoise
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000.drawn_game import CALLS
from private_experts.replication.papers.p000.noise_000 import MECHANISMS
from tests.replication.ledger.ledgers import KNOWN
from tests.replication.papers.small_checks import failing

CLAIM = KNOWN.claims["000/drawn-noise"]
QUICK, SEEDED = CLAIM.experiment(quick=True), CLAIM.experiment(quick=False).grid["mechanism"]
COPIES, SLACK = 6000, {"slack": 0.07}


@cache
def points_of(name: str) -> list[Point]:
    return [*MECHANISMS[name](QUICK.grid | SLACK, COPIES, 0)]


@pytest.mark.parametrize("name", SEEDED)
def test_what_is_drawn_has_the_stated_law(name: str):
    points = points_of(name)
    wrong = [(point.where, point.interval, point.bound) for point in points if decide([point]) == "fails"]
    assert points
    assert not wrong
    assert {point.where["mechanism"] for point in points} == {name}


def test_the_claim_plays_every_mechanism_that_can_be_seeded_and_its_comparisons_share_false_alarms():
    assert [name for name in MECHANISMS if name != "SecureNoise"] == SEEDED
    assert len({(point.where["part"], name) for name in SEEDED for point in points_of(name)}) <= CALLS


# OpenDP is slow: of so many copies three quarters of the noise are certain to be seen.
SECURE = QUICK.grid | {"slack": 0.1}, 600, 0


def test_secure_noise_is_normal_or_says_why_it_is_not_run_and_less_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
):
    points = [*MECHANISMS["SecureNoise"](*SECURE)]
    assert decide(points) != "fails"
    try:
        SecureNoise()
    except InputError:
        assert [point.where["part"] for point in points] == ["not run"]
        return
    with_noise = SecureNoise._with_noise

    def quieter(self, values, scale):
        # A report in a single copy has two values, which show less.
        return with_noise(self, values, scale * (0.5 if values.size <= 2 else 0.75))

    monkeypatch.setattr(SecureNoise, "_with_noise", quieter)
    parts = {point.where["part"] for point in points}
    assert failing([*MECHANISMS["SecureNoise"](*SECURE)], "part") == parts
    assert parts == {"one scale", "own counts", "single copies"}
